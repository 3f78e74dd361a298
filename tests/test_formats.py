"""What every version has written opens today (docs/formats.md); an unknown format is one line."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import jsonschema
import pytest

import sfumato as sf
from series.made import image
from sfumato.algorithms import recode
from sfumato.files import withdrawn
from sfumato.files.withdrawn import Marker
from sfumato.job import Job
from sfumato.release import description
from sfumato.report import document
from sfumato.series import ledger

FORMATS = Path(__file__).parent / "formats"
VERSIONS = sorted(path for path in FORMATS.iterdir() if path.is_dir())
RELEASES = [
    (place, name)
    for place in VERSIONS
    for name in json.loads((place / "expected.json").read_text())["releases"]
]
SCHEMA = Path(sf.__file__).parent / "report" / "schema.json"


def test_this_version_has_its_files():
    """A new version, or a format that changed before a release: python tools/write_fixtures.py."""
    assert sf.__version__ in [place.name for place in VERSIONS]


def test_the_policy_has_the_numbers_of_today():
    page = (FORMATS.parents[1] / "docs" / "formats.md").read_text()
    said = [line.rpartition(" | ")[2].strip(" |`") for line in page.splitlines() if "| `" in line]
    modules = (description, recode, ledger, withdrawn)
    assert said == [*(str(module.FORMAT) for module in modules), document.SCHEMA]


@pytest.fixture(params=VERSIONS, ids=lambda place: place.name)
def place(request, tmp_path):
    """Everything that a version has written, in a place of its own."""
    target = shutil.copytree(request.param, tmp_path / "place")
    (target / "series" / "private").chmod(0o700)
    return target


@pytest.mark.parametrize(("place", "name"), RELEASES, ids=lambda each: getattr(each, "name", each))
def test_a_release_opens_and_keeps_its_promise(place, name):
    expected = json.loads((place / "expected.json").read_text())["releases"][name]
    release = sf.load(place / name)
    assert {
        "rows": release.n_rows,
        "suppressed": release.n_suppressed,
        "criterion": str(release.criterion),
        "columns": list(release.description.columns),
    } == expected
    assert release.check().holds is not False
    assert release.to_arrow().num_rows == expected["rows"]


def test_a_recoding_opens_and_makes_a_release(place):
    recode = sf.Recode.load(place / "recoding.json")
    release = sf.load(place / "levels-csv")
    assert recode.levels == release.description.levels
    table = sf.read(
        place / "people.csv",
        {
            "age": sf.Intervals(5, 10, 20),
            "zip": sf.Prefix(),
            "came": sf.Dates(),
            "job": sf.Tree({"health": ["nurse", "doctor"], "other": ["cook", "clerk"]}),
            "sex": sf.Flat(),
        },
        "disease",
        identifiers=["id"],
    )
    again = sf.anonymize(table, release.criterion, recode)
    assert (again.n_rows, again.n_suppressed) == (release.n_rows, release.n_suppressed)


def test_a_job_file_runs(place):
    job = Job.load(place / "job.toml")
    release = sf.anonymize(job.table(), job.criterion, job.method)
    assert release.n_rows == 80
    assert release.check()


def test_a_report_says_which_schema_it_has(place):
    report = json.loads((place / "report" / "report.json").read_text())
    assert report["schema"].startswith("sfumato-report/")
    schema = json.loads(SCHEMA.read_text())
    if report["schema"] == schema["properties"]["schema"]["const"]:
        jsonschema.validate(report, schema)


def test_a_series_opens_is_whole_and_goes_on(place, tmp_path):
    series = sf.ReleaseSeries(place / "series")
    expected = json.loads((place / "expected.json").read_text())["series"]
    found = series.status().to_json() | {"series": ""}
    for release, known in zip(found["releases"], expected["releases"], strict=True):
        assert release == release | known  # what is said since is new
    assert found | {"releases": expected["releases"]} == expected
    before = image(series.place)
    found = series.verify()
    assert (found.problems, found.tidied) == ((), ())
    assert image(series.place) == before
    assert set(series.releases(1)) == {1, 2, 3}
    header, *rows = (place / "people.csv").read_text().splitlines()
    people = [row.partition(",")[2] for row in rows[:20]]
    lines = [f"{1000 + number},{each}" for number, each in enumerate(people)]
    (tmp_path / "next.csv").write_text("\n".join([header, *lines]) + "\n")
    done = series.publish(tmp_path / "next.csv")
    assert (done.number, done.chain, done.n_new) == (5, 2, 22)
    with pytest.raises(sf.BadInput, match="in the series already"):  # people are known by the key
        series.publish(place / "people.csv")
    assert series.verify()


def test_a_marker_of_a_withdrawn_release_opens(place):
    marker = Marker.read(place / "series" / "public" / "002")
    assert marker is not None
    assert marker.release == 2


def other_format(path, number):
    """Write another number into a file, wherever it has it."""
    if path.suffix == ".db":
        with closing(sqlite3.connect(path)) as ledger:
            ledger.execute("UPDATE series SET format = ?", (number,))
            ledger.commit()
        return
    written = json.loads(path.read_text())
    path.write_text(json.dumps(written | {"format": number}))


KINDS = {
    "series/private/ledger.db": lambda place: sf.ReleaseSeries(place / "series").status(),
    "levels-csv/release.json": lambda place: sf.load(place / "levels-csv"),
    "recoding.json": lambda place: sf.Recode.load(place / "recoding.json"),
    "series/public/002/withdrawn.json": lambda place: sf.load(place / "series/public/002"),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(
    ("number", "said"),
    [
        (99, "written by format 99, this sfumato reads .; a newer version of sfumato wrote it, so"),
        (0, "damaged; the number of its format is 0"),
        ("3", "damaged; the number of its format is '3'"),
    ],
)
def test_an_unknown_format_is_one_clear_line(place, name, number, said):
    if name.endswith(".db") and number == "3":
        number, said = "three", said.replace("3", "three")  # SQLite makes a number of "3"
    other_format(place / name, number)
    with pytest.raises(sf.BadInput, match=said) as caught:
        KINDS[name](place)
    assert str(caught.value).startswith(str(place / name))
    assert "\n" not in str(caught.value)


def test_a_job_of_a_later_version_names_the_key_that_is_not_known(place):
    job = place / "job.toml"
    job.write_text("later = 1\n" + job.read_text())
    with pytest.raises(sf.BadInput, match="later"):
        Job.load(job)
