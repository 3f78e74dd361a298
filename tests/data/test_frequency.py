"""The frequency set against counting rows one by one, over one, two and three words of key."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.groups
import naive.lattice
import sfumato as sf
from profiles import examples
from properties.generated import tables
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping, group_keys, sum_by
from sfumato.data.recoding import level_intervals
from sfumato.errors import BadInput

WIDTHS = {1: 0, 2: 2, 3: 4}  # words of a key -> columns of 30 bits that make it so


def small(n):
    return sf.Flat().grow("column", [f"v{j}" for j in range(n)])[0]


WIDE = Domain(range(2**30), small(2).taxonomy)  # a column of 30 bits that costs nothing


@st.composite
def coded(draw):
    """Rows of codes over columns that take one, two or three words: (sizes, rows)."""
    n_wide = draw(st.sampled_from(list(WIDTHS.values())))
    sizes = [3, *[2**30] * n_wide, 4]
    cells = [st.sampled_from(sorted({0, size // 2, size - 1})) for size in sizes]
    return sizes, draw(st.lists(st.tuples(*cells, st.integers(0, 4)), min_size=1, max_size=25))


def counted(sizes, rows, counts=None):
    """Quasi-identifiers q0, q1, ... of the given sizes, and s with five values."""
    names = [f"q{j}" for j in range(len(sizes))]
    domains = {n: WIDE if size > 100 else small(size) for n, size in zip(names, sizes, strict=True)}
    domains["s"] = small(5)
    columns = np.array(rows, dtype=np.int32).reshape(len(rows), len(domains)).T
    codes = dict(zip(domains, columns, strict=True))
    people = np.ones(len(rows), dtype=np.int64) if counts is None else np.array(counts)
    return FrequencySet.from_codes(domains, names, ["s"], codes, people)


def combinations(frequencies):
    columns = [frequencies.codes(column).tolist() for column in frequencies.columns]
    return list(zip(*columns, strict=True))


def as_dict(frequencies):
    return dict(zip(combinations(frequencies), frequencies.counts.tolist(), strict=True))


# --------------------------------------------------------------------------------------- counting


@pytest.mark.parametrize(("n_words", "n_wide"), WIDTHS.items())
def test_the_tables_of_these_tests_take_one_two_and_three_words(n_words, n_wide):
    sizes = [3, *[2**30] * n_wide, 4]
    assert counted(sizes, [[0] * (len(sizes) + 1)]).keys.shape == (1, n_words)


@given(coded())
def test_every_combination_is_counted_once_in_the_order_of_its_codes(table):
    sizes, rows = table
    frequencies = counted(sizes, rows)
    assert combinations(frequencies) == sorted(set(rows))
    assert as_dict(frequencies) == Counter(rows)
    assert frequencies.n_rows == len(rows)
    assert len(frequencies) == len(set(rows))


@given(coded(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_makes_no_difference(table, random):
    sizes, rows = table
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, other = counted(sizes, rows), counted(sizes, shuffled)
    assert one.keys.tolist() == other.keys.tolist()
    assert one.counts.tolist() == other.counts.tolist()


def test_counts_given_beforehand_are_added_up():
    frequencies = counted([3], [(1, 0), (0, 2), (1, 0)], [2**60, 7, 2**60 + 1])
    assert as_dict(frequencies) == {(0, 2): 7, (1, 0): 2**61 + 1}
    assert repr(frequencies) == f"<FrequencySet: {2**61 + 8:,} people, 2 distinct combinations>"


@given(coded(), st.data())
def test_projecting_counts_again_over_some_columns(table, data):
    sizes, rows = table
    names = [*(f"q{j}" for j in range(len(sizes))), "s"]
    kept = data.draw(st.lists(st.sampled_from(range(len(names))), min_size=1, unique=True))
    projected = counted(sizes, rows).project([names[j] for j in kept])
    assert projected.columns == tuple(names[j] for j in sorted(kept))
    assert projected.sensitive == (("s",) if len(sizes) in kept else ())
    assert as_dict(projected) == Counter(tuple(row[j] for j in sorted(kept)) for row in rows)


@given(coded())
def test_every_key_knows_its_combination_of_quasi_identifiers(table):
    sizes, rows = table
    frequencies = counted(sizes, rows)
    ground = combinations(frequencies.combinations)
    assert ground == sorted({row[:-1] for row in rows})
    found = [ground[j] for j in frequencies.combination_of]
    assert found == [combination[:-1] for combination in combinations(frequencies)]


def test_the_guard_is_counted_behind_everything_else_and_is_not_projected():
    domains = {"q": small(2), "s": small(2), "g": small(3)}
    codes = {name: np.array([0, 1, 1], dtype=np.int32) for name in domains}
    ones = np.ones(3, dtype=np.int64)
    frequencies = FrequencySet.from_codes(domains, ["q"], ["s"], codes, ones, guard="g")
    assert frequencies.columns == ("q", "s", "g")
    assert as_dict(frequencies) == {(0, 0, 0): 1, (1, 1, 1): 2}
    assert frequencies.project(["q", "s"]).columns == ("q", "s")


# -------------------------------------------------------------------------------------- rolling up


@examples(150)
@given(tables(), st.data())
def test_rolling_up_is_counting_the_generalized_rows(table, data):
    heights = naive.lattice.heights_of(table.paths)
    node = data.draw(st.sampled_from(naive.lattice.all_nodes(heights)))
    frequencies = table.frequencies()
    levels = dict(zip(table.columns, node, strict=True))
    rolled = frequencies.roll_up(level_intervals(frequencies.domains, levels))

    def published(name, code):
        if name not in levels:
            return frequencies.domains[name].labels[code]
        return frequencies.domains[name].taxonomy.labels[levels[name]][code]

    found = Counter()
    for combination, count in as_dict(rolled).items():
        texts = zip(rolled.columns, combination, strict=True)
        found[tuple(published(name, code) for name, code in texts)] += count
    assert found == Counter(naive.lattice.generalize(table.rows, table.paths, node))
    assert len(rolled) == len(found)  # no combination stands twice


@given(coded())
def test_rolling_up_merges_the_people_of_an_interval_also_in_long_keys(table):
    sizes, rows = table
    interval = np.array([[0, 1], [0, 1], [2, 2]], dtype=np.int32)
    rolled = counted(sizes, rows).roll_up({"q0": interval})
    assert as_dict(rolled) == Counter((interval[row[0], 0], *row[1:]) for row in rows)


# ----------------------------------------------------------------------------------------- merging


@given(coded(), st.data())
def test_merging_two_sets_is_counting_both_tables_as_one(table, data):
    sizes, rows = table
    split = data.draw(st.integers(0, len(rows)))
    one, other = counted(sizes, rows[:split]), counted(sizes, rows[split:])
    merged, whole = one.merge(other), counted(sizes, rows)
    assert merged.keys.tolist() == whole.keys.tolist()
    assert merged.counts.tolist() == whole.counts.tolist()


def test_tables_with_other_values_are_not_merged():
    with pytest.raises(BadInput, match=r"merge: column 'q0' has other values in the two tables; "):
        counted([3], [(0, 0)]).merge(counted([4], [(0, 0)]))


def test_a_table_without_a_column_is_not_merged():
    both = counted([3, 4], [(0, 0, 0)])
    with pytest.raises(BadInput, match="merge: the two tables have other columns"):
        both.merge(both.project(["q0", "s"]))


@pytest.mark.parametrize(
    ("quasi_identifiers", "sensitive"),
    [
        pytest.param(["b", "a"], ["s"], id="another order"),
        pytest.param(["a"], ["b", "s"], id="another role"),
        pytest.param(["a", "b", "c"], ["s"], id="a column more"),
    ],
)
def test_tables_with_other_columns_or_roles_are_not_merged(quasi_identifiers, sensitive):
    domains = {name: small(2) for name in "abcs"}
    codes = {name: np.array([code]) for name, code in zip("abcs", [0, 1, 1, 0], strict=True)}
    ones = np.ones(1, dtype=np.int64)
    one = FrequencySet.from_codes(domains, ["a", "b"], ["s"], codes, ones)
    other = FrequencySet.from_codes(domains, quasi_identifiers, sensitive, codes, ones)
    with pytest.raises(BadInput, match="merge: the two tables have other columns, or in another"):
        one.merge(other)


# --------------------------------------------------------------------------- attributes and groups


def sensitive_columns(*names):
    domains = {name: small(2) for name in ("q", *names)}
    codes = {name: np.array([0], dtype=np.int32) for name in domains}
    return FrequencySet.from_codes(domains, ["q"], names, codes, np.ones(1, dtype=np.int64))


def test_the_sensitive_column_need_not_be_named_when_there_is_only_one():
    assert sensitive_columns("disease").attribute(None) == "disease"
    assert sensitive_columns("disease", "salary").attribute("salary") == "salary"
    assert sensitive_columns().attribute(None) is None


def test_the_sensitive_column_must_be_named_when_there_are_several():
    with pytest.raises(BadInput, match=r"several sensitive columns \('disease', 'salary'\)"):
        sensitive_columns("disease", "salary").attribute(None)


def test_an_attribute_that_is_not_sensitive_is_refused_with_the_nearest_name():
    with pytest.raises(BadInput, match="attribute 'disese' is not sensitive; did you mean 'dis"):
        sensitive_columns("disease", "salary").attribute("disese")


@examples(150)
@given(coded(), st.data())
def test_groups_have_the_sizes_and_histograms_of_their_rows(table, data):
    sizes, rows = table
    frequencies = counted(sizes, rows)
    n_groups = 3
    names = st.integers(-1, n_groups - 1)
    index = data.draw(st.lists(names, min_size=len(frequencies), max_size=len(frequencies)))
    group_of = dict(zip(combinations(frequencies), index, strict=True))
    boxes = np.zeros((n_groups, len(sizes), 2), dtype=np.int32)
    groups = Grouping(frequencies, boxes, np.array(index, dtype=np.intp)).groups()
    members = [[row for row in rows if group_of[row] == group] for group in range(n_groups)]
    assert groups.sizes.tolist() == [len(each) for each in members]
    for dense, each in zip(groups.histogram.to_dense().tolist(), members, strict=True):
        assert {code: n for code, n in enumerate(dense) if n} == naive.groups.histogram(
            row[-1] for row in each
        )
    everybody = Counter(row[-1] for row in rows)  # suppressed people belong to the original table
    assert groups.reference.tolist() == [everybody[code] for code in range(5)]


def test_groups_without_a_sensitive_column_are_sizes_alone():
    groups = sensitive_columns().as_it_is().groups()
    assert groups.sizes.tolist() == [1]
    assert len(groups.values) == 0


@given(
    st.lists(st.tuples(*(st.integers(0, 2) for _ in range(4))), min_size=1, max_size=15),
    st.integers(0, 2),
)
def test_several_sensitive_columns_are_seen_one_at_a_time_or_within_the_others(rows, j):
    """One quasi-identifier and three sensitive columns; group 2 is suppressed."""
    names = ("q", "s0", "s1", "s2")
    domains = {name: small(3) for name in names}
    columns = np.array(rows, dtype=np.int32).T
    codes = dict(zip(names, columns, strict=True))
    ones = np.ones(len(rows), dtype=np.int64)
    frequencies = FrequencySet.from_codes(domains, ["q"], names[1:], codes, ones)
    group = frequencies.codes("q").astype(np.intp)
    boxes = np.zeros((2, 1, 2), dtype=np.int32)
    joint = Grouping(frequencies, boxes, np.where(group < 2, group, -1)).joint

    seen = joint.by(f"s{j}")
    members = [[row for row in rows if row[0] == g] for g in range(2)]
    assert seen.sizes.tolist() == [len(each) for each in members]
    assert seen.histogram.to_dense().tolist() == [
        [sum(row[j + 1] == value for row in each) for value in range(3)] for each in members
    ]
    finer, owner = joint.within(f"s{j}")
    others = [column for column in range(4) if column != j + 1]
    expected = naive.groups.rows_by_group([row for row in rows if row[0] < 2], others)
    found = zip(owner.tolist(), finer.histogram.to_dense().tolist(), strict=True)
    assert sorted(found) == sorted(
        (values[0], [sum(row[j + 1] == value for row in each) for value in range(3)])
        for values, each in expected.items()
    )
    assert finer.sizes.tolist() == finer.histogram.to_dense().sum(axis=1).tolist()
    reference = [sum(row[j + 1] == value for row in rows) for value in range(3)]
    assert finer.reference.tolist() == seen.reference.tolist() == reference


@given(tables())
def test_a_table_as_it_is_groups_the_rows_with_equal_quasi_identifiers(table):
    frequencies = table.frequencies()
    grouping = frequencies.as_it_is()
    labels = [frequencies.domains[name].labels for name in table.columns]
    expected = naive.groups.rows_by_group(table.rows, range(len(table.columns)))
    assert (grouping.boxes[:, :, 0] == grouping.boxes[:, :, 1]).all()
    found = {
        tuple(labels[j][code] for j, code in enumerate(box)): size
        for box, size in zip(grouping.boxes[:, :, 0], grouping.sizes.tolist(), strict=True)
    }
    assert found == {values: len(rows) for values, rows in expected.items()}
    assert grouping.groups().sizes.tolist() == grouping.sizes.tolist()
    assert grouping.n_suppressed == 0


@given(coded(), st.data())
def test_suppressing_groups_leaves_the_others_as_they_were(table, data):
    sizes, rows = table
    before = counted(sizes, rows).as_it_is()
    n_groups = len(before.boxes)
    unsafe = np.array(data.draw(st.lists(st.booleans(), min_size=n_groups, max_size=n_groups)))
    after = before.without(unsafe)
    assert after.boxes.tolist() == before.boxes[~unsafe].tolist()
    assert after.sizes.tolist() == before.sizes[~unsafe].tolist()
    assert after.n_suppressed == int(before.sizes[unsafe].sum())
    kept = np.cumsum(~unsafe) - 1
    for old, new in zip(before.index, after.index, strict=True):
        assert new == (-1 if unsafe[old] else kept[old])


def test_groups_can_be_suppressed_one_after_the_other():
    grouping = counted([3], [(0, 0), (1, 0), (2, 0), (2, 1)]).as_it_is()
    once = grouping.without(np.array([True, False, False]))
    twice = once.without(np.array([True, False]))
    assert twice.n_suppressed == 2
    assert twice.sizes.tolist() == [2]
    assert twice.index.tolist() == [-1, -1, 0, 0]


def test_suppressing_nothing_after_everything_changes_nothing():
    grouping = counted([3], [(0, 0), (1, 0)]).as_it_is()
    empty = grouping.without(np.array([True, True]))
    assert empty.without(np.zeros(0, dtype=bool)).n_suppressed == 2


# --------------------------------------------------------------------------------------- the rest


@pytest.mark.parametrize("big", [1, 2**53 - 4, 2**53, 2**53 + 1, 2**61 + 1])
def test_counts_are_added_up_exactly(big):
    index = np.array([2, 0, 2, 2], dtype=np.intp)
    counts = np.array([big, 3, 1, 1], dtype=np.int64)
    assert sum_by(index, counts, 4).tolist() == [3, 0, big + 2, 0]


def test_nothing_adds_up_to_noughts():
    empty = np.zeros(0, dtype=np.int64)
    assert sum_by(empty, empty, 3).tolist() == [0, 0, 0]


@given(coded())
def test_equal_keys_get_equal_numbers_and_each_group_names_a_member(table):
    sizes, rows = table
    frequencies = counted(sizes, rows)
    coarse = frequencies.roll_up({"q0": np.array([[0, 2]] * 3, dtype=np.int32)})
    keys = np.concatenate([coarse.keys, coarse.keys[::-1]])
    index, member = group_keys(keys)
    assert len(member) == len(coarse)
    assert (keys[member[index]] == keys).all()
    assert len({tuple(key) for key in keys[member].tolist()}) == len(member)


def test_people_in_no_group_are_suppressed():
    frequencies = counted([3], [(0, 0), (1, 0), (1, 1)], [5, 2, 4])
    boxes = np.zeros((1, 1, 2), dtype=np.int32)
    grouping = Grouping(frequencies, boxes, np.array([0, -1, -1], dtype=np.intp))
    assert grouping.sizes.tolist() == [5]
    assert grouping.n_suppressed == 6
    assert grouping.groups().histogram.to_dense().tolist() == [[5, 0, 0, 0, 0]]
    assert grouping.groups().reference.tolist() == [7, 4, 0, 0, 0]
