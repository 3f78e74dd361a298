"""A table knows the roles of its columns, and counts its people once."""

import pyarrow as pa
import pytest

import sfumato as sf

PATIENTS = pa.table(
    {
        "name": ["Ann", "Bob", "Cy", "Di"],
        "zip": ["13053", "13053", "14850", None],
        "age": [37, 37, 62, 62],
        "disease": ["flu", "HIV", "flu", None],
        "visit": ["mon", "tue", "mon", "mon"],
        "loose": ["a", "b", "c", "d"],
    }
)


def test_every_column_has_its_role():
    table = sf.read(
        PATIENTS,
        quasi_identifiers={"age": sf.Intervals(10), "zip": sf.Prefix()},
        sensitive="disease",
        identifiers=["name"],
        insensitive=["visit"],
    )
    assert table.schema.quasi_identifiers == ("age", "zip")
    assert table.schema.sensitive == ("disease",)
    assert table.schema.identifiers == ("name",)
    assert table.schema.insensitive == ("visit",)
    assert table.schema.without_role == ("loose",)
    assert table.schema.published_columns == ("zip", "age", "disease", "visit")


def test_only_quasi_identifiers_and_sensitive_columns_are_counted():
    table = sf.read(
        PATIENTS, quasi_identifiers=["zip", "age"], sensitive=["disease"], insensitive=["visit"]
    )
    assert tuple(table.domains) == ("zip", "age", "disease")
    frequencies = table.frequencies()
    assert frequencies.columns == ("zip", "age", "disease")
    assert (len(frequencies), frequencies.n_rows, table.n_rows) == (4, 4, 4)
    assert frequencies.combinations.counts.tolist() == [2, 1, 1]


def test_a_column_without_a_role_is_named_when_the_table_is_shown():
    table = sf.read(PATIENTS, quasi_identifiers=["zip"], identifiers=["name"])
    assert repr(table) == (
        "<Table the table: quasi-identifiers zip; "
        "dropped for want of a role: age, disease, visit, loose>"
    )


def test_a_table_of_a_file_shows_the_name_of_the_file_and_no_value(tmp_path):
    path = tmp_path / "patients.csv"
    path.write_text("zip,disease\n13053,flu\n")
    table = sf.read(path, quasi_identifiers=["zip"], sensitive="disease")
    table.frequencies()
    assert repr(table) == f"<Table {path}: quasi-identifiers zip; sensitive disease>"
    assert "13053" not in repr(table.frequencies())


def test_a_table_without_a_sensitive_column_is_counted_by_its_quasi_identifiers():
    table = sf.read(PATIENTS, quasi_identifiers=["age"])
    assert table.frequencies().sensitive == ()
    assert table.frequencies().counts.tolist() == [2, 2]


def test_several_sensitive_columns_are_counted_together():
    table = sf.read(PATIENTS, quasi_identifiers=["age"], sensitive=["disease", "visit"])
    assert table.frequencies().sensitive == ("disease", "visit")
    assert len(table.frequencies()) == 4


def test_a_missing_value_is_a_value():
    table = sf.read(PATIENTS, quasi_identifiers=["zip"], sensitive="disease")
    assert table.domains["zip"].labels == ("13053", "14850", None)
    assert table.domains["disease"].labels == ("HIV", "flu", None)
    assert table.n_rows == 4


