"""Top-down specialization against its row-by-row twins, and the two cases of Wong 2009, 7.1."""

import itertools
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive.criteria
import naive.top_down
import sfumato as sf
from properties.generated import VALUES, Generated, criteria, tables
from sfumato.algorithms.algorithm import chances
from sfumato.algorithms.lots import SECRET_BYTES
from sfumato.algorithms.top_down import moving_back, parting
from sfumato.criteria.judging import holding, is_monotone

LOW = ["Preschool", "1st-4th", "5th-6th", "7th-8th"]
CASES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass(frozen=True)
class NotThree(sf.KAnonymity):
    """A criterion that a union of safe groups can break: no group of three."""

    def holds(self, groups):
        return super().holds(groups) & (groups.sizes != 3)

    def monotone(self, *, suppression):
        return False


def not_three(group):
    return len(group) != 3


ANY = st.one_of(criteria(), st.just((NotThree(1), not_three)))


def ranks(table):
    """Rank of every ground value, by column."""
    return [{labels[0]: j for j, labels in enumerate(each)} for each in table.paths]


def boxes_of(nodes, rank):
    """Nodes as intervals of ranks."""
    return tuple((of[node[0]], of[node[-1]]) for node, of in zip(nodes, rank, strict=True))


def published(recoding, *, with_values):
    """How many people of which combination are published as which box."""
    columns = [recoding.combinations.codes(name).tolist() for name in recoding.combinations.columns]
    if not with_values:
        columns = columns[: len(recoding.combinations.quasi_identifiers)]
    codes = list(zip(*columns, strict=True))
    found = Counter()
    for key, group, n in recoding.parts.tolist():
        found[tuple(map(tuple, recoding.boxes[group].tolist())), codes[key]] += n
    return found


def by_row(table, slow, least, by_value, secret, at_once, part):
    """What the twin publishes: how many people of which combination as which box."""
    rank = ranks(table)
    value = {each: j for j, each in enumerate(VALUES)}
    people = sorted(
        table.rows,
        key=lambda row: (*(of[row[j]] for j, of in enumerate(rank)), value[row[-1]]),
    )
    # The value stands for nothing where it does not matter: people are in order without it.
    people = [
        (*row[:-1], value[row[-1]] if by_value else 0, row[-1], j) for j, row in enumerate(people)
    ]

    def judged(group):
        return slow([(*person[:-3], person[-2]) for person in group])

    found = Counter()
    groups = naive.top_down.top_down_local(
        people, table.paths, judged, least, by_value, secret, at_once, part
    )
    for nodes, members in groups:
        for person in members:
            combination = [of[person[j]] for j, of in enumerate(rank)]
            combination += [value[person[-2]]] if by_value else []
            found[boxes_of(nodes, rank), tuple(combination)] += 1
    return found


def assert_twins(table, fast, slow, seed, at_once, keep="whole"):
    """Both versions, with the same lots."""
    method = sf.TopDown(seed=seed, keep=keep)
    recoding = method.search(table.frequencies(), fast, chances(method))
    by_value = any(part.looks_at_values for part in fast.parts)
    secret = chances(method)(SECRET_BYTES)
    part = keep == "part" and not is_monotone(fast, table.frequencies(), suppression=True)
    expected = by_row(table, slow, fast.least_size, by_value, secret, at_once, part)
    assert published(recoding, with_values=by_value) == expected
    return recoding


@CASES
@given(
    tables(),
    ANY,
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 1024]),
    st.sampled_from(["whole", "part"]),
)
def test_local_specialization_is_what_its_twin_does_row_by_row(
    monkeypatch, table, criterion, seed, at_once, keep
):
    fast, slow = criterion
    if not slow(table.rows):
        with pytest.raises(sf.Unsatisfiable, match="as one group of all"):
            sf.TopDown().search(table.frequencies(), fast, None)
        return
    monkeypatch.setattr(moving_back, "LOTS", at_once)
    monkeypatch.setattr(parting, "AT_FIRST", at_once)
    assert_twins(table, fast, slow, seed, at_once, keep)


