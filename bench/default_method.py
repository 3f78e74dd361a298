"""Which method `anonymize` should take for promises about values: verdicts, losses, seconds.

Every method makes a release of every table for every promise, and the release is audited as
`sf.audit` does: "safe" is what was shown. The tables are the bundled ones and three that are made
here with a fixed seed, of different shapes: even values that depend on nothing, values that follow
the quasi-identifiers, and few people with a rare value.

    python bench/default_method.py                   all tables (minutes)
    python bench/default_method.py patients even     those whose names have one of these words
"""

import sys
import time

import numpy as np
import pyarrow as pa

import sfumato as sf
from common import complete_adult
from sfumato.algorithms.checked import doubling

K = sf.KAnonymity(5)
PROMISES = [
    K & sf.LDiversity(3),
    K & sf.LDiversity(2, "frequency"),
    K & sf.LDiversity(3, "frequency"),
    K & sf.LDiversity(3, "entropy"),
    K & sf.TCloseness("3/10"),
]
AGES = sf.Intervals(5, 10, 20)


def methods(promise):
    """The candidates; lists of k follow from the promise alone."""
    ks = doubling(promise)
    yield sf.Mondrian()
    yield sf.Mondrian(look_ahead=True)
    yield sf.Checked(sf.Mondrian(), ks)
    yield sf.Checked(sf.Mondrian(), ks[3:4])
    yield sf.Checked(sf.Optimal(), ks)
    yield sf.Anatomy()


def made(rng, n, shape):
    """Make people: age, region, job, sex, and a diagnosis of one of three shapes."""
    age = rng.integers(18, 90, n)
    region, job = rng.integers(0, 12, n), rng.choice(6, n, p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05])
    names = np.array(["a", "b", "c", "d", "e", "f", "g", "h"])
    if shape == "even":
        value = rng.integers(0, 8, n)
    elif shape == "follows":
        value = np.where(rng.random(n) < 0.6, (age // 15 + job) % 8, rng.integers(0, 8, n))
    else:
        value = np.where(rng.random(n) < 0.03, 7, rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1]))
    return pa.table(
        {
            "age": age,
            "region": [f"{code:02d}" for code in region],
            "job": [f"job {code}" for code in job],
            "sex": rng.choice(["f", "m"], n),
            "diagnosis": names[value],
        }
    )


def tables():
    """The bundled tables and three unseen ones, with a sensitive column each."""
    patients = {"age": AGES, "zip": sf.Prefix(), "sex": sf.Flat()}
    yield "patients", sf.read(sf.datasets.patients(), patients, sensitive="disease")
    trees = sf.datasets.nursery_hierarchies()
    few = ["parents", "has_nurs", "form", "children", "housing"]
    nursery = sf.read(sf.datasets.nursery(), {name: trees[name] for name in few}, "class")
    yield "Nursery", nursery
    rng = np.random.default_rng(16)
    rules = {"age": AGES, "region": sf.Prefix(), "job": sf.Flat(), "sex": sf.Flat()}
    for shape, n in (("even", 5_000), ("follows", 3_000), ("rare", 600)):
        yield f"made, {shape}", sf.read(made(rng, n, shape), rules, sensitive="diagnosis")
    trees = sf.datasets.adult_hierarchies()
    names = ["age", "workclass", "marital-status", "race", "sex", "native-country"]
    for value in ("education", "occupation"):
        rules = {name: trees[name] for name in names}
        yield f"Adult, {value}", sf.read(complete_adult(), rules, sensitive=value)


def tried(table, promise, method):
    """Give a cell: verdict, loss, groups, seconds of the release and of its audit."""
    if method.refuses(promise) is not None:
        return "not for it"
    started = time.perf_counter()
    try:
        release = sf.anonymize(table, promise, method)
    except sf.Unsatisfiable:
        return "refused"
    middle = time.perf_counter()
    verdict = sf.audit(release).verdict
    ended = time.perf_counter()
    loss = "two tables" if method.bucketized else f"{sf.utility.information_loss(release):.3f}"
    return f"{verdict}, {loss} ({middle - started:.1f} s, {ended - middle:.1f} s)"


def main():
    """Print a table in Markdown."""
    names = [
        "joint `Mondrian()`",
        "`look_ahead`",
        "`Checked`, ks doubling",
        "`Checked`, 8 k",
        "`Checked(Optimal())`",
        "`Anatomy()`",
    ]
    print(f"| table | promise, with k = 5 | {' | '.join(names)} |")
    print("|---" * (len(names) + 2) + "|")
    for name, table in tables():
        if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
            continue
        for promise in PROMISES:
            cells = [tried(table, promise, method) for method in methods(promise)]
            said = str(promise).removeprefix(f"{K} & ")
            print(f"| {name} | `{said}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
