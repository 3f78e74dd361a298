"""Texts of floats are the same on every engine, whatever their bits: the shortest, the nearest."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf

N = 1500
SEED = 20261118
# DuckDB 2.0.0 writes these as twice the number, one of them even with a letter.
LEFT_OUT = [2.0**81, 2.0**91, 2.0**807]


def floats(kind):
    """Random bits, short decimals, whole numbers, powers of two, and the least there are."""
    rng = np.random.default_rng(SEED)
    bits, whole = (np.uint64, 2**64) if kind is np.float64 else (np.uint32, 2**32)
    drawn = rng.integers(0, whole, N, dtype=np.uint64).astype(bits).view(kind)
    digits = 10 ** rng.integers(1, 17, N)
    short = [
        f"{rng.integers(1, most)}e{power}"
        for most, power in zip(digits, rng.integers(-30, 20, N), strict=True)
    ]
    info = np.finfo(kind)
    named = ["269662.625", "1353246.75", "100319184", "1e23", "8.41e21", "6.045542073855604e17",
             "134219008", "33554434", "1e22", "2e-3", "-0.0", info.max, info.tiny]  # fmt: skip
    parts = [
        drawn[np.isfinite(drawn)],
        np.array(short, dtype=float),
        np.array(named, dtype=float),
        np.exp2(np.arange(info.minexp - info.nmant, info.maxexp, dtype=float)),
        -rng.integers(1, 2**63, N).astype(float),
        rng.integers(1, 2**40, N) / 64,
        np.arange(1, 100).astype(bits).view(kind),
        rng.integers(1, 2**info.nmant, N).astype(bits).view(kind),
    ]
    every = np.unique(np.concatenate([part.astype(kind) for part in parts]))
    return every[~np.isin(every, LEFT_OUT)]


@pytest.mark.long
@pytest.mark.parametrize("kind", [np.float64, np.float32], ids=lambda kind: kind.__name__)
def test_texts_are_those_of_the_embedded_engine(read, kind, tmp_path, record_property):
    every = floats(kind)
    rows = pa.table({"a": every, "b": ["x"] * len(every)})
    texts = []
    for name, by in (("ours", read), ("frame", sf.read)):
        table = by(rows, ["b"], insensitive=["a"])
        release = sf.anonymize(table, sf.KAnonymity(2), sf.Samarati(), untouched_identify=True)
        place = release.save(tmp_path / name, format="csv")
        texts.append((place / "data.csv").read_text().splitlines())
    assert len(texts[0]) == len(every) + 1 > 4 * N
    assert texts[0] == texts[1]
    record_property("floats written alike", len(every))


@pytest.mark.parametrize("role", ["quasi-identifier", "insensitive", "sensitive"])
def test_texts_that_a_number_would_not_give_back_stay_texts(read, role, tmp_path):
    """A zero is written without a sign, whatever had one."""
    (tmp_path / "in.csv").write_text("x,y\n" + "0.0,a\n-0.0,a\n" * 8)
    roles = {
        "quasi-identifier": {"quasi_identifiers": ["x", "y"]},
        "insensitive": {"quasi_identifiers": ["y"], "insensitive": ["x"]},
        "sensitive": {"quasi_identifiers": ["y"], "sensitive": "x"},
    }[role]
    release = sf.anonymize(
        read(tmp_path / "in.csv", **roles),
        sf.KAnonymity(5),
        sf.Mondrian(),
        untouched_identify=True,
    )
    rows = sf.load(release.save(tmp_path / "out", format="parquet")).to_arrow()
    assert sorted(rows["x"].to_pylist()) == ["-0.0"] * 8 + ["0.0"] * 8
