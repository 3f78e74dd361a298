"""Attacks on very many groups: in seconds, and still what counting says."""

import time
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.attacks import (
    BackgroundKnowledge,
    Homogeneity,
    Linkage,
    Similarity,
    Skewness,
    Target,
)
from sfumato.attacks.matching import people_in
from sfumato.data.frequency import FrequencySet

SIDE = 100
VALUES = [str(j) for j in range(100)]
TREE = {"even": VALUES[::2], "odd": VALUES[1::2]}
SENSITIVE = {"kind": sf.Tree(TREE), "number": sf.Flat()}


def published(n_groups, n_keys, values):
    """Many groups; `values` gives the codes of both sensitive columns from group and chance."""
    random = np.random.default_rng(1)
    places = [str(j) for j in range(SIDE)]
    domains = {name: sf.Tree(places).grow(name, places)[0] for name in ("a", "b", "c")}
    domains["kind"] = SENSITIVE["kind"].grow("kind", VALUES)[0]
    domains["number"] = SENSITIVE["number"].grow("number", [int(v) for v in VALUES])[0]
    group = np.arange(n_keys) % n_groups
    kind, number = values(group, random)
    codes = {"a": group // SIDE**2, "b": group // SIDE % SIDE, "c": group % SIDE}
    codes |= {"kind": kind, "number": number}
    coded = {name: column.astype(np.int32) for name, column in codes.items()}
    counts = random.integers(1, 1000, n_keys)
    return FrequencySet.from_codes(domains, ("a", "b", "c"), ("kind", "number"), coded, counts)


def by_chance(group, random):
    return random.integers(0, 100, len(group)), random.integers(0, 100, len(group))


def all_the_same_inside(group, random):
    """Every group is certain, and ties with very many others."""
    return group % 100, group % 100


def everything(target):
    """Every attack there is, and how long the slowest took."""
    found, slowest = {}, 0.0
    tried = [Linkage(), Linkage("marketer")]
    for attribute in ("kind", "number"):
        for others in (False, True):
            asked = {"attribute": attribute, "others": others}
            tried += [Homogeneity(**asked), Skewness(**asked), Similarity(**asked)]
            tried += [BackgroundKnowledge(excludes=2, **asked)]
    for attack in tried:
        started = time.perf_counter()
        finding = attack.find(target)
        slowest = max(slowest, time.perf_counter() - started)
        found[finding.name] = finding
    return found, slowest


@pytest.mark.parametrize("values", [by_chance, all_the_same_inside])
@pytest.mark.parametrize(
    ("n_groups", "limit"),
    [(20_000, 5), pytest.param(1_000_000, 60, marks=pytest.mark.slow)],
)
def test_many_groups_take_seconds(n_groups, limit, values):
    frequencies = published(n_groups, 5 * n_groups, values)
    seen = frequencies.as_it_is()
    found, slowest = everything(Target(seen, sf.KAnonymity(2)))
    assert slowest < limit  # some machines are slow; quadratic work would take hours
    assert found["linkage, prosecutor"].found == Fraction(1, int(seen.sizes.min()))
    assert found["linkage, marketer"].found == Fraction(n_groups, int(seen.sizes.sum()))
    if values is all_the_same_inside:
        assert found["homogeneity (kind)"].found == 1
        assert found["similarity (number)"].found == 0
        rarest = int(frequencies.reference("kind").min())
        assert found["skewness (kind)"].before == Fraction(rarest, int(seen.sizes.sum()))


@pytest.mark.parametrize(
    ("n_groups", "limit"), [(20_000, 5), pytest.param(1_000_000, 60, marks=pytest.mark.slow)]
)
def test_the_people_who_fit_many_boxes_are_counted_in_seconds(n_groups, limit):
    frequencies = published(n_groups, n_groups, by_chance)
    seen = frequencies.as_it_is()
    people_in(seen.boxes, frequencies)  # compiled, if it was not
    started = time.perf_counter()
    assert (people_in(seen.boxes, frequencies) == seen.sizes).all()
    slabs = np.array([[[0, SIDE - 1], [0, SIDE - 1], [j, j]] for j in range(SIDE)], dtype=np.int32)
    expected = np.bincount(seen.boxes[:, 2, 0], weights=seen.sizes)
    assert (people_in(slabs, frequencies) == expected).all()
    assert time.perf_counter() - started < limit
