"""What bounds of published ranges of text tell of single values, counted on whole releases."""

import random
import string

import pyarrow as pa
import pytest

import sfumato as sf
from naive.naming import sharing, told_by
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
    "names of several": names(2000, 600),
    "names of one": names(2000, 2000),
    "codes": codes(2000),
    "letters and numbers": [f"{a}{b}" for a, b in zip(names(2000, 40), codes(2000), strict=True)],
}
RULES = [sf.Flat(), sf.Flat(ordered=True), sf.Prefix()]
METHODS = [sf.Mondrian(), sf.Mondrian(strict=False)]


def published_parts(texts, rule, method):
    """Release a table and take apart what stands in its column of texts."""
    rng = random.Random(3)
    ages = [rng.randrange(20, 80) for _ in texts]
    diseases = [rng.choice("xyz") for _ in texts]
    people = pa.table({"who": texts, "age": ages, "disease": diseases})
    table = sf.read(people, {"who": rule, "age": sf.Intervals(10, 20)}, "disease")
    labels = sf.anonymize(table, sf.KAnonymity(K), method).to_arrow()["who"].unique()
    return [grammar.parse(label).part for label in labels.to_pylist()]


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("name", TABLES)
def test_a_bound_of_texts_tells_what_k_people_share(name, rule, method, record_property):
    texts = TABLES[name]
    parts = published_parts(texts, rule, method)
    ranges = [part for part in parts if isinstance(part, grammar.Range)]
    bounds = {b for each in ranges for b in (each.low, each.high) if b is not None}
    record_property("bounds of text looked at", len(bounds))
    if rule == sf.Flat():
        assert not bounds  # such texts have no order
    elif rule == sf.Prefix():
        assert len(bounds) > 20
    for bound in bounds:
        assert sharing(texts, told_by(texts, bound)) >= K
        if rule == sf.Flat(ordered=True):
            assert texts.count(bound) >= K
    for part in parts:
        names = part.names if isinstance(part, grammar.Members) else (part,)
        for each in names:
            if isinstance(each, grammar.Name) and each.text != "other":
                assert texts.count(each.text) >= K
