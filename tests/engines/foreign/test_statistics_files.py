"""Files of SPSS, Stata and SAS: labels for codes, missing values that the file declares."""

import datetime
import gzip
import math
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

import sfumato as sf

FILES = Path(__file__).parent / "files"
DAY, MOMENT = datetime.date(1990, 5, 17), datetime.datetime(2026, 11, 17, 8, 30)
PEOPLE = pd.DataFrame(
    {
        "sex": [1.0, 2.0, 1.0, 9.0],
        "age": [31.0, 42.0, math.nan, 99.0],
        "pays": [2.5, 3.0, math.nan, -1.0],
        "zip": ["01234", "7", "", "x"],
        "born": [DAY, datetime.date(1889, 1, 2), None, DAY],
        "seen": [MOMENT, None, None, datetime.datetime(2026, 1, 1)],
    }
)
EXPECTED = {
    "sex": [1, 2, 1, 9],
    "age": [31, 42, None, 99],
    "pays": [2.5, 3.0, None, -1.0],
    "zip": ["01234", "7", None, "x"],
    "born": [DAY, datetime.date(1889, 1, 2), None, DAY],
    "seen": [MOMENT, None, None, datetime.datetime(2026, 1, 1)],
}
SEX = {1: "male", 2: "female", 9: "refused"}
WRITERS = {
    "dta": pyreadstat.write_dta,
    "sav": pyreadstat.write_sav,
    "xpt": pyreadstat.write_xport,
    "por": lambda table, path: pyreadstat.write_por(table.rename(columns=str.upper), path),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_values_are_read_as_they_were_written(tmp_path, values, kind):
    path = tmp_path / f"people.{kind}"
    WRITERS[kind](PEOPLE, path)
    read = {name.lower(): column for name, column in values(path).items()}
    assert read == EXPECTED
    assert {type(age) for age in read["age"]} == {int, type(None)}


@pytest.mark.parametrize("compress", [False, True])
def test_spss_labels_stand_for_codes_and_declared_values_are_missing(
    tmp_path, values, compress, read_counts
):
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(
        PEOPLE,
        path,
        variable_value_labels={"sex": SEX, "age": {99: "no answer"}},
        missing_ranges={"sex": [9], "age": [{"lo": 90, "hi": 120}], "zip": ["x"]},
        compress=compress,
    )
    labelled = {"sex": ["male", "female", "male", None], "age": [31, 42, None, None]}
    declared = {"zip": ["01234", "7", None, None]}
    assert values(path) == EXPECTED | labelled | declared
    codes = {"sex": [1, 2, 1, None], "age": [31, 42, None, None]}
    assert values(path, labels=False) == EXPECTED | codes | declared
    notices = dict(read_counts(path).lines)
    assert notices["labels in the place of codes"] == "sex"
    assert notices["called missing by the file"] == "sex 1, age 1, zip 1"


def test_stata_labels_and_extended_missing_values(tmp_path, values):
    path = tmp_path / "people.dta"
    table = pd.DataFrame({"sex": pd.Series([1, 2, "a", 1], dtype=object), "n": [1, 2, 3, 4]})
    labels = {"sex": {1: "male", 2: "female"}}
    pyreadstat.write_dta(
        table, path, variable_value_labels=labels, missing_user_values={"sex": ["a"]}
    )
    assert values(path) == {"sex": ["male", "female", None, "male"], "n": [1, 2, 3, 4]}
    assert values(path, labels=False)["sex"] == [1, 2, None, 1]


def test_codes_stay_where_a_value_has_no_label_of_its_own(tmp_path, values, read_counts):
    path = tmp_path / "people.sav"
    table = pd.DataFrame({"age": [31.0, 32.0, 99.0], "job": [1.0, 2.0, 3.0]})
    labels = {"age": {99: "99 or older"}, "job": {1: "other", 2: "nurse", 3: "other"}}
    pyreadstat.write_sav(table, path, variable_value_labels=labels)
    assert values(path) == {"age": [31, 32, 99], "job": [1, 2, 3]}
    notices = dict(read_counts(path).lines)
    assert notices["codes kept, for values without a label"] == "age (2)"
    assert notices["codes kept, for labels of several codes"] == "job"


def test_codes_and_labels_can_mean_missing(tmp_path, values, read_counts):
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(PEOPLE, path, variable_value_labels={"sex": SEX})
    read = values(path, missing={"sex": ["refused"], "age": [99]})
    assert (read["sex"], read["age"]) == (["male", "female", "male", None], [31, 42, None, None])
    counts = read_counts(path, missing={"sex": ["refused"], "age": [99]})
    assert dict(counts.missing) == {"sex": 1, "age": 1}


def test_texts_in_another_encoding_are_read_as_declared(tmp_path, values):
    path = tmp_path / "people.dta"
    written = pd.DataFrame({"name": ["xxxller", "Ada"]})
    pyreadstat.write_dta(written, path, version=8)
    path.write_bytes(path.read_bytes().replace(b"xxxller", "Müller\0".encode("latin-1")))
    for encoding in ("latin-1", "windows-1252"):
        assert values(path, encoding=encoding) == {"name": ["Müller", "Ada"]}


def test_a_file_without_rows_is_refused_where_people_are_counted(tmp_path):
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(PEOPLE[:0], path)
    with pytest.raises(sf.BadInput, match="no rows"):
        sf.read(path, ["age"]).frequencies()


def test_rows_come_in_chunks(tmp_path, values, monkeypatch):
    monkeypatch.setattr("sfumato.engines.foreign.spool.CELLS_AT_ONCE", 30)
    n = 101
    table = pd.DataFrame(
        {
            "id": [float(j) for j in range(n)],
            "pays": [float(j) if j < 90 else j + 0.5 for j in range(n)],
            "sex": [float(1 + j % 2) for j in range(n)],
        }
    )
    for kind in ("sav", "dta", "xpt", "por"):
        path = tmp_path / f"people.{kind}"
        WRITERS[kind](table, path)
        read = pd.DataFrame({n.lower(): column for n, column in values(path).items()})
        read = read.sort_values("id", ignore_index=True)
        assert read.to_dict("list") == table.to_dict("list")
        assert list(map(str, read.dtypes)) == ["int64", "float64", "int64"]


def unpacked(place, name):
    (place / name).write_bytes(gzip.decompress((FILES / f"{name}.gz").read_bytes()))
    return place / name


def test_sas_files_are_read(tmp_path, values):
    read = values(unpacked(tmp_path, "sample.sas7bdat"))
    assert read["mychar"] == ["a", "b", "c", "d", "e"]
    assert read["mynum"] == [1.1, 1.2, -1000.3, -1.4, 1000.3]
    assert read["mydate"][:2] == [datetime.date(2018, 5, 6), datetime.date(1880, 5, 6)]
    assert read["mydate"][4] is None
    assert read["myord"] == [1, 2, 3, 1, 1]


def test_a_sas_catalog_holds_the_labels(tmp_path, values, line):
    path = unpacked(tmp_path, "people.sas7bdat")
    catalog = unpacked(tmp_path, "formats.sas7bcat")
    read = values(path, labels=str(catalog))
    assert read["SEXA"] == ["Male", "Female", "Male"]
    assert values(path)["SEXA"] != read["SEXA"]
    assert line(path, labels="none.sas7bcat").startswith("labels: there is no file ")


@pytest.mark.parametrize("kind", [*WRITERS, "sas7bdat", "zsav"])
def test_a_file_that_is_something_else_is_refused_in_a_line(tmp_path, line, kind):
    path = tmp_path / f"people.{kind}"
    for content in (b"", b"age,sex\n1,m\n", bytes(range(256)) * 40):
        path.write_bytes(content)
        assert line(path).startswith("FILE: not a")


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_a_file_that_ends_early_is_refused(tmp_path, line, kind):
    path = tmp_path / f"people.{kind}"
    WRITERS[kind](pd.concat([PEOPLE] * 50), path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert line(path).startswith("FILE: not a")


def test_settings_that_say_nothing_about_such_a_file_are_refused(tmp_path, line):
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(PEOPLE, path)
    for settings in ({"delimiter": ";"}, {"skip_rows": 1}, {"sheet": "people"}):
        assert "this is an SPSS file; take it out" in line(path, **settings)
    assert line(path, labels="formats.sas7bcat").startswith("labels: a catalog is for .sas7bdat")
