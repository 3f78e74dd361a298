"""A withdrawn release is public no more, and known for ever."""

import json
import re
import shutil
import signal

import pytest

import sfumato as sf
from cli.common import run
from hard.hatchery import Hatchery
from series.made import published, started, write_batch

POINTS = ["withdraw.entered", "withdraw.moved", "withdraw.marked"]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    place = tmp_path_factory.mktemp("base")
    series = started(place / "series")
    series.publish(write_batch(place / "a.csv", 0, 40))
    series.publish(write_batch(place / "b.csv", 40, 20))
    write_batch(place / "c.csv", 60, 20)
    return place


@pytest.fixture
def place(base, tmp_path):
    return shutil.copytree(base, tmp_path / "place")


@pytest.fixture
def series(place):
    return sf.ReleaseSeries(place / "series")


def test_it_leaves_the_public_directory_and_a_marker_says_so(series):
    before = series.releases()[2].to_arrow()
    files = {path.name: path.read_bytes() for path in (series.place / "public/002").iterdir()}
    done = series.withdraw(2)
    assert (done.number, done.chain, done.recipient) == (2, 1, None)
    assert done.kept == series.place / "private" / "withdrawn" / "002"
    assert {path.name: path.read_bytes() for path in done.kept.iterdir()} == files
    (marker,) = done.marker.iterdir()
    said = json.loads(marker.read_text())
    assert set(said) == {"format", "release", "sha256", "withdrawn"}
    assert (said["format"], said["release"], said["withdrawn"]) == (1, 2, done.since)
    with pytest.raises(sf.BadInput, match="public/002: its publisher has withdrawn this release"):
        sf.load(series.place / "public" / "002")
    assert series.releases()[2].to_arrow().equals(before)  # the steward still has it
    assert series.verify()
    assert [each.withdrawn for each in series.status().releases] == [None, done.since]
    assert [row[6].split()[0] == "withdrawn" for row in series.status().rows] == [False, True]


@pytest.mark.parametrize("command", ["audit", "check", "skyline"])
def test_the_command_line_says_that_it_is_withdrawn(series, command):
    done = series.withdraw(2)
    refused = run(command, done.marker)
    assert refused.exit_code == 2
    said = f"{done.marker}: its publisher has withdrawn this release, since {done.since}"
    assert said in " ".join(refused.stderr.split())


def test_what_follows_is_made_and_audited_beside_it(series, place):
    digest = series.releases()[2].public_view.digest
    series.withdraw(2)
    done = series.publish(place / "c.csv")
    assert done.number == 3
    assert [each.earlier for each in done.compared] == [1, 2]
    assert digest in series.releases()[3].method.previous
    audited = series.audit()
    assert [(each.earlier, each.later) for each in audited.compared] == [(1, 2), (1, 3), (2, 3)]
    assert [row[0] for row in audited.rows] == [
        "001, 002 (withdrawn)",
        "001, 003",
        "002 (withdrawn), 003",
    ]
    assert audited.to_json()["withdrawn"] == [2]
    assert series.verify()


def test_it_limits_what_follows_as_if_it_were_public(base, tmp_path):
    """The same next release, whether an earlier one was withdrawn or not."""
    made = []
    for name in ("public", "withdrawn"):
        place = shutil.copytree(base, tmp_path / name)
        series = sf.ReleaseSeries(place / "series")
        if name == "withdrawn":
            series.withdraw(1)
            series.withdraw(2)
        series.publish(place / "c.csv")
        made.append(series.releases()[3])
    assert made[0].description.to_json() == made[1].description.to_json()
    assert made[0].public_view.digest == made[1].public_view.digest
    with pytest.raises(sf.Unsatisfiable, match="fewer than k = 3"):  # and 2 new people are too few
        series.publish(write_batch(tmp_path / "few.csv", 200, 2))


