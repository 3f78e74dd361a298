"""Boxes of ranks by going through every rank there is."""

import itertools


def holds(box, rank):
    return all(low <= r <= high for (low, high), r in zip(box, rank, strict=True))


def ranks(n, d):
    return itertools.product(range(n), repeat=d)


def comparable(first, second, n):
    """Pairs of boxes that share a rank below n."""
    d = len((first or second)[0])
    return sorted(
        {
            (i, j)
            for rank in ranks(n, d)
            for i, one in enumerate(first)
            for j, two in enumerate(second)
            if holds(one, rank) and holds(two, rank)
        }
    )


def places(first, second, n):
    """What boxes of either release any rank is in; ranks in no box aside."""
    d = len((first or second)[0])
    found = set()
    for rank in ranks(n, d):
        one, two = (
            tuple(i for i, box in enumerate(boxes) if holds(box, rank)) for boxes in (first, second)
        )
        found.add((one, two))
    return found - {((), ())}
