"""Values of every type are the same values on every engine: counted, listed, published."""

import datetime
import math
from collections import Counter
from decimal import Decimal
from uuid import UUID

import pyarrow as pa
import pytest

import sfumato as sf

NO_UNSIGNED = {"postgres": "has no unsigned numbers, and none of 8 bits"}
NO_TABLE = {"postgres": "its driver makes no table of them"}
NO_NANOSECONDS = {"postgres": "has no times below a microsecond"}
NAN, INF = math.nan, math.inf
DAY, NOON = datetime.date(2026, 11, 15), datetime.time(12, 0, 1)
MOMENT = datetime.datetime(2026, 11, 15, 12, 30, 59)
FINE = MOMENT.replace(microsecond=1)
AGO = datetime.datetime(1583, 1, 1, 0, 0, 1)  # the calendar is the one of today for all


def case(name, values, kind, labels=None, left_out=()):
    """A type, some values of it, and what they are called where that is not what they are."""
    labels = values if labels is None else labels
    marks = [pytest.mark.not_on(**left_out)] if left_out else []
    return pytest.param(pa.array(values, kind), labels, id=name, marks=marks)


def whole(kind, low, high, left_out=()):
    return case(str(kind), [low, high, 0, 1, 0, None], kind, left_out=left_out)


CASES = [
    whole(pa.int8(), -(2**7), 2**7 - 1, NO_UNSIGNED),
    whole(pa.int16(), -(2**15), 2**15 - 1),
    whole(pa.int32(), -(2**31), 2**31 - 1),
    whole(pa.int64(), -(2**63), 2**63 - 1),
    whole(pa.uint8(), 5, 2**8 - 1, NO_UNSIGNED),
    whole(pa.uint16(), 5, 2**16 - 1, NO_UNSIGNED),
    whole(pa.uint32(), 5, 2**32 - 1, NO_UNSIGNED),
    whole(pa.uint64(), 2**64 - 2, 2**64 - 1, NO_UNSIGNED),
    case(
        "float",
        [0.1, -0.0, 0.0, NAN, INF, -INF, 1e10, 1e-7, None],
        pa.float32(),
        [0.1, 0.0, 0.0, None, INF, -INF, 1e10, 1e-7, None],
    ),
    case(
        "double",
        [0.1, -0.0, 0.0, NAN, INF, -INF, 2.3e-308, 1e300, math.nextafter(0.1, 1), 1e16, None],
        pa.float64(),
        [0.1, 0.0, 0.0, None, INF, -INF, 2.3e-308, 1e300, math.nextafter(0.1, 1), 1e16, None],
    ),
    case("decimal of money", [Decimal("1.50"), Decimal("-0.01"), None], pa.decimal128(9, 2)),
    case("decimal of 38 digits", [Decimal(10**37 + 1), Decimal(10**37)], pa.decimal128(38, 0)),
    case(
        "decimal of small parts",
        [Decimal("0.1"), Decimal("0.10000001"), Decimal("0." + "0" * 37 + "1")],
        pa.decimal128(38, 38),
    ),
    case("decimal of one digit", [Decimal(7), Decimal(-7), None], pa.decimal128(1, 0)),
    case("boolean", [True, False, None, True], pa.bool_()),
    case("date", [DAY, datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None], pa.date32()),
    case("date of 64 bits", [DAY, None], pa.date64(), left_out=NO_TABLE),
    case(
        "time",
        [NOON, NOON.replace(microsecond=1), None],
        pa.time64("us"),
        ["12:00:01", "12:00:01.000001", None],
    ),
    case("time of 32 bits", [NOON, None], pa.time32("ms"), ["12:00:01", None]),
    case(
        "time of nanoseconds",
        [1, 2000, None],
        pa.time64("ns"),
        ["00:00:00.000000001", "00:00:00.000002", None],
        left_out=NO_NANOSECONDS,
    ),
    *(
        case(
            f"timestamp of {unit}",
            [MOMENT, AGO, None],
            pa.timestamp(unit),
            [str(MOMENT), str(AGO), None],
        )
        for unit in ("s", "ms", "us")
    ),
    case("timestamp", [FINE, MOMENT, None], pa.timestamp("us"), [str(FINE), str(MOMENT), None]),
    case(
        "timestamp of nanoseconds",
        [MOMENT, None, MOMENT],
        pa.timestamp("ns"),
        [str(MOMENT), None, str(MOMENT)],
        left_out=NO_NANOSECONDS,
    ),
    case(
        "nanoseconds that differ",
        [1, 2, -1, -(2**62), 1_500_000_000, None],
        pa.timestamp("ns"),
        [
            "1970-01-01 00:00:00.000000001",
            "1970-01-01 00:00:00.000000002",
            "1969-12-31 23:59:59.999999999",
            "1823-11-12 00:06:21.572612096",
            "1970-01-01 00:00:01.5",
            None,
        ],
        left_out=NO_NANOSECONDS,
    ),
    case(
        "nanoseconds of a zone",
        [1, 1_500_000_000, None],
        pa.timestamp("ns", "Europe/Paris"),
        ["1970-01-01 00:00:00.000000001+00", "1970-01-01 00:00:01.5+00", None],
        left_out=NO_NANOSECONDS,
    ),
    case(
        "timestamp of a zone",
        [MOMENT, FINE, None],
        pa.timestamp("us", "Europe/Paris"),
        [f"{MOMENT}+00", f"{FINE}+00", None],
    ),
    case("text", ["a", "", None, "a"], pa.string()),
    case("large text", ["a", "", None, "a"], pa.large_string()),
    case("dictionary", ["a", "", None, "a"], pa.dictionary(pa.int8(), pa.string())),
    case(
        "dictionary of numbers",
        [5, 5, None, 7],
        pa.dictionary(pa.int8(), pa.int64()),
        left_out={"postgres": "its driver takes dictionaries of texts alone"},
    ),
    case("nothing", [None, None], pa.null(), left_out={"postgres": "has no such type"}),
    case("texts that are missing", [None, None], pa.string()),
    case("numbers that are missing", [None, None], pa.int32()),
]


