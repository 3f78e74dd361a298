"""A ledger that was restored from an older copy is recognized by what it does not know."""

import json
import shutil

import pytest

import sfumato as sf
from cli.common import run
from series.made import kept, published, started, write_batch
from sfumato.series import publish as publishing

OLDER = "so the ledger is an older copy; restore the copy of private/ that was made after that"


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A series with three releases, and its private directory as it was after each of them."""
    place = tmp_path_factory.mktemp("base")
    series = started(place / "series")
    for number in range(3):
        series.publish(write_batch(place / f"{number}.csv", 40 * number, 40))
        shutil.copytree(series.place / "private", place / f"after-{number + 1}")
    write_batch(place / "next.csv", 200, 40)
    return place


@pytest.fixture
def place(base, tmp_path):
    return shutil.copytree(base, tmp_path / "place")


def restored(place, after: int, *, whole: bool) -> sf.ReleaseSeries:
    """Bring an older copy back: all of the private directory, or the ledger alone."""
    private = place / "series" / "private"
    if whole:
        shutil.rmtree(private)
        shutil.copytree(place / f"after-{after}", private)
    else:
        shutil.copy(place / f"after-{after}" / "ledger.db", private)
    return sf.ReleaseSeries(place / "series")


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("after", [1, 2])
def test_an_older_ledger_is_recognized_and_nothing_is_touched(place, after, whole):
    series = restored(place, after, whole=whole)
    before = {path: path.read_bytes() for path in series.place.rglob("*") if path.is_file()}
    first = series.place / "public" / f"{after + 1:03d}"
    said = f"{first}: a release that the ledger does not know, {OLDER}"
    for act in (
        lambda: series.publish(place / "next.csv"),
        lambda: series.publish(place / "next.csv", dry_run=True),
        lambda: series.publish(place / "next.csv", wait=True),
        lambda: series.withdraw(1),
        series.audit,
    ):
        with pytest.raises(sf.BadInput) as caught:
            act()
        assert str(caught.value).startswith(said)
        assert "leave the release where it is" in str(caught.value)
        assert "take it away" not in str(caught.value)
    found = series.verify()
    names = [line.partition(": ")[0].rpartition("/")[2] for line in found.problems]
    later = range(after + 1, 4)
    batches = [] if whole else [f"{number:03d}.parquet" for number in later]
    assert names == [*(f"{number:03d}" for number in later), *batches]
    assert all(OLDER in line for line in found.problems)
    assert {path: path.read_bytes() for path in before} == before
    assert series.status().unknown == found.problems
    shown = run("series", "status", series.place)
    assert (shown.exit_code, shown.output.count("PROBLEM: ")) == (0, len(names))
    assert len(json.loads(run("series", "status", series.place, "--json").output)["unknown"])
    done = run("publish", series.place, place / "next.csv")
    assert done.exit_code == 2
    assert run("series", "verify", series.place).exit_code == 1


def test_the_advice_mends_it(place):
    """Restored as the message says, the next release is 004; there is never a second 003."""
    series = restored(place, 2, whole=True)
    assert not series.verify()
    series = restored(place, 3, whole=True)
    assert series.verify()
    assert series.publish(place / "next.csv").number == 4


def test_a_batch_that_waited_is_not_lost_by_an_older_ledger(place):
    """It is in no release, so its file is all there is of it."""
    series = sf.ReleaseSeries(place / "series")
    series.publish(place / "next.csv", wait=True)
    series = restored(place, 3, whole=False)
    for _ in range(2):
        (line,) = series.verify().problems
        assert "004.parquet: a batch that the ledger does not know" in line
        with pytest.raises(sf.BadInput, match=r"004\.parquet: a batch that the ledger does not"):
            series.publish(write_batch(place / "more.csv", 300, 40))
    assert kept(series.place)[-1] == "004.parquet"


def test_a_release_of_a_chain_that_the_ledger_does_not_know_counts_too(place):
    """It names no earlier release, and is one nevertheless."""
    series = sf.ReleaseSeries(place / "series")
    series.publish(place / "next.csv", new_chain=True)
    series = restored(place, 3, whole=True)
    with pytest.raises(sf.BadInput, match="004: a release that the ledger does not know"):
        series.publish(place / "next.csv")


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("after", [2, 3])
def test_a_withdrawal_that_the_ledger_does_not_know_is_recognized(place, after, whole):
    """Else the next release would not be compared with the one that was withdrawn."""
    series = sf.ReleaseSeries(place / "series")
    series.withdraw(3)
    series = restored(place, after, whole=whole)
    marked = series.place / "public" / "003"
    with pytest.raises(sf.BadInput) as caught:
        series.publish(place / "next.csv")
    said = f"{marked}: withdrawn, and the ledger does not know that, {OLDER}"
    assert str(caught.value).startswith(said)
    assert series.verify().problems[0].startswith(said)
    assert published(series.place) == ["001", "002", "003"]


def emptied(path):
    (path / "release.json").write_bytes(b"")


def without_its_description(path):
    (path / "release.json").unlink()


def empty(path):
    shutil.rmtree(path)
    path.mkdir()


def packed(path):
    shutil.make_archive(path, "zip", path)
    shutil.rmtree(path)


CHANGES = {
    "emptied": emptied,
    "without its description": without_its_description,
    "an empty directory": empty,
    "packed": packed,
    **{
        f"renamed 003{end}": lambda path, end=end: path.rename(f"{path}{end}")
        for end in (".bak", "_old", " (copy)", "-")
    },
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_left_of_a_release_counts_like_one(place, change):
    """Else the advice was to take it away, and the next release was a second 003."""
    series = restored(place, 2, whole=True)
    CHANGES[change](series.place / "public" / "003")
    (left,) = set(published(series.place)) - {"001", "002"}
    said = f"{series.place / 'public' / left}: a release that the ledger does not know, {OLDER}"
    (line,) = series.status().unknown
    assert line.startswith(said)
    assert series.verify().problems == (line,)
    for _ in range(2):
        with pytest.raises(sf.BadInput) as caught:
            series.publish(place / "next.csv")
        assert str(caught.value) == line
    assert published(series.place) == ["001", "002", left]


def test_what_comes_while_somebody_publishes_is_not_overwritten(place, monkeypatch):
    series = sf.ReleaseSeries(place / "series")
    target = series.place / "public" / "004"
    tidy = publishing.tidy
    monkeypatch.setattr(publishing, "tidy", lambda *given: (tidy(*given), target.mkdir())[0])
    with pytest.raises(sf.BadInput, match="004: a release that the ledger does not know"):
        series.publish(place / "next.csv")
    target.rmdir()
    monkeypatch.undo()
    assert series.publish(place / "next.csv").number == 4


def test_what_sfumato_did_not_write_may_be_taken_away(place):
    series = sf.ReleaseSeries(place / "series")
    (series.place / "public" / "notes").touch()
    (series.place / "public" / "002.bak").mkdir()  # of a release that is in the ledger
    (series.place / "private" / "batches" / "old").mkdir()
    problems = series.verify().problems
    assert len(problems) == 3
    for line in problems:
        assert line.endswith(": not in the ledger, and nothing that sfumato wrote; take it away")
    assert series.publish(place / "next.csv").number == 4  # none of it is in the way
