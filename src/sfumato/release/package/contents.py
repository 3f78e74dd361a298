"""What is in the tables of a release, counted in the published files by their engine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sfumato.data.labels.grammar import ROOT
from sfumato.engines.look import ColumnLook
from sfumato.release.context import NAMES, PRIVATE, Context
from sfumato.release.description import ATTACKED, MAY_BE_CHANGED, Description
from sfumato.release.files.saved import Written
from sfumato.release.package.empty_numbers import EmptyNumbers
from sfumato.release.package.label_bounds import Bounds, bounds_of
from sfumato.release.package.label_forms import forms_of
from sfumato.release.package.number_ends import ends_in_words
from sfumato.release.wording import promise_in_words, published_as
from sfumato.text import count, counted, percent, plural

EXACT = 2**53  # whole numbers below it are themselves as floats
IN_DATABASE = "table"  # the kind of tables that are in no files
KEY = "number of the group"  # the role of the column that two tables share


@dataclass(frozen=True)
class ColumnContents:
    """What a recipient may know of a column."""

    name: str
    meaning: str | None  # the steward's words; None: nobody said
    role: str
    published_as: str
    kind: str  # as `Source.kinds` names it
    n_rows: int
    n_missing: int
    n_values: int  # distinct ones
    n_untold: int  # rows that say nothing, in a column that is generalized
    common: tuple[tuple[str, int], ...]  # the most frequent values, with their rows
    bounds: Bounds | None  # of numbers and dates
    has_rest: bool  # whether `other` stands for all texts that are not named
    n_open: int = 0  # rows of a column of numbers that are empty since the range is open
    not_told: str = ""  # of a column of numbers: what an empty field means, and what is not told
    ends: str = ""  # of a column of numbers: which ends are included, and which were declared

    @property
    def n_empty(self) -> int:
        """Number of rows without a value."""
        return self.n_missing + self.n_open

    @property
    def all_listed(self) -> bool:
        """Whether `common` has every value."""
        return len(self.common) == self.n_values


@dataclass(frozen=True)
class TableContents:
    """One of the published tables."""

    name: str
    path: str  # of a file, or of a directory of part files; in a database the table's name
    n_bytes: int
    sha256: tuple[str, ...]  # of the file, or of each part; in a database of the rows
    columns: tuple[ColumnContents, ...]
    parts: tuple[str, ...] = ()  # the paths of its part files, in their order

    @property
    def sha256_text(self) -> str:
        """The checksum of the file; of several, where they are."""
        if not self.parts:
            return self.sha256[0]
        return f"of its {counted(len(self.parts), 'file')}, by their names: see release.json"

    @property
    def n_rows(self) -> int:
        """Number of its rows."""
        return self.columns[0].n_rows


@dataclass(frozen=True)
class Contents:
    """All tables of a release, and what is said of it as a whole."""

    description: Description
    kind: str  # of the files, or "table": they are in a database
    tables: tuple[TableContents, ...]
    forms: tuple[tuple[str, str], ...]  # a published text of each form that occurs, and what it is
    empty: tuple[EmptyNumbers, ...] = ()  # of every column that is published as numbers

    @classmethod
    def of(cls, description: Description, written: Written) -> Contents:
        """Count the columns of the tables that were written."""
        files = written.files
        patterns = dict(_patterns(description))
        tables, empty = [], list[EmptyNumbers]()
        for table in description.tables:
            source = files.open(table)
            there = {c: each for c, each in written.counted.items() if c in source.columns}
            looks = source.look(patterns, there).columns
            empty = [EmptyNumbers.of(description, source, c) for c in description.numbers]
            path, parts = files.path(table), files.parts(table)
            columns = [_column(description, written, looks[name], empty) for name in looks]
            n_bytes = sum((files.directory / name).stat().st_size for name in parts)
            own = path.name, n_bytes, tuple(files.digests[name] for name in parts)
            if files.tables is not None:
                own = str(files.tables.name(table)), 0, (files.tables.digests[table],)
            parts = parts if path.is_dir() else []
            tables.append(TableContents(table, *own, tuple(columns), tuple(parts)))
        generalized = [c for c in description.recoded if c in description.in_file(c)]
        labels = {c: written.counted[c][0] for c in generalized}
        rules = description.hierarchies
        codes = [c for c in labels if c in rules and rules[c].texts == "masks"]
        forms = [
            *forms_of(text for c in labels if c not in codes for text in labels[c]),
            *forms_of((text for c in codes for text in labels[c]), of_codes=True),
        ]
        forms = [*dict.fromkeys(forms)]
        kind = files.kind if files.tables is None else IN_DATABASE
        return cls(description, kind, tuple(tables), tuple(forms), tuple(empty))

    @property
    def in_database(self) -> bool:
        """Whether the tables are in a database, and no files."""
        return self.kind == IN_DATABASE

    @property
    def promises(self) -> list[tuple[str, str]]:
        """Every part of the promise in words, and as it is written."""
        bucketized = self.description.group is not None
        return [
            (promise_in_words(part, bucketized=bucketized), str(part))
            for part in self.description.criterion.parts
        ]

    @property
    def attacked_text(self) -> str:
        """What its own publisher's attacks showed, in a sentence."""
        attacked = self.description.attacked
        if attacked is None:
            return ""
        return f"Whoever made the release says of attacking it: {ATTACKED[attacked]}."

    @property
    def stated(self) -> dict[str, str]:
        """Who gets it, as whoever made the release says, by names for people."""
        return Context(**self.description.context).called

    @property
    def not_stated(self) -> list[str]:
        """What whoever made it could have said in public of who gets it, and did not."""
        names = [called for name, called in NAMES.items() if name not in PRIVATE]
        return [called for called in names if called not in self.stated]

    @property
    def suppressed_text(self) -> str:
        """What was left out, of whom nothing is told, and what may be untrue, in sentences."""
        masked = self.description.masked
        if masked is None:
            return self._suppressed_text
        return f"{self._suppressed_text} Values of {masked} {MAY_BE_CHANGED}."

    @property
    def _suppressed_text(self) -> str:
        n_at_root = self.description.n_at_root
        if not n_at_root:
            return self._left_out_text
        share = percent(Fraction(n_at_root, self.description.n_rows))
        return (
            f"{self._left_out_text} {counted(n_at_root, 'row')} ({share}) of groups that would "
            f"not have been safe {plural(n_at_root, 'says', 'say')} nothing of any "
            "quasi-identifier."
        )

    @property
    def _left_out_text(self) -> str:
        n_suppressed, n_left_out = self.description.n_suppressed, self.description.n_left_out
        if n_left_out:
            n_rows = self.description.n_rows + n_left_out
            share = percent(Fraction(n_left_out, n_rows))
            return (
                f"{count(n_left_out)} of {counted(n_rows, 'row')} ({share}) "
                f"{plural(n_left_out, 'was', 'were')} left out of the series so far: in no "
                "file, since values of the quasi-identifiers were rare."
            )
        if not n_suppressed:
            return "No row was suppressed."
        n_rows = self.description.n_rows + n_suppressed
        share = percent(Fraction(n_suppressed, n_rows))
        return (
            f"{count(n_suppressed)} of {counted(n_rows, 'row')} ({share}) "
            f"{plural(n_suppressed, 'was', 'were')} suppressed: in no file, so that the promise "
            "holds of the others."
        )

    @property
    def missing_text(self) -> str:
        """How a missing value is written, in a sentence."""
        missing = f"A missing value is {'an empty field' if self.kind == 'csv' else 'null'}."
        return " ".join([missing, *(each.text for each in self.empty if each.text)])

    @property
    def columns(self) -> list[ColumnContents]:
        """All columns but the key of two tables."""
        return [each for table in self.tables for each in table.columns if each.role != KEY]

    @property
    def without_meaning(self) -> list[str]:
        """The columns of which nobody said what they mean."""
        return [each.name for each in self.columns if each.meaning is None]

    @property
    def key_text(self) -> str:
        """Which key the tables share; empty: there is one table."""
        group = self.description.group
        if group is None:
            return ""
        return (
            f"The tables share the column {group}, the number of a group: a person's row in the "
            "first table and the values of the person's group in the second have the same number. "
            "Which of them are whose is not published."
        )


