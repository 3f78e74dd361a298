"""What the benchmarks share."""

import json
import resource
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.csv as pc_csv

import sfumato as sf
import sfumato.compiled

sfumato.compiled.FEW_STEPS = 0  # whatever is measured warm is compiled, however short it is
HERE = Path(__file__).parent
ARX_ADULT = HERE.resolve().parents[1] / "shared" / "data" / "arx-adult"
RIVALS = HERE.parent / ".venv-rivals" / "bin" / "python"


def complete_adult():
    """The 45,222 rows of Adult without missing values."""
    table = sf.datasets.adult()
    for name in table.column_names:
        table = table.filter(pc.is_valid(table[name]))
    return table


def adult_with_nine_hierarchies():
    """Adult as ARX ships it where that lies beside the checkout (12,960 nodes), else ours."""
    place = ARX_ADULT
    if place.is_dir():
        table = pc_csv.read_csv(
            place / "adult.csv", parse_options=pc_csv.ParseOptions(delimiter=";")
        )
        trees = {
            name: sf.Hierarchy.from_csv(place / f"adult_hierarchy_{name}.csv")
            for name in table.column_names
        }
        return table, trees
    return complete_adult(), sf.datasets.adult_hierarchies()


def timed(work, repeat=5):
    """Best of a few runs, in seconds, with the last result."""
    best, found = float("inf"), None
    for _ in range(repeat):
        started = time.perf_counter()
        found = work()
        best = min(best, time.perf_counter() - started)
    return best, found


def seconds_of(work, repeat=3):
    """CPU seconds of the best of a few runs, after one that loads and compiles."""
    best = float("inf")
    for turn in range(repeat + 1):
        started = time.process_time()
        work()
        if turn or not repeat:
            best = min(best, time.process_time() - started)
    return best


def rival(script, *arguments, limit=1200):
    """Run a rival in its own environment; None when it takes longer than the limit."""
    if not RIVALS.exists():
        sys.exit("the rivals are not installed; run: make bench")
    command = [RIVALS, HERE / script, *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=True)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout.splitlines()[-1])


def child(script, *arguments):
    """Run one measurement of a script in a process of its own, so that its peak can be told."""
    command = [sys.executable, script, "--child", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measured_child(works):
    """Do what `child` asked for, by its name, from a source to a target, and print what it took."""
    what, source, target, *more = sys.argv[2:]
    started = time.perf_counter()
    result = works[what](Path(source), Path(target), *more)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(json.dumps({"seconds": seconds, "peak": peak} | (result or {})))


@contextmanager
def stages():
    """Give the seconds of every stage of the work inside, by what it reports."""
    from sfumato.progress import listening

    spent, now = {}, ["start", time.perf_counter()]

    def hear(stage, *_):
        if stage != now[0]:
            clock = time.perf_counter()
            spent[now[0]] = spent.get(now[0], 0) + clock - now[1]
            now[:] = [stage, clock]

    with listening(hear):
        yield spent
        hear("end")


def duckdb_floor(rows, counted, target, memory_limit, written="*", kind="csv"):
    """Read, count, sort, write by DuckDB alone: nothing that makes a table safe."""
    import duckdb

    connection = duckdb.connect(
        config={
            "memory_limit": memory_limit,
            "preserve_insertion_order": "false",
            "temp_directory": str(target.parent / "spill"),
        }
    )
    connection.execute(
        f"CREATE TEMP TABLE counted AS SELECT {counted}, count(*) AS n FROM {rows} GROUP BY ALL"
    )
    (n,) = connection.execute("SELECT count(*) FROM counted").fetchone()
    connection.execute(
        f"COPY (SELECT {written} FROM {rows} ORDER BY ALL) TO '{target}' (FORMAT {kind})"
    )
    return {"combinations": n}
