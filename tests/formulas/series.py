"""Small generated series of releases: cuts, regions, local recoding, suppressed rows."""

import itertools
import random

LINE = {"a": "A", "b": "A", "c": "B", "d": "B", "A": "*", "B": "*"}
PAIR = {"x": "*", "y": "*"}
THREE = {"u": "U", "v": "U", "U": "*", "w": "*"}


def leaves(tree):
    return [child for child in tree if child not in tree.values()]


def under(tree, label):
    """Ground values that a label stands for: a node, or a (low, high) of ground values."""
    order = leaves(tree)
    if isinstance(label, tuple):
        return order[order.index(label[0]) : order.index(label[1]) + 1]
    return [leaf for leaf in order if label in ancestors(tree, leaf)]


def ancestors(tree, leaf):
    path = [leaf]
    while path[-1] in tree:
        path.append(tree[path[-1]])
    return path


def cut(tree, dice, node="*"):
    """One node above every ground value, so that no two of them overlap."""
    children = [child for child, parent in tree.items() if parent == node]
    if not children or dice.random() < 0.35:
        return dict.fromkeys(under(tree, node), node)
    return {leaf: top for child in children for leaf, top in cut(tree, dice, child).items()}


def regions(trees, dice, box=None):
    """Cut the domain into boxes, one attribute and place at a time."""
    box = box or [leaves(tree) for tree in trees]
    wide = [j for j, side in enumerate(box) if len(side) > 1]
    if not wide or dice.random() < 0.3:
        return [tuple((side[0], side[-1]) for side in box)]
    j = dice.choice(wide)
    at = dice.randrange(1, len(box[j]))
    halves = [[*box[:j], side, *box[j + 1 :]] for side in (box[j][:at], box[j][at:])]
    return [region for half in halves for region in regions(trees, dice, half)]


def recoded(people, trees, how, dice):
    """Publish people (raw tuple, value) one way or another."""
    if how == "cut":
        cuts = [cut(tree, dice) for tree in trees]
        return [
            (tuple(each[value] for each, value in zip(cuts, raw, strict=True)), s)
            for raw, s in people
        ]
    if how == "regions":
        boxes = regions(trees, dice)
        return [
            (next(box for box in boxes if raw in stands_for(trees, box)), s) for raw, s in people
        ]
    return [
        (
            tuple(
                dice.choice(ancestors(tree, value)) for tree, value in zip(trees, raw, strict=True)
            ),
            s,
        )
        for raw, s in people
    ]


def stands_for(trees, qid):
    """The raw tuples of a published record."""
    sides = [under(tree, label) for tree, label in zip(trees, qid, strict=True)]
    return frozenset(itertools.product(*sides))


def series(trees, sizes, hows, dice, values="st"):
    """Releases of a growing table; `sizes` are those of the batches."""
    ground = [leaves(tree) for tree in trees]
    people, releases = [], []
    for size, how in zip(sizes, hows, strict=True):
        people += [
            (tuple(dice.choice(side) for side in ground), dice.choice(values)) for _ in range(size)
        ]
        releases.append(recoded(people, trees, how, dice))
    return releases


def records(release, trees, suppressed=0):
    """What the twins take: sets of raw values; suppressed rows stand for everything."""
    every = frozenset(itertools.product(*(leaves(tree) for tree in trees)))
    return [(stands_for(trees, qid), s) for qid, s in release] + [(every, None)] * suppressed


def left_out(release, n, dice):
    """Take some rows out of a release."""
    gone = set(dice.sample(range(len(release)), n))
    return [record for j, record in enumerate(release) if j not in gone]


def dice_for(*seed):
    return random.Random(repr(seed))
