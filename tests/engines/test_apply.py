"""What is decided is what is written: every person once, and in the place that was asked for."""

import csv
import datetime
import hashlib
import itertools
import math
import random
import re
from collections import Counter
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sfumato as sf
from profiles import examples
from sfumato.data.labels.texts import Labels
from sfumato.data.recoding import SUPPRESSED, Assignment, Cut
from sfumato.engines import engine_of

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))
SCHEMA = pa.schema(
    {"note": pa.string(), "zip": pa.string(), "age": pa.int64(), "disease": pa.string()}
)
ROLES = {
    "quasi_identifiers": {"age": sf.Intervals(5, 10), "zip": sf.Prefix()},
    "sensitive": "disease",
    "insensitive": ["note"],
}
ORDER = ("age", "zip", "note", "disease")  # quasi-identifiers in their order, then the rest


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """Write a recoding of a table, and give the rows of the file as another reader sees them."""

    def look(table, how, kind="parquet", key=KEY):
        target = tmp_path_factory.mktemp("out") / f"data.{kind}"
        table.write(how, target, kind, key)
        if kind == "parquet":
            return pq.read_table(target)
        return read_back(target)

    return look


def read_back(path):
    """Read a published CSV file as text."""
    source = engine_of().open_published(path)
    return source.to_batches(source.columns).read_all()


def rows_of(table):
    return list(zip(*table.to_pydict().values(), strict=True))


def frame_of(rows, schema=SCHEMA):
    columns = zip(*rows, strict=True) if rows else [[]] * len(schema)
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema)


def missing_first(row):
    return [(value is not None, "" if value is None else value) for value in row]


def in_order(rows, names, order=ORDER):
    """Sort rows as they must be published."""
    places = [names.index(name) for name in order]
    return sorted(rows, key=lambda row: missing_first([row[j] for j in places]))


def code(domain, value):
    return domain.labels.index(value)


# ----------------------------------------------------------------------------------------- cuts

PEOPLE = st.tuples(
    st.sampled_from([None, "n", "=n", ""]),
    st.sampled_from([None, "", "13053", "13068", "1485", "é"]),
    st.sampled_from([None, -3, 0, 4, 5, 37]),
    st.sampled_from([None, "flu", "HIV"]),
)


def cut_by_hand(table, rows, levels, suppressed):
    """Recode row by row, straight from the labels of the trees."""
    kept = []
    for row in rows:
        new, lows = dict(zip(SCHEMA.names, row, strict=True)), []
        for name in ("age", "zip"):
            tree, level = table.domains[name].taxonomy, levels[name]
            rank = code(table.domains[name], new[name])
            lows.append(int(tree.low[level, rank]))
            if level:
                new[name] = tree.labels[level][rank]
        if tuple(lows) not in suppressed:
            kept.append(tuple(new.values()))
    return in_order(kept, SCHEMA.names)


@examples(60)
@given(st.lists(PEOPLE, min_size=1, max_size=15), st.data())
def test_a_cut_recodes_every_row_and_leaves_out_the_suppressed_groups(read, published, rows, data):
    table = read(frame_of(rows), **ROLES)
    table.frequencies()
    levels, groups = {}, []
    for name in ("age", "zip"):
        tree = table.domains[name].taxonomy
        levels[name] = data.draw(st.integers(0, tree.height), label=name)
        groups.append(sorted(set(tree.low[levels[name]].tolist())))
    suppressed = data.draw(st.lists(st.sampled_from(list(itertools.product(*groups))), max_size=4))
    cut = Cut.at_levels(
        table.domains, levels, np.array(suppressed, dtype=np.int32).reshape(len(suppressed), 2)
    )
    expected = cut_by_hand(table, rows, levels, suppressed)
    assert rows_of(published(table, cut)) == expected
    n_suppressed = cut.n_suppressed(table.frequencies())
    assert n_suppressed == len(rows) - len(expected)


def test_a_cut_without_suppression_loses_nobody_and_without_levels_changes_nothing(read, published):
    rows = [("a", "13053", 37, "flu"), ("a", "13053", 37, "flu"), (None, None, None, None)]
    table = read(frame_of(rows), **ROLES)
    table.frequencies()
    written = published(table, Cut.at_levels(table.domains, {"age": 0, "zip": 0}))
    assert rows_of(written) == in_order(rows, SCHEMA.names)
    assert written.schema.types == SCHEMA.types


