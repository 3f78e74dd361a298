"""What a criterion sees: sparse histograms against dictionaries, and the checks of `sf.Groups`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.groups
import sfumato as sf
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput

N_VALUES = 4
VALUES = ["flu", "HIV", "cold", "acne"]

# The sensitive codes of the people of every group; groups may be empty.
MEMBERS = st.lists(st.lists(st.integers(0, N_VALUES - 1), max_size=8), max_size=5)
SOME_CODES = st.lists(st.integers(0, N_VALUES - 1), unique=True)


def histogram_of(members):
    """The same histogram from a dense matrix and from one entry per person, in reverse."""
    dense = [[group.count(code) for code in range(N_VALUES)] for group in members]
    people = [(g, code) for g, group in enumerate(members) for code in group][::-1]
    groups = np.array([g for g, _ in people], dtype=np.intp)
    codes = np.array([code for _, code in people], dtype=np.int32)
    ones = np.ones(len(people), dtype=np.int64)
    shape = (len(members), N_VALUES)
    by_entries = Histogram.from_entries(groups, codes, ones, shape)
    by_matrix = Histogram.from_dense(np.array(dense, dtype=np.int64).reshape(shape))
    return by_entries, by_matrix


def as_dicts(histogram):
    """Per group `{code: count}`, zeros left out."""
    found = []
    for group in range(histogram.n_groups):
        codes = histogram.codes[histogram.starts[group] : histogram.starts[group + 1]].tolist()
        assert codes == sorted(set(codes))
        found.append(dict(zip(codes, histogram.row(group).tolist(), strict=True)))
    return found


@given(MEMBERS)
def test_a_histogram_counts_the_values_of_every_group(members):
    expected = [naive.groups.histogram(group) for group in members]
    for histogram in histogram_of(members):
        assert histogram.n_groups == len(members)
        assert as_dicts(histogram) == expected
        assert (histogram.counts > 0).all()


@given(MEMBERS)
def test_a_dense_histogram_has_the_zeros_too(members):
    for histogram in histogram_of(members):
        dense = histogram.to_dense()
        assert dense.shape == (len(members), N_VALUES)
        assert dense.tolist() == [[g.count(code) for code in range(N_VALUES)] for g in members]


@given(MEMBERS)
def test_every_entry_knows_its_group(members):
    for histogram in histogram_of(members):
        expected = [g for g, group in enumerate(members) for _ in set(group)]
        assert histogram.group_of.tolist() == expected


@given(MEMBERS, SOME_CODES, st.booleans())
def test_values_are_counted_as_others_or_not_at_all(members, codes, others):
    counts_as = [codes[0] if code in codes else code if others else -1 for code in range(N_VALUES)]
    renamed = [[counts_as[c] for c in group if counts_as[c] >= 0] for group in members]
    for histogram in histogram_of(members):
        counted = histogram.counted_as(np.array(counts_as, dtype=np.int32))
        assert as_dicts(counted) == [naive.groups.histogram(group) for group in renamed]


@given(MEMBERS, st.data())
def test_a_part_has_the_groups_that_were_chosen(members, data):
    chosen = data.draw(st.lists(st.booleans(), min_size=len(members), max_size=len(members)))
    left = [group for group, kept in zip(members, chosen, strict=True) if kept]
    for histogram in histogram_of(members):
        part = histogram.part(np.array(chosen, dtype=bool))
        assert as_dicts(part) == [naive.groups.histogram(group) for group in left]


@given(MEMBERS, SOME_CODES)
def test_only_the_given_values_are_kept(members, codes):
    for histogram in histogram_of(members):
        kept = histogram.only(np.array(codes, dtype=np.int32))
        left = [[code for code in group if code in codes] for group in members]
        assert as_dicts(kept) == [naive.groups.histogram(group) for group in left]
        assert kept.n_values == N_VALUES


@given(MEMBERS)
def test_the_number_of_values_and_the_largest_count_of_every_group(members):
    for histogram in histogram_of(members):
        assert histogram.n_distinct().tolist() == [len(set(group)) for group in members]
        largest = [max(naive.groups.histogram(group).values(), default=0) for group in members]
        assert histogram.largest().tolist() == largest


def test_counts_beyond_what_a_float_holds_are_added_exactly():
    big = 2**53 + 1
    groups, codes = np.array([0, 0, 0]), np.array([1, 1, 0], dtype=np.int32)
    counts = np.array([big, 1, 5], dtype=np.int64)
    histogram = Histogram.from_entries(groups, codes, counts, (1, 2))
    assert histogram.to_dense().tolist() == [[5, big + 1]]
    assert histogram.largest().tolist() == [big + 1]


# ---------------------------------------------------------------------------------------- Groups


def test_groups_are_made_from_plain_lists():
    groups = sf.Groups(sizes=[2, 3], histogram=[[1, 1, 0, 0], [3, 0, 0, 0]], values=VALUES)
    assert len(groups) == 2
    assert groups.sizes.tolist() == [2, 3]
    assert as_dicts(groups.histogram) == [{0: 1, 1: 1}, {0: 3}]
    assert groups.reference is None
    assert repr(groups) == "<Groups: 2 groups of 2 to 3 people, 4 sensitive values>"


def test_groups_are_made_from_arrays_and_histograms_alike():
    dense = np.array([[1, 1], [3, 0]])
    by_array = sf.Groups(np.array([2, 3]), dense, ["flu", "HIV"], reference=[4, 1])
    by_histogram = sf.Groups([2, 3], Histogram.from_dense(dense), ("flu", "HIV"))
    assert as_dicts(by_array.histogram) == as_dicts(by_histogram.histogram)
    assert by_array.values == by_histogram.values == ("flu", "HIV")
    assert by_array.reference.tolist() == [4, 1]


def test_groups_need_no_histogram_until_it_is_asked_for():
    groups = sf.Groups([2, 3])
    assert repr(groups) == "<Groups: 2 groups of 2 to 3 people, 0 sensitive values>"
    with pytest.raises(BadInput, match="these groups have no sensitive values; give histogram="):
        assert groups.histogram


def test_there_may_be_no_groups():
    groups = sf.Groups([], np.zeros((0, 4)), VALUES)
    assert len(groups) == 0
    assert repr(groups) == "<Groups: none>"
    assert groups.histogram.largest().tolist() == []


@pytest.mark.parametrize(
    ("sizes", "dense"),
    [
        pytest.param([1, 1, 1], [[1, 0, 1], [0, 1, 0]], id="two groups of three values"),
        pytest.param([2], [[1], [1]], id="a column for a row"),
        pytest.param([2, 3], [[1, 1]], id="a group less"),
        pytest.param([2], [[1, 1, 0]], id="a value more"),
    ],
)
def test_a_dense_histogram_of_another_shape_is_refused_with_both_shapes(sizes, dense):
    with pytest.raises(
        BadInput, match=r"Groups: the histogram must have the shape \(\d, 2\), sizes"
    ):
        sf.Groups(sizes, dense, ["flu", "HIV"])


@pytest.mark.parametrize(
    ("sizes", "dense"),
    [
        pytest.param([-2], [[1, 1]], id="a negative size"),
        pytest.param([2], [[3, -1]], id="a negative count"),
    ],
)
def test_negative_counts_are_refused(sizes, dense):
    with pytest.raises(BadInput, match="must not be negative"):
        sf.Groups(sizes, dense, ["flu", "HIV"])


@pytest.mark.parametrize(
    ("sizes", "dense"),
    [
        pytest.param([2.7], [[1, 1]], id="a size with a fraction"),
        pytest.param([2], [[0.5, 1.5]], id="a count with a fraction"),
    ],
)
def test_fractions_of_people_are_refused(sizes, dense):
    with pytest.raises(BadInput, match="Groups: "):
        sf.Groups(sizes, dense, ["flu", "HIV"])


def test_values_are_found_by_their_text_and_unknown_ones_left_out():
    groups = sf.Groups([1], [[1, 0, 0]], [1, "2", "x"])
    assert groups.codes_of(["x", 2, "1", "y"]).tolist() == [2, 1, 0]


def test_values_of_a_domain_are_found_by_its_codes():
    domain, _ = sf.Flat().grow("grade", ["10", "9", None])
    groups = sf.Groups([1], [[1, 0, 0]], domain)
    assert groups.codes_of([10, "9", None, "11"]).tolist() == [1, 0, 2]
