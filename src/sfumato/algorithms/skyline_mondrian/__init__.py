"""SkylineAnonymize: regions that are safe from what an adversary may know (Chen 2009, 6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.bounds import BOUNDS, Bounds, bounded
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.refusals import refuse_unsafe_whole
from sfumato.criteria import Criterion, Skyline
from sfumato.criteria.criterion import together
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Histogram
from sfumato.data.recoding import Assignment, Bucketing, Piecewise, Recoding
from sfumato.errors import BadInput, Unsatisfiable, nearest, shown
from sfumato.formulas.knowledge.breach import exposed, statistics
from sfumato.parameters import one_of, optional_column
from sfumato.stored_counts import StoredCounts
from sfumato.text import count, value_text

if TYPE_CHECKING:
    from sfumato.algorithms.skyline_mondrian.task import Task


@dataclass(frozen=True)
class SkylineMondrian(Algorithm):
    """Regions that withstand what a `Skyline` allows an adversary to know; nobody is suppressed.

    SkylineAnonymize (Chen 2009, section 6.2, figure 4). Regions wait in a queue. The first one is
    cut in two at its best candidate that leaves the whole release safe, and both sides join the
    queue; a region without such a candidate is done. Whether a release is safe follows from five
    statistics per point and value, each the least over all groups, so a candidate is judged by its
    two sides and five numbers. Candidates are all cuts between two values of any quasi-identifier
    that occur in the region, in the order of

    - "gain": the information gain about `gain_of`, a sensitive column or a quasi-identifier; unless
      told otherwise, the column that the skyline protects. Of a set-valued column, about what one
      of the region's occurrences of values is. Ties go to the earlier column, then the lower cut.
    - "median": as `Mondrian`: the column that spreads widest as a share of its range first; in it,
      between the largest nodes of a tree, then nearest to halving the people, then lower.
    - "widest": the same column first; in it, nearest to the middle of the region's values, half-way
      between the least and the largest of them, then lower.

    With one value per person the result is minimal: no cut of any region, at any value of any
    column, leaves the release safe. Of sets and multisets it is safe, but safety is not monotone
    there (the paper's theorem 3 fails), so smaller groups might be safe where these are not cut.
    For the same reason statistics of sets are those of the groups there are at the time, where
    figure 4 keeps those of regions that have been cut since, which can only hinder.

    Other criteria beside the skyline have to hold for both sides of a cut.

    publish: boxes ("generalized"), with `bounds` as those of `Mondrian`, or the quasi-identifiers
    as they are beside a table of sensitive values ("bucketized").

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> promise = sf.Skyline([(1, 2, 0, 0.9)])  # who excludes a value and knows two others
    >>> release = sf.anonymize(patients, promise, sf.SkylineMondrian())
    >>> release.n_suppressed, bool(release.check())
    (0, True)
    """

    split: Literal["gain", "median", "widest"] = "gain"
    gain_of: str | None = None
    publish: Literal["generalized", "bucketized"] = "generalized"
    bounds: Bounds = "grid"
    judges_all_groups: ClassVar[bool] = True
    one_by_one: ClassVar[bool] = False

    def __post_init__(self) -> None:
        one_of("SkylineMondrian", "split", self.split, ("gain", "median", "widest"))
        one_of("SkylineMondrian", "publish", self.publish, ("generalized", "bucketized"))
        one_of("SkylineMondrian", "bounds", self.bounds, BOUNDS)
        optional_column("SkylineMondrian", "gain_of", self.gain_of)
        if self.gain_of is not None and self.split != "gain":
            raise BadInput(
                f"SkylineMondrian: gain_of goes with split='gain', not with {self.split!r}; "
                "drop one of the two"
            )
        if self.bucketized and self.bounds != "grid":
            raise BadInput(
                "SkylineMondrian: bounds are those of boxes, and publish='bucketized' has none; "
                "drop one of the two"
            )

    @property
    def bucketized(self) -> bool:
        """Whether two tables are published."""
        return self.publish == "bucketized"

    @property
    def takes_sets(self) -> bool:
        """It looks at groups as a whole; sets are published as two tables only."""
        return self.bucketized

    @property
    def keeps_guards(self) -> bool:
        """Boxes hold combinations as a whole."""
        return not self.bucketized

    def refuses(self, criterion: Criterion) -> str | None:
        """Also criteria without a `Skyline`, and others about all groups."""
        return super().refuses(criterion) or not_by_regions(criterion)

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (cls(), cls("median", publish="bucketized"))

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Cut regions until no cut is safe."""
        del draw
        from sfumato.algorithms.skyline_mondrian.regions import Regions  # noqa: PLC0415  (a compiler)

        region, boxes, _ = Regions(frequencies, self._task(frequencies, criterion)).run()
        if self.bucketized:
            key = np.arange(len(frequencies), dtype=np.int64)
            group = region[frequencies.combination_of]
            parts = np.stack([key, group, frequencies.counts], axis=1).astype(np.int64)
            return Bucketing(frequencies, parts)
        ground = frequencies.combinations
        parts = np.stack([np.arange(len(ground)), region, ground.counts], axis=1)
        return bounded(Assignment(ground, boxes, parts.astype(np.int64)), self.bounds)

    @property
    def works_in_pieces(self) -> bool:
        """Levels of boxes are cut piece after piece; two tables are of people one by one."""
        return not self.bucketized

    def search_in_pieces(self, stored: StoredCounts, criterion: Criterion, draw: Draw) -> Piecewise:
        """Cut large regions by what they are along one column, and those that fit as ever."""
        del draw
        from sfumato.algorithms.skyline_mondrian.in_pieces import Levels  # noqa: PLC0415  (a compiler)

        task = self._task(stored.everybody, criterion)
        return Levels(stored, task).run().recoding(self.bounds)

    def _task(self, everybody: FrequencySet, criterion: Criterion) -> Task:
        """Write down what is asked for, and refuse what cannot be had."""
        from sfumato.algorithms.skyline_mondrian.task import Task  # noqa: PLC0415  (a compiler)

        refused = not_by_regions(criterion)
        if refused is not None:
            raise BadInput(f"{self} cannot enforce {criterion}: {refused}")
        skylines = [known for part in criterion.parts if (known := part.skyline()) is not None]
        beside = [part for part in criterion.parts if part.skyline() is None]
        for part in skylines:
            _refuse_unsafe(everybody, part)
        if beside:
            refuse_unsafe_whole(everybody, together(beside))
        protected = str(everybody.attribute(skylines[0].attribute))
        gain_of = _known(everybody, self.gain_of) or protected
        return Task.of(everybody, skylines, beside, self.split, gain_of)


def not_by_regions(criterion: Criterion) -> str | None:
    """Say why a criterion cannot be enforced so; None: it can."""
    if all(part.skyline() is None for part in criterion.parts):
        return (
            "it cuts by what an adversary may know, and there is no Skyline; for other criteria "
            "use sf.Mondrian"
        )
    if not all(part.by_group or part.skyline() is not None for part in criterion.parts):
        return "beside a Skyline, it judges one group at a time"
    return None


def _known(frequencies: FrequencySet, gain_of: str | None) -> str | None:
    known = [*frequencies.quasi_identifiers, *frequencies.sensitive]
    if gain_of is not None and gain_of not in known:
        raise BadInput(
            f"SkylineMondrian: gain_of: no quasi-identifier or sensitive column "
            f"{gain_of!r}{nearest(gain_of, known)}"
        )
    return gain_of


def _refuse_unsafe(frequencies: FrequencySet, skyline: Skyline) -> None:
    """Refuse a table that is unsafe as a single group, and say by which point and value."""
    attribute = str(frequencies.attribute(skyline.attribute))
    values, occurrences = frequencies.domains[attribute].values, frequencies.occurrences(attribute)
    counted = sum_by(occurrences.codes.astype(np.intp), occurrences.counts, len(values))
    n = frequencies.n_rows
    histogram, size = Histogram.from_dense(counted[np.newaxis]), np.array([n])
    for limit, codes in skyline.requirements(values).items():
        hit = exposed(histogram, size, limit.point, limit.c, skyline.case)
        hit &= np.isin(histogram.codes, codes)
        if hit.any():
            break
    else:
        return
    entry = int(hit.argmax())
    code = int(histogram.codes[entry])
    (ratio, *_) = statistics(histogram, size, *limit.point, skyline.case)[entry]
    named = [name for name in skyline.named_values() if values.code_of(name) == code]
    value = shown(named[0]) if named else f"a value that occurs {counted[code]} times"
    breach = value_text(1 / (1 + float(ratio)))
    evidence = (
        f"all rows ({count(n)}) as one group, whoever knows up to (l, k, m) = "
        f"{tuple(limit.point)} believes in {value} with confidence {breach}, and "
        f"{value_text(limit.c)} must not be reached"
    )
    if skyline.case == "single":
        raise Unsatisfiable(f"no partition satisfies {skyline}: even with {evidence}")
    raise Unsatisfiable(
        f"SkylineMondrian cuts what is safe, and has nothing to begin with: with {evidence}; that "
        f"does not prove {skyline} impossible: of sets, smaller groups can be safe where larger "
        "ones are not"
    )
