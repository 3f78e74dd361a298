"""An engine is named or given; what it wrote it reads back; a source has its people many times."""

import datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines import DuckDB, engine_of
from sfumato.engines.protocol import ENGINES
from sfumato.table import Table

ROWS = pa.table(
    {
        "age": [30, 31, 30, 31, 50, 51, 50, None],
        "zip": ["a", "b", "b", "a", "c", "d", "c", "d"],
        "disease": ["flu", "flu", "HIV", "flu", "flu", "HIV", "flu", "HIV"],
    }
)


class _Watched(DuckDB):
    """DuckDB that says what it was asked to open; the underscore keeps it out of the registry."""

    def __init__(self):
        self.opened = []

    def open(self, source, settings=None):
        self.opened.append("source")
        return super().open(source, settings)

    def open_published(self, path):
        self.opened.append(path.name)
        opened = super().open_published(path)
        assert opened.engine is self
        return opened


class _Addressed(DuckDB):
    def __init__(self, address):
        self.address = address


def test_an_engine_is_given_by_name_or_as_an_object():
    by_name = sf.read(ROWS, ["age"], engine="duckdb")
    given = DuckDB()
    table = sf.read(ROWS, ["age"], engine=given)
    assert table.source.engine is given
    assert type(by_name.source.engine) is type(sf.read(ROWS, ["age"]).source.engine) is DuckDB


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("dukdb", "engine: unknown name 'dukdb'; did you mean 'duckdb'?"),
        (7, "engine: give a name, or an engine such as sf.engines.DuckDB(), got 7"),
        (DuckDB, "engine: give a name, or an engine such as sf.engines.DuckDB(), got"),
    ],
)
def test_what_is_no_engine_is_refused(engine, message):
    with pytest.raises(sf.BadInput) as refused:
        sf.read(ROWS, ["age"], engine=engine)
    assert str(refused.value).startswith(message)


def test_an_engine_that_needs_an_address_cannot_be_had_by_its_name(monkeypatch):
    monkeypatch.setitem(ENGINES._kinds, "addressed", _Addressed)
    with pytest.raises(sf.BadInput, match=r"'addressed' cannot be had by its name alone .*address"):
        engine_of("addressed")
    assert sf.read(ROWS, ["age"], engine=_Addressed("here")).source.engine.address == "here"


def test_the_engine_that_wrote_a_release_reads_it_back(tmp_path):
    engine = _Watched()
    table = sf.read(ROWS, {"age": sf.Intervals(10), "zip": sf.Flat()}, "disease", engine=engine)
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian())
    assert engine.opened == ["source"]
    release.save(tmp_path / "out")
    assert set(engine.opened) == {"source", "data.parquet"}


@pytest.mark.long
def test_a_source_has_its_people_more_than_once(tmp_path):
    """Two tables over one source count and write in turn, and do not disturb each other."""
    first = sf.read(ROWS, {"age": sf.Flat(), "zip": sf.Flat()}, "disease")
    second = Table(first.source, sf.read(ROWS, ["disease", "zip"], "age").schema)
    expected = sf.anonymize(sf.read(ROWS, ["age", "zip"], "disease"), sf.KAnonymity(2)).to_arrow()
    release = sf.anonymize(first, sf.KAnonymity(2))
    other = sf.anonymize(second, sf.KAnonymity(2))
    other.save(tmp_path / "other")
    assert release.to_arrow() == expected
    assert other.to_arrow() != expected


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (pa.array(["a", "b"]), "string"),
        (pa.array(["a", "b"]).dictionary_encode(), "string"),
        (pa.array([1, 2], pa.int8()), "int8"),
        (pa.array([1, 2], pa.uint64()), "uint64"),
        (pa.array([0.5, None], pa.float32()), "float"),
        (pa.array([0.5, None]), "double"),
        (pa.array([True, None]), "bool"),
        (pa.array([Decimal("1.50"), None], pa.decimal128(9, 2)), "decimal128(9, 2)"),
        (pa.array([datetime.date(2026, 1, 2), None]), "date32[day]"),
        (pa.array([datetime.datetime(2026, 1, 2), None], pa.timestamp("us")), "timestamp[us]"),
        (
            pa.array([datetime.datetime(2026, 1, 2), None], pa.timestamp("us", "Europe/Paris")),
            "timestamp[us, tz=UTC]",
        ),
    ],
    ids=str,
)
def test_a_kept_batch_names_the_types_as_arrow_does(tmp_path, values, kind):
    source = engine_of().open(pa.table({"who": ["x", "y"], "value": values}))
    target = tmp_path / "batch.parquet"
    kept = source.keep(["who", "value"], "who", b"key", target, [])
    assert kept.types == {"who": "string", "value": kind}
    assert [str(field.type) for field in pq.read_schema(target)] == ["string", kind]