def test_a_public_reader_is_told_that_an_earlier_release_is_missing(series, place):
    """Who has not read the withdrawn one cannot compare with it, and gets no verdict about it."""
    shutil.copytree(series.place / "public" / "002", place / "had")
    series.withdraw(2)
    series.publish(place / "c.csv")
    public = series.place / "public" / "003"
    assert sf.load(public).previous.missing
    assert not sf.load(public).check().holds  # not shown beside what is not at hand
    report = sf.audit(sf.load(public), earlier=[place / "had"])  # who has read it can
    (found,) = (each for each in report.findings if each.attack == "correspondence")
    assert found.holds is not False
    assert not sf.load(public).previous.given


def test_another_release_may_take_its_place(series):
    """Of the same records, for the same recipient or nobody in particular, safe beside it."""
    with pytest.raises(sf.BadInput, match="no batch is waiting"):
        series.publish()
    series.withdraw(2)
    done = series.publish()
    assert (done.number, done.n_rows, done.n_new) == (3, 60, 0)
    assert [each.earlier for each in done.compared] == [1, 2]
    with pytest.raises(sf.BadInput, match="no batch is waiting"):
        series.publish()
    series.publish(recipient="insurer")
    with pytest.raises(sf.BadInput, match="'insurer' has these records already, as release 004"):
        series.publish(recipient="insurer")
    series.withdraw(4)
    assert series.publish(recipient="insurer").number == 5
    with pytest.raises(sf.BadInput, match="'insurer' has these records already, as release 005"):
        series.publish(recipient="insurer")


def test_its_people_stay_in_the_series(series, place):
    series.withdraw(2)
    with pytest.raises(sf.BadInput, match="the same rows came as batch 002"):
        series.publish(place / "b.csv")
    with pytest.raises(sf.BadInput, match="about people who are in the series already"):
        series.publish(write_batch(place / "again.csv", 50, 20, seed=3))


def test_the_only_release_of_a_chain_can_be_withdrawn_and_is_still_audited(series, place):
    series.publish(place / "c.csv", new_chain=True)
    series.withdraw(3)
    audited = series.audit()
    assert (audited.newest.number, audited.withdrawn) == (3, {3})
    assert repr(audited).startswith(f"{audited.verdict}: release 003 (withdrawn)")
    assert series.publish(write_batch(place / "d.csv", 100, 20)).compared[0].earlier == 3


@pytest.mark.parametrize("number", [0, 3, -1, True, 2.5, "2", None, 10**30])
def test_what_is_no_release_cannot_be_withdrawn(series, number):
    with pytest.raises(sf.BadInput, match=r"release: must be the number of a release .*\(1 to 2\)"):
        series.withdraw(number)
    assert series.verify()


def test_nothing_can_be_withdrawn_before_anything_is_published(tmp_path):
    with pytest.raises(sf.BadInput, match="none yet"):
        started(tmp_path / "series").withdraw(1)


def test_a_release_is_withdrawn_once(series):
    since = series.withdraw(1).since
    with pytest.raises(sf.BadInput, match="release: 001 is withdrawn already, since"):
        series.withdraw(1)
    assert series.status().releases[0].withdrawn == since


def test_a_damaged_release_is_not_withdrawn(series):
    """Nobody could compare with what is kept."""
    data = series.place / "public" / "002" / "data.csv"
    data.write_bytes(data.read_bytes()[:-10])
    with pytest.raises(sf.BadInput, match="checksums differ"):
        series.withdraw(2)
    assert series.status().releases[1].withdrawn is None


@pytest.fixture(scope="module")
def hatchery():
    nursery = Hatchery()
    yield nursery
    nursery.close()


