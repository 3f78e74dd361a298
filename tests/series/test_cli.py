"""`sfumato publish` and `sfumato series ...`."""

import json
import random
import re
import shutil

import duckdb
import pytest

import sfumato as sf
from cli.common import run
from series.made import published, write_batch, write_job
from sfumato.engines.duckdb.connection.session import Session
from sfumato.errors import NoRoom


@pytest.fixture
def place(tmp_path):
    write_job(tmp_path / "job.toml")
    for name, first, n in (("a", 0, 40), ("b", 40, 20), ("small", 60, 2)):
        write_batch(tmp_path / f"{name}.csv", first, n)
    return tmp_path


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    place = tmp_path_factory.mktemp("base")
    batch, job = write_batch(place / "a.csv", 0, 40), write_job(place / "job.toml")
    done = run("publish", place / "series", batch, "--job", job)
    assert done.exit_code == 0, done.output
    return place / "series"


@pytest.fixture
def series(base, place):
    return shutil.copytree(base, place / "series")


@pytest.mark.long
def test_the_first_batch_starts_a_series_and_the_second_needs_no_job(place):
    done = run("publish", place / "series", place / "a.csv", "--job", place / "job.toml")
    assert done.exit_code == 0, done.output
    assert "Release 001 of chain 1 is in" in done.output
    said = " ".join(done.output.split())
    assert "Checked; no other attack was tried. The audit attacks people and values" in said
    assert f"sfumato series audit {place / 'series'}" in said
    done = run("publish", place / "series", place / "b.csv")
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "60 rows, 20 of them new; no rare people left out." in said
    assert "Compared with all earlier releases, as above; no other attack was tried." in said
    assert published(place / "series") == ["001", "002"]


def test_releases_state_who_gets_them_unless_it_is_somebody_else(place):
    stated = '[context]\nrecipient = "the university"\ncontrols = "a locked room"\n'
    job = write_job(place / "job.toml", extra=f"{stated}review_date = 2027-03-01\n")
    done = run("publish", place / "series", place / "a.csv", "--job", job)
    assert done.exit_code == 0, done.output
    done = run("publish", place / "series", place / "b.csv", "--to", "insurer")
    assert done.exit_code == 0, done.output
    everybody, insurer = (sf.load(place / "series" / "public" / name) for name in ("001", "002"))
    assert everybody.context.said == {"recipient": "the university", "review_date": "2027-03-01"}
    assert insurer.context.said == {"review_date": "2027-03-01"}
    texts = [each.read_text() for each in (place / "series" / "public").rglob("*.*")]
    assert not any("locked" in text or "insurer" in text for text in texts)
    assert run("series", "verify", place / "series").exit_code == 0
    other = write_job(place / "other.toml", extra=stated)
    done = run("publish", place / "series", place / "small.csv", "--job", other)
    assert "context.review_date: not what this series was started with" in done.output


def test_without_a_series_and_a_job_nothing_is_made(place):
    done = run("publish", place / "series", place / "a.csv")
    assert done.exit_code == 2
    assert "no series yet" in done.output
    assert "--job job.toml" in done.output
    assert not (place / "series").exists()


@pytest.mark.parametrize("batch", ["small.csv", "missing.csv", "job.toml"])
def test_a_series_that_gets_no_first_batch_is_not_there(place, batch):
    done = run("publish", place / "new" / "series", place / batch, "--job", place / "job.toml")
    assert done.exit_code == (3 if batch == "small.csv" else 2), done.output
    assert not (place / "new").exists()


@pytest.mark.long
def test_a_batch_can_wait_where_it_cannot_be_published(place, series):
    done = run("publish", series, place / "small.csv")
    assert done.exit_code == 3
    assert done.output.count("\n") == 1
    done = run("publish", series, place / "small.csv", "--wait")
    assert (done.exit_code, done.output) == (0, "Kept for the next release: 2 rows.\n")
    done = run("publish", series, place / "b.csv", "--json")
    assert json.loads(done.output)["n_rows"] == 62
    assert run("publish", series).exit_code == 2


def test_a_new_chain_is_asked_for(place, series):
    done = run("publish", series, place / "b.csv", "--new-chain", "--json")
    told = json.loads(done.output)
    assert (told["number"], told["chain"], told["n_rows"]) == (2, 2, 20)
    assert told["release"] == str(series / "public" / "002")


