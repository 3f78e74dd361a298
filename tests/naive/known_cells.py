"""What is believed by whoever knows everybody's class in every release: all worlds, one by one."""

from collections import Counter
from fractions import Fraction


def worlds(people, published):
    """Yield the values of all people, in every way that explains all releases.

    people: of each person the class in every release; None: the person is not in it.
    published: of every release {class: list of values}.
    """
    left = [{name: Counter(values) for name, values in each.items()} for each in published]
    every = sorted({value for each in published for own in each.values() for value in own})

    def go_on(place, world):
        if place == len(people):
            yield tuple(world)
            return
        own = [left[j][name] for j, name in enumerate(people[place]) if name is not None]
        for value in every:
            if all(counts[value] for counts in own):
                for counts in own:
                    counts[value] -= 1
                yield from go_on(place + 1, [*world, value])
                for counts in own:
                    counts[value] += 1

    yield from go_on(0, [])


def beliefs(people, published):
    """Of every person, {value: belief}; everybody may have any value, all worlds alike."""
    counted = [Counter() for _ in people]
    n = 0
    for world in worlds(people, published):
        n += 1
        for own, value in zip(counted, world, strict=True):
            own[value] += 1
    return [{value: Fraction(many, n) for value, many in own.items()} for own in counted]


def most_and_fewest(people, published, cell, value):
    """How many people of a cell have a value, at most and at least."""
    own = [j for j, classes in enumerate(people) if classes == cell]
    found = [sum(world[j] == value for j in own) for world in worlds(people, published)]
    return max(found), min(found)
