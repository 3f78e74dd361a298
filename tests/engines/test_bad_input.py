"""Bad input gets one line that says what is wrong and where, and never a value of the data."""

import gzip
import os
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sfumato as sf
from profiles import examples
from sfumato.data.recoding import Cut
from sfumato.engines.duckdb.connection.explain import about_storage, explanation
from sfumato.engines.duckdb.connection.session import Session

SECRET = "S3cret"
KEY = bytes(32)
MEGABYTE = 1 << 20


def refusal(read, source, **roles):
    """Give the message that refuses a source; it has one line and no value of the data."""
    with pytest.raises(sf.BadInput) as caught:
        read(source, **(roles or {"quasi_identifiers": ["age"], "sensitive": "zip"})).frequencies()
    message = str(caught.value)
    assert "\n" not in message
    assert SECRET not in message
    return message


def write(place, data, name="table.csv"):
    path = place / name
    path.write_bytes(data)
    return path


def secret(text):
    return text.replace(b"?", SECRET.encode())


# ------------------------------------------------------------------------------------ CSV files

MANY = b"1,2\n" * 500_000  # two megabytes: beyond what is read for the header


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b"", "", "the file is empty"),
        (b"\xef\xbb\xbf", "", "the file is empty"),
        (b"\r\n\n\n", "", "the file is empty"),
        (b"age,zip", "", "no rows"),
        (b"age,zip\r\n", "", "no rows"),
        (b"age,age\n?,2\n", "", "columns 1 and 2 have the same name; rename one"),
        (b"age,zip,Age\n?,2,3\n", "", "columns 1 and 3 have the same name but for"),
        (b"age,,zip\n?,2,3\n", ", line 1", "column 2 has no name"),
        (b"age,zip\n1,2\n?\n", ", line 3", "1 fields where the header has 2"),
        (b"age,zip\n1,2\n?", ", line 3", "1 fields where the header has 2"),
        (b"age,zip\n1,?,3\n1,2\n", ", line 2", "3 fields where the header has 2"),
        (b"age,zip\r\n1,2\r\n1,?,3\r\n", ", line 3", "3 fields where the header has 2"),
        (b"age,zip\n" + MANY + b"?\n" + MANY, ", line 500002", "1 fields where the header has 2"),
        (b"age,zip\n1,2\n?\xff,2\n", ", line 3", "not UTF-8 text"),
        (b"age,zip\n1,2\n\xc3,?\n", ", line 3", "not UTF-8 text"),
        (b"age,zi\xe9\n1,?\n", ", line 1", "not UTF-8 text"),
        (b"age,zip\n" + MANY + b"?\xff,2\n" + MANY, ", line 500002", "not UTF-8 text"),
        (b"\xef\xbb\xbfage,zip\n\xff,?\n", ", line 2", "not UTF-8 text"),
        ("age,zip\nS3cret,2\n".encode("utf-16"), ", line 1", "not UTF-8 text"),
        (b"PK\x03\x04\x14\x00\x06\x00\xb5\xff?", "", "an Excel or zip file; export the table"),
        (gzip.compress(b"age,zip\n?,2\n")[:-6], "", "the gzip file is damaged, or cut off"),
        (b'age,zip\n1,"2\n?,4\n', ", line 2", "a quoted field does not end"),
        (b'age,zip\n1,2\n"?"x,4\n', ", line 3", "a quoted field does not end"),
        (b"age,zip\r\n1,2\n?,4\r\n", "", "not a regular CSV file; check its quotes and line ends"),
        (b"age,zip\n1,2\n?" + b"x" * 10 * MEGABYTE + b",2\n", ", line 3", "the line is too long"),
        (b'age,zip\n1,2\n"?' + b"x" * 10 * MEGABYTE + b'",2\n', ", line 3", "the line is too long"),
        (b"age," + b"x" * 10 * MEGABYTE + b"\n?,2\n", ", line 1", "cannot read the column names"),
        (
            b"age,x" + "é".encode() * 5 * MEGABYTE + b"\n?,2\n",
            ", line 1",
            "cannot read the column names",
        ),
    ],
    ids=[
        *("empty", "mark alone", "blank", "header", "header and end", "twice", "case", "no name"),
        *("short", "short at the end", "long", "long crlf", "short far down"),
        *("byte", "half a letter", "name", "byte far down", "behind a mark", "utf-16", "xlsx"),
        *("gzip", "open quote", "behind a quote", "mixed ends", "10 MB", "10 MB quoted"),
        *("10 MB name", "10 MB of letters"),
    ],
)
def test_a_bad_csv_file_is_refused_with_its_name_and_line(read, tmp_path, data, place, message):
    path = write(tmp_path, secret(data))
    assert refusal(read, path).startswith(f"{path}{place}: {message}")


