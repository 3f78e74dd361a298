"""Who has to be left out so that a column can be told in any detail: all cuts, all sets of people.

A tree is a leaf (any value) or a tuple of trees. `new` and `stay` are people by leaf: those who are
new in a release, and those of these and of earlier ones who cannot be left out.
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


def can_be_told(tree, new, stay, k):
    """Whether some cut tells people apart, and each of its nodes that has any has k new ones."""
    for cut in cuts(tree):
        filled = [node for node in cut if any(new[leaf] + stay[leaf] for leaf in node)]
        if len(filled) > 1 and all(sum(new[leaf] for leaf in node) >= k for node in filled):
            return True
    return False


def least_left_out(tree, new, stay, k):
    """The values without whose people the column can be told: of all such sets, that of the fewest.

    None: there is none, or nobody has to be left out (then the set is empty). New people of a value
    are left out together, and not where somebody stays who has it.
    """
    movable = [leaf for leaf in leaves(tree) if new[leaf] and not stay[leaf]]
    found = []
    for n in range(len(movable) + 1):
        for chosen in itertools.combinations(movable, n):
            left = {leaf: 0 if leaf in chosen else n for leaf, n in new.items()}
            if can_be_told(tree, left, stay, k):
                found.append((sum(new[leaf] for leaf in chosen), sorted(chosen)))
    return min(found)[1] if found else None
