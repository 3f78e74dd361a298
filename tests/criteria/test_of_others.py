"""A definition of somebody else, which says no more than it has to, works everywhere.

And nothing is claimed in its name: what it does not state is not taken for granted.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.algorithms.compatibility import methods
from sfumato.criteria import Criterion
from sfumato.criteria.criterion import STATEMENTS
from sfumato.criteria.judging import holding, measure


@dataclass(frozen=True)
class Company(Criterion, joins=False):
    """Nobody is alone with a value: n people of a group have it, or nobody does."""

    n: int

    def holds(self, groups):
        rarest = np.full(len(groups), self.n)
        np.minimum.at(rarest, groups.histogram.group_of, groups.histogram.counts)
        return rarest >= self.n

    def measure(self, groups):
        return int(groups.histogram.counts.min()) if len(groups) else None

    def promised(self):
        return self.n


@dataclass(frozen=True)
class Parties(Company, joins=False):
    """Nobody is alone with a value, and nobody's is certain."""

    def holds(self, groups):
        return super().holds(groups) & (groups.histogram.n_distinct() > 1)


@dataclass(frozen=True)
class Crowd(Criterion, joins=False):
    """Every group is large, which is all that is looked at."""

    n: int
    looks_at_values: ClassVar[bool] = False

    def holds(self, groups):
        assert groups.counted is None
        return groups.sizes >= self.n

    def measure(self, groups):
        return int(groups.sizes.min()) if len(groups) else None

    def promised(self):
        return self.n

    def monotone(self, *, suppression):
        return True


@dataclass(frozen=True)
class NotRarer(Criterion, joins=False):
    """No value of the table is missing from a group."""

    needs_original: ClassVar[bool] = True

    def holds(self, groups):
        return groups.histogram.n_distinct() == np.count_nonzero(groups.reference)

    def measure(self, groups):
        return int(groups.histogram.n_distinct().min()) if len(groups) else None

    def promised(self):
        return None

    def monotone(self, *, suppression):
        return True


@dataclass(frozen=True)
class Peeping(Company, joins=False):
    """Would look at the original, and does not say so."""

    def holds(self, groups):
        assert groups.reference is None
        return super().holds(groups)


OF_OTHERS = (Company(2), Crowd(5), NotRarer(), Peeping(1), sf.KAnonymity(3) & Company(2))


@pytest.fixture(scope="module")
def table():
    draw = np.random.default_rng(3)
    n = 160
    source = pa.table(
        {
            "age": draw.integers(20, 70, n),
            "sex": draw.choice(["f", "m"], n),
            "score": draw.choice(["1", "2", "9"], n),
        }
    )
    return sf.read(source, {"age": sf.Intervals(5, 10, 50), "sex": sf.Flat()}, sensitive="score")


@pytest.mark.every
@pytest.mark.parametrize("criterion", OF_OTHERS, ids=str)
@pytest.mark.parametrize("method", methods(), ids=str)
def test_it_goes_with_a_method_or_is_refused_with_the_reason(table, tmp_path, method, criterion):
    if method.refuses(criterion) is not None:
        with pytest.raises(sf.BadInput, match="cannot enforce"):
            sf.anonymize(table, criterion, method)
        return
    release = sf.anonymize(table, criterion, method)
    assert release.check().holds
    assert holding(criterion, release.seen.joint).all()
    report = sf.audit(release, original=table)
    own = [finding for finding in report.findings if finding.attribute is not None]
    if method.keeps_to is not None:  # then that is what it is judged by
        own = [finding for finding in own if finding.attack != "mechanism"]
    for finding in own:  # nothing is promised in its name
        assert finding.promised is None or finding.promised.assumed
        assert finding.holds is None or finding.promised is not None
    report.save(tmp_path / "report")
    page = (tmp_path / "report" / "report.html").read_text()
    assert str(criterion.parts[-1]) in page
    assert type(criterion.parts[-1]).__doc__ in page


def test_the_refusals_are_those_that_nothing_was_said_for():
    refused = {type(each).__name__ for each in methods() if each.refuses(Company(2)) is not None}
    unions = {"CellSuppression", "Local", "Mondrian"}  # of safe groups need not be safe
    sizes = {"KOptimize"}  # are what its bounds are about
    others = {"Anatomy", "BCFAnonymizer", "GreedyGrouping", "Mask", "SkylineMondrian"}
    others |= {"OptimalConfidential"}
    assert refused == others | unions | sizes
    assert sf.Mondrian().refuses(Company(2)) is None
    assert sf.GreedyGrouping().refuses(Company(2)) is None


def test_what_is_believed_of_people_is_not_judged_by_what_may_be_about_numbers(table):
    """Parties count people, and a belief has none: two of three is no more than four of six."""
    release = sf.anonymize(table, Parties(2), sf.SymmetricGrouping(seed=1))
    finding = sf.attacks.MethodBased().run(release)
    assert finding.found < 1
    assert finding.holds is None
    assert "what Parties(n=2) asks of beliefs is not stated" in finding.note


def test_a_broken_promise_is_one_by_its_own_words(table):
    found = sf.check(table, Company(2))
    assert not found.holds
    report = sf.audit(table, criterion=Company(2))
    skewed = next(finding for finding in report.findings if finding.attack == "skewness")
    assert (skewed.promised, skewed.holds) == (None, None)


def test_it_is_about_each_of_several_columns_within_the_others():
    rows = pa.table({"zip": ["1"] * 4, "a": list("xxyy"), "b": list("uuvw")})
    frequencies = sf.read(rows, ["zip"], sensitive=["a", "b"]).frequencies()
    found = measure(Company(2), frequencies.as_it_is().joint)
    assert [(each.criterion.attribute, each.found, each.holds) for each in found] == [
        ("a", 1, False),
        ("b", 1, False),
    ]


def test_without_the_suppressed_rows_there_is_no_verdict_on_what_needs_the_original(
    table, tmp_path
):
    method = sf.Exhaustive(0.5, prefer="suppression")
    release = sf.anonymize(table, sf.TCloseness("2/5"), method)
    release.save(tmp_path / "release")
    asked = sf.load(tmp_path / "release").check(NotRarer())
    assert (asked.measured[0].note is not None) == bool(release.n_suppressed)
    assert release.n_suppressed


@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_a_new_definition_inherits_no_statement_about_the_old_one(name):
    class Narrower(sf.LDiversity, joins=False):
        def holds(self, groups):
            return super().holds(groups) & (groups.sizes != 3)

    class Renamed(sf.LDiversity, joins=False):
        pass

    assert vars(Narrower)[name] is vars(Criterion)[name]
    assert name not in vars(Renamed)


def test_what_nobody_states_is_not_claimed():
    mine = Company(2)
    assert not mine.monotone(suppression=False)
    assert mine.belief_allowed().allows(Fraction(1))
    assert mine.belief_after(0).allows(Fraction(1))
    assert (mine.least_size, mine.values_wanted(), mine.size_alone) == (1, 0, False)
    assert mine.thresholds() is mine.enough_different() is mine.without_sizes() is None
    assert mine.skyline() is mine.implications() is mine.records_left() is None
    assert [mine.exchangeable, mine.bounds_shares, mine.needs_order] == [False] * 3
    assert mine.looks_at_shares
    assert mine.protects(["a", "b"]).tolist() == [0, 1]
    assert mine.in_words() == Company.__doc__
