"""Compiled loops that count the worlds of a component: groups that failed steps hold together.

A component is stated in cells, people of one group whom no step tells apart. Worlds are counted
modulo several primes below 2**31, so that nothing overflows; who calls puts the numbers together.
"""

from __future__ import annotations

import numpy as np

from sfumato.compiled import compiled


@compiled
def state(groups, members, histogram, children, ends, step, number, seen, column):  # type: ignore[no-untyped-def]
    """State a component in cells.

    Args:
        groups: (n_groups,) ascending.
        members: Where the members of every group begin, how many people each member is, the group
            of every combination, and its position among all members.
        histogram: Where the values of every group begin, their codes, how many people have each.
        children: Combinations, those of each child side by side.
        ends: (n_children,) where each child ends.
        step: (n_children,) the step that each is a child of, ascending.
        number: One for every group, all -1 between two uses.
        seen: Likewise.
        column: One for every value, all -1 between two uses.

    Returns:
        The cell of every member; people and group number of every cell; who is in which child,
        (n_children, n_cells); an order of the cells, and whether the step of each child is not
        stated before; the values, and how many people of each group, and in each child of others,
        have them: (n_groups + n_children, n_values).
    """
    starts, people, group_of, place = members
    n_members = 0
    offset = np.empty(len(groups), dtype=np.int64)
    for k, g in enumerate(groups):
        number[g], offset[k] = k, n_members - starts[g]
        n_members += starts[g + 1] - starts[g]
    label = np.empty(n_members, dtype=np.int64)
    for k, g in enumerate(groups):
        for i in range(starts[g], starts[g + 1]):
            label[offset[k] + i] = k
    # Every child splits what it has a part of.
    n_labels = len(groups)
    split = np.full(n_labels + len(children), -1, dtype=np.int64)
    new = np.empty(len(split), dtype=np.int64)
    begin = 0
    for c in range(len(ends)):
        for at in range(begin, ends[c]):
            k = number[group_of[children[at]]]
            if k >= 0:
                m = offset[k] + place[children[at]]
                if split[label[m]] != c:
                    split[label[m]], new[label[m]] = c, n_labels
                    n_labels += 1
                label[m] = new[label[m]]
        begin = ends[c]
    cell_of, n_cells = np.full(n_labels, -1, dtype=np.int64), 0
    for m in range(n_members):
        if cell_of[label[m]] < 0:
            cell_of[label[m]] = n_cells
            n_cells += 1
        label[m] = cell_of[label[m]]
    pool, size = np.empty(n_cells, dtype=np.int64), np.zeros(n_cells, dtype=np.int64)
    for k, g in enumerate(groups):
        for i in range(starts[g], starts[g + 1]):
            pool[label[offset[k] + i]] = k
            size[label[offset[k] + i]] += people[i]
    inside = np.zeros((len(ends), n_cells), dtype=np.bool_)
    begin = 0
    for c in range(len(ends)):
        for at in range(begin, ends[c]):
            k = number[group_of[children[at]]]
            if k >= 0:
                inside[c, label[offset[k] + place[children[at]]]] = True
        begin = ends[c]
    order = _in_order(pool, inside)
    # Values of these groups, and of whole others that are with them in a child.
    first, value, count = histogram
    codes, n_values = np.empty(len(column), dtype=np.int64), 0
    for g in groups:
        n_values = _listed(value, first[g], first[g + 1], column, codes, n_values)
    for who in children:
        g = group_of[who]
        if number[g] < 0 and seen[g] < 0:
            seen[g] = 0
            n_values = _listed(value, first[g], first[g + 1], column, codes, n_values)
    for who in children:
        seen[group_of[who]] = -1
    codes = codes[:n_values]
    for v in range(n_values):
        column[codes[v]] = v
    counts = np.zeros((len(groups) + len(ends), n_values), dtype=np.int64)
    for k, g in enumerate(groups):
        for e in range(first[g], first[g + 1]):
            counts[k, column[value[e]]] += count[e]
    begin = 0
    for c in range(len(ends)):
        for at in range(begin, ends[c]):
            g = group_of[children[at]]
            if number[g] < 0 and seen[g] != c:
                seen[g] = c
                for e in range(first[g], first[g + 1]):
                    counts[len(groups) + c, column[value[e]]] += count[e]
        begin = ends[c]
    for who in children:
        seen[group_of[who]] = -1
    for g in groups:
        number[g] = -1
    for code in codes:
        column[code] = -1
    kept = _different(step, inside, counts, len(groups))
    return label, size, pool, inside, order, kept, codes, counts


