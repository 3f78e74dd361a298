"""Algorithms of Ciriani 2008 as they are printed, slips included, to show what these do.

Each slip has a name; what is in `mended` is put right.
"""

import itertools

from naive.hierarchies import label_at
from naive.lattice import all_nodes, heights_of

SLIPS = frozenset({"first tuple", "last tuple", "once per row", "limit"})


def distance(one, other, hierarchies):
    """The lowest levels at which two tuples are the same."""
    return tuple(
        next(
            level
            for level in range(len(hierarchy[0]))
            if label_at(hierarchy, a, level) == label_at(hierarchy, b, level)
        )
        for a, b, hierarchy in zip(one, other, hierarchies, strict=True)
    )


def initialized(table, k, mended):
    """Distinct tuples V, outliers and counters: the first phase of algorithm 3.1."""
    t = sorted(table, key=str)
    outlier, v, counter = [], [], {}
    counter[t[0]] = 1
    if "first tuple" in mended:
        v.append(t[0])
    for i in range(1, len(t)):
        if t[i] != t[i - 1]:
            v.append(t[i])
            counter[t[i]] = 1
            if counter[t[i - 1]] < k:
                outlier.append(t[i - 1])
        else:
            counter[t[i]] = counter[t[i - 1]] + 1
    if "last tuple" in mended and counter[t[-1]] < k:
        outlier.append(t[-1])
    return v, outlier, counter


def required_suppression(table, hierarchies, k, vec, mended=frozenset()):
    """`req_sup` of function Satisfy: how many tuples would have to go at a node."""
    v, outlier, counter = initialized(table, k, mended)
    req_sup = 0
    for row in outlier:
        c = 0
        for column in v:
            between = distance(column, row, hierarchies)
            if all(d <= level for d, level in zip(between, vec, strict=True)):
                c += counter[column]
        if c < k:
            req_sup += counter[row] if "once per row" in mended else c
    return req_sup


def samarati(table, hierarchies, k, max_sup, mended=frozenset()):
    """Algorithm 3.1: the node that it returns; vectors of a height in the order of the columns."""
    heights = heights_of(hierarchies)
    low, high, sol = 0, sum(heights), tuple(heights)
    while low < high:
        h = (low + high) // 2
        reach_k = False
        for vec in (node for node in all_nodes(heights) if sum(node) == h):
            req_sup = required_suppression(table, hierarchies, k, vec, mended)
            if req_sup < max_sup or ("limit" in mended and req_sup == max_sup):
                sol, reach_k = vec, True
                break
        if reach_k:
            high = h
        else:
            low = h + 1
    return sol


def composed(marked):
    """Function Compose of algorithm 3.2: `V := V_1 x ... x V_i`.

    marked: {columns: nodes marked true} for all subsets that lack one column. A vertex is a node of
    every one of these.
    """
    return [dict(zip(marked, nodes, strict=True)) for nodes in itertools.product(*marked.values())]


def joined(marked):
    """What Compose has to be: a node of all columns stays iff all its projections are marked."""
    columns = sorted({column for own in marked for column in own})
    levels = {column: set() for column in columns}
    for own, nodes in marked.items():
        for node in nodes:
            for column, level in zip(own, node, strict=True):
                levels[column].add(level)
    return [
        node
        for node in itertools.product(*(sorted(levels[column]) for column in columns))
        if all(
            tuple(node[columns.index(column)] for column in own) in nodes
            for own, nodes in marked.items()
        )
    ]


def as_node(vertex):
    """The node of all columns that a vertex of a product is; None: its parts contradict."""
    levels = {}
    for own, node in vertex.items():
        for column, level in zip(own, node, strict=True):
            if levels.setdefault(column, level) != level:
                return None
    return tuple(levels[column] for column in sorted(levels))
