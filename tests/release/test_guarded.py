"""Releases about people who guard something: nothing public shows what, and it is kept."""

import itertools
import json
import logging

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import naive.criteria
import naive.groups
import sfumato as sf
from criteria.wards import PROMISE, SECRETS, read, wards_source
from sfumato.algorithms.algorithm import chances
from sfumato.criteria.judging import measure
from sfumato.data.frequency import FrequencySet
from sfumato.release.description import Description
from sfumato.release.files.as_decided import refuse_other_rows
from sfumato.release.guarding_nodes import decided


@pytest.fixture
def wards() -> sf.Table:
    return read(wards_source())


METHODS = [sf.Mondrian(), sf.Mondrian(bounds="tight"), sf.Samarati(0.2), sf.Optimal("loss", 0.2)]
METHODS += [sf.TopDown("cut")]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_nothing_public_shows_what_anybody_guards(wards, tmp_path, caplog, kind, method):
    caplog.set_level(logging.DEBUG)
    release = sf.anonymize(wards, sf.KAnonymity(2) & PROMISE, method)
    place = release.save(tmp_path / "out", format=kind)
    loaded = sf.load(place)
    said = [path.read_text(errors="replace") for path in place.iterdir()]
    if kind == "parquet":
        said.append(str(pq.read_table(place / "data.parquet").to_pydict()))
    for each in (release, loaded):
        said += [
            str(each.to_arrow().to_pydict()),
            str(each.summary()),
            repr(each),
            repr(each.check()),
        ]
        said += [json.dumps(each.check().to_json()), each._repr_html_(), repr(each.grouping)]
        report = sf.audit(each)
        page = report.save(tmp_path / f"{len(said)}.html")
        said += [page.read_text(), json.dumps(report.to_json()), str(report)]
    said += [repr(release.private), repr(wards), repr(wards.frequencies("guard")), caplog.text]
    for text in said:
        assert not any(node in text for node in SECRETS)
    assert loaded.to_arrow().column_names == ["age", "zip", "disease"]
    written = json.loads((place / "release.json").read_text())
    assert written["criteria"][1] == {
        "personalized_privacy": {"l": 2, "guarding": "guard", "attribute": None}
    }
    assert written["columns"] == ["age", "zip", "disease"]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_every_published_group_keeps_the_promise_head_by_head(wards, method):
    """A column with the number of the row lets us find everybody again."""
    source = wards_source()
    release = sf.anonymize(
        read(source, insensitive=["row"]), PROMISE, method, untouched_identify=True
    )
    paths = [(d, node, "*") for node, diseases in SECRETS.items() for d in diseases]
    paths.append(("none", "none", "*"))
    guards = source["guard"].to_pylist()
    rows = [
        (r["age"], r["zip"], r["disease"], guards[r["row"]]) for r in release.to_arrow().to_pylist()
    ]
    assert len(rows) + release.n_suppressed == source.num_rows
    groups = naive.groups.rows_by_group(rows, [0, 1]).values()
    assert len(groups) > 1
    assert all(map(naive.criteria.personalized(2, paths), groups))
    worst = max(naive.criteria.largest_guarded_share(g, paths) or 0 for g in groups)
    assert release.check().measured[0].found == 1 / worst


def test_whether_it_holds_is_not_said_of_a_loaded_release(wards, tmp_path):
    release = sf.anonymize(wards, sf.KAnonymity(2) & PROMISE, sf.Mondrian())
    known = release.check()
    assert known.holds
    assert known.measured[1].note is None
    found = sf.load(release.save(tmp_path / "out")).check()
    assert found.measured[0].holds
    assert "no verdict" in found.measured[1].verdict
    assert found.measured[1].found is None
    assert json.dumps(found.to_json())


def test_another_release_is_measured_against_what_people_guard(wards):
    """Where combinations are split nobody knows who guards what in a group."""
    whole = sf.anonymize(wards, sf.KAnonymity(2), sf.Mondrian())
    planned = whole.recoding.grouping(wards.frequencies("guard"))
    assert whole.check(PROMISE).measured[0].found == measure(PROMISE, planned.joint)[0].found
    assert not whole.check(PROMISE)
    relaxed = sf.anonymize(wards, sf.KAnonymity(2) & sf.LDiversity(1), sf.Mondrian(strict=False))
    assert "no verdict" in relaxed.check(PROMISE).measured[0].verdict


def test_a_recoding_is_applied_to_other_people_and_what_fails_is_suppressed(wards, tmp_path):
    path = sf.anonymize(wards, PROMISE, sf.Mondrian(bounds="cuts")).save_recoding(
        tmp_path / "recoding.json"
    )
    recode = sf.Recode.load(path)
    other = read(wards_source(seed=4))
    with pytest.raises(sf.Unsatisfiable, match="PersonalizedPrivacy"):
        sf.anonymize(other, PROMISE, recode)
    release = sf.anonymize(other, PROMISE, sf.Recode(None, recode.boxes, 0.9, recode.shapes))
    assert 0 < release.n_suppressed < 120
    assert release.check()
    assert release.save(tmp_path / "out")


