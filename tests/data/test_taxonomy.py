"""The tree of a column: every node is one interval of ground ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.hierarchies
from profiles import examples
from properties.generated import trees
from sfumato.data.taxonomy import Taxonomy, in_tree_order
from sfumato.errors import BadInput


def compiled(rows):
    return Taxonomy.from_levels([list(labels) for labels in zip(*rows, strict=True)], "here")


def nodes(rows):
    """Every node as (level, label, ranks)."""
    found = {}
    for rank, labels in enumerate(rows):
        for level, label in enumerate(labels):
            found.setdefault((level, label), []).append(rank)
    return [(level, label, ranks) for (level, label), ranks in found.items()]


@given(trees("v"))
def test_every_node_is_the_interval_of_its_ground_values(rows):
    taxonomy = compiled(rows)
    assert taxonomy.height == len(rows[0]) - 1
    assert taxonomy.size == len(rows)
    assert taxonomy.labels[-1][0] == "*"
    for level, label, ranks in nodes(rows):
        for rank in ranks:
            assert taxonomy.labels[level][rank] == label
            assert taxonomy.low[level, rank] == min(ranks)
            assert taxonomy.high[level, rank] == max(ranks)
            assert len(ranks) == naive.hierarchies.coverage(rows, rows[rank][0], level)


@given(trees("v"), st.randoms(use_true_random=False))
def test_tree_order_makes_every_node_contiguous_whatever_the_order_of_the_rows(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    ordered = [shuffled[j] for j in in_tree_order(shuffled)]
    assert sorted(ordered) == sorted(rows)
    for _, _, ranks in nodes(ordered):
        assert ranks == list(range(min(ranks), max(ranks) + 1))


def test_nodes_and_values_keep_the_order_of_their_first_appearance():
    rows = [("d", "Y", "*"), ("b", "X", "*"), ("c", "Y", "*"), ("a", "X", "*")]
    assert [rows[j][0] for j in in_tree_order(rows)] == ["d", "c", "b", "a"]


@given(trees("v"), st.data())
def test_the_enclosing_level_is_that_of_the_smallest_node_around_an_interval(rows, data):
    ranks = st.integers(0, len(rows) - 1)
    low, high = sorted((data.draw(ranks), data.draw(ranks)))
    expected = min(level for level, _, inside in nodes(rows) if {low, high} <= set(inside))
    ends = np.array([[low], [high]], dtype=np.int32)
    assert compiled(rows).enclosing_level(*ends).tolist() == [expected]


@examples(200)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("XY")), min_size=1, max_size=5).map(
        lambda middle: [(f"v{j}", *labels, "*") for j, labels in enumerate(middle)]
    )
)
def test_a_tree_is_refused_exactly_when_a_node_has_two_parents(rows):
    """In tree order a label that is not nested is either torn apart or straddles two parents."""
    parents = {}
    for _, lower, upper, _ in rows:
        parents.setdefault(lower, set()).add(upper)
    ordered = [rows[j] for j in in_tree_order(rows)]
    if all(len(above) == 1 for above in parents.values()):
        assert compiled(ordered).height == 3
    else:
        with pytest.raises(BadInput, match="here: "):
            compiled(ordered)


def test_levels_that_do_not_nest_are_refused_with_the_place_and_without_the_value():
    with pytest.raises(BadInput, match="here: not nested") as caught:
        compiled([("a", "X", "P", "*"), ("b", "X", "Q", "*")])
    assert caught.value.values == ("a",)
    assert "'a'" not in str(caught.value)


def test_a_label_of_two_nodes_is_refused_with_its_level():
    with pytest.raises(BadInput, match="here: level 1: one label stands for two") as caught:
        compiled([("a", "X", "*"), ("b", "Y", "*"), ("c", "X", "*")])
    assert caught.value.values == ("X",)


def test_a_label_of_two_nodes_on_different_levels_is_refused():
    with pytest.raises(BadInput, match="level 2: one label stands for two"):
        compiled([("a", "X", "X", "*"), ("b", "Y", "X", "*"), ("c", "Z", "Z", "*")])


def test_a_node_may_keep_its_label_on_the_next_level():
    taxonomy = compiled([("a", "X", "X", "*"), ("b", "X", "X", "*"), ("c", "c", "Y", "*")])
    assert taxonomy.labels[1] == ("X", "X", "c")
    assert taxonomy.labels[2] == ("X", "X", "Y")


def test_a_single_value_is_its_own_tree():
    taxonomy = compiled([("a", "*")])
    assert (taxonomy.size, taxonomy.height) == (1, 1)
    assert taxonomy.low.tolist() == taxonomy.high.tolist() == [[0], [0]]


def test_a_ground_value_may_be_named_like_its_parent():
    taxonomy = compiled([("Other", "Other", "*"), ("b", "Other", "*"), ("c", "Y", "*")])
    assert taxonomy.low[1].tolist() == [0, 0, 2]
