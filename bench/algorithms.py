"""Every method that keeps k on Adult: what it loses, its groups, seconds of CPU, peak memory.

Each runs in a process of its own, warm, and for a minute at most; of one that takes longer, half
as many rows are tried until it ends in time. anonypy and anjana run likewise, in their own
environment (`make bench`); what ARX's best recipe reached was measured once and is written down.

    python bench/algorithms.py [k ...]
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow.csv as pc_csv

import sfumato as sf
from common import HERE, RIVALS, adult_with_nine_hierarchies
from sfumato.algorithms import ALGORITHMS
from sfumato.algorithms.compatibility import methods

LIMIT = 60  # seconds of the processor; a process may wait for others three times as long
FEWEST = 1000  # rows that are tried
ARX = {5: ("ARX, local recoding", {"loss": 0.0589, "groups": 4540, "cpu": 6.6})}


def some_rows(rows, n):
    """Draw people, the same ones whenever as many are asked for."""
    return rows.take(np.random.default_rng(1).permutation(rows.num_rows)[:n])


def run_one(spec, k, n):
    """Publish once and print what came of it."""
    method = ALGORITHMS.from_spec(json.loads(spec), "bench")
    rows, trees = adult_with_nine_hierarchies()
    promise = sf.KAnonymity(int(k))
    table = sf.read(some_rows(rows, int(n)), trees)
    table.frequencies()
    for _ in range(2):  # the second run is warm; what is slow has no need of it
        started = time.process_time()
        release = sf.anonymize(table, promise, method)
        seconds = time.process_time() - started
        if seconds > LIMIT / 4:
            break
    found = {
        "cpu": seconds,
        "loss": sf.utility.information_loss(release),
        "discernibility": int(sf.utility.discernibility(release)),
        "groups": len(release.sizes),
        "suppressed": release.n_suppressed,
        "at_root": release.n_at_root,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }
    print(json.dumps(found))


def finished(command):
    """Give what a process says last; None: it did not end in time, or took too long."""
    try:
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, timeout=4 * LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["it failed"])[-1]}
    found = json.loads(done.stdout.splitlines()[-1])
    return found if found["cpu"] <= LIMIT else None


def largest(name, n_rows, command_for):
    """Run on all rows, or on the largest half, quarter, ... that ends in time, and print it."""
    n, found = n_rows, None
    while found is None and n >= FEWEST:
        found = finished(command_for(n))
        n = n if found else n // 2
    print(line(name, found, n, n_rows), flush=True)


def line(name, found, n, n_rows):
    """Write a row of the table."""
    if found is None:
        return f"| {name} | not {FEWEST:,} rows in {LIMIT} s | | | | | | |"
    if "failed" in found:
        return f"| {name} | {found['failed']} | | | | | | |"
    kept = n - found.get("suppressed", 0)
    mean = f"{kept / found['groups']:.1f}" if found["groups"] else ""
    out = [f"{found['suppressed']:,} out"] if found.get("suppressed") else []
    out += [f"{found['at_root']:,} at the root"] if found.get("at_root") else []
    some = f", {n:,} rows" if n < n_rows else ""
    price = f"{found['discernibility']:,}" if "discernibility" in found else ""
    peak = f"{found['peak'] / 1024:,.0f} MB" if "peak" in found else ""
    cells = [
        *(f"{name}{some}", f"{found['loss']:.4f}", price, f"{found['groups']:,}", mean),
        *(", ".join(out), f"{found['cpu']:.2f} s", peak),
    ]
    return "| " + " | ".join(cells) + " |"


def main(ks):
    """Run all of them for every k."""
    rows, trees = adult_with_nine_hierarchies()
    promise = sf.KAnonymity(5)
    ours = [m for m in methods() if not m.bucketized and m.refuses(promise) is None]
    with tempfile.TemporaryDirectory() as place:
        files = {}

        def file_of(n):
            if n not in files:
                files[n] = Path(place) / f"{n}.csv"
                sample = some_rows(rows, n)
                constant = np.zeros(n, dtype=np.int64)
                pc_csv.write_csv(sample.append_column("constant", [constant]), files[n])
            return files[n]

        known = sf.read(rows, trees).domains
        paths = {
            name: [
                [
                    str(level[rank])
                    for level in (known[name].labels, *known[name].taxonomy.labels[1:])
                ]
                for rank in range(len(known[name]))
            ]
            for name in trees
        }
        hierarchies = Path(place) / "hierarchies.json"
        hierarchies.write_text(json.dumps(paths))
        names = ",".join(trees)
        for k in ks:
            print(f"\nk = {k}, {rows.num_rows:,} rows, {len(trees)} quasi-identifiers\n")
            heads = "loss | discernibility | groups | average | outliers | seconds | peak memory"
            print(f"| method | {heads} |\n{'|---' * 8}|", flush=True)
            for method in ours:
                spec = json.dumps(method.spec(), default=str)
                own = [sys.executable, __file__, "--one", spec, k]
                largest(f"`{method}`", rows.num_rows, lambda n, own=own: [*own, n])
            if k in ARX:
                print(line(*ARX[k], rows.num_rows, rows.num_rows))
            if not RIVALS.exists():
                print("the rivals are not installed; run: make bench")
                continue
            largest(
                "anonypy, Mondrian",
                rows.num_rows,
                lambda n, k=k: [
                    *(RIVALS, HERE / "rival_anonypy.py", file_of(n), names, "constant", k)
                ],
            )
            for share in (0, 0.05):
                largest(
                    f"anjana, {share:.0%} suppressed at most",
                    rows.num_rows,
                    lambda n, k=k, share=share: [
                        *(RIVALS, HERE / "rival_anjana.py", file_of(n), hierarchies, k, share)
                    ],
                )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        run_one(*sys.argv[2:])
    else:
        main([int(k) for k in sys.argv[1:]] or [5, 10])
