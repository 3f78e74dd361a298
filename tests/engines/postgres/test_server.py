"""Names, rights, one moment, lost connections: what a server does, and what it never sees."""

import gc
import re
import subprocess
import sys
import threading
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines import Postgres

ROWS = pa.table(
    {
        "name": [f"person {j}" for j in range(40)],
        "age": pa.array([30 + j % 4 for j in range(40)], pa.int32()),
        "disease": [["flu", "HIV"][j % 2] for j in range(40)],
        "pay": pa.array([float(j) for j in range(40)]),
    }
)
ROLES = {"quasi_identifiers": {"age": sf.Intervals(2, 4)}, "sensitive": "disease"}


def released(table, place):
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())
    return pq.read_table(release.save(place, format="parquet") / "data.parquet")


def test_tables_and_views_by_their_names(server, tmp_path):
    expected = released(sf.read(ROWS, **ROLES), tmp_path / "frame")
    server.put(ROWS, "Ab.c", "clinic")
    server.run(
        'CREATE SCHEMA "S.1 ""x"""',
        'CREATE VIEW "S.1 ""x"""."V ""w"" #%" AS SELECT * FROM clinic."Ab.c"',
        'CREATE MATERIALIZED VIEW clinic.kept AS SELECT * FROM clinic."Ab.c"',
    )
    named = [
        'clinic."Ab.c"',
        ' clinic . "Ab.c" ',
        "CLINIC.Kept",
        '"S.1 ""x"""."V ""w"" #%"',
    ]
    engine = sf.engines.Postgres(server.address())
    for j, name in enumerate(named):
        table = sf.read(name, **ROLES, engine=engine)
        assert released(table, tmp_path / f"named {j}").to_pylist() == expected.to_pylist()
        written = name.replace("%", "%25")
        table = sf.read(server.address(written), **ROLES)
        assert table.source.columns == tuple(ROWS.column_names)
    by_tcp = sf.read(server.by_tcp("clinic.kept"), **ROLES)
    assert released(by_tcp, tmp_path / "tcp").to_pylist() == expected.to_pylist()
    assert by_tcp.source.name == f"postgresql://127.0.0.1:{server.port}/postgres#clinic.kept"


def test_names_without_a_schema_are_found_on_the_way(server):
    server.run("CREATE TABLE public.twice (a int)", "CREATE TABLE clinic.twice (b int)")
    assert sf.read(server.address("twice"), ["a"]).source.columns == ("a",)
    on_the_way = server.address("twice").replace("?", "?options=-csearch_path%3Dclinic&")
    assert sf.read(on_the_way, ["b"]).source.columns == ("b",)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nothing", "#nothing: no such table or view"),
        ("peple", "#peple: no such table or view; did you mean 'people'?"),
        ("clinic.people", "#clinic.people: no such table or view; did you mean 'public.people'?"),
        ("a.b.c", "expected the name of a table as SQL writes it"),
        ('"open', "expected the name of a table as SQL writes it"),
        ("people_a_idx", "no such table or view"),
    ],
)
def test_unknown_names_are_refused(server, source, message):
    server.run(
        "CREATE TABLE IF NOT EXISTS people (a int)",
        "CREATE INDEX IF NOT EXISTS people_a_idx ON people (a)",
    )
    with pytest.raises(sf.BadInput) as refused:
        sf.read(server.address(source), ["a"])
    assert message in str(refused.value)


