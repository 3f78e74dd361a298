"""Two tables seen as one, with the values of every group dealt out at random."""

from collections import Counter, defaultdict

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.release.permuted import permuted

PEOPLE = pa.table(
    {
        "age": [1, 1, 2, 3, 3, 3, 4, 5, 5, 6, 7, 8],
        "disease": ["flu", "HIV", None, "flu", "cold", "flu", "HIV", "cold", "cold", "x", "y", "z"],
        "note": [f"n{n}" for n in range(12)],
        "income": [n // 2 for n in range(12)],
    }
)


def released(sensitive="disease", **roles):
    table = sf.read(PEOPLE, ["age"], sensitive=sensitive, **roles)
    attribute = None if isinstance(sensitive, str) else sensitive[0]
    return sf.anonymize(
        table, sf.LDiversity(2, "frequency", attribute=attribute), sf.Anatomy(seed=5)
    )


def by_group(rows, *columns):
    found = defaultdict(Counter)
    for row in rows.to_pylist():
        found[row["group"]][tuple(row[c] for c in columns)] += 1
    return found


def test_every_group_keeps_its_people_and_its_values():
    release = released(insensitive=["note"])
    rows = release.permuted(seed=1)
    assert rows.column_names == ["group", "age", "disease", "note"]
    assert by_group(rows, "age", "note") == by_group(release.to_arrow(), "age", "note")
    assert by_group(rows, "disease") == by_group(release.to_arrow("sensitive"), "disease")


def test_the_values_of_one_person_stay_together():
    release = released(sensitive=["disease", "income"])
    rows = release.permuted(seed=1)
    assert by_group(rows, "disease", "income") == by_group(
        release.to_arrow("sensitive"), "disease", "income"
    )


def test_a_seed_deals_the_same_again_and_another_deals_otherwise():
    release = released()
    assert release.permuted(seed=1) == release.permuted(seed=1)
    assert release.permuted(seed=1) != release.permuted(seed=2)


def test_within_a_group_everybody_is_as_likely_to_get_each_value():
    data = pa.table({"group": [2, 1, 2, 1, 2], "age": [1, 2, 3, 4, 5]})  # in any order
    values = pa.table({"group": [1, 2, 2, 1, 2], "s": list("xabyc")})
    deals = Counter()
    for seed in range(600):
        rows = permuted(data, values, "group", ["age", "s"], seed)
        assert rows["group"].to_pylist() == [2, 1, 2, 1, 2]
        deals[tuple(rows["s"].to_pylist())] += 1
    # Six orders of a, b, c and two of x, y; 50 of each are expected, 6.8 is the deviation.
    assert len(deals) == 12
    assert 20 < min(deals.values()) <= max(deals.values()) < 85


def test_groups_without_as_many_values_as_people_are_refused():
    data, values = pa.table({"group": [1, 1], "age": [1, 2]}), pa.table({"group": [1], "s": ["a"]})
    with pytest.raises(sf.BadInput, match="more or fewer values than people"):
        permuted(data, values, "group", ["age", "s"], 0)


@pytest.mark.long
def test_a_loaded_release_is_dealt_from_its_files(tmp_path):
    release = released()
    for kind in ("csv", "parquet"):
        release.save(tmp_path / kind, kind, experiment=True)
        loaded = sf.load(tmp_path / kind)
        assert loaded.permuted(seed=3).to_pylist() == release.permuted(seed=3).to_pylist()


def test_one_table_has_nothing_to_deal():
    table = sf.read(PEOPLE, ["age"], sensitive="disease")
    release = sf.anonymize(table, sf.KAnonymity(2))
    with pytest.raises(sf.BadInput, match=r"one table already; use to_arrow\(\)"):
        release.permuted()
    with pytest.raises(sf.BadInput, match="seed must be an integer >= 0, got -1"):
        released().permuted(seed=-1)


def test_sets_of_values_are_not_dealt_even_if_there_are_as_many_as_people():
    source = pa.table({"age": [1, 2, 3, 4], "disease": [["flu", "HIV"], ["cold"], [], ["flu"]]})
    table = sf.read(source, ["age"], sensitive="disease")
    release = sf.anonymize(table, sf.KAnonymity(2), sf.OneGroup())
    with pytest.raises(sf.BadInput, match="any number of values of 'disease'"):
        release.permuted()
