"""What the way groups were formed gives away (Cormode 2010): every world of the whole table."""

import itertools
import math
from collections import Counter
from fractions import Fraction

from naive.grouping import anatomy, greedy_grouping, symmetric_grouping


def orders(values):
    """Every different order of some values, one after the other."""
    if not values:
        yield ()
    for value in sorted(set(values)):
        rest = list(values)
        rest.remove(value)
        yield from ((value, *others) for others in orders(rest))


class Tossed(dict):
    """Tosses by place; asking for one that was not made is an error that names the place."""

    def __missing__(self, place):
        raise LookupError(place)


def chance_of(happens, p):
    """Probability of tosses with which something happens; a toss is made when it is asked for."""
    total, open_ = Fraction(0), [Tossed()]
    while open_:
        tosses = open_.pop()
        try:
            happened = happens(tosses)
        except LookupError as wanted:
            (place,) = wanted.args
            open_ += [Tossed(tosses | {place: True}), Tossed(tosses | {place: False})]
            continue
        if happened:
            total += math.prod(p if goes_on else 1 - p for goes_on in tosses.values())
    return total


def chance_of_greedy(formed, unit, p=0):
    """Give the function from (keeps, world) to the chance that greedy grouping forms the groups."""

    def chance(keeps, world):
        def happens(tosses):
            safe = keeping(keeps, world)
            return greedy_grouping(list(range(len(world))), safe, unit, tosses)[0] == formed

        return chance_of(happens, p)

    return chance


def chance_of_halves(formed, least):
    """Do the same for even splits: 1 or 0."""

    def chance(keeps, world):
        safe = keeping(keeps, world)
        return Fraction(symmetric_grouping(list(range(len(world))), safe, least) == formed)

    return chance


def keeping(keeps, world):
    """Judge people by the values that they have in a world."""
    return lambda people: keeps(tuple(sorted(world[i] for i in people)))


def method_posterior(values, parts, keeps, chance):
    """Give the probability of every value for every position, over all worlds of the table.

    A world deals the values of each published part to its people; whoever is in none keeps his.
    It counts by the chance that the method forms the groups that it did.
    """
    total = Fraction(0)
    sums = {i: Counter() for part in parts for i in part}
    for dealt in itertools.product(*(list(orders([values[i] for i in part])) for part in parts)):
        world = list(values)
        for part, own in zip(parts, dealt, strict=True):
            for i, value in zip(part, own, strict=True):
                world[i] = value
        weight = chance(keeps, world)
        total += weight
        for i, row in sums.items():
            row[world[i]] += weight
    return {i: {v: Fraction(n) / total for v, n in row.items() if n} for i, row in sums.items()}


def chance_of_parts(names, n_different, n_people, parts):
    """Probability that Anatomy makes exactly these parts, over every turn and lot."""
    n, hits = 0, Fraction(0)
    wanted = sorted(sorted(part) for part in parts)
    many = math.lcm(*range(1, len(names) // n_different + 1))  # every choice of a group alike
    for turns in itertools.permutations(range(len(names))):
        n += 1

        def happens(lots, turns=turns):
            found = anatomy(names, n_different, n_people, lots, turns)
            return sorted(sorted(part) for part in found) == wanted

        hits += _over_lots(happens, many)
    return hits / n


def _over_lots(happens, many):
    """Share of lots, each below `many`, with which something happens."""
    total, open_ = Fraction(0), [((), Fraction(1))]
    while open_:
        lots, weight = open_.pop()
        try:
            happened = happens(_given(lots))
        except LookupError:
            open_ += [((*lots, lot), weight / many) for lot in range(many)]
            continue
        total += weight * happened
    return total


def _given(lots):
    yield from lots
    raise LookupError


def beliefs_of_never_close(values, reference, t):
    """For every position of a group, the share of each value over all orders of the values.

    Only the orders count in which no proper beginning is within t of the reference, a dict
    `{value: people}`. None: there is no such order.
    """
    total = sum(reference.values())

    def close(beginning):
        distance = sum(
            abs(Fraction(beginning.count(v), len(beginning)) - Fraction(n, total))
            for v, n in reference.items()
        )
        return distance / 2 <= t

    orders = [
        order
        for order in itertools.permutations(values)
        if not any(close(order[:n]) for n in range(1, len(order)))
    ]
    if not orders:
        return None
    return [
        {v: Fraction(sum(order[i] == v for order in orders), len(orders)) for v in reference}
        for i in range(len(values))
    ]
