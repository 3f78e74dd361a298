"""Figure 6: SkylineCheck against the dynamic program of appendix A.3.

Groups of 100 people, 20 values that are equally likely, one value per person. Both work out the
breach probability of every value over all groups, without an early exit, and must agree.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.knowledge.breach import Point, breaches
from sfumato.papers.reproduction import Claim, Panel
from sfumato.progress import report
from sfumato.report.page.line_chart import Chart

GROUP, N_VALUES = 100, 20
RUNS = 5
BASE = Point(10, 10, 10)
PLACES = {"l": (0, 4, 8, 12, 16), "k": (0, 8, 16, 24, 32), "m": (0, 4, 8, 12, 16)}
MILLION = 1_000_000
AT_BASE, AT_LARGEST_K = 140, 1_000  # the paper's numbers
HEADER = ("ours, ms", "the program, ms", "times faster", "the paper", "largest breach")
HOW = (
    "Processor time, measured in this run on this machine: it varies. Ours is the mean over {} "
    "releases; the program, which takes long, is run on the first. Both are compiled, look at all "
    "groups, and give the same breach probabilities. "
)


@dataclass(frozen=True)
class MeanTimes:
    """Mean times of both for releases of one size and one amount of knowledge."""

    ours: float  # seconds of processor time
    program: float
    breach: float  # the largest of all values; of the first release

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.program / self.ours


def candidate(n_records: int, seed: int) -> Counts:
    """Make a release candidate: people by group and value, (n_groups, n_values)."""
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(GROUP, [1 / N_VALUES] * N_VALUES, size=n_records // GROUP)
    return counts.astype(np.int64)


def compare(n_records: int, point: Point, runs: int, program_runs: int) -> MeanTimes:
    """Time both on several releases; the program on the first ones only."""
    from sfumato.papers.chen2009.program import least_odds  # noqa: PLC0415  (a compiler)

    ours, theirs, largest = [], [], []
    for seed in range(runs):
        counts = candidate(n_records, seed)
        sizes, histogram = counts.sum(axis=1), Histogram.from_dense(counts)
        breaches(histogram.rows(0, 1), sizes[:1], point)  # loads machine code
        seconds, probabilities = _timed(partial(breaches, histogram, sizes, point))
        ours.append(seconds)
        largest.append(float(probabilities.max()))
        if seed < program_runs:
            least_odds(counts[:1], sizes[:1], *point)
            seconds, odds = _timed(partial(least_odds, counts, sizes, *point))
            theirs.append(seconds)
            np.testing.assert_allclose(probabilities, 1 / (1 + odds), rtol=1e-9)
    return MeanTimes(fmean(ours), fmean(theirs), largest[0])


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.thread_time()
    result = work()
    return time.thread_time() - started, result


def figure_6(*, quick: bool) -> Iterator[Panel]:
    """Section 8.1: how many times faster the five statistics are."""
    sizes = (20_000, 100_000) if quick else tuple(n * MILLION for n in range(1, 6))
    runs = 2 if quick else RUNS
    yield _over_records(sizes, runs)
    for which, (letter, places) in zip("bcd", PLACES.items(), strict=True):
        yield _over_knowledge(
            which, letter, (places[0], places[-1]) if quick else places, sizes[0], runs
        )


def _over_records(sizes: Sequence[int], runs: int) -> Panel:
    times = []
    for n in sizes:
        report(f"figure 6 (a): {n:,} records")
        times.append(compare(n, BASE, runs, 1))
    ratios = [each.ratio for each in times]
    return Panel(
        f"Figure 6 (a): checking against the dynamic program, {tuple(BASE)}",
        ("records", *HEADER),
        tuple((n, *_row(each, AT_BASE)) for n, each in zip(sizes, times, strict=True)),
        HOW.format(runs) + "The paper measured its own two on a machine of 2 GHz.",
        (
            Claim(
                f"about {AT_BASE} times faster (at least that is taken as agreeing)",
                f"from {min(ratios):,.0f} to {max(ratios):,.0f} times",
                min(ratios) >= AT_BASE,
            ),
        ),
        Chart(
            "lines",
            "records",
            "times faster",
            tuple(float(n) for n in sizes),
            {"ours against the program": ratios},
        ),
        measured=True,
    )


def _over_knowledge(
    which: str, letter: str, places: Sequence[int], n_records: int, runs: int
) -> Panel:
    times = []
    for x in places:
        report(f"figure 6 ({which}): {letter} = {x}")
        times.append(compare(n_records, BASE._replace(**{letter: x}), runs, 1))
    ratios = [each.ratio for each in times]
    printed = [AT_LARGEST_K if (letter, x) == ("k", 32) else None for x in places]
    return Panel(
        f"Figure 6 ({which}): checking against the dynamic program, over {letter}",
        (letter, *HEADER),
        tuple(
            (x, *_row(each, theirs)) for x, each, theirs in zip(places, times, printed, strict=True)
        ),
        HOW.format(runs)
        + f"{n_records:,} records; the other two amounts are {BASE[0]}. The paper does not say "
        "how many records it varied this with.",
        tuple(_claims(letter, ratios)),
        Chart(
            "lines",
            letter,
            "times faster",
            tuple(float(x) for x in places),
            {"ours against the program": ratios},
        ),
        measured=True,
    )


def _claims(letter: str, ratios: Sequence[float]) -> Iterator[Claim]:
    first, last = ratios[0], ratios[-1]
    said = f"from {first:,.0f} to {last:,.0f} times"
    if letter == "l":
        yield Claim("the improvement decreases as l increases", said, last < first)
        return
    yield Claim(f"the improvement increases with {letter}", said, last > first)
    if letter == "k":
        yield Claim(
            f"at k = 32 about {AT_LARGEST_K:,} times (at least that is taken as agreeing)",
            f"{last:,.0f} times",
            last >= AT_LARGEST_K,
        )


def _row(times: MeanTimes, theirs: int | None) -> tuple[float | str | None, ...]:
    printed = None if theirs is None else f"about {theirs:,}"
    return (1000 * times.ours, 1000 * times.program, times.ratio, printed, times.breach)
