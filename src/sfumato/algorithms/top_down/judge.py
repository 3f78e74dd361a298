"""Groups of counted combinations, in the making, under a criterion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Counts, Histogram


class Judge:
    """Judges groups by their people; without a criterion about values, by their sizes alone.

    If no part of the criterion looks at values, they are not counted: `n_values` is 1 and every
    code is 0.
    """

    def __init__(self, frequencies: FrequencySet, criterion: Criterion) -> None:
        self.frequencies = frequencies
        self.criterion = criterion
        self.by_value = any(part.looks_at_values for part in criterion.parts)
        self.counted = frequencies if self.by_value else frequencies.combinations
        values = frequencies.persons_values
        n = len(self.counted)
        self.value_of = values.of_key if self.by_value else np.zeros(n, dtype=np.intp)
        self.n_values = len(values.codes) if self.by_value else 1
        names = frequencies.quasi_identifiers
        self.codes = np.stack([self.counted.codes(name) for name in names], axis=1)
        self.domains = [frequencies.domains[name] for name in names]

    def groups(
        self, group: NDArray[np.intp], keys: NDArray[np.intp], counts: Counts, n_groups: int
    ) -> NDArray[np.bool_]:
        """Judge groups given by their members; each has somebody in it."""
        histogram = None
        if self.by_value:
            codes = self.value_of[keys].astype(np.int32)
            histogram = Histogram.from_entries(group, codes, counts, (n_groups, self.n_values))
        return self._hold(sum_by(group, counts, n_groups), histogram)

    def rows(self, rows: Counts) -> NDArray[np.bool_]:
        """Judge groups given by their counts, (n_groups, n_values); each has somebody in it."""
        histogram = Histogram.from_dense(rows) if self.by_value else None
        return self._hold(rows.sum(axis=1), histogram)

    def _hold(self, sizes: Counts, histogram: Histogram | None) -> NDArray[np.bool_]:
        return holding(self.criterion, JointGroups(self.frequencies, sizes, histogram))
