"""The skyline privacy criterion: how much an adversary may know (Chen 2009, definition 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.data.domain import Domain
from sfumato.data.groups import Groups
from sfumato.errors import BadInput, shown
from sfumato.formulas.knowledge.breach import CASES, Case, Point, exposed, largest_breach, of_value
from sfumato.parameters import amount, number, one_of, optional_column


class Limit(NamedTuple):
    """An amount of knowledge, and the confidence that it must not lead to."""

    l: int
    k: int
    m: int
    c: Fraction

    @property
    def point(self) -> Point:
        """The amount."""
        return Point(self.l, self.k, self.m)

    def dominates(self, other: Limit) -> bool:
        """Whether this asks for at least as much."""
        more = self.l >= other.l and self.k >= other.k and self.m >= other.m
        return more and self.c <= other.c


Points = tuple[Limit, ...]
Given = Sequence[Sequence[object]]


@dataclass(frozen=True)
class Skyline(Criterion):
    """Nobody can be said to have a sensitive value with confidence c, by knowing up to (l, k, m).

    The adversary may know, beside the release: l values that the target does not have (single), or
    that come only together with the value in question (sets); k other people's values, or k other
    people who lack the value (sets); and m members of the target's family, who have the value only
    if the target has it. Confidence has to stay below c, strictly.

    Args:
        points: A list of points (l, k, m, c) for all values, or `{value: [points]}`.
        default: Points of the values that are not named; without them these are not protected.
        case: What the adversary knows of how many values people have: exactly one each
            ("single"), any number of different ones ("set"), or repeated ones too ("multiset").
        attribute: The sensitive column, when there are several.

    >>> groups = Groups([4, 4], [[2, 2, 0], [1, 2, 1]], values=["AIDS", "flu", "cancer"])
    >>> Skyline({"AIDS": [(0, 0, 0, 0.6)]}).holds(groups)
    array([ True,  True])
    >>> Skyline({"AIDS": [(1, 0, 0, 0.6)]}).measure(groups)
    Fraction(1, 1)
    """

    points: Mapping[str, Points] | Points
    default: Points | None = None
    case: Case = "single"
    attribute: str | None = None
    by_group: ClassVar[bool] = False

    def __init__(
        self,
        points: Mapping[object, Given] | Given,
        default: Given | None = None,
        case: Case = "single",
        attribute: str | None = None,
    ) -> None:
        one_of("Skyline", "case", case, CASES)
        named: Mapping[str, Points] | Points
        if isinstance(points, Mapping):
            if None in points:
                raise BadInput("Skyline: the missing value has no name; `default` covers it")
            named = {str(value): _skyline(given) for value, given in points.items()}
            if len(named) < len(points):
                raise BadInput("Skyline: two of the values are the same text; give its points once")
            if not named and default is None:
                raise BadInput("Skyline: no points, so nothing would be protected")
        else:
            named = _skyline(points)
            if default is not None:
                raise BadInput(
                    "Skyline: these points are for all values; for a default give points by value, "
                    "as {value: [(l, k, m, c), ...]}"
                )
        object.__setattr__(self, "points", named)
        object.__setattr__(self, "default", None if default is None else _skyline(default))
        object.__setattr__(self, "case", case)
        object.__setattr__(self, "attribute", optional_column("Skyline", "attribute", attribute))

    def __hash__(self) -> int:
        return hash((str(self), self.attribute))

    def requirements(self, values: Domain | Sequence[object]) -> dict[Limit, NDArray[np.int32]]:
        """Give the codes of the values that each point protects; values: all there are."""
        n = len(values)
        if not isinstance(self.points, Mapping):
            return {limit: np.arange(n, dtype=np.int32) for limit in self.points}
        all_values = Groups([], None, values)
        named: dict[int, Points] = {}
        for value, points in self.points.items():
            for code in all_values.codes_of([value]).tolist():
                named[code] = points
        codes_by_limit: dict[Limit, list[int]] = {limit: [] for limit in self.limits}
        for code in range(n):
            for limit in named.get(code, self.default or ()):
                codes_by_limit[limit].append(code)
        return {limit: np.array(codes, dtype=np.int32) for limit, codes in codes_by_limit.items()}

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Say of every group whether nobody in it is exposed, wherever the knowledge comes from."""
        return self._safe(groups, alone=False)

    def alone(self, groups: Groups) -> NDArray[np.bool_]:
        """The same, where everybody who is known is in the target's group."""
        return self._safe(groups, alone=True)

    def _safe(self, groups: Groups, *, alone: bool) -> NDArray[np.bool_]:
        safe = np.ones(len(groups), dtype=bool)
        histogram = groups.histogram
        for limit, codes in self.requirements(groups.values).items():
            value = int(codes[0]) if len(codes) == 1 else None
            point, c = limit.point, limit.c
            hit = exposed(histogram, groups.sizes, point, c, self.case, value, alone=alone)
            if 1 < len(codes) < histogram.n_values:
                hit &= np.isin(histogram.codes, codes)
            if len(codes):
                safe[histogram.group_of[hit]] = False
        return safe

    def measure(self, groups: Groups) -> Value:
        """The largest breach probability at every point, in the order of the points."""
        if not len(groups):
            return None
        breaches = [
            self._breach(groups, limit.point, codes)
            for limit, codes in self.requirements(groups.values).items()
        ]
        return breaches[0] if len(breaches) == 1 else tuple(breaches)

    def _breach(self, groups: Groups, point: Point, codes: NDArray[np.int32]) -> Fraction:
        histogram, sizes = groups.histogram, groups.sizes
        if len(codes) == histogram.n_values:
            return largest_breach(histogram, sizes, point, self.case)[0]
        breaches = [
            of_value(histogram, sizes, code, point, self.case).breach for code in codes.tolist()
        ]
        return max(breaches, default=Fraction(0))

    def promised(self) -> Value:
        """The confidence that each point must stay below."""
        confidences = tuple(limit.c for limit in self.limits)
        return confidences[0] if len(confidences) == 1 else confidences

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """One of each kind."""
        return (
            cls([(1, 2, 0, "9/10"), (0, 1, 1, "4/5")]),
            cls({"9": [(1, 1, 1, "9/10")]}, default=[(1, 0, 0, "9/10")], case="set"),
        )

    def monotone(self, *, suppression: bool) -> bool:
        """A union of safe groups is safe if everybody has one value; of sets it need not be.

        So the corollary of theorem 3 is for the single case; for sets three people contradict it.
        """
        return self.case == "single" and not suppression

    def skyline(self) -> Skyline:
        """It is one."""
        return self

    def without_sizes(self) -> Criterion:
        """It says nothing of sizes."""
        return self

    def without_others(self) -> Criterion:
        """What is known of the target: l values."""
        if not any(limit.k or limit.m for limit in self.limits):
            return self
        default = None if self.default is None else _alone(self.default)
        if isinstance(self.points, Mapping):
            by_value = {value: _alone(points) for value, points in self.points.items()}
            return replace(self, points=by_value, default=default)
        return replace(self, points=_alone(self.points), default=default)

    @property
    def sets(self) -> bool:
        """Whether this is about sets."""
        return self.case != "single"

    def refuse(self, attribute: str, domain: Domain) -> None:
        """Refuse repeated values where everybody is said to have different ones.

        And people who are seen to have one value each where they are said to have any number: two
        people with {A} and {B} withstand 2/3 as sets, but whoever sees one row for each is certain.
        """
        if self.sets and domain.members is None:
            raise one_value_each(self, attribute)
        if self.case == "set" and domain.members is not None and domain.members.repeated:
            raise BadInput(
                f"{self}: somebody has a value of {attribute!r} more than once; take the repeated "
                'ones out, or ask with case="multiset", where they count'
            )

    def named_values(self) -> tuple[object, ...]:
        """The values that points were given for."""
        return tuple(self.points) if isinstance(self.points, Mapping) else ()

    def respelled(self, names: Mapping[object, str]) -> Criterion:
        """With other names; what two that become one withstand, that one withstands."""
        if not isinstance(self.points, Mapping):
            return self
        by_value: dict[str, tuple[Limit, ...]] = {}
        for value, points in self.points.items():
            name = names.get(value, value)
            by_value[name] = tuple(dict.fromkeys((*by_value.get(name, ()), *points)))
        return replace(self, points=by_value)

    @property
    def limits(self) -> list[Limit]:
        """All different points: of named values first, then the default's."""
        given = self.points.values() if isinstance(self.points, Mapping) else (self.points,)
        every = [*(point for points in given for point in points), *(self.default or ())]
        return list(dict.fromkeys(every))


