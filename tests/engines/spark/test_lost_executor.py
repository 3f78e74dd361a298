"""An executor that is killed under way: the work is done by another, or nothing is published."""

import json
import os
import subprocess
import sys

import pytest

import sfumato as sf

pytestmark = pytest.mark.engines

SCRIPT = """
import json, os, signal, subprocess, sys, threading, time
import sfumato as sf
from pyspark.sql import SparkSession
from sfumato.engines.spark import recode_and_suppress

how, target = sys.argv[1:]
settings = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
if how == "all":
    settings |= {"spark.task.maxFailures": "1", "spark.deploy.maxExecutorRetries": "0"}
builder = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=settings)
session = builder.getOrCreate()


def executors():
    found = subprocess.run(["ps", "-wweo", "pid,ppid,args"], capture_output=True, text=True).stdout
    rows = [line.split(None, 2) for line in found.splitlines()[1:]]
    mine, grown = {os.getpid()}, True
    while grown:
        more = {int(p) for p, parent, _ in rows if int(parent) in mine} - mine
        mine, grown = mine | more, bool(more)
    mine.discard(os.getpid())  # whose arguments hold this very text
    backend = "CoarseGrainedExecutorBackend"
    return [int(p) for p, _, args in rows if int(p) in mine and backend in args]


frame = session.range(200_000).selectExpr(
    "CAST(id % 70 AS INT) AS age", "CAST(id DIV 70 % 5 AS STRING) AS disease", "id AS note"
)
table = sf.read(frame, {"age": sf.Intervals(5, 10)}, "disease", engine=sf.engines.Spark(session))
release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian(strict=False))
killed = []


def kill():
    while not done.is_set():
        for pid in executors()[: 1 if how == "one" else None]:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        if how == "one":
            return
        time.sleep(0.2)


done = threading.Event()
killer = threading.Timer(0.5, kill)
killer.start()
try:
    release.save(target)
    said = None
except sf.BadInput as error:
    said = str(error)
done.set()
killer.join()
print(json.dumps({"said": said, "killed": len(killed)}))
"""


@pytest.mark.parametrize("how", ["one", "all"])
def test_losing_executors_leaves_a_whole_release_or_none(tmp_path, how):
    pytest.importorskip("pyspark", reason="needs pyspark: make spark")
    target = tmp_path / "out"
    environment = os.environ | {"TMPDIR": str(tmp_path), "SPARK_LOCAL_DIRS": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, how, target],
        capture_output=True,
        text=True,
        env=environment | {"SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=tmp_path,
        check=False,
        timeout=900,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    found = json.loads(run.stdout.splitlines()[-1])
    assert found["killed"]
    # All are killed from the first half second on, again and again, so nobody can do their work.
    assert how == "one" or found["said"] is not None
    if found["said"] is None:
        assert sf.load(target).check().holds
    else:
        assert not target.exists()
        assert "executor" in found["said"] or "stopped" in found["said"]
        assert "Exception" not in found["said"]
    assert not [*tmp_path.glob(".sfumato-*")]
