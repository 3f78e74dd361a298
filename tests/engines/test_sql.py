"""Quoting that nothing breaks out of, and a text of rows that is the same in every engine."""

import datetime
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sfumato.engines import sql

TEXT = st.one_of(
    st.text(alphabet="'\"\\;-%\n a", max_size=8),
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
)
CELLS = st.one_of(st.none(), st.text(alphabet="-:01,a", max_size=4), st.text(max_size=3))


@pytest.fixture(scope="module")
def database():
    return duckdb.connect()


@settings(deadline=None)
@given(TEXT)
@example("'); DROP TABLE x; --")
@example("\\'")
def test_a_quoted_text_is_that_text(database, value):
    assert database.execute(f"SELECT {sql.text(value)}").fetchall() == [(value,)]


@settings(deadline=None)
@given(TEXT.filter(bool))
@example('a"; DROP TABLE x; --')
def test_a_quoted_name_is_that_name(database, name):
    assert database.sql(f"SELECT 1 AS {sql.name(name)}").columns == [name]


def row_texts(database, frame):
    """Give the canonical text of every row."""
    kinds = database.from_arrow(frame).types
    columns = [(sql.name(c), str(k)) for c, k in zip(frame.column_names, kinds, strict=True)]
    database.register("given_rows", frame)
    found = database.execute(f"SELECT {sql.row_text(columns)} FROM given_rows").fetchall()
    return [text for (text,) in found]


@settings(deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=12, unique=True))
@example([("a", "", None), ("", "a", None), (None, "a", ""), ("a", None, ""), ("1:a", "", None)])
@example([(":", None, None), (None, ":", None), ("1:", None, None), (None, "1:", "")])
@example([("-", None, None), (None, "-", None), ("--", None, None), (None, None, None)])
def test_no_two_rows_have_the_same_text(database, rows):
    frame = pa.table([pa.array(c, pa.string()) for c in zip(*rows, strict=True)], list("abc"))
    assert len(set(row_texts(database, frame))) == len(rows)


@settings(deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=12))
def test_the_text_of_a_row_is_the_length_and_text_of_each_value(database, values):
    frame = pa.table({"a": pa.array(values, pa.string()), "b": pa.array([7] * len(values))})
    expected = [":1:7" if v is None else f"{len(v.encode())}:{v}1:7" for v in values]
    assert row_texts(database, frame) == expected


NOON = datetime.datetime(2026, 11, 15, 12, 0, 0)
MICROSECONDS = "1794744000000000"


def test_the_constants_of_this_file_agree():
    instant = NOON.replace(tzinfo=datetime.UTC).timestamp()
    assert str(int(instant) * 1_000_000) == MICROSECONDS


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (pa.array(["é"]), "2:é"),
        (pa.array([""]), "0:"),
        (pa.array([None], pa.string()), ":"),
        (pa.array([-5], pa.int8()), "2:-5"),
        (pa.array([2**64 - 1], pa.uint64()), "20:18446744073709551615"),
        (pa.array([True]), "4:true"),
        (pa.array([Decimal("1.50")], pa.decimal128(5, 2)), "4:1.50"),
        (pa.array([0.1]), "19:0.10000000000000001"),
        (pa.array([0.5], pa.float32()), "3:0.5"),
        (pa.array([1.0]), "1:1"),
        (pa.array([1e300]), "23:1.0000000000000001e+300"),
        (pa.array([NOON.date()]), "10:2026-11-15"),
        (pa.array([NOON.time()]), "8:12:00:00"),
        (pa.array([NOON], pa.timestamp("s")), f"16:{MICROSECONDS}"),
        (pa.array([NOON], pa.timestamp("ms")), f"16:{MICROSECONDS}"),
        (pa.array([NOON], pa.timestamp("us")), f"16:{MICROSECONDS}"),
        (pa.array([NOON], pa.timestamp("ns")), "19:2026-11-15 12:00:00"),
        (pa.array([NOON], pa.timestamp("us", "Asia/Tokyo")), f"16:{MICROSECONDS}"),
        (pa.array([None], pa.timestamp("us")), ":"),
        (pa.array([None], pa.float64()), ":"),
    ],
    ids=lambda value: str(value.type).replace(" ", "") if isinstance(value, pa.Array) else value,
)
def test_every_type_has_one_text(database, values, text):
    assert row_texts(database, pa.table({"a": values})) == [text]


@settings(deadline=None)
@given(st.floats(allow_nan=False))
@example(5e-324)
@example(-0.0)
def test_a_float_is_written_with_17_digits(database, value):
    text = f"{value:.17g}"
    assert row_texts(database, pa.table({"a": [value]})) == [f"{len(text)}:{text}"]


def test_a_row_without_columns_is_empty_text(database):
    assert database.execute(f"SELECT {sql.row_text([])}").fetchall() == [("",)]