def test_what_is_no_table_of_people_is_refused(server):
    server.run("CREATE TABLE empty (a int)", "CREATE TABLE nameless ()")
    with pytest.raises(sf.BadInput, match="#empty: no rows"):
        sf.anonymize(sf.read(server.address("empty"), ["a"]), sf.KAnonymity(2))
    with pytest.raises(sf.BadInput, match="#nameless: no columns"):
        sf.read(server.address("nameless"), ["a"])
    with pytest.raises(sf.BadInput, match="unknown column 'b'"):
        sf.read(server.address("empty"), ["b"])
    with pytest.raises(sf.BadInput, match="expected the name of a table"):
        sf.read(server.address(), ["a"])
    with pytest.raises(sf.BadInput, match="missing: what is declared so is about files"):
        sf.read(server.address("empty"), ["a"], missing=["-99"])
    with pytest.raises(sf.BadInput, match="a table of a database is read alone"):
        sf.read([server.address("empty")] * 2, ["a"])
    with pytest.raises(sf.BadInput, match="'duckdb' reads no database; leave the engine out"):
        sf.read(server.address("empty"), ["a"], engine="duckdb")
    with pytest.raises(sf.BadInput, match="'spark' reads no database; leave the engine out"):
        sf.read(server.address("empty"), ["a"], engine="spark")
    server.run('CREATE TABLE alike (zip int, "Zip" int)')
    with pytest.raises(sf.BadInput, match="rename one, or read a view that names it anew"):
        sf.read(server.address("alike"), ["zip"])
    with pytest.raises(sf.BadInput, match="the engine is for another database"):
        sf.read(server.address("t", database="x"), ["a"], engine=Postgres(server.address()))
    with pytest.raises(sf.BadInput, match="the address names a table; name it where it is read"):
        Postgres(server.address("t"))
    with pytest.raises(sf.BadInput, match="cannot be had by its name alone"):
        sf.read(ROWS, ["age"], engine="postgres")


def test_a_table_that_is_refused_leaves_no_transaction_open(server):
    with pytest.raises(sf.BadInput) as refused:
        sf.read(server.address("nothere"), ["a"])
    idle = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
    assert refused.value.__traceback__ is not None  # somebody keeps the error, with its frames
    assert server.ask(idle) == [(0,)]


def test_backslashes_in_names_are_themselves_whatever_a_role_has_set(server):
    server.run(
        r'CREATE TABLE "a\n" ("b\t" int)',
        r'INSERT INTO "a\n" VALUES (1), (1)',
        "ALTER ROLE postgres SET standard_conforming_strings TO off",
    )
    try:
        assert sf.read(server.address(r'"a\n"'), [r"b\t"]).n_rows == 2
    finally:
        server.run("ALTER ROLE postgres RESET standard_conforming_strings")


def test_a_role_that_may_only_read_is_enough(server, tmp_path):
    server.put(ROWS, "readable", "clinic")
    with pytest.raises(sf.BadInput, match='GRANT USAGE ON SCHEMA "clinic" TO the role'):
        sf.read(server.address("clinic.readable", role="reader"), **ROLES)
    server.run("GRANT USAGE ON SCHEMA clinic TO reader")
    with pytest.raises(sf.BadInput, match=r"GRANT SELECT ON clinic\.readable TO the role"):
        sf.read(server.address("clinic.readable", role="reader"), **ROLES)
    server.run("GRANT SELECT (age, disease) ON clinic.readable TO reader")
    table = sf.read(server.address("clinic.readable", role="reader"), **ROLES)
    assert len(released(table, tmp_path / "some")) == 40
    with pytest.raises(sf.BadInput, match="column 'pay': no right to read it; GRANT SELECT"):
        sf.read(server.address("clinic.readable", role="reader"), ["pay"]).frequencies()


def test_rows_that_a_policy_hides_are_not_left_out_silently(server):
    server.put(ROWS, "guarded")
    server.run(
        "GRANT SELECT ON guarded TO reader",
        "ALTER TABLE guarded ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY young ON guarded TO reader USING (age < 32)",
    )
    with pytest.raises(sf.BadInput, match="row-level security would hide rows from this role"):
        sf.read(server.address("guarded", role="reader"), **ROLES).frequencies()


def test_all_that_is_read_is_of_one_moment(server, tmp_path):
    """Rows that come and go between counting, what is guarded and writing are not seen."""
    address = server.put(ROWS, "busy")
    table = sf.read(address, **ROLES, identifiers=["name"])
    assert table.frequencies().n_rows == 40
    server.run(
        "INSERT INTO busy SELECT 'new ' || j, 90, 'gout', 1 FROM generate_series(1, 100) AS j",
        "DELETE FROM busy WHERE age = 30",
        "UPDATE busy SET disease = 'none', pay = 7",
    )
    assert table.people_by_value("disease") == {"flu": 20, "HIV": 20}
    assert sum(table.frequencies("pay").counts) == 40  # a column that had not been fetched
    assert table.repeated_identifiers == {}
    rows = released(table, tmp_path / "out")
    assert (len(rows), {*rows["disease"].to_pylist()}) == (40, {"flu", "HIV"})
    assert sf.read(address, **ROLES).frequencies().n_rows == 130


