"""Where the data lives: growth with rows on DuckDB, and Adult through Spark, session included.

    python bench/engines.py duckdb [rows ...]     default: 1, 10 and 100 million
    python bench/engines.py pieces [rows ...]     the same within 4 GB, default: 10 and 100 million
    python bench/engines.py spark                 needs the extra `spark` and Java

Eight quasi-identifiers, k = 5, Mondrian. "few": about 0.7 million distinct combinations; "many": a
zip code of 1,000 values, about 20 million of them at 100 million rows. The floor is what DuckDB
alone needs for the same Parquet file: read, group, sort, write, with the same limit of memory.
Every run is a process of its own, so that its peak memory can be told; so is the Spark session.
"""

import sys
import tempfile
import time
from pathlib import Path

from common import child, complete_adult, duckdb_floor, measured_child, stages

ROWS = (1_000_000, 10_000_000, 100_000_000)
QUASI_IDENTIFIERS = ("age", "zip", "sex", "education", "marital", "work", "children", "region")
VALUES = {"age": 40, "sex": 2, "education": 6, "marital": 5, "work": 6, "children": 4, "region": 3}
MEMORY = "4GB"
N_ZIPS = {"few": 5, "many": 1_000}


def generate(path, n_rows, kind):
    """Write people whose values are skewed, so that combinations are many and most of them rare."""
    import duckdb

    connection = duckdb.connect(config={"preserve_insertion_order": "false"})
    connection.execute("SELECT setseed(0.5)")
    columns = [
        f"floor(random() * random() * {n})::INT AS {name}"
        for name, n in {**VALUES, "zip": N_ZIPS[kind]}.items()
    ]
    columns.append("'disease ' || floor(random() * random() * 12)::INT AS disease")
    connection.execute(
        f"COPY (SELECT {', '.join(columns)} FROM range({n_rows})) TO '{path}' (FORMAT parquet)"
    )


def floor(source, target, memory_limit):
    """Read, group, sort, write: nothing that makes a table safe."""
    counted = ", ".join(QUASI_IDENTIFIERS)
    rows = f"read_parquet('{source}')"
    return duckdb_floor(rows, counted, target, memory_limit, f"{counted}, disease", "parquet")


def release(source, target, memory=None):
    """From the file to the release, read back and checked, with the seconds of each stage."""
    import sfumato as sf

    with stages() as spent:
        rules = dict.fromkeys(QUASI_IDENTIFIERS, sf.Intervals(2, 10, 100))
        table = sf.read(source, rules, sensitive="disease", memory=memory)
        made = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())
        made.save(target)
    in_pieces = type(made.recoding).__name__ == "Piecewise"
    return {"stages": spent, "groups": len(made.sizes), "in_pieces": in_pieces}


def adult_by_spark(source, target):
    """Start a session, anonymize Adult, save, read back, stop."""
    from pyspark.sql import SparkSession

    import sfumato as sf

    started = time.perf_counter()
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    session.range(1).count()
    up = time.perf_counter() - started
    names = [name for name in sf.datasets.adult_hierarchies() if name != "education"]
    rules = {name: sf.datasets.adult_hierarchies()[name] for name in names}
    table = sf.read(source, rules, sensitive="education", engine=sf.engines.Spark(session))
    made = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())
    made.save(target, format="parquet")
    whole = time.perf_counter() - started
    session.stop()
    return {"session": up, "whole": whole, "groups": len(made.sizes)}


def by_duckdb(sizes, kinds, *memory):
    from sfumato.engines.duckdb.connection.instance import MEMORY_LIMIT

    for kind in kinds:
        for n_rows in sizes:
            with tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "people.parquet"
                generate(source, n_rows, kind)
                alone = child(__file__, "floor", source, Path(folder) / "f.parquet", MEMORY_LIMIT)
                found = child(__file__, "release", source, Path(folder) / "out", *memory)
                stages = ", ".join(f"{s} {t:.1f}" for s, t in found["stages"].items() if t > 0.5)
                how = ", in pieces" if found["in_pieces"] else ""
                print(
                    f"{kind}, {n_rows:,} rows{how}, {alone['combinations']:,} combinations, "
                    f"{found['groups']:,} groups: {found['seconds']:.1f} s, "
                    f"{found['seconds'] / alone['seconds']:.2f} times the floor of "
                    f"{alone['seconds']:.1f} s; {found['peak']:.2f} GB (floor {alone['peak']:.2f} "
                    f"GB) ({stages})",
                    flush=True,
                )


def by_spark():
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "adult.parquet"
        pq.write_table(complete_adult(), source)
        found = child(__file__, "adult_by_spark", source, Path(folder) / "out")
    print(
        f"Adult through Spark, local[2]: {found['whole']:.1f} s with starting the session, which "
        f"takes {found['session']:.1f} s; {found['groups']:,} groups; driver {found['peak']:.2f} GB"
    )


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else "duckdb"
    if what == "--child":
        works = {"floor": floor, "release": release, "adult_by_spark": adult_by_spark}
        measured_child(works)
    elif what == "spark":
        by_spark()
    elif what == "pieces":
        by_duckdb([int(each) for each in sys.argv[2:]] or ROWS[1:], ["many"], MEMORY)
    else:
        by_duckdb([int(each) for each in sys.argv[2:]] or ROWS, N_ZIPS)
