"""Packed keys: what goes in comes out, and they sort like the tuples they stand for."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.data.keys import Layout, distinct, distinct_rows, order_of, runs

SIZES = st.lists(st.one_of(st.integers(1, 9), st.integers(2**20, 2**31)), min_size=1, max_size=9)


@st.composite
def coded(draw):
    """Numbers of values per column, and rows of codes with repetitions, extremes included."""
    sizes = draw(SIZES)
    cells = [st.sampled_from(sorted({0, size // 2, size - 1})) for size in sizes]
    return sizes, draw(st.lists(st.tuples(*cells), min_size=1, max_size=20))


def pack(sizes, rows):
    layout = Layout.of(sizes)
    return layout, layout.pack(
        [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    )


@given(SIZES)
@example([2] * 64)
@example([2] * 65)
@example([2**31, 2**31, 2**31])
def test_a_field_never_straddles_two_words_and_no_two_fields_overlap(sizes):
    layout = Layout.of(sizes)
    taken = [0] * layout.n_words
    for size, word, shift, width in zip(
        sizes, layout.words, layout.shifts, layout.widths, strict=True
    ):
        assert 2**width >= size
        assert shift >= 0
        assert shift + width <= 64
        field = (2**width - 1) << shift
        assert taken[word] & field == 0
        taken[word] |= field


@pytest.mark.parametrize(
    ("sizes", "n_words"),
    [
        ([1], 1),
        ([2] * 64, 1),
        ([2] * 65, 2),
        ([2**31, 2**31, 4], 1),
        ([2**31, 2**31, 5], 2),
        ([2**30] * 4, 2),
        ([2**30] * 5, 3),
        ([2**31, 2**31, 2**31, 2**31, 2**31], 3),
    ],
)
def test_columns_take_as_many_words_as_they_need(sizes, n_words):
    assert Layout.of(sizes).n_words == n_words


@given(coded())
@example(([2**31] * 5, [(2**31 - 1,) * 5, (0,) * 5]))
@example(([2] * 64, [(1,) * 64, (0,) * 64]))
def test_unpacking_gives_back_what_was_packed(table):
    sizes, rows = table
    layout, keys = pack(sizes, rows)
    assert keys.shape == (len(rows), layout.n_words)
    assert keys.dtype == np.uint64
    columns = [layout.unpack(keys, column).tolist() for column in range(len(sizes))]
    assert list(zip(*columns, strict=True)) == rows


@given(coded())
@example(([2**31, 2**31, 4], [(2**31 - 1, 0, 0), (2**30, 0, 3), (0, 2**31 - 1, 3)]))
def test_keys_sort_like_the_tuples_they_stand_for(table):
    sizes, rows = table
    _, keys = pack(sizes, rows)
    assert [rows[j] for j in order_of(keys)] == sorted(rows)


@given(coded())
def test_runs_start_where_a_sorted_row_differs_from_the_one_before(table):
    sizes, rows = table
    rows = sorted(rows)
    _, keys = pack(sizes, rows)
    expected = [j for j, row in enumerate(rows) if j == 0 or row != rows[j - 1]]
    assert runs(keys).tolist() == expected


@given(coded())
def test_distinct_finds_every_key_once_and_says_where_each_row_went(table):
    sizes, rows = table
    layout, keys = pack(sizes, rows)
    found, index = distinct(keys)
    expected = sorted(set(rows))
    columns = [layout.unpack(found, column).tolist() for column in range(len(sizes))]
    assert list(zip(*columns, strict=True)) == expected
    assert [expected[j] for j in index] == rows


@pytest.mark.parametrize("n_words", [1, 2])
def test_no_rows_have_no_runs_and_no_distinct_keys(n_words):
    keys = np.zeros((0, n_words), dtype=np.uint64)
    assert runs(keys).tolist() == []
    found, index = distinct(keys)
    assert found.shape == (0, n_words)
    assert index.tolist() == []


@pytest.mark.parametrize("times", [1, 40])  # few rows are sorted, of many all values are looked at
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 30)), min_size=1, max_size=30),
    st.integers(-(2**20), 2**20),
)
def test_distinct_rows_are_in_order_and_say_where_each_row_went(times, rows, first):
    rows = [(low + first, high) for low, high in rows] * times
    found, index = distinct_rows(np.array(rows, dtype=np.int32))
    expected = sorted(set(rows))
    assert [tuple(row) for row in found.tolist()] == expected
    assert [expected[j] for j in index] == rows
