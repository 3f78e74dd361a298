"""A person is one person in however many spellings, and a merged value keeps its spelling."""

import unicodedata

import pandas as pd
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from cli.common import run
from series.made import write_job

PEOPLE = ["Zoë Ek", "Bo", "7", "8", "Straße", "X-1"]
AGAIN = [
    ("decomposed", [unicodedata.normalize("NFD", "Zoë Ek")]),
    ("upper case", ["ZOË EK", "BO", "STRASSE"]),
    ("blanks", ["Bo ", " Bo", "Zoë\u00a0 Ek"]),
    ("numbers", ["7.0", "+7", "7e0"]),
    ("letters nobody sees", ["B\u200bo", "Bo\ufeff", "\u202eBo"]),
    ("full width", ["\uff22\uff4f", "\uff17"]),
    ("dashes", ["X\u20131"]),
]


def batch(ids, disease="flu"):
    diseases = [disease] * len(ids) if isinstance(disease, str) else disease
    return pd.DataFrame({"id": ids, "sex": ["f"] * len(ids), "disease": diseases})


def series_in(place, promise=None, **options):
    criterion = sf.KAnonymity(2) if promise is None else sf.KAnonymity(2) & promise
    return sf.ReleaseSeries.create(
        place / "s", ["sex"], criterion, sensitive="disease", person="id", **options
    )


def published(series, number):
    return pq.read_table(series.place / "public" / f"{number:03d}" / "data.parquet")


@pytest.mark.parametrize(("ids"), [ids for _, ids in AGAIN], ids=[name for name, _ in AGAIN])
def test_a_person_who_comes_again_in_another_spelling_is_known(tmp_path, ids):
    series = series_in(tmp_path)
    series.publish(batch(PEOPLE))
    for name in ids:
        with pytest.raises(sf.BadInput, match="1 row is about people who are in the series"):
            series.publish(batch([name, "new 1", "new 2"]))
    done = series.publish(batch([*ids, "new 1", "new 2"][-3:]), skip_known=True)
    assert done.n_new == 2


def test_two_spellings_in_one_batch_repeat_a_person(tmp_path):
    with pytest.raises(sf.BadInput, match="1 row repeats a person of the batch, however spelled"):
        series_in(tmp_path).publish(batch(["Ada", "ADA ", "Bo"]))


def test_numbers_of_other_types_are_the_same_people(tmp_path):
    series = series_in(tmp_path)
    series.publish(batch([1, 2, 3]))
    for ids in ([1.0, 20.0, 30.0], ["1.0", "20", "30"], [" 1", "20", "30"]):
        with pytest.raises(sf.BadInput, match="1 row is about people"):
            series.publish(batch(ids))


def test_people_are_told_apart_as_spelled_where_the_series_says_so(tmp_path):
    series = series_in(tmp_path, alike={"id": "keep"})
    series.publish(batch(["aB", "Ab", "ab"]))
    assert series.publish(batch(["AB", "aB ", "x"])).n_rows == 6
    with pytest.raises(sf.BadInput, match="1 row is about people"):
        series.publish(batch(["aB", "y", "z"]))


def test_a_promise_that_would_rest_on_the_spellings_of_two_batches_is_refused(tmp_path):
    series = series_in(tmp_path, sf.LDiversity(2))
    series.publish(batch(["a", "b"], ["HIV", "flu"]))
    for wait in (False, True):
        with pytest.raises(sf.BadInput, match=r"rest on .*disease \(2 spellings of 1 value\)"):
            series.publish(batch(["c", "d"], ["hiv", "flu"]), wait=wait)
    assert len(series.status().batches) == 1


def test_a_merged_value_is_spelled_as_in_the_first_batch_that_has_it(tmp_path):
    series = series_in(tmp_path, sf.LDiversity(2), alike="merge")
    series.publish(batch(["a", "b", "c"], ["HIV", "flu", "HIV"]))
    series.publish(batch(["d", "e", "f"], ["hiv ", "FLU", "hiv "]))
    series.publish(batch(["g", "h", "i"], ["gout", "Gout", "Flu"]))
    assert series.publish(batch(["j", "k", "l"], ["hiV", "gOut", "flu"])).batch.merged == {
        "disease": (4, 2)  # with the spellings known before
    }
    assert set(published(series, 2)["disease"].to_pylist()) == {"HIV", "flu"}
    assert set(published(series, 3)["disease"].to_pylist()) == {"HIV", "flu", "Gout"}
    assert series.verify().holds
    assert series.audit().compared


def test_all_chains_of_a_series_compare_in_one_way(tmp_path):
    series = series_in(tmp_path, alike="merge")
    series.publish(batch(["a", "b"]))
    other = sf.ReleaseSeries.create(
        tmp_path / "t", ["sex"], sf.KAnonymity(2), sensitive="disease", person="id"
    )
    terms = other.status().terms(1)
    with pytest.raises(sf.BadInput, match="alike: not what this series was started with"):
        series.publish(batch(["c", "d"]), new_chain=True, terms=terms)


@pytest.mark.long
def test_a_job_says_so_for_a_series(tmp_path):
    job = write_job(tmp_path / "job.toml", 2, '[read]\nalike = { id = "keep" }\n')
    rows = "".join(f"{i},x,30,10000,f,flu,n\n" for i in ("a", "A", "b"))
    (tmp_path / "a.csv").write_text(f"id,name,age,zip,sex,disease,note\n{rows}")
    done = run("publish", tmp_path / "s", tmp_path / "a.csv", "--job", job)
    assert done.exit_code == 0, done.output
    assert sf.ReleaseSeries(tmp_path / "s").status().terms(1).alike == {"id": "keep"}


@pytest.mark.long
def test_identifiers_that_repeat_in_a_batch_are_named(tmp_path):
    rows = "".join(f"{name},30,10000,f,flu,n\n" for name in ("Ada", "ADA ", "Bo", "Cy"))
    (tmp_path / "a.csv").write_text(f"name,age,zip,sex,disease,note\n{rows}")
    job = tmp_path / "job.toml"
    job.write_text(write_job(job, 2).read_text().replace('person = "id"\n', ""))
    done = run("publish", tmp_path / "s", tmp_path / "a.csv", "--job", job)
    assert done.exit_code == 0, done.output
    said = "In the batch: identifiers repeated: name (1 row repeats a value): k counts rows"
    assert said in " ".join(done.output.split())


def test_missing_values_are_written_as_in_the_first_batch_that_has_them(tmp_path):
    for name, first, again in (("a", None, " "), ("b", "", None)):
        (tmp_path / name).mkdir()
        series = series_in(tmp_path / name, sf.LDiversity(2), alike={"disease": "merge"})
        series.publish(batch(["a", "b"], ["flu", first]))
        series.publish(batch(["c", "d"], ["flu", again]))
        assert set(published(series, 2)["disease"].to_pylist()) == {"flu", first}


def test_a_value_is_written_as_the_criterion_of_the_series_names_it(tmp_path):
    promise = sf.LDiversity(2, kind="frequency", values=["HIV"])
    series = series_in(tmp_path, promise, alike={"disease": "merge"})
    series.publish(batch(["a", "b", "c", "d"], ["hiv", "hiv", "flu", "flu"]))
    series.publish(batch(["e", "f"], ["Hiv", "flu"]))
    assert set(published(series, 2)["disease"].to_pylist()) == {"flu", "HIV"}