def one_value_each(criterion: Criterion, attribute: str) -> BadInput:
    """Say why a promise about sets makes no sense of people with one value each."""
    return BadInput(
        f"{criterion}: everybody has exactly one value of {attribute!r}, and whoever sees that "
        'knows more than this allows for; ask with case="single", where a missing value counts as '
        "one. If people can have several, say whose each row is (person=), or give lists"
    )


def _alone(points: Points) -> Points:
    """Leave out what is known of other people."""
    return tuple(limit._replace(k=0, m=0) for limit in points)


def _skyline(given: object) -> Points:
    """Read points, and leave out those that another one includes."""
    wrong = BadInput(f"Skyline: points must be a list of (l, k, m, c), got {shown(given)}")
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise wrong
    try:
        listed = list(given)
    except TypeError:  # an array without dimensions
        raise wrong from None
    points = list(dict.fromkeys(_point(each) for each in listed))
    if not points:
        raise BadInput("Skyline: no points, so nothing would be protected")
    return tuple(
        point
        for point in points
        if not any(other.dominates(point) for other in points if other != point)
    )


def _point(given: object) -> Limit:
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != len("lkmc"):
        raise BadInput(f"Skyline: a point is (l, k, m, c), got {shown(given)}")
    l, k, m = (amount("Skyline", name, each) for name, each in zip("lkm", given, strict=False))
    return Limit(l, k, m, number("Skyline", "c", given[3], above=0, most=1))
