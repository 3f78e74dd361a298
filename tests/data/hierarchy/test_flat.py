"""Flat: values as they are, numbers in the order of numbers."""

import datetime
from decimal import Decimal

import pytest

import sfumato as sf
from data.hierarchy.grown import grow, paths
from sfumato.data.decimals import canonical_numbers


def test_flat_orders_numbers_as_numbers_and_text_as_text():
    assert grow(sf.Flat(), ["10", "9", "-1.5", "100"]).labels == ("-1.5", "9", "10", "100")
    assert grow(sf.Flat(), ["10", "9", "x"]).labels == ("10", "9", "x")
    assert grow(sf.Flat(), [10, 9, 2.5]).labels == (2.5, 9, 10)


def test_flat_publishes_a_value_or_nothing():
    assert paths(grow(sf.Flat(), ["b", "a"])) == [("a", "*"), ("b", "*")]


def test_numbers_have_places_on_an_axis_and_text_has_none():
    assert grow(sf.Flat(), ["10", "9", None]).numbers.tolist()[:2] == [9, 10]
    assert grow(sf.Flat(), ["10", "9", "x"]).numbers is None


@pytest.mark.parametrize(
    "text", ["01234", "+5", "1e3", "1_000", " 5", "5 ", "0x1F", "5.", ".5", "", "-", "٣", "1,5"]
)
def test_text_that_a_number_would_not_be_written_as_stays_text(text):
    assert canonical_numbers(["7", text]) is None
    domain = grow(sf.Flat(), ["7", text])
    assert domain.numbers is None
    assert set(domain.labels) == {"7", text}


@pytest.mark.parametrize("text", ["0", "7", "-7", "0.5", "-0.50", "10", str(2**70), "9" * 300])
def test_text_written_as_a_number_is_a_number(text):
    assert canonical_numbers([text, None]) == {text: Decimal(text)}


def test_a_number_too_long_to_be_one_is_text():
    assert canonical_numbers(["9" * 501]) is None


@pytest.mark.parametrize("value", [True, datetime.date(2026, 11, 15), float("nan"), "x"])
def test_truth_dates_and_nan_are_no_numbers(value):
    assert canonical_numbers([value]) is None


def test_leading_noughts_survive():
    domain = grow(sf.Flat(), ["01234", "1234"])
    assert domain.labels == ("01234", "1234")
