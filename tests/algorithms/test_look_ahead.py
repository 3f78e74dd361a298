"""Mondrian that looks ahead: cuts that would be safe whoever had which value."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.replay
import sfumato as sf
from profiles import examples

RULES = {"a": sf.Tree({"A": ["1", "2"], "B": ["3", "4"]}), "b": sf.Tree(["x", "y"])}
PROMISES = [
    sf.KAnonymity(2),
    sf.LDiversity(2),
    sf.LDiversity(3),
    sf.LDiversity(2, "frequency"),
    sf.LDiversity("3/2", "frequency", values=["HIV"]),
    sf.LDiversity(2, "frequency", values=["HIV", "flu"], pooled=True),
    sf.KAnonymity(2) & sf.LDiversity("3/2", "frequency"),
    sf.AlphaKAnonymity("2/3", 2),
    sf.PSensitiveKAnonymity(2, 3),
]
VALUES = ("HIV", "flu", "no")
AHEAD = sf.Mondrian(look_ahead=True)


def rows(least, most):
    people = st.tuples(st.sampled_from("1234"), st.sampled_from("xy"), st.sampled_from(VALUES))
    return st.lists(people, min_size=least, max_size=most).map(
        lambda drawn: [dict(zip("abs", each, strict=True)) for each in drawn]
    )


@examples(60)
@given(st.lists(st.sampled_from(VALUES), min_size=1, max_size=7), st.sampled_from(PROMISES))
def test_enough_people_are_the_fewest_that_are_safe_whoever_they_are(values, promise):
    def holds(people):
        counts = Counter(people)
        groups = sf.Groups([len(people)], [[counts[v] for v in VALUES]], values=VALUES)
        return all(bool(part.holds(groups)[0]) for part in promise.parts)

    safe = [
        all(holds(people) for people in combinations(values, n)) for n in range(1, len(values) + 1)
    ]
    counts = Counter(values)
    whole = sf.Groups([len(values)], [[counts[v] for v in VALUES]], values=VALUES)
    enough = max(int(part.enough_people(whole)[0]) for part in promise.parts)
    assert safe == [n >= enough for n in range(1, len(values) + 1)]


@examples(60)
@given(rows(4, 6), st.sampled_from(PROMISES))
def test_knowing_the_method_tells_nothing_in_any_world(people, promise):
    """By running it on every world: a group's shares are what is believed of its people."""
    ((_, boxes, out),) = naive.replay.published(people, RULES, ["s"], promise, AHEAD)
    if not boxes:
        return
    assert not out
    believed = naive.replay.beliefs(people, RULES, ["s"], promise, AHEAD, boxes)
    sizes = Counter()
    for (box, _), n in boxes.items():
        sizes[box] += n
    for (a, b), beliefs in believed.items():
        (own,) = [box for box in sizes if a in box[0] and b in box[1]]
        expected = {v: Fraction(n, sizes[box]) for (box, v), n in boxes.items() if box == own}
        assert {value: share for value, share in beliefs.items() if share} == expected


@examples(40)
@given(rows(2, 12), st.sampled_from(PROMISES))
def test_it_publishes_wherever_the_joint_search_does_and_keeps_the_promise(people, promise):
    table = sf.read(pa.Table.from_pylist(people), RULES, sensitive="s")
    try:
        joint = sf.anonymize(table, promise, sf.Mondrian())
    except sf.SfumatoError as error:
        with pytest.raises(type(error)):
            sf.anonymize(table, promise, AHEAD)
        return
    release = sf.anonymize(table, promise, AHEAD)
    assert release.check()
    assert len(release.groups) <= len(joint.groups)


def test_by_numbers_of_people_alone_it_cuts_as_it_does_otherwise():
    patients = sf.read(
        sf.datasets.patients(), {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}, "disease"
    )
    ahead, joint = (
        sf.anonymize(patients, sf.KAnonymity(7), method) for method in (AHEAD, sf.Mondrian())
    )
    assert np.array_equal(ahead.groups.sizes, joint.groups.sizes)


def test_where_a_part_is_about_each_of_several_columns_nothing_is_cut():
    """Somebody who knows the other column sees parts of a group, of any size."""
    rows = [{"a": "1234"[j % 4], "s": "uv"[j % 2], "t": "xyz"[j % 3]} for j in range(24)]
    table = sf.read(pa.Table.from_pylist(rows), {"a": RULES["a"]}, ["s", "t"])
    assert len(sf.anonymize(table, sf.LDiversity(2, attribute="t"), AHEAD).groups) > 1
    assert len(sf.anonymize(table, sf.LDiversity(2), AHEAD).groups) == 1


@pytest.mark.parametrize(
    "promise",
    [sf.TCloseness("1/2"), sf.LDiversity(2, "entropy"), sf.RecursiveDiversity(3, 2)],
    ids=str,
)
def test_what_does_not_say_who_is_safe_is_refused(promise):
    assert "does not say which people" in str(AHEAD.refuses(sf.KAnonymity(2) & promise))


def test_relaxed_cuts_do_not_look_ahead():
    with pytest.raises(sf.BadInput, match="look_ahead goes with strict cuts"):
        sf.Mondrian(strict=False, look_ahead=True)
