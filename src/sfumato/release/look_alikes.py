"""Values and people that only look different, and identifiers that tell rows of the same people.

Three spellings of one disease are not three diseases: a group that has nothing else is not
3-diverse, no share is what it seems to be, and naming one of them leaves out who has another. So is
somebody with two spellings not two people. Spellings of a quasi-identifier only make groups
smaller than they had to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.criteria import Criterion
from sfumato.criteria.judging import named_in
from sfumato.data.spellings import SpellingCounts, normal_form
from sfumato.errors import BadInput
from sfumato.table import KEEP, Table
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

    @classmethod
    def of(cls, table: Table) -> LookAlikes:
        """Look at a table."""
        kept = {c: n for c, n in table.look_alikes.items() if table.spelling_rules.get(c) == KEEP}
        undecided = {c: n for c, n in table.look_alikes.items() if c not in kept}
        return cls(undecided, kept, table.n_merged, table.repeated_identifiers)

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


def rests_on(criterion: Criterion, table: Table) -> Counts:
    """Give the columns whose look-alikes a promise would rest on, unless something was said.

    Whatever is promised counts people, and what is promised about values tells them apart.
    """
    schema = table.schema
    wanted = [] if schema.person is None else [schema.person]
    for part in criterion.parts:
        if part.looks_at_values:
            wanted += schema.sensitive if part.attribute is None else [part.attribute]
    asked = [c for c in dict.fromkeys(wanted) if table.spelling_rules.get(c) != KEEP]
    return {c: table.look_alikes[c] for c in asked if c in table.look_alikes}


def refuse_look_alikes(table: Table, criterion: Criterion) -> None:
    """Refuse a promise that rests on differences of spelling, or that names one of several."""
    resting = rests_on(criterion, table)
    if resting:
        raise BadInput(
            f"alike: {criterion} would rest on values that only look different: "
            f"{listed_spellings(resting)}; {REMEDY}"
        )
    for column in table.schema.sensitive:
        left_out = unnamed_spellings(criterion, table, column)
        if left_out:
            raise BadInput(
                f"{criterion}: values of {column!r} are named, and "
                f"{counted(len(left_out), 'other spelling')} of them not, so that who has one "
                'would not be protected; name every spelling, or say alike = "merge"',
                left_out,
            )


def unnamed_spellings(criterion: Criterion, table: Table, column: str) -> list[str]:
    """Give the spellings of named values that are not named: who has one is not protected."""
    if column not in table.look_alikes:
        return []
    named = {str(value) for value in named_in(criterion, column)}
    forms = {normal_form(name) for name in named}
    labels = [t for t in table.domains[column].values.labels if isinstance(t, str)]
    return [t for t in labels if t not in named and normal_form(t) in forms]
