"""Releases of a growing table: made, saved, loaded, compared; what is refused, and how."""

import json
import pickle
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.attacks.correspondence import bcf
from sfumato.errors import BrokenPromise
from sfumato.job import Job
from sfumato.release.earlier_releases import by_pairs_and_all as comparison

RULES = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Tree(["f", "m"])}


def people(n, seed=3):
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            "age": [None if a < 24 else int(a) for a in draw.integers(20, 60, n)],
            "zip": [f"{z}" for z in draw.choice([10, 11, 23, 24, 31], n)],
            "sex": draw.choice(["f", "m"], n),
            "disease": draw.choice(["flu", "HIV", "asthma"], n),
        }
    )


def table(n, **roles):
    return sf.read(people(600).slice(0, n), RULES, sensitive="disease", **roles)


def published(release):
    rows = release.to_arrow().to_pylist()
    return [(tuple(str(row[c]) for c in RULES), row["disease"]) for row in rows]


@pytest.mark.long
def test_a_series_is_safe_by_the_attack_on_its_published_files():
    k = 4
    first = sf.anonymize(table(200), sf.BCFAnonymity(k), sf.BCFAnonymizer())
    second = sf.anonymize(table(206), sf.BCFAnonymity(k), sf.BCFAnonymizer([first]))
    plain = sf.anonymize(table(206), sf.BCFAnonymity(k), sf.BCFAnonymizer())
    trees = [{} for _ in RULES]
    for j, name in enumerate(RULES):
        domain = table(600).domains[name]
        for level in range(domain.taxonomy.height):
            for low, label in enumerate(domain.taxonomy.labels[level]):
                above = domain.taxonomy.labels[level + 1][low]
                if str(label) != str(above):
                    trees[j][str(label)] = str(above)
    found = bcf(published(first), published(second), trees)
    assert min(found) >= k
    assert min(found) == second.check().measured[0].found
    assert min(bcf(published(first), published(plain), trees)) < k


@pytest.mark.long
def test_release_json_names_the_earlier_releases_by_what_they_publish(tmp_path):
    first = sf.anonymize(table(200), sf.BCFAnonymity(4), sf.BCFAnonymizer())
    places = [first.save(tmp_path / kind, format=kind) for kind in ("csv", "parquet")]
    digests = {sf.load(place).public_view.digest for place in places} | {first.public_view.digest}
    assert len(digests) == 1
    specs = []
    for previous in ([first], [str(places[0])], [places[1]], [sf.load(places[1])]):
        second = sf.anonymize(table(260), sf.BCFAnonymity(4), sf.BCFAnonymizer(previous))
        specs.append(second.method.spec())
    defaults = {"score": "discernibility", "columns": None}
    assert specs == [{"bcf_anonymizer": {"previous": list(digests), **defaults}}] * 4
    place = second.save(tmp_path / "second")
    assert json.loads((place / "release.json").read_text())["method"] == specs[0]
    loaded = sf.load(place)
    assert loaded.method.spec() == specs[0]
    assert second.public_view.digest not in digests


@pytest.mark.long
def test_after_releases_from_directories_a_large_release_can_be_saved(tmp_path, monkeypatch):
    """Who made it has solved the programs already; only who has just the files is refused."""
    monkeypatch.setattr(comparison, "EXACT", 0)
    places = []
    for n in (100, 200, 300):
        made = sf.anonymize(table(n), sf.BCFAnonymity(4), sf.BCFAnonymizer(places))
        assert made.check()
        places.append(made.save(tmp_path / f"{n}"))
    check = sf.load(places[-1]).check()
    assert "cannot be told without knowing who came when" in repr(check)
    assert check.to_json()["holds"] is None


