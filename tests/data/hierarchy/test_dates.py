"""Dates: days, months, years and decades."""

import datetime

import pytest
from hypothesis import given

import sfumato as sf
from data.hierarchy.grown import DATES, grow, path, paths, refusal
from sfumato.data.labels.reader import LabelReader


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
    said = (
        "column 'birth': 3 distinct values are not dates; write them as YYYY-MM-DD, or give their "
        "format, such as [read] dates = { birth = \"DD.MM.YYYY\" }, or Dates('DD.MM.YYYY')"
    )
    assert str(error) == said
    assert error.values == ("15.11.2026", "2026-02-30", "")


@pytest.mark.parametrize("value", ["20261115", "2026-W46-7"])
def test_dates_written_in_another_form_than_the_one_asked_for_are_refused(value):
    assert "write them as YYYY-MM-DD" in str(refusal(lambda: sf.Dates().grow("birth", [value])))


def test_dates_that_have_a_format_are_seen_as_iso_texts():
    rule = sf.Dates("DD.MM.YYYY")
    domain, codes = rule.grow("birth", ["16.11.2026", "29.02.2024", None, "2024-03-01"])
    assert domain.labels == ("2024-02-29", "2024-03-01", "2026-11-16", None)
    assert codes.tolist() == [2, 0, 3, 1]
    assert paths(domain)[0] == ("2024-02-29", "2024-02", "2024", "2020s", "*")


def test_two_ways_to_write_a_day_are_one_day():
    domain, codes = sf.Dates("D.M.YYYY").grow("birth", ["4.7.1994", "04.07.1994"])
    assert domain.labels == ("1994-07-04",)
    assert codes.tolist() == [0, 0]


def test_months_become_years_and_decades():
    domain, _ = sf.Dates("MM/YYYY").grow("birth", ["07/1994", "12/1989"])
    assert paths(domain) == [("1989-12", "1989", "1980s", "*"), ("1994-07", "1994", "1990s", "*")]


@pytest.mark.parametrize("formats", [("DD/MM/YYYY", "MM/DD/YYYY"), ("YYYY-DD-MM",)])
def test_formats_that_read_one_text_as_two_dates_are_refused(formats):
    assert "read one text as two dates" in str(refusal(lambda: sf.Dates(*formats)))


def test_years_of_two_digits_are_refused():
    assert "write YYYY" in str(refusal(lambda: sf.Dates("DD.MM.YY")))


def test_dates_that_do_not_have_the_format_are_refused_by_it():
    error = refusal(lambda: sf.Dates("DD.MM.YYYY").grow("birth", ["07/04/1994"]))
    assert "1 distinct values are not dates; write them as DD.MM.YYYY" in str(error)


def test_a_bound_among_months_may_be_a_day():
    domain, _ = sf.Dates("MM/YYYY").grow("birth", ["12/1993", "01/1994", "07/1994", "01/1995"])
    reader = LabelReader(domain)
    assert reader.intervals("[1994-01-01, 1995-01-01)") == [(1, 2)]
    assert reader.intervals("[1994-01, 1995-01)") == [(1, 2)]
    assert reader.intervals("<1994-07") == [(0, 1)]
