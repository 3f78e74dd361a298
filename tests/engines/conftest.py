"""What the engines' tests share: every engine in turn, and short ways to look at its answers."""

import functools
from collections import Counter

import pytest

import sfumato as sf
from engines_of_files import OF_FILES


@pytest.fixture(scope="session", params=OF_FILES)
def read(request):
    """`sf.read` by one engine after the other: all that read files and frames."""
    return functools.partial(sf.read, engine=request.param)


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