@pytest.mark.parametrize(("column", "labels"), CASES)
def test_values_are_counted_as_what_they_are(read, counted, column, labels):
    table = read(pa.table({"a": column, "b": ["x"] * len(column)}), ["a"], "b")
    assert counted(table) == Counter((label, "x") for label in labels)


N = 48
METHODS = [
    pytest.param(sf.Mondrian(strict=False), "parquet", id="split combinations"),
    pytest.param(sf.Anatomy(), "csv", id="two tables"),
]
# Of each kind one, since a plan of very many texts takes a cluster long to compile.
IN_CSV = ["int16", "float", "double", "decimal of money", "boolean", "date", "time", "timestamp"]
IN_CSV += ["timestamp of a zone", "nanoseconds that differ", "text"]


def repeated(column):
    """A column of N rows, whatever its values are stored as."""
    values = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    return pa.array([values[j % len(values)].as_py() for j in range(N)], values.type)


def of_engine(name):
    """The columns of all types that an engine has."""
    for each in CASES:
        column, _ = each.values
        lacking = any(name in mark.kwargs for mark in each.marks)
        if not lacking and not pa.types.is_null(column.type) and "ns" not in str(column.type):
            yield each.id, repeated(column)
        elif not lacking and "ns" in str(column.type):  # which Python has no values for
            taken = pa.array([j % len(column) for j in range(N)])
            yield each.id, column.take(taken)


@pytest.mark.long
@pytest.mark.parametrize(("method", "kind"), METHODS)
def test_values_of_every_type_are_published_untouched(engine, released, method, kind):
    """People who are alike in the quasi-identifiers are dealt out by all that they differ in."""
    columns = dict(of_engine(engine.name))
    assert len(columns) > 20
    if kind == "csv":
        columns = {name: columns[name] for name in IN_CSV if name in columns}
    diseases = [f"d{j % 3}" for j in range(N)]
    rows = pa.table({"zip": [f"z{j % 4}" for j in range(N)], "disease": diseases, **columns})
    roles = {"quasi_identifiers": ["zip"], "sensitive": "disease", "insensitive": [*columns]}
    criterion = sf.KAnonymity(2) & sf.LDiversity(2)
    published = released(rows, criterion, method, kind, exact=False, **roles)
    assert published["data"].num_rows == N


ORDERED = ["int16", "double", "decimal of money", "date", "time", "timestamp of a zone"]


