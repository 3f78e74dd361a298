"""Releases of the same records for different recipients, who may show each other what they have."""

import csv
import json
import random
import shutil
import sqlite3
from contextlib import closing

import pytest

import naive.correspondence
import sfumato as sf
from cli.common import run
from series.made import image, published, started, write_batch

PLACES, JOBS = ("UK", "Peru"), ("doctor", "nurse")
RULES = {"place": sf.Tree(list(PLACES)), "job": sf.Tree(list(JOBS))}
GROUND = {"place": PLACES, "job": JOBS}


def write(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([(*RULES, "disease"), *rows])
    return path


def small(place, k=2):
    return sf.ReleaseSeries.create(place, RULES, sf.KAnonymity(k), sensitive="disease")


def rows_of(series, number):
    with (series.place / "public" / f"{number:03d}" / "data.csv").open() as file:
        return [(row["place"], row["job"], row["disease"]) for row in csv.DictReader(file)]


def meant(rows):
    """Published rows as what they can stand for, as the twins take them."""
    sides = [
        [PLACES if place == "*" else (place,), JOBS if job == "*" else (job,)]
        for place, job, _ in rows
    ]
    return [
        (frozenset((p, j) for p in places for j in jobs), disease)
        for (places, jobs), (_, _, disease) in zip(sides, rows, strict=True)
    ]


def in_detail(people, columns):
    return [
        (p if "place" in columns else "*", j if "job" in columns else "*", d) for p, j, d in people
    ]


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 5, 7, 20])  # with different ends
def test_all_recipients_together_are_left_with_k_records_and_each_gets_what_is_safe(tmp_path, seed):
    """By all tables that the files can come from; no column of a recipient could be kept finer."""
    draw = random.Random(seed)
    series, people, known = small(tmp_path / "series"), [], []
    third = ("research", 2) if seed % 2 else ("ministry", 0)  # the next batch, or the same people
    steps = [("research", 5, ["place"]), ("insurer", 0, ["job"]), (*third, [*RULES])]
    for number, (recipient, n, columns) in enumerate(steps, start=1):
        new = [(draw.choice(PLACES), draw.choice(JOBS), draw.choice("st")) for _ in range(n)]
        people += new
        batch = write(tmp_path / f"{number}.csv", new) if new else None
        done = series.publish(batch, recipient=recipient, columns=columns)
        assert (done.n_rows, done.n_new, done.recipient) == (len(people), n, recipient)
        found = rows_of(series, number)
        assert sorted(row[-1] for row in found) == sorted(row[-1] for row in people)
        assert naive.correspondence.series_safe([*known, meant(found)], 2)
        finer = [c for j, c in enumerate(RULES) if found[0][j] != "*"]
        assert sorted(found) == sorted(in_detail(people, finer))
        assert set(finer) <= set(columns)
        for column in set(columns) - set(finer):
            after = meant(in_detail(people, [*finer, column]))
            small_class = min(map(len, naive.correspondence.published_sizes(after))) < 2
            assert small_class or not naive.correspondence.series_safe([*known, after], 2)
        for each in done.compared:
            fa, ca, ba = naive.correspondence.bcf(known[each.earlier - 1], meant(found))
            later = len(known[each.earlier - 1]) < len(found)
            assert (each.forward, each.cross) == (fa, ca)
            assert each.backward == (ba if later else None)
        known.append(meant(found))
    assert series.verify()
    assert [made.recipient for made in series.status().releases][:2] == ["research", "insurer"]


@pytest.mark.long
def test_what_another_recipient_has_is_not_completed(tmp_path):
    """By place and by job two records are left to everybody; together only one."""
    people = [("UK", "doctor", "flu"), ("UK", "nurse", "hiv")]
    people += [("Peru", "doctor", "flu"), ("Peru", "nurse", "hiv")]
    by_place, by_job = (meant(in_detail(people, [column])) for column in RULES)
    assert naive.correspondence.bcf(by_place, by_job)[:2] == (1, 1)
    batch = write(tmp_path / "a.csv", people)
    for order in (["place", "job"], ["job", "place"]):
        series = small(tmp_path / order[0])
        series.publish(batch, recipient="research", columns=order[:1])
        done = series.publish(recipient="insurer", columns=order[1:])
        assert sorted(rows_of(series, 1)) == sorted(in_detail(people, order[:1]))
        assert sorted(rows_of(series, 2)) == sorted(in_detail(people, []))
        assert [(e.forward, e.cross, e.backward) for e in done.compared] == [(2, 2, None)]
        assert done.compared[0].holds
        assert sf.load(done.release).method.columns == (order[1],)


@pytest.mark.long
def test_two_who_get_the_same_are_audited_like_all_others(tmp_path):
    series = started(tmp_path / "series")
    series.publish(write_batch(tmp_path / "a.csv", 0, 60), recipient="research")
    series.publish(recipient="insurer")
    one, two = (sf.load(series.place / "public" / number) for number in ("001", "002"))
    assert one.public_view.digest == two.public_view.digest
    assert series.audit().holds
    series.publish(write_batch(tmp_path / "b.csv", 60, 60))
    assert series.audit().holds
    last = sf.load(series.place / "public" / "003")
    assert last.previous.names == ("001", "002")
    assert last.check()


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    place = tmp_path_factory.mktemp("base")
    first = write_batch(place / "a.csv", 0, 60)
    started(place / "series").publish(first, recipient="insurer", columns=["age", "sex"])
    write_batch(place / "b.csv", 60, 30)
    return place


