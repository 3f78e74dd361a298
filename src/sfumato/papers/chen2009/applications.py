"""Nursery: figure 9, the accuracy of predicting how an application is ranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sfumato.datasets import nursery, nursery_hierarchies
from sfumato.formulas.knowledge.breach import Point
from sfumato.papers.census import SAMPLE, SEED
from sfumato.papers.chen2009.dimensions import (
    CONFIDENCE,
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
from sfumato.report.page.line_chart import Chart
from sfumato.table import Table, read
from sfumato.text import percent
from sfumato.utility import CrossValidation, cross_validate

SENSITIVE, TARGET = "has_nurs", "class"
PLACES = {"L": range(5), "K": (0, 3, 6, 9), "M": (0, 3, 6, 9)}
QUICK_PLACES = {"L": (0, 3, 4), "K": (0, 3), "M": (0, 3)}
BASES = (Point(0, 0, 0), Point(1, 3, 1))


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
    for base in BASES:
        points = curves(base, QUICK_PLACES if quick else PLACES)
        validations: dict[Point, CrossValidation] = {}
        for point in (point for curve in points.values() for point in curve.values()):
            report(f"figure 9: {tuple(point)}")
            if point not in validations:
                validations[point] = cross_validate(
                    table, skyline(point), METHOD, TARGET, folds, seed=SEED
                )
        yield _panel(base, points, validations, folds)


def _panel(
    base: Point, points: Curves, validations: Mapping[Point, CrossValidation], folds: int
) -> Panel:
    accuracy = {point: each.accuracy for point, each in validations.items()}
    first = next(iter(validations.values()))
    best, least = first.original, first.without_sensitive or 0.0
    known = [each for each in accuracy.values() if each is not None]
    place, rises = changes(points, accuracy.get)
    of_l, of_k, of_m = (-rise for rise in rises.values())
    lost = ", ".join(f"{name} {100 * rise:+.2f}" for name, rise in rises.items())
    said = f"up to {place}, in percentage points: {lost}"
    places, lines = series(points, accuracy.get)
    for label, yardstick in (("the original", best), ("without has_nurs", least)):
        lines[label] = [yardstick] * len(places)
    return Panel(
        f"Figure 9, from {tuple(base)}: accuracy on Nursery in two tables, confidence "
        f"{CONFIDENCE:g}",
        ("x", *points, "the original", "without has_nurs"),
        tuple((*row, best, least) for row in rows_of(points, accuracy.get)),
        f"Means over {folds} folds, with our decision tree in place of J48. No release is safe "
        "for l of 4 or more, as there are five values (footnote 4). The paper's curves did not "
        "survive in the text: the places on the axis, and where the curves start, are ours. A "
        "tree that learns values dealt out at random by heart can do worse than one without "
        f"them, as the paper grants. {READING}",
        (
            Claim(
                "more knowledge about the target (l) costs the most accuracy",
                said,
                of_l >= max(of_k, of_m),
            ),
            Claim(
                "more knowledge about others (k) costs little accuracy",
                said,
                of_k <= min(of_l, of_m),
            ),
            *_same_pattern(points, validations),
            Claim(
                "accuracy is between that of the original and that without has_nurs",
                f"from {percent(min(known))} to {percent(max(known))}, between {percent(least)} "
                f"and {percent(best)}"
                if known
                else "no release",
                bool(known) and least <= min(known) and max(known) <= best,
            ),
        ),
        Chart("lines", "l, k or m", "accuracy", places, lines),
    )


def _same_pattern(points: Curves, validations: Mapping[Point, CrossValidation]) -> Iterator[Claim]:
    """Hold what the paper says of plots that it does not show against our numbers."""
    for what, numbers in (
        ("group size", {point: each.average_group_size for point, each in validations.items()}),
        ("KL divergence", {point: each.kl_divergence for point, each in validations.items()}),
    ):
        place, rises = changes(points, numbers.get)
        of_l, of_k, of_m = rises.values()
        yield Claim(
            f"the {what} has the same pattern: l costs the most, k the least",
            f"up to {place}: {', '.join(f'{name} {rise:+.3g}' for name, rise in rises.items())}",
            of_l >= of_m >= of_k,
        )
