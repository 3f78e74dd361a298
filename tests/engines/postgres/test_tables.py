"""A release in tables of a database: seen by nobody before its check, complete or not there."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from importlib import import_module

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.job import Job

ROWS = pa.table(
    {
        "name": [f"person {j}" for j in range(40)],
        "age": pa.array([30 + j % 4 for j in range(40)], pa.int32()),
        "disease": [["flu", "HIV"][j // 4 % 2] for j in range(40)],
    }
)
RULES = {"age": sf.Intervals(2, 4)}
JOB = """
source = '{source}'
output = '{output}'
[columns]
identifiers = ["name"]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = {{ intervals = [2, 4] }}
[[criteria]]
k_anonymity = {{ k = 5 }}
[method]
mondrian = {{}}
"""
SAVE = """
import sys
import sfumato as sf

table = sf.read(sys.argv[1], {"age": sf.Intervals(2, 4)}, "disease", ["name"])
sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian()).save(sys.argv[2])
"""


@pytest.fixture
def release():
    table = sf.read(ROWS, RULES, "disease", ["name"])
    return sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())


@pytest.fixture
def table(server):
    """A name that is free, and whoever asks for it gets another one the next time."""
    return f"published{next(server.numbers)}"


def tables_like(server, name):
    """What is visible to another session, by names that begin alike."""
    found = server.ask(f"SELECT relname FROM pg_class WHERE relname LIKE '{name}%' ORDER BY 1")
    return [name for (name,) in found]


def two_tables(rows=ROWS):
    table = sf.read(rows, RULES, "disease", ["name"])
    return sf.anonymize(table, sf.LDiversity(2), sf.Anatomy())


def test_a_release_is_a_table_and_is_loaded_from_it(server, release, table, tmp_path):
    place = release.save(tmp_path / "out", format="parquet")
    address = server.address(table)
    with release.saving(address):
        assert tables_like(server, table) == []  # it stands there, checked, and nobody sees it
        assert sf.audit(release).verdict == "safe"
    assert tables_like(server, table) == [table, f"{table}_release"]
    expected = pq.read_table(place / "data.parquet").to_pylist()
    assert server.ask(f"SELECT * FROM {table}") == [tuple(row.values()) for row in expected]
    loaded = sf.load(address)
    assert loaded.to_arrow().to_pylist() == expected
    assert loaded.check().holds
    assert loaded.description.attacked == "safe"
    assert loaded.further_files == ()
    assert release.to_arrow().to_pylist() == expected  # as it came back from the server


def test_what_comes_with_a_release_is_beside_it(server, release, table):
    release.save(server.address(f"clinic.{table}"))
    texts = dict(server.ask(f"SELECT * FROM clinic.{table}_release"))
    assert texts.keys() == {"release.json", "codebook.html", "README.txt"}
    ((digest,),) = {(each,) for each in json.loads(texts["release.json"])["tables"].values()}
    assert digest in texts["README.txt"]
    assert digest in texts["codebook.html"]
    assert f"SELECT * FROM clinic.{table};" in texts["README.txt"]
    for told in texts.values():
        assert str(server.place) not in told
        assert "person 1" not in told


def test_two_tables_appear_together(server, table):
    release = two_tables()
    address = server.address(f"clinic.{table}")
    with release.saving(address):
        assert tables_like(server, table) == []
    assert tables_like(server, table) == [table, f"{table}_release", f"{table}_sensitive"]
    loaded = sf.load(address)
    for part in ("data", "sensitive"):
        assert loaded.to_arrow(part).to_pylist() == release.to_arrow(part).to_pylist()
    assert loaded.check().holds


def test_rows_do_not_stand_in_the_order_of_the_source(server, table):
    """They are sorted by all that is published, so rows that are shuffled come out the same."""
    shuffled = ROWS.take([(j * 7) % 40 for j in range(40)])
    found = []
    for j, rows in enumerate((ROWS, shuffled)):
        read = sf.read(rows, RULES, "disease", ["name"])
        release = sf.anonymize(read, sf.KAnonymity(5), sf.Mondrian())
        release.save(server.address(f"{table}_{j}"))
        found.append(server.ask(f"SELECT ctid::text, * FROM {table}_{j}"))
    assert found[0] == found[1]
    assert [row[1:] for row in found[0]] == sorted(row[1:] for row in found[0])


@pytest.mark.engines
def test_the_digest_can_be_taken_without_us(server, table, tmp_path):
    if shutil.which("psql") is None:
        pytest.skip("needs psql")
    texts = ["a\tb", "a\\b", "a\nb", "", None, "\\N", "é", "a\rb\x08\x0b\x0c", "a", "a b"] * 4
    frame = pa.table(
        {
            "q": ["x"] * 40,
            "s": texts,
            "truth": pa.array([True, False, None, True] * 10),
            "real": pa.array([0.1, 1e15, None, 1e-7] * 10),
            "when": pa.array([0, 1, None, 10**15] * 10, pa.timestamp("us", "UTC")),
        }
    )
    read = sf.read(frame, ["q"], insensitive=["s", "truth", "real", "when"])
    release = sf.anonymize(read, sf.KAnonymity(2), untouched_identify=True)
    release.save(server.address(table))
    assert sf.load(server.address(table)).to_arrow().to_pylist() == release.to_arrow().to_pylist()
    line = f"psql '{server.address()}' -qc 'COPY {table} TO STDOUT' | LC_ALL=C sort | sha256sum"
    environment = {**os.environ, "PGTZ": "UTC", "PGDATESTYLE": "ISO"}
    done = subprocess.run(
        line, shell=True, env=environment, capture_output=True, text=True, check=True
    )
    ((written,),) = server.ask(f"SELECT content FROM {table}_release WHERE file = 'release.json'")
    assert done.stdout.split()[0] == json.loads(written)["tables"]["data"]


@pytest.mark.engines
def test_a_digest_is_that_of_lines_in_utf8_whatever_a_database_keeps(server):
    """Letters of one byte there have another order than those of two or three here."""
    if shutil.which("psql") is None:
        pytest.skip("needs psql")
    server.run(
        "CREATE DATABASE of_windows TEMPLATE template0 ENCODING 'WIN1252' "
        "LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    frame = pa.table({"q": ["x"] * 8, "s": ["€a", "é", "ü", "z", "€", "ÿ", "Ž", "Œ"]})
    table = sf.read(frame, ["q"], insensitive=["s"])
    release = sf.anonymize(table, sf.KAnonymity(2), untouched_identify=True)
    address = server.address("public.letters", database="of_windows")
    release.save(address)
    assert sf.load(address).to_arrow().num_rows == 8
    query = "SELECT content FROM public.letters_release WHERE file = 'release.json'"
    ((content,),) = server.ask(query, database="of_windows")
    where = server.address(database="of_windows")
    line = f"psql '{where}' -qc 'COPY public.letters TO STDOUT' | LC_ALL=C sort | sha256sum"
    environment = {**os.environ, "PGCLIENTENCODING": "UTF8"}
    done = subprocess.run(
        line, shell=True, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[0] == json.loads(content)["tables"]["data"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE {0} SET disease = 'gout' WHERE ctid = (SELECT min(ctid) FROM {0})",
        "DELETE FROM {0} WHERE ctid = (SELECT min(ctid) FROM {0})",
        "INSERT INTO {0} SELECT * FROM {0} LIMIT 1",
        "UPDATE {0} SET disease = NULL",
        "ALTER TABLE {0} ADD more int",
        "ALTER TABLE {0} RENAME disease TO illness",
        "UPDATE {0}_release SET content = replace(content, '\"k\": 5', '\"k\": 3')",
        "DELETE FROM {0}_release",
        "DROP TABLE {0}_release",
        "DROP TABLE {0}",
    ],
)
def test_what_was_changed_since_is_refused(server, release, table, change):
    release.save(server.address(table))
    server.run(change.format(table))
    with pytest.raises(sf.BadInput) as refused:
        sf.load(server.address(table))
    expected = "checksums differ|not what release.json describes|no release: |no such table"
    assert re.search(expected, str(refused.value))
    assert "HIV" not in str(refused.value)


def test_nothing_is_there_if_the_check_fails(server, release, table, monkeypatch):
    writing = import_module("sfumato.release.files.writing")
    checked = writing.checked
    seen = []

    def failing(*given):
        seen.append(tables_like(server, table))
        return checked(*given[:1], sf.KAnonymity(39), *given[2:])

    monkeypatch.setattr(writing, "checked", failing)
    with pytest.raises(sf.BrokenPromise, match="the written table fails"):
        release.save(server.address(table))
    assert seen == [[]]
    assert tables_like(server, table) == []


def test_a_server_that_changes_values_is_noticed(server, release, table):
    """What is judged is what the server gives back, not what it was sent."""
    server.run(
        "CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN NEW.disease := 'flu'; RETURN NEW; END $$",
        "CREATE FUNCTION made() RETURNS event_trigger LANGUAGE plpgsql AS $$ DECLARE r record; "
        "BEGIN FOR r IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP "
        f"IF r.object_identity = 'public.{table}' AND r.command_tag = 'CREATE TABLE' THEN EXECUTE "
        "'CREATE TRIGGER meddling BEFORE INSERT ON ' || r.object_identity || "
        "' FOR EACH ROW EXECUTE FUNCTION meddle()'; END IF; END LOOP; END $$",
        "CREATE EVENT TRIGGER made ON ddl_command_end EXECUTE FUNCTION made()",
    )
    try:
        with pytest.raises(sf.BrokenPromise, match=r"do not have the values|are not those"):
            release.save(server.address(table))
    finally:
        server.run("DROP EVENT TRIGGER made")
    assert tables_like(server, table) == []


@pytest.mark.parametrize("taken", ["{}", "{}_release", "{}_sensitive"])
@pytest.mark.parametrize("kind", ["TABLE {} (a int)", "VIEW {} AS SELECT 1", "TYPE {} AS (a int)"])
def test_what_is_there_is_not_overwritten(server, table, taken, kind):
    server.run(f"CREATE {kind.format(taken.format(table))}")
    with pytest.raises(sf.BadInput) as refused:
        two_tables().save(server.address(table))
    assert str(refused.value).endswith(
        f"#public.{taken.format(table)}: exists already; a release is never overwritten, so "
        "choose another name"
    )


def test_two_who_save_at_once_get_one_table(server, release, table):
    with release.saving(server.address(table)):
        other = server.address(table).replace("?", "?options=-clock_timeout%3D500&")
        with pytest.raises(sf.BadInput, match="somebody else is making a table of that name"):
            two_tables().save(other)
    assert tables_like(server, table) == [table, f"{table}_release"]


def test_a_role_needs_the_right_to_make_tables(server, release, table):
    server.run("CREATE SCHEMA IF NOT EXISTS closed", "CREATE ROLE IF_ANY LOGIN")
    try:
        for name, message in (
            (f"closed.{table}", 'GRANT CREATE ON SCHEMA "closed" TO the role'),
            (f"nowhere.{table}", 'there is no schema "nowhere"; CREATE SCHEMA, or name one'),
        ):
            with pytest.raises(sf.BadInput) as refused:
                release.save(server.address(name, role="if_any"))
            assert message in str(refused.value)
            assert "SELECT" not in str(refused.value)
    finally:
        server.run("DROP ROLE if_any")


def test_the_source_is_read_by_one_role_and_the_release_made_by_another(server, table):
    source = server.put(ROWS, f"source_of_{table}")
    server.run(f"GRANT SELECT ON source_of_{table} TO reader", "CREATE ROLE writer LOGIN")
    server.run("CREATE SCHEMA theirs AUTHORIZATION writer")
    source = server.address(f"source_of_{table}", role="reader")
    read = sf.read(source, RULES, "disease", ["name"])
    release = sf.anonymize(read, sf.KAnonymity(5), sf.Mondrian())
    with pytest.raises(sf.BadInput, match="no right to make a table there"):
        release.save(server.address(f"theirs.{table}", role="reader"))
    address = release.save(server.address(f"theirs.{table}", role="writer"))
    assert sf.load(address).check().holds
    with pytest.raises(sf.BadInput, match="GRANT USAGE ON SCHEMA"):
        sf.load(server.address(f"theirs.{table}", role="reader"))


def test_names_that_a_server_would_cut_are_refused_before_anything(server, release):
    nowhere = "postgresql://127.0.0.1:1/x"  # where nobody answers
    with pytest.raises(sf.BadInput, match="has 64 bytes, and PostgreSQL cuts names after 63"):
        release.save(f"{nowhere}#{'t' * 56}")  # with its ending
    with pytest.raises(sf.BadInput, match="has 70 bytes, and PostgreSQL cuts names after 63"):
        release.save(f"{nowhere}#{'ü' * 31}")
    with pytest.raises(sf.BadInput, match="does not answer"):
        release.save(f"{nowhere}#{'t' * 55}")
    frame = ROWS.rename_columns(["name", "age", "d" * 64])
    read = sf.read(frame, RULES, "d" * 64)
    with pytest.raises(sf.BadInput, match=f"'{'d' * 64}' has 64 bytes"):
        sf.anonymize(read, sf.KAnonymity(5)).save(f"{nowhere}#t")
    sf.anonymize(read, sf.KAnonymity(5))
    address = release.save(server.address("t" * 55))
    assert sf.load(address).n_rows == 40


def test_names_with_quotes_and_dots(server):
    odd = 'a "b.c" é'
    frame = ROWS.rename_columns(["name", "age", odd])
    read = sf.read(frame, RULES, odd, ["name"])
    server.run('CREATE SCHEMA "S ""2"""')
    name = '"S ""2"""."T ""1"" #%.x"'
    for release in (
        sf.anonymize(read, sf.KAnonymity(5), sf.Mondrian()),
        sf.anonymize(read, sf.LDiversity(2), sf.Anatomy()),
    ):
        address = server.address(name.replace("%", "%25"))
        loaded = sf.load(release.save(address))
        assert loaded.to_arrow().to_pylist() == release.to_arrow().to_pylist()
        ((text,),) = server.ask(
            'SELECT content FROM "S ""2"""."T ""1"" #%.x_release" WHERE file = \'README.txt\''
        )
        assert len(server.ask(re.search("SELECT .*;", text)[0])) == 40
        name = name.replace("T", "U")