@pytest.mark.long
def test_a_loaded_release_has_no_verdict_about_a_series_it_does_not_have(tmp_path):
    first = sf.anonymize(table(200), sf.BCFAnonymity(4), sf.BCFAnonymizer())
    second = sf.anonymize(
        table(260), sf.BCFAnonymity(4) & sf.LDiversity(1), sf.BCFAnonymizer([first])
    )
    assert all(each.note is None for each in second.check().measured)
    check = sf.load(second.save(tmp_path / "2")).check()
    assert "no verdict about the series" in repr(check)
    assert check.to_json()["holds"] is None
    alone = sf.load(first.save(tmp_path / "1")).check()
    assert alone.measured[0].note is None
    assert alone
    with pytest.raises(sf.BadInput, match="only its name is known"):
        sf.anonymize(table(300), sf.BCFAnonymity(4), sf.load(tmp_path / "2").method)


def test_what_is_written_is_compared_with_the_earlier_releases(tmp_path):
    """A release that is k-anonymous and betrays the first one is not handed over."""
    first = sf.anonymize(table(200), sf.BCFAnonymity(4), sf.BCFAnonymizer())

    class Careless(sf.BCFAnonymizer):
        def search(self, frequencies, criterion, draw):
            return sf.BCFAnonymizer().search(frequencies, criterion, draw)

    release = sf.anonymize(table(206), sf.BCFAnonymity(4), Careless([first]))
    with pytest.raises(BrokenPromise, match="the written table fails"):
        release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_other_criteria_are_measured_on_what_is_left():
    promise = sf.BCFAnonymity(4) & sf.LDiversity("3/2", "frequency")
    first = sf.anonymize(table(200), sf.BCFAnonymity(4), sf.BCFAnonymizer())
    with pytest.raises(
        sf.Unsatisfiable, match="leaves to somebody only records of which LDiversity"
    ):
        sf.anonymize(table(300), promise, sf.BCFAnonymizer([first]))
    first = sf.anonymize(table(200), promise, sf.BCFAnonymizer())
    second = sf.anonymize(table(300), promise, sf.BCFAnonymizer([first]))
    check = second.check()
    assert check
    alone = second.check(sf.LDiversity("3/2", "frequency"))
    assert check.measured[1].found <= alone.measured[0].found


def test_versions_for_recipients_who_may_compare_them():
    """Nobody is new: only those who are in both are looked for, and the versions differ."""
    whole = table(300)
    for_one = sf.anonymize(whole, sf.BCFAnonymity(4), sf.BCFAnonymizer(score="loss"))
    for_two = sf.anonymize(whole, sf.BCFAnonymity(4), sf.BCFAnonymizer([for_one]))
    assert for_two.check()
    three = sf.anonymize(whole, sf.BCFAnonymity(4), sf.BCFAnonymizer([for_one, for_two]))
    assert three.check()


@pytest.mark.long
def test_what_a_recipient_gets_in_detail_stands_in_release_json(tmp_path):
    first = sf.anonymize(table(200), sf.BCFAnonymity(4), sf.BCFAnonymizer())
    method = sf.BCFAnonymizer([first], columns=["sex", "age", "sex"])
    assert str(method) == "BCFAnonymizer(after 1 release, columns=['sex', 'age'])"
    release = sf.anonymize(table(300), sf.BCFAnonymity(4), method)
    loaded = sf.load(release.save(tmp_path / "second"))
    assert loaded.method.columns == ("sex", "age")
    assert loaded.method.spec() == method.spec()
    columns = loaded.to_arrow()
    assert set(columns["zip"].to_pylist()) == {"*"}
    assert len(set(columns["age"].to_pylist())) > 1
    for columns, said in (
        ("age", "columns: must be a list of quasi-identifiers, got 'age'"),
        ([3], "columns: must be a list of quasi-identifiers, got a list"),
        ([], "columns: name one quasi-identifier at least"),
        (["disease"], "columns: 'disease' is no quasi-identifier"),
        (["agee"], "columns: 'agee' is no quasi-identifier; did you mean 'age'?"),
    ):
        with pytest.raises(sf.BadInput) as caught:
            sf.anonymize(table(200), sf.BCFAnonymity(4), sf.BCFAnonymizer(columns=columns))
        assert said in str(caught.value)


