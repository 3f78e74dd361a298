"""A release is given in the order in which it was published, however it lies on the disk."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf

N = 30
TIMES = 10


def rows_of(place):
    return sf.engines.DuckDB().open_published(place).to_batches(["a"]).read_all()["a"].to_pylist()


def test_parts_come_one_after_the_other(tmp_path):
    for j in range(3):
        part = pa.table({"a": range(N * j, N * (j + 1))})
        pq.write_table(part, tmp_path / f"part-{j:05}.parquet")
    assert all(rows_of(tmp_path) == [*range(3 * N)] for _ in range(TIMES))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_one_large_file_is_read_from_its_beginning(tmp_path, kind):
    place = tmp_path / f"data.{kind}"
    texts = [f"{j:09}" for j in range(600_000)]
    if kind == "csv":
        place.write_text("\n".join(["a", *texts, ""]))
    else:
        pq.write_table(pa.table({"a": texts}), place, row_group_size=50_000)
    assert all(rows_of(place) == texts for _ in range(3))
