"""Bounds and midpoints in the files of a release: told by the texts, read back, and judged."""

import csv
import json
import tempfile
from collections import Counter
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sfumato as sf
from descriptions import rewrite
from profiles import examples
from release.test_typed import AGES, SEXES, as_place, releases
from sfumato.files.staged import digest

RULES = {"age": sf.Intervals(5, 10, 20, top=80, domain=[0, 120]), "sex": sf.Flat()}


def patients(rules=RULES, **roles):
    """The patients of the examples, by age and sex."""
    return sf.read(sf.datasets.patients(), quasi_identifiers=rules, sensitive="disease", **roles)


def rows_of(place):
    """The rows of a CSV file, by a reader that knows nothing of ours."""
    with (place / "data.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@given(releases(), st.sampled_from(["bounds", "midpoint"]))
@examples(50)
def test_a_release_with_numbers_says_what_the_one_with_texts_says(made, way):
    rules, columns, method, form = made
    assume(not isinstance(method, sf.TopDown))  # it draws who stays general, anew every time
    table = sf.read(
        pl.DataFrame(columns, strict=False), quasi_identifiers=rules, insensitive=["id"]
    )
    text = sf.anonymize(table, sf.KAnonymity(2), method, untouched_identify=True)
    release = sf.anonymize(table, sf.KAnonymity(2), method, untouched_identify=True, numbers=way)
    with tempfile.TemporaryDirectory() as place:
        loaded = sf.load(release.save(Path(place) / "release", form))
        assert loaded.check().holds
        assert loaded.public_view.digest == release.public_view.digest == text.public_view.digest
        own, typed = loaded.to_pandas(), loaded.to_pandas(typed=True)
        known = sf.load(text.save(Path(place) / "text", form)).to_pandas(typed=True)
        original = {name: [columns[name][j] for j in own["id"]] for name in rules}
        for name, numbers in loaded.description.numbers.items():
            assert name in text.description.recoded
            alike = len({tuple(row) for row in numbers.values.values()}) < len(numbers.values)
            assert (name in own) == (alike or way == "midpoint")
            sides = [own[each] for each in numbers.names]
            for value, *ends in zip(original[name], *sides, strict=True):
                if value is None:
                    continue
                first, last = ends[0], ends[-1]
                if way == "bounds":
                    assert pd.isna(first) or float(first) <= as_place(value)
                    assert pd.isna(last) or as_place(value) <= float(last)
            if way == "bounds":  # groups by both columns are those of the texts
                by = [n for c in rules for n in loaded.description.in_file(c)]
                sizes = own.groupby(by, dropna=False).size()
                assert sorted(sizes) == sorted(text.published.sizes.tolist())
        beside = [n for each in loaded.description.numbers.values() for n in each.names]
        frames = [
            each.drop(columns=[c for c in beside if c in each]).sort_values("id", ignore_index=True)
            for each in (typed, known)
        ]
        pd.testing.assert_frame_equal(*frames)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("method", [sf.Mondrian(), sf.Mondrian(strict=False), sf.Samarati()])
def test_bounds_stand_in_the_file_instead_of_the_text(method, form, tmp_path):
    release = sf.anonymize(patients(), sf.KAnonymity(5), method, numbers="bounds")
    loaded = sf.load(release.save(tmp_path / "release", form))
    frame = loaded.to_pandas()
    assert [*frame] == ["age_low", "age_high", "sex", "disease"]
    assert frame["age_low"].notna().all()
    assert frame["age_high"].max() == 120
    assert loaded.check().holds
    assert frame.groupby(["age_low", "age_high", "sex"]).size().min() >= 5
    in_order = frame.sort_values(["age_low", "age_high", "sex", "disease"], ignore_index=True)
    pd.testing.assert_frame_equal(frame, in_order)
    assert str(loaded.to_pandas(typed=True)["age"].dtype).startswith("interval[float64")


def test_midpoints_are_beside_the_text_and_empty_where_it_is_open(tmp_path):
    rules = {"age": sf.Intervals(5, 10, 20, top=80), "sex": sf.Flat()}
    levels = sf.Recode(levels={"age": 1, "sex": 1})
    release = sf.anonymize(patients(rules), sf.KAnonymity(5), levels, numbers="midpoint")
    rows = rows_of(release.save(tmp_path / "release"))
    assert [*rows[0]] == ["age", "age_mid", "sex", "disease"]
    middles = {row["age"]: row["age_mid"] for row in rows}
    assert middles.pop(">=80") == ""
    for text, middle in middles.items():
        low, high = text.strip("[)").split(", ")
        assert 2 * float(middle) == int(low) + int(high)
    said = dict(sf.load(tmp_path / "release").summary().lines)["numbers"]
    assert said == (
        "age_mid beside age; empty where the end is open (1 of 17 published values), which a "
        "declared domain closes"
    )


def test_an_open_end_is_an_empty_bound_and_the_summary_says_so():
    rules = {"age": sf.Intervals(5, bottom=20, top=80), "sex": sf.Flat()}
    levels = sf.Recode(levels={"age": 1, "sex": 1})
    release = sf.anonymize(patients(rules), sf.KAnonymity(5), levels, numbers="bounds")
    frame = release.to_pandas()
    assert set(frame["age_high"][frame["age_low"].isna()]) == {20}
    assert set(frame["age_low"][frame["age_high"].isna()]) == {80}
    said = dict(release.summary().lines)
    assert said["numbers"].startswith("age_low and age_high instead of age; empty where the end")
    assert "age" not in said.get("generalized to text", "")
    assert release.summary().numbers["numbers"] == {"age": ["age_low", "age_high"]}


def test_what_is_to_be_noticed_is_named_once_and_told_apart():
    rules = {"age": sf.Intervals(5, top=80), "height": sf.Intervals(20), "sex": sf.Flat()}
    source = pl.read_csv(sf.datasets.patients()).with_columns(
        height=150 + pl.col("age"),
        disease=pl.when(pl.col("disease") != "flu").then(pl.col("disease")),
    )
    assert source["disease"].null_count()
    table = sf.read(source, rules, "disease")
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian(), numbers="bounds")
    _, more = release.summary().sentences
    noticed = more.removesuffix(" (--details).").split("to be noticed: ")[1].split("; ")
    assert noticed.count("numbers") == 1
    assert "missing, counted as a value" in noticed
    named = {name for name, _ in release.summary().lines}
    assert set(noticed) <= named
    plain = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian()).summary().sentences[1]
    assert "numbers" not in plain


