"""Mondrian, k = 5, by the three kinds of bounds: time and loss, as ratios.

Tables: Adult (ARX's where it lies beside the checkout, and ours), the two other bundled ones, and
people made up here. Another one: python bench/bounds.py FILE.csv COLUMN=WIDTH ..., where a width of
0 stands for a list of the values.
"""

import sys
import time
from random import Random

import pyarrow as pa
import pyarrow.csv as pc

import sfumato as sf
from common import adult_with_nine_hierarchies

K = 5
N_MADE = 20_000


def made():
    """People with ages, incomes, days and codes, some of them missing."""
    draw = Random(7)
    rows = {"age": [], "income": [], "came": [], "zip": [], "region": []}
    for _ in range(N_MADE):
        rows["age"].append(int(min(99, max(16, draw.gauss(44, 18)))))
        rows["income"].append(None if draw.random() < 0.05 else int(draw.lognormvariate(7.5, 0.6)))
        day = f"{draw.randint(2019, 2026)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        rows["came"].append(day)
        rows["zip"].append(str(int(10_000 + draw.paretovariate(1.2) * 40) % 100_000).zfill(5))
        rows["region"].append(draw.choice("aaabbcddef"))
    rules = {
        "age": sf.Intervals(5, 10, 20),
        "income": sf.Intervals(250, 500, 1000, 4000),
        "came": sf.Dates(),
        "zip": sf.Prefix(),
        "region": sf.Tree({"west": ["a", "b", "c"], "east": ["d", "e", "f"]}),
    }
    return sf.read(pa.table(rows), rules)


def bundled():
    """The tables of the package, and ARX's Adult."""
    adult, rules = adult_with_nine_hierarchies()
    yield "Adult, nine columns", sf.read(adult, rules)
    rules = sf.datasets.adult_hierarchies()
    yield "Adult, ours", sf.read(sf.datasets.adult(), rules)
    rules = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
    yield "patients", sf.read(sf.datasets.patients(), rules)
    yield "Nursery", sf.read(sf.datasets.nursery(), sf.datasets.nursery_hierarchies())
    yield f"made, {N_MADE:,} people", made()


def given(path, widths):
    """A CSV file, some columns of it with the width of their grid; 0: a list of values."""
    table = pc.read_csv(path)
    rules = {}
    for each in widths:
        column, _, width = each.partition("=")
        if float(width):
            rules[column] = sf.Intervals(float(width), 2 * float(width), 10 * float(width))
        else:
            values = sorted({str(v) for v in table[column].to_pylist() if v is not None})
            rules[column] = sf.Tree(values)
    return sf.read(table, rules)


def main():
    tables = [(sys.argv[1], given(sys.argv[1], sys.argv[2:]))] if sys.argv[1:] else bundled()
    for name, table in tables:
        compare(name, table)


def compare(name, table):
    """Print how long the search takes with each kind of bounds, and what is lost."""
    frequencies, criterion = table.frequencies(), sf.KAnonymity(K)
    seconds, losses = {}, {}
    for bounds in ("cuts", "tight", "grid"):
        method = sf.Mondrian(bounds=bounds)
        seconds[bounds] = float("inf")
        for _ in range(7):  # of the processor: the step in question takes milliseconds
            started = time.process_time()
            recoding = method.search(frequencies, criterion, None)
            seconds[bounds] = min(seconds[bounds], time.process_time() - started)
        losses[bounds] = sf.utility.information_loss(sf.anonymize(table, criterion, method))
    print(
        f"{name}, {len(recoding.boxes):,} boxes: {seconds['cuts'] * 1000:.0f} ms by cuts, "
        f"grid {seconds['grid'] / seconds['cuts']:.2f} and tight "
        f"{seconds['tight'] / seconds['cuts']:.2f} times that; loss {losses['tight']:.3f} "
        f"tight, grid {losses['grid'] / losses['tight']:.2f} and cuts "
        f"{losses['cuts'] / losses['tight']:.2f} times that"
    )


if __name__ == "__main__":
    main()