@pytest.fixture
def place(base, tmp_path):
    return shutil.copytree(base, tmp_path / "place")


def refused(series, error=sf.BadInput, **options) -> str:
    before = image(series.place)
    with pytest.raises(error) as caught:
        series.publish(**options)
    assert image(series.place) == before
    return str(caught.value)


@pytest.mark.long
def test_a_recipient_may_be_behind_and_gets_all_records_later(place):
    series = sf.ReleaseSeries(place / "series")
    series.publish(place / "b.csv", recipient="research")
    done = series.publish(recipient="insurer", columns=["age", "sex"])
    assert (done.number, done.n_rows, done.n_new) == (3, 90, 0)
    assert [(each.earlier, each.backward is None) for each in done.compared] == [
        (1, False),  # 30 came since
        (2, True),  # the same people
    ]
    assert set(series.releases()[3].to_arrow()["zip"].to_pylist()) == {"*"}
    shown = [(row[0], row[3], row[7]) for row in series.status().rows]
    assert shown == [("001", "60", "insurer"), ("002", "30", "research"), ("003", "0", "insurer")]
    for recipient, number in (("insurer", 3), ("research", 2)):
        assert refused(series, recipient=recipient).endswith(
            f"no batch is waiting, and {recipient!r} has these records already, as release "
            f"{number:03d}; give a batch, or another recipient"
        )
    assert series.verify()
    found = series.audit()
    assert found.holds
    assert [row[0] for row in found.rows] == [
        "001 (insurer), 002 (research)",
        "001 (insurer), 003 (insurer)",
        "002 (research), 003 (insurer)",
    ]
    assert found.to_json()["recipients"] == {"1": "insurer", "2": "research", "3": "insurer"}


@pytest.mark.long
def test_what_waits_goes_to_the_next_recipient_whoever_that_is(place):
    series = sf.ReleaseSeries(place / "series")
    series.publish(write_batch(place / "c.csv", 200, 2), wait=True)
    message = refused(series, sf.Unsatisfiable, recipient="research")
    assert "2 records came since, fewer than k = 3" in message
    done = series.publish(place / "b.csv", recipient="research")
    assert (done.n_rows, done.n_new) == (92, 32)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "or say who gets the same records in another release (--to)"),
        ({"recipient": "insurer"}, "'insurer' has these records already, as release 001"),
        *(
            ({"recipient": name}, "recipient: must be a name")
            for name in ("", " ", " x", "a\nb", "\udc80", 3)
        ),
        ({"recipient": "x", "columns": ["agee"]}, "did you mean 'age'?"),
        ({"recipient": "x", "columns": ["disease"]}, "'disease' is no quasi-identifier"),
        ({"recipient": "x", "columns": []}, "one quasi-identifier at least"),
        ({"recipient": "x", "columns": "age"}, "must be a list"),
        ({"recipient": "x", "wait": True}, "drop --to and --columns"),
        ({"columns": ["age"], "wait": True}, "drop --to and --columns"),
        ({"recipient": "x", "new_chain": True}, "no batch is waiting; give one"),
    ],
)
def test_what_is_no_release_for_anybody_is_refused(base, options, said):
    assert said in refused(sf.ReleaseSeries(base / "series"), **options)


def test_a_method_can_leave_columns_out_for_all_recipients(tmp_path):
    method = sf.BCFAnonymizer(columns=["age"])
    series = started(tmp_path / "series", method=method)
    series.publish(write_batch(tmp_path / "a.csv", 0, 30))
    assert series.releases()[1].method == method
    assert series.status().terms(1).method == method
    with pytest.raises(sf.BadInput, match="'name' is no quasi-identifier"):
        started(tmp_path / "other", method=sf.BCFAnonymizer(columns=["name"]))


def test_a_ledger_of_another_format_is_refused_in_one_line(place):
    series = sf.ReleaseSeries(place / "series")
    for said, format_ in (
        ("written by format 99, this sfumato reads 5; a newer version", 99),
        ("damaged", "x"),
    ):
        path = place / "series" / "private" / "ledger.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as ledger:
            ledger.execute("UPDATE series SET format = ?", (format_,))
        with pytest.raises(sf.BadInput, match=said):
            series.status()


@pytest.mark.long
def test_the_command_publishes_for_a_recipient(place):
    series = place / "series"
    done = run("publish", series, "--to", "the ministry", "--columns", "age, sex")
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "Release 002 of chain 1 for 'the ministry' is in" in said
    assert "60 rows, 0 of them new; no rare people left out." in said
    assert published(series) == ["001", "002"]
    shown = " ".join(run("series", "status", series).output.split())
    assert "insurer BCFAnonymity(k=3)" in shown
    told = json.loads(run("series", "status", series, "--json").output)
    assert [each["recipient"] for each in told["releases"]] == ["insurer", "the ministry"]
    shown = run("series", "audit", series).output
    assert "release 002 for 'the ministry'" in shown
    assert "001 (insurer), 002 (the ministry)" in " ".join(shown.split())
    again = run("publish", series, "--to", "the ministry", "--json")
    assert again.exit_code == 2
    assert again.output.count("\n") == 1
    assert run("publish", series, "--to", "x", "--columns", "").exit_code == 2
