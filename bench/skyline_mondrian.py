"""SkylineMondrian as the table grows (Chen 2009, figure 7), against DuckDB's counting of the table.

Nine zip codes are the sensitive values; (l, k, m) is (0, 1000, 0) and (3, 1000, 10). Every run is a
process of its own, so that its peak memory can be told; machine code is compiled and loaded before.

    python bench/skyline_mondrian.py [millions of rows ...]
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MILLIONS = [1, 2, 5, 10]
POINTS = [(0, 1000, 0), (3, 1000, 10)]
CONFIDENCE = 0.95


def generate(path, n_rows):
    """Write the people of `sfumato reproduce chen2009`, figure 7."""
    import pyarrow.parquet as pq

    from sfumato.papers.chen2009.scaling import synthetic_people

    pq.write_table(synthetic_people(n_rows), path)


def counting(source):
    """Let DuckDB count the combinations."""
    import duckdb

    started = time.perf_counter()
    duckdb.sql(f"CREATE TABLE c AS SELECT *, count(*) AS n FROM '{source}' GROUP BY ALL")
    return {"seconds": time.perf_counter() - started}


def cutting(source, split, l, k, m):
    """Count as sfumato does, then cut; each by its own time."""
    import pyarrow as pa

    import sfumato as sf
    from sfumato.papers.chen2009.scaling import open_people

    skyline = sf.Skyline([(int(l), int(k), int(m), CONFIDENCE)])
    four = sf.read(pa.table({"x": [1, 2, 3, 4], "s": list("abcd")}), ["x"], "s").frequencies()
    sf.SkylineMondrian(split).search(four, sf.Skyline([(0, 0, 0, CONFIDENCE)]), None)  # loads code
    table = open_people(source)
    started = time.perf_counter()
    frequencies = table.frequencies()
    counted = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    recoding = sf.SkylineMondrian(split).search(frequencies, skyline, None)
    return {
        "counting": counted - started,
        "seconds": time.perf_counter() - counted,
        "keys": len(frequencies),
        "combinations": len(frequencies.combinations),
        "groups": len(recoding.boxes),
        "before": before * 1024 / 1e9,
    }


def child(*arguments):
    """Run one measurement in a process of its own."""
    command = [sys.executable, __file__, "--child", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main(millions):
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.parquet"
        generate(small, 10_000)
        child("cutting", small, "gain", 0, 10, 0)  # compiles
        for n in millions:
            source = Path(folder) / f"{n}.parquet"
            generate(source, int(n * 1_000_000))
            alone = child("counting", source)
            print(f"{n} M rows; DuckDB counts in {alone['seconds']:.1f} s, {alone['peak']:.2f} GB")
            for point in POINTS:
                for split in ("gain", "median"):
                    found = child("cutting", source, split, *point)
                    print(
                        f"  {point}, {split}: {found['seconds']:.1f} s, "
                        f"{found['seconds'] / n:.2f} s per million rows, "
                        f"{found['seconds'] / alone['seconds']:.1f} times DuckDB's counting, "
                        f"{found['groups']} groups of {found['combinations']} combinations "
                        f"({found['keys']} with values); "
                        f"memory {found['peak']:.2f} GB, {found['before']:.2f} GB before; "
                        f"counted in {found['counting']:.1f} s",
                        flush=True,
                    )
            source.unlink()


if __name__ == "__main__":
    if "--child" in sys.argv:
        what, source, *more = sys.argv[2:]
        result = {"counting": counting, "cutting": cutting}[what](Path(source), *more)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
        print(json.dumps(result | {"peak": peak}))
    else:
        main([float(each) for each in sys.argv[1:]] or MILLIONS)
