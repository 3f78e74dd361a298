"""How far Mondrian is from the best partition: measured on small tables, beside what is proved.

Ciriani 2008, 4.1.2: strict, O(n) if equal points are few; relaxed, 2. Both are about average sizes
of groups; losses have no such bound.
"""

import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

import naive.partitions
import sfumato as sf
from naive.replay import counted
from sfumato.algorithms.algorithm import chances

PAGE = Path(__file__).parents[2] / "docs" / "methods.md"


def generated(seed):
    """Give up to twelve points of one to three columns, and k."""
    dice = random.Random(seed)
    k, n_columns = dice.randint(2, 4), dice.randint(1, 3)
    n = dice.randint(2 * k, 12)
    highest = dice.randint(1, 6)
    points = [tuple(dice.randint(0, highest) for _ in range(n_columns)) for _ in range(n)]
    return points, k


def grouped(points, k, *, strict):
    """Give the groups of Mondrian as a reader sees them: people whose boxes are equal."""
    names = [f"q{j}" for j in range(len(points[0]))]
    rows = [dict(zip(names, point, strict=True)) for point in points]
    frequencies = counted(rows, dict.fromkeys(names, sf.Flat()), [])
    method = sf.Mondrian(strict=strict, bounds="tight", seed=None if strict else 1)
    recoding = method.search(frequencies, sf.KAnonymity(k), chances(method))
    placed = recoding.placement(frequencies)
    codes = [placed.frequencies.codes(name) for name in names]
    labels = [frequencies.domains[name].labels for name in names]
    groups = {}
    for key, box, n in zip(placed.key, placed.box, placed.people, strict=True):
        point = tuple(int(own[code[key]]) for own, code in zip(labels, codes, strict=True))
        groups.setdefault(placed.boxes[box].tobytes(), []).extend([point] * int(n))
    assert sorted(point for group in groups.values() for point in group) == sorted(points)
    return list(groups.values())


def ratios(seed, *, strict):
    """Give the ratio of average sizes, its bound, and that of losses; None: 0 was to be had."""
    points, k = generated(seed)
    groups = grouped(points, k, strict=strict)
    if strict:
        n_best, lost = naive.partitions.best_strict(points, k)
        bound = Fraction(2 * len(points[0]) * (k - 1) + max(Counter(points).values()), k)
    else:
        n_best = naive.partitions.most_groups(points, k)
        lost = naive.partitions.least_loss(points, k)
        bound = Fraction(2)
    own = naive.partitions.loss(groups)
    by_loss = Fraction(1) if own == lost else own / lost if lost else None
    return Fraction(n_best, len(groups)), bound, by_loss


def largest(seeds, *, strict):
    """Give the largest ratios of all tables, and how many lose something without need."""
    found = [ratios(seed, strict=strict) for seed in seeds]
    # (by size, its bound, by loss)
    for by_size, bound, _ in found:
        assert 1 <= by_size <= bound
    by_loss = [loss for _, _, loss in found if loss is not None]
    return max(size for size, _, _ in found), max(by_loss), sum(x is None for _, _, x in found)


N_TABLES = 500
LARGEST = {  # by size, by loss, tables that lose something where nothing need be lost
    True: (Fraction(2), Fraction(7, 2), 0),
    False: (Fraction(3, 2), Fraction(25, 3), 26),
}


@pytest.mark.parametrize("strict", [True, False])
def test_no_ratio_is_above_its_bound(strict):
    """A few of the tables; every ratio of sizes is held against its bound."""
    found = largest(range(12), strict=strict)
    assert all(a <= b for a, b in zip(found, LARGEST[strict], strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("strict", [True, False])
def test_the_largest_ratios_are_those_of_the_documentation(strict):
    assert largest(range(N_TABLES), strict=strict) == LARGEST[strict]


def test_the_documentation_says_them():
    page = PAGE.read_text(encoding="utf-8")
    for by_size, by_loss, _ in LARGEST.values():
        assert f"{float(by_size):.1f}" in page
        assert f"{float(by_loss):.1f}" in page
    assert f"{N_TABLES} tables of up to 12 points" in page


def test_the_best_partitions_of_four_points_are_the_obvious_ones():
    corners = [(0, 0), (0, 1), (5, 0), (5, 1)]
    assert naive.partitions.best_strict(corners, 2) == (2, Fraction(1, 2))
    assert naive.partitions.least_loss(corners, 2) == Fraction(1, 2)
    assert naive.partitions.most_groups(corners, 2) == 2
    alike = [(0, 0)] * 6
    assert naive.partitions.most_groups(alike, 2) == 1  # a reader sees one group