def test_empty_and_missing_stay_apart(server, table):
    frame = pa.table({"q": ["", None, "", None] * 10, "s": ["", None, "a", "NULL"] * 10})
    release = sf.anonymize(sf.read(frame, ["q"], "s"), sf.KAnonymity(5))
    release.save(server.address(table))
    counts = server.ask(f"SELECT s, count(*) FROM {table} GROUP BY s ORDER BY s")
    assert counts == [("", 10), ("NULL", 10), ("a", 10), (None, 10)]


def test_large_numbers_without_a_sign_come_back(server, table):
    large = pa.array([2**64 - 1, 0, None, 2**63] * 10, pa.uint64())
    small = pa.array([255, 0, None, 1] * 10, pa.uint8())
    frame = pa.table({"q": ["x"] * 40, "large": large, "small": small})
    read = sf.read(frame, ["q"], insensitive=["large", "small"])
    release = sf.anonymize(read, sf.KAnonymity(2), untouched_identify=True)
    loaded = sf.load(release.save(server.address(table)))
    assert sorted(loaded.to_arrow()["large"].drop_null().to_pylist()) == sorted(
        large.drop_null().to_pylist()
    )
    assert loaded.to_arrow()["large"].type == pa.uint64()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a\0b"] * 40, "a text has a NUL character, which PostgreSQL does not take"),
        (pa.array([1] * 40, pa.timestamp("ns")), "column 'i': values of type timestamp"),
    ],
)
def test_what_a_database_does_not_have_is_refused(server, table, values, message):
    frame = pa.table({"q": ["x"] * 40, "i": values})
    release = sf.anonymize(sf.read(frame, ["q"], insensitive=["i"]), sf.KAnonymity(2))
    with pytest.raises(sf.BadInput) as refused:
        release.save(server.address(table))
    assert message in str(refused.value)
    assert tables_like(server, table) == []


