"""The next release of a growing table, against twins that try every choice of buddies."""

import itertools
import math
from fractions import Fraction

import pytest

import naive.bcf
import naive.correspondence
import naive.top_down
import sfumato as sf
from algorithms.test_top_down import cut_nodes
from formulas.series import (
    LINE,
    PAIR,
    THREE,
    ancestors,
    dice_for,
    leaves,
    left_out,
    recoded,
    records,
    stands_for,
    under,
)
from properties.generated import Generated
from sfumato.attacks.correspondence import bcf, remaining
from sfumato.published.public_view import PublicView

SCORES = {"discernibility": naive.bcf.by_discernibility, "loss": naive.bcf.by_loss}
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
    rules = [sf.Hierarchy.from_spec({"level_table": each}, "test") for each in paths]
    return Generated([(*raw, s) for raw, s in people], paths, rules)


def earlier(release, n_suppressed=0):
    """Published labels as a release that is known to everybody."""
    flat = [sf.Flat() for _ in release[0][0]]
    seen = Generated([(*qid, s) for qid, s in release], [[] for _ in flat], flat)
    return PublicView(seen.frequencies().as_it_is(), n_suppressed)


def written(release, trees):
    """Ranges as the sets that are published for a closed tree."""

    def text(tree, label):
        values = under(tree, label) if isinstance(label, tuple) else [label]
        return values[0] if len(values) == 1 else "{" + ", ".join(values) + "}"

    return [(tuple(map(text, trees, qid)), s) for qid, s in release]


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


def found_by(table, releases, criterion, score="discernibility", columns=None):
    """The nodes that somebody is published as, by column; None: there is no safe release."""
    method = sf.BCFAnonymizer([earlier(each) for each in releases], score, columns)
    try:
        recoding = method.search(table.frequencies(), criterion, None)
    except sf.Unsatisfiable:
        return None
    return list(map(set, cut_nodes(table, recoding)))


def expected_by(table, safe, score="discernibility", columns=None):
    cuts = naive.bcf.bcf_cut(table.rows, table.paths, safe, SCORES[score], columns)
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
    expected = expected_by(
        table, lambda release: naive.correspondence.bcf_safe([known], release, k), score
    )
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
        if min(map(len, naive.correspondence.published_sizes(release))) < k:
            return False
        fa, ca, ba = bcf(first, labelled(table, trees, release), trees)
        return min(fa, ca) >= k and (ba >= k or not later)

    score = ("discernibility", "loss")[seed % 2]
    assert found_by(table, [first], sf.BCFAnonymity(k), score) == expected_by(table, safe, score)


@pytest.mark.parametrize("seed", range(30))
def test_without_an_earlier_release_it_is_k_anonymity(seed):
    trees = [DEEP, THREE]
    dice = dice_for("alone", seed)
    table = table_of(people_of(trees, dice.randint(1, 40), dice, "s"), trees)
    k = dice.randint(1, 5)

    def large(group):
        return len(group) >= k

    found = found_by(table, [], sf.BCFAnonymity(k), "loss")
    if not large(table.rows):
        assert found is None
        return
    cuts = naive.top_down.top_down_cut(table.rows, table.paths, large)
    assert found == [
        {node for node in cut if any(row[j] in node for row in table.rows)}
        for j, cut in enumerate(cuts)
    ]


CRITERIA = [
    (sf.LDiversity(2), lambda group: len(set(group)) >= 2),
    (sf.LDiversity("3/2", "frequency"), lambda group: share(group) * 3 <= 2),
    (sf.LDiversity("3/2", "entropy"), lambda group: diversity(group) >= 1.5 - 1e-9),
    (sf.RecursiveDiversity(3, 2), lambda group: head(group) < 3 * (len(group) - head(group))),
    (
        sf.AlphaKAnonymity("2/3", 1, values=["s"]),
        lambda group: 3 * count_s(group) <= 2 * len(group),
    ),
]


def count_s(group):
    return group.count(("s",))


def head(group):
    return max(map(group.count, group))


def share(group):
    return Fraction(head(group), len(group))


