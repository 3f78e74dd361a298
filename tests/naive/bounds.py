"""How far a published side reaches, by trying every range there is."""

import datetime
import itertools
from fractions import Fraction


def smallest(ranges, people):
    """The ranges out of all, each (low, high), that hold everybody; the narrowest of them."""
    around = [(low, high) for low, high in ranges if all(low <= each < high for each in people)]
    return min(around, key=lambda ends: ends[1] - ends[0])


def ranges_of_numbers(width, values):
    """Every range between two multiples of a width, as far as there are values."""
    width = Fraction(width)
    first, last = int(min(values) // width), int(max(values) // width) + 1
    return [
        (width * low, width * high)
        for low, high in itertools.combinations(range(first, last + 1), 2)
    ]


def ranges_of_months(values):
    """Every range from the first day of a month up to that of a later one."""
    first, last = min(values), max(values)
    months = [
        datetime.date(year, month, 1)
        for year in range(first.year, last.year + 2)
        for month in range(1, 13)
    ]
    return list(itertools.combinations(months, 2))


def ranges_of_places(n):
    """Every range of places in a list."""
    return list(itertools.combinations(range(n + 1), 2))


def side(people, inside_cuts, ranges):
    """The values of a published side, as a set, and the grid's range; None: one value is shared.

    Args:
        people: The values of those in the box; None: missing.
        inside_cuts: All values of the column that the cuts leave; missing ones come last.
        ranges: Every range of the grid; None: there is no grid.
    """
    if len(set(people)) == 1:
        return set(people), None
    known = [each for each in people if each is not None]
    low, high = smallest(ranges, known) if ranges is not None else (None, None)
    found = {
        each
        for each in inside_cuts
        if each is not None
        and (low is None or low <= each)
        and (high is None or None in people or each < high)
    }
    if None in people or (ranges is None and None in inside_cuts):
        found.add(None)
    return found, (low, high)
