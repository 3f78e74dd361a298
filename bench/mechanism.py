"""The mechanism attack beside making the release: seconds, their ratio, and what was decided."""

import argparse
import time

import sfumato as sf
from common import complete_adult

CRITERIA = [
    sf.KAnonymity(5) & sf.LDiversity(3),
    sf.KAnonymity(5) & sf.LDiversity(2, "frequency"),
]
METHODS = [sf.Mondrian(), sf.Optimal("loss"), sf.TopDown("cut")]


def measured(table, criterion, method):
    """Make a release and attack it, each once."""
    started = time.perf_counter()
    try:
        release = sf.anonymize(table, criterion, method)
    except sf.Unsatisfiable as error:
        return f"no release: {error}"
    made = time.perf_counter() - started
    started = time.perf_counter()
    finding = sf.attacks.Mechanism().run(release)
    attacked = time.perf_counter() - started
    return (
        f"release {made:.2f} s, attack {attacked:.2f} s, ratio {attacked / made:.1f}; "
        f"{len(release.groups)} groups, {finding}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sensitive", default="occupation")
    chosen = parser.parse_args().sensitive
    trees = sf.datasets.adult_hierarchies()
    quasi_identifiers = {name: tree for name, tree in trees.items() if name != chosen}
    table = sf.read(complete_adult(), quasi_identifiers, chosen)
    table.frequencies()
    for method in METHODS:
        for criterion in CRITERIA:
            print(f"{method}, {criterion}: {measured(table, criterion, method)}", flush=True)


if __name__ == "__main__":
    main()
