"""What a published group says of its people, and who can be linked with a row.

A published group is the list of the sensitive values of its people; None is a value.
"""

import itertools
from collections import Counter
from fractions import Fraction


def prosecutor(sizes):
    """Success for the person in the smallest group."""
    return max(Fraction(1, size) for size in sizes)


def journalist(sizes, listed):
    """Success for the row that fewest people on a list fit; None: nobody fits any.

    Where fewer people fit than the group has rows, a row is one of theirs with this share at most.
    """
    chances = [
        min(Fraction(1), Fraction(n, size)) / n for size, n in zip(sizes, listed, strict=True) if n
    ]
    return max(chances, default=None)


def marketer(sizes, listed):
    """Share of all rows that are linked with the right person, on average."""
    right = Fraction(0)
    for size, n in zip(sizes, listed, strict=True):
        for _ in range(size):
            right += min(Fraction(1), Fraction(n, size)) / n if n else 0
    return right / sum(sizes)


def beliefs(values):
    """Share of every value in a group."""
    return {value: Fraction(n, len(values)) for value, n in Counter(values).items()}


def subsets(values, n):
    """All sets of up to `n` different values."""
    different = sorted(set(values), key=str)
    return [
        set(chosen)
        for size in range(min(n, len(different)) + 1)
        for chosen in itertools.combinations(different, size)
    ]


def belief_after(values, n):
    """Strongest belief in one value after any `n` values have been ruled out."""
    left = [[v for v in values if v not in excluded] for excluded in subsets(values, n)]
    return max(max(beliefs(remaining).values()) for remaining in left if remaining)


def values_to_rule_out(values, everything):
    """Fewest values, of all there are, that leave the people of a group only one possible."""
    for n in range(len(set(everything)) + 1):
        for excluded in itertools.combinations(sorted(set(everything), key=str), n):
            if len(set(values) - set(excluded)) == 1:
                return n
    raise AssertionError("nobody is here")


def largest_rise(groups, everybody):
    """Most that belief in a value rises from its share among everybody to its share in a group."""
    before = beliefs(everybody)
    return max(after - before[value] for group in groups for value, after in beliefs(group).items())


def value_range(values):
    """Largest minus smallest number; missing values have no place in it."""
    numbers = [Fraction(value) for value in values if value is not None]
    return max(numbers) - min(numbers) if numbers else Fraction(0)


def worlds_of_sets(n, counts, repeated):
    """All ways in which `n` people can have values that occur `counts` times, equally likely.

    repeated: a person may have a value several times, so every occurrence is anybody's; else the
    occurrences of a value are of different people. A world is the set of the first person's values.
    """
    each = [
        list(itertools.product(range(n), repeat=c))
        if repeated
        else list(itertools.combinations(range(n), c))
        for c in counts.values()
    ]
    for owners in itertools.product(*each):
        yield {value for value, own in zip(counts, owners, strict=True) if 0 in own}


def belief_in_sets(n, counts, repeated, *, lacks=frozenset(), has_some=False):
    """Belief in each value of one of `n` people, given what it lacks; None: impossible."""
    worlds = [
        world
        for world in worlds_of_sets(n, counts, repeated)
        if not world & lacks and (world or not has_some)
    ]
    if not worlds:
        return None
    return {value: Fraction(sum(value in w for w in worlds), len(worlds)) for value in counts}
