"""Typed frames: bounds hold what everybody has, labels stay labels, missing stays missing."""

import datetime
import math
import re
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from profiles import examples
from sfumato.data.hierarchy import LevelTable
from sfumato.data.labels.spans import spans
from sfumato.release.typed import IntervalColumn

DECADES = tuple((str(j), f"{j // 10 * 10}-{j // 10 * 10 + 9}", "any") for j in range(100))
# A steward's names look like ranges, and mean others.
MISLEADING = tuple((str(j), f"[{j // 50}, {j // 50 + 1})", "*") for j in range(100))
METHODS = (
    sf.Mondrian(),
    sf.Mondrian(bounds="cuts"),
    sf.Mondrian(bounds="tight"),
    sf.Samarati(),
    sf.Samarati(max_suppressed=3),
    sf.Optimal(),
    sf.TopDown(),
)
WHOLE = st.sampled_from([0, 1, 2, 50, 98, 99]) | st.integers(0, 99)
DAYS = st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31)) | st.dates(
    datetime.date(2020, 1, 1), datetime.date(2026, 12, 31)
)
TIMES = st.datetimes(datetime.datetime(1990, 1, 1), datetime.datetime(2030, 1, 1)) | st.builds(
    lambda seconds, micros: (
        datetime.datetime(2026, 2, 28, 23, 59, 58)
        + datetime.timedelta(seconds=seconds, microseconds=micros)
    ),
    st.integers(0, 3),
    st.integers(0, 999_999),
)


@st.composite
def bounded(draw):
    """Intervals of whole numbers with any of bottom, top and domain."""
    widths = draw(st.sampled_from([(), (5,), (5, 10, 20), (7, 21)]))
    bottom = draw(st.none() | st.integers(0, 40))
    top = draw(st.none() | st.integers(50, 99))
    domain = draw(st.none() | st.sampled_from([[0, 99], [-1.5, 120], (0, 99.5)]))
    return sf.Intervals(*widths, bottom=bottom, top=top, domain=domain)


# What columns are made of: rules and values.
NUMBERS = (
    (bounded(), WHOLE),
    (st.builds(sf.Intervals), st.decimals(-(10**6), 10**6, places=6).map(float)),
    (st.just(sf.Intervals(0.25, 1)), st.decimals(-3, 3, places=2).map(float)),
    (bounded(), WHOLE.map(str)),
    (st.just(sf.Flat()), WHOLE),
    (st.just(sf.Flat(ordered=True)), st.integers(-(2**60), 2**60)),
    (st.just(LevelTable(DECADES)), WHOLE.map(str)),
    (st.just(LevelTable(MISLEADING)), WHOLE.map(str)),
)
DATES = (
    (st.just(sf.Dates()), DAYS),
    (st.just(sf.Dates()), DAYS.map(str)),
    (st.just(sf.Dates()), TIMES),
    (st.just(sf.Dates("DD.MM.YYYY")), DAYS.map(lambda day: f"{day:%d.%m.}{day.year:04d}")),
    (st.just(sf.Dates("MM/YYYY")), DAYS.map(lambda day: f"{day:%m/}{day.year:04d}")),
)
TEXTS = (
    (st.just(sf.Prefix()), st.sampled_from(["01234", "01235", "13053", "02138"])),
    (st.just(sf.Flat()), st.sampled_from(["female", "male", "7", "[1, 2)", ">=5"])),
    (st.just(sf.Flat(ordered=True)), st.sampled_from(["A5", "A10", "7", "10", "9"])),
    (st.just(sf.Tree({"a": ["b", "c"], "d": ["e", "7"]})), st.sampled_from("bce7")),
    (st.just(sf.Categories()), st.sampled_from(["x", "y", "z", "1", "2"])),
)


COLUMNS = {"n": NUMBERS, "d": DATES, "t": TEXTS}


