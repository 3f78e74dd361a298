"""What is believed of the people of a published group by somebody who knows what was tried.

A world deals the group's values to its people, all equally likely. Whoever published it took
steps, each of which would have split the group into children, and did not take one that left all
of them safe. So a world in which no child of some step breaks the criterion is impossible, or,
where the publisher left the choice to chance, less likely (Wong 2009, section 5.1; Cormode 2010,
section 4).

Small groups are enumerated, in whole numbers. Others are sampled: then there is an interval, and
below `LEAST` effective samples no answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.formulas.minimality.buckets import prefix_risk
from sfumato.formulas.minimality.credibility import expected_sensitive
from sfumato.formulas.minimality.deals import Dealer, batch, worlds
from sfumato.formulas.minimality.exact import ROUNDING

MOST_TABLES = 20_000  # tables of counts that are enumerated
LEAST = 100  # effective samples below which a sampled answer is none
NARROW = 0.02  # half the width at which an interval is narrow enough
BUDGET = 3_000_000  # counts looked at for one group at most
Z = 1.959963984540054  # 95%
COUNTS_AT_ONCE = 1 << 22
IMPOSSIBLE = "in no world does every step break the criterion; the method was another one"

Breaks = Callable[[Counts], NDArray[np.bool_]]  # histograms (n, n_values) -> (n,)


@dataclass(frozen=True, eq=False)
class RejectedStep:
    """One step that was not taken, and the children it would have split the group into."""

    children: NDArray[np.bool_]  # (n_children, n_cells)
    fixed: Counts  # (n_children, n_values): people outside the group who would be with them
    limit: int = 0  # the step breaks when more people than these are in children that break
    weight: Fraction = Fraction(0)  # of a world in which the step does not break

    @classmethod
    def of(
        cls,
        children: Sequence[Sequence[int]],
        n_cells: int,
        fixed: Counts,
        limit: int = 0,
        weight: Fraction = Fraction(0),
    ) -> RejectedStep:
        """Make a step from lists of cells."""
        inside = np.zeros((len(children), n_cells), dtype=bool)
        for row, cells in zip(inside, children, strict=True):
            row[list(cells)] = True
        return cls(inside, np.asarray(fixed, dtype=np.int64), limit, weight)

    def with_fixed(self, fixed: Counts) -> RejectedStep:
        """Give the same step with other values of the people outside."""
        return replace(self, fixed=fixed)


@dataclass(frozen=True, eq=False)
class Posterior:
    """Expected numbers of people with each value, cell by cell; people in a cell are alike."""

    cell: NDArray[np.intp]  # (n_cells,): which row each cell has; cells in the same children share
    people: Counts  # (n_rows,)
    # (n_rows, n_values): fractions where enumerated, else floats; None: unknown
    expected: NDArray[np.object_] | NDArray[np.float64] | None
    n_effective: float | None = None  # samples; None: not sampled
    low: NDArray[np.float64] | None = None  # (n_rows, n_values): of the share, where sampled
    high: NDArray[np.float64] | None = None
    work: int = 0  # counts looked at
    kept: Fraction | None = None  # share of worlds in which every step breaks; None: not counted

    @property
    def exact(self) -> bool:
        """Whether the numbers are fractions."""
        return self.expected is not None and self.expected.dtype == object

    @property
    def interval(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Between what every share is, (n_rows, n_values), where that is not known exactly."""
        if self.expected is None or self.exact:
            return None
        if self.low is not None and self.high is not None:
            return self.low, self.high
        shares = self.expected / self.people[:, np.newaxis]
        # Who has another value than the one that counts: what is left of it, which is rounded too.
        return np.maximum(shares - ROUNDING, 0.0), np.minimum(shares + ROUNDING, 1.0)

    def rows(self, rows: NDArray[np.intp], cell: NDArray[np.intp]) -> Posterior:
        """Take some of the rows, for cells that have these."""
        return replace(
            self,
            cell=cell,
            people=self.people[rows],
            expected=None if self.expected is None else self.expected[rows],
            low=None if self.low is None else self.low[rows],
            high=None if self.high is None else self.high[rows],
        )

    def of_cell(self, i: int, value: int) -> Fraction | float:
        """Give the expected share of a value among the people of a cell."""
        if self.expected is None:
            raise ValueError("too few samples; the answer is unknown")
        row = self.cell[i]
        return self.expected[row, value] / int(self.people[row])  # type: ignore[no-any-return]


