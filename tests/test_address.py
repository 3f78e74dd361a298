"""Addresses of databases: how names are read, and what is never repeated."""

from pathlib import Path

import pytest

import sfumato as sf
from sfumato.address import Address, Name, is_address, refuse_passwords
from sfumato.job import Job


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


OF_OTHER_TOOLS = [
    "postgresql+psycopg2://ada:{}@db/clinic",
    "jdbc:postgresql://db/clinic?user=ada&password={}",
    "pgsql://ada:{}@db/clinic",
    "mysql://ada:{}@db/clinic",
    "host=db user=ada password={} dbname=clinic",
    "host=db password = '{}'",
    "  postgresql://ada:{}@db/clinic",
    "'postgresql://ada:{}@db/clinic'",
    "jdbc:postgresql:clinic?user=ada&password={}",
    "jdbc:postgresql://db/clinic;Password={}",
    "postgresql:ada:{}@db/clinic",
    "postgresql//ada:{}@db/clinic",
    "ada:{}@db/clinic",
    "Host=db;Username=ada;Password={}",
    "Driver=PostgreSQL;Uid=ada;Pwd={}",
    "service=clinic,password={}",
]


@pytest.mark.parametrize("form", OF_OTHER_TOOLS)
def test_passwords_in_addresses_of_other_tools_are_refused_and_not_repeated(
    form, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    written = form.format("hunter2")
    release = sf.anonymize(
        sf.read([{"age": 1}, {"age": 1}], ["age"]), sf.KAnonymity(2), sf.Samarati()
    )
    (tmp_path / "job.toml").write_text(f'source = "{written}"\noutput = "out"\n')
    for attempt in (
        lambda: sf.read(written, ["age"]),
        lambda: sf.read(Path(written), ["age"]),
        lambda: sf.read(["a.csv", written], ["age"]),
        lambda: sf.propose(written),
        lambda: sf.load(written),
        lambda: release.save(written),
        lambda: Job.load("job.toml"),
    ):
        with pytest.raises(sf.BadInput, match="an address with a password") as refused:
            attempt()
        assert "hunter2" not in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["job.toml"]


@pytest.mark.parametrize("name", ["password=x.csv", "12:30@home.csv"])
def test_a_file_may_be_called_like_a_password(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("age\n1\n1\n")
    assert sf.read(name, ["age"]).n_rows == 2


@pytest.mark.parametrize(
    "form",
    [
        "postgresql+psycopg://db/clinic",
        "jdbc:postgresql://db/clinic",
        "pgsql://db/clinic",
        " postgresql://db/clinic#t",
    ],
)
def test_addresses_for_other_tools_are_told_how_they_are_written(form):
    with pytest.raises(sf.BadInput, match="is written as postgresql://host/database#"):
        sf.read(form, ["age"])
