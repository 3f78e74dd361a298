"""Columns published untouched: counted as a reader of the file would count them by hand."""

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from descriptions import rewrite
from naive.recognition import determines, people_below, sizes_of
from profiles import examples
from sfumato.attacks import UntouchedLinkage

METHODS = [
    sf.Mondrian(),
    sf.Mondrian(strict=False),
    sf.Samarati(max_suppressed=2),
    sf.Optimal(),
    sf.TopDown("local"),
]
COLUMNS = ("age", "zip", "disease", "street", "shoe")


def read(rows, insensitive=("street", "shoe"), sensitive="disease"):
    table = pa.table({name: [row[name] for row in rows] for name in COLUMNS})
    rules = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix()}
    return sf.read(table, rules, sensitive, insensitive=list(insensitive))


def clinic(n=40, **columns):
    rows = [
        {
            "age": 20 + 7 * j % 30,
            "zip": f"1{j % 4}{j % 3}",
            "disease": "flu" if j // 10 % 2 else "cold",
            "street": f"street {j}",
            "shoe": 40.5,
        }
        for j in range(n)
    ]
    return [row | {name: value(j) for name, value in columns.items()} for j, row in enumerate(rows)]


people = st.fixed_dictionaries(
    {
        "age": st.sampled_from([20, 21, 33, 47]),
        "zip": st.sampled_from(["101", "102", "201"]),
        "disease": st.sampled_from(["flu", "cold", "gout"]),
        "street": st.sampled_from(["a", "=b", "'c", None]),
        "shoe": st.sampled_from([0.0, 1.5, None]),
    }
)


@pytest.mark.long
@examples(20)
@given(
    st.lists(people, min_size=4, max_size=14),
    st.sampled_from(METHODS),
    st.sets(st.sampled_from(["street", "shoe"])),
    st.sampled_from(["csv", "parquet"]),
)
def test_untouched_columns_are_counted_as_by_hand(tmp_path_factory, rows, method, shown, kind):
    shown = sorted(shown)
    table = read(rows, shown)
    try:
        release = sf.anonymize(table, sf.KAnonymity(2), method, untouched_identify=True)
    except sf.Unsatisfiable:
        return
    loaded = sf.load(release.save(tmp_path_factory.mktemp("release") / "out", kind))
    published = loaded.to_arrow().to_pylist()
    everything = ["age", "zip", *shown]
    for found in (release, loaded):
        untouched = found.untouched
        assert untouched.columns == {c: len(sizes_of(published, [c])) for c in shown}
        identify = bool(shown) and people_below(published, everything, 2) > 0
        assert found.description.untouched_identify == identify
        if not shown:
            assert untouched.groups is None
            continue
        assert untouched.groups.smallest == min(sizes_of(published, everything))
        assert untouched.groups.n == len(sizes_of(published, everything))
        for k in (1, 2, 3, 20):
            assert untouched.n_below(k) == people_below(published, everything, k)
        finding = UntouchedLinkage().run(found)
        assert finding.found * untouched.groups.smallest == 1
        assert finding.n_exceeding == people_below(published, everything, 2)
        assert finding.holds == (finding.n_exceeding == 0)
    if len(rows) == len(published):
        assert release.check().untouched.to_json() == loaded.check().untouched.to_json()
    named = release.summary().to_json()["untouched"].get("determined", {})
    varied = [q for q in ("age", "zip") if len(sizes_of(rows, [q])) > 1]
    expected = {c: [q for q in varied if determines(rows, c, q)] for c in shown}
    assert named == {c: given_away for c, given_away in expected.items() if given_away}


@examples(20)
@given(st.lists(people, min_size=1, max_size=12))
def test_a_table_is_counted_as_it_is(rows):
    found = sf.check(read(rows)).untouched
    everything = ["age", "zip", "street", "shoe"]
    assert found.groups.n == len(sizes_of(rows, everything))
    assert found.n_below(3) == people_below(rows, everything, 3)
    alone = people_below(rows, ["disease"], 2)
    distinct = len(sizes_of(rows, ["disease"]))
    assert found.sensitive == ({"disease": distinct} if 2 * alone >= len(rows) else {})