def test_blank_lines_before_the_names_are_named(read, tmp_path):
    path = write(tmp_path, b"\n\nage,zip\n1,2\n")
    assert refusal(read, path).startswith(f"{path}, line 1: ")


def test_a_plain_file_with_the_name_of_a_packed_one_is_read(read, counted, tmp_path):
    path = write(tmp_path, b"age,zip\n1,2\n", name="table.csv.gz")
    assert counted(read(path, quasi_identifiers=["age"])) == {("1",): 1}


def test_a_delimiter_at_the_end_of_a_line_is_forgiven_for_nothing_stands_behind_it(
    read, counted, tmp_path
):
    path = write(tmp_path, b"age,zip\n1,2,\n3,4\n")
    found = counted(read(path, quasi_identifiers=["age"], sensitive="zip"))
    assert found == {("1", "2"): 1, ("3", "4"): 1}


def test_a_wrong_delimiter_is_suggested_as_the_reason(read, tmp_path):
    path = write(tmp_path, b"age:zip\nS3cret:2\n")
    message = refusal(read, path)
    assert message.startswith("quasi_identifiers: unknown column 'age'; did you mean 'age:zip'?")
    assert message.endswith("is it delimited by , ; | or tab?")


def test_nul_bytes_are_kept_and_keep_values_apart(read, counted, tmp_path):
    path = write(tmp_path, b"age,zip\n1\x00,2\n1,2\n\x00,2\n")
    found = counted(read(path, quasi_identifiers=["age"]))
    assert found == {("1\0",): 1, ("1",): 1, ("\0",): 1}


def test_one_row_is_a_table(read, counted, tmp_path):
    path = write(tmp_path, b"age,zip\n37,01234")
    found = counted(read(path, quasi_identifiers=["age"], sensitive="zip"))
    assert found == {("37", "01234"): 1}


PIECES = [
    b'"',
    b'""',
    b",",
    b";",
    b"\n",
    b"\r\n",
    b"\r",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\\",
    b"1",
]


@examples(60)
@given(st.lists(st.sampled_from([SECRET.encode(), *PIECES]), max_size=20).map(b"".join))
@example(b'S3cret,"S3cret\n')
def test_whatever_stands_in_a_file_it_is_read_or_refused_in_one_line(read, tmp_path_factory, body):
    path = write(tmp_path_factory.mktemp("fuzzed"), b"age,zip\n" + body)
    try:
        table = read(path, quasi_identifiers=["age"], sensitive="zip")
        message = None if table.n_rows else "nothing"
    except sf.BadInput as error:
        message = str(error)
    if message is not None:
        assert message.startswith(str(path))
        assert "\n" not in message
        assert SECRET not in message


# -------------------------------------------------------------------------- files of other kinds


def test_a_directory_is_no_table(read, tmp_path):
    assert refusal(read, tmp_path) == f"{tmp_path}: is a directory; give a CSV or Parquet file"


def test_a_file_that_is_not_there_is_named(read, tmp_path):
    path = tmp_path / "patients.csv"
    assert refusal(read, path) == f"{path}: cannot read: no such file or directory"


@pytest.mark.parametrize(
    "source",
    [
        "age,zip\nS3cret,2\n",
        "age,zip\n" + "S3cret,2\n" * 1000,
        "S3cret\0.csv",
    ],
    ids=["rows", "many rows", "nul"],
)
def test_text_instead_of_a_path_is_refused_without_showing_it(read, source):
    assert "path" in refusal(read, source)


def test_a_link_to_itself_is_refused(read, tmp_path):
    (tmp_path / "table.csv").symlink_to(tmp_path / "table.csv")
    assert refusal(read, tmp_path / "table.csv").startswith(f"{tmp_path / 'table.csv'}: ")


WITHOUT_PERMISSION = """
import os, sys
import sfumato as sf
import sfumato.engines.duckdb

if os.getuid() == 0:
    os.setuid(65534)
try:
    sf.read(sys.argv[1], quasi_identifiers=["age"])
except sf.BadInput as error:
    print(error)
"""


def refused_to_others(place, path):
    """Give what somebody without rights is told; a root user becomes somebody else for it."""
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_PERMISSION, path],
        env={**os.environ, "TMPDIR": place},
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stdout