def test_intervals_that_are_no_level_are_published_with_their_bounds(read, published):
    rows = [(None, "x", age, "flu") for age in (1, 2, 37, 62)]
    table = read(frame_of(rows), quasi_identifiers=["age", "zip"], sensitive="disease")
    table.frequencies()
    intervals = {
        "age": np.array([[0, 2], [0, 2], [0, 2], [3, 3]], dtype=np.int32),
        "zip": np.array([[0, 0]], dtype=np.int32),
    }
    written = published(table, Cut(intervals, np.zeros((0, 2), dtype=np.int32)))
    assert written["age"].to_pylist() == ["62", "<60", "<60", "<60"]
    assert written["zip"].to_pylist() == ["x"] * 4


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_when_everybody_is_suppressed_the_columns_are_left(read, published, kind):
    table = read(frame_of([("a", "13053", 37, "flu")]), **ROLES)
    table.frequencies()
    cut = Cut.at_levels(table.domains, {"age": 1, "zip": 1}, np.zeros((1, 2), dtype=np.int32))
    written = published(table, cut, kind)
    assert written.num_rows == 0
    assert written.column_names == SCHEMA.names


# ---------------------------------------------------------------------------------- assignments


def numbered(n, columns=("age", "zip")):
    """Name every group, so that the published rows say which group each one is in."""
    return {column: Labels.of([f"group {g}" for g in range(n)]) for column in columns}


def whole_boxes(table, n):
    sides = [[0, len(table.domains[name]) - 1] for name in table.schema.quasi_identifiers]
    return np.array([sides] * n, dtype=np.int32).reshape(n, len(sides), 2)


def assignment(table, parts, n_groups):
    ground = table.frequencies().combinations
    return Assignment(
        ground,
        whole_boxes(table, n_groups),
        np.array(parts, dtype=np.int64).reshape(len(parts), 3),
        numbered(n_groups, table.schema.quasi_identifiers),
    )


def deal_by_hand(table, rows, parts, key):
    """Give every person of a combination, by what is published of them, a place by lot."""
    ground = table.frequencies().combinations
    ages, zips = table.domains["age"].labels, table.domains["zip"].labels
    lots = hashlib.shake_256(key + bytes(16)).digest(8 * len(rows))  # of the first block
    combinations = sorted({combination for combination, _, people in parts if people})
    n_bits = len(combinations).bit_length()
    dealt, n_before = [], 0
    for combination in combinations:
        who = ages[ground.codes("age")[combination]], zips[ground.codes("zip")[combination]]
        waiting = [row for row in rows if (row[2], row[1]) == who]
        waiting.sort(key=lambda row: missing_first([row[3], row[0]]))  # disease, then note
        places = sorted(g for c, g, people in parts if c == combination for _ in range(people))
        assert len(places) == len(waiting)
        words = [
            int.from_bytes(lots[8 * j : 8 * j + 8], "little") >> n_bits
            for j in range(n_before, n_before + len(places))
        ]
        n_before += len(places)
        by_lot = [place for _, place in sorted(zip(words, places, strict=True))]
        for (note, _, _, disease), group in zip(waiting, by_lot, strict=True):
            if group != SUPPRESSED:
                dealt.append((note, f"group {group}", f"group {group}", disease))
    return in_order(dealt, SCHEMA.names)


@st.composite
def partings(draw, counts, n_groups, most=3):
    """Split every count into parts, each for a group or for none; parts in any order."""
    parts = []
    for combination, count in enumerate(counts):
        cuts = sorted(draw(st.lists(st.integers(0, int(count)), max_size=most - 1)))
        for low, high in itertools.pairwise([0, *cuts, int(count)]):
            parts.append((combination, draw(st.integers(SUPPRESSED, n_groups - 1)), high - low))
    return draw(st.permutations(parts))


@pytest.mark.long
@examples(60)
@given(st.lists(PEOPLE, min_size=1, max_size=20), st.data())
def test_an_assignment_deals_everybody_out_as_the_lots_say(read, published, rows, data):
    table = read(frame_of(rows), **ROLES)
    counts = table.frequencies().combinations.counts
    parts = data.draw(partings(counts, 3))
    how = assignment(table, parts, 3)
    written = rows_of(published(table, how))
    assert written == deal_by_hand(table, rows, parts, KEY)
    assert how.n_suppressed(table.frequencies()) == len(rows) - len(written)


