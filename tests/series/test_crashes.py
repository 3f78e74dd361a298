"""Killed anywhere, a series is as before or complete, and `verify` says which and tidies."""

import random
import shutil
import signal
import time

import pytest

import sfumato as sf
from hard.hatchery import Hatchery
from hard.test_crashes import full_at
from series.made import (
    image,
    kept,
    published,
    started,
    write_batch,
    write_job,
)

pytestmark = pytest.mark.long
SEED = 20261116
BEFORE = [
    *("publish.batch_staged", "save.staged", "save.applied", "save.checked", "save.packaged"),
    *("save.described", "save.renamed", "publish.staged", "publish.compared", "publish.batch_kept"),
    "publish.prepared",
]
AFTER = ["publish.renamed", "publish.committed"]
N_FIRST, N_SECOND = 60, 30


@pytest.fixture(scope="module")
def hatchery():
    nursery = Hatchery()
    yield nursery
    nursery.close()


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A place with a series of one release, and a second batch."""
    place = tmp_path_factory.mktemp("base")
    started(place / "series").publish(write_batch(place / "a.csv", 0, N_FIRST))
    write_batch(place / "b.csv", N_FIRST, N_SECOND)
    (place / "tmp").mkdir(mode=0o700)
    return place


@pytest.fixture
def place(base, tmp_path):
    return copied(base, tmp_path / "place")


def copied(base, target):
    return shutil.copytree(base, target)


def publishing(hatchery, place, *options, **settings):
    """Start to publish the second batch."""
    return hatchery.start(
        *(place, "publish", place / "series", place / "b.csv", *options),
        **{"TMPDIR": place / "tmp", **settings},
    )


def killed_at(child, point) -> None:
    assert child.reaches(point)
    child.send(signal.SIGKILL)
    assert child.ended() == -signal.SIGKILL


def is_as_before(place) -> None:
    is_tidy(place)
    assert published(place / "series") == ["001"]
    assert kept(place / "series") == ["001.parquet"]


def is_complete(place) -> None:
    is_tidy(place)
    assert published(place / "series") == ["001", "002"]
    assert kept(place / "series") == ["001.parquet", "002.parquet"]
    release = sf.ReleaseSeries(place / "series").releases()[2]
    assert release.n_rows + release.n_suppressed == N_FIRST + N_SECOND


def is_tidy(place) -> None:
    """After `verify` there is no litter, and nothing left for another one to do."""
    series = place / "series"
    found = sf.ReleaseSeries(series).verify()
    if found.tidied:
        assert found.holds, found
        found = sf.ReleaseSeries(series).verify()
    assert (found.problems, found.tidied) == ((), ())
    assert not [path for path in series.rglob("*") if path.name.startswith(".sfumato")]
    assert not sf.ReleaseSeries(series).status().interrupted


@pytest.mark.every
@pytest.mark.parametrize("point", BEFORE)
def test_killed_before_the_rename_all_is_as_before(hatchery, base, place, point, record_property):
    killed_at(publishing(hatchery, place, hold=point), point)
    found = sf.ReleaseSeries(place / "series").verify()
    assert found.tidied
    interrupted = "release 002 was interrupted before it was public: all is as before it"
    entered = ("publish.prepared", "publish.batch_kept")
    assert (interrupted in found.tidied) == (point in entered)
    is_as_before(place)
    assert image(place / "series") == image(base / "series")
    done = sf.ReleaseSeries(place / "series").publish(place / "b.csv")  # and nothing is in the way
    assert done.number == 2
    is_complete(place)
    record_property("kills survived", 1)


@pytest.mark.parametrize("point", AFTER)
def test_killed_after_the_rename_the_release_is_complete(hatchery, place, point, record_property):
    killed_at(publishing(hatchery, place, hold=point), point)
    before = sf.load(place / "series" / "public" / "002").to_arrow()
    found = sf.ReleaseSeries(place / "series").verify()
    finished = "release 002 was interrupted when it was public already: it is complete"
    assert (finished in found.tidied) == (point == "publish.renamed")
    is_complete(place)
    assert sf.load(place / "series" / "public" / "002").to_arrow().equals(before)
    with pytest.raises(sf.BadInput, match="the same rows came as batch 002"):
        sf.ReleaseSeries(place / "series").publish(place / "b.csv")
    record_property("kills survived", 1)


@pytest.mark.parametrize("point", ["publish.prepared", "publish.renamed"])
def test_the_next_to_publish_tidies_by_itself(hatchery, place, point):
    killed_at(publishing(hatchery, place, hold=point), point)
    assert sf.ReleaseSeries(place / "series").status().interrupted
    done = sf.ReleaseSeries(place / "series").publish(write_batch(place / "c.csv", 200, 20))
    assert done.tidied
    assert done.n_rows == N_FIRST + 20 + (N_SECOND if point == "publish.renamed" else 0)
    assert sf.ReleaseSeries(place / "series").verify()


@pytest.mark.parametrize(
    ("point", "then"), [("publish.prepared", "taken_back"), ("publish.renamed", "finished")]
)
def test_killed_while_tidying_it_is_tidied_again(hatchery, place, point, then, record_property):
    killed_at(publishing(hatchery, place, hold=point), point)
    verifying = hatchery.start(place, "series", "verify", place / "series", hold=f"tidy.{then}")
    killed_at(verifying, f"tidy.{then}")
    is_as_before(place) if then == "taken_back" else is_complete(place)
    record_property("kills survived", 2)


@pytest.mark.parametrize(
    "point", ["publish.batch_staged", "publish.batch_kept", "publish.committed"]
)
def test_killed_while_a_batch_is_kept_it_is_there_or_not(hatchery, place, point, record_property):
    killed_at(publishing(hatchery, place, "--wait", hold=point), point)
    series = sf.ReleaseSeries(place / "series")
    assert series.verify()
    waiting = series.status().to_json()["waiting"]["rows"]
    assert waiting == (N_SECOND if point == "publish.committed" else 0)
    is_tidy(place)
    record_property("kills survived", 1)


@pytest.mark.parametrize("point", ["publish.compared", "publish.prepared", "publish.renamed"])
def test_killed_while_a_recipient_gets_the_same_records(hatchery, place, point, record_property):
    """No batch comes with it, so none may go."""
    series = sf.ReleaseSeries(place / "series")
    command = ("publish", series.place, "--to", "insurer", "--columns", "age,sex")
    killed_at(hatchery.start(place, *command, hold=point, TMPDIR=place / "tmp"), point)
    found = series.verify()
    assert found.holds, found
    assert kept(series.place) == ["001.parquet"]
    is_tidy(place)
    if point == "publish.renamed":
        finished = "release 002 for 'insurer' was interrupted when it was public already"
        assert any(line.startswith(finished) for line in found.tidied)
        with pytest.raises(sf.BadInput, match="'insurer' has these records already"):
            series.publish(recipient="insurer")
    else:
        assert published(series.place) == ["001"]
        assert series.publish(recipient="insurer").number == 2
    assert [made.recipient for made in series.status().releases] == [None, "insurer"]
    record_property("kills survived", 1)


@pytest.mark.parametrize("point", ["series.staged", "series.created", "publish.prepared"])
def test_killed_while_a_series_is_started_it_can_be_started(hatchery, tmp_path, point):
    write_batch(tmp_path / "a.csv", 0, N_FIRST)
    job = write_job(tmp_path / "job.toml")
    command = ("publish", tmp_path / "series", tmp_path / "a.csv", "--job", job)
    killed_at(hatchery.start(tmp_path, *command, hold=point), point)
    assert (tmp_path / "series").exists() == (point != "series.staged")
    again = hatchery.start(tmp_path, *command)
    assert again.ended() == 0, again.err
    assert published(tmp_path / "series") == ["001"]
    assert sf.ReleaseSeries(tmp_path / "series").verify()
    assert not list(tmp_path.glob(".sfumato-*"))


@pytest.mark.parametrize(
    ("number", "point"),
    [
        (signal.SIGTERM, "publish.batch_staged"),
        (signal.SIGINT, "save.applied"),
        (signal.SIGTERM, "publish.prepared"),
        (signal.SIGHUP, "publish.renamed"),
    ],
)
def test_asked_to_stop_nothing_is_left_to_tidy(hatchery, base, place, number, point):
    child = publishing(hatchery, place, hold=point)
    assert child.reaches(point)
    child.send(number)
    assert child.ended() == 128 + number, child.err
    assert child.err == f"sfumato: stopped by {number.name}; no release was left half-written\n"
    assert not list((place / "series" / "private").glob(".sfumato*"))
    if point == "publish.renamed":
        is_complete(place)
    else:
        assert image(place / "series") == image(base / "series")
        is_as_before(place)


@pytest.mark.parametrize("point", ["publish.batch_staged", "publish.prepared", "publish.renamed"])
def test_of_two_publishers_one_waits_for_another_day(hatchery, place, point):
    first = publishing(hatchery, place, hold=point)
    assert first.reaches(point)
    busy = "somebody else is publishing or verifying; try again when that is done"
    for command in (("publish", place / "series", place / "a.csv"), ("series", "verify")):
        where = () if command[0] == "publish" else (place / "series",)
        second = hatchery.start(place, *command, *where)
        assert second.ended() == 2
        assert second.err == f"sfumato: {place / 'series'}: {busy}\n"
    assert len(sf.ReleaseSeries(place / "series").status().chains) == 1  # looking is allowed
    first.go()
    assert first.ended() == 0, first.err
    is_complete(place)


def test_of_many_publishers_of_one_batch_one_wins(hatchery, place):
    children = [publishing(hatchery, place) for _ in range(4)]
    codes = [child.ended() for child in children]
    assert sorted(codes) == [0, 2, 2, 2]
    for code, child in zip(codes, children, strict=True):
        assert child.err.count("\n") == (code != 0)
        assert code == 0 or "somebody else" in child.err or "the same rows" in child.err
    is_complete(place)


@pytest.mark.parametrize("n", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_at_any_moment(hatchery, base, tmp_path, record_property, n):
    """The times are drawn from a seed; what they hit is the machine's affair."""
    draw = random.Random(SEED)
    times = []
    for j in range(2):
        where = copied(base, tmp_path / f"timed-{j}")
        begin = time.monotonic()
        assert publishing(hatchery, where).ended() == 0
        times.append(time.monotonic() - begin)
    killed = n_before = n_after = attempt = 0
    while killed < n:
        attempt += 1
        assert attempt <= 4 * n, f"only {killed} of {attempt} were killed before their end"
        where = copied(base, tmp_path / f"kill-{attempt}")
        child = publishing(hatchery, where)
        if draw.random() < 0.6:
            time.sleep(draw.uniform(0, times[1]))
        else:  # near the end, where it matters
            child.reaches(draw.choice(["publish.staged", "publish.compared", "publish.batch_kept"]))
            time.sleep(draw.uniform(0, 0.01))
        child.send(signal.SIGKILL)
        killed += child.ended() == -signal.SIGKILL
        if sf.ReleaseSeries(where / "series").verify().n_releases == 1:
            n_before += 1
            is_as_before(where)
        else:
            n_after += 1
            is_complete(where)
        shutil.rmtree(where)
    assert n_before
    record_property("kills survived", killed)


