"""The same table gives the same frequency set, whatever it comes in."""

import datetime
import os
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from zoneinfo import ZoneInfo

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sfumato as sf
from profiles import examples

TEXT = [
    ("01234", "flu"),
    ("01234", "flu"),
    ("1234", "flu"),
    ("", None),
    (None, ""),
    (None, ""),
    ("NULL", "NaN"),
    ("é", "e\u0301"),  # one letter in two spellings: two values
    ("日本", "🙂"),
    ("a\nb", "a\r\nb"),
    ('say "no"', "a,b;c|d\te"),
    (" padded ", "'quoted'"),
    ("18446744073709551617", "-0"),
]
TYPED = [
    (1, 0.5, True, datetime.date(2026, 11, 15), Decimal("1.50"), "a"),
    (1, 0.5, True, datetime.date(2026, 11, 15), Decimal("1.50"), "a"),
    (-(2**63), -1e300, False, datetime.date(1, 1, 1), Decimal("-0.01"), ""),
    (2**63 - 1, 0.1, None, datetime.date(9999, 12, 31), Decimal("99999999.99"), None),
    (None, None, None, None, None, None),
]
TYPES = pa.schema(
    {
        "whole": pa.int64(),
        "real": pa.float64(),
        "yes": pa.bool_(),
        "day": pa.date32(),
        "price": pa.decimal128(10, 2),
        "word": pa.string(),
    }
)


def csv_field(value):
    """Quote whatever is there, so that an empty field differs from a missing one."""
    return "" if value is None else '"' + value.replace('"', '""') + '"'


def csv_text(names, rows, delimiter=",", end="\n"):
    lines = [delimiter.join(csv_field(value) for value in row) for row in [names, *rows]]
    return "".join(line + end for line in lines)


def as_csv(table, place):
    path = place / "table.csv"
    rows = zip(*table.to_pydict().values(), strict=True)
    path.write_text(csv_text(table.column_names, rows), encoding="utf-8", newline="")
    return path


def as_parquet(table, place):
    pq.write_table(table, place / "table.parquet")
    return place / "table.parquet"


FRAMES = {
    "parquet": as_parquet,
    "pandas": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda table, _: pl.from_arrow(table),
    "arrow": lambda table, _: table,
    "reader": lambda table, _: table.to_reader(max_chunksize=2),
    "relation": lambda table, _: duckdb.from_arrow(table),
}
SOURCES = {"csv": as_csv, **FRAMES}


def columns_of(rows, schema):
    return pa.table(
        [pa.array(c, f.type) for c, f in zip(zip(*rows, strict=True), schema, strict=True)], schema
    )


TEXTS = columns_of(TEXT, pa.schema({"zip": pa.string(), "disease": pa.string()}))


def fingerprint(table):
    """All that a frequency set consists of."""
    found = table.frequencies()
    labels = {name: domain.labels for name, domain in found.domains.items()}
    return found.columns, labels, found.keys.tolist(), found.counts.tolist()


@pytest.mark.parametrize("source", SOURCES)
def test_text_is_counted_alike_from_every_source(read, counted, tmp_path, source):
    table = read(SOURCES[source](TEXTS, tmp_path), quasi_identifiers=["zip"], sensitive=["disease"])
    assert counted(table) == Counter(TEXT)
    direct = read(TEXTS, quasi_identifiers=["zip"], sensitive=["disease"])
    assert fingerprint(table) == fingerprint(direct)


@pytest.mark.parametrize("source", FRAMES)
def test_typed_values_are_counted_alike_from_every_source(read, counted, tmp_path, source):
    whole = columns_of(TYPED, TYPES)
    table = read(FRAMES[source](whole, tmp_path), quasi_identifiers=TYPES.names)
    assert counted(table) == Counter(TYPED)
    assert fingerprint(table) == fingerprint(read(whole, quasi_identifiers=TYPES.names))


@pytest.mark.parametrize("source", SOURCES)
def test_the_columns_keep_their_names_and_their_order(read, tmp_path, source):
    table = read(SOURCES[source](TEXTS, tmp_path), quasi_identifiers=["disease"])
    assert table.source.columns == ("zip", "disease")


def test_a_path_may_be_a_string_or_a_path(read, counted, tmp_path):
    path = as_csv(TEXTS, tmp_path)
    roles = {"quasi_identifiers": ["zip"], "sensitive": "disease"}
    assert counted(read(str(path), **roles)) == counted(read(path, **roles)) == Counter(TEXT)


