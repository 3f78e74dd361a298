"""Ciriani 2008, theorem 3.1: tables whose cheapest suppression says how a graph falls apart."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.algorithms.cell_suppression.optimal import optimal_groups
from sfumato.algorithms.cell_suppression.points import Points

FIGURE_6 = [("i", "j"), ("i", "k"), ("j", "k"), ("i", "h"), ("j", "h"), ("k", "h")]
VERTICES = "ijkh"


def incidences(edges, vertices):
    """The first reduction: a row for each edge, a column for each vertex, 1 where it ends."""
    return [tuple(int(v in edge) for v in vertices) for edge in edges]


def ranked(edges, vertices):
    """The second: as many blocks as the number of edges has binary digits.

    In each an edge has a 1 at its first end and a 2 at its second, or the other way round, as the
    digit of its rank says.
    """
    n_blocks = len(edges).bit_length()  # the paper's t, the logarithm of 3m + 1 rounded up
    rows = []
    for rank, (first, second) in enumerate(edges, 1):
        row = []
        for block in reversed(range(n_blocks)):
            digits = {first: 1, second: 2} if not rank >> block & 1 else {first: 2, second: 1}
            row += [digits.get(v, 0) for v in vertices]
        rows.append(tuple(row))
    return rows


def least_suppressed(rows, k=3):
    """How many cells the cheapest groups of three suppress; rows are distinct."""
    codes = np.array(rows, dtype=np.int32)
    ones = np.ones(codes.shape[1], dtype=np.int64)
    points = Points(codes, np.ones(len(rows), np.int64), ones, np.zeros(1, np.int32), ones, ones)
    return points.cost(optimal_groups(points, k))


def released(rows):
    columns = [f"{j}" for j in range(len(rows[0]))]
    values = [[f"v{value}" for value in column] for column in zip(*rows, strict=True)]
    table = sf.read(
        pa.table(dict(zip(columns, values, strict=True))),
        dict.fromkeys(columns, sf.Tree(["v0", "v1", "v2"])),
    )
    release = sf.anonymize(table, sf.KAnonymity(3), sf.CellSuppression("optimal"))
    published = release.to_arrow()
    return [tuple(row[name] for name in columns) for row in published.to_pylist()]


def n_stars(published):
    return sum(not str(cell).startswith("v") for row in published for cell in row)


def test_figure_6_loses_18_cells_to_a_triangle_and_a_star():
    rows = incidences(FIGURE_6, VERTICES)
    assert rows == [
        (1, 1, 0, 0),
        (1, 0, 1, 0),
        (0, 1, 1, 0),
        (1, 0, 0, 1),
        (0, 1, 0, 1),
        (0, 0, 1, 1),
    ]
    assert least_suppressed(rows) == 18
    published = released(rows)
    assert n_stars(published) == 18
    # one value is left of each: 0 at the vertex beside the triangle, 1 at the centre of the star
    left = [cell for row in published for cell in row if str(cell).startswith("v")]
    assert sorted(left) == ["v0"] * 3 + ["v1"] * 3


def test_figure_7_loses_60_cells_as_its_graph_is_no_two_triangles():
    rows = ranked(FIGURE_6, VERTICES)
    assert ["".join(map(str, row)) for row in rows] == [
        "120012002100",
        "102020101020",
        "012002100210",
        "200110021002",
        "020101020201",
        "002100210012",
    ]
    assert least_suppressed(rows) == 60
    assert n_stars(released(rows)) == 60  # above 9 m t = 54


def parts_of_three(edges):
    """All ways to put six edges into two threes."""
    first, *rest = edges
    for two in combinations(rest, 2):
        yield [first, *two], [edge for edge in rest if edge not in two]


def is_triangle(edges):
    return len({v for edge in edges for v in edge}) == 3


def is_star(edges):
    return len({v for edge in edges for v in edge}) == 4 and bool(
        set.intersection(*map(set, edges))
    )


GRAPHS = [list(edges) for edges in combinations(combinations("abcde", 2), 6)]


@pytest.mark.parametrize(
    ("reduction", "n_blocks", "is_part"),
    [
        (incidences, 1, lambda part: is_triangle(part) or is_star(part)),
        (ranked, 3, is_triangle),
    ],
    ids=["triangles and 4-stars", "triangles"],
)
def test_a_graph_falls_apart_if_and_only_if_nine_cells_a_part_suffice(reduction, n_blocks, is_part):
    """All 210 graphs with 3m = 6 edges on five vertices."""
    answers = set()
    for edges in GRAPHS:
        falls_apart = any(all(map(is_part, parts)) for parts in parts_of_three(edges))
        least = least_suppressed(reduction(edges, "abcde"))
        assert least >= 9 * 2 * n_blocks
        assert (least == 9 * 2 * n_blocks) == falls_apart
        answers.add(falls_apart)
    assert len(GRAPHS) == 210
    assert answers == {True, False}
