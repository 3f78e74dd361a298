"""One group of everybody: the baseline that says nothing about who has what (Cormode 2010, 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.grouping.people import need_sensitive
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.refusals import refuse_unsafe_whole
from sfumato.criteria.criterion import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import Bucketing, Recoding


@dataclass(frozen=True)
class OneGroup(Algorithm):
    """All people in one group: two tables that have nothing to do with each other.

    The baseline of Cormode 2010, section 5. It decides nothing, so nothing can be learned from
    how it decides.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> len(sf.anonymize(patients, sf.LDiversity(3), sf.OneGroup()).groups)
    1
    """

    symmetric: ClassVar[bool] = True
    joint: ClassVar[bool] = False
    bucketized: ClassVar[bool] = True
    judges_all_groups: ClassVar[bool] = True

    @property
    def takes_sets(self) -> bool:
        """Everybody goes together, whatever they have."""
        return True

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """It has no kinds."""
        return (cls(),)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Put everybody together, if that is safe."""
        del draw
        need_sensitive("OneGroup", frequencies)
        refuse_unsafe_whole(frequencies, criterion)
        key = np.arange(len(frequencies), dtype=np.int64)
        parts = np.stack([key, np.zeros_like(key), frequencies.counts], axis=1)
        return Bucketing(frequencies, parts)