def test_an_audit_finds_the_same_whichever_way_numbers_are_published(tmp_path):
    people = pl.read_csv(sf.datasets.patients()).select("age", "sex")
    findings = {}
    for way in ("text", "bounds", "midpoint"):
        criterion = sf.KAnonymity(3) & sf.LDiversity(2)
        release = sf.anonymize(patients(), criterion, sf.Mondrian(), numbers=way)
        loaded = sf.load(release.save(tmp_path / way))
        others = sf.read(people, quasi_identifiers=RULES)
        for subject in (release, loaded):
            report = sf.audit(subject, external=others)
            told = [str(each) for each in report.findings], [str(each) for each in report.not_run]
            findings[way, subject is loaded] = told
    assert findings["text", True][0]
    for loaded in (False, True):
        assert findings["bounds", loaded] == findings["text", loaded]
        assert findings["midpoint", loaded] == findings["text", loaded]


@pytest.mark.parametrize("way", ["bounds", "midpoint"])
def test_a_later_release_is_compared_with_one_that_publishes_numbers(way, tmp_path):
    criterion, table = sf.KAnonymity(5) & sf.BCFAnonymity(5), patients()
    first = sf.anonymize(table, criterion, sf.BCFAnonymizer(), numbers=way)
    place = first.save(tmp_path / "first")
    text = sf.anonymize(table, criterion, sf.BCFAnonymizer()).save(tmp_path / "text")
    later = [
        sf.anonymize(table, criterion, sf.BCFAnonymizer(previous=[each]), numbers=way)
        for each in (place, text, sf.load(place))
    ]
    assert len({each.public_view.digest for each in later}) == 1
    loaded = sf.load(later[0].save(tmp_path / "later"))
    assert loaded.check().holds is not False
    assert str(later[0].check()) == str(later[1].check())


def test_a_name_that_is_taken_is_refused():
    frame = pl.DataFrame({"age": AGES, "AGE_low": SEXES, "age_mid": SEXES})
    rules = {"age": sf.Intervals(10), "AGE_low": sf.Flat(), "age_mid": sf.Flat()}
    table = sf.read(frame, quasi_identifiers=rules)
    for way, name in (("bounds", "age_low"), ("midpoint", "age_mid")):
        with pytest.raises(sf.BadInput, match=f"numbers: the name '{name}' is taken by a column"):
            sf.anonymize(table, sf.KAnonymity(2), numbers=way)


