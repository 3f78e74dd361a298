"""A release of part files: whole or absent, checked, audited, and refused when it was touched."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines.spark.cluster import Cluster
from sfumato.files.failpoints import VARIABLE

pytestmark = pytest.mark.engines
RULES = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}


@pytest.fixture(scope="module")
def release(spark):
    table = sf.read(sf.datasets.patients(), RULES, "disease", ["name"], engine="spark")
    return sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(2), sf.Mondrian())


@pytest.fixture
def saved(release, tmp_path, monkeypatch):
    """Several parts, however small the table is."""
    session = release.original.source.engine._cluster.own
    session.conf.set("spark.sql.adaptive.enabled", "false")
    place = release.save(tmp_path / "out", format="parquet")
    session.conf.set("spark.sql.adaptive.enabled", "true")
    return place


def test_parts_are_sorted_checked_and_described(saved):
    parts = sorted((saved / "data.parquet").iterdir())
    assert len(parts) > 1
    assert {path.name for path in saved.iterdir()} == {
        "README.txt",
        "codebook.html",
        "data.parquet",
        "datapackage.json",
        "release.json",
    }
    described = json.loads((saved / "release.json").read_text())["files"]
    assert sorted(described) == [f"data.parquet/{path.name}" for path in parts]
    assert all(path.stat().st_mode & 0o444 for path in (saved / "data.parquet", *parts))
    package = json.loads((saved / "datapackage.json").read_text())
    assert package["resources"][0]["path"] == sorted(described)
    rows = pq.read_table(saved / "data.parquet").to_pylist()
    assert rows == sorted(
        rows, key=lambda row: [row[c] or "" for c in ("age", "zip", "sex", "disease")]
    )


def test_it_is_loaded_checked_and_audited_by_the_embedded_engine(saved):
    loaded = sf.load(saved)
    assert loaded.check().holds
    assert not loaded.further_files
    assert sf.audit(loaded, original=sf.datasets.patients()).findings
    assert loaded.to_arrow().num_rows == loaded.description.n_rows


def test_it_is_audited_by_the_engine_that_made_it(release):
    assert release.check().holds
    assert sf.audit(release).findings
    assert "groups" in str(release.summary())


@pytest.mark.parametrize("harm", ["changed", "gone", "more", "outside"])
def test_a_part_that_is_not_the_one_released_is_refused(saved, harm):
    parts = sorted((saved / "data.parquet").iterdir())
    if harm == "changed":
        parts[0].write_bytes(parts[1].read_bytes())
    if harm == "gone":
        parts[-1].unlink()
    if harm == "more":
        shutil.copy(parts[0], parts[0].with_name("part-00099.parquet"))
    if harm == "outside":
        described = json.loads((saved / "release.json").read_text())
        described["files"]["data.parquet/../../x.parquet"] = "0"
        (saved / "release.json").write_text(json.dumps(described))
    with pytest.raises(sf.BadInput):
        sf.load(saved)


def test_the_frictionless_validator_finds_the_parts(saved, monkeypatch):
    import pandas as pd
    import polars as pl

    monkeypatch.chdir(saved)
    n_rows = sf.load(saved).description.n_rows
    assert len(pd.read_parquet("data.parquet")) == n_rows
    assert len(pl.read_parquet("data.parquet")) == n_rows
    readme = Path("README.txt").read_text()
    assert "open_dataset" in readme
    assert "see release.json" in readme


JOB = """
source = "patients.csv"
output = "out"
engine = "spark"
[columns]
identifiers = ["name"]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
zip = { prefix = true }
[[criteria]]
k_anonymity = { k = 5 }
[method]
mondrian = { strict = true }
"""


def run_job(directory, failpoint=None):
    shutil.copy(sf.datasets.patients(), directory)
    (directory / "job.toml").write_text(JOB)
    environment = os.environ | ({} if failpoint is None else {VARIABLE: failpoint})
    environment |= {"TMPDIR": str(directory), "SPARK_LOCAL_IP": "127.0.0.1"}
    return subprocess.run(
        [sys.executable, "-m", "sfumato", "anonymize", "job.toml"],
        cwd=directory,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def test_a_job_names_the_engine_and_prints_no_bars(tmp_path):
    done = run_job(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Stage" not in done.stdout
    assert done.stderr == ""  # nothing of Java, Spark or pandas
    assert sf.load(tmp_path / "out").check().holds
    assert not [*tmp_path.glob("sfumato-*/.sfumato-*")]  # what Spark spilled is gone


@pytest.mark.parametrize("failpoint", ["save.applied", "save.described"])
def test_a_driver_that_is_killed_leaves_no_release_and_the_next_start_sweeps(tmp_path, failpoint):
    done = run_job(tmp_path, failpoint)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    assert [*tmp_path.glob(".sfumato-*")]
    assert run_job(tmp_path).returncode == 0
    assert not [*tmp_path.glob(".sfumato-*")]
    assert sf.load(tmp_path / "out").check().holds


INTERRUPTED = """
import os, signal, sys, threading
from sfumato import progress
from sfumato.cli import main