@examples(30)
@given(st.lists(PEOPLE, min_size=1, max_size=20), st.data())
def test_combinations_in_one_piece_go_where_they_are_sent(read, published, rows, data):
    table = read(frame_of(rows), **ROLES)
    counts = table.frequencies().combinations.counts
    parts = data.draw(partings(counts, 3, most=1))
    how = assignment(table, parts, 3)
    assert not how.splits
    written = rows_of(published(table, how))
    assert written == deal_by_hand(table, rows, parts, KEY)
    grouping = how.grouping(table.frequencies())
    assert sorted(Counter(row[1] for row in written).values()) == sorted(grouping.sizes)


def test_boxes_are_published_by_their_labels(read, published):
    rows = [(None, zip_code, age, "flu") for age in (1, 37, 62, None) for zip_code in ("a", "b")]
    table = read(frame_of(rows), quasi_identifiers=["age", "zip"], sensitive="disease")
    ground = table.frequencies().combinations
    boxes = np.array([[[0, 1], [0, 0]], [[0, 1], [1, 1]], [[2, 3], [0, 1]]], dtype=np.int32)
    age, place = ground.codes("age"), ground.codes("zip")
    parts = np.stack([np.arange(8), np.where(age > 1, 2, place), ground.counts], axis=1)
    written = published(table, Assignment(ground, boxes, parts))
    found = Counter(zip(written["age"].to_pylist(), written["zip"].to_pylist(), strict=True))
    assert found == {("<60", "a"): 2, ("<60", "b"): 2, ("62 or missing", "*"): 4}


def test_a_column_that_no_box_widens_is_published_as_it_is(read, published):
    rows = [(None, "a", age, "flu") for age in (1, 37, None)]
    table = read(frame_of(rows), quasi_identifiers=["age", "zip"], sensitive="disease")
    ground = table.frequencies().combinations
    boxes = np.array([[[age, age], [0, 0]] for age in range(3)], dtype=np.int32)
    parts = np.stack([np.arange(3), ground.codes("age"), ground.counts], axis=1)
    written = published(table, Assignment(ground, boxes, parts))
    assert written["age"].to_pylist() == [None, 1, 37]
    assert written.schema.field("age").type == pa.int64()


@pytest.mark.parametrize("split", [False, True], ids=["whole", "split"])
def test_the_suppressed_are_left_out_when_nothing_else_is_changed(read, published, split):
    """As when outliers are dropped and everybody else keeps their values."""
    rows = [(f"{j}", "a", age, "flu") for age in (1, 37) for j in range(4)]
    table = read(frame_of(rows), **(ROLES | {"quasi_identifiers": ["age", "zip"]}))
    ground = table.frequencies().combinations
    boxes = np.array([[[0, 0], [0, 0]], [[1, 1], [0, 0]]], dtype=np.int32)
    left_out = [(1, 1, 1), (1, SUPPRESSED, 3)] if split else [(1, SUPPRESSED, 4)]
    parts = np.array([(0, 0, 4), *left_out])
    written = published(table, Assignment(ground, boxes, parts))
    assert written["age"].to_pylist() == [1, 1, 1, 1] + [37] * split


def test_combinations_may_include_the_sensitive_value(read, published):
    """Algorithms that look at sensitive values assign by them."""
    rows = [(None, "a", 1, disease) for disease in ("flu", "flu", "HIV", None)]
    table = read(frame_of(rows), quasi_identifiers=["age", "zip"], sensitive="disease")
    whole = table.frequencies()
    group_of = {"flu": 0, "HIV": 1, None: SUPPRESSED}
    groups = [group_of[whole.domains["disease"].labels[c]] for c in whole.codes("disease")]
    parts = np.stack([np.arange(3), groups, whole.counts], axis=1)
    how = Assignment(whole, whole_boxes(table, 2), parts, numbered(2))
    written = rows_of(published(table, how))
    assert [(age, disease) for _, age, disease in written] == [
        ("group 0", "flu"),
        ("group 0", "flu"),
        ("group 1", "HIV"),
    ]


