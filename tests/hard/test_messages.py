"""Damaged releases of others, too little memory, deep keys: a true line, not an internal error."""

import json
import random
import resource
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import sfumato as sf
from hard.mutations import damaged_description
from hard.test_fuzz import few_or_many, saved_releases
from sfumato.cli.app import app
from sfumato.job import Job


@few_or_many(40, 1500)
def test_a_damaged_earlier_release_is_compared_or_refused(tmp_path, record_property, n):
    chance = random.Random(8)
    releases = saved_releases(tmp_path)
    written = [json.loads((each / "release.json").read_text()) for each in releases]
    for j in range(n):
        place, document = releases[j % 3], written[j % 3]
        data = damaged_description(chance, document)
        (place / "release.json").write_bytes(data)
        current = str(releases[(j + 1) % 3])
        result = CliRunner().invoke(app, ["audit", current, "--earlier", str(place)])
        assert result.exit_code in (0, 1, 2, 5), (data, result.stderr)
        assert result.stderr.count("\n") <= 1, result.stderr
        (place / "release.json").write_text(json.dumps(document))
    record_property("damaged earlier releases tried", n)


MEGABYTE = 1 << 20
MANY = [pytest.param(n, marks=pytest.mark.slow) for n in (600, 1500, 1700, 2000, 2300, 3000)]


@pytest.mark.parametrize("megabytes", [100, *MANY])
def test_too_little_memory_is_a_line(tmp_path, megabytes, record_property):
    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))

    draw = random.Random(0).randrange
    rows = "".join(f"{draw(100_000)},{draw(97)},d{draw(50)}\n" for _ in range(20_000))
    (tmp_path / "table.csv").write_text(f"zip,age,disease\n{rows}")
    (tmp_path / "job.toml").write_text(
        'source = "table.csv"\noutput = "out"\n[columns]\nsensitive = ["disease"]\n'
        "quasi_identifiers = { zip = { prefix = true }, age = { intervals = [5, 10] } }\n"
        "[[criteria]]\nk_anonymity = { k = 5 }\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", "anonymize", "job.toml"],
        cwd=tmp_path,
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 2), (done.returncode, done.stderr)
    if done.returncode:
        assert done.stderr.count("\n") == 1
        assert "not enough memory for " in done.stderr
        assert not (tmp_path / "out").exists()
    record_property("limits of memory tried", 1)


@pytest.mark.parametrize("key", [".".join("a" * 20_000), " . ".join(['"a"'] * 5_000)])
def test_a_deep_key_is_refused_before_it_is_read(tmp_path, key):
    (tmp_path / "job.toml").write_text(f"\n{key} = 1\n")
    with pytest.raises(sf.BadInput, match=r"job\.toml, line 2: a key with more than 100 dots"):
        Job.load(tmp_path / "job.toml")
