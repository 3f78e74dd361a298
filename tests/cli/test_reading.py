"""[read], and the same options: a messy file gives the release that the clean one gives."""

import csv
import gzip
import json

import pandas as pd
import pytest

import sfumato as sf
from cli.common import JOB, run
from sfumato.series import ReleaseSeries

pytestmark = pytest.mark.long
READ = """
[read]
encoding = "windows-1252"
delimiter = ";"
decimal = ","
thousands = "."
dates = { born = "DD.MM.YYYY" }
missing = { zip = ["k.A.", -99] }
skip_rows = 2
skip_end = 1
trim = true
names = "number"
"""
OPTIONS = (
    *("--encoding", "windows-1252", "--delimiter", ";", "--decimal", ",", "--thousands", "."),
    *("--dates", "born=DD.MM.YYYY", "--missing", "zip=k.A.", "--missing", "zip=-99"),
    *("--skip-rows", 2, "--skip-end", 1, "--trim", "--names", "number"),
)
ROLES = ("-q", "age,zip,sex,born", "-s", "disease")
CRITERIA = JOB.replace("sex = ", "born = { dates = true }\nsex = ")


def rows():
    with sf.datasets.patients().open(newline="") as file:
        for j, row in enumerate(csv.DictReader(file)):
            born = f"{1950 + j % 5}-0{1 + j % 9}-{10 + j % 3}"
            zipped = row["zip"] if j % 50 else ""
            yield row | {"born": born, "income": f"{1000 + j}.5", "zip": zipped}


N_MISSING = sum(not row["zip"] for row in rows())


def clean(path, some=None):
    with path.open("w", newline="", encoding="utf-8") as file:
        every = list(rows())[:some]
        writer = csv.DictWriter(file, list(every[0]))
        writer.writeheader()
        writer.writerows(every)
    return path


def messy(path, start=0, stop=None):
    """The same in the ways of an office."""
    every = list(rows())
    lines = ["Patienten, Köln", "Stand: heute", ";".join([*every[0], "sex"])]
    for j, row in list(enumerate(every))[start:stop]:
        year, month, day = row["born"].split("-")
        zipped = row["zip"] or ("k.A." if j % 100 else "-99")
        income = f"{1 + j // 1000}.{j % 1000:03},5"
        sex = row["sex"] + "  " * (j % 2)
        lines.append(
            f"{row['name']};{row['age']};{zipped};{sex};{row['disease']};{day}.{month}.{year};{income};x"
        )
    lines.append("Summe;;;")
    data = "\r\n".join(lines).encode("cp1252")
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def job(place, name, source, extra="", output="out"):
    text = CRITERIA.replace('"patients.csv"', json.dumps(source)).replace("out/2026-q1", output)
    (place / name).write_text(text + extra)
    return place / name


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("read")
    clean(place / "clean.csv")
    messy(place / "messy.csv.gz")
    messy(place / "first.csv", 0, 700)
    messy(place / "second.csv", 700)
    job(place, "clean.toml", "clean.csv", output="of-clean")
    job(place, "messy.toml", "messy.csv.gz", READ, output="of-messy")
    job(place, "parts.toml", ["first.csv", "second.csv"], READ, output="of-parts")
    for name in ("clean", "messy", "parts"):
        done = run("anonymize", place / f"{name}.toml", "--no-audit", "--json")
        assert done.exit_code == 0, done.stderr
        (place / f"{name}.json").write_text(done.stdout)
    return place


@pytest.mark.parametrize("name", ["messy", "parts"])
def test_a_messy_file_gives_the_release_of_the_clean_one(place, name):
    made = (place / f"of-{name}" / "data.csv").read_bytes()
    assert made == (place / "of-clean" / "data.csv").read_bytes()


