"""What reading a file by its settings did to it, which a steward would not notice otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.data.read_settings import ReadSettings
from sfumato.text import counted

MAY_BE_MISSING = "codes that may mean missing"  # -99 among ages, which nobody declared
DELIMITER_NAMES = {"\t": "tabs"}


@dataclass(frozen=True)
class ReadCounts:
    """Lines skipped, values read as missing, values merged by trimming; by column.

    >>> ReadCounts(ReadSettings(skip_end=1), n_skipped_end=1, missing={"age": 3}).lines
    [('lines skipped', '1 at the end'), ('codes read as missing', 'age 3')]
    """

    settings: ReadSettings = field(default_factory=ReadSettings)
    delimiter: str | None = None  # that was found, where none was declared
    n_skipped_start: int = 0
    n_skipped_end: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)  # values that were a code
    trimmed: Mapping[str, int] = field(default_factory=dict)  # distinct values that are others'
    numbers: tuple[str, ...] = ()  # columns read by the decimal and thousands marks
    notices: tuple[tuple[str, str], ...] = ()  # of a file that had to be converted
    may_be_missing: Mapping[str, int] = field(default_factory=dict)  # distinct undeclared codes
    # Declared codes that no row has, by column; "": declared of all columns.
    unfound: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What a person reads."""
        lines = []
        declared = self._declared()
        if declared:
            lines.append(("read as", ", ".join(declared)))
        skipped = [
            f"{n} {where}"
            for n, where in (
                (self.n_skipped_start, "above the column names"),
                (self.n_skipped_end, "at the end"),
            )
            if n
        ]
        if skipped:
            lines.append(("lines skipped", ", ".join(skipped)))
        if any(self.missing.values()):
            text = ", ".join(f"{name} {n}" for name, n in self.missing.items() if n)
            lines.append(("codes read as missing", text))
        if self.unfound:
            text = ", ".join(
                f"{name} {code}".lstrip() for name, codes in self.unfound.items() for code in codes
            )
            lines.append(("declared codes found in no row", text))
        if any(self.trimmed.values()):
            text = ", ".join(
                f"{name} ({counted(n, 'value')})" for name, n in self.trimmed.items() if n
            )
            lines.append(("merged by trimming", text))
        codes = [f"{name} ({counted(n, 'value')})" for name, n in self.may_be_missing.items() if n]
        if codes:
            lines.append((MAY_BE_MISSING, f"{', '.join(codes)}; [read] missing makes them so"))
        return [*lines, *self.notices]

    def _declared(self) -> list[str]:
        """Name what was declared, or found, about the text."""
        said = []
        if self.settings.encoding != "utf-8":
            said.append(self.settings.encoding)
        if self.delimiter not in (None, ","):
            name = DELIMITER_NAMES.get(str(self.delimiter), str(self.delimiter))
            said.append(f"delimited by {name}")
        if self.numbers:
            said.append(f"numbers with their marks in {', '.join(self.numbers)}")
        if self.settings.dates:
            dates = (f"{name} {how}" for name, how in self.settings.dates.items())
            said.append(f"dates in {', '.join(dates)}")
        return said

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine: counts by column, and no code."""
        return {
            "encoding": self.settings.encoding,
            "delimiter": self.delimiter,
            "skipped_start": self.n_skipped_start,
            "skipped_end": self.n_skipped_end,
            "missing": {name: n for name, n in self.missing.items() if n},
            "unfound": {name: len(codes) for name, codes in self.unfound.items()},
            "trimmed": {name: n for name, n in self.trimmed.items() if n},
            "may_be_missing": {name: n for name, n in self.may_be_missing.items() if n},
            "numbers": list(self.numbers),
            "dates": dict(self.settings.dates),
            "notices": dict(self.notices),
        }
