"""The reductions by which Wong 2009 shows theorems 2 and 3, with everything enumerated.

Theorem 2: exact cover by 3-sets. A person for each element, who is sensitive, and three for each
set, who are not; the six people of a set may be generalized to its root, so that an element of
several sets has several parents. Theorem 3: the edges of a graph in 4-cliques. A record for each
edge, in which its two vertices are 1.
"""

import itertools
from collections import Counter
from fractions import Fraction

from naive.confidential import largest_belief, seen


def has_exact_cover(elements, sets):
    """Whether some of the sets hold every element once."""
    q = len(elements) // 3
    return any(
        sorted(itertools.chain(*chosen)) == sorted(elements)
        for chosen in itertools.combinations(sets, q)
    )


def people_of_cover(elements, sets):
    """Everybody's value of Q, and who is sensitive in the table of the reduction."""
    others = [(i, j) for i in range(len(sets)) for j in range(3)]
    return [*elements, *others], [*[True] * len(elements), *[False] * len(others)]


def recodings(elements, sets, *, whole):
    """Every global recoding: the root of each person, or None.

    whole: all children of a root that is used go to it, if they go nowhere else, and an element
    goes to a root only with all of its siblings (a cut of a taxonomy). Else every value is
    recoded, or not, for itself: all that "all occurrences of a value" asks for.
    """
    people, _ = people_of_cover(elements, sets)
    if whole:
        for n in range(len(sets) + 1):
            for used in itertools.combinations(range(len(sets)), n):
                inside = Counter(itertools.chain(*(sets[i] for i in used)))
                if max(inside.values(), default=1) == 1:  # no value in two places
                    root = {x: i for i in used for x in sets[i]}
                    yield [
                        (root.get(p) if p in elements else p[0] if p[0] in used else None)
                        for p in people
                    ]
        return
    parents = [
        [None, *[i for i, each in enumerate(sets) if p in each]] if p in elements else [None, p[0]]
        for p in people
    ]
    yield from itertools.product(*parents)


def loss(recoding):
    """Everybody who is recoded loses all (definition 7)."""
    return Fraction(sum(root is not None for root in recoding), len(recoding))


def within_half(recoding, world):
    """Whether nobody who is alone, and no more than half of those at a root, is sensitive."""
    inside = {}
    for number, (root, sensitive) in enumerate(zip(recoding, world, strict=True)):
        inside.setdefault(number if root is None else ("root", root), []).append(sensitive)
    return all(2 * sum(group) <= len(group) for group in inside.values())


def least_loss(elements, sets, *, whole):
    """The least loss of a recoding by which no share is above 1/2; None: there is none."""
    _, world = people_of_cover(elements, sets)
    every = recodings(elements, sets, whole=whole)
    return min((loss(each) for each in every if within_half(each, world)), default=None)


def belief_at_least_loss(elements, sets, order):
    """What is believed most of who sees the cheapest safe recoding, and knows that it is.

    order: of equally cheap ones, the least is published.
    """
    people, world = people_of_cover(elements, sets)
    sequence = sorted(
        recodings(elements, sets, whole=True), key=lambda each: (loss(each), order(each))
    )

    def published(each):
        return next((r for r in sequence if within_half(r, each)), None)

    own = published(world)
    output = seen(world, _groups(own))
    worlds = [
        other
        for chosen in itertools.combinations(range(len(people)), sum(world))
        if within_half(own, other := [p in chosen for p in range(len(people))])
        if seen(other, _groups(own)) == output and published(other) == own
    ]
    return largest_belief(worlds, [[True]]), len(worlds)


def _groups(recoding):
    return [number if root is None else ("root", root) for number, root in enumerate(recoding)]


# ------------------------------------------------------------------------------------ theorem 3


def coloured(edges):
    """The sensitive value of each edge as the proof says: the least that no neighbour has."""
    value = dict.fromkeys(edges, 0)
    for edge in edges:
        near = {value[other] for other in edges if other != edge and set(edge) & set(other)}
        value[edge] = next(n for n in itertools.count(1) if n not in near)
    return value


def has_clique_partition(edges):
    """Whether the edges fall into 4-cliques that share none."""
    if not edges:
        return True
    vertices = sorted(set(itertools.chain(*edges)))
    for four in itertools.combinations(vertices, 4):
        clique = set(itertools.combinations(four, 2))
        others = [edge for edge in edges if edge not in clique]
        if edges[0] in clique and clique <= set(edges) and has_clique_partition(others):
            return True
    return False


def stars(cluster):
    """How many cells are suppressed where these edges become alike: columns in which they differ.

    Edges that are all there is of a vertex agree in it, and it stays.
    """
    vertices = set(itertools.chain(*cluster))
    differing = [v for v in vertices if len({v in edge for edge in cluster}) > 1]
    return len(cluster) * len(differing)


def fewest_stars(edges, value, m):
    """The least number of suppressed cells so that no share is above 1/m; None: there is none."""
    best = None

    def within(cluster):
        return m * max(Counter(value[edge] for edge in cluster).values()) <= len(cluster)

    def place(left, cost):
        nonlocal best
        if best is not None and cost >= best:
            return
        if not left:
            best = cost
            return
        first, *others = left
        for n in range(m - 1, len(others) + 1):
            if 0 < len(others) - n < m - 1:  # too few would remain
                continue
            for more in itertools.combinations(others, n):
                cluster = [first, *more]
                if within(cluster):
                    place([e for e in others if e not in more], cost + stars(cluster))

    place(list(edges), 0)
    return best
