"""Bits of a release's files are flipped, Parquet is cut and mixed: it is refused in one line."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from hard.mutations import damaged_bytes

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


def flipped(place, n_flips, seed):
    """Flip one bit after the other; count those that were refused and those that do not matter."""
    rng, n_refused, n_harmless = random.Random(seed), 0, 0
    whole = sf.load(place)
    promise = whole.description.to_json()
    for path in sorted(place.iterdir()):
        kept = path.read_bytes()
        try:
            for _ in range(n_flips):
                bit = rng.randrange(8 * len(kept))
                changed = bytearray(kept)
                changed[bit // 8] ^= 1 << bit % 8
                path.write_bytes(changed)
                try:
                    found = sf.load(place)
                except sf.BadInput as error:
                    n_refused += is_one_line(error)
                else:
                    assert path.name == "release.json", (path.name, bit)
                    # No table says how it was decided or which worth a description has, so what
                    # is said in release.json alone may change; what is counted may not.
                    said = found.description.to_json()
                    for key in (
                        "rows",
                        "columns",
                        "types",
                        "sensitive",
                        "quasi_identifiers",
                        "group",
                    ):
                        assert said[key] == promise[key], (key, bit)
                    n_harmless += 1
        finally:
            path.write_bytes(kept)
    assert same(sf.load(place), whole)
    return n_refused, n_harmless


def test_a_flipped_bit_is_noticed_or_changes_nothing_that_is_counted(place, record_property):
    n_refused, n_harmless = flipped(place, 40, seed=1)
    record_property("flipped bits of a release refused", n_refused)
    record_property("flipped bits of a release in words of its description", n_harmless)


@pytest.mark.slow
def test_many_flipped_bits_are_noticed(place, record_property):
    n_refused, n_harmless = flipped(place, 400, seed=2)
    record_property("flipped bits of a release refused", n_refused)
    record_property("flipped bits of a release in words of its description", n_harmless)


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
