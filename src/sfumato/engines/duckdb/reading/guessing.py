"""What the values of a source look like: numbers with marks, dates, codes for missing, blanks.

Counted by SQL over the rows, or over a sample of many; each finding comes with what speaks for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.data.codes_for_missing import CODES, usual_codes
from sfumato.data.date_formats import COMMON, DateFormat
from sfumato.engines import sql
from sfumato.engines.duckdb.connection.session import Session
from sfumato.engines.duckdb.reading.converting import (
    BLANKS,
    NUMERIC,
    TEXT,
    is_date,
    number_pattern,
    without_zeros,
)
from sfumato.text import counted, plural

MOST_ROWS = 100_000
WORDS = (  # that stand for missing, in small letters
    "na", "n/a", "n.a.", "#n/a", "nan", "null", "<na>", "#nv", "#null!", "missing", "-", "--", "?",
    ".", "k.a.", "k. a.", "k.a", "k/a", "keine angabe", "o.a.", "s.o.", "n.v.", "n.b.", "\\n",
)  # fmt: skip
PLAIN = number_pattern(".", None)
MARKS = {  # (decimal, thousands) -> numbers that can only have these marks
    (",", None): r"[+-]?\d+,(?:\d{1,2}|\d{4,})",
    (",", "."): r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+,\d+",
    (".", ","): r"[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})",
    (",", "'"): r"[+-]?[1-9]\d{0,2}(?:'\d{3})+,\d+",
    (",", " "): r"[+-]?[1-9]\d{0,2}(?: \d{3})+,\d+",
    (",", "\u00a0"): "[+-]?[1-9]\\d{0,2}(?:\u00a0\\d{3})+,\\d+",
    (",", "\u202f"): "[+-]?[1-9]\\d{0,2}(?:\u202f\\d{3})+,\\d+",
    (".", "'"): r"[+-]?[1-9]\d{0,2}(?:'\d{3})+(?:\.\d+)?",
    (".", "’"): r"[+-]?[1-9]\d{0,2}(?:’\d{3})+(?:\.\d+)?",
    (".", " "): r"[+-]?[1-9]\d{0,2}(?: \d{3})+(?:\.\d+)?",
    (".", "\u00a0"): "[+-]?[1-9]\\d{0,2}(?:\u00a0\\d{3})+(?:\\.\\d+)?",
    (".", "\u202f"): "[+-]?[1-9]\\d{0,2}(?:\u202f\\d{3})+(?:\\.\\d+)?",
}
EITHER = r"[+-]?[1-9]\d{0,2},\d{3}"  # a decimal comma, or one of thousands
DATED = r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}(?:[ T].*)?|\d{8}|\d{1,2}[./]\d{4}"
YEARS = (1850, 2100)  # of dates that look like numbers


@dataclass
class Found:
    """Settings about values, and what speaks for each."""

    settings: dict[str, Any] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


class Guesser:
    """Looks at the texts of one source, and for codes among its numbers."""

    def __init__(
        self, session: Session, view: str, inner: Mapping[str, str], types: Mapping[str, str]
    ) -> None:
        self._connection = session.connection
        self._columns = {c: v for c, v in inner.items() if types[c] == TEXT}
        self._numbers = {c: v for c, v in inner.items() if NUMERIC.match(types[c])}
        self._found = Found()
        looked_at = (*self._columns.values(), *self._numbers.values())
        values = ", ".join(looked_at) or "NULL AS nothing"
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE looked_at AS SELECT {values} FROM {view} "
            f"USING SAMPLE reservoir({MOST_ROWS} ROWS) REPEATABLE (1)"
        )

    def found(self, delimiter: str | None) -> Found:
        """Say what a person would declare about the values."""
        codes: dict[str, list[str]] = {}
        if self._columns:
            self._blanks()
            codes = {c: self._codes(v) for c, v in self._columns.items()}
            self._marks(codes, delimiter)
            self._dates(codes)
            codes = {c: [*words, *self._codes_in_text(c, words)] for c, words in codes.items()}
        codes |= {c: self._codes_in_numbers(v) for c, v in self._numbers.items()}
        codes = {c: words for c, words in codes.items() if words}
        if codes:
            self._found.settings["missing"] = codes
            self._found.reasons["missing"] = (
                f"{counted(len(codes), 'column has', 'columns have')} values that usually stand "
                "for none"
            )
        self._connection.execute("DROP TABLE looked_at")
        return self._found

    def _one(self, told: Sequence[str], where: str = "") -> tuple[Any, ...]:
        (found,) = self._connection.execute(
            f"SELECT {', '.join(told)} FROM looked_at {where}"
        ).fetchall()
        return tuple(found)

    def _blanks(self) -> None:
        told = [
            f"count(*) FILTER (trim({v}, {sql.text(BLANKS)}) <> {v})"
            for v in self._columns.values()
        ]
        blank = {c: n for c, n in zip(self._columns, self._one(told), strict=True) if n}
        if not blank:
            return
        self._found.settings["trim"] = True
        n_blank = sum(blank.values())
        self._found.reasons["trim"] = (
            f"{counted(n_blank, 'value')} of {counted(len(blank), 'column')} "
            f"{plural(n_blank, 'has', 'have')} blanks around {plural(n_blank, 'it', 'them')}"
        )
        replaced = ", ".join(
            f"nullif(trim({v}, {sql.text(BLANKS)}), '') AS {v}" for v in self._columns.values()
        )
        self._connection.execute(
            "CREATE OR REPLACE TEMP TABLE looked_at AS "
            f"SELECT * REPLACE ({replaced}) FROM looked_at"
        )

    def _codes(self, value: str) -> list[str]:
        """Give the words for missing that a column has beside other values."""
        listed = ", ".join(map(sql.text, WORDS))
        found = self._connection.execute(
            f"SELECT {value}, count(*) FROM looked_at WHERE lower({value}) IN ({listed}) "
            f"GROUP BY 1 ORDER BY 2 DESC, 1"
        ).fetchall()
        return [text for text, _ in found]

    def _present(self, value: str, words: Sequence[str]) -> str:
        listed = ", ".join(map(sql.text, words))
        return f"CASE WHEN {value} NOT IN ({listed}) THEN {value} END" if words else value

    def _codes_in_text(self, column: str, words: Sequence[str]) -> list[str]:
        """Give codes for missing among the texts of a column, where all others are numbers."""
        value = self._present(self._columns[column], words)
        marks = self._found.settings
        pattern = number_pattern(marks.get("decimal", "."), marks.get("thousands"))
        is_number = f"regexp_full_match({value}, {sql.text(pattern)})"
        n, n_numbers = self._one([f"count({value})", f"count(*) FILTER ({is_number})"])
        if n_numbers < n:
            return []
        number = f"TRY_CAST(replace({value}, ',', '.') AS DOUBLE)"
        return self._codes_among(without_zeros(value, marks.get("decimal", ".")), number)

    def _codes_in_numbers(self, value: str) -> list[str]:
        """Give codes for missing in a column that holds numbers."""
        real = f"CAST({value} AS DOUBLE)"
        number = f"CASE WHEN isfinite({real}) THEN {real} END"
        is_whole = f"{number} = trunc({number}) AND abs({number}) < 1e6"
        text = f"CASE WHEN {is_whole} THEN CAST(CAST({number} AS BIGINT) AS VARCHAR) ELSE '' END"
        return self._codes_among(text, number)

    def _codes_among(self, text: str, number: str) -> list[str]:
        """Give numbers that usually stand for missing."""
        listed = ", ".join(map(sql.text, CODES))
        other = f"{text} NOT IN ({listed})"
        least, most = self._one(
            [f"min({number}) FILTER ({other})", f"max({number}) FILTER ({other})"]
        )
        if least is None:
            return []
        there = self._connection.execute(
            f"SELECT DISTINCT {text} FROM looked_at WHERE {text} IN ({listed})"
        ).fetchall()
        return usual_codes([code for (code,) in there], least, most)

    def _marks(self, codes: Mapping[str, Sequence[str]], delimiter: str | None) -> None:
        """Find the marks of numbers: those of a column that has nothing but numbers by them."""
        support: dict[tuple[str, str | None], list[str]] = {}
        either: list[str] = []
        for column, name in self._columns.items():
            value = self._present(name, codes[column])
            patterns = [p for marks, only in MARKS.items() for p in (number_pattern(*marks), only)]
            told = [f"count({value})"] + [
                f"count(*) FILTER (regexp_full_match({value}, {sql.text(pattern)}))"
                for pattern in (*patterns, EITHER, PLAIN)
            ]
            n, *counts, n_either, n_plain = self._one(told)
            if not n or n_plain == n:
                continue
            for j, marks in enumerate(MARKS):
                fits, only = counts[2 * j], counts[2 * j + 1]
                if fits == n and only:
                    support.setdefault(marks, []).append(column)
            if n_either and n_either + n_plain == n:
                either.append(column)
        if not support and either:
            marks = (",", None) if delimiter == ";" else (".", ",")
            support[marks] = either
        if not support:
            return
        best = max(support, key=lambda marks: (len(support[marks]), marks[1] is not None))
        with_comma = [marks for marks in support if marks[0] == ","]
        if with_comma:
            best = max(with_comma, key=lambda marks: (marks[1] is not None, len(support[marks])))
        decimal, thousands = best
        columns = [c for marks in support if marks[0] == decimal for c in support[marks]]
        n_columns = counted(len(set(columns)), "column has", "columns have")
        if decimal != ".":
            self._found.settings["decimal"] = decimal
            self._found.reasons["decimal"] = f"{n_columns} nothing but numbers by it"
        if thousands is not None:
            self._found.settings["thousands"] = thousands
            n_such = counted(len(support[best]), "column has", "columns have")
            self._found.reasons["thousands"] = f"{n_such} nothing but numbers by it"

    def _dates(self, codes: Mapping[str, Sequence[str]]) -> None:
        """Find the format that reads all values of a column."""
        candidates = {written: DateFormat(written) for written in COMMON}
        told = []
        for column, name in self._columns.items():
            value = self._present(name, codes[column])
            told += [f"count({value})", f"count(*) FILTER (regexp_full_match({value}, '{DATED}'))"]
        found = self._one(told)
        dates, why = {}, []
        for j, (column, name) in enumerate(self._columns.items()):
            n, n_dated = found[2 * j : 2 * j + 2]
            if not n or n_dated < n:
                continue
            value = self._present(name, codes[column])
            wrong = [
                f"count(*) FILTER (NOT {is_date(value, each)})" for each in candidates.values()
            ]
            years = [_years(value, each) for each in candidates.values()]
            counts = self._one([*wrong, *years])
            right = [
                written
                for written, n_wrong, n_odd in zip(
                    candidates, counts, counts[len(wrong) :], strict=False
                )
                if not n_wrong and not n_odd
            ]
            if not right or right[0].startswith("YYYY-MM-DD"):
                continue
            dates[column] = right[0]
            swapped = right[0].translate(str.maketrans("DM", "MD"))
            if swapped in right:
                why.append(f"{column} may be {swapped} as well, look at it")
        if dates:
            self._found.settings["dates"] = dates
            said = f"{counted(len(dates), 'column is', 'columns are')} dates so written"
            self._found.reasons["dates"] = "; ".join([said, *why])


def _years(value: str, written: DateFormat) -> str:
    """Give SQL for the number of dates of unlikely years, where a date may be a number as well."""
    if written.text not in ("YYYYMMDD", "MM.YYYY", "MM/YYYY"):
        return "0"
    place = written.units.index("YYYY") + 1
    pattern = sql.text(written.pattern.pattern)
    year = f"TRY_CAST(regexp_extract({value}, {pattern}, {place}) AS INTEGER)"
    return f"count(*) FILTER ({year} NOT BETWEEN {YEARS[0]} AND {YEARS[1]})"