# ------------------------------------------------------------------------------------------ CSV


def write(place, text, name="table.csv"):
    path = place / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


CELLS = st.one_of(
    st.none(),
    st.sampled_from(["", "0", "01", "-0", "NULL", "nan", '"', '""', "\r\n", "'", "#", "\\", " "]),
    st.text(alphabet=',;\t|"\r\n\\ aé0', max_size=6),
    st.text(max_size=4),
)


@pytest.mark.long
@examples(60)
@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
@example([(None, None)], ",", "\n", False)
@example([("", None), (None, "")], ";", "\r\n", True)
@example([("a\0b", "a"), ("a", "a\0")], "|", "\n", False)
def test_any_text_is_read_as_it_was_written(
    read, counted, tmp_path_factory, rows, delimiter, end, mark
):
    start = b"\xef\xbb\xbf" if mark else b""
    text = start + csv_text(["a", "b"], rows, delimiter, end).encode()
    path = write(tmp_path_factory.mktemp("csv"), text)
    assert counted(read(path, quasi_identifiers=["a", "b"])) == Counter(rows)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
def test_delimiters_and_line_ends_are_found(read, counted, tmp_path, delimiter, end, closed):
    lines = [delimiter.join(line) for line in (["age", "zip"], ["37", "01234"], ["", "x"])]
    path = write(tmp_path, end.join(lines) + end * closed)
    found = counted(read(path, quasi_identifiers=["age", "zip"]))
    assert found == {("37", "01234"): 1, (None, "x"): 1}


@pytest.mark.parametrize(
    "end",
    [
        "\n",
        "\r\n",
        pytest.param(
            "\r",
        ),
    ],
)
def test_line_ends_are_found_in_a_large_file_too(read, counted, tmp_path, end):
    path = write(tmp_path, f"age,zip{end}" + f"37,x{end}" * 300_000)
    assert counted(read(path, quasi_identifiers=["age"])) == {("37",): 300_000}


@pytest.mark.parametrize("name", ['5" pipe', 'a"b', '"a""b"'])
def test_a_quote_in_a_name_costs_nobody(read, counted, tmp_path, name):
    path = write(tmp_path, f'zip,{name}\n1,2\n3,4" x\n5,6\n')
    table = read(path, quasi_identifiers=["zip"])
    assert table.source.columns == ("zip", name.strip('"').replace('""', '"'))
    assert counted(table) == {("1",): 1, ("3",): 1, ("5",): 1}


def test_an_empty_field_is_missing_and_a_quoted_empty_field_is_empty(read, counted, tmp_path):
    path = write(tmp_path, 'a,b\n,""\n"",\n')
    assert counted(read(path, quasi_identifiers=["a", "b"])) == {(None, ""): 1, ("", None): 1}


def test_in_a_single_column_an_empty_line_is_a_person_with_a_missing_value(read, counted, tmp_path):
    path = write(tmp_path, 'a\nx\n\n""\n')
    assert counted(read(path, quasi_identifiers=["a"])) == {("x",): 1, (None,): 1, ("",): 1}


@pytest.mark.parametrize("text", ["01234", "1e3", "+5", "1.50", "2026-11-15", "true", "0x1F"])
def test_nothing_in_a_csv_file_is_taken_for_another_type(read, counted, tmp_path, text):
    path = write(tmp_path, f"a\n{text}\n")
    assert counted(read(path, quasi_identifiers=["a"])) == {(text,): 1}


def test_integers_beyond_64_bits_stay_what_they_are(read, counted, tmp_path):
    rows = [(str(2**64 + 1),), (str(2**64),), (str(10**40),)]
    path = write(tmp_path, csv_text(["a"], rows))
    assert counted(read(path, quasi_identifiers=["a"])) == Counter(rows)


def test_numbers_in_text_are_ordered_as_numbers(read, tmp_path):
    path = write(tmp_path, "a\n10\n9\n-1\n18446744073709551617\n")
    table = read(path, quasi_identifiers=["a"])
    assert table.domains["a"].labels == ("-1", "9", "10", "18446744073709551617")


