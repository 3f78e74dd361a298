"""Ten million rows from file to release, against what DuckDB alone needs for the same file.

The floor: read the CSV as text, count the combinations, write all rows sorted; the same limit of
memory. Every run is a process of its own, so that its peak memory can be told.

    python bench/ten_million.py [rows]
"""

import sys
import tempfile
from pathlib import Path

from common import child, duckdb_floor, measured_child, stages

N_ROWS = 10_000_000
QUASI_IDENTIFIERS = ["age", "zip", "sex", "education"]
K, K_AND_L = "sf.KAnonymity(5)", "sf.KAnonymity(5) & sf.LDiversity(3)"
CASES = [
    ("sf.Mondrian()", K),
    ("sf.Mondrian(strict=False)", K),
    ("sf.Optimal('loss', max_suppressed=0.01)", K),
    ("sf.Samarati(max_suppressed=0.01)", K),
    ("sf.Mondrian()", K_AND_L),
    ("sf.Mondrian(strict=False)", K_AND_L),
    ("sf.Optimal('loss', max_suppressed=0.01)", K_AND_L),
    ("sf.Samarati(max_suppressed=0.01)", K_AND_L),
]


def generate(path, n_rows):
    """Write people of 91 ages, 1,001 zip codes, 2 sexes, 5 educations: up to 911,000 kinds."""
    import duckdb

    duckdb.sql("SELECT setseed(0.5)")
    duckdb.sql(
        "COPY (SELECT (random() * 90)::INT AS age, "
        "lpad((random() * sqrt(random()) * 1000)::INT::VARCHAR, 5, '0') AS zip, "
        "CASE WHEN random() < 0.5 THEN 'f' ELSE 'm' END AS sex, "
        "['none', 'school', 'college', 'bachelor', 'master'][(random() * 4.98 + 0.51)::INT] "
        "AS education, "
        "'disease ' || (random() * random() * 12)::INT AS disease, "
        "(random() * 10000)::INT AS cost "
        f"FROM range({n_rows})) TO '{path}' (HEADER)"
    )


def floor(source, target, memory_limit):
    """Read, count, sort, write: nothing that makes a table safe."""
    counted = ", ".join([*QUASI_IDENTIFIERS, "disease"])
    rows = f"read_csv('{source}', all_varchar = true)"
    duckdb_floor(rows, counted, target, memory_limit)


def release(source, target, method, criterion):
    """From the file to the release, read back and checked, with the seconds of each stage."""
    import sfumato as sf

    with stages() as spent:
        table = sf.read(
            source,
            quasi_identifiers={
                "age": sf.Intervals(5, 10, 20),
                "zip": sf.Prefix(),
                "sex": sf.Tree(["f", "m"]),
                "education": sf.Tree(
                    {"basic": ["none", "school"], "higher": ["college", "bachelor", "master"]}
                ),
            },
            sensitive="disease",
            insensitive=["cost"],
        )
        made = sf.anonymize(table, eval(criterion), eval(method), untouched_identify=True)
        made.save(target)
    n = len(table.combinations())
    return {"stages": spent, "combinations": n, "groups": len(made.sizes)}


def main(n_rows):
    from sfumato.engines.duckdb.connection.instance import MEMORY_LIMIT

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "people.csv"
        generate(source, n_rows)
        alone = min(
            (child(__file__, "floor", source, Path(folder) / "f", MEMORY_LIMIT) for _ in range(2)),
            key=_seconds,
        )
        print(f"{n_rows} rows, {source.stat().st_size / 1e6:.0f} MB; DuckDB alone: ", end="")
        print(f"{alone['seconds']:.1f} s, {alone['peak']:.2f} GB")
        for j, (method, criterion) in enumerate(CASES):
            found = child(__file__, "release", source, Path(folder) / f"out{j}", method, criterion)
            stages = ", ".join(f"{s} {t:.1f}" for s, t in found["stages"].items() if t > 0.05)
            print(
                f"{method}, {criterion}: {found['seconds']:.1f} s, "
                f"{found['seconds'] / alone['seconds']:.2f} times the floor, "
                f"{found['peak']:.2f} GB, {found['combinations']} combinations, "
                f"{found['groups']} groups ({stages})",
                flush=True,
            )


def _seconds(found):
    return found["seconds"]


if __name__ == "__main__":
    if "--child" in sys.argv:
        measured_child({"floor": floor, "release": release})
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS)
