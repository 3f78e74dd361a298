"""Compiled loops over the sensitive values of many groups: how diverse, how close to the table.

Groups are rows of a sparse matrix: `starts` (n_groups + 1,) int64, `codes` (n_entries,) int32,
`counts` (n_entries,) int64, in any order inside a group. What is sought beside verdicts is a
surplus: how many people of a group have to go, at least, before the rest can be safe. The plain
twins are in the tests.
"""

from __future__ import annotations

import math

import numpy as np

from sfumato.compiled import compiled

# Newton's way to a number of people stops here at the latest; every step is a bound already.
STEPS = 60


@compiled
def tree_numerators(starts, codes, counts, sizes, node_of, expected, total):  # type: ignore[no-untyped-def]
    """Sum |c_v N - r_v n| over the nodes v of all levels, for every group.

    node_of: (n_levels, n_values) int64, numbers of nodes; no node is in two levels. expected:
    (n_nodes,) int64, the r_v, which add up to `total` = N in each level.
    """
    n_levels = len(node_of)
    filled = np.zeros(len(expected), dtype=np.int64)
    numerators = np.empty(len(sizes), dtype=np.int64)
    for g in range(len(sizes)):
        n = sizes[g]
        numerator = n_levels * n * total  # a node without people contributes r_v n
        for level in range(n_levels):
            for e in range(starts[g], starts[g + 1]):
                filled[node_of[level, codes[e]]] += counts[e]
            for e in range(starts[g], starts[g + 1]):
                node = node_of[level, codes[e]]
                if filled[node] > 0:
                    wanted = expected[node] * n
                    numerator += abs(filled[node] * total - wanted) - wanted
                    filled[node] = 0
        numerators[g] = numerator
    return numerators


@compiled
def tree_surplus(starts, codes, counts, sizes, node_of, expected, total, allowed, judged):  # type: ignore[no-untyped-def]
    """Bound from below how many people have to go before a group is close, where it is `judged`.

    With m people left, k_v of them at node v, what nodes lack is the sum of (r_v m / N - k_v)+ over
    all nodes, and has to be at most `allowed` m. Nobody is added, so k_v <= c_v, and with c_v
    instead of k_v the sum is smaller. That is convex in m and 0 at 0; so the largest m at which it
    is allowed is found by Newton's steps from n down, none of which goes below it.
    """
    n_levels = len(node_of)
    filled = np.zeros(len(expected), dtype=np.int64)
    surplus = np.zeros(len(sizes), dtype=np.float64)
    for g in range(len(sizes)):
        if not judged[g]:
            continue
        for level in range(n_levels):
            for e in range(starts[g], starts[g + 1]):
                filled[node_of[level, codes[e]]] += counts[e]
        left = float(sizes[g])
        for _ in range(STEPS):
            lacking, present, met = 0.0, 0.0, 0
            for level in range(n_levels):
                for e in range(starts[g], starts[g + 1]):
                    node = node_of[level, codes[e]]
                    if filled[node] > 0:
                        met += expected[node]
                        if expected[node] * left > float(filled[node]) * total:
                            lacking += float(expected[node])
                            present += float(filled[node])
                        filled[node] = -filled[node]  # seen in this step
                for e in range(starts[g], starts[g + 1]):
                    node = node_of[level, codes[e]]
                    filled[node] = abs(filled[node])
            slope = (lacking + float(n_levels * total - met)) / total - allowed
            if slope * left <= present:
                break
            following = present / slope
            if following >= left:
                break
            left = following
        surplus[g] = sizes[g] - left
        for level in range(n_levels):
            for e in range(starts[g], starts[g + 1]):
                filled[node_of[level, codes[e]]] = 0
    return surplus


@compiled
def line_numerators(starts, codes, counts, sizes, upto, total):  # type: ignore[no-untyped-def]
    """Sum |C_i N - R_i n| over the values i of a line, C and R cumulated, for every group.

    upto: (n_values,) int64, the R_i; the last is `total` = N.
    """
    filled = np.zeros(len(upto), dtype=np.int64)
    numerators = np.empty(len(sizes), dtype=np.int64)
    for g in range(len(sizes)):
        for e in range(starts[g], starts[g + 1]):
            filled[codes[e]] += counts[e]
        numerator, cumulated = 0, 0
        for i in range(len(upto)):
            cumulated += filled[i]
            filled[i] = 0
            numerator += abs(cumulated * total - upto[i] * sizes[g])
        numerators[g] = numerator
    return numerators


@compiled
def line_surplus(starts, codes, counts, sizes, upto, total, allowed, judged):  # type: ignore[no-untyped-def]
    """Bound from below how many people have to go before a group is close, where it is `judged`.

    As in `tree_surplus`, with two nodes for each place where the line can be parted: the values up
    to there and the others. |C - R| is what the one lacks or what the other lacks.
    """
    filled = np.zeros(len(upto), dtype=np.int64)
    surplus = np.zeros(len(sizes), dtype=np.float64)
    for g in range(len(sizes)):
        if not judged[g]:
            continue
        for e in range(starts[g], starts[g + 1]):
            filled[codes[e]] += counts[e]
        left = float(sizes[g])
        for _ in range(STEPS):
            lacking, present, cumulated = 0.0, 0.0, 0
            for i in range(len(upto)):
                cumulated += filled[i]
                if upto[i] * left > float(cumulated) * total:
                    lacking += float(upto[i])
                    present += float(cumulated)
                if (total - upto[i]) * left > float(sizes[g] - cumulated) * total:
                    lacking += float(total - upto[i])
                    present += float(sizes[g] - cumulated)
            slope = lacking / total - allowed
            if slope * left <= present:
                break
            following = present / slope
            if following >= left:
                break
            left = following
        surplus[g] = sizes[g] - left
        for e in range(starts[g], starts[g + 1]):
            filled[codes[e]] = 0
    return surplus