def diversity(group):
    shares = [Fraction(group.count(each), len(group)) for each in set(group)]
    return math.exp(-sum(p * math.log(p) for p in shares))


@pytest.mark.parametrize("other", CRITERIA, ids=lambda other: str(other[0]))
@pytest.mark.parametrize("seed", range(8))
def test_other_criteria_hold_of_what_every_attack_leaves(seed, other):
    trees = ([LINE], [PAIR, PAIR], [THREE])[seed % 3]
    dice = dice_for("others", seed, str(other[0]))
    fast, slow = other
    people = people_of(trees, dice.randint(2, 4), dice, "st")
    first = coarse_cut(people, trees, 1, dice)
    people = people + people_of(trees, dice.choice([0, 2, 3]), dice, "st")
    table = table_of(people, trees)
    known = [(stands_for(trees, qid), s) for qid, s in first]
    expected = expected_by(
        table, lambda release: naive.correspondence.bcf_safe([known], release, 1, slow)
    )
    assert found_by(table, [first], sf.BCFAnonymity(1) & fast) == expected


@pytest.mark.parametrize("how", ["regions", "local", "suppressed"])
@pytest.mark.parametrize("seed", range(8))
def test_earlier_releases_of_any_kind_are_compared_by_flows(seed, how):
    trees = ([LINE], [PAIR, PAIR])[seed % 2]
    dice = dice_for("any kind", seed, how)
    people = people_of(trees, dice.randint(2, 4), dice, "st")
    hidden = int(how == "suppressed")
    first = left_out(recoded(people, trees, "cut" if hidden else how, dice), hidden, dice)
    people = people + people_of(trees, dice.choice([0, 1, 2]), dice, "st")
    table = table_of(people, trees)
    known = records(first, trees, hidden)
    later = len(people) > len(known)

    def safe(release):
        fa, ca, ba = naive.correspondence.bcf(known, release)
        return min(fa, ca) >= 1 and (ba >= 1 or not later)

    method = sf.BCFAnonymizer([earlier(written(first, trees), hidden)])
    try:
        recoding = method.search(table.frequencies(), sf.BCFAnonymity(1), None)
    except sf.Unsatisfiable:
        assert expected_by(table, safe) is None
        return
    assert list(map(set, cut_nodes(table, recoding))) == expected_by(table, safe)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", range(10))
def test_columns_that_a_recipient_does_not_need_stay_at_their_roots(seed, score):
    trees = ([PAIR, PAIR], [LINE, PAIR], [PAIR, LINE])[seed % 3]
    dice = dice_for("columns", seed)
    people = people_of(trees, dice.randint(3, 5), dice, "st")
    k = dice.choice([1, 2])
    first = coarse_cut(people, trees, k, dice)
    people = people + people_of(trees, dice.choice([0, 0, k]), dice, "st")
    table = table_of(people, trees)
    known = [(stands_for(trees, qid), s) for qid, s in first]
    for j in (0, 1):
        expected = expected_by(
            table, lambda release: naive.correspondence.bcf_safe([known], release, k), score, [j]
        )
        found = found_by(table, [first], sf.BCFAnonymity(k), score, [f"q{j}"])
        assert found == expected
        assert len(found[1 - j]) == 1


@pytest.mark.parametrize("seed", range(24))
def test_columns_that_are_told_by_size_are_those_of_a_twin_where_all_values_are_one(seed):
    trees = ([PAIR, PAIR], [LINE, PAIR], [THREE, PAIR], [LINE])[seed % 4]
    dice = dice_for("told by size", seed)
    k = dice.choice([1, 2, 2])
    people, releases = [], []
    few = seed % 4 in (0, 3)  # raw values: all histories of three releases can be tried
    for size in dice.choice([(), (3,), (3,), (2, k) if few else (3,)]):
        people = people + people_of(trees, size, dice, "st")
        releases.append(coarse_cut(people, trees, k, dice))
    new = people_of(trees, k if len(releases) > 1 else dice.choice([1, k, 3]), dice, "st")
    table = table_of(people + new, trees)
    others = table_of(people + [(raw, dice.choice("st")) for raw, _ in new], trees)
    known = [[(stands_for(trees, qid), s) for qid, s in each] for each in releases]
    chosen = dice.choice([None, [0]])
    names = None if chosen is None else ["q0"]
    for score, twin in SCORES.items():
        method = sf.BCFAnonymizer([earlier(each) for each in releases], score, names)
        expected = naive.bcf.told_by_size(table.rows, table.paths, known, k, twin, chosen)
        found = method.told_by_size(table.frequencies(), k)
        assert found == [table.columns[j] for j in expected]
        # It is the same whatever values newcomers have.
        assert method.told_by_size(others.frequencies(), k) == found


