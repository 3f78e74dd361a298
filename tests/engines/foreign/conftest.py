"""What the tests of converted sources share."""

from pathlib import Path

import pytest

import sfumato as sf
from sfumato.data.read_settings import ReadSettings


@pytest.fixture
def values():
    """Read a source, and give its columns as they are counted: `{name: [value, ...]}`."""

    def look(source, **settings):
        opened = sf.engines.DuckDB().open(source, ReadSettings(**settings))
        return opened.to_batches([*opened.columns]).read_all().to_pydict()

    return look


@pytest.fixture
def read_counts():
    """Read a source, and give what is said of reading it."""

    def look(source, **settings):
        opened = sf.engines.DuckDB().open(source, ReadSettings(**settings))
        return opened.read_counts(opened.columns)

    return look


@pytest.fixture
def line(values):
    """Read a source that is refused, and give the line that says why."""

    def refused(source, **settings):
        with pytest.raises(sf.BadInput) as caught:
            values(source, **settings)
        message = str(caught.value)
        assert "\n" not in message
        return message.replace(str(source), "FILE") if isinstance(source, Path) else message

    return refused