def _patterns(description: Description) -> Iterable[tuple[str, str]]:
    """Give how a text is written that says nothing, for each generalized column."""
    for name in description.recoded:
        rule = description.hierarchies.get(name)
        roots = {ROOT, *(path[-1] for path in (() if rule is None else rule.public_paths))}
        yield name, "|".join(sorted(map(re.escape, roots)))


def _column(
    description: Description, written: Written, look: ColumnLook, empty: Iterable[EmptyNumbers]
) -> ColumnContents:
    name = look.column
    numbers = next((each for each in empty if name in each.numbers.names), None)
    n_open = 0 if numbers is None else numbers.n_open[name]
    recoded = name in description.recoded
    is_key = name == description.group
    # Where every value stands once, a list of some of them tells nothing.
    alone = look.n_alone == look.n_values and look.n_values > 1
    return ColumnContents(
        name,
        "which group it is; the same in both tables" if is_key else _meaning(description, name),
        _role(description, description.told_by(name)),
        _published_as(description, name),
        description.types[name],
        look.n_rows,
        look.n_missing - n_open,
        look.n_values,
        look.n_matching[name] if recoded else 0,
        () if is_key or alone else look.common,
        _bounds(description, written, look) if recoded else _extremes(description, look),
        name in (description.rest or ()),
        n_open,
        "" if numbers is None else numbers.about(name),
        "" if numbers is None else _ends(description, name, numbers),
    )


def _ends(description: Description, name: str, empty: EmptyNumbers) -> str:
    return ends_in_words(name, empty.numbers, description.hierarchies[empty.column])


def _meaning(description: Description, name: str) -> str | None:
    """Give the steward's words; of numbers, with what they are."""
    column = description.told_by(name)
    meaning = description.meanings.get(column)
    if meaning is None or column == name:
        return meaning
    return f"{meaning} ({description.numbers[column].what(name)})"


def _published_as(description: Description, name: str) -> str:
    column = description.told_by(name)
    said = published_as(description, column)
    return said if column == name else f"{said}: {description.numbers[column].what(name)}"


def _role(description: Description, name: str) -> str:
    if name == description.group:
        return KEY
    if name in description.quasi_identifiers:
        return "quasi-identifier"
    return "sensitive" if name in description.sensitive else "insensitive"


def _bounds(description: Description, written: Written, look: ColumnLook) -> Bounds | None:
    rule = description.hierarchies.get(look.column)
    return None if rule is None else bounds_of(written.counted[look.column][0], rule)


def _extremes(description: Description, look: ColumnLook) -> Bounds | None:
    """Give the lowest and the highest number of a column that is published as it is."""
    kind, numbers = description.types[look.column], look.numbers
    if numbers is None or numbers.n_rows != look.n_present or look.column == description.group:
        return None
    low, high = numbers.lowest, numbers.highest
    if kind == "integer" and max(abs(low), abs(high)) < EXACT:
        return Bounds(str(int(low)), str(int(high)))
    return Bounds(repr(low), repr(high)) if kind == "real" else None
