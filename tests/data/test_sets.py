"""A code may stand for a person's whole set of values; its values count each for itself."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.groups
import sfumato as sf
from sfumato.data.frequency import FrequencySet
from sfumato.data.set_valued import each_alone, grow_sets, over_values

LISTS = [["b"], [], ["c", "a"], ["a", "b", "a"], ["a"]]
people = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.sampled_from("abcde"), max_size=4)),
    min_size=1,
    max_size=20,
).filter(lambda given: any(values for _, values in given))


def counted(given) -> FrequencySet:
    """Count people given as (known, list of values)."""
    known, known_codes = sf.Flat().grow("q", sorted({known for known, _ in given}))
    rank = dict(zip(sorted({known for known, _ in given}), known_codes.tolist(), strict=True))
    lists = list(dict.fromkeys(tuple(sorted(values)) for _, values in given))
    sets, codes = grow_sets(sf.Flat(), "s", lists)
    code = dict(zip(lists, codes.tolist(), strict=True))
    columns = {
        "q": np.array([rank[known] for known, _ in given], dtype=np.int32),
        "s": np.array([code[tuple(sorted(values))] for _, values in given], dtype=np.int32),
    }
    ones = np.ones(len(given), dtype=np.int64)
    return FrequencySet.from_codes({"q": known, "s": sets}, ["q"], ["s"], columns, ones)


def test_sets_stand_in_the_order_of_their_values_and_the_empty_one_first():
    domain, codes = grow_sets(sf.Flat(), "s", LISTS)
    assert domain.labels == ((), ("a",), ("a", "a", "b"), ("a", "c"), ("b",))
    assert codes.tolist() == [4, 0, 3, 2, 1]
    assert domain.values.labels == ("a", "b", "c")
    assert (len(domain), domain.has_missing, domain.members.repeated) == (5, False, True)


def test_the_order_of_sets_does_not_depend_on_who_lists_them():
    shuffled = random.Random(1)
    expected, _ = grow_sets(sf.Flat(), "s", LISTS)
    for _ in range(20):
        lists = [shuffled.sample(each, len(each)) for each in shuffled.sample(LISTS, len(LISTS))]
        domain, codes = grow_sets(sf.Flat(), "s", lists)
        assert domain.labels == expected.labels
        assert [Counter(domain.labels[code]) for code in codes] == list(map(Counter, lists))


def test_single_values_are_ordered_by_their_hierarchy():
    tree = sf.Tree({"viral": ["flu", "HIV"], "other": ["cold", "gout"]})
    domain, _ = grow_sets(tree, "s", [["HIV", "cold"], ["flu"], ["cold"]])
    assert domain.values.labels == ("flu", "HIV", "cold", "gout")
    assert domain.labels == (("flu",), ("HIV", "cold"), ("cold",))
    with pytest.raises(sf.BadInput, match="column 's': 1 distinct values are missing from its hie"):
        grow_sets(tree, "s", [["flu", "plague"]])


def test_a_column_in_which_nobody_has_a_value_is_refused():
    with pytest.raises(sf.BadInput, match=r"^column 's': nobody has a value"):
        grow_sets(sf.Flat(), "s", [[]])


def test_what_sets_consist_of_is_listed_as_often_as_they_are_asked_for():
    domain, codes = grow_sets(sf.Flat(), "s", LISTS)
    position, values, each = domain.members.of(codes[[3, 1, 2, 3]])
    found = [
        (p, domain.values.labels[v], n) for p, v, n in zip(position, values, each, strict=True)
    ]
    twice = [("a", 2), ("b", 1)]
    assert found == [(0, *twice[0]), (0, *twice[1]), (2, "a", 1), (2, "c", 1)] + [
        (3, *entry) for entry in twice
    ]


@given(people)
def test_people_and_occurrences_equal_plain_counting(given):
    frequencies = counted(given)
    expected = naive.groups.occurrences_counted([((known,), Counter(v)) for known, v in given])
    grouping = frequencies.as_it_is()
    groups = grouping.groups()
    labels = groups.labels
    found = {
        (frequencies.domains["q"].labels[low],): (
            size,
            Counter({labels[j]: n for j, n in enumerate(row) if n}),
        )
        for low, size, row in zip(
            grouping.boxes[:, 0, 0],
            groups.sizes.tolist(),
            groups.histogram.to_dense().tolist(),
            strict=True,
        )
    }
    assert found == expected
    everything = sum((Counter(v) for _, v in given), Counter())
    assert groups.reference.tolist() == [everything[label] for label in labels]
    assert frequencies.n_rows == len(given) == groups.sizes.sum()
    listed = Counter()
    occurring = frequencies.occurrences("s")
    for where, code, n in zip(
        occurring.combination, occurring.codes, occurring.counts.tolist(), strict=True
    ):
        listed[frequencies.combinations.codes("q")[where], labels[code]] += n
    assert {key: n for key, n in listed.items() if n} == {
        (frequencies.domains["q"].labels.index(known[0]), value): n
        for known, (_, values) in expected.items()
        for value, n in values.items()
    }


@given(people)
def test_seen_with_the_values_of_its_original_a_table_counts_the_same(given):
    """A published table may know fewer values, and in another order."""
    original = counted([*given, (0, ["e", "0"])])
    domain, codes = grow_sets(sf.Flat(), "s", [list(reversed(v)) for _, v in given])
    columns = {"q": np.zeros(len(given), dtype=np.int32), "s": codes}
    ones = np.ones(len(given), dtype=np.int64)
    domains = {"q": sf.Flat().grow("q", [0])[0], "s": domain}
    seen = FrequencySet.from_codes(domains, ["q"], ["s"], columns, ones).as_it_is()
    groups = seen.with_values_of(original).groups()
    assert groups.labels == original.domains["s"].values.labels
    assert groups.reference.tolist() == original.reference("s").tolist()
    everything = sum((Counter(v) for _, v in given), Counter())
    (row,) = groups.histogram.to_dense().tolist()
    assert row == [everything[label] for label in groups.labels]
    assert groups.sizes.tolist() == [len(given)]


def test_over_other_values_a_set_stays_in_order():
    domain, _ = grow_sets(sf.Flat(), "s", LISTS)
    turned = over_values(domain, domain.values, np.array([2, 1, 0], dtype=np.int32))
    for code in range(len(domain)):
        (_, before, n_before), (_, after, n_after) = (
            each.members.of(np.array([code])) for each in (domain, turned)
        )
        assert after.tolist() == sorted((2 - before).tolist())
        assert n_after.tolist() == n_before.tolist()[::-1]


def test_values_seen_alone_are_sets_of_one():
    domain = each_alone(sf.Flat().grow("s", ["b", "a"])[0])
    assert domain.labels == domain.values.labels == ("a", "b")
    assert not domain.members.repeated
    position, values, each = domain.members.of(np.array([1, 0, 1]))
    assert (position.tolist(), values.tolist(), each.tolist()) == ([0, 1, 2], [1, 0, 1], [1, 1, 1])


def test_sets_and_single_values_are_not_taken_for_each_other():
    sets = counted([(0, ["a", "b"]), (1, [])])
    domains = sets.domains | {"s": sf.Flat().grow("s", ["a", "b"])[0]}
    codes = {"q": np.array([0], dtype=np.int32), "s": np.array([1], dtype=np.int32)}
    single = FrequencySet.from_codes(domains, ["q"], ["s"], codes, np.ones(1, dtype=np.int64))
    for one, other in ((sets, single), (single, sets)):
        with pytest.raises(sf.BadInput, match=r"^column 's': people have one value each in"):
            one.with_values_of(other)