@pytest.mark.parametrize(("n_columns", "n_words"), [(1, 1), (6, 1), (7, 2), (13, 3)])
@pytest.mark.parametrize("split", [False, True], ids=["whole", "split"])
def test_keys_of_one_two_and_three_words_find_their_rows(
    read, published, n_columns, n_words, split
):
    n = 600  # ten bits a column
    draw = np.random.default_rng(7)
    names = [f"q{j}" for j in range(n_columns)]
    values = [draw.permutation(n) for _ in names]  # every combination is one person, then two
    columns = {name: np.concatenate([v, v]) for name, v in zip(names, values, strict=True)}
    frame = pa.table({**columns, "id": np.arange(2 * n)})
    table = read(frame, quasi_identifiers=names, insensitive=["id"])
    ground = table.frequencies().combinations
    assert ground.layout.n_words == n_words
    first = ground.codes("q0").tolist()
    if split:
        parts = [(c, g, 1) for c in range(n) for g in (first[c] % 3, 3)]
    else:
        parts = [(c, first[c] % 3 if first[c] % 5 else SUPPRESSED, 2) for c in range(n)]
    written = published(table, assignment(table, parts, 4))
    groups = dict(zip(written["id"].to_pylist(), written["q0"].to_pylist(), strict=True))
    assert len(groups) == written.num_rows
    original = columns["q0"].tolist()  # a code here is the number itself
    if split:
        assert sorted(groups) == list(range(2 * n))
        for person in range(n):
            pair = {groups[person], groups[person + n]}
            assert pair == {f"group {original[person] % 3}", "group 3"}
    else:
        expected = {
            person: f"group {value % 3}" for person, value in enumerate(original) if value % 5
        }
        assert groups == expected


# ------------------------------------------------------------------------- splits and the secret

CROWD = [
    (f"person {j}", zip_code, age, disease)
    for j, (zip_code, age, disease) in enumerate(
        itertools.product(["13053", None], [37, None], ["flu", "HIV", None] * 14)
    )
]