@compiled
def _in_order(pool, inside):  # type: ignore[no-untyped-def]
    """Put cells into an order: by group, and in one by the children they are in."""
    n_children, n_cells = inside.shape
    order = np.arange(n_cells)
    for i in range(1, n_cells):  # few, and those of a group stand together
        j = i
        while j > 0 and pool[order[j - 1]] == pool[order[j]]:
            one, other = order[j - 1], order[j]
            c = 0
            while c < n_children - 1 and inside[c, one] == inside[c, other]:
                c += 1
            if not inside[c, one] or inside[c, other]:
                break
            order[j - 1], order[j] = other, one
            j -= 1
    return order


@compiled
def _listed(values, first, end, column, codes, n):  # type: ignore[no-untyped-def]
    """Put values that are new among those listed, in their order; give how many there are now."""
    for e in range(first, end):
        v = values[e]
        if column[v] < 0:
            column[v] = 0
            i = n
            while i > 0 and codes[i - 1] > v:
                codes[i] = codes[i - 1]
                i -= 1
            codes[i] = v
            n += 1
    return n


@compiled
def _different(step, inside, counts, n_groups):  # type: ignore[no-untyped-def]
    """Say which children belong to steps that are not stated before."""
    kept = np.ones(len(step), dtype=np.bool_)
    end = 0
    while end < len(step):
        first = end
        while end < len(step) and step[end] == step[first]:
            end += 1
        other = 0
        while other < first and kept[first]:
            stop = other
            while step[stop] == step[other]:
                stop += 1
            same, c = kept[other] and stop - other == end - first, 0
            while same and c < end - first:
                for i in range(inside.shape[1]):
                    same &= inside[other + c, i] == inside[first + c, i]
                for v in range(counts.shape[1]):
                    same &= counts[n_groups + other + c, v] == counts[n_groups + first + c, v]
                c += 1
            if same:
                for c in range(first, end):
                    kept[c] = False
            other = stop
    return kept


@compiled
def count_worlds(  # type: ignore[no-untyped-def]
    cell_people, cell_pool, histograms, children, step, fixed, limits, primes, most
):
    """Count the worlds in which every step breaks, modulo primes.

    Values are dealt to one cell after the other. Once every step breaks, the others may have what
    is left in any way; once none of its children can, no world is left.

    Args:
        cell_people: (n_cells,).
        cell_pool: (n_cells,) the number of each cell's group.
        histograms: (n_groups, n_values).
        children: (n_children, n_cells).
        step: (n_children,) the step that each is a child of, ascending.
        fixed: (n_children, n_values) other people in each child.
        limits: A child breaks with fewer people, with a larger share (a numerator and a
            denominator) of one of the first so many values, or with fewer different values.
        primes: (n_primes,) all larger than any number of people.
        most: Rows to deal to a cell, all in all.

    Returns:
        How many rows were dealt; with more than `most` the rest is wrong. The worlds, (n_primes,);
        the order of cells; over all worlds the people of each cell with each value, in this order,
        (n_cells, n_values, n_primes), where it got them before every step broke; and what each
        person of a group has besides who comes behind a cell, (n_cells, n_groups, n_values,
        n_primes).
    """
    n_pools, n_values = histograms.shape
    n_cells, n_primes, n_steps = len(cell_people), len(primes), step[-1] + 1
    order, inside, ends = _cell_order(children)
    pool, people = np.empty(n_cells, dtype=np.int64), np.empty(n_cells, dtype=np.int64)
    for i in range(n_cells):
        pool[i], people[i] = cell_pool[order[i]], cell_people[order[i]]
    sizes = np.zeros(len(step), dtype=np.int64)
    for c in range(len(step)):
        for v in range(n_values):
            sizes[c] += fixed[c, v]
        for at in range(ends[c], ends[c + 1]):
            sizes[c] += people[inside[at]]
    # With which cell a step was seen to break, and of a child that it cannot.
    broken_at, out_at = np.full(n_steps, n_cells), np.full(len(step), n_cells)
    left, n_left, n_most = histograms.copy(), np.zeros(n_pools, dtype=np.int64), 0
    for g in range(n_pools):
        for v in range(n_values):
            n_left[g] += left[g, v]
        n_most = max(n_most, n_left[g])
    ways = np.empty((n_most + 1, n_primes), dtype=np.int64)  # factorials, and 1 divided by them
    orders = np.empty((n_most + 1, n_primes), dtype=np.int64)
    for q in range(n_primes):
        _factorials(ways[:, q], orders[:, q], primes[q])
    row, high = np.zeros((n_cells, n_values), np.int64), np.zeros((n_cells, n_values), np.int64)
    dealt = np.zeros((n_cells, n_primes), dtype=np.int64)  # ways to deal its row to a cell
    before = np.ones((n_cells + 1, n_primes), dtype=np.int64)  # and theirs to all before
    behind = np.zeros((n_cells + 1, n_primes), dtype=np.int64)  # worlds, whatever is before
    free = np.zeros((n_cells + 1, n_pools, n_values, n_primes), dtype=np.int64)  # to those behind
    sums = np.zeros((n_cells, n_values, n_primes), dtype=np.int64)
    n, i, v, forward, open_ = 0, 0, 0, True, people[0]
    while i >= 0:
        g = pool[i]
        if forward:
            later = 0
            for w in range(v + 1, n_values):
                later += left[g, w]
            high[i, v], row[i, v] = min(open_, left[g, v]), max(0, open_ - later)
        else:
            left[g, v] += row[i, v]
            open_ += row[i, v]
            if row[i, v] == high[i, v]:
                v -= 1
                if v >= 0:
                    continue
                # All below the row of the cell before was looked at.
                i, v = i - 1, n_values - 1
                if i >= 0:
                    open_ = 0
                    n_left[pool[i]] += people[i]
                    _add(i, behind[i + 1], row, dealt, before, behind, sums, primes)
                continue
            row[i, v] += 1
        left[g, v] -= row[i, v]
        open_ -= row[i, v]
        if v < n_values - 1:
            v, forward = v + 1, True
            continue
        n += 1
        if n > most:
            break
        n_left[g] -= people[i]
        n_open, possible = _judge(
            i, row, people, left, order[i], children, step, fixed, sizes, inside, ends, limits,
            broken_at, out_at,
        )  # fmt: skip
        forward = False
        if possible:
            for q in range(n_primes):
                mine = ways[people[i], q]
                for w in range(n_values):
                    mine = mine * orders[row[i, w], q] % primes[q]
                dealt[i, q] = mine
                before[i + 1, q] = before[i, q] * mine % primes[q]
            if n_open == 0:
                _deal_freely(
                    left, n_left, ways, orders, before[i + 1], free[i + 1], behind[i + 1], primes
                )
                _add(i, behind[i + 1], row, dealt, before, behind, sums, primes)
            else:
                i, v, forward, open_ = i + 1, 0, True, people[i + 1]
        if not forward:
            n_left[g] += people[i]
    return n, behind[0], order, sums, free


