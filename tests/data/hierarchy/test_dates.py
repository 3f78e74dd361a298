"""Dates: days, months, years and decades."""

import datetime

import pytest
from hypothesis import given

import sfumato as sf
from data.hierarchy.grown import DATES, grow, path, refusal


@pytest.mark.parametrize(
    "value",
    ["2026-11-15", datetime.date(2026, 11, 15), datetime.datetime(2026, 11, 15, 23, 59)],
    ids=["text", "date", "datetime"],
)
def test_a_date_becomes_its_month_its_year_and_its_decade(value):
    assert path(sf.Dates(), value) == (value, "2026-11", "2026", "2020s", "*")


@pytest.mark.parametrize(
    ("value", "decade"), [("1999-12-31", "1990s"), ("2000-01-01", "2000s"), ("0987-06-05", "0980s")]
)
def test_a_decade_starts_with_its_round_year(value, decade):
    assert path(sf.Dates(), value)[3] == decade


@given(DATES)
def test_dates_are_ordered_by_the_calendar(dates):
    domain = grow(sf.Dates(), [date.isoformat() for date in dates])
    assert domain.labels == tuple(date.isoformat() for date in sorted(dates))
    assert domain.numbers.tolist() == [date.toordinal() for date in sorted(dates)]


def test_dates_that_do_not_parse_are_counted_and_kept_out_of_the_message():
    values = ["2026-11-15", "15.11.2026", "2026-02-30", None, ""]
    error = refusal(lambda: sf.Dates().grow("birth", values))
    said = "column 'birth': 3 distinct values are not dates; write them as YYYY-MM-DD"
    assert str(error) == said
    assert error.values == ("15.11.2026", "2026-02-30", "")


@pytest.mark.parametrize("value", ["20261115", "2026-W46-7"])
def test_dates_written_in_another_form_than_the_one_asked_for_are_refused(value):
    assert "write them as YYYY-MM-DD" in str(refusal(lambda: sf.Dates().grow("birth", [value])))
