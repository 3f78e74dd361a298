"""m-confidentiality by listing who could have what: every order of the values is a world."""

import itertools
from fractions import Fraction

from naive.lattice import all_nodes, generalize, groups_at, heights_of
from naive.loss import loss_at


def nodes_in_order(rows, hierarchies, k=1):
    """Every node with at least k people in each group: by loss, then the lower, then by columns."""
    large = [
        node
        for node in all_nodes(heights_of(hierarchies))
        if all(len(group) >= k for group in groups_at(rows, hierarchies, node).values())
    ]
    return sorted(large, key=lambda node: (loss_at(rows, hierarchies, node), sum(node), node))


def worlds_of(values):
    """Every way to deal these values to the people, who stand in a row."""
    return sorted(set(itertools.permutations(values)))


def largest_belief(worlds, sensitive):
    """What is believed most of anybody who considers these worlds, all of them alike.

    sensitive: sets of values; a belief is in having one of a set.
    """
    return max(
        Fraction(sum(world[person] in values for world in worlds), len(worlds))
        for person in range(len(worlds[0]))
        for values in sensitive
    )


def seen(world, groups):
    """What a world publishes: the values of every group. groups: the group of each person."""
    table = {}
    for group, value in zip(groups, world, strict=True):
        table.setdefault(group, []).append(value)
    return frozenset((group, tuple(sorted(values))) for group, values in table.items())


def published(rows, hierarchies, m, sensitive, k=1, *, pass_over=True):
    """By which node every world is published, and those that are not: ({world: node}, [world])."""
    waiting = worlds_of([row[-1] for row in rows])
    node_of = {}
    for node in nodes_in_order(rows, hierarchies, k):
        groups = [row[: len(node)] for row in generalize(rows, hierarchies, node)]
        outputs = {}
        for world in waiting:
            outputs.setdefault(seen(world, groups), []).append(world)
        safe = [
            world
            for same in outputs.values()
            if largest_belief(same, sensitive) <= Fraction(1) / m
            for world in same
        ]
        rest = [world for world in waiting if world not in safe]
        if pass_over and rest and largest_belief(rest, sensitive) > Fraction(1) / m:
            continue
        node_of.update(dict.fromkeys(safe, node))
        waiting = rest
    return node_of, waiting


def optimal_confidential(rows, hierarchies, m, sensitive, k=1, *, pass_over=True):
    """Give the node of this table; None: nothing is published of any table like it."""
    node_of, rest = published(rows, hierarchies, m, sensitive, k, pass_over=pass_over)
    if rest:
        return None
    return node_of[tuple(row[-1] for row in rows)]
