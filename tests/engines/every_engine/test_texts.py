"""Texts are told apart and sorted letter by letter, whatever an engine collates."""

import random
from collections import Counter

import pyarrow as pa
import pytest

import sfumato as sf

TEXTS = {
    "accents": [
        "é",
        "e\u0301",
        "e",
        "E",
        "É",
        "è",
        None,
    ],  # one letter in two spellings: two values
    "cases": ["ß", "ss", "SS", "Straße", "STRASSE", "ı", "i", "I", "İ", "ﬁ", "fi"],
    "blanks": ["x", "x ", " x", "x\t", "x\n", "x\u00a0", "x\u200b", " ", "  ", "", None],
    "scripts": ["日本", "🙂", "א", "ا", "\U0010ffff", "\ue000", "\uffff", "👩‍👩‍👧", "a"],
    "quotes": ['say "no"', "it's", "a,b;c|d\te", "a\nb", "a\r\nb", "\\", "\\n", "%s", "{}", "$1"],
    "words that mean nothing": ["NULL", "null", "NaN", "nan", "None", "true", "inf", "-", "", None],
    "numbers": ["01", "1", "1.0", "1e0", "+1", "-0", "0", "18446744073709551617", "1_000"],
    "formulas": ["=1+1", "+cmd", "-x", "@sum", "'", "''", "'=1", "x|=1", "\u00a0=1"],
    "long": ["x" * 100_000, "x" * 99_999 + "y", "x" * 100_000 + " ", "é" * 50_000],
}
NUL = pytest.param(
    ["a", "a\0", "\0", "a\0b"],
    id="zeros",
    marks=pytest.mark.not_on(postgres="has no texts with a zero in them"),
)
CASES = [*(pytest.param(texts, id=name) for name, texts in TEXTS.items()), NUL]
ROLES = {"quasi_identifiers": ["q"], "sensitive": "s", "alike": "keep"}


@pytest.mark.parametrize("texts", CASES)
def test_texts_that_differ_are_two_values(read, counted, texts):
    rows = pa.table({"q": [*texts, *texts[:2]], "s": ["x"] * (len(texts) + 2)})
    table = read(rows, **ROLES)
    assert counted(table) == Counter((text, "x") for text in [*texts, *texts[:2]])
    assert table.domains["q"].labels == sf.read(rows, **ROLES).domains["q"].labels


@pytest.mark.long
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_texts_are_published_in_the_order_of_their_letters(released, kind):
    every = [*{text for texts in TEXTS.values() for text in texts}, None]
    random.Random(4).shuffle(every)
    rows = pa.table({"q": every, "s": [f"s{j % 2}" for j in range(len(every))], "i": every})
    published = released(rows, sf.KAnonymity(1), sf.Samarati(), kind, **ROLES, insensitive=["i"])
    texts = published["data"]["q"].to_pylist()
    assert len(texts) == len(rows)
    if kind == "parquet":
        present = [text.encode() for text in texts if text is not None]
        assert present == sorted(present)


@pytest.mark.parametrize("alike", ["merge", "keep"])
def test_spellings_are_one_value_if_that_is_asked_for(read, counted, alike):
    texts = ["HIV", "hiv ", "HIV", "\uff28\uff29\uff36", "1", "1.0", "flu", None, "  "] * 2
    rows = pa.table({"zip": texts, "age": [1, 2, 3] * 6})
    expected = counted(sf.read(rows, ["zip"], "age", alike=alike))
    assert counted(read(rows, ["zip"], "age", alike=alike)) == expected
    assert len({text for text, _ in expected}) == (4 if alike == "merge" else 8)
