"""What is broken by the definition of a promise is never called safe, whoever defined it."""

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import jsonschema
import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.algorithms.compatibility import criteria
from sfumato.criteria import Criterion
from sfumato.report import definition
from sfumato.report.parts.threats import threat_of

TREE = {"low": ["1", "2"], "high": ["5", "9"]}


def people(seed: int, n: int = 14, *, sets: bool = False) -> sf.Table:
    draw = np.random.default_rng(seed)
    scores = draw.choice(["1", "2", "5", "9"], n)
    source = pa.table(
        {
            "age": draw.integers(20, 30, n),
            "score": pa.array([[score] for score in scores]) if sets else scores,
            "guard": draw.choice(["low", "5", None], n),
        }
    )
    ages = {"age": sf.Intervals(5, 10)}
    return sf.read(source, ages, "score", hierarchies={"score": sf.Tree(TREE)})


@dataclass(frozen=True)
class EvenNumbers(Criterion, joins=False):
    """Every group has an even number of people."""

    looks_at_values: ClassVar[bool] = False

    def holds(self, groups):
        return groups.sizes % 2 == 0

    def measure(self, groups):
        return int((groups.sizes % 2).max(initial=0))

    def promised(self):
        return 0


@dataclass(frozen=True)
class OddNines(Criterion, joins=False):
    """Every group has an odd number of nines."""

    def holds(self, groups):
        nines = np.array([value == "9" for value in groups.values.labels], dtype=np.int32) - 1
        return groups.histogram.counted_as(nines).largest() % 2 == 1

    def measure(self, groups):
        return int((~self.holds(groups)).sum())

    def promised(self):
        return 0


@dataclass(frozen=True)
class Fails(EvenNumbers, joins=False):
    """A criterion with a mistake."""

    def holds(self, groups):
        raise KeyError("mistake")


EVERY = [*criteria(), EvenNumbers(), OddNines(), sf.KAnonymity(2) & EvenNumbers()]


@pytest.mark.parametrize("promise", EVERY, ids=str)
def test_what_a_check_finds_broken_is_never_called_safe(promise):
    n_broken = 0
    for seed in range(3):
        table = people(seed, sets=any(part.sets for part in promise.parts))
        subjects = [(table, sf.check(table, promise))]
        if table.set_valued is None:
            release = sf.anonymize(table, sf.KAnonymity(2), sf.Samarati())
            subjects.append((release, release.check(promise)))
        for subject, checked in subjects:
            verdict = sf.audit(subject, criterion=promise).verdict
            assert verdict == "failed" or not checked.failed
            n_broken += checked.failed
    assert n_broken, "choose tables that break it"


def test_the_share_of_people_above_a_risk_is_attacked():
    release = sf.anonymize(people(1, 40), sf.KAnonymity(2), sf.Samarati())
    sizes = release.groups.sizes
    risk = Fraction(1, int(sizes.min()) + 1)
    share = Fraction(int(sizes.min()), int(sizes.sum()))
    for allowed, holds in ((share / 2, False), (Fraction(1), True)):
        promise = sf.PeopleAtRisk(allowed, risk)
        audit = sf.audit(release, criterion=promise)
        (found,) = [each for each in audit.findings if "people above" in each.attack]
        assert found.holds is holds is bool(release.check(promise))
        assert found.found >= share
        assert found.promised.value == allowed
        assert threat_of(found.name) == "singling out"


def test_a_broken_definition_is_named_with_its_remedy():
    release = sf.anonymize(people(4, 15), sf.KAnonymity(2), sf.Optimal())  # an odd number
    audit = sf.audit(release, criterion=EvenNumbers())
    assert audit.verdict == "failed"
    assert audit.succeeded == ("counting people, EvenNumbers()",)
    assert "leaves EvenNumbers() at 1; promised is 0" in audit.sentences[0]
    (found,) = [each for each in audit.findings if each.holds is False]
    assert str(found.remedy) == "keep to EvenNumbers()"
    schema = json.loads((Path(definition.__file__).parent / "schema.json").read_text())
    jsonschema.validate(audit._document(private=False), schema)


def test_a_definition_that_cannot_be_asked_leaves_it_open():
    release = sf.anonymize(people(4, 15), sf.KAnonymity(2), sf.Optimal())
    audit = sf.audit(release, criterion=sf.KAnonymity(2) & Fails())
    assert audit.verdict == "undecided"
    assert "counting people, Fails()" in audit.heading