def halved(table):
    """Send half of every combination to each of two groups, but for two people who are left out."""
    counts = table.frequencies().combinations.counts.tolist()
    parts = [
        part
        for c, n in enumerate(counts)
        for part in ((c, 0, n // 2 - 1), (c, SUPPRESSED, 2), (c, 1, n - n // 2 - 1))
    ]
    return assignment(table, parts, 2)


def group_of_each(written):
    return dict(zip(written["note"].to_pylist(), written["age"].to_pylist(), strict=True))


def test_each_part_has_exactly_the_asked_number_of_people(read, published):
    table = read(frame_of(CROWD), **ROLES)
    groups = group_of_each(published(table, halved(table)))
    found = Counter((zip_code, age, groups.get(note)) for note, zip_code, age, _ in CROWD)
    expected = {
        (zip_code, age, group): people
        for zip_code in ("13053", None)
        for age in (37, None)
        for group, people in (("group 0", 20), (None, 2), ("group 1", 20))
    }
    assert found == expected


def test_an_original_row_ends_in_exactly_one_group(read, published):
    table = read(frame_of(CROWD), **ROLES)
    written = published(table, halved(table))
    names = written["note"].to_pylist()
    assert len(set(names)) == len(names) == len(CROWD) - 8
    diseases = {note: disease for note, _, _, disease in CROWD}
    assert written["disease"].to_pylist() == [diseases[name] for name in names]


def text_only(rows):
    schema = pa.schema([(name, pa.string()) for name in SCHEMA.names])
    return frame_of([[None if v is None else str(v) for v in row] for row in rows], schema)


def as_csv_file(frame, place):
    duckdb.from_arrow(frame).write_csv(str(place / "in.csv"), quotechar='"')
    return place / "in.csv"


def as_parquet_file(frame, place):
    pq.write_table(frame, place / "in.parquet", row_group_size=5)
    return place / "in.parquet"


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    "source",
    [
        as_csv_file,
        as_parquet_file,
        lambda frame, _: frame.to_pandas(types_mapper=pd.ArrowDtype),
        lambda frame, _: pl.from_arrow(frame).with_columns(pl.col("disease").cast(pl.Categorical)),
        lambda frame, _: frame.to_reader(max_chunksize=3),
    ],
    ids=["csv", "parquet", "pandas", "polars", "reader"],
)
def test_with_the_same_secret_the_same_rows_come_out_of_every_source_in_any_order(
    read, published, tmp_path, source, kind
):
    roles = ROLES | {"quasi_identifiers": ["age", "zip"]}
    direct = read(text_only(CROWD), **roles)
    expected = rows_of(published(direct, halved(direct), kind))
    shuffled = random.Random(7).sample(CROWD, len(CROWD))
    assert shuffled != CROWD
    table = read(source(text_only(shuffled), tmp_path), **roles)
    assert rows_of(published(table, halved(table), kind)) == expected


def test_with_another_secret_other_people_come_out(read, published):
    table = read(frame_of(CROWD), **ROLES)
    how = halved(table)
    ours, again, theirs = (
        group_of_each(published(table, how, key=key)) for key in (KEY, KEY, OTHER_KEY)
    )
    assert ours == again
    assert ours != theirs
    assert Counter(ours.values()) == Counter(theirs.values())


def test_the_order_of_the_columns_does_not_change_who_comes_out(read, published):
    table = read(frame_of(CROWD), **ROLES)
    turned = read(frame_of(CROWD).select(SCHEMA.names[::-1]), **ROLES)
    assert group_of_each(published(table, halved(table))) == group_of_each(
        published(turned, halved(turned))
    )


def test_identical_rows_are_interchangeable(read, published):
    rows = [("twin", "13053", 37, "flu")] * 42 + [("other", "13053", 37, "HIV")] * 42
    written = [
        rows_of(published(table, halved(table)))
        for table in (read(frame_of(each), **ROLES) for each in (rows, rows[::-1]))
    ]
    assert written[0] == written[1]
    assert Counter(row[1] for row in written[0]) == {"group 0": 41, "group 1": 41}


@pytest.mark.long
def test_people_who_are_alike_are_not_kept_together(read, published):
    """A row's place in the order of rows says nothing about its group; nor does its disease."""
    rows = [("", "13053", 37, "flu")] * 42 + [("", "13053", 37, "HIV")] * 42
    table = read(frame_of(rows), **ROLES)
    for j in range(20):
        written = rows_of(published(table, halved(table), key=bytes([j] * 32)))
        with_flu = sum(row[1:] == ("group 0", "group 0", "flu") for row in written)
        assert 5 <= with_flu <= 36  # of 41, expected: 20.5; outside in one of 10^11


def test_what_is_dropped_decides_nothing(read, published):
    frame = frame_of(CROWD)
    roles = ROLES | {"insensitive": []}
    table = read(frame, **(roles | {"identifiers": ["note"]}))
    other = frame.set_column(0, "note", pa.array([str(-j) for j in range(len(CROWD))]))
    turned = read(other.take(np.arange(len(CROWD))[::-1]), **roles)
    assert published(table, halved(table)) == published(turned, halved(turned))


def test_csv_and_parquet_deal_alike(read, published, tmp_path):
    """Whoever has both would else know more than from each: 10, 9 and -1 are numbers in one."""
    crowd = [(str(j), *row[1:]) for j, row in zip(range(-84, 84), CROWD, strict=True)]
    table = read(as_csv_file(text_only(crowd), tmp_path), **ROLES)
    as_csv, as_parquet = (published(table, halved(table), kind) for kind in ("csv", "parquet"))
    assert as_parquet["note"].type == pa.int64()
    expected = {int(note): group for note, group in group_of_each(as_csv).items()}
    assert group_of_each(as_parquet) == expected


SECONDS = [datetime.datetime(2026, 11, 15, 12, 0, second) for second in range(42)]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(SECONDS, pa.timestamp("us")),
        pa.array(SECONDS, pa.timestamp("s")),
        pa.array(SECONDS, pa.timestamp("us", "Europe/Berlin")),
        pa.array(SECONDS, pa.timestamp("ns", "UTC")),
        pa.array(range(42), pa.timestamp("ns")),
        pa.array([second.time() for second in SECONDS]),
        pa.array([second.date() + datetime.timedelta(second.second) for second in SECONDS]),
        pa.array([second.second / 7 for second in SECONDS]),
        pa.array([second.second / 8 for second in SECONDS], pa.float32()),
        pa.array([[second.second] for second in SECONDS]),
        pa.array([bytes([second.second]) for second in SECONDS]),
        pa.array([{"x": second.second} for second in SECONDS]),
    ],
    ids=lambda column: str(column.type).replace(" ", ""),
)
def test_people_who_differ_in_any_type_are_dealt_out_alike_in_any_order(read, published, column):
    frame = pa.table({"note": column, "age": [37] * 42, "zip": ["x"] * 42, "disease": ["flu"] * 42})
    found = []
    for each in (frame, frame.take(np.arange(42)[::-1])):
        table = read(each, quasi_identifiers=["age", "zip"], insensitive=["note"])
        found.append(published(table, halved(table)))
    assert found[0].num_rows == 40
    assert found[0] == found[1]