@compiled
def entropies(starts, counts):  # type: ignore[no-untyped-def]
    """Entropy of every group in nats, and whether all its values are equally frequent."""
    n_groups = len(starts) - 1
    found = np.zeros(n_groups, dtype=np.float64)
    even = np.ones(n_groups, dtype=np.bool_)
    for g in range(n_groups):
        total, logs = 0, 0.0
        for e in range(starts[g], starts[g + 1]):
            total += counts[e]
            if counts[e] > 1:
                logs += counts[e] * math.log(counts[e])
            if counts[e] != counts[starts[g]]:
                even[g] = False
        if total > 0:
            found[g] = max(0.0, math.log(total) - logs / total)
    return found, even


@compiled
def entropy_surplus(starts, counts, log_l, clear, judged):  # type: ignore[no-untyped-def]
    """Bound from below how many people have to go before the entropy is log l, where `judged`.

    Of all ways to leave m people of a group, the most even one takes those above a cap from every
    value: it is majorized by every other, and no other has more entropy. The lower the cap, the
    more even the shares. So the rest is fewer than what a cap leaves under which it still is not
    diverse, and nobody where that is a cap of 1; the lowest is found by bisection.
    """
    n_groups = len(starts) - 1
    surplus = np.zeros(n_groups, dtype=np.int64)
    for g in range(n_groups):
        if not judged[g]:
            continue
        low, high, total = 0, 0, 0
        for e in range(starts[g], starts[g + 1]):
            high = max(high, counts[e])
            total += counts[e]
        left = total  # not diverse with the cap at `high`; with all values at 1 it may be
        while high - low > 1:
            cap = (low + high) // 2
            kept, logs = 0, 0.0
            for e in range(starts[g], starts[g + 1]):
                count = min(cap, counts[e])
                kept += count
                if count > 1:
                    logs += count * math.log(count)
            if math.log(kept) - logs / kept < log_l - clear:
                high, left = cap, kept
            else:
                low = cap
        surplus[g] = total if high == 1 else total - left + 1
    return surplus


@compiled
def _tail(starts, counts, g, l, cap, largest):  # type: ignore[no-untyped-def]
    """Add up all but the l - 1 largest of a group's counts, none of them above the cap."""
    n_kept, total = 0, 0
    for e in range(starts[g], starts[g + 1]):
        count = min(cap, counts[e])
        total += count
        place = n_kept
        if n_kept < l - 1:
            n_kept += 1
        elif l == 1 or count <= largest[n_kept - 1]:
            continue
        else:
            place = n_kept - 1
        while place > 0 and largest[place - 1] < count:
            largest[place] = largest[place - 1]
            place -= 1
        largest[place] = count
    for place in range(n_kept):
        total -= largest[place]
    return total


@compiled
def heads_and_tails(starts, counts, l):  # type: ignore[no-untyped-def]
    """Give r_1 and r_l + ... + r_m of every group, its counts in descending order."""
    n_groups = len(starts) - 1
    heads = np.zeros(n_groups, dtype=np.int64)
    tails = np.zeros(n_groups, dtype=np.int64)
    largest = np.empty(l, dtype=np.int64)
    for g in range(n_groups):
        for e in range(starts[g], starts[g + 1]):
            heads[g] = max(heads[g], counts[e])
        tails[g] = _tail(starts, counts, g, l, heads[g], largest)
    return heads, tails


@compiled
def recursive_surplus(starts, counts, l, numerator, denominator, judged):  # type: ignore[no-untyped-def]
    """Count the people who have to go before r_1 < c (r_l + ... + r_m), where `judged`.

    If x people of the rest have its most frequent value, no value has more than x: the tail is at
    most that of the counts cut off at x, and so is the number of people. That tail is concave in x
    and 0 at 0, so those x below c times it are all up to a largest one, or none.
    """
    n_groups = len(starts) - 1
    surplus = np.zeros(n_groups, dtype=np.int64)
    largest = np.empty(l, dtype=np.int64)
    for g in range(n_groups):
        if not judged[g]:
            continue
        low, high, total = 0, 0, 0
        for e in range(starts[g], starts[g + 1]):
            high = max(high, counts[e])
            total += counts[e]
        while high - low > 1:
            cap = (low + high) // 2
            tail = _tail(starts, counts, g, l, cap, largest)
            if cap * denominator < numerator * tail:
                low = cap
            else:
                high = cap
        kept = 0
        for e in range(starts[g], starts[g + 1]):
            kept += min(low, counts[e])
        surplus[g] = total - kept
    return surplus
