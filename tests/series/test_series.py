"""What happens to batches: every case has a defined answer, and a refusal changes nothing."""

import csv
import shutil
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from series.made import image, kept, published, started, write_batch


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    place = tmp_path_factory.mktemp("base")
    started(place / "series").publish(write_batch(place / "a.csv", 0, 60))
    return place


@pytest.fixture
def series(base, tmp_path):
    """Sixty people, published."""
    shutil.copytree(base, tmp_path, dirs_exist_ok=True)
    return sf.ReleaseSeries(tmp_path / "series")


def batch(tmp_path, first, n, **options):
    return write_batch(tmp_path / f"batch-{first}-{n}.csv", first, n, **options)


def refused(series, *arguments, error=sf.BadInput, **options) -> str:
    before = image(series.place)
    with pytest.raises(error) as caught:
        series.publish(*arguments, **options)
    assert image(series.place) == before
    assert series.verify()
    return str(caught.value)


@pytest.mark.long
def test_every_release_covers_all_records_so_far(series, tmp_path):
    series.publish(batch(tmp_path, 60, 30))
    done = series.publish(batch(tmp_path, 90, 20))
    assert (done.number, done.n_rows, done.n_new, done.n_suppressed) == (3, 110, 20, 0)
    assert done.release == series.place / "public" / "003"
    everybody = Counter()
    for name, n in (("a", 60), ("batch-60-30", 90), ("batch-90-20", 110)):
        with (tmp_path / f"{name}.csv").open() as file:
            everybody.update(row["disease"] for row in csv.DictReader(file))
        number = {60: 1, 90: 2, 110: 3}[n]
        released = sf.load(series.place / "public" / f"{number:03d}")
        assert released.n_rows == n
        assert Counter(released.to_arrow()["disease"].to_pylist()) == everybody
        assert released.check(sf.KAnonymity(3))
    assert published(series.place) == ["001", "002", "003"]
    assert sorted(series.releases()) == [1, 2, 3]


@pytest.mark.long
def test_the_status_says_what_was_published(series, tmp_path):
    series.publish(batch(tmp_path, 60, 30))
    series.publish(batch(tmp_path, 90, 2), wait=True)
    status = series.status()
    assert status.heading == "2 releases in 1 chain, 3 batches, 2 rows waiting"
    assert [row[:5] for row in status.rows] == [
        ("001", "1", "60", "60", "0"),
        ("002", "1", "90", "30", "0"),
    ]
    assert status.to_json()["waiting"] == {"batches": 1, "rows": 2}
    assert not status.interrupted


@pytest.mark.long
def test_a_batch_below_k_is_refused_with_the_reason_and_can_wait(series, tmp_path):
    small = batch(tmp_path, 60, 2)
    message = refused(series, small, error=sf.Unsatisfiable)
    assert message.startswith(
        "no release after 001 is safe: 2 records came since, fewer than k = 3, "
    )
    assert "--wait" in message
    done = series.publish(small, wait=True)
    assert (done.release, done.n_new) == (None, 2)
    assert published(series.place) == ["001"]
    assert kept(series.place) == ["001.parquet", "002.parquet"]
    done = series.publish(batch(tmp_path, 62, 1))  # now there are three
    assert (done.number, done.n_rows, done.n_new) == (2, 63, 3)
    assert series.verify()


@pytest.mark.long
def test_what_waits_can_be_published_without_a_further_batch(series, tmp_path):
    assert "no batch is waiting" in refused(series)
    series.publish(batch(tmp_path, 60, 2), wait=True)
    assert "2 records came since" in refused(series, error=sf.Unsatisfiable)
    series.publish(batch(tmp_path, 62, 10), wait=True)
    assert series.publish().n_rows == 72


def test_a_batch_that_could_never_be_published_does_not_wait(series, tmp_path):
    message = refused(series, batch(tmp_path, 60, 5, age="old"), wait=True)
    assert "column 'age': 1 distinct values are not numbers" in message


