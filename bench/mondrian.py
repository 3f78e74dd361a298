"""Mondrian on Adult, k = 5, eight quasi-identifiers: ours against anonypy."""

import tempfile
from pathlib import Path

import pyarrow.csv as pc

import sfumato as sf
from common import complete_adult, rival, timed

K = 5
COLUMNS = [
    "age",
    "workclass",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
    "salary",
]


def main():
    table = complete_adult()
    hierarchies = sf.datasets.adult_hierarchies()
    source = sf.read(table, {name: hierarchies[name] for name in COLUMNS}, sensitive="education")
    frequencies = source.frequencies()
    for method in (sf.Mondrian(), sf.Mondrian(strict=False)):
        seconds, recoding = timed(lambda m=method: m.search(frequencies, sf.KAnonymity(K), None))
        print(f"{method}: {seconds * 1000:.0f} ms, {len(recoding.boxes)} boxes")
        if method.strict:
            best = seconds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        pc.write_csv(table.select([*COLUMNS, "education"]), path)
        other = rival("rival_anonypy.py", path, ",".join(COLUMNS), "education", K)
    if other is None:
        print("anonypy: not done after 20 minutes")
    else:
        print(
            f"anonypy: {other['seconds']:.1f} s, {other['groups']} groups: "
            f"{other['seconds'] / best:.0f} times slower than strict Mondrian"
        )


if __name__ == "__main__":
    main()
