"""CSV files by Spark: what its reader passes over, and texts that others write in other ways."""

import datetime

import pyarrow as pa
import pytest

import sfumato as sf

pytestmark = pytest.mark.engines


@pytest.mark.parametrize("column", ["age", 'a "b",\nc'])
def test_one_column_with_missing_values_is_read_back(spark, tmp_path, column):
    """A missing value is an empty line there, which is a row."""
    values = ["a", None, "b", None, "a", "b", "", "", "=1", "=1", 'x"\n\ny', 'x"\n\ny']
    made = []
    for engine in (sf.engines.Spark(spark), "duckdb"):
        table = sf.read(pa.table({column: values}), [column], engine=engine)
        release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian())
        place = release.save(tmp_path / f"out{len(made)}", format="csv")
        made.append(((place / "data.csv").read_bytes(), sf.load(place).to_arrow().to_pylist()))
    assert made[0] == made[1]
    assert {column: None} in made[0][1]


def test_days_that_have_one_text_are_published(spark, tmp_path):
    ends = [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None]
    source = pa.table({"age": [1] * 3, "at": ends})
    table = sf.read(source, ["age"], insensitive=["at"], engine=sf.engines.Spark(spark))
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian(), untouched_identify=True)
    place = release.save(tmp_path / "out", format="csv")
    texts = {None if day is None else str(day) for day in ends}
    assert {*sf.load(place).to_arrow()["at"].to_pylist()} == texts
