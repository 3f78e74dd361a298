"""What is certain of a distance from an original of which some people are not seen."""

from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest

import naive.criteria
import sfumato as sf

TREE = {"low": ["1", "2"], "high": ["5"]}
PATHS = [("1", "low", "*"), ("2", "low", "*"), ("5", "high", "*")]
MISSING = (None, None, "*")  # a leaf of its own under the root
THRESHOLDS = [Fraction(j, 12) for j in range(13)]


def closed_distances(counts, reference, n_unseen, distance):
    """Every distance that there may be: the unseen have listed values, or none."""
    places = range(len(PATHS) + 1)
    for unseen in combinations_with_replacement(places, n_unseen):
        n = 4 if 3 in unseen else 3
        here = [*counts, 0][:n]
        there = [([*reference, 0][j]) + unseen.count(j) for j in range(n)]
        yield naive.criteria.counts_distance(here, there, distance, [*PATHS, MISSING][:n])


def open_distances(counts, reference, n_unseen, distance):
    """The unseen may have values that nobody listed, which may change the order of all."""
    m = len(counts)
    for unseen in combinations_with_replacement(range(m + n_unseen), n_unseen):
        n_all = m + len({j for j in unseen if j >= m})
        if any(j >= n_all for j in unseen):
            continue  # the same by another name
        here = [*counts, *[0] * (n_all - m)]
        there = [([*reference, *[0] * n_unseen][j]) + unseen.count(j) for j in range(n_all)]
        orders = permutations(range(n_all)) if distance == "ordered" else [range(n_all)]
        for order in orders:
            yield naive.criteria.counts_distance(
                [here[j] for j in order], [there[j] for j in order], distance, [("", "*")] * n_all
            )


def releases(rng, n):
    for _ in range(n):
        counts = rng.integers(0, 4, 3)
        if counts.any():
            yield counts.tolist(), (counts + rng.integers(0, 4, 3)).tolist()


@pytest.mark.parametrize("n_unseen", [1, 2])
@pytest.mark.parametrize(
    ("distance", "closed"),
    [
        ("equal", True),
        ("equal", False),
        ("ordered", True),
        ("ordered", False),
        ("hierarchical", True),
    ],
)
def test_what_is_certain_is_so_whoever_is_not_seen(distance, closed, n_unseen):
    rule = sf.Tree(TREE) if closed else sf.Flat()
    domain, _ = rule.grow("s", ["1", "2", "5"])
    possible = closed_distances if closed else open_distances
    rng = np.random.default_rng(n_unseen)
    n_kept = n_broken = 0
    for counts, reference in releases(rng, 25):
        distances = [*possible(counts, reference, n_unseen, distance)]
        groups = sf.Groups([sum(counts)], [counts], values=domain, reference=reference)
        for t in THRESHOLDS:
            (kept,), (broken,) = sf.TCloseness(t, distance).certainly(groups, n_unseen)
            if kept:
                assert max(distances) <= t
            if broken:
                assert min(distances) > t
            n_kept, n_broken = n_kept + kept, n_broken + broken
    assert n_kept
    assert n_broken


def test_an_open_tree_is_bounded_from_above_only():
    """Longer codes may come, and with them more levels: only being far apart is bounded."""
    domain, _ = sf.Prefix().grow("s", ["10", "11", "20"])
    groups = sf.Groups([2], [[2, 0, 0]], values=domain, reference=[4, 2, 2])
    (kept,), (broken,) = sf.TCloseness("0.6", "hierarchical").certainly(groups, 1)
    assert (kept, broken) == (False, False)
    (kept,), (broken,) = sf.TCloseness("0.62", "hierarchical").certainly(groups, 1)
    assert (kept, broken) == (True, False)  # 1/2 and a ninth
    (kept,), (broken,) = sf.TCloseness(0, "hierarchical").certainly(groups, 1)
    assert (kept, broken) == (False, False)


def test_where_nothing_is_said_nothing_is_certain():
    groups = sf.Groups([2], [[2, 0]], values=["a", "b"], reference=[2, 2])
    kept, broken = sf.BetaLikeness(1).certainly(groups, 1)
    assert not kept.any()
    assert not broken.any()
