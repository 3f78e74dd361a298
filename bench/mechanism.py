"""The mechanism attack beside making the release: seconds of CPU, and how groups were decided.

python bench/mechanism.py                   # Adult, 45,222 rows, eight quasi-identifiers
python bench/mechanism.py --rows 1000000    # people made up as in ten_million.py
"""

import argparse
import tempfile
import time
from pathlib import Path

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


def measured(table, criterion, method, learned, samples):
    """Make a release and attack it; the second time, when all code is loaded and compiled."""
    try:
        sf.attacks.Mechanism().run(sf.anonymize(table, criterion, method))
    except sf.Unsatisfiable as error:
        return f"no release: {error}"
    learned.clear()
    samples.clear()
    started = time.process_time()
    release = sf.anonymize(table, criterion, method)
    made = time.process_time() - started
    started = time.process_time()
    finding = sf.attacks.Mechanism().run(release)
    attacked = time.process_time() - started
    n = len(release.sizes)
    last = learned[-1]
    sampled = sum(each.low is not None for each in last.beliefs)
    bounded, unknown = len(last.bounded), len(last.unknown)
    effective = f", at least {min(s.n_effective for s in samples):.0f} effective" if samples else ""
    return (
        f"release {made:.2f} s, attack {attacked:.2f} s, ratio {attacked / made:.1f}; {n} groups: "
        f"exactly {(n - sampled - bounded - unknown) / n:.1%}, by bounds {bounded / n:.1%}, "
        f"sampled {sampled / n:.1%}{effective}, unknown {unknown / n:.1%}; {finding}"
    )


def adult(sensitive):
    """Adult, by all quasi-identifiers that have a hierarchy."""
    trees = sf.datasets.adult_hierarchies()
    quasi_identifiers = {name: tree for name, tree in trees.items() if name != sensitive}
    return sf.read(complete_adult(), quasi_identifiers, sensitive)


def made_up(n_rows, folder):
    """People of four quasi-identifiers."""
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
    return sf.read(path, rules, "disease")


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
        table = made_up(chosen.rows, folder) if chosen.rows else adult(chosen.sensitive)
        table.frequencies()
        for method in METHODS:
            for criterion in CRITERIA:
                found = measured(table, criterion, method, learned, samples)
                print(f"{method}, {criterion}: {found}", flush=True)


if __name__ == "__main__":
    main()
