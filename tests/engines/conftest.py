"""What the engines' tests share: every engine in turn, and short ways to look at its answers.

The embedded engine is always tried. What needs a cluster is marked `engines` (`make test-engines`).
"""

import functools
from collections import Counter

import pytest

import sfumato as sf
from engines_of_files import OF_FILES

EMBEDDED = "duckdb"
EVERY = [
    name if name == EMBEDDED else pytest.param(name, marks=pytest.mark.engines) for name in OF_FILES
]


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
