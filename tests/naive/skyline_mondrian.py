"""SkylineAnonymize (Chen 2009, figure 4).

A row is (quasi-identifiers ..., values): the last is a tuple of all that the person has. A
dimension is as for Mondrian. A requirement is (value, l, k, m, c).
"""

import functools
import itertools
from collections import Counter
from fractions import Fraction

from naive.knowledge import t_odds, v_odds
from naive.mondrian import meeting_level


def skyline_anonymize(
    rows, dimensions, requirements, case, priority, also=lambda rows: True, gain_of=-1
):
    """Regions, as lists of rows. Every release on the way is judged as a whole, in fractions."""
    done, queue = [], [rows]
    while queue:
        region = queue.pop(0)
        for left, right in splits_by_priority(region, dimensions, priority, gain_of):
            release = [*done, *queue, left, right]
            if also(left) and also(right) and withstands(release, requirements, case):
                queue += [left, right]
                break
        else:
            done.append(region)
    return done


def splits_by_priority(region, dimensions, priority, gain_of=-1):
    """Every way to cut a region in two between values that occur in it, the best first."""
    found = []
    for column, (rank, place, labels) in enumerate(dimensions):
        values = sorted({row[column] for row in region}, key=rank.get)
        width = Fraction(place[values[-1]] - place[values[0]]) if values else 0
        whole = Fraction(max(place.values()) - min(place.values())) or 1
        for last, following in itertools.pairwise(values):
            left = [row for row in region if rank[row[column]] <= rank[last]]
            right = [row for row in region if rank[row[column]] > rank[last]]
            level = meeting_level(labels[last], labels[following]) if labels else 0
            middle = abs(place[last] + place[following] - place[values[0]] - place[values[-1]])
            key = {
                "gain": (entropies(left, right, gain_of),),
                "median": (-width / whole, column, -level, abs(len(left) - len(right))),
                "widest": (-width / whole, column, middle),
            }[priority]
            found.append(((*key, column, rank[last]), left, right))
    return [sides for _, *sides in sorted(found, key=lambda each: each[0])]


def entropies(left, right, column):
    """2 to the power of n_l H_l + n_r H_r, which is smaller where more is gained about a column."""
    product = Fraction(1)
    for side in (left, right):
        cells = [row[column] for row in side]
        occurring = [v for cell in cells for v in (cell if isinstance(cell, tuple) else [cell])]
        product *= len(occurring) ** len(occurring)
        for n in Counter(occurring).values():
            product /= n**n
    return product


def withstands(release, requirements, case):
    """Whether every breach probability stays below its confidence."""
    groups = tuple(
        (len(region), tuple(sorted(Counter(v for row in region for v in row[-1]).items())))
        for region in release
    )
    return all(chen_breach(groups, value, l, k, m, case) < c for value, l, k, m, c in requirements)


def chen_breach(groups, value, l, k, m, case):
    """Theorem 2 and the formulas of 7.1; groups: ((n, ((value, occurrences), ...)), ...)."""
    ratios = []
    for n, counts in groups:
        if value in dict(counts):
            with_others = chen_t(n, counts, value, l, k, case)
            ratios.append(with_others * chen_v(n, counts, value, m, k + 1, case))
            alone = chen_t(n, counts, value, l, 0, case)
            ratios += [alone * chen_v(*other, value, m, k, case) for other in groups]
            ratios += [with_others * chen_v(*other, value, m, 0, case) for other in groups]
    return 1 / (min(ratios) + 1) if ratios else 0


@functools.cache
def chen_t(n, counts, value, l, k, case):
    having = dict(counts)[value]
    others = sorted((c for v, c in counts if v != value), reverse=True)[:l]
    return t_odds(n, having, others, k, case)


@functools.cache
def chen_v(n, counts, value, m, k, case):
    return v_odds(n, dict(counts).get(value, 0), m, k, case)