@compiled
def _cell_order(children):  # type: ignore[no-untyped-def]
    """Say in which order cells get their values: those of small children first.

    Gives also the place in this order at which all of a child have one, and the places of its
    cells: those of each child side by side, and where these end.
    """
    n_children, n_cells = children.shape
    order, place = np.empty(n_cells, dtype=np.int64), np.full(n_cells, -1)
    n = 0
    while n < n_cells:
        best, fewest = -1, n_cells + 1
        for c in range(n_children):
            waiting = 0
            for i in range(n_cells):
                waiting += children[c, i] and place[i] < 0
            if 0 < waiting < fewest:
                best, fewest = c, waiting
        for i in range(n_cells):
            if place[i] < 0 and (best < 0 or children[best, i]):
                order[n], place[i] = i, n
                n += 1
    inside = np.empty(n_children * n_cells, dtype=np.int64)
    ends = np.zeros(n_children + 1, dtype=np.int64)
    for c in range(n_children):
        end = ends[c]
        for i in range(n_cells):
            if children[c, order[i]]:
                inside[end] = i
                end += 1
        ends[c + 1] = end
    return order, inside, ends


@compiled
def _judge(  # type: ignore[no-untyped-def]
    i,
    row,
    people,
    left,
    cell,
    children,
    step,
    fixed,
    sizes,
    inside,
    ends,
    limits,
    broken_at,
    out_at,
):
    """Judge the children that a cell is in; say how many steps are open, and if all can break."""
    n_cells, n_open, possible = len(row), 0, True
    for s in range(len(broken_at)):
        if broken_at[s] >= i:
            broken_at[s] = n_cells
            n_open += 1
    first = 0
    while first < len(step):
        s, some, c = step[first], False, first
        while c < len(step) and step[c] == s:
            if out_at[c] >= i:
                out_at[c] = n_cells
            if broken_at[s] == n_cells and out_at[c] == n_cells:
                can = True
                if children[c, cell]:
                    mine = inside[ends[c] : ends[c + 1]]
                    does, can = _breaks(i, row, people, left, mine, fixed[c], sizes[c], limits)
                    if does:
                        broken_at[s], n_open = i, n_open - 1
                    if not can:
                        out_at[c] = i
                some |= can
            c += 1
        possible &= some or broken_at[s] < n_cells
        first = c
    return n_open, possible


