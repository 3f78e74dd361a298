"""What the engines' tests share: the engine, and short ways to look at its answers.

These tests are of the embedded engine. The others are compared with it, in folders of their own,
and what takes a cluster or a server long is marked `engines` (`make test-engines`).
"""

import functools
from collections import Counter

import pytest

import sfumato as sf


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
