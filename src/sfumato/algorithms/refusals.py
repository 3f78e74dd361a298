"""The table as one single group: what no partition of it can be better than."""

from __future__ import annotations

import numpy as np

from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding, is_monotone, reached
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Histogram
from sfumato.errors import Unsatisfiable
from sfumato.text import counted


def refuse_unsafe_whole(frequencies: FrequencySet, criterion: Criterion) -> None:
    """Refuse a table that is unsafe as a single group: there is nothing safe to start from."""

    def count() -> Histogram:
        values = frequencies.persons_values
        counted = sum_by(values.of_key, frequencies.counts, len(values.codes))
        return Histogram.from_dense(counted[np.newaxis])

    whole = np.array([frequencies.n_rows])
    joint = JointGroups(frequencies, whole, count if frequencies.sensitive else None)
    if holding(criterion, joint).all():
        return
    rows = counted(frequencies.n_rows, "row")
    evidence = f"as one group of all {rows} {reached(criterion, joint)}"
    if is_monotone(criterion, frequencies, suppression=False):
        raise Unsatisfiable(f"no partition satisfies {criterion}: even {evidence}")
    sets = any(frequencies.domains[name].members is not None for name in frequencies.sensitive)
    remedy = "" if sets else ", so try sf.Optimal"  # which is about one value for each
    raise Unsatisfiable(
        f"safe groups are partitioned, and there is none to begin with: {evidence}, where "
        f"{criterion} is asked for; smaller groups may be safe{remedy}"
    )