@st.composite
def releases(draw):
    """Rules and values of up to three columns, a method, and how it is saved."""
    names = draw(st.sampled_from(["n", "n", "d", "nt", "ndt"]))
    kinds = {name: draw(st.sampled_from(COLUMNS[name])) for name in names}
    rules = {name: draw(rule) for name, (rule, _) in kinds.items()}
    n = draw(st.integers(4, 24))
    columns = {}
    for name, (_, values) in kinds.items():
        cells = values | st.none() if draw(st.booleans()) else values
        columns[name] = draw(st.lists(cells, min_size=n, max_size=n))
    columns["id"] = list(range(n))
    method = draw(st.sampled_from(METHODS))
    return rules, columns, method, draw(st.sampled_from(["csv", "parquet"]))


def read_typed(rules, columns, method, form, place):
    """Both frames of the loaded release, and its texts; None: it cannot be made."""
    table = sf.read(
        pl.DataFrame(columns, strict=False),
        quasi_identifiers=rules,
        insensitive=["id"],
    )
    try:
        release = sf.anonymize(table, sf.KAnonymity(2), method, untouched_identify=True)
    except sf.Unsatisfiable:
        return None
    release.save(place, form)
    loaded = sf.load(place)
    pd.testing.assert_frame_equal(release.to_pandas(typed=True), loaded.to_pandas(typed=True))
    return loaded.to_pandas(typed=True), loaded.to_polars(typed=True), loaded.to_pandas()


def as_place(value):
    """Where an original value lies: the slow way."""
    if isinstance(value, str) and "/" in value:
        return datetime.datetime(int(value[3:]), int(value[:2]), 1)
    if isinstance(value, str) and value[2:3] == ".":
        day, month, year = map(int, value.split("."))
        return datetime.datetime(year, month, day)
    if isinstance(value, str) and "-" in value[1:]:
        return datetime.datetime.fromisoformat(value)
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return datetime.datetime(value.year, value.month, value.day)
    return value if isinstance(value, datetime.datetime) else float(value)


@given(releases())
@examples(75)
def test_typed_bounds_hold_what_the_person_of_the_row_has(made):
    rules, columns, method, form = made
    with tempfile.TemporaryDirectory() as place:
        frames = read_typed(rules, columns, method, form, Path(place) / "release")
    if frames is None:
        return
    typed, polars, texts = frames
    for name in rules.keys() & {"n", "d"}:
        kind = typed[name].dtype
        originals = [columns[name][j] for j in typed["id"]]
        cells = polars[name].to_list()
        for value, cell, struct in zip(originals, typed[name], cells, strict=True):
            if value is None:
                continue  # bounds are of those that are not missing
            if isinstance(kind, pd.CategoricalDtype):
                assert isinstance(rules[name], LevelTable | sf.Flat)
                continue
            place = as_place(value)
            if isinstance(kind, pd.IntervalDtype):
                assert place in cell
                low, high = struct["low"], struct["high"]
                if isinstance(low, datetime.date) or isinstance(high, datetime.date):
                    low, high = (None if e is None else as_place(e) for e in (low, high))
                assert low is None or low <= place
                assert high is None or place <= high
            else:
                assert as_place(cell) == place == as_place(struct)
    for name in rules:
        if isinstance(typed[name].dtype, pd.CategoricalDtype):
            assert typed[name].astype(object).where(typed[name].notna(), None).tolist() == [
                None if pd.isna(each) else each for each in texts[name]
            ]
        alone = [bool(pd.isna(each)) for each in texts[name]]
        assert typed[name].isna().tolist() == alone
        assert polars[name].is_null().to_list() == alone
    if "t" in rules:
        assert isinstance(typed["t"].dtype, pd.CategoricalDtype)
        assert polars["t"].dtype == pl.Categorical


AGES = [18, 19, 21, 22, 34, 36, 41, 44, 90, 95]
SEXES = ["f", "m"] * 5


def made(rule, ages=AGES, **more):
    """A release by age and sex."""
    table = sf.read(
        pl.DataFrame({"age": ages, "sex": SEXES, "s": SEXES}, strict=False),
        quasi_identifiers={"age": rule, "sex": sf.Flat()},
        sensitive="s",
    )
    return sf.anonymize(table, sf.KAnonymity(2), **more)


