"""What no method can do anything with: no table, or one that is unsafe as a single group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding, is_monotone, reached
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput, Unsatisfiable, shown
from sfumato.table import Table
from sfumato.text import counted


def frequencies_of(owner: str, counted: object, guard: str | None = None) -> FrequencySet:
    """Count a table, if that is not done; refuse what is none."""
    if isinstance(counted, Table):
        return counted.frequencies(guard)
    if not isinstance(counted, FrequencySet):
        raise BadInput(f"{owner}: expected a table from sf.read, got {shown(counted)}")
    return counted


def all_tuples(given: object) -> bool:
    """Whether it is a sequence of sequences, none of them a text.

    >>> all_tuples([(0, 1), [1, 1]]), all_tuples(("ab", "cd")), all_tuples([{"age": 1}])
    (True, False, False)
    """
    return _is_sequence(given) and all(map(_is_sequence, given))  # type: ignore[call-overload]


def _is_sequence(given: object) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str)


def broken_by_union(criterion: Criterion, where: str) -> str | None:
    """Say why it cannot be enforced where safe groups become one; None: their union is safe."""
    if criterion.monotone(suppression=False):
        return None
    return f"{where}, and a union of safe groups need not be safe"


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
