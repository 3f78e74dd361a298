"""Values keep their kind however the rows are cut into chunks, which leave nothing behind."""

import datetime

import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from naive import foreign as naive
from profiles import examples
from sfumato.engines.foreign.foreign_table import mixed_columns
from sfumato.engines.foreign.spool import Spool

DAYS = st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1))
MOMENTS = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1))
KINDS = [
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.integers(-5, 5).map(float),
    st.floats(allow_infinity=False),
    DAYS,
    DAYS.map(lambda day: datetime.datetime.combine(day, datetime.time())),
    MOMENTS,
    st.times(),
    st.text(st.characters(codec="utf-8"), max_size=3),
]
COLUMNS = st.lists(st.sampled_from(KINDS), min_size=1, max_size=2).flatmap(
    lambda kinds: st.lists(st.one_of(st.none(), *kinds), min_size=1, max_size=12)
)


def converted(values, place, at_once):
    with Spool.into(place / "table", 1) as spool:
        for start in range(0, len(values), at_once):
            spool.add([values[start : start + at_once]])
        spool.write(["v0"], {})
        counts = spool.counts(0)
    assert [path.name for path in place.iterdir()] == ["table"]  # chunks are gone
    read = pq.read_table(place / "table")["v0"].to_pylist()
    (place / "table").unlink()
    return read, counts


@given(COLUMNS, st.integers(1, 12))
@example([datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1, 8)], 2)
@examples(300)
def test_chunks_have_the_kinds_of_the_whole_column(tmp_path_factory, values, at_once):
    place = tmp_path_factory.mktemp("spool")
    expected = naive.column(values)
    read, counts = converted(values, place, at_once)
    assert read == expected
    assert list(map(type, read)) == list(map(type, expected))
    assert sum(counts.values()) == sum(value is not None for value in expected)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1, 2.5, None], ""),
        ([datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1, 8)], ""),
        ([1, "01234", 2], "v (text 1, whole number 2)"),
        ([True, 1], "v (truth value 1, whole number 1)"),
        ([2.5, 2**60], "v (long number 1, number 1)"),
    ],
)
def test_what_is_of_several_kinds_is_said_with_counts(tmp_path, values, said):
    _, counts = converted(values, tmp_path, 1)
    assert mixed_columns(["v"], [counts]) == said


def test_a_spool_that_is_interrupted_leaves_no_chunk(tmp_path):
    def interrupted():
        with Spool.into(tmp_path / "table", 1) as spool:
            spool.add([["Ada"]])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []
