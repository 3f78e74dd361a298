"""Values as they are meant: trimmed, without codes for missing, numbers and dates in one notation.

All of it is SQL over the rows as they stand in the source. What is declared and does not hold is
refused when a source is opened, by one pass over it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sfumato.data.date_formats import COMMON, TIME, DateFormat
from sfumato.data.read_settings import ReadSettings
from sfumato.engines import sql
from sfumato.engines.duckdb.connection.session import Session
from sfumato.engines.duckdb.kinds import LIST
from sfumato.errors import BadInput
from sfumato.text import counted

TEXT = "VARCHAR"
NUMERIC = re.compile(r"U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL")
# What is no letter of a value at its beginning or end.
BLANKS = " \t\u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"
EXACT_DIGITS = 15  # that a float gives back
MOST_DIGITS = 38  # of a whole number
MOST_NAMED = 5  # offending values


@dataclass(frozen=True)
class Converted:
    """How the columns of a source are seen."""

    values: Mapping[str, str]  # name in the view -> SQL for its value
    numbers: tuple[str, ...] = ()  # columns whose numbers have a decimal or a thousands mark


@dataclass(frozen=True)
class AsWritten:
    """The columns of a source as they stand there."""

    session: Session
    view: str
    inner: Mapping[str, str]  # column -> its name in the view
    types: Mapping[str, str]
    settings: ReadSettings

    def converted(self) -> Converted:
        """Find out how values are seen; refuse what is not as it was declared."""
        self.settings.refuse_unknown(list(self.inner))
        values = {self.inner[column]: self.present(column) for column in self.inner}
        numbers = self._numbers()
        values |= {self.inner[column]: how for column, how in numbers.items()}
        values |= {self.inner[column]: how for column, how in self._dates().items()}
        return Converted(values, tuple(numbers))

    def trimmed(self, column: str) -> str:
        """Give SQL for a value without blanks around it; one of nothing else is missing."""
        value = self.inner[column]
        if not self.settings.trim or self.types[column] != TEXT:
            return value
        return f"nullif(trim({value}, {sql.text(BLANKS)}), '')"

    def is_code(self, column: str) -> str | None:
        """Give SQL for whether a value stands for a missing one; None: no value does."""
        codes = self.settings.codes(column)
        return self._is_one_of(column, codes) if self._has_codes(column) else None

    def _has_codes(self, column: str) -> bool:
        return bool(self.settings.codes(column)) and not LIST.match(self.types[column])

    def _is_one_of(self, column: str, codes: Sequence[str]) -> str:
        value, kind = self.trimmed(column), self.types[column]
        if NUMERIC.match(kind):
            listed = ", ".join(f"TRY_CAST({sql.text(code)} AS {kind})" for code in codes)
            return f"coalesce({value} IN ({listed}), false)"
        text = f"CAST({value} AS VARCHAR)"
        same = f"{text} IN ({', '.join(map(sql.text, codes))})"
        if column in self._compared_as_numbers:
            same += f" OR {self._same_number(text, codes)}"
        return f"coalesce({same}, false)"

    def _same_number(self, value: str, codes: Sequence[str]) -> str:
        """Give SQL for whether a text is the number of a code: -99.0 is that of -99."""
        decimal = self.settings.decimal
        numbers = [c for c in codes if re.fullmatch(number_pattern(decimal, None), c)]
        mark = re.escape(decimal)
        listed = [sql.text(re.sub(rf"{mark}0+$", "", code)) for code in numbers]
        return f"{without_zeros(value, decimal)} IN ({', '.join(listed)})" if listed else "false"

    @cached_property
    def _compared_as_numbers(self) -> frozenset[str]:
        """The columns of texts, all of them numbers, that have a code in another notation."""
        columns = [c for c in self.inner if self.types[c] == TEXT and self._has_codes(c)]
        told = []
        for column in columns:
            value, codes = self.trimmed(column), self.settings.codes(column)
            other = f"{value} NOT IN ({', '.join(map(sql.text, codes))})"
            number = sql.text(number_pattern(self.settings.decimal, self.settings.thousands))
            told += [
                f"count(*) FILTER ({other} AND {self._same_number(value, codes)})",
                f"count(*) FILTER ({other} AND NOT regexp_full_match({value}, {number}))",
            ]
        if not told:
            return frozenset()
        (found,) = self._selected(told)
        pairs = zip(columns, found[::2], found[1::2], strict=True)
        return frozenset(column for column, n_same, n_texts in pairs if n_same and not n_texts)

    def unfound(self, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Give the declared codes that no row has, by column; "": declared of all columns."""
        coded = [
            (c, code) for c in columns if self._has_codes(c) for code in self.settings.codes(c)
        ]
        told = [f"count(*) FILTER ({self._is_one_of(c, [code])})" for c, code in coded]
        if not told:
            return {}
        (found,) = self._selected(told)
        by_column = isinstance(self.settings.missing, Mapping)
        n_rows: dict[tuple[str, str], int] = {}
        for (column, code), n in zip(coded, found, strict=True):
            key = (column if by_column else "", code)
            n_rows[key] = n_rows.get(key, 0) + n
        none: dict[str, tuple[str, ...]] = {}
        for (column, code), n in n_rows.items():
            if not n:
                none[column] = (*none.get(column, ()), code)
        return none

    def present(self, column: str) -> str:
        """Give SQL for a value, without the codes for missing."""
        value, code = self.trimmed(column), self.is_code(column)
        return value if code is None else f"CASE WHEN NOT {code} THEN {value} END"

    def _numbers(self) -> dict[str, str]:
        """Read the columns that hold nothing but numbers, some with a mark."""
        decimal, thousands = self.settings.decimal, self.settings.thousands
        marks = [mark for mark in (decimal if decimal != "." else None, thousands) if mark]
        columns = [column for column, kind in self.types.items() if kind == TEXT]
        columns = [column for column in columns if column not in self.settings.dates]
        if not marks or not columns:
            return {}
        pattern = number_pattern(decimal, thousands)
        told, texts, matched = [], [], ["*"]
        for j, column in enumerate(columns):
            has_mark = " OR ".join(f"contains(t{j}, {sql.text(mark)})" for mark in marks)
            unmarked = f"t{j}"
            for mark in (decimal, *marks):
                unmarked = f"replace({unmarked}, {sql.text(mark)}, '')"
            texts.append(f"{self.present(column)} AS t{j}")
            matched.append(f"regexp_full_match(t{j}, {sql.text(pattern)}) AS m{j}")
            told += [
                f"count(t{j})",
                f"count(*) FILTER (m{j})",
                f"count(*) FILTER (m{j} AND ({has_mark}))",
                f"count(*) FILTER (m{j} AND contains(t{j}, {sql.text(decimal)}))",
                f"max(length(ltrim({unmarked}, '+-'))) FILTER (m{j})",
            ]
        (found,) = self.session.connection.execute(
            f"SELECT {', '.join(told)} FROM (SELECT {', '.join(matched)} FROM "
            f"(SELECT {', '.join(texts)} FROM {self.view}))"
        ).fetchall()
        values = {}
        for j, column in enumerate(columns):
            n_present, n_numbers, n_marked, n_decimal, n_digits = found[5 * j : 5 * j + 5]
            if not n_marked:
                continue
            if n_numbers == n_present:
                values[column] = self._number(column, n_decimal > 0, n_digits)
            elif 2 * n_marked > n_present:
                named = f"decimal = {decimal!r}" + (
                    f", thousands = {thousands!r}" * bool(thousands)
                )
                self._refuse(
                    column,
                    n_present - n_numbers,
                    f"regexp_full_match({self.present(column)}, {sql.text(pattern)})",
                    f"not numbers as {named} says; if they stand for missing, add missing",
                )
        return values

    def _number(self, column: str, is_real: bool, n_digits: int) -> str:
        """Give SQL for a number in the notation that all others have."""
        text = self.present(column)
        if self.settings.thousands:
            text = f"replace({text}, {sql.text(self.settings.thousands)}, '')"
        text = f"replace({text}, {sql.text(self.settings.decimal)}, '.')"
        if is_real and n_digits <= EXACT_DIGITS:
            return f"CAST(CAST({text} AS DOUBLE) AS VARCHAR)"
        if not is_real and n_digits <= MOST_DIGITS:
            return f"CAST(CAST({text} AS HUGEINT) AS VARCHAR)"
        return f"ltrim({text}, '+')"

    def _dates(self) -> dict[str, str]:
        """Read dates into ISO text."""
        formats = {column: DateFormat(written) for column, written in self.settings.dates.items()}
        for column in formats:
            if self.types[column] != TEXT:
                raise BadInput(f"dates.{column}: the column holds no text; take it out")
        if not formats:
            return {}
        wrong = ", ".join(
            f"count(*) FILTER (NOT {is_date(self.present(column), each)})"
            for column, each in formats.items()
        )
        (found,) = self.session.connection.execute(f"SELECT {wrong} FROM {self.view}").fetchall()
        for (column, each), n_wrong in zip(formats.items(), found, strict=True):
            if n_wrong:
                self._refuse(
                    column,
                    n_wrong,
                    is_date(self.present(column), each),
                    f"not dates as {each.text}; {self._other_format(column)}",
                )
        return {column: iso_text(self.present(column), each) for column, each in formats.items()}

    def _other_format(self, column: str) -> str:
        """Say which format reads all dates of a column, if there is one."""
        others = {written: DateFormat(written) for written in COMMON}
        value = self.present(column)
        wrong = (f"count(*) FILTER (NOT {is_date(value, each)})" for each in others.values())
        (found,) = self.session.connection.execute(
            f"SELECT {', '.join(wrong)} FROM {self.view}"
        ).fetchall()
        right = [written for written, n in zip(others, found, strict=True) if not n]
        if right:
            return f"all of them read as {right[0]}"
        return "if they stand for missing, add missing; else mend them"

    def _refuse(self, column: str, n_wrong: int, is_right: str, why: str) -> None:
        value = self.present(column)
        rows = self.session.connection.execute(
            f"SELECT DISTINCT {value} FROM {self.view} WHERE NOT {is_right} LIMIT {MOST_NAMED}"
        ).fetchall()
        raise BadInput(
            f"{self.session.name}: column {column!r}: {counted(n_wrong, 'value is', 'values are')} "
            f"{why}",
            [row[0] for row in rows],
        )

    def counts(self, columns: Sequence[str]) -> tuple[dict[str, int], dict[str, int]]:
        """Count the values that were codes, and those that trimming made the same as others."""
        coded = {c: self.is_code(c) for c in columns if self.is_code(c) is not None}
        blank = [c for c in columns if self.trimmed(c) != self.inner[c]]
        told = [f"count(*) FILTER ({code})" for code in coded.values()]
        told += [
            f"count(*) FILTER ({self.trimmed(c)} IS DISTINCT FROM {self.inner[c]})" for c in blank
        ]
        if not told:
            return {}, {}
        (found,) = self._selected(told)
        missing = dict(zip(coded, found, strict=False))
        changed = [c for c, n in zip(blank, found[len(coded) :], strict=True) if n]
        merged = {}
        for column in changed:
            distinct = [f"count(DISTINCT {v})" for v in (self.inner[column], self.trimmed(column))]
            ((n_before, n_after),) = self._selected(distinct)
            merged[column] = n_before - n_after
        return missing, merged

    def _selected(self, told: Sequence[str]) -> list[tuple[int, ...]]:
        found: list[tuple[int, ...]] = self.session.connection.execute(
            f"SELECT {', '.join(told)} FROM {self.view}"
        ).fetchall()
        return found


