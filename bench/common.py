"""What the benchmarks share."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.csv as pc_csv

import sfumato as sf

HERE = Path(__file__).parent
RIVALS = HERE.parent / ".venv-rivals" / "bin" / "python"


def complete_adult():
    """The 45,222 rows of Adult without missing values."""
    table = sf.datasets.adult()
    for name in table.column_names:
        table = table.filter(pc.is_valid(table[name]))
    return table


def adult_with_nine_hierarchies():
    """Adult as ARX ships it where that lies beside the checkout (12,960 nodes), else ours."""
    place = HERE.parents[1] / "shared" / "data" / "arx-adult"
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
