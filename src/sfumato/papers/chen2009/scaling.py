"""Figure 7: how the time to anonymize grows with the table."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.algorithms import SkylineMondrian
from sfumato.criteria import Skyline
from sfumato.data.hierarchy import Intervals
from sfumato.papers.census import SEED
from sfumato.papers.reproduction import Claim, Panel
from sfumato.progress import report
from sfumato.release import anonymize
from sfumato.report.page.line_chart import Chart
from sfumato.table import Table, read

SENSITIVE = "zip"
QUASI_IDENTIFIERS = (
    "age", "salary", "commission", "education", "car", "value", "years", "loan",
)  # fmt: skip
POINTS = ((0, 1000, 0), (3, 1000, 10))
CONFIDENCE = 0.95
LINEAR = 1.5  # times as long per row at most


def synthetic_people(n: int, seed: int = SEED) -> Any:
    """Make people of nine columns, as Agrawal's generator has them, the numbers coarser.

    Nobody with a large salary has a commission; the price of a house goes with the zip code.
    Gives a PyArrow table.
    """
    import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

    rng = np.random.default_rng(seed)

    def steps(most: int) -> Any:
        return rng.integers(0, most, n, dtype=np.int16, endpoint=True)

    salary, zip_code = 20 + 5 * steps(26), 1 + steps(8)
    commission = np.where(salary >= 75, 0, 10 + 10 * steps(6)).astype(np.int16)
    return pa.table({
        "age": 20 + steps(60),
        "salary": salary,
        "commission": commission,
        "education": 1 + steps(4),
        "car": 1 + steps(4),
        "value": zip_code * (5 + steps(10)),
        "years": steps(30),
        "loan": 50 * steps(10),
        SENSITIVE: zip_code,
    })  # fmt: skip


def open_people(source: Any) -> Table:
    """Open such people: all columns are numbers, and the zip code is sensitive."""
    return read(source, {name: Intervals() for name in QUASI_IDENTIFIERS}, SENSITIVE)


@dataclass(frozen=True)
class Times:
    """Seconds to count a table and to cut it, once for every point of `POINTS`."""

    n_combinations: int
    counting: float
    cutting: tuple[float, ...]
    n_groups: tuple[int, ...]

    @classmethod
    def of(cls, n: int) -> Times:
        """Measure with n people."""
        table = open_people(synthetic_people(n))
        started = time.perf_counter()
        combinations = table.frequencies().combinations
        counting = time.perf_counter() - started
        cutting, n_groups = [], []
        for point in POINTS:
            started = time.perf_counter()
            release = anonymize(table, Skyline([(*point, CONFIDENCE)]), SkylineMondrian())
            cutting.append(time.perf_counter() - started)
            n_groups.append(len(release.sizes))
        return cls(len(combinations), counting, tuple(cutting), tuple(n_groups))

    def total(self, which: int) -> float:
        """Counting and cutting together, for one of the points."""
        return self.counting + self.cutting[which]


def figure_7(*, quick: bool) -> Panel:
    """Section 8.2: two privacy settings over the number of people."""
    sizes = (10_000, 20_000) if quick else tuple(n * 1_000_000 for n in range(1, 6))
    Times.of(10_000)  # loads machine code
    times = {}
    for n in sizes:
        report(f"figure 7: {n:,} people")
        times[n] = Times.of(n)
    first, last = sizes[0], sizes[-1]
    per_row = [
        (times[last].total(j) / last) / (times[first].total(j) / first) for j in range(len(POINTS))
    ]
    names = [str(point) for point in POINTS]
    return Panel(
        "Figure 7: time over the number of people, nine zip codes",
        (
            "people",
            "combinations",
            "counting, s",
            *(f"{what} {name}" for name in names for what in ("groups", "cutting, s")),
        ),
        tuple(
            (
                n,
                each.n_combinations,
                each.counting,
                *(
                    cell
                    for pair in zip(each.n_groups, each.cutting, strict=True)
                    for cell in pair
                ),
            )
            for n, each in times.items()
        ),
        "Seconds measured in this run on this machine: they vary. Counting is done once for both "
        "settings, and is part of both lines. The people are made up as those of the paper's "
        "reference 1 are, with coarser numbers. The paper does not state the confidence, which is "
        f"{CONFIDENCE:g} here. Its table lay on disk and was larger than the memory; here all "
        "combinations are in memory.",
        (
            Claim(
                f"time grows in proportion to the table (up to {LINEAR:g} times per row is taken "
                "as agreeing)",
                ", ".join(
                    f"{name}: {ratio:.2f} times per row at {last / first:g} times the people"
                    for name, ratio in zip(names, per_row, strict=True)
                ),
                max(per_row) <= LINEAR,
            ),
        ),
        Chart(
            "lines",
            "people",
            "seconds",
            tuple(float(n) for n in sizes),
            {
                name: [each.total(j) for each in times.values()] for j, name in enumerate(names)
            },
        ),
        measured=True,
    )  # fmt: skip
