"""What figures 8 and 9 have in common: one dimension of knowledge grows, two stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sfumato.algorithms import SkylineMondrian
from sfumato.criteria import Skyline
from sfumato.formulas.knowledge.breach import Point
from sfumato.papers.reproduction import Cell

CONFIDENCE = 0.9
METHOD = SkylineMondrian(publish="bucketized")
IMPOSSIBLE = "impossible"
READING = (
    "The claims are about the change up to the last x that all three curves reach: the largest of "
    "the three for l, the smallest for k, where the paper says that little is lost."
)
NAMES = ("L", "K", "M")
Curves = dict[str, dict[int, Point]]  # by label and place on the axis
Number = Callable[[Point], float | None]  # None: impossible


def curves(base: Point, places: Mapping[str, Sequence[int]]) -> Curves:
    """Give the points of three curves: each dimension varies while the others are at the base.

    >>> curves(Point(2, 6, 2), {"L": [0, 1], "K": [0], "M": [4]})["(2, 6, M)"]
    {4: Point(l=2, k=6, m=4)}
    """
    points: Curves = {}
    for j, name in enumerate(NAMES):
        label = ", ".join(name if i == j else str(n) for i, n in enumerate(base))
        points[f"({label})"] = {
            x: Point(*(x if i == j else n for i, n in enumerate(base))) for x in places[name]
        }
    return points


def skyline(point: Point) -> Skyline:
    """Protect every value against a point of knowledge."""
    return Skyline([(*point, CONFIDENCE)])


def rows_of(points: Curves, number: Number) -> tuple[tuple[Cell, ...], ...]:
    """Give a row for every place, and a column for every curve."""
    places = sorted({x for curve in points.values() for x in curve})
    return tuple((x, *(_cell(number, curve.get(x)) for curve in points.values())) for x in places)


def _cell(number: Number, point: Point | None) -> Cell:
    if point is None:
        return None
    value = number(point)
    return IMPOSSIBLE if value is None else value


def changes(points: Curves, number: Number) -> tuple[int, dict[str, float]]:
    """Say how much each curve changes up to the last place that all of them reach.

    Returns the place and the changes, 0 where there is no such place but the first.
    """
    known = {
        label: {x: value for x, p in curve.items() if (value := number(p)) is not None}
        for label, curve in points.items()
    }
    shared = sorted(set.intersection(*(set(curve) for curve in known.values())))
    if not shared:
        return 0, dict.fromkeys(known, 0.0)
    first, last = shared[0], shared[-1]
    return last, {label: curve[last] - curve[first] for label, curve in known.items()}


def series(
    points: Curves, number: Number
) -> tuple[tuple[float, ...], dict[str, list[float | None]]]:
    """Give the places of a chart and a line for every curve."""
    places = sorted({x for curve in points.values() for x in curve})
    lines = {
        label: [number(curve[x]) if x in curve else None for x in places]
        for label, curve in points.items()
    }
    return tuple(float(x) for x in places), lines
