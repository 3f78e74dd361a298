"""Files of SPSS, Stata and SAS: labels in the place of codes, declared missing values missing."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.read_settings import ReadSettings
from sfumato.engines.foreign.foreign_table import (
    ForeignTable,
    column_names,
    needed,
    without_codes,
)
from sfumato.engines.foreign.spool import Spool
from sfumato.errors import BadInput
from sfumato.text import count

READERS = {  # suffix -> pyreadstat's function, whose file it is
    ".sav": ("read_sav", "an SPSS file"),
    ".zsav": ("read_sav", "an SPSS file"),
    ".por": ("read_por", "an SPSS file"),
    ".dta": ("read_dta", "a Stata file"),
    ".sas7bdat": ("read_sas7bdat", "a SAS file"),
    ".xpt": ("read_xport", "a SAS file"),
}
OTHER_NAMES = {"latin-1": "iso-8859-1"}  # of encodings, as pyreadstat knows them
HEAD = (
    "import sys, pyreadstat; "
    "getattr(pyreadstat, sys.argv[1])(sys.argv[2], metadataonly=True, output_format='dict')"
)
MOST_CODES = 100_000  # distinct values of a column with labels; with more it is a measurement


def convert_statistics_file(path: Path, settings: ReadSettings, target: Path) -> ForeignTable:
    """Write a file of a statistics program into a Parquet file."""
    pyreadstat = needed("pyreadstat", path)
    file = _File(pyreadstat, path, settings)
    described = file.described
    written = list(described.column_names)
    names = column_names(written, settings)
    if not names:
        raise BadInput(f"{path}: no columns")
    is_text = [described.readstat_variable_types[name] == "string" for name in written]
    labels = _labels(file, written, is_text)
    found = {j: _Codes(names[j], labels[j]) for j in labels}
    n_missing: dict[str, int] = {}
    n_declared: Counter[str] = Counter()
    with Spool.into(target, len(names)) as spool:
        for chunk in file.chunks(spool.rows_at_once):
            n_declared += file.declared_missing(chunk, spool.n_rows)
            columns = [
                [value or None for value in column] if text else list(column)
                for column, text in zip(chunk, is_text, strict=True)
            ]
            values = spool.add(without_codes(names, columns, settings, n_missing))
            for j, codes in found.items():
                codes.add(values[j])
        if described.number_rows is not None and spool.n_rows < described.number_rows:
            raise file.damaged("rows are missing at the end")
        for codes in found.values():
            codes.decide(settings, n_missing)
        instead = {j: codes.labels for j, codes in found.items() if codes.usable}
        spool.write([f"v{j}" for j in range(len(names))], instead)
        notices = _notices(list(found.values()), n_declared)
        said = dict(zip(names, described.column_labels, strict=True))
        meanings = {name: label.strip() for name, label in said.items() if (label or "").strip()}
        return ForeignTable.of(names, spool, n_missing, notices, meanings=meanings)


def _ends_a_process(function: str, path: Path) -> bool:
    """Whether reading the head of a file ends a process, as damaged SPSS files do; tried apart."""
    if not sys.executable:  # Python within another program
        return False
    done = subprocess.run(  # noqa: S603  (this Python, and the file as an argument)
        [sys.executable, "-c", HEAD, function, str(path)],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return done.returncode < 0  # by a signal; whatever else is wrong is found out once more


class _File:
    """A file, and the function that reads it."""

    def __init__(self, package: Any, path: Path, settings: ReadSettings) -> None:
        function, self.kind = READERS[path.suffix.lower()]
        self.path = path
        self.package = package
        self.settings = settings
        self._read = getattr(package, function)
        self._options: dict[str, Any] = {"output_format": "dict"}
        if "encoding" in settings.spec():
            self._options["encoding"] = OTHER_NAMES.get(settings.encoding, settings.encoding)
        if _ends_a_process(function, path):
            raise self.damaged("the program that reads it ends")
        _, self.described = self.read(metadataonly=True)
        self.declared: tuple[str, ...] = ()  # columns with values that the file calls missing
        if function == "read_sav":
            _, described = self.read(metadataonly=True, user_missing=True)
            self.declared = tuple(described.missing_ranges)

    def read(self, **options: Any) -> tuple[Mapping[str, Sequence[object]], Any]:
        """Read some of the file."""
        table, described = self._guarded(self._read, self.path, **self._options, **options)
        return table, described

    def catalog(self, place: Path) -> Mapping[str, Mapping[object, str]]:
        """Read the formats of a SAS catalog."""
        if not place.is_file():
            raise BadInput(f"labels: there is no file {place}; give the path of a .sas7bcat file")
        _, described = self._guarded(self.package.read_sas7bcat, place, output_format="dict")
        return dict(described.value_labels)

    def chunks(self, n_rows: int) -> Iterator[list[Sequence[object]]]:
        """Read all rows, some at a time."""
        start = 0
        while True:
            table, _ = self.read(row_offset=start, row_limit=n_rows)
            chunk = list(table.values())
            n_read = len(chunk[0])
            if n_read:
                yield chunk
            if n_read < n_rows:
                return
            start += n_read

    def declared_missing(self, chunk: Sequence[Sequence[object]], start: int) -> Counter[str]:
        """Count the values of a chunk that are missing because the file says so."""
        if not self.declared:
            return Counter()
        whole, _ = self.read(
            row_offset=start,
            row_limit=len(chunk[0]),
            usecols=list(self.declared),
            user_missing=True,
            disable_datetime_conversion=True,
        )
        by_name = dict(zip(self.described.column_names, chunk, strict=True))
        return Counter(
            {
                name: list(by_name[name]).count(None) - list(values).count(None)
                for name, values in whole.items()
            }
        )

    def damaged(self, words: object) -> BadInput:
        """Say that the file cannot be read."""
        return BadInput(
            f"{self.path}: not {self.kind}, or a damaged one; open it and save it again",
            [str(words)],
        )

    def _guarded(self, function: Any, path: Path, **options: Any) -> Any:
        try:
            return function(str(path), **options)
        except (self.package.ReadstatError, self.package.PyreadstatError) as error:
            if "encoding" in str(error).lower() or "convert" in str(error).lower():
                raise BadInput(
                    f"{path}: its texts are not in the encoding that the file names; add "
                    'encoding = "windows-1252", or the one that it has'
                ) from None
            raise self.damaged(error) from None
        except (UnicodeDecodeError, LookupError):
            raise BadInput(
                f"{path}: its texts are not in the encoding that the file names; add "
                'encoding = "windows-1252", or the one that it has'
            ) from None
        except (OverflowError, ValueError) as error:  # a date beyond those of the calendar
            raise self.damaged(error) from None


def _labels(
    file: _File, names: Sequence[str], is_text: Sequence[bool]
) -> dict[int, dict[object, str]]:
    """Give the labels of columns that have some, by code: of numbers, or of texts."""
    wanted, described = file.settings.labels, file.described
    if wanted is False:
        return {}
    by_column = dict(described.variable_value_labels)
    if isinstance(wanted, str):
        if not file.path.suffix.lower() == ".sas7bdat":
            raise BadInput(
                "labels: a catalog is for .sas7bdat files; this one holds its labels itself, so "
                "give true or false"
            )
        formats = file.catalog(Path(wanted))
        used = described.variable_to_label
        by_column = {name: formats[used[name]] for name in names if used.get(name) in formats}
    labels = {}
    for j, name in enumerate(names):
        given = {
            code: label
            for code, label in by_column.get(name, {}).items()
            if isinstance(code, str) == is_text[j]  # the others are of missing values
        }
        if given:
            labels[j] = given
    return labels


class _Codes:
    """The values of a column that has labels, and whether each of them has one."""

    def __init__(self, name: str, labels: dict[object, str]) -> None:
        self.name = name
        self.labels = labels
        self.usable = False
        self.n_without = 0  # values without a label
        self.n_same = 0  # codes that share their label with another
        self._counts: Counter[object] | None = Counter()

    def add(self, values: pa.Array) -> None:
        """See the values of a chunk."""
        if self._counts is None or pa.types.is_null(values.type):
            return
        for each in pc.value_counts(values.drop_null()).to_pylist():
            self._counts[each["values"]] += each["counts"]
        if len(self._counts) > MOST_CODES:
            self._counts = None

    def decide(self, settings: ReadSettings, n_missing: dict[str, int]) -> None:
        """Use labels if each value has one of its own; those that mean missing are counted."""
        if self._counts is None:
            self.n_without = MOST_CODES
            return
        there = {code: self.labels[code] for code in self._counts if code in self.labels}
        if not there:  # labels of missing values, or of none
            return
        self.n_without = sum(n for code, n in self._counts.items() if code not in self.labels)
        self.n_same = len(there) - len(set(there.values()))
        self.usable = not self.n_without and not self.n_same
        codes = settings.codes(self.name)
        absent = {code for code, label in there.items() if label in codes} if self.usable else ()
        if absent:
            more = sum(self._counts[code] for code in absent)
            n_missing[self.name] = n_missing.get(self.name, 0) + more
            self.labels = {code: each for code, each in self.labels.items() if code not in absent}


def _notices(columns: Sequence[_Codes], n_declared: Mapping[str, int]) -> list[tuple[str, str]]:
    used = [codes.name for codes in columns if codes.usable]
    unlabelled = [
        f"{codes.name} ({count(codes.n_without)}"
        f"{' or more' if codes.n_without == MOST_CODES else ''})"
        for codes in columns
        if codes.n_without
    ]
    same = [codes.name for codes in columns if codes.n_same and not codes.n_without]
    declared = [f"{name} {count(n)}" for name, n in n_declared.items()]
    notices = [
        ("called missing by the file", ", ".join(declared)),
        ("labels in the place of codes", ", ".join(used)),
        ("codes kept, for values without a label", ", ".join(unlabelled)),
        ("codes kept, for labels of several codes", ", ".join(same)),
    ]
    return [(what, text) for what, text in notices if text]
