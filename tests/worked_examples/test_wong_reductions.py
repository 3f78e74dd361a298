"""Wong 2009, theorems 2 and 3: the reductions built, and how far what they show is true."""

import itertools
from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from naive import reductions

SIX = [1, 2, 3, 4, 5, 6]
COVERS = {
    "the cover alone": [(1, 2, 3), (4, 5, 6)],
    "a set more": [(1, 2, 3), (3, 4, 5), (4, 5, 6)],
    "two covers": [(1, 2, 3), (4, 5, 6), (1, 2, 4), (3, 5, 6)],
    "none, but a cover": [(1, 2, 3), (3, 4, 5), (1, 5, 6)],
    "no cover at all": [(1, 2, 3), (2, 3, 4)],
}


def least(sets):
    """The loss that the theorem speaks of: 2q / (q + N)."""
    return Fraction(2 * 2, 2 + len(sets))


@pytest.mark.parametrize("sets", COVERS.values(), ids=COVERS)
def test_theorem_2_holds_where_siblings_are_generalized_together(sets):
    found = reductions.least_loss(SIX, sets, whole=True)
    assert (found == least(sets)) == reductions.has_exact_cover(SIX, sets)


@pytest.mark.parametrize(
    "sets",
    [x for x in COVERS.values() if least(x) != 1 and reductions.has_exact_cover(SIX, x)],
    ids=str,
)
def test_theorem_2_of_who_knows_that_the_cheapest_is_published(sets):
    """By exact inference, too, everybody is believed with 1/2: no world of 400 is ruled out."""
    used = lambda recoding: sorted({root for root in recoding if root is not None})  # noqa: E731
    assert reductions.belief_at_least_loss(SIX, sets, used) == (Fraction(1, 2), 400)


def test_theorem_2_fails_where_every_value_is_recoded_for_itself():
    """What section 1 calls global recoding asks for no more than equal values recoded alike.

    Then two elements and two others of each of three sets do, and there is no exact cover.
    """
    sets = COVERS["none, but a cover"]
    assert not reductions.has_exact_cover(SIX, sets)
    assert reductions.least_loss(SIX, sets, whole=True) is None
    assert reductions.least_loss(SIX, sets, whole=False) == least(sets) == Fraction(4, 5)


def test_the_taxonomies_of_theorem_2_are_refused_where_they_share_an_element():
    shared = {"r1": ["1", "2", "3"], "r2": ["3", "4", "5"]}
    with pytest.raises(sf.BadInput, match="a value with two parents is not supported"):
        sf.read(pa.table({"Q": ["1"], "S": ["sv"]}), {"Q": sf.Tree(shared)}, "S")


def test_the_table_of_theorem_2_is_published_at_the_roots_of_a_cover():
    names, sensitive = reductions.people_of_cover(SIX, COVERS["the cover alone"])
    tree = {
        f"r{i}": [*map(str, each), *(str((i, j)) for j in range(3))]
        for i, each in enumerate(COVERS["the cover alone"])
    }
    table = pa.table({"Q": list(map(str, names)), "S": ["sv" if s else "sn" for s in sensitive]})
    read = sf.read(table, {"Q": sf.Tree(tree)}, "S")
    release = sf.anonymize(read, sf.Confidentiality(2, ["sv"]), sf.OptimalConfidential(2))
    assert release.levels == {"Q": 1}
    finding = sf.attacks.Mechanism().run(release)
    assert (finding.found, finding.holds) == (Fraction(1, 2), True)


# ------------------------------------------------------------------------------------ theorem 3

K4 = list(itertools.combinations(range(4), 2))
K23 = list(itertools.product([0, 1], [2, 3, 4]))
STAR = [(0, j) for j in range(1, 7)]
TWO = [*K4, *((a + 3, b + 3) for a, b in K4)]  # they share a vertex


def different(edges):
    return {edge: number for number, edge in enumerate(edges)}


@pytest.mark.parametrize("edges", [K4, K23, STAR, TWO], ids=["K4", "K2,3", "star", "two K4"])
def test_theorem_3_holds_where_all_sensitive_values_differ(edges):
    """Then nothing that is decided depends on values, and a share is what is believed."""
    k = len(edges) // 6
    cheap = reductions.fewest_stars(edges, different(edges), 6) == 24 * k
    assert cheap == reductions.has_clique_partition(sorted(edges))


def test_theorem_3_fails_by_the_values_that_its_proof_gives_the_edges():
    """Edges of a clique that share no vertex get the same value, whatever the order: 1/3 each."""
    assert reductions.has_clique_partition(K4)
    for order in itertools.permutations(K4):
        value = reductions.coloured(list(order))
        assert all(value[0, j] == value[tuple({1, 2, 3} - {j})] for j in (1, 2, 3))
    assert reductions.fewest_stars(K4, reductions.coloured(K4), 6) is None
    assert reductions.fewest_stars(TWO, reductions.coloured(TWO), 6) is None


def records(edges, value) -> sf.Table:
    """A record for each edge, in which its vertices are 1."""
    vertices = sorted(set(itertools.chain(*edges)))
    columns = {f"v{v}": [str(int(v in edge)) for edge in edges] for v in vertices}
    values = [f"s{value[edge]}" for edge in edges]
    trees = {name: sf.Tree(["0", "1"]) for name in columns}
    return sf.read(pa.table(columns | {"S": values}), trees, "S")


def test_the_clique_can_be_published_with_different_values_and_not_as_printed():
    promise, method = sf.Confidentiality(6), sf.OptimalConfidential(6)
    with pytest.raises(sf.Unsatisfiable, match="2 have one protected value, more than 1 in 6"):
        sf.anonymize(records(K4, reductions.coloured(K4)), promise, method)
    release = sf.anonymize(records(K4, different(K4)), promise, method)
    assert release.levels == dict.fromkeys(["v0", "v1", "v2", "v3"], 1)  # 24 cells
    assert release.check().measured[0].found == 6  # the share of each value is one of six
