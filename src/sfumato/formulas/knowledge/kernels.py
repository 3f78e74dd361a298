"""The compiled loops of `knowledge`: how much an adversary lacks, in floats (Chen 2009, 7.1).

Cases are numbers here: 0 one value per person, 1 a set, 2 a multiset. What is 0 is exactly 0, and
what is positive but too small for a float is `TINY`, so that certainty is never a rounding. The
relative error of everything above `TINY` is below 1e-9: a product of s factors that is not TINY
has s^2 < 700 n.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sfumato.compiled import compiled

TINY = 1e-300
SEEN = 1024  # counts whose V is remembered: a power of 2
CHUNK = 16  # factors below 2^63 whose product still is a float


@compiled
def odds(  # pragma: no cover  (compiled)
    n: Any, having: Any, ruled_out: Any, share: Any, k: Any, case: Any
) -> Any:
    """T: the least odds against the value, for somebody in a group of n people.

    Args:
        n: People in the group.
        having: Occurrences of the value among them, at least 1.
        ruled_out: Occurrences of the values known about the target (cases 0 and 2).
        share: For sets, the probability to have none of those values: prod (n - count) / n.
        k: Other people of the group who are known.
        case: 0 single, 1 set, 2 multiset.
    """
    if case == 2:
        if n - k <= 1:
            return 0.0
        with_it = math.expm1(-having * math.log1p(-1.0 / (n - k)))
        return max(math.exp(ruled_out * math.log1p(-1.0 / n)) / with_it, TINY)
    if case == 1:
        if n - having - k <= 0 or share == 0.0:
            return 0.0
        return max((n - having - k) / having * share, TINY)
    return max(n - having - ruled_out - k, 0) / having


@compiled
def lacking(n: Any, having: Any, m: Any, k: Any, case: Any) -> Any:  # pragma: no cover  (compiled)
    """V: the least probability that none of m people has the value, in a group of n people.

    Args:
        n: People in the group.
        having: Occurrences of the value among them; 0 gives 1.
        m: People of the target's family in this group; 0 gives 1.
        k: Other people of the group who are known not to have the value.
        case: 0 single, 1 set (the same), 2 multiset.
    """
    if m <= 0 or having <= 0:
        return 1.0
    left = n - k
    if case == 2:
        if left <= m:
            return 0.0
        log = math.log1p(-m / left) if 2 * m < left else math.log((left - m) / left)
        return max(math.exp(having * log), TINY)
    if left - having < m:
        return 0.0
    fewer, more = min(m, having), max(m, having)  # C(left - m, having) / C(left, having)
    product = 1.0
    for start in range(0, fewer, CHUNK):
        above, below = 1.0, 1.0
        for i in range(start, min(start + CHUNK, fewer)):
            above *= left - more - i
            below *= left - i
        product *= above / below
        if product < TINY:
            return TINY
    return product


@compiled
def product(left: Any, right: Any) -> Any:  # pragma: no cover  (compiled)
    """Multiply so that only 0 gives 0."""
    return max(left * right, TINY) if left > 0.0 and right > 0.0 else 0.0


@compiled
def rule_out(  # pragma: no cover  (compiled)
    starts: Any, counts: Any, sizes: Any, l: Any, shares: Any
) -> Any:
    """For every entry, the l most frequent other values of its group.

    Gives their occurrences, and with `shares` the probability of a person to have none of them
    where each is dealt for itself (sets). A group's counts are sorted once: without its own count
    an entry that is among the first l + 1 has them all but itself, any other has the first l.
    """
    total = np.zeros(len(counts), dtype=np.int64)
    share = np.ones(len(counts) if shares else 0, dtype=np.float64)
    widest = 0
    for g in range(len(sizes)):
        widest = max(widest, starts[g + 1] - starts[g])
    buffer = np.empty(widest, dtype=np.int64)
    for g in range(len(sizes)):
        first, end, n = starts[g], starts[g + 1], sizes[g]
        width = end - first
        top = min(l + 1, width)
        if l == 0 or width < 2:
            continue
        if width > 64:
            buffer[:width] = counts[first:end]
            buffer[:width].sort()
            for i in range(width // 2):
                buffer[i], buffer[width - 1 - i] = buffer[width - 1 - i], buffer[i]
        else:  # insert into the largest top, in falling order
            filled = 0
            for e in range(first, end):
                count = counts[e]
                if filled == top and count <= buffer[top - 1]:
                    continue
                if filled < top:
                    filled += 1
                i = filled - 1
                while i > 0 and buffer[i - 1] < count:
                    buffer[i] = buffer[i - 1]
                    i -= 1
                buffer[i] = count
        least = buffer[l] if l < width else 0
        upto_l, upto_next = 0, 0
        none_l, none_next = 1.0, 1.0  # of those below n; one that everybody has is counted apart
        everybody_l, everybody_next = 0, 0
        for i in range(top):
            upto_next += buffer[i]
            if buffer[i] >= n:
                everybody_next += 1
            elif shares:
                none_next *= (n - buffer[i]) / n
            if i == l - 1:
                upto_l, none_l, everybody_l = upto_next, none_next, everybody_next
        for e in range(first, end):
            count = counts[e]
            if count >= least:
                total[e] = upto_next - count
                if shares:
                    surely = everybody_next - (1 if count >= n else 0)
                    alone = 1.0 if count >= n else (n - count) / n
                    share[e] = 0.0 if surely > 0 else max(none_next / alone, TINY)
            else:
                total[e] = upto_l
                if shares:
                    share[e] = 0.0 if everybody_l > 0 else max(none_l, TINY)
    return total, share


@compiled
def five(  # pragma: no cover  (compiled)
    n: Any, having: Any, ruled_out: Any, share: Any, k: Any, m: Any, case: Any
) -> Any:
    """All five statistics of every entry; (n_entries, 5).

    In the paper's order: T V of one group, T without others, T with them, V without, V with.
    """
    statistics = np.empty((len(n), 5), dtype=np.float64)
    seen = np.full((SEEN, 2), -1, dtype=np.int64)  # V depends on these two alone: n, having
    values = np.empty((SEEN, 3), dtype=np.float64)
    for e in range(len(n)):
        slot = having[e] & (SEEN - 1)
        if seen[slot, 0] != n[e] or seen[slot, 1] != having[e]:
            seen[slot, 0], seen[slot, 1] = n[e], having[e]
            values[slot, 0] = lacking(n[e], having[e], m, 0, case)
            values[slot, 1] = lacking(n[e], having[e], m, k, case)
            values[slot, 2] = lacking(n[e], having[e], m, k + 1, case)
        own = share[e] if case == 1 else 1.0
        with_others = odds(n[e], having[e], ruled_out[e], own, k, case)
        statistics[e, 0] = product(with_others, values[slot, 2])
        statistics[e, 1] = odds(n[e], having[e], ruled_out[e], own, 0, case)
        statistics[e, 2] = with_others
        statistics[e, 3] = values[slot, 0]
        statistics[e, 4] = values[slot, 1]
    return statistics


@compiled
def least(codes: Any, statistics: Any, n_values: Any) -> Any:  # pragma: no cover  (compiled)
    """The least of every statistic by value; (n_values, 5). No T: infinite; no V: 1."""
    lowest = np.empty((n_values, 5), dtype=np.float64)
    lowest[:, :3] = np.inf
    lowest[:, 3:] = 1.0
    for e in range(len(codes)):
        for j in range(5):
            lowest[codes[e], j] = min(lowest[codes[e], j], statistics[e, j])
    return lowest


@compiled
def negated(codes: Any, statistics: Any, lowest: Any) -> Any:  # pragma: no cover  (compiled)
    """The least negated ratio about somebody in the entry's group (Chen 2009, theorem 2)."""
    ratio = np.empty(len(codes), dtype=np.float64)
    for e in range(len(codes)):
        apart = product(statistics[e, 1], lowest[codes[e], 4])
        kept = product(statistics[e, 2], lowest[codes[e], 3])
        ratio[e] = min(statistics[e, 0], apart, kept)
    return ratio


