"""A seed is for experiments: it repeats a release exactly, and is not published by accident."""

import json

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app


@pytest.fixture(scope="module")
def table() -> sf.Table:
    draw = np.random.default_rng(5)
    rows = {
        "age": draw.integers(0, 9, 900),
        "zip": draw.integers(0, 9, 900),
        "disease": draw.choice(["flu", "asthma", "none"], 900),
        "id": np.arange(900),
    }
    return sf.read(pa.table(rows), ["age", "zip"], "disease", insensitive=["id"])


def rows_of(table, method):
    made = sf.anonymize(table, sf.KAnonymity(4) & sf.LDiversity(2), method, untouched_identify=True)
    return made, made.to_arrow().to_pylist()


@pytest.mark.long
def test_the_same_seed_gives_the_same_release_and_another_one_another(table):
    release, rows = rows_of(table, sf.Mondrian(strict=False, seed=7))
    assert release.recoding.splits  # so chance has played its part
    assert rows_of(table, sf.Mondrian(strict=False, seed=7))[1] == rows
    assert rows_of(table, sf.Mondrian(strict=False, seed=8))[1] != rows
    assert rows_of(table, sf.Mondrian(strict=False))[1] != rows


def test_a_seeded_release_is_saved_as_an_experiment_or_not_at_all(table, tmp_path):
    release, _ = rows_of(table, sf.Mondrian(strict=False, seed=7))
    with pytest.raises(sf.BadInput, match="made with a seed"):
        release.save(tmp_path / "q1")
    assert list(tmp_path.iterdir()) == []
    place = release.save(tmp_path / "q1", experiment=True)
    written = json.loads((place / "release.json").read_text())
    assert written["experiment"] is True
    assert written["method"] == sf.Mondrian(strict=False, seed=7).spec()
    loaded = sf.load(place)
    assert "not for publication" in str(loaded.summary())
    assert "not for publication" in repr(loaded.check())
    assert loaded.check().to_json()["experiment"] is True


def test_a_release_without_a_seed_is_no_experiment(table, tmp_path):
    release, _ = rows_of(table, sf.Mondrian(strict=False))
    place = release.save(tmp_path / "q1", experiment=True)
    assert "experiment" not in json.loads((place / "release.json").read_text())
    assert "experiment" not in str(release.summary())


def test_the_command_line_wants_it_said_too(tmp_path):
    job = f"""
source = "{sf.datasets.patients()}"
output = "out"
[columns]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = {{ intervals = [5, 10, 20] }}
[[criteria]]
k_anonymity = {{ k = 5 }}
[method]
mondrian = {{ strict = false, seed = 7 }}
"""
    (tmp_path / "job.toml").write_text(job)
    run = CliRunner().invoke
    refused = run(app, ["anonymize", str(tmp_path / "job.toml")])
    assert refused.exit_code == 2
    assert "drop it, or pass --experiment" in refused.stderr
    assert not (tmp_path / "out").exists()
    assert run(app, ["anonymize", str(tmp_path / "job.toml"), "--experiment"]).exit_code == 0
    assert sf.load(tmp_path / "out").check()


@pytest.mark.parametrize("seed", [-1, 1.0, "7", True])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(sf.BadInput, match="seed must be an integer >= 0"):
        sf.Mondrian(strict=False, seed=seed)


def test_strict_cuts_take_no_seed():
    with pytest.raises(sf.BadInput, match="nothing to chance"):
        sf.Mondrian(seed=7)


def test_a_job_that_is_known_to_fail_fails_before_the_work(tmp_path):
    job = """
source = "there is no such file.csv"
output = "out"
[columns.quasi_identifiers]
age = { flat = true }
[[criteria]]
k_anonymity = { k = 5 }
"""
    (tmp_path / "job.toml").write_text(job)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "something").touch()
    refused = CliRunner().invoke(app, ["anonymize", str(tmp_path / "job.toml")])
    assert refused.exit_code == 2
    assert "never overwritten" in refused.stderr
