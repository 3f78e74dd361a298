"""How much more can flow through one node of a residual graph: compiled loops on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.compiled import compiled


@compiled
def rerouted(
    first: Any,
    arcs: Any,
    head: Any,
    room: Any,
    seen: Any,
    pivot: int,
    others: Any,
    most: int,
    forward: bool,
) -> Any:  # pragma: no cover  (compiled)
    """Give the flow between a node and some others, and how much more has another way between them.

    Arc i and arc i + m, its way back, have the room `room`; the arcs that leave node v are
    arcs[first[v]:first[v + 1]]. The arcs between the pivot and the others are closed; ways lead
    from the pivot to one of the others (forward), or from one of them to the pivot. No more is
    looked for than to `most` altogether, or, if that is negative, than flows now.

    seen: (n_nodes,) -1 everywhere, before and after; `room` comes back as it was.
    """
    m = len(head) // 2
    is_other = -2  # a mark that no search leaves
    now = 0
    changed, n_changed = np.empty((64, 2), dtype=np.int64), 0
    for other in others:
        seen[other] = is_other
    for j in range(first[pivot], first[pivot + 1]):
        arc = arcs[j]
        if seen[head[arc]] == is_other:
            back = arc + m if arc < m else arc - m
            now += room[max(arc, back)]  # what can be taken back flows now
            for each in (arc, back):
                if n_changed == len(changed):
                    changed = np.concatenate((changed, np.empty_like(changed)))
                changed[n_changed, 0], changed[n_changed, 1] = each, room[each]
                n_changed += 1
                room[each] = 0
    limit = now if most < 0 else most - now
    more = 0
    waiting = np.empty(len(seen), dtype=np.int64)
    while more < limit:
        waiting[0], n_waiting, done, end = pivot, 1, 0, -1
        while done < n_waiting and end < 0:
            node = waiting[done]
            done += 1
            for j in range(first[node], first[node + 1]):
                arc = arcs[j]
                back = arc + m if arc < m else arc - m
                target = head[arc]
                if room[arc if forward else back] <= 0 or target == pivot or seen[target] >= 0:
                    continue
                if seen[target] == is_other:
                    end = target
                    last = arc
                    break
                seen[target] = arc
                waiting[n_waiting] = target
                n_waiting += 1
        if end >= 0:
            # Once along the way for what fits through it, once to send it.
            amount = limit - more
            for step in range(2):
                arc = last
                while True:
                    back = arc + m if arc < m else arc - m
                    along, against = (arc, back) if forward else (back, arc)
                    if step == 0:
                        amount = min(amount, room[along])
                    else:
                        if n_changed + 1 >= len(changed):
                            changed = np.concatenate((changed, np.empty_like(changed)))
                        changed[n_changed, 0], changed[n_changed, 1] = along, room[along]
                        changed[n_changed + 1, 0] = against
                        changed[n_changed + 1, 1] = room[against]
                        n_changed += 2
                        room[along] -= amount
                        room[against] += amount
                    node = head[back]
                    if node == pivot:
                        break
                    arc = seen[node]
            more += amount
        for j in range(1, n_waiting):
            seen[waiting[j]] = -1
        if end < 0:
            break
    for j in range(n_changed - 1, -1, -1):
        room[changed[j, 0]] = changed[j, 1]
    for other in others:
        seen[other] = -1
    return now, more
