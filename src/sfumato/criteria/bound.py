"""What is measured, and the bounds on it that are promised."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

Number = int | Fraction | float
Value = Number | tuple["Value", ...] | None  # None: there is no group to measure


@dataclass(frozen=True)
class Bound:
    """What a promise allows: a relation and a number."""

    relation: str  # "<=", "<" or ">="
    value: Value
    assumed: bool = False  # nobody promised it, but nobody would want less

    def __str__(self) -> str:
        text = f"{self.relation} {value_text(self.value)}"
        return f"({text})" if self.assumed else text

    @property
    def number(self) -> Fraction:
        """The value, where it is a single number."""
        assert isinstance(self.value, (int, Fraction, float))  # noqa: S101  (for the type checker)
        return Fraction(self.value)

    def allows(self, value: Fraction) -> bool:
        """Say whether a number keeps the promise."""
        limit = self.number
        return {"<=": value <= limit, "<": value < limit, ">=": value >= limit}[self.relation]


def value_text(value: Value) -> str:
    """Write a measured value for a person."""
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return f"({', '.join(value_text(each) for each in value)})"
    whole = isinstance(value, int) or value == int(value) if value != float("inf") else False
    return str(int(value)) if whole else f"{float(value):.4g}"