RARE = [
    (
        sf.AlphaKAnonymity("1/2", 2, values=["flu", "HIV"], pooled=True),
        naive.criteria.both(
            naive.criteria.k_anonymity(2),
            naive.criteria.l_diversity(2, "frequency", ["flu", "HIV"], True),
        ),
    ),
    (
        sf.KAnonymity(3) & sf.LDiversity(2, "frequency"),
        naive.criteria.both(
            naive.criteria.k_anonymity(3), naive.criteria.l_diversity(2, "frequency")
        ),
    ),
    (
        sf.LDiversity("9/4", "entropy"),
        naive.criteria.l_diversity(Fraction(9, 4), "entropy"),
    ),
    (sf.LDiversity(3), naive.criteria.l_diversity(3)),
    (sf.KAnonymity(4), naive.criteria.k_anonymity(4)),
    (NotThree(1), not_three),
]


@pytest.mark.long
@pytest.mark.parametrize("keep", ["whole", "part"])
@pytest.mark.parametrize("number", range(len(RARE)))
def test_people_who_go_back_are_those_of_the_twin(monkeypatch, number, keep):
    """Uneven columns, so that small unsafe children stand beside large safe ones."""
    fast, slow = RARE[number]
    paths = [[(f"{name}{j}", f"{name}.{j // 3}", "*") for j in range(6)] for name in ("a", "b")]
    rules = [sf.Hierarchy.from_spec({"level_table": each}, "test") for each in paths]
    n_split = 0
    for seed in range(60):
        draw = np.random.default_rng([number, seed])
        columns = [
            [each[j][0] for j in draw.choice(6, 40, p=[0.6, 0.1, 0.1, 0.1, 0.05, 0.05])]
            for each in paths
        ]
        values = draw.choice(VALUES, 40, p=[0.15, 0.15, 0.2, 0.5])
        table = Generated(list(zip(*columns, values.tolist(), strict=True)), paths, rules)
        if slow(table.rows):
            at_once = (2, 1024)[seed % 2]
            monkeypatch.setattr(moving_back, "LOTS", at_once)
            n_split += assert_twins(table, fast, slow, seed, at_once, keep).splits
    assert n_split > 10


@CASES
@given(tables(), ANY, st.integers(0, 2**32), st.sampled_from(["whole", "part"]))
def test_every_group_of_a_local_specialization_is_safe_and_has_a_box_of_its_own(
    table, criterion, seed, keep
):
    fast, slow = criterion
    if not slow(table.rows):
        return
    method = sf.TopDown(seed=seed, keep=keep)
    how = method.search(table.frequencies(), fast, chances(method))
    assert how.parts[:, 2].sum() == len(table.rows)
    assert (how.parts[:, 2] > 0).all()
    assert len(np.unique(how.boxes.reshape(len(how.boxes), -1), axis=0)) == len(how.boxes)
    values = [VALUES[0]] * len(how.combinations)
    if how.combinations.sensitive:
        values = [VALUES[code] for code in how.combinations.codes("s")]
    codes = [how.combinations.codes(name) for name in table.columns]
    for group, box in enumerate(how.boxes):
        mine = how.parts[how.parts[:, 1] == group]
        assert slow([(values[key],) for key, _, n in mine for _ in range(n)])
        for column, (low, high) in zip(codes, box, strict=True):
            assert (low <= column[mine[:, 0]]).all()
            assert (column[mine[:, 0]] <= high).all()


def cut_nodes(table, recoding):
    """The nodes of a recoding's cuts that somebody is published as, as tuples of ground values."""
    found = []
    for j, each in enumerate(table.paths):
        ground = [labels[0] for labels in each]
        sides = recoding.intervals[f"q{j}"].tolist()
        used = {tuple(sides[ground.index(row[j])]) for row in table.rows}
        found.append([tuple(ground[low : high + 1]) for low, high in sorted(used)])
    return found


@CASES
@given(tables(), ANY)
def test_a_cut_is_what_its_twin_finds_by_trying_every_node_again(table, criterion):
    fast, slow = criterion
    if not slow(table.rows):
        with pytest.raises(sf.Unsatisfiable, match="as one group of all"):
            sf.TopDown("cut").search(table.frequencies(), fast, None)
        return
    recoding = sf.TopDown("cut").search(table.frequencies(), fast, None)
    expected = [
        {node for node in cut if any(row[j] in node for row in table.rows)}
        for j, cut in enumerate(naive.top_down.top_down_cut(table.rows, table.paths, slow))
    ]
    assert list(map(set, cut_nodes(table, recoding))) == expected