def test_what_is_about_files_is_refused(server, release, table, tmp_path):
    with pytest.raises(sf.BadInput, match="format: is said of files"):
        release.save(server.address(table), format="csv")
    with pytest.raises(sf.BadInput, match=r"name a table, postgresql:///postgres#schema\.table"):
        release.save(server.address())
    with pytest.raises(sf.BadInput, match="name a table"):
        sf.load(server.address())
    with pytest.raises(sf.BadInput, match=f"no release: there is no table {table}_release beside"):
        sf.load(server.address(table))
    saved = sf.load(release.save(tmp_path / "out"))
    with pytest.raises(sf.BadInput, match="a loaded release has only its public part"):
        saved.save(server.address(table))
    assert tables_like(server, table) == []


OURS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state LIKE 'idle in%' "
    "AND pid <> pg_backend_pid()"
)


def test_a_connection_that_is_lost_leaves_nothing(server, release, table):
    with (
        pytest.raises(sf.BadInput) as refused,
        release.saving(server.address(table)),
    ):
        assert server.ask(OURS)
    assert "the connection to the server was lost, and nothing was released" in str(refused.value)
    assert tables_like(server, table) == []
    release.save(server.address(table))  # the release itself is none the worse
    assert tables_like(server, table) == [table, f"{table}_release"]


