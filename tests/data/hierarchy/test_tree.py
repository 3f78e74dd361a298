"""Tree: what a nested dict grows into, and what is refused."""

import pytest

import sfumato as sf
from data.hierarchy.grown import grow, path, paths, refusal


def test_a_tree_is_a_nested_dict():
    rule = sf.Tree({"Europe": ["France", "Italy"], "Asia": {"Japan": None, "China": None}})
    assert paths(grow(rule, ["Japan"])) == [
        ("France", "Europe", "*"),
        ("Italy", "Europe", "*"),
        ("Japan", "Asia", "*"),
        ("China", "Asia", "*"),
    ]


def test_a_single_key_names_the_root():
    assert path(sf.Tree({"World": {"Europe": ["France"], "Asia": ["Japan"]}}), "France") == (
        "France",
        "Europe",
        "World",
    )


def test_a_list_is_a_closed_set_of_values():
    assert paths(grow(sf.Tree(["b", "a"]), ["a"])) == [("b", "*"), ("a", "*")]


def test_a_tree_of_one_leaf_has_a_root_above_it():
    assert paths(grow(sf.Tree({"a": None}), ["a"])) == [("a", "*")]


def test_a_leaf_above_the_greatest_depth_stays_itself_until_its_parent():
    rule = sf.Tree({"Europe": {"North": ["Norway"], "Malta": None}, "unknown": None})
    assert path(rule, "Norway") == ("Norway", "North", "Europe", "*")
    assert path(rule, "Malta") == ("Malta", "Malta", "Europe", "*")
    assert path(rule, "unknown") == ("unknown", "unknown", "unknown", "*")


def test_a_tree_lists_values_that_nobody_has():
    domain = grow(sf.Tree({"E": ["x", "y"], "A": ["z"]}), ["z"])
    assert domain.labels == ("x", "y", "z")


def test_numbers_of_the_data_are_found_by_their_text():
    domain, codes = sf.Tree({"low": ["1", "2"], "high": ["3"]}).grow("grade", [3, "1"])
    assert [domain.labels[code] for code in codes] == ["3", "1"]


def test_a_closed_tree_of_ascending_numbers_is_ordered_and_another_is_not():
    ascending = grow(sf.Tree({"low": ["1", "2"], "high": ["30"]}), ["1"])
    assert ascending.numbers.tolist() == [1, 2, 30]
    assert grow(sf.Tree({"odd": ["1", "3"], "even": ["2"]}), ["1"]).numbers is None


@pytest.mark.parametrize("tree", [{}, [], {"a": []}, {"a": {}, "b": []}], ids=str)
def test_a_tree_without_leaves_is_refused(tree):
    assert str(refusal(lambda: sf.Tree(tree))) == "Tree: no leaves; give at least one ground value"


@pytest.mark.parametrize("tree", ["abc", 5, {"a": "abc"}, {"a": 5, "b": ["x"]}, None], ids=str)
def test_a_tree_of_something_else_is_refused(tree):
    assert "Tree: a node holds a dict or a list of leaves, got" in str(
        refusal(lambda: sf.Tree(tree))
    )


TWO_PLACES = (
    "Tree: a ground value stands in two places; hierarchies are trees, and a value with two "
    "parents is not supported"
)


@pytest.mark.parametrize("tree", [["a", "b", "a"], {"E": ["a"], "A": {"a": None}}], ids=str)
def test_a_value_in_two_places_of_a_tree_is_refused(tree):
    error = refusal(lambda: sf.Tree(tree))
    assert (str(error), error.values) == (TWO_PLACES, ("a",))


def test_leaves_that_read_the_same_are_refused():
    error = refusal(lambda: sf.Tree({"E": [1, "1"], "A": ["x"]}))
    assert str(error) == TWO_PLACES


def test_a_missing_value_is_no_leaf():
    assert "Tree: " in str(refusal(lambda: sf.Tree([None, "x"])))


def test_a_node_name_in_two_places_of_a_tree_is_refused():
    rule = sf.Tree({"E": {"North": ["a"]}, "A": {"North": ["b"], "South": ["c"]}})
    error = refusal(lambda: rule.grow("country", ["a"]))
    assert str(error).startswith("column 'country': Tree: ")
    assert "not nested" in str(error) or "two different sets" in str(error)


def test_values_missing_from_a_tree_are_counted_and_kept_out_of_the_message():
    rule = sf.Tree({"E": ["x"], "A": ["y"]})
    error = refusal(lambda: rule.grow("country", ["x", "Atlantis", None, "Mu"]))
    assert str(error).startswith("column 'country': 2 distinct values are missing from its hier")
    assert error.values == ("Atlantis", "Mu")
    assert "Atlantis" not in str(error)