@CASES
@given(tables(), ANY)
def test_at_the_end_of_a_cut_all_groups_are_safe_and_no_node_can_be_replaced(table, criterion):
    fast, slow = criterion
    if not slow(table.rows):
        return
    frequencies = table.frequencies()
    recoding = sf.TopDown("cut").search(frequencies, fast, None)
    assert holding(fast, recoding.grouping(frequencies).joint).all()
    cuts = cut_nodes(table, recoding)
    for j, hierarchy in enumerate(table.paths):
        for node in cuts[j]:
            children = naive.top_down.children_of(hierarchy, node)
            after = [*cuts[:j], [*set(cuts[j]) - {node}, *children], *cuts[j + 1 :]]
            if children:
                assert not all(
                    map(slow, naive.top_down.published_under(table.rows, after).values())
                )


def test_a_node_that_failed_is_tried_again_where_unions_can_be_unsafe():
    """Three people have b in the first column, until the second one has parted them."""
    tree = [("a", "*"), ("b", "*")]
    rows = [("a", "a", "flu")] * 4 + [("b", "a", "flu")] + [("b", "b", "flu")] * 2
    rule = sf.Hierarchy.from_spec({"level_table": tree}, "test")
    table = Generated(rows, [tree, tree], [rule, rule])
    recoding = sf.TopDown("cut").search(table.frequencies(), NotThree(1), None)
    assert cut_nodes(table, recoding) == [[("a",), ("b",)]] * 2


def test_of_two_columns_the_cut_takes_the_one_that_saves_more():
    """Parting x keeps y from being parted, and the reverse: four people, two in each group."""
    source = pa.table({"x": list("aabb"), "y": list("cdcd")})
    wide = sf.Tree({"one": ["c", "c2", "c3"], "two": ["d", "d2", "d3"]})  # parted in halves
    narrow = sf.Tree(["a", "b"])  # parted to the ground: saves everything
    for columns in (["x", "y"], ["y", "x"]):
        rules = {name: {"x": narrow, "y": wide}[name] for name in columns}
        release = sf.anonymize(sf.read(source, rules), sf.KAnonymity(2), sf.TopDown("cut"))
        assert set(release.to_arrow()["x"].to_pylist()) == {"a", "b"}
        assert set(release.to_arrow()["y"].to_pylist()) == {"*"}


def one_column(values, sensitive, tree):
    source = pa.table({"q": values, "s": sensitive})
    return sf.read(source, {"q": sf.Tree(tree)}, "s", hierarchies={"s": sf.Tree(VALUES)})


def kept(release):
    return Counter(zip(*(release.to_arrow()[name].to_pylist() for name in ("q", "s")), strict=True))


@pytest.mark.long
def test_as_few_go_back_as_needed_and_only_those_who_help():
    """One HIV alone at a: somebody of b goes back, never one of the HIV there."""
    table = one_column(["a"] + ["b"] * 8, ["HIV"] + ["HIV"] * 3 + ["none"] * 5, ["a", "b"])
    criterion = sf.AlphaKAnonymity("1/2", 1, values=["HIV"])
    for seed in range(20):
        release = sf.anonymize(table, criterion, sf.TopDown(seed=seed))
        assert kept(release) == {
            ("*", "HIV"): 1,
            ("*", "none"): 1,
            ("b", "HIV"): 3,
            ("b", "none"): 4,
        }


@pytest.mark.long
def test_who_goes_back_of_those_who_help_is_chance():
    table = one_column(
        ["a"] + ["b"] * 8, ["HIV", *["flu", "asthma", "none", "none"] * 2], ["a", "b"]
    )
    criterion = sf.AlphaKAnonymity("1/2", 1, values=["HIV"])
    met = Counter()
    for seed in range(400):
        how = sf.TopDown().search(table.frequencies(), criterion, chances(sf.TopDown(seed=seed)))
        (group,) = np.flatnonzero((how.boxes[:, 0, 0] == 0) & (how.boxes[:, 0, 1] == 1))
        values = how.combinations.codes("s")[how.parts[how.parts[:, 1] == group, 0]]
        met.update(VALUES[code] for code in values if VALUES[code] != "HIV")
    assert sum(met.values()) == 400
    # Each of the eight with the same chance: 100, 100 and 200, give or take four deviations.
    assert abs(met["flu"] - 100) < 35
    assert abs(met["asthma"] - 100) < 35
    assert abs(met["none"] - 200) < 40


def test_a_part_of_an_unsafe_child_goes_down():
    """Of three HIV among five at a, one goes back, and meets somebody of b."""
    people, values = ["a"] * 5 + ["b"] * 4, ["HIV"] * 3 + ["none"] * 6
    table = one_column(people, values, ["a", "b"])
    criterion = sf.KAnonymity(2) & sf.LDiversity(2, "frequency", ["HIV"])
    expected = {("*", "HIV"): 1, ("*", "none"): 1, ("a", "HIV"): 2, ("a", "none"): 2}
    for seed in range(5):
        release = sf.anonymize(table, criterion, sf.TopDown(seed=seed, keep="part"))
        assert kept(release) == expected | {("b", "none"): 3}


def test_people_of_two_values_leave_where_one_is_not_enough():
    """Six of a have a bounded value, at most one in six may; the four others cannot mend that."""
    people, values = ["a"] * 10 + ["b"] * 30, ["HIV"] * 3 + ["flu"] * 3 + ["none"] * 34
    table = one_column(people, values, ["a", "b"])
    promise = sf.AlphaKAnonymity("1/6", 1, values=["HIV", "flu"], pooled=True)
    method = sf.TopDown(seed=1, keep="part")
    release = sf.anonymize(table, promise, method)
    seen = kept(release)
    assert seen["a", "none"] == 4
    assert seen["*", "HIV"] + seen["*", "flu"] == 6


def test_a_part_is_not_looked_for_where_fewer_people_never_help():
    table = one_column(list("aab") * 4, ["HIV", "flu", "none"] * 4, ["a", "b"])
    for promise in (sf.KAnonymity(5), sf.LDiversity(3)):
        whole, part = (
            sf.anonymize(table, promise, sf.TopDown(seed=4, keep=keep))
            for keep in ("whole", "part")
        )
        assert whole.to_arrow().equals(part.to_arrow())


def test_a_child_that_can_spare_nobody_gives_all_its_people():
    table = one_column(["a"] + ["b"] * 3 + ["c"] * 3, ["flu"] * 7, ["a", "b", "c"])
    release = sf.anonymize(table, sf.KAnonymity(3), sf.TopDown())
    sizes = Counter(release.to_arrow()["q"].to_pylist())
    assert sizes in ({"*": 4, "b": 3}, {"*": 4, "c": 3})


def test_nobody_goes_down_where_the_rest_cannot_be_made_safe():
    table = one_column(["a"] + ["b"] * 3, ["flu"] * 4, ["a", "b"])
    release = sf.anonymize(table, sf.KAnonymity(3), sf.TopDown())
    assert set(release.to_arrow()["q"].to_pylist()) == {"*"}


def test_a_node_with_a_single_child_is_not_published_apart_from_it():
    """With-one has the only child b: both would stand for the same value."""
    tree = {"with-one": ["b"], "with-two": ["a", "c"]}
    table = one_column(["a"] * 2 + ["b"] * 5, ["HIV", "flu"] + ["flu"] * 5, tree)
    release = sf.anonymize(table, sf.AlphaKAnonymity("1/2", 1, values=["HIV"]), sf.TopDown())
    assert set(release.to_arrow()["q"].to_pylist()) == {"a", "b"}


@pytest.fixture(scope="module")
def census():
    """Adult without missing values, as Wong 2009, section 7, has it."""
    adult = sf.datasets.adult()
    for name in ("workclass", "occupation", "native-country"):
        adult = adult.filter(pc.is_valid(adult[name]))
    assert adult.num_rows == 45222
    return adult


WONG = sf.AlphaKAnonymity("1/2", 1, values=LOW, pooled=True)


