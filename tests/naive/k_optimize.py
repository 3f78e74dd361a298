"""Twin of `KOptimize`: every index set, priced by looking at every row.

A row is a tuple of ranks, one per column; `n_values[c]` is how many values column c has. An index
set is a set of numbers of values, which begin intervals, as in figure 12 of Ciriani 2008.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import chain, combinations


def index_sets(n_values):
    """All sets of numbers, without the least value of each column."""
    numbers, first = [], 1
    for n in n_values:
        numbers += range(first + 1, first + n)
        first += n
    return chain.from_iterable(combinations(numbers, size) for size in range(len(numbers) + 1))


def intervals(column, index_set, n_values):
    """Of every rank of a column, the first and last that are published as the same."""
    before, n = 1 + sum(n_values[:column]), n_values[column]
    begins = [rank for rank in range(n) if rank == 0 or before + rank in index_set]
    ends = [*begins[1:], n]
    return [(a, b - 1) for a, b in zip(begins, ends, strict=True) for _ in range(a, b)]


def groups(rows, n_values, index_set):
    """The positions of the rows of each box."""
    found = defaultdict(list)
    published = [intervals(c, index_set, n_values) for c in range(len(n_values))]
    for i, row in enumerate(rows):
        found[tuple(published[c][rank] for c, rank in enumerate(row))].append(i)
    return found


def cost(rows, classes, n_values, index_set, k, by):
    """What an index set costs, exactly, and how many rows it suppresses."""
    total, suppressed = Fraction(0), 0
    for box, members in groups(rows, n_values, index_set).items():
        if len(members) < k:
            suppressed += len(members)
            total += len(members) * (len(rows) if by == "discernibility" else 1)
        elif by == "discernibility":
            total += len(members) ** 2
        elif by == "class":
            total += len(members) - max(Counter(classes[i] for i in members).values())
        else:
            lost = [
                Fraction(high - low, max(n - 1, 1))
                for (low, high), n in zip(box, n_values, strict=True)
            ]
            total += len(members) * sum(lost) / len(lost)
    return total, suppressed


def least_cost(rows, classes, n_values, k, by, most_suppressed):
    """The least cost of all index sets within the limit."""
    priced = (cost(rows, classes, n_values, set(each), k, by) for each in index_sets(n_values))
    return min(total for total, suppressed in priced if suppressed <= most_suppressed)