def test_an_empty_batch_changes_nothing(series, tmp_path):
    for options in ({}, {"wait": True}, {"new_chain": True}):
        assert "an empty batch changes nothing" in refused(
            series, batch(tmp_path, 60, 0), **options
        )


def test_a_batch_is_taken_once_in_any_order_of_rows_and_columns(series, tmp_path):
    message = refused(series, tmp_path / "a.csv")
    assert "the same rows came as batch 001" in message
    rows = pd.read_csv(tmp_path / "a.csv", dtype=str)
    other = tmp_path / "shuffled.csv"
    rows.sample(frac=1, random_state=1)[rows.columns[::-1]].to_csv(other, index=False)
    assert "the same rows came as batch 001" in refused(series, other)
    assert "the same rows" in refused(series, other, skip_known=True)


@pytest.mark.long
def test_without_a_person_column_a_batch_is_taken_once_all_the_same(tmp_path):
    series = started(tmp_path / "series", person=None)
    series.publish(batch(tmp_path, 0, 40))
    assert "the same rows came as batch 001" in refused(series, batch(tmp_path, 0, 40))
    series.publish(batch(tmp_path, 20, 40))  # nobody can tell who is in both
    assert series.releases()[2].n_rows == 80


@pytest.mark.long
def test_people_who_are_there_already_are_refused_or_left_out(series, tmp_path):
    overlapping = batch(tmp_path, 50, 30, seed=4)
    message = refused(series, overlapping)
    assert "10 rows are about people who are in the series already" in message
    assert "--skip-known" in message
    done = series.publish(overlapping, skip_known=True)
    assert (done.n_rows, done.n_new, done.n_left_out) == (80, 20, 10)
    assert "all rows are about people" in refused(
        series, batch(tmp_path, 55, 10, seed=7), skip_known=True
    )


def test_a_correction_of_what_has_been_published_is_refused(series, tmp_path):
    corrected = batch(tmp_path, 0, 1, disease="none at all")
    assert "what has been published is not corrected" in refused(series, corrected)


def test_people_in_waiting_batches_are_known_too(series, tmp_path):
    series.publish(batch(tmp_path, 60, 5), wait=True)
    assert "1 row is about people" in refused(series, batch(tmp_path, 64, 10))


def test_a_person_twice_in_a_batch_is_refused(series, tmp_path):
    twice = batch(tmp_path, 60, 5)
    twice.write_text(twice.read_text() + "P60,again,30,10001,f,flu,note\n")
    assert "1 row repeats a person of the batch" in refused(series, twice)


def test_a_row_about_nobody_is_refused(series, tmp_path):
    nobody = batch(tmp_path, 60, 5)
    nobody.write_text(nobody.read_text() + ",again,30,10001,f,flu,note\n")
    assert "person: column 'id' is missing in 1 row" in refused(series, nobody)


def test_a_batch_without_a_column_is_refused(series, tmp_path):
    rows = pd.read_csv(batch(tmp_path, 60, 20), dtype=str)
    assert "sensitive: unknown column 'disease'" in refused(series, rows.drop(columns="disease"))


def test_columns_without_a_role_may_come_and_go(series, tmp_path):
    rows = pd.read_csv(batch(tmp_path, 60, 20), dtype=str)
    assert series.publish(rows.drop(columns=["note", "name"]).assign(more="x")).n_rows == 80


def test_a_column_of_another_type_is_refused(series, tmp_path):
    rows = pd.read_csv(batch(tmp_path, 60, 20))
    message = refused(series, rows)
    assert "column 'age' has the type int64, but string in the batches before" in message


@pytest.mark.long
def test_parquet_batches_stay_numbers(tmp_path):
    series = started(tmp_path / "series", sensitive=["disease", "note"], person=None)
    for first in (0, 40):
        rows = pd.read_csv(batch(tmp_path, first, 40)).assign(note=first + 0.5)
        rows.to_parquet(tmp_path / f"{first}.parquet")
        series.publish(tmp_path / f"{first}.parquet")
    released = series.releases()[2].to_arrow()
    assert sorted(set(released["note"].to_pylist())) == [0.5, 40.5]
    assert (series.place / "public" / "002" / "data.parquet").exists()


