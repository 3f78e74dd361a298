"""Every algorithm with every criterion of the registry: the published file keeps the promise."""

import csv
import runpy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.algorithms import ALGORITHMS, Algorithm
from sfumato.algorithms.compatibility import all_pairs, check_pair, criteria, markdown, methods
from sfumato.criteria import CRITERIA
from sfumato.criteria.judging import holding
from sfumato.data.groups import Guards, Histogram

ROOT = Path(__file__).parents[2]
TREE = {"low": ["1", "2"], "high": ["5", "9"]}


N = 200
FEW = 8  # people, for a method that goes through all that could be


def people_of(n: int) -> pa.Table:
    draw = np.random.default_rng(5)
    age = draw.integers(20, 70, n)
    return pa.table(
        {
            "age": pa.array([None if j % 41 == 0 else int(a) for j, a in enumerate(age)]),
            "zip": [f"0{z}" for z in draw.integers(1000, 1030, n)],
            "sex": draw.choice(["f", "m"], n),
            "score": draw.choice(["1", "2", "5", "9"], n),
            "guard": draw.choice(["low", "5", None], n, p=[0.1, 0.1, 0.8]),
            "row": list(range(n)),
        }
    )


@pytest.fixture(scope="module")
def source() -> pa.Table:
    return people_of(N)


def read(source: pa.Table, insensitive: tuple[str, ...] = ()) -> sf.Table:
    return sf.read(
        source,
        {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Tree(["f", "m"])},
        sensitive="score",
        insensitive=insensitive,
        hierarchies={"score": sf.Tree(TREE)},
    )


@pytest.fixture(scope="module")
def people(source) -> sf.Table:
    return read(source)


@pytest.fixture(scope="module")
def numbered(source) -> sf.Table:
    """The same people, of whom everybody learns who they are: to count what they guard."""
    return read(source, ("row",))


@pytest.fixture(scope="module")
def sets(source) -> sf.Table:
    """The same people, with a list of one score each; the first has all four, the second none."""
    lists = [[score] for score in source["score"].to_pylist()]
    scores = pa.array([["1", "2", "5", "9"], [], *lists[2:]])
    column = source.column_names.index("score")
    return read(source.set_column(column, "score", scores))


