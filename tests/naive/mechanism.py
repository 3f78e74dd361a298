"""What is learned by whoever knows the method: every world is published again, and compared."""

import os
from fractions import Fraction

import pyarrow as pa

import sfumato as sf


def published(columns, quasi_identifiers, sensitive, criterion, method):
    """What everybody sees: the box of each group and how many of its people have which value.

    None: nothing, the method refuses.
    """
    table = sf.read(pa.table(columns), quasi_identifiers, sensitive=sensitive)
    frequencies = table.frequencies()
    try:
        grouping = method.search(frequencies, criterion, os.urandom).grouping(frequencies)
    except sf.Unsatisfiable:
        return None
    assert grouping.n_suppressed == 0, "whose values are not published are not dealt here"
    histogram = grouping.groups(sensitive).histogram
    entries = zip(histogram.group_of, histogram.codes, histogram.counts, strict=True)
    boxes = [tuple(box.ravel().tolist()) for box in grouping.boxes]
    return sorted((boxes[group], int(code), int(count)) for group, code, count in entries)


def beliefs(columns, quasi_identifiers, sensitive, criterion, method):
    """The share of worlds in which somebody of a combination has a value: {(combination, value)}.

    A world deals the values of the table to its people, in any way, and stays if the method, which
    leaves nothing to chance, publishes the same. So inside every published group its values are
    dealt, as nobody is suppressed; where nothing is published, all values are.
    """
    names = list(quasi_identifiers)
    people = list(zip(*(columns[name] for name in names), strict=True))
    seen = published(columns, quasi_identifiers, sensitive, criterion, method)
    total, counted = 0, {}
    for values in dealings(list(columns[sensitive])):
        world = columns | {sensitive: values}
        if published(world, quasi_identifiers, sensitive, criterion, method) != seen:
            continue
        total += 1
        for person, value in zip(people, values, strict=True):
            counted[person, value] = counted.get((person, value), 0) + 1
    return {
        (person, value): Fraction(n, total * people.count(person))
        for (person, value), n in counted.items()
    }


def dealings(values):
    """Every order of some values, each once."""
    if not values:
        yield []
    for value in sorted(set(values)):
        rest = list(values)
        rest.remove(value)
        for others in dealings(rest):
            yield [value, *others]
