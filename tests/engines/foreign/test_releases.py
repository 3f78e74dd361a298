"""A release of a file of any program is that of the same table, by job files and series too."""

import datetime
import gzip
import json
import sys
from pathlib import Path

import openpyxl
import pandas as pd
import pyreadstat
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app
from sfumato.job import Job

SEX = {1: "male", 2: "female"}
N = 60
PEOPLE = pd.DataFrame(
    {
        "name": [f"person {j}" for j in range(N)],
        "age": [20 + j % 12 for j in range(N)],
        "zip": [f"0{j % 3}" for j in range(N)],
        "sex": [1 + j % 2 for j in range(N)],
        "born": [datetime.date(1990, 1, 1 + j % 3) for j in range(N)],
        "disease": [["flu", "hiv", "none"][j // 3 % 3] for j in range(N)],
    }
)
LABELLED = PEOPLE.assign(sex=[SEX[code] for code in PEOPLE["sex"]])


def as_xlsx(place):
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("people")
    sheet.append(list(LABELLED.columns))
    for row in LABELLED.itertuples(index=False):
        sheet.append(list(row))
    book.save(place / "people.xlsx")
    return place / "people.xlsx"


def as_sav(place, people=PEOPLE):
    pyreadstat.write_sav(people, place / "people.sav", variable_value_labels={"sex": SEX})
    return place / "people.sav"


def as_dta(place):
    pyreadstat.write_dta(PEOPLE, place / "people.dta", variable_value_labels={"sex": SEX})
    return place / "people.dta"


def as_xpt(place):
    pyreadstat.write_xport(LABELLED, place / "people.xpt")
    return place / "people.xpt"


def as_records(place):
    return LABELLED.to_dict("records")


FILES = {"xlsx": as_xlsx, "sav": as_sav, "dta": as_dta, "xpt": as_xpt}
SOURCES = {**FILES, "records": as_records}
ROLES = {
    "identifiers": ["name"],
    "quasi_identifiers": {
        "age": sf.Intervals(2, 4, 12),
        "zip": sf.Prefix(),
        "sex": sf.Tree(["female", "male"]),
        "born": sf.Dates(),
    },
    "sensitive": "disease",
}
JOB = """
source = "{source}"
output = "{output}"
[columns]
identifiers = ["name"]
sensitive = "disease"
[columns.quasi_identifiers]
age = {{ intervals = [2, 4, 12] }}
zip = {{ prefix = true }}
sex = {{ tree = ["female", "male"] }}
born = {{ dates = true }}
[[criteria]]
k_anonymity = {{ k = 5 }}
"""


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_release_of_every_source_is_that_of_the_data_frame(tmp_path, source, kind):
    def rows(given, name):
        table = sf.read(given, **ROLES)
        sf.anonymize(table, sf.KAnonymity(5)).save(tmp_path / name, format=kind)
        release = sf.load(tmp_path / name)
        assert release.check().holds
        return release.to_arrow().to_pydict()

    assert rows(SOURCES[source](tmp_path), "out") == rows(LABELLED, "expected")


@pytest.mark.parametrize("source", FILES)
def test_a_file_of_an_office_is_published_as_csv_unless_told(tmp_path, source):
    sf.anonymize(sf.read(FILES[source](tmp_path), **ROLES), sf.KAnonymity(5)).save(tmp_path / "out")
    assert (tmp_path / "out" / "data.csv").is_file()


@pytest.mark.long
@pytest.mark.parametrize("source", FILES)
def test_commands_take_such_files(tmp_path, source):
    path = FILES[source](tmp_path)
    job = tmp_path / "job.toml"
    job.write_text(JOB.format(source=path.name, output="out"))
    run = CliRunner().invoke

    made = run(app, ["anonymize", str(job)])
    assert made.exit_code == 0, made.output
    checked = run(app, ["check", str(path), "-q", "age,sex", "--json"])
    assert checked.exit_code == 0, checked.output
    assert json.loads(checked.stdout)
    release = str(tmp_path / "out")
    audited = run(app, ["audit", release, "--original", str(path), "--json"])
    assert audited.exit_code in (0, 1, 5), audited.output
    assert json.loads(audited.stdout)


@pytest.mark.long
def test_a_job_names_the_sheet_and_the_summary_says_what_was_read(tmp_path):
    book = openpyxl.load_workbook(as_xlsx(tmp_path))
    book.create_sheet("notes")
    book["people"].row_dimensions[3].hidden = True
    book["people"]["B2"] = "k.A."
    book.save(tmp_path / "people.xlsx")
    job = tmp_path / "job.toml"
    text = JOB.format(source="people.xlsx", output="out")
    run = CliRunner().invoke

    job.write_text(text)
    refused = run(app, ["anonymize", str(job)])
    assert refused.exit_code == 2
    assert 'say which one, such as sheet = "people"' in refused.output
    job.write_text(f'{text}[read]\nsheet = "people"\nmissing = ["k.A."]\n')
    made = run(app, ["anonymize", str(job), "--details"])
    assert made.exit_code == 0, made.output
    for said in ("codes read as missing", "age 1", "hidden in the sheet, and read", "rows 1"):
        assert said in made.output
    options = ["-q", "age,sex", "--sheet", "people", "--missing", "k.A."]
    checked = run(app, ["check", str(tmp_path / "people.xlsx"), *options])
    assert checked.exit_code == 0, checked.output
    assert "Hidden in the sheet, and read: rows 1" in checked.output


@pytest.mark.long
def test_sas_labels_are_in_a_file_relative_to_the_job(tmp_path, monkeypatch):
    place = tmp_path / "jobs"
    place.mkdir()
    for name in ("people.sas7bdat", "formats.sas7bcat"):
        packed = Path(__file__).parent / "files" / f"{name}.gz"
        (place / name).write_bytes(gzip.decompress(packed.read_bytes()))
    (place / "job.toml").write_text(
        'source = "people.sas7bdat"\noutput = "out"\n[read]\nlabels = "formats.sas7bcat"\n'
        '[columns]\nquasi_identifiers = ["SEXA"]\n[[criteria]]\nk_anonymity = { k = 1 }\n'
    )
    monkeypatch.chdir(tmp_path)
    table = Job.load("jobs/job.toml").table()
    assert set(table.domains["SEXA"].labels) == {"Male", "Female"}


@pytest.mark.long
def test_batches_of_a_series_come_from_such_files(tmp_path):
    job = tmp_path / "job.toml"
    job.write_text(JOB.format(source="-", output="-").replace("k_anonymity", "bcf_anonymity"))
    series = tmp_path / "series"
    run = CliRunner().invoke
    first = run(app, ["publish", str(series), str(as_xlsx(tmp_path)), "--job", str(job)])
    assert first.exit_code == 0, first.output
    again = run(app, ["publish", str(series), str(as_sav(tmp_path))])
    assert again.exit_code == 2
    assert "the same rows came as batch 001" in again.output  # whatever the file
    second = run(app, ["publish", str(series), str(as_sav(tmp_path, PEOPLE[:40]))])
    assert second.exit_code == 0, second.output
    assert sf.load(series / "public" / "002").to_arrow().num_rows == N + 40


@pytest.mark.parametrize(("source", "package"), [("xlsx", "openpyxl"), ("sav", "pyreadstat")])
def test_without_the_package_one_line_says_what_to_install(
    tmp_path, line, monkeypatch, source, package
):
    path = FILES[source](tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    assert line(path) == (
        f"FILE: reading it needs {package}; in a clone of sfumato, install it with: "
        ".venv/bin/pip install -e '.[files]'"
    )


@pytest.mark.parametrize("source", FILES)
def test_nothing_of_the_file_stays_when_the_table_goes(tmp_path, monkeypatch, source):
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    table = sf.read(FILES[source](tmp_path), **ROLES)
    copies = [path for path in place.rglob("*") if path.is_file()]
    assert copies
    assert all(path.parent.stat().st_mode & 0o077 == 0 for path in copies)
    del table
    assert [path for path in place.rglob("*") if path.is_file()] == []


def test_a_damaged_file_that_would_end_the_process_is_one_line(tmp_path, line):
    path = as_sav(tmp_path)
    content = bytearray(path.read_bytes())
    content[244] = 50  # the type of a variable: pyreadstat 1.3.7 does not survive it
    path.write_bytes(content)
    assert line(path).startswith("FILE: not an SPSS file, or a damaged one")


def test_several_workbooks_are_one_table(tmp_path, read_counts):
    first = as_xlsx(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    second = as_xlsx(other)
    assert sf.read([first, second], **ROLES).n_rows == 2 * N
