"""Two tables: quasi-identifiers as they are, sensitive values apart, and a number between them."""

import csv
import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from descriptions import rewrite
from sfumato.release.files.saved import PACKAGE

L = sf.LDiversity(3, "frequency")
METHODS = [
    sf.Anatomy(),
    sf.GreedyGrouping(),
    sf.GreedyGrouping(anatomize=True),
    sf.RandomizedGrouping(0.5),
    sf.SymmetricGrouping(),
    sf.OneGroup(),
    sf.Mondrian(publish="bucketized"),
    sf.Optimal("loss", 0.1, publish="bucketized"),
    sf.TopDown(publish="bucketized"),
]


def people(n=400, seed=3) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            "age": [
                None if j % 41 == 0 else int(a) for j, a in enumerate(draw.integers(20, 30, n))
            ],
            "zip": [f"0{z}" for z in draw.integers(1, 4, n)],
            "id": draw.permutation(n),  # insensitive here, so that everybody can be followed
            "disease": draw.choice(["flu", "cold", "=HIV", None, "gout", "ulcer"], n).tolist(),
            "ward": draw.choice(["a", "b"], n),
        }
    )


def read(source, **roles) -> sf.Table:
    settings = {"sensitive": ["disease", "ward"], "insensitive": ["id"]} | roles
    return sf.read(source, {"age": sf.Intervals(5, 10), "zip": sf.Prefix()}, **settings)


def criterion() -> sf.LDiversity:
    return sf.LDiversity(3, "frequency", attribute="disease")


def rows_of(path) -> list[dict]:
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    with path.open(newline="") as file:
        return [{k: v or None for k, v in row.items()} for row in csv.DictReader(file)]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_both_tables_put_the_same_people_into_the_same_groups(tmp_path, method, kind):
    source = people()
    release = sf.anonymize(read(source), criterion(), method)
    place = release.save(tmp_path / "out", format=kind)
    assert {path.name for path in place.iterdir()} == {
        f"data.{kind}",
        f"sensitive.{kind}",
        "release.json",
        *PACKAGE,
    }
    data, sensitive = (rows_of(place / f"{name}.{kind}") for name in ("data", "sensitive"))
    assert [*data[0]] == ["group", "age", "zip", "id"]
    assert [*sensitive[0]] == ["group", "disease", "ward"]
    original = {str(row["id"]): row for row in source.to_pylist()}
    assert len(data) + release.n_suppressed == len(original)
    members: dict[str, Counter] = {}
    for row in data:
        who = original[str(row["id"])]
        assert (str(row["age"]), row["zip"]) == (str(who["age"]), who["zip"])
        value = (who["disease"], who["ward"])
        members.setdefault(str(row["group"]), Counter())[value] += 1
    published: dict[str, Counter] = {}
    for row in sensitive:
        disease = row["disease"]
        if kind == "csv" and disease is not None:
            disease = disease.removeprefix("'")
        published.setdefault(str(row["group"]), Counter())[(disease, row["ward"])] += 1
    assert published == members
    for values in published.values():
        each = Counter(disease for disease, _ in values.elements())
        assert 3 * max(each.values()) <= each.total()


def test_csv_and_parquet_hold_the_same_groups(tmp_path):
    release = sf.anonymize(read(people()), criterion(), sf.RandomizedGrouping(0.3))
    first, second = (release.save(tmp_path / kind, format=kind) for kind in ("csv", "parquet"))
    for name, columns in (("data", ["group", "id"]), ("sensitive", ["group", "ward"])):
        written = [rows_of(first / f"{name}.csv"), rows_of(second / f"{name}.parquet")]
        one, other = ([tuple(str(row[c]) for c in columns) for row in rows] for rows in written)
        assert sorted(one) == sorted(other)


def test_numbers_and_order_say_no_more_than_the_rows(tmp_path):
    release = sf.anonymize(read(people()), criterion(), sf.Anatomy())
    place = release.save(tmp_path / "out", format="parquet")
    data, sensitive = (
        pq.read_table(place / f"{name}.parquet").to_pylist() for name in ("data", "sensitive")
    )

    def known(row):  # in the order of the domains: the missing value comes last
        return (row["age"] is None, row["age"] or 0, row["zip"])

    first: dict[int, tuple] = {}
    for row in data:
        first[row["group"]] = min(first.get(row["group"], (True, 99, "")), known(row))
    assert sorted(first) == list(range(1, len(first) + 1))
    assert [first[g] for g in sorted(first)] == sorted(first.values())
    for rows in (data, sensitive):
        content = [tuple((value is not None, value) for value in row.values()) for row in rows]
        assert content == sorted(content)


@pytest.mark.long
def test_groups_that_begin_alike_are_numbered_by_chance(tmp_path):
    source = pa.table({"age": [30] * 60, "disease": ["flu", "cold", "gout"] * 20, "n": range(60)})
    table = sf.read(source, {"age": sf.Intervals(5)}, sensitive="disease", insensitive=["n"])
    seen = set()
    for _ in range(3):
        release = sf.anonymize(table, L, sf.Anatomy())
        data = release.to_arrow().sort_by("n")
        seen.add(tuple(data["group"].to_pylist()))
    assert len(seen) == 3


