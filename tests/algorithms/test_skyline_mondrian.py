"""SkylineMondrian against figure 4 of Chen 2009 with fractions, and against the paper's numbers."""

import dataclasses
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.skyline_mondrian
import sfumato as sf
from profiles import examples
from properties.generated import VALUES, Generated, criteria, tables
from properties.test_mondrian import dimensions, numeric_tables, regions
from sfumato.algorithms.compatibility import check_pair
from sfumato.algorithms.skyline_mondrian import regions as skyline_regions
from sfumato.attacks.grouping import MethodBased
from sfumato.criteria.judging import holding
from sfumato.data.domain import SetMembers
from sfumato.data.frequency import FrequencySet
from sfumato.progress import listening

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


def sides_of(found):
    return [[(*row[:-1], (row[-1],)) for row in region] for region in found]


# A closed hierarchy of many values, so that those of a few people lie far apart.
WIDE = [(f"{j:03}", f"{j // 10:02}+", "*") for j in range(400)]
WIDE_RULE = sf.Hierarchy.from_spec({"level_table": WIDE}, "generated")


LETTERS = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "c+", "*")]
LETTERS_RULE = sf.Hierarchy.from_spec({"level_table": LETTERS}, "generated")


@st.composite
def wide_tables(draw):
    cell = st.integers(0, len(WIDE) - 1).map(lambda j: WIDE[j][0])
    row = st.tuples(st.sampled_from("abc"), cell, cell, st.sampled_from(VALUES))
    rows = draw(st.lists(row, min_size=4, max_size=14))
    return Generated(rows, [LETTERS, WIDE, WIDE], [LETTERS_RULE, WIDE_RULE, WIDE_RULE])


ALL_TABLES = st.one_of(tables(), numeric_tables(), wide_tables())


@pytest.fixture(autouse=True, scope="module")
def little_room():
    """Make everything that grows begin small, and stop the compiled loop all the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(skyline_regions, "ROOM", 1)
        patch.setattr(skyline_regions, "BUDGET", 4)
        yield


@pytest.mark.long
@examples(250)
@given(ALL_TABLES, skylines(), st.sampled_from(SPLITS))
def test_regions_are_those_of_figure_4_and_minimal(table, skyline, split):
    points, default, asked = skyline
    rows, frequencies = with_tuples(table), table.frequencies()
    criterion = sf.Skyline(points, default)
    if not naive.skyline_mondrian.withstands([rows], exactly(asked), "single"):
        with pytest.raises(sf.Unsatisfiable, match="no partition"):
            sf.SkylineMondrian(split).search(frequencies, criterion, None)
        return
    recoding = sf.SkylineMondrian(split).search(frequencies, criterion, None)
    found = sides_of(regions(table, recoding).values())
    expected = naive.skyline_mondrian.skyline_anonymize(
        rows, dimensions(table), exactly(asked), "single", split
    )
    assert alike(found, expected)
    assert holding(criterion, recoding.grouping(frequencies).joint).all()
    for j, region in enumerate(found):  # theorem 4: no region can be cut anywhere
        for left, right in naive.skyline_mondrian.splits_by_priority(
            region, dimensions(table), split
        ):
            cut = [*found[:j], *found[j + 1 :], left, right]
            assert not naive.skyline_mondrian.withstands(cut, exactly(asked), "single")


@examples(150)
@given(tables(max_rows=20), skylines(), st.sampled_from(SPLITS), criteria())
def test_other_criteria_hold_for_both_sides_of_every_cut(table, skyline, split, pair):
    points, default, asked = skyline
    other, safe = pair
    rows, frequencies = with_tuples(table), table.frequencies()
    criterion = sf.Skyline(points, default) & other
    if not naive.skyline_mondrian.withstands([rows], exactly(asked), "single") or not safe(
        table.rows
    ):
        with pytest.raises(sf.Unsatisfiable):
            sf.SkylineMondrian(split).search(frequencies, criterion, None)
        return
    recoding = sf.SkylineMondrian(split).search(frequencies, criterion, None)

    def also(side):
        return safe([(*row[:-1], *row[-1]) for row in side])

    expected = naive.skyline_mondrian.skyline_anonymize(
        rows, dimensions(table), exactly(asked), "single", split, also
    )
    assert alike(sides_of(regions(table, recoding).values()), expected)


@examples(100)
@given(ALL_TABLES, POINTS)
def test_gain_can_be_about_a_quasi_identifier(table, point):
    rows, frequencies = with_tuples(table), table.frequencies()
    column = len(table.columns) - 1
    asked = exactly((value, *point) for value in VALUES)
    if not naive.skyline_mondrian.withstands([rows], asked, "single"):
        return
    method = sf.SkylineMondrian(gain_of=table.columns[column])
    recoding = method.search(frequencies, sf.Skyline([point]), None)
    expected = naive.skyline_mondrian.skyline_anonymize(
        rows, dimensions(table), asked, "single", "gain", gain_of=column
    )
    assert alike(sides_of(regions(table, recoding).values()), expected)


@examples(100)
@given(st.one_of(tables(max_rows=20), numeric_tables()), st.integers(2, 4), st.integers(2, 3))
def test_by_the_median_diversity_is_cut_as_mondrian_cuts_it(table, c, l):
    """Proposition 4: (c,l)-diversity is (l - 2, 0, 0) with confidence c/(c + 1)."""
    frequencies = table.frequencies()
    skyline, diversity = sf.Skyline([(l - 2, 0, 0, f"{c}/{c + 1}")]), sf.RecursiveDiversity(c, l)
    try:
        found = sf.SkylineMondrian("median").search(frequencies, skyline, None)
    except sf.Unsatisfiable:
        with pytest.raises(sf.Unsatisfiable):
            sf.Mondrian().search(frequencies, diversity, None)
        return
    expected = sf.Mondrian().search(frequencies, diversity, None)
    assert sorted(found.boxes.tolist()) == sorted(expected.boxes.tolist())
    boxes = found.boxes[found.parts[:, 1]]
    assert (boxes == expected.boxes[expected.parts[:, 1]]).all()


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
        held = SetMembers(
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
        ground, parts = recoding.combinations, recoding.parts.tolist()
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
@examples(200)
@given(st.data(), skylines(), st.sampled_from(SPLITS))
def test_sets_are_cut_as_figure_4_with_the_groups_there_are(case, data, skyline, split):
    points, default, asked = skyline
    table = data.draw(people(case))
    frequencies, criterion = table.frequencies(), sf.Skyline(points, default, case)
    method = sf.SkylineMondrian(split, publish="bucketized")
    if not naive.skyline_mondrian.withstands([table.rows], exactly(asked), case):
        with pytest.raises(sf.Unsatisfiable, match="does not prove"):
            method.search(frequencies, criterion, None)
        return
    recoding = method.search(frequencies, criterion, None)
    assert not recoding.splits
    found = table.regions(recoding)
    expected = naive.skyline_mondrian.skyline_anonymize(
        table.rows, table.dimensions, exactly(asked), case, split
    )
    assert alike(found, expected)
    assert naive.skyline_mondrian.withstands(found, exactly(asked), case)


def test_statistics_of_regions_that_are_gone_do_not_count():
    """Sets are safer apart than together, so what was cut must not hinder (figure 4 lets it)."""
    merged = [(1, "a", ("flu", "none"))] * 100, [(2, "a", ("HIV",)), (2, "a", ())] * 100
    later = [(3, "a", ("HIV",))] * 51 + [(3, "a", ())] * 49, [(4, "a", ())] * 100
    asked = [("HIV", 2, 0, 1, Fraction(20, 29))]
    groups = [*merged, *later]
    assert naive.skyline_mondrian.withstands(groups, asked, "set")
    assert not naive.skyline_mondrian.withstands([*groups, merged[0] + merged[1]], asked, "set")
    table = People([row for group in groups for row in group])
    skyline = sf.Skyline({"HIV": [(2, 0, 1, "20/29")]}, case="set")
    method = sf.SkylineMondrian("median", publish="bucketized")
    assert alike(table.regions(method.search(table.frequencies(), skyline, None)), groups)


@pytest.fixture(scope="module")
def adult() -> pa.Table:
    table = sf.datasets.adult()
    for name in table.column_names:
        table = table.filter(pc.is_valid(table[name]))
    return table


@pytest.mark.long
def test_table_2_of_the_paper(adult):
    """(3,6)-diversity on Adult: how safe are executive managers at 0.95?"""
    known = [name for name in adult.column_names if name not in ("fnlwgt", "salary", "part")]
    known.remove("occupation")
    assert (adult.num_rows, len(known)) == (45222, 12)
    table = sf.read(adult, {name: sf.Flat() for name in known}, "occupation")
    frequencies = table.frequencies()
    skyline = sf.Skyline([(4, 0, 0, "3/4")])
    recoding = sf.SkylineMondrian().search(frequencies, skyline, None)
    groups = recoding.grouping(frequencies).groups("occupation")
    assert len(groups) == 784
    assert set(sf.attacks.knowledge.knowledge_skyline(groups, "Exec-managerial", 0.95)) == {
        (0, 4, 0), (1, 3, 1), (2, 2, 2), (3, 1, 2), (2, 1, 3), (4, 0, 3), (3, 0, 4),
    }  # fmt: skip


@pytest.fixture(scope="module")
def few(adult) -> sf.Table:
    columns = {"age": sf.Intervals(5, 10), "sex": sf.Flat(), "race": sf.Flat()}
    return sf.read(adult.slice(0, 3000), columns, ["occupation", "salary"])


def test_two_columns_are_protected_together(few):
    both = sf.Skyline([(1, 1, 0, "9/10")], attribute="occupation") & sf.Skyline(
        {">50K": [(0, 2, 1, "4/5")]}, attribute="salary"
    )
    frequencies = few.frequencies()
    apart = [len(sf.SkylineMondrian().search(frequencies, part, None).boxes) for part in both.parts]
    recoding = sf.SkylineMondrian().search(frequencies, both, None)
    assert holding(both, recoding.grouping(frequencies).joint).all()
    assert 1 < len(recoding.boxes) < min(apart)
    with pytest.raises(sf.BadInput, match="attribute="):
        sf.SkylineMondrian().search(frequencies, sf.Skyline([(1, 1, 0, "9/10")]), None)


@pytest.mark.long
@pytest.mark.parametrize("publish", ["generalized", "bucketized"])
def test_what_is_published_is_what_was_cut(few, publish, tmp_path):
    criterion = sf.Skyline([(2, 3, 1, "9/10")], attribute="occupation") & sf.KAnonymity(10)
    method = sf.SkylineMondrian("widest", publish=publish)
    release = sf.anonymize(few, criterion, method)
    assert method.bucketized == (publish == "bucketized")
    assert release.n_suppressed == 0
    loaded = sf.load(release.save(tmp_path / "out"))
    assert loaded.check()
    assert str(loaded.method) == str(method)
    with pytest.raises(sf.BadInput, match="not grouped one by one"):
        MethodBased("occupation").run(release)
    other = "bucketized" if publish == "generalized" else "generalized"
    again = sf.anonymize(few, criterion, dataclasses.replace(method, publish=other))
    assert sorted(release.sizes) == sorted(again.sizes)


def test_what_people_guard_is_kept_where_boxes_are_published(adult):
    guarded = adult.slice(0, 500).append_column("guard", [["Sales", None] * 250])
    columns = {"age": sf.Intervals(5, 10), "sex": sf.Flat()}
    trees = {"occupation": sf.datasets.adult_hierarchies()["occupation"]}
    table = sf.read(guarded, columns, "occupation", hierarchies=trees)
    criterion = sf.Skyline([(1, 1, 1, "19/20")]) & sf.PersonalizedPrivacy(4, "guard")
    release = sf.anonymize(table, criterion, sf.SkylineMondrian())
    assert release.check()
    assert len(release.sizes) > 5
    with pytest.raises(sf.BadInput, match="what people guard"):
        sf.anonymize(table, criterion, sf.SkylineMondrian(publish="bucketized"))


def test_progress_is_told(few):
    heard = []
    with listening(lambda *told: heard.append(told)):
        sf.SkylineMondrian().search(
            few.frequencies(), sf.Skyline([(2, 3, 1, "9/10")], attribute="occupation"), None
        )
    done = [told[1] for told in heard if told[0] == "cutting"]
    assert len(done) > 5
    assert done == sorted(done)
    assert done[-1] <= heard[-1][2] == len(few.frequencies().combinations)


def test_an_unsafe_table_is_refused_with_the_point_and_what_is_reached(few):
    frequencies = few.frequencies()
    named = sf.Skyline({">50K": [(0, 0, 0, "9/10"), (1, 0, 0, "9/10")]}, attribute="salary")
    with pytest.raises(sf.Unsatisfiable, match=r"\(1, 0, 0\) believes in '>50K' with confidence 1"):
        sf.SkylineMondrian().search(frequencies, named, None)
    unnamed = sf.Skyline([(0, 0, 0, "1/2")], attribute="salary")
    with pytest.raises(sf.Unsatisfiable) as refused:
        sf.SkylineMondrian().search(frequencies, unnamed, None)
    assert "<=50K" not in str(refused.value)
    sets = sf.Skyline([(0, 0, 0, "1/2")], attribute="salary", case="set")
    with pytest.raises(sf.Unsatisfiable, match=r"does not prove .* smaller groups"):
        sf.SkylineMondrian().search(frequencies, sets, None)


def test_what_does_not_fit_is_refused(few):
    for wrong, why in [
        ({"split": "best"}, "split must be one of"),
        ({"publish": "both"}, "publish must be one of"),
        ({"gain_of": 3}, "gain_of must be the name of a column"),
        ({"split": "median", "gain_of": "age"}, "gain_of goes with split='gain'"),
    ]:
        with pytest.raises(sf.BadInput, match=why):
            sf.SkylineMondrian(**wrong)
    skyline = sf.Skyline([(1, 1, 0, "9/10")], attribute="occupation")
    with pytest.raises(sf.BadInput, match="no quasi-identifier or sensitive column 'sx'"):
        sf.SkylineMondrian(gain_of="sx").search(few.frequencies(), skyline, None)
    with pytest.raises(sf.BadInput, match=r"there is no Skyline.*sf\.Mondrian"):
        check_pair(sf.SkylineMondrian(), sf.KAnonymity(5))
    with pytest.raises(sf.BadInput, match="one group at a time"):
        check_pair(sf.SkylineMondrian(), skyline & sf.CKSafety("9/10", 1, attribute="salary"))
