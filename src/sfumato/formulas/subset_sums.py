"""Which groups have the most people together, and no more than there may be."""

from __future__ import annotations

from collections.abc import Sequence


def largest_sum(sizes: Sequence[int], counts: Sequence[int], most: int) -> list[int]:
    """How many groups of each size to keep for the largest sum of at most `most` people.

    `counts[j]` groups have `sizes[j]` people, sizes ascending. Bit n of a number says whether n
    people can be reached; groups of one size join by ones, twos, fours. Of several ways the one
    that keeps larger groups.

    >>> largest_sum([1, 2, 4], [1, 3, 2], 7)  # 4 + 2 + 1
    [1, 1, 1]
    >>> largest_sum([2, 5], [3, 1], 6)
    [3, 0]
    """
    within = (1 << (most + 1)) - 1
    reached = [1]
    for size, count in zip(sizes, counts, strict=True):
        now, left, step = reached[-1], count, 1
        while left:
            step = min(step, left)
            now |= (now << (step * size)) & within
            left -= step
            step *= 2
        reached.append(now)
    total = reached[-1].bit_length() - 1
    kept = [0] * len(sizes)
    for j in range(len(sizes) - 1, -1, -1):
        n = min(counts[j], total // sizes[j])
        while not reached[j] >> (total - n * sizes[j]) & 1:
            n -= 1
        kept[j], total = n, total - n * sizes[j]
    return kept