@pytest.mark.long
def test_releases_of_another_kind_come_before():
    regions = sf.anonymize(table(60), sf.KAnonymity(20), sf.Mondrian())
    levels = sf.anonymize(table(60), sf.KAnonymity(10), sf.Samarati(0.1))
    for first in (regions, levels):
        second = sf.anonymize(table(90), sf.BCFAnonymity(3), sf.BCFAnonymizer([first]))
        assert second.check().measured[0].found >= 3


def test_names_with_commas_in_published_sets_are_read():
    names = ["a, b", "c", "d, e", "f"]
    draw = np.random.default_rng(1)
    rows = pa.table({"x": draw.choice(names, 200), "s": draw.choice(list("uvw"), 200)})
    tables = [sf.read(rows.slice(0, n), {"x": sf.Tree(names)}, "s") for n in (100, 200)]
    first = sf.anonymize(tables[0], sf.KAnonymity(28), sf.Mondrian())
    assert '{"a, b", c}' in first.to_arrow()["x"].to_pylist()
    assert sf.anonymize(tables[1], sf.BCFAnonymity(10), sf.BCFAnonymizer([first])).check()


def test_why_there_is_no_safe_release_is_said():
    first = sf.anonymize(table(200), sf.BCFAnonymity(4), sf.BCFAnonymizer())
    for n, k, why in (
        (203, 4, r"3 records that earlier release 1 has not, fewer than k = 4.*wait for more"),
        (260, 60, r"earlier release 1 has a class of \d records.*start a new chain"),
        (3, 4, r"even as one group of all 3 rows"),
    ):
        previous = [first] if n > 3 else []
        with pytest.raises(sf.Unsatisfiable, match=why):
            sf.anonymize(table(n), sf.BCFAnonymity(k), sf.BCFAnonymizer(previous))


@pytest.mark.long
def test_what_does_not_fit_is_refused():
    first = sf.anonymize(table(200), sf.BCFAnonymity(4), sf.BCFAnonymizer())
    second = sf.anonymize(table(260), sf.BCFAnonymity(4), sf.BCFAnonymizer([first]))
    other = sf.read(people(400, seed=8), RULES, sensitive="disease")
    two = sf.read(people(300), ["age", "zip"], sensitive="disease")
    for of, previous, why in (
        (table(150), [first], "is of 200 records and the table of 150"),
        (table(300), [second, first], "release 1 is of 260 records and release 2 of 200"),
        (other, [first], "earlier release 1 has records that the table has not"),
        (two, [first], "other quasi-identifiers"),
        (table(300), [7], "previous must hold releases"),
        (table(300), first, "previous must be a list"),
        (table(300), ["nowhere"], "nowhere"),
    ):
        with pytest.raises(sf.BadInput, match=why):
            sf.anonymize(of, sf.BCFAnonymity(4), sf.BCFAnonymizer(previous))
    with pytest.raises(sf.BadInput, match="insensitive"):
        sf.anonymize(
            sf.read(people(300), {"age": RULES["age"]}, "disease", insensitive=["sex"]),
            sf.BCFAnonymity(4),
            sf.BCFAnonymizer([first]),
        )
    with pytest.raises(sf.BadInput, match="score"):
        sf.BCFAnonymizer(score="entropy")
    with pytest.raises(sf.BadInput, match="k must be"):
        sf.BCFAnonymity(0)


def test_nodes_keep_their_names_when_the_data_grow():
    """An open column has the values of its data; the names of its nodes do not depend on them."""
    source = pa.table({"age": [21, 22, 23, 41, 42, 43], "s": list("abcabc")})
    more = pa.table({"age": [21, 22, 23, 41, 42, 43, 27, 28, 29, 48, 47, 46], "s": list("abc" * 4)})
    rule = {"age": sf.Intervals(5, 20)}
    first = sf.anonymize(sf.read(source, rule, "s"), sf.BCFAnonymity(3), sf.BCFAnonymizer())
    assert Counter(first.to_arrow()["age"].to_pylist()) == {"[20, 40)": 3, "[40, 60)": 3}
    second = sf.anonymize(sf.read(more, rule, "s"), sf.BCFAnonymity(3), sf.BCFAnonymizer([first]))
    assert second.check()
    assert second.n_suppressed == 0