@pytest.mark.long
def test_csv_batches_published_as_parquet_are_numbers_where_they_were(tmp_path):
    series = started(tmp_path / "series", sensitive=["disease", "note"], format="parquet")
    for first in (0, 40):
        rows = pd.read_csv(batch(tmp_path, first, 40), dtype=str).assign(note=str(first))
        rows.to_csv(tmp_path / "numbers.csv", index=False)
        series.publish(tmp_path / "numbers.csv")
    assert sorted(set(series.releases()[2].to_arrow()["note"].to_pylist())) == [0, 40]


@pytest.mark.long
def test_codes_may_become_longer(series, tmp_path):
    """A mask is as long as the longest code: 100** is 100**** once there are longer ones."""
    done = series.publish(batch(tmp_path, 60, 40, zip="1000012"))
    assert done.number == 2
    assert series.audit().holds


@pytest.mark.long
def test_other_terms_are_refused_or_start_a_new_chain(series, tmp_path):
    rules = {"age": sf.Intervals(10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
    other = started(tmp_path / "other", k=4).status().terms(1)
    message = refused(series, batch(tmp_path, 60, 30), terms=other)
    assert message.startswith("criteria: not what this series was started with")
    changed = sf.ReleaseSeries.create(
        tmp_path / "third", rules, sf.KAnonymity(3), "disease", ["name"], "id"
    )
    terms = changed.status().terms(1)
    message = refused(series, batch(tmp_path, 60, 30), terms=terms)
    assert message.startswith("quasi_identifiers.age: not what this series")
    done = series.publish(batch(tmp_path, 60, 30), terms=terms, new_chain=True)
    assert (done.number, done.chain, done.n_rows) == (2, 2, 30)
    assert series.publish(batch(tmp_path, 90, 30)).n_rows == 60
    assert [row[1] for row in series.status().rows] == ["1", "2", "2"]
    assert series.verify()


@pytest.mark.long
def test_a_new_chain_is_about_other_people(series, tmp_path):
    series.publish(batch(tmp_path, 60, 2), wait=True)  # they were never published
    done = series.publish(batch(tmp_path, 62, 30), new_chain=True)
    assert (done.number, done.chain, done.n_rows, done.compared) == (2, 2, 32, ())
    message = refused(series, batch(tmp_path, 30, 40, seed=1))
    assert "40 rows are about people who are in the series already" in message
    assert sorted(series.releases()) == [2]
    assert sorted(series.releases(chain=1)) == [1]
    assert series.verify()
    assert series.audit().holds


@pytest.mark.parametrize("person", [None, "name"])
def test_a_new_chain_knows_people_by_the_same_column(series, tmp_path, person):
    """Otherwise those of the old chain could be in it."""
    names = ["name"] if person is None else []
    other = started(tmp_path / "other", person=person, identifiers=names).status().terms(1)
    message = refused(series, batch(tmp_path, 0, 40, seed=1), terms=other, new_chain=True)
    assert message.startswith("person: people of this series are known by 'id'")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "str"])
def test_somebody_is_known_however_the_number_is_written(tmp_path, kind):
    series = sf.ReleaseSeries.create(tmp_path / "s", ["sex"], sf.KAnonymity(2), person="id")
    series.publish(pd.DataFrame({"id": [*range(4)], "sex": [*"ffmm"]}))
    again = pd.DataFrame({"id": pd.Series([*range(2, 8)]).astype(kind), "sex": [*"fffmmm"]})
    assert "2 rows are about people who are in the series already" in refused(series, again)


def test_a_chain_is_not_left_before_it_has_a_release(tmp_path):
    series = started(tmp_path / "series")
    assert "the chain has no release yet" in refused(series, batch(tmp_path, 0, 40), new_chain=True)


