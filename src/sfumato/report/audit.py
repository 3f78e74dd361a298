"""Every attack on one release: what was promised next to what was found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.attacks import Correspondence, Finding, Target
from sfumato.attacks.attack import ATTACKS, attempt, tried
from sfumato.criteria import Criterion
from sfumato.errors import BadInput, CannotRun
from sfumato.files.reports import write
from sfumato.html import html_table
from sfumato.parameters import file_path
from sfumato.progress import report
from sfumato.release import Release
from sfumato.report.document import document
from sfumato.report.in_words import remarks
from sfumato.report.page import page
from sfumato.table import Table
from sfumato.text import counted, people

COLUMNS = ("attack", "knows", "before", "promised", "found", "exceed", "verdict")


@dataclass(frozen=True, eq=False)
class Report:
    """What every attack found, and which could not be run.

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
    not_run: tuple[tuple[str, str], ...]  # attack, reason
    # Attacks that succeeded in the private audit that this public report was derived from: the
    # public verdict must not be better.
    n_known: int = 0

    @property
    def holds(self) -> bool:
        """Whether no attack found a promise broken."""
        return not self.n_failed

    @property
    def n_failed(self) -> int:
        """Number of attacks that succeeded."""
        return max(self.n_known, sum(finding.holds is False for finding in self.findings))

    def __bool__(self) -> bool:
        return self.holds

    def public(self) -> Report:
        """Attack again with nothing but what is published.

        An attack that succeeded with more than that is not shown, but it is not denied either.
        """
        seen = Target.public(self.subject, self.target.criterion, self.target.previous)
        found = _audited(self.subject, seen)
        return replace(found, n_known=self.n_failed)

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
    def notes(self) -> list[tuple[str, str]]:
        """What there is to add to a finding."""
        return [(each.name, each.note) for each in self.findings if each.note is not None]

    @property
    def skipped(self) -> list[tuple[str, str]]:
        """The attacks that could not be run, those with the same reason together."""
        names: dict[str, list[str]] = {}
        for name, reason in self.not_run:
            names.setdefault(reason, []).append(name)
        return [("; ".join(each), reason) for reason, each in names.items()]

    @property
    def heading(self) -> str:
        """How many attacks, on how many people, with what success."""
        verdict = f"UNSAFE: {self.n_failed} succeeded" if self.n_failed else "none succeeded"
        untold = sum(each.holds is None and each.promised is not None for each in self.findings)
        told = f", {untold} without a verdict" if untold else ""
        left = f", {len(self.not_run)} not run" if self.not_run else ""
        attacks = counted(len(self.findings), "attack")
        return f"{attacks} on {people(self.target.n_people)}: {verdict}{told}{left}"

    @property
    def remarks(self) -> list[str]:
        """What the verdicts alone would hide: promises that were kept, and allowed much."""
        return remarks(self.findings)

    def __repr__(self) -> str:
        lines = [self.heading, *map(str, self.findings)]
        lines += [f"{names}: not run: {reason}" for names, reason in self.skipped]
        lines += [f"note: {remark}" for remark in self.remarks]
        return "\n".join(lines)

    def to_json(self, *, private: bool = False) -> dict[str, Any]:
        """Plain values for a machine; with `private`, who is worst off.

        Where the original was at hand, shares before and people who fit are counted in it: then
        this is private, and says so, even without anybody who is worst off.
        """
        return {
            "private": private or self.target.original is not None,
            "holds": self.holds,
            "people": self.target.n_people,
            "groups": len(self.target.seen.sizes),
            "suppressed": self.target.n_suppressed,
            "promise": None if self.target.criterion is None else self.target.criterion.spec(),
            "method": None if self.target.method is None else self.target.method.spec(),
            "findings": [finding.to_json(private=private) for finding in self.findings],
            "not_run": [{"attack": name, "reason": reason} for name, reason in self.not_run],
        }

    def to_html(self, *, private: bool = False) -> str:
        """Write the report as one page that opens offline.

        Args:
            private: For the steward: with the original beside what was published, what was lost,
                and who is worst off. Otherwise for everybody, from an audit without the original.
        """
        return page(self._document(private=private))

    def save(self, directory: str | Path, *, private: bool = False) -> Path:
        """Write `report.html` and `report.json` into a directory; an older report is replaced.

        With `private` they are `report-steward.html` and `report-steward.json`, and only the owner
        may read them. Returns the path of the page.
        """
        target = file_path("save", directory)
        written = self._document(private=private)
        name = "report-steward" if private else "report"
        texts = {
            f"{name}.json": json.dumps(written, indent=2, ensure_ascii=False) + "\n",
            f"{name}.html": page(written),
        }
        write(target, texts, private=private)
        return target / f"{name}.html"

    def _document(self, *, private: bool) -> dict[str, Any]:
        """Write down what is for the steward, or what is for everybody."""
        shown = self if private else self.public()
        audited = shown.to_json(private=private)
        return document(
            shown.subject, shown.target, shown.findings, audited, shown.n_failed, private=private
        )

    def _repr_html_(self) -> str:
        table = html_table(COLUMNS, self.rows, self.heading)
        notes = html_table(("attack", "note"), self.notes) if self.notes else ""
        skipped = html_table(("not run", "reason"), self.skipped) if self.not_run else ""
        return table + notes + skipped


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
    found = _audited(release, target)
    reason = dict(found.not_run).get(Correspondence.name)
    if reason is not None and found.target.previous.given:
        remedy = "; with the original (original=, --original) they are compared in its values"
        raise BadInput(
            f"earlier: the release cannot be compared with the earlier ones: {reason}"
            + (remedy if found.target.original is None else "")
        )
    return found


def _audited(subject: Release | Table, target: Target) -> Report:
    findings: list[Finding] = []
    not_run: list[tuple[str, str]] = []
    for kind in ATTACKS.values():
        try:
            attacks = tried(kind, target)
        except CannotRun as error:
            not_run.append((kind.name, str(error)))
            continue
        for attack in attacks:
            report(f"attack: {kind.name}")
            try:
                findings.append(attempt(attack, target))
            except CannotRun as error:
                attribute = getattr(attack, "attribute", None)
                name = attack.called if attribute is None else f"{attack.called} ({attribute})"
                not_run.append((name, str(error)))
    not_run += ATTACKS.broken.items()
    findings.sort(key=lambda finding: finding.attribute is not None)  # identities first
    return Report(subject, target, tuple(findings), tuple(dict.fromkeys(not_run)))
