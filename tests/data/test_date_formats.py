"""Date formats: what they read, and which of them cannot be told apart."""

from __future__ import annotations

import datetime
import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.date_formats import DateFormat, read_formats
from sfumato.errors import BadInput

FORMATS = (
    *("DD.MM.YYYY", "D.M.YYYY", "MM/DD/YYYY", "M/D/YYYY", "DD/MM/YYYY", "YYYY-MM-DD"),
    *("YYYYMMDD", "DDMMYYYY", "YYYY/MM/DD", "DD-MM-YYYY", "DD. MM. YYYY"),
)
DATES = st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31))


def written(date: datetime.date, text: str) -> str:
    """Write a date by hand."""
    for token, number in (("YYYY", f"{date.year:04d}"), ("MM", f"{date.month:02d}")):
        text = text.replace(token, number)
    text = text.replace("DD", f"{date.day:02d}")
    return text.replace("M", str(date.month)).replace("D", str(date.day))


@given(DATES, st.sampled_from(FORMATS))
def test_what_is_written_in_a_format_is_read_by_it(date: datetime.date, text: str) -> None:
    one = DateFormat(text)
    assert one.iso(written(date, text)) == date.isoformat()
    if re.search("DD", text):  # strptime does not care how many digits there are
        read = datetime.datetime.strptime(written(date, text), one.strptime)
        assert read.date() == date


@given(DATES, st.sampled_from(FORMATS), st.sampled_from(FORMATS))
def test_formats_are_refused_together_if_one_text_may_be_two_dates(
    date: datetime.date, one: str, other: str
) -> None:
    text = written(date, one)
    if DateFormat(other).iso(text) not in (None, date.isoformat()):
        with pytest.raises(BadInput, match="read one text as two dates"):
            read_formats("Dates", [one, other])


def test_formats_that_meet_nowhere_are_taken_together() -> None:
    for one, other in itertools.permutations(["DD.MM.YYYY", "YYYY-MM-DD", "M/D/YYYY"], 2):
        assert [each.text for each in read_formats("Dates", [one, other])] == [one, other]


def test_months_and_times() -> None:
    assert DateFormat("MM.YYYY").iso("07.1994") == "1994-07"
    assert DateFormat("YYYY/MM").iso("1994/13") is None
    assert DateFormat("DD.MM.YYYY hh:mm").iso("04.07.1994 10:30") == "1994-07-04 10:30:00"
    assert DateFormat("YYYY-MM-DDThh:mm:ss").iso("1994-07-04T10:30:59") == "1994-07-04 10:30:59"


@pytest.mark.parametrize(
    "text", ["4.7.1994", "04.07.94", " 04.07.1994", "04.07.1994\n", "٠4.07.1994"]
)
def test_another_way_to_write_a_date_is_not_read(text: str) -> None:
    assert DateFormat("DD.MM.YYYY").iso(text) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("DD.MM.YY", "two centuries; write YYYY"),
        ("DD.MM", "needs YYYY and MM"),
        ("YYYY", "needs YYYY and MM"),
        ("DMYYYY", "write MM and DD"),
        ("DD.DD.YYYY", "twice"),
        ("DD Month YYYY", "is none of YYYY, MM"),
        ("YYYYY-MM-DD", "'YYYYY' is none of"),
        ("MM.YYYY hh", "beside a day"),
        ("%d.%m.%Y", "is none of"),
        (7, "give a text"),
    ],
)
def test_a_format_that_says_too_little_is_refused(text: object, why: str) -> None:
    with pytest.raises(BadInput, match=re.escape(why)):
        DateFormat(text)  # type: ignore[arg-type]


def test_days_and_months_are_not_mixed() -> None:
    with pytest.raises(BadInput, match="only months"):
        read_formats("Dates", ["DD.MM.YYYY", "MM/YYYY"])
