"""Twins of cell suppression: the definitions on lists, everything measured anew.

A point is a tuple of values. `ladders[j][level][value]` is the node of a value at a level of column
j, from the value itself at level 0 to the one root at the last. Rows are points, one for each
person; groups are lists of rows.
"""

from itertools import combinations, pairwise, permutations

NOTHING = 1e-9


def level(ladder, values):
    """The lowest level at which all values have the same node."""
    return next(h for h, nodes in enumerate(ladder) if len({nodes[value] for value in values}) == 1)


def lost(ladders, members):
    """What each of some people loses who are published alike."""
    columns = zip(*members, strict=True)
    return sum(
        level(ladder, values) / (len(ladder) - 1)
        for ladder, values in zip(ladders, columns, strict=True)
    )


def cost(ladders, groups):
    return sum(len(group) * lost(ladders, group) for group in groups)


def partitions(rows, k):
    """All partitions of rows into groups of at least k."""
    if not rows:
        yield []
        return
    first, *rest = rows
    for n in range(k - 1, len(rest) + 1):
        for others in combinations(range(len(rest)), n):
            left = [row for j, row in enumerate(rest) if j not in others]
            for groups in partitions(left, k):
                yield [[first, *(rest[j] for j in others)], *groups]


def optimum(ladders, rows, k):
    return min(cost(ladders, groups) for groups in partitions(rows, k))


def forest(ladders, points, people, k):
    """Where the edge of every point leads; None: it has none.

    Trees wait in a row, those of a single point in the order of the points. The first is taken: its
    point without an edge is joined with the nearest of another tree, and what came of it waits
    again if it is still below k.
    """
    edge = dict.fromkeys(range(len(points)))
    tree = {i: {i} for i in range(len(points))}
    waiting = [i for i in range(len(points)) if people[i] < k]

    def n(members):
        return sum(min(people[i], k) for i in members)

    while waiting:
        i = waiting.pop(0)
        own = tree[i]
        outside = [j for j in range(len(points)) if j not in own]
        if edge[i] is not None or n(own) >= k or not outside:
            continue
        j = min(outside, key=lambda j: (round(lost(ladders, [points[i], points[j]]), 6), j))
        edge[i] = j
        both = own | tree[j]
        for member in both:
            tree[member] = both
        if n(both) < k:
            waiting.append(next(member for member in both if edge[member] is None))
    return edge


def one_two_factor(ladders, rows):
    """The least weight of a [1,2]-factor: what is left of one without needless edges.

    Then no edge has another at both of its ends, so there are pairs, and threes with two edges.
    """
    return min(sum(_path(ladders, group) for group in groups) for groups in _up_to(rows, 2, 3))


def two_factor(ladders, rows):
    """The least weight of circles through everybody, of three or more."""
    return min(sum(_circle(ladders, group) for group in groups) for groups in partitions(rows, 3))


def _up_to(rows, k, most):
    return (groups for groups in partitions(rows, k) if max(map(len, groups)) <= most)


def _path(ladders, group):
    weights = sorted(lost(ladders, pair) for pair in combinations(group, 2))
    return sum(weights[: len(group) - 1])


def _circle(ladders, group):
    first, *rest = group
    return min(
        sum(lost(ladders, pair) for pair in pairwise([first, *others, first]))
        for others in permutations(rest)
    )


def cover(ladders, rows, k):
    """Groups of k to 2k - 1 rows, by their positions, until everybody is in one.

    Always one of least diameter for each row that it covers anew, the first of the smallest ones.
    """
    every = [group for size in range(k, 2 * k) for group in combinations(range(len(rows)), size)]
    covered, chosen = set(), []
    while len(covered) < len(rows):
        able = [group for group in every if set(group) - covered]
        best = min(
            able,
            key=lambda group: round(
                max(
                    (lost(ladders, [rows[a], rows[b]]) for a, b in combinations(group, 2)),
                    default=0,
                )
                / len(set(group) - covered),
                6,
            ),
        )
        covered |= set(best)
        chosen.append(set(best))
    return chosen


def balls(ladders, points, people, k):
    """Balls of k people or more, as points, until everybody is in one, and their radii.

    Always one of least radius for each person whom it covers anew, the first of the smallest.
    """
    n = len(points)
    apart = [[lost(ladders, [one, other]) for other in points] for one in points]
    every = []
    for centre in range(n):
        for radius in sorted(set(apart[centre])):
            inside = [i for i in range(n) if apart[centre][i] <= radius + NOTHING]
            if sum(people[i] for i in inside) >= k:
                every.append((centre, radius, set(inside)))
    covered, chosen = set(), []
    while len(covered) < n:
        able = [ball for ball in every if ball[2] - covered]
        best = min(
            able,
            key=lambda ball: (
                round(ball[1] / sum(people[i] for i in ball[2] - covered), 6),
                ball[0],
            ),
        )
        covered |= best[2]
        chosen.append(best)
    return chosen


def joined(ladders, groups, unsafe):
    """Join groups that are unsafe, by their numbers, each with the one where that costs least.

    The cheapest come first, and whom another has joined waits. Gives sets of numbers.
    """
    wishes = []
    for g in unsafe:
        more = [
            (
                round(
                    cost(ladders, [groups[g] + groups[t]]) - cost(ladders, [groups[g], groups[t]]),
                    6,
                ),
                t,
            )
            for t in range(len(groups))
            if t != g
        ]
        if more:
            least, partner = min(more)
            wishes.append((least, g, partner))
    together = {g: {g} for g in range(len(groups))}
    for _, g, partner in sorted(wishes):
        if len(together[g]) == 1:
            both = together[g] | together[partner]
            for each in both:
                together[each] = both
    return {frozenset(each) for each in together.values()}
