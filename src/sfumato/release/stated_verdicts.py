"""What the publisher found when he attacked a release as somebody would who knows the method.

These attacks need everybody's quasi-identifiers, which only the publisher has. Their verdicts are
functions of what such an adversary knows, and say nothing of who has which value, so a release
carries them to those who could not reach them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.criteria.bound import Bound, FailedMeasure
from sfumato.parameters import is_count

Number = int | Fraction | float
RELATIONS = ("<=", "<", ">=", ">")


@dataclass(frozen=True)
class StatedVerdict:
    """What one attack that knows the method found about one sensitive column.

    >>> from fractions import Fraction
    >>> from sfumato.criteria.bound import Bound
    >>> stated = StatedVerdict(
    ...     "method", "disease", "belief", 0, Fraction(1, 3), Bound("<=", Fraction(1, 2)), True, 0
    ... )
    >>> stated.to_json()["found"], StatedVerdict.from_json(stated.to_json()) == stated
    ('1/3', True)
    """

    attack: str
    attribute: str | None
    unit: str
    before: Number
    found: Number
    promised: Bound | None
    holds: bool | None
    n_exceeding: int
    knows_earlier: bool = False  # whether from all releases that this one names as earlier, too
    failed: FailedMeasure | None = None  # what does not hold, where that is not the number found
    is_bound: bool = False  # found is not reached, as far as is known: nobody is believed more

    def to_json(self) -> dict[str, Any]:
        """Write it down; fractions stay exact."""
        bound = self.promised
        return {
            "attack": self.attack,
            "attribute": self.attribute,
            "unit": self.unit,
            "before": _written(self.before),
            "found": _written(self.found),
            "promised": None
            if bound is None
            else {
                "relation": bound.relation,
                "value": _written(bound.number),
                "assumed": bound.assumed,
            },
            "holds": self.holds,
            "people_exceeding": self.n_exceeding,
            "knows_earlier": self.knows_earlier,
            **({} if self.failed is None else {"failed": vars(self.failed)}),
            **({"is_bound": True} if self.is_bound else {}),
        }

    @classmethod
    def from_json(cls, written: object) -> StatedVerdict | None:
        """Read it back; None: this is none."""
        if not isinstance(written, Mapping):
            return None
        try:
            bound = written["promised"]
            promised = None
            if bound is not None:
                promised = Bound(bound["relation"], _read(bound["value"]), bound["assumed"])
            stated = cls(
                written["attack"],
                written["attribute"],
                written["unit"],
                _read(written["before"]),
                _read(written["found"]),
                promised,
                written["holds"],
                written["people_exceeding"],
                written["knows_earlier"],
                FailedMeasure(**written["failed"]) if "failed" in written else None,
                written.get("is_bound", False),
            )
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            return None
        return stated if stated._sound else None

    @property
    def _sound(self) -> bool:
        texts = isinstance(self.attack, str) and isinstance(self.unit, str)
        column = self.attribute is None or isinstance(self.attribute, str)
        bound = self.promised is None or (
            self.promised.relation in RELATIONS and isinstance(self.promised.assumed, bool)
        )
        holds = self.holds is None or isinstance(self.holds, bool)
        flags = holds and isinstance(self.knows_earlier, bool) and isinstance(self.is_bound, bool)
        measure = self.failed is None or all(isinstance(v, str) for v in vars(self.failed).values())
        return texts and column and bound and flags and measure and is_count(self.n_exceeding)


def _written(value: Number) -> int | float | str:
    return str(value) if isinstance(value, Fraction) else value


def _read(written: object) -> Number:
    if isinstance(written, str):
        return Fraction(written)
    if isinstance(written, bool) or not isinstance(written, (int, float)):
        raise TypeError
    return written
