"""Strict Mondrian.

A dimension is (rank of every value, its place on the axis, its labels by level or None).
"""

import itertools
from fractions import Fraction


def mondrian(rows, dimensions, criterion):
    """Regions of strict Mondrian, as lists of rows.

    Cut along the widest column that allows it, the earlier one in a tie: a tree between its
    largest nodes first, then nearest to halving, the lower boundary in a tie; then do the same to
    both sides.
    """
    best, widest = None, -1
    for column, dimension in enumerate(dimensions):
        place = dimension[1]
        cuts = allowable_cuts(rows, column, dimension, criterion)
        inside = [place[row[column]] for row in rows]
        if cuts:
            whole = Fraction(max(place.values()) - min(place.values()))
            width = Fraction(max(inside) - min(inside)) / whole
            if width > widest:
                best = min(cuts, key=lambda cut: (-cut[0], abs(len(cut[1]) - len(cut[2]))))
                widest = width
    if best is None:
        return [rows]
    return [region for side in best[1:] for region in mondrian(side, dimensions, criterion)]


def allowable_cuts(rows, column, dimension, criterion):
    """Every cut along a column that leaves both sides safe: `[(level, left, right), ...]`.

    The level is that of the smallest node around the two values that a cut in a tree parts.
    """
    rank, _, labels = dimension
    values = sorted({row[column] for row in rows}, key=rank.get)
    cuts = []
    for last, following in itertools.pairwise(values):
        left = [row for row in rows if rank[row[column]] <= rank[last]]
        right = [row for row in rows if rank[row[column]] > rank[last]]
        if criterion(left) and criterion(right):
            level = meeting_level(labels[last], labels[following]) if labels else 0
            cuts.append((level, left, right))
    return cuts


def meeting_level(one, other):
    """Level at which two paths come together."""
    return next(level for level in range(len(one)) if one[level] == other[level])


def failed_cuts(rows, dimensions, group_of, least, *, widest_only=False):
    """Cuts tried before the one that was taken, region by region: pairs of sets of combinations.

    Columns are tried by width, the widest first; cuts as `mondrian` prefers them, if both sides
    have enough people. The first that parts no group is taken.
    """
    columns = []
    for column, (_, place, _) in enumerate(dimensions):
        inside = [place[row[column]] for row in rows]
        whole = Fraction(max(place.values()) - min(place.values()))
        if max(inside) > min(inside) or len({row[column] for row in rows}) > 1:
            columns.append((-Fraction(max(inside) - min(inside)) / whole, column))
    failed = []
    for _, column in sorted(columns)[: 1 if widest_only else None]:
        cuts = allowable_cuts(rows, column, dimensions[column], lambda side: len(side) >= least)
        for _, *sides in sorted(cuts, key=lambda cut: (-cut[0], abs(len(cut[1]) - len(cut[2])))):
            people = [{row[:-1] for row in side} for side in sides]
            if not {group_of[one] for one in people[0]} & {group_of[one] for one in people[1]}:
                for side in sides:
                    failed += failed_cuts(
                        side, dimensions, group_of, least, widest_only=widest_only
                    )
                return failed
            failed.append(tuple(frozenset(side) for side in people))
    return failed
