"""What is measured, and the bounds on it that are promised."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.text import value_text

Value = int | Fraction | float | tuple["Value", ...] | None  # None: there is no group to measure


@dataclass(frozen=True)
class Bound:
    """What a promise allows: a relation and a number.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.attacks.Bound("<=", Fraction(1, 3)).allows(Fraction(1, 2))
    False
    """

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


@dataclass(frozen=True)
class FailedMeasure:
    """What a criterion wants and what it measures, where it fails and the largest belief does not.

    So it is where three values are wanted and two are possible, none of them certain.

    >>> FailedMeasure.of("LDiversity(l=3)", 3, 2)
    FailedMeasure(criterion='LDiversity(l=3)', promised='3', found='2')
    """

    criterion: str
    promised: str
    found: str

    @classmethod
    def of(cls, criterion: object, promised: Value, found: Value) -> FailedMeasure:
        """Write down what was measured."""
        return cls(str(criterion), value_text(promised), value_text(found))
