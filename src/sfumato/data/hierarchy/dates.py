"""Dates: day, month, year, decade."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sfumato.data.date_formats import ISO, DateFormat, read_formats
from sfumato.data.domain import Domain
from sfumato.data.hierarchy.base import Hierarchy
from sfumato.data.hierarchy.domains import open_domain, rewritten_domain
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import calendar_texts
from sfumato.data.read_settings import date_remedy
from sfumato.errors import BadInput

ISO_DAYS, ISO_MONTHS = (ISO, f"{ISO} hh:mm:ss"), (ISO[:7],)  # what texts are rewritten as


@dataclass(frozen=True, init=False)
class Dates(Hierarchy):
    """Calendar dates: day, month, year, decade, `*`.

    Texts are ISO dates, or have one of the formats given: `Dates("DD.MM.YYYY")`, `Dates("MM/YYYY")`
    for months; see `sfumato.data.date_formats`. They are published as ISO texts.

    >>> import sfumato as sf
    >>> domain, _ = sf.Dates("DD.MM.YYYY").grow("column", ["29.02.2024", "16.11.2026"])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    2024-02-29  2026-11-16
    2024-02  2026-11
    2024  2026
    2020s  2020s
    *  *
    """

    texts = "calendar"
    formats: tuple[str, ...] = ()

    def __init__(self, *formats: str) -> None:
        read = read_formats("Dates", formats)
        if read:  # what they are rewritten as must not be one of them again, and another date
            read_formats("Dates", [*formats, *(ISO_DAYS if read[0].of_days else ISO_MONTHS)])
        object.__setattr__(self, "formats", tuple(formats))

    @cached_property
    def _read(self) -> tuple[DateFormat, ...]:
        return tuple(map(DateFormat, self.formats))

    @property
    def _of_days(self) -> bool:
        return not self._read or self._read[0].of_days

    @property
    def parameter(self) -> Any:
        """The formats; True: ISO dates."""
        return list(self.formats) or True

    @classmethod
    def of_parameter(cls, parameter: Any) -> Dates:
        """Read the formats, or a single one, or True."""
        if parameter is True:
            return cls()
        return cls(*parameter) if isinstance(parameter, (list, tuple)) else cls(parameter)

    @property
    def rewrites(self) -> bool:
        """Dates that have a format are ISO texts in the whole table."""
        return bool(self.formats)

    def rewritten(self, values: Iterable[object]) -> dict[object, str]:
        """Read texts that have one of the formats."""
        instead: dict[object, str] = {}
        for value in values if self._read else ():
            if isinstance(value, str):
                found = (form.iso(value) for form in self._read)
                text = next((iso for iso in found if iso is not None), value)
                if text != value:
                    instead[value] = text
        return instead

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Read dates, or their texts, and group them by the calendar."""
        return rewritten_domain(
            column, values, self.rewritten(values), lambda seen: self._laid_out(column, seen)
        )

    def _laid_out(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        dates = {value: self._date(value) for value in values if value is not None}
        unreadable = [value for value, date in dates.items() if date is None]
        if unreadable:
            asked = " or ".join(self.formats) or ISO
            other = (
                "; if they stand for missing, add them to missing (docs/reading.md)"
                if self.formats
                else date_remedy(column, unreadable)
            )
            raise BadInput(
                f"column {column!r}: {len(unreadable)} distinct values are not dates; write them "
                f"as {asked}{other}",
                unreadable,
            )
        known = {value: date for value, date in dates.items() if date is not None}

        def levels(value: object) -> list[str]:
            return calendar_texts(known[value])[0 if self._of_days else 1 :]

        # Equal days of times are in the order of their text, which is that of the times.
        return open_domain(
            column, values, known.__getitem__, levels, lambda value: known[value].toordinal()
        )

    def _date(self, value: object) -> datetime.date | None:
        """Read a date or an ISO text; a month is its first day."""
        if isinstance(value, datetime.date):
            return value if self._of_days else None
        text = str(value) if self._of_days else f"{value}-01"
        if not re.match(r"\d{4}-\d\d-\d\d([ T]|$)", text, re.ASCII):
            return None
        try:
            return datetime.date.fromisoformat(text[:10])
        except ValueError:
            return None