def test_what_is_needed_is_grouped_by_the_server(server):
    address = server.put(pa.concat_tables([ROWS] * 50), "grouped")
    table = sf.read(address, **ROLES, identifiers=["name"])
    before = server.log.stat().st_size
    assert table.frequencies().n_rows == 2000
    said = server.log.read_bytes()[before:].decode()
    (query,) = re.findall(r"COPY \((.*)\) TO STDOUT", said)
    assert "GROUP BY 1, 2" in query
    assert "name" not in query
    connection = table.source._session.connection
    assert connection.execute("SELECT count(*) FROM fetched.rows2").fetchall() == [(4,)]


def test_a_connection_goes_with_its_source(server):
    gc.collect()  # of other tests
    before = server.n_connections()
    table = sf.read(server.put(ROWS), **ROLES)
    assert server.n_connections() == before + 1
    del table
    for _ in range(50):
        if server.n_connections() == before:
            break
        time.sleep(0.05)
    assert server.n_connections() == before


KILL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
)


def test_a_connection_that_is_lost_before_rows_are_fetched(server, tmp_path):
    table = sf.read(server.put(ROWS), **ROLES)
    server.ask(KILL)
    with pytest.raises(sf.BadInput, match="the connection to the server was lost, and nothing"):
        sf.anonymize(table, sf.KAnonymity(5))


@pytest.mark.engines
def test_a_connection_that_is_lost_while_rows_come(server, tmp_path):
    server.run(
        "CREATE VIEW endless AS SELECT j AS age, 'secret value ' || j AS disease "
        "FROM generate_series(1, 50000000) AS j"
    )
    table = sf.read(server.address("endless"), ["age"], "disease")

    def kill():
        while not server.ask(
            "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'COPY%' "
            "AND pid <> pg_backend_pid()"
        ):
            time.sleep(0.05)
        time.sleep(0.3)
        server.ask(KILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(sf.BadInput) as refused:
        sf.anonymize(table, sf.KAnonymity(5)).save(tmp_path / "out")
    killer.join()
    assert "the connection to the server was lost" in str(refused.value)
    assert "secret value" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.engines
def test_a_query_that_is_cancelled(server):
    slow = server.address("slow").replace("?", "?options=-cstatement_timeout%3D300&")
    server.run("CREATE VIEW slow AS SELECT 1 AS a, pg_sleep(20)::text AS b")
    table = sf.read(slow, ["a"], "b")
    with pytest.raises(sf.BadInput, match="the server stopped the query"):
        table.frequencies()


@pytest.mark.engines
def test_an_interrupt_stops_the_query_on_the_server_too(server, tmp_path):
    server.run("CREATE VIEW slower AS SELECT 1 AS a, pg_sleep(60)::text AS b")
    place = server.address("slower")
    running = subprocess.Popen(
        [sys.executable, "-m", "sfumato", "check", place, "-q", "a", "-s", "b"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
    )
    asked = (
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'COPY%slower%'"
        " AND state = 'active' AND pid <> pg_backend_pid()"
    )
    while not server.ask(asked):
        time.sleep(0.1)
    running.send_signal(2)
    _, said = running.communicate(timeout=20)
    assert running.returncode == 130, said
    assert not server.ask(asked)


def test_an_error_names_no_value_and_no_query(server):
    server.run(
        "CREATE VIEW broken AS SELECT ('canary' || j)::int AS a FROM generate_series(1, 3) AS j"
    )
    table = sf.read(server.address("broken"), ["a"])
    with pytest.raises(sf.BadInput) as refused:
        table.frequencies()
    assert str(refused.value).endswith(
        "#broken: a value cannot be read; the server's log says which, so make a view without it"
    )
    assert refused.value.values == ()
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__
    with pytest.raises(sf.BadInput, match="the transaction has ended after an error"):
        table.frequencies()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("postgresql://127.0.0.1:1/x#t", 'the server at "127.0.0.1", port 1 does not answer'),
        ("postgresql:///x?host=/nowhere#t", "does not answer; is it running there?"),
        ("postgresql://h.invalid/x#t", "the server has a name that nobody knows"),
        ("postgresql://[::1/x#t", "the address of a database is not written as postgresql://host"),
        ("postgresql:/x#t", "expected the address of a database, such as postgresql://host"),
        ("postgresql:///x?colour=blue#t", "has an option it does not know"),
        ("postgresql:///x?service=nothing#t", "a service that is not in a service file"),
    ],
)
def test_a_server_that_is_not_there(address, message):
    with pytest.raises(sf.BadInput) as refused:
        sf.read(address, ["a"])
    assert message in str(refused.value)


