"""Every method with every criterion: safe is nothing that no attack has shown that knows how."""

from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.algorithms.compatibility import all_pairs, methods
from sfumato.attacks.known_method.membership import members_of

TREE = {"low": ["1", "2"], "high": ["5", "9"]}
AGES = {"age": sf.Intervals(2, 4, 8)}
PAIRS = [each for each in all_pairs() if each.refused is None]
METHODS = methods()
L = sf.LDiversity(2, "frequency", values=["HIV"])


@pytest.fixture(scope="module")
def scores() -> pa.Table:
    draw = np.random.default_rng(3)
    n = 24
    return pa.table(
        {
            "age": list(range(20, 20 + n)),
            "score": [["1", "2", "5", "9"][j] for j in draw.permutation(np.arange(n) % 4)],
            "guard": draw.choice(["low", "5", None], n, p=[0.1, 0.1, 0.8]),
        }
    )


def read(scores: pa.Table, *, sets: bool) -> sf.Table:
    if sets:
        lists = [[score] for score in scores["score"].to_pylist()]
        scores = scores.set_column(1, "score", pa.array([["1", "2", "5", "9"], [], *lists[2:]]))
    return sf.read(scores, AGES, "score", hierarchies={"score": sf.Tree(TREE)})


@pytest.fixture(scope="module")
def tables(scores) -> dict[bool, sf.Table]:
    """The same people, with one score each and with sets of them."""
    return {sets: read(scores, sets=sets) for sets in (False, True)}


@pytest.mark.every
@pytest.mark.long
@pytest.mark.parametrize("each", PAIRS, ids=lambda each: f"{each.method}-{each.criterion}")
def test_nothing_about_values_is_safe_without_an_attack_that_knows_the_method(scores, tables, each):
    table = tables[each.criterion.sets]
    if each.method.judges_itself:  # by all that could be, of few people
        table = read(scores.slice(0, 8), sets=False)
    try:
        release = sf.anonymize(table, each.criterion, each.method)
    except sf.Unsatisfiable:
        return  # nothing is published
    report = sf.audit(release)
    about_values = any(part.looks_at_values for part in each.criterion.parts)
    about_values |= each.method.keeps_to is not None  # which is what it is judged by then
    shown = any(f.knows_method and f.holds and f.attribute == "score" for f in report.findings)
    broken = any(f.holds is False for f in report.findings)
    assert (report.verdict == "failed") == broken
    if about_values and not shown:
        assert report.verdict != "safe"
    if not about_values and not broken:
        assert report.verdict == "safe"
    assert bool(report) == (report.verdict == "safe")
    assert report.public().verdict != "safe" or report.verdict == "safe"


# ----------------------------------------------------------- what he knows, and not who has what


def told(report):
    """What attacks say that know the method."""
    return [
        (f.name, f.found, f.before, f.promised, f.holds, f.n_exceeding)
        for f in report.findings
        if f.knows_method
    ]


def hospital(values) -> sf.Table:
    people = pa.table({"age": list(range(20, 20 + len(values))), "s": list(values)})
    return sf.read(people, AGES, "s", hierarchies={"s": sf.Tree(["HIV", "flu", "none"])})


def in_public(release: sf.Release) -> str:
    """All that is published, except for the verdicts."""
    description = release.description.to_json() | {"verdicts": None}
    tables = [release.to_arrow(name).to_pydict() for name in release.description.tables]
    return repr([description, tables])


@pytest.fixture(scope="module")
def worlds() -> list[sf.Table]:
    """Six people of whom two have HIV, in every order."""
    return [hospital(world) for world in sorted(set(permutations(["HIV"] * 2 + ["none"] * 4)))]


@pytest.mark.every
@pytest.mark.long
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_the_verdict_is_the_same_in_all_worlds_that_lead_to_the_same_release(worlds, method):
    """Three worlds of each of two releases that several lead to."""
    releases: dict[str, list[sf.Release]] = {}
    for world in worlds:
        try:
            release = sf.anonymize(world, L, method)
        except (sf.Unsatisfiable, sf.BadInput):  # BadInput: the method cannot enforce it
            continue
        releases.setdefault(in_public(release), []).append(release)
    several = [each for each in releases.values() if len(each) > 1]
    for same in sorted(several, key=len)[-2:]:
        assert len({repr(told(sf.audit(release))) for release in same[:2] + same[2:][-1:]}) == 1
    if method.deterministic and releases:  # none: it publishes nothing of so few, or refuses
        assert several  # or nothing was compared


@pytest.mark.every
@pytest.mark.parametrize("method", [each for each in METHODS if not each.bucketized], ids=str)
def test_values_may_change_places_inside_groups(method, tmp_path):
    """The same release beside originals that differ in who of a group has which value.

    So that a release is published only if its audit passes tells nothing to who sees it.
    """
    values = ["HIV", "flu", "none", "flu", "HIV", "none", "flu", "none"]
    table = hospital(values)
    promise = sf.Confidentiality(2, ["HIV"]) if method.judges_itself else L
    try:
        release = sf.anonymize(table, sf.KAnonymity(2) & promise, method)
    except sf.BadInput:
        assert method.refuses(promise) is not None
        return
    except sf.Unsatisfiable:
        return  # nothing is published of so few
    members = members_of(sf.attacks.Target.of(release))
    ages = members.codes[members.combination, 0]  # everybody's is different
    loaded = sf.load(release.save(tmp_path / "out", experiment=True))
    report = sf.audit(loaded, table)
    expected = told(report), report.verdict
    assert not method.judges_itself or report.verdict == "safe"
    draw = np.random.default_rng(1)
    for _ in range(3):
        moved = list(values)
        for group in np.unique(members.group):
            people = ages[members.group == group]
            for here, there in zip(people, draw.permutation(people), strict=True):
                moved[int(there)] = values[int(here)]
        report = sf.audit(loaded, hospital(moved))
        assert (told(report), report.verdict) == expected