@pytest.mark.long
@pytest.mark.parametrize("name", [*ORDERED, "boolean", "nanoseconds that differ"])
def test_values_of_a_type_are_generalized_alike(engine, released, name):
    """As quasi-identifiers, where ranges of them are published, and as sensitive values."""
    columns = dict(of_engine(engine.name))
    column = columns.get(name, columns["text"])
    rows = pa.table({"q": column, "s": column, "z": [f"z{j % 2}" for j in range(N)]})
    roles = {"quasi_identifiers": ["q", "z"], "sensitive": "s"}
    published = released(rows, sf.KAnonymity(7), sf.Mondrian(), "parquet", **roles)
    assert published["data"].num_rows == N


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(pa.array([b"x", b"=1", None, b"x"]), id="bytes"),
        pytest.param(pa.array([[1], None, [2, 1], [1]]), id="lists"),
        pytest.param(
            pa.array([{"a": 1}, {"a": 2}, None, {"a": 1}]),
            id="structs",
            marks=pytest.mark.not_on(**NO_TABLE),
        ),
        pytest.param(
            pa.array([[("a", 1)], None, [], []], pa.map_(pa.string(), pa.int64())),
            id="maps",
            marks=pytest.mark.not_on(**NO_TABLE),
        ),
        pytest.param(
            pa.array([1, 2, 1, None], pa.duration("us")),
            id="spans",
            marks=pytest.mark.not_on(spark="they are whole numbers in a Parquet file"),
        ),
    ],
)
def test_what_cannot_be_counted_is_refused_by_its_type(read, column):
    rows = pa.table({"a": column, "b": [1, 2, 1, 2]})
    with pytest.raises(sf.BadInput) as refused:
        read(rows, ["a"], "b").frequencies()
    said = str(refused.value)
    assert said.startswith("column 'a': values of type ")
    assert said.endswith("turn them into text, numbers or dates") or "turns them into" in said
    assert read(rows, ["b"]).frequencies().n_rows == 4  # without a role it is left alone


@pytest.mark.not_on(postgres="makes no table of lists from a frame of bytes and structs")
@pytest.mark.parametrize(
    "column",
    [
        pa.array([bytes([j, 200]) for j in range(12)]),
        pa.array([[j] for j in range(12)]),
        pa.array([{"x": j} for j in range(12)]),
    ],
    ids=["bytes", "lists", "structs"],
)
def test_what_cannot_be_counted_is_published_untouched(released, column):
    rows = pa.table({"q": [37] * 12, "s": ["flu", "HIV"] * 6, "i": column})
    roles = {"quasi_identifiers": ["q"], "sensitive": "s", "insensitive": ["i"]}
    released(rows, sf.KAnonymity(2), sf.Mondrian(strict=False), "parquet", exact=False, **roles)


@pytest.mark.not_on(postgres="makes no table of bytes from a frame")
def test_missing_bytes_are_missing_in_csv_and_empty_ones_are_empty(released):
    rows = pa.table({"q": [1] * 6, "x": [b"a", None, b"", b"a", None, b""]})
    roles = {"quasi_identifiers": ["q"], "insensitive": ["x"]}
    published = released(rows, sf.KAnonymity(2), sf.Samarati(), "csv", exact=False, **roles)
    assert published["data"]["x"].to_pylist() == [None, None, "", "", "a", "a"]


@pytest.mark.not_on(
    spark="has no type for them: they are texts in Parquet, and so in what is published",
)
def test_uuids_are_counted_by_their_text(engine, counted, tmp_path):
    values = [UUID(int=1), UUID(int=2), None, UUID(int=1)]
    if engine.name == "duckdb":
        import duckdb

        listed = ", ".join("NULL" if each is None else f"'{each}'" for each in values)
        place = tmp_path / "uuids.parquet"
        duckdb.sql(f"SELECT unnest([{listed}])::UUID AS a").write_parquet(str(place))
    else:
        name = "uuids"
        listed = ", ".join("(NULL)" if each is None else f"('{each}')" for each in values)
        engine.server.run(f"CREATE TABLE {name} (a uuid)", f"INSERT INTO {name} VALUES {listed}")
        place = engine.server.address(name)
    expected = Counter((None if each is None else str(each),) for each in values)
    assert counted(sf.read(place, ["a"])) == expected
