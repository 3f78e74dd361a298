"""Lazy frames and lists of dictionaries are tables like any other."""

import datetime

import polars as pl
import pytest

import sfumato as sf

PEOPLE = [{"age": 20 + j % 4, "zip": f"0{j % 3}", "disease": "flu"} for j in range(24)]


def test_a_list_of_dictionaries_is_a_table(values):
    day = datetime.date(2026, 11, 17)
    rows = [
        {"age": 31, "zip": "01234", "born": day, "pays": 1, "ills": ["flu", "hiv"]},
        {"zip": None, "age": 42.0, "pays": 2.5, "born": None, "ills": []},
    ]
    assert values(rows) == {
        "age": [31, 42],
        "zip": ["01234", None],
        "born": [day, None],
        "pays": [1.0, 2.5],
        "ills": [["flu", "hiv"], []],
    }
    assert sf.read(rows, ["age"], sensitive="ills").set_valued == "ills"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"a": 1}, {"b": 1}], "row 2 of the list has no 'a' and has 'b', unlike the first"),
        ([{"a": 1, "b": 1}, {"a": 1}], "row 2 of the list has no 'b', unlike the first"),
        ([{"a": 1}, {"a": 1, "c": 2}], "row 2 of the list has 'c', unlike the first"),
        ([{1: 1}], "the keys of the dictionaries must be text, got 1"),
        (
            [{"a": [1]}, {"a": 1}],
            "column 'a' of the list: a column holds values of different types",
        ),
        ([{"a": 1, "A": 1}], "the table: columns 1 and 2 have the same name but for upper"),
        ([{}], "the table: no columns"),
        ([], "cannot read a list; give a path to a file"),
        ([1, 2], "cannot read a list; give a path to a file"),
    ],
)
def test_a_list_that_is_no_table_is_refused(line, rows, said):
    assert line(rows).startswith(said)


def test_a_column_of_several_kinds_is_text_and_said(values, read_counts):
    rows = [{"zip": 1234}, {"zip": "01234"}]
    assert values(rows) == {"zip": ["1234", "01234"]}
    lines = dict(read_counts(rows).lines)
    assert lines == {"of several kinds, read as text": "zip (text 1, whole number 1)"}


def test_codes_in_lists_of_dictionaries(values):
    rows = [{"age": 31}, {"age": "k.A."}, {"age": -99}]
    assert values(rows, missing=["k.A.", -99]) == {"age": [31, None, None]}


def test_a_lazy_frame_is_read_in_a_stream(values):
    lazy = (
        pl.DataFrame(PEOPLE).lazy().filter(pl.col("age") > 20).with_columns(pl.lit("x").alias("y"))
    )
    expected = lazy.collect().sort(pl.all()).to_dict(as_series=False)
    assert pl.DataFrame(values(lazy)).sort(pl.all()).to_dict(as_series=False) == expected


def test_a_lazy_frame_that_fails_is_refused_without_its_values(line):
    lazy = pl.DataFrame({"age": ["Ada"]}).lazy().select(pl.col("age").cast(pl.Int64))
    assert line(lazy) == "the lazy frame cannot be read; see what `collect()` says of it"
    missing = pl.DataFrame({"age": ["Ada"]}).lazy().select("none")
    assert line(missing) == "the lazy frame cannot be read; see what `collect()` says of it"


@pytest.mark.parametrize("source", [PEOPLE, pl.DataFrame(PEOPLE).lazy()], ids=["list", "lazy"])
def test_a_release_of_it_is_that_of_a_data_frame(source):
    def released(table):
        read = sf.read(table, {"age": sf.Intervals(2, 4), "zip": sf.Prefix()}, "disease")
        return sf.anonymize(read, sf.KAnonymity(5)).to_arrow().to_pydict()

    assert released(source) == released(pl.DataFrame(PEOPLE))