@pytest.mark.parametrize("method", [sf.Mondrian(), sf.Optimal("loss", 0.2)], ids=str)
@pytest.mark.parametrize("kind", ["text", "numbers"])
def test_a_written_table_whose_groups_have_other_values_is_refused(method, kind):
    """The sizes of all groups and the values of the whole are right; two people were exchanged."""
    source = wards_source()
    if kind == "text":
        source = source.set_column(0, "age", pa.array(map(str, source["age"].to_pylist())))
    table = read(source)
    release = sf.anonymize(table, PROMISE, method)
    seen = release.published
    refuse_other_rows(seen.frequencies, table, release.recoding)
    frequencies = seen.frequencies
    swapped = frequencies.codes("disease").copy()
    group = seen.index
    first = int(np.flatnonzero(frequencies.counts == 1)[0])
    second = next(
        j
        for j in np.flatnonzero(frequencies.counts == 1)
        if group[j] != group[first] and swapped[j] != swapped[first]
    )
    swapped[[first, second]] = swapped[[second, first]]
    codes = {name: frequencies.codes(name) for name in frequencies.columns} | {"disease": swapped}
    other = FrequencySet.from_codes(
        frequencies.domains, frequencies.quasi_identifiers, ["disease"], codes, frequencies.counts
    )
    with pytest.raises(sf.BrokenPromise, match="do not have the values"):
        refuse_other_rows(other, table, release.recoding)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_source_that_gave_two_people_each_others_values_is_noticed(wards, tmp_path, method):
    """Nothing else differs: the groups have the same people, and the whole has the same values."""
    release = sf.anonymize(wards, PROMISE, method)
    decided_groups = decided(release.recoding, wards.frequencies("guard"))
    source = wards_source().to_pylist()
    index = dict(zip(_people(wards), decided_groups.index.tolist(), strict=True))
    groups = [index[str(row["age"]), row["zip"], row["disease"], row["guard"]] for row in source]
    first, second = next(
        (a, b)
        for a, b in itertools.combinations(range(len(source)), 2)
        if groups[a] != groups[b]
        and min(groups[a], groups[b]) >= 0
        and source[a]["disease"] != source[b]["disease"]
    )
    one, other = source[first], source[second]
    one["disease"], other["disease"] = other["disease"], one["disease"]
    changed = read(pa.Table.from_pylist(source))
    changed.frequencies("guard")
    release.table._people, release.table._coding = changed._people, changed._coding
    with pytest.raises(sf.BrokenPromise, match="do not have the values"):
        release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def _people(table):
    """The values of every counted combination."""
    counted = table.frequencies("guard")
    columns = ["age", "zip", "disease", "guard"]
    labels = [[counted.domains[c].labels[j] for j in counted.codes(c)] for c in columns]
    return [(str(age), *rest) for age, *rest in zip(*labels, strict=True)]


def test_what_nobody_decided_is_found_before_it_is_handed_over(wards, monkeypatch, tmp_path):
    """A recoding whose groups break the promise is not saved, though the file looks harmless."""
    release = sf.anonymize(wards, PROMISE, sf.Mondrian())
    raw = sf.Recode(levels={"age": 0, "zip": 0}).search(
        wards.frequencies(), sf.KAnonymity(1), chances(sf.Mondrian())
    )
    object.__setattr__(release.private, "recoding", raw)
    description = Description.of(wards, wards.frequencies(), raw, PROMISE, sf.Mondrian())
    release.description = description
    with pytest.raises(sf.BrokenPromise, match="PersonalizedPrivacy"):
        release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_counting_guards_first_or_last_gives_the_same_frequencies():
    source = wards_source()
    early, late = read(source), read(source)
    with_guards = early.frequencies("guard")
    late.frequencies()
    for one, other in (
        (with_guards, late.frequencies("guard")),
        (early.frequencies(), late.frequencies()),
        (early.combinations(), late.combinations()),
    ):
        assert one.columns == other.columns
        assert np.array_equal(one.keys, other.keys)
        assert np.array_equal(one.counts, other.counts)
    assert with_guards is early.frequencies("guard")
    assert with_guards.n_rows == 120
    assert list(early.domains) == ["age", "zip", "disease"]


def test_the_summary_says_that_the_column_is_not_published(wards):
    summary = sf.anonymize(wards, PROMISE, sf.Mondrian()).summary()
    assert summary.to_json()["dropped"] == {"guarding": ["guard"], "no role": ["row"]}


@pytest.mark.long
def test_several_sensitive_columns_and_other_criteria_are_not_disturbed():
    source = wards_source()
    source = source.append_column("pay", pa.array([j % 7 for j in range(120)]))
    tree = {"disease": sf.Tree(SECRETS | {"none": None})}
    table = read(source, sensitive=["disease", "pay"], hierarchies=tree)
    with pytest.raises(sf.BadInput, match="attribute= which one the guarding nodes belong to"):
        sf.anonymize(table, PROMISE, sf.Mondrian())
    with pytest.raises(sf.BadInput, match="neither values of 'pay'"):
        sf.anonymize(table, sf.PersonalizedPrivacy(2, "guard", "pay"), sf.Mondrian())
    about = sf.PersonalizedPrivacy(2, "guard", "disease")
    for other in (
        sf.LDiversity(2),
        sf.TCloseness(0.5, attribute="pay"),
        sf.LDiversity(3, attribute="pay"),
    ):
        plain = table.frequencies().as_it_is().joint
        guarded = table.frequencies("guard").as_it_is().joint
        assert measure(other, plain) == measure(other, guarded)
        for method in (sf.Mondrian(), sf.Optimal("loss", 0.3)):
            release = sf.anonymize(table, other & about, method)
            assert release.check()
    for threshold in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sfumato.algorithms.mondrian.COMPILED", threshold)
            found = sf.anonymize(table, sf.LDiversity(2, attribute="pay") & about, sf.Mondrian())
            assert found.check()