def test_hierarchies_may_be_given_beside_the_names():
    beside = sf.read(
        PATIENTS,
        quasi_identifiers=["age"],
        sensitive="disease",
        hierarchies={"age": sf.Intervals(10), "disease": sf.Tree({"viral": ["flu", "HIV"]})},
    )
    assert beside.domains["age"].taxonomy.labels[1] == ("[30, 40)", "[60, 70)")
    assert beside.domains["disease"].labels == ("flu", "HIV", None)
    inside = sf.read(PATIENTS, quasi_identifiers={"age": sf.Intervals(10)})
    assert inside.domains["age"].taxonomy.labels == beside.domains["age"].taxonomy.labels


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (
            {"quasi_identifiers": {"age": sf.Flat()}, "hierarchies": {"age": sf.Flat()}},
            "column 'age' is given two hierarchies",
        ),
        (
            {"quasi_identifiers": ["age"], "hierarchies": {"visit": sf.Flat()}},
            "hierarchies: 'visit' is neither a quasi-identifier nor sensitive",
        ),
        ({"quasi_identifiers": {"age": "flat"}}, "column 'age': expected a hierarchy"),
        (
            {"quasi_identifiers": ["age"], "engine": "oracle"},
            "engine: unknown name 'oracle'; known are 'duckdb'",
        ),
        ({"quasi_identifiers": ["age"], "sensitive": 7}, "sensitive: expected column names, got 7"),
        (
            {"quasi_identifiers": ["age"], "identifiers": ["age"]},
            "column 'age' stands in both quasi_identifiers and identifiers; give it one role",
        ),
        (
            {"quasi_identifiers": ["age"], "insensitive": ["name"], "person": "name"},
            "column 'name' stands in both insensitive and person; give it one role",
        ),
    ],
)
def test_roles_that_contradict_each_other_are_refused(roles, message):
    with pytest.raises(sf.BadInput) as caught:
        sf.read(PATIENTS, **roles)
    assert str(caught.value).startswith(message)


def test_a_table_is_counted_once():
    table = sf.read(PATIENTS, quasi_identifiers=["age"])
    assert table.frequencies() is table.frequencies()
    assert table.domains is table.domains


# --------------------------------------------------------------------------------------- people


def test_with_one_row_each_people_are_rows():
    table = sf.read(PATIENTS, quasi_identifiers=["age"], person="name")
    assert table.frequencies().counts.tolist() == [2, 2]
    assert "name" not in table.schema.published_columns
    assert "name" not in repr(table)


@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_a_person_with_several_rows_is_refused_and_not_named(tmp_path, kind):
    frame = pa.table({"who": ["Ann", "Ann", "Ann", "Bob"], "age": ["1", "1", "1", "2"]})
    source = frame
    if kind == "csv":
        source = tmp_path / "people.csv"
        source.write_text("who,age\nAnn,1\nAnn,1\nAnn,1\nBob,2\n")
    with pytest.raises(sf.BadInput) as caught:
        sf.read(source, quasi_identifiers=["age"], person="who").frequencies()
    assert str(caught.value) == (
        "person: 2 rows repeat a value of 'who'; a release counts people, so give one row for each"
    )


def test_a_row_of_nobody_is_refused():
    frame = pa.table({"who": ["Ann", None, None], "age": [1, 1, 1]})
    with pytest.raises(sf.BadInput, match=r"^person: column 'who' is missing in 2 rows$"):
        sf.read(frame, quasi_identifiers=["age"], person="who").frequencies()


# ------------------------------------------------------------------------------- very small tables


@pytest.mark.parametrize("text", ["age,zip", "age,zip\n", "age,zip\r\n", "\ufeffage,zip\n"])
def test_a_header_alone_has_no_rows(tmp_path, text):
    path = tmp_path / "empty.csv"
    path.write_text(text, newline="")
    table = sf.read(path, quasi_identifiers=["age"], sensitive="zip")
    with pytest.raises(sf.BadInput) as caught:
        table.frequencies()
    assert str(caught.value) == f"{path}: no rows"


def test_a_frame_without_rows_has_no_rows():
    table = sf.read(PATIENTS.slice(4), quasi_identifiers=["age"], person="name")
    with pytest.raises(sf.BadInput, match=r"^the table: no rows$"):
        table.frequencies()


def test_one_row_is_a_table():
    table = sf.read(PATIENTS.slice(3), quasi_identifiers=["zip", "age"], sensitive="disease")
    assert table.n_rows == len(table.frequencies()) == 1
    assert table.domains["zip"].labels == (None,)
    assert table.domains["age"].labels == (62,)
