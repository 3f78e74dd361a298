"""What is published untouched, and whom it tells apart.

A promise is about quasi-identifiers. What else stands in the file can tell people apart as well:
whoever knows an address finds the row that has it, however little is left of the zip code beside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.criteria import Criterion
from sfumato.criteria.judging import Measurement, measure
from sfumato.data.frequency import Grouping
from sfumato.data.groups import GroupSizes
from sfumato.data.schema import Schema
from sfumato.errors import BadInput
from sfumato.release.columns.telling import telling_columns
from sfumato.release.description import Description
from sfumato.table import Table
from sfumato.text import count, counted, listed, people

Alike = Callable[[Sequence[Sequence[str]]], list[GroupSizes]]  # of columns in one file
WHO = "who people are"
FEWEST = 2  # people who have to be alike where no number was promised


class ToldApart(BadInput):
    """Columns tell people apart who were promised to be alike.

    found: what was found, without what can be done; that depends on what is made.
    """

    def __init__(self, message: str, found: str = "") -> None:
        super().__init__(message)
        self.found = found


@dataclass(frozen=True, eq=False)
class Untouched:
    """Columns published untouched, and how many people are alike in them.

    A telling sensitive column goes together with quasi-identifiers: whoever knows these knows it,
    too (see `telling`). Or it goes with none and says by itself who people are (`identifying`). One
    that is only measured, and different for at least half of the people, is named.
    """

    columns: Mapping[str, int]  # insensitive: number of distinct values
    # Of people alike in quasi-identifiers as published, in these columns and in telling ones. None:
    # there is no such column, or two tables, which publish quasi-identifiers as they are.
    groups: GroupSizes | None
    sensitive: Mapping[str, int]  # different for most people, not telling: number of values
    telling: Mapping[str, Sequence[str]] = field(default_factory=dict)  # which quasi-identifiers

    def __bool__(self) -> bool:
        """Whether there is anything to name."""
        return bool(self.columns or self.sensitive or self.telling)

    @property
    def known(self) -> str:
        """The columns that tell people apart, as text."""
        return ", ".join([*self.columns, *self.telling])

    def n_below(self, k: int) -> int:
        """Count the people who are alike with fewer than k, themselves included."""
        return 0 if self.groups is None else self.groups.people_below(k)

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What a person reads."""
        lines = []
        if self.columns:
            said = listed_values(self.columns)
            if self.groups is not None:
                smallest, alone = self.groups.smallest, self.groups.people_below(FEWEST)
                said += (
                    f"; with the quasi-identifiers they leave groups of {count(smallest)} or more, "
                    f"{people(alone)} alone in theirs"
                )
            lines.append(("published untouched", said))
        if self.telling:
            said = told_text(self.telling)
            if self.groups is not None and not self.columns:
                smallest, alone = self.groups.smallest, self.groups.people_below(FEWEST)
                said += f"; groups of {count(smallest)} or more, {people(alone)} alone in theirs"
            lines.append(("sensitive, known to others", said))
        if self.sensitive:
            lines.append(("sensitive, different for most people", listed_values(self.sensitive)))
        return lines

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        groups = self.groups
        return {
            "columns": dict(self.columns),
            "smallest_group": None if groups is None else groups.smallest,
            "alone": None if groups is None else groups.people_below(FEWEST),
            "sensitive": dict(self.sensitive),
            "telling": {name: list(columns) for name, columns in self.telling.items()},
        }


def published_untouched(
    description: Description, alike: Alike, n_values: Mapping[str, int]
) -> Untouched:
    """Look at what a release publishes.

    Args:
        description: What is said of the release.
        alike: Counts groups of published rows.
        n_values: Of every sensitive column the number of values, or more.
    """
    by = None if description.group is not None else description.quasi_identifiers
    telling = description.telling
    return _untouched(by, description.insensitive, telling, n_values, description.n_rows, alike)


def untouched_in(table: Table, original: Table | None = None) -> Untouched:
    """Look at a table as it is, as if its columns that have a role were published.

    original: what it was made from; which columns go together is seen there.
    """
    schema = table.schema
    values = () if table.set_valued is not None else schema.sensitive
    n_values = {name: len(table.domains[name]) for name in values}
    by, telling = schema.quasi_identifiers, telling_columns(original or table)
    telling = {name: columns for name, columns in telling.items() if name in values}
    return _untouched(by, schema.insensitive, telling, n_values, table.n_rows, table.alike)


def told_apart_in(table: Table, untouched: Untouched) -> Grouping:
    """Group the people of a table as it is, as who also knows what tells them apart."""
    schema = table.schema
    by = (*schema.quasi_identifiers, *untouched.columns, *untouched.telling)
    values = [name for name in schema.sensitive if name not in untouched.telling]
    rules = {name: rule for name, rule in schema.hierarchies.items() if name in (*by, *values)}
    finer = Schema.of(schema.columns, by, values, hierarchies=rules)
    counted = Table(table.source, finer, table.spelling_rules, table.memory).frequencies()
    return counted.as_it_is()


