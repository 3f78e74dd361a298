"""How a file is read: what is declared about its text, its numbers, its dates and its columns.

The same names are keys of `[read]` in a job file, arguments of `sf.read` and options of the command
line. What is not declared is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypedDict

from sfumato.data.date_formats import COMMON, ISO, DateFormat
from sfumato.errors import BadInput, nearest, shown, similar
from sfumato.files.toml_text import toml_key, toml_value
from sfumato.parameters import one_of, refusal, true_or_false, whole

REFUSE, NUMBER = NAMES = "refuse", "number"  # what becomes of names that are empty or not unique
UTF_8 = "utf-8"
ENCODINGS = (UTF_8, "utf-16", "utf-16-le", "utf-16-be", "windows-1252", "latin-1")
OTHER_NAMES = {
    "utf8": "utf-8",
    "utf-8-sig": "utf-8",
    "utf16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "cp1252": "windows-1252",
    "ansi": "windows-1252",
    "latin1": "latin-1",
    "iso-8859-1": "latin-1",
}
ABOUT_TEXT_FILES = ("encoding", "delimiter", "quote", "skip_rows", "skip_end")
SHEET, LABELS = "sheet", "labels"
ABOUT = {  # what settings say that are not about text files
    SHEET: "says which sheet of a workbook is read",
    LABELS: "says whether labels of SPSS, Stata and SAS files are read",
}
MOST_SKIPPED = 100_000  # lines
MOST_LOOKED_AT = 10_000  # distinct values of a column
DATED = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}.*")


class Settings(TypedDict, total=False):
    """The settings as arguments."""

    encoding: str
    delimiter: str | None
    quote: str
    decimal: str
    thousands: str | None
    dates: Mapping[str, str]
    missing: Sequence[str | int] | Mapping[str, Sequence[str | int]]
    skip_rows: int
    skip_end: int
    trim: bool
    names: str
    sheet: str | None
    labels: bool | str


@dataclass(frozen=True)
class ReadSettings:
    """What is declared about a file.

    >>> settings = ReadSettings(encoding="cp1252", decimal=",", missing=[-99, "k.A."])
    >>> settings.spec()
    {'encoding': 'windows-1252', 'decimal': ',', 'missing': ['-99', 'k.A.']}
    """

    encoding: str = UTF_8  # with or without a mark; "utf-16" has one
    delimiter: str | None = None  # None: of , ; tab and | the one that makes most column names
    quote: str = '"'  # around fields; empty: there is none
    decimal: str = "."
    thousands: str | None = None
    dates: Mapping[str, str] = field(default_factory=dict)  # column -> how its dates are written
    # Codes that mean missing: in all columns, or by column.
    missing: Sequence[str | int] | Mapping[str, Sequence[str | int]] = ()
    skip_rows: int = 0  # lines above the one with the column names
    skip_end: int = 0  # lines at the end, without counting empty ones
    trim: bool = False  # blanks around values and names are none of them
    names: str = REFUSE
    sheet: str | None = None  # of a workbook, where there are several
    labels: bool | str = True  # in the place of codes; of SAS: the file that holds them

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "encoding", _encoding(self.encoding))
        if isinstance(self.delimiter, str) and self.delimiter in ("tab", "\\t"):
            put(self, "delimiter", "\t")  # which a command line can hardly write
        _letter("delimiter", self.delimiter, r"[\t!#-*,/:-@^`{-~]", "one character such as ;")
        if not (isinstance(self.quote, str) and re.fullmatch(r"[\"'`|~^]?", self.quote)):
            raise refusal("read", "quote", "one character such as ', or empty", self.quote)
        if self.quote and self.quote == self.delimiter:
            raise BadInput("quote: must be another character than the delimiter")
        if not isinstance(self.decimal, str) or self.decimal not in (".", ","):
            raise refusal("read", "decimal", "'.' or ','", self.decimal)
        _letter("thousands", self.thousands, r"[.,'’_ \u00a0\u202f]", "one of . , ' _ or a space")
        if self.thousands == self.decimal:
            raise BadInput(
                f"thousands: must be another mark than the decimal one, got {shown(self.thousands)}"
                + ('; add decimal = ","' if self.decimal == "." else "")
            )
        if not isinstance(self.dates, Mapping):
            raise refusal(
                "read", "dates", 'formats by column, such as { born = "DD.MM.YYYY" }', self.dates
            )
        for column, written in self.dates.items():
            try:
                DateFormat(written)
            except BadInput as error:
                raise BadInput(f"dates.{column}: {error}") from None
        put(self, "dates", dict(self.dates))
        put(self, "missing", _codes(self.missing))
        for name in ("skip_rows", "skip_end"):
            whole("read", name, getattr(self, name), least=0, most=MOST_SKIPPED)
        true_or_false("read", "trim", self.trim)
        one_of("read", "names", self.names, NAMES)
        if not (self.sheet is None or (isinstance(self.sheet, str) and self.sheet)):
            raise refusal("read", SHEET, "the name of a sheet", self.sheet)
        if not (isinstance(self.labels, bool) or (isinstance(self.labels, str) and self.labels)):
            raise refusal("read", LABELS, "true, false, or the path of a SAS catalog", self.labels)

    @classmethod
    def of(cls, given: Mapping[str, Any], where: str = "read") -> ReadSettings:
        """Take settings by their names; refuse what is none."""
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                raise BadInput(f"{where}: unknown setting {shown(name)}{nearest(name, known)}")
        return cls(**given)

    def spec(self) -> dict[str, Any]:
        """Plain values of all that was declared, by which the same settings are made again."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        default = ReadSettings.__dataclass_fields__
        written = {n: v for n, v in plain.items() if v and v != default[n].default}
        written |= {"quote": ""} if self.quote == "" else {}
        written |= {LABELS: False} if self.labels is False else {}
        codes = written.get("missing")
        if isinstance(codes, Mapping):
            written["missing"] = {column: list(each) for column, each in codes.items()}
        elif codes:
            written["missing"] = list(codes)
        return written

    def codes(self, column: str) -> tuple[str, ...]:
        """Give the codes that mean missing in a column."""
        if isinstance(self.missing, Mapping):
            return tuple(map(str, self.missing.get(column, ())))
        return tuple(map(str, self.missing))

    @property
    def convert_values(self) -> bool:
        """Whether values are seen otherwise than they are written."""
        return bool(
            self.decimal != "." or self.thousands or self.dates or self.missing or self.trim
        )

    def for_another(self, *, text: bool, columns: Sequence[str] = ()) -> ReadSettings:
        """Leave out what is about other columns, and about files of another kind.

        text: Whether it is a text file; columns: those that it has.
        """
        spec = {
            n: v for n, v in self.spec().items() if n not in (ABOUT if text else ABOUT_TEXT_FILES)
        }
        for name in ("dates", "missing"):
            if isinstance(spec.get(name), dict):
                spec[name] = {c: how for c, how in spec[name].items() if c in columns}
        return ReadSettings(**spec)

    def refuse_unknown(self, columns: Sequence[str]) -> None:
        """Refuse what is about columns that are not there."""
        for name in ("dates", "missing"):
            given = getattr(self, name)
            for column in given if isinstance(given, Mapping) else ():
                if column not in columns:
                    raise BadInput(
                        f"{name}: unknown column {shown(column)}{similar(column, columns)}", columns
                    )

    def refuse_for(self, what: str, names: Sequence[str] = (*ABOUT_TEXT_FILES, *ABOUT)) -> None:
        """Refuse what says nothing about a source of another kind; what: what it is."""
        for name in self.spec():
            if name in names:
                says = ABOUT.get(name, "says how a text file is read")
                raise BadInput(f"{name}: {says}, and this is {what}; take it out")


