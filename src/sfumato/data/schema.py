"""Roles of columns: what each one means for the people in the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sfumato.data.hierarchy import Flat, Hierarchy, a_hierarchy
from sfumato.errors import BadInput, nearest, shown, similar
from sfumato.parameters import one_of


@dataclass(frozen=True, eq=False)
class Schema:
    """Which columns identify, link, hurt or do not matter (Ciriani 2008, section 2).

    A column without a role is dropped: only `insensitive` lets a column through untouched.
    """

    columns: tuple[str, ...]  # all columns of the source, in its order
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    insensitive: tuple[str, ...]
    person: str | None
    hierarchies: Mapping[str, Hierarchy]
    meanings: Mapping[str, str] = field(default_factory=dict)  # in the steward's words
    not_kept: tuple[str, ...] = ()  # insensitive columns that the method drops

    @classmethod
    def of(
        cls,
        columns: Sequence[str] | None,
        quasi_identifiers: Mapping[str, Hierarchy] | Sequence[str],
        sensitive: str | Sequence[str] | None = None,
        identifiers: Sequence[str] = (),
        insensitive: Sequence[str] = (),
        person: str | None = None,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        describe: Mapping[str, str] | None = None,
    ) -> Schema:
        """Check roles against the columns of a source; None: it has those that have a role."""
        if hierarchies is not None and not isinstance(hierarchies, Mapping):
            raise BadInput(f"hierarchies: expected one by column, got {shown(hierarchies)}")
        rules = dict(hierarchies or {})
        if isinstance(quasi_identifiers, Mapping):
            twice = [column for column in quasi_identifiers if column in rules]
            if twice:
                raise BadInput(f"column {twice[0]!r} is given two hierarchies")
            rules |= quasi_identifiers
        roles = {
            "quasi_identifiers": _names("quasi_identifiers", quasi_identifiers),
            "sensitive": _names("sensitive", () if sensitive is None else sensitive),
            "identifiers": _names("identifiers", identifiers),
            "insensitive": _names("insensitive", insensitive),
            "person": () if person is None else _names("person", [person]),
        }
        if columns is None:
            columns = [*dict.fromkeys(name for names in roles.values() for name in names)]
        taken: dict[str, str] = {}
        for role, names in roles.items():
            for name in names:
                if name not in columns:
                    # In a file without a line of names these are the first person's values.
                    hint = similar(name, columns)
                    if len(columns) == 1:
                        hint += "; the file has one column: is it delimited by , ; | or tab?"
                    elif not hint:
                        hint = f"; are the names of the columns ({len(columns)}) in the first line?"
                    raise BadInput(f"{role}: unknown column {shown(name)}{hint}", columns)
                if name in taken:
                    other = taken[name]
                    where = f"{other} twice" if other == role else f"both {other} and {role}"
                    raise BadInput(f"column {name!r} stands in {where}; give it one role")
                taken[name] = role
        if not roles["quasi_identifiers"]:
            raise BadInput("quasi_identifiers: name at least one column that others may know")
        counted = (*roles["quasi_identifiers"], *roles["sensitive"])
        for name, rule in rules.items():
            if name not in counted:
                raise BadInput(
                    f"hierarchies: {name!r} is neither a quasi-identifier nor sensitive"
                    f"{nearest(name, counted)}"
                )
            if a_hierarchy(rule, f"column {name!r}").rewrites and name in roles["sensitive"]:
                raise BadInput(
                    f"column {name!r}: bottom, top and date formats are for quasi-identifiers; a "
                    "sensitive column is published as it is, so change its values in the source "
                    "(dates by [read] dates)"
                )
        return cls(
            tuple(columns),
            roles["quasi_identifiers"],
            roles["sensitive"],
            roles["identifiers"],
            roles["insensitive"],
            person,
            {name: rules.get(name, Flat()) for name in counted},
            _meanings(describe, columns),
        )

    @property
    def counted(self) -> tuple[str, ...]:
        """Columns whose values are counted."""
        return (*self.quasi_identifiers, *self.sensitive)

    @property
    def published_columns(self) -> tuple[str, ...]:
        """Columns of the release, in the order of the source."""
        kept = {*self.counted, *self.insensitive}
        return tuple(column for column in self.columns if column in kept)

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns of the release beside the quasi-identifiers, in the order of the source."""
        return tuple(c for c in self.published_columns if c not in self.quasi_identifiers)

    @property
    def group(self) -> str:
        """A name for the number of a group, where one is published: no column has it."""
        taken = {column.casefold() for column in self.columns}
        name = "group"
        while name in taken:
            name += "_"
        return name

    @property
    def without_role(self) -> tuple[str, ...]:
        """Columns dropped because nobody said what they are."""
        named = {*self.counted, *self.insensitive, *self.identifiers, self.person, *self.not_kept}
        return tuple(column for column in self.columns if column not in named)

    def without_insensitive(self) -> Schema:
        """The same, with the insensitive columns dropped."""
        return replace(self, insensitive=(), not_kept=(*self.not_kept, *self.insensitive))

    def by_column(
        self, name: str, given: str | Mapping[str, str] | None, known: Sequence[str]
    ) -> dict[str, str]:
        """Read what is said of all columns whose values are compared, or of some by their names."""
        compared = (*self.counted, *(() if self.person is None else (self.person,)))
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            one_of("read", name, given, known)
            return dict.fromkeys(compared, given)
        for column, each in given.items():
            if column not in compared:
                raise BadInput(
                    f"{name}: {shown(column)} is neither a quasi-identifier nor sensitive nor the "
                    f"column of people{nearest(column, compared)}"
                )
            one_of("read", f"{name}.{column}", each, known)
        return dict(given)

    def refuse_as_guard(self, name: str) -> None:
        """Refuse a column of guarding nodes that would be published, or that is something else."""
        if name not in self.columns:
            raise BadInput(
                f"guarding: unknown column {shown(name)}{similar(name, self.columns)}", self.columns
            )
        if name not in self.without_role:
            raise BadInput(
                f"guarding: column {name!r} has another role already; what people guard is counted "
                "and never published, so take the column out of its role and give it none"
            )


def _meanings(given: object, columns: Sequence[str]) -> dict[str, str]:
    """Read what columns mean; an empty text says nothing."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BadInput(f"describe: expected a text by column, got {shown(given)}")
    for column, text in given.items():
        if column not in columns:
            raise BadInput(f"describe: unknown column {shown(column)}{similar(column, columns)}")
        if not isinstance(text, str) or not text.isprintable():
            raise BadInput(
                f"describe: the meaning of {shown(column)} must be a text of one line, got "
                f"{shown(text)}"
            )
    return {column: text.strip() for column, text in given.items() if text.strip()}


def _names(role: str, names: object) -> tuple[str, ...]:
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, (Mapping, Sequence)) or not all(isinstance(n, str) for n in names):
        raise BadInput(f"{role}: expected column names, got {shown(names)}")
    return tuple(names)
