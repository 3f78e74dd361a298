"""Which cuts of Mondrian are safe: by the people on both sides, or foreseen from the region."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.line import Line
from sfumato.criteria.criterion import All, Criterion
from sfumato.criteria.judging import holding
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Groups, Histogram

COUNTS_AT_ONCE = 1 << 22  # counts held while the cuts of a batch of regions are judged


class Judge:
    """Judges both sides of many cuts at once."""

    def __init__(self, frequencies: FrequencySet, criterion: Criterion) -> None:
        self.frequencies = frequencies
        self.by_size = [part for part in criterion.parts if not part.looks_at_values]
        self.by_value = [part for part in criterion.parts if part.looks_at_values]
        self.n_values = len(frequencies.persons_values.codes) if self.by_value else 1
        self.least = criterion.least_size
        n_combinations = len(frequencies.combinations)
        self.first_key = np.searchsorted(frequencies.combination_of, np.arange(n_combinations + 1))

    def look_at(self, members: NDArray[np.intp], region: NDArray[np.intp], n_regions: int) -> None:
        """Look at the combinations of a batch of regions, whose cuts are asked for next."""
        del region, n_regions
        self.key, self.member = self.entries(members)

    def entries(self, members: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Give the keys of some combinations, and which of these each key belongs to."""
        n_keys = np.diff(self.first_key)[members] if self.by_value else np.zeros(len(members), int)
        member = np.repeat(np.arange(len(members)), n_keys)
        offset = np.arange(len(member)) - np.repeat(np.cumsum(n_keys) - n_keys, n_keys)
        return self.first_key[members][member] + offset, member

    def first_safe(self, line: Line, candidate: NDArray[np.intp]) -> NDArray[np.intp]:
        """Give for each region the first candidate whose two sides satisfy the criterion."""
        for part in self.by_size:
            left = line.left[candidate]
            right = line.total[candidate] - left
            candidate = candidate[part.holds(Groups(left)) & part.holds(Groups(right))]
        if not self.by_value:
            return first_of_each(line.region, candidate)
        # As many candidates at a time as their counts fit in memory, the best ones first.
        winners: list[NDArray[np.intp]] = []
        step = max(1, COUNTS_AT_ONCE // self.n_values)
        while len(candidate):
            chunk = np.sort(candidate[:step])
            safe = self._safe(line, chunk)
            best = first_of_each(line.region, candidate[:step][np.isin(candidate[:step], safe)])
            winners.append(best)
            rest = candidate[step:]
            candidate = rest[~np.isin(line.region[rest], line.region[best])]
        return np.concatenate(winners) if winners else candidate

    def _safe(self, line: Line, cells: NDArray[np.intp]) -> NDArray[np.intp]:
        """Keep the cuts, given as ascending cells, that leave both sides safe."""
        key, member = self.key, self.member
        region = line.region[cells]
        new = np.flatnonzero(np.diff(region, prepend=-1))  # the first cut of every region
        rank = np.full(len(line.starts), -1, dtype=np.intp)
        rank[region[new]] = np.arange(len(new))
        # A region with n cuts falls into n + 1 slots; every key is in one, unless there is no cut.
        is_cut = np.zeros(len(line.region), dtype=np.intp)
        is_cut[cells] = 1
        slot_of = np.cumsum(is_cut) - is_cut + rank[line.region]
        cell = line.cell_of[member]
        cut = rank[line.region[cell]] >= 0
        if not cut.all():
            key, cell = key[cut], cell[cut]
        value = self.frequencies.persons_values.of_key[key]
        shape = (len(cells) + len(new), self.n_values)
        counted = self.frequencies.counts[key]
        flat = sum_by(slot_of[cell] * self.n_values + value, counted, shape[0] * shape[1])
        upto = np.cumsum(flat.reshape(shape), axis=0)
        first = new + np.arange(len(new))
        before = np.where(first[:, None] > 0, upto[first - 1], 0)
        whole = upto[np.append(first[1:], shape[0]) - 1] - before
        mine = rank[region]
        left = upto[np.arange(len(cells)) + mine] - before[mine]
        right = whole[mine] - left
        criterion = All(tuple(self.by_value))
        safe = np.ones(len(cells), dtype=bool)
        people = line.left[cells]
        for size, counts in ((people, left), (line.total[cells] - people, right)):
            groups = JointGroups(self.frequencies, size, Histogram.from_dense(counts))
            safe &= holding(criterion, groups)
        return cells[safe]


class LookAhead(Judge):
    """Judges cuts by how many people are on each side, and by the values of the region as a whole.

    Of every region it is worked out how many of its people are safe whoever they are; a cut is safe
    that leaves so many on both sides.
    """

    def __init__(self, frequencies: FrequencySet, criterion: Criterion) -> None:
        super().__init__(frequencies, criterion)
        # A part about each of several columns is judged within the others, where any number may be.
        self.foreseen = not any(part.attribute is None for part in self.by_value) or (
            len(frequencies.sensitive) == 1
        )

    def look_at(self, members: NDArray[np.intp], region: NDArray[np.intp], n_regions: int) -> None:
        """Work out how many people of every region are enough."""
        sizes = sum_by(region, self.frequencies.combinations.counts[members], n_regions)
        self.enough = np.full(n_regions, self.least)
        if not self.by_value:
            return
        if not self.foreseen:
            self.enough = sizes  # no part of them
            return
        key, member = self.entries(members)
        histogram = Histogram.from_entries(
            region[member],
            self.frequencies.persons_values.of_key[key].astype(np.int32),
            self.frequencies.counts[key],
            (n_regions, self.n_values),
        )
        joint = JointGroups(self.frequencies, sizes, histogram)
        for part in self.by_value:
            groups = joint.by(part.attribute or self.frequencies.sensitive[0])
            enough = part.enough_people(groups)
            assert enough is not None  # noqa: S101  (or the method refuses it)
            self.enough = np.maximum(self.enough, enough)

    def first_safe(self, line: Line, candidate: NDArray[np.intp]) -> NDArray[np.intp]:
        """Give for each region the first candidate that leaves enough people on both sides."""
        left, enough = line.left[candidate], self.enough[line.region[candidate]]
        safe = np.minimum(left, line.total[candidate] - left) >= enough
        return first_of_each(line.region, candidate[safe])


def first_of_each(region: NDArray[np.intp], cells: NDArray[np.intp]) -> NDArray[np.intp]:
    """Keep the first cell of every region."""
    _, first = np.unique(region[cells], return_index=True)
    return cells[first]
