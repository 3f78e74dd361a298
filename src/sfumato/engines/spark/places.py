"""Places that the driver and the executors share: how Spark calls them, and whether it is so."""

from __future__ import annotations

import re
import secrets
import shutil
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from sfumato.engines.spark.cluster import Cluster
from sfumato.errors import BadInput

GLOB = re.compile(r"([*?\[\]{}\\])")
UNSEEN = re.compile(r"FILE_NOT_EXIST|FileNotFound|PATH_NOT_FOUND|does not exist|Permission denied")
MOST_MARKS = 32  # each is read by a task, and these are shared out among the executors


def address_of(path: Path) -> str:
    """Name a local file for Spark, so that no part of its name is read as a pattern."""
    return "file://" + escaped(str(path.absolute()))


def escaped(address: str) -> str:
    """Mark what Spark would read as a pattern."""
    return GLOB.sub(r"\\\1", address)


def refuse_unshared(cluster: Cluster, directory: Path) -> None:
    """Refuse a private directory that executors do not see, before they write anything into it.

    They would make one of that name on disks of their own, where others could read it and nobody
    would remove it. What is beside a directory that they saw is not tried again.
    """
    if directory.parent in cluster.shared:
        return
    marks = directory / "seen"
    marks.mkdir()
    try:
        written = {secrets.token_hex(16) for _ in range(min(MOST_MARKS, cluster.n_partitions))}
        for mark in written:
            (marks / mark).write_text(mark, encoding="utf-8")
        seen = _seen(cluster, marks)
    finally:
        shutil.rmtree(marks, ignore_errors=True)
    if seen != written:
        raise BadInput(
            f"{directory.parent}: the executors do not see what the driver writes there; choose a "
            "directory that all share under one name, for the release and in TMPDIR"
        )
    cluster.shared.add(directory.parent)


def _seen(cluster: Cluster, marks: Path) -> set[str]:
    """Have the executors read every file of a directory."""
    try:
        table = cluster.collected(cluster.own.read.text(address_of(marks)))
    except (PySparkException, Py4JError) as error:
        if UNSEEN.search(str(error)):
            return set()
        raise
    return {*table["value"].to_pylist()}
