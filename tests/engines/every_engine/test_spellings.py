"""Every engine finds the same spellings as a comparison pair by pair, and replaces them."""

import random
from collections import Counter
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import spellings as naive
from profiles import examples
from sfumato.data.values import published_text

LETTERS = [*"aAbB017.e+-' ", "\u200b", "\u0301", "é", "\u00a0", "ﬁ", "’", "\x00", "\t", "ß"]
LETTERS += [*"`/", "\u2800", "\ue000", "\uffff", "\u0338", "\u00b4", "\u2044"]
texts = st.text(st.sampled_from(LETTERS), max_size=6)
LONG = ["1" * 299, "1" * 301, "1" * 301 + ".0", "0." + "0" * 298 + "1", "9" * 499 + ".0"]


def source_of(read, table):
    return read(table, ["q"]).source


def column(rows):
    return pa.table({"q": [1] * len(rows), "s": rows})


@pytest.mark.not_on(spark="an example takes seconds", postgres="every example is a table")
@examples(150)
@given(
    rows=st.lists(st.one_of(st.none(), texts, st.sampled_from(LONG)), min_size=1, max_size=12),
    known=st.sets(st.one_of(st.none(), texts), max_size=3),
)
def test_spellings_are_those_found_pair_by_pair(read, rows, known):
    found = source_of(read, column(pa.array(rows, pa.string()))).spellings("s", known)
    expected = naive.spellings(Counter(rows), known)
    assert (found.n_rows, found.n_values, [*found.alike]) == expected


@pytest.mark.not_on(duckdb="generated examples are tried there")
def test_spellings_of_many_texts_are_those_found_pair_by_pair(engine, read):
    """All at once, since a table takes some engines a second."""
    draw, letters = random.Random(9), [*LETTERS]
    if engine.name == "postgres":  # which has no such letter
        letters.remove("\x00")
    rows = ["".join(draw.choices(letters, k=draw.randint(0, 4))) for _ in range(50)]
    rows += [None, *LONG, *(text.upper() for text in rows[:10])]
    known = {None, rows[0], rows[1].swapcase(), "no such text"}
    found = source_of(read, column(pa.array(rows, pa.string()))).spellings("s", known)
    expected = naive.spellings(Counter(rows), known)
    assert (found.n_rows, found.n_values, [*found.alike]) == expected


@pytest.mark.parametrize(
    ("values", "n_values"),
    [([1, 2, 1, None], 2), ([0.5, 1.0, -0.0, 0.0], 3), ([True, False, None, True], 2)],
)
def test_what_has_a_type_is_counted_and_never_alike(read, values, n_values):
    found = source_of(read, column(values)).spellings("s")
    assert (found.n_values, found.alike) == (n_values, ())
    assert found.n_rows == sum(value is not None for value in values)


def test_lists_and_dictionaries_are_compared_by_what_stands_in_them(read):
    lists = [["HIV", "hiv"], [None, "flu"], [], None]
    assert source_of(read, column(lists)).spellings("s").alike == (("HIV", "hiv"),)
    coded = pa.array(["HIV", "hiv", "HIV"]).dictionary_encode()
    assert source_of(read, column(coded)).spellings("s").alike == (("HIV", "hiv"),)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("csv", marks=pytest.mark.not_on(postgres="reads no files")),
        pytest.param("parquet", marks=pytest.mark.not_on(postgres="reads no files")),
        "table",
    ],
)
def test_texts_are_seen_as_others_whatever_they_come_from(read, kind, tmp_path):
    rows = ["HIV", "hiv ", "it's", None, "flu", "HIV"]
    table = column(rows)
    if kind == "csv":
        table = tmp_path / "t.csv"
        table.write_text("q,s\n" + "".join(f'1,"{v}"\n' if v else "1,\n" for v in rows))
    elif kind == "parquet":
        pa.parquet.write_table(table, tmp_path / "t.parquet")
        table = tmp_path / "t.parquet"
    source = source_of(read, table)
    other = source.respelled({"s": {"hiv ": "HIV", "it's": "is"}})
    again = other.respelled({"s": {"is": 'i"s'}})

    def values(of):
        return Counter(of.people(None, [], []).domains(["s"], [])["s"])

    assert values(source) == Counter(set(rows))
    assert values(other) == Counter({"HIV", "is", "flu", None})
    assert values(again) == Counter({"HIV", 'i"s', "flu", None})
    assert len(other.to_batches([]).read_all()) == len(rows)
    assert sorted(filter(None, again.to_batches([]).read_all()["s"].to_pylist())) == [
        "HIV",
        "HIV",
        "HIV",
        "flu",
        'i"s',
    ]


def test_a_missing_value_is_seen_as_a_text_and_a_text_as_missing(read):
    source = source_of(read, column(["", None, "flu", " "]))
    assert source.spellings("s").alike == ((None, "", " "),)
    assert source.spellings("s", [" "]).alike == ((" ", None, ""),)
    for new, expected in ((None, {None: 3, "flu": 1}), ("x", {"x": 3, "flu": 1})):
        other = source.respelled({"s": dict.fromkeys([None, "", " "], new)})
        assert Counter(other.to_batches([]).read_all()["s"].to_pylist()) == expected


def test_texts_in_lists_are_seen_as_others(read):
    lists = [["HIV", "hiv"], [None, "flu"], [], None, ["hiv"]]
    other = source_of(read, column(lists)).respelled({"s": {"hiv": "HIV"}})
    people = other.people(None, ["s"], ["s"])
    assert sorted(people.domains(["s"], [])["s"]) == [[], ["HIV"], ["HIV", "HIV"], ["flu"]]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([37, 104, None, 2**62], pa.int64()),
        ([0.1, 1e-07, 130.5, None], pa.float64()),
        ([0.1, 72.25, None], pa.float32()),
        ([Decimal("7.50"), Decimal("104.00"), None], pa.decimal128(9, 2)),
    ],
    ids=str,
)
def test_numbers_are_seen_as_texts_if_all_are_named(read, values, kind):
    rows = pa.table({"q": [1] * len(values), "s": pa.array(values, kind)})
    source = source_of(read, rows)
    listed = [value for value in source.people(None, [], []).domains(["s"], [])["s"] if value]
    other = source.respelled({"s": {value: f"<{published_text(value)}>" for value in listed}})
    texts = other.people(None, [], []).domains(["s"], [])["s"]
    named = {f"<{published_text(value)}>" for value in values if value is not None}
    assert {*texts} == {*named, None}