def wong(census, columns):
    hierarchies = sf.datasets.adult_hierarchies()
    return sf.read(census, {name: hierarchies[name] for name in columns}, "education")


def absent_spouses(release, age):
    """Workclass and education of the people of one age whose spouse is absent."""
    seen = release.to_arrow().to_pylist()
    return Counter(
        (row["workclass"], row["education"])
        for row in seen
        if str(row["age"]) == age and row["marital-status"] == "Married-spouse-absent"
    )


@pytest.mark.long
@pytest.mark.parametrize("first", [["age", "marital-status"], ["marital-status", "age"]])
def test_both_real_cases_of_wong_are_published_as_printed(census, tmp_path, first):
    """Section 7.1; workclass comes last, as ties go to the earlier column."""
    release = sf.anonymize(wong(census, [*first, "workclass"]), WONG, sf.TopDown())
    release = sf.load(release.save(tmp_path / "out"))
    assert release.check()
    assert absent_spouses(release, "80") == {
        ("With-pay", "7th-8th"): 1,
        ("With-pay", "HS-grad"): 1,
        ("Private", "HS-grad"): 1,
    }
    young = absent_spouses(release, "33")
    generalized = Counter(
        {education: n for (work, education), n in young.items() if work == "With-pay"}
    )
    assert generalized.total() == 2
    assert generalized["1st-4th"] == 1
    assert sum(n for education, n in generalized.items() if education in LOW) == 1
    private = {education: n for (work, education), n in young.items() if work == "Private"}
    assert sum(private.values()) == 16
    assert sum(n for education, n in private.items() if education in LOW) == 4
    assert {work for work, _ in young} == {"With-pay", "Private"}


def test_where_workclass_comes_earlier_the_cases_of_wong_do_not_arise(census):
    """The lone person goes back along another column, and meets people of other status."""
    release = sf.anonymize(wong(census, ["age", "workclass", "marital-status"]), WONG, sf.TopDown())
    assert absent_spouses(release, "80") == {("Private", "HS-grad"): 2}


def test_local_recoding_loses_less_than_a_cut(census):
    table = wong(census, ["age", "marital-status", "workclass"])
    local, cut = (sf.anonymize(table, WONG, sf.TopDown(kind)) for kind in ("local", "cut"))
    assert sf.utility.information_loss(local) < sf.utility.information_loss(cut) / 10


@pytest.mark.long
@pytest.mark.parametrize("recoding", ["local", "cut"])
def test_numbers_dates_and_prefixes_go_down_their_levels(tmp_path, recoding):
    draw = np.random.default_rng(3)
    n = 300
    source = pa.table(
        {
            "age": draw.integers(20, 60, n),
            "born": [f"196{y}-0{m}-1{d}" for y, m, d in draw.integers(1, 9, (n, 3))],
            "zip": [f"0{z}" for z in draw.integers(1000, 1040, n)],
            "s": draw.choice(VALUES, n),
        }
    )
    rules = {"age": sf.Intervals(5, 20), "born": sf.Dates(), "zip": sf.Prefix()}
    for criterion in (sf.KAnonymity(4), sf.KAnonymity(4) & sf.LDiversity(2, "entropy")):
        release = sf.anonymize(sf.read(source, rules, "s"), criterion, sf.TopDown(recoding))
        place = tmp_path / str(criterion)
        release.save(place, format="csv")
        assert sf.load(place).check()
        assert release.n_rows == n
        assert len(release.sizes) > 1


@pytest.mark.parametrize("recoding", ["local", "cut"])
def test_a_criterion_about_several_sensitive_columns_is_kept(recoding):
    draw = np.random.default_rng(4)
    source = pa.table(
        {
            "x": draw.choice(list("abcdef"), 120),
            "y": draw.choice(list("ghi"), 120),
            "s": draw.choice(["1", "2", "3"], 120),
            "t": draw.choice(["4", "5"], 120),
        }
    )
    table = sf.read(source, ["x", "y"], ["s", "t"])
    release = sf.anonymize(table, sf.LDiversity(2), sf.TopDown(recoding))
    assert release.check()
    assert len(release.sizes) > 1