@pytest.mark.long
@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_a_file_without_permission_is_named(name):
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o777)
        path = write(Path(place), b"PAR1", name)
        path.chmod(0)
        assert refused_to_others(place, path) == f"{path}: cannot read: permission denied\n"


@pytest.mark.long
def test_a_file_in_a_directory_without_permission_is_named():
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o777)
        (Path(place) / "closed").mkdir()
        path = write(Path(place) / "closed", b"age\n1\n")
        path.parent.chmod(0)
        try:
            assert refused_to_others(place, path) == f"{path}: cannot read: permission denied\n"
        finally:
            path.parent.chmod(0o700)


READ_A_PIPE = """
import sys
import sfumato as sf
try:
    print(sf.read(sys.argv[1], quasi_identifiers=["age"]).n_rows)
except sf.BadInput as error:
    print(error)
"""


@pytest.mark.long
def test_a_pipe_is_refused_or_read_whole(tmp_path):
    source, pipe = write(tmp_path, b"age,zip\n" + b"S3cret,2\n" * 300_000), tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["sh", "-c", f"exec cat '{source}' > '{pipe}'"])
    try:
        command = [sys.executable, "-c", READ_A_PIPE, pipe]
        found = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
    finally:
        writer.kill()
        writer.wait()
    assert found.stdout == "300000\n" or found.stdout.startswith(f"{pipe}: ")


def parquet_bytes(table):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="none")
    return sink.getvalue().to_pybytes()


PARQUET = parquet_bytes(
    pa.table({"age": [SECRET] * 1000, "zip": [f"{j:05d}" for j in range(1000)]})
)


@pytest.mark.parametrize(
    "data",
    [
        b"PAR1",
        PARQUET[: len(PARQUET) // 2],
        PARQUET[:-8] + b"\xff" * 4 + b"PAR1",
        PARQUET[:4] + b"\xff" * 200 + PARQUET[204:],
        PARQUET.replace(b"age", b"a\xffe"),
    ],
    ids=["magic alone", "half", "no footer", "overwritten", "name"],
)
def test_a_damaged_parquet_file_is_named(read, tmp_path, data):
    path = write(tmp_path, data, "table.parquet")
    assert refusal(read, path) == f"{path}: the Parquet file is damaged"


def test_text_in_a_parquet_file_that_is_not_utf_8_is_not_shown(read, tmp_path):
    path = write(tmp_path, PARQUET.replace(b"S3cret", b"S3cre\xff"), "table.parquet")
    message = refusal(read, path)
    assert message.startswith(f"{path}: ")
    assert "S3cre" not in message


def test_a_sound_parquet_file_is_not_blamed_for_a_lack_of_memory(
    read, tmp_path, with_little_memory
):
    with_little_memory("5MB")
    path = write(tmp_path, parquet_bytes(pa.table({"age": np.arange(500_000)})), "table.parquet")
    table = read(path, quasi_identifiers=["age"])
    with pytest.raises(sf.BadInput) as caught:
        table.frequencies()
    assert str(caught.value).startswith(f"{path}: ")
    assert "damaged" not in str(caught.value)


def test_a_name_that_promises_parquet_must_keep_it(read, tmp_path):
    path = write(tmp_path, b"age,zip\nS3cret,2\n", "table.parquet")
    assert refusal(read, path) == f"{path}: not a Parquet file, in spite of its name"


def test_a_parquet_file_without_rows_is_named(read, tmp_path):
    path = write(tmp_path, parquet_bytes(pa.table({"age": [1]}).slice(1)), "table.parquet")
    assert refusal(read, path, quasi_identifiers=["age"]) == f"{path}: no rows"


# --------------------------------------------------------------------------------------- frames


@pytest.mark.parametrize("wrong", [{"age": [1]}, [("age", 1)], None, 7, b"age\n1\n"])
def test_what_is_no_table_is_named_by_its_type(read, wrong):
    message = refusal(read, wrong)
    assert message.startswith(f"cannot read a {type(wrong).__name__}; give a path")


@pytest.mark.parametrize(
    "wrong", [pd.Series([SECRET]), pl.Series([SECRET]), pa.chunked_array([[1]])]
)
def test_a_single_column_is_no_table(read, wrong):
    message = refusal(read, wrong)  # old ones of pandas do not speak Arrow at all
    assert message.startswith(("the data frame cannot be read: ", "cannot read a Series; "))


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"age": pa.array([], pa.int64())}),
        pd.DataFrame({"age": []}),
        pl.DataFrame({"age": []}),
        pa.table({"age": pa.array([], pa.int64())}).to_reader(),
    ],
    ids=["arrow", "pandas", "polars", "reader"],
)
def test_a_frame_without_rows_is_refused(read, frame):
    assert refusal(read, frame, quasi_identifiers=["age"]) == "the table: no rows"


