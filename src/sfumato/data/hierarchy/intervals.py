"""Intervals: numeric ranges of growing width."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sfumato.data.decimals import as_number, floor_to, number_text
from sfumato.data.domain import Domain
from sfumato.data.hierarchy.base import Hierarchy
from sfumato.data.hierarchy.domains import open_domain
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import range_text
from sfumato.errors import BadInput
from sfumato.parameters import refusal


@dataclass(frozen=True, init=False)
class Intervals(Hierarchy):
    """Numeric ranges of growing width, aligned to multiples of the width.

    `Intervals(5, 10, 20)` publishes 37 as 37, [35, 40), [30, 40), [20, 40) and `*`.

    >>> import sfumato as sf
    >>> domain, _ = sf.Intervals(5, 10, 20).grow("column", [37, 44])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    37  44
    [35, 40)  [40, 45)
    [30, 40)  [40, 50)
    [20, 40)  [40, 60)
    *  *
    """

    texts = "numbers"
    widths: tuple[float, ...]

    def __init__(self, *widths: float) -> None:
        exact = [_width(width) for width in widths]
        plain = tuple(int(width) if width == int(width) else float(width) for width in exact)
        object.__setattr__(self, "widths", plain)
        for narrow, wide in itertools.pairwise(exact):
            if wide <= narrow or floor_to(wide, narrow) != wide:
                raise BadInput(
                    f"Intervals: widths must nest: each a multiple of the one before and larger, "
                    f"got {number_text(wide)} after {number_text(narrow)}"
                )

    def in_words(self) -> str:
        """Name the widths."""
        return f"ranges of {', '.join(map(str, self.widths))}" if self.widths else "ranges"

    @property
    def parameter(self) -> Any:
        """The widths."""
        return list(self.widths)

    @classmethod
    def of_parameter(cls, parameter: Any) -> Intervals:
        """Read the widths, or a single one."""
        return cls(*parameter) if isinstance(parameter, (list, tuple)) else cls(parameter)

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Place every number in its range at each width."""
        numbers = {value: as_number(value) for value in values if value is not None}
        unreadable = [value for value, number in numbers.items() if number is None]
        if unreadable:
            raise BadInput(
                f"column {column!r}: {len(unreadable)} distinct values are not numbers; Intervals "
                "needs numbers, so mend them or give the column another hierarchy",
                unreadable,
            )
        exact: dict[object, Decimal] = {v: n for v, n in numbers.items() if n is not None}
        widths = [_width(width) for width in self.widths]

        def levels(value: object) -> list[str]:
            ranges = []
            for width in widths:
                start = floor_to(exact[value], width)
                end = floor_to(exact[value], width, steps=1)
                ranges.append(range_text(number_text(start), number_text(end)))
            return ranges

        return open_domain(column, values, exact.__getitem__, levels, exact.__getitem__)


def _width(width: object) -> Decimal:
    number = None if isinstance(width, (str, bool)) else as_number(width)
    if number is None or number <= 0:
        raise refusal("Intervals", "a width", "a number > 0", width)
    return number
