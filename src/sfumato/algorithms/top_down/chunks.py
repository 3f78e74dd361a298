"""Groups that do not fit together, judged as many at a time as do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.top_down.judge import Judge
from sfumato.criteria.criterion import Criterion
from sfumato.data.keys import Codes
from sfumato.errors import NoRoom
from sfumato.stored_counts import StoredCounts

Box = NDArray[np.int32]  # (n_columns, 2): [low, high] ranks


def all_safe(
    stored: StoredCounts, criterion: Criterion, firsts: list[Codes], column: int, ends: Box
) -> bool:
    """Judge the groups of a cut that have their place between two ranks of a column.

    firsts: rank -> first rank of its node, of every column; ends: the two ranks.
    """
    whole = np.array([[0, len(first) - 1] for first in firsts], dtype=np.int32)
    whole[column] = ends
    waiting = [whole]
    while waiting:
        box = waiting.pop()
        if stored.counted.n_rolled_up(firsts, box) > stored.most:
            waiting += _halves(firsts, box)
            continue
        piece = stored.counted.rolled_up(firsts, box)
        people = stored.seen(piece.keys, piece.counts, piece.digests)
        judge = Judge(people, criterion)
        counted = judge.counted
        n_groups = len(people.combinations)
        group = counted.combination_of
        if not judge.groups(group, np.arange(len(counted)), counted.counts, n_groups).all():
            return False
    return True


def _halves(firsts: list[Codes], box: Box) -> list[Box]:
    """Part a box between nodes of the column that has most of them there."""
    nodes = [
        np.unique(first[low : high + 1]) for first, (low, high) in zip(firsts, box, strict=True)
    ]
    column = int(np.argmax([len(each) for each in nodes]))
    if len(nodes[column]) == 1:
        raise NoRoom(
            "TopDown: the sensitive values of a single group do not fit into the memory that is "
            "allowed: allow more (memory=)"
        )
    below, above = box.copy(), box.copy()
    above[column, 0] = nodes[column][len(nodes[column]) // 2]
    below[column, 1] = above[column, 0] - 1
    return [below, above]
