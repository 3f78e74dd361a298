"""Bits of a release's files are flipped, Parquet is cut and mixed: it is refused in one line."""

import json
import random
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import sfumato as sf
from hard.mutations import damaged_bytes
from sfumato.cli.app import app
from sfumato.release.files.saved import PACKAGE

METHODS = {"one table": sf.Mondrian(), "two tables": sf.Anatomy()}


@pytest.fixture(scope="module", params=[(m, k) for m in METHODS for k in ("csv", "parquet")])
def place(request, tmp_path_factory):
    """A saved release."""
    method, kind = request.param
    rules = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix()}
    table = sf.read(sf.datasets.patients(), rules, sensitive="disease", identifiers=["name"])
    release = sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(2), METHODS[method])
    return release.save(tmp_path_factory.mktemp("saved") / "out", format=kind)


def is_one_line(error):
    """Make sure that an error is told in one line."""
    assert "\n" not in str(error)
    return True


def same(one, other):
    """Whether two releases say the same about the same rows."""
    said = [each.description.to_json() for each in (one, other)]
    rows = [[each.to_arrow(t) for t in each.description.tables] for each in (one, other)]
    return said[0] == said[1] and all(a.equals(b) for a, b in zip(*rows, strict=True))


def flipped(place, path, bits):
    """Flip one bit of a file after the other; count those that are refused, and the others.

    What the others leave is the same release, word by word and row by row.
    """
    whole, kept = sf.load(place), path.read_bytes()
    n_refused = n_harmless = 0
    try:
        for bit in bits:
            changed = bytearray(kept)
            changed[bit // 8] ^= 1 << bit % 8
            path.write_bytes(changed)
            try:
                found = sf.load(place)
            except sf.BadInput as error:
                n_refused += is_one_line(error)
            else:
                assert same(found, whole), (path.name, bit)
                if path.name in PACKAGE:
                    assert found.further_files == (path.name,)  # it is no part any more
                n_harmless += 1
    finally:
        path.write_bytes(kept)
    assert same(sf.load(place), whole)
    return n_refused, n_harmless


def some_flipped(place, n_flips, seed):
    """Flip bits of all files of a release."""
    rng, counts = random.Random(seed), []
    for path in sorted(place.iterdir()):
        bits = [rng.randrange(8 * path.stat().st_size) for _ in range(n_flips)]
        counts.append(flipped(place, path, bits))
    return map(sum, zip(*counts, strict=True))


def tally(record_property, n_refused, n_harmless):
    record_property("flipped bits of a release refused", n_refused)
    record_property("flipped bits of a release that changed nothing", n_harmless)


def test_a_flipped_bit_is_noticed_or_changes_nothing(place, record_property):
    tally(record_property, *some_flipped(place, 10, seed=1))


@pytest.mark.slow
def test_many_flipped_bits_are_noticed(place, record_property):
    tally(record_property, *some_flipped(place, 400, seed=2))


@pytest.mark.slow
def test_every_bit_of_a_description_is_noticed_or_changes_nothing(place, record_property):
    path = place / "release.json"
    tally(record_property, *flipped(place, path, range(8 * path.stat().st_size)))


@pytest.mark.parametrize("command", ["check", "audit"])
def test_a_promise_that_lost_a_bit_is_refused_by_commands(place, command, tmp_path):
    """It promised 5: with one bit less it would be 1, which any table keeps."""
    copied = shutil.copytree(place, tmp_path / "out")
    path = copied / "release.json"
    said = path.read_text()
    assert said.count('"k": 5') == 1
    path.write_text(said.replace('"k": 5', '"k": 1'))
    answer = CliRunner().invoke(app, [command, str(copied)])
    assert answer.exit_code == 2
    assert answer.stderr.count("\n") == 1
    assert "damaged; it does not say what was released (checksums differ)" in answer.stderr


def test_a_description_laid_out_differently_is_the_same(place, tmp_path):
    """The checksum is of what is said: whoever writes it anew, sorted or not, breaks nothing."""
    copied = shutil.copytree(place, tmp_path / "out")
    path = copied / "release.json"
    path.write_text(json.dumps(json.loads(path.read_text()), sort_keys=True, indent=1))
    assert same(sf.load(copied), sf.load(place))


def people(n=300):
    rng = random.Random(4)
    return pa.table(
        {
            "age": [rng.randrange(20, 80) for _ in range(n)],
            "zip": [f"{rng.randrange(1000):05}" for _ in range(n)],
            "disease": [rng.choice(["flu", "gout", "none"]) for _ in range(n)],
        }
    )


def damaged_parquet(tmp_path, n, seed):
    """Read damaged Parquet files; count those that were refused and those that still made sense."""
    whole = tmp_path / "whole.parquet"
    pq.write_table(people(), whole, row_group_size=100)
    kept = whole.read_bytes()
    rng, n_refused, n_read = random.Random(seed), 0, 0
    for j in range(n):
        path = tmp_path / f"{j}.parquet"
        path.write_bytes(damaged_bytes(rng, kept))
        try:
            table = sf.read(path, {"age": sf.Intervals(10, 20), "zip": sf.Prefix()}, "disease")
            release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())
            release.save(tmp_path / f"out{j}")
        except (sf.BadInput, sf.Unsatisfiable, sf.BrokenPromise) as error:
            n_refused += is_one_line(error)
            assert not (tmp_path / f"out{j}").exists()
        else:
            assert sf.load(tmp_path / f"out{j}").check()
            n_read += 1
        path.unlink()
    return n_refused, n_read


def test_a_damaged_parquet_file_is_refused_or_gives_a_sound_release(tmp_path, record_property):
    n_refused, n_read = damaged_parquet(tmp_path, 40, seed=1)
    record_property("damaged Parquet files refused", n_refused)
    record_property("damaged Parquet files read, and released soundly", n_read)


@pytest.mark.slow
def test_many_damaged_parquet_files_are_refused_or_give_a_sound_release(tmp_path, record_property):
    n_refused, n_read = damaged_parquet(tmp_path, 1500, seed=2)
    record_property("damaged Parquet files refused", n_refused)
    record_property("damaged Parquet files read, and released soundly", n_read)