def test_a_database_or_a_role_that_is_not_there(server):
    with pytest.raises(sf.BadInput, match="has no such database; look at the address"):
        sf.read(server.address("t", database="nix"), ["a"])
    with pytest.raises(sf.BadInput, match="knows no such role; name another one"):
        sf.read(server.address("t", role="nobody"), ["a"])


def test_without_the_driver_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    with pytest.raises(sf.BadInput, match=r"pip install -e '\.\[postgres\]'"):
        sf.read("postgresql:///x#t", ["a"])


def everything(place):
    return b"".join(file.read_bytes() for file in place.rglob("*") if file.is_file())


def test_the_secret_and_the_password_are_nowhere(server, tmp_path, monkeypatch, capfd):
    address = server.put(ROWS, "dealt").replace("postgres@", "with_password@")
    server.run("GRANT SELECT ON dealt TO with_password")
    with pytest.raises(sf.BadInput, match="refused the password of the role"):
        sf.read(address, **ROLES)
    monkeypatch.setenv("PGPASSWORD", "wrong-password")
    with pytest.raises(sf.BadInput, match="refused the password of the role") as refused:
        sf.read(address, **ROLES)
    assert "wrong-password" not in str(refused.value)
    monkeypatch.setenv("PGPASSWORD", server.password)
    before = server.log.stat().st_size
    table = sf.read(address, **ROLES)
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian(strict=False))
    release.save(tmp_path / "out")
    sf.audit(release).save(tmp_path / "report")
    sf.audit(release).save(tmp_path / "steward", private=True)
    secret = release._private.secret
    said = server.log.read_bytes()[before:] + everything(tmp_path)
    said += "".join(map(repr, (table, release, table.source, table.source.engine))).encode()
    said += "".join(capfd.readouterr()).encode()
    assert b"GROUP BY" in said
    assert server.password.encode() not in said
    assert secret not in said
    assert secret.hex().encode() not in said.lower()
    public = everything(tmp_path / "out") + everything(tmp_path / "report")
    port = f"port={server.port}".encode()  # the number alone may stand in a page by chance
    for private in (b"with_password", b"dealt", port, bytes(server.place)):
        assert private not in public


@pytest.mark.parametrize("how", ["pgpass", "service"])
def test_passwords_come_from_files_of_libpq(server, tmp_path, monkeypatch, how):
    server.put(ROWS, f"by_{how}")
    server.run(f"GRANT SELECT ON by_{how} TO with_password")
    address = server.address(f"by_{how}", role="with_password")
    file = tmp_path / "file"
    if how == "pgpass":
        file.write_text(f"*:*:*:with_password:{server.password}\n")
        monkeypatch.setenv("PGPASSFILE", str(file))
    else:
        where = f"host={server.place}\nport={server.port}\ndbname=postgres\nuser=with_password"
        file.write_text(f"[clinic]\n{where}\npassword={server.password}\n")
        monkeypatch.setenv("PGSERVICEFILE", str(file))
        address = f"postgresql://?service=clinic#by_{how}"
    file.chmod(0o600)
    assert sf.read(address, **ROLES).frequencies().n_rows == 40
