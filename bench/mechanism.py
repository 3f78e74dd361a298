"""The mechanism attack beside the release, whole and search alone: seconds of CPU, and decisions.

The whole release is what a person waits for: the file is read, searched, written and read back.

python bench/mechanism.py                   # Adult, 45,222 rows, eight quasi-identifiers
python bench/mechanism.py --rows 1000000    # people made up as in ten_million.py
"""

import argparse
import tempfile
import time
from pathlib import Path

from pyarrow import csv

import sfumato as sf
from common import complete_adult
from sfumato.attacks.mechanism.following import Following
from sfumato.formulas.minimality import posterior
from ten_million import generate

CRITERIA = [
    sf.KAnonymity(5) & sf.LDiversity(3),
    sf.KAnonymity(5) & sf.LDiversity(2, "frequency"),
]
METHODS = [sf.Mondrian(), sf.Optimal("loss"), sf.TopDown("cut")]


def noting(owner, name, notes):
    """Let a function write down what it returns."""
    plain = getattr(owner, name)

    def noted(*arguments):
        notes.append(plain(*arguments))
        return notes[-1]

    setattr(owner, name, noted)


def seconds(work):
    """Do something; give its result and the CPU time."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def measured(read, criterion, method, folder, learned, samples):
    """Make a release and attack it; the second time, when all code is loaded and compiled."""

    def released():
        release = sf.anonymize(read(), criterion, method)
        sf.load(release.save(Path(tempfile.mkdtemp(dir=folder)) / "out"))
        return release

    try:
        release = released()
    except sf.Unsatisfiable as error:
        return f"no release: {error}"
    table = read()
    table.frequencies()
    sf.attacks.Mechanism().run(release)
    learned.clear()
    samples.clear()
    release, whole = seconds(released)
    _, searched = seconds(lambda: sf.anonymize(table, criterion, method))
    finding, attacked = seconds(lambda: sf.attacks.Mechanism().run(release))
    n = len(release.sizes)
    last = learned[-1]
    sampled = sum(each.low is not None for each in last.beliefs)
    bounded, unknown = len(last.bounded), len(last.unknown)
    effective = f", at least {min(s.n_effective for s in samples):.0f} effective" if samples else ""
    return (
        f"attack {attacked:.2f} s: {attacked / whole:.1f} times the release of {whole:.2f} s, "
        f"{attacked / searched:.1f} times its search of {searched:.2f} s; {n} groups: "
        f"exactly {(n - sampled - bounded - unknown) / n:.1%}, by bounds {bounded / n:.1%}, "
        f"sampled {sampled / n:.1%}{effective}, unknown {unknown / n:.1%}; {finding}"
    )


def adult(folder, sensitive):
    """Adult as a file, by all quasi-identifiers that have a hierarchy; give how to read it."""
    path = Path(folder) / "adult.csv"
    csv.write_csv(complete_adult(), path)
    trees = sf.datasets.adult_hierarchies()
    quasi_identifiers = {name: tree for name, tree in trees.items() if name != sensitive}
    return lambda: sf.read(path, quasi_identifiers, sensitive)


def made_up(folder, n_rows):
    """People of four quasi-identifiers as a file; give how to read it."""
    path = Path(folder) / "people.csv"
    generate(path, n_rows)
    rules = {
        "age": sf.Intervals(5, 10, 20),
        "zip": sf.Prefix(),
        "sex": sf.Tree(["f", "m"]),
        "education": sf.Tree(
            {"basic": ["none", "school"], "higher": ["college", "bachelor", "master"]}
        ),
    }
    return lambda: sf.read(path, rules, "disease")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sensitive", default="occupation", help="the column of Adult")
    parser.add_argument("--rows", type=int, help="made-up people instead of Adult")
    chosen = parser.parse_args()
    learned, samples = [], []
    noting(Following, "exactly", learned)
    noting(Following, "sampled", learned)
    noting(posterior, "_sampled", samples)
    with tempfile.TemporaryDirectory() as folder:
        read = made_up(folder, chosen.rows) if chosen.rows else adult(folder, chosen.sensitive)
        for method in METHODS:
            for criterion in CRITERIA:
                found = measured(read, criterion, method, folder, learned, samples)
                print(f"{method}, {criterion}: {found}", flush=True)


if __name__ == "__main__":
    main()
