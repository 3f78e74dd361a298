"""Damage to any file of a series is noticed, or changes nothing that matters."""

import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import sfumato as sf
from series.made import started, write_batch
from sfumato.series.ledger import ENTRIES, Ledger

SEED = 20261117
SECTOR = 512


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Two chains, recipients, a withdrawn release and a batch that waits."""
    place = tmp_path_factory.mktemp("base")
    series = started(place / "series", k=5)
    series.publish(write_batch(place / "a.csv", 0, 40))
    series.publish(write_batch(place / "b.csv", 40, 20))
    series.publish(recipient="insurer", columns=["age"])
    series.withdraw(2)
    series.publish(write_batch(place / "c.csv", 60, 20), new_chain=True, rare="keep")
    series.publish(write_batch(place / "d.csv", 80, 3), wait=True)
    assert series.verify()
    return place


@pytest.fixture
def place(base, tmp_path):
    return shutil.copytree(base, tmp_path / "place")


def files_of(series: Path) -> list[Path]:
    return sorted(path for path in series.rglob("*") if path.is_file() and path.stat().st_size)


def look(series: sf.ReleaseSeries) -> str:
    """Say what `verify` makes of it: the first line about it, or nothing."""
    try:
        found = series.verify()
    except sf.BadInput as error:  # which is one line, always
        return str(error)
    assert not found.tidied
    return " ".join(found.problems)


def entries(series: sf.ReleaseSeries) -> tuple[object, ...]:
    status = series.status()
    return status.chains, status.batches, status.releases


def flips(content: bytes, n: int, draw: random.Random) -> Iterator[bytes]:
    """Flip a bit in n bytes, each time in one; most of those that are zero are unused."""
    used = [at for at, byte in enumerate(content) if byte or draw.random() < 0.02]
    for at in draw.sample(used, min(n, len(used))):
        changed = bytearray(content)
        changed[at] ^= 1 << draw.randrange(8)
        yield bytes(changed)


def sectors(content: bytes) -> Iterator[bytes]:
    """Lose a sector, or all from one on."""
    for at in range(0, len(content), SECTOR):
        if content[at : at + SECTOR].strip(b"\0"):
            lost = content[at : at + SECTOR]
            yield content[:at] + bytes(len(lost)) + content[at + SECTOR :]
            yield content[:at]


@pytest.mark.parametrize("n", [1, pytest.param(80, marks=pytest.mark.slow)])
def test_a_flipped_bit_in_any_file_is_noticed_or_changes_nothing(place, record_property, n):
    """In every file that is not the ledger every bit matters; in that, those of its entries."""
    draw = random.Random(SEED)
    series = sf.ReleaseSeries(place / "series")
    before = entries(series)
    n_noticed = n_idle = 0
    for path in files_of(series.place):
        content = path.read_bytes()
        is_ledger = path.name == "ledger.db"
        for changed in flips(content, n * (8 if is_ledger else 1), draw):
            path.write_bytes(changed)
            if look(series):
                n_noticed += 1
            else:
                assert is_ledger, path
                assert entries(series) == before
                n_idle += 1
            path.write_bytes(content)
            for left in path.parent.glob("ledger.db-*"):
                left.unlink()
    assert not look(series)
    record_property("flipped bits of a series noticed", n_noticed)
    record_property("flipped bits of a ledger that change nothing", n_idle)


@pytest.mark.parametrize("of", ["ledger.db", pytest.param("*", marks=pytest.mark.slow)])
def test_a_lost_sector_in_any_file_is_noticed(place, record_property, of):
    series = sf.ReleaseSeries(place / "series")
    before = entries(series)
    n_noticed = 0
    for path in files_of(series.place):
        content = path.read_bytes()
        for changed in sectors(content) if path.match(of) else ():
            path.write_bytes(changed)
            if look(series):
                n_noticed += 1
            else:  # of a page that is not full
                assert path.name == "ledger.db"
                assert entries(series) == before
            path.write_bytes(content)
    record_property("lost sectors of a series noticed", n_noticed)
    assert n_noticed > 10


@pytest.mark.long
def test_with_a_bit_flipped_that_changes_nothing_one_can_go_on(base, tmp_path, record_property):
    """What the flip left is found again by `verify` after the next batch, or does no harm."""
    draw = random.Random(SEED)
    ledger = Path("series") / "private" / "ledger.db"
    n = 0
    for j, changed in enumerate(flips((base / ledger).read_bytes(), 60, draw)):
        place = shutil.copytree(base, tmp_path / str(j))
        (place / ledger).write_bytes(changed)
        series = sf.ReleaseSeries(place / "series")
        if not look(series):
            n += 1
            done = series.publish(write_batch(place / "e.csv", 90, 10), wait=True)
            assert done.n_rows == 13
            assert not look(series)
        shutil.rmtree(place)
    assert n
    record_property("flipped bits of a ledger that change nothing", n)


CHANGES = [
    """UPDATE chains SET terms = replace(terms, '"k": 5', '"k": 1')""",
    "UPDATE chains SET started = '2020-01-01T00:00:00+00:00'",
    "UPDATE batches SET n_rows = n_rows - 1 WHERE number = 2",
    "UPDATE batches SET kept = 0 WHERE number = 4",
    "UPDATE batches SET typed = 1.0",
    "UPDATE batches SET received = CAST(received AS BLOB)",
    "UPDATE releases SET published = 0 WHERE number = 4",
    "UPDATE releases SET recipient = NULL",
    "UPDATE releases SET withdrawn = NULL",
    "UPDATE releases SET chain = 2",
    "UPDATE releases SET sealed = (SELECT sealed FROM releases WHERE number = 1)",
    "DELETE FROM releases WHERE number = 4",
    "DELETE FROM batches WHERE number = 4",
    "DELETE FROM series",
    "INSERT INTO series SELECT * FROM series",
    "UPDATE series SET seal = ''",
    "UPDATE series SET known_key = ''",
    "DROP TABLE releases",
    "ALTER TABLE batches RENAME COLUMN n_rows TO n_left",
    "CREATE TABLE more (x)",
    "CREATE TRIGGER soft AFTER INSERT ON chains BEGIN UPDATE chains SET terms = '{}'; END",
    "PRAGMA journal_mode = WAL",
]


@pytest.mark.parametrize("change", CHANGES)
def test_who_has_not_the_key_cannot_change_the_ledger(place, change, record_property):
    """By SQLite itself, so that its file is in order."""
    series = sf.ReleaseSeries(place / "series")
    with closing(sqlite3.connect(series.place / "private" / "ledger.db")) as ledger:
        ledger.execute("PRAGMA foreign_keys = OFF")
        ledger.execute(change)
        ledger.commit()
    for act in (
        series.status,
        series.verify,
        series.audit,
        lambda: series.publish(write_batch(place / "e.csv", 90, 10)),
        lambda: series.withdraw(1),
    ):
        with pytest.raises(sf.BadInput) as caught:
            act()
        assert str(caught.value).startswith(f"{series.place / 'private' / 'ledger.db'}: ")
    record_property("changes of a ledger noticed", 1)


@pytest.mark.parametrize("table", ENTRIES)
def test_an_entry_of_another_day_is_noticed(place, base, table):
    """Every digest in it is right, and it is not what was sealed last."""
    series = sf.ReleaseSeries(place / "series")
    path = series.place / "private" / "ledger.db"
    older = path.read_bytes()
    with Ledger(path, (path.parent / "key").read_bytes()) as ledger, ledger._transaction():
        entry = getattr(ledger, table)[0]
        field = {"chains": "started", "batches": "received", "releases": "made"}[table]
        ledger._put(table, replace(entry, **{field: "2030-01-01T00:00:00+00:00"}))
    assert not look(series)
    (place / "older.db").write_bytes(older)
    with closing(sqlite3.connect(path)) as ledger:
        ledger.execute("ATTACH ? AS older", (str(place / "older.db"),))
        ledger.execute(f"REPLACE INTO main.{table} SELECT * FROM older.{table} WHERE number = 1")
        ledger.commit()
    assert "entries are missing, or are not those that were sealed" in look(series)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"criteria": [{"k_anonymity": {"k": 4}}]}, r"ledger promises \(criteria\)"),
        ({"sensitive": []}, r"ledger promises \(sensitive\)"),
        ({"criteria": [{"k_anonymity": {"k": 1}}]}, "terms that cannot be: criterion: .* sets no"),
        ({"criteria": []}, "the terms promise nothing"),
        ({"method": {"mondrian": {}}}, "terms that cannot be: method: "),
        ({"format": "xlsx"}, "terms that cannot be: format: "),
        ({"person": 7}, "'person' is missing in the terms, or not a part"),
        ({"quasi_identifiers": {}}, "terms that cannot be: quasi_identifiers"),
        ({"method": {"bcf_anonymizer": {"score": "loss"}}}, r"ledger promises \(method\)"),
        (
            {
                "quasi_identifiers": {
                    "age": {"intervals": [5]},
                    "zip": {"prefix": True},
                    "sex": {"flat": True},
                }
            },
            r"ledger promises \(hierarchies\.age\)",
        ),
    ],
)
def test_terms_are_compared_with_what_the_public_releases_promise(place, change, said):
    """Even by somebody who has the key, or if we had a fault of our own."""
    series = sf.ReleaseSeries(place / "series")
    path = series.place / "private" / "ledger.db"
    with Ledger(path, (path.parent / "key").read_bytes()) as ledger, ledger._transaction():
        for chain in ledger.chains:
            ledger._put("chains", replace(chain, terms=chain.terms | change))
    problems = series.verify().problems
    assert problems
    for act in (
        lambda: series.publish(write_batch(place / "e.csv", 90, 10)),
        series.audit,
        lambda: series.withdraw(1),
    ):
        with pytest.raises(sf.BadInput, match=said):
            act()
