"""A way out: what could be published instead that keeps the promise.

The attacks that succeed, or that have no verdict, say what helps (`Remedy`): a criterion to keep
to, columns that tell people apart, another method. All of that together is tried by every method
that may do; the list of these follows from the promise and the method that failed. Each try makes a
release in memory, which is attacked like any other. Nothing of it is written, or published.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sfumato.algorithms import Algorithm, Anatomy, BCFAnonymizer, Checked, Mondrian, Optimal
from sfumato.algorithms.checked import doubling
from sfumato.attacks import Remedy, Target
from sfumato.criteria import Criterion
from sfumato.criteria.criterion import together
from sfumato.data.hierarchy import Flat
from sfumato.data.schema import Schema
from sfumato.errors import BadInput, SfumatoError
from sfumato.files.toml_text import toml_key, toml_value
from sfumato.progress import report
from sfumato.proposal.job_entries import criteria_entries, method_entries
from sfumato.release import Release, anonymize
from sfumato.release.description import AS_THEY_ARE
from sfumato.report.parts.steward import measured_loss
from sfumato.report.verdict import Verdict, worst
from sfumato.table import Table
from sfumato.text import percent_lost

SECONDS = 60  # after which nothing else is tried
OUT_OF_TIME = f"not tried: what came before it took more than {SECONDS} seconds"
WITHOUT_ORIGINAL = "the original is not at hand (original=, --original)"
IN_PIECES = (
    "its combinations do not fit into the memory that is allowed, so no try could be decided: "
    "allow more (memory=)"
)
WITHOUT_EARLIER = "not all earlier releases are at hand (earlier=, --earlier)"
BEFOREHAND = (
    "Name it before you look at the data next time: that another method was tried first tells "
    "something, too, and this is not counted."
)


@dataclass(frozen=True)
class Try:
    """All steps of a remedy together, with a method, and what became of them on this table."""

    remedy: Remedy
    method: Algorithm
    verdict: Verdict | None = None  # None: it was not tried, or published nothing
    loss: float | None = None
    reason: str | None = None  # why there is no verdict, or what it leaves open

    @property
    def safe(self) -> bool:
        """Whether it was shown to keep the promise."""
        return self.verdict == "safe"

    @property
    def left_out(self) -> bool:
        """Whether there was no time to try it."""
        return self.reason == OUT_OF_TIME

    @property
    def others(self) -> tuple[str, ...]:
        """What is to be done beside taking the method."""
        return replace(self.remedy, method=None).steps

    @property
    def called(self) -> str:
        """The method, after what else is to be done."""
        return "; ".join([*self.others, f"by {self.method}"]) if self.others else str(self.method)

    @property
    def outcome(self) -> str:
        """What became of it."""
        if self.verdict is None:
            return (self.reason or "").removeprefix(f"{self.method}: ")
        said = {"safe": "keeps the promise", "failed": "fails, too", "undecided": "is not decided"}
        lost = "" if self.loss is None else f", loss {percent_lost(self.loss)}"
        shape = f", as two tables ({AS_THEY_ARE})" if self.method.bucketized else lost
        return f"{said[self.verdict]}{shape}"

    def job_lines(self, promised: Criterion | None) -> Iterator[str]:
        """Write what it changes in the job file of the release; `promised` stands there already."""
        if self.remedy.quasi_identifiers:
            yield "# Among the quasi-identifiers, and nowhere else in [columns]:"
            for name in self.remedy.quasi_identifiers:
                yield f"{toml_key(name)} = {toml_value(Flat().spec())}"
        if self.remedy.drop:
            yield "# Nowhere in [columns], so that they are dropped:"
            yield f"#   {', '.join(map(toml_value, self.remedy.drop))}"
        known = () if promised is None else promised.parts
        wanted = () if self.remedy.criterion is None else self.remedy.criterion.parts
        added = [part for part in wanted if part not in known]
        if added:
            yield "# Beside the criteria that are there:"
            yield from criteria_entries(together(added))
        yield "# Instead of the method that is there, or at the end of the file:"
        yield from method_entries(self.method)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "method": self.method.spec(),
            "called": self.called,
            "remedy": self.remedy.to_json(),
            "verdict": self.verdict,
            "information_loss": self.loss,
            "tables": 2 if self.method.bucketized else 1,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class WayOut:
    """What was tried instead of a release that gave people away; for the steward alone.

    That a method failed on this table, or not, says something of its values, and loss is measured
    against the original: so no report for everybody shows what was tried.
    """

    tries: tuple[Try, ...]
    loss: float | None = None  # of the release that failed
    untried: str | None = None  # why nothing was tried
    two_tables: bool = False  # whether the release that failed is
    promised: Criterion | None = None  # by the release that failed

    @property
    def job_lines(self) -> tuple[str, ...]:
        """What the best changes in the job file of the release; empty: none is known."""
        return () if self.best is None else (*self.best.job_lines(self.promised),)

    @property
    def best(self) -> Try | None:
        """What was shown to keep the promise: columns kept, tables as before, the least loss."""
        safe = [each for each in self.tries if each.safe]

        def cost(each: Try) -> tuple[int, bool, float]:
            loss = 1.0 if each.loss is None else each.loss
            return len(each.remedy.drop), each.method.bucketized != self.two_tables, loss

        return min(safe, key=cost, default=None)

    def settled(self, remedy: Remedy, failed: Algorithm | None) -> Remedy:
        """Say of one attack's remedy how it ended: as a part of the best, or of all that was tried.

        failed: the method of the release.
        """
        best = self.best
        if not remedy.changes:
            return remedy
        if not self.tries:  # such as in a series, which has its method
            return replace(remedy, method=None, other_method=False)
        if best is None:
            done = [each for each in self.tries if self.untried is None and not each.left_out]
            ended = [each.verdict or "failed" for each in done]  # what is refused is no way out
            return replace(remedy, tried=worst(*ended) if ended else None)
        own = best.remedy
        # What a job does that names no method depends on its criteria.
        named = remedy.other_method or remedy.criterion is not None or best.method != failed
        about = {*remedy.telling, *remedy.drop}
        return replace(
            remedy,
            method=best.method if named else None,
            other_method=False,
            telling=(),
            quasi_identifiers=tuple(name for name in own.quasi_identifiers if name in about),
            drop=tuple(name for name in own.drop if name in about),
            tried="safe",
        )

    def __str__(self) -> str:
        return " ".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """What helps, a line for each method that was tried, and the advice once."""
        if not self.tries:
            return ("Way out: no method is known here that could do.",)
        if self.untried is not None:
            names = [self.tries[0].called, *(_beside(self.tries[0], e) for e in self.tries[1:])]
            return (f"Way out: {' or '.join(names)}; not tried, since {self.untried}.",)
        best = self.best
        if best is None:
            return (
                "Way out: none was found. Tried:",
                *_listed(self.tries),
                "What helps: promise less, publish fewer quasi-identifiers, or larger groups.",
            )
        if best.method.bucketized:
            at = f"as two tables ({AS_THEY_ARE})"
        else:
            instead = "" if self.loss is None else f" instead of {percent_lost(self.loss)}"
            at = f"at an information loss of {percent_lost(best.loss or 0.0)}{instead}"
        others = [each for each in self.tries if each is not best]
        tried = ("Tried as well:", *_listed(others, best)) if others else ()
        that = "" if best.called == str(best.method) else ": that"
        first = f"Way out: {best.called}{that} keeps the promise, {at}."
        return (first, *tried, BEFOREHAND)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        best = self.best
        return {
            "method": None if best is None else best.method.spec(),
            "remedy": None if best is None else best.remedy.to_json(),
            "information_loss": None if best is None else best.loss,
            "instead_of": self.loss,
            "tried": self.untried is None,
            "reason": self.untried,
            "methods": [each.to_json() for each in self.tries],
            "words": str(self),
            "job": list(self.job_lines),
        }


def _listed(tries: Sequence[Try], said: Try | None = None) -> list[str]:
    """Say what became of each; what is to be done beside is said once."""
    texts = []
    for each in tries:
        texts.append(f"{each.called if said is None else _beside(said, each)}: {each.outcome}.")
        said = each
    return texts


def _beside(said: Try, each: Try) -> str:
    return str(each.method) if said.others == each.others else each.called


def candidates(criterion: Criterion, failed: Algorithm | None) -> Iterator[Algorithm]:
    """Give the methods to try: a public list, by what was promised and which method failed."""
    ks = doubling(criterion)
    blind: Algorithm = Mondrian()
    if not all(part.by_group for part in criterion.parts if not part.looks_at_values):
        blind = Optimal()  # what is promised of the whole table is for a lattice
    methods: list[Algorithm] = [blind]
    if any(part.looks_at_values for part in criterion.parts):
        methods = [Mondrian(look_ahead=True), Checked(blind, ks)]
        methods.append(Checked(blind, ks[3:4]))  # of which nothing failed before
    if failed is not None:
        with suppress(BadInput):  # it cannot be told k alone
            methods.append(Checked(failed, ks))
    methods.append(Anatomy())
    for method in dict.fromkeys(methods):
        if method != failed and method.refuses(criterion) is None:
            yield method


def promise_with(criterion: Criterion | None, remedy: Remedy) -> Criterion | None:
    """Add what has to be kept to what was promised; None: neither says anything."""
    parts = [] if criterion is None else [*criterion.parts]
    wanted = () if remedy.criterion is None else remedy.criterion.parts
    parts += [part for part in wanted if part not in parts]
    return together(parts) if parts else None


def with_roles(table: Table, remedy: Remedy) -> Table:
    """See a table with columns as quasi-identifiers that are none yet, and without others."""
    moved = {*remedy.quasi_identifiers, *remedy.drop}
    if not moved:
        return table
    schema = table.schema
    added = [name for name in remedy.quasi_identifiers if name not in schema.quasi_identifiers]
    roles = Schema.of(
        schema.columns,
        [*(name for name in schema.quasi_identifiers if name not in remedy.drop), *added],
        [name for name in schema.sensitive if name not in moved],
        schema.identifiers,
        [name for name in schema.insensitive if name not in moved],
        schema.person,
        {name: rule for name, rule in schema.hierarchies.items() if name not in remedy.drop},
        schema.meanings,
    )
    compared = (*roles.counted, roles.person)
    rules = {name: rule for name, rule in table.spelling_rules.items() if name in compared}
    return Table(table.source, roles, rules, table.memory)


def plans(needed: Remedy, criterion: Criterion, failed: Algorithm | None) -> Iterator[Try]:
    """Give what is to be tried: the remedy by every method that may do; columns kept, or dropped.

    The method of the release itself is the first, unless it gives something away.
    """
    methods = [] if needed.other_method or failed is None else [failed]
    methods += candidates(criterion, failed)
    if needed.method is not None:  # against earlier releases
        methods = [needed.method]
    able = [each for each in methods if each.refuses(criterion) is None]
    steps = replace(needed, other_method=False, telling=(), give=())
    kept = tuple(name for name in needed.telling if name not in needed.drop)
    for method in able:
        yield Try(replace(steps, method=method, quasi_identifiers=kept), method)
    for method in able[: bool(kept)]:
        yield Try(replace(steps, method=method, drop=(*needed.drop, *kept)), method)


def find_way_out(
    subject: Release | Table,
    target: Target,
    needed: Remedy,
    attack: Callable[[Release, Target], Verdict],
) -> WayOut | None:
    """Try what helps; None: nothing was promised, and nothing has to be.

    needed: what all attacks together say that helps; attack: what makes a verdict on a release.
    """
    criterion = promise_with(target.criterion, needed)
    if criterion is None:
        return None
    if target.previous.releases and needed.method is None:
        known = None if target.method is None else target.method.series
        needed = replace(needed, method=(known or BCFAnonymizer()).after(target.previous.releases))
    planned = [*plans(needed, criterion, target.method)]
    untried = WITHOUT_ORIGINAL if target.original is None else None
    if target.previous.missing:
        untried = WITHOUT_EARLIER
    if target.original is not None and target.original.too_many(by_value=True) is not None:
        untried = IN_PIECES
    if untried is not None or target.original is None:
        return WayOut(tuple(planned), untried=untried)
    allowed = isinstance(subject, Release) and subject.description.untouched_identify
    allowed = allowed and not (needed.telling or needed.drop)
    tries, started = [], time.monotonic()
    for done, plan in enumerate(planned):
        report("looking for a way out", done, len(planned))
        if time.monotonic() - started > SECONDS:
            tries.append(replace(plan, reason=OUT_OF_TIME))
            continue
        try:
            table = with_roles(target.original, plan.remedy)
            release = anonymize(table, criterion, plan.method, untouched_identify=allowed)
            earlier = target.previous.releases
            seen = Target.of(release, external=target.external, earlier=earlier)
        except SfumatoError as error:
            tries.append(replace(plan, reason=str(error)))
            continue
        verdict, loss = attack(release, seen), measured_loss(release, seen)
        tries.append(replace(plan, verdict=verdict, loss=loss))
    return WayOut(
        tuple(tries),
        measured_loss(subject, target),
        two_tables=bool(target.as_they_are),
        promised=subject.criterion if isinstance(subject, Release) else None,
    )
