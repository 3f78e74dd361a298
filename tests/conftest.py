"""What all tests share: comparison data beside the checkout, no silent skips in CI, and a tally.

A test that tries many things says how many with `record_property("bad inputs tried", 40)`; the
sums stand at the end of the run, and in docs/hardening.md.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

import profiles

profiles.load()

collect_ignore = ["third_party/sfumato-example"]  # installed where it is tested, and not here
SHARED = Path(__file__).parents[2] / "shared"
REASON = "needs the comparison data in ../shared"


@pytest.fixture(scope="session")
def arx_adult() -> Path:
    """The Adult data with hierarchies as ARX ships it; the test is skipped without it."""
    place = SHARED / "data" / "arx-adult"
    if not place.is_dir():
        pytest.skip(REASON)
    return place


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
