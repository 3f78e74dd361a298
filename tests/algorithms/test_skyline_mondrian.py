"""SkylineMondrian against figure 4 of Chen 2009 with fractions, and against the paper's numbers."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import sfumato as sf
from properties.generated import VALUES, criteria, tables
from properties.test_mondrian import dimensions, numeric_tables, regions
from sfumato.criteria.base import holding
from sfumato.data.domain import Members
from sfumato.data.frequency import FrequencySet

SPLITS = ["gain", "median", "widest"]
CONFIDENCES = ["1/2", "2/3", "3/4", "9/10", 1]
POINTS = st.tuples(*[st.integers(0, 2)] * 3, st.sampled_from(CONFIDENCES))


def alike(found, expected):
    """Whether the same rows are together."""
    return sorted(map(sorted_rows, found)) == sorted(map(sorted_rows, expected))


def sorted_rows(rows):
    return sorted(map(str, rows))


def with_tuples(table):
    """Rows as the twin takes them: everybody has a tuple of one value."""
    return [(*row[:-1], (row[-1],)) for row in table.rows]


@st.composite
def skylines(draw):
    """Points for some values, and for the others; with what the twin needs."""
    by_value = draw(st.booleans())
    if not by_value:
        points = draw(st.lists(POINTS, min_size=1, max_size=3))
        asked = [(value, *point) for value in VALUES for point in points]
        return points, None, asked
    named = draw(st.dictionaries(st.sampled_from(VALUES), st.lists(POINTS, min_size=1, max_size=2)))
    default = draw(
        st.one_of(st.none() if named else st.nothing(), st.lists(POINTS, min_size=1, max_size=2))
    )
    asked = [(value, *point) for value in VALUES for point in named.get(value, default or [])]
    return named, default, asked


def exactly(asked):
    return [(value, l, k, m, Fraction(c)) for value, l, k, m, c in asked]


@settings(max_examples=400, deadline=None)
@given(st.one_of(tables(), numeric_tables()), skylines(), st.sampled_from(SPLITS))
def test_regions_are_those_of_figure_4(table, skyline, split):
    points, default, asked = skyline
    rows, frequencies = with_tuples(table), table.frequencies()
    criterion = sf.Skyline(points, default)
    if not naive.withstands([rows], exactly(asked), "single"):
        with pytest.raises(sf.Unsatisfiable, match="no partition"):
            sf.SkylineMondrian(split).search(frequencies, criterion, None)
        return
    recoding = sf.SkylineMondrian(split).search(frequencies, criterion, None)
    found = [
        [(*row[:-1], (row[-1],)) for row in region] for region in regions(table, recoding).values()
    ]
    expected = naive.skyline_anonymize(rows, dimensions(table), exactly(asked), "single", split)
    assert alike(found, expected)
    assert holding(criterion, recoding.grouping(frequencies).joint).all()
    # Minimal (theorem 4): no region can be cut anywhere.
    for j, region in enumerate(found):
        for left, right in naive.splits_by_priority(region, dimensions(table), split):
            cut = [*found[:j], *found[j + 1 :], left, right]
            assert not naive.withstands(cut, exactly(asked), "single")


@settings(max_examples=150, deadline=None)
@given(tables(max_rows=20), skylines(), st.sampled_from(SPLITS), criteria())
def test_other_criteria_hold_for_both_sides_of_every_cut(table, skyline, split, pair):
    points, default, asked = skyline
    other, safe = pair
    rows, frequencies = with_tuples(table), table.frequencies()
    criterion = sf.Skyline(points, default) & other
    if not naive.withstands([rows], exactly(asked), "single") or not safe(table.rows):
        with pytest.raises(sf.Unsatisfiable):
            sf.SkylineMondrian(split).search(frequencies, criterion, None)
        return
    recoding = sf.SkylineMondrian(split).search(frequencies, criterion, None)
    found = [
        [(*row[:-1], (row[-1],)) for row in region] for region in regions(table, recoding).values()
    ]

    def also(side):
        return safe([(*row[:-1], *row[-1]) for row in side])

    expected = naive.skyline_anonymize(
        rows, dimensions(table), exactly(asked), "single", split, also
    )
    assert alike(found, expected)


@dataclasses.dataclass
class People:
    """People with one number and one letter known, and any number of values each."""

    rows: list[tuple]  # (number, letter, values)

    def frequencies(self) -> FrequencySet:
        single, _ = sf.Flat().grow("s", VALUES)
        sets = sorted({tuple(sorted(row[-1])) for row in self.rows})
        whole, codes = sf.Flat().grow("s", [f"set {j}" for j in range(len(sets))])
        kinds: list[tuple] = [()] * len(sets)
        for j, code in enumerate(codes.tolist()):
            kinds[code] = sets[j]
        members = [sorted((single.code_of(v), kind.count(v)) for v in set(kind)) for kind in kinds]
        starts = np.cumsum([0, *(len(each) for each in members)])
        flat = [entry for each in members for entry in each]
        held = Members(
            starts,
            np.array([code for code, _ in flat], dtype=np.int32),
            np.array([n for _, n in flat], dtype=np.int64),
            single,
        )
        domains = {"s": dataclasses.replace(whole, members=held)}
        coded = {"s": codes[[sets.index(tuple(sorted(row[-1]))) for row in self.rows]]}
        for j, (name, rule) in enumerate([("q0", sf.Intervals()), ("q1", sf.Tree(["a", "b"]))]):
            values = sorted({row[j] for row in self.rows})
            domains[name], codes = rule.grow(name, values)
            coded[name] = codes[[values.index(row[j]) for row in self.rows]]
        ones = np.ones(len(self.rows), dtype=np.int64)
        return FrequencySet.from_codes(domains, ["q0", "q1"], ["s"], coded, ones)

    @property
    def dimensions(self):
        numbers = sorted({row[0] for row in self.rows})
        letters = {"a": ("a", "*"), "b": ("b", "*")}
        rank = {"a": 0, "b": 1}
        ranks = {value: j for j, value in enumerate(numbers)}
        return [(ranks, {value: value for value in numbers}, None), (rank, rank, letters)]

    def regions(self, recoding) -> list[list[tuple]]:
        ground, parts = recoding.how.combinations, recoding.how.parts.tolist()
        numbers = [int(label) for label in ground.domains["q0"].labels]
        letters = ground.domains["q1"].labels
        codes = list(zip(ground.codes("q0").tolist(), ground.codes("q1").tolist(), strict=True))
        group = {(numbers[codes[c][0]], letters[codes[c][1]]): g for c, g, _ in parts}
        found: dict[int, list[tuple]] = {}
        for row in self.rows:
            found.setdefault(group[row[:2]], []).append(row)
        return list(found.values())


@st.composite
def people(draw, case):
    values = st.lists(st.sampled_from(VALUES), max_size=3, unique=case == "set").map(tuple)
    row = st.tuples(st.integers(1, 6), st.sampled_from("ab"), values)
    return People(draw(st.lists(row, min_size=1, max_size=14)))


@pytest.mark.parametrize("case", ["set", "multiset"])
@settings(max_examples=250, deadline=None)
@given(st.data(), skylines(), st.sampled_from(SPLITS))
def test_sets_are_cut_as_figure_4_with_the_groups_there_are(case, data, skyline, split):
    points, default, asked = skyline
    table = data.draw(people(case))
    frequencies, criterion = table.frequencies(), sf.Skyline(points, default, case)
    method = sf.SkylineMondrian(split, publish="bucketized")
    if not naive.withstands([table.rows], exactly(asked), case):
        with pytest.raises(sf.Unsatisfiable, match="does not prove"):
            method.search(frequencies, criterion, None)
        return
    recoding = method.search(frequencies, criterion, None)
    assert not recoding.how.splits
    found = table.regions(recoding)
    expected = naive.skyline_anonymize(table.rows, table.dimensions, exactly(asked), case, split)
    assert alike(found, expected)
    assert naive.withstands(found, exactly(asked), case)
