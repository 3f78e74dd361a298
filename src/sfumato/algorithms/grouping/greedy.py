"""Greedy grouping of sorted people, and its randomized variant (Cormode 2010, 2.3 and 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.formation import Formation
from sfumato.algorithms.grouping.anatomy import Needs, anatomize, not_anatomized, verify
from sfumato.algorithms.grouping.line import Line
from sfumato.algorithms.grouping.people import (
    bucketing,
    known_order,
    need_sensitive,
    partitioned,
    place_in_group,
    settle,
    sorted_people,
)
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.refusals import refuse_unsafe_whole
from sfumato.criteria import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import Recoding
from sfumato.errors import BadInput, Unsatisfiable
from sfumato.parameters import number

TOSS = 2**64  # a toss is a number below this


@dataclass(frozen=True)
class GreedyGrouping(Algorithm):
    """People are sorted by quasi-identifiers, and neighbours join a group until it is safe.

    Figure 2 of Cormode 2010. People are in lexicographic order of their quasi-identifiers, values
    in tree order, equal people in a random order. With `LDiversity(l, "frequency")` alone and a
    whole l, people join in buckets of l, which loses nothing where every value is bounded; with
    any other criterion one at a time. The last bucket may be smaller. People at the end who are
    in no safe group are suppressed.

    Where only some values are bounded and people join one at a time, whoever has none of them
    may be a group alone, so the first person of a larger group certainly has one: give `values=`
    with a whole l and nothing else.

    The method is made to be attacked: a group that is larger than it need be tells that its
    first people were not safe. It is asymmetric, looks at quasi-identifiers and sensitive values
    together, and leaves nothing to chance but the order of equal people.

    Args:
        order: Quasi-identifiers by priority in the sort; those not named follow in the order of
            the table.
        margin: Enforce `margin` times the l of `LDiversity(l, "frequency")`, rounded up so that
            there are buckets: with `math.e` the attack of section 4.2 brings nobody above 1/l
            (theorem 6, for one bounded value).
        anatomize: Partition each finished group by `Anatomy`. The result is a method of its own,
            which theorem 6 says nothing about.
        seed: Repeats the chances, for experiments.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.LDiversity(3, "frequency"), sf.GreedyGrouping())
    >>> bool(release.check())
    True
    """

    order: tuple[str, ...] | None = None
    margin: Fraction = Fraction(1)
    anatomize: bool = False
    seed: int | None = None
    bucketized: ClassVar[bool] = True

    def __init__(
        self,
        order: Sequence[str] | None = None,
        margin: float | Fraction | str = 1,
        anatomize: bool = False,
        seed: int | None = None,
    ) -> None:
        exact = number("GreedyGrouping", "margin", margin, least=1)
        object.__setattr__(self, "margin", exact)
        settle(self, order, anatomize, seed)

    def refuses(self, criterion: Criterion) -> str | None:
        """Also what partitioned groups need not satisfy, or a margin says nothing about."""
        return (
            super().refuses(criterion)
            or not_anatomized(self, criterion)
            or self._without_margin(criterion)
        )

    def _without_margin(self, criterion: Criterion) -> str | None:
        """Say why a margin makes no sense for a criterion; None: there is none, or it does."""
        if self.margin == 1 or criterion.stricter(self.margin) is not None:
            return None
        return (
            'a margin multiplies the l of LDiversity(l, "frequency"), and this is another criterion'
        )

    def formation(self, criterion: Criterion, frequencies: FrequencySet) -> Formation:
        """Groups were published as soon as they were safe, by the margin."""
        enforced = self.enforced(criterion)
        unit = unit_of(enforced, frequencies)
        return Formation(enforced, unit, enforced.least_size, Fraction(0), self.order or ())

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (cls(), cls(margin=2), cls(anatomize=True))

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Grow groups from the first person to the last."""
        reason = self._without_margin(criterion)
        if reason is not None:
            raise BadInput(f"{self} cannot enforce {criterion}: {reason}")
        enforced = self.enforced(criterion)
        try:
            return _grown(self, frequencies, criterion, enforced, Fraction(0), draw)
        except Unsatisfiable as error:
            if enforced is criterion:
                raise
            raise Unsatisfiable(f"{error}; margin multiplies the l that was asked for") from None

    def enforced(self, criterion: Criterion) -> Criterion:
        """Give what groups are grown to, where a criterion is promised."""
        return criterion if self.margin == 1 else criterion.stricter(self.margin) or criterion


