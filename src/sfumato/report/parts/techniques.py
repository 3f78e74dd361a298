"""What was done to each column, in the words of ISO/IEC 20889:2018, clause 9."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sfumato.release import Release
from sfumato.release.description import Description
from sfumato.table import Table

ANATOMIZATION = "anatomization"
GENERALIZATION, LOCAL_GENERALIZATION = "generalization", "local generalization"
TOP, BOTTOM, ENDS = "top coding", "bottom coding", "top and bottom coding"
MASKING, LOCAL_SUPPRESSION = "masking", "local suppression"
RECORD_SUPPRESSION, RANDOMIZATION = "record suppression", "randomization"
MEANING = {
    ANATOMIZATION: "Quasi-identifiers and sensitive values stand in tables of their own.",
    GENERALIZATION: "Values are published more coarsely, the same value alike in all rows.",
    LOCAL_GENERALIZATION: "Values are published more coarsely, by groups of people.",
    TOP: "All values from a limit on are one.",
    BOTTOM: "All values below a limit are one.",
    ENDS: "All values below a limit are one, and all from another one on.",
    MASKING: "The column is left out, or says nothing in any row.",
    LOCAL_SUPPRESSION: "In some rows the column says nothing.",
    RECORD_SUPPRESSION: "Some rows are left out.",
    RANDOMIZATION: "Some values may be others than people have, drawn by lot.",
}


def techniques(
    subject: Release | Table, columns: Sequence[Mapping[str, Any]], n_rows: int
) -> list[dict[str, Any]] | None:
    """Name what was done to each published column; None: nobody said how a table was made.

    columns: As the document lists them, with the rows in which they say nothing.
    """
    if not isinstance(subject, Release):
        return None
    shown = subject.description
    return [
        {"name": each["name"], "techniques": [*_of_column(shown, each, n_rows)]} for each in columns
    ]


def _of_column(shown: Description, column: Mapping[str, Any], n_rows: int) -> Iterator[str]:
    name, role = column["name"], column["role"]
    if role == "insensitive":
        return
    if name == shown.masked:
        yield RANDOMIZATION
    if shown.group is not None:
        yield ANATOMIZATION
        return
    if role != "quasi-identifier":
        return
    n_hidden = column["rows_hidden"] or 0
    if n_hidden == n_rows > 0:
        yield MASKING
        return
    by_column = shown.levels is not None or shown.method.by_value
    told = shown.levels is None or shown.levels[name]
    if name in shown.recoded and told and shown.method.generalizes:
        yield GENERALIZATION if by_column else LOCAL_GENERALIZATION
    rule = shown.hierarchies.get(name)
    tails = None if rule is None else rule.tails
    if tails is not None:
        yield TOP if tails.bottom is None else BOTTOM if tails.top is None else ENDS
    if n_hidden:
        yield LOCAL_SUPPRESSION


def of_the_table(subject: Release | Table) -> list[str]:
    """Name what was done to the table as a whole."""
    if not isinstance(subject, Release):
        return []
    n_left_out = subject.n_suppressed + subject.description.n_left_out
    return [RECORD_SUPPRESSION] if n_left_out else []


def dropped(original: Table | None) -> list[dict[str, str]]:
    """Name the columns that are not published, and why; for the steward alone."""
    if original is None:
        return []
    schema = original.schema
    reasons = {
        **dict.fromkeys(schema.without_role, "it has no role"),
        **dict.fromkeys(schema.not_kept, "it might tell which values were changed"),
        **dict.fromkeys(schema.identifiers, "it names people"),
        **({} if schema.person is None else {schema.person: "it tells people apart"}),
    }
    return [
        {"name": name, "technique": MASKING, "reason": reasons[name]}
        for name in schema.columns
        if name in reasons
    ]
