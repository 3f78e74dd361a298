"""What the engines' tests share: every engine in turn, and short ways to look at its answers.

The embedded engine is always tried. What needs a cluster is marked `engines` (`make test-engines`).
"""

import functools
import os
import shutil
import sys
from collections import Counter

import pytest

import sfumato as sf
from engines_of_files import OF_FILES

EMBEDDED = "duckdb"
EVERY = [
    name if name == EMBEDDED else pytest.param(name, marks=pytest.mark.engines) for name in OF_FILES
]
NO_PYSPARK = "needs pyspark: make spark"
NO_JAVA = "needs Java 17: apt-get install openjdk-17-jre-headless"


@pytest.fixture(scope="session", params=EVERY)
def engine(request):
    """The name of one engine after the other: all that are installed."""
    if request.param != EMBEDDED:
        request.getfixturevalue(request.param)
    return request.param


@pytest.fixture(scope="session")
def read(engine):
    """`sf.read` by one engine after the other."""
    return functools.partial(sf.read, engine=engine)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """The one Spark session of a run: two threads, and nothing that listens to other machines."""
    sql = pytest.importorskip("pyspark.sql", reason=NO_PYSPARK)
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip(NO_JAVA)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.log.level": "OFF",
        "spark.sql.session.timeZone": "America/New_York",  # ours has to be UTC all the same
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    session = sql.SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def counted():
    """Give what a table counted in plain terms: `{(value, ...): people}`."""

    def look(table):
        frequencies = table.frequencies()
        columns = [
            [frequencies.domains[name].labels[code] for code in frequencies.codes(name)]
            for name in frequencies.columns
        ]
        rows = list(zip(*columns, strict=True))
        assert len(set(rows)) == len(rows)
        return Counter(dict(zip(rows, frequencies.counts.tolist(), strict=True)))

    return look
