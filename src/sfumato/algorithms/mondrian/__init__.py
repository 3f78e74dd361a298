"""Mondrian: cut the space of quasi-identifiers in two, again and again (Ciriani 2008, 4.1.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import Algorithm, Minimality
from sfumato.algorithms.bounds import BOUNDS, Bounds, bounded
from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.mondrian.failed_cuts import failed_cuts
from sfumato.algorithms.mondrian.judge import COUNTS_AT_ONCE, Judge, LookAhead
from sfumato.algorithms.mondrian.line import Line
from sfumato.algorithms.mondrian.relaxed import Halving
from sfumato.algorithms.refusals import broken_by_union, refuse_unsafe_whole
from sfumato.algorithms.two_tables import Publish, check_publish
from sfumato.criteria.criterion import Criterion
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.recoding import Assignment
from sfumato.errors import BadInput
from sfumato.parameters import one_of, optional_seed, true_or_false
from sfumato.progress import report

COMPILED = 5000  # combinations from which on compiled code pays for its start


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

    `bounds` says how far a box reaches. "grid": in every column the smallest range of the
    hierarchy's finest grid around its people, clipped to the cuts, so that boxes do not overlap:
    37 to 62 are `[35, 65)` with intervals of 5. A value that all of them share is itself, a tree
    has its largest nodes between the first and the last, and numbers without a grid reach to their
    cuts. "cuts": to the cuts, so that everybody, in this table or not, has a box; that tells the
    least and loses the most. "tight": to the extremes of the people. Whatever is chosen, bounds
    depend on quasi-identifiers alone.

    `publish="bucketized"`: two tables, one of quasi-identifiers as they are and the number of the
    group, one of the numbers and the sensitive values.

    `look_ahead=True`: a region is cut only where both sides would be safe whoever of its people had
    which of its values. So a cut depends on the values of the region as a whole, which everybody
    sees in the groups it ends in, and never on which side they are: however the values of a group
    are dealt to its people, the same is published, and knowing the method tells nothing (the local
    look-ahead of Jin, Zhang and Das 2011, "Algorithm-safe privacy-preserving data publishing").
    Regions in which values are far from even are not cut, so it loses more.

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
    bounds: Bounds = "grid"
    dimensions: Literal["all", "widest"] = "all"
    look_ahead: bool = False
    seed: int | None = None
    publish: Publish = "generalized"

    def __post_init__(self) -> None:
        for name in ("strict", "look_ahead"):
            true_or_false("Mondrian", name, getattr(self, name))
        one_of("Mondrian", "bounds", self.bounds, BOUNDS)
        check_publish("Mondrian", self.publish, bounds=self.bounds)
        one_of("Mondrian", "dimensions", self.dimensions, ("all", "widest"))
        optional_seed("Mondrian", self.seed)
        if self.strict and self.experiment:
            raise BadInput("Mondrian: strict cuts leave nothing to chance; drop the seed")
        if self.look_ahead and not self.strict:
            raise BadInput("Mondrian: look_ahead goes with strict cuts; drop strict=False")

    @property
    def joint(self) -> bool:
        """Looking ahead, it does not matter who has which value."""
        return not self.look_ahead

    @property
    def keeps_alike_together(self) -> bool:
        """Unless a median is shared between two groups."""
        return self.strict

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
        """No strict region has an allowable cut; relaxed ones are halved, at one place only.

        Looking ahead, it leaves cuts that would have been safe.
        """
        return "regions" if self.strict and not self.look_ahead else None

    def failed_steps(
        self, published: PublishedGroups, criterion: Criterion
    ) -> Iterator[FailedStep] | None:
        """The cuts tried before the one taken, in every region, and all cuts of the last ones."""
        if not self.strict:
            return None
        if self.look_ahead:
            return iter(())
        least = criterion.least_size
        if len(published.ground) > COMPILED:
            from sfumato.algorithms.mondrian.compiled_following import failed_cuts_compiled  # noqa: PLC0415  (a compiler)

            return failed_cuts_compiled(published, least, widest_only=self.widest_only)
        return failed_cuts(published, least, widest_only=self.widest_only)

    @property
    def widest_only(self) -> bool:
        """Whether only the widest column is tried."""
        return self.dimensions == "widest"

    @property
    def keeps_guards(self) -> bool:
        """What people guard is counted with their values, and cut with them."""
        return not self.bucketized

    def refuses(self, criterion: Criterion) -> str | None:
        """Relaxed, also what a union of safe groups can break."""
        where = "relaxed regions may be published under the same box"
        refused = None if self.strict else broken_by_union(criterion, where)
        refused = refused or super().refuses(criterion)
        if refused is None and self.look_ahead:
            return _unforeseen(criterion)
        return refused

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (
            cls(),
            cls(strict=False),
            cls(dimensions="widest"),
            cls(look_ahead=True),
            cls(publish="bucketized"),
        )

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Assignment:
        """Cut all regions until no cut is allowable."""
        refuse_unsafe_whole(frequencies, criterion)
        if self.look_ahead:
            ahead = LookAhead(frequencies, criterion)
            recoding = _strict(_Space(frequencies, ahead, widest_only=self.widest_only))
        elif len(frequencies.combinations) > COMPILED:
            from sfumato.algorithms.mondrian.compiled_search import Rounds  # noqa: PLC0415  (a compiler)

            recoding = Rounds(
                frequencies, criterion, draw, strict=self.strict, widest_only=self.widest_only
            ).run()
        elif self.strict:
            judge = Judge(frequencies, criterion)
            recoding = _strict(_Space(frequencies, judge, widest_only=self.widest_only))
        else:
            recoding = _relaxed(Halving(frequencies, criterion, draw, widest_only=self.widest_only))
        return bounded(recoding, self.bounds)


class _Space:
    """The regions so far, and the region of every combination."""

    def __init__(self, frequencies: FrequencySet, judge: Judge, *, widest_only: bool) -> None:
        ground = self.ground = frequencies.combinations
        self.widest_only = widest_only
        self.domains = [frequencies.domains[name] for name in ground.columns]
        self.codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
        self.counts = ground.counts
        self.region_of = np.zeros(len(ground), dtype=np.intp)
        whole = [[0, len(domain) - 1] for domain in self.domains]
        self.boxes = np.array([whole], dtype=np.int32)  # (n_regions, n_dimensions, 2)
        self.open = np.zeros(1, dtype=np.intp)  # regions that may still be cut
        self.judge = judge

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
        self.judge.look_at(members, region, n_regions)
        for j, domain in enumerate(self.domains):
            line = Line.of(domain, region, self.codes[members, j], self.counts[members])
            span = domain.span(line.low, line.high)
            wider = (span > widest) & (line.low < line.high)
            if self.widest_only:  # a wider column takes the turn even when it has no cut
                widest[wider], dimension[wider] = span[wider], -1
            rank, candidate = line.boundaries(domain)
            best = self.judge.first_safe(line, candidate[wider[line.region[candidate]]])
            where = line.region[best]
            widest[where], dimension[where], boundary[where] = span[where], j, rank[best]
        return dimension, boundary


def _unforeseen(criterion: Criterion) -> str | None:
    """Say which part does not tell when people are safe whoever they are; None: all do."""
    for part in criterion.parts:
        if part.thresholds() is None:
            return f"{part} does not say which people of a group are safe whatever their values"
    return None


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
