"""Relaxed multidimensional partitioning: halves of equal size, boxes that may overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lots import Draw, OwnChances, drawn_order
from sfumato.algorithms.mondrian.space import Box, around
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Counts, Histogram
from sfumato.progress import report


@dataclass(frozen=True, eq=False)
class _Region:
    """Some people: how many of which counted combinations, and the box they are published as."""

    keys: NDArray[np.intp]  # (m,) positions in the frequency set
    counts: Counts  # (m,) > 0
    box: NDArray[np.int32]  # (n_dimensions, 2)
    path: int  # how it came about, as `OwnChances.of_cut` has it


class Halving:
    """Cuts a table into halves until no half is safe.

    Every region deals people out by lots of its own, so it makes no difference when it does.
    """

    def __init__(
        self,
        frequencies: FrequencySet,
        criterion: Criterion,
        chances: OwnChances,
        *,
        widest_only: bool,
        whole: Box | None = None,
        path: int = 1,
    ) -> None:
        """Begin with all people as one region; whole: its box, path: how it came about."""
        self.by_value = any(part.looks_at_values for part in criterion.parts)
        # Without a criterion about values, people are dealt out when the release is written.
        self.counted = frequencies if self.by_value else frequencies.combinations
        self.domains = [frequencies.domains[name] for name in frequencies.quasi_identifiers]
        names = frequencies.quasi_identifiers
        self.codes = np.stack([self.counted.codes(name) for name in names], axis=1)
        self.combination = self.counted.combination_of
        self.frequencies = frequencies
        self.criterion = criterion
        self.chances = chances
        self.widest_only = widest_only
        box = around(self.domains, whole)[0]
        self.whole = _Region(np.arange(len(self.counted)), self.counted.counts, box, path)

    def run(self) -> list[_Region]:
        """Give the final regions."""
        waiting = [self.whole]
        final: list[_Region] = []
        while waiting:
            region = waiting.pop()
            halves = self._halves(region)
            if halves is None:
                final.append(region)
            else:
                waiting.extend(halves)
            report("halving", len(final), len(final) + len(waiting))
        return final

    def _halves(self, region: _Region) -> tuple[_Region, _Region] | None:
        codes = self.codes[region.keys]
        order = widest_first(self.domains, codes.min(axis=0), codes.max(axis=0))
        for j in order[:1] if self.widest_only else order:
            halves = self._halved(region, j, codes[:, j])
            if all(self._safe(half) for half in halves):
                return halves
        return None

    def _halved(self, region: _Region, j: int, codes: NDArray[np.int32]) -> tuple[_Region, _Region]:
        """Put the lower half of the people to the left; equal values by their combination."""
        order = np.lexsort((region.keys, codes))
        keys, counts, codes = region.keys[order], region.counts[order], codes[order]
        combination = self.combination[keys]
        half = int(counts.sum()) // 2
        upto = np.cumsum(counts)
        # The combination in which the middle falls: all before it go left, all after it right.
        middle = combination[np.searchsorted(upto, half, side="left")]
        inside = np.flatnonzero(combination == middle)
        first, last = inside[0], inside[-1] + 1
        wanted = half - int(upto[first] - counts[first])
        taken = np.zeros(len(keys), dtype=np.int64)
        taken[:first] = counts[:first]
        draw = self.chances.of_cut(region.path, j)
        taken[first:last] = chosen(counts[first:last], wanted, draw)
        rest = counts - taken
        sides = []
        for people, end in ((taken, 1), (rest, 0)):
            kept = people > 0
            box = region.box.copy()
            box[j, end] = codes[kept].max() if end else codes[kept].min()
            sides.append(_Region(keys[kept], people[kept], box, 2 * region.path + 1 - end))
        left, right = sides
        if left.box[j, 1] < right.box[j, 0]:  # a clean cut: the values in between go half-way
            middle_rank = (left.box[j, 1] + right.box[j, 0] - 1) // 2
            left.box[j, 1], right.box[j, 0] = middle_rank, middle_rank + 1
        return left, right

    def _safe(self, region: _Region) -> bool:
        size = np.array([region.counts.sum()])
        histogram = None
        if self.by_value:
            values = self.frequencies.persons_values
            counted = sum_by(values.of_key[region.keys], region.counts, len(values.codes))
            histogram = Histogram.from_dense(counted[np.newaxis])
        return bool(holding(self.criterion, JointGroups(self.frequencies, size, histogram))[0])


def widest_first(
    domains: Sequence[Domain], low: NDArray[np.int32], high: NDArray[np.int32]
) -> list[int]:
    """Give the columns in which people differ, those first in which they spread widest."""
    spans = np.array([_span(domain, low[j], high[j]) for j, domain in enumerate(domains)])
    return [int(j) for j in np.argsort(-spans, kind="stable") if high[j] > low[j]]


def chosen(counts: Counts, wanted: int, draw: Draw) -> Counts:
    """Choose `wanted` people out of one combination, whatever their sensitive values."""
    if len(counts) == 1:
        return np.array([wanted], dtype=np.int64)
    if wanted == int(counts.sum()):
        return counts
    entry = np.repeat(np.arange(len(counts)), counts)
    taken = drawn_order(entry, draw)[:wanted]
    return np.bincount(entry[taken], minlength=len(counts)).astype(np.int64)


def _span(domain: Domain, low: np.int32, high: np.int32) -> float:
    return float(domain.span(np.array([low]), np.array([high]))[0])