def test_texts_stay_where_bounds_mean_two_of_them_and_a_domain_helps():
    frame = pl.DataFrame({"age": [None, 20, 40, None], "sex": ["m", "f", "f", "f"]}, strict=False)

    def by(domain, **way):
        rules = {"age": sf.Intervals(domain=domain), "sex": sf.Tree(["f", "m"])}
        table = sf.read(frame, quasi_identifiers=rules)
        return sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian(bounds="cuts"), **way)

    assert by(None).to_arrow()["age"].to_pylist() == [None, None, "not missing", "not missing"]
    beside = by(None, numbers="bounds")
    assert beside.to_arrow()["age"].to_pylist() == [None, None, "not missing", "not missing"]
    assert beside.to_arrow()["age_low"].null_count == 4
    assert dict(beside.summary().lines)["numbers"].startswith(
        "age_low and age_high beside age, since missing values and not missing have the same "
        "bounds; empty where the end is open"
    )
    closed = by([0, 120], numbers="bounds").to_arrow()
    assert closed["age_low"].to_pylist() == [None, None, 0, 0]
    assert closed["age_high"].to_pylist() == [None, None, 120, 120]


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("top", "alike"),
    [
        (None, (">=90 or missing", "[90, 120)")),  # the domain's end is in one, not in the other
        (90, (">=90", ">=90 or missing")),
    ],
)
def test_two_published_values_with_the_same_bounds_are_told_apart(top, alike, form, tmp_path):
    people = {"f": [20, 20, 20, 91, 91, 117], "m": [20, 20, 20, 91, 117, None]}
    frame = pl.DataFrame([(a, s) for s in people for a in people[s]], ["age", "sex"], orient="row")
    age = sf.Intervals(5, 10, 20, top=top, domain=[0, 120])
    table = sf.read(frame, {"age": age, "sex": sf.Flat()})
    text = sf.anonymize(table, sf.KAnonymity(3), sf.Mondrian())
    release = sf.anonymize(table, sf.KAnonymity(3), sf.Mondrian(), numbers="bounds")
    loaded = sf.load(release.save(tmp_path / "release", form))
    assert loaded.check().holds
    assert loaded.public_view.digest == text.public_view.digest
    pairs = loaded.to_pandas().groupby("age")[["age_low", "age_high"]].agg(["min", "max"])
    assert pairs.loc[alike[0]].tolist() == pairs.loc[alike[1]].tolist() == [90, 90, 120, 120]
    assert dict(loaded.summary().lines)["numbers"] == (
        f"age_low and age_high beside age, since {alike[0]} and {alike[1]} have the same bounds"
    )


def test_unknown_ways_are_refused():
    with pytest.raises(sf.BadInput, match="anonymize: numbers must be"):
        sf.anonymize(patients(), sf.KAnonymity(5), numbers="mean")


def changed(place, change):
    """Change the rows of a saved release on purpose, with digests that fit."""
    file = place / "data.csv"
    rows = rows_of(place)
    change(rows)
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, [*rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    said = json.loads((place / "release.json").read_text())
    said["files"]["data.csv"] = digest(file)
    rewrite(place, said)


@pytest.mark.parametrize(("way", "name"), [("bounds", "age_high"), ("midpoint", "age_mid")])
def test_numbers_of_no_published_value_are_refused(way, name, tmp_path):
    release = sf.anonymize(patients(), sf.KAnonymity(5), sf.Mondrian(), numbers=way)
    place = release.save(tmp_path / "release")
    changed(place, lambda rows: None)
    sf.load(place)
    changed(place, lambda rows: rows[3].update({name: "7777"}))
    with pytest.raises(sf.BadInput, match=f"{name} hold numbers of no published value"):
        sf.load(place)


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said["numbers"].update({"sex": said["numbers"]["age"]}),
        lambda said: said["numbers"].update({"name": said["numbers"]["age"]}),
        lambda said: said["numbers"]["age"].update({"columns": ["age_low"]}),
        lambda said: said["numbers"]["age"].update({"columns": ["sex", "age_high"]}),
        lambda said: said["numbers"]["age"]["values"].append(["[0, 5)", True, 5]),
        lambda said: said["numbers"]["age"]["values"].append(said["numbers"]["age"]["values"][0]),
        lambda said: said["numbers"]["age"].update({"values": None}),
        lambda said: said["numbers"]["age"]["values"][0].__setitem__(1, 1),  # not what it means
        lambda said: said["numbers"]["age"].update({"columns": ["low", "high"]}),
        lambda said: said.update({"numbers": []}),
    ],
)
def test_a_description_of_numbers_that_is_damaged_is_refused(change, tmp_path):
    place = sf.anonymize(patients(), sf.KAnonymity(5), numbers="bounds").save(tmp_path / "release")
    said = json.loads((place / "release.json").read_text())
    change(said)
    rewrite(place, said)
    with pytest.raises(sf.BadInput, match="damaged"):
        sf.load(place)


def test_release_json_tells_no_text_of_suppressed_people(tmp_path):
    table = sf.read(
        pl.DataFrame({"age": [*AGES, 77], "sex": [*SEXES, "f"]}),
        quasi_identifiers={"age": sf.Intervals(10), "sex": sf.Flat()},
    )
    method = sf.Recode(levels={"age": 1, "sex": 1}, max_suppressed=1)
    release = sf.anonymize(table, sf.KAnonymity(2), method, numbers="bounds")
    assert release.n_suppressed == 1
    place = release.save(tmp_path / "release")
    assert "[70, 80)" not in (place / "release.json").read_text()
    assert Counter(sf.load(place).to_pandas()["age_low"]) == dict.fromkeys([10, 20, 30, 40, 90], 2)


def test_two_tables_publish_values_as_they_are(tmp_path):
    table = patients({"age": sf.Intervals(5), "sex": sf.Flat()})
    release = sf.anonymize(table, sf.LDiversity(2), sf.Anatomy(), numbers="bounds")
    assert release.description.numbers == {}
    assert sf.load(release.save(tmp_path / "release")).check().holds
