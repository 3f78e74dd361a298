"""The compiled loops of `lines`: grow groups along a line of people, and judge stretches of it.

Criteria are given as `thresholds` writes them: `limits` holds the people, the numerator and the
denominator of the largest share, and the number of values that a group needs.
"""

from __future__ import annotations

import numpy as np

from sfumato.compiled import compiled


@compiled
def grow(value, bounded, named, limits, unit, goes_on, group):  # type: ignore[no-untyped-def]
    """Write the group of every person, -1 for those left over at the end."""
    count = np.zeros(len(bounded), dtype=np.int64)
    seen = np.zeros(len(named), dtype=np.int64)
    n, n_groups, start, safe, largest, n_seen = len(value), 0, 0, -1, 0, 0
    for i in range(n):
        largest, n_seen = _join(value[i], 1, bounded, named, count, seen, largest, n_seen)
        size = i + 1 - start
        if size % unit != 0 and i + 1 < n:
            continue
        if not _holds(size, largest, n_seen, limits):
            continue
        safe = i + 1
        if i + 1 < n and goes_on[i // unit]:
            continue
        group[start:safe] = n_groups
        _forget(value[start:safe], bounded, named, count, seen)
        n_groups, start, safe, largest, n_seen = n_groups + 1, safe, -1, 0, 0
    if safe >= 0:
        group[start:safe] = n_groups


@compiled
def judge(value, starts, ends, bounded, named, limits, held):  # type: ignore[no-untyped-def]
    """Say for every stretch of people whether it satisfies the thresholds."""
    having = np.zeros(len(bounded), dtype=np.int64)  # people by value, all 0 between two uses
    count = np.zeros(len(bounded), dtype=np.int64)
    seen = np.zeros(len(named), dtype=np.int64)
    every = np.arange(len(bounded))
    for j in range(len(starts)):
        stretch = value[starts[j] : ends[j]]
        for v in stretch:
            having[v] += 1
        present = stretch if len(stretch) < len(every) else every
        largest, n_seen = 0, 0
        for v in present:
            if having[v] > 0:
                largest, n_seen = _join(v, having[v], bounded, named, count, seen, largest, n_seen)
                having[v] = 0
        held[j] = _holds(len(stretch), largest, n_seen, limits)
        _forget(present, bounded, named, count, seen)


@compiled
def _join(value, people, bounded, named, count, seen, largest, n_seen):  # type: ignore[no-untyped-def]
    code = bounded[value]
    if code >= 0:
        count[code] += people
        largest = max(largest, count[code])
    name = named[value]
    if name >= 0:
        if seen[name] == 0:
            n_seen += 1
        seen[name] = 1
    return largest, n_seen


@compiled
def _holds(size, largest, n_seen, limits):  # type: ignore[no-untyped-def]
    return size >= limits[0] and largest * limits[2] <= size * limits[1] and n_seen >= limits[3]


@compiled
def _forget(value, bounded, named, count, seen):  # type: ignore[no-untyped-def]
    for v in value:
        if bounded[v] >= 0:
            count[bounded[v]] = 0
        if named[v] >= 0:
            seen[named[v]] = 0