def test_lots_bring_everybody_once_however_many_there_are():
    for n in (1, 2, 1024, 1025, 5000):
        pieces = list(moving_back.lots(np.arange(1, n + 1), np.random.default_rng(n).bytes))
        order = np.concatenate(pieces)
        assert np.array_equal(np.sort(order), np.arange(n))
        assert order.tolist() == list(
            naive.top_down.lots_from(np.random.default_rng(n).bytes, n, 1024)
        )


def test_all_orders_of_lots_are_equally_likely(monkeypatch):
    monkeypatch.setattr(moving_back, "LOTS", 1)
    draw = np.random.default_rng(0).bytes
    met = Counter(
        tuple(np.concatenate(list(moving_back.lots(np.arange(1, 5), draw)))) for _ in range(4800)
    )
    assert set(met) == set(itertools.permutations(range(4)))
    assert max(abs(n - 200) for n in met.values()) < 70  # five deviations


def test_the_result_does_not_depend_on_how_much_is_judged_at_once(monkeypatch):
    draw = np.random.default_rng(8)
    values = draw.choice(list("abcdefgh"), 400)
    sensitive = draw.choice(VALUES, 400, p=[0.1, 0.2, 0.2, 0.5])
    table = one_column(values, sensitive, {"low": list("abcd"), "high": list("efgh")})
    criterion = sf.LDiversity(2, "frequency") & sf.KAnonymity(45)
    found = []
    for at_once in (1, 37, 1 << 22):
        monkeypatch.setattr(moving_back, "COUNTS_AT_ONCE", at_once)
        method = sf.TopDown(seed=5)
        recoding = method.search(table.frequencies(), criterion, chances(method))
        found.append(published(recoding, with_values=True))
    assert found[0] == found[1] == found[2]
    assert len({box for box, _ in found[0]}) > 2


def test_the_boxes_of_a_cut_can_be_applied_to_other_data(tmp_path):
    draw = np.random.default_rng(6)
    source = pa.table({"age": draw.integers(20, 60, 200), "sex": draw.choice(["f", "m"], 200)})
    rules = {"age": sf.Intervals(5, 20), "sex": sf.Tree(["f", "m"])}
    release = sf.anonymize(sf.read(source, rules), sf.KAnonymity(6), sf.TopDown("cut"))
    assert len(release.sizes) > 4
    method = sf.Recode.load(release.save_recoding(tmp_path / "recoding.json"))
    again = sf.anonymize(sf.read(source, rules), sf.KAnonymity(6), method)
    assert again.to_arrow().equals(release.to_arrow())
    part = sf.anonymize(sf.read(source.slice(20), rules), sf.KAnonymity(2), method)
    seen = {tuple(row.values()) for row in release.to_arrow().to_pylist()}
    assert {tuple(row.values()) for row in part.to_arrow().to_pylist()} <= seen


def test_wrong_parameters_are_refused_with_the_remedy():
    with pytest.raises(sf.BadInput, match="TopDown: recoding must be one of local, cut"):
        sf.TopDown("global")
    with pytest.raises(sf.BadInput, match="a cut leaves nothing to chance; drop the seed"):
        sf.TopDown("cut", seed=1)
    with pytest.raises(sf.BadInput, match="TopDown: seed must be an integer >= 0"):
        sf.TopDown(seed=-1)
    with pytest.raises(sf.BadInput, match="TopDown: keep must be one of whole, part"):
        sf.TopDown(keep="some")
    with pytest.raises(sf.BadInput, match='keep="part" goes with recoding="local"'):
        sf.TopDown("cut", keep="part")


def test_the_same_seed_gives_the_same_release_and_a_cut_needs_none(tmp_path):
    table = one_column(list("abc") * 7, ["HIV", *["flu"] * 6] * 3, ["a", "b", "c"])
    criterion = sf.AlphaKAnonymity("1/6", 2, values=["HIV"])
    one, two = (sf.anonymize(table, criterion, sf.TopDown(seed=2)) for _ in range(2))
    assert one.to_arrow().equals(two.to_arrow())
    assert not sf.TopDown().deterministic
    assert sf.TopDown("cut").deterministic
    with pytest.raises(sf.BadInput, match="made with a seed"):
        one.save(tmp_path / "out")
