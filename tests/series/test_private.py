"""What is private stays in `private/`, and people are there as keyed hashes alone."""

import hashlib
import hmac
import json
import logging
import os
import stat
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from cli.common import run
from series.made import HEADER, started, write_batch, write_job
from sfumato.data.spellings import normal_form


def test_people_are_kept_as_hmac_sha256_of_the_normal_form_of_their_ids(tmp_path):
    series = started(tmp_path / "series")
    series.publish(write_batch(tmp_path / "a.csv", 0, 30))
    key = (series.place / "private" / "key").read_bytes()
    assert len(key) == 32
    found = pq.read_table(series.place / "private" / "batches" / "001.parquet")
    expected = {hmac.new(key, f"p{i}".encode(), hashlib.sha256).hexdigest() for i in range(30)}
    assert set(found["id"].to_pylist()) == expected
    assert found.column_names == ["id", "age", "zip", "sex", "disease"]  # no names, no notes


@pytest.mark.parametrize("ids", [["Ärztin Ω", "x'y", 'a"b', "", "é" * 90], [1, 2, 3, 4, 2**62]])
def test_ids_of_any_kind_are_hashed_by_their_normal_form(tmp_path, ids):
    series = sf.ReleaseSeries.create(tmp_path / "s", ["sex"], sf.KAnonymity(2), person="id")
    series.publish(pd.DataFrame({"id": ids, "sex": ["f"] * len(ids)}))
    key = (series.place / "private" / "key").read_bytes()
    found = pq.read_table(series.place / "private" / "batches" / "001.parquet")["id"].to_pylist()
    expected = [
        hmac.new(key, normal_form(str(i)).encode(), hashlib.sha256).hexdigest() for i in ids
    ]
    assert sorted(found) == sorted(expected)


@pytest.mark.long
def test_two_series_hash_the_same_person_differently(tmp_path):
    hashes = []
    for name in ("one", "other"):
        series = started(tmp_path / name)
        series.publish(write_batch(tmp_path / "a.csv", 0, 30))
        table = pq.read_table(series.place / "private" / "batches" / "001.parquet")
        hashes.append(set(table["id"].to_pylist()))
    assert not hashes[0] & hashes[1]


def test_batches_are_kept_as_they_were_read(tmp_path):
    text = "id,age,zip,sex,disease\n"
    rows = ["01,030,,f,\n", '02,30,"",m,=1+1\n', "03,1e3,10001,m,flu\n"]
    (tmp_path / "a.csv").write_text(text + "".join(rows))
    series = started(tmp_path / "series", identifiers=[], k=2)
    series.publish(tmp_path / "a.csv", wait=True)
    found = pq.read_table(series.place / "private" / "batches" / "001.parquet")
    columns = [found[name].to_pylist() for name in ("age", "zip", "sex", "disease")]
    assert sorted(zip(*columns, strict=True), key=str) == sorted(
        [("030", None, "f", None), ("30", "", "m", "=1+1"), ("1e3", "10001", "m", "flu")], key=str
    )


@pytest.fixture
def generous():
    before = os.umask(0)
    yield
    os.umask(before)


def test_the_private_directory_is_for_its_owner_alone(tmp_path, generous):
    series = started(tmp_path / "series")
    series.publish(write_batch(tmp_path / "a.csv", 0, 30))
    series.publish(write_batch(tmp_path / "b.csv", 30, 5), wait=True)
    private = series.place / "private"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    for path in private.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    for path in (series.place, series.place / "public", *(series.place / "public").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o777  # what the umask asked for


def contents(place: Path) -> str:
    """Every byte of every file, and what Parquet files say when they are decoded."""
    found = []
    for path in sorted(place.rglob("*")):
        if path.is_file():
            found.append(path.read_bytes().decode("utf-8", "replace"))
            if path.suffix == ".parquet":
                found.append(str(pq.read_table(path).to_pylist()))
                found.append(str(pq.read_metadata(path).to_dict()))
    return "\n".join(found)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_nothing_private_leaves_the_private_directory(
    tmp_path, monkeypatch, caplog, capfd, kind, record_property
):
    """Marks in every row of every column, through all commands, with refusals and a new chain.

    Ages and zip codes are so different that they are published as ranges only, if at all.
    """
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir(mode=0o700)
    place, said, marks = tmp_path / "series", [], {"gone": [], "kept": []}

    def batch(name: str, first: int, n: int) -> Path:
        path = tmp_path / "in" / f"{name}.csv"
        path.parent.mkdir(exist_ok=True)
        with path.open("w") as file:
            file.write(",".join(HEADER) + "\n")
            for i in range(first, first + n):
                row = [f"ID-canary-{i}x", f"NAME-canary-{i}x", f"7{i:05}77{i:05}", f"8Z{i:05}Z"]
                file.write(",".join([*row, "fm"[i % 2], f"d{i % 3}", f"NOTE-canary-{i}x"]) + "\n")
                marks["gone"] += [row[0], row[1], f"NOTE-canary-{i}x"]
                marks["kept"] += [row[2], row[3]]
        return path

    job = write_job(tmp_path / "in-job.toml", k=3)
    job.write_text(f'format = "{kind}"\n' + job.read_text())

    def command(code: int, *arguments) -> None:
        done = run(*arguments)
        said.append(done.output)
        assert done.exit_code == code, done.output

    command(0, "publish", place, batch("a", 0, 40), "--job", job, "--json")
    command(0, "publish", place, batch("b", 40, 20))
    command(3, "publish", place, batch("c", 60, 2))
    command(0, "publish", place, batch("d", 62, 2), "--wait", "--json")
    command(2, "publish", place, batch("e", 58, 10))
    command(2, "publish", place, tmp_path / "in" / "a.csv")
    command(0, "publish", place, batch("f", 70, 20), "--skip-known", "--new-chain")
    for json_too in ((), ("--json",)):
        command(0, "series", "status", place, *json_too)
        command(0, "series", "verify", place, *json_too)
        command(0, "series", "audit", place, *json_too)
    series = sf.ReleaseSeries(place)
    said += [repr(series), repr(series.status()), series.status()._repr_html_()]
    said += [caplog.text, *capfd.readouterr()]
    private, public = contents(place / "private"), contents(place / "public")
    assert len(list((place / "public").iterdir())) == 3
    told = "\n".join([*said, contents(tmp_path / "tmp")])
    n_kept = 0
    for mark in marks["gone"]:
        assert mark not in public
        assert mark not in private  # neither ids nor names nor what has no role
        assert mark not in told
    for mark in marks["kept"]:
        assert mark not in public
        assert mark not in told
        n_kept += mark in private
    assert n_kept > 100  # so the search can find something
    key = (place / "private" / "key").read_bytes()
    for text in (public, told):
        assert key.hex() not in text
        assert key.decode("utf-8", "replace") not in text
    hashes = pq.read_table(place / "private" / "batches" / "001.parquet")["id"].to_pylist()
    assert not any(each in public or each in told for each in hashes)
    record_property("canaries planted", len(marks["gone"]) + len(marks["kept"]))
    assert json.loads(said[0])["number"] == 1


def test_an_error_about_a_value_does_not_tell_it(tmp_path):
    series = started(tmp_path / "series")
    with pytest.raises(sf.BadInput) as caught:
        series.publish(write_batch(tmp_path / "a.csv", 0, 30, age="canary"))
    assert "canary" not in str(caught.value)