def test_the_summary_counts_what_reading_did(place):
    counted = json.loads((place / "messy.json").read_text())["read"]
    assert counted == {
        "encoding": "windows-1252",
        "delimiter": ";",
        "skipped_start": 2,
        "skipped_end": 1,
        "missing": {"zip": N_MISSING},
        "unfound": {},
        "trimmed": {"sex": len({row["sex"] for row in rows()})},
        "may_be_missing": {},
        "numbers": [],
        "dates": {"born": "DD.MM.YYYY"},
        "notices": {},
    }
    parts = json.loads((place / "parts.json").read_text())["read"]
    assert parts == counted | {"skipped_start": 4, "skipped_end": 2}
    shown = run("anonymize", place / "messy.toml", "--dry-run").stdout
    assert "lines skipped" in shown
    assert "codes read as missing" in shown
    assert "merged by trimming" in shown
    assert "k.A." not in shown


def test_check_has_the_same_options(place):
    by_options = run("check", place / "messy.csv.gz", *ROLES, *OPTIONS, "--json")
    assert by_options.exit_code == 0, by_options.stderr
    of_clean = json.loads(run("check", place / "clean.csv", *ROLES, "--json").stdout)
    found = json.loads(by_options.stdout)
    assert found.pop("read")["missing"] == {"zip": N_MISSING}
    assert of_clean.pop("read")["missing"] == {}
    assert found == of_clean
    shown = run("check", place / "messy.csv.gz", *ROLES, *OPTIONS).stdout
    assert "Lines skipped: 2 above the column names, 1 at the end" in shown
    assert f"Codes read as missing: zip {N_MISSING}" in shown


def test_check_of_a_job_counts_too_and_takes_no_option(place):
    assert (
        json.loads(run("check", place / "messy.toml", "--json").stdout)["read"]["skipped_end"] == 1
    )
    refused = run("check", place / "messy.toml", "--encoding", "utf-8")
    assert refused.exit_code == 2
    assert "a job says by [read] encoding; leave the option out" in refused.stderr
    refused = run("check", place / "of-clean", "--decimal", ",")
    assert "a release says how it was written; leave --decimal out" in refused.stderr


def findings(*arguments):
    done = run("audit", *arguments, "--json")
    assert done.exit_code in (0, 1, 5), done.stderr
    return json.loads(done.stdout)["findings"]


def test_an_original_and_a_list_of_people_are_read_by_options(place):
    release = place / "of-clean"
    given = findings(release, "--original", place / "clean.csv", "--external", place / "clean.csv")
    messy_ones = ("--original", place / "messy.csv.gz", "--external", place / "messy.csv.gz")
    assert findings(release, *messy_ones, *OPTIONS) == given


READ_THEN = """
source = "people.csv"
output = "out"
[read]
%s
[columns]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = { %s }
[[criteria]]
k_anonymity = { k = 3 }
"""


MARK = 'missing = ["-9"]'


