"""The next release of a growing table, against twins that try every choice of buddies."""

import itertools

import pytest

import naive
import sfumato as sf
from algorithms.test_top_down import cut_nodes
from formulas.series import LINE, PAIR, THREE, ancestors, dice_for, leaves, stands_for
from properties.generated import Generated
from sfumato.algorithms.earlier import Earlier
from sfumato.attacks.correspondence import bcf

SCORES = {"discernibility": naive.by_discernibility, "loss": naive.by_loss}
DEEP = {
    **dict.fromkeys("cd", "CD"),
    **dict.fromkeys("efg", "EFG"),
    "b": "BH",
    "h": "BH",
    "CD": "CG",
    "EFG": "CG",
    "BH": "*",
    "CG": "*",
    "a": "*",
}


def paths_of(tree):
    """A tree as rows of labels from a ground value to the root, all of one length."""
    rows = [ancestors(tree, leaf) for leaf in leaves(tree)]
    deepest = max(map(len, rows))
    rows = [tuple([row[0]] * (deepest - len(row)) + row) for row in rows]
    order = naive_order(rows)
    return [rows[j] for j in order]


def naive_order(rows):
    """Rows so that what has a node in common stands together."""
    seen = {}
    for row in rows:
        for level, label in enumerate(row):
            seen.setdefault((level, label), len(seen))
    key = [tuple(seen[level, row[level]] for level in reversed(range(len(row)))) for row in rows]
    return sorted(range(len(rows)), key=key.__getitem__)


def table_of(people, trees):
    paths = [paths_of(tree) for tree in trees]
    rules = [sf.Hierarchy.from_spec({"table": each}, "test") for each in paths]
    return Generated([(*raw, s) for raw, s in people], paths, rules)


def earlier(release, n_suppressed=0):
    """Published labels as a release that is known to everybody."""
    flat = [sf.Flat() for _ in release[0][0]]
    seen = Generated([(*qid, s) for qid, s in release], [[] for _ in flat], flat)
    return Earlier(seen.frequencies().as_it_is(), n_suppressed)


def people_of(trees, n, dice, values):
    ground = [leaves(tree) for tree in trees]
    return [(tuple(map(dice.choice, ground)), dice.choice(values)) for _ in range(n)]


def coarse_cut(people, trees, k, dice):
    """A random cut whose classes have k records, found by generalizing until they have."""
    nodes = [dict.fromkeys(leaves(tree), "*") for tree in trees]
    for _ in range(12):
        j = dice.randrange(len(trees))
        node = dice.choice(sorted(set(nodes[j].values())))
        children = [child for child, up in trees[j].items() if up == node]
        after = {
            leaf: next((c for c in children if c in ancestors(trees[j], leaf)), top)
            for leaf, top in nodes[j].items()
        }
        tried = [*nodes[:j], after, *nodes[j + 1 :]]
        classes = [tuple(n[v] for n, v in zip(tried, raw, strict=True)) for raw, _ in people]
        if all(classes.count(each) >= k for each in classes):
            nodes = tried
    return [(tuple(n[v] for n, v in zip(nodes, raw, strict=True)), s) for raw, s in people]


def found_by(table, releases, criterion, score="discernibility"):
    """The nodes that somebody is published as, by column; None: there is no safe release."""
    method = sf.BCFAnonymizer([earlier(each) for each in releases], score)
    try:
        recoding = method.search(table.frequencies(), criterion, None)
    except sf.Unsatisfiable:
        return None
    return list(map(set, cut_nodes(table, recoding)))


def expected_by(table, safe, score="discernibility"):
    cuts = naive.bcf_cut(table.rows, table.paths, safe, SCORES[score])
    if cuts is None:
        return None
    return [
        {node for node in cut if any(row[j] in node for row in table.rows)}
        for j, cut in enumerate(cuts)
    ]


def labelled(table, trees, records):
    """Records of raw sets as published labels, for the functions that read them."""
    names = {}
    for qid in itertools.product(*({*tree, *tree.values()} for tree in trees)):
        names.setdefault(stands_for(trees, qid), qid)
    return [(names[raws], s) for raws, s in records]


# ------------------------------------------------------------------------------- the search


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", range(25))
def test_a_release_is_what_its_twin_finds_by_all_choices_of_buddies(seed, score):
    trees = ([LINE], [PAIR, PAIR], [THREE])[seed % 3]
    dice = dice_for("all buddies", seed)
    people = people_of(trees, dice.randint(2, 4), dice, "st")
    k = dice.choice([1, 2, 2])
    first = coarse_cut(people, trees, k, dice)
    people = people + people_of(trees, dice.choice([0, k, k + 1]), dice, "st")
    table = table_of(people, trees)
    known = [(stands_for(trees, qid), s) for qid, s in first]
    expected = expected_by(table, lambda release: naive.bcf_safe([known], release, k), score)
    assert expected is not None
    assert found_by(table, [first], sf.BCFAnonymity(k), score) == expected


@pytest.mark.parametrize("seed", range(40))
def test_larger_releases_are_those_of_attacks_from_scratch(seed):
    trees = ([DEEP, THREE], [LINE, PAIR, THREE], [DEEP, PAIR, PAIR])[seed % 3]
    dice = dice_for("from scratch", seed)
    people = people_of(trees, dice.randint(10, 60), dice, "stu"[: dice.randint(1, 3)])
    k = dice.randint(2, 4)
    first = coarse_cut(people, trees, k, dice)
    people = people + people_of(trees, dice.choice([0, k, 10, 30]), dice, "stu")
    table = table_of(people, trees)
    later = len(people) > len(first)

    def safe(release):
        if min(map(len, naive.published_sizes(release))) < k:
            return False
        fa, ca, ba = bcf(first, labelled(table, trees, release), trees)
        return min(fa, ca) >= k and (ba >= k or not later)

    score = ("discernibility", "loss")[seed % 2]
    assert found_by(table, [first], sf.BCFAnonymity(k), score) == expected_by(table, safe, score)
