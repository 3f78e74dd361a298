"""Who has to be left out so that a column can be told in any detail: all cuts, all sets of people.

A tree is a leaf (any value) or a tuple of trees. `new` and `stay` are people by leaf: those who are
new in a release, and those of earlier ones, who cannot be left out.
"""

import itertools


def leaves(tree):
    return [leaf for child in tree for leaf in leaves(child)] if isinstance(tree, tuple) else [tree]


def cuts(tree):
    """Every cut: a list of nodes that hold each leaf once; a node is the set of its leaves."""
    yield [frozenset(leaves(tree))]
    if isinstance(tree, tuple):
        for parts in itertools.product(*(list(cuts(child)) for child in tree)):
            yield [node for part in parts for node in part]


def can_be_told(tree, new, stay, k, earlier=()):
    """Whether some cut tells people apart, and the backward attack leaves k of each of its nodes.

    earlier: of each earlier release, the people of it and the name of what it publishes, by leaf.
    """
    for cut in cuts(tree):
        sizes = {node: sum(new[leaf] + stay[leaf] for leaf in node) for node in cut}
        filled = [node for node in cut if sizes[node]]
        if len(filled) < 2 or any(sizes[node] < k for node in filled):
            continue
        if all(newcomers_left(filled, sizes, *told) >= k for told in earlier):
            return True
    return False


def newcomers_left(nodes, sizes, older, side_of):
    """The fewest records of a node that need not be older: all ways to put older people in nodes.

    Those of one published value are somewhere in the nodes that have leaves of it.
    """
    people = {}
    for leaf, side in side_of.items():
        people[side] = people.get(side, 0) + older[leaf]
    homes = {
        side: [node for node in nodes if any(side_of[leaf] == side for leaf in node)]
        for side in people
    }
    fewest = dict(sizes)

    def place(sides, free):
        if not sides:
            for node in nodes:
                fewest[node] = min(fewest[node], sizes[node] - free[node])
            return
        side, *rest = sides
        for numbers in itertools.product(*(range(free[node] + 1) for node in homes[side])):
            if sum(numbers) == people[side]:
                given = dict(zip(homes[side], numbers, strict=True))
                place(rest, {node: n - given.get(node, 0) for node, n in free.items()})

    place([side for side in people if people[side]], {node: sizes[node] for node in nodes})
    return min(sizes[node] - fewest[node] for node in nodes)


def least_left_out(tree, new, stay, k, earlier=()):
    """The values without whose people the column can be told: of all such sets, that of the fewest.

    None: there is none, or nobody has to be left out (then the set is empty). New people of a value
    are left out together, and not where somebody stays who has it.
    """
    movable = [leaf for leaf in leaves(tree) if new[leaf] and not stay[leaf]]
    found = []
    for n in range(len(movable) + 1):
        for chosen in itertools.combinations(movable, n):
            left = {leaf: 0 if leaf in chosen else n for leaf, n in new.items()}
            if can_be_told(tree, left, stay, k, earlier):
                found.append((sum(new[leaf] for leaf in chosen), sorted(chosen)))
    return min(found)[1] if found else None
