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
from sfumato.algorithms.lots import Draw, OwnChances, Scripted
from sfumato.algorithms.mondrian.failed_cuts import failed_cuts
from sfumato.algorithms.mondrian.first_cuts import first_cuts
from sfumato.algorithms.mondrian.first_halves import first_halves
from sfumato.algorithms.mondrian.judge import Judge, LookAhead
from sfumato.algorithms.mondrian.relaxed import Halving
from sfumato.algorithms.mondrian.space import Box, Space
from sfumato.algorithms.pieces import Decided, Decision, refuse_values_unseen
from sfumato.algorithms.refusals import broken_by_union, refuse_unsafe_whole
from sfumato.algorithms.two_tables import Publish, check_publish
from sfumato.criteria.criterion import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import Assignment, Piecewise
from sfumato.errors import BadInput
from sfumato.parameters import one_of, optional_seed, true_or_false
from sfumato.progress import report
from sfumato.stored_counts import StoredCounts

COMPILED = 5000  # combinations from which on machine code pays for its start
CUTS, HALVES, STEPS = 80, 10, 10  # times as many pay for a compiler


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
    depends on their sensitive values. Every region draws lots of its own, which follow from a
    secret and from how it was cut out: so regions may be cut in any order, and in pieces as well.

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
        if _pays(len(published.ground), "follow", STEPS):
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
        return bounded(
            self.cut(frequencies, criterion, self._chances(criterion, draw)), self.bounds
        )

    @property
    def works_in_pieces(self) -> bool:
        """Regions are cut each for itself; two tables are made of all groups together."""
        return not self.bucketized

    def search_in_pieces(self, stored: StoredCounts, criterion: Criterion, draw: Draw) -> Piecewise:
        """Cut large regions by what they are along one column, and those that fit as ever."""
        refuse_unsafe_whole(stored.everybody, criterion)
        by_value, widest_only = False, self.widest_only
        chances, paths = self._chances(criterion, draw), list[int]()
        if self.strict:
            judge_by = LookAhead if self.look_ahead else Judge
            regions, final = first_cuts(stored, criterion, judge_by, widest_only=widest_only)
        else:
            by_value = refuse_values_unseen(stored, criterion, self)
            regions, final, paths = first_halves(
                stored, criterion, chances, widest_only=widest_only
            )
        decided = Decided(
            stored,
            splits=regions.shares.split,
            by_value=by_value,
            halved=not self.strict,
        )
        work = _Finishing(self, criterion, chances, regions.boxes, final, paths)
        for done, piece in enumerate(stored.worked_on(regions, work), 1):
            decided.add(piece)
            report("cutting", min(done, len(regions)), len(regions))
        return decided.recoding(self.bounds)

    def cut(
        self,
        frequencies: FrequencySet,
        criterion: Criterion,
        chances: OwnChances,
        whole: Box | None = None,
        path: int = 1,
    ) -> Assignment:
        """Cut all regions of some people, into boxes that reach to their cuts.

        whole: what they are a part of; None: the whole space. path: how that came about, of halves.
        """
        n = len(frequencies.combinations)
        by_size = self.strict and all(part.size_alone for part in criterion.parts)
        if by_size and _pays(n, "cut_deep", CUTS):
            from sfumato.algorithms.mondrian.by_size import cut_by_size  # noqa: PLC0415  (a compiler)

            least, widest_only = criterion.least_size, self.widest_only
            return cut_by_size(frequencies, least, widest_only=widest_only, whole=whole)
        if not self.look_ahead and _pays(n, "count", CUTS if self.strict else HALVES):
            from sfumato.algorithms.mondrian.compiled_search import Rounds  # noqa: PLC0415  (a compiler)

            return Rounds(
                frequencies,
                criterion,
                chances,
                strict=self.strict,
                widest_only=self.widest_only,
                whole=whole,
                path=path,
            ).run()
        if not self.strict:
            widest_only = self.widest_only
            return _relaxed(
                Halving(
                    frequencies, criterion, chances, widest_only=widest_only, whole=whole, path=path
                )
            )
        judge = (LookAhead if self.look_ahead else Judge)(frequencies, criterion)
        return Space(frequencies, judge, widest_only=self.widest_only, whole=whole).run()

    def _chances(self, criterion: Criterion, draw: Draw) -> OwnChances:
        """Give the chances by which regions deal people out: none, where sizes alone decide."""
        by_value = any(part.looks_at_values for part in criterion.parts)
        return OwnChances(draw if by_value and not self.strict else Scripted([]))


def _pays(n: int, kernel: str, times: int) -> bool:
    """Whether machine code pays for so many combinations, if it is there or is compiled first."""
    if not COMPILED < n <= COMPILED * times:
        return n > COMPILED
    from sfumato.algorithms.mondrian import kernels  # noqa: PLC0415  (a compiler)
    from sfumato.compiled import is_kept  # noqa: PLC0415  (likewise)

    return is_kept(getattr(kernels, kernel))


@dataclass(frozen=True, eq=False)
class _Finishing:
    """What is left to be done to a piece, wherever that is done."""

    method: Mondrian
    criterion: Criterion
    chances: OwnChances
    boxes: NDArray[np.int32]  # of the regions
    final: frozenset[int]  # those that no cut leaves safe
    paths: list[int]  # how the regions came about that are halves

    def __call__(self, region: int, piece: FrequencySet) -> Decision:
        strict = self.method.strict
        if region in self.final:
            by_value = any(part.looks_at_values for part in self.criterion.parts) and not strict
            box = self.boxes[region]
            return Decision.one_group(region, piece, box, whole=strict, by_value=by_value)
        path = 1 if strict else self.paths[region]
        cut = self.method.cut(piece, self.criterion, self.chances, self.boxes[region], path)
        return Decision.about(region, piece, cut, whole=strict)


def _unforeseen(criterion: Criterion) -> str | None:
    """Say which part does not tell when people are safe whoever they are; None: all do."""
    for part in criterion.parts:
        if part.thresholds() is None:
            return f"{part} does not say which people of a group are safe whatever their values"
    return None


def _relaxed(halving: Halving) -> Assignment:
    regions = halving.run()
    keys = np.concatenate([region.keys for region in regions])
    counts = np.concatenate([region.counts for region in regions])
    group = np.repeat(np.arange(len(regions)), [len(region.keys) for region in regions])
    parts = np.stack([keys, group, counts], axis=1).astype(np.int64)
    boxes = np.stack([region.box for region in regions])
    return Assignment(halving.counted, boxes, parts)
