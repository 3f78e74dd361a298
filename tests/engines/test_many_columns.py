"""Tables of very many columns are counted in parts, and as any other."""

import random
from collections import Counter

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.engines.duckdb import counting


def rows_of(n_columns, n_rows=40):
    draw = random.Random(n_columns)
    kinds = [[1, 2, None], ["a", "B", "", None], [0.5, 1.5], [True, False], ["10", "9", "é"]]
    return [
        {f"c{j}": draw.choice(kinds[j % len(kinds)]) for j in range(n_columns)}
        for _ in range(n_rows)
    ] * 2


def frame(rows):
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def combinations(table):
    """Every counted combination by its values, with its number of people."""
    counted = table.frequencies()
    columns = [
        [counted.domains[name].labels[code] for code in counted.codes(name)]
        for name in counted.columns
    ]
    return Counter(dict(zip(zip(*columns, strict=True), counted.counts.tolist(), strict=True)))


@pytest.mark.parametrize("n_columns", [5, counting.JOINS_AT_ONCE, counting.JOINS_AT_ONCE + 1, 90])
def test_combinations_of_many_columns_are_counted_one_by_one(n_columns):
    rows = rows_of(n_columns)
    names = list(rows[0])
    table = sf.read(frame(rows), quasi_identifiers=names[:-1], sensitive=names[-1])
    assert combinations(table) == Counter(tuple(row.values()) for row in rows)


@pytest.mark.parametrize("at_once", [1, 3, counting.COLUMNS_AT_ONCE])
def test_groups_by_many_columns_are_counted_as_one_by_one(monkeypatch, at_once):
    monkeypatch.setattr(counting, "COLUMNS_AT_ONCE", at_once)
    rows = rows_of(12)
    names = list(rows[0])
    groupings = [[name] for name in names] + [names[:2], names[3:8], names]
    table = sf.read(frame(rows), quasi_identifiers=names[:2], sensitive="c2", insensitive=names[3:])
    found = table.alike(groupings)
    for by, sizes in zip(groupings, found, strict=True):
        groups = Counter(tuple(row[name] for name in by) for row in rows)
        expected = sorted(Counter(groups.values()).items())
        assert list(zip(sizes.sizes.tolist(), sizes.n_groups.tolist(), strict=True)) == expected
    assert table.alike([]) == []
