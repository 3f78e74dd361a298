"""`make bench`: the table of what was asked, plots, and what got worse than recorded.

    python bench/run.py [--only NAME ...] [--keep] [--accept]

Everything is measured, printed, compared with `bench/record.json`, and recorded there with date and
commit; the table is `bench/RECORD.md`, the plots are `out/bench.html`. With `--only` those
benchmarks whose names contain a word are measured again, and the others stay as they were
recorded, as do those of a benchmark that fails; with `--keep` nothing is recorded. A figure that
got worse by more than half stays as it was recorded, and is told again, until `--accept` takes it.
Never fails because something is slow.
"""

import argparse
import datetime
import os
import platform
import subprocess
import time
from dataclasses import replace

import curves
import record
import table
from arx import CALIBRATION, calibrated
from common import HERE

RECORD, TABLE = HERE / "record.json", HERE / "RECORD.md"
PAGE = HERE.parent / "out" / "bench.html"


def commit():
    """Of what was measured, with a plus where files differ from it."""
    try:
        shown = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"],
            cwd=HERE,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return shown.stdout.strip()


def measured(benchmarks):
    """Run benchmarks and print each figure as it comes; give those that failed, too."""
    figures, failed = [], []
    for benchmark in benchmarks:
        started = time.perf_counter()
        print(f"-- {benchmark.__name__}: {benchmark.__doc__ or ''}".rstrip().splitlines()[0])
        try:
            for figure in benchmark():
                figures.append(figure)
                print(record.told(figure), flush=True)
        except Exception as error:  # the others are still measured
            failed.append(benchmark.__name__)
            print(f"{benchmark.__name__} could not be measured: {error}")
        print(f"   {time.perf_counter() - started:.0f} s", flush=True)
    return figures, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[])
    parser.add_argument("--keep", action="store_true", help="record nothing")
    parser.add_argument("--accept", action="store_true", help="record what got worse, too")
    chosen = parser.parse_args()
    benchmarks = [
        each
        for each in [*table.BENCHMARKS, *curves.BENCHMARKS]
        if not chosen.only or any(word in each.__name__ for word in chosen.only)
    ]
    head = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit(),
        "Python": platform.python_version(),
        "cores": os.cpu_count(),
        "calibration": f"{calibrated():.2f} s ({CALIBRATION} s where ARX was measured)",
    }
    when = f"{head['date']} {head['commit']}"
    figures, failed = measured(benchmarks)
    figures = [replace(each, measured=when) for each in figures]
    before, recorded = record.load(RECORD)
    worse = record.got_worse(recorded, figures)
    print(f"\n{len(worse)} of {len(figures)} figures got worse by more than half", end="")
    print(f" than recorded at {before['commit']}, {before['date']}" if before else "")
    for then, now in worse:
        print(f"  {now.name}: {then.ratio:.2g} became {now.ratio:.2g}")
    if failed:
        print(f"not measured, and left as recorded: {', '.join(failed)}")
    if worse and not chosen.accept:
        print("these stay as recorded; --accept takes them")
        figures = record.merged(figures, [then for then, _ in worse])
    together = record.merged(recorded, figures) if chosen.only or failed else figures
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(curves.page(together))
    print(f"plots: {PAGE.relative_to(HERE.parent)}")
    if not chosen.keep:
        record.save(RECORD, head, together)
        TABLE.write_text(
            "# What was measured last\n\nWritten by `make bench`.\n\n"
            + record.as_table(head, together)
        )


if __name__ == "__main__":
    main()
