"""What bounds of published ranges of text tell of single values, counted on whole releases."""

import random
import string
from bisect import bisect_left

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.data.labels import grammar

K = 5


def names(n, n_different):
    """People with names of eight letters; fewer different ones than people, or one for each."""
    rng = random.Random(1)
    found = ["".join(rng.choices(string.ascii_lowercase, k=8)) for _ in range(n_different)]
    return found if n == n_different else rng.choices(found, k=n)


def codes(n):
    rng = random.Random(2)
    return [f"{rng.randrange(100_000):05}" for _ in range(n)]


TABLES = {
    "names of several": (names(2000, 600), sf.Flat()),
    "names of one": (names(2000, 2000), sf.Flat()),
    "codes": (codes(2000), sf.Prefix()),
}


def published_bounds(texts, rule):
    """Release a table and list the bounds that anybody finds in it."""
    rng = random.Random(3)
    ages = [rng.randrange(20, 80) for _ in texts]
    diseases = [rng.choice("xyz") for _ in texts]
    people = pa.table({"who": texts, "age": ages, "disease": diseases})
    table = sf.read(people, {"who": rule, "age": sf.Intervals(10, 20)}, "disease")
    labels = sf.anonymize(table, sf.KAnonymity(K), sf.Mondrian()).to_arrow()["who"].unique()
    parts = [grammar.parse(label).part for label in labels.to_pylist()]
    ranges = [part for part in parts if isinstance(part, grammar.Range)]
    return sorted({b for each in ranges for b in (each.low, each.high) if b is not None})


@pytest.mark.parametrize("name", TABLES)
def test_a_bound_tells_what_its_two_neighbours_share_and_one_letter(name, record_property):
    texts, rule = TABLES[name]
    values, n_few, n_one = sorted(set(texts)), 0, 0
    bounds = published_bounds(texts, rule)
    assert bounds
    for bound in bounds:
        rank = bisect_left(values, bound)
        below, value = values[rank - 1 : rank + 1]
        shared = next(below[:n] for n in range(len(below), -1, -1) if value.startswith(below[:n]))
        beginnings = (bound[:length] for length in range(len(bound), -1, -1))
        told = next(each for each in beginnings if any(text.startswith(each) for text in texts))
        assert bound.startswith(shared)
        assert len(told) <= len(shared) + 1
        n_people = sum(text.startswith(told) for text in texts)
        n_few += n_people < K
        n_one += n_people == 1
    record_property(f"bounds of text looked at, {name}", len(bounds))
    record_property(f"bounds of text that tell what fewer than {K} people share, {name}", n_few)
    record_property(f"bounds of text that tell what one person has, {name}", n_one)
