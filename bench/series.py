"""A hospital's months: what the next release costs, the more releases there are before it.

Every month a batch comes to a series, and the release of all records so far is published: read,
decided against all earlier releases together, written, read back, checked and committed. Wall
time per release, and the same per release that it is compared with. Beside it the cost of one
release of the same table alone (BCFAnonymizer without earlier ones, saved), measured in the same
run: everything that grows with the rows grows there, too.

    python bench/series.py [rows per month] [months]

The same months by turns against a revision from before and this checkout:

    python bench/series.py 20000 6 --before [REV] [--rounds N]
"""

import json
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sfumato as sf
from before import arguments, measured, tell

K = 20
RULES = {
    "age": sf.Intervals(10, 20, 40),
    "region": sf.Prefix(),
    "sex": sf.Flat(),
    "insurance": sf.Flat(),
}
N_DISEASES = 20


def month(number, n):
    """People of one month; who comes changes a little with the seasons."""
    draw = np.random.default_rng(number)
    shares = 1 / np.arange(1, N_DISEASES + 1) * (1 + 0.2 * np.sin(number + np.arange(N_DISEASES)))
    return pa.table(
        {
            "person": pa.array(np.arange(n) + number * n),
            "age": np.clip(draw.gamma(4, 11, n), 0, 99).astype(int),
            "region": [f"{each:02}" for each in (draw.beta(1, 1.5, n) * 40).astype(int)],
            "sex": draw.choice(["f", "m"], n),
            "insurance": draw.choice(["state", "private", "none"], n, p=[0.6, 0.3, 0.1]),
            "disease": draw.choice(
                [f"d{v:02}" for v in range(N_DISEASES)], n, p=shares / shares.sum()
            ),
        }
    )


def alone(paths, place):
    """Publish all records so far as if nothing had been published before."""
    table = sf.read(
        pa.concat_tables([pq.read_table(path) for path in paths]), RULES, sensitive="disease"
    )
    started = time.perf_counter()
    sf.anonymize(table, sf.BCFAnonymity(K), sf.BCFAnonymizer()).save(place)
    return time.perf_counter() - started


def months(place, n_rows, n_months):
    """Publish month after month; give the files so far, the outcome and the seconds of each."""
    series = sf.ReleaseSeries.create(
        Path(place) / "series",
        quasi_identifiers=RULES,
        criterion=sf.KAnonymity(K),
        sensitive="disease",
        person="person",
        format="parquet",
    )
    paths = []
    for number in range(n_months):
        paths.append(Path(place) / f"{number}.parquet")
        pq.write_table(month(number, n_rows), paths[-1])
        started = time.perf_counter()
        done = series.publish(paths[-1])
        yield paths, done, time.perf_counter() - started


def child(n_rows, n_months):
    """Measure in whatever tree is on the path; say it as JSON."""
    with tempfile.TemporaryDirectory() as place:
        costs = [cost for *_, cost in months(place, n_rows, n_months)]
    each = {f"release {number}": cost for number, cost in enumerate(costs, start=1)}
    print(json.dumps(each | {"all of them": sum(costs)}))


def grow(n_rows, n_months):
    """Tell what each release costs beside one alone."""
    costs, singles = [], []
    with tempfile.TemporaryDirectory() as place:
        for number, (paths, done, cost) in enumerate(months(place, n_rows, n_months)):
            costs.append(cost)
            singles.append(alone(paths, Path(place) / f"alone{number}"))
            n_classes = len(sf.load(done.release).sizes)
            each = f", {costs[-1] / number:.2f} s per earlier release" if number else ""
            print(
                f"release {number + 1}: {done.n_rows} rows, {n_classes} classes: {costs[-1]:.1f} s"
                f"{each}; {costs[-1] / singles[-1]:.1f} times one alone",
                flush=True,
            )
    _tell("cost per earlier release", costs)
    _tell("the same, in releases of the same rows alone", np.divide(costs, singles))


def _tell(what, costs):
    """Compare the last third of the months with the one before; 1 is linear."""
    each = [cost / j for j, cost in enumerate(costs) if j]
    third = max(1, len(costs) // 3)
    ratio = np.mean(each[-third:]) / np.mean(each[-2 * third : -third])
    print(f"{what}, last third against the middle third: {ratio:.2f} (1: linear)")


def main():
    """Measure this tree, or both."""
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("rows", type=int, nargs="?", default=100_000, help="per month")
    parser.add_argument("months", type=int, nargs="?", default=24)
    parser.add_argument("--child", action="store_true")
    asked = parser.parse_args()
    if asked.child:
        child(asked.rows, asked.months)
    elif asked.before is None:
        grow(asked.rows, asked.months)
    else:
        found = measured(__file__, asked.before, asked.rounds, asked.rows, asked.months)
        tell(found, asked.before)


if __name__ == "__main__":
    main()