def test_a_connection_that_is_lost_while_it_is_committed(server, release, table, monkeypatch):
    placing = import_module("sfumato.release.placing_tables")

    def lost(point):
        if point == "save.described":
            server.ask(OURS)

    monkeypatch.setattr(placing, "reached", lost)
    with pytest.raises(sf.BadInput, match="look whether the table is there: if it is, it is comp"):
        release.save(server.address(table))
    assert tables_like(server, table) == []


SENDING = (
    "FROM pg_stat_activity WHERE query LIKE 'COPY%{}%FROM STDIN%' AND state = 'active' "
    "AND pid <> pg_backend_pid()"
)


@pytest.mark.engines
def test_a_connection_that_is_lost_while_rows_are_sent(server, table):
    n = 2_000_000
    frame = pa.table({"q": ["x"] * n, "s": [f"secret {j % 1000}" for j in range(n)]})
    release = sf.anonymize(sf.read(frame, ["q"], "s"), sf.KAnonymity(2))

    def kill():
        with server.cursor() as cursor:
            for _ in range(5000):
                cursor.execute(f"SELECT pg_terminate_backend(pid) {SENDING.format(table)}")
                if cursor.fetchall():
                    return
                time.sleep(0.005)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(sf.BadInput, match="the connection to the server was lost") as refused:
        release.save(server.address(table))
    killer.join()
    assert "secret" not in str(refused.value)
    assert tables_like(server, table) == []


