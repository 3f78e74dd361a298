"""The table of what was asked for: ours beside ARX, beside the release, beside a warm process.

Every benchmark is a function that gives figures. ARX's figures are those of `arx.py`; the others
are measured here, in the same run.
"""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import pyarrow as pa
import pyarrow.csv as pa_csv

import cold as cold_process
import sfumato as sf
from arx import CALIBRATION, LOSSES, SECONDS, calibrated, seconds_here
from common import ARX_ADULT, HERE, adult_with_nine_hierarchies, duckdb_floor, seconds_of
from mechanism import made_up
from programs import programs
from record import Figure
from values import CRITERIA
from wide_lattice import wide

ARX = "ARX 3.9, by calibration"
SHARES = {"0 %": 0.0, "2 %": 0.02, "5 %": 0.05, "100 %": 1.0}
ASKED = dict(zip(SHARES, (3, 8, 8, 6), strict=True))
ASKED_SAVED = dict(zip(SHARES, (2, 5, 5, 5), strict=True))
COLD, COMPILING, SOON, PROOF = 1.2, 6, 2, 40  # seconds
ASKED_AUDIT = 2
K = sf.KAnonymity(5)


def child_seconds(*command, **environment):
    """CPU seconds of a process of its own."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=os.environ | environment)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@contextmanager
def adult_file(times=1):
    """Adult with nine hierarchies as a file, several times over; give path and hierarchies."""
    table, hierarchies = adult_with_nine_hierarchies()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        pa_csv.write_csv(pa.concat_tables([table.select(list(hierarchies))] * times), path)
        yield path, hierarchies


def places(folder):
    """A new place for every release."""
    return Path(tempfile.mkdtemp(dir=folder)) / "release"


def against_arx(name, arx, ours, calibration, asked=None):
    return Figure(name, ours, ARX, seconds_here(arx, calibration), asked=asked)


def nine():
    """The optimum of nine quasi-identifiers: read and searched, saved, by a cold process."""
    with adult_file() as (path, hierarchies):
        for share, most in SHARES.items():
            method = sf.Optimal("loss", most)

            def search(method=method):
                return sf.anonymize(sf.read(path, hierarchies), K, method)

            here = calibrated()
            name = f"9 QI, {share}"
            yield against_arx(name, name, seconds_of(search), here, ASKED[share])
            saved = seconds_of(lambda s=search: s().save(places(path.parent)))
            name = f"9 QI, {share}, saved"
            yield against_arx(name, name, saved, here, ASKED_SAVED[share])


def cold():
    """The same by a process that starts anew, its loops compiled before."""
    with adult_file() as (path, _):
        trees = str(ARX_ADULT) if ARX_ADULT.is_dir() else ""
        for share, most in SHARES.items():
            name = f"9 QI, {share}, cold"
            cold_process.main(path, places(path.parent), most, trees)
            command = (sys.executable, str(HERE / "cold.py"), str(path))
            ours = min(
                child_seconds(*command, str(places(path.parent)), str(most), trees)
                for _ in range(3)
            )
            here = calibrated()
            yield against_arx(name, name, ours, here, round(SECONDS[name] / COLD, 1))


def criteria():
    """Criteria about values beside k = 5, eight quasi-identifiers, 5 % suppressed."""
    table, hierarchies = adult_with_nine_hierarchies()
    trees = {"occupation": hierarchies.pop("occupation")}
    asked = {"3": 5, "t": 4}
    for name, part in CRITERIA.items():
        if name not in SECONDS:
            continue

        def work(part=part):
            source = sf.read(table, hierarchies, sensitive="occupation", hierarchies=trees)
            return sf.anonymize(source, K & part, sf.Optimal("loss", 0.05))

        here = calibrated()
        yield against_arx(f"8 QI, 5 %: {name}", name, seconds_of(work), here, asked[name[0]])


def three_million():
    """Adult a hundred times over, k as much larger: from a file to what is saved."""
    with adult_file(100) as (path, hierarchies):
        names = ", ".join(f'"{name}"' for name in hierarchies)
        rows = f"read_csv('{path}', all_varchar = true)"

        def work():
            release = sf.anonymize(
                sf.read(path, hierarchies), sf.KAnonymity(500), sf.Optimal("loss", 0.05)
            )
            release.save(places(path.parent))

        def floor():
            duckdb_floor(rows, names, path.parent / "floor.csv", "4GB")

        here = calibrated()
        floored = seconds_of(floor, 0)
        ours = seconds_of(work, 1)
        yield against_arx("3 M rows, 5 %, from file to saved", "3 M rows", ours, here, 5)
        name = "3 M rows, 5 %, from file to saved, beside the floor"
        yield Figure(name, ours, "DuckDB reads, counts, sorts, writes", floored, more=False)


def audits():
    """An audit beside the release, which is read from a file and searched."""
    cases = {
        "Mondrian, k = 5": (sf.Mondrian(), K),
        "Optimal 1 %, k = 5": (sf.Optimal("loss", max_suppressed=0.01), K),
        "Optimal 1 %, k = 5, l = 3": (
            sf.Optimal("loss", max_suppressed=0.01),
            K & sf.LDiversity(3),
        ),
    }
    for n_rows in (100_000, 1_000_000):
        with tempfile.TemporaryDirectory() as folder:
            read = made_up(folder, n_rows)
            for name, (method, criterion) in cases.items():
                made, audited = [], []
                for turn in range(2 if n_rows > 500_000 else 3):
                    started = time.process_time()
                    release = sf.anonymize(read(), criterion, method)
                    middle = time.process_time()
                    sf.audit(release)
                    if turn:
                        made.append(middle - started)
                        audited.append(time.process_time() - middle)
                yield Figure(
                    f"audit, {n_rows:,} rows: {name}",
                    min(audited),
                    "the release",
                    min(made),
                    more=False,
                    asked=ASKED_AUDIT,
                )


# The demo with all of its loops compiled, however few steps they take.
DEMO_COMPILED = (
    "import sfumato.compiled; sfumato.compiled.FEW_STEPS = 0; from sfumato.cli import main; main()"
)


def compiling():
    """`sfumato demo` on a new machine, less the same with all of its loops compiled before."""
    with tempfile.TemporaryDirectory() as folder:

        def demo(*how):
            target = str(places(folder))
            command = (sys.executable, *how, "demo", "--output", target)
            return child_seconds(*command, NUMBA_CACHE_DIR=f"{folder}/compiled")

        new = demo("-m", "sfumato")
        demo("-c", DEMO_COMPILED)
        before = demo("-m", "sfumato")
    here = calibrated()
    yield Figure(
        "`sfumato demo` waits on a new machine, for compiling and for loops not compiled",
        new - before,
        "calibrations",
        here,
        more=False,
        asked=round(COMPILING / CALIBRATION, 1),
    )
    yield Figure("`sfumato demo`, compiled before", before, "calibrations", here, more=False)


def many():
    """Fifteen and twenty quasi-identifiers: a good answer soon, by a budget of nodes, and a proof.

    Nothing without Adult as ARX ships it: its heuristics' losses are of that.
    """
    if not ARX_ADULT.is_dir():
        return
    for n, arx in LOSSES.items():
        frequencies = sf.read(*wide(n)).frequencies()
        losses = []

        def work(budget=2_000, frequencies=frequencies, losses=losses):
            found = sf.Optimal("loss", 0.05, budget=budget).search(frequencies, K, None)
            losses.append(found.best_so_far.cost / frequencies.n_rows)

        ours, here = seconds_of(work, 1), calibrated()
        name = f"{n} QI, a budget of 2,000 nodes"
        asked = round(SOON / CALIBRATION, 1)
        yield Figure(name, ours, "calibrations", here, more=False, asked=asked)
        name = f"{n} QI, loss after 2,000 nodes"
        yield Figure(name, losses[-1], "ARX's in 5 s", arx, more=False, unit="loss", asked=1)
        if n == min(LOSSES):
            proof = seconds_of(lambda work=work: work(None), 0)
            asked = round(PROOF / CALIBRATION, 1)
            yield Figure(f"{n} QI, proved", proof, "calibrations", here, more=False, asked=asked)


BENCHMARKS = [nine, cold, criteria, audits, many, programs, compiling, three_million]
