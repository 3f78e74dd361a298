"""Roles of columns: who is what, and every way to say it wrongly."""

import pytest

import sfumato as sf
from sfumato.data.schema import Schema
from sfumato.errors import BadInput, shown

COLUMNS = ("name", "age", "zip", "sex", "disease", "note", "id")


def refused(*args, **options):
    with pytest.raises(BadInput) as caught:
        Schema.of(COLUMNS, *args, **options)
    return str(caught.value)


def test_every_role_is_kept():
    age = sf.Intervals(5)
    schema = Schema.of(
        COLUMNS,
        {"zip": sf.Prefix(), "age": age},
        sensitive="disease",
        identifiers=["name"],
        insensitive=["note"],
        person="id",
    )
    assert schema.columns == COLUMNS
    assert schema.quasi_identifiers == ("zip", "age")
    assert schema.sensitive == ("disease",)
    assert schema.identifiers == ("name",)
    assert schema.insensitive == ("note",)
    assert schema.person == "id"
    assert schema.counted == ("zip", "age", "disease")
    assert schema.hierarchies["age"] is age
    assert isinstance(schema.hierarchies["disease"], sf.Flat)


def test_a_column_without_a_role_is_not_published():
    schema = Schema.of(COLUMNS, ["sex"], sensitive="disease", identifiers=["name"], person="id")
    assert schema.without_role == ("age", "zip", "note")
    assert schema.published_columns == ("sex", "disease")


def test_columns_are_published_in_the_order_of_the_source():
    schema = Schema.of(COLUMNS, ["sex", "age"], sensitive="disease", insensitive=["note", "zip"])
    assert schema.published_columns == ("age", "zip", "sex", "disease", "note")
    assert schema.without_role == ("name", "id")


def test_hierarchies_may_be_given_apart_and_for_sensitive_columns_too():
    tree, prefix = sf.Tree({"virus": ["flu"], "other": ["acne"]}), sf.Prefix()
    schema = Schema.of(
        COLUMNS, ["zip", "sex"], "disease", hierarchies={"disease": tree, "zip": prefix}
    )
    assert schema.hierarchies["disease"] is tree
    assert schema.hierarchies["zip"] is prefix
    assert isinstance(schema.hierarchies["sex"], sf.Flat)


def test_one_name_may_stand_without_a_list():
    schema = Schema.of(COLUMNS, "age", "disease", "name", "note")
    assert schema.quasi_identifiers == ("age",)
    assert schema.identifiers == ("name",)
    assert schema.insensitive == ("note",)


def test_nothing_need_be_sensitive():
    assert Schema.of(COLUMNS, ["age"]).sensitive == ()


@pytest.mark.parametrize(
    ("role", "options"),
    [
        ("quasi_identifiers", {"quasi_identifiers": ["disese"]}),
        ("quasi_identifiers", {"quasi_identifiers": {"disese": sf.Flat()}}),
        ("sensitive", {"sensitive": "disese"}),
        ("identifiers", {"identifiers": ["disese"]}),
        ("insensitive", {"insensitive": ["disese"]}),
        ("person", {"person": "disese"}),
    ],
)
def test_an_unknown_column_is_refused_with_its_role_and_the_nearest_name(role, options):
    options = {"quasi_identifiers": ["age"]} | options
    assert refused(**options) == f"{role}: unknown column 'disese'; did you mean 'disease'?"


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"sensitive": "age"}, "both quasi_identifiers and sensitive"),
        ({"identifiers": ["age"]}, "both quasi_identifiers and identifiers"),
        ({"insensitive": ["age"]}, "both quasi_identifiers and insensitive"),
        ({"person": "age"}, "both quasi_identifiers and person"),
        ({"sensitive": ["sex", "sex"]}, "sensitive twice"),
        ({"identifiers": ["sex"], "insensitive": ["sex"]}, "both identifiers and insensitive"),
    ],
)
def test_a_column_in_two_roles_is_refused_with_both(options, where):
    column = "age" if "quasi" in where else "sex"
    assert refused(["age"], **options) == f"column {column!r} stands in {where}; give it one role"


@pytest.mark.parametrize("nothing", [[], {}, ()])
def test_there_must_be_a_quasi_identifier(nothing):
    assert refused(nothing) == "quasi_identifiers: name at least one column that others may know"


@pytest.mark.parametrize("names", [5, None, [1, 2], [sf.Flat()], {1: sf.Flat()}])
def test_roles_are_names(names):
    assert refused(names) == f"quasi_identifiers: expected column names, got {shown(names)}"


def test_a_column_has_one_hierarchy():
    said = refused({"age": sf.Flat()}, hierarchies={"age": sf.Intervals(5)})
    assert said == "column 'age' is given two hierarchies"


@pytest.mark.parametrize("column", ["name", "note", "disese"])
def test_only_what_is_counted_can_have_a_hierarchy(column):
    said = refused(
        ["age"],
        "disease",
        identifiers=["name"],
        insensitive=["note"],
        hierarchies={column: sf.Flat()},
    )
    assert said.startswith(f"hierarchies: {column!r} is neither a quasi-identifier nor sensitive; ")


@pytest.mark.parametrize("rule", [None, "flat", [5, 10], sf.Flat], ids=str)
def test_a_hierarchy_is_a_hierarchy(rule):
    said = refused({"age": rule})
    assert said == f"column 'age': expected a hierarchy such as sf.Flat(), got {shown(rule)}"
