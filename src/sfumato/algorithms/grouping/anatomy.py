"""Anatomy: groups of people with different sensitive values (Xiao & Tao; Cormode 2010, 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.grouping.anatomy_kernels import deal_values
from sfumato.algorithms.grouping.line import histogram_of
from sfumato.algorithms.grouping.people import (
    Integers,
    bucketing,
    need_sensitive,
    one_by_one,
    shuffled,
)
from sfumato.algorithms.lots import Draw
from sfumato.criteria import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Histogram
from sfumato.data.recoding import Recoding
from sfumato.errors import BadInput, BrokenPromise, Unsatisfiable
from sfumato.parameters import optional_seed
from sfumato.text import count, counted

COMPILED = 5000  # people from which on machine code pays for its start
WAITS = 20  # times as many pay for a compiler


@dataclass(frozen=True)
class Anatomy(Algorithm):
    """Groups of people with different sensitive values, chosen by these values alone.

    A group takes one random person of each of the l most frequent values that are left (ties by
    the order of the values), until fewer than l people are left; each of these joins a random
    group that does not have the value. The l is what the criterion needs: `LDiversity(l)` of any
    kind, 1/alpha, p, or as many values as satisfy recursive diversity. Where it needs more people
    than values (a k), groups take more values if the table has them, and are joined in the order
    in which they were made until they have k people.

    With `values=` only the values named must differ within a group (pooled: there is at most one
    person with any of them); the other people fill up the groups once these run out, as if each
    had a value of its own. A part that counts different values needs all of them to differ.

    Nobody is suppressed. Quasi-identifiers are not looked at, so exchanging people changes
    nothing, and knowing the method helps nobody (Cormode 2010, claim 4). It follows that people
    in a group are not alike.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.LDiversity(3), sf.Anatomy())
    >>> release.to_arrow().column_names  # the other table has the group and the disease
    ['group', 'age', 'sex']
    """

    seed: int | None = None
    symmetric: ClassVar[bool] = True
    joint: ClassVar[bool] = False
    bucketized: ClassVar[bool] = True

    def __post_init__(self) -> None:
        optional_seed("Anatomy", self.seed)

    @property
    def deterministic(self) -> bool:
        """Chance says who stands for a value."""
        return False

    def refuses(self, criterion: Criterion) -> str | None:
        """Also what different values in a group do not satisfy."""
        return super().refuses(criterion) or not_by_different_values(criterion)

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """It has no kinds."""
        return (cls(),)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Deal people out by their values."""
        need_sensitive("Anatomy", frequencies)
        needs = Needs.of(criterion, frequencies)
        people = one_by_one(frequencies.counts)
        n, bounded = len(people), needs.codes >= 0
        most = int(sum_by(needs.codes[bounded], frequencies.counts[bounded], 1).max())
        if n < needs.people or most * needs.values > n:
            raise Unsatisfiable(
                f"Anatomy: no groups of different values satisfy {criterion}: of "
                f"{counted(n, 'row')}, at least {count(needs.people)} are needed, and no value may "
                f"have more than 1 in {needs.values}; the most frequent has {most}"
            )
        group = anatomize(needs, people, np.zeros(n, dtype=np.int64), draw)
        verify(frequencies, criterion, people, group)
        return bucketing(frequencies, people, group)


@dataclass(frozen=True, eq=False)
class Needs:
    """What a criterion needs of groups in which values differ."""

    values: int  # different ones in a group, or people whose values may repeat
    people: int  # in a group
    codes: Integers  # (n_keys,) what must differ within a group; -1: may repeat

    @classmethod
    def of(cls, criterion: Criterion, frequencies: FrequencySet) -> Needs:
        """Read a criterion; refuse one that different values cannot satisfy."""
        reason = not_by_different_values(criterion)
        if reason is not None:
            raise BadInput(f"Anatomy cannot enforce {criterion}: {reason}")
        looking = [part for part in criterion.parts if part.looks_at_values]
        attributes = {frequencies.attribute(part.attribute) for part in looking}
        if len(attributes) > 1:
            raise BadInput(
                f"Anatomy cannot enforce {criterion}: values of one sensitive column are made to "
                "differ, and these are about several"
            )
        n_values = max((part.enough_different() or 1 for part in looking), default=1)
        codes = np.full(len(frequencies), -1, dtype=np.int64)
        for name in attributes:
            attribute = str(name)
            # Values that some part counts as one stand under the same code.
            domain = frequencies.domains[attribute]
            same = np.arange(len(domain), dtype=np.int64)
            differ = np.zeros(len(domain), dtype=bool)
            for part in looking:
                counted = part.protects(domain)
                differ |= counted >= 0
                for code in np.flatnonzero(np.bincount(counted[counted >= 0]) > 1):
                    pooled = same[counted == code]
                    same[np.isin(same, pooled)] = pooled.min()
            codes = np.where(differ, same, -1)[frequencies.codes(attribute)]
        return cls(n_values, max(criterion.least_size, n_values), codes)