@pytest.mark.long
def test_a_new_chain_that_is_impossible_leaves_the_old_one(series, tmp_path):
    refused(series, batch(tmp_path, 60, 2), new_chain=True, error=sf.Unsatisfiable)
    assert series.publish(batch(tmp_path, 62, 20)).chain == 1


def test_a_first_release_that_is_impossible_leaves_an_empty_series(tmp_path):
    series = started(tmp_path / "series")
    message = refused(series, batch(tmp_path, 0, 2), error=sf.Unsatisfiable)
    assert message.endswith("(--wait keeps these records for the next release)")
    assert series.publish(batch(tmp_path, 0, 20)).number == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"criterion": sf.LDiversity(1)}, "add KAnonymity(k)"),
        ({"criterion": sf.KAnonymity(3), "method": sf.Mondrian()}, "leave the method out"),
        ({"criterion": 5}, "expected one such as sf.KAnonymity(5), got 5"),
        ({"criterion": sf.KAnonymity(3), "person": "age"}, "both quasi_identifiers and person"),
    ],
)
def test_terms_that_make_no_series_are_refused(tmp_path, options, said):
    with pytest.raises(sf.BadInput) as caught:
        sf.ReleaseSeries.create(tmp_path / "series", ["age"], **options)
    assert said in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_is_taken_gets_no_series(tmp_path):
    (tmp_path / "series").mkdir()
    (tmp_path / "series" / "file").touch()
    with pytest.raises(sf.BadInput, match="exists already"):
        started(tmp_path / "series")


def test_what_is_no_series_is_not_opened(tmp_path):
    with pytest.raises(sf.BadInput, match="no series"):
        sf.ReleaseSeries(tmp_path)


def test_a_private_directory_that_others_can_read_is_refused(series):
    (series.place / "private").chmod(0o750)
    with pytest.raises(sf.BadInput, match="others may look into it"):
        sf.ReleaseSeries(series.place)


@pytest.mark.long
def test_masks_of_an_earlier_release_are_read_when_codes_have_become_longer(tmp_path):
    """11* of the first release is 11*** of the second."""
    series = sf.ReleaseSeries.create(
        tmp_path / "codes", {"zip": sf.Prefix()}, sf.KAnonymity(3), sensitive="disease"
    )
    short = ["111", "112", "122", "123", "211", "212", "222", "223"]  # of too few to be named
    for number, codes in enumerate((short, [f"{code}11" for code in short])):
        rows = [f"{code},{disease}" for code in codes for disease in ("flu", "hiv")] * 2
        path = tmp_path / f"{number}.csv"
        path.write_text("\n".join(["zip,disease", *rows]) + "\n")
        series.publish(path)
    first, second = series.releases().values()
    assert "11*" in first.to_arrow()["zip"].to_pylist()
    assert "*" not in second.to_arrow()["zip"].to_pylist()
    assert series.verify()


def test_numbers_of_an_earlier_release_are_read_however_a_file_writes_them(tmp_path):
    """As CSV, 0.0000001 is written 1e-07."""
    series = sf.ReleaseSeries.create(
        tmp_path / "doses", {"sex": sf.Flat()}, sf.KAnonymity(3), sensitive="dose", format="csv"
    )
    for number, doses in enumerate(([1e-7, 2.5], [1e-7, 1e22])):
        path = tmp_path / f"{number}.parquet"
        rows = {"sex": [*"ffmm"] * 4, "dose": doses * 8}
        pd.DataFrame(rows).to_parquet(path)
        series.publish(path)
    assert sorted(series.releases()) == [1, 2]


def test_a_series_may_be_named_from_where_one_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    series = started("series")
    assert series.publish(write_batch(Path("a.csv"), 0, 30)).number == 1
    assert series.publish(write_batch(Path("b.csv"), 30, 30)).number == 2
    assert series.verify().holds
