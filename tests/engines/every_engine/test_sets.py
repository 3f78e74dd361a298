"""A person's values come as a list, or as rows of their own: the same people are counted."""

import datetime
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import naive.groups
import sfumato as sf
from sfumato.engines.duckdb.reading import one_row_each as gather

DAY = datetime.date(2026, 11, 15)
VALUES = {
    "text": (["flu", "=HIV", "", "Ünïcode", "a,b"], pa.string()),
    "integers": ([3, -7, 0, 2**40, 10], pa.int64()),
    "floats": ([1.5, -2.25, 0.0, 1e300, 0.1], pa.float64()),
    "short floats": ([1.5, -2.25, 0.0, 7.0, 0.125], pa.float32()),
    "decimals": ([Decimal("1.50"), Decimal("2.00"), Decimal("-3.25")], pa.decimal128(9, 2)),
    "booleans": ([True, False], pa.bool_()),
    "dates": ([DAY, datetime.date(1999, 1, 1), datetime.date(2000, 2, 29)], pa.date32()),
    "times": ([datetime.datetime(2026, 1, 1, h) for h in (0, 5, 23)], pa.timestamp("us")),
    "categories": (["x", "y", "z"], pa.dictionary(pa.int32(), pa.string())),
}


def rows_of(values, n=60, seed=1) -> list[dict]:
    """Draw people with 0 to 4 values each, one row for each value, in any order."""
    draw = np.random.default_rng(seed)
    rows = []
    for person in range(n):
        same = {
            "id": person,
            "age": int(draw.integers(20, 23)),
            "ward": str(draw.choice(["a", "b"])),
        }
        drawn = [values[j] for j in draw.integers(0, len(values), draw.integers(0, 5))]
        rows += [
            same | {"s": value} for value in [*drawn, *([] if drawn and person % 3 else [None])]
        ]
    return [rows[j] for j in draw.permutation(len(rows))]


def as_rows(rows, kind) -> pa.Table:
    return pa.table(
        {
            "id": [row["id"] for row in rows],
            "age": [row["age"] for row in rows],
            "s": pa.array([row["s"] for row in rows], kind),
            "ward": [row["ward"] for row in rows],
        }
    )


def as_lists(rows, kind) -> pa.Table:
    """Make one row for each person; nobody's list is missing, unless it is empty and the id odd."""
    found = naive.groups.people_of(rows, "id", ["age", "ward"], "s")
    lists = [
        None if not values and person % 2 else list(values.elements())
        for person, (_, values) in found.items()
    ]
    if kind == VALUES["categories"][1]:
        kind = pa.string()
    return pa.table(
        {
            "age": [age for (age, _), _ in found.values()],
            "s": pa.array(lists, pa.list_(kind)),
            "ward": [ward for (_, ward), _ in found.values()],
        }
    )


def same_counts(one: sf.Table, other: sf.Table) -> None:
    """Compare two frequency sets bit by bit."""
    first, second = one.frequencies(), other.frequencies()
    assert first.columns == second.columns
    for name in first.columns:
        assert first.domains[name].labels == second.domains[name].labels
        assert first.domains[name].values.labels == second.domains[name].values.labels
    assert first.keys.tolist() == second.keys.tolist()
    assert first.counts.tolist() == second.counts.tolist()


NO_LISTS = pytest.mark.not_on(postgres="arrays of these are not read")


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[NO_LISTS] if name in ("decimals", "dates", "times") else [])
        for name in VALUES
    ],
)
def test_rows_and_lists_of_the_same_people_are_counted_alike(engine, read, counted, name):
    values, kind = VALUES[name]
    for seed in range(3 if engine.name == "duckdb" else 1):
        rows = rows_of(values, seed=seed)
        by_rows = read(as_rows(rows, kind), ["age", "ward"], "s", person="id")
        by_lists = read(as_lists(rows, kind), ["age", "ward"], "s")
        assert by_rows.set_valued == by_lists.set_valued == "s"
        same_counts(by_rows, by_lists)
        people = naive.groups.people_of(rows, "id", ["age", "ward"], "s")
        labels = by_rows.domains["s"].values.labels
        if name == "times":  # counted as text
            label = {value: str(value) for value in values}
            expected = naive.groups.sets_counted(
                (known, Counter({label[v]: n for v, n in has.items()}))
                for known, has in people.values()
            )
        else:
            expected = naive.groups.sets_counted(people.values())
        assert list(labels) == sorted({v for _, has in expected for v in has})
        assert counted(by_rows) == {(*known, has): n for (known, has), n in expected.items()}
        assert by_rows.n_rows == len(people)


