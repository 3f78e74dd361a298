"""Compiled loops: split the table into regions, gather people in groups, move them between groups.

Points are combinations of quasi-identifiers, each with its people. The tuples of arrays are
described in `gathering` and `sides`; groups are read and written in place.

The innermost loops look losses up where they stand: to hand the arrays of a tuple on to a function
costs several times the look-up.
"""

from __future__ import annotations

import numpy as np

from sfumato.compiled import compiled

NEAREST = 4  # groups that somebody is exchanged with
GAIN = 1e-9  # below this a change is rounding
NOBODY = np.int32(2**31 - 1)  # a place beyond all values


@compiled
def side_loss(sides, j, low, high):  # type: ignore[no-untyped-def]
    """Give what a side of column j loses."""
    return sides.losses[sides.begin[j] + low * sides.n_cells[j] + high]


@compiled
def box_loss(sides, low, high, b):  # type: ignore[no-untyped-def]
    """Add up what the sides of box b lose."""
    lost = 0.0
    for j in range(low.shape[1]):
        lost += side_loss(sides, j, low[b, j], high[b, j])
    return lost


@compiled
def _extend(low, high, b, codes, i):  # type: ignore[no-untyped-def]
    """Let box b hold point i, too."""
    for j in range(codes.shape[1]):
        low[b, j] = min(low[b, j], codes[i, j])
        high[b, j] = max(high[b, j], codes[i, j])


@compiled
def _begin(low, high, b, codes, i):  # type: ignore[no-untyped-def]
    """Let box b hold point i and nothing else."""
    for j in range(codes.shape[1]):
        low[b, j] = high[b, j] = codes[i, j]


@compiled
def _take_in(low, high, b, other, first):  # type: ignore[no-untyped-def]
    """Let box b hold another box, too, or nothing else if that is the first."""
    if first:
        _begin(low, high, b, low, other)
    _extend(low, high, b, low, other)
    _extend(low, high, b, high, other)


# ----------------------------------------------------------------------------------------- regions