def test_what_is_loaded_is_what_was_saved(tmp_path):
    release = sf.anonymize(read(people()), criterion(), sf.GreedyGrouping())
    place = release.save(tmp_path / "out")
    loaded = sf.load(place)
    assert loaded.check()
    assert sorted(loaded.sizes) == sorted(release.sizes)
    assert (loaded.n_rows, loaded.n_suppressed) == (release.n_rows, release.n_suppressed)
    for name in ("data", "sensitive"):
        assert loaded.to_arrow(name).equals(release.to_arrow(name))
    assert loaded.groups_of("disease").sizes.sum() == release.n_rows
    assert "two tables" in str(loaded.summary())
    assert "two tables" in release._repr_html_()
    written = json.loads((place / "release.json").read_text())
    assert written["group"] == "group"
    assert set(written["files"]) == {"data.parquet", "sensitive.parquet"}


def test_a_table_of_one_release_is_not_taken_for_that_of_another(tmp_path):
    table = read(people())
    one, other = (
        sf.anonymize(table, criterion(), sf.Anatomy()).save(tmp_path / name) for name in "ab"
    )
    (other / "sensitive.parquet").replace(one / "sensitive.parquet")
    with pytest.raises(sf.BadInput, match=r"sensitive\.parquet: the file is not the one"):
        sf.load(one)
    (one / "sensitive.parquet").unlink()
    with pytest.raises(sf.BadInput, match=r"sensitive\.parquet: cannot read"):
        sf.load(one)


def test_a_description_that_names_one_file_of_two_is_damaged(tmp_path):
    place = sf.anonymize(read(people()), criterion(), sf.Anatomy()).save(tmp_path / "out")
    where = place / "release.json"
    written = json.loads(where.read_text())
    del written["files"]["sensitive.parquet"]
    for files in (written["files"], None, ["data.parquet", "sensitive.parquet"]):
        rewrite(place, written | {"files": files})
        with pytest.raises(sf.BadInput, match="the list of files is missing"):
            sf.load(place)


def test_the_number_of_a_group_takes_no_column_s_name(tmp_path):
    source = people().append_column("Group", pa.array(["x"] * 400))
    table = read(source, identifiers=["Group"])
    release = sf.anonymize(table, criterion(), sf.Anatomy())
    place = release.save(tmp_path / "out", format="csv")
    assert rows_of(place / "data.csv")[0].keys() == {"group_", "age", "zip", "id"}
    assert sf.load(place).check()


def test_two_tables_need_a_sensitive_column():
    table = read(people(), sensitive=None)
    with pytest.raises(sf.BadInput, match="no sensitive column"):
        sf.anonymize(table, sf.KAnonymity(3), sf.GreedyGrouping())


def test_a_size_alone_can_be_promised_too(tmp_path):
    release = sf.anonymize(read(people()), sf.KAnonymity(7), sf.GreedyGrouping())
    place = release.save(tmp_path / "out")
    assert min(Counter(row["group"] for row in rows_of(place / "data.parquet")).values()) >= 7


def test_there_is_no_third_table():
    release = sf.anonymize(read(people()), criterion(), sf.Anatomy())
    with pytest.raises(sf.BadInput, match="table must be"):
        release.to_arrow("everything")
    generalized = sf.anonymize(read(people()), sf.KAnonymity(3), untouched_identify=True)
    with pytest.raises(sf.BadInput, match="table must be"):
        generalized.to_arrow("sensitive")


def test_nothing_is_lost_but_the_suppressed(tmp_path):
    release = sf.anonymize(read(people()), criterion(), sf.GreedyGrouping())
    share = release.n_suppressed / 400
    assert sf.utility.information_loss(release) == pytest.approx(share)
    assert sf.utility.precision(release) == pytest.approx(1 - share)
    assert sf.utility.average_group_size(release) == pytest.approx(np.mean(release.sizes))
    ages = release.table.frequencies().reference("disease")
    assert ages.sum() == 400
    if not release.n_suppressed:
        assert sf.utility.entropy(release) == 0


def test_the_recoding_says_who_went_where_and_is_for_this_table_only(tmp_path):
    release = sf.anonymize(read(people()), criterion(), sf.Anatomy())
    told = release.recoding_table()
    assert sum(told["people"].to_pylist()) == 400
    assert set(told.column_names) == {"age", "zip", "disease", "ward", "group", "people"}
    with pytest.raises(sf.BadInput, match="no meaning for other data"):
        release.save_recoding(tmp_path / "recoding.json")


def test_an_audit_attacks_the_groups_and_says_that_nobody_is_hidden(tmp_path):
    release = sf.anonymize(read(people(), sensitive="disease"), L, sf.Anatomy())
    for subject in (release, sf.load(release.save(tmp_path / "out"))):
        report = sf.audit(subject)
        assert report.holds
        found = {finding.attack: finding for finding in report.findings}
        assert found["homogeneity"].found == max(
            release.check(sf.LDiversity(1, "frequency")).measured[0].found ** -1, 0
        )
        reasons = {each.name: each.reason for each in report.not_run}
        assert "published as they are" in reasons["linkage, prosecutor"]
        assert "Only which sensitive value of a group is whose is hidden" in report.to_html()
    assert "as it is" in report.to_html()


def test_a_loaded_release_is_audited_with_its_original_and_no_other(tmp_path):
    table = read(people(), sensitive="disease")
    loaded = sf.load(sf.anonymize(table, L, sf.Anatomy()).save(tmp_path / "out"))
    assert sf.audit(loaded, table).holds
    report = sf.audit(loaded, people())
    assert report.to_html(private=True)
    with pytest.raises(sf.BadInput, match="fewer of its people"):
        sf.audit(loaded, people(seed=4))
