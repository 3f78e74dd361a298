"""Cell suppression on Adult: what is lost, in how much time and memory, and how far each goes.

The forest takes the whole table. Of the others each is tried on more and more of its first rows,
until it takes more than a minute of the processor, or refuses; the last size within one is printed.

Every run is a process of its own, so that its peak memory is its own: `--one` is what it calls.
"""

import json
import resource
import subprocess
import sys
import time

import numpy as np

import sfumato as sf
from common import HERE, adult_with_nine_hierarchies

LIMIT = 60  # seconds of the processor
BALLS = (4000, 6000, 8000, 12_000, 16_000, 30_162)
OTHERS = [  # algorithm, k, rows
    ("meyerson-williams", 2, (200, 390, 400)),
    ("meyerson-williams", 3, (40, 66, 70)),
    ("meyerson-williams", 5, (20, 27, 30)),
    ("meyerson-williams-balls", 5, BALLS),
    ("meyerson-williams-balls", 10, BALLS),
    ("factor", 2, (2000, 3000, 4000, 6000, 8000)),
    ("factor", 3, (2000, 2500, 3000)),
    ("optimal", 3, (16, 17)),
    ("optimal", 5, (16, 17)),
]


def one(algorithm, hierarchies, k, n):
    """Measure one release: the second, when everything is compiled."""
    rows, trees = adult_with_nine_hierarchies()
    table = sf.read(rows.slice(0, n), trees)
    method = sf.CellSuppression(algorithm, hierarchies=hierarchies)
    sf.anonymize(sf.read(rows.slice(0, 12), trees), sf.KAnonymity(min(k, 3)), method)
    table.frequencies()
    started = time.process_time()
    try:
        release = sf.anonymize(table, sf.KAnonymity(k), method)
    except sf.BadInput:
        return None
    seconds = time.process_time() - started
    recoding = release.recoding
    ground = recoding.combinations
    _, group, people = recoding.parts.T
    last = np.array([len(ground.domains[name]) - 1 for name in ground.columns])
    at_root = (recoding.boxes[:, :, 0] == 0) & (recoding.boxes[:, :, 1] == last) & (last > 0)
    roots = int(people @ at_root[group].sum(axis=1))
    return {
        "loss": sf.utility.information_loss(release),
        "suppressed": roots / (n * len(ground.columns)),
        "groups": len(release.sizes),
        "average": float(release.sizes.mean()),
        "seconds": seconds,
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }


def measured(algorithm, hierarchies, k, n):
    command = [sys.executable, HERE / "cells.py", "--one", algorithm, str(int(hierarchies))]
    try:
        done = subprocess.run(
            [*command, str(k), str(n)],
            capture_output=True,
            text=True,
            timeout=10 * LIMIT,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout.splitlines()[-1])


def line(algorithm, hierarchies, k, n, found):
    how = "nodes" if hierarchies else "roots"
    print(
        f"{algorithm:23}  {how}  {k:2}  {n:6,}  {found['loss']:.4f}  {found['suppressed']:10.4f}  "
        f"{found['groups']:6,}  {found['average']:7.1f}  {found['seconds']:7.2f}  {found['mb']:5,}",
        flush=True,
    )


def main():
    print(
        "algorithm                 cells   k    rows    loss  suppressed  groups  average  seconds"
        "     MB"
    )
    for hierarchies in (False, True):
        for k in (5, 10):
            line("forest", hierarchies, k, 30_162, measured("forest", hierarchies, k, 30_162))
    for algorithm, k, sizes in OTHERS:
        last = None
        for n in sizes:
            found = measured(algorithm, False, k, n)
            if found is None or found["seconds"] > LIMIT:
                break
            last = n, found
        if last is not None:
            line(algorithm, False, k, *last)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        name, trees_too, k_asked, n_rows = sys.argv[2:]
        print(json.dumps(one(name, trees_too == "1", int(k_asked), int(n_rows))))
    else:
        main()