@compiled
def in_one_group(  # pragma: no cover  (compiled)
    n: Any,
    having: Any,
    ruled_out: Any,
    share: Any,
    k: Any,
    m: Any,
    case: Any,
    behind: Any,
    bar: Any,
) -> Any:
    """The least minNR(g, l, k, m) and the least T(g, l, k) of one value over its entries.

    With `behind`, the least V(g, m, k + 1), it is seen at once which entries stay above `bar`;
    their minNR is not looked at. Infinite: it is above the bar.
    """
    together, kept = np.inf, np.inf
    for e in range(len(n)):
        with_others = odds(n[e], having[e], ruled_out[e], share[e] if case == 1 else 1.0, k, case)
        kept = min(kept, with_others)
        if product(with_others, behind) <= bar:
            own = lacking(n[e], having[e], m, k + 1, case)
            together = min(together, product(with_others, own))
    return together, kept


@compiled
def least_lacking(n: Any, having: Any, m: Any, k: Any, case: Any) -> Any:  # pragma: no cover
    """The least V(g, m, k) of one value over its entries."""
    lowest = 1.0
    for e in range(len(n)):
        lowest = min(lowest, lacking(n[e], having[e], m, k, case))
    return lowest


@compiled
def undominated(rows: Any, order: Any) -> Any:  # pragma: no cover  (compiled)
    """Find the rows that no other is at most in all three columns; of equal ones the first.

    `order` has every row behind those that could dominate it.
    """
    kept = np.empty(len(rows), dtype=np.int64)
    n_kept = 0
    for row in order:
        a, b, c = rows[row, 0], rows[row, 1], rows[row, 2]
        covered = False
        for i in range(n_kept):
            other = kept[i]
            if rows[other, 0] <= a and rows[other, 1] <= b and rows[other, 2] <= c:
                covered = True
                break
        if not covered:
            kept[n_kept] = row
            n_kept += 1
    return kept[:n_kept]