def _encoding(given: object) -> str:
    name = given.lower().replace("_", "-") if isinstance(given, str) else ""
    name = OTHER_NAMES.get(name, name)
    if name not in ENCODINGS:
        raise refusal("read", "encoding", f"one of {', '.join(ENCODINGS)}", given)
    return name


def _letter(name: str, given: object, pattern: str, range_: str) -> None:
    if given is not None and not (isinstance(given, str) and re.fullmatch(pattern, given)):
        raise refusal("read", name, range_, given)


def _codes(given: object) -> tuple[str, ...] | dict[str, tuple[str, ...]]:
    """Read codes: texts or numbers, as they stand in the file."""
    if isinstance(given, Mapping):
        return {str(column): _code_list(codes) for column, codes in given.items()}
    return _code_list(given)


def _code_list(given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Sequence) or not all(
        isinstance(code, (str, int)) and not isinstance(code, bool) for code in given
    ):
        raise refusal("read", "missing", 'a list of codes such as ["-99", "k.A."]', given)
    return tuple(str(code) for code in given)


def number_remedy(values: Sequence[object]) -> str:
    """Say which setting would make numbers of some texts, as the end of a message.

    >>> number_remedy(["12,5", "7,25"])
    '; with decimal commas they are numbers: add decimal = ","'
    >>> number_remedy(["k.A."])
    '; if they stand for missing, add them to missing (docs/reading.md)'
    """
    texts = [value for value in values if isinstance(value, str)]
    if texts and all(re.fullmatch(r"\s*[+-]?\d+,\d+\s*", text) for text in texts):
        return '; with decimal commas they are numbers: add decimal = ","'
    if texts and all(re.fullmatch(r"[+-]?\d{1,3}(\.\d{3})*(,\d+)?", text) for text in texts):
        return '; with marks they are numbers: add decimal = "," and thousands = "."'
    if texts and all(re.fullmatch(r"\s*[+-]?\d+(\.\d+)?\s*", text) for text in texts):
        return "; without blanks they are numbers: add trim = true"
    return "; if they stand for missing, add them to missing (docs/reading.md)" if texts else ""


