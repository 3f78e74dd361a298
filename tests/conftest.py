"""What all tests share: the comparison data beside the checkout, and no silent skips in CI."""

import os
from pathlib import Path

import pytest

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


def pytest_runtest_logreport(report):
    """Remember every test that was skipped for another reason than missing comparison data."""
    if report.skipped and not hasattr(report, "wasxfail") and REASON not in str(report.longrepr):
        _skipped.append(report.nodeid)


def pytest_sessionfinish(session):
    """In CI a test that did not run is a failure."""
    if os.environ.get("CI") == "true" and _skipped and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    """Name what was skipped."""
    if os.environ.get("CI") == "true" and _skipped:
        terminalreporter.section("skipped in CI, so failed", sep="=", red=True)
        for name in _skipped:
            terminalreporter.write_line(name)
