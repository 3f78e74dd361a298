"""Relaxed Mondrian in pieces on a cluster: what DuckDB publishes that has it all in memory."""

import importlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.data.recoding import Piecewise

pytestmark = pytest.mark.engines


@pytest.mark.parametrize(
    ("criterion", "seed"),
    [
        (sf.KAnonymity(4), 1),
        (sf.KAnonymity(4) & sf.LDiversity(2), 2),
        (sf.TCloseness(0.4), 3),
    ],
    ids=str,
)
def test_executors_halve_pieces_as_one_machine_halves_the_whole(
    spark, criterion, seed, monkeypatch, tmp_path
):
    module = importlib.import_module("sfumato.release.anonymize")
    monkeypatch.setattr(module, "chances", lambda _: np.random.default_rng(seed).bytes)
    dice = np.random.default_rng(1)
    alike = dice.random(900) < 0.4
    rows = pa.table(
        {
            "age": np.where(alike, 30, dice.integers(0, 60, 900)),
            "kids": np.where(alike, 1, dice.integers(0, 4, 900)),
            "zip": np.where(alike, 7, dice.integers(0, 900, 900)) * 11,
            "disease": dice.choice(list("abcd"), 900),
            "note": dice.integers(0, 2, 900),
        }
    )
    written = []
    for engine, most in (("duckdb", 10**6), ("spark", 120)):
        monkeypatch.setattr("sfumato.table.most_keys", lambda *_, most=most: most)
        table = sf.read(
            rows, ["age", "kids", "zip"], "disease", insensitive=["note"],
            engine=engine, memory="4GB",
        )  # fmt: skip
        method = sf.Mondrian(strict=False)
        release = sf.anonymize(table, criterion, method, untouched_identify=True)
        assert isinstance(release.recoding, Piecewise) == (engine == "spark")
        release.save(tmp_path / engine)
        written.append(pq.read_table(tmp_path / engine / "data.parquet").to_pylist())
    assert written[0] == written[1]
