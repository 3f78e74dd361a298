"""Odd files of statistics programs, read with what is guessed: as whoever wrote them meant."""

import datetime
import tomllib

import pandas as pd
import pyreadstat
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app
from sfumato.engines import DuckDB
from sfumato.engines.guess import guess

N = 120
SEX = {1.0: "männlich", 2.0: "weiblich"}
PEOPLE = pd.DataFrame(
    {
        "id": [float(j) for j in range(N)],
        "sex": [1.0 + j % 2 for j in range(N)],
        "plz": [f"0{4100 + j % 7}" for j in range(N)],  # a code, not a number
        "ort": [("Köln ", "Köln", "Mainz")[j % 3] for j in range(N)],  # a blank behind it
        "born": [datetime.date(1950 + j % 40, 1 + j % 12, 1 + j % 28) for j in range(N)],
        "since": [f"{1 + j % 28:02}.{1 + j % 12:02}.20{10 + j % 9}" for j in range(N)],  # text
        "income": [-99.0 if j % 12 == 5 else 1000.0 + j for j in range(N)],
        "diag": [("k.A.", "J45.1", "E11.9", "I10.0")[j // 2 % 4] for j in range(N)],
    }
)
SAID = {"born": "Geburtstag laut Ausweis", "diag": ' "Haupt"-Diagnose '}  # of variables
LABELS = [SAID.get(column) for column in PEOPLE.columns]
WRITERS = {
    "sav": lambda path: pyreadstat.write_sav(
        PEOPLE, path, column_labels=LABELS, variable_value_labels={"sex": SEX}
    ),
    "zsav": lambda path: pyreadstat.write_sav(
        PEOPLE, path, column_labels=LABELS, variable_value_labels={"sex": SEX}, compress=True
    ),
    "dta": lambda path: pyreadstat.write_dta(
        PEOPLE,
        path,
        column_labels=LABELS,
        variable_value_labels={"sex": {int(k): v for k, v in SEX.items()}},
    ),
}


def meant() -> list[tuple[object, ...]]:
    """The rows as the script wrote them, by hand."""
    rows = []
    for row in PEOPLE.itertuples(index=False):
        day, month, year = row.since.split(".")
        since, diag = f"{year}-{month}-{day}", None if row.diag == "k.A." else row.diag
        place = (row.plz, row.ort.strip())
        income = None if row.income == -99 else row.income
        rows.append((int(row.id), SEX[row.sex], *place, row.born, since, income, diag))
    return rows


@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_is_read_right_with_what_is_guessed(tmp_path, kind):
    path = tmp_path / f"people.{kind}"
    WRITERS[kind](path)
    found = guess(path)
    assert found.settings.dates == {"since": "DD.MM.YYYY"}
    assert found.settings.missing == {"diag": ("k.A.",), "income": ("-99",)}
    assert found.settings.trim == (kind == "dta")  # SPSS itself keeps no blanks behind texts
    source = DuckDB().open(path, found.settings)
    table = source.to_batches(()).read_all()
    assert [tuple(row.values()) for row in table.to_pylist()] == meant()


@pytest.mark.parametrize("kind", WRITERS)
def test_init_proposes_what_was_guessed(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    WRITERS[kind](tmp_path / f"people.{kind}")
    assert CliRunner().invoke(app, ["init", f"people.{kind}"]).exit_code == 0
    job = tomllib.loads((tmp_path / "job.toml").read_text())
    assert {c: text for c, text in job["describe"].items() if text} == {
        column: text.strip() for column, text in SAID.items()
    }
    written = job["read"]
    assert written["dates"] == {"since": "DD.MM.YYYY"}
    assert written["missing"] == {"diag": ["k.A."], "income": ["-99"]}
    assert CliRunner().invoke(app, ["anonymize", "job.toml", "--dry-run"]).exit_code == 0


@pytest.mark.parametrize(
    ("numbers", "codes"),
    [
        ([1.5, 20.0, -99.0], ("-99",)),
        ([1.5, float("nan"), -9.0, 3.0], ("-9",)),
        ([1.5, float("inf"), -9.0, 3.0], ("-9",)),
        ([1, 20, -1, -9], ("-1", "-9")),
        ([1, 20, -1], ()),  # a number like others
        ([1, -20, -99], ()),
        ([10, 70, 999], ("999",)),
        ([10, 700, 999], ()),
        ([-99], ()),  # nothing else
        ([2**62, -999], ("-999",)),
    ],
)
@pytest.mark.parametrize("kind", ["text", "number"])
def test_codes_among_numbers_are_the_same_as_among_texts(tmp_path, kind, numbers, codes):
    if kind == "text":
        path = tmp_path / "numbers.csv"
        texts = [
            "" if str(n) in ("nan", "inf") else f"{n:g}" if n < 1e9 else str(n) for n in numbers
        ]
        path.write_text("a,b\n" + "".join(f"x,{text}\n" for text in texts))
    else:
        path = tmp_path / "numbers.parquet"
        pd.DataFrame({"a": "x", "b": numbers}).to_parquet(path)
    found = guess(path).settings.missing
    assert found == ({"b": codes} if codes else ())


def test_what_a_file_says_of_its_columns_is_published_with_them(tmp_path):
    WRITERS["sav"](tmp_path / "people.sav")
    proposal = sf.propose(tmp_path / "people.sav")
    table = proposal.accept()
    place = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian()).save(tmp_path / "out")
    meanings = sf.load(place).description.meanings
    assert meanings["born"] == SAID["born"]
    assert not proposal.accept(describe={}).schema.meanings  # what a person says takes its place
