"""Dealing two combinations out over very many groups, against a few: what the parts cost."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

import sfumato as sf
from common import timed
from sfumato.data.recoding import Assignment

N = 1_000_000


def main():
    table = sf.read(
        pa.table({"id": np.arange(N), "sex": np.arange(N) % 2}), ["sex"], None, [], ["id"]
    )
    ground = table.frequencies().combinations
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        for n_parts in (10, 100_000):
            parts = [(c, g, N // 2 // n_parts) for c in range(2) for g in range(n_parts)]
            boxes = np.array([[[0, 1]]] * n_parts, dtype=np.int32)
            how = Assignment(ground, boxes, np.array(parts, dtype=np.int64))
            target = Path(folder) / f"{n_parts}.parquet"
            write = lambda how=how, target=target: table.write(how, target, "parquet", bytes(32))  # noqa: E731
            seconds[n_parts], _ = timed(write, repeat=3)
            print(f"{N} people over 2 x {n_parts} parts: {seconds[n_parts]:.2f} s")
    print(f"ratio: {seconds[100_000] / seconds[10]:.1f}")


if __name__ == "__main__":
    main()
