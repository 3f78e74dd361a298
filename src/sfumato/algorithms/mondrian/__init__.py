"""Mondrian: cut the space of quasi-identifiers in two, again and again (Ciriani 2008, 4.1.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import Algorithm, Minimality
from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.mondrian.failed_cuts import failed_cuts
from sfumato.algorithms.mondrian.line import Line
from sfumato.algorithms.mondrian.relaxed import Halving
from sfumato.algorithms.refusals import refuse_unsafe_whole
from sfumato.criteria.criterion import All, Criterion
from sfumato.criteria.judging import holding
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Groups, Histogram
from sfumato.data.recoding import Assignment, Recoding
from sfumato.errors import BadInput
from sfumato.parameters import one_of, optional_seed, true_or_false
from sfumato.progress import report

COMPILED = 5000  # combinations from which on compiled code pays for its start
COUNTS_AT_ONCE = 1 << 22  # counts held while the cuts of a batch of regions are judged


@dataclass(frozen=True)
class Mondrian(Algorithm):
    """Multidimensional partitioning into boxes, by any criterion; nobody is suppressed.

    A region is cut along the quasi-identifier whose values in the region spread widest, as a
    share of the column's whole range; ties go to the earlier column. If no cut there leaves both
    sides safe, the next widest column is tried, or with `dimensions="widest"` none.

    Strict: boxes do not overlap. The cut is the boundary nearest to halving the people, out of
    all boundaries that leave both sides safe. So no region of the result has an allowable cut at
    any value of any dimension (definition 4.3), not only at the median. A tree is cut between its
    largest nodes as long as that is allowable, and inside them where it is not.

    Relaxed (`strict=False`): the people are halved, those with the median value by the order of
    their combinations, so boxes may overlap and k-anonymous groups have k to 2k - 1 members,
    unless all of them are alike. Which people of one combination go where is chance and never
    depends on their sensitive values.

    Boxes reach to the cuts, not to the extremes of the people inside; `tight=True` shrinks them
    to those, which says more about the people and loses less.

    A `seed` repeats the chances of a relaxed run. It is for experiments: such a release is saved
    only with `experiment=True`, and says so.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5) & sf.LDiversity(3), sf.Mondrian())
    >>> len(release.groups), release.n_suppressed
    (177, 0)
    """

    strict: bool = True
    tight: bool = False
    dimensions: Literal["all", "widest"] = "all"
    seed: int | None = None

    def __post_init__(self) -> None:
        for name in ("strict", "tight"):
            true_or_false("Mondrian", name, getattr(self, name))
        one_of("Mondrian", "dimensions", self.dimensions, ("all", "widest"))
        optional_seed("Mondrian", self.seed)
        if self.strict and self.experiment:
            raise BadInput("Mondrian: strict cuts leave nothing to chance; drop the seed")

    @property
    def deterministic(self) -> bool:
        """Strict cuts are; relaxed ones deal people out by chance, and go on from there."""
        return self.strict

    @property
    def draws_orders(self) -> bool:
        """Who of the people in the middle goes left is an order drawn by lot."""
        return True

    @property
    def minimality(self) -> Minimality | None:
        """No strict region has an allowable cut; relaxed ones are halved, at one place only."""
        return "regions" if self.strict else None

    def failed_steps(
        self, published: PublishedGroups, criterion: Criterion
    ) -> Iterator[FailedStep] | None:
        """The cuts tried before the one taken, in every region, and all cuts of the last ones."""
        if not self.strict:
            return None
        return failed_cuts(published, criterion.least_size, widest_only=self.widest_only)

    @property
    def widest_only(self) -> bool:
        """Whether only the widest column is tried."""
        return self.dimensions == "widest"

    @property
    def keeps_guards(self) -> bool:
        """What people guard is counted with their values, and cut with them."""
        return True

    def refuses(self, criterion: Criterion) -> str | None:
        """Relaxed, also what a union of safe groups can break."""
        if not self.strict and not criterion.monotone(suppression=False):
            return (
                "relaxed regions may be published under the same box, and a union of safe groups "
                "need not be safe"
            )
        return super().refuses(criterion)

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (cls(), cls(strict=False), cls(dimensions="widest"))

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Cut all regions until no cut is allowable."""
        refuse_unsafe_whole(frequencies, criterion)
        if len(frequencies.combinations) > COMPILED:
            from sfumato.algorithms.mondrian.compiled_search import Rounds  # noqa: PLC0415  (a compiler)

            recoding = Rounds(
                frequencies, criterion, draw, strict=self.strict, widest_only=self.widest_only
            ).run()
        elif self.strict:
            recoding = _strict(_Space(frequencies, criterion, widest_only=self.widest_only))
        else:
            recoding = _relaxed(Halving(frequencies, criterion, draw, widest_only=self.widest_only))
        return _tight(recoding) if self.tight else recoding


