"""A small hospital, and how a reader of its published tables counts."""

import re

import numpy as np
import pyarrow as pa

import naive.queries
import sfumato as sf

ZIPS, DISEASES = ["a", "b", "c"], ["flu", "HIV", "none", "asthma"]


def hospital(n=60, seed=1):
    random = np.random.default_rng(seed)
    age = random.integers(0, 8, n)
    return pa.table(
        {
            "age": age,
            "zip": random.choice(ZIPS, n),
            # not independent of age, so that correlations have something to find
            "disease": [
                DISEASES[(a // 4 + s) % 4]
                for a, s in zip(age, random.integers(0, 3, n), strict=True)
            ],
        }
    )


def table_of(source):
    return sf.read(source, ["age", "zip"], sensitive="disease")


def values_of(label, domain):
    """Ground values that a published label stands for."""
    if label in domain or str(label) in map(str, domain):
        return [value for value in domain if str(value) == str(label)]
    if label == "*":
        return list(domain)
    if label.startswith("{"):
        return label[1:-1].split(", ")
    if found := re.fullmatch(r"\[(\w+), (\w+)\)", label):
        kind = type(domain[0])
        return [v for v in domain if kind(found[1]) <= v < kind(found[2])]
    if label.startswith("<"):
        return [v for v in domain if v < type(domain[0])(label[1:])]
    assert label.startswith(">="), label
    return [v for v in domain if v >= type(domain[0])(label[2:])]


def answering(release):
    """How a reader of the published tables answers a query."""
    rows = release.to_arrow().to_pylist()
    if "group" in rows[0]:
        values = release.to_arrow("sensitive").to_pylist()
        groups = []
        for number in {row["group"] for row in rows}:
            people = [row for row in rows if row["group"] == number]
            diseases = [each["disease"] for each in values if each["group"] == number]
            # Who has which value is not said; any order will do.
            groups.append([{**p, "disease": d} for p, d in zip(people, diseases, strict=True)])
        return lambda query: naive.queries.count_bucketized(groups, query, "disease")
    values = release.table.by_values.domains
    labels = {name: list(values[name].labels) for name in ("age", "zip")}
    published = [
        {**{c: values_of(row[c], labels[c]) for c in labels}, "disease": row["disease"]}
        for row in rows
    ]
    return lambda query: naive.queries.count_generalized(published, query, "disease")
