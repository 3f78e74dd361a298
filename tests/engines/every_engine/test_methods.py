"""The same job, the same lots, the same release: every method, value for value as of a frame."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.algorithms.compatibility import all_pairs, methods

pytestmark = [pytest.mark.engines, pytest.mark.not_on(duckdb="it is what is compared with")]
N = 200
FEW = 8  # people, for a method that goes through all that could be, or is stopped by a clock
TREE = {"low": ["1", "2"], "high": ["5", "9"]}


def people_of(n):
    draw = np.random.default_rng(5)
    age = draw.integers(20, 70, n)
    return pa.table(
        {
            "age": pa.array([None if j % 41 == 0 else int(a) for j, a in enumerate(age)]),
            "zip": [f"0{z}" for z in draw.integers(1000, 1030, n)],
            "sex": draw.choice(["f", "m"], n),
            "score": draw.choice(["1", "2", "5", "9"], n),
        }
    )


def with_sets(people):
    lists = [[score] for score in people["score"].to_pylist()]
    return people.set_column(3, "score", pa.array([["9", "1", None, "2", "5"], None, *lists[2:]]))


def first_pairs():
    """One criterion for each method, sets of values where they are asked for."""
    for method in methods():
        fitting = [p for p in all_pairs() if p.method == method and p.refused is None]
        if fitting:
            of_sets = [p for p in fitting if p.criterion.sets]
            yield from dict.fromkeys([fitting[0], *of_sets[:1]])


@pytest.mark.parametrize(
    "each", [*first_pairs()], ids=lambda each: f"{each.method}-{each.criterion}"
)
def test_every_method_publishes_the_same_rows(released, each):
    by_the_clock = getattr(each.method, "seconds", None) is not None  # and few end before it
    people = people_of(FEW if each.method.judges_itself or by_the_clock else N)
    if each.criterion.sets:
        people = with_sets(people)
    roles = {
        "quasi_identifiers": {
            "age": sf.Intervals(5, 10, 20),
            "zip": sf.Prefix(),
            "sex": sf.Tree(["f", "m"]),
        },
        "sensitive": "score",
        "hierarchies": {"score": sf.Tree(TREE)},
    }
    # How far a search came by the clock is described, and is another every time.
    released(people, each.criterion, each.method, exact=not by_the_clock, **roles)


@pytest.mark.parametrize("numbers", ["bounds", "midpoint"])
def test_numbers_stand_instead_of_texts_or_beside_them(released, numbers):
    rows = people_of(N)
    roles = {"quasi_identifiers": {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix()}}
    for kind in ("parquet", "csv"):
        released(rows, sf.KAnonymity(5), sf.Mondrian(), kind, numbers, sensitive="sex", **roles)
