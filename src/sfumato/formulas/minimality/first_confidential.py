"""Publishing by the first partition that tells little, to people who know this rule.

The partitions stand in a public order. A world is a way to deal the values of the whole table to
its people; what it publishes by a partition is the histogram of every group. The worlds that
publish the same by a partition, of those that published nothing before, are all that somebody
considers who sees it. So it can be said of every such output what is believed, and it is published
iff no belief is above a bound (Wong 2009, definitions 5 and 8).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.formulas.minimality.deals import IN_64_BITS, worlds

Partition = NDArray[np.intp]  # (n_cells,): the group of the people in each cell
NOTHING = -1


@dataclass(frozen=True, eq=False)
class FirstConfidential:
    """By which partition every world is published.

    >>> from sfumato.formulas.minimality.deals import tables
    >>> sizes, histogram = np.array([2, 4]), np.array([2, 4])
    >>> dealt, order = tables(sizes, histogram, 100), [np.array([0, 1]), np.array([0, 0])]
    >>> rule = FirstConfidential.of(dealt, sizes, order, Fraction(1, 2), [0])
    >>> dealt[:, :, 0].tolist(), rule.published.tolist(), rule.passed_over
    ([[0, 2], [1, 1], [2, 0]], [1, 1, 1], (0,))
    """

    published: NDArray[np.intp]  # (n_worlds,): the place of the partition; NOTHING: by none
    passed_over: tuple[int, ...]  # partitions not used: what they leave could not be published
    left: Fraction  # the largest belief of who sees that nothing is published; 0: that cannot be

    @classmethod
    def of(
        cls,
        dealt: Counts,
        sizes: Counts,
        order: Iterable[Partition],
        bound: Fraction,
        protected: Sequence[int],
        *,
        pass_over: bool = True,
    ) -> FirstConfidential:
        """Go through the partitions, the worlds that published nothing so far with every one.

        Args:
            dealt: All worlds as tables of counts, (n_worlds, n_cells, n_values).
            sizes: People in each cell.
            order: The partitions.
            bound: What may be believed.
            protected: The values that beliefs are bounded of.
            pass_over: Pass over a partition if those worlds that it would leave could not all be
                published together. Beliefs of several outputs average to that of their union, so a
                world among them would be published by no later partition.
        """
        judge = _Judge(dealt, sizes, bound, protected)
        published = np.full(len(dealt), NOTHING, dtype=np.intp)
        passed_over = []
        tried: set[bytes] = set()  # partitions since something was published
        for place, partition in enumerate(order):
            waiting = np.flatnonzero(published == NOTHING)
            if not len(waiting):
                break
            if partition.tobytes() in tried:
                continue
            tried.add(partition.tobytes())
            safe = judge.safe(waiting, judge.outputs(waiting, partition))
            rest = waiting[~safe]
            if not safe.any():
                continue
            if pass_over and len(rest) and not judge.safe(rest, np.zeros(len(rest), np.intp)).all():
                passed_over.append(place)
                continue
            published[waiting[safe]] = place
            tried.clear()
        rest = np.flatnonzero(published == NOTHING)
        return cls(published, tuple(passed_over), judge.largest(rest))


def fewest_tables(sizes: Counts, histogram: Counts) -> int:
    """Bound the number of tables of counts with these margins from below; of two values, give it.

    The people who have one value may be in any cells.

    >>> fewest_tables(np.array([1, 1, 2]), np.array([2, 2]))
    4
    """
    most = 1
    for n in histogram.tolist():
        ways = np.ones(1, dtype=object)  # (n + 1,): to choose so many people of the cells so far
        for size in sizes.tolist():
            ways = np.convolve(ways, np.ones(size + 1, dtype=object))[: n + 1]
        most = max(most, int(ways[n]))
    return most


class _Judge:
    """Beliefs over sets of worlds, by exact whole numbers."""

    def __init__(
        self, dealt: Counts, sizes: Counts, bound: Fraction, protected: Sequence[int]
    ) -> None:
        self.dealt, self.sizes, self.bound = dealt, sizes, bound
        self.ways = worlds(dealt, sizes)  # (n_worlds,)
        factor = int(sizes.sum()) * max(bound.numerator, bound.denominator)
        if sum(self.ways.tolist()) * factor >= IN_64_BITS:
            self.ways = self.ways.astype(object)
        chosen: NDArray[Any] = dealt[:, :, list(protected)].astype(self.ways.dtype)
        self.expected = chosen * self.ways[:, np.newaxis, np.newaxis]  # (n_worlds, n_cells, n)

    def outputs(self, which: NDArray[np.intp], partition: Partition) -> NDArray[np.intp]:
        """Number what worlds publish: (n,), the same where all histograms are."""
        order = np.argsort(partition, kind="stable")
        starts = np.flatnonzero(np.diff(partition[order], prepend=-1))
        histograms = np.add.reduceat(self.dealt[which][:, order], starts, axis=1)
        columns = histograms.reshape(len(which), -1)
        number, n = np.zeros(len(which), dtype=np.int64), 1  # so far, of so many
        for column in columns.T:
            base = int(column.max()) + 1
            if n * base >= IN_64_BITS:
                different, number = np.unique(number, return_inverse=True)
                n = len(different)
            number, n = number * base + column, n * base
        return np.unique(number, return_inverse=True)[1]

    def safe(self, which: NDArray[np.intp], output: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Say which of some worlds have an output by which nobody is believed too much."""
        order = np.argsort(output, kind="stable")
        starts = np.flatnonzero(np.diff(output[order], prepend=-1))
        total = np.add.reduceat(self.ways[which[order]], starts)
        expected = np.add.reduceat(self.expected[which[order]], starts, axis=0)
        allowed = total[:, np.newaxis] * (self.sizes * self.bound.numerator)  # (n_outputs, n_cells)
        within = expected * self.bound.denominator <= allowed[:, :, np.newaxis]
        return np.asarray(within.all(axis=(1, 2)), dtype=bool)[output]

    def largest(self, which: NDArray[np.intp]) -> Fraction:
        """Give the largest belief of somebody who considers some worlds."""
        if not len(which):
            return Fraction(0)
        total, expected = self.ways[which].sum(), self.expected[which].sum(axis=0)
        return max(
            (
                Fraction(int(n), int(total) * people)
                for row, people in zip(expected.tolist(), self.sizes.tolist(), strict=True)
                for n in row
            ),
            default=Fraction(0),
        )