def test_untouched_columns_that_identify_people_are_refused():
    with pytest.raises(sf.BadInput) as refused:
        sf.anonymize(read(clinic()), sf.KAnonymity(4))
    said = str(refused.value)
    assert said.startswith("insensitive: street (40 values), shoe (1 value) would be published")
    assert "is 1 instead of 4: 40 people of 40" in said
    assert "untouched_identify" in said
    assert not refused.value.values


def test_two_people_have_to_be_alike_where_no_number_was_promised():
    pairs = [row | {"age": 30, "zip": "101"} for row in clinic()]
    pairs = [row | {"street": None, "shoe": float(j // 2)} for j, row in enumerate(pairs)]
    release = sf.anonymize(read(pairs), sf.KAnonymity(1))
    assert not release.description.untouched_identify
    with pytest.raises(sf.BadInput, match="is 1 instead of 2: 1 person of 41"):
        sf.anonymize(read([*pairs, pairs[0] | {"shoe": 99.0}]), sf.KAnonymity(1))


def test_what_was_allowed_is_said_by_the_release(tmp_path):
    release = sf.anonymize(read(clinic()), sf.KAnonymity(4), untouched_identify=True)
    place = release.save(tmp_path / "out")
    assert json.loads((place / "release.json").read_text())["untouched_identify"] is True
    for found in (release, sf.load(place)):
        report = sf.audit(found)
        assert report.holds is False
        finding = next(each for each in report.findings if each.attack == UntouchedLinkage.name)
        assert (finding.found, finding.before.numerator, finding.n_exceeding) == (1, 1, 40)
        assert "40 people alone by street (40 values), shoe (1 value)" in finding.note
        assert ("street gives age, zip away" in finding.note) == (found is release)
        written = json.loads(report.save(tmp_path / "report").with_suffix(".json").read_text())
        assert written["published"]["untouched_identify"] is True
        assert written["published"]["untouched"]["alone"] == 40
        columns = {each["name"]: each["distinct"] for each in written["published"]["columns"]}
        assert (columns["street"], columns["shoe"]) == (40, 1)
        page = (tmp_path / "report" / "report.html").read_text()
        assert "Published untouched: street, shoe." in page
        assert "allowed that" in page
        assert "published untouched" in str(found.summary())
        assert "published untouched: street (40 values), shoe (1 value)" in repr(found.check())


def test_allowing_what_does_not_happen_is_not_said(tmp_path):
    rows = [row | {"street": None} for row in clinic()]
    release = sf.anonymize(read(rows), sf.KAnonymity(4), untouched_identify=True)
    place = release.save(tmp_path / "out")
    assert "untouched_identify" not in json.loads((place / "release.json").read_text())
    assert UntouchedLinkage().run(release).holds


def test_two_tables_hide_other_things(tmp_path):
    release = sf.anonymize(read(clinic()), sf.LDiversity(2), sf.Anatomy())
    loaded = sf.load(release.save(tmp_path / "out"))
    for found in (release, loaded):
        assert found.untouched.columns == {"street": 40, "shoe": 1}
        assert found.untouched.groups is None
        with pytest.raises(sf.attacks.CannotRun, match="published as they are"):
            UntouchedLinkage().run(found)


def test_sensitive_columns_that_nearly_identify_people_are_named(tmp_path):
    for alone, named in ((19, False), (20, True)):
        rows = clinic(disease=lambda j, alone=alone: f"case {j}" if j < alone else f"{j % 2}")
        release = sf.anonymize(read(rows, ()), sf.KAnonymity(4))
        loaded = sf.load(release.save(tmp_path / str(alone)))
        apart = sf.anonymize(read(rows, ()), sf.LDiversity(2), sf.Anatomy())
        for found in (release, loaded, apart):
            assert found.untouched.sensitive == ({"disease": alone + 2} if named else {})
        assert ("different for most" in str(release.summary())) == named
        assert ("different for most" in repr(loaded.check())) == named


def test_a_wrong_word_in_release_json_is_refused(tmp_path):
    place = sf.anonymize(read(clinic(), ()), sf.KAnonymity(4)).save(tmp_path / "out")
    written = json.loads((place / "release.json").read_text())
    rewrite(place, written | {"untouched_identify": "no"})
    with pytest.raises(sf.BadInput, match="'untouched_identify' is missing, or not what it was"):
        sf.load(place)
    with pytest.raises(sf.BadInput, match="untouched_identify must be"):
        sf.anonymize(read(clinic(), ()), sf.KAnonymity(4), untouched_identify="yes")