def sources(rows, folder) -> dict[str, tuple[object, str | None]]:
    """Give the same people in every way there is: a source, and the column of people."""
    long, lists = as_rows(rows, pa.string()), as_lists(rows, pa.string())
    pq.write_table(long, folder / "rows.parquet")
    pq.write_table(lists, folder / "lists.parquet")
    long.to_pandas().to_csv(folder / "rows.csv", index=False)
    large = lists.set_column(1, "s", lists["s"].cast(pa.large_list(pa.string())))
    return {
        "rows in a CSV file": (folder / "rows.csv", "id"),
        "rows in a Parquet file": (folder / "rows.parquet", "id"),
        "rows in a stream": (long.to_reader(), "id"),
        "lists in a Parquet file": (folder / "lists.parquet", None),
        "lists in a stream": (lists.to_reader(), None),
        "lists in pandas": (lists.to_pandas(), None),
        "lists in Polars": (pl.from_arrow(lists), None),
        "categories in Polars": (
            pl.from_arrow(lists).with_columns(pl.col("s").cast(pl.List(pl.Categorical))),
            None,
        ),
        "rows in pandas": (pd.DataFrame(long.to_pandas()), "id"),
        "large lists": (large, None),
    }


@pytest.mark.not_on(postgres="reads no files and frames")
@pytest.mark.long
def test_the_same_people_from_every_source_are_counted_alike(read, tmp_path):
    rows = rows_of(["flu", "HIV", "cold"], seed=5)
    quasi_identifiers = {"age": sf.Intervals(5), "ward": sf.Flat()}
    first = None
    for name, (source, person) in sources(rows, tmp_path).items():
        table = read(source, quasi_identifiers, "s", person=person)
        assert table.set_valued == "s", name
        if first is not None and name != "rows in a Parquet file":
            assert [str(x) for x in table.domains["age"].labels] == [
                str(x) for x in first.domains["age"].labels
            ]
            assert table.domains["s"].labels == first.domains["s"].labels
            assert table.frequencies().keys.tolist() == first.frequencies().keys.tolist()
            assert table.frequencies().counts.tolist() == first.frequencies().counts.tolist()
        first = first or table


def test_what_is_no_value_is_left_out_of_a_list(read, counted):
    missing = float("nan")
    lists = pa.array([[1.0, None, missing], None, [], [None], [-0.0, 0.0]], pa.list_(pa.float64()))
    table = read(pa.table({"q": [1, 1, 1, 1, 1], "s": lists}), ["q"], "s")
    assert counted(table) == {(1, (1.0,)): 1, (1, ()): 3, (1, (0.0, 0.0)): 1}


@pytest.mark.not_on(postgres="has no numbers of 8 bits")
def test_lists_of_one_length_are_lists(read, counted):
    lists = pa.array([[2, 1], [1, 2], [1, 1]], pa.list_(pa.int8(), 2))
    table = read(pa.table({"q": [1, 1, 1], "s": lists}), ["q"], "s")
    assert counted(table) == {(1, (1, 2)): 2, (1, (1, 1)): 1}


def test_a_person_without_values_counts(read, counted):
    rows = pa.table({"id": [1, 2, 3, 3], "q": ["a", "a", "b", "b"], "s": [None, "x", None, None]})
    table = read(rows, ["q"], "s", person="id")
    assert counted(table) == {("a", ()): 1, ("a", ("x",)): 1, ("b", ()): 1}
    groups = table.frequencies().as_it_is().groups()
    assert groups.sizes.tolist() == [2, 1]
    assert groups.histogram.to_dense().tolist() == [[1], [0]]


def test_with_one_row_each_a_column_stays_as_it_was(read, counted):
    rows = pa.table({"id": [1, 2, 3], "q": ["a", "a", "b"], "s": ["x", None, "x"]})
    table = read(rows, ["q"], "s", person="id")
    assert table.set_valued is None
    assert counted(table) == {("a", "x"): 1, ("a", None): 1, ("b", "x"): 1}


def test_lists_may_have_a_column_of_people_too(read, counted):
    people = pa.table({"id": [1, 2], "q": ["a", "a"], "s": [["x"], ["y", "x"]]})
    assert counted(read(people, ["q"], "s", person="id")) == {
        ("a", ("x",)): 1,
        ("a", ("x", "y")): 1,
    }