@pytest.mark.every
@pytest.mark.long
@pytest.mark.parametrize("each", all_pairs(), ids=lambda each: f"{each.method}-{each.criterion}")
def test_every_pair_keeps_its_promise_or_is_refused_with_its_reason(
    source, people, numbered, sets, tmp_path, each
):
    guarding = any(part.guarding is not None for part in each.criterion.parts)
    if guarding:
        people = numbered
    if each.criterion.sets:
        people = sets
    n = FEW if each.method.judges_itself else N
    if n == FEW and not each.criterion.sets:
        people = read(people_of(FEW))
    if each.refused is not None:
        with pytest.raises(sf.BadInput, match=r"cannot (enforce|publish)"):
            sf.anonymize(people, each.criterion, each.method, untouched_identify=True)
        return
    release = sf.anonymize(people, each.criterion, each.method, untouched_identify=True)
    place = release.save(tmp_path / "out", format="csv")
    two_tables = each.method.bucketized
    with (place / ("sensitive.csv" if two_tables else "data.csv")).open(newline="") as file:
        rows = list(csv.DictReader(file))
    groups: dict[tuple, list[str]] = {}
    by = ("group",) if two_tables else ("age", "zip", "sex")
    guards_in: dict[tuple, list[str | None]] = {}
    for row in rows:
        group = tuple(row[name] for name in by)
        groups.setdefault(group, []).append(row["score"])
        if guarding:
            guards_in.setdefault(group, []).append(source["guard"][int(row["row"])].as_py())
    values = ["1", "2", "5", "9"]
    histogram = [[scores.count(value) for value in values] for scores in groups.values()]
    domain, _ = sf.Tree(TREE).grow("score", values)
    reference = None if each.criterion.sets else people.frequencies().reference("score")
    guards = None  # of two tables nobody can tell who guards what, so these pairs are refused
    if guarding:
        guarded = [[nodes.count(node) for node in ("low", "5")] for nodes in guards_in.values()]
        guards = Guards(Histogram.from_dense(guarded), np.array([[0, 1], [2, 2]]))
    sizes = [len(scores) for scores in groups.values()]
    if each.criterion.sets:  # people stand in a table of their own
        with (place / "data.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        numbers = [row["group"] for row in rows]
        sizes = [numbers.count(number) for (number,) in groups]
    seen = sf.Groups(sizes, histogram, domain, reference, guards)
    assert each.criterion.holds(seen).all()
    assert len(rows) + release.n_suppressed == n
    by_mechanism = any(part.by_mechanism for part in each.criterion.parts)
    assert release.check() or (by_mechanism and not release.check().failed)
    loaded = sf.load(place).check()
    assert not loaded.failed
    if not release.n_suppressed and not guarding and not by_mechanism:
        assert loaded  # else what it is about is not all published


def test_a_criterion_that_unions_can_break_is_refused_for_overlapping_boxes():
    class Odd(sf.KAnonymity):
        def monotone(self, *, suppression):
            return False

    assert sf.Mondrian().refuses(Odd(2)) is None
    with pytest.raises(sf.BadInput, match="union of safe groups"):
        check_pair(sf.Mondrian(strict=False), Odd(2))


def test_every_method_and_criterion_of_ours_has_examples_that_can_be_repeated():
    """So that none is left out of the pairs; a recoding decided earlier has nothing to search."""
    for registry, examples, without in (
        (ALGORITHMS, methods(), {sf.Recode}),
        (CRITERIA, criteria(), set()),
    ):
        assert {type(each) for each in examples} == set(registry.ours) - without
        assert len({str(each) for each in examples}) == len(examples)
        for each in examples:
            (spec,) = [each.spec()] if registry is ALGORITHMS else each.spec()
            assert registry.from_spec(spec, "here") == each


def test_a_method_that_says_nothing_of_itself_is_taken_with_caution():
    @dataclass(frozen=True)
    class _Silent(Algorithm):
        def search(self, frequencies, criterion, draw):
            raise NotImplementedError

    method = _Silent()
    assert (method.joint, method.symmetric, method.minimality) == (True, False, None)
    assert method.formation(sf.KAnonymity(2), None) is None
    refused = {str(each) for each in criteria() if method.refuses(each)}
    for each in criteria():
        cautious = each.guarding or each.sets or each.by_series or not each.by_group
        cautious = cautious or each.by_mechanism
        assert (str(each) in refused) == bool(cautious)


def test_the_table_in_the_documentation_is_the_registry():
    page = (ROOT / "docs" / "methods.md").read_text()
    assert markdown() in page


def test_the_generated_tables_are_those_that_make_docs_writes():
    written = runpy.run_path(str(ROOT / "tools" / "write_docs.py"))["written"]
    page = (ROOT / "docs" / "methods.md").read_text()
    assert written(page) == page
    start = page.index("<!-- make docs: pairs -->")
    damaged = page[:start] + page[start:].replace("| refused", "| yes", 1)
    assert damaged != page == written(damaged)


def test_relaxed_groups_have_k_to_2k_minus_1_members_unless_all_are_alike(people):
    frequencies = people.frequencies()
    recoding = sf.Mondrian(strict=False).search(frequencies, sf.KAnonymity(4), None)
    parts = recoding.parts
    for group in range(len(recoding.boxes)):
        mine = parts[parts[:, 1] == group]
        size = mine[:, 2].sum()
        assert size >= 4
        assert size <= 7 or len(mine) == 1
    assert parts[:, 2].sum() == 200
    assert recoding.splits


def test_relaxed_halves_are_even_and_in_order():
    source = pa.table({"x": [1, 1, 1, 1, 2, 3, 3, 3]})
    frequencies = sf.read(source, ["x"]).frequencies()
    how = sf.Mondrian(strict=False).search(frequencies, sf.KAnonymity(4), None)
    sizes = np.bincount(how.parts[:, 1], weights=how.parts[:, 2])
    assert sorted(sizes) == [4, 4]
    release = sf.anonymize(sf.read(source, ["x"]), sf.KAnonymity(3), sf.Mondrian(strict=False))
    assert release.check()


@pytest.mark.long
def test_who_of_a_split_combination_goes_where_does_not_depend_on_values():
    """Six people alike in everything known, three of them ill, halved many times."""
    source = pa.table(
        {"x": [1] * 2 + [2] * 6 + [3] * 2, "s": ["ok"] * 2 + ["ill"] * 3 + ["ok"] * 5}
    )
    table = sf.read(source, ["x"], "s")
    criterion = sf.KAnonymity(5) & sf.LDiversity(1, "frequency")
    left = []
    for _ in range(200):
        how = sf.anonymize(table, criterion, sf.Mondrian(strict=False)).recoding
        codes = how.combinations.codes("x")[how.parts[:, 0]]
        ill = how.combinations.codes("s")[how.parts[:, 0]] == 0
        first = how.parts[:, 1] == how.parts[codes == 0, 1][0]
        left.append(int(how.parts[(codes == 1) & ill & first, 2].sum()))
    # Three of six are chosen: 0, 1, 2 or 3 of the ill with 1, 9, 9, 1 chances in 20.
    counts = np.bincount(left, minlength=4)
    assert counts[1] + counts[2] > 150
    assert counts.min() < counts[1] / 2
    assert abs(np.mean(left) - 1.5) < 0.25


def test_a_cut_along_the_widest_column_only(people):
    frequencies = people.frequencies()
    both = sf.Mondrian().search(frequencies, sf.KAnonymity(3), None)
    one = sf.Mondrian(dimensions="widest").search(frequencies, sf.KAnonymity(3), None)
    assert len(one.boxes) < len(both.boxes)
    grouping = one.grouping(frequencies)
    assert holding(sf.KAnonymity(3), grouping.joint).all()


def test_a_refusal_names_every_method_that_judges_all_groups_and_takes_the_criterion():
    skyline = sf.Skyline([(1, 0, 0, "1/2")])
    refused = sf.Mondrian().refuses(skyline)
    able = {
        type(each).__name__
        for each in methods()
        if each.judges_all_groups and each.refuses(skyline) is None
    }
    assert {"Exhaustive", "SkylineMondrian"} <= able
    assert set(refused.partition("; use ")[2].split(" or ")) == able
