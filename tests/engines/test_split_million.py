"""A million people, every combination split over groups by counts: exact, quick and small."""

import json
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.data.labels.texts import Labels
from sfumato.data.recoding import SUPPRESSED, Assignment

N_PEOPLE = 1_000_000
N_AGES, N_ZIPS = 100, 53
KEY = bytes(range(32))
GIGABYTE = 1 << 30


def memory(what: str) -> int:
    """Bytes held now (VmRSS) or at most so far (VmHWM).

    Not by getrusage, whose peak a process inherits from its parent, which may be large.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    (found,) = (line.split()[1] for line in lines if line.startswith(f"{what}:"))
    return int(found) * 1024


def split(source: str, target: str, engine: str) -> None:
    """Send half of every combination to one group, a third to another, and leave out the rest."""
    before = memory("VmRSS")
    table = sf.read(
        source,
        quasi_identifiers=["age", "zip"],
        sensitive="disease",
        insensitive=["id"],
        engine=engine,
    )
    ground = table.frequencies().combinations
    n, order = ground.counts, np.arange(len(ground))
    by_age, by_zip = ground.codes("age") // 10, N_AGES // 10 + ground.codes("zip") // 10
    parts = [
        np.stack([order, by_age, n // 2], axis=1),
        np.stack([order, by_zip, n // 3], axis=1),
        np.stack([order, np.full(len(ground), SUPPRESSED), n - n // 2 - n // 3], axis=1),
    ]
    ages, zips = [0, N_AGES - 1], [0, N_ZIPS - 1]
    boxes = [[[low, low + 9], zips] for low in range(0, N_AGES, 10)]
    boxes += [[ages, [low, min(low + 9, N_ZIPS - 1)]] for low in range(0, N_ZIPS, 10)]
    how = Assignment(ground, np.array(boxes, dtype=np.int32), np.concatenate(parts))
    start = time.perf_counter()
    table.write(how, Path(target), "parquet", KEY)
    seconds = time.perf_counter() - start
    peak = memory("VmHWM")
    print(json.dumps({"seconds": seconds, "growth": peak - before, "combinations": len(ground)}))


@pytest.mark.long
def test_a_million_people_are_split_exactly_within_a_gigabyte(tmp_path, read):
    engine = read.keywords["engine"]
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    duckdb.sql(
        f"SELECT i AS id, (i * 7919 + i // 1000) % {N_AGES} AS age, (i * 104729) % {N_ZIPS} AS zip,"
        f" 'disease ' || i % 11 AS disease FROM range({N_PEOPLE}) AS people(i)"
    ).write_parquet(str(source))
    command = [sys.executable, __file__, source, target, engine]
    measured = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    print(
        f"{engine}: {N_PEOPLE} people of {measured['combinations']} combinations split in "
        f"{measured['seconds']:.2f} s, memory grew by {measured['growth'] >> 20} MB"
    )
    assert measured["combinations"] == N_AGES * N_ZIPS
    assert measured["growth"] < GIGABYTE

    judge = duckdb.connect()
    judge.from_parquet(str(source)).create_view("original")
    judge.from_parquet(str(target)).create_view("release")
    asked = judge.sql(
        "SELECT age, zip, count(*) // 2 AS by_age, count(*) // 3 AS by_zip"
        " FROM original GROUP BY age, zip"
    )
    # Where every person went: a group by age says nothing of the zip code, and the reverse.
    found = judge.sql(
        "SELECT o.age, o.zip, count(*) FILTER (r.zip = '*') AS by_age,"
        " count(*) FILTER (r.age = '*') AS by_zip"
        " FROM original AS o JOIN release AS r USING (id) GROUP BY o.age, o.zip"
    )
    assert sorted(found.fetchall()) == sorted(asked.fetchall())
    n_published, n_distinct, n_right = judge.sql(
        "SELECT count(*), count(DISTINCT r.id), count(*) FILTER ("
        "  r.disease = o.disease AND"
        "  CASE WHEN r.zip <> '*'"
        "  THEN r.zip = CASE o.zip // 10 WHEN 0 THEN '<10' WHEN 5 THEN '>=50'"
        "    ELSE format('[{}, {})', o.zip // 10 * 10, o.zip // 10 * 10 + 10) END"
        "  ELSE r.age = CASE o.age // 10 WHEN 0 THEN '<10' WHEN 9 THEN '>=90'"
        "    ELSE format('[{}, {})', o.age // 10 * 10, o.age // 10 * 10 + 10) END END)"
        " FROM release AS r JOIN original AS o USING (id)"
    ).fetchall()[0]
    assert n_published == n_distinct == n_right == pq.read_metadata(target).num_rows

    written = pq.read_table(target)
    order = [(name, "ascending") for name in ("age", "zip", "id", "disease")]
    assert written.equals(written.sort_by(order))


def test_a_few_combinations_are_dealt_out_over_very_many_small_groups(tmp_path):
    """As in Anatomy; `bench/split.py` measures what that costs."""
    n, n_parts = 120_000, 12_000
    frame = pa.table({"id": np.arange(n), "sex": np.arange(n) % 2})
    table = sf.read(frame, quasi_identifiers=["sex"], insensitive=["id"])
    ground = table.frequencies().combinations
    parts = [(c, g, n // 2 // n_parts) for c in range(2) for g in range(n_parts)]
    boxes = np.array([[[0, 1]]] * n_parts, dtype=np.int32)
    texts = {"sex": Labels.of([f"group {g}" for g in range(n_parts)])}
    how = Assignment(ground, boxes, np.array(parts, dtype=np.int64), texts)
    table.write(how, tmp_path / "out.parquet", "parquet", KEY)
    written = pq.read_table(tmp_path / "out.parquet")
    assert len(set(written["id"].to_pylist())) == n
    counts = written["sex"].value_counts().field("counts").to_pylist()
    assert counts == [10] * n_parts


if __name__ == "__main__":
    split(*sys.argv[1:])
