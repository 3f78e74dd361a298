"""Who can be in which box, person by person."""

import itertools
from collections import Counter


def fillings(people, sizes, pairs):
    """Every way to put people of kinds into boxes, as {filling by pair: ways with names}."""
    fits = {tuple(pair): j for j, pair in enumerate(pairs)}
    places = [
        [None, *(box for box in range(len(sizes)) if (kind, box) in fits)]
        for kind, n in enumerate(people)
        for _ in range(n)
    ]
    kinds = [kind for kind, n in enumerate(people) for _ in range(n)]
    found = Counter()
    for choice in itertools.product(*places):
        if [choice.count(box) for box in range(len(sizes))] != list(sizes):
            continue
        filling = [0] * len(pairs)
        for kind, box in zip(kinds, choice, strict=True):
            if box is not None:
                filling[fits[kind, box]] += 1
        found[tuple(filling)] += 1
    return dict(found)
