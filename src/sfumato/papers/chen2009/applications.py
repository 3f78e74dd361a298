"""Nursery: figure 9, the accuracy of predicting how an application is ranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sfumato.datasets import nursery, nursery_hierarchies
from sfumato.formulas.knowledge import Point
from sfumato.papers.census import SAMPLE, SEED
from sfumato.papers.chen2009.dimensions import (
    METHOD,
    READING,
    Curves,
    changes,
    curves,
    rows_of,
    series,
    skyline,
)
from sfumato.papers.reproduction import Claim, Panel
from sfumato.progress import report
from sfumato.report.lines import Chart
from sfumato.table import Table, read
from sfumato.utility import CrossValidation, cross_validate

SENSITIVE, TARGET = "has_nurs", "class"
PLACES = {"L": range(5), "K": (0, 1, 2, 3, 4, 6, 8, 10), "M": (0, 1, 2, 3, 4, 6, 8, 10)}
QUICK_PLACES = {"L": (0, 3, 4), "K": (0, 3), "M": (0, 3)}
BASES = {"(a)": Point(0, 0, 0), "(b)": Point(1, 3, 1)}


def applications(*, quick: bool) -> Table:
    """Open Nursery; the class is a quasi-identifier, or nothing would tell of has_nurs."""
    rules = nursery_hierarchies()
    source = nursery()
    if quick:
        chosen = np.random.default_rng(SEED).choice(source.num_rows, SAMPLE, replace=False)
        source = source.take(np.sort(chosen))
    sensitive = {SENSITIVE: rules.pop(SENSITIVE)}
    return read(source, rules, sensitive=SENSITIVE, hierarchies=sensitive)


def figure_9(*, quick: bool) -> Iterator[Panel]:
    """Section 8.4: accuracy as each dimension of knowledge grows."""
    table = applications(quick=quick)
    folds = 2 if quick else 10
    for name, base in BASES.items():
        points = curves(base, QUICK_PLACES if quick else PLACES)
        found: dict[Point, CrossValidation] = {}
        for curve in points.values():
            for point in curve.values():
                report(f"figure 9 {name}: {tuple(point)}")
                if point not in found:
                    found[point] = cross_validate(
                        table, skyline(point), METHOD, TARGET, folds, seed=SEED
                    )
        yield _panel(name, points, found, folds)


def _panel(name: str, points: Curves, found: Mapping[Point, CrossValidation], folds: int) -> Panel:
    def accuracy(point: Point) -> float | None:
        return found[point].accuracy

    def kl(point: Point) -> float | None:
        return found[point].kl_divergence

    first = next(iter(found.values()))
    best, least = first.original, first.without_sensitive or 0.0
    known = [each for point in found if (each := accuracy(point)) is not None]
    place, rises = changes(points, accuracy)
    of_l, of_k, of_m = (-rise for rise in rises.values())
    said = ", ".join(f"{label} {rise:+.2%}" for label, rise in rises.items())
    places, lines = series(points, accuracy)
    for label, yardstick in (("the original", best), ("without has_nurs", least)):
        lines[label] = [yardstick] * len(places)
    return Panel(
        f"Figure 9 {name}: accuracy on Nursery, two tables, confidence 0.9",
        (
            "x",
            *(f"accuracy {label}" for label in points),
            *(f"KL divergence {label}" for label in points),
        ),
        rows_of(points, (accuracy, kl)),
        f"Means over {folds} folds. A tree learned from the original predicts {best:.2%}, one "
        f"without has_nurs {least:.2%}. No release is safe for l of 4 or more, as there are five "
        "values (footnote 4). The paper's curves did not survive in the text: the places on the "
        f"axis, and the base of (b), are ours. {READING}",
        (
            Claim(
                "more knowledge about the target costs the most accuracy",
                f"up to {place} it changes by {said}",
                of_l >= max(of_k, of_m),
            ),
            Claim(
                "more knowledge about others costs little",
                f"up to {place} it changes by {said}",
                of_k <= min(of_l, of_m),
            ),
            Claim(
                "accuracy is between that of the original and that without has_nurs",
                f"from {min(known):.2%} to {max(known):.2%}" if known else "no release",
                bool(known) and least <= min(known) and max(known) <= best,
            ),
        ),
        Chart("lines", "l, k or m", "accuracy", places, lines),
    )
