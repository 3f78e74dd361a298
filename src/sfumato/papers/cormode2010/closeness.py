"""What greedy grouping with t-closeness gives away (figure 3 c, d).

People join one by one, so of a group everybody knows that no beginning of it was within t of the
table. The ways to deal a group's values to its people in which that is so are equally likely; they
are sampled, since there are too many to count.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms import GreedyGrouping
from sfumato.criteria import TCloseness
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts
from sfumato.data.recoding import SUPPRESSED
from sfumato.papers.census import SEED
from sfumato.papers.reproduction import Claim, Panel
from sfumato.progress import report
from sfumato.release import Release, anonymize
from sfumato.report.page.line_chart import Chart
from sfumato.table import Table
from sfumato.text import percent

GROUPS = 150  # chosen by chance, where there are more
WANTED = 2_000  # orders kept for each group
LEAST = 400  # below that a group is unknown
BUDGET = 100_000_000  # people looked at for one group at most
Z = 1.959963984540054  # 95%


@dataclass(frozen=True)
class Distances:
    """How far beliefs about people are from the table, over the groups that were looked at."""

    n_groups: int
    n_people: int
    n_unknown: int  # people of groups with too few samples
    n_above: int  # people whose distance is above t
    n_surely: int  # of these, those whose interval is
    largest: float
    largest_interval: tuple[float, float]
    largest_first: float  # among the first people of groups
    largest_but_last: float  # leaving out the last person of every group


def distances(
    histograms: Counts, reference: Counts, t: Fraction, wanted: int, stage: str
) -> Distances:
    """Sample the beliefs about everybody, and measure their distance from the reference.

    The distance is the largest excess of a set of values over its share in the table. The set is
    chosen by one half of the samples and measured by the other half, so chance does not inflate
    it; the interval is Wilson's.
    """
    from sfumato.papers.cormode2010.sampling import sample  # noqa: PLC0415  (a compiler)

    limit = np.array([t.numerator, t.denominator], dtype=np.int64)
    share = reference / reference.sum()
    n_people = n_unknown = n_above = n_surely = 0
    largest = (0.0, 0.0, 0.0)
    first = but_last = 0.0
    chosen = np.random.default_rng(SEED).permutation(len(histograms))[:GROUPS]
    for done, g in enumerate(chosen.tolist()):
        report(stage, done, len(chosen))
        histogram = histograms[g]
        values = np.repeat(np.arange(len(histogram)), histogram)
        n = len(values)
        tally = np.zeros((2, n, len(histogram)), dtype=np.int64)
        kept = sample(values, reference, limit, wanted, BUDGET, SEED + g, tally)
        n_people += n
        if kept < LEAST:
            n_unknown += n
            continue
        estimates, low, high = _measured(tally, share)
        n_above += int((estimates > float(t)).sum())
        n_surely += int((low > float(t)).sum())
        i = int(estimates.argmax())
        largest = max(largest, (float(estimates[i]), float(low[i]), float(high[i])))
        first = max(first, float(estimates[0]))
        but_last = max(but_last, float(estimates[:-1].max(initial=0)))
    return Distances(
        len(chosen),
        n_people,
        n_unknown,
        n_above,
        n_surely,
        largest[0],
        largest[1:],
        first,
        but_last,
    )


def _measured(
    tally: Counts, share: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Give the distance of every position, and its interval."""
    chosen = tally[0] > tally[0].sum(axis=1, keepdims=True) * share  # (n_people, n_values)
    n = tally[1].sum(axis=1)
    hit = np.where(chosen, tally[1], 0).sum(axis=1) / n
    expected = (chosen * share).sum(axis=1)
    middle = (hit + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * np.sqrt(hit * (1 - hit) / n + Z**2 / (4 * n**2))
    return hit - expected, middle - half - expected, middle + half - expected


def histograms_of(release: Release) -> Counts:
    """Count the values of every group: (n_groups, n_values)."""
    how = release.recoding.buckets
    assert how is not None  # noqa: S101  (the grouping methods publish two tables)
    attribute = how.combinations.sensitive[0]
    n_values = len(how.combinations.domains[attribute])
    key, group, people = how.parts[how.parts[:, 1] != SUPPRESSED].T
    cell = group * n_values + how.combinations.codes(attribute)[key]
    return sum_by(cell, people, len(how.group_sizes) * n_values).reshape(-1, n_values)


def _percent(n: int, sample: Distances) -> float:
    return 100 * n / max(sample.n_people - sample.n_unknown, 1)


def figure_3_closeness(table: Table, *, quick: bool) -> tuple[Panel, ...]:
    """Greedy grouping with t-closeness, person by person."""
    ts = (0.5,) if quick else (0.5, 0.4, 0.3, 0.2, 0.15)
    wanted = LEAST if quick else WANTED
    reference = table.frequencies().reference("occupation")
    by_t: dict[float, Distances] = {}
    rows = []
    for t in ts:
        stage = f"figure 3 (c, d): t = {t:g}"
        report(stage)
        release = anonymize(table, TCloseness(t), GreedyGrouping(seed=SEED))
        one = distances(histograms_of(release), reference, Fraction(str(t)), wanted, stage)
        by_t[t] = one
        low, high = one.largest_interval
        rows.append(
            (
                t,
                len(release.sizes),
                float(release.sizes.mean()),
                one.n_groups,
                one.n_unknown,
                _percent(one.n_above, one),
                _percent(one.n_surely, one),
                one.largest / t,
                f"{low / t:.2f} to {high / t:.2f}",
                one.largest_but_last / t,
                one.largest_first / t,
            )
        )
    shares = {t: _percent(by_t[t].n_above, by_t[t]) for t in ts}
    lowest, highest = min(shares.values()), max(shares.values())
    most = max(by_t[t].largest / t for t in ts)
    first = max(by_t[t].largest_first / t for t in ts)
    panel = Panel(
        "Figure 3 (c, d): greedy grouping with t-closeness, person by person",
        (
            "t",
            "groups",
            "average group",
            "looked at",
            "people unknown",
            "above t, %",
            "surely, %",
            "largest distance, in t",
            "95%",
            "without last people",
            "first people only",
        ),
        tuple(rows),
        f"Sampled: {wanted:,} orders of values for each of up to {GROUPS} groups; half of "
        "them choose the values that are believed too much, the other half measures by how much, "
        "so that chance does not add to a distance. A group ends as soon as it is within t, so "
        "its own distance is just below t, and nearly every person's belief is a little above or "
        "below: that is why so many more are above t here than the paper's 2%. The last "
        "person of a group must have brought it within t, so that person has one of the few values "
        "that were too rare: these distances are the largest. The paper does not say by "
        "which units it measured.",
        (
            Claim(
                "about 2% of people at most are above t",
                f"from {percent(lowest / 100)} to {percent(highest / 100)}",
                highest < 3,
            ),
            Claim(
                "the distance is at most twice t",
                f"up to {most:.2f} t; of the first people of groups up to {first:.2f} t",
                most <= 2,
            ),
            Claim(
                "the share increases as t decreases",
                ", ".join(f"t = {t:g}: {percent(share / 100)}" for t, share in shares.items()),
                all(shares[a] <= shares[b] for a, b in pairwise(ts)),
            ),
        ),
        Chart(
            "lines",
            "t",
            "largest distance in units of t",
            ts,
            {
                "everybody": [by_t[t].largest / t for t in ts],
                "without the last of each group": [by_t[t].largest_but_last / t for t in ts],
                "the first of each group": [by_t[t].largest_first / t for t in ts],
            },
        ),
    )
    return (panel,)
