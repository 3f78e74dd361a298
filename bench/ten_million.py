"""Ten million rows from file to release, against what DuckDB alone needs for the same file.

The floor: read the CSV as text, count the combinations, write all rows sorted; the same limit of
memory. Every run is a process of its own, so that its peak memory can be told.

    python bench/ten_million.py [rows]
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
    import duckdb

    connection = duckdb.connect(
        config={
            "memory_limit": memory_limit,
            "preserve_insertion_order": "false",
            "temp_directory": str(target.parent / "spill"),
        }
    )
    counted = ", ".join([*QUASI_IDENTIFIERS, "disease"])
    rows = f"read_csv('{source}', all_varchar = true)"
    connection.execute(
        f"CREATE TEMP TABLE counted AS SELECT {counted}, count(*) AS n FROM {rows} GROUP BY ALL"
    )
    connection.execute(f"COPY (SELECT * FROM {rows} ORDER BY ALL) TO '{target}' (FORMAT csv)")


def release(source, target, method, criterion):
    """From the file to the release, read back and checked, with the seconds of each stage."""
    import sfumato as sf
    from sfumato.progress import listening

    stages, now = {}, ["start", time.perf_counter()]

    def hear(stage, *_):
        if stage != now[0]:
            clock = time.perf_counter()
            stages[now[0]] = stages.get(now[0], 0) + clock - now[1]
            now[:] = [stage, clock]

    with listening(hear):
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
        hear("end")
    n = len(table.combinations())
    return {"stages": stages, "combinations": n, "groups": len(made.sizes)}


def child(*arguments):
    """Run one measurement in a process of its own."""
    command = [sys.executable, __file__, "--child", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main(n_rows):
    from sfumato.engines.duckdb.connection.session import MEMORY_LIMIT

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "people.csv"
        generate(source, n_rows)
        alone = min(
            (child("floor", source, Path(folder) / "f", MEMORY_LIMIT) for _ in range(2)),
            key=_seconds,
        )
        print(f"{n_rows} rows, {source.stat().st_size / 1e6:.0f} MB; DuckDB alone: ", end="")
        print(f"{alone['seconds']:.1f} s, {alone['peak']:.2f} GB")
        for j, (method, criterion) in enumerate(CASES):
            found = child("release", source, Path(folder) / f"out{j}", method, criterion)
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
        what, source, target, *more = sys.argv[2:]
        started = time.perf_counter()
        result = {"floor": floor, "release": release}[what](Path(source), Path(target), *more)
        seconds = time.perf_counter() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
        print(json.dumps({"seconds": seconds, "peak": peak} | (result or {})))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS)
