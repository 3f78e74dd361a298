"""A region that does not fit, cut by what its people are along single columns.

Which cuts a region has, what they gain and whether they are safe follows from how many of its
people have which code of one column together with which values. So each column is weighed as if
there were no other, and the best cut of all columns is the one that a search with the whole region
in memory finds, by the same compiled loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from sfumato.algorithms.skyline_mondrian.kernels.cuts import GAIN
from sfumato.algorithms.skyline_mondrian.regions import Regions, last_below
from sfumato.algorithms.skyline_mondrian.space import Floats
from sfumato.algorithms.skyline_mondrian.task import Task
from sfumato.data.frequency import FrequencySet


def cut_by_columns(
    seen: Sequence[FrequencySet], task: Task, tree: Floats
) -> tuple[int, int] | None:
    """Cut a region, if a cut is safe; give the column, and the last rank below the cut.

    Args:
        seen: The people of the region by each column in turn, which is the first of what they are
            counted by, and by values.
        task: What is asked for.
        tree: The global statistics; those of both sides are taken into account.
    """
    found = []
    for column, people in enumerate(seen):
        along = Regions(people, task, people.quasi_identifiers[:1], tree=tree)
        chosen = along.best_cut()
        if chosen >= 0:
            found.append((_place(along, chosen), column, chosen, along))
    if not found:
        return None
    _, column, chosen, along = min(found, key=itemgetter(0))  # of equals the first
    last, following = along.cuts.last[[chosen]], along.cuts.following[[chosen]]
    along.decide(chosen)
    return column, int(last_below(along.domains[0], last, following)[0])


def _place(along: Regions, chosen: int) -> float:
    """Give what puts the best cuts of columns in order: gain, or else how wide their column is."""
    if along.task.split == GAIN:
        return int(along.cuts.first_key[chosen])
    return -float(along.room.span[0])