# ---------------------------------------------------------------------------------- what is in it


def test_only_columns_with_a_public_role_are_written_in_the_order_of_the_source(read, published):
    frame = pa.table({c: ["x"] for c in ("who", "zip", "loose", "name", "disease", "age", "note")})
    table = read(
        frame,
        quasi_identifiers=["age", "zip"],
        sensitive="disease",
        insensitive=["note"],
        identifiers=["name"],
        person="who",
    )
    table.frequencies()
    for kind in ("csv", "parquet"):
        written = published(table, Cut.at_levels(table.domains, {"age": 0, "zip": 0}), kind)
        assert written.column_names == ["zip", "disease", "age", "note"]


NAMES = ["v0", "k0", "g", "turn", 'a"b', "it's", "a b", "é", "select", "l0", "first", " a", "s"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("way", ["cut", "join"])
def test_columns_of_any_name_come_out_under_their_name(read, published, kind, way):
    frame = pa.table({name: [f"in {name}", f"in {name}"] for name in NAMES})
    table = read(frame, quasi_identifiers=NAMES[:9], sensitive=NAMES[9], insensitive=NAMES[10:])
    table.frequencies()
    if way == "cut":
        how = Cut.at_levels(table.domains, dict.fromkeys(NAMES[:9], 0) | {NAMES[0]: 1})
    else:
        how = assignment(table, [(0, 0, 1), (0, 1, 1)], 2)
    written = published(table, how, kind)
    assert written.column_names == NAMES
    assert written["first"].to_pylist() == ["in first"] * 2
    expected = ["*", "*"] if way == "cut" else ["group 0", "group 1"]
    assert written["v0"].to_pylist() == expected


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_name_with_a_line_end_is_written_and_read_back(read, published, kind):
    table = read(pa.table({"a\nb": ["1", "2"]}), quasi_identifiers=["a\nb"])
    table.frequencies()
    written = published(table, Cut.at_levels(table.domains, {"a\nb": 0}), kind)
    assert written.to_pydict() == {"a\nb": ["1", "2"]}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_missing_and_empty_stay_apart(read, published, kind):
    rows = [(None, "", 1, None), ("", None, 1, ""), (None, None, 1, None)]
    table = read(frame_of(rows), quasi_identifiers=["zip"], insensitive=["note", "disease"])
    table.frequencies()
    written = published(table, Cut.at_levels(table.domains, {"zip": 0}), kind)
    assert Counter(rows_of(written)) == Counter((n, z, d) for n, z, _, d in rows)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_single_column_with_missing_values_loses_nobody(read, published, kind):
    table = read(pa.table({"a": ["x", None, "", None]}), quasi_identifiers=["a"])
    table.frequencies()
    written = published(table, Cut.at_levels(table.domains, {"a": 0}), kind)
    assert written["a"].to_pylist() == [None, None, "", "x"]


# ----------------------------------------------------------------------------------------- types


def csv_file(place, text):
    path = place / "in.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["37", "-5", ""], pa.int64()),
        (["9223372036854775807", "-9223372036854775808"], pa.int64()),
        (["9223372036854775808", "1"], pa.string()),
        (["18446744073709551617", "1"], pa.string()),
        (["01234", "5"], pa.string()),
        (["1", "-0"], pa.string()),
        (["1", "1.5"], pa.string()),
        (["1", "x"], pa.string()),
        (["1e3", "5"], pa.string()),
        (["0.5", "-1.25"], pa.float64()),
        (["0.5", "-1.250"], pa.string()),
        (["", ""], pa.string()),
        pytest.param(
            ["nan", "inf"],
            pa.string(),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else str(value),
)
def test_what_is_written_as_a_number_in_a_csv_file_is_one_in_parquet(
    read, published, tmp_path, values, kind
):
    text = "age,zip,note\n" + "".join(f"{value},x,{value}\n" for value in values)
    roles = {"quasi_identifiers": ["zip"], "sensitive": "age", "insensitive": ["note"]}
    table = read(csv_file(tmp_path, text), **roles)
    table.frequencies()
    written = published(table, Cut.at_levels(table.domains, {"zip": 0}))
    for name in ("age", "note"):
        assert written.schema.field(name).type == kind
        found = [None if value is None else str(value) for value in written[name].to_pylist()]
        assert Counter(found) == Counter(value or None for value in values)


def test_a_code_made_of_digits_stays_text(read, published, tmp_path):
    path = csv_file(tmp_path, "zip\n13053\n13068\n")
    table = read(path, quasi_identifiers={"zip": sf.Prefix()})
    table.frequencies()
    written = published(table, Cut.at_levels(table.domains, {"zip": 0}))
    assert written["zip"].to_pylist() == ["13053", "13068"]


def test_a_generalized_column_is_text_and_an_untouched_one_keeps_its_type(read, published):
    frame = pa.table(
        {
            "age": pa.array([37, None], pa.int16()),
            "day": [datetime.date(2026, 11, 15)] * 2,
            "price": pa.array([1.5, float("nan")]),
            "yes": [True, None],
            "at": pa.array([datetime.datetime(2026, 11, 15)] * 2, pa.timestamp("ms")),
        }
    )
    table = read(
        frame,
        quasi_identifiers={"age": sf.Intervals(10), "day": sf.Dates()},
        insensitive=["price", "yes", "at"],
    )
    table.frequencies()
    unit = "us" if read.keywords["engine"] == "spark" else "ms"  # Spark has no other
    same = published(table, Cut.at_levels(table.domains, {"age": 0, "day": 0}))
    assert same.schema.types == [
        pa.int16(),
        pa.date32(),
        pa.float64(),
        pa.bool_(),
        pa.timestamp(unit),
    ]
    assert same["price"].to_pylist() == [None, 1.5]  # what is not a number is missing
    wider = published(table, Cut.at_levels(table.domains, {"age": 1, "day": 2}))
    assert wider["age"].to_pylist() == [None, "[30, 40)"]
    assert wider["day"].to_pylist() == ["2026", "2026"]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["A", "a", "é", "e\u0301", " a", "a ", "a\0", "", None]),
        pa.array([0.1, math.nextafter(0.1, 1), 5e-324, -5e-324, math.inf, None]),
        pa.array([0.1, 1.5, -1.5, None], pa.float32()),
        pa.array([2**53, 2**53 + 1, None]),
        pa.array([Decimal("0.1"), Decimal("0.10000001")], pa.decimal128(38, 30)),
        pa.array([1, 2, None], pa.timestamp("us")),
        pa.array([1, 2, None], pa.timestamp("ns")),
        pa.array([1, 2, None], pa.time64("us")),
        pa.array([0.0, -0.0]),
        pa.array([1, 2], pa.time64("ns")),
    ],
    ids=lambda column: str(column.type).replace(" ", ""),
)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_who_is_counted_together_is_published_alike(read, published, column, kind):
    """Or else a group of two would be two groups of one to whoever reads the file."""
    table = read(pa.table({"a": column}), quasi_identifiers=["a"])
    counts = table.frequencies().counts.tolist()
    written = published(table, Cut.at_levels(table.domains, {"a": 0}), kind)["a"]
    seen = Counter(written.cast(pa.string()).to_pylist())
    assert sorted(seen.values()) == sorted(counts)


