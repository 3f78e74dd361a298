"""What values of a database mean, where a file has no such type; and which are refused."""

from collections import Counter
from decimal import Decimal
from uuid import UUID

import pytest

import sfumato as sf

KIND = {  # type -> SQL of values -> what is counted
    "varchar(9)": ("'a', '', NULL, 'a '", {"a": 1, "": 1, None: 1, "a ": 1}),
    "char(5)": ("'a', 'a  ', NULL, ''", {"a": 2, None: 1, "": 1}),
    '"char"': ("'a', 'b', NULL, 'a'", {"a": 2, "b": 1, None: 1}),
    "name": ("'a', 'b', NULL, 'a'", {"a": 2, "b": 1, None: 1}),
    "text": ("'ß', 'ss', NULL, 'ß'", {"ß": 2, "ss": 1, None: 1}),
    "text COLLATE any_case": ("'Flu', 'flu', NULL, 'FLU'", {"Flu": 1, "flu": 1, "FLU": 1, None: 1}),
    "citext": ("'Flu', 'flu', NULL, 'FLU'", {"Flu": 1, "flu": 1, "FLU": 1, None: 1}),
    "mood": ("'sad', 'ok', NULL, 'ok'", {"sad": 1, "ok": 2, None: 1}),
    "zip_code": ("'01234', '1234', NULL, '01234'", {"01234": 2, "1234": 1, None: 1}),
    "amount": ("1.5, 2, NULL, 1.50", {Decimal("1.50"): 2, Decimal("2.00"): 1, None: 1}),
    "numeric(9,2)": ("1.5, 'NaN', NULL, 1.50", {Decimal("1.50"): 2, None: 2}),
    "numeric": ("1.5, 'NaN', NULL, 1.50", {Decimal("1.50"): 2, None: 2}),
    "numeric(5,-2)": ("1234, 100, NULL, 100", {Decimal(1200): 1, Decimal(100): 2, None: 1}),
    "money": ("12.34, 0, NULL, 12.34", {Decimal("12.34"): 2, Decimal("0.00"): 1, None: 1}),
    "float8": ("0.1, 'NaN', NULL, '-0'", {0.1: 1, None: 2, 0.0: 1}),
    "bigint": ("9223372036854775807, 0, NULL, 0", {2**63 - 1: 1, 0: 2, None: 1}),
    "boolean": ("true, false, NULL, true", {True: 2, False: 1, None: 1}),
    "uuid": (
        "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', NULL, NULL, 'a0eebc999c0b4ef8bb6d6bb9bd380a11'",
        {str(UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")): 2, None: 2},
    ),
    "timestamp": (
        "'2020-01-01 12:00', NULL, '2020-01-01 12:00:00.5', NULL",
        {"2020-01-01 12:00:00": 1, "2020-01-01 12:00:00.5": 1, None: 2},
    ),
    "timestamptz": (
        "'2020-01-01 12:00+02', '2020-01-01 10:00Z', NULL, '2020-06-01 00:00 Europe/Paris'",
        {"2020-01-01 10:00:00+00": 2, "2020-05-31 22:00:00+00": 1, None: 1},
    ),
    "time": (
        "'01:02', NULL, '01:02:00.000001', NULL",
        {"01:02:00": 1, "01:02:00.000001": 1, None: 2},
    ),
}


@pytest.fixture(scope="module")
def kinds(server):
    server.run(
        "CREATE EXTENSION citext",
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN digits AS varchar(9) CHECK (VALUE ~ '^[0-9]+$')",
        "CREATE DOMAIN zip_code AS digits",
        "CREATE DOMAIN amount AS numeric(9,2)",
        "CREATE COLLATION any_case "
        "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    )
    return server


def made(server, kind, values) -> str:
    """Make a table of one column; give its address."""
    name = f"kind{next(server.numbers)}"
    rows = ", ".join(f"({each}, 1)" for each in values.split(", "))
    server.run(f"CREATE TABLE {name} (v {kind}, w int)", f"INSERT INTO {name} VALUES {rows}")
    return server.address(name)


@pytest.mark.engines
@pytest.mark.parametrize("kind", KIND)
def test_what_values_of_a_type_are(kinds, kind):
    values, expected = KIND[kind]
    table = sf.read(made(kinds, kind, values), ["v"])
    assert Counter(table.people_by_value("v")) == expected


@pytest.mark.engines
@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        ("jsonb", "'{}', '1'", "column 'v': values of type jsonb are not read; make a view"),
        ("bytea", "'\\x00', '\\x01'", "column 'v': values of type bytea are not read"),
        ("interval", "'1 day', '2 days'", "column 'v': values of type interval are not read"),
        ("int4range", "'[1,2)', '[2,3)'", "column 'v': values of type int4range are not read"),
        ("timetz", "'01:00+01', '02:00+01'", "values of type time with time zone are not read"),
        ("date", "'infinity', '2020-01-01'", "column 'v': a date is infinite, or after the year"),
        ("timestamptz", "'-infinity', '2020-01-01'", "column 'v': a date is infinite, or after"),
        ("timestamp", "'294276-01-01', '2020-01-01'", "column 'v': a date is infinite, or after"),
        ("date", "'20000-01-01', '2020-01-01'", "column 'v': a value is out of reach, such as"),
        ("date", "'0044-03-15 BC', '2020-01-01'", "column 'v': a value is out of reach, such as"),
        ("numeric", "'Infinity', 1", "column 'v': a number is infinite; make a view without it"),
        ("numeric", "1e30, 1e-30", "column 'v': numbers have more than 38 digits; make a view"),
    ],
)
def test_what_cannot_be_counted_is_refused(kinds, kind, values, message):
    address = made(kinds, kind, values)
    with pytest.raises(sf.BadInput) as refused:
        sf.read(address, ["v"]).frequencies()
    assert message in str(refused.value)
    assert sf.read(address, ["w"]).frequencies().n_rows == 2  # without a role it is left alone
    if "not read" in message:
        with pytest.raises(sf.BadInput, match="are not read"):
            sf.anonymize(
                sf.read(address, ["w"], insensitive=["v"]), sf.KAnonymity(1), sf.Mondrian()
            )


@pytest.mark.engines
def test_lists_of_values_are_sets(kinds):
    kinds.run(
        "CREATE TABLE sets (a int, t text[], i int[], m mood[], u uuid[], n numeric[])",
        "INSERT INTO sets SELECT j % 2, ARRAY['x', NULL, 'y ']::text[], ARRAY[2, 1], "
        "ARRAY['ok']::mood[], NULL, NULL FROM generate_series(1, 10) AS j",
    )
    for column, values in {"t": ["x", "y "], "i": [1, 2], "m": ["ok"], "u": []}.items():
        table = sf.read(kinds.address("sets"), ["a"], column)
        assert table.set_valued == column
        assert table.people_by_value(column) == dict.fromkeys(values, 10)
    with pytest.raises(sf.BadInput, match=r"values of type numeric\[\] are not read"):
        sf.read(kinds.address("sets"), ["a"], "n").frequencies()


@pytest.mark.engines
def test_a_table_in_another_encoding(server):
    server.run("CREATE DATABASE old ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    server.run("CREATE TABLE t (v text)", "INSERT INTO t VALUES (U&'\\00e9')", database="old")
    table = sf.read(server.address("t", database="old"), ["v"])
    assert table.people_by_value("v") == {"é": 1}


@pytest.mark.engines
def test_many_people_of_one_combination_are_all_there(server):
    """A row that stands for many is taken apart on our side."""
    server.run("CREATE TABLE many AS SELECT j / 10000 AS v FROM generate_series(0, 20001) AS j")
    table = sf.read(server.address("many"), ["v"])
    assert table.people_by_value("v") == {0: 10_000, 1: 10_000, 2: 2}
    (sizes,) = table.alike([["v"]])
    assert (sizes.n, table.n_rows) == (3, 20_002)


@pytest.mark.engines
def test_what_is_looked_at_has_all_columns(kinds):
    kinds.run(
        "CREATE TABLE looked (name text, age int, notes jsonb)",
        "INSERT INTO looked SELECT 'person ' || j, 30 + j % 5, '{}' FROM generate_series(1, 50) j",
    )
    proposal = sf.propose(kinds.address("looked"))
    roles = {each.name: each.role.value for each in proposal.columns}
    assert roles.keys() == {"name", "age", "notes"}
    assert "age" in proposal.quasi_identifiers
    (notes,) = (each.reason for each in proposal.columns if each.name == "notes")
    assert notes.startswith("values of a type that is not counted: left out; make a column, or a")
    harbour = sf.safe_harbor(kinds.address("looked"))
    assert harbour.objections or harbour.not_checked
