"""Prefix: codes masked from the right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.hierarchies
import sfumato as sf
from data.hierarchy.grown import CODES, grow, path, paths, refusal
from sfumato.data.labels.grammar import mask_text, name_text
from sfumato.data.taxonomy import Taxonomy


def test_a_prefix_is_masked_from_the_right():
    assert path(sf.Prefix(), "13053") == ("13053", "1305*", "130**", "13***", "1****", "*")


def test_a_shorter_code_waits_for_its_turn():
    assert path(sf.Prefix(), "13", "13053") == ("13", "13", "13", "13", "1****", "*")


def test_a_prefix_keeps_leading_noughts():
    assert path(sf.Prefix(), "01234")[1] == "0123*"


def test_an_empty_code_is_a_value_and_not_the_missing_one():
    rows = paths(grow(sf.Prefix(), ["", "12", None]))
    assert rows == [("", "", "*"), ("12", "1*", "*"), (None, None, "*")]


@given(CODES.filter(any))
def test_a_masked_code_stands_for_the_codes_that_start_alike(values):
    domain = grow(sf.Prefix(), values)
    longest = max(map(len, values))
    for value, *masked, _ in paths(domain):
        for kept, text in zip(range(longest - 1, 0, -1), masked, strict=True):
            together = [row[0] for row in paths(domain) if row[longest - kept] == text]
            if len(value) > kept:
                alike = [v for v in values if len(v) > kept and v[:kept] == value[:kept]]
                assert sorted(together) == sorted(alike)
            else:
                assert together == [value]


def test_numbers_are_masked_as_text():
    assert path(sf.Prefix(), 130, 7) == (130, "13*", "1**", "*")


ODD_CODES = st.lists(
    st.text('01*",<\0é\U0001f600', max_size=5), min_size=1, max_size=9, unique=True
).filter(any)


LENGTHS = st.sets(st.integers(1, 7), max_size=3)


@given(ODD_CODES, st.booleans(), LENGTHS)
def test_masks_written_when_asked_for_are_those_written_all_at_once(values, missing, lengths):
    domain = grow(sf.Prefix(*lengths), [*values, None] if missing else values)
    rows = naive.hierarchies.masked_rows(values, mask_text, name_text, lengths)
    if missing:
        rows.append((*[None] * (len(rows[0]) - 1), "*"))
    assert paths(domain) == rows
    columns = [list(column) for column in zip(*rows, strict=True)]
    compiled = Taxonomy.from_levels(columns, "here")
    assert domain.taxonomy.low.tolist() == compiled.low.tolist()
    assert domain.taxonomy.high.tolist() == compiled.high.tolist()
    names = compiled.names(ground=False)
    assert dict(domain.names) == names
    assert len(domain.names) == len(names)
    for text in {*names, *values, *(label + "*" for label in names), "0*", '"*"', "missing"}:
        assert domain.names.get(text) == names.get(text)


def test_chosen_lengths_are_shown_and_no_others():
    assert path(sf.Prefix(2, 3), "13053", "2") == ("13053", "130**", "13***", "*")
    assert path(sf.Prefix(2, 3), "2", "13053") == ("2", "2", "2", "*")


@pytest.mark.parametrize("lengths", [(0,), (-1,), (2.5,), ("3",), (101,), (True,)])
def test_a_length_is_a_whole_number(lengths):
    assert "Prefix: a length must be" in str(refusal(lambda: sf.Prefix(*lengths)))


def test_a_length_is_given_once():
    assert "stands twice in 3, 3" in str(refusal(lambda: sf.Prefix(3, 3)))


def test_a_level_of_masks_is_a_sequence():
    level = grow(sf.Prefix(), ["13", "13053", "13068", None]).taxonomy.labels[2]
    assert list(level) == ["13", "130**", "130**", None]
    assert (level[-1], level[1:3], len(level)) == (None, ("130**", "130**"), 4)
    with pytest.raises(IndexError):
        level[4]