POINTS = ["save.staged", "save.applied", "save.sent", "save.checked", "save.packaged"]


@pytest.mark.engines
@pytest.mark.parametrize("failpoint", [*POINTS, "save.described", "save.renamed"])
def test_a_process_that_is_killed_leaves_nothing_or_all(server, table, tmp_path, failpoint):
    address = server.address(table)
    pq.write_table(ROWS, tmp_path / "rows.parquet")
    done = subprocess.run(
        [sys.executable, "-c", SAVE, str(tmp_path / "rows.parquet"), address],
        env={**os.environ, "SFUMATO_FAILPOINT": failpoint, "TMPDIR": str(tmp_path)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    if failpoint == "save.renamed":  # it was committed by then
        assert sf.load(address).check().holds
        return
    assert tables_like(server, table) == []
    subprocess.run(
        [sys.executable, "-c", SAVE, str(tmp_path / "rows.parquet"), address],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        check=True,
    )
    assert sf.load(address).check().holds
    assert not [*tmp_path.glob("sfumato-*/.sfumato-*")]  # what the killed one left was swept


INTERRUPTED = """
import os, sys, threading, time
import pyarrow as pa
import sfumato as sf

n = 3_000_000
frame = pa.table({"q": ["x"] * n, "s": [f"secret {j % 1000}" for j in range(n)]})
release = sf.anonymize(sf.read(frame, ["q"], "s"), sf.KAnonymity(2))
print("saving", flush=True)
release.save(sys.argv[1])
"""


@pytest.mark.engines
def test_an_interrupt_leaves_nothing(server, table, tmp_path):
    running = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, server.address(table)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    while not server.ask(f"SELECT 1 {SENDING.format(table)}"):
        assert running.poll() is None
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert b"KeyboardInterrupt" in said
    assert running.returncode
    assert tables_like(server, table) == []
    assert not [*tmp_path.glob("sfumato-*/.sfumato-*")]


def test_no_value_no_secret_and_no_password_is_in_the_log(server, table, monkeypatch, capfd):
    monkeypatch.setenv("PGPASSWORD", server.password)
    server.run(f"CREATE SCHEMA s_{table} AUTHORIZATION with_password")
    before = server.log.stat().st_size
    read = sf.read(ROWS, RULES, "disease", ["name"])
    release = sf.anonymize(read, sf.KAnonymity(5), sf.Mondrian(strict=False))
    release.save(server.address(f"s_{table}.{table}", role="with_password"))
    sf.load(server.address(f"s_{table}.{table}", role="with_password")).check()
    said = server.log.read_bytes()[before:] + "".join(capfd.readouterr()).encode()
    assert b"FROM STDIN" in said
    assert b"COMMIT" in said
    secret = release._private.secret
    for private in (server.password.encode(), secret, secret.hex().encode(), b"HIV", b"[30"):
        assert private not in said
    assert b"k_anonymity" not in said  # nor the description


def test_a_job_may_name_a_table(server, table, tmp_path):
    address = server.address(table)
    (tmp_path / "job.toml").write_text(JOB.format(source="rows.parquet", output=address))
    assert Job.load(tmp_path / "job.toml").output == address
    (tmp_path / "job.toml").write_text(JOB.format(source="x", output=server.address()))
    with pytest.raises(
        sf.BadInput, match=r"job\.toml: output: postgresql:///postgres: name a table"
    ):
        Job.load(tmp_path / "job.toml")


@pytest.mark.engines
@pytest.mark.parametrize("by", ["job", "option"])
def test_a_job_names_a_table_as_its_output(server, table, tmp_path, by, sfumato):
    pq.write_table(ROWS, tmp_path / "rows.parquet")
    address = server.address(table)
    written = JOB.format(source="rows.parquet", output=address if by == "job" else "out")
    (tmp_path / "job.toml").write_text(written)
    more = [] if by == "job" else ["--output", address]
    code, said = sfumato("anonymize", "job.toml", *more, cwd=tmp_path)
    assert code == 0, said
    assert f"The release is in {address}" in said.replace("\n", "")
    assert sf.load(address).description.attacked == "safe"
    code, said = sfumato("anonymize", "job.toml", *more, cwd=tmp_path)
    assert (code, "exists already; a release is never overwritten" in said) == (2, True)
    assert {path.name for path in tmp_path.iterdir()} == {"rows.parquet", "job.toml"}


@pytest.mark.engines
def test_check_and_audit_take_a_release_in_a_database(server, table, tmp_path, sfumato):
    source = server.put(ROWS, f"source_of_{table}")
    address = server.address(f"clinic.{table}")
    (tmp_path / "job.toml").write_text(JOB.format(source=source, output=address))
    code, said = sfumato("audit", "job.toml", cwd=tmp_path)
    assert (code, "there is no release yet" in said) == (2, True)
    assert sfumato("anonymize", "job.toml", "--json", cwd=tmp_path)[0] == 0
    code, said = sfumato("check", address, "--json", cwd=tmp_path)
    assert code == 0, said
    assert json.loads(said)["rows"] == 40
    code, said = sfumato("check", address, "-k", "30", cwd=tmp_path)
    assert code == 1, said
    code, said = sfumato("check", address, "-q", "age", cwd=tmp_path)
    assert (code, "a release knows its own columns" in said) == (2, True), said
    code, said = sfumato("check", "job.toml", "--json", cwd=tmp_path)
    assert {"before", "after"} <= json.loads(said)["risk"].keys(), said
    for command in (["audit", address], ["audit", "job.toml"]):
        code, said = sfumato(*command, "--report", f"report {len(command[1])}", cwd=tmp_path)
        assert code == 0, said
    code, said = sfumato("audit", address, "--original", source, cwd=tmp_path)
    assert code == 0, said
    server.put(sf.load(address).to_arrow(), f"of_another_tool_{table}", "clinic")
    other = server.address(f"clinic.of_another_tool_{table}")
    for earlier in (address, other):  # the same, so it is not the one before
        code, said = sfumato("audit", address, "--earlier", earlier, cwd=tmp_path)
        assert code == 2, said
        assert "publishes the same as the release; is it the release?" in said
    told = json.loads(next(tmp_path.glob("report */report.json")).read_text())["release"]
    assert told["name"] == f"clinic.{table}"
    assert [each["name"] for each in told["files"]] == ["data"]
    server.run(f"DELETE FROM clinic.{table} WHERE disease = 'HIV'")
    for command in ("check", "audit"):
        code, said = sfumato(command, address, cwd=tmp_path)
        assert (code, "checksums differ" in said) == (2, True), said