def number_pattern(decimal: str, thousands: str | None) -> str:
    """Give a regular expression for numbers with these marks; 030 123 456 is a telephone.

    >>> bool(re.fullmatch(number_pattern(",", "."), "-1.234,5"))
    True
    """
    whole = r"\d+"
    if thousands:
        whole = rf"(?:[1-9]\d{{0,2}}(?:{re.escape(thousands)}\d{{3}})+|\d+)"
    return rf"[+-]?{whole}(?:{re.escape(decimal)}\d+)?"


def without_zeros(value: str, decimal: str) -> str:
    """Give SQL for a text without a decimal part of nothing but zeros: -99.0 is seen as -99."""
    return f"regexp_replace({value}, {sql.text(rf'{re.escape(decimal)}0+$')}, '')"


def iso_text(value: str, written: DateFormat) -> str:
    """Give SQL for a date as ISO text, as precise as it was written."""
    if {"M", "D"}.isdisjoint(written.parts):  # all parts have their widths
        place = {unit: f"\\{j}" for j, unit in enumerate(written.units, 1)}
        iso = "-".join(place[unit] for unit in ("YYYY", "M", "D") if unit in place)
        if "hh" in place:
            iso += " " + ":".join(place.get(unit, "00") for unit in TIME)
        return f"regexp_replace({value}, {sql.text('^' + written.pattern.pattern + '$')}, '{iso}')"
    part = {
        unit: f"regexp_extract({value}, {_pattern(written)}, {j})"
        for j, unit in enumerate(written.units, 1)
    }
    day = [part["YYYY"], *(f"lpad({part[unit]}, 2, '0')" for unit in ("M", "D") if unit in part)]
    text = " || '-' || ".join(day)
    if "hh" in part:
        time = " || ':' || ".join(part.get(unit, "'00'") for unit in TIME)
        text += f" || ' ' || {time}"
    return text


def is_date(value: str, written: DateFormat) -> str:
    """Give SQL for whether a text is a date in some format, or missing."""
    whole = iso_text(value, written) + ("" if written.of_days else " || '-01'")
    kind = "TIMESTAMP" if "hh" in written.units else "DATE"
    matches = f"regexp_full_match({value}, {_pattern(written)})"
    return f"({value} IS NULL OR ({matches} AND TRY_CAST({whole} AS {kind}) IS NOT NULL))"


def _pattern(written: DateFormat) -> str:
    return sql.text(written.pattern.pattern)
