"""Batches of people for the tests of series."""

import csv
import random
from pathlib import Path

import sfumato as sf

HEADER = ["id", "name", "age", "zip", "sex", "disease", "note"]
RULES = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
JOB = """
[columns]
identifiers = ["name"]
sensitive = ["disease"]
person = "id"
[columns.quasi_identifiers]
age = {{ intervals = [5, 10, 20] }}
zip = {{ prefix = true }}
sex = {{ flat = true }}
[[criteria]]
k_anonymity = {{ k = {k} }}
"""


def write_batch(path: Path, first: int, n: int, seed=0, **columns) -> Path:
    """Write people `first`, ..., `first + n - 1`; a column given here is of that value."""
    draw = random.Random(seed * 1000 + first)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(HEADER)
        for i in range(first, first + n):
            person = {
                "id": f"P{i}",
                "name": f"person {i}",
                "age": draw.randint(20, 79),
                "zip": draw.randint(10_000, 10_039),
                "sex": draw.choice("fm"),
                "disease": draw.choice(["flu", "cold", "hiv"]),
                "note": f"note {i}",
            }
            rows.writerow((person | columns)[name] for name in HEADER)
    return path


def write_job(path: Path, k=3, extra="") -> Path:
    path.write_text(JOB.format(k=k) + extra)
    return path


def started(place: Path, k=3, **options) -> sf.ReleaseSeries:
    options = {"sensitive": "disease", "identifiers": ["name"], "person": "id"} | options
    return sf.ReleaseSeries.create(
        place, quasi_identifiers=RULES, criterion=sf.KAnonymity(k), **options
    )


def published(place: Path) -> list[str]:
    return sorted(path.name for path in (place / "public").iterdir())


def kept(place: Path) -> list[str]:
    return sorted(path.name for path in (place / "private" / "batches").iterdir())


def image(place: Path) -> dict[str, bytes]:
    """Every file of a series with its bytes; of the ledger what it says."""
    status = sf.ReleaseSeries(place).status().to_json()
    files = {
        str(path.relative_to(place)): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and not path.name.startswith("ledger.db")
    }
    return files | {"ledger": str(status | {"series": ""}).encode()}