def test_a_job_that_differs_is_refused(place, series):
    job = write_job(place / "other.toml", k=4)
    done = run("publish", series, place / "b.csv", "--job", job)
    assert done.exit_code == 2
    assert "criteria: not what this series was started with" in done.output
    assert run("publish", series, place / "b.csv", "--job", place / "job.toml").exit_code == 0


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ("[method]\nmondrian = {}\n", "leave the method out"),
        ("[method]\nbcf_anonymizer = { score = 'loss' }\n", None),
        ("[columns.hierarchies]\nage = { flat = true }", "column 'age' is given two hierarchies"),
        ("[colums]\n", "unknown key 'colums'; did you mean 'columns'?"),
    ],
)
def test_job_files_of_a_series_are_checked(place, extra, said):
    job = write_job(place / "odd.toml", extra=extra)
    done = run("publish", place / "series", place / "a.csv", "--job", job)
    assert done.exit_code == (0 if said is None else 2), done.output
    assert said is None or said in done.output
    assert (place / "series").exists() == (said is None)


def test_columns_that_link_records_of_two_releases_are_refused(place):
    """A note that is published untouched says which record of 002 is which of 001."""
    job = place / "job.toml"
    job.write_text(job.read_text().replace("[columns]", '[columns]\ninsensitive = ["note"]'))
    done = run("publish", place / "series", place / "a.csv", "--job", job)
    assert done.exit_code == 2
    assert "whoever sees 'note' untouched finds the same record in two releases" in done.output


def test_the_status_is_a_table_or_json(place, series):
    shown = " ".join(run("series", "status", series).output.split())
    assert "1 release in 1 chain, 1 batch, 0 rows waiting" in shown
    assert "001 1 40 40 0 0 20" in shown
    told = json.loads(run("series", "status", series, "--json").output)
    assert told["releases"][0]["rows"] == 40
    assert told["chains"][0]["criteria"] == sf.KAnonymity(3).spec()


def test_verify_leaves_with_1_when_something_differs(place, series):
    done = run("series", "verify", series)
    assert done.exit_code == 0
    assert "1 batch, 1 release: all as the ledger says." in done.output
    (series / "public" / "001" / "data.csv").unlink()
    done = run("series", "verify", series, "--json")
    assert done.exit_code == 1
    assert not json.loads(done.output)["holds"]
    assert "PROBLEM" in run("series", "verify", series).output


@pytest.mark.long
def test_audit_attacks_the_newest_release_and_its_chain(place, series):
    run("publish", series, place / "b.csv")
    done = run("series", "audit", series, "--json")
    told = json.loads(done.output)
    assert told["private"]
    assert [(each["earlier"], each["later"]) for each in told["compared"]] == [(1, 2)]
    assert told["audit"]["people"] == 60
    assert (done.exit_code == 0) == told["holds"]
    assert "001, 002" in run("series", "audit", series).output


@pytest.mark.parametrize("command", ["status", "verify", "audit"])
def test_what_is_no_series_is_said_in_one_line(place, command):
    done = run("series", command, place)
    assert done.exit_code == 2
    assert f"sfumato: {place}: no series: " in done.output
    assert done.output.count("\n") == 1


def test_a_series_without_a_release_has_nothing_to_audit(place):
    started = run(
        "publish", place / "s", place / "small.csv", "--job", place / "job.toml", "--wait"
    )
    assert started.exit_code == 0, started.output
    done = run("series", "audit", place / "s")
    assert done.exit_code == 2
    assert "nothing has been published yet" in done.output


def test_a_dry_run_says_what_a_release_is_worth_and_publishes_nothing(place):
    before = sorted(place.rglob("*"))
    tried = ("publish", place / "series", place / "a.csv", "--job", place / "job.toml", "--dry-run")
    said = " ".join(run(*tried).output.split())
    assert re.search(r"[\d.]+% of the detail in the quasi-identifiers is lost", said)
    assert "no other attack was tried. Once it is published, sfumato series audit attacks" in said
    assert "Dry run: nothing was published." in said
    assert sorted(place.rglob("*")) == before


@pytest.mark.long
def test_a_dry_run_decides_what_publishing_decides(place, series):
    tried = sf.ReleaseSeries(series).publish(place / "b.csv", dry_run=True)
    assert tried.release is None
    assert published(series) == ["001"]
    assert len(sf.ReleaseSeries(series).status().batches) == 1
    done = sf.ReleaseSeries(series).publish(place / "b.csv")
    assert (tried.compared, tried.summary.numbers) == (done.compared, done.summary.numbers)
    assert tried.check.holds
    refused = run("publish", series, place / "small.csv", "--wait", "--dry-run")
    assert refused.exit_code == 2
    assert "drop --dry-run" in refused.output


