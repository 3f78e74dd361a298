"""Texts that only look different have one normal form, and no others have."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import spellings as naive
from profiles import examples
from sfumato.data.spellings import Spellings, normal_form

ONE_VALUE = {
    "case, blanks, letters nobody sees": [
        "HIV",
        "hiv",
        " HIV\t",
        "H\u00adIV",
        "\ufeffhiv\u200b",
        "\u202eHIV\u202c",
        "\uff28\uff29\uff36",
        "H\u034fI\ufe0fV",
        "hiv\x00",
        "\u24bd\u24be\u24cb",
        "hiv\u2800",
        "h\ue000iv\U000f0000\U0010fffd",
        "\ufdd0hi\ufdefv\ufffe\U0001ffff\U0010fffe",
        "h\ufffciv\U0001d159",
        "h\u0336i\u0336v\u0338",
        "h\u20ddi\u20e5v\u20d2",
    ],
    "composed and decomposed": ["Sjögren", unicodedata.normalize("NFD", "Sjögren"), "SJÖGREN"],
    "blanks inside": ["type 2", "type  2", "type\u00a02", "type\u2003\n2 "],
    "dashes and quotes": [
        "Crohn's - x",
        "crohn\u2019s \u2013 x",
        "CROHN\u02bcS \u2212 X",
        "Crohn`s - x",
    ],
    "accents for apostrophes": [
        "Crohn's",
        "Crohn\u00b4s",
        "crohn`s",
        "Crohn \u0301s",
        "Crohn\uff40s",
    ],
    "slashes": ["1/2 x", "1\u20442 x", "\u00bd x", "1\u22152\u2800x", "1\uff0f2 x"],
    "nothing to be seen": ["", " ", "\u00a0\t", "\u200b", "\u2800", "\ue000", "\ufffc\uffff"],
    "ligatures and sharp s": ["STRASSE ﬁn", "straße fin"],
    "numbers": ["1", "1.0", "+1", " 1.000", "1e0", "1.", "0.1e1", "\uff11"],
    "below one": ["0.5", ".5", "5e-1", "0.50"],
    "nothing": ["0", "-0", "0.00", "-0e5"],
    "large": ["1000", "1e3", "1E+3", "1000.0"],
}
DIFFERENT = [
    "01",
    "1",
    "10",
    "1,0",
    "1 0",
    "hiv",
    "h i v",
    "hiv1",
    "",
    "-",
    ".",
    "e",
    "e5",
    "1e",
    "0x1",
]


@pytest.mark.parametrize("texts", ONE_VALUE.values(), ids=ONE_VALUE)
def test_spellings_of_one_value_have_one_form(texts):
    assert len({normal_form(text) for text in texts}) == 1
    assert all(naive.same(texts[0], text) for text in texts)


def test_different_values_have_different_forms():
    forms = [normal_form(text) for text in DIFFERENT]
    assert len(set(forms)) == len(DIFFERENT)


letters = st.sampled_from(
    [
        *"aAbİıßſK01.e+-'`=/ ",
        *"\u200b\u0301é\u00a0\ufb01’\u2800\u0338≠\u00b4\u2044\ue000\uffff\ufffc½",
    ]
)
texts = st.one_of(st.text(max_size=8), st.text(letters, max_size=6))


def test_a_letter_is_seen_where_the_definition_says_so():
    """Those below U+3000 and around noncharacters, and some of all others but surrogates."""
    low, high = range(0x3000), range(0xFB00, 0x10000)
    for code in (*low, *range(0x3000, 0xD800, 97), *high, *range(0x10000, 0x110000, 0xFF)):
        letter = chr(code)
        text = f"x{letter}y"
        assert (normal_form(text) == "xy") == (naive.folded(text) == "xy"), hex(code)
        assert bool(normal_form(letter)) == bool(naive.form_of(letter)), hex(code)


def test_a_missing_value_and_nothing_to_be_seen_are_alike():
    found = Spellings.of({None: 3, "": 9, "\u200b ": 1, "flu": 2, 7: 1})
    assert found == Spellings(3, 2, ((None, "", "\u200b "),))
    assert Spellings.of({None: 3}, [""]).alike == (("", None),)
    assert Spellings.of({None: 3, "x": 1, 1: 1}).alike == ()


@examples(500)
@given(texts)
def test_a_normal_form_is_its_own(text):
    form = normal_form(text)
    assert normal_form(form) == form
    assert naive.same(text, form)


@examples(500)
@given(texts, texts)
def test_two_texts_have_one_form_where_the_definition_says_so(one, other):
    assert (normal_form(one) == normal_form(other)) == naive.same(one, other)


values = st.one_of(st.none(), st.integers(0, 2), texts)


@examples(200)
@given(st.dictionaries(values, st.integers(1, 5)), st.sets(st.one_of(st.none(), texts), max_size=3))
def test_groups_of_spellings_are_those_found_pair_by_pair(counts, known):
    found = Spellings.of(counts, known)
    assert (found.n_rows, found.n_values, [*found.alike]) == naive.spellings(counts, known)
    assert found.n_repeated == found.n_rows - found.n_values