def undeclared(column: str, values: Sequence[object]) -> str | None:
    """Say what the texts of a column look like that nobody declared; None: like texts.

    >>> undeclared("pay", ["12,5", "7", None])
    'pay (numbers with decimal commas: decimal = ",")'
    >>> undeclared("born", ["04.07.1994"]), undeclared("born", ["1994-07-04"])
    ('born (dates: dates = { born = "DD.MM.YYYY" })', None)
    """
    texts = [value for value in values if isinstance(value, str)][:MOST_LOOKED_AT]
    if not texts:
        return None
    comma = False
    for text in texts:
        if not re.fullmatch(r"[+-]?\d+(,\d+)?", text):
            break
        comma = comma or "," in text
    else:
        return f'{column} (numbers with decimal commas: decimal = ",")' if comma else None
    written = common_format(texts)
    if written is None or written.startswith(ISO):
        return None
    return f"{column} (dates: {_dates_setting(column, written)})"


def common_format(texts: Sequence[str]) -> str | None:
    """Give the common format that all texts are dates by; None: there is none.

    >>> common_format(["04.07.1994", "31.12.2001"]), common_format(["k.A."])
    ('DD.MM.YYYY', None)
    """
    if not texts or not DATED.fullmatch(texts[0]):
        return None
    return next((each for each in COMMON if all(map(DateFormat(each).iso, texts))), None)


def date_remedy(column: str, values: Sequence[object]) -> str:
    """Say what would make dates of some texts, as the end of a message.

    >>> print(date_remedy("born", ["7/4/1994", "12/31/2001"]).partition(": ")[2])
    add [read] dates = { born = "M/D/YYYY" }, or Dates('M/D/YYYY')
    """
    texts = [value for value in values if isinstance(value, str)]
    written = common_format(texts) if len(texts) == len(values) else None
    if written is not None:
        setting = _dates_setting(column, written)
        return f"; all of them read as {written}: add [read] {setting}, or Dates({written!r})"
    setting = _dates_setting(column, "DD.MM.YYYY")
    return f", or give their format, such as [read] {setting}, or Dates('DD.MM.YYYY')"


def _dates_setting(column: str, written: str) -> str:
    return f"dates = {{ {toml_key(column)} = {toml_value(written)} }}"