def test_a_file_of_the_other_format_is_no_part_of_a_release(series):
    (series / "public/001/data.parquet").touch()
    (series / "public/001/data.csv").write_text("else\n")
    found = sf.ReleaseSeries(series).verify()
    assert any("data.parquet: no part of the release" in problem for problem in found.problems)
    assert any("checksums differ" in problem for problem in found.problems)


TELLING = """
[columns]
person = "id"
sensitive = ["born"]
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
[[criteria]]
k_anonymity = { k = 5 }
"""


def test_a_telling_column_is_refused_with_what_a_series_can_do(tmp_path):
    """It has no release of columns that tell people apart, so nobody is told to ask for one."""
    draw = random.Random(7)
    ages = [draw.randint(18, 70) for _ in range(300)]
    rows = [f"p{i},{age},{2026 - age}" for i, age in enumerate(ages)]
    batch = tmp_path / "people.csv"
    batch.write_text("\n".join(["id,age,born", *rows, ""]))
    job = tmp_path / "job.toml"
    job.write_text(TELLING)
    refused = run("publish", tmp_path / "series", batch, "--job", job)
    assert refused.exit_code == 2
    assert "sensitive: born tells age, and with them the smallest group" in refused.stderr
    assert "untouched_identify" not in refused.stderr
    assert "start the series anew with it as a quasi-identifier, or without it" in refused.stderr
    job.write_text("untouched_identify = true\n" + TELLING)
    refused = run("publish", tmp_path / "series", batch, "--job", job)
    assert refused.exit_code == 2
    assert "job.toml: untouched_identify: a series publishes no column" in refused.stderr
    assert not (tmp_path / "series").exists()
    # The same column without the connection starts a series; then it is another chain that helps.
    plain = tmp_path / "plain.csv"
    others = [f"q{i},{age},{1950 + i % 3}" for i, age in enumerate(ages)]
    plain.write_text("\n".join(["id,age,born", *others, ""]))
    job.write_text(TELLING)
    done = run("publish", tmp_path / "series", plain, "--job", job)
    assert done.exit_code == 0, done.output
    more = tmp_path / "more.csv"
    many = [f"r{i},{age},{2026 - age}" for i, age in enumerate(ages * 10)]
    more.write_text("\n".join(["id,age,born", *many, ""]))
    refused = run("publish", tmp_path / "series", more)
    assert refused.exit_code == 2
    assert "start a new chain (--new-chain) with it as a quasi-identifier" in refused.stderr


@pytest.mark.parametrize("said", ["Out of Memory Error: could not allocate", "failed: MemoryError"])
def test_a_passing_error_of_the_system_is_no_problem_of_the_series(series, monkeypatch, said):
    """It is raised: with more memory the same series is in order."""

    def refused(self, table):
        with Session().explained():
            raise duckdb.OutOfMemoryException(said)

    with monkeypatch.context() as patched:
        patched.setattr("sfumato.release.files.saved.Files.open", refused)
        with pytest.raises(NoRoom, match="not enough memory"):
            sf.ReleaseSeries(series).verify()
        done = run("series", "verify", series)
        assert (done.exit_code, done.output.count("\n")) == (2, 1)
        assert "not enough memory" in done.output
    assert sf.ReleaseSeries(series).verify().holds


def test_a_damaged_file_stays_a_problem_of_the_series(series):
    (series / "public/001/data.csv").write_text("age\n")
    found = sf.ReleaseSeries(series).verify()
    assert any("checksums differ" in problem for problem in found.problems)


@pytest.mark.long
@pytest.mark.parametrize("more", ["", "[[criteria]]\nl_diversity = { l = 2 }\n"])
def test_an_audit_says_one_thing_of_what_knowing_the_method_tells(place, more):
    job = write_job(place / "job.toml", extra=more)
    started = run("publish", place / "s", place / "a.csv", "--job", job, "--rare", "keep")
    assert started.exit_code == 0, started.output
    done = run("series", "audit", place / "s", "--details")
    said = " ".join(done.output.split())
    if not more:  # of values nothing is promised, and that is said
        assert done.exit_code == 0
        assert "shown safe against every attack that applies" in said
        assert "mechanism (disease): only numbers of people were promised" in said
        return
    assert done.exit_code == 5
    assert "could not be run: mechanism (disease)" in said
    assert "Way out: no method is known here that could do." in said
    assert "what helps: nothing that is known here: promise less, or publish less" in said
    assert "publish by a method" not in said
