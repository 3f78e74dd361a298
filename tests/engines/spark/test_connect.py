"""A session of Spark Connect is a session: the same release, through a server beside the driver.

The process ends at once: the server of local mode goes before pyspark has closed its sessions, for
which it then waits for minutes.
"""

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.engines

SCRIPT = """
import json, os, sys
import pyarrow as pa
import sfumato as sf
from pyspark.sql import SparkSession

settings = {
    "spark.log.level": "OFF", "spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
session = SparkSession.builder.remote("local[2]").config(map=settings).getOrCreate()
rows = pa.table({"age": [j % 7 for j in range(60)], "disease": [f"d{j % 3}" for j in range(60)]})
frame = session.createDataFrame(rows)
kinds, made, seen = [type(session).__module__], [], []
for source, engine in ((frame, sf.engines.Spark(session)), (rows, "duckdb")):
    table = sf.read(source, ["age"], "disease", engine=engine)
    seen += session.newSession().sql("SHOW VIEWS IN global_temp").collect()
    release = sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(2), sf.Mondrian())
    place = release.save(f"{sys.argv[1]}/{len(made)}", format="parquet")
    made.append(sf.load(place).to_arrow().to_pylist())
print(json.dumps({"kinds": kinds, "made": made, "seen": len(seen)}), flush=True)
os._exit(0)
"""


def test_a_release_is_made_through_a_server(tmp_path):
    pytest.importorskip("grpc", reason="needs pyspark[connect]: make spark")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, tmp_path],
        capture_output=True,
        text=True,
        env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "TMPDIR": str(tmp_path)},
        cwd=tmp_path,
        check=False,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    found = json.loads(run.stdout.splitlines()[-1])
    assert "connect" in found["kinds"][0]
    assert found["seen"] == 0
    ours, theirs = found["made"]
    assert ours == theirs
    assert len(ours) == 60
