"""Compiled loops of cell suppression: all that compares many points with each other."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from sfumato.compiled import compiled

ROUNDING = 1e-9


@compiled
def _leader(leader, v):
    """Find the number of a tree, and shorten the way to it."""
    while leader[v] != v:
        leader[v] = leader[leader[v]]
        v = leader[v]
    return v


@compiled
def grow(codes, heights, nodes, begin, n_values, k, trees, waiting, first, end, n_waiting):
    """Let trees below k people grow, those that wait from `first` to `end`; how many have waited.

    The vertex of a tree that has no outgoing edge is joined with its nearest outside, of equally
    near ones with the first. A tree that is still below k waits again.
    """
    target, weight, leader, root, size = trees
    n, n_columns = codes.shape
    for at in range(first, end):
        v = waiting[at]
        own = _leader(leader, v)
        if target[v] >= 0 or size[own] >= k:
            continue
        best, nearest = np.inf, -1
        for t in range(n):
            apart = 0.0
            for j in range(n_columns):
                a, b = codes[v, j], codes[t, j]
                if a == b:
                    continue
                level, place = 1, begin[j] + n_values[j]
                while level < heights[j] and nodes[place + a] != nodes[place + b]:
                    level += 1
                    place += n_values[j]
                apart += level / heights[j]
                if apart >= best - ROUNDING:
                    break
            if apart < best - ROUNDING and _leader(leader, t) != own:
                best, nearest = apart, t
        if nearest < 0:
            continue  # there is nobody outside
        other = _leader(leader, nearest)
        target[v], weight[v] = nearest, best
        leader[own] = other
        size[other] += size[own]
        if size[other] < k:
            waiting[n_waiting] = root[other]
            n_waiting += 1
    return n_waiting


@compiled
def below(target, people):
    """Count the people of every vertex and of all who point to it, directly or by others."""
    n = len(target)
    total, n_pointing = people.copy(), np.zeros(n, dtype=np.int64)
    for v in range(n):
        if target[v] >= 0:
            n_pointing[target[v]] += 1
    for leaf in range(n):
        v = leaf
        while v >= 0 and n_pointing[v] == 0:
            n_pointing[v] = -1
            if target[v] >= 0:
                total[target[v]] += total[v]
                n_pointing[target[v]] -= 1
            v = target[v]
    return total


@compiled
def cut(order, target, total, k):
    """Cut edges, in an order of the vertices they leave, where both sides keep k people."""
    for v in order:
        if total[v] < k or target[v] < 0:
            continue
        top = v
        while target[top] >= 0:
            top = target[top]
        if total[top] - total[v] < k:
            continue
        above = target[v]
        target[v] = -1
        while above >= 0:
            total[above] -= total[v]
            above = target[above]


@compiled
def cheapest_partners(codes, levels, people, heights, nodes, begin, n_values, asked):
    """For every group that asks, the group that it is joined with at least cost, and that cost.

    codes: of one member of each group; levels: of the nodes that hold all of them. -1: none.
    """
    n, n_columns = codes.shape
    partner, least = np.full(n, -1, dtype=np.int64), np.full(n, np.inf)
    lost = (levels / heights).sum(axis=1)
    for g in range(n):
        if not asked[g]:
            continue
        for t in range(n):
            if t == g:
                continue
            both = people[g] + people[t]
            before = people[g] * lost[g] + people[t] * lost[t]
            together = 0.0
            for j in range(n_columns):
                a, b = codes[g, j], codes[t, j]
                level = max(levels[g, j], levels[t, j])
                if level == 0 and a != b:
                    level = 1
                place = begin[j] + level * n_values[j]
                while level < heights[j] and nodes[place + a] != nodes[place + b]:
                    level += 1
                    place += n_values[j]
                together += level / heights[j]
                if both * together - before >= least[g] - ROUNDING:
                    break
            more = both * together - before
            if more < least[g] - ROUNDING:
                least[g], partner[g] = more, t
    return partner, least


@compiled
def best_partition(costs, n):
    """Give the last group, as bits, of the cheapest partition of every set of rows; 0: none.

    costs: by the bits of the rows; infinite for what is no group.
    """
    least = np.full(1 << n, np.inf)
    last = np.zeros(1 << n, dtype=np.int64)
    least[0] = 0.0
    for rows in range(1, 1 << n):
        lowest = rows & -rows
        rest = rows ^ lowest
        others = rest
        while True:  # all sets that hold the first row
            group = lowest | others
            cost = costs[group] + least[rows ^ group]
            if cost < least[rows] - ROUNDING:
                least[rows], last[rows] = cost, group
            if others == 0:
                break
            others = (others - 1) & rest
    return last


# --------------------------------------------------------------------------------------- set cover


@compiled
def all_groups(n, size, n_groups):
    """List all groups of some size of n rows, in the order of their rows; (n_groups, size)."""
    members = np.empty((n_groups, size), dtype=np.int32)
    now = np.arange(size).astype(np.int32)
    for g in range(n_groups):
        members[g] = now
        at = size - 1
        while at >= 0 and now[at] == n - size + at:
            at -= 1
        if at >= 0:
            now[at] += 1
            for later in range(at + 1, size):
                now[later] = now[later - 1] + 1
    return members


@compiled
def diameters(members, weights):
    """Give the largest weight between two members of every group."""
    found = np.zeros(len(members))
    for g in range(len(members)):
        for a in range(members.shape[1]):
            for b in range(a):
                found[g] = max(found[g], weights[members[g, a], members[g, b]])
    return found


@compiled
def cheapest_group(members, diameter, covered):
    """Find the group of the least diameter for each row that it covers anew; its ratio."""
    best, least = -1, np.inf
    for g in range(len(members)):
        n_new = 0
        for a in range(members.shape[1]):
            if not covered[members[g, a]]:
                n_new += 1
        if n_new > 0 and diameter[g] < (least - ROUNDING) * n_new:
            best, least = g, diameter[g] / n_new
    return best, least


# ------------------------------------------------------------------------------------------- balls


@compiled
def distances(codes, heights, nodes, begin, n_values, centre):
    """Give the weights from one point to all; as in `grow`, which stops at what is too far."""
    n, n_columns = codes.shape
    found = np.zeros(n)
    for t in range(n):
        for j in range(n_columns):
            a, b = codes[centre, j], codes[t, j]
            if a == b:
                continue
            level, place = 1, begin[j] + n_values[j]
            while level < heights[j] and nodes[place + a] != nodes[place + b]:
                level += 1
                place += n_values[j]
            found[t] += level / heights[j]
    return found


@compiled
def cheapest_radius(distance, people, covered, k):
    """Find the ball of at least k people with the least radius for each one covered anew.

    Gives the ratio, infinite if nobody is, and the radius.
    """
    order = np.argsort(distance)
    least, radius = np.inf, 0.0
    inside, n_new = 0, 0
    for at in range(len(order)):
        t = order[at]
        inside += people[t]
        if not covered[t]:
            n_new += people[t]
        if at + 1 < len(order) and distance[order[at + 1]] <= distance[t] + ROUNDING:
            continue
        if inside >= k and n_new > 0 and distance[t] / n_new < least - ROUNDING:
            least, radius = distance[t] / n_new, distance[t]
    return least, radius