def broken_among(apart: Grouping, promise: Criterion, n_unseen: int = 0) -> list[Measurement]:
    """Measure what was promised of values among people who are told apart.

    Gives what does not hold there, and what has no verdict.
    """
    parts = [
        part
        for part in promise.parts
        if part.looks_at_values
        and part.guarding is None
        and part.attribute in (None, *apart.frequencies.sensitive)
    ]
    measured = [each for part in parts for each in measure(part, apart.joint, n_unseen)]
    return [each for each in measured if not each.holds or _is_open(each)]


def _is_open(measured: Measurement) -> bool:
    """Whether counting would decide, and cannot; what no counting decides is for the audit."""
    return measured.note is not None and not measured.criterion.by_mechanism


def given_away(original: Table, untouched: Untouched) -> dict[str, tuple[str, ...]]:
    """Give for columns published untouched the quasi-identifiers that their values determine.

    A column determines another if no two people with the same value of it differ in the other, so
    one that is different for everybody determines all. What is the same for everybody is known
    without. Of two tables there is nothing to ask: they publish quasi-identifiers as they are.
    """
    shown = [n for n in untouched.columns if n in original.schema.published_columns]
    if not shown:
        return {}
    known = original.schema.quasi_identifiers
    alone = original.alike([(name,) for name in (*shown, *known)])
    n_values = {name: sizes.n for name, sizes in zip((*shown, *known), alone, strict=True)}
    pairs = [(name, q) for name in shown for q in known if n_values[q] > 1]
    determined: dict[str, tuple[str, ...]] = {}
    for (name, q), sizes in zip(pairs, original.alike(pairs), strict=True):
        if sizes.n == n_values[name]:
            determined[name] = (*determined.get(name, ()), q)
    return determined


def given_away_text(determined: Mapping[str, Sequence[str]]) -> str:
    """Write which columns give quasi-identifiers away."""
    return "; ".join(f"{name} gives {', '.join(q)} away" for name, q in determined.items())


def told_text(telling: Mapping[str, Sequence[str]]) -> str:
    """Write which sensitive columns tell quasi-identifiers, or who people are."""
    return "; ".join(
        f"{name} tells {listed(tuple(q)) if q else WHO}" for name, q in telling.items()
    )


def refuse_identifying(
    untouched: Untouched, criterion: Criterion, apart: Callable[[], Grouping] | None
) -> None:
    """Refuse columns that tell people apart who were promised to be alike.

    apart: groups people whose values one sees as who knows these columns, too; None: as before.

    Raises:
        ToldApart: There are some.
    """
    k, groups = fewest_alike(criterion), untouched.groups
    n_below = untouched.n_below(k)
    if groups is not None and n_below:
        raise _identifying(
            untouched,
            f"the smallest group of people who look alike is {count(groups.smallest)} "
            f"instead of {count(k)}: {people(n_below)} of {count(groups.n_people)} are in groups "
            "below that",
        )
    for each in tells_values(apart, criterion):
        raise _identifying(
            untouched,
            f"{each.criterion} does not hold of people who look alike: it fails for "
            f"{people(each.n_people_failing)}",
        )


def tells_values(apart: Callable[[], Grouping] | None, criterion: Criterion) -> list[Measurement]:
    """Give what was promised of values and does not hold among people who are told apart."""
    if apart is None or not any(part.looks_at_values for part in criterion.parts):
        return []
    return broken_among(apart(), criterion)


def _identifying(untouched: Untouched, why: str) -> ToldApart:
    said, roles = [], []
    if untouched.columns:
        roles.append("insensitive")
        said.append(f"{listed_values(untouched.columns)} would be published untouched")
    if untouched.telling:
        roles.append("sensitive")
        said.append(told_text(untouched.telling))
    found = f"{', '.join(roles)}: {'; '.join(said)}, and with them {why}"
    return ToldApart(
        f"{found}; make the columns quasi-identifiers, drop them, or say untouched_identify = "
        "true, and the release says so",
        found,
    )


def fewest_alike(criterion: Criterion | None) -> int:
    """Give how many people have to be alike: as many as were promised, and never only one."""
    return FEWEST if criterion is None else max(FEWEST, criterion.least_size)


def listed_values(columns: Mapping[str, int]) -> str:
    """Write columns with their numbers of values."""
    return ", ".join(f"{name} ({counted(n, 'value')})" for name, n in columns.items())


def _untouched(
    quasi_identifiers: Sequence[str] | None,
    insensitive: Sequence[str],
    telling: Mapping[str, Sequence[str]],
    n_values: Mapping[str, int],
    n_rows: int,
    alike: Alike,
) -> Untouched:
    alone: list[tuple[str, ...]] = [(name,) for name in insensitive]
    columns = {} if not alone else dict(zip(insensitive, (s.n for s in alike(alone)), strict=True))
    groups = None
    if quasi_identifiers is not None and (insensitive or telling):
        (groups,) = alike([(*quasi_identifiers, *insensitive, *telling)])
    sensitive = {}
    for name, n in n_values.items():
        if name not in telling and 2 * n >= n_rows:  # else not even half of them can be alone
            (values,) = alike([(name,)])
            if 2 * values.people_below(2) >= values.n_people:
                sensitive[name] = values.n
    return Untouched(columns, groups, sensitive, telling)
