"""The next release of a growing table (Fung 2008, section 5)."""

import itertools
from fractions import Fraction

from naive.correspondence import bcf_safe, series_safe
from naive.hierarchies import base
from naive.top_down import children_of, published_under


def bcf_cut(rows, hierarchies, safe, score, columns=None):
    """The cuts, when the best safe replacement is made until none is; None: no start is safe.

    safe: asked of a release, as a list of records (see `generators`).
    columns: those that may be replaced at all; None: all.
    """
    cuts = [[tuple(labels[0] for labels in each)] for each in hierarchies]
    if not safe(records_under(rows, cuts)):
        return None
    while True:
        options = []
        for j, hierarchy in enumerate(hierarchies):
            for node in cuts[j]:
                children = children_of(hierarchy, node)
                rank = [labels[0] for labels in hierarchy].index(node[0])
                if columns is not None and j not in columns:
                    continue
                if children and any(row[j] in node for row in rows):
                    worth = score(rows, cuts, hierarchies, j, node, children)
                    options.append((-worth, j, rank, node, children))
        for _, j, _, node, children in sorted(options):
            after = list(cuts)
            after[j] = [each for each in cuts[j] if each != node] + children
            if safe(records_under(rows, after)):
                cuts = after
                break
        else:
            return cuts


def told_by_size(rows, hierarchies, previous, k, score, columns=None):
    """The columns that are not published as their roots, where everybody has the same value.

    previous: earlier releases as lists of records. Every choice of buddies in each is tried, and
        with several every history of them all.
    """
    alike = [(*row[:-1], "same") for row in rows]
    known = [[(raws, "same") for raws, _ in each] for each in previous]

    def safe(now):
        return bcf_safe(known, now, k) and (len(known) < 2 or series_safe([*known, now], k))

    cuts = bcf_cut(alike, hierarchies, safe, score, columns)
    return [j for j, cut in enumerate(cuts or []) if len(cut) > 1]


def records_under(rows, cuts):
    """A cut as published records: the raw values that each can stand for, and its value."""
    return [
        (frozenset(itertools.product(*nodes)), row[-1])
        for nodes, group in published_under(rows, cuts).items()
        for row in group
    ]


def by_discernibility(rows, cuts, hierarchies, j, node, children):
    """Squared sizes of the classes that have the node."""
    groups = published_under(rows, cuts)
    return sum(len(group) ** 2 for nodes, group in groups.items() if nodes[j] == node)


def by_loss(rows, cuts, hierarchies, j, node, children):
    """Information loss that the children save."""
    return sum(
        Fraction(len(node) - len(child), base(hierarchies[j]) - 1)
        for row in rows
        for child in children
        if row[j] in child
    )