def cut(rule, ages=AGES, level=1):
    """A release in which everybody's age is at one level, and nothing is told of the sex."""
    release = made(rule, ages, method=sf.Recode(levels={"age": level, "sex": 1}))
    return release.to_pandas(typed=True), release.to_polars(typed=True)


def test_ranges_are_half_open_intervals_of_floats():
    pandas, polars = cut(sf.Intervals(10, 20))
    assert str(pandas["age"].dtype) == "interval[float64, left]"
    assert pandas["age"].array.mid.unique().tolist() == [15, 25, 35, 45, 95]
    assert polars.schema["age"] == pl.Struct({"low": pl.Float64, "high": pl.Float64})
    assert polars["age"].struct.field("high").unique().to_list() == [20, 30, 40, 50, 100]


def test_open_ends_are_infinite_in_pandas_and_null_in_polars():
    pandas, polars = cut(sf.Intervals(10, bottom=20, top=40))
    assert {(i.left, i.right) for i in pandas["age"]} == {
        (-math.inf, 20),
        (20, 30),
        (30, 40),
        (40, math.inf),
    }
    assert {tuple(each.values()) for each in polars["age"]} == {
        (None, 20),
        (20, 30),
        (30, 40),
        (40, None),
    }


def test_middles_of_open_dates_are_missing_by_the_documented_lines():
    page = (Path(__file__).parents[2] / "docs" / "typed.md").read_text()
    (recipe,) = re.findall(r"^middles_of_dates = .*?^\)", page, re.DOTALL | re.MULTILINE)
    (ends,) = re.findall(r"^first, last = .*$", page, re.MULTILINE)
    texts = ["<2026-02-01", "[2026-02-01, 2026-02-03)", ">=2026-02-03", None, "*"]
    column = IntervalColumn(spans(texts, "calendar"), np.arange(5), of_time=True)
    known = {"admitted": column.to_pandas(), "np": np, "datetime": datetime}
    exec(f"{ends}\n{recipe}", known)
    middles = known["middles_of_dates"]
    assert middles.isna().tolist() == [True, False, True, True, True]
    assert middles[1] == pd.Timestamp("2026-02-02")


def test_a_declared_domain_closes_open_ends_and_its_last_number_is_inside():
    pandas, polars = cut(sf.Intervals(10, bottom=20, top=40, domain=[0, 95]))
    assert str(pandas["age"].dtype) == "interval[float64, both]"
    assert {(i.left, i.right) for i in pandas["age"]} == {(0, 20), (20, 30), (30, 40), (40, 95)}
    assert all(any(age in each for each in pandas["age"]) for age in AGES)
    assert polars["age"].null_count() == 0
    whole, _ = cut(sf.Intervals(10, domain=[0, 95]), level=2)
    assert {(i.left, i.right) for i in whole["age"]} == {(0, 95)}


def test_missing_is_missing_and_says_nothing_about_bounds():
    ages = [*AGES[:-2], None, None]
    release = made(sf.Intervals(10), ages, method=sf.Recode(levels={"age": 1, "sex": 1}))
    pandas, polars = release.to_pandas(typed=True), release.to_polars(typed=True)
    assert pandas["age"].isna().sum() == polars["age"].null_count() == 2
    everything = made(sf.Intervals(10), ages, method=sf.Recode(levels={"age": 2, "sex": 1}))
    assert everything.to_pandas(typed=True)["age"].isna().sum() == 0
    assert everything.to_polars(typed=True)["age"].null_count() == 0


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_what_is_untouched_is_numbers_and_dates(form, tmp_path):
    days = [datetime.date(2026, 1, 1), datetime.date(2026, 2, 1)] * 5
    table = sf.read(
        pl.DataFrame({"n": ["7", "8"] * 5, "d": [str(day) for day in days], "sex": SEXES}),
        quasi_identifiers={"n": sf.Intervals(5), "d": sf.Dates(), "sex": sf.Flat()},
    )
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Recode(levels={"n": 0, "d": 0, "sex": 0}))
    loaded = sf.load(release.save(tmp_path / "release", form))
    pandas, polars = loaded.to_pandas(typed=True), loaded.to_polars(typed=True)
    assert sorted(pandas["n"]) == sorted(polars["n"]) == [7] * 5 + [8] * 5
    assert pandas["n"].dtype == "int64"
    assert polars["d"].to_list() == sorted(days)
    assert pandas["d"].dtype.kind == "M"
    assert pandas["sex"].dtype == "category"
    assert polars["sex"].dtype == pl.Categorical