def test_a_byte_order_mark_is_no_part_of_the_first_name(read, counted, tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbfage,zip\n1,2\n")
    assert read(path, quasi_identifiers=["age"]).source.columns == ("age", "zip")


def test_a_quote_inside_an_unquoted_field_is_text(read, counted, tmp_path):
    path = write(tmp_path, 'a,b\n5" pipe,x\n')
    assert counted(read(path, quasi_identifiers=["a"])) == {('5" pipe',): 1}


def test_blank_lines_between_records_are_nobody(read, counted, tmp_path):
    path = write(tmp_path, "a,b\n1,2\n\n3,4\n\n")
    assert counted(read(path, quasi_identifiers=["a"])) == {("1",): 1, ("3",): 1}


def test_a_file_may_have_quotes_in_its_name(read, counted, tmp_path):
    path = write(tmp_path, "a\nmine\n", name='it\'s "1" & 100%.csv')
    assert counted(read(path, quasi_identifiers=["a"])) == {("mine",): 1}


@pytest.mark.parametrize(("name", "other"), [("t*.csv", "tt.csv"), ("t[1].csv", "t1.csv")])
def test_a_file_whose_name_is_a_pattern_is_read_alone(read, counted, tmp_path, name, other):
    write(tmp_path, "a\nother\n", name=other)
    path = write(tmp_path, "a\nmine\n", name=name)
    assert counted(read(path, quasi_identifiers=["a"])) == {("mine",): 1}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_directory_that_looks_like_a_partition_adds_and_changes_no_column(
    read, counted, tmp_path, kind
):
    place = tmp_path / "sex=M"
    place.mkdir()
    path = SOURCES[kind](pa.table({"age": ["37"], "sex": ["F"]}), place)
    table = read(path, quasi_identifiers=["age", "sex"])
    assert table.source.columns == ("age", "sex")
    assert counted(table) == {("37", "F"): 1}


# ---------------------------------------------------------------------------------------- names

NAMES = [
    *('a"b', "it's", "a b", " a", "a,b", "a;b", "a\tb", "é", "日本", "%s", "{}", "$1"),
    *("k0", "g", "v0", "v1", "v2", "n", "s", "c0", "m0", "l0", "turn", "first", "last", "value"),
    *("code", "low", "label", "source", "combinations", "frame", "stream", "map0", "secret"),
    *("select", "from", "order", "rowid", "null", "true", "*", "1", "-1", "filename"),
]


@pytest.mark.parametrize("source", SOURCES)
def test_a_column_may_have_any_name(read, counted, tmp_path, source):
    table = pa.table({name: [f"in {j}", f"in {j}", None] for j, name in enumerate(NAMES)})
    opened = read(SOURCES[source](table, tmp_path), quasi_identifiers=NAMES)
    assert opened.source.columns == tuple(NAMES)
    row = tuple(f"in {j}" for j in range(len(NAMES)))
    assert counted(opened) == {row: 2, (None,) * len(NAMES): 1}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_end_inside_a_name_costs_nobody(read, counted, tmp_path, end):
    name = f"age{end}in years"
    path = write(tmp_path, csv_text([name, "zip"], [("1", "a"), ("2", "b")], end=end))
    table = read(path, quasi_identifiers=[name])
    assert table.source.columns == (name, "zip")
    assert counted(table) == {("1",): 1, ("2",): 1}


def doubled(first, second):
    return pa.table([pa.array(["1"]), pa.array(["2"])], names=[first, second])


@pytest.mark.parametrize("source", ["csv", "parquet", "arrow", "reader", "pandas", "polars"])
@pytest.mark.parametrize(("first", "second"), [("Age", "age"), ("Straße", "STRASSE")])
def test_names_that_differ_in_case_alone_are_refused(read, tmp_path, source, first, second):
    opened = SOURCES[source](doubled(first, second), tmp_path)
    with pytest.raises(sf.BadInput, match="columns 1 and 2 have the same name"):
        read(opened, quasi_identifiers=[first])


@pytest.mark.parametrize("source", ["csv", "parquet", "arrow", "reader"])
def test_a_name_that_stands_twice_is_refused(read, tmp_path, source):
    table = doubled("age", "age")
    if source == "csv":
        opened = write(tmp_path, "age,age\n1,2\n")
    else:
        opened = SOURCES[source](table, tmp_path)
    with pytest.raises(sf.BadInput, match="columns 1 and 2 have the same name"):
        read(opened, quasi_identifiers=["age"])


def test_a_pandas_name_that_stands_twice_is_refused(read):
    frame = pd.DataFrame([["1", "2"]], columns=["age", "age"])
    with pytest.raises(sf.BadInput, match="have the same name"):
        read(frame, quasi_identifiers=["age"])


# --------------------------------------------------------------------------------------- frames


def test_the_index_of_a_pandas_frame_is_no_column(read, counted):
    frame = pd.DataFrame({"a": ["x", "y", "z"]}, index=[7, 8, 9])
    table = read(frame[frame.a != "y"], quasi_identifiers=["a"])
    assert table.source.columns == ("a",)
    assert counted(table) == {("x",): 1, ("z",): 1}


NAN = float("nan")


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"a": [1.5, NAN, None]}),
        pa.table({"a": pa.array([1.5, NAN, None], pa.float32())}),
        pl.DataFrame({"a": [1.5, NAN, None]}),
        pd.DataFrame({"a": [1.5, NAN, None]}),
        pd.DataFrame({"a": [1.5, NAN, None]}, dtype=object),
    ],
    ids=["arrow", "float32", "polars", "pandas", "object"],
)
def test_what_is_not_a_number_is_missing(read, counted, frame):
    assert counted(read(frame, quasi_identifiers=["a"])) == {(1.5,): 1, (None,): 2}


