"""Time and memory of reading a workbook and an SPSS file, against the same table as Parquet.

python bench/foreign.py [--rows-xlsx 200000] [--rows-sav 1000000]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat

SEX = {1: "male", 2: "female"}
DISEASES = {code: f"disease {code}" for code in range(1, 20)}
READ = """
import json, resource, sys, time
import sfumato as sf
start = time.perf_counter()
table = sf.read(sys.argv[1], ["age", "zip", "sex"], "disease", ["id"])
opened = time.perf_counter()
n = table.frequencies().n_rows
spent = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([
    n, opened - start, time.perf_counter() - opened,
    spent.ru_utime + spent.ru_stime, spent.ru_maxrss
]))
"""


def people(n):
    rng = np.random.default_rng(18)
    return pd.DataFrame(
        {
            "id": np.arange(n),
            "age": rng.integers(18, 90, n),
            "zip": [f"{code:05}" for code in rng.integers(0, 5000, n)],
            "sex": rng.integers(1, 3, n),
            "income": rng.normal(30_000, 10_000, n).round(2),
            "disease": rng.integers(1, 20, n),
        }
    )


def as_xlsx(table, path):
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("people")
    sheet.append(list(table.columns))
    for row in table.itertuples(index=False):
        sheet.append([each.item() if isinstance(each, np.generic) else each for each in row])
    book.save(path)


def measured(path):
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], check=True, capture_output=True, text=True
    )
    n, opening, counting, cpu, peak = json.loads(done.stdout)
    print(
        f"{path.name}: {n:,} rows, {path.stat().st_size / 1e6:.0f} MB: opened in {opening:.1f} s, "
        f"counted in {counting:.1f} s ({cpu:.1f} s of CPU in all), {peak / 1024:.0f} MB at most",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows-xlsx", type=int, default=200_000)
    parser.add_argument("--rows-sav", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        workbook = Path(place) / "people.xlsx"
        as_xlsx(people(given.rows_xlsx), workbook)
        measured(workbook)
        table = people(given.rows_sav)
        survey = Path(place) / "people.sav"
        labels = {"sex": SEX, "disease": DISEASES}
        pyreadstat.write_sav(table, survey, variable_value_labels=labels)
        measured(survey)
        table.to_parquet(Path(place) / "people.parquet")
        measured(Path(place) / "people.parquet")


if __name__ == "__main__":
    main()
