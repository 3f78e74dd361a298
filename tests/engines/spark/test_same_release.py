"""The same job, the same lots, the same release: value for value as on the embedded engine."""

import datetime
from decimal import Decimal
from importlib import import_module

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.algorithms.compatibility import all_pairs, methods

pytestmark = pytest.mark.engines
N = 200
FEW = 8  # people, for a method that goes through all that could be, or is stopped by a clock
TREE = {"low": ["1", "2"], "high": ["5", "9"]}


def people_of(n):
    draw = np.random.default_rng(5)
    age = draw.integers(20, 70, n)
    return pa.table(
        {
            "age": pa.array([None if j % 41 == 0 else int(a) for j, a in enumerate(age)]),
            "zip": [f"0{z}" for z in draw.integers(1000, 1030, n)],
            "sex": draw.choice(["f", "m"], n),
            "score": draw.choice(["1", "2", "5", "9"], n),
        }
    )


def with_sets(people):
    lists = [[score] for score in people["score"].to_pylist()]
    return people.set_column(3, "score", pa.array([["9", "1", None, "2", "5"], None, *lists[2:]]))


@pytest.fixture
def same_lots(monkeypatch):
    """Every release is made with the same draws and the same secret."""
    module = import_module("sfumato.release.anonymize")  # the name is that of a function, too
    monkeypatch.setattr(module, "chances", lambda method: np.random.default_rng(7).bytes)


def tables_of(release):
    names = ["data", "sensitive"] if release.description.group is not None else ["data"]
    return {name: release.to_arrow(name) for name in names}


def assert_same(ours, theirs):
    one, other = tables_of(ours), tables_of(theirs)
    assert one.keys() == other.keys()
    for name, table in one.items():
        assert table.column_names == other[name].column_names
        assert table.schema.types == other[name].schema.types
        assert table.to_pylist() == other[name].to_pylist()
    assert ours.description.to_json() == theirs.description.to_json()


def first_pairs():
    """One criterion for each method, sets of values where they are asked for."""
    for method in methods():
        fitting = [p for p in all_pairs() if p.method == method and p.refused is None]
        if fitting:
            of_sets = [p for p in fitting if p.criterion.sets]
            yield from dict.fromkeys([fitting[0], *of_sets[:1]])


@pytest.mark.parametrize(
    "each", [*first_pairs()], ids=lambda each: f"{each.method}-{each.criterion}"
)
def test_every_method_publishes_the_same_rows(spark, same_lots, each):
    by_the_clock = getattr(each.method, "seconds", None) is not None  # and few end before it
    people = people_of(FEW if each.method.judges_itself or by_the_clock else N)
    if each.criterion.sets:
        people = with_sets(people)
    roles = {
        "quasi_identifiers": {
            "age": sf.Intervals(5, 10, 20),
            "zip": sf.Prefix(),
            "sex": sf.Tree(["f", "m"]),
        },
        "sensitive": "score",
        "hierarchies": {"score": sf.Tree(TREE)},
    }
    ours, theirs = (
        sf.anonymize(
            sf.read(people, **roles, engine=engine),
            each.criterion,
            each.method,
            untouched_identify=True,
        )
        for engine in (sf.engines.Spark(spark), "duckdb")
    )
    assert_same(ours, theirs)


TYPED = pa.table(
    {
        "age": pa.array([30, 31, 32, 33, 50, 51, 52, None] * 4, pa.int16()),
        "zip": ["", None, "é", "a", "=1", "d", "a b", '"'] * 4,
        "real": pa.array([0.1, -0.0, float("nan"), 1e7, 1e16, 1e-5, float("inf"), None] * 4),
        "small": pa.array([0.1, 1e10, None, 2.5, 0.0, 1e-7, 3.0, 7.0] * 4, pa.float32()),
        "price": pa.array([Decimal("1.50"), Decimal("0.00"), None, Decimal("-2.25")] * 8),
        "flag": [True, False, None, True] * 8,
        "day": pa.array([datetime.date(2026, 1, 2), None, datetime.date(1500, 3, 1), None] * 8),
        "at": pa.array(
            [datetime.datetime(2026, 1, 2, 3, 4, 5, 600000), None] * 16, pa.timestamp("us")
        ),
        "when": pa.array(
            [datetime.datetime(2026, 7, 2, 3, 4, 5), None] * 16, pa.timestamp("us", "Europe/Paris")
        ),
        "disease": ["flu", "HIV", "flu", None, "flu", "HIV", "", "flu"] * 4,
    }
)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize(
    "method", [sf.Mondrian(), sf.Mondrian(strict=False), sf.Samarati(), sf.Anatomy()], ids=str
)
def test_values_of_every_type_are_published_alike(spark, same_lots, tmp_path, method, kind):
    insensitive = ["real", "small", "price", "flag", "day", "at", "when"]
    made = {}
    for engine in ("spark", "duckdb"):
        table = sf.read(
            TYPED,
            {"age": sf.Intervals(10, 20), "zip": sf.Flat()},
            "disease",
            insensitive=insensitive,
            engine=engine,
            alike="keep",
        )
        criterion = sf.KAnonymity(2) & sf.LDiversity(2)
        release = sf.anonymize(table, criterion, method, untouched_identify=True)
        place = release.save(tmp_path / engine, format=kind)
        assert sf.load(place).check().holds
        made[engine] = sf.load(place)
    assert_same(made["spark"], made["duckdb"])
    if kind == "csv":
        for name in made["duckdb"].description.tables:
            ours, theirs = (tmp_path / engine / f"{name}.csv" for engine in ("spark", "duckdb"))
            assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("column", ["real", "small", "price", "flag", "day", "at", "when"])
def test_values_of_every_type_are_counted_alike(spark, counted, column):
    ours, theirs = (
        counted(sf.read(TYPED, ["zip", column], "disease", engine=engine))
        for engine in ("spark", "duckdb")
    )
    assert ours == theirs


@pytest.mark.parametrize("numbers", ["bounds", "midpoint"])
def test_numbers_stand_instead_of_texts_or_beside_them(spark, same_lots, tmp_path, numbers):
    made = {}
    for engine in ("spark", "duckdb"):
        table = sf.read(
            sf.datasets.patients(),
            {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()},
            "disease",
            engine=engine,
        )
        for kind in ("parquet", "csv"):
            release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian(), numbers=numbers)
            made[engine, kind] = sf.load(release.save(tmp_path / engine / kind, format=kind))
    for kind in ("parquet", "csv"):
        assert_same(made["spark", kind], made["duckdb", kind])
