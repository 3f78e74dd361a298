"""What the engines' tests share: the engine, and short ways to look at its answers.

Tests beside this file are of the embedded engine, those in `every_engine` of all, and what only one
has is in a folder of its own. What takes a cluster or a server is marked `engines`
(`make test-engines`), but for a smoke of each.
"""

import functools
from collections import Counter

import pytest

import postgres_server
import sfumato as sf


def pytest_collection_modifyitems(config, items):
    """Leave out what an engine has no such thing for: `not_on` names it, with the reason."""
    lacking = [item for item in items if _lacks(item)]
    config.hook.pytest_deselected(items=lacking)
    items[:] = [item for item in items if item not in lacking]


def _lacks(item):
    engine = getattr(item, "callspec", None) and item.callspec.params.get("engine")
    return any(engine in mark.kwargs for mark in item.iter_markers("not_on"))


@pytest.fixture(scope="session")
def server():
    """A real server; the tests are skipped, and named, where there is none to start."""
    if postgres_server.BINARIES is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    with postgres_server.running() as server:
        yield server


@pytest.fixture(scope="session", params=["duckdb"])
def engine(request):
    """The name of an engine."""
    return request.param


@pytest.fixture(scope="session")
def read(engine):
    """`sf.read` by an engine."""
    return functools.partial(sf.read, engine=engine)


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
