"""Prefix: codes masked from the right."""

from hypothesis import given

import sfumato as sf
from data.hierarchy.grown import CODES, grow, path, paths


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