def posterior(
    sizes: Counts,
    histogram: Counts,
    steps: Sequence[RejectedStep],
    breaks: Breaks,
    *,
    pool: NDArray[np.intp] | None = None,
    share: tuple[int, Fraction] | None = None,
    rng: np.random.Generator | None = None,
    z: float = Z,
    samples: bool = True,
    most_tables: int = MOST_TABLES,
    budget: int = BUDGET,
) -> Posterior:
    """Give the expected values of the people in each cell of one group.

    Args:
        sizes: People in each cell.
        histogram: People of the group with each value; of each pool, if there are several.
        steps: What was not done. None: nothing is known of the method.
        breaks: Which histograms of a child break the criterion.
        pool: Where the group was partitioned further, the part that each cell is in: values are
            dealt within a part.
        share: `breaks` is nothing but: more than 1/l have the value v; (v, l). Then a single step
            into separate children needs no sampling, and neither do steps into ever larger parts.
        rng: Where samples come from, if they are needed.
        samples: Whether samples may stand for what is too large; else that is unknown.
        z: How many deviations wide the intervals of samples are, to either side.
        most_tables: Enumerate at most so many tables of counts.
        budget: Look at no more counts than these, by enumeration or by chance.

    Raises:
        ValueError: In no world does every step break.

    >>> step = RejectedStep.of([[0], [1]], 2, np.zeros((2, 2), dtype=np.int64))
    >>> def breaks(found):  # 2-diversity by frequency
    ...     return 2 * found[:, 0] > found.sum(axis=1)
    >>> posterior(np.array([2, 5]), np.array([2, 5]), [step], breaks).of_cell(0, 0)
    Fraction(1, 1)
    """
    sizes, histogram = np.asarray(sizes, dtype=np.int64), np.asarray(histogram, dtype=np.int64)
    cell, people, steps = merged(sizes, steps, pool)
    of_row = np.zeros(len(people), dtype=np.intp)
    if pool is not None:
        of_row[cell] = pool
    dealer = Dealer(people, of_row, np.atleast_2d(histogram))
    cost = histogram.shape[-1] * (len(people) + sum(len(step.children) for step in steps))
    dealt = dealer.tables(min(most_tables, budget // max(cost, 1)))
    if dealt is not None:
        expected, kept = _enumerated(dealt, people, steps, breaks)
        return Posterior(cell, people, expected, work=cost * len(dealt), kept=kept)
    if pool is not None:
        share = None
    if share is not None and _nested(steps):
        return Posterior(cell, people, _by_prefixes(people, histogram, steps, *share))
    if share is not None and _separate(steps):
        return Posterior(cell, people, _by_share(people, histogram, steps[0], *share))
    if not samples:
        return Posterior(cell, people, None)
    return _sampled(cell, dealer, steps, breaks, rng or np.random.default_rng(), z, budget)


def merged(
    sizes: Counts, steps: Sequence[RejectedStep], pool: NDArray[np.intp] | None = None
) -> tuple[NDArray[np.intp], Counts, list[RejectedStep]]:
    """Take cells of a pool that are in the same children of every step together: they are alike."""
    inside = [np.flatnonzero(child) for step in steps for child in step.children]
    whole = _memberships(inside, len(sizes))
    if pool is not None:
        whole = np.concatenate([whole, pool.astype(np.uint32)[:, np.newaxis]], axis=1)
    in_order = np.ascontiguousarray(whole, dtype=">u4")  # whose bytes sort as numbers do
    together = in_order.view(f"V{4 * whole.shape[1]}")[:, 0]
    _, first, cell = np.unique(together, return_index=True, return_inverse=True)
    people = np.bincount(cell, weights=sizes, minlength=len(first)).astype(np.int64)
    kept, rows = [], iter(inside)
    for step in steps:
        children = np.zeros((len(step.children), len(first)), dtype=bool)
        for row, own in zip(children, rows, strict=False):
            row[cell[own]] = True
        kept.append(RejectedStep(children, step.fixed, step.limit, step.weight))
    return cell, people, kept


def _memberships(inside: Sequence[NDArray[np.intp]], n_cells: int) -> NDArray[np.uint32]:
    """Give the children that each cell is in as a row, in the order of the bits that say so.

    inside: the cells of each child. A cell that is in an earlier child is greater, so children are
    numbered from the last one on; 0 stands behind a cell's last one.
    """
    cell = np.concatenate([np.zeros(0, dtype=np.intp), *inside])
    child = np.repeat(np.arange(len(inside), 0, -1), [len(own) for own in inside])
    order = np.argsort(cell, kind="stable")
    n = np.bincount(cell, minlength=n_cells)
    rows = np.zeros((n_cells, max(1, int(n.max(initial=0)))), dtype=np.uint32)
    place = np.arange(len(cell)) - np.repeat(np.cumsum(n) - n, n)
    rows[cell[order], place] = child[order]
    return rows


def broken(dealt: Counts, people: Counts, steps: Sequence[RejectedStep], breaks: Breaks) -> Counts:
    """Count the people in children that break: (n, n_steps)."""
    n, n_cells, n_values = dealt.shape
    if not steps:
        return np.zeros((n, 0), dtype=np.int64)
    inside = np.concatenate([step.children for step in steps])  # (n_children, n_cells)
    fixed = np.concatenate([step.fixed for step in steps])
    sizes = inside @ people + fixed.sum(axis=1)
    starts = np.cumsum([0, *(len(step.children) for step in steps[:-1])])
    at_once = max(1, COUNTS_AT_ONCE // (len(inside) * n_values))
    blocks = []
    for first in range(0, n, at_once):
        some = dealt[first : first + at_once]
        # In floats, which are exact for these numbers and quick to multiply.
        flat = some.transpose(0, 2, 1).reshape(-1, n_cells).astype(np.float64)
        counts = (flat @ inside.T.astype(np.float64)).astype(np.int64)
        counts = counts.reshape(len(some), n_values, -1).transpose(0, 2, 1) + fixed
        verdict = np.asarray(breaks(counts.reshape(-1, n_values))).reshape(len(some), -1)
        blocks.append(np.add.reduceat(verdict * sizes, starts, axis=1))
    return np.concatenate(blocks)


def _enumerated(
    dealt: Counts, people: Counts, steps: Sequence[RejectedStep], breaks: Breaks
) -> tuple[NDArray[np.object_], Fraction]:
    if steps and not any(step.weight for step in steps):
        return _kept(dealt, people, steps, breaks)
    limits = np.array([step.limit for step in steps], dtype=np.int64)
    does = broken(dealt, people, steps, breaks) > limits
    total: Fraction = Fraction(0)
    every = 0
    sums = np.full(dealt.shape[1:], Fraction(0), dtype=object)
    for pattern, n, counted in tallied(dealt, people, does.astype(np.int64)):
        missed = [step.weight for step, kept in zip(steps, pattern, strict=True) if not kept]
        weight = math.prod(missed, start=Fraction(1))
        every += n
        if weight:
            total += weight * n
            sums = sums + counted * weight
    if not total:
        raise ValueError(IMPOSSIBLE)
    return np.asarray(sums / total, dtype=object), total / every


def _kept(
    dealt: Counts, people: Counts, steps: Sequence[RejectedStep], breaks: Breaks
) -> tuple[NDArray[np.object_], Fraction]:
    """Count the worlds in which every step breaks, step by step; others are impossible."""
    ways = worlds(dealt, people)
    every = int(ways.sum())
    for step in steps:
        does = broken(dealt, people, [step], breaks)[:, 0] > step.limit
        dealt, ways = dealt[does], ways[does]
        if not len(dealt):
            raise ValueError(IMPOSSIBLE)
    total = int(ways.sum())
    flat = dealt.reshape(len(dealt), -1)
    if ways.dtype == object:
        flat = flat.astype(object)
    sums = [Fraction(int(n), total) for n in ways @ flat]
    expected = np.empty(flat.shape[1], dtype=object)
    expected[:] = sums
    return expected.reshape(dealt.shape[1:]), Fraction(total, every)


def tallied(
    dealt: Counts, people: Counts, state: Counts
) -> Iterator[tuple[tuple[int, ...], int, NDArray[np.object_]]]:
    """Give for every state its worlds, and the people with each value summed over them."""
    ways = worlds(dealt, people)
    if not state.shape[1]:
        state = np.zeros((len(dealt), 1), dtype=np.int64)
    different, which = distinct_rows(state)
    flat = dealt.reshape(len(dealt), -1)
    for j, pattern in enumerate(different.tolist()):
        mine = which == j
        weights = ways[mine]
        counts = flat[mine] if weights.dtype != object else flat[mine].astype(object)
        sums = (weights[:, np.newaxis] * counts).sum(axis=0).reshape(dealt.shape[1:])
        yield tuple(pattern), int(weights.sum()), sums.astype(object)


def _separate(steps: Sequence[RejectedStep]) -> bool:
    """Whether there is one step, every cell is in one child of it at most, and no child empty."""
    if len(steps) != 1 or steps[0].limit or steps[0].weight:
        return False
    children = steps[0].children
    return bool((children.sum(axis=0) <= 1).all() and children.any(axis=1).all())


def _nested(steps: Sequence[RejectedStep]) -> bool:
    """Whether every step has one child, of the group's people alone, and each lies in the next."""
    if not steps or any(len(s.children) > 1 or s.limit or s.fixed.any() for s in steps):
        return False
    inside = np.concatenate([step.children for step in steps])  # (n_steps, n_cells)
    ordered = inside[np.argsort(inside.sum(axis=1), kind="stable")]
    return bool((ordered[1:] >= ordered[:-1]).all()) and len({s.weight for s in steps}) == 1


def _by_prefixes(
    people: Counts, histogram: Counts, steps: Sequence[RejectedStep], value: int, l: Fraction
) -> NDArray[np.object_] | NDArray[np.float64]:
    """Count by sums of counts along the prefixes; who has another value has any of them alike."""
    inside = np.concatenate([step.children for step in steps])
    order = np.argsort(-inside.sum(axis=0), kind="stable")  # cells, those of all prefixes first
    sizes = people[order]
    upto = np.cumsum(sizes)[:-1].tolist()  # the prefixes, for cells are merged
    breaks_from = [int(Fraction(n) / l) + 1 for n in upto]
    tried = set((inside @ people).tolist())
    n = int(histogram[value])
    risks = prefix_risk(
        sizes.tolist(),
        n,
        [start if size in tried else 0 for start, size in zip(breaks_from, upto, strict=True)],
        steps[0].weight,
        l,
    )
    if risks is None:
        raise ValueError(IMPOSSIBLE)
    exact = isinstance(risks[0], Fraction)
    expected = np.empty(len(people), dtype=object if exact else np.float64)
    expected[order] = risks
    return _with_others(people, histogram, value, expected)


def _by_share(
    people: Counts, histogram: Counts, step: RejectedStep, value: int, l: Fraction
) -> NDArray[np.object_] | NDArray[np.float64]:
    """Count by sums instead of tables; who has another value has any of them alike.

    A child is one row, for its cells are merged. Whoever is in no child stands in a class too
    large to break.
    """
    size = people + math.ceil(l) * people  # a class of these breaks with nobody's value
    kept = np.zeros(len(people), dtype=np.int64)
    child, row = np.nonzero(step.children)
    size[row] = people[row] + step.fixed[child].sum(axis=1)
    kept[row] = step.fixed[child, value]
    classes = list(zip(size.tolist(), people.tolist(), kept.tolist(), strict=True))
    expected = expected_sensitive(classes, int(histogram[value]), l)
    return _with_others(people, histogram, value, expected)


def _with_others(
    people: Counts,
    histogram: Counts,
    value: int,
    expected: NDArray[np.object_] | NDArray[np.float64],
) -> NDArray[np.object_] | NDArray[np.float64]:
    """Give every value its expected number: whoever has not this one has any other alike."""
    others = np.where(np.arange(len(histogram)) == value, 0, histogram)
    whole = max(int(others.sum()), 1)
    exact = expected.dtype == object
    shares: list[Any] = [Fraction(n, whole) if exact else n / whole for n in others.tolist()]
    table = np.stack([(people - expected) * share for share in shares], axis=1)
    table[:, value] = expected
    return table


def _sampled(
    cell: NDArray[np.intp],
    dealer: Dealer,
    steps: Sequence[RejectedStep],
    breaks: Breaks,
    rng: np.random.Generator,
    z: float,
    budget: int,
) -> Posterior:
    """Deal by chance until the intervals are narrow, or the budget is spent.

    The interval is Wilson's, for a share among as many people as there are effective samples: the
    share of a cell varies no more than a single person's value does, so it is wide enough.
    """
    limits = np.array([step.limit for step in steps], dtype=np.int64)
    weights = np.array([float(step.weight) for step in steps])
    total = squares = 0.0
    people, n_values = dealer.sizes, dealer.histograms.shape[1]
    sums = np.zeros((len(people), n_values))
    n_children = sum(len(step.children) for step in steps)
    cost = int(people.sum()) + n_values * (len(people) + n_children)
    low = high = sums
    work = 0
    while work < budget:
        n = batch(cost)
        dealt = dealer.draw(n, rng)
        work += n * cost
        kept = broken(dealt, people, steps, breaks) > limits
        weight = np.where(kept, 1.0, weights).prod(axis=1)
        total += float(weight.sum())
        squares += float((weight**2).sum())
        sums = sums + np.tensordot(weight, dealt, axes=1)
        if squares and total**2 / squares >= LEAST:
            low, high = wilson(sums / total / people[:, np.newaxis], total**2 / squares, z)
            if float((high - low).max()) <= 2 * NARROW:
                break
    effective = total**2 / squares if squares else 0.0
    if effective < LEAST:
        return Posterior(cell, people, None, effective, work=work)
    return Posterior(cell, people, sums / total, effective, low, high, work)


def wilson(
    share: NDArray[np.float64], n: float, z: float = Z
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give Wilson's interval of shares found in a sample of n: z deviations to either side."""
    share = np.clip(share, 0.0, 1.0)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # At the ends the two are equal, but for the rounding of floats.
    low = np.where(share == 0, 0.0, np.clip(middle - half, 0.0, 1.0))
    return low, np.where(share == 1, 1.0, np.clip(middle + half, 0.0, 1.0))
