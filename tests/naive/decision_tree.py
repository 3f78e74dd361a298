"""A pruned decision tree (Quinlan's C4.5), node by node."""

import math


def at_most(errors, people, p):
    """Probability of at most so many errors among the people, when each errs with p."""
    return sum(math.comb(people, i) * p**i * (1 - p) ** (people - i) for i in range(errors + 1))


def leaves_after_pruning(tree, expected, tolerance):
    """Leaves of what is left: a tree is (name, left, right), or (name,) for a leaf.

    expected: the errors to expect of each name as a leaf. Returns the expected errors and a dict
    from every leaf of the grown tree to the name that answers for it.
    """
    name, *branches = tree
    if not branches:
        return expected[name], {name: name}
    below = [leaves_after_pruning(branch, expected, tolerance) for branch in branches]
    errors = sum(each for each, _ in below)
    leaves = {leaf: answer for _, found in below for leaf, answer in found.items()}
    if expected[name] <= errors + tolerance:
        return expected[name], dict.fromkeys(leaves, name)
    return errors, leaves
