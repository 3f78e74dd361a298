"""Values and people that only look different, and identifiers that tell rows of the same people.

Three spellings of one disease are not three diseases: a group that has nothing else is not
3-diverse, no share is what it seems to be, and naming one of them leaves out who has another. So is
somebody with two spellings not two people. Spellings of a quasi-identifier only make groups
smaller than they had to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sfumato.criteria import Criterion, Measurement
from sfumato.criteria.criterion import together
from sfumato.criteria.judging import named_in, ranks_named
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet
from sfumato.data.spellings import SpellingCounts, normal_form
from sfumato.errors import BadInput
from sfumato.release.description import Description
from sfumato.table import KEEP, MERGE, Table, spelling_counts
from sfumato.text import counted

REMEDY = (
    'say alike = "merge" where they are the same, "keep" where they are not ([read] in a job, '
    "sf.read, --alike), or mend the data"
)
UNDECIDED = "no verdict: it may rest on values that only look different"
Counts = Mapping[str, SpellingCounts]


@dataclass(frozen=True, eq=False)
class LookAlikes:
    """What only looks different in a table, by column, and what was said about it."""

    undecided: Counts
    kept: Counts
    merged: Counts
    repeated: Mapping[str, int]  # identifiers: rows that repeat a value
    domains: Mapping[str, Domain]  # of sensitive columns
    person: str | None = None

    @classmethod
    def of(cls, table: Table) -> LookAlikes:
        """Look at a table."""
        kept = {c: n for c, n in table.look_alikes.items() if table.spelling_rules.get(c) == KEEP}
        undecided = {c: n for c, n in table.look_alikes.items() if c not in kept}
        domains = {c: table.domains[c] for c in table.schema.sensitive}
        person = table.schema.person
        return cls(undecided, kept, table.n_merged, table.repeated_identifiers, domains, person)

    @classmethod
    def published(cls, description: Description, frequencies: FrequencySet) -> LookAlikes:
        """Look at the sensitive columns of a release, which says what its steward kept."""
        domains = {c: frequencies.domains[c] for c in description.sensitive}
        counts = {c: spelling_counts(domain) for c, domain in domains.items()}
        found = {c: n for c, n in counts.items() if n.n_values}
        kept = {c: n for c, n in found.items() if c in description.alike}
        undecided = {c: n for c, n in found.items() if c not in kept}
        return cls(undecided, kept, {}, {}, domains)

    def rested_on(self, criterion: Criterion) -> Counts:
        """Give the columns whose look-alikes a promise would rest on, unless something was said.

        Whatever is promised counts people, and what is promised about values tells them apart.
        """
        wanted = [] if self.person is None else [self.person]
        for part in criterion.parts:
            if part.looks_at_values:
                wanted += self.domains if part.attribute is None else [part.attribute]
        return {c: self.undecided[c] for c in dict.fromkeys(wanted) if c in self.undecided}

    def unnamed(self, criterion: Criterion, column: str) -> list[str | None]:
        """Give the spellings of named values that are not named: who has one is not protected."""
        if column not in self.domains:
            return []
        named = [None if name is None else str(name) for name in named_in(criterion, column)]
        forms = {normal_form(name or "") for name in named}
        return [
            text
            for text in self.domains[column].values.labels
            if (text is None or isinstance(text, str))
            and text not in named
            and normal_form(text or "") in forms
        ]

    def leave_open(self, criterion: Criterion) -> list[str]:
        """Give the columns by whose spellings there is no verdict about a promise."""
        unnamed = [c for c in self.kept if self.unnamed(criterion, c)]
        return [*self.rested_on(criterion), *unnamed]

    def judged(self, measured: Measurement) -> Measurement:
        """Take the verdict from what holds only as long as spellings are different values."""
        if not measured.holds or measured.note or not self.leave_open(measured.criterion):
            return measured
        return replace(measured, note=UNDECIDED)

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What a person reads."""
        lines = [
            (name, listed_spellings(counts))
            for name, counts in (
                ("values that only look different", self.undecided),
                ("look alike, kept as different values", self.kept),
                ("spellings merged", self.merged),
            )
            if counts
        ]
        if self.repeated:
            said = ", ".join(
                f"{name} ({counted(n, 'row repeats', 'rows repeat')} a value)"
                for name, n in self.repeated.items()
            )
            lines.append(
                (
                    "identifiers repeated",
                    f"{said}: k counts rows, not people; name the column that tells people apart "
                    "(person)",
                )
            )
        return lines

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        counts = {"undecided": self.undecided, "kept": self.kept, "merged": self.merged}
        return {
            name: {column: n._asdict() for column, n in each.items()}
            for name, each in counts.items()
        } | {"repeated_identifiers": dict(self.repeated)}


def listed_spellings(counts: Counts) -> str:
    """Write columns with their numbers of spellings."""
    return ", ".join(
        f"{name} ({counted(n.n_spellings, 'spelling')} of {counted(n.n_values, 'value')})"
        for name, n in counts.items()
    )


def as_merged(criterion: Criterion, table: Table | None) -> Criterion:
    """Call the values that a criterion names as they are spelled since they were merged."""
    if table is None:
        return criterion
    parts = [part.respelled(_merged_names(part, table)) for part in criterion.parts]
    return criterion if parts == [*criterion.parts] else together(parts)


def _merged_names(part: Criterion, table: Table) -> dict[object, str]:
    names: dict[object, str] = {}
    for column in table.schema.sensitive:
        named = named_in(part, column) if table.spelling_rules.get(column) == MERGE else []
        if named:
            values = table.domains[column].values
            by_form = {normal_form(t): t for t in values.labels if isinstance(t, str)}
            forms = {n: normal_form(str(n)) for n in named if ranks_named(part, values, n) is None}
            names |= {name: by_form[form] for name, form in forms.items() if form in by_form}
    return names


def refuse_look_alikes(table: Table, criterion: Criterion) -> None:
    """Refuse a promise that rests on differences of spelling, or that names one of several."""
    look_alikes = LookAlikes.of(table)
    resting = look_alikes.rested_on(criterion)
    if resting:
        raise BadInput(
            f"alike: {criterion} would rest on values that only look different: "
            f"{listed_spellings(resting)}; {REMEDY}"
        )
    for column in look_alikes.kept:
        left_out = look_alikes.unnamed(criterion, column)
        if left_out:
            raise BadInput(
                f"{criterion}: values of {column!r} are named, and "
                f"{counted(len(left_out), 'other spelling')} of them not, so that who has one "
                'would not be protected; name every spelling, or say alike = "merge"',
                tuple(value for value in left_out if value is not None),
            )