def test_several_sensitive_columns_are_compared_together():
    def of(n):
        return sf.read(people(600).slice(0, n), ["age", "zip"], sensitive=["disease", "sex"])

    first = sf.anonymize(of(200), sf.BCFAnonymity(4), sf.BCFAnonymizer())
    second = sf.anonymize(of(300), sf.BCFAnonymity(4), sf.BCFAnonymizer([first]))
    assert second.check().measured[0].found >= 4


def test_a_job_finds_earlier_releases_beside_it(tmp_path, monkeypatch):
    import pyarrow.csv as pc_csv

    first = sf.anonymize(table(200), sf.BCFAnonymity(4), sf.BCFAnonymizer())
    first.save(tmp_path / "first")
    pc_csv.write_csv(people(600).slice(0, 260), tmp_path / "people.csv")
    (tmp_path / "job.toml").write_text(
        """
        source = "people.csv"
        output = "second"
        [columns]
        sensitive = ["disease"]
        [columns.quasi_identifiers]
        age = { intervals = [5, 10, 20] }
        zip = { prefix = true }
        sex = { tree = ["f", "m"] }
        [[criteria]]
        bcf_anonymity = { k = 4 }
        [method]
        bcf_anonymizer = { previous = ["first"] }
        """
    )
    monkeypatch.chdir(tmp_path.parent)
    job = Job.load(tmp_path / "job.toml")
    release = sf.anonymize(job.table(), job.criterion, job.method)
    assert release.method.spec()["bcf_anonymizer"]["previous"] == [first.public_view.digest]
    assert release.check()


def test_a_file_that_changes_after_it_was_loaded_is_not_compared_with(tmp_path):
    first = sf.anonymize(table(60), sf.BCFAnonymity(2), sf.BCFAnonymizer())
    first.save(tmp_path / "first", format="csv")
    loaded = sf.load(tmp_path / "first")
    path = tmp_path / "first" / "data.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:3]))
    with pytest.raises(sf.BadInput, match="has changed since the release was saved or loaded"):
        sf.BCFAnonymizer([loaded])


def test_that_no_step_further_was_safe_may_tell_something_after_earlier_releases():
    first = sf.anonymize(table(60), sf.BCFAnonymity(2), sf.BCFAnonymizer())
    second = sf.anonymize(table(120), sf.BCFAnonymity(2), sf.BCFAnonymizer([first]))
    assert "no step further was safe says nothing about values" in str(sf.audit(first))
    assert "depended on earlier releases and on everybody's values" in str(sf.audit(second))


def test_what_a_release_was_made_of_is_known_in_memory_and_never_pickled():
    by_size = sf.anonymize(table(200), sf.KAnonymity(4), sf.Mondrian())  # without a look at values
    found = by_size.public_view
    assert [part.n_rows for part in found.people] == [200]
    assert found.people[0].sensitive == ("disease",)
    again = pickle.loads(pickle.dumps(found))
    assert again.people == ()
    assert again.digest == found.digest


def test_a_release_whose_texts_are_other_for_the_first_time_is_judged():
    """It is compared by its own table, in which `other` stands for the same values."""

    def read(jobs):
        ill = [("flu", "HIV", "asthma")[j % 3] for j in range(len(jobs))]
        return sf.read(pa.table({"job": jobs, "ill": ill}), {"job": sf.Flat()}, "ill")

    named = ["baker", "nurse", "smith"] * 20
    rare = [f"job {j}" for j in range(30)]
    first = sf.anonymize(read(named), sf.BCFAnonymity(3), sf.BCFAnonymizer())
    table = read([*named, *named, *rare])
    second = sf.anonymize(table, sf.BCFAnonymity(3), sf.BCFAnonymizer([first]))
    published = Counter(second.to_arrow()["job"].to_pylist())
    assert published == {"baker": 40, "nurse": 40, "smith": 40, "other": 30}
    assert second.check().holds