@compiled
def regions(codes, people, sides, most, least, share):  # type: ignore[no-untyped-def]
    """Cut the table in two, again and again, where the two boxes lose least, up to `most` points.

    No side has fewer than `least` people, nor less than a share of them if there is such a cut.
    Gives the points region by region, and where each region begins.
    """
    n = len(codes)
    order = np.arange(n)
    later = np.empty(n, dtype=np.int64)
    stack = np.empty((n + 1, 2), dtype=np.int64)
    starts = np.empty(n + 1, dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, n
    depth, n_regions = 1, 0
    while depth > 0:
        depth -= 1
        first, end = stack[depth]
        j, value = -1, -1
        if end - first > most:
            points = order[first:end]
            even = int(share * people[points].sum())
            if even > least:
                j, value = _best_cut(codes, people, sides, points, even)
            if j < 0:
                j, value = _best_cut(codes, people, sides, points, least)
        if j < 0:
            starts[n_regions] = first
            n_regions += 1
            continue
        at, n_later = first, 0
        for i in range(first, end):
            point = order[i]
            if codes[point, j] <= value:
                order[at] = point
                at += 1
            else:
                later[n_later] = point
                n_later += 1
        order[at:end] = later[:n_later]
        stack[depth, 0], stack[depth, 1] = at, end
        stack[depth + 1, 0], stack[depth + 1, 1] = first, at
        depth += 2
    starts[n_regions] = n
    return order, starts[: n_regions + 1]


@compiled
def _best_cut(codes, people, sides, points, least):  # type: ignore[no-untyped-def]
    """Choose the column and the last value of the lower side; column -1: there is no cut."""
    n_columns, n_cells = codes.shape[1], sides.n_cells.max()
    best, best_column, best_value = np.inf, -1, -1
    at = np.zeros(n_cells, dtype=np.int64)  # people with a value
    low = np.empty((n_cells + 1, n_columns), dtype=np.int32)  # box of these; last: of a side
    high = np.empty((n_cells + 1, n_columns), dtype=np.int32)
    above = np.empty(n_cells, dtype=np.float64)  # what everybody from this value on loses
    people_above = np.empty(n_cells, dtype=np.int64)
    side = n_cells
    for j in range(n_columns):
        first, last = codes[points[0], j], codes[points[0], j]
        at[:] = 0
        for i in points:
            value = codes[i, j]
            first, last = min(first, value), max(last, value)
            if at[value] == 0:
                _begin(low, high, value, codes, i)
            else:
                _extend(low, high, value, codes, i)
            at[value] += people[i]
        if first == last:
            continue
        total = 0
        for value in range(last, first, -1):
            if at[value] > 0:
                _take_in(low, high, side, value, total == 0)
                total += at[value]
            above[value] = total * box_loss(sides, low, high, side)
            people_above[value] = total
        below = 0
        for value in range(first, last):
            if at[value] > 0:
                _take_in(low, high, side, value, below == 0)
                below += at[value]
                if below < least:
                    continue
                if people_above[value + 1] < least:
                    break
                lost = below * box_loss(sides, low, high, side) + above[value + 1]
                if lost < best:
                    best, best_column, best_value = lost, j, value
    return best_column, best_value


# --------------------------------------------------------------------------------------- gathering


@compiled
def gather(codes, people, points, sides, k, stride, group, n_groups):  # type: ignore[no-untyped-def]
    """Form groups of at least k people among the points of a region, the cheapest first.

    Around every `stride`-th point a group is grown. That of least loss becomes one; a group that
    has lost a member to it is grown again when its turn comes. Points that are left, of fewer than
    k people, stay without a group. Gives the number of groups so far.
    """
    n = len(points)
    most = (n + stride - 1) // stride
    free = np.ones(n, dtype=np.bool_)
    seeds = np.empty(most, dtype=np.int64)
    members = np.empty((most, min(k, n)), dtype=np.int64)
    n_members = np.zeros(most, dtype=np.int64)
    loss = np.empty(most, dtype=np.float64)
    cost = np.empty(n, dtype=np.float64)
    while True:
        n_free, n_seeds, before = 0, 0, n_groups
        for i in range(n):
            if free[i]:
                if n_free % stride == 0:
                    seeds[n_seeds] = i
                    n_seeds += 1
                n_free += 1
        for s in range(n_seeds):
            loss[s], n_members[s] = _grow(
                codes, people, points, sides, k, free, seeds[s], members[s], cost
            )
        while True:
            best = -1
            for s in range(n_seeds):
                if free[seeds[s]] and loss[s] < np.inf and (best < 0 or loss[s] < loss[best]):
                    best = s
            if best < 0:
                break
            whole = True
            for i in members[best, : n_members[best]]:
                whole = whole and free[i]
            if not whole:
                loss[best], n_members[best] = _grow(
                    codes, people, points, sides, k, free, seeds[best], members[best], cost
                )
                continue
            for i in members[best, : n_members[best]]:
                free[i] = False
                group[points[i]] = n_groups
            n_groups += 1
        if n_groups == before or stride == 1:
            return n_groups


@compiled
def _grow(codes, people, points, sides, k, free, seed, members, cost):  # type: ignore[no-untyped-def]
    """Add the free points that widen the box least until there are k people.

    A quarter of those that are missing is added at once. Gives the loss of the box, infinite if
    there are too few people, and the number of members.
    """
    n, n_columns = len(points), codes.shape[1]
    n_cells, begin, losses = sides
    low, high = np.empty((1, n_columns), dtype=np.int32), np.empty((1, n_columns), dtype=np.int32)
    _begin(low, high, 0, codes, points[seed])
    total, n_members = people[points[seed]], 1
    members[0] = seed
    free[seed] = False  # while this group is grown
    while total < k:
        wanted = max(1, (k - total) // 4)
        n_found, most = 0, np.inf
        best = np.empty(wanted, dtype=np.int64)  # ascending by cost
        for i in range(n):
            if not free[i]:
                continue
            point, with_it = points[i], 0.0
            for j in range(n_columns):
                value = codes[point, j]
                from_, to = min(low[0, j], value), max(high[0, j], value)
                with_it += losses[begin[j] + from_ * n_cells[j] + to]
                if with_it >= most:
                    break
            if with_it >= most:
                continue
            at = n_found if n_found < wanted else wanted - 1
            while at > 0 and cost[at - 1] > with_it:
                cost[at], best[at] = cost[at - 1], best[at - 1]
                at -= 1
            cost[at], best[at] = with_it, i
            n_found = min(n_found + 1, wanted)
            if n_found == wanted:
                most = cost[wanted - 1]
        if n_found == 0:
            break
        for i in best[:n_found]:
            members[n_members] = i
            n_members += 1
            free[i] = False
            total += people[points[i]]
            _extend(low, high, 0, codes, points[i])
            if total >= k:
                break
    for i in members[:n_members]:
        free[i] = True
    return (box_loss(sides, low, high, 0) if total >= k else np.inf), n_members


# ------------------------------------------------------------------------------------------ groups


@compiled
def link(groups):  # type: ignore[no-untyped-def]
    """Chain the members of every group."""
    groups.first[:] = -1
    for i in range(len(groups.of) - 1, -1, -1):
        if groups.of[i] >= 0:
            groups.following[i] = groups.first[groups.of[i]]
            groups.first[groups.of[i]] = i


@compiled
def measure(codes, people, sides, groups, g):  # type: ignore[no-untyped-def]
    """Write down people, box and loss of a group, and how far the box reaches without a member."""
    groups.people[g] = 0
    groups.loss[g] = 0.0
    i, alone = groups.first[g], True
    if i < 0:
        return
    low, high = groups.low, groups.high
    next_low, next_high = groups.next_low, groups.next_high
    while i >= 0:
        groups.people[g] += people[i]
        for j in range(codes.shape[1]):
            value = codes[i, j]
            if alone:
                low[g, j] = high[g, j] = value
                next_low[g, j], next_high[g, j] = NOBODY, -NOBODY
                continue
            next_low[g, j] = min(next_low[g, j], max(low[g, j], value))
            next_high[g, j] = max(next_high[g, j], min(high[g, j], value))
            low[g, j], high[g, j] = min(low[g, j], value), max(high[g, j], value)
        i, alone = groups.following[i], False
    groups.loss[g] = box_loss(sides, low, high, g)


@compiled
def measure_all(codes, people, sides, groups):  # type: ignore[no-untyped-def]
    """Chain and measure all groups."""
    link(groups)
    for g in range(len(groups.first)):
        measure(codes, people, sides, groups, g)


@compiled
def _put(groups, i, g):  # type: ignore[no-untyped-def]
    groups.of[i], groups.following[i], groups.first[g] = g, groups.first[g], i


@compiled
def _take(groups, i):  # type: ignore[no-untyped-def]
    g = groups.of[i]
    if groups.first[g] == i:
        groups.first[g] = groups.following[i]
        return
    before = groups.first[g]
    while groups.following[before] != i:
        before = groups.following[before]
    groups.following[before] = groups.following[i]


@compiled
def _box_without(codes, groups, g, without, low, high):  # type: ignore[no-untyped-def]
    """Write the box of a group without one member; whether anybody is left."""
    if groups.following[groups.first[g]] < 0:
        return False
    for j in range(codes.shape[1]):
        value, least, largest = codes[without, j], groups.low[g, j], groups.high[g, j]
        low[0, j] = groups.next_low[g, j] if value == least else least
        high[0, j] = groups.next_high[g, j] if value == largest else largest
    return True


@compiled
def _loss_with(codes, sides, low, high, i):  # type: ignore[no-untyped-def]
    """Give what a box loses with a point more."""
    n_cells, begin, losses = sides
    lost = 0.0
    for j in range(codes.shape[1]):
        value = codes[i, j]
        from_, to = min(low[0, j], value), max(high[0, j], value)
        lost += losses[begin[j] + from_ * n_cells[j] + to]
    return lost


@compiled
def _nearest(codes, people, sides, groups, candidates, i, most, found, cost):  # type: ignore[no-untyped-def]
    """Find the groups in which a point costs least, less than `most` altogether; how many."""
    n_found, n_columns, own = 0, codes.shape[1], groups.of[i]
    n_cells, begin, losses = sides
    low, high, size, loss = groups.low, groups.high, groups.people, groups.loss
    for t in candidates:
        if t == own or size[t] == 0:
            continue
        n = size[t] + people[i]
        before = size[t] * loss[t]
        enough = (most + before) / n
        with_it = 0.0
        for j in range(n_columns):
            value = codes[i, j]
            from_, to = min(low[t, j], value), max(high[t, j], value)
            with_it += losses[begin[j] + from_ * n_cells[j] + to]
            if with_it >= enough:
                break
        more = with_it * n - before
        if with_it >= enough or more >= most:  # the same but for rounding
            continue
        at = n_found if n_found < len(found) else len(found) - 1
        while at > 0 and cost[at - 1] > more:
            cost[at], found[at] = cost[at - 1], found[at - 1]
            at -= 1
        cost[at], found[at] = more, t
        n_found = min(n_found + 1, len(found))
        if n_found == len(found):
            most = cost[n_found - 1]
    return n_found


@compiled
def join(codes, people, sides, groups, points, candidates):  # type: ignore[no-untyped-def]
    """Put every point that has no group into the one where it costs least."""
    found, cost = np.empty(1, dtype=np.int64), np.empty(1, dtype=np.float64)
    for i in points:
        if groups.of[i] < 0:
            _nearest(codes, people, sides, groups, candidates, i, np.inf, found, cost)
            _put(groups, i, found[0])
            measure(codes, people, sides, groups, found[0])


@compiled
def improve(codes, people, sides, groups, points, candidates, k):  # type: ignore[no-untyped-def]
    """Move and exchange members, and dissolve groups, wherever less is lost; what was gained."""
    gained = 0.0
    found, cost = np.empty(NEAREST, dtype=np.int64), np.empty(NEAREST, dtype=np.float64)
    here = np.empty((2, 1, codes.shape[1]), dtype=np.int32)  # least and largest values
    there = np.empty((2, 1, codes.shape[1]), dtype=np.int32)
    for i in points:
        g = groups.of[i]
        left = groups.people[g] - people[i]
        before = groups.people[g] * groups.loss[g]
        if not _box_without(codes, groups, g, i, here[0], here[1]):
            continue
        saved = before - left * box_loss(sides, here[0], here[1], 0)
        if saved <= GAIN:
            continue
        may_leave = left >= k
        most = saved - GAIN if may_leave else np.inf
        n_found = _nearest(codes, people, sides, groups, candidates, i, most, found, cost)
        if n_found == 0:
            continue
        if may_leave:
            _take(groups, i)
            _put(groups, i, found[0])
            measure(codes, people, sides, groups, g)
            measure(codes, people, sides, groups, found[0])
            gained += saved - cost[0]
            continue
        gain, partner = _exchange(codes, people, sides, groups, k, i, found[:n_found], here, there)
        if partner >= 0:
            t = groups.of[partner]
            _take(groups, i)
            _take(groups, partner)
            _put(groups, i, t)
            _put(groups, partner, g)
            measure(codes, people, sides, groups, g)
            measure(codes, people, sides, groups, t)
            gained += gain
    for g in candidates:
        gained += _dissolve(codes, people, sides, groups, candidates, g)
    return gained


@compiled
def _exchange(codes, people, sides, groups, k, i, others, here, there):  # type: ignore[no-untyped-def]
    """Find the member of other groups whom a point is exchanged with; -1: nothing is gained.

    Here is the box that the point leaves behind, there is room for another one.
    """
    n_columns = codes.shape[1]
    n_cells, begin, losses = sides
    g = groups.of[i]
    left = groups.people[g] - people[i]
    best, partner = GAIN, -1
    for t in others:
        both = groups.people[g] * groups.loss[g] + groups.people[t] * groups.loss[t]
        core = 0.0  # what the box loses there, whoever leaves
        for j in range(n_columns):
            value = codes[i, j]
            from_, to = min(groups.next_low[t, j], value), max(groups.next_high[t, j], value)
            core += losses[begin[j] + from_ * n_cells[j] + to]
        other = groups.first[t]
        while other >= 0:
            after = left + people[other]
            after_there = groups.people[t] - people[other] + people[i]
            if after >= k and after_there >= k:
                enough = (both - best - after_there * core) / after
                with_it = 0.0
                for j in range(n_columns):
                    value = codes[other, j]
                    from_, to = min(here[0, 0, j], value), max(here[1, 0, j], value)
                    with_it += losses[begin[j] + from_ * n_cells[j] + to]
                    if with_it >= enough:
                        break
                if with_it < enough and _box_without(codes, groups, t, other, there[0], there[1]):
                    gain = both - after * with_it
                    gain -= after_there * _loss_with(codes, sides, there[0], there[1], i)
                    if gain > best:
                        best, partner = gain, other
            other = groups.following[other]
    return best, partner


@compiled
def _dissolve(codes, people, sides, groups, candidates, g):  # type: ignore[no-untyped-def]
    """Send all members of a group elsewhere if that loses less; what was gained."""
    before = groups.people[g] * groups.loss[g]
    if before <= GAIN:
        return 0.0
    found, cost = np.empty(1, dtype=np.int64), np.empty(1, dtype=np.float64)
    n, spent = 0, 0.0
    i = groups.first[g]
    while i >= 0:  # each as if the others stayed away: what it costs together is measured below
        if not _nearest(codes, people, sides, groups, candidates, i, before - spent, found, cost):
            return 0.0
        spent += cost[0]
        n += 1
        i = groups.following[i]
    members, targets = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    i, n = groups.first[g], 0
    while i >= 0:
        _nearest(codes, people, sides, groups, candidates, i, np.inf, found, cost)
        members[n], targets[n] = i, found[0]
        n += 1
        i = groups.following[i]
    touched = np.unique(targets)
    after = 0.0
    for t in touched:
        before += groups.people[t] * groups.loss[t]
    for m in range(n):
        _take(groups, members[m])
        _put(groups, members[m], targets[m])
    for t in touched:
        measure(codes, people, sides, groups, t)
        after += groups.people[t] * groups.loss[t]
    if after >= before - GAIN:
        for m in range(n):
            _take(groups, members[m])
            _put(groups, members[m], g)
        for t in touched:
            measure(codes, people, sides, groups, t)
        return 0.0
    measure(codes, people, sides, groups, g)
    return before - after


@compiled
def partners(sides, groups, candidates, unsafe):  # type: ignore[no-untyped-def]
    """For every unsafe group of a neighbourhood, the one that it is joined with at least loss."""
    found = np.full(len(unsafe), -1, dtype=np.int64)
    low, high = groups.low[:1].copy(), groups.high[:1].copy()
    for u in range(len(unsafe)):
        g = unsafe[u]
        best = np.inf
        for t in candidates:
            if t == g or groups.people[t] == 0:
                continue
            _begin(low, high, 0, groups.low, g)
            _extend(low, high, 0, groups.high, g)
            _extend(low, high, 0, groups.low, t)
            _extend(low, high, 0, groups.high, t)
            n = groups.people[g] + groups.people[t]
            more = n * box_loss(sides, low, high, 0) - groups.people[t] * groups.loss[t]
            if more < best:
                best, found[u] = more, t
    return found


# ------------------------------------------------------------------------------------------- bound


@compiled
def least_losses(codes, people, sides, k, first, end):  # type: ignore[no-untyped-def]
    """For some points, a loss below which no group of k people has them.

    A box around two points loses at least what a box around nothing else does; so a group loses at
    least as much as the nearest k people of any member do, one by one.
    """
    n, n_columns = codes.shape
    n_cells, begin, losses = sides
    found = np.zeros(end - first, dtype=np.float64)
    loss = np.empty(k + 1, dtype=np.float64)  # of the nearest so far, ascending
    other = np.empty(k + 1, dtype=np.int64)
    for i in range(first, end):
        total, n_near, most = people[i], 0, np.inf
        for t in range(n):
            if total >= k and n_near == 0:
                break
            if t == i:
                continue
            lost = 0.0
            for j in range(n_columns):
                from_, to = min(codes[i, j], codes[t, j]), max(codes[i, j], codes[t, j])
                lost += losses[begin[j] + from_ * n_cells[j] + to]
                if lost >= most:
                    break
            if lost >= most:
                continue
            at = n_near
            while at > 0 and loss[at - 1] > lost:
                loss[at], other[at] = loss[at - 1], other[at - 1]
                at -= 1
            loss[at], other[at] = lost, t
            n_near += 1
            total += people[t]
            while total - people[other[n_near - 1]] >= k:
                n_near -= 1
                total -= people[other[n_near]]
            if total >= k:
                most = loss[n_near - 1]
        found[i - first] = loss[n_near - 1] if n_near > 0 else 0.0
    return found
