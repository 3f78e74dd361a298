"""What is learned where a method publishes nothing, beside running it on every world."""

import random
from fractions import Fraction

import pyarrow as pa
import pytest

import naive.replay
import sfumato as sf
from sfumato.attacks import CannotRun, Refusal

QI = {"q": sf.Tree({"Q": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})}
METHODS = [
    sf.ThreePhase(),
    sf.ThreePhase("discernibility", "sequence"),
    sf.Samarati(1),
    sf.Checked(sf.Mondrian(), (2,)),
    sf.Checked(sf.Mondrian(), (1, 2)),
    sf.Mondrian(strict=False),
]
CRITERIA = [
    sf.LDiversity(2, "frequency", ["h"]),
    sf.KAnonymity(2) & sf.LDiversity(2),
    sf.LDiversity(2, "frequency"),
    sf.TCloseness(Fraction(1, 3)),
]
PRIORS = [{"h": 1, "n": 1, "m": 1}, {"h": "1/4", "n": 2, "m": 1}]
NAMED = CRITERIA[0]


def table_of(rows):
    return sf.read(pa.table({name: [row[name] for row in rows] for name in rows[0]}), QI, "s")


def refused(table, criterion, method):
    try:
        sf.anonymize(table, criterion, method)
    except sf.Unsatisfiable:
        return True
    except sf.BadInput:
        pass
    return False


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_what_is_found_is_what_enumeration_finds(method, criterion, n_tables):
    rng = random.Random(f"{method} {criterion}")
    for _ in range(n_tables):
        values = rng.choice(["hhn", "hnm", "nnnh"])
        rows = [
            {"q": rng.choice(["a1", "a2", "b1"]), "s": rng.choice(values)}
            for _ in range(rng.randint(2, 4))
        ]
        table = table_of(rows)
        if not refused(table, criterion, method):
            continue
        prior = rng.choice(PRIORS)
        finding = Refusal(prior=prior).run(table, criterion, method)
        believed = naive.replay.beliefs_if_refused(rows, QI, criterion, method, prior)
        protected = ["h"] if criterion is NAMED else list(prior)
        assert finding.found == max(b[v] for b in believed.values() for v in protected)
        if criterion.parts[-1].bounds_shares:
            whole = sum(map(Fraction, prior.values()))
            kept = [
                all(b[v] <= max(Fraction(1, 2), Fraction(prior[v]) / whole) for v in protected)
                for b in believed.values()
            ]
            assert finding.holds == all(kept)


@pytest.fixture(params=[4, pytest.param(60, marks=pytest.mark.slow)])
def n_tables(request):
    return request.param


FEW = [{"q": "a1", "s": "h"}, {"q": "b1", "s": "h"}, {"q": "b1", "s": "n"}]


def test_what_is_believed_is_held_against_the_bound_and_the_prior():
    """Two of three have it, or all three."""
    finding = Refusal(prior={"h": 1, "n": 1}).run(table_of(FEW), NAMED, sf.ThreePhase())
    assert (finding.before, finding.found) == (Fraction(1, 2), Fraction(3, 4))
    assert (finding.holds, finding.n_exceeding) == (False, 3)
    rare = Refusal(prior={"h": 1, "n": 99}).run(table_of(FEW), NAMED, sf.ThreePhase())
    assert (rare.before, rare.holds) == (Fraction(1, 100), False)
    assert rare.found == Fraction(2 * 99 + 1, 3 * 99 + 1)


def test_a_table_that_is_published_is_no_refusal():
    rows = [{"q": "a1", "s": "h"}, {"q": "b1", "s": "n"}]
    with pytest.raises(sf.BadInput, match="publishes a table"):
        Refusal().run(table_of(rows), NAMED, sf.ThreePhase())


def test_too_many_worlds_are_refused_at_once():
    rows = [{"q": q, "s": "h"} for q in ["a1", "a2", "b1", "b2"] * 20]
    rows[0]["s"] = "n"
    with pytest.raises(CannotRun, match="too many worlds"):
        Refusal().run(table_of(rows), NAMED, sf.ThreePhase())


@pytest.mark.parametrize("prior", [{"h": 0}, {"h": "x"}])
def test_weights_are_numbers_above_0(prior):
    with pytest.raises(sf.BadInput, match="Refusal: prior must be a number > 0"):
        Refusal(prior=prior)
