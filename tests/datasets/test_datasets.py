"""The bundled sample data: complete, attributed, and with taxonomies of the stated heights."""

import csv
from importlib.resources import files

import pyarrow.compute as pc
import pytest

import sfumato as sf

# Wong 2009, table XXII: distinct values among complete rows, and height.
TABLE_XXII = {
    "age": (74, 4),
    "workclass": (7, 3),
    "marital-status": (7, 3),
    "occupation": (14, 2),
    "race": (5, 2),
    "sex": (2, 1),
    "native-country": (41, 3),
    "salary": (2, 1),
    "education": (16, 4),
}
CATEGORICAL = [*(name for name in TABLE_XXII if name != "age"), "relationship"]


@pytest.fixture(scope="module")
def complete():
    table = sf.datasets.adult()
    for name in table.column_names:
        table = table.filter(pc.is_valid(table[name]))
    return table


def test_adult_has_all_rows_with_train_and_test_told_apart(complete):
    assert sf.datasets.adult().num_rows == 48842
    assert sf.datasets.adult("train").num_rows == 32561
    assert sf.datasets.adult("test").num_rows == 16281
    assert complete.num_rows == 45222
    parts = complete["part"].to_pylist()
    assert (parts.count("train"), parts.count("test")) == (30162, 15060)
    with pytest.raises(sf.BadInput, match="one of train, test"):
        sf.datasets.adult("all")


@pytest.mark.parametrize("name", TABLE_XXII)
def test_values_and_heights_are_those_of_table_xxii(complete, name):
    n_values, height = TABLE_XXII[name]
    assert len(complete[name].unique()) == n_values
    table = sf.read(complete, {name: sf.datasets.adult_hierarchies()[name]})
    assert table.domains[name].taxonomy.height == height


@pytest.mark.parametrize("name", CATEGORICAL)
def test_a_taxonomy_lists_exactly_the_values_of_its_column(name):
    domain, _ = sf.datasets.adult_hierarchies()[name].grow(name, [])
    values = sf.datasets.adult()[name].unique().to_pylist()
    assert set(domain.labels) == {value for value in values if value is not None}


def test_the_elementary_subtree_holds_the_1566_tuples_of_the_paper(complete):
    """Wong 2009, section 7: the education values below 9th grade."""
    sensitive = {"Preschool", "1st-4th", "5th-6th", "7th-8th"}
    assert sum(value in sensitive for value in complete["education"].to_pylist()) == 1566
    domain, _ = sf.datasets.adult_hierarchies()["education"].grow("education", [])
    together = [
        {label for label, n in zip(domain.labels, names, strict=True) if n == node}
        for names in domain.taxonomy.labels
        for node in set(names)
    ]
    assert sensitive in together


def test_the_attribution_travels_with_the_data():
    text = files("sfumato.datasets").joinpath("ADULT.md").read_text()
    for needed in ("UCI", "Becker", "Kohavi", "CC BY 4.0"):
        assert needed in text


def test_the_hospital_is_made_up_and_has_what_examples_need():
    with sf.datasets.patients().open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len({row["name"] for row in rows}) == 2000
    assert any(row["zip"].startswith("0") for row in rows)
    assert sum(row["zip"] == "" for row in rows) == 20


def test_nursery_is_every_application_once_with_the_class_counts_of_uci():
    table = sf.datasets.nursery()
    assert table.num_rows == 12960 == 3 * 5 * 4 * 4 * 3 * 2 * 3 * 3
    without_class = table.drop_columns("class")
    assert len({tuple(row.values()) for row in without_class.to_pylist()}) == 12960
    counts = {row["values"]: row["counts"] for row in table["class"].value_counts().to_pylist()}
    assert counts == {
        "not_recom": 4320,
        "recommend": 2,
        "very_recom": 328,
        "priority": 4266,
        "spec_prior": 4044,
    }


def rank(e, sf_, problems):
    """Class by marks, in letters."""
    words = {False: ("RVP", "VVP", "PPP", "PPS"), True: ("PPP", "PPP", "PPS", "PSS")}
    letters = {"R": "recommend", "V": "very_recom", "P": "priority", "S": "spec_prior"}
    return letters[words[problems][e][sf_]]


def test_the_class_of_every_application_follows_from_the_rules_taken_one_by_one():
    values = sf.datasets.nursery_hierarchies()
    order = {name: rule.grow(name, [])[0].labels for name, rule in values.items()}
    employment = [[0, 1, 1, 2, 3], [1, 1, 2, 3, 3], [2, 2, 3, 3, 3]]
    structure = [[0, 1, 2, 2], [1, 1, 2, 2], [1, 2, 2, 2], [2, 2, 2, 2]]
    for row in sf.datasets.nursery().to_pylist():
        place = {name: order[name].index(value) for name, value in row.items()}
        if row["health"] == "not_recom":
            assert row["class"] == "not_recom"
            continue
        home = 1
        if row["housing"] == "critical":
            home = 2
        elif row["housing"] == row["finance"] == "convenient":
            home = 0
        added = structure[place["form"]][place["children"]] + home
        standing = 0 if added == 0 else 1 if added <= 2 else 2
        problems = row["social"] == "problematic" or row["health"] == "priority"
        e = employment[place["parents"]][place["has_nurs"]]
        assert row["class"] == rank(e, standing, problems), row


def test_the_first_rows_of_nursery_are_those_of_uci():
    first = sf.datasets.nursery().slice(0, 10).to_pylist()
    assert [row["class"] for row in first] == [
        "recommend", "priority", "not_recom", "recommend", "priority", "not_recom",
        "priority", "priority", "not_recom", "very_recom",
    ]  # fmt: skip
    assert first[9]["finance"] == "inconv"


def test_nursery_is_read_with_its_values_in_their_order():
    rules = sf.datasets.nursery_hierarchies()
    sensitive = {"has_nurs": rules.pop("has_nurs")}
    table = sf.read(sf.datasets.nursery(), rules, sensitive="has_nurs", hierarchies=sensitive)
    assert table.domains["has_nurs"].labels[0] == "proper"
    assert table.domains["children"].labels == ("1", "2", "3", "more")
    assert table.n_rows == 12960
