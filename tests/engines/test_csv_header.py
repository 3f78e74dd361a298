"""The first line of a CSV file is read by us, so that every engine sees the same columns."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.engines.csv_header import FIRST_BYTES, read_header, refuse_alike

NUMBER = 'rename it, or add names = "number"'
WINDOWS = 'not UTF-8 text; it reads as Windows-1252: add encoding = "windows-1252"'
UTF_16 = 'not UTF-8 text; it reads as UTF-16: add encoding = "utf-16"'


def write(place, data):
    path = place / "table.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def refusal(path):
    with pytest.raises(sf.BadInput) as caught:
        read_header(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "delimiter", "columns"),
    [
        ("a,b\n", ",", ("a", "b")),
        ("a;b\n", ";", ("a", "b")),
        ("a\tb\n", "\t", ("a", "b")),
        ("a|b\n", "|", ("a", "b")),
        ("a;b,c;d\n", ";", ("a", "b,c", "d")),
        ("a\n", ",", ("a",)),
        ("a b\n", ",", ("a b",)),
        ("a,b\r\n1,2\r\n", ",", ("a", "b")),
        ("a,b\r1,2\r", ",", ("a", "b")),
        ("a,b", ",", ("a", "b")),
        ("a,b\n1;2;3;4\n", ",", ("a", "b")),
        ('"a,b";c\n', ";", ("a,b", "c")),
        ('"a""b",c\n', ",", ('a"b', "c")),
        ('"a\nb",c\n1,2\n', ",", ("a\nb", "c")),
        (" a , b \n", ",", (" a ", " b ")),
        ("01,1e3\n", ",", ("01", "1e3")),
        ("é,日本\n", ",", ("é", "日本")),
    ],
)
def test_names_and_delimiter_are_read_from_the_first_record(tmp_path, text, delimiter, columns):
    header = read_header(write(tmp_path, text))
    assert (header.delimiter, header.columns) == (delimiter, columns)


def test_delimiters_inside_quoted_names_do_not_count(tmp_path):
    path = write(tmp_path, '"name";"income, yearly, gross"\n')
    assert read_header(path).columns == ("name", "income, yearly, gross")


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    for text in ("a,b\n", '"a",b\n'):
        path = write(tmp_path, b"\xef\xbb\xbf" + text.encode())
        assert read_header(path).columns == ("a", "b")


# A comma, semicolon, tab or bar inside a name could as well be the delimiter of another reading.
PLAIN = st.text(
    alphabet=st.characters(exclude_categories=["Cs"], exclude_characters=",;\t|\r\n\0\ufeff"),
    min_size=1,
    max_size=6,
)


@given(st.lists(PLAIN, min_size=2, max_size=6), st.sampled_from(",;\t|"))
def test_names_come_back_as_a_csv_writer_wrote_them(tmp_path_factory, names, delimiter):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerow(names)
    path = write(tmp_path_factory.mktemp("header"), text.getvalue())
    header = read_header(path)
    assert (header.delimiter, header.columns) == (delimiter, tuple(names))


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\r\n\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b" \n "]
)
def test_an_empty_file_says_what_was_expected(tmp_path, data):
    path = write(tmp_path, data)
    expected = "the file is empty; expected a line with the column names"
    assert refusal(path) == f"{path}: {expected}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a,,c\n", ", line 1: column 2 has no name; " + NUMBER),
        (b"a,b,\n", ", line 1: column 3 has no name; " + NUMBER),
        (b',"",\n', ", line 1: column 1 has no name; " + NUMBER),
        (
            b"a,b\n1,\xff\n",
            f", line 2: {WINDOWS}",
        ),
        (
            b"\xff\xfea\0,\0b\0\n\0",
            f", line 1: {UTF_16}",
        ),
        (b"x" * 200_000 + b",b\n", ", line 1: cannot read the column names"),
    ],
    ids=["middle", "end", "quoted", "byte", "utf-16", "long name"],
)
def test_what_is_wrong_with_the_first_line_is_said(tmp_path, data, message):
    path = write(tmp_path, data)
    assert refusal(path) == f"{path}{message}"


def test_a_long_name_is_one_whatever_others_have_set(tmp_path):
    before = csv.field_size_limit(10**9)
    try:
        path = write(tmp_path, b"x" * 200_000 + b",b\n")
        assert refusal(path) == f"{path}, line 1: cannot read the column names"
    finally:
        csv.field_size_limit(before)


def test_a_letter_at_the_end_of_what_is_read_is_not_cut(tmp_path):
    line = "é" * 100 + "\n"
    rows = line * (2 * FIRST_BYTES // len(line.encode()))
    for shift in ("a", "ab"):
        assert read_header(write(tmp_path, f"{shift}\n{rows}")).columns == (shift,)


def test_a_file_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "patients.csv"
    assert refusal(path) == f"{path}: cannot read: no such file or directory"


@pytest.mark.parametrize(
    "names", [("age", "age"), ("Age", "age"), ("a", "ZIP", "b", "zip"), ("ß", "SS"), ("É", "é")]
)
def test_names_that_differ_in_case_alone_are_alike(names):
    first = next(n for n in names if sum(n.casefold() == m.casefold() for m in names) == 2)
    with pytest.raises(sf.BadInput, match=f"^here: columns {names.index(first) + 1} and ") as error:
        refuse_alike(names, "here")
    assert error.value.values[0] == first


@pytest.mark.parametrize("names", [(), ("age",), ("age", "age "), ("é", "e\u0301"), ("a", "á")])
def test_other_names_are_different(names):
    refuse_alike(names, "here")
