"""Every engine counts columns without roles as a look at one value after the other does."""

import collections
import dataclasses
import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from naive import look as naive
from profiles import examples

PATTERNS = {"two digits": "[0-9]{2}", "letters": "[a-z]+"}
texts = st.one_of(
    st.none(),
    st.text(st.sampled_from([*"ab01. -e", "é"]), max_size=5),
    st.integers(-30, 300).map(str),
    st.sampled_from(["1.5", "0.25", "01", "1e3", "a b c", " a  b "]),
)
tables = st.integers(1, 12).flatmap(  # more columns than are counted at once
    lambda width: st.lists(st.tuples(*[texts] * width), min_size=1, max_size=30)
)


def opened(read, table):
    return read(table, table.column_names[:1]).source


def compare(found, columns):
    """Compare what was counted with a look at one value after the other."""
    assert list(found.columns) == list(columns)
    for name, values in columns.items():
        expected, look = naive.looked_at(values, PATTERNS), found.columns[name]
        numbers = expected.pop("numbers")
        assert (look.numbers is None) == (numbers is None)
        if look.numbers is not None:
            assert dataclasses.astuple(look.numbers) == pytest.approx(numbers)
        assert {key: getattr(look, key) for key in expected} == expected


@examples(60)
@given(rows=tables)
def test_columns_are_counted_value_by_value(rows):
    columns = {f"c{j}": list(values) for j, values in enumerate(zip(*rows, strict=True))}
    table = pa.table({name: pa.array(each, pa.string()) for name, each in columns.items()})
    found = sf.engines.DuckDB().open(table).look(PATTERNS)
    assert found.last == rows[-1]
    compare(found, columns)


@examples(60)
@given(rows=tables, every=st.sampled_from([1, 2, 3]))
def test_columns_that_were_counted_are_not_read_again(rows, every):
    columns = {f"c{j}": list(values) for j, values in enumerate(zip(*rows, strict=True))}
    counted = {}
    for name in list(columns)[::every]:
        n_rows = collections.Counter(columns[name])
        counted[name] = [*n_rows], np.array([*n_rows.values()])
    given = {c: [None] * len(rows) if c in counted else each for c, each in columns.items()}
    table = pa.table({name: pa.array(each, pa.string()) for name, each in given.items()})
    found = sf.engines.DuckDB().open(table).look(PATTERNS, counted)
    assert found.last == ()
    compare(found, columns)


@pytest.mark.long
def test_many_columns_are_counted_value_by_value(read):
    """All at once, since a table takes some engines a second."""
    draw = random.Random(2)
    some = [None, "", "a b c", " a  b ", "01", "1e3", "0.25", "é", *map(str, range(-3, 30))]
    columns = {f"c{j}": draw.choices(some, k=60) for j in range(11)}
    columns["c11"] = [None] * 60
    table = pa.table({name: pa.array(each, pa.string()) for name, each in columns.items()})
    compare(opened(read, table).look(PATTERNS), columns)


def test_columns_with_types_are_looked_at_as_texts(read):
    table = pa.table(
        {"n": [1, 2, None], "day": pa.array([0, 1, 1], pa.date32()), "s": [["a"], ["b"], []]}
    )
    found = opened(read, table).look({"date": "[0-9]{4}-[0-9]{2}-[0-9]{2}"})
    assert [look.kind for look in found.columns.values()] == ["integer", "date", "text"]
    assert [look.is_list for look in found.columns.values()] == [False, False, True]
    assert found.columns["day"].share("date") == 1
    assert found.columns["n"].numbers.total == 3


def test_an_engine_that_does_not_look_has_the_embedded_one_look():
    from sfumato.engines.protocol import Source

    source = sf.engines.DuckDB().open(sf.datasets.patients())
    assert Source.look(source, PATTERNS).columns == source.look(PATTERNS).columns
