"""The mechanism attack, beside running the method on every world."""

import random
from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa
import pytest

import naive.replay
import sfumato as sf
from sfumato.algorithms.bounds import BOUNDS
from sfumato.attacks import DoesNotApply, Mechanism

QI = {
    "q": sf.Tree({"Q": {"A": ["a1", "a2"], "B": ["b1", "b2"]}}),
    "r": sf.Tree({"Z": ["x", "y"]}),
}

METHODS = [
    sf.Mondrian(),
    sf.Mondrian(dimensions="widest"),
    sf.Mondrian(bounds="tight"),
    sf.Mondrian(bounds="cuts"),
    sf.Mondrian(look_ahead=True),
    sf.Mondrian(strict=False),
    sf.Samarati(),
    sf.Samarati(1),
    sf.Samarati(2, prefer="suppression"),
    sf.Samarati(3, suppress="cells"),
    sf.Incognito(prefer="relative_distance"),
    sf.Exhaustive(prefer="distribution"),
    sf.Exhaustive(1, prefer="distribution"),
    sf.Optimal("loss"),
    sf.Optimal("discernibility", 1),
    sf.Optimal("discernibility", 3, suppress="cells"),
    sf.Optimal("entropy"),
    sf.TopDown(),
    sf.TopDown("cut"),
    sf.ThreePhase(),
    sf.Checked(sf.Mondrian(), (2,)),
    sf.Checked(sf.Mondrian(), (1, 2, 3)),
    sf.Checked(sf.Optimal(), (1, 2, 4)),
    sf.Checked(sf.Samarati(3, suppress="cells"), (1, 2, 3)),
]

CRITERIA = [
    sf.LDiversity(2, "frequency", ["h"]),
    sf.KAnonymity(2) & sf.LDiversity(2, "frequency", ["h"]),
    sf.LDiversity(2),
    sf.KAnonymity(2) & sf.LDiversity(2),
    sf.LDiversity(2, "frequency"),
    sf.LDiversity(2, "entropy"),
    sf.RecursiveDiversity(2, 2),
    sf.AlphaKAnonymity(Fraction(2, 3), 2, ["h"]),
    sf.TCloseness(Fraction(1, 3)),
    sf.BetaLikeness(1),
    sf.DeltaDisclosure(1),
]
PAIRS = [(m, c) for m in METHODS for c in CRITERIA if m.refuses(c) is None]


def generated(rng):
    """Give a few people with quasi-identifiers and a value each."""
    kinds = rng.choice([["h", "n"], ["h", "n", "m"]])
    both = rng.random() < 0.5
    return [
        {
            "q": rng.choice(["a1", "a2", "b1", "b2"]),
            "r": rng.choice("xy") if both else "x",
            "s": rng.choice(kinds),
        }
        for _ in range(rng.randint(4, 6))
    ]


