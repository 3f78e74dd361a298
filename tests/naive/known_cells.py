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


def beliefs_by_generators(first, second, raws, target):
    """What Fung's own adversary believes of somebody who was in the first of two releases.

    He knows nobody's quasi-identifiers but the target's: every record of the first release may have
    any raw value of its class that leaves it a counterpart in the second, all such choices alike.

    first, second: lists of (set of raw values, value); raws: all raw values; target: one of them.
    """
    total, n = Counter(), 0

    def go_on(place, free, chosen):
        if place == len(first):
            yield chosen
            return
        classes, value = first[place]
        for raw in raws:
            if raw not in classes:
                continue
            held = next((k for k in free if raw in k[0] and k[1] == value and free[k]), None)
            if held is not None:
                free[held] -= 1
                yield from go_on(place + 1, free, [*chosen, (raw, value)])
                free[held] += 1

    for chosen in go_on(0, Counter(second), []):
        own = [value for raw, value in chosen if raw == target]
        if own:
            n += 1
            for value in own:
                total[value] += Fraction(1, len(own))
    return {value: many / n for value, many in total.items()}