@pytest.mark.not_on(spark="gathers as it is told by its partitions")
def test_large_tables_are_gathered_part_by_part(read, monkeypatch):
    rows = rows_of(["flu", "HIV", "cold"], n=200, seed=8)
    whole = read(as_rows(rows, pa.string()), ["age", "ward"], "s", person="id")
    whole.frequencies()
    monkeypatch.setattr(gather, "ROWS_AT_ONCE", 7)
    parts = read(as_rows(rows, pa.string()), ["age", "ward"], "s", person="id")
    same_counts(whole, parts)


def test_columns_nobody_asked_for_may_differ_between_the_rows_of_a_person(read, counted):
    rows = pa.table({"id": [1, 1], "q": ["a", "a"], "s": ["x", "y"], "day": [1, 2]})
    assert counted(read(rows, ["q"], "s", person="id")) == {("a", ("x", "y")): 1}


LONG = {"id": [1, 1, 2, 2, 3], "q": ["a", "a", "b", "b", "c"], "s": ["x", "y", "x", "z", "y"]}
NO_VALUES = pa.array([None, []], pa.list_(pa.string()))
BAD = {
    "a quasi-identifier": (
        LONG | {"q": ["a", "a", "SECRET", None, "c"]},
        {"person": "id"},
        "person: 1 person has more than one value of 'q' in the rows that belong together; only "
        "the sensitive column may differ, so mend the rows, or give 'q' no role",
    ),
    "an insensitive column": (
        LONG | {"note": [1, 2, 3, 4, 5]},
        {"person": "id", "insensitive": ["note"]},
        "person: 2 people have more than one value of 'note' in",
    ),
    "no person": (
        LONG | {"id": [1, 1, None, 2, 3]},
        {"person": "id"},
        "person: column 'id' is missing in 1 row",
    ),
    "two sensitive columns": (
        LONG | {"t": ["x"] * 5},
        {"person": "id", "sensitive": ["s", "t"]},
        "person: 2 rows repeat a value of 'id'; where people have any number of values in a "
        "sensitive column, it has to be the only one",
    ),
    "lists beside another sensitive column": (
        {"q": [1, 2], "s": [["x"], []], "t": [1, 2]},
        {"sensitive": ["t", "s"]},
        "column 's' holds lists; where people have any number",
    ),
    "lists in several rows": (
        {"id": [1, 1], "q": [1, 1], "s": [["x"], []]},
        {"person": "id"},
        "person: 1 row repeats a value of 'id', but 's' holds lists already: give one row for each",
    ),
    "lists of lists": (
        {"q": [1, 2], "s": [[["x"]], []]},
        {},
        "column 's': values of type ",
    ),
    "structures": (
        {"q": [1, 2], "s": [[{"a": 1}], []]},
        {},
        "column 's': values of type ",
    ),
    "known lists": (
        {"q": [["a"], ["b"]], "s": ["x", "y"]},
        {},
        "column 'q': values of type ",
    ),
    "known lists of categories": (
        {
            "q": pa.array([["SECRET"], []], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
            "s": [1, 2],
        },
        {},
        "column 'q': values of type ",
    ),
    "no values": ({"q": [1, 2], "s": NO_VALUES}, {}, "column 's': nobody has a value"),
    "nothing but missing": (
        {"q": [1, 2], "s": pa.array([[None], []], pa.list_(pa.null()))},
        {},
        "column 's': nobody has a value",
    ),
    "no values in rows": (
        LONG | {"s": pa.nulls(5, pa.string())},
        {"person": "id"},
        "column 's': nobody has a value",
    ),
    "guards": (
        LONG | {"guard": ["x"] * 5},
        {"person": "id", "guard": "guard"},
        "guarding: people have any number of values of 's', and what they guard is one",
    ),
}


NO_TABLE = pytest.mark.not_on(postgres="its driver makes no table of them")
NOT_TAKEN = ("lists of lists", "structures", "known lists of categories", "nothing but missing")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[NO_TABLE] if name in NOT_TAKEN else []) for name in BAD],
)
def test_what_makes_no_sets_is_refused_in_plain_words(read, name):
    columns, settings, message = BAD[name]
    roles = {"sensitive": "s"} | settings
    guard = roles.pop("guard", None)
    table = read(pa.table(columns), ["q"], **roles)
    for _ in range(2):  # asked again, it says the same again
        with pytest.raises(sf.BadInput) as caught:
            table.frequencies(guard)
        assert str(caught.value).startswith(message)
        assert "SECRET" not in str(caught.value)
