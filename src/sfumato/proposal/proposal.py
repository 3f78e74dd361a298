"""A proposal: roles, hierarchies, a promise and a method, for a person to decide about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.read_settings import ReadSettings
from sfumato.engines.protocol import Engine
from sfumato.errors import BadInput
from sfumato.html import html_table
from sfumato.proposal.hierarchies import ProposedHierarchy
from sfumato.proposal.promise import Promise
from sfumato.proposal.vocabulary import Role
from sfumato.table import Table, read
from sfumato.text import count, counted, people

ACCEPT = "look at it, then give proposal.accept(), with what you change"
HEADER = ("column", "proposed as", "values", "distinct", "missing", "alone", "more")
LEGEND = (
    "alone: people whom the column singles out by itself; more: those whom it singles out together "
    "with the other quasi-identifiers, and who are not without it"
)


SEVERAL_SENSITIVE = (
    "One sensitive column is proposed to be published: with two, the promise about one has to hold "
    "against who knows the other. Name another one instead, if that is what the release is for."
)


@dataclass(frozen=True)
class ProposedColumn:
    """A column as it was found, and what it is proposed as."""

    name: str
    kind: str  # of its values, in words
    n_values: int
    n_missing: int
    n_alone: int  # people whom it singles out by itself
    n_more: int | None  # people whom it singles out with the quasi-identifiers; None: not counted
    role: Role
    reason: str
    published: bool  # False: it has a role, and is left out all the same
    hierarchy: ProposedHierarchy | None
    meaning: str = ""  # what the file says of it

    @property
    def proposed_as(self) -> str:
        """The role in a few words."""
        if self.role is Role.SENSITIVE and not self.published:
            return "sensitive, left out"
        return "left out" if self.role is Role.NONE else self.role.value

    @property
    def counts(self) -> tuple[str, ...]:
        """A row of the table of columns."""
        more = "" if self.n_more is None else count(self.n_more)
        numbers = map(count, (self.n_values, self.n_missing, self.n_alone))
        return (self.name, self.proposed_as, self.kind, *numbers, more)

    def to_json(self, *, values: bool) -> dict[str, Any]:
        """Write it as JSON; values of the table only if asked for."""
        rule = self.hierarchy
        written: dict[str, Any] = {
            "column": self.name,
            "role": self.role.value,
            "published": self.published,
            "reason": self.reason,
            "values": self.kind,
            "distinct": self.n_values,
            "missing": self.n_missing,
            "alone": self.n_alone,
            "more": self.n_more,
            "meaning": self.meaning,
            "hierarchy": None if rule is None else rule.rule.spec(),
        }
        if values and rule is not None:
            written["example"] = list(rule.example)
        return written


@dataclass(frozen=True, repr=False)
class Proposal:
    """What `sf.propose` found. It is no table: a person has to accept it.

    Shown in a notebook and as JSON it has counts and shapes only; `save` writes a job file, which
    holds values.

    >>> import sfumato as sf
    >>> proposal = sf.propose(sf.datasets.patients())
    >>> proposal.quasi_identifiers, proposal.sensitive, proposal.identifiers
    (('age', 'zip', 'sex'), ('disease',), ('name',))
    >>> release = sf.anonymize(proposal.accept(), proposal.criterion, proposal.method)
    """

    name: str  # of the source
    n_rows: int
    columns: tuple[ProposedColumn, ...]
    remarks: tuple[str, ...]
    settings: ReadSettings  # how the file is read
    settings_reasons: Mapping[str, str]  # setting -> what speaks for it
    alike: Mapping[str, str]  # column -> "merge", where values only look different
    n_unique: int  # people whom the quasi-identifiers single out together
    promise: Promise
    source: object
    engine: str | Engine | None = None

    @property
    def criterion(self) -> Any:
        """What is proposed that a release should promise."""
        return self.promise.criterion

    @property
    def method(self) -> Any:
        """By which method."""
        return self.promise.method

    def _named(self, role: Role) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns if c.role is role and c.published)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Columns that name people; never published."""
        return tuple(c.name for c in self.columns if c.role is Role.IDENTIFIER)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Columns that others may know."""
        return self._named(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive column that is proposed to be published; at most one."""
        return self._named(Role.SENSITIVE)

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The rule of every quasi-identifier."""
        return {c.name: c.hierarchy.rule for c in self.columns if c.hierarchy is not None}

    @property
    def _n_sensitive(self) -> int:
        return sum(column.role is Role.SENSITIVE for column in self.columns)

    def accept(
        self,
        quasi_identifiers: Mapping[str, Hierarchy] | Sequence[str] | None = None,
        sensitive: str | Sequence[str] | None = None,
        identifiers: Sequence[str] | None = None,
        insensitive: Sequence[str] = (),
        person: str | None = None,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        alike: str | Mapping[str, str] | None = None,
        describe: Mapping[str, str] | None = None,
    ) -> Table:
        """Open the table with the proposed roles; what is given takes their place.

        The arguments are those of `sf.read`. A column that is given one role loses the proposed
        one, and `hierarchies` change single rules.

        >>> import sfumato as sf
        >>> proposal = sf.propose(sf.datasets.patients())
        >>> table = proposal.accept(hierarchies={"age": sf.Intervals(10, 20)}, sensitive=[])
        >>> table.schema.quasi_identifiers, table.schema.sensitive
        (('age', 'zip', 'sex'), ())
        """
        given = (quasi_identifiers, sensitive, identifiers, insensitive)
        lists = [[each] if isinstance(each, str) else each for each in given]
        taken = {column for columns in lists for column in columns or ()}
        if person is not None:
            taken.add(person)
        rules = {**self.hierarchies, **(hierarchies or {})}
        if isinstance(quasi_identifiers, Mapping):
            rules |= quasi_identifiers
        proposed = (self.quasi_identifiers, self.sensitive, self.identifiers)
        known, hurting, naming = (
            [column for column in before if column not in taken] if now is None else list(now)
            for before, now in zip(proposed, lists, strict=False)
        )
        if not known:
            raise BadInput(
                f"{self.name}: no column is proposed as a quasi-identifier; say which columns "
                "others may know: proposal.accept(quasi_identifiers=[...])"
            )
        counted_columns = {*known, *hurting}
        merged = {c: how for c, how in self.alike.items() if c in counted_columns}
        return read(
            self.source,
            known,
            hurting,
            naming,
            insensitive,
            person,
            {column: rule for column, rule in rules.items() if column in counted_columns},
            self.engine,
            alike if alike is not None else merged or None,
            describe if describe is not None else self._meanings(known, hurting, insensitive),
            **self.settings.spec(),
        )

    def _meanings(self, *published: Sequence[str]) -> dict[str, str]:
        """What the file says of columns that are published."""
        said = {column.name: column.meaning for column in self.columns if column.meaning}
        return {name: said[name] for names in published for name in names if name in said}

    def save(self, path: str | Path, *, series: bool = False) -> Path:
        """Write a job file for a person to edit; it holds values, and is never overwritten.

        Args:
            path: Where.
            series: It starts a series of releases, which has a method of its own.
        """
        from sfumato.proposal.job_text import save_job  # noqa: PLC0415  (it writes a proposal)

        return save_job(self, path, series=series)

    @property
    def heading(self) -> str:
        """What was looked at."""
        return f"{counted(self.n_rows, 'row')}, {counted(len(self.columns), 'column')}"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The table of columns: counts, no values."""
        return [column.counts for column in self.columns]

    def reasons(self, *, values: bool) -> list[tuple[str, str]]:
        """Why each column is proposed as what; with values, what its levels look like."""
        lines = []
        for column in self.columns:
            said, rule = column.reason, column.hierarchy
            if rule is not None:
                said += f"; {rule.rule.in_words()}"
                if values and rule.example:
                    said += f": {', '.join(rule.example)}"
            lines.append((column.name, said))
        return lines

    @property
    def conclusions(self) -> list[str]:
        """What is proposed of the whole table, and what to look at; no values."""
        by_all = f"{count(self.n_unique)} of {people(self.n_rows)}"
        criterion, method = self.promise.reasons
        settings = (f"Read with {name}: {why}." for name, why in self.settings_reasons.items())
        return [
            *settings,
            f"The quasi-identifiers together single out {by_all}.",
            f"Promise: {self.criterion}: {criterion}.",
            f"Method: {self.method}: {method}.",
            *([SEVERAL_SENSITIVE] if self._n_sensitive > 1 else []),
            *(f"Note: {remark}." for remark in self.remarks),
        ]

    def to_json(self, *, values: bool = False) -> dict[str, Any]:
        """Write it as JSON: counts and shapes; values of the table only if asked for."""
        criterion, method = self.promise.reasons
        return {
            "source": self.name,
            "proposed": True,
            "rows": self.n_rows,
            "columns": [column.to_json(values=values) for column in self.columns],
            "singled_out": self.n_unique,
            "criteria": self.criterion.spec(),
            "criteria_reason": criterion,
            "method": self.method.spec(),
            "method_reason": method,
            "read": {
                name: value
                for name, value in self.settings.spec().items()
                if values or name != "missing"  # codes are values of the table
            },
            "read_reasons": dict(self.settings_reasons),
            "alike": dict(self.alike),
            "remarks": list(self.remarks),
        }

    def _repr_html_(self) -> str:
        reasons = dict(self.reasons(values=False))
        rows = [(*column.counts, reasons[column.name]) for column in self.columns]
        caption = f"Proposal for {self.name}: {self.heading}; {ACCEPT}"
        notes = html_table(("", "what is proposed of all"), enumerate(self.conclusions, 1))
        return html_table((*HEADER, "why"), rows, caption) + notes

    def __repr__(self) -> str:
        parts = [f"quasi-identifiers {', '.join(self.quasi_identifiers) or 'none'}"]
        if self.sensitive:
            parts.append(f"sensitive {', '.join(self.sensitive)}")
        return f"<Proposal for {self.name}, {self.heading}: {'; '.join(parts)}>"

    def __str__(self) -> str:
        return "\n".join(
            [
                f"{self.name}: {self.heading}",
                *(f"{c.name}: {c.proposed_as}; {c.reason}" for c in self.columns),
                *self.conclusions,
            ]
        )
