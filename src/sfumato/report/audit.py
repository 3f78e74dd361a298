"""Every attack on one release: what was promised next to what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import or_
from pathlib import Path
from typing import Any

from sfumato.attacks import Correspondence, Finding, Remedy, Target
from sfumato.attacks.attack import ATTACKS, attempt, tried
from sfumato.criteria import Criterion
from sfumato.errors import BadInput, CannotRun
from sfumato.files.json_text import readable_json
from sfumato.files.reports import write
from sfumato.html import html_table
from sfumato.parameters import file_path
from sfumato.progress import report
from sfumato.release import Release
from sfumato.release.columns.look_alikes import refuse_look_alikes
from sfumato.release.description import ATTACKED
from sfumato.report.definition import by_definition
from sfumato.report.document import document
from sfumato.report.in_words import remarks
from sfumato.report.page import page
from sfumato.report.page.frameworks import refuse_unknown
from sfumato.report.parts.evidence import Evidence
from sfumato.report.publishers_word import given_word, is_his_word, with_publishers_word
from sfumato.report.sentences import line, sentences
from sfumato.report.verdict import NotRun, Verdict, in_need, left_open, without_spellings
from sfumato.report.way_out import WayOut, find_way_out
from sfumato.table import Table
from sfumato.text import counted, people

OPEN_TO_THE_STEWARD = "an audit with everybody's quasi-identifiers at hand did not show it"
COLUMNS = ("attack", "knows", "before", "promised", "found", "exceed", "verdict")


@dataclass(frozen=True, eq=False)
class Report:
    """What every attack found, which could not be run, and what is shown by that.

    `verdict` is "failed" if an attack succeeded, "safe" if everything promised was shown to be
    kept, and else "undecided": an attack that applies could not be run or reached no verdict, or a
    promise about values was decided by no attack that knows the method. Where nothing was promised
    nothing can be shown. `holds`, and a report taken for true, mean "safe".

    Numbers may come from the original (shares before, people who fit), and `worst` inside the
    findings points at people: both are for the steward. `public()` is for everybody else.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> [finding.attack for finding in sf.audit(release).findings][:4]
    ['linkage, prosecutor', 'linkage, journalist', 'linkage, marketer', 'homogeneity']
    """

    subject: Release | Table
    target: Target
    findings: tuple[Finding, ...]
    not_run: tuple[NotRun, ...]
    # Of the private audit that this public report was derived from: its verdict, which the public
    # one must not be better than, and the names of the attacks that succeeded.
    at_best: Verdict = "safe"
    known: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """What was shown: "safe", "failed" or "undecided"."""
        if self.n_failed:
            return "failed"
        return "undecided" if self.left_open else "safe"

    @property
    def holds(self) -> bool:
        """Whether it was shown that everything promised is kept."""
        return self.verdict == "safe"

    @property
    def left_open(self) -> tuple[str, ...]:
        """What keeps the release from being shown safe, if no attack succeeded."""
        reasons = (*left_open(self.target, self.findings, self.not_run),)
        return reasons or (() if self.at_best == "safe" else (OPEN_TO_THE_STEWARD,))

    @property
    def succeeded(self) -> tuple[str, ...]:
        """Names of the attacks that succeeded; of a public report also with more than is public.

        A name says nothing of anybody; what was found with more stays with the steward.
        """
        found = [finding.name for finding in self.findings if finding.holds is False]
        return tuple(dict.fromkeys([*found, *self.known]))

    @property
    def n_failed(self) -> int:
        """Number of attacks that succeeded."""
        return len(self.succeeded)

    def __bool__(self) -> bool:
        return self.holds

    def public(self) -> Report:
        """Attack again with nothing but what is published.

        Of an attack that succeeded with more than that, the name is shown and nothing else. What to
        do is for the steward.
        """
        seen = Target.public(self.subject, self.target.criterion, self.target.previous)
        outcome = _audited(self.subject, seen)
        return replace(
            outcome,
            findings=tuple(replace(each, remedy=None) for each in outcome.findings),
            not_run=tuple(replace(each, remedy=None, hint=None) for each in outcome.not_run),
            at_best=self.verdict,
            known=self.succeeded,
        )

    @cached_property
    def way_out(self) -> WayOut | None:
        """What keeps the promise instead, tried on the original when first asked for.

        All remedies together, by every method that may do. None: nothing failed or was left open,
        or publishing something else does not help, or somebody did not want to wait for the search.
        It is for the steward alone.
        """
        needed = reduce(or_, self._needed.values(), Remedy())
        if self.verdict == "safe" or not needed.changes or self.target.interrupted:
            return None
        return find_way_out(
            self.subject,
            self.target,
            needed,
            lambda release, target: _audited(release, target).verdict,
        )

    @cached_property
    def _needed(self) -> dict[str, Remedy]:
        """What the attacks say that failed, or that were left open, by their names."""
        every: list[Finding | NotRun] = [*self.findings, *self.not_run]
        return {each.name: each.remedy for each in every if each.remedy is not None}

    @cached_property
    def remedies(self) -> dict[str, Remedy]:
        """What to do about each attack that succeeded or left something open, by its name.

        As it was tried, where it was (`way_out`); so this is for the steward, too.
        """
        tried = self.way_out
        if tried is None:
            return self._needed
        return {
            name: tried.settled(each, self.target.method) for name, each in self._needed.items()
        }

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        """The table that a person reads, by `COLUMNS`."""
        for finding in self.findings:
            yield (
                finding.name,
                finding.knows,
                finding.text(finding.before),
                finding.promise,
                finding.found_text,
                "-" if finding.holds is None else str(finding.n_exceeding),
                finding.verdict,
            )

    @property
    def sentences(self) -> tuple[str, ...]:
        """What matters most, in three plain sentences at most."""
        return sentences(self.findings, self.remarks, sum(each.applies for each in self.not_run))

    @property
    def short_rows(self) -> list[tuple[str, ...]]:
        """A line for each attack, by `HEADER`."""
        named = len({each.attribute for each in self.findings} - {None}) > 1
        return [line(finding, named=named) for finding in self.findings]

    @property
    def advice(self) -> list[str | None]:
        """What to do, for each of `short_rows`; None: nothing has to be done."""
        remedies = [each.remedy for each in self._advised]
        return [None if each is None else each.advice for each in remedies]

    @property
    def advice_on_not_run(self) -> list[tuple[str, str]]:
        """What to do about attacks that could not be run, those with the same advice together."""
        names: dict[str, list[str]] = {}
        for each in self.not_run:
            if each.name in self.remedies:
                names.setdefault(self.remedies[each.name].advice, []).append(each.name)
        return [("; ".join(several), advice) for advice, several in names.items()]

    @property
    def notes(self) -> list[tuple[str, str]]:
        """What there is to add to a finding."""
        return [(each.name, each.note) for each in self.findings if each.note is not None]

    @property
    def skipped(self) -> list[tuple[str, str]]:
        """The attacks that could not be run, those with the same reason together."""
        names: dict[str, list[str]] = {}
        for each in self.not_run:
            names.setdefault(each.said, []).append(each.name)
        return [("; ".join(several), reason) for reason, several in names.items()]

    @property
    def heading(self) -> str:
        """How many attacks, on how many people, and what that shows."""
        said = {
            "failed": f"UNSAFE: {self.n_failed} succeeded",
            "undecided": f"not shown to be safe: {'; '.join(self.left_open)}",
            "safe": "shown safe against every attack that applies",
        }[self.verdict]
        n_told = sum(map(is_his_word, self.findings))
        attacks = counted(len(self.findings) - n_told, "attack")
        told = f" and the publisher's word on {n_told} more" if n_told else ""
        return f"{attacks} on {people(self.target.n_people)}{told}: {said}"

    @property
    def remarks(self) -> list[str]:
        """What the verdicts alone would hide: promises that were kept, and allowed much."""
        said = remarks(self.findings)
        if isinstance(self.subject, Release) and self.subject.original is None:
            attacked = self.subject.description.attacked
            if attacked == "not attacked":
                said.insert(0, f"the release says that it was {ATTACKED[attacked]}.")
        return said

    def __repr__(self) -> str:
        lines = [self.heading, *map(str, self.findings)]
        lines += [f"{names}: not run: {reason}" for names, reason in self.skipped]
        lines += [f"{each.name}: {each.remedy.advice}" for each in self.not_run if each.remedy]
        lines += [f"note: {remark}" for remark in self.remarks]
        return "\n".join(lines)

    def to_json(self, *, private: bool = False) -> dict[str, Any]:
        """Plain values for a machine; with `private`, who is worst off.

        Where the original was at hand, shares before and people who fit are counted in it: then
        this is private, and says so, even without anybody who is worst off. Where somebody succeeds
        who knows the method, it says which way out was tried.
        """
        return {
            "private": private or self.target.original is not None,
            "verdict": self.verdict,
            "holds": self.holds,
            "left_open": list(self.left_open) if self.verdict == "undecided" else [],
            "succeeded": list(self.succeeded),
            "people": self.target.n_people,
            "groups": len(self.target.seen.sizes),
            "suppressed": self.target.n_suppressed,
            "promise": None if self.target.criterion is None else self.target.criterion.spec(),
            "method": None if self.target.method is None else self.target.method.spec(),
            "findings": [each.to_json(private=private) for each in self._advised],
            "not_run": [
                each.to_json() | {"remedy": _json_of(self.remedies.get(each.name))}
                for each in self.not_run
            ],
            "way_out": None if self.way_out is None else self.way_out.to_json(),
        }

    def to_html(self, *, private: bool = False, framework: str | None = None) -> str:
        """Write the report as one page that opens offline.

        Args:
            private: For the steward: with the original beside what was published, what was lost,
                and who is worst off. Otherwise for everybody, from an audit without the original.
            framework: Whose headings it has: "gdpr", "hipaa", "ema" or "27559".
        """
        return page(self._document(private=private, framework=framework))

    def save(
        self,
        directory: str | Path,
        *,
        private: bool = False,
        framework: str | None = None,
        job: str | Path | None = None,
        command: str | None = None,
    ) -> Path:
        """Write `report.html` and `report.json` into a directory; an older report is replaced.

        With `private` they are `report-steward.html` and `report-steward.json`, and only the owner
        may read them; they go into a directory of their own, since the other one is handed out.

        Args:
            directory: Where.
            private: For the steward; see `to_html`.
            framework: Whose headings the page has.
            job: The job file of the release, which the steward's report shows.
            command: How the report was asked for, likewise.

        Returns the path of the page.
        """
        target = file_path("save", directory)
        kept = Evidence.of(job, command) if private else Evidence()
        written = self._document(private=private, framework=framework, evidence=kept)
        name = "report-steward" if private else "report"
        texts = {
            f"{name}.json": readable_json(written) + "\n",
            f"{name}.html": page(written),
        }
        write(target, texts, private=private)
        return target / f"{name}.html"

    def _document(
        self,
        *,
        private: bool,
        framework: str | None = None,
        evidence: Evidence | None = None,
    ) -> dict[str, Any]:
        """Write down what is for the steward, or what is for everybody."""
        refuse_unknown(framework)
        shown = self if private else self.public()
        audited = shown.to_json(private=private)
        return document(
            shown.subject,
            shown.target,
            shown._advised,
            audited,
            shown.not_run,
            private=private,
            framework=framework,
            evidence=evidence,
        )

    @property
    def _advised(self) -> list[Finding]:
        """Give the findings with remedies as they were tried."""
        return [
            each if each.remedy is None else replace(each, remedy=self.remedies[each.name])
            for each in self.findings
        ]

    def _repr_html_(self) -> str:
        table = html_table(COLUMNS, self.rows, self.heading)
        notes = html_table(("attack", "note"), self.notes) if self.notes else ""
        skipped = html_table(("not run", "reason"), self.skipped) if self.not_run else ""
        advised = [(name, remedy.advice) for name, remedy in self._needed.items()]
        advice = html_table(("attack", "what to do"), advised) if advised else ""
        return table + notes + skipped + advice


def _json_of(remedy: Remedy | None) -> dict[str, Any] | None:
    return None if remedy is None else remedy.to_json()


def audit(
    release: Release | Table,
    original: object = None,
    *,
    criterion: Criterion | None = None,
    external: object = None,
    earlier: Sequence[object] = (),
    enforced: Criterion | None = None,
) -> Report:
    """Attack a release in every way that applies.

    Args:
        release: A release, made here or loaded; or any published table, read with `sf.read`.
        original: The table it was made from, or what `sf.read` can read; a release made in this
            process has it already.
        criterion: What was promised, if the release does not say so itself.
        external: A list of people that an adversary may have, likewise.
        earlier: Releases of the same people that came before: releases, the directories of saved
            ones, or tables of any origin. Those that a release of a series names are found in
            memory, or beside its own directory.
        enforced: What the publisher kept to, where that is stricter than what was promised ("near
            to minimality", Wong 2009): an adversary who knows it reasons from it.

    A release that was made in this process remembers what the attacks found that know the method,
    and `save` writes that into `release.json`. Of a loaded release without its original it is shown
    as the publisher's word.

    Raises:
        BadInput: Among others, the release cannot be compared with those in `earlier`.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> report = sf.audit(release)
    >>> report.findings[0].attack
    'linkage, prosecutor'
    """
    report("auditing")
    target = Target.of(release, original, criterion, external, earlier, enforced)
    if isinstance(release, Table) and target.criterion is not None:
        refuse_look_alikes(release, target.criterion)
    outcome = _audited(release, target)
    if outcome.target.previous.given:
        _refuse_uncompared(outcome)
    others = (original, criterion, external, enforced)
    as_it_was_made = all(each is None for each in others) and not earlier
    if isinstance(release, Release) and release.original is not None and as_it_was_made:
        release.state(given_word(outcome.findings), outcome.verdict)
    return outcome


def _refuse_uncompared(outcome: Report) -> None:
    """Refuse earlier releases that were given, and that the release cannot be compared with."""
    for each in outcome.not_run:
        if each.name == Correspondence.name:
            remedy = "; with the original (original=, --original) they are compared in its values"
            raise BadInput(
                f"earlier: the release cannot be compared with the earlier ones: {each.said}"
                + (remedy if outcome.target.original is None else "")
            )


def _audited(subject: Release | Table, target: Target) -> Report:
    findings: list[Finding] = []
    not_run: list[NotRun] = []
    for kind in ATTACKS.values():
        try:
            attacks = tried(kind, target)
        except CannotRun as error:
            not_run.append(NotRun(kind.name, error.reason, hint=error.remedy))
            continue
        for attack in attacks:
            report(f"attack: {kind.name}")
            try:
                findings.append(attempt(attack, target))
            except CannotRun as error:
                not_run.append(NotRun.of(attack, error, target))
    not_run += [NotRun(name, reason) for name, reason in ATTACKS.broken.items()]
    if isinstance(subject, Release):
        findings, not_run = with_publishers_word(subject, target, findings, not_run)
    broken, unjudged = by_definition(target, findings)
    findings, not_run = [*findings, *broken], [*not_run, *unjudged]
    findings = without_spellings(target, findings)
    findings.sort(key=lambda finding: finding.attribute is not None)  # identities first
    not_run = [*dict.fromkeys(not_run)]
    needing = in_need(target, findings, not_run)
    findings = [each if each in needing else replace(each, remedy=None) for each in findings]
    not_run = [each if each in needing else replace(each, remedy=None) for each in not_run]
    return Report(subject, target, tuple(findings), tuple(not_run))
