"""A saved recoding: it fits its own table, and names no more of another one than a new release."""

import random
from dataclasses import replace
from itertools import count

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from naive.naming import sharing
from profiles import examples
from sfumato.data.labels.grammar import Mask, Range, names_in, parse

RULES = {"categories": sf.Flat(), "codes": sf.Prefix(), "ordered": sf.Flat(ordered=True)}
TEXTS = {
    "categories": ["a", "b", "c", "d", "other", "Other", "e, f"],
    "codes": ["1305", "1306", "139", "14", "148", "2", "20"],
    "ordered": ["A1", "A2", "A5", "A7", "A10", "B1", "B2"],
}
NUMBERS = count()
METHODS = [sf.Mondrian(), sf.Mondrian(bounds="cuts"), sf.TopDown("cut")]


def table(texts, kind, seed=0):
    ages = [20 + 7 * ((j * 31 + seed) % 6) for j in range(len(texts))]
    people = pa.table({"c": pa.array(texts, pa.string()), "age": ages})
    return sf.read(people, {"c": RULES[kind], "age": sf.Intervals(10, 20)})


@st.composite
def people(draw, kind):
    counts = draw(st.lists(st.integers(0, 8), min_size=7, max_size=7))
    texts = [text for text, n in zip(TEXTS[kind], counts, strict=True) for _ in range(n)]
    texts += [None] * draw(st.sampled_from([0, 0, 2]))
    random.Random(sum(counts)).shuffle(texts)
    return texts


@st.composite
def two_tables(draw):
    kind = draw(st.sampled_from(sorted(RULES)))
    return kind, draw(people(kind)), draw(people(kind))


def few_are_named(labels, texts, kind, fewest):
    """List the names and bounds that somebody has, and too few have."""
    parts = [parse(label) for label in labels if label is not None]
    named = {name.text for each in parts for name in names_in(each)}
    if kind == "categories" and "other" in named:
        named -= {"other"}
    few = {name for name in named if 0 < texts.count(name) < fewest}
    ranges = [each.part for each in parts if isinstance(each.part, Range)]
    bounds = {end for each in ranges for end in (each.low, each.high)} - {None}
    for bound in bounds | {each.part.beginning for each in parts if isinstance(each.part, Mask)}:
        n = sharing(texts, bound) if kind == "codes" else texts.count(bound)
        few |= {bound} if 0 < n < fewest else set()
    return few


@pytest.mark.long
@examples(120)
@given(two_tables(), st.integers(1, 6), st.integers(1, 6), st.sampled_from(METHODS))
def test_a_saved_recoding_fits_its_table_and_keeps_the_rule_of_another(
    made, tables, k, other_k, method
):
    kind, texts, others = tables
    if not texts:
        return
    try:
        release = sf.anonymize(table(texts, kind), sf.KAnonymity(k), method)
    except sf.Unsatisfiable:
        return
    recode = sf.Recode.load(release.save_recoding(made / f"{next(NUMBERS)}.json"))
    again = sf.anonymize(table(texts, kind), sf.KAnonymity(k), recode)
    assert again.to_arrow().equals(release.to_arrow())
    if not others:
        return
    try:
        later = sf.anonymize(
            table(others, kind, 1), sf.KAnonymity(other_k), replace(recode, max_suppressed=9)
        )
    except (sf.Unsatisfiable, sf.BadInput):
        return
    labels = later.to_arrow()["c"].to_pylist()
    assert not few_are_named(labels, [text for text in others if text], kind, max(other_k, 5))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tmp_path_factory.mktemp("recodings")


def test_a_recoding_of_a_rest_without_a_name_fits_its_own_table(tmp_path):
    """Sides that hold it are told as everything, and decided as they are."""
    texts = ["f"] * 40 + ["m"] * 40 + ["x"] * 3
    people = table(texts, "categories")
    release = sf.anonymize(people, sf.KAnonymity(5), sf.Mondrian())
    recode = sf.Recode.load(release.save_recoding(tmp_path / "r.json"))
    again = sf.anonymize(people, sf.KAnonymity(5), recode)
    assert "*" in {*release.to_arrow()["c"].to_pylist()} > {"*"}
    assert again.to_arrow().equals(release.to_arrow())


def test_a_name_of_then_that_few_have_now_is_other(tmp_path):
    then, now = ["A"] * 20 + ["B"] * 20 + ["C"] * 9 + ["D"] * 9, ["A"] * 20 + ["B"] + ["Zoe"] * 9
    people = [pa.table({"c": each}) for each in (then, now)]
    first, later = (sf.read(each, ["c"]) for each in people)
    release = sf.anonymize(first, sf.KAnonymity(10), sf.Mondrian())
    recode = sf.Recode.load(release.save_recoding(tmp_path / "r.json"))
    again = sf.anonymize(later, sf.KAnonymity(5), recode)
    assert {*release.to_arrow()["c"].to_pylist()} == {"A", "B", "other"}
    assert {*again.to_arrow()["c"].to_pylist()} == {"A", "other"}


@pytest.mark.parametrize(
    ("kind", "then", "now"),
    [
        ("codes", ["1305"] * 30 + ["2"] * 30, ["1305"] * 3 + ["2"] * 30),
        (
            "ordered",
            ["A1"] * 40 + ["A10"] * 30 + ["B1"] * 9,
            ["A1"] * 30 + ["A10"] * 3 + ["B1"] * 30,
        ),
    ],
)
def test_a_box_that_names_what_few_have_now_is_refused(kind, then, now, tmp_path):
    first, later = (sf.read(pa.table({"c": each}), {"c": RULES[kind]}) for each in (then, now))
    release = sf.anonymize(first, sf.KAnonymity(25), sf.Mondrian(bounds="cuts"))
    recode = sf.Recode.load(release.save_recoding(tmp_path / "r.json"))
    with pytest.raises(sf.BadInput, match="names what fewer than 5 people of this") as odd:
        sf.anonymize(later, sf.KAnonymity(1), recode)
    assert odd.value.values
    assert "\n" not in str(odd.value)
    assert not [value for value in odd.value.values if value in str(odd.value)]