def test_a_full_disk_leaves_all_as_before_or_complete(hatchery, base, place, tmp_path):
    """With a little more room each time, so that it ends somewhere else."""
    codes = []
    for j, room in enumerate(range(0, 160, 16)):
        where = tmp_path / f"full-{j}"
        where.mkdir()
        shutil.copy(base / "b.csv", where)
        used = sum(-(-p.stat().st_size // 4096) for p in (base / "series").rglob("*"))
        (where / "disk").mkdir()
        with full_at(where / "disk", (used + room) * 4096) as setup:
            shutil.copytree(base / "series", where / "disk" / "series")
            child = hatchery.start(
                *(where, "publish", where / "disk" / "series", where / "b.csv"),
                setup=setup.replace(str((used + room) * 4096), str((1 + room) * 256)),
                TMPDIR=place / "tmp",
            )
            codes.append(child.ended())
            assert child.err.count("\n") == (codes[-1] != 0)
            assert "internal error" not in child.err
            shutil.copytree(where / "disk" / "series", where / "series")
        if len(published(where / "series")) == 1:
            assert codes[-1] == 2
            is_as_before(where)
        else:
            is_complete(where)
    assert {0, 2} == set(codes)


def test_a_release_that_was_changed_is_noticed(place):
    series = sf.ReleaseSeries(place / "series")
    data = place / "series" / "public" / "001" / "data.csv"
    before = data.read_bytes()
    data.write_bytes(before.replace(b"flu", b"HIV", 1))
    assert "checksums differ" in series.verify().problems[0]
    with pytest.raises(sf.BadInput, match="checksums differ"):
        series.publish(place / "b.csv")
    data.write_bytes(before)
    assert series.verify()


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda s: (s / "private/batches/001.parquet").unlink(), "cannot read the batch"),
        (
            lambda s: (s / "private/batches/001.parquet").write_bytes(b"PAR1"),
            "not the batch in the",
        ),
        (lambda s: (s / "private/batches/notes").touch(), "notes: not in the ledger"),
        (lambda s: (s / "private/batches/old").mkdir(), "old: not in the ledger"),
        (lambda s: (s / "public/007").mkdir(), "007: a release that the ledger does not know"),
        (lambda s: (s / "public/001/more").touch(), "001/more: no part of the release"),
        (lambda s: shutil.rmtree(s / "public/001"), "cannot read the release"),
    ],
)
def test_what_is_not_as_the_ledger_says_is_named(place, harm, said):
    harm(place / "series")
    found = sf.ReleaseSeries(place / "series").verify()
    assert not found
    assert said in " ".join(found.problems)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda key: key.unlink(), "cannot read the key"),
        (lambda key: key.write_bytes(b"short"), "key: damaged"),
        (lambda key: key.write_bytes(bytes(32)), "not the key of this series"),
    ],
)
def test_without_the_key_the_ledger_is_not_believed(place, harm, said):
    harm(place / "series" / "private" / "key")
    series = sf.ReleaseSeries(place / "series")
    for look in (series.status, series.verify, series.audit, lambda: series.withdraw(1)):
        with pytest.raises(sf.BadInput, match=said):
            look()