def test_the_text_nan_is_text(read, counted):
    frame = pa.table({"a": ["NaN", "nan", None]})
    assert counted(read(frame, quasi_identifiers=["a"])) == {("NaN",): 1, ("nan",): 1, (None,): 1}


WORDS = ["x", None, "", "x"]


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"a": pa.array(WORDS, pa.large_string())}),
        pa.table({"a": pa.array(WORDS, pa.string_view())}),
        pa.table({"a": pa.array(WORDS).dictionary_encode()}),
        pa.table({"a": pa.DictionaryArray.from_arrays([0, 1, 2, 0], ["x", None, ""])}),
        pa.table({"a": pa.chunked_array([["x", None], ["", "x"]]).dictionary_encode()}),
        pd.DataFrame({"a": pd.Categorical(WORDS, categories=["x", "", "unused"])}),
        pd.DataFrame({"a": WORDS}),
        pd.DataFrame({"a": WORDS}, dtype=object),
        pl.DataFrame({"a": WORDS}, schema={"a": pl.Categorical}),
        pl.DataFrame({"a": WORDS}, schema={"a": pl.Enum(["", "x", "unused"])}),
        duckdb.sql(
            "SELECT unnest(['x', NULL, '', 'x'])::ENUM('unused', 'x', '') AS a"
        ).to_arrow_table(),
    ],
    ids=[
        *("large", "view", "dictionary", "null inside", "chunked", "categorical", "pandas"),
        *("object", "polars", "enum", "duckdb"),
    ],
)
def test_a_word_is_a_word_however_a_frame_stores_it(read, counted, frame):
    table = read(frame, quasi_identifiers=["a"])
    assert counted(table) == {("x",): 2, ("",): 1, (None,): 1}
    assert fingerprint(table) == fingerprint(read(pa.table({"a": WORDS}), quasi_identifiers=["a"]))


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.int32(), pa.uint64()])
def test_integers_of_every_width_are_the_same_integers(read, counted, kind):
    frame = pa.table({"a": pa.array([5, None, 5, 100], kind)})
    assert counted(read(frame, quasi_identifiers=["a"])) == {(5,): 2, (None,): 1, (100,): 1}


def test_the_largest_unsigned_integer_and_its_neighbour_are_two(read, counted):
    frame = pa.table({"a": pa.array([2**64 - 1, 2**64 - 2], pa.uint64())})
    assert counted(read(frame, quasi_identifiers=["a"])) == {(2**64 - 1,): 1, (2**64 - 2,): 1}


MOMENT = datetime.datetime(2026, 11, 15, 12, 30, 59)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_are_the_same_in_every_unit(read, counted, unit):
    frame = pa.table({"a": pa.array([MOMENT, None, MOMENT], pa.timestamp(unit))})
    assert counted(read(frame, quasi_identifiers=["a"])) == {(str(MOMENT),): 2, (None,): 1}


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "+05:30"])
def test_a_moment_with_a_zone_is_the_same_instant(read, counted, unit, zone):
    instant = MOMENT.replace(tzinfo=ZoneInfo("UTC"))
    frame = pa.table({"a": pa.array([instant, None], pa.timestamp(unit, zone))})
    assert counted(read(frame, quasi_identifiers=["a"])) == {(f"{MOMENT}+00",): 1, (None,): 1}


def test_a_microsecond_and_a_nanosecond_make_two_moments(read, counted):
    frame = pa.table(
        {
            "a": pa.array([MOMENT, MOMENT.replace(microsecond=1)], pa.timestamp("us")),
            "b": pa.array([0, 1], pa.timestamp("ns")),
        }
    )
    assert len(counted(read(frame, quasi_identifiers=["a"]))) == 2
    assert len(counted(read(frame, quasi_identifiers=["b"]))) == 2


