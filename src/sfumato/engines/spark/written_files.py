"""The files that Spark wrote, named as a release has them: parts of Parquet, or one CSV file."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import DataFrame

NO_MARK = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}


def write_parquet(rows: DataFrame, target: Path) -> None:
    """Write rows into a directory of part files; in the order of their names they are sorted."""
    rows.write.mode("error").options(**NO_MARK).parquet(f"file://{target.absolute()}")
    _refuse_unseen(target)
    parts = sorted(target.glob("part-*.parquet"))
    names = [target / f"part-{number:05}.parquet" for number in range(len(parts))]
    for part, name in zip(parts, names, strict=True):
        part.rename(name)
    _remove_others(target, names)


def write_csv(lines: DataFrame, names: Sequence[str], target: Path) -> None:
    """Write lines on the cluster, and put them together in one file here."""
    place = target.with_name(f".{target.name}.parts")
    lines.write.mode("error").options(**NO_MARK, compression="none", lineSep="\n").text(
        f"file://{place.absolute()}"
    )
    _refuse_unseen(place)
    header = io.StringIO()
    csv.writer(header, lineterminator="\n").writerow(names)
    with target.open("xb") as whole:
        whole.write(header.getvalue().encode())
        for part in sorted(place.glob("part-*.txt")):
            with part.open("rb") as file:
                shutil.copyfileobj(file, whole)
    shutil.rmtree(place)


def _refuse_unseen(place: Path) -> None:
    """Refuse to go on where executors have written to another machine's disk."""
    if not any(place.glob("part-*")):
        raise FileNotFoundError(
            2,
            "what the executors wrote is not seen here; save to a file system that all share",
            place,
        )


def _remove_others(directory: Path, names: Sequence[Path]) -> None:
    """Remove Spark's checksums and marks."""
    for path in directory.iterdir():
        if path not in names:
            path.unlink()