def attacked(rows, criterion, method, rules=QI):
    """Attack one release; give the finding and what enumeration believes. None: no release."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    table = sf.read(pa.table(columns), rules, "s")
    try:
        release = sf.anonymize(table, criterion, method)
    except sf.SfumatoError:
        return None
    boxes, _ = naive.replay.shown(release.recoding, table.frequencies())
    believed = naive.replay.beliefs(rows, rules, ["s"], criterion, method, boxes)
    if believed is None:
        with pytest.raises(sf.attacks.CannotRun, match="on no world"):
            Mechanism().run(release)
        return None
    return Mechanism().run(release), believed


def largest(believed, criterion):
    """Give the largest belief in a value that the criterion protects."""
    named = {v for part in criterion.parts for v in part.named_values()}
    return max(
        share
        for shares in believed.values()
        for (value,), share in shares.items()
        if not named or value in named
    )


VERDICTS = {
    "frequency": (
        sf.LDiversity(2, "frequency", ["h"]),
        lambda b: b.get(("h",), 0) <= Fraction(1, 2),
    ),
    "all values": (
        sf.KAnonymity(2) & sf.LDiversity(2, "frequency"),
        lambda b: max(b.values()) <= Fraction(1, 2),
    ),
    "distinct": (sf.KAnonymity(2) & sf.LDiversity(2), lambda b: sum(n > 0 for n in b.values()) > 1),
}


@pytest.mark.every
@pytest.mark.parametrize("kind", VERDICTS)
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_it_holds_exactly_where_no_belief_breaks_the_promise(method, kind, n_tables):
    criterion, keeps = VERDICTS[kind]
    rng = random.Random(f"{method} {kind}")
    for _ in range(2 * n_tables):
        rows = generated(rng)
        case = attacked(rows, criterion, method)
        if case is None:
            continue
        finding, believed = case
        if finding.n_people == len(rows):  # nobody is suppressed
            assert finding.holds == all(keeps(shares) for shares in believed.values())


@pytest.mark.parametrize("n_tables", [2, pytest.param(60, marks=pytest.mark.slow)])
def test_a_part_that_is_kept_tells_what_enumeration_says(n_tables):
    """A child a1 in which h is too frequent, and others who can fill up its parent."""
    criterion, keeps = VERDICTS["frequency"]
    rng = random.Random(n_tables)
    for _ in range(n_tables):
        rows = [{"q": "a1", "r": "x", "s": value} for value in ("h", "h", "n")]
        rows += [{"q": rng.choice(["a2", "b1"]), "r": "x", "s": "n"} for _ in range(2)]
        finding, believed = attacked(rows, criterion, sf.TopDown(keep="part"))
        assert finding.found == largest(believed, criterion)
        assert finding.holds == all(keeps(shares) for shares in believed.values())


ON_A_GRID = {"q": sf.Intervals(5, 10), "r": sf.Dates()}
GRID_VALUES = {"a1": 21, "a2": 24, "b1": 33, "b2": 62, "x": "2026-01-03", "y": "2026-03-09"}


@pytest.mark.parametrize("kind", VERDICTS)
@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("bounds", BOUNDS)
def test_bounds_of_numbers_and_days_tell_what_enumeration_says(bounds, strict, kind, n_tables):
    """Every kind of bounds is replayed: worlds in which another box is published do not count."""
    criterion, keeps = VERDICTS[kind]
    method = sf.Mondrian(strict=strict, bounds=bounds)
    rng = random.Random(f"{method} {kind} on a grid")
    for _ in range(3 * n_tables):
        rows = [
            {name: GRID_VALUES.get(value, value) for name, value in row.items()}
            for row in generated(rng)
        ]
        case = attacked(rows, criterion, method, ON_A_GRID)
        if case is not None:
            finding, believed = case
            assert finding.found == largest(believed, criterion)
            assert finding.holds == all(keeps(shares) for shares in believed.values())


@pytest.mark.parametrize("bounds", BOUNDS)
def test_a_finding_names_the_group_as_it_is_published(bounds):
    ages = [21, 22, 38, 39, 61, 64, 64]
    people = pa.table({"age": ages, "s": list("hnnnhnh")})
    table = sf.read(people, {"age": sf.Intervals(5, 10)}, "s")
    promise = sf.LDiversity(2, "frequency", ["h"])
    release = sf.anonymize(table, promise, sf.Mondrian(bounds=bounds))
    published = set(release.to_arrow()["age"].to_pylist())
    for attack in (Mechanism(), sf.attacks.Minimality()):
        assert attack.run(release).worst["group"]["age"] in published


@pytest.mark.every
def test_what_is_found_is_what_enumeration_finds(pair_of, n_tables):
    method, criterion = pair_of
    rng = random.Random(f"{method} {criterion}")
    for _ in range(n_tables):
        case = attacked(generated(rng), criterion, method)
        if case is not None:
            finding, believed = case
            assert finding.found == largest(believed, criterion)


@pytest.fixture(params=PAIRS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def pair_of(request):
    return request.param


@pytest.fixture(params=[1, pytest.param(60, marks=pytest.mark.slow)])
def n_tables(request):
    return request.param


@dataclass(frozen=True)
class _Tossing(sf.Algorithm):
    """Says that it leaves nothing to chance, and does not keep to it."""

    def search(self, frequencies, criterion, draw):
        draw(8)
        return sf.Samarati().search(frequencies, criterion, draw)


def test_chances_that_nobody_knows_the_use_of_leave_no_verdict():
    people = pa.table({"q": ["a1", "a2", "b1", "b2"], "r": list("xxxx"), "s": list("hnhn")})
    promise = sf.LDiversity(2, "frequency", ["h"])
    release = sf.anonymize(sf.read(people, QI, "s"), promise, _Tossing())
    with pytest.raises(sf.attacks.CannotRun, match="draws 8 random bytes"):
        Mechanism().run(release)


def test_a_method_that_was_shown_no_value_tells_nothing_about_any():
    """Numbers of people were enforced alone; what is asked of values later is asked of groups."""
    rows = {"q": [*"aaabbbb"], "s": [*"xyzxxyz"]}
    table = sf.read(pa.table(rows), {"q": sf.Tree(["a", "b"])}, "s")
    release = sf.anonymize(table, sf.KAnonymity(3), sf.Samarati())
    for promise, holds in ((sf.LDiversity(2, "frequency"), True), (sf.LDiversity(4), False)):
        findings = {each.attack: each for each in sf.audit(release, criterion=promise).findings}
        told = findings["mechanism"]
        assert (told.holds, told.found) == (holds, findings["homogeneity"].found)
    with pytest.raises(DoesNotApply, match="only numbers of people"):
        Mechanism().run(release)


def test_who_says_that_he_enforced_less_is_not_believed():
    """The release says that it was made by looking at values, so nothing is shown by its groups."""
    rows = {"q": [*"aaabbbb"], "s": [*"xyzxxyz"]}
    table = sf.read(pa.table(rows), {"q": sf.Tree(["a", "b"])}, "s")
    release = sf.anonymize(table, sf.KAnonymity(3) & sf.LDiversity(2), sf.Samarati())
    report = sf.audit(release, enforced=sf.KAnonymity(3))
    assert report.verdict == "undecided"
    assert "mechanism" not in {each.attack for each in report.findings}