# --------------------------------------------------------------------------------- order and CSV


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_rows_are_sorted_by_what_is_published(read, published, kind):
    """So their order tells nothing that the rows do not tell."""
    rows = random.Random(7).sample(CROWD, len(CROWD))
    table = read(frame_of(rows), **ROLES)
    table.frequencies()
    written = published(table, Cut.at_levels(table.domains, {"age": 1, "zip": 2}), kind)
    assert rows_of(written) == in_order(rows_of(written), SCHEMA.names)
    split = published(table, halved(table), kind)
    assert rows_of(split) == in_order(rows_of(split), SCHEMA.names)


def test_an_untouched_integer_is_sorted_as_a_number(read, published, tmp_path):
    table = read(csv_file(tmp_path, "a\n10\n9\n-1\n\n"), quasi_identifiers=["a"])
    table.frequencies()
    written = published(table, Cut.at_levels(table.domains, {"a": 0}))
    assert written["a"].to_pylist() == [None, -1, 9, 10]


def cells(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


FORMULAS = ["=1+1", "+cmd", "-x", "@sum", "\t=1", "\r=1", "'", "''", "'=1", "'x"]
HIDDEN = [
    " =1",
    "\u00a0=1",
    "\u200b=1",
    "\ufeff=1",
    "\u202e =1",
    "x|=1",
    "x\t=1",
    "x; =1",
    "|'=1",
    "\t",
]
NUMBERS = ["-5", "+5", "-1.5e3", "5"]
ANY_TEXT = st.one_of(
    st.sampled_from(FORMULAS + HIDDEN + NUMBERS),
    st.text(alphabet="=+-@\t\r\n',;|\"1e \u0301\u00a0\ufeff", max_size=5),
    st.text(max_size=5),
)


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def runs(cell):
    """Whether a spreadsheet that parts cells anywhere, and passes over blanks, runs one."""
    if cell.startswith(("\t", "\r")):
        return True
    parts = re.split(r"[;|\t\n\r]", cell)
    blanks = " \u00a0\u200b\ufeff\u202e"
    return any(part.lstrip(blanks).startswith(tuple("=+-@")) for part in parts)


@pytest.mark.long
@examples(60)
@given(st.lists(ANY_TEXT, min_size=1, max_size=10))
@example(FORMULAS + NUMBERS)
@example(HIDDEN)
@example(["'\u0301x", "=\u0301"])
def test_no_cell_of_a_csv_file_is_a_formula_and_all_read_back_the_same(
    read, tmp_path_factory, texts
):
    target = tmp_path_factory.mktemp("csv") / "data.csv"
    table = read(pa.table({"q": texts, "s": texts}), quasi_identifiers=["q"], insensitive=["s"])
    table.frequencies()
    table.write(Cut.at_levels(table.domains, {"q": 0}), target, "csv", KEY)
    header, *rows = cells(target)
    assert header == ["q", "s"]
    assert rows == sorted(rows)
    for cell in itertools.chain.from_iterable(rows):
        assert not runs(cell) or is_number(cell)
    read_again = [(unquoted(q), s) for q, s in rows_of(read_back(target))]
    assert Counter(read_again) == Counter(zip(texts, texts, strict=True))


def unquoted(label):
    """The value that a label stands for, which is in quotes if it could be read otherwise."""
    in_quotes = len(label) > 1 and label[0] == label[-1] == '"'
    return label[1:-1].replace('""', '"') if in_quotes else label


def test_numbers_are_written_plainly(read, tmp_path):
    table = read(pa.table({"a": [-5, 5], "b": ["-5", "+5"]}), quasi_identifiers=["a", "b"])
    table.frequencies()
    target = tmp_path / "data.csv"
    table.write(Cut.at_levels(table.domains, {"a": 0, "b": 0}), target, "csv", KEY)
    assert target.read_text() == "a,b\n-5,-5\n5,+5\n"


def test_a_generalized_value_is_defused_like_any_other(read, tmp_path):
    table = read(pa.table({"a": ["-1305", "-1306"]}), quasi_identifiers={"a": sf.Prefix()})
    table.frequencies()
    target = tmp_path / "data.csv"
    table.write(Cut.at_levels(table.domains, {"a": 1}), target, "csv", KEY)
    assert target.read_text() == "a\n'-130*\n'-130*\n"
    assert read_back(target)["a"].to_pylist() == ["-130*"] * 2


def test_bytes_that_read_as_a_formula_are_defused(read, tmp_path):
    table = read(pa.table({"a": ["x"], "b": [b"=1+1"]}), quasi_identifiers=["a"], insensitive=["b"])
    table.frequencies()
    target = tmp_path / "data.csv"
    table.write(Cut.at_levels(table.domains, {"a": 0}), target, "csv", KEY)
    assert cells(target)[1][1] == "'=1+1"


def test_csv_and_parquet_hold_the_same_people(read, published):
    table = read(text_only(CROWD), **(ROLES | {"quasi_identifiers": ["age", "zip"]}))
    how = halved(table)
    assert rows_of(published(table, how, "csv")) == rows_of(published(table, how, "parquet"))


def test_a_table_can_be_written_again_and_in_another_way(read, published):
    table = read(frame_of(CROWD), **ROLES)
    first = published(table, halved(table))
    wider = published(table, Cut.at_levels(table.domains, {"age": 1, "zip": 1}))
    assert wider.num_rows == len(CROWD)
    assert published(table, halved(table)) == first