def test_two_tables_are_typed_too(tmp_path):
    table = sf.read(
        pl.DataFrame({"age": AGES, "sex": SEXES, "s": ["a", "b", "c", "d", "e"] * 2}),
        quasi_identifiers={"age": sf.Intervals(5), "sex": sf.Flat()},
        sensitive="s",
    )
    release = sf.anonymize(table, sf.LDiversity(2), sf.Anatomy())
    loaded = sf.load(release.save(tmp_path / "release"))
    assert loaded.to_pandas(typed=True)["age"].dtype.kind == "i"
    assert loaded.to_pandas("sensitive", typed=True).equals(loaded.to_pandas("sensitive"))


def test_typed_is_true_or_false():
    release = made(sf.Intervals(10))
    with pytest.raises(sf.BadInput, match="to_pandas: typed must be true or false"):
        release.to_pandas(typed="yes")
    with pytest.raises(sf.BadInput, match="to_polars: typed must be true or false"):
        release.to_polars(typed=1)


def test_only_distinct_texts_are_read(monkeypatch):
    read = []
    monkeypatch.setattr(
        "sfumato.release.typed.spans",
        lambda texts, *rest: read.append(texts) or spans(texts, *rest),
    )
    cut(sf.Intervals(10))[0]
    assert [len(texts) for texts in read] == [5, 1, 5, 1]


@pytest.mark.parametrize(
    ("texts", "reading", "paths"),
    [
        (["130**", "13053"], "masks", ()),
        (["7", "8", "*"], "values", ()),  # the rest may be no numbers
        (["{7, 8}", "[1, 2)"], "values", ()),
        (['["10", "2")'], "ordered", ()),
        (["[0, 1)", "7"], "nodes", [("[0, 1)", "*"), ("7", "*")]),  # names of the steward's
        (["[0, 1)"], "nodes", ()),  # nobody shows the tree
        (["[0, 1)"], None, ()),
        (["yesterday"], "calendar", ()),
    ],
)
def test_what_may_be_no_number_is_none(texts, reading, paths):
    assert spans(texts, reading, paths) is None


def ends(*texts, reading="calendar"):
    """The ends of dates in ISO text."""
    return [
        tuple(None if e is None else e.isoformat(" ") for e in (span.low, span.high))
        for span in spans(texts, reading)
    ]


def test_parts_of_the_calendar_end_where_the_next_one_begins():
    assert ends("2024-02", "2026", "2020s", "2024-02-29") == [
        ("2024-02-01 00:00:00", "2024-03-01 00:00:00"),
        ("2026-01-01 00:00:00", "2027-01-01 00:00:00"),
        ("2020-01-01 00:00:00", "2030-01-01 00:00:00"),
        ("2024-02-29 00:00:00", "2024-03-01 00:00:00"),
    ]
    assert ends("9999-12", "9990s", "9999-12-31", "0000s") == [
        ("9999-12-01 00:00:00", None),
        ("9990-01-01 00:00:00", None),
        ("9999-12-31 00:00:00", None),
        (None, "0010-01-01 00:00:00"),
    ]


def test_times_finer_than_microseconds_and_of_other_zones_are_inside():
    assert ends("2026-02-07 10:00:00.1234567", "2026-02-07 10:00:00+02") == [
        ("2026-02-07 10:00:00.123456", "2026-02-07 10:00:00.123457"),
        ("2026-02-07 08:00:00", "2026-02-07 08:00:00"),
    ]


def test_numbers_that_no_float_tells_apart_have_an_interval_that_is_not_empty():
    found = spans([f"[{2**53}, {2**53 + 1})"], "numbers")
    column = IntervalColumn(found, np.array([0]), of_time=False)
    assert 2**53 in column.to_pandas()[0]
    assert column.to_arrow().to_pylist() == [{"low": 2**53, "high": 2**53 + 2}]