def test_a_stream_that_was_read_already_has_no_rows(read):
    stream = pa.table({"age": [1]}).to_reader()
    stream.read_all()
    assert refusal(read, stream, quasi_identifiers=["age"]) == "the table: no rows"


UNCOUNTABLE = {
    "list": (pa.array([[SECRET]]), "VARCHAR[]"),
    "struct": (pa.array([{"x": SECRET}]), "STRUCT(x VARCHAR)"),
    "binary": (pa.array([SECRET.encode()], pa.binary()), "BLOB"),
    "map": (pa.array([[("x", 1)]], pa.map_(pa.string(), pa.int8())), "MAP(VARCHAR, TINYINT)"),
    # To DuckDB these two are one value, and in a file they are two.
    "interval": (pa.array([pa.MonthDayNano([1, 0, 0]), pa.MonthDayNano([0, 30, 0])]), "INTERVAL"),
}
if hasattr(pa, "json_"):  # not in the lowest version
    UNCOUNTABLE["json"] = (pa.array([SECRET], pa.json_()), "JSON")


@pytest.mark.parametrize(("values", "kind"), UNCOUNTABLE.values(), ids=UNCOUNTABLE)
def test_values_that_cannot_be_counted_are_named_by_column_and_type(read, values, kind):
    message = refusal(read, pa.table({"age": values}), quasi_identifiers=["age"])
    assert message == (
        f"column 'age': values of type {kind} cannot be counted; "
        "turn them into text, numbers or dates"
    )


def test_a_pandas_column_of_mixed_types_is_named_without_its_values(read):
    message = refusal(read, pd.DataFrame({"age": [1, SECRET]}), quasi_identifiers=["age"])
    assert "age" in message


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"age": pa.array([Decimal(10) ** 50], pa.decimal256(60, 0))}),
        pa.table({"age": pa.array(np.array([1.5], np.float16))}),
        pa.table({}),
        pa.table({"age": pa.array([Decimal(10) ** 50], pa.decimal256(60, 0))}).to_reader(),
    ],
    ids=["decimal256", "float16", "no columns", "reader"],
)
def test_a_frame_the_engine_does_not_know_is_refused(read, frame):
    assert refusal(read, frame, quasi_identifiers=["age"]).startswith("the table: ")


def test_a_stream_that_breaks_is_refused(read):
    def batches():
        yield pa.record_batch({"age": ["x"]})
        raise RuntimeError(SECRET)

    stream = pa.RecordBatchReader.from_batches(pa.schema({"age": pa.string()}), batches())
    assert refusal(read, stream, quasi_identifiers=["age"]).startswith("the table: ")


def test_a_date_after_the_year_9999_is_refused_by_column(read):
    days = pa.array([5_000_000], pa.int32()).cast(pa.date32())
    assert "'age'" in refusal(read, pa.table({"age": days}), quasi_identifiers=["age"])


def test_a_column_of_a_frame_without_a_name_is_refused(read):
    frame = pa.table([pa.array([1]), pa.array([2])], names=["age", ""])
    assert "column 2 has no name" in refusal(read, frame, quasi_identifiers=["age"])


# ------------------------------------------------------------------------------ roles and values