def _with_codes(age: str, disease: str) -> str:
    """Twenty-eight people, four with this age, seven with this disease."""
    ages = [str(20 + j) for j in range(24)] + [age] * 4
    diseases = ["flu", "cold", "none", disease] * (len(ages) // 4)
    return "\n".join(["age,disease", *map(",".join, zip(ages, diseases, strict=True)), ""])


@pytest.mark.parametrize(
    ("rule", "read", "option", "text", "said"),
    [
        ("intervals = [5]", MARK, "--missing=-9", _with_codes("-9", "HIV"), "of 'age', and"),
        ("intervals = [5]", MARK, "--missing=-9", _with_codes("99", "-9"), "of 'disease', and"),
        ("intervals = [5]", "skip_end = 4", "--skip-end=4", _with_codes("99", "HIV"), "If it is,"),
    ],
)
def test_an_original_that_is_read_otherwise_is_not_called_another(
    tmp_path, rule, read, option, text, said
):
    people, job = tmp_path / "people.csv", tmp_path / "job.toml"
    people.write_text(text)
    job.write_text(READ_THEN % (read, rule))
    assert run("anonymize", job, "--no-audit").exit_code == 0
    told = run("audit", tmp_path / "out", "--original", people)
    assert told.exit_code == 2
    assert said in told.stderr
    assert "or give its job file (--original job.toml)" in told.stderr
    assert ("--missing, missing=" in told.stderr) == (read == MARK)
    assert told.stderr.count("\n") == 1
    assert run("audit", tmp_path / "out", "--original", people, option).exit_code in (0, 1, 5)


def test_another_tools_earlier_file_is_read_by_options_and_not_by_a_job(tmp_path):
    """What is published is written another way than the source of a job."""
    people = [(20 + j % 30, ("flu", "cold", "gout")[j // 30 % 3]) for j in range(300)]
    lines = "".join(f"{age};{disease}\n" for age, disease in people)
    (tmp_path / "people.csv").write_text(f"age;disease\n{lines}", encoding="utf-16")
    job = tmp_path / "job.toml"
    job.write_text(
        'source = "people.csv"\noutput = "out"\n[read]\nencoding = "utf-16"\ndelimiter = ";"\n'
        '[columns]\nsensitive = ["disease"]\n[columns.quasi_identifiers]\n'
        "age = { intervals = [5, 10] }\n[[criteria]]\nk_anonymity = { k = 5 }\n"
    )
    assert run("anonymize", job, "--no-audit").exit_code == 0
    early = pd.DataFrame(people, columns=["age", "disease"])
    early = sf.read(early, {"age": sf.Intervals(5, 10)}, "disease")
    shown = sf.anonymize(early, sf.KAnonymity(20)).to_arrow().to_pylist()[:150]
    for name, mark, encoding in (("plain", ",", "utf-8"), ("odd", ";", "windows-1252")):
        (tmp_path / name).mkdir()
        with (tmp_path / name / "then.csv").open("w", newline="", encoding=encoding) as file:
            file.write("Zürich\n" if name == "odd" else "")
            writer = csv.DictWriter(file, ["age", "disease"], delimiter=mark)
            writer.writeheader()
            writer.writerows(shown)
    known = (tmp_path / "out", "--original", job, "--earlier")
    given = findings(*known, tmp_path / "plain" / "then.csv")
    assert "correspondence" in {each["attack"] for each in given}
    odd = (
        tmp_path / "odd" / "then.csv",
        "--delimiter",
        ";",
        "--encoding",
        "windows-1252",
        "--skip-rows",
        1,
    )
    assert findings(*known, *odd) == given
    assert run("audit", *known, odd[0]).exit_code == 2
    assert findings(job, "--earlier", tmp_path / "plain" / "then.csv") == given


def test_a_list_of_another_kind_is_read_by_what_can_be_said_of_it(place):
    people = [{"age": 34, "zip": "k.A.", "sex": "female ", "born": "10.01.1950"}] * 3
    pd.DataFrame(people).to_parquet(place / "people.parquet")
    given = place / "three.csv"
    given.write_text("age,zip,sex,born\n" + "34,,female,1950-01-10\n" * 3)
    by_job = findings(place / "messy.toml", "--external", place / "people.parquet")
    assert by_job == findings(place / "clean.toml", "--external", given)


def test_lines_that_are_left_out_of_a_list_are_said(place):
    done = run("audit", place / "messy.toml", "--external", place / "first.csv")
    assert "first.csv: lines skipped: 2 above the column names, 1 at the end." in done.stdout


def test_a_list_in_utf_8_is_not_read_as_something_else(place):
    path = place / "utf-8.csv"
    path.write_text("x\ny\nage;zip;sex;born\n34;02177;wärter;10.01.1950\nSumme")
    refused = run("audit", place / "messy.toml", "--external", path)
    assert refused.exit_code == 2
    assert "all of it is UTF-8 text, with letters that Windows-1252 would read" in refused.stderr


def test_a_job_governs_the_list_of_people_beside_it(place):
    people = place / "people.csv"  # without the column that dates are about
    people.write_bytes(
        b"x\ny\nage;zip;sex;born\n34;02177;female;10.01.1950\n34;k.A.;female;11.02.1951\nSumme"
    )
    given = place / "given.csv"
    given.write_text("age,zip,sex,born\n34,02177,female,1950-01-10\n34,,female,1951-02-11\n")
    by_job = findings(place / "messy.toml", "--external", people)
    assert by_job == findings(place / "clean.toml", "--external", given)
    by_original = findings(
        place / "of-messy", "--original", place / "messy.toml", "--external", people
    )
    assert by_original == by_job


def test_batches_of_a_series_are_read_by_its_terms(tmp_path):
    by_messy, by_clean = tmp_path / "messy", tmp_path / "clean"
    start = CRITERIA.replace("l_diversity = { l = 3 }", "k_anonymity = { k = 2 }")
    start = start.split("[method]")[0]
    (tmp_path / "messy.toml").write_text(start + READ)
    (tmp_path / "clean.toml").write_text(start)
    first, second = messy(tmp_path / "1.csv", 0, 700), messy(tmp_path / "2.csv.gz", 700)
    done = run("publish", by_messy, first, "--job", tmp_path / "messy.toml")
    assert done.exit_code == 0, done.stderr
    assert "In the batch: lines skipped: 2 above the column names, 1 at the end." in done.stdout
    done = run("publish", by_messy, second, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["reading"]["skipped_end"] == 1
    header, *lines = clean(tmp_path / "clean.csv").read_text().splitlines(keepends=True)
    for j, part in enumerate((lines[:700], lines[700:])):
        batch = tmp_path / f"clean{j}.csv"
        batch.write_text(header + "".join(part))
        done = run("publish", by_clean, batch, "--job", tmp_path / "clean.toml")
        assert done.exit_code == 0, done.stderr
    for number in ("001", "002"):
        made = [
            (each / "public" / number / "data.csv").read_bytes() for each in (by_messy, by_clean)
        ]
        assert made[0] == made[1]
    assert ReleaseSeries(by_messy).status().terms(1).settings.encoding == "windows-1252"
    (tmp_path / "messy.toml").write_text(start + READ.replace("windows-1252", "latin-1"))
    refused = run("publish", by_messy, first, "--job", tmp_path / "messy.toml")
    assert "read.encoding: not what this series was started with" in refused.stderr


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("encodng = 'utf-8'", "unknown key 'read.encodng'; did you mean 'encoding'?"),
        ("encoding = 'ebcdic'", "read: read: encoding must be one of"),
        ("skip_rows = '2'", "read.skip_rows: input should be a valid integer"),
        ("dates = { born = 'DD.MM.YY' }", "read: dates.born: date format 'DD.MM.YY'"),
    ],
)
def test_a_job_that_cannot_be_names_the_key(place, written, said):
    refused = run("check", job(place, "wrong.toml", "clean.csv", f"\n[read]\n{written}\n"))
    assert refused.exit_code == 2
    assert said in refused.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--dates", "born"), "--dates: say of which column, such as born=DD.MM.YYYY"),
        (("--missing", "x", "--missing", "zip=y"), "--missing: codes of all columns, or of one"),
        (("--delimiter", "ab"), "delimiter must be one character such as ;, got 'ab'"),
    ],
)
def test_options_that_cannot_be_are_refused(place, options, said):
    refused = run("check", place / "clean.csv", *ROLES, *options)
    assert refused.exit_code == 2
    assert said in refused.stderr


def test_a_tab_is_given_by_its_name(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\tc\n" + "1,2\t3\n" * 5)
    done = run("check", tmp_path / "t.csv", "-q", "c", "--delimiter", "tab", "--json")
    assert json.loads(done.stdout)["rows"] == 5
