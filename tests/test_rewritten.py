"""Columns whose hierarchies see values as others: dates that have a format, and tails."""

import random
import re

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import sfumato as sf

RULES = {
    "age": sf.Intervals(10, 20, bottom=18, top=90),
    "weight": sf.Intervals(20, top=110),
    "born": sf.Dates("DD.MM.YYYY"),
}
CANARIES = {"age": {"3", "17", "93", "97", "104"}, "weight": {"130.5"}}


def people(weights="float64"):
    """A table in which somebody's age or weight is beyond every bound."""
    n, dice = 120, random.Random(5)
    ages = [3, 17, 93, 97, 104, *(dice.randrange(18, 90) for _ in range(n - 5))]
    kilos = [130.5, *(dice.randrange(100, 210) / 2 for _ in range(n - 1))]
    days = [(dice.randrange(1, 29), dice.randrange(1, 13)) for _ in range(n)]
    born = [f"{day:02d}.{month:02d}.{dice.randrange(1950, 1953)}" for day, month in days]
    ill = [*["flu", "cold", "none"] * (n // 3)]
    dice.shuffle(ill)
    kilos = pa.array(kilos, pa.type_for_alias(weights))
    return pa.table({"age": ages, "weight": kilos, "born": born, "ill": ill})


def sources(place):
    """The same people from everywhere."""
    rows = people()
    pa.csv.write_csv(rows, place / "people.csv")
    pa.parquet.write_table(people("float32"), place / "people.parquet")
    return [rows, place / "people.csv", place / "people.parquet"]


def published(place):
    """All values of the quasi-identifiers of a saved release."""
    (file,) = (each for each in place.iterdir() if each.stem == "data")
    rows = pa.parquet.read_table(file) if file.suffix == ".parquet" else None
    if rows is None:
        text = pa.csv.ConvertOptions(column_types=dict.fromkeys(RULES, pa.string()))
        rows = pa.csv.read_csv(file, convert_options=text)
    return {name: {str(value) for value in rows[name].to_pylist()} for name in RULES}


METHODS = {
    "regions": (sf.KAnonymity(3), sf.Mondrian()),
    "levels": (sf.KAnonymity(2), sf.Samarati(max_suppressed=60)),
    "as they are": (sf.KAnonymity(1), sf.Optimal("loss")),
    "two tables": (sf.LDiversity(2), sf.Anatomy()),
}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(("promise", "method"), METHODS.values(), ids=METHODS)
def test_no_release_tells_values_beyond_a_bound_apart(tmp_path, promise, method, kind):
    seen = []
    for number, source in enumerate(sources(tmp_path)):
        release = sf.anonymize(sf.read(source, RULES, "ill"), promise, method)
        place = release.save(tmp_path / f"release{number}", format=kind)
        assert sf.load(place).check()
        values = published(place)
        written = (place / "release.json").read_text()
        for name, canaries in CANARIES.items():
            assert not canaries & values[name]
            assert not any(f'"{canary}"' in written for canary in canaries)
        seen.append({name: sorted(texts) for name, texts in values.items()})
    assert seen[0]["age"] == seen[1]["age"] == seen[2]["age"]
    assert seen[0]["weight"] == seen[1]["weight"] == seen[2]["weight"]


def test_the_domains_are_the_same_from_every_source(tmp_path):
    tables = [sf.read(source, RULES, "ill") for source in sources(tmp_path)]
    labels = [{name: table.domains[name].labels for name in RULES} for table in tables]
    assert labels[0] == labels[1] == labels[2]
    assert labels[0]["age"][0] == "<18"
    assert labels[0]["age"][-1] == ">=90"
    assert labels[0]["weight"][-1] == ">=110"
    assert labels[0]["born"][0].startswith("1950-0")
    assert all(table.frequencies().n_rows == 120 for table in tables)


def test_a_release_is_audited_with_its_original(tmp_path):
    table = sf.read(people(), RULES, "ill")
    place = sf.anonymize(table, sf.KAnonymity(4), sf.Mondrian()).save(tmp_path / "release")
    again = sf.load(place)
    assert again.description.hierarchies["age"] == RULES["age"]
    report = sf.audit(again, sf.read(people(), RULES, "ill"))
    assert report.findings


def test_a_column_is_of_texts_whoever_is_in_it():
    rows = people().slice(5)
    table = sf.read(rows, {"age": RULES["age"]}, "ill")
    assert table.domains["age"].labels[0] == "18"
    nobodys = rows.set_column(0, "age", pa.nulls(len(rows), pa.int64()))
    kinds = sf.read(nobodys, {"age": RULES["age"]}, "ill").source.kinds(())
    assert kinds["age"] == "text"


def test_a_sensitive_column_is_published_as_it_is():
    with pytest.raises(sf.BadInput, match="column 'age': bottom, top and date formats are for"):
        sf.read(
            people(), {"born": sf.Dates("DD.MM.YYYY")}, "age", hierarchies={"age": RULES["age"]}
        )


def test_a_saved_recoding_publishes_new_people_beyond_a_bound_alike(tmp_path):
    method = sf.Mondrian(bounds="cuts")  # whose boxes cover whoever comes later
    first = sf.anonymize(sf.read(people(), RULES, "ill"), sf.KAnonymity(4), method)
    first.save_recoding(tmp_path / "recoding.json")
    older = people().to_pydict()
    older["age"] = [age + 5 for age in older["age"]]
    method = sf.Recode.load(tmp_path / "recoding.json")
    again = sf.anonymize(sf.read(pa.table(older), RULES, "ill"), sf.KAnonymity(1), method)
    ages = {str(age) for age in again.to_arrow()["age"].to_pylist()}
    numbers = {int(number) for text in ages for number in re.findall(r"\d+", text)}
    assert all(18 <= number <= 90 for number in numbers)


def test_a_series_keeps_and_publishes_values_as_they_are_seen(tmp_path):
    rules = {"age": RULES["age"], "born": RULES["born"]}
    rows = people().append_column("id", pa.array([f"p{j}" for j in range(120)]))
    terms = {"quasi_identifiers": rules, "sensitive": "ill", "person": "id"}
    series = sf.ReleaseSeries.create(tmp_path / "series", criterion=sf.KAnonymity(5), **terms)
    series.publish(rows.slice(0, 80), rare="keep")
    series.publish(rows.slice(80), rare="keep")
    assert series.verify()
    for release in ("001", "002"):
        (file,) = (tmp_path / "series" / "public" / release).glob("data.*")
        texts = pa.csv.read_csv(file)["age"].to_pylist() if file.suffix == ".csv" else None
        texts = pa.parquet.read_table(file)["age"].to_pylist() if texts is None else texts
        numbers = {int(number) for text in texts for number in re.findall(r"\d+", str(text))}
        assert all(18 <= number <= 90 for number in numbers)
