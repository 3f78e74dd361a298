"""A safe way out: which method keeps a promise that another one gave away.

Where somebody who knows the method succeeds, methods are tried to whom it makes no difference who
has which value. The list of them follows from the promise and the method that failed; each makes a
release in memory, which is attacked like any other. Nothing of it is written, or published.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sfumato.algorithms import Algorithm, Anatomy, Checked, Mondrian
from sfumato.algorithms.checked import doubling
from sfumato.attacks import Finding, Minimality, Target, UntouchedDisclosure
from sfumato.criteria import Criterion
from sfumato.errors import BadInput, SfumatoError
from sfumato.progress import report
from sfumato.release import Release, anonymize
from sfumato.report.steward import measured_loss
from sfumato.report.verdict import Verdict
from sfumato.table import Table
from sfumato.text import percent_lost

SECONDS = 60  # after which no other method is tried
OUT_OF_TIME = f"not tried: the methods before it took more than {SECONDS} seconds"
SERIES = "the release is one of several of the same people, and was not tried against these"
WITHOUT_ORIGINAL = "the original is not at hand (original=, --original)"
BEFOREHAND = (
    "Name it before you look at the data next time: that another method was tried first tells "
    "something, too, and this is not counted."
)


@dataclass(frozen=True)
class Try:
    """A method, and what became of it on this table."""

    method: Algorithm
    verdict: Verdict | None = None  # None: it was not tried, or published nothing
    loss: float | None = None
    reason: str | None = None  # why there is no verdict, or what it leaves open

    @property
    def safe(self) -> bool:
        """Whether it was shown to keep the promise."""
        return self.verdict == "safe"

    def __str__(self) -> str:
        if self.verdict is None:
            return f"{self.method}: {(self.reason or '').removeprefix(f'{self.method}: ')}"
        said = {"safe": "keeps the promise", "failed": "fails, too", "undecided": "is not decided"}
        lost = "" if self.loss is None else f", loss {percent_lost(self.loss)}"
        shape = ", as two tables" if self.method.bucketized else lost
        return f"{self.method}: {said[self.verdict]}{shape}"

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "method": self.method.spec(),
            "called": str(self.method),
            "verdict": self.verdict,
            "information_loss": self.loss,
            "tables": 2 if self.method.bucketized else 1,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class WayOut:
    """What was tried instead of a method that gave people away; for the steward alone.

    That a method failed on this table, or not, says something of its values, and loss is measured
    against the original: so no report for everybody shows what was tried.
    """

    tries: tuple[Try, ...]
    loss: float | None = None  # of the release that failed
    untried: str | None = None  # why nothing was tried
    two_tables: bool = False  # whether the release that failed is

    @property
    def best(self) -> Try | None:
        """What was shown to keep the promise: as many tables as failed, then the least loss."""
        safe = [each for each in self.tries if each.safe]
        return min(
            safe,
            key=lambda each: (each.method.bucketized != self.two_tables, each.loss),
            default=None,
        )

    def __str__(self) -> str:
        names = " or ".join(str(each.method) for each in self.tries)
        if not self.tries:
            return "Way out: no method is known here that does not look at who has which value."
        if self.untried is not None:
            return f"Way out: {names}; not tried, since {self.untried}."
        best = self.best
        if best is None:
            return (
                f"Way out: none was found. Tried: {'; '.join(map(str, self.tries))}. "
                "What helps: promise less, publish fewer quasi-identifiers, or larger groups."
            )
        if best.method.bucketized:
            at = "as two tables, with quasi-identifiers as they are"
        else:
            instead = "" if self.loss is None else f" instead of {percent_lost(self.loss)}"
            at = f"at an information loss of {percent_lost(best.loss or 0.0)}{instead}"
        others = "; ".join(str(each) for each in self.tries if each is not best)
        tried = f" Tried as well: {others}." if others else ""
        return f"Way out: {best.method} keeps the promise, {at}.{tried} {BEFOREHAND}"

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        best = self.best
        return {
            "method": None if best is None else best.method.spec(),
            "information_loss": None if best is None else best.loss,
            "instead_of": self.loss,
            "tried": self.untried is None,
            "reason": self.untried,
            "methods": [each.to_json() for each in self.tries],
            "words": str(self),
        }


def gives_method_away(finding: Finding) -> bool:
    """Whether an attack succeeded by what is known of the method."""
    return finding.holds is False and (finding.knows_method or finding.attack == Minimality.name)


def tells_people_apart(finding: Finding) -> bool:
    """Whether an attack succeeded by columns that stand beside the quasi-identifiers."""
    return finding.holds is False and finding.attack == UntouchedDisclosure.name


def candidates(criterion: Criterion, failed: Algorithm | None) -> Iterator[Algorithm]:
    """Give the methods to try: a public list, by what was promised and which method failed."""
    ks = doubling(criterion)
    methods: list[Algorithm] = [Mondrian(look_ahead=True), Checked(Mondrian(), ks)]
    methods.append(Checked(Mondrian(), ks[3:4]))  # of which nothing failed before
    if failed is not None:
        with suppress(BadInput):  # it cannot be told k alone
            methods.append(Checked(failed, ks))
    methods.append(Anatomy())
    for method in dict.fromkeys(methods):
        if method != failed and method.refuses(criterion) is None:
            yield method


def find_way_out(
    subject: Release | Table, target: Target, attack: Callable[[Release, Target], Verdict]
) -> WayOut | None:
    """Try what does not look at who has which value; None: nothing was promised.

    attack: what makes a verdict on a release.
    """
    if target.criterion is None:
        return None
    methods = [*candidates(target.criterion, target.method)]
    untried = WITHOUT_ORIGINAL if target.original is None else None
    if target.previous.releases or target.previous.missing:
        untried = SERIES
    if untried is not None or target.original is None:
        return WayOut(tuple(map(Try, methods)), untried=untried)
    allowed = isinstance(subject, Release) and subject.description.untouched_identify
    tries, started = [], time.monotonic()
    for done, method in enumerate(methods):
        report("looking for a way out", done, len(methods))
        if time.monotonic() - started > SECONDS:
            tries.append(Try(method, reason=OUT_OF_TIME))
            continue
        try:
            release = anonymize(
                target.original, target.criterion, method, untouched_identify=allowed
            )
        except SfumatoError as error:
            tries.append(Try(method, reason=str(error)))
            continue
        seen = Target.of(release, external=target.external)
        tries.append(Try(method, attack(release, seen), measured_loss(release, seen)))
    return WayOut(tuple(tries), measured_loss(subject, target), two_tables=bool(target.as_they_are))