PEOPLE = pa.table({"age": ["37", SECRET], "zip": ["01234", SECRET], "day": ["2026-11-15", SECRET]})


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (
            {"quasi_identifiers": ["aeg"]},
            "quasi_identifiers: unknown column 'aeg'; did you mean 'age'?",
        ),
        (
            {"quasi_identifiers": ["age"], "sensitive": "zipp"},
            "sensitive: unknown column 'zipp'; did you mean 'zip'?",
        ),
        (
            {"quasi_identifiers": ["age"], "person": "who"},
            "person: unknown column 'who'; are the names of the columns (3) in the first line?",
        ),
        (
            {"quasi_identifiers": ["age", "zip"], "sensitive": ["zip"]},
            "column 'zip' stands in both quasi_identifiers and sensitive; give it one role",
        ),
        (
            {"quasi_identifiers": ["age", "age"]},
            "column 'age' stands in quasi_identifiers twice; give it one role",
        ),
        (
            {"quasi_identifiers": []},
            "quasi_identifiers: name at least one column that others may know",
        ),
        (
            {"quasi_identifiers": {"age": sf.Intervals(5)}},
            "column 'age': 1 distinct values are not numbers; Intervals needs numbers, "
            "so mend them or give the column another hierarchy; if they stand for missing, "
            "add them to missing (docs/reading.md)",
        ),
        (
            {"quasi_identifiers": {"day": sf.Dates()}},
            "column 'day': 1 distinct values are not dates; write them as YYYY-MM-DD, "
            'or give their format, such as [read] dates = { day = "DD.MM.YYYY" }, '
            "or Dates('DD.MM.YYYY')",
        ),
        (
            {"quasi_identifiers": {"zip": sf.Tree({"01***": ["01234"]})}},
            "column 'zip': 1 distinct values are missing from its hierarchy; "
            "add them to it, or mend the data",
        ),
    ],
)
def test_a_wrong_role_or_a_value_that_does_not_fit_names_the_column(read, roles, message):
    assert refusal(read, PEOPLE, **roles) == message


@pytest.mark.parametrize("rule", [sf.Intervals(5), sf.Dates(), sf.Tree(["37"])])
def test_values_that_do_not_fit_travel_beside_the_message(read, rule):
    with pytest.raises(sf.BadInput) as caught:
        read(pa.table({"a": ["37", SECRET]}), quasi_identifiers={"a": rule}).frequencies()
    assert SECRET in caught.value.values
    assert SECRET not in str(caught.value)
    assert SECRET in caught.value.with_values()


@pytest.mark.parametrize("value", ["2026-02-30", "15.11.2026", "2026-13-01", "yesterday", ""])
def test_a_date_that_does_not_parse_is_refused(read, value):
    frame = pa.table({"day": ["2026-11-15", value]})
    message = refusal(read, frame, quasi_identifiers={"day": sf.Dates()})
    assert message.startswith("column 'day': 1 distinct values are not dates")


# -------------------------------------------------------------------------------------- writing


def as_it_is(table):
    table.frequencies()
    return Cut.at_levels(table.domains, dict.fromkeys(table.schema.quasi_identifiers, 0))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_place_that_cannot_be_written_is_named_and_nothing_is_left(read, tmp_path, kind):
    table = read(PEOPLE, quasi_identifiers=["age"])
    for target in (tmp_path / "missing" / f"x.{kind}", tmp_path):
        with pytest.raises(sf.BadInput) as caught:
            table.write(as_it_is(table), target, kind, KEY)
        assert str(caught.value).startswith(f"{target}: cannot write")
    assert list(tmp_path.iterdir()) == []


NO_SPACE = """
import resource, sys
from pathlib import Path
import duckdb
import sfumato as sf
from sfumato.data.recoding import Cut, Recoding

frame = duckdb.sql("SELECT i % 2 AS age, md5(i::VARCHAR) AS note FROM range(100000) t(i)")
table = sf.read(frame.to_arrow_table(), quasi_identifiers=["age"], insensitive=["note"])
table.frequencies()
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
target = Path(sys.argv[1])
try:
    table.write(Cut.at_levels(table.domains, {"age": 0}), target, sys.argv[2], bytes(32))
except sf.BadInput as error:
    print(error)
"""


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_disk_that_is_full_is_named_and_nothing_is_left(tmp_path, kind):
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / f"data.{kind}"
    found = subprocess.run(
        [sys.executable, "-c", NO_SPACE, target, kind], capture_output=True, text=True, check=True
    )
    assert found.stdout.startswith(f"{target}: cannot write")
    assert found.stdout.count("\n") == 1
    assert list(target.parent.iterdir()) == []


def test_a_source_that_is_gone_when_it_is_applied_is_named(read, tmp_path):
    path = write(tmp_path, b"age,zip\n1,2\n")
    table = read(path, quasi_identifiers=["age"])
    recoding = as_it_is(table)
    path.unlink()
    with pytest.raises(sf.BadInput) as caught:
        table.write(recoding, tmp_path / "out.csv", "csv", KEY)
    assert str(caught.value).startswith(f"{path}: ")


def test_bytes_that_are_not_text_far_down_are_refused_when_they_would_be_published(read, tmp_path):
    path = write(tmp_path, b"age,zip\n" + MANY + b"1,\xff\n")
    table = read(path, quasi_identifiers=["age"], insensitive=["zip"])
    with pytest.raises(sf.BadInput) as caught:
        table.write(as_it_is(table), tmp_path / "out.csv", "csv", KEY)
    assert str(caught.value).startswith(f"{path}, line 500002: not UTF-8 text")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("length", [1_950_000, 2_000_000, 2_500_000, 6_000_000])
