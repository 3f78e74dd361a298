"""The best partitions of a few points into groups of at least k: what Mondrian approximates."""

import itertools
from collections import Counter
from fractions import Fraction


def box_of(points):
    """The smallest box around points: [(low, high), ...]."""
    return tuple((min(side), max(side)) for side in zip(*points, strict=True))


def overlap(one, other):
    """Whether two boxes share a place."""
    return all(a <= d and c <= b for (a, b), (c, d) in zip(one, other, strict=True))


def loss(groups):
    """Average loss of a cell: lengths of sides as shares of the column's range."""
    everybody = [point for group in groups for point in group]
    whole = [max(high - low, 1) for low, high in box_of(everybody)]
    lost = Fraction(0)
    for group in groups:
        sides = zip(box_of(group), whole, strict=True)
        lost += len(group) * sum(Fraction(high - low, length) for (low, high), length in sides)
    return lost / (len(everybody) * len(whole))


def strict_partitions(points, k):
    """Every partition by boxes that do not overlap, each with at least k points.

    Points that are equal stay together, as they must in such boxes.
    """
    counts = Counter(points)
    columns = [sorted(set(column)) for column in zip(*points, strict=True)]
    intervals = [itertools.combinations_with_replacement(column, 2) for column in columns]
    inside = {}
    for box in itertools.product(*intervals):
        own = frozenset(p for p in counts if overlap(box_of([p]), box))
        if own and box_of(own) == box and sum(counts[p] for p in own) >= k:
            inside[box] = own

    def complete(left, boxes):
        if not left:
            yield [[p for p in sorted(inside[box]) for _ in range(counts[p])] for box in boxes]
            return
        first = min(left)
        for box, own in inside.items():
            if first in own and own <= left and not any(overlap(box, each) for each in boxes):
                yield from complete(left - own, [*boxes, box])

    yield from complete(frozenset(counts), [])


def best_strict(points, k):
    """Give the most groups and the least loss of a strict partition, each for itself."""
    every = list(strict_partitions(points, k))
    return max(map(len, every)), min(map(loss, every))


def least_loss(points, k):
    """The least loss of any partition, by subsets: a group of 2k or more can be parted."""
    points = sorted(points)
    n, whole = len(points), [max(high - low, 1) for low, high in box_of(points)]
    unit = Fraction(1, n * len(whole))
    prices, best = {}, {0: Fraction(0)}
    for left in range(1, 1 << n):
        first = left & -left
        rest = [j for j in range(n) if left >> j & 1 and 1 << j != first]
        found = None
        for size in range(k, min(2 * k, left.bit_count() + 1)):
            for others in itertools.combinations(rest, size - 1):
                group = first | sum(1 << j for j in others)
                if best.get(left & ~group) is None:
                    continue
                if group not in prices:
                    sides = box_of([points[j] for j in range(n) if group >> j & 1])
                    pairs = zip(sides, whole, strict=True)
                    prices[group] = (
                        unit
                        * size
                        * sum(Fraction(high - low, length) for (low, high), length in pairs)
                    )
                price = prices[group] + best[left & ~group]
                found = price if found is None else min(found, price)
        best[left] = found
    return best[(1 << n) - 1]


def most_groups(points, k):
    """The most groups of any partition that a reader can tell apart: no two have the same box."""
    counts = Counter(points)
    kinds = sorted(counts)

    def parts(left):
        """Ways to take at least k people with the first kind that is left, small ones first."""
        first = next(j for j, n in enumerate(left) if n)
        ranges = [range(n + 1) if j != first else range(1, n + 1) for j, n in enumerate(left)]
        taken = [t for t in itertools.product(*ranges) if sum(t) >= k]
        return sorted(taken, key=sum)

    def search(left, boxes, most):
        """Give the most groups with those of `boxes`, or as many as are wanted."""
        people = sum(left)
        if not people:
            return len(boxes)
        found = 0
        for taken in parts(left):
            rest = tuple(a - b for a, b in zip(left, taken, strict=True))
            if len(boxes) + 1 + sum(rest) // k <= max(found, most) or 0 < sum(rest) < k:
                continue
            box = box_of([kind for kind, n in zip(kinds, taken, strict=True) if n])
            if box not in boxes:
                found = max(found, search(rest, boxes | {box}, max(found, most)))
                if found == len(boxes) + people // k:
                    break
        return found

    return search(tuple(counts[kind] for kind in kinds), frozenset(), 0)