@pytest.mark.long
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("then", ["verify", "publish", "withdraw"])
def test_killed_while_withdrawing_nothing_is_lost(hatchery, place, point, then, record_property):
    """From the entry on it is withdrawn; whoever comes next finishes that."""
    series = sf.ReleaseSeries(place / "series")
    before = {n: each.public_view.digest for n, each in series.releases().items()}
    child = hatchery.start(place, "series", "withdraw", series.place, "2", hold=point)
    assert child.reaches(point)
    child.send(signal.SIGKILL)
    assert child.ended() == -signal.SIGKILL
    assert {n: each.public_view.digest for n, each in series.releases().items()} == before
    assert series.audit().newest.withdrawn  # and can be looked at before that
    if then == "verify":
        tidied = series.verify().tidied
    elif then == "publish":
        tidied = series.publish(place / "c.csv").tidied
    else:
        tidied = series.withdraw(1).tidied
    finished = "release 002 was being withdrawn: it is now"
    assert (finished in tidied) == (point != "withdraw.marked")
    found = series.verify()
    assert (found.problems, found.tidied) == ((), ())
    assert {n: series.releases()[n].public_view.digest for n in before} == before
    assert not (series.place / "public" / "002" / "release.json").exists()
    assert published(series.place)[:2] == ["001", "002"]
    assert not list(series.place.rglob(".sfumato-*"))
    record_property("kills survived", 1)


def test_what_cannot_be_moved_counts_as_withdrawn_and_is_moved_later(series, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "somewhere")

    monkeypatch.setattr("sfumato.series.recover.make_public", full)
    with pytest.raises(sf.BadInput, match="somewhere: cannot write: no space left on device; rele"):
        series.withdraw(2)
    assert series.status().releases[1].withdrawn
    assert "cannot write: no space left on device" in series.verify().problems[0]
    monkeypatch.undo()
    assert series.verify().tidied == ("release 002 was being withdrawn: it is now",)


def put_back(place):
    shutil.rmtree(place / "public/002")
    shutil.copytree(place / "private/withdrawn/002", place / "public/002")


def other_marker(place):
    path = place / "public/002/withdrawn.json"
    path.write_text(path.read_text().replace('"release": 2', '"release": 1'))


def newer_marker(place):
    (place / "public/002/withdrawn.json").write_text('{"format": 2}')


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (put_back, "public/002: withdrawn since .*, and public again; take it away"),
        (other_marker, "withdrawn.json: not what the ledger says of a withdrawn release"),
        (newer_marker, "written by format 2, this sfumato reads 1; a newer version of sfumato"),
        (lambda s: (s / "public/002/withdrawn.json").write_text("{"), "damaged; not JSON"),
        (lambda s: (s / "public/002/withdrawn.json").write_text("[]"), "withdrawn.json: damaged"),
        (
            lambda s: (s / "public/002/withdrawn.json").write_text('{"format": 1}'),
            "damaged; not what a withdrawn release leaves",
        ),
        (lambda s: (s / "public/002/withdrawn.json").unlink(), "not what the ledger says"),
        (lambda s: (s / "public/002/x").touch(), "002/x: in the place of a withdrawn release"),
        (lambda s: shutil.rmtree(s / "private/withdrawn/002"), "withdrawn/002.*cannot read"),
        (lambda s: (s / "private/withdrawn/x").touch(), "x: not in the ledger, and nothing that"),
    ],
)
def test_what_is_not_as_a_withdrawal_leaves_it_is_named(series, harm, said):
    series.withdraw(2)
    harm(series.place)
    found = series.verify()
    assert not found
    assert re.search(said, " ".join(found.problems)), found.problems


def test_the_command_says_what_it_did(series):
    done = run("series", "withdraw", series.place, "2")
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "Release 002 of chain 1 is withdrawn: its files are in" in said
    assert "later releases are made safe beside it" in said
    assert "withdrawn" in run("series", "status", series.place).output
    told = json.loads(run("series", "status", series.place, "--json").output)
    assert [bool(each["withdrawn"]) for each in told["releases"]] == [False, True]
    again = run("series", "withdraw", series.place, "2", "--json")
    assert again.exit_code == 2
    told = json.loads(run("series", "withdraw", series.place, "1", "--json").output)
    assert (told["release"], told["tidied"]) == (1, [])
    assert run("series", "verify", series.place).exit_code == 0