def interrupt(stage, done=0, total=None):
    if stage == "{stage}":  # a moment later Java is asked, and has not answered
        threading.Timer({seconds}, os.kill, (os.getpid(), signal.SIGINT)).start()
        progress_of[0] = None

signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where tests run
progress_of = [interrupt]
with progress.listening(lambda *said: progress_of[0] and progress_of[0](*said)):
    sys.argv = ["sfumato", "anonymize", "job.toml", "--no-audit"]
    main()
"""


@pytest.mark.parametrize(("stage", "seconds"), [("reading", 0.3), ("applying", 0.3)])
def test_who_presses_ctrl_c_gets_one_line_and_no_release(tmp_path, stage, seconds):
    shutil.copy(sf.datasets.patients(), tmp_path)
    (tmp_path / "job.toml").write_text(JOB)
    environment = os.environ | {"TMPDIR": str(tmp_path), "SPARK_LOCAL_IP": "127.0.0.1"}
    script = INTERRUPTED.format(stage=stage, seconds=seconds)
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr == "sfumato: stopped by SIGINT; no release was left half-written\n"
    assert not (tmp_path / "out").exists()
    assert not [*tmp_path.glob(".sfumato-*")]


@pytest.mark.parametrize("address", ["s3a://bucket/out", "HDFS://there/out", "my-fs.x://bucket/x"])
def test_a_place_without_a_rename_in_one_step_is_refused(release, address):
    with pytest.raises(sf.BadInput, match="in one step"):
        release.save(address)


@pytest.fixture
def unshared(tmp_path, monkeypatch):
    """Executors that do not see what the driver writes: it is gone when they look."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    collected = Cluster.collected

    def looked_for(cluster, frame):
        for mark in tmp_path.rglob("seen/*"):
            mark.unlink()
        return collected(cluster, frame)

    monkeypatch.setattr(Cluster, "collected", looked_for)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_release_is_not_written_where_executors_do_not_see_it(release, unshared, tmp_path, kind):
    with pytest.raises(sf.BadInput, match=f"^{tmp_path}.*: the executors do not see"):
        release.save(tmp_path / "out", format=kind)
    assert not [path for path in tmp_path.rglob("*") if path.name != f"sfumato-{os.getuid()}"]


def test_rows_are_not_brought_by_a_place_that_executors_do_not_see(spark, unshared, tmp_path):
    frame = spark.range(9).selectExpr("id % 3 AS age")
    source = sf.engines.Spark(spark).open(frame)
    with pytest.raises(sf.BadInput, match=f"^{tmp_path}.*: the executors do not see"):
        source.to_batches(["age"])
    assert not [*tmp_path.glob("sfumato-*/.sfumato-*")]
