"""No promise rests on a difference that is none: spellings of a value, spellings of a person."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from cli.common import run
from descriptions import rewrite
from sfumato.release.columns.look_alikes import UNDECIDED

HIV = ["HIV", "hiv ", "H\u200bIV", "\uff28iv"]
PROMISES = [
    sf.LDiversity(2),
    sf.LDiversity(2, kind="entropy"),
    sf.LDiversity(2, kind="frequency"),
    sf.LDiversity(2, kind="frequency", values=["HIV"]),
    sf.RecursiveDiversity(3, 2),
    sf.TCloseness(0.5),
    sf.BetaLikeness(2),
    sf.DeltaDisclosure(2),
    sf.AlphaKAnonymity(0.5, 2),
    sf.AlphaKAnonymity(0.5, 2, values=["HIV"]),
    sf.PSensitiveKAnonymity(2, 2),
    sf.CKSafety(0.9, 0),
    sf.Skyline({"HIV": [(0, 1, 1, 0.9)]}),
    sf.PersonalizedPrivacy(2, "guard"),
]
JOB = """
source = "t.csv"
output = "out"
{read}
[columns]
sensitive = ["disease"]
identifiers = ["name"]
[columns.quasi_identifiers]
age = {{ flat = true }}
[[criteria]]
l_diversity = {{ l = 2 }}
[method]
mondrian = {{}}
"""


def rows(diseases, ages=(30, 40)):
    """Every disease in every group of an age, twice."""
    people = [(age, disease) for age in ages for disease in diseases for _ in range(2)]
    return {
        "name": [f"person {j}" for j in range(len(people))],
        "age": [age for age, _ in people],
        "disease": [disease for _, disease in people],
        "guard": ["HIV" for _ in people],
    }


def read(columns, alike=None, **roles):
    roles = {"sensitive": "disease", "identifiers": ["name"]} | roles
    return sf.read(pa.table(columns), {"age": sf.Flat()}, alike=alike, **roles)


def given_as(kind, columns, place):
    table = pa.table(columns)
    if kind == "parquet":
        pq.write_table(table, place / "t.parquet")
        return place / "t.parquet"
    if kind == "csv":
        lines = zip(*columns.values(), strict=True)
        text = "\n".join(",".join(f'"{value}"' for value in line) for line in lines)
        (place / "t.csv").write_text(f"{','.join(columns)}\n{text}\n", encoding="utf-8")
        return place / "t.csv"
    if kind == "pandas":
        return table.to_pandas()
    if kind == "database":
        duckdb = pytest.importorskip("duckdb")
        return duckdb.connect().from_arrow(table)
    return table


@pytest.mark.parametrize("promise", PROMISES, ids=str)
def test_every_promise_about_values_is_refused_where_it_would_rest_on_spellings(promise):
    with pytest.raises(sf.BadInput, match=r"rest on .*disease \(4 spellings of 1 value\)") as error:
        sf.anonymize(read(rows([*HIV, "flu"])), sf.KAnonymity(2) & promise)
    assert "hiv " not in str(error.value).lower()  # no value of the data
    assert not sf.check(read(rows([*HIV, "flu"])), promise).holds


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame", "pandas", "database"])
def test_spellings_are_found_and_merged_whatever_they_come_from(kind, tmp_path):
    source = given_as(kind, rows([*HIV, "flu"]), tmp_path)
    promise = sf.KAnonymity(2) & sf.LDiversity(2)

    def table(alike=None):
        given = given_as(kind, rows([*HIV, "flu"]), tmp_path) if kind == "database" else source
        return sf.read(given, {"age": sf.Flat()}, "disease", alike=alike)

    with pytest.raises(sf.BadInput, match="rest on"):
        sf.anonymize(table(), promise)
    merged = sf.anonymize(table("merge"), promise, sf.Mondrian())
    values = merged.to_arrow()["disease"].to_pylist()
    assert {value: values.count(value) for value in values} == {"HIV": 16, "flu": 4}
    assert merged.summary().to_json()["look_alikes"]["merged"] == {
        "disease": {"n_spellings": 4, "n_values": 1}
    }
    kept = sf.anonymize(table("keep"), sf.LDiversity(4), sf.Mondrian())
    assert set(kept.to_arrow()["disease"].to_pylist()) == {*HIV, "flu"}
    assert "look alike, kept as different values" in str(kept.summary())


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_merging_publishes_what_mended_data_would(kind, tmp_path):
    promise, method = sf.KAnonymity(4) & sf.LDiversity(2), sf.Mondrian()
    spelled = rows([*HIV, "flu"])
    mended = spelled | {
        "disease": ["HIV" if d in HIV else d for d in spelled["disease"]],
    }
    places = []
    for name, columns, alike in (("a", spelled, "merge"), ("b", mended, None)):
        release = sf.anonymize(read(columns, alike), promise, method)
        places.append(release.save(tmp_path / name, kind))
        assert release.check().holds
    files = [sorted((p.name, p.read_bytes()) for p in place.iterdir()) for place in places]
    assert files[0] == files[1]


def test_three_spellings_of_one_disease_are_not_3_diverse():
    table = read(rows(HIV[:3]))
    check = sf.check(table, sf.LDiversity(3))
    assert [each.found for each in check.measured] == [3]
    assert not check.holds
    assert not check.failed
    assert "no verdict" in repr(check)
    assert "values that only look different: disease (3 spellings of 1 value)" in repr(check)
    merged = sf.check(read(rows(HIV[:3]), "merge"), sf.LDiversity(3))
    assert merged.failed
    assert [each.found for each in merged.measured] == [1]
    assert sf.check(read(rows(HIV[:3]), {"disease": "keep"}), sf.LDiversity(3)).holds


def test_numbers_are_compared_as_numbers():
    columns = rows(["1", "1.0", "2"])
    with pytest.raises(sf.BadInput, match="rest on"):
        sf.anonymize(read(columns), sf.LDiversity(3))
    assert sf.anonymize(read(rows(["01", "1", "2"])), sf.LDiversity(3)).check().holds


def test_a_promise_about_people_alone_names_the_spellings_and_holds():
    table = read(rows([*HIV, "flu"]))
    assert sf.check(table, sf.KAnonymity(2)).holds
    summary = sf.anonymize(table, sf.KAnonymity(2)).summary()
    assert "values that only look different" in str(summary)
    assert summary.to_json()["look_alikes"]["undecided"] == {
        "disease": {"n_spellings": 4, "n_values": 1}
    }


def test_spellings_of_quasi_identifiers_are_named_and_merged_where_asked():
    columns = rows(["flu", "cold"]) | {"age": ["Rome", "ROME "] * 4}
    promise = sf.KAnonymity(2) & sf.LDiversity(2)
    named = sf.anonymize(read(columns), promise, sf.Mondrian())
    assert "age (2 spellings of 1 value)" in str(named.summary())
    merged = sf.anonymize(read(columns, {"age": "merge"}), promise, sf.Mondrian())
    assert merged.to_arrow()["age"].to_pylist() == ["ROME "] * 8  # as often: the first by letters


def test_a_hierarchy_says_which_spelling_is_published():
    columns = rows(["hiv", "hiv", "HIV", "flu"])
    tree = {"disease": sf.Tree({"any": ["HIV", "flu"]})}
    with pytest.raises(sf.BadInput, match="missing from its hierarchy"):
        sf.anonymize(read(columns, hierarchies=tree), sf.LDiversity(2))
    release = sf.anonymize(read(columns, "merge", hierarchies=tree), sf.LDiversity(2))
    assert set(release.to_arrow()["disease"].to_pylist()) == {"HIV", "flu"}


def test_naming_one_spelling_leaves_nobody_unprotected():
    promise = sf.LDiversity(2, kind="frequency", values=["HIV"])
    table = read(rows(["HIV", "hiv ", "flu", "cold"]), "keep")
    with pytest.raises(sf.BadInput, match="1 other spelling of them not") as error:
        sf.anonymize(table, promise)
    assert error.value.values == ("hiv ",)
    assert not sf.check(table, promise).holds
    both = sf.LDiversity(2, kind="frequency", values=["HIV", "hiv "], pooled=True)
    assert sf.anonymize(table, both).check().holds


def test_a_value_that_is_listed_and_not_there_counts_as_a_spelling():
    tree = {"disease": sf.Tree({"any": ["HIV", "hiv", "flu"]})}
    table = read(rows(["hiv", "flu"]), hierarchies=tree)  # who has hiv would be missed
    with pytest.raises(sf.BadInput, match="rest on"):
        sf.anonymize(table, sf.LDiversity(2, kind="frequency", values=["HIV"]))


@pytest.mark.parametrize("nothing", ["", "  ", "\u200b", "\u2800", "\ue000"])
@pytest.mark.parametrize("promise", [sf.LDiversity(2), sf.LDiversity(2, kind="frequency")], ids=str)
def test_a_missing_value_and_nothing_to_be_seen_are_not_two_values(nothing, promise):
    columns = {"age": [30] * 10, "disease": [None, nothing] * 5}

    def table(alike=None):
        return sf.read(pa.table(columns), {"age": sf.Flat()}, "disease", alike=alike)

    with pytest.raises(sf.BadInput, match=r"rest on .*disease \(2 spellings of 1 value\)"):
        sf.anonymize(table(), promise)
    assert not sf.check(table(), promise).holds
    assert sf.check(table("merge"), promise).failed
    merged = sf.anonymize(table("merge"), sf.KAnonymity(2)).to_arrow()
    assert merged["disease"].to_pylist() == [None] * 10
    assert sf.check(table("keep"), promise).holds


def test_an_identifier_that_is_not_seen_is_missing():
    columns = rows(["flu", "cold"]) | {"name": ["Ada", " ", "", None, "\u2800", "Bo", "Cy", "Cy"]}
    assert sf.check(read(columns), sf.KAnonymity(2)).look_alikes.repeated == {"name": 1}


def test_two_spellings_of_a_person_are_not_two_people():
    columns = {
        "name": ["Ada", "ada ", "Bo", "Zoë", "Zoe\u0308", "7", "7.0"],
        "age": [30] * 7,
        "disease": ["flu", "cold", "flu", "hiv", "flu", "flu", "cold"],
    }
    roles = {"identifiers": [], "person": "name"}
    promise = sf.KAnonymity(5)
    table = read(columns, **roles)
    with pytest.raises(sf.BadInput, match=r"rest on .*name \(6 spellings of 3 values\)"):
        sf.anonymize(table, promise, sf.Anatomy())
    check = sf.check(table, promise)
    assert not check.holds
    assert not check.failed
    merged = read(columns, "merge", **roles)
    assert merged.n_rows == 4
    assert merged.set_valued == "disease"
    assert sf.check(merged, promise).failed
    assert sf.check(read(columns, {"name": "keep"}, **roles), promise).holds


def test_identifiers_that_repeat_are_named():
    columns = rows(["flu", "cold"])
    columns |= {"name": ["Ada", "ADA", "Bo", "Bo", None, None, "Cy", "Di"]}
    table = read(columns)
    assert sf.check(table, sf.KAnonymity(2)).look_alikes.repeated == {"name": 2}
    said = "name (2 rows repeat a value): k counts rows, not people"
    assert said in repr(sf.check(table))
    assert said in str(sf.anonymize(table, sf.KAnonymity(2)).summary())
    unrepeated = sf.anonymize(read(rows(["flu", "cold"])), sf.KAnonymity(2)).summary()
    assert "identifiers repeated" not in str(unrepeated)


def test_names_repeat_where_a_number_is_everybodys_own():
    columns = rows(["flu", "cold"])
    columns |= {"name": ["Ada", "Ada", "Bo", "Bo", "Bo", "Bo", "Cy", "Di"], "no": [*"12345678"]}
    table = read(columns, identifiers=["name", "no"])
    assert not sf.check(table, sf.KAnonymity(2)).look_alikes.repeated


@pytest.mark.parametrize(
    ("alike", "said"),
    [
        ("merged", "read: alike must be one of merge, keep, got 'merged'"),
        ({"disease": 1}, "read: alike.disease must be one of merge, keep, got 1"),
        ({"name": "keep"}, "alike: 'name' is neither a quasi-identifier nor sensitive"),
        ({"disaese": "keep"}, "did you mean 'disease'"),
    ],
)
def test_what_is_said_about_look_alikes_is_checked(alike, said):
    with pytest.raises(sf.BadInput, match=re.escape(said)):
        read(rows(["flu"]), alike)


def test_a_job_says_what_becomes_of_look_alikes(tmp_path):
    given_as("csv", rows([*HIV, "flu"]), tmp_path)
    job = tmp_path / "job.toml"

    def answer(command, read):
        job.write_text(JOB.format(read=read))
        return run(command, job, "--json")

    assert answer("anonymize", "").exit_code == 2
    checked = answer("check", "")
    assert checked.exit_code == 5
    assert json.loads(checked.stdout)["look_alikes"]["undecided"]["disease"]["n_spellings"] == 4
    assert answer("check", '[read]\nalike = "keep"').exit_code == 0
    assert answer("check", '[read.alike]\ndisease = "merge"').exit_code == 0
    assert answer("anonymize", '[read]\nalike = "merge"').exit_code == 0
    assert "unknown key 'read.alik'; did you mean" in answer("check", '[read]\nalik = "x"').stderr
    assert "alike must be one of merge, keep" in answer("check", '[read]\nalike = "x"').stderr


@pytest.mark.parametrize("command", ["check", "audit"])
def test_another_tools_table_is_not_called_safe_by_its_spellings(command, tmp_path):
    file = given_as("csv", rows(HIV[:3]), tmp_path)

    def code(*more):
        return run(command, file, "-q", "age", "-s", "disease", "-l", "3", *more).exit_code

    assert code() == {"check": 5, "audit": 2}[command]
    assert code("--alike", "merge") == 1
    assert code("--alike", "keep") in (0, 5)  # of a table of unknown origin no method is known
    assert code("--alike", "both") == 2


def test_a_table_is_not_audited_by_its_spellings():
    with pytest.raises(sf.BadInput, match="rest on"):
        sf.audit(read(rows(HIV[:3])), criterion=sf.LDiversity(3))
    merged = sf.audit(read(rows(HIV[:3]), "merge"), criterion=sf.LDiversity(3))
    assert merged.verdict == "failed"
    assert sf.audit(read(rows(HIV[:3]))).findings  # nothing was promised


def saved(place, promise, alike="keep", values=(*HIV, "flu")):
    release = sf.anonymize(read(rows(values), alike), promise, sf.Samarati())
    sf.audit(release)  # the publisher's word goes along
    return release.save(place)


def say_nothing(place):
    """Describe a release as who never said that spellings are different values."""
    written = json.loads((place / "release.json").read_text())
    assert written["alike"] == ["age", "disease"]
    rewrite(place, written | {"alike": []})


@pytest.mark.parametrize(
    "promise",
    [
        sf.LDiversity(3),
        sf.LDiversity(2, kind="entropy"),
        sf.LDiversity(2, kind="frequency"),
        sf.TCloseness(0.5),
        sf.AlphaKAnonymity(0.5, 2),
        sf.CKSafety(0.9, 0),
        sf.Skyline([(0, 0, 0, 0.9)]),
    ],
    ids=str,
)
def test_a_saved_release_is_not_called_safe_by_its_spellings(promise, tmp_path):
    place = saved(tmp_path / "out", promise)
    assert sf.load(place).check().holds  # the steward kept them, and the release says so
    assert sf.audit(sf.load(place)).verdict != "failed"
    say_nothing(place)
    release = sf.load(place)
    for check in (release.check(), release.check(promise), sf.load(place).check(promise)):
        assert not check.holds
        assert not check.failed
        assert [each.note for each in check.measured] == [UNDECIDED]
        assert "values that only look different: disease (4 spellings of 1 value)" in repr(check)
    report = sf.audit(release)
    assert report.verdict == "undecided"
    assert "rest on values that only look different: disease" in report.heading
    assert report.public().verdict == "undecided"
    assert not any(f.holds for f in report.findings if f.attribute == "disease")
    assert run("check", place).exit_code == 5
    assert run("audit", place).exit_code == 5


def test_the_publishers_word_does_not_outweigh_spellings(tmp_path):
    promise = sf.KAnonymity(2) & sf.LDiversity(2)
    place = saved(tmp_path / "out", promise)
    assert sf.load(place).description.verdicts
    assert sf.audit(sf.load(place)).verdict == "safe"
    say_nothing(place)
    report = sf.audit(sf.load(place))
    assert report.verdict == "undecided"
    assert all(f.holds for f in report.findings if f.attribute is None and f.promised)
    kept = sf.audit(sf.load(place), read(rows([*HIV, "flu"]), "keep"))  # others may say what they
    assert kept.verdict == "undecided"  # like: the release does not


def test_what_fails_by_its_spellings_fails(tmp_path):
    place = saved(tmp_path / "out", sf.KAnonymity(2))
    say_nothing(place)
    release = sf.load(place)
    assert release.check().holds  # nothing was promised of values
    assert release.check(sf.LDiversity(6)).failed
    assert run("check", place, "-l", "5").exit_code == 5
    assert run("check", place, "-l", "6").exit_code == 1
    assert sf.audit(release, criterion=sf.LDiversity(5)).verdict == "undecided"
    assert run("check", place).exit_code == 0


def test_a_release_made_here_is_not_3_diverse_by_its_spellings_either():
    release = sf.anonymize(read(rows(HIV[:3])), sf.KAnonymity(2))
    check = release.check(sf.LDiversity(3))
    assert not check.holds
    assert not check.failed
    assert sf.audit(release, criterion=sf.LDiversity(3)).verdict == "undecided"
    assert release.check().holds


def test_a_loaded_release_that_names_one_of_several_spellings_has_no_verdict(tmp_path):
    both = sf.LDiversity(2, kind="frequency", values=["HIV", "hiv "], pooled=True)
    place = saved(tmp_path / "out", both, values=["HIV", "hiv ", "flu", "cold"])
    assert sf.load(place).check().holds
    one = sf.LDiversity(2, kind="frequency", values=["HIV"])
    check = sf.load(place).check(one)
    assert [each.note for each in check.measured] == [UNDECIDED]
    rewrite(place, json.loads((place / "release.json").read_text()) | {"criteria": one.spec()})
    assert [each.note for each in sf.load(place).check().measured] == [UNDECIDED]
    assert sf.audit(sf.load(place)).verdict == "undecided"


@pytest.mark.parametrize("said", [None, "disease", ["name"], ["disease", "disease"], [1]])
def test_what_a_release_says_of_look_alikes_is_checked(said, tmp_path):
    place = saved(tmp_path / "out", sf.KAnonymity(2))
    rewrite(place, json.loads((place / "release.json").read_text()) | {"alike": said})
    with pytest.raises(sf.BadInput, match="'alike' is missing, or not what it was"):
        sf.load(place)


NAMING = [
    sf.LDiversity(2, kind="frequency", values=["HIV"]),
    sf.LDiversity(2, kind="frequency", values=["HIV", "hiv", "flu"]),
    sf.LDiversity(2, kind="distinct", values=["HIV", "Flu"], pooled=True),
    sf.AlphaKAnonymity(0.5, 2, values=["HIV"]),
    sf.Skyline({"HIV": [(0, 0, 0, 0.9)], "Hiv": [(0, 1, 0, 0.95)]}),
    sf.KAnonymity(2) & sf.AlphaKAnonymity(0.5, 2, values=["HIV "], attribute="disease"),
]


@pytest.mark.parametrize("promise", NAMING, ids=str)
def test_a_named_value_is_the_merged_one_in_whichever_spelling(promise, tmp_path):
    table = read(rows(["hiv", "hiv", "HIV", "flu", "cold", "cough"]), "merge")
    assert "HIV" not in table.domains["disease"].labels
    check = sf.check(table, promise)
    release = sf.anonymize(table, promise, sf.Samarati())
    assert check.holds
    assert {v for part in release.criterion.parts for v in part.named_values()} <= {"hiv", "flu"}
    assert release.check(promise).holds
    place = release.save(tmp_path / "out")
    assert sf.load(place).check().holds
    assert sf.audit(release, criterion=promise).target.criterion == release.criterion
    assert sf.audit(sf.load(place), table, criterion=promise).verdict != "failed"
    assert sf.audit(table, criterion=promise).verdict != "failed"
    spelled = read(rows(["hiv", "hiv", "hiv", "flu", "cold", "cough"]))
    truth = sf.check(spelled, release.criterion)
    assert [each.found for each in check.measured] == [each.found for each in truth.measured]


def test_a_name_that_no_spelling_fits_is_refused_as_before():
    table = read(rows(["hiv", "HIV", "flu"]), "merge")
    with pytest.raises(sf.BadInput, match="nobody has 'AIDS'"):
        sf.anonymize(table, sf.LDiversity(2, kind="frequency", values=["AIDS"]))
    unmerged = read(rows(["hiv", "flu"]))
    with pytest.raises(sf.BadInput, match="nobody has 'HIV'"):
        sf.anonymize(unmerged, sf.LDiversity(2, kind="frequency", values=["HIV"]))