def test_a_column_that_all_earlier_releases_together_forbid_is_not_told_by_size():
    """Two recipients got a column each: with either alone, both could be told in the third."""
    trees = [PAIR, PAIR]
    releases = [[(("*", "y"), "s")] * 4, [(("x", "*"), "s")] * 2 + [(("y", "*"), "s")] * 4]
    raws = [("x", "y")] * 4 + [("y", "x")] * 4 + [("y", "y")] * 3
    both = [(frozenset([raw]), "s") for raw in raws]
    known = [[(stands_for(trees, qid), s) for qid, s in each] for each in releases]
    assert naive.correspondence.series_safe(known, 2)
    assert naive.correspondence.bcf_safe(known, both, 2)
    assert not naive.correspondence.series_safe([*known, both], 2)
    table = table_of([(raw, "s") for raw in raws], trees)
    method = sf.BCFAnonymizer([earlier(each) for each in releases], "loss")
    found = method.told_by_size(table.frequencies(), 2)
    twin = naive.bcf.told_by_size(table.rows, table.paths, known, 2, SCORES["loss"])
    assert found == [table.columns[j] for j in twin] == ["q0"]
    for each in releases:
        alone = sf.BCFAnonymizer([earlier(each)], "loss")
        assert alone.told_by_size(table.frequencies(), 2) == ["q0", "q1"]


# ----------------------------------------------------------------- several earlier releases


def replaced(table, nodes, j, node):
    return [
        *nodes[:j],
        [*(nodes[j] - {node}), *naive.top_down.children_of(table.paths[j], node)],
        *nodes[j + 1 :],
    ]


@pytest.mark.parametrize("seed", range(30))
def test_after_several_releases_all_together_are_safe_and_no_node_can_be_replaced(seed):
    """By all histories of the people; the first releases are cuts and safe together."""
    trees = ([LINE], [PAIR, PAIR], [THREE])[seed % 3]
    dice = dice_for("several", seed)
    k = dice.choice([1, 2])
    people, releases, known = [], [], []
    for size in (dice.randint(k, 3), dice.choice([0, k]), dice.choice([0, k])):
        people = people + people_of(trees, size, dice, "st")
        table = table_of(people, trees)
        columns = dice.choice([table.columns, table.columns[-1:]])  # of a recipient
        found = found_by(table, releases, sf.BCFAnonymity(k), columns=columns)
        assert found is not None
        release = naive.bcf.records_under(table.rows, found)
        assert naive.correspondence.series_safe([*known, release], k)
        for j, cut in enumerate(found):
            assert table.columns[j] in columns or len(cut) == 1
            for node in cut if table.columns[j] in columns else ():
                if naive.top_down.children_of(table.paths[j], node):
                    after = naive.bcf.records_under(table.rows, replaced(table, found, j, node))
                    small = min(map(len, naive.correspondence.published_sizes(after))) < k
                    assert small or not naive.correspondence.series_safe([*known, after], k)
        releases.append(labelled(table, trees, release))
        known.append(release)


