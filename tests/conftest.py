"""What all tests share: comparison data, a quick choice, no silent skips in CI, and a tally.

What is tried with everything there is, every method with every criterion, is marked `every`; most
cases of such a test are marked `rest` here: `make test` leaves them out, `make test-every` not.

`pytest --quick` runs what matters while working: few generated examples (tests/profiles.py), at
most two cases of a test, nothing that is marked `slow`, `long` or `engines`, nothing of tests/hard
and tests/papers, no examples of docstrings.

A test that tries many things says how many with `record_property("bad inputs tried", 40)`; the
sums stand at the end of the run, and in docs/hardening.md.
"""

import os
import shutil
import signal
import sys
from collections import Counter, defaultdict
from pathlib import Path

import duckdb
import pytest

import profiles
from sfumato.engines.duckdb.connection import instance

collect_ignore = ["third_party/sfumato-example"]  # installed where it is tested, and not here
SHARED = Path(__file__).parents[2] / "shared"
REASON = "needs the comparison data in ../shared"
HERE = Path(__file__).parent
LONG = [HERE / "hard", HERE / "papers"]
LEFT_OUT = ("slow", "long", "engines")
N_CASES = 2  # of one test, when it is quick
ONE_OF = 5  # cases that are not the rest


@pytest.fixture(autouse=True)
def _wide(monkeypatch):
    """Leave sentences whole, which tests look for; tests/cli/test_width.py has 80 columns."""
    monkeypatch.setenv("COLUMNS", "1000")


@pytest.fixture(autouse=True, scope="session")
def _no_waiting_for_the_disk():
    """Files of thousands of tests need not survive a power cut; whoever is started does wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)  # a handle that is none is an error all the same
        yield


def pytest_addoption(parser):
    """Add the option."""
    parser.addoption("--quick", action="store_true", help="only what matters while working")


def pytest_configure(config):
    """Choose how many examples are generated, and whether docstrings are read, before any test."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it
    quick = config.getoption("--quick")
    profiles.load("quick" if quick else None)
    if quick:
        config.option.doctestmodules = False


def pytest_ignore_collect(collection_path, config):
    """Leave out whole directories."""
    return True if config.getoption("--quick") and collection_path in LONG else None


@pytest.hookimpl(tryfirst=True)  # before markers are looked at
def pytest_collection_modifyitems(config, items):
    """Mark the rest of many cases; quickly, leave out what is long and most of many cases, too."""
    so_far = Counter()
    for item in items:
        if item.get_closest_marker("every"):
            test = item.nodeid.partition("[")[0]
            if so_far[test] % ONE_OF:
                item.add_marker("rest")
            so_far[test] += 1
    if config.getoption("--quick"):
        _keep_the_quick(config, items)


def _keep_the_quick(config, items):
    """Keep some of many cases, from the beginning to the end."""
    cases = defaultdict(list)
    for item in items:
        if not any(map(item.get_closest_marker, LEFT_OUT)):
            cases[item.nodeid.partition("[")[0]].append(item)
    chosen = {
        same[j * len(same) // N_CASES] if len(same) > N_CASES else item
        for same in cases.values()
        for j, item in enumerate(same[:N_CASES])
    }
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


@pytest.fixture(scope="session")
def arx_adult() -> Path:
    """The Adult data with hierarchies as ARX ships it; the test is skipped without it."""
    place = SHARED / "data" / "arx-adult"
    if not place.is_dir():
        pytest.skip(REASON)
    return place


@pytest.fixture
def with_little_memory(monkeypatch):
    """Say how much memory the DuckDB of this test has; it works in one thread."""

    def limit(memory: str) -> None:
        connect = duckdb.connect
        monkeypatch.setattr(instance, "_instances", {})
        monkeypatch.setattr(instance, "MEMORY_LIMIT", memory)
        monkeypatch.setattr(
            duckdb, "connect", lambda config: connect(config=config | {"threads": "1"})
        )

    return limit


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """The one Spark session of a run: two threads, and nothing that listens to other machines."""
    sql = pytest.importorskip("pyspark.sql", reason="needs pyspark: make spark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("needs Java 17: apt-get install openjdk-17-jre-headless")
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


_skipped: list[str] = []
_tally: Counter[str] = Counter()


def pytest_runtest_logreport(report):
    """Add to the tally; remember what was skipped for another reason than missing data."""
    if report.when == "call" and report.passed:
        _tally.update({name: n for name, n in report.user_properties if isinstance(n, int)})
    if report.skipped and not hasattr(report, "wasxfail") and REASON not in str(report.longrepr):
        _skipped.append(report.nodeid)


def pytest_sessionfinish(session):
    """In CI a test that did not run is a failure."""
    if os.environ.get("CI") == "true" and _skipped and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    """Print the tally, and name what was skipped."""
    if _tally:
        terminalreporter.section("tried and survived")
        for name, n in sorted(_tally.items()):
            terminalreporter.write_line(f"{name}: {n}")
    if os.environ.get("CI") == "true" and _skipped:
        terminalreporter.section("skipped in CI, so failed", sep="=", red=True)
        for name in _skipped:
            terminalreporter.write_line(name)
