"""Tables that fit, looked at as if they did not."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
import sfumato.table


def generated(seed: int, n: int = 1200) -> pa.Table:
    """People whose columns have to do with each other, so that cuts differ in what they gain."""
    rng = np.random.default_rng(seed)
    age, place = rng.integers(0, 60, n), rng.integers(0, 40, n)
    disease = (age // 15 + rng.integers(0, 5, n)) % 6
    return pa.table(
        {
            "age": age,
            "zip": [f"{z:03d}" for z in place + 7 * (disease == 2)],
            "sex": rng.choice(["f", "m"], n),
            "kids": rng.integers(0, 4, n) + (age > 30),
            "disease": [f"d{d}" for d in disease],
            "job": [f"j{j}" for j in (place // 10 + rng.integers(0, 3, n)) % 5],
            "guarded": rng.choice(["d0", "d1", "nothing"], n),
        }
    )


def read(people: pa.Table, sensitive: object = "disease", insensitive: tuple[str, ...] = ()):
    """Open such a table with a budget."""
    hierarchies = {
        "age": sf.Intervals(5, 10, 20),
        "zip": sf.Prefix(),
        "sex": sf.Flat(),
        "kids": sf.Flat(),
    }
    return sf.read(people, hierarchies, sensitive, insensitive=insensitive, memory="4GB")


@contextmanager
def room_for(n: int) -> Iterator[None]:
    """Let n combinations fit at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sfumato.table, "most_keys", lambda *_: n)
        yield


def saved(release: sf.Release, place: Path) -> pa.Table:
    """Write a release, and read what everybody sees."""
    release.save(place)
    return pq.read_table(place / "data.parquet")


def boxes_of(release: sf.Release) -> list[list[int]]:
    """Give the boxes with their people, in an order that does not depend on how they were found."""
    boxes, sizes = release.recoding.published_boxes(release.private.frequencies)
    return sorted([*box.ravel().tolist(), int(n)] for box, n in zip(boxes, sizes, strict=True))