@pytest.mark.parametrize("seed", range(12))
def test_longer_series_leave_k_records_to_everybody(seed):
    trees = [LINE, THREE]
    dice = dice_for("longer", seed)
    k = dice.randint(2, 3)
    people, releases = [], []
    for _ in range(4):
        people = people + people_of(trees, dice.choice([0, k, 8]) if people else 12, dice, "st")
        table = table_of(people, trees)
        found = found_by(table, releases, sf.BCFAnonymity(k))
        releases.append(labelled(table, trees, naive.bcf.records_under(table.rows, found)))
    sizes = [0, *map(len, releases)]
    for time, left in enumerate(remaining(releases, trees)):
        if sizes[time + 1] > sizes[time]:
            assert min(left.values()) >= k


# ---------------------------------------------------------- exists, or it is said why not


@pytest.mark.parametrize("seed", range(60))
def test_a_safe_release_exists_iff_classes_have_k_records_and_k_are_new_or_none(seed):
    trees = [LINE, THREE]
    dice = dice_for("exists", seed)
    people = people_of(trees, dice.randint(3, 12), dice, "st")
    k = dice.randint(1, 4)
    first = coarse_cut(people, trees, dice.choice([k, k, k - 1]), dice)
    n_new = dice.choice([0, 1, k - 1, k, 5])
    table = table_of(people + people_of(trees, n_new, dice, "st"), trees)
    classes = [qid for qid, _ in first]
    exists = min(map(classes.count, classes)) >= k and (n_new == 0 or n_new >= k)
    assert (found_by(table, [first], sf.BCFAnonymity(k)) is not None) == exists


def test_after_suppressed_rows_the_most_general_release_is_not_the_safest():
    """So nothing is proved by it: who was suppressed may be of y, whom the finer one does not hold.

    Corollary 5.1 does not hold there.
    """
    tree = {"x": "*", "y": "*"}
    first, people = [(("x",), "Flu")] * 3, [(("x",), "Flu")] * 4
    hidden = {"suppressed": [1, 0]}
    assert bcf(first, [(("*",), "Flu")] * 4, [tree], **hidden).CA == 1
    assert bcf(first, people, [tree], **hidden).CA == 4
    method = sf.BCFAnonymizer([earlier(first, 1)])
    with pytest.raises(sf.Unsatisfiable, match=r"^no release that satisfies .* is found"):
        method.search(table_of(people, [tree]).frequencies(), sf.BCFAnonymity(2), None)


def test_after_suppressed_rows_fewer_than_k_newcomers_can_have_k_candidates():
    """One came, with the value that the suppressed one has not: nobody can tell which that is."""
    tree = {"x": "*", "y": "*"}
    first = [(("*",), "Flu"), (("*",), "HIV")]
    people = [((place,), disease) for place in "xy" for disease in ("Flu", "HIV")]
    whole = [(("*",), disease) for _, disease in people]
    assert bcf(first, whole, [tree], suppressed=[1, 0]) == (2, 4, 2)
    table = table_of(people, [tree])
    method = sf.BCFAnonymizer([earlier(first, 1)])
    assert cut_nodes(table, method.search(table.frequencies(), sf.BCFAnonymity(2), None))


def test_theorem_5_1_is_false_so_a_node_that_broke_forward_anonymity_is_tried_again():
    """Job alone leaves nothing of some class, Birthplace alone and both together leave all."""
    place, job = {"UK": "*", "USA": "*"}, {"Doctor": "*", "Lawyer": "*"}
    flu, hiv = (("UK", "Doctor"), "Flu"), (("USA", "Lawyer"), "HIV")
    first = [(("UK", "*"), "Flu")] * 2
    people = [flu] * 4 + [hiv] * 2
    for trees, swap in (([place, job], False), ([job, place], True)):
        mine = [(raw[::-1], s) if swap else (raw, s) for raw, s in people]
        known = [(qid[::-1], s) if swap else (qid, s) for qid, s in first]
        table = table_of(mine, trees)
        found = found_by(table, [known], sf.BCFAnonymity(2))
        assert found == [{(each,) for each in leaves(tree)} for tree in trees]
    assert bcf(first, [(("*", j), s) for (_, j), s in people], [place, job])[0] == 0
    assert bcf(first, [((p, "*"), s) for (p, _), s in people], [place, job]) == (2, 2, 2)
    assert bcf(first, people, [place, job]) == (2, 2, 2)
