"""The compiled loops of `skyline_regions` that judge: five statistics of groups, and whether safe.

Chen 2009, sections 6.1 and 7.1. What they are given is described there.
"""

from __future__ import annotations

import numpy as np

from sfumato.compiled import compiled
from sfumato.formulas.knowledge.kernels import lacking, odds, product

TOGETHER, ALONE, KEPT, FAMILY, BESIDE = range(5)  # the five statistics, in the paper's order


@compiled
def clear(statistics):  # type: ignore[no-untyped-def]
    """Nobody has any value: no T, and V is 1."""
    for r in range(len(statistics)):
        for j in range(5):
            statistics[r, j] = np.inf if j < FAMILY else 1.0


@compiled
def copy(source, target):  # type: ignore[no-untyped-def]
    """Write the statistics of one group over those of another."""
    for r in range(len(source)):
        for j in range(5):
            target[r, j] = source[r, j]


@compiled
def carry_up(tree, node):  # type: ignore[no-untyped-def]
    """Carry a leaf up to the root: every node has the minima of its two children."""
    node //= 2
    while node >= 1:
        for r in range(tree.shape[1]):
            for j in range(5):
                tree[node, r, j] = min(tree[2 * node, r, j], tree[2 * node + 1, r, j])
        node //= 2


@compiled
def safe(n_left, n_right, seen, wanted, others, room):  # type: ignore[no-untyped-def]
    """Say whether the groups are safe with both sides of a cut in place of their region.

    Odds come first: they are cheap, and most cuts that are unsafe are so by them.
    """
    rank(room.left, seen, wanted, room, 0)
    rank(room.right, seen, wanted, room, 1)
    for value in seen:
        for r in range(wanted.first[value], wanted.first[value + 1]):
            write_odds(n_left, room.left, wanted, room, 0, r)
            write_odds(n_right, room.right, wanted, room, 1, r)
            alone = min(others[r, ALONE], room.five[0, r, ALONE], room.five[1, r, ALONE])
            kept = min(others[r, KEPT], room.five[0, r, KEPT], room.five[1, r, KEPT])
            limit = wanted.limit[r]
            if product(alone, others[r, BESIDE]) <= limit:
                return False
            if product(kept, others[r, FAMILY]) <= limit:
                return False
    for value in seen:
        for r in range(wanted.first[value], wanted.first[value + 1]):
            write_family(n_left, room.left, wanted, room, 0, r)
            write_family(n_right, room.right, wanted, room, 1, r)
            left, right, rest = room.five[0, r], room.five[1, r], others[r]
            limit = wanted.limit[r]
            if min(left[TOGETHER], right[TOGETHER], rest[TOGETHER]) <= limit:
                return False
            alone = min(left[ALONE], right[ALONE], rest[ALONE])
            if product(alone, min(left[BESIDE], right[BESIDE], rest[BESIDE])) <= limit:
                return False
            kept = min(left[KEPT], right[KEPT], rest[KEPT])
            if product(kept, min(left[FAMILY], right[FAMILY], rest[FAMILY])) <= limit:
                return False
    return True


@compiled
def rank(counts, seen, wanted, room, side):  # type: ignore[no-untyped-def]
    """Write the most frequent values of one side, of every column that is protected."""
    top_value, top_count, n_top = room.top_value[side], room.top_count[side], room.n_top[side]
    for block in range(len(n_top)):
        n_top[block] = 0
    for value in seen:
        count, block = counts[value], wanted.block[value]
        if count == 0 or block < 0:
            continue
        at = n_top[block]
        if at == wanted.most[block]:
            at -= 1
            if top_count[block, at] >= count:
                continue
        else:
            n_top[block] += 1
        while at > 0 and top_count[block, at - 1] < count:
            top_value[block, at] = top_value[block, at - 1]
            top_count[block, at] = top_count[block, at - 1]
            at -= 1
        top_value[block, at], top_count[block, at] = value, count


@compiled
def write_odds(people, counts, wanted, room, side, r):  # type: ignore[no-untyped-def]
    """Write T of one side for one requirement."""
    five, value, case = room.five[side, r], wanted.value[r], wanted.case[r]
    having = counts[value]
    if having == 0:
        five[ALONE] = five[KEPT] = np.inf
        return
    block, left = wanted.block[value], wanted.l[r]
    ruled_out, share = 0, 1.0
    for i in range(room.n_top[side, block]):
        if left == 0:
            break
        if room.top_value[side, block, i] != value:
            count = room.top_count[side, block, i]
            ruled_out += count
            share *= (people - count) / people
            left -= 1
    five[ALONE] = odds(people, having, ruled_out, share, 0, case)
    five[KEPT] = five[ALONE]
    if wanted.k[r] > 0:
        five[KEPT] = odds(people, having, ruled_out, share, wanted.k[r], case)


@compiled
def write_family(people, counts, wanted, room, side, r):  # type: ignore[no-untyped-def]
    """Write V of one side for one requirement, and T V; T is written already."""
    five, k, m, case = room.five[side, r], wanted.k[r], wanted.m[r], wanted.case[r]
    having = counts[wanted.value[r]]
    if having == 0:
        five[TOGETHER], five[FAMILY], five[BESIDE] = np.inf, 1.0, 1.0
        return
    five[TOGETHER] = product(five[KEPT], lacking(people, having, m, k + 1, case))
    five[FAMILY] = lacking(people, having, m, 0, case)
    five[BESIDE] = five[FAMILY] if k == 0 else lacking(people, having, m, k, case)