@pytest.mark.parametrize("n_after", [0, 1, 1000])
def test_a_long_line_near_the_end_loses_no_row(read, tmp_path, length, n_after):
    """DuckDB 2.0 drops such a line, and the rows behind it, after every 32,000,000 bytes."""
    before = b"1," + b"x" * 997 + b"\n"
    data = b"a,s\n" + before * 32_000 + b"1," + b"y" * length + b"\n" + b"1,z\n" * n_after
    path = write(tmp_path, data)
    with pytest.raises(sf.BadInput, match="line 32002: the line is too long"):
        read(path, quasi_identifiers=["a"], sensitive="s")


def test_a_line_that_is_just_short_enough_is_read(read, tmp_path):
    before = b"1," + b"x" * 997 + b"\n"
    data = b"a,s\n" + before * 32_000 + b"1," + b"y" * 1_899_000 + b"\n" + b"1,z\n" * 10
    assert read(write(tmp_path, data), quasi_identifiers=["a"], sensitive="s").n_rows == 32_011


def test_memory_that_python_lacks_while_the_engine_reads_is_called_that():
    """It is not the source that was refused."""
    said = "Invalid Input Error: reading the object registered as 'texts' failed: MemoryError: "
    assert "a.csv: not enough memory for " in explanation(said, "a.csv", None, None)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Invalid Input Error: unterminated quote Line: 7 x", "a.csv, line 7: a quoted field does"),
        ("Invalid Input Error: Maximum line size of 9 Line: 3", "a.csv, line 3: the line is too"),
        ("Invalid Input Error: state machine", "a.csv: not a regular CSV file; check its quotes"),
        ("IO Error: S3cret", "out.csv: cannot write there"),
        ("Conversion Error: S3cret", "a.csv: a value was not there when the rows were counted"),
        ("Out of Memory Error: S3cret", "a.csv: not enough memory for "),
        ("nanobind::str(): conversion error!", "a.csv: not enough memory for "),
        ("Resource In Use Error: S3cret", "a.csv: something else that was asked of it has not"),
        ("Binder Error: S3cret", "a.csv: the engine refused it (Binder Error)"),
    ],
)
def test_what_the_engine_says_becomes_one_line_without_values(message, said):
    found = explanation(message, "a.csv", Path("out.csv"), None)
    assert found.startswith(said)
    assert SECRET not in found


def test_what_the_engine_refuses_after_a_lack_of_memory_is_called_that():
    def refused():
        try:
            raise MemoryError
        finally:
            raise duckdb.Error("Resource In Use Error: connection has an open result")

    with pytest.raises(sf.NoRoom, match="the table: not enough memory"), Session().explained():
        refused()


def test_what_the_binding_says_without_memory_is_called_that():
    with pytest.raises(sf.NoRoom, match="the table: not enough memory"), Session().explained():
        raise RuntimeError("nanobind::str(): conversion error!")
    with pytest.raises(RuntimeError, match="another"), Session().explained():
        raise RuntimeError("another")


def test_rows_that_are_still_read_are_told_from_bad_rows():
    session = Session()
    reader = session.connection.sql("SELECT * FROM range(100000)").to_arrow_reader(10)
    with pytest.raises(sf.BadInput, match="something else that was asked"), session.explained():
        session.connection.execute("CREATE TEMP TABLE other AS SELECT 1")
    del reader
    session.connection.execute("CREATE TEMP TABLE other AS SELECT 1")


def test_a_full_disk_under_temporary_files_is_called_that(tmp_path):
    private = tmp_path / "spill"
    for message in (f"IO Error: {private}/x: No space left on device", "max_temp_directory_size"):
        found = about_storage(message, private, None)
        assert found is not None
        assert found.startswith(f"cannot keep temporary files in {tmp_path}: no space left on")
    refused = about_storage("IO Error: out.csv: Permission denied", private, Path("out.csv"))
    assert refused == "out.csv: cannot write: permission denied"
    assert about_storage("Binder Error", private, None) is None


def test_a_name_of_a_file_that_is_no_text_is_refused():
    with pytest.raises(sf.BadInput, match="the name of the file is not UTF-8 text; rename it"):
        sf.read("people\udcff.csv", {"age": sf.Flat()})
