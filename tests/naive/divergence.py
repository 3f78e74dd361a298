"""How far a release's distribution is from the table's (Chen 2009, section 8.4)."""

import math
from collections import Counter
from fractions import Fraction


def kl_divergence(cells, expected):
    """Sum of p log(p / p*), where the release expects as many people in every cell of the table.

    cells: one per person; expected: gives a Fraction for a cell.
    """
    total = 0.0
    for cell, n in Counter(cells).items():
        ratio = n / Fraction(expected(cell))
        total += n * (math.log(ratio.numerator) - math.log(ratio.denominator))
    return total / len(cells)


def mutual_information(pairs):
    """Sum over pairs that occur of p(x, s) log(p(x, s) / (p(x) p(s)))."""
    first, second = (Counter(each) for each in zip(*pairs, strict=True))
    total = 0.0
    for (x, s), n in Counter(pairs).items():
        total += n * math.log(Fraction(n * len(pairs), first[x] * second[s]))
    return total / len(pairs)