@dataclass(frozen=True)
class RandomizedGrouping(Algorithm):
    """Greedy grouping that goes on with probability p where a group is safe already.

    Section 4.3 of Cormode 2010: a large group may be large by chance, not because its first
    people were unsafe. There is one toss for every bucket (or person, see `GreedyGrouping`) at
    whose end the group is safe.

    A group that went on and reaches the end of the table without being safe there goes back to
    where it was safe last, and the people behind it are suppressed. So a group with d shorter
    safe beginnings went on d times, and within every group a world is as likely as p to the d:
    whether there was a last toss, and what became of the people behind, is the same in all of them.

    Larger p lowers what the attack learns, but does not bring it down to 1/l for every group.
    Asymmetric; looks at quasi-identifiers and sensitive values together.

    Args:
        p: The probability of going on, from 0 to below 1 (0: greedy grouping).
        order: Quasi-identifiers by priority in the sort, as in `GreedyGrouping`.
        anatomize: Partition each finished group by `Anatomy`: a method of its own.
        seed: Repeats the chances, for experiments.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> method = sf.RandomizedGrouping(0.65)
    >>> bool(sf.anonymize(patients, sf.LDiversity(3, "frequency"), method).check())
    True
    """

    p: Fraction
    order: tuple[str, ...] | None = None
    anatomize: bool = False
    seed: int | None = None
    bucketized: ClassVar[bool] = True

    def __init__(
        self,
        p: float | Fraction | str,
        order: Sequence[str] | None = None,
        anatomize: bool = False,
        seed: int | None = None,
    ) -> None:
        exact = number("RandomizedGrouping", "p", p, least=0, below=1)
        object.__setattr__(self, "p", exact)
        settle(self, order, anatomize, seed)

    @property
    def deterministic(self) -> bool:
        """Tosses decide where groups end."""
        return False

    def refuses(self, criterion: Criterion) -> str | None:
        """Also what partitioned groups need not satisfy."""
        return super().refuses(criterion) or not_anatomized(self, criterion)

    def formation(self, criterion: Criterion, frequencies: FrequencySet) -> Formation:
        """Groups that were safe went on with probability p."""
        unit = unit_of(criterion, frequencies)
        return Formation(criterion, unit, criterion.least_size, self.p, self.order or ())

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """With the paper's probability."""
        return (cls(0.65),)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Grow groups from the first person to the last."""
        return _grown(self, frequencies, criterion, criterion, self.p, draw)


def unit_of(criterion: Criterion, frequencies: FrequencySet) -> int:
    """How many people join a group at a time."""
    one_column = criterion.attribute is not None or len(frequencies.sensitive) == 1
    return min(criterion.joining(), max(frequencies.n_rows, 1)) if one_column else 1


def tosses(p: Fraction, n: int, draw: Draw) -> NDArray[np.bool_]:
    """Toss n times; true with probability p, to within one in 2^64."""
    if p == 0:
        return np.zeros(n, dtype=bool)
    limit = min(math.ceil(p * TOSS), TOSS - 1)
    return np.frombuffer(draw(8 * n), dtype="<u8") < np.uint64(limit)


def _grown(
    method: GreedyGrouping | RandomizedGrouping,
    frequencies: FrequencySet,
    criterion: Criterion,
    enforced: Criterion,
    p: Fraction,
    draw: Draw,
) -> Recoding:
    owner = type(method).__name__
    need_sensitive(owner, frequencies)
    order = known_order(owner, method.order, frequencies)
    needs = Needs.of(criterion, frequencies) if method.anatomize else None
    people = sorted_people(frequencies, order, draw)
    line = Line(frequencies, enforced, people)
    unit = unit_of(enforced, frequencies)
    group = line.grow(unit, tosses(p, -(-len(people) // unit), draw))
    if group.max(initial=-1) < 0:  # even the longest beginning, the whole table, is unsafe
        refuse_unsafe_whole(frequencies, enforced)
    if needs is None:
        return bucketing(frequencies, people, group)
    before, kept = group.copy(), group >= 0
    group[kept] = anatomize(needs, people[kept], group[kept], draw)
    verify(frequencies, criterion, people, group)
    bucket = place_in_group(before) // unit
    return partitioned(frequencies, people, group, before, bucket)