def test_with_another_key_nobody_is_published_twice(place):
    """With it everybody would be new."""
    (place / "series" / "private" / "key").write_bytes(bytes(32))
    again = write_batch(place / "again.csv", 0, N_FIRST + 10, seed=1)
    with pytest.raises(sf.BadInput, match="not the key of this series"):
        sf.ReleaseSeries(place / "series").publish(again)


def test_another_release_in_the_place_of_one_is_noticed(place, tmp_path):
    """Complete in itself, but not the one that was published."""
    other = started(tmp_path / "other")
    other.publish(write_batch(tmp_path / "o.csv", 500, N_FIRST))
    target = place / "series" / "public" / "001"
    shutil.rmtree(target)
    shutil.copytree(tmp_path / "other" / "public" / "001", target)
    assert (
        "not the release in the ledger" in sf.ReleaseSeries(place / "series").verify().problems[0]
    )


def test_a_damaged_ledger_is_named(place):
    ledger = place / "series" / "private" / "ledger.db"
    ledger.write_bytes(b"nothing of the sort" * 1000)
    with pytest.raises(sf.BadInput, match="ledger cannot be used: file is not a database"):
        sf.ReleaseSeries(place / "series").verify()
    ledger.unlink()
    with pytest.raises(sf.BadInput, match="the ledger is missing"):
        sf.ReleaseSeries(place / "series").publish(place / "b.csv")


def test_what_stands_where_the_next_release_goes_is_not_overwritten(base, place):
    (place / "series" / "public" / "002").mkdir()
    (place / "series" / "public" / "002" / "mine").touch()
    with pytest.raises(sf.BadInput, match="002: a release that the ledger does not know"):
        sf.ReleaseSeries(place / "series").publish(place / "b.csv")
    shutil.rmtree(place / "series" / "public" / "002")
    assert image(place / "series") == image(base / "series")
