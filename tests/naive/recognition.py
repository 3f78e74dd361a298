"""How well columns tell people apart."""

import itertools
from fractions import Fraction

from naive.groups import rows_by_group


def sizes_of(rows, columns):
    """Sizes of the groups of rows that are equal in these columns."""
    return [len(group) for group in rows_by_group(rows, columns).values()]


def separation(rows, columns):
    """Share of the pairs of rows that differ in some of the columns; 0 without pairs."""
    pairs = list(itertools.combinations(rows, 2))
    apart = [pair for pair in pairs if any(pair[0][c] != pair[1][c] for c in columns)]
    return Fraction(len(apart), len(pairs)) if pairs else Fraction(0)


def people_below(rows, columns, k):
    """Number of rows that share the columns with fewer than k rows, themselves included."""
    return sum(sum(all(row[c] == other[c] for c in columns) for other in rows) < k for row in rows)


def determines(rows, column, other):
    """Whether no two rows that are equal in a column differ in another one."""
    pairs = itertools.combinations(rows, 2)
    return all(a[other] == b[other] for a, b in pairs if a[column] == b[column])


def right_guesses(rows, columns):
    """Expected share of rows guessed right by drawing one of those that look alike."""
    each = [Fraction(1, size) for size in sizes_of(rows, columns) for _ in range(size)]
    return sum(each) / len(each)


def shapley(worth, members):
    """What each member adds to a set, averaged over all orders; worth: of a tuple of members."""
    added = dict.fromkeys(members, Fraction(0))
    orders = list(itertools.permutations(members))
    for order in orders:
        for place, member in enumerate(order):
            before = tuple(sorted(order[:place]))
            added[member] += worth(tuple(sorted((*before, member)))) - worth(before)
    return {member: total / len(orders) for member, total in added.items()}
