"""What the engines' tests share: every engine in turn, and short ways to look at its answers.

The embedded engine is always tried. What needs a cluster is marked `engines` (`make test-engines`).
"""

import functools
import re
from collections import Counter

import pytest

import sfumato as sf
from engines_of_files import OF_FILES

EMBEDDED = "duckdb"
EVERY = [
    name if name == EMBEDDED else pytest.param(name, marks=pytest.mark.engines) for name in OF_FILES
]


LACKS = {  # types that an engine refuses by name: what tests of these are called
    "spark": re.compile(r"\[ns|-ns\b|nanosecond|time64|times_of_day|list<item|binary|struct<"),
}


def pytest_collection_modifyitems(config, items):
    """Leave out what is of types that an engine does not have."""
    lacking = [item for item in items if _is_lacking(item)]
    config.hook.pytest_deselected(items=lacking)
    items[:] = [item for item in items if item not in lacking]


def _is_lacking(item):
    engine = getattr(item, "callspec", None) and item.callspec.params.get("engine")
    return engine in LACKS and LACKS[engine].search(item.name)


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