def not_by_different_values(criterion: Criterion) -> str | None:
    """Say why values that differ within groups do not satisfy a criterion; None: they do."""
    if all(part.enough_different() is not None for part in criterion.parts):
        return None
    return "groups are made of different values, and these need not satisfy the criterion"


def not_anatomized(method: Algorithm, criterion: Criterion) -> str | None:
    """Say why finished groups cannot be partitioned by Anatomy; None: they can, or need not."""
    return not_by_different_values(criterion) if method.anatomize else None


def anatomize(needs: Needs, people: NDArray[np.intp], table: Integers, draw: Draw) -> Integers:
    """Partition tables into groups of different values; give the group of every person.

    table: (n,) the table that each person is in, ascending from 0 without gaps. One that is too
    uneven stays one group.
    """
    codes = needs.codes[people]
    n_values = int(codes.max(initial=-1)) + 1
    n_values, n_tables = max(n_values, 1), int(table[-1]) + 1
    differ = codes >= 0
    ones = np.ones(int(differ.sum()), dtype=np.int64)
    histogram = Histogram.from_entries(
        table[differ], codes[differ].astype(np.int32), ones, (n_tables, n_values)
    )
    sizes = np.bincount(table, minlength=n_tables)
    free = sizes - np.bincount(table[differ], minlength=n_tables)
    n_different, n_people = (min(n, len(people) + 1) for n in (needs.values, needs.people))
    width = np.minimum(max(n_different, n_people), sizes // np.maximum(histogram.largest(), 1))
    width[(width < n_different) | (sizes < n_people)] = 0
    joined = -(-n_people // np.maximum(width, 1))
    n_left = int((sizes[width > 0] % width[width > 0]).sum())
    lots = (np.frombuffer(draw(8 * n_left), dtype="<u8") >> np.uint64(1)).astype(np.int64)
    value, group = np.empty(len(people), dtype=np.int64), np.empty(len(people), dtype=np.int64)
    _kernel(len(people))(
        histogram.starts,
        histogram.codes.astype(np.int64),
        histogram.counts,
        free,
        width,
        joined,
        lots,
        n_values,
        value,
        group,
    )
    # Places for a value of a table go to the people there who have it, in a random order.
    wanted = np.repeat(np.arange(n_tables), sizes) * (n_values + 1) + value
    given = np.empty(len(people), dtype=np.int64)
    own = table * (n_values + 1) + np.where(differ, codes, n_values)
    given[shuffled(own, draw)] = group[np.argsort(wanted, kind="stable")]
    return given


def verify(
    frequencies: FrequencySet, criterion: Criterion, people: NDArray[np.intp], group: Integers
) -> None:
    """Judge the groups that were made, as whoever publishes them will."""
    kept = group >= 0
    sizes = np.bincount(group[kept])
    values = frequencies.persons_values.of_key[people[kept]]
    joint = JointGroups(frequencies, sizes, histogram_of(frequencies, group[kept], values))
    if not holding(criterion, joint).all():
        raise BrokenPromise(f"internal error: groups were made that do not satisfy {criterion}")


def _kernel(n_people: int) -> Any:
    if n_people <= COMPILED:
        return deal_values
    kernel = _as_machine_code()
    from sfumato.compiled import is_kept  # noqa: PLC0415  (a compiler)

    return kernel if n_people > COMPILED * WAITS or is_kept(kernel) else deal_values


@cache
def _as_machine_code() -> Any:
    from sfumato.compiled import compiled  # noqa: PLC0415  (a compiler)

    return compiled(deal_values)
