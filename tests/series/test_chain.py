"""The releases of a chain, attacked from outside: by their public files and nothing else."""

import csv
import random

import pytest

import sfumato as sf
from sfumato.attacks.correspondence import bcf

PLACES = {"UK": "Europe", "France": "Europe", "USA": "America", "Peru": "America"}
JOBS = {"doctor": "health", "nurse": "health", "lawyer": "law", "judge": "law"}
TREES = [PLACES | {"Europe": "*", "America": "*"}, JOBS | {"health": "*", "law": "*"}]
RULES = {
    "place": sf.Tree({"Europe": ["UK", "France"], "America": ["USA", "Peru"]}),
    "job": sf.Tree({"health": ["doctor", "nurse"], "law": ["lawyer", "judge"]}),
}


def series_of(place, k, criterion=None):
    criterion = criterion or sf.KAnonymity(k)
    return sf.ReleaseSeries.create(place, RULES, criterion, sensitive="disease")


def write(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("place", "job", "disease"), *rows])
    return path


def records(series, number):
    with (series.place / "public" / f"{number:03d}" / "data.csv").open() as file:
        return [((row["place"], row["job"]), row["disease"]) for row in csv.DictReader(file)]


def drawn(draw, n):
    return [
        (draw.choice([*PLACES]), draw.choice([*JOBS]), draw.choice(["flu", "hiv"]))
        for _ in range(n)
    ]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_every_two_releases_of_a_chain_leave_k_records(tmp_path, seed):
    """Compared by `bcf` from the files; and the series' own numbers are those."""
    draw = random.Random(seed)
    k = draw.choice([2, 3, 4])
    series = series_of(tmp_path / "series", k)
    number, outcomes = 0, {}
    for j in range(4):
        rows = drawn(draw, draw.randint(1, 14))
        n_new = len(rows) + series.status().to_json()["waiting"]["rows"]
        batch = write(tmp_path / f"{j}.csv", rows)
        if n_new >= k:  # enough, whatever they are (corollary 5.1)
            number += 1
            outcomes[number] = series.publish(batch)
        else:
            with pytest.raises(sf.Unsatisfiable):
                series.publish(batch)
            series.publish(batch, wait=True)
    assert number
    for later in range(2, number + 1):
        for each in outcomes[later].compared:
            found = bcf(records(series, each.earlier), records(series, later), TREES)
            assert tuple(found) == (each.forward, each.cross, each.backward)
            assert min(found) >= k
        assert len(outcomes[later].compared) == later - 1
    pairs = {(each.earlier, each.later) for each in series.audit().compared}
    assert pairs == {(i, j) for j in range(1, number + 1) for i in range(1, j)}


@pytest.mark.long
def test_a_release_that_would_give_somebody_away_is_made_coarser(tmp_path):
    """Five new people, each alone in a class of the old ones: the finest cut betrays them."""
    old = [(place, job, "flu") for place in PLACES for job in JOBS for _ in range(2)]
    series = series_of(tmp_path / "series", 2)
    series.publish(write(tmp_path / "a.csv", old))
    assert {qid for qid, _ in records(series, 1)} == {(p, j) for p in PLACES for j in JOBS}
    new = [("UK", "doctor", "hiv"), ("France", "nurse", "hiv"), ("Peru", "judge", "hiv")]
    alone = sf.read(
        write(tmp_path / "both.csv", old + new), quasi_identifiers=RULES, sensitive="disease"
    )
    naive = sf.anonymize(alone, sf.KAnonymity(2), sf.TopDown("cut")).to_arrow().to_pylist()
    published = [((row["place"], row["job"]), row["disease"]) for row in naive]
    assert bcf(records(series, 1), published, TREES).BA < 2  # what the series prevents
    done = series.publish(write(tmp_path / "b.csv", new))
    assert min(bcf(records(series, 1), records(series, 2), TREES)) >= 2
    assert done.compared[0].backward >= 2


def test_when_even_one_class_is_not_enough_the_reason_is_said(tmp_path):
    series = series_of(tmp_path / "series", 2, sf.KAnonymity(2) & sf.LDiversity(2))
    series.publish(write(tmp_path / "a.csv", [("UK", "doctor", d) for d in ("flu", "hiv")] * 2))
    with pytest.raises(sf.Unsatisfiable) as caught:
        series.publish(write(tmp_path / "b.csv", [("UK", "doctor", "flu")]))
    assert str(caught.value) == (
        "no release after 001 is safe: 1 record came since, fewer than k = 2, and everybody can "
        "tell how many are new; wait for 1 more (--wait keeps these for the next release)"
    )


def test_a_promise_that_the_whole_table_breaks_says_so_and_what_to_do(tmp_path):
    criterion = sf.KAnonymity(2) & sf.LDiversity(2, kind="frequency", values=["hiv"])
    series = series_of(tmp_path / "series", 2, criterion)
    series.publish(write(tmp_path / "a.csv", [("UK", "doctor", d) for d in ("flu", "hiv")] * 2))
    with pytest.raises(sf.Unsatisfiable) as caught:
        series.publish(write(tmp_path / "b.csv", [("UK", "doctor", "hiv")] * 5))
    assert "as one group of all 9 rows" in str(caught.value)
    assert "--wait" in str(caught.value)
    assert "--new-chain" in str(caught.value)


@pytest.mark.long
def test_numeric_ranges_are_compared_by_what_they_say(tmp_path):
    """Release 001 says "<40" where it had nobody below 30; people of 20 come later."""
    rules = {"age": sf.Intervals(10, 20, 40)}
    series = sf.ReleaseSeries.create(tmp_path / "s", rules, sf.KAnonymity(2), "disease")
    for name, ages in (("a", [30, 31, 55, 56]), ("b", [20, 21, 58, 59]), ("c", [41, 42, 43, 22])):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("age", "disease"), *((age, "flu") for age in ages)])
        series.publish(tmp_path / f"{name}.csv")
    found = series.audit()
    assert len(found.compared) == 3
    assert all(each.holds for each in found.compared)
