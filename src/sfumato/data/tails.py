"""Bottom and top codes: the numbers beyond a bound are one value, from the ground on."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from sfumato.data.decimals import as_number, number_text


@dataclass(frozen=True)
class Tails:
    """All numbers below `bottom` are one value, and all that are not below `top`; None: no bound.

    >>> ages = Tails(Decimal(18), Decimal(90))
    >>> [ages.text(age) for age in (17.5, 18, 89, "90", ">=90", "?")]
    ['<18', None, None, '>=90', '>=90', None]
    """

    bottom: Decimal | None
    top: Decimal | None

    @cached_property
    def low_text(self) -> str | None:
        """What everything below is called."""
        return None if self.bottom is None else f"<{number_text(self.bottom)}"

    @cached_property
    def high_text(self) -> str | None:
        """What everything else beyond is called."""
        return None if self.top is None else f">={number_text(self.top)}"

    def text(self, value: object) -> str | None:
        """Give the name of the tail that a value is in; None: it is in none."""
        if value is None:
            return None
        if value in (self.low_text, self.high_text):
            return str(value)
        number = as_number(value)
        if number is None:
            return None
        if self.bottom is not None and number < self.bottom:
            return self.low_text
        return self.high_text if self.top is not None and number >= self.top else None

    def edge(self, value: object) -> Decimal | None:
        """Give the bound of the tail that a value is the name of; None: it is none."""
        if value is None:
            return None
        return {self.low_text: self.bottom, self.high_text: self.top}.get(str(value))

    def divided_by(self, bound: object) -> bool:
        """Whether a bound lies inside a tail, whose values nobody tells apart."""
        number = as_number(bound)
        return number is not None and (
            (self.bottom is not None and number < self.bottom)
            or (self.top is not None and number > self.top)
        )
