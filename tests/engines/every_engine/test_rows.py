"""Any number of rows: none, one, missing ones, and one key that most people have."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.data.labels.texts import Labels
from sfumato.data.recoding import SUPPRESSED, Assignment

KEY = bytes(range(32))


def test_no_rows_are_refused(read):
    rows = pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.int64())})
    with pytest.raises(sf.BadInput, match="no rows"):
        read(rows, ["a"], "b").frequencies()


def test_one_row_is_one_person(read, counted, released):
    rows = pa.table({"a": ["x"], "b": [1]})
    assert counted(read(rows, ["a"], "b")) == {("x", 1): 1}
    published = released(
        rows, sf.KAnonymity(1), sf.Mondrian(), quasi_identifiers=["a"], sensitive="b"
    )
    assert published["data"].to_pylist() == [{"a": "*", "b": 1}]


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.date32()], ids=str)
def test_a_column_may_be_all_missing(released, kind):
    n = 12
    rows = pa.table({"a": pa.nulls(n, kind), "z": ["x", "y"] * (n // 2), "s": ["p", "q", "r"] * 4})
    roles = {"quasi_identifiers": ["a", "z"], "sensitive": "s"}
    published = released(rows, sf.KAnonymity(2), sf.Mondrian(), **roles)["data"]
    assert {*published["a"].to_pylist()} == {None}


def test_missing_and_empty_are_two_values(read, counted):
    rows = [("", None), (None, ""), (None, None), ("", ""), (None, None)]
    columns = dict(zip("ab", zip(*rows, strict=True), strict=True))
    table = pa.table({name: pa.array(each, pa.string()) for name, each in columns.items()})
    assert counted(read(table, ["a", "b"])) == Counter(rows)


@pytest.mark.long
def test_several_rows_of_a_person_are_a_set(read, counted):
    rows = pa.table(
        {
            "who": ["a", "a", "b", "c", "c"],
            "age": [1, 1, 2, 3, 3],
            "disease": ["flu", "HIV", None, "flu", "flu"],
        }
    )
    table = read(rows, ["age"], "disease", person="who")
    assert table.set_valued == "disease"
    assert counted(table) == {(1, ("HIV", "flu")): 1, (2, ()): 1, (3, ("flu", "flu")): 1}
    differing = rows.set_column(1, "age", pa.array([1, 2, 2, 3, 3]))
    with pytest.raises(sf.BadInput, match="1 person has more than one value of 'age'"):
        read(differing, ["age"], "disease", person="who").frequencies()
    nobody = rows.set_column(0, "who", pa.array(["a", None, "b", "c", "c"]))
    with pytest.raises(sf.BadInput, match="'who' is missing in 1 row"):
        read(nobody, ["age"], "disease", person="who").frequencies()


# ----------------------------------------------------------------------------------------- skew

N = 20_000
SKEWED = pa.table(
    {
        "age": [7 if j % 10 else j % 70 for j in range(N)],
        "disease": [None if j % 11 == 0 else f"d{j % 3}" for j in range(N)],
        "note": [None if j % 13 == 0 else (j * 7919) % N for j in range(N)],
    }
)


def halved(table):
    """Send half of every combination to one group, a third to another, and leave out the rest."""
    ground = table.frequencies().combinations
    n, order = ground.counts, np.arange(len(ground))
    parts = [
        np.stack([order, np.zeros_like(order), n // 2], axis=1),
        np.stack([order, np.ones_like(order), n // 3], axis=1),
        np.stack([order, np.full(len(ground), SUPPRESSED), n - n // 2 - n // 3], axis=1),
    ]
    sides = [[0, len(table.domains[name]) - 1] for name in table.schema.quasi_identifiers]
    boxes = np.array([sides] * 2, dtype=np.int32)
    texts = {name: Labels.of(["first", "second"]) for name in table.schema.quasi_identifiers}
    return Assignment(ground, boxes, np.concatenate(parts), texts)


@pytest.mark.long
@pytest.mark.parametrize("insensitive", [[], ["note"]], ids=["few rows that differ", "all differ"])
def test_a_key_of_nine_tenths_of_the_rows_is_dealt_out_as_the_lots_say(read, tmp_path, insensitive):
    written = []
    for name, by in (("ours", read), ("frame", sf.read)):
        table = by(SKEWED, ["age"], "disease", insensitive=insensitive)
        table.write(halved(table), tmp_path / name, "parquet", KEY)
        written.append(pq.read_table(tmp_path / name).to_pylist())
    assert written[0] == written[1]
    ages = Counter(SKEWED["age"].to_pylist())
    assert len(written[0]) == sum(n // 2 + n // 3 for n in ages.values())


def test_some_of_the_people_are_drawn(read):
    """And no more than were asked for: so a large table is looked at before it is counted."""
    table = read(SKEWED, ["age"], "disease")
    drawn = table.some_people(500)
    assert drawn.counts.sum() == 500
    most = drawn.codes("age") == drawn.domains["age"].labels.index(7)
    assert 400 <= drawn.counts[most].sum() <= 490  # expected: 450; outside in one of 10^5


def test_groups_of_people_who_are_alike_are_counted_by_their_size(read):
    found = read(SKEWED, ["age"], "disease").alike([["age"], ["age", "disease"]])
    ages, diseases = (SKEWED[name].to_pylist() for name in ("age", "disease"))
    for sizes, groups in zip(found, (ages, zip(ages, diseases, strict=True)), strict=True):
        expected = Counter(Counter(groups).values())
        assert dict(zip(sizes.sizes.tolist(), sizes.n_groups.tolist(), strict=True)) == expected


def test_rows_are_brought_here_batch_by_batch(read):
    source = read(SKEWED, ["age"], "disease").source
    found = source.to_batches([]).read_all()
    assert found.column_names == SKEWED.column_names
    order = [(name, "ascending") for name in SKEWED.column_names]
    assert found.sort_by(order).to_pylist() == SKEWED.sort_by(order).to_pylist()


def test_a_batch_of_a_series_is_kept_with_hashes_for_people(read, tmp_path):
    rows = pa.table({"who": [f"p{j}" for j in range(50)], "age": range(50), "at": [None] * 50})
    rows = rows.set_column(2, "at", pa.array([j * 10**9 for j in range(50)], pa.timestamp("us")))
    kept, theirs = (
        by(rows, ["age"]).source.keep(["who", "age", "at"], "who", b"key", tmp_path / name, [])
        for name, by in (("ours", read), ("frame", sf.read))
    )
    assert kept.n_rows == 50
    assert (kept.fingerprint, kept.types) == (theirs.fingerprint, theirs.types)
    again = read(rows, ["age"]).source.keep(["age"], "who", b"key", tmp_path / "again", [])
    assert again.n_rows == 50