class _Space:
    """The regions so far, and the region of every combination."""

    def __init__(
        self, frequencies: FrequencySet, criterion: Criterion, *, widest_only: bool
    ) -> None:
        ground = self.ground = frequencies.combinations
        self.widest_only = widest_only
        self.domains = [frequencies.domains[name] for name in ground.columns]
        self.codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
        self.counts = ground.counts
        self.region_of = np.zeros(len(ground), dtype=np.intp)
        whole = [[0, len(domain) - 1] for domain in self.domains]
        self.boxes = np.array([whole], dtype=np.int32)  # (n_regions, n_dimensions, 2)
        self.open = np.zeros(1, dtype=np.intp)  # regions that may still be cut
        self.judge = _Judge(frequencies, criterion)

    def cut_all(self) -> None:
        """Cut every open region once, along its widest dimension that allows it."""
        position = np.full(len(self.boxes), -1, dtype=np.intp)
        position[self.open] = np.arange(len(self.open))
        state = position[self.region_of]
        inside = np.flatnonzero(state >= 0)
        inside = inside[np.argsort(state[inside], kind="stable")]
        dimension = np.full(len(self.open), -1, dtype=np.intp)
        boundary = np.zeros(len(self.open), dtype=np.int32)
        for members in self._batches(inside, state[inside]):
            first, last = state[members[0]], state[members[-1]] + 1
            decided = self._decide(members, state[members] - first, last - first)
            dimension[first:last], boundary[first:last] = decided

        cut = np.flatnonzero(dimension >= 0)
        right = np.full(len(self.open), -1, dtype=np.intp)
        right[cut] = len(self.boxes) + np.arange(len(cut))
        mine = state[inside]
        moved = (dimension[mine] >= 0) & (self.codes[inside, dimension[mine]] > boundary[mine])
        self.region_of[inside[moved]] = right[mine[moved]]
        old, along = self.open[cut], dimension[cut]
        upper = self.boxes[old].copy()
        upper[np.arange(len(cut)), along, 0] = boundary[cut] + 1
        self.boxes[old, along, 1] = boundary[cut]
        self.boxes = np.concatenate([self.boxes, upper])
        self.open = np.concatenate([old, right[cut]])
        # Two sides of at least k people cannot be cut out of fewer than 2k.
        sizes = sum_by(self.region_of[inside], self.counts[inside], len(self.boxes))
        self.open = self.open[sizes[self.open] >= 2 * self.judge.least]

    def _batches(self, inside: NDArray[np.intp], state: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """Split the combinations between regions, so that the counts of a batch fit in memory."""
        starts = np.flatnonzero(np.diff(state, prepend=-1))
        batch = starts * self.judge.n_values // COUNTS_AT_ONCE
        return np.split(inside, starts[np.flatnonzero(np.diff(batch)) + 1])

    def _decide(
        self, members: NDArray[np.intp], region: NDArray[np.intp], n_regions: int
    ) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Choose dimension and boundary for every region of a batch; dimension -1: no cut."""
        dimension = np.full(n_regions, -1, dtype=np.intp)
        boundary = np.zeros(n_regions, dtype=np.int32)
        widest = np.full(n_regions, -1.0)
        entries = self.judge.entries(members)
        for j, domain in enumerate(self.domains):
            line = Line.of(domain, region, self.codes[members, j], self.counts[members])
            span = domain.span(line.low, line.high)
            wider = (span > widest) & (line.low < line.high)
            if self.widest_only:  # a wider column takes the turn even when it has no cut
                widest[wider], dimension[wider] = span[wider], -1
            rank, candidate = line.boundaries(domain)
            best = self.judge.first_safe(line, candidate[wider[line.region[candidate]]], entries)
            where = line.region[best]
            widest[where], dimension[where], boundary[where] = span[where], j, rank[best]
        return dimension, boundary


class _Judge:
    """Judges both sides of many cuts at once."""

    def __init__(self, frequencies: FrequencySet, criterion: Criterion) -> None:
        self.frequencies = frequencies
        self.by_size = [part for part in criterion.parts if not part.looks_at_values]
        self.by_value = [part for part in criterion.parts if part.looks_at_values]
        self.n_values = len(frequencies.persons_values.codes) if self.by_value else 1
        self.least = criterion.least_size
        n_combinations = len(frequencies.combinations)
        self.first_key = np.searchsorted(frequencies.combination_of, np.arange(n_combinations + 1))

    def entries(self, members: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Give the keys of some combinations, and which of these each key belongs to."""
        n_keys = np.diff(self.first_key)[members] if self.by_value else np.zeros(len(members), int)
        member = np.repeat(np.arange(len(members)), n_keys)
        offset = np.arange(len(member)) - np.repeat(np.cumsum(n_keys) - n_keys, n_keys)
        return self.first_key[members][member] + offset, member

    def first_safe(
        self,
        line: Line,
        candidate: NDArray[np.intp],
        entries: tuple[NDArray[np.intp], NDArray[np.intp]],
    ) -> NDArray[np.intp]:
        """Give for each region the first candidate whose two sides satisfy the criterion."""
        for part in self.by_size:
            left = line.left[candidate]
            right = line.total[candidate] - left
            candidate = candidate[part.holds(Groups(left)) & part.holds(Groups(right))]
        if not self.by_value:
            return _first_of_each(line.region, candidate)
        # As many candidates at a time as their counts fit in memory, the best ones first.
        winners: list[NDArray[np.intp]] = []
        step = max(1, COUNTS_AT_ONCE // self.n_values)
        while len(candidate):
            chunk = np.sort(candidate[:step])
            safe = self._safe(line, chunk, entries)
            best = _first_of_each(line.region, candidate[:step][np.isin(candidate[:step], safe)])
            winners.append(best)
            rest = candidate[step:]
            candidate = rest[~np.isin(line.region[rest], line.region[best])]
        return np.concatenate(winners) if winners else candidate

    def _safe(
        self,
        line: Line,
        cells: NDArray[np.intp],
        entries: tuple[NDArray[np.intp], NDArray[np.intp]],
    ) -> NDArray[np.intp]:
        """Keep the cuts, given as ascending cells, that leave both sides safe."""
        key, member = entries
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


def _first_of_each(region: NDArray[np.intp], cells: NDArray[np.intp]) -> NDArray[np.intp]:
    """Keep the first cell of every region."""
    _, first = np.unique(region[cells], return_index=True)
    return cells[first]


def _strict(space: _Space) -> Assignment:
    while len(space.open):
        report("cutting", len(space.boxes) - len(space.open), len(space.boxes))
        space.cut_all()
    ground = space.ground
    parts = np.stack([np.arange(len(ground)), space.region_of, ground.counts], axis=1)
    return Assignment(ground, space.boxes, parts.astype(np.int64))


def _relaxed(halving: Halving) -> Assignment:
    regions = halving.run()
    keys = np.concatenate([region.keys for region in regions])
    counts = np.concatenate([region.counts for region in regions])
    group = np.repeat(np.arange(len(regions)), [len(region.keys) for region in regions])
    parts = np.stack([keys, group, counts], axis=1).astype(np.int64)
    boxes = np.stack([region.box for region in regions])
    return Assignment(halving.counted, boxes, parts)


def _tight(assignment: Assignment) -> Assignment:
    """Shrink every box to the people inside."""
    boxes = assignment.boxes
    low = np.full(boxes.shape[:2], np.iinfo(np.int32).max, dtype=np.int32)
    high = np.full(boxes.shape[:2], -1, dtype=np.int32)
    names = assignment.combinations.quasi_identifiers
    codes = np.stack([assignment.combinations.codes(name) for name in names], axis=1)
    np.minimum.at(low, assignment.parts[:, 1], codes[assignment.parts[:, 0]])
    np.maximum.at(high, assignment.parts[:, 1], codes[assignment.parts[:, 0]])
    return replace(assignment, boxes=np.stack([low, high], axis=2))