IN_A_ZONE = """
import datetime
import pyarrow as pa
import sfumato as sf

# In Berlin both are half past two: summer time ends between them.
hours = [datetime.datetime(2020, 10, 25, hour, 30) for hour in (0, 1)]
frame = pa.table({"a": pa.array(hours, pa.timestamp("us", "UTC"))})
table = sf.read(frame, quasi_identifiers={"a": sf.Dates()})
print(table.frequencies().counts.tolist(), [str(label) for label in table.domains["a"].labels])
"""


@pytest.mark.long
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_the_zone_of_the_machine_changes_nothing(zone):
    found = subprocess.run(
        [sys.executable, "-c", IN_A_ZONE],
        env={**os.environ, "TZ": zone},
        capture_output=True,
        text=True,
        check=True,
    )
    labels = ["2020-10-25 00:30:00+00", "2020-10-25 01:30:00+00"]
    assert found.stdout == f"[1, 1] {labels}\n"


WITHOUT_PANDAS = """
import sys

class NoPandas:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "pandas":
            raise ImportError(name)

sys.meta_path.insert(0, NoPandas())
import pyarrow as pa
import sfumato as sf

frame = pa.table({"a": pa.array([1, 2, 2], pa.timestamp("ns"))})
print(sf.read(frame, quasi_identifiers=["a"]).frequencies().counts.tolist())
"""


@pytest.mark.long
def test_nanoseconds_are_counted_where_pandas_is_not_installed():
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_PANDAS], capture_output=True, text=True, check=False
    )
    assert found.stdout == "[1, 2]\n"


def test_times_of_day_are_counted(read, counted):
    noon = datetime.time(12, 0, 1)
    frame = pa.table({"a": pa.array([noon, noon, None], pa.time64("us"))})
    assert counted(read(frame, quasi_identifiers=["a"])) == {("12:00:01",): 2, (None,): 1}


@pytest.mark.parametrize("kind", [pa.int32(), pa.string(), pa.null()], ids=str)
def test_a_column_of_nothing_but_missing_values_is_counted(read, counted, kind):
    frame = pa.table({"a": pa.array([None] * 3, kind)})
    assert counted(read(frame, quasi_identifiers=["a"])) == {(None,): 3}


def test_decimals_of_38_digits_keep_every_digit(read, counted):
    values = [Decimal("1" + "0" * 36 + "1"), Decimal("1" + "0" * 37)]
    frame = pa.table({"a": pa.array(values, pa.decimal128(38, 0))})
    assert counted(read(frame, quasi_identifiers=["a"])) == {(value,): 1 for value in values}


def test_a_stream_can_be_counted_and_then_read_again(read, counted):
    table = read(TEXTS.to_reader(max_chunksize=1), quasi_identifiers=["zip"], sensitive="disease")
    assert counted(table) == Counter(TEXT)
    again = table.source.to_batches(table.source.columns).read_all()
    assert Counter(zip(*again.to_pydict().values(), strict=True)) == Counter(TEXT)


@examples(25)
@given(st.lists(st.tuples(CELLS, CELLS, st.integers(-2, 2)), min_size=1, max_size=30))
def test_counting_is_what_a_counter_does(read, counted, rows):
    schema = pa.schema({"a": pa.string(), "s": pa.string(), "b": pa.int16()})
    table = read(columns_of(rows, schema), quasi_identifiers=["a", "b"], sensitive="s")
    assert counted(table) == Counter((a, b, s) for a, s, b in rows)
    assert table.n_rows == len(rows)


WRITTEN = ["1", "-5", "'5", "''5", "1.5", "2.0", "1e+20", "nan", "'-inf", "01", "", "x", "-0"]


@examples(40)
@given(
    st.sets(st.sampled_from(WRITTEN), min_size=1, max_size=2).flatmap(
        lambda some: st.lists(st.sampled_from(sorted(some)), min_size=1, max_size=6)
    )
)
@example(["'5", "5"])
def test_what_columns_hold_is_the_same_asked_alone_or_with_their_order(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("kinds") / "data.csv"
    path.write_text("a,b\n" + "".join(f"{value},x\n" for value in values))
    alone, together = (sf.engines.DuckDB().open_published(path) for _ in range(2))
    assert together.is_sorted({"a": "text"}, ["a", "b"]) == (values == sorted(values))
    assert together.kinds(["a", "b"]) == alone.kinds(["a", "b"])
