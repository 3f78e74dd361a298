"""Grouping by the sensitive value only (Koudas et al., as in Cormode 2010, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.grouping.line import Line
from sfumato.algorithms.grouping.people import bucketing, need_sensitive, one_by_one, shuffled
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.refusals import refuse_unsafe_whole
from sfumato.criteria.criterion import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import Recoding
from sfumato.errors import BadInput
from sfumato.parameters import optional_seed


@dataclass(frozen=True)
class SensitiveGrouping(Algorithm):
    """People are sorted by their sensitive value, and neighbours join a group until it is safe.

    After Koudas et al., as Cormode 2010 tells it (section 3.1): the sensitive numbers of a group
    are near each other, but not nearer than a criterion such as `KEAnonymity(k, e)` wants. Values
    are in the order of their domain: numbers by size, others as in their tree. People with the
    same value stand in a random order and join one at a time. Those left over at the end join
    the last group if it stays safe with them, and are suppressed if not.

    Quasi-identifiers are not looked at, so exchanging people changes nothing, and knowing the
    method helps nobody (claim 4).

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.PSensitiveKAnonymity(2, 5), sf.SensitiveGrouping())
    >>> bool(release.check())
    True
    """

    seed: int | None = None
    symmetric: ClassVar[bool] = True
    joint: ClassVar[bool] = False
    bucketized: ClassVar[bool] = True

    def __post_init__(self) -> None:
        optional_seed("SensitiveGrouping", self.seed)

    @property
    def deterministic(self) -> bool:
        """People with the same value stand in a random order."""
        return False

    def refuses(self, criterion: Criterion) -> str | None:
        """Also what is promised to people who are left over."""
        if any(part.by_mechanism for part in criterion.parts):
            return (
                "those left over have the last of all values, so that whoever knows the method and "
                "that somebody was suppressed is certain"
            )
        return super().refuses(criterion)

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """It has no kinds."""
        return (cls(),)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Grow groups from the smallest value to the largest."""
        need_sensitive("SensitiveGrouping", frequencies)
        named = {part.attribute for part in criterion.parts} - {None}
        if len(named) > 1:
            raise BadInput(
                f"SensitiveGrouping cannot enforce {criterion}: people are sorted by one sensitive "
                "column, and these are about several"
            )
        attribute = str(frequencies.attribute(named.pop() if named else None))
        people = one_by_one(frequencies.counts)
        people = people[shuffled(frequencies.codes(attribute)[people], draw)]
        line = Line(frequencies, criterion, people)
        group = line.grow(1)
        if group[0] < 0:  # even the longest beginning, the whole table, is unsafe
            refuse_unsafe_whole(frequencies, criterion)
        last = int(group.max())
        start = np.searchsorted(group[group >= 0], [last])
        if group[-1] < 0 and line.safe(start.astype(np.int64), np.array([len(group)])).all():
            group[group < 0] = last
        return bucketing(frequencies, people, group)
