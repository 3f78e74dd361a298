"""Numbers in bins, one by one, in fractions."""

import itertools
from fractions import Fraction


def binned(numbers, before, after, edges):
    """Count people of numbers between each two edges, the lower one inside."""
    counts = []
    for low, high in itertools.pairwise(edges):
        inside = [j for j, x in enumerate(numbers) if x is not None and low <= x < high]
        counts.append((sum(before[j] for j in inside), sum(after[j] for j in inside)))
    return counts


def edges_of(labels):
    """Read the edges of bins from what they are called."""
    ends = [label.split(" to below ") for label in labels]
    assert all(one[1] == two[0] for one, two in itertools.pairwise(ends))
    return [Fraction(low) for low, _ in ends] + [Fraction(ends[-1][1])]
