"""A criterion asked of many groupings of one table, the cheapest part first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judge import Judge
from sfumato.criteria.judging import is_monotone, staying, verdicts, views
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Counts


@dataclass(frozen=True, eq=False)
class _Part:
    """One definition with its judges, by the sensitive column that it is asked of."""

    definition: Criterion
    judges: dict[str | None, Judge]

    def holding(self, joint: JointGroups) -> NDArray[np.bool_]:
        """Say for every group whether it satisfies the definition."""
        held = np.ones(len(joint.sizes), dtype=bool)
        for named, groups, owner in views(self.definition, joint):
            safe = verdicts(named, self.judges[named.attribute].holds(groups), len(groups))
            if owner is None:
                held &= safe
            else:
                held[owner[~safe]] = False
        return held

    def surplus(self, joint: JointGroups) -> Counts:
        """Give how many people of each group are left out by any finer groups, at least.

        Where groups are parted by other sensitive columns, so are those below them: what the parts
        leave out adds up.
        """
        surplus = np.zeros(len(joint.sizes), dtype=np.int64)
        for named, groups, owner in views(self.definition, joint):
            judge = self.judges[named.attribute]
            held = verdicts(named, judge.holds(groups), len(groups))
            each = judge.surplus(groups, held)
            own = each if owner is None else sum_by(owner, each, len(surplus))
            surplus = np.maximum(surplus, own)
        return surplus


class RepeatedQuestion:
    """Which groups may stay, and how many people cannot: as `staying` says, with less work.

    Parts are asked from the cheapest on: numbers of people first, then what is monotone, then the
    rest; the answer ends where too many people are in groups that break a part.
    """

    def __init__(self, criterion: Criterion, frequencies: FrequencySet) -> None:
        self.criterion = criterion
        self.frequencies = frequencies
        self.by_group = all(part.by_group for part in criterion.parts)
        parts = [part for part in criterion.parts if part.by_group]
        self.parts = [_part(part, frequencies) for part in sorted(parts, key=_cost)]

    def staying(self, joint: JointGroups, limit: int) -> NDArray[np.bool_] | None:
        """Say which groups can be published together; None: more people are in the others."""
        held = np.ones(len(joint.sizes), dtype=bool)
        for part in self.parts:
            held &= part.holding(joint)
            if int(joint.sizes[~held].sum()) > limit:
                return None  # groups that break a part stay under no criterion that has it
        if not self.by_group:
            held = staying(self.criterion, joint)
            if int(joint.sizes[~held].sum()) > limit:
                return None
        return held

    def more_left_out(self, joint: JointGroups, limit: int) -> bool:
        """Whether it is certain that all finer groups leave out more people than the limit."""
        return self.left_out(joint, limit) is None

    def left_out(self, joint: JointGroups, limit: int) -> Counts | None:
        """Give how many people of each group all finer groups leave out, at least.

        None: it is certain that more than the limit are left out.
        """
        surplus = np.zeros(len(joint.sizes), dtype=np.int64)
        for part in self.parts:
            surplus = np.maximum(surplus, part.surplus(joint))
            if int(surplus.sum()) > limit:
                return None
        if not self.by_group:
            monotone = is_monotone(self.criterion, self.frequencies, suppression=limit > 0)
            if monotone and self.staying(joint, limit) is None:
                return None
        return surplus


def _part(part: Criterion, frequencies: FrequencySet) -> _Part:
    if not part.looks_at_values:
        return _Part(part, {part.attribute: Judge(part)})
    if part.attribute is not None or len(frequencies.sensitive) == 1:
        asked = {part.attribute: str(frequencies.attribute(part.attribute))}
    else:
        asked = {name: name for name in frequencies.sensitive}
    judges = {}
    for named, column in asked.items():
        about = part if named == part.attribute else part.about(column)
        values, reference = frequencies.domains[column].values, frequencies.reference(column)
        judges[named] = about.judge(values, reference)
    return _Part(part, judges)


def _cost(part: Criterion) -> int:
    """Put parts in order: those about people, those that adding people cannot break, the others."""
    if not part.looks_at_values:
        return 0
    return 1 if part.monotone(suppression=True) else 2