@compiled
def _deal_freely(left, n_left, ways, orders, before, free, worlds, primes):  # type: ignore[no-untyped-def]
    """Deal what is left to the cells that are left, in every way.

    Writes the worlds, and adds what one person more of each group has of every value in these.
    """
    for q in range(len(primes)):
        n = 1
        for g in range(len(left)):
            n = n * ways[n_left[g], q] % primes[q]
            for v in range(left.shape[1]):
                n = n * orders[left[g, v], q] % primes[q]
        worlds[q] = n
        n = n * before[q] % primes[q]
        for g in range(len(left)):
            if n_left[g] > 0:
                # 1 divided by the number of people
                each = n * orders[n_left[g], q] % primes[q] * ways[n_left[g] - 1, q] % primes[q]
                for v in range(left.shape[1]):
                    free[g, v, q] = (free[g, v, q] + each * left[g, v]) % primes[q]


@compiled
def _add(i, worlds, row, dealt, before, behind, sums, primes):  # type: ignore[no-untyped-def]
    """Count the worlds behind a cell for the row that it was dealt, and forget them."""
    for q in range(len(primes)):
        if worlds[q]:
            behind[i, q] = (behind[i, q] + dealt[i, q] * worlds[q]) % primes[q]
            n = before[i + 1, q] * worlds[q] % primes[q]
            for v in range(row.shape[1]):
                sums[i, v, q] = (sums[i, v, q] + n * row[i, v]) % primes[q]
            worlds[q] = 0


@compiled
def _factorials(ways, orders, prime):  # type: ignore[no-untyped-def]
    """Write factorials, and what they are to be multiplied by to get 1."""
    n = len(ways) - 1
    ways[0] = 1
    for i in range(1, n + 1):
        ways[i] = ways[i - 1] * i % prime
    power, base, exponent = 1, ways[n], prime - 2  # Fermat
    while exponent:
        if exponent % 2:
            power = power * base % prime
        base, exponent = base * base % prime, exponent // 2
    orders[n] = power
    for i in range(n, 0, -1):
        orders[i - 1] = orders[i] * i % prime


@compiled
def _breaks(last, row, people, left, child, fixed, size, limits):  # type: ignore[no-untyped-def]
    """Say whether a child breaks whatever the cells after the last get, and whether it can."""
    least, numerator, denominator, n_bounded, n_different = limits
    if size < least:
        return True, True
    n_dealt, waiting = 0, 0  # cells, people
    for i in child:
        if i > last:
            waiting += people[i]
        else:
            n_dealt += 1
    different, does, can = 0, False, False
    for v in range(len(fixed)):
        n = fixed[v]
        for i in child[:n_dealt]:
            n += row[i, v]
        different += n > 0
        if v < n_bounded:
            more = 0
            if waiting > 0:
                for g in range(len(left)):
                    more += left[g, v]
            does |= denominator * n > numerator * size
            can |= denominator * (n + min(more, waiting)) > numerator * size
    can |= different < n_different
    return does or (waiting == 0 and can), can


@compiled
def count_tables(people, pool, histograms, most):  # type: ignore[no-untyped-def]
    """Count the tables of counts of all groups together, up to one more than `most`."""
    n_values = histograms.shape[1]
    n_all = 1
    for g in range(len(histograms)):
        sizes = people[pool == g]
        left = histograms[g].copy()
        row = np.zeros((len(sizes), n_values), dtype=np.int64)
        high = np.zeros((len(sizes), n_values), dtype=np.int64)
        n, i, v, forward, open_ = 0, 0, 0, True, sizes[0]
        while i >= 0 and n_all * n <= most:
            if i == len(sizes) - 1:  # gets what is left
                n, i, v, forward, open_ = n + 1, i - 1, n_values - 1, False, 0
                continue
            if forward:
                later = 0
                for w in range(v + 1, n_values):
                    later += left[w]
                high[i, v], row[i, v] = min(open_, left[v]), max(0, open_ - later)
            else:
                left[v] += row[i, v]
                open_ += row[i, v]
                if row[i, v] == high[i, v]:
                    v -= 1
                    if v < 0:
                        i, v, open_ = i - 1, n_values - 1, 0
                    continue
                row[i, v] += 1
            left[v] -= row[i, v]
            open_ -= row[i, v]
            v, forward = v + 1, True
            if v == n_values:
                i, v, open_ = i + 1, 0, sizes[i + 1]
        n_all *= n
        if n_all > most:
            break
    return n_all
