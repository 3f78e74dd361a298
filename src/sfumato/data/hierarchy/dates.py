"""Dates: day, month, year, decade."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.data.domain import Domain
from sfumato.data.hierarchy.base import Hierarchy
from sfumato.data.hierarchy.domains import open_domain
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import calendar_texts
from sfumato.errors import BadInput


@dataclass(frozen=True)
class Dates(Hierarchy):
    """Calendar dates: day, month, year, decade, `*`.

    >>> import sfumato as sf
    >>> domain, _ = sf.Dates().grow("column", ["2024-02-29", "2026-11-16"])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    2024-02-29  2026-11-16
    2024-02  2026-11
    2024  2026
    2020s  2020s
    *  *
    """

    texts = "calendar"

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Read dates, or ISO text such as 2026-11-15, and group them by the calendar."""
        dates = {value: _date(value) for value in values if value is not None}
        unreadable = [value for value, date in dates.items() if date is None]
        if unreadable:
            raise BadInput(
                f"column {column!r}: {len(unreadable)} distinct values are not dates; write them "
                "as YYYY-MM-DD",
                unreadable,
            )
        known = {value: date for value, date in dates.items() if date is not None}

        def levels(value: object) -> list[str]:
            return calendar_texts(known[value])

        # Equal days of times are in the order of their text, which is that of the times.
        return open_domain(
            column, values, known.__getitem__, levels, lambda value: known[value].toordinal()
        )


def _date(value: object) -> datetime.date | None:
    if isinstance(value, datetime.date):
        return value
    text = str(value)
    if not re.match(r"\d{4}-\d\d-\d\d([ T]|$)", text, re.ASCII):
        return None
    try:
        return datetime.date.fromisoformat(text[:10])
    except ValueError:
        return None
