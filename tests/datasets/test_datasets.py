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
    with pytest.raises(sf.BadInput, match="'train' or 'test'"):
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
