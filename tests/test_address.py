"""Addresses of databases: how names are read, and what is never repeated."""

from pathlib import Path

import pytest

import sfumato as sf
from sfumato.address import Address, Name, is_address, refuse_passwords


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("patients", Name("patients")),
        ("Clinic.Patients", Name("patients", "clinic")),
        ('clinic."Patients"', Name("Patients", "clinic")),
        ('"a.b"."c""d"', Name('c"d', "a.b")),
        (' a . "b" ', Name("b", "a")),
    ],
)
def test_a_name_is_read_as_sql_does(written, expected):
    assert Name.of(written) == expected
    assert Name.of(str(expected)) == expected
    assert Name.of(expected.quoted) == expected


@pytest.mark.parametrize("written", ["", ".", "a.", ".a", "a.b.c", '"a', '""', 'a"b"', "a b"])
def test_what_is_no_name_is_refused(written):
    with pytest.raises(sf.BadInput, match="expected the name of a table as SQL writes it"):
        Name.of(written)


def test_an_address_shows_where_and_nothing_else():
    address = Address.of("postgres://ada@h1:1,h2:2/clinic?sslmode=require#a.%22B%22")
    assert str(address) == 'postgresql://h1:1,h2:2/clinic#a."B"'
    assert address.database == "postgresql://ada@h1:1,h2:2/clinic?sslmode=require"
    assert "sslmode" not in repr(address)
    assert Address.of("POSTGRESQL:///x").database == "postgresql:///x"


def test_addresses_without_a_password_are_let_through():
    addresses = [
        "postgresql:///clinic#t",
        "postgresql://ada@host:5432/clinic",
        "postgresql://ada%40corp@[::1]:5432/clinic?passfile=/home/ada/.pgpass",
        "postgresql://host:5432/clinic?user=ada%40corp",
        "postgresql://?service=clinic",
    ]
    refuse_passwords(addresses)
    assert all(map(is_address, addresses))


@pytest.mark.parametrize("source", ["patients.csv", "postgresql.csv", Path("postgres"), None, 7])
def test_what_is_no_address(source):
    assert not is_address(source)
    refuse_passwords([source])
