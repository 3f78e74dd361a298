"""The record of benchmarks: what got worse is told, in either direction of a ratio."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "bench" / "record.py"


@pytest.fixture(scope="module")
def record():
    spec = importlib.util.spec_from_file_location("bench_record", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks for its module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def faster(record, ours, name="a search"):
    return record.Figure(name, ours, "another tool", 8.0, asked=4)


def longer(record, ours):
    return record.Figure("an audit", ours, "the release", 2.0, more=False, asked=2)


def test_a_ratio_says_how_many_times_faster_or_as_long(record):
    assert faster(record, 2.0).ratio == 4
    assert longer(record, 3.0).ratio == 1.5
    assert faster(record, 2.0).reached
    assert not faster(record, 2.1).reached
    assert longer(record, 4.0).reached
    assert not longer(record, 4.1).reached
    assert replace(longer(record, 9.0), asked=None).reached is None


@pytest.mark.parametrize("kind", [faster, longer])
def test_worse_by_more_than_half_is_told_and_half_is_not(record, kind):
    then = kind(record, 2.0)
    for ours, worse in ((1.0, False), (2.0, False), (3.0, False), (3.1, True), (40.0, True)):
        now = kind(record, ours)
        assert record.worsening(then, now) == pytest.approx(ours / 2)
        assert record.got_worse([then], [now]) == ([(then, now)] if worse else [])


def test_a_faster_machine_is_no_better_figure(record):
    then = faster(record, 2.0)
    now = replace(then, ours=0.5, other=2.0)
    assert record.worsening(then, now) == 1


def test_the_worst_comes_first_and_what_is_new_or_gone_is_not_compared(record):
    then = [faster(record, 1.0, name) for name in ("one", "two", "gone")]
    now = [faster(record, ours, name) for ours, name in ((2.0, "one"), (9.0, "two"), (99.0, "new"))]
    assert [pair[1].name for pair in record.got_worse(then, now)] == ["two", "one"]
    turned = [replace(faster(record, 50.0, "one"), more=False)]
    assert record.got_worse(then, turned) == []


def test_a_record_is_read_as_it_was_written(record, tmp_path):
    path = tmp_path / "record.json"
    assert record.load(path) == ({}, [])
    figures = [faster(record, 2.0), longer(record, 3.25), replace(longer(record, 1.0), at=5.0)]
    record.save(path, {"commit": "abc"}, figures)
    assert record.load(path) == ({"commit": "abc"}, figures)
    assert len(path.read_text().splitlines()) == len(figures) + 5


def test_what_is_measured_again_keeps_its_place(record):
    old = [faster(record, 1.0, name) for name in ("one", "two")]
    again = [faster(record, 5.0, name) for name in ("three", "one")]
    assert record.merged(old, again) == [again[1], old[1], again[0]]


def test_the_table_has_a_row_for_each_figure_and_none_for_points_of_plots(record):
    point = replace(faster(record, 1.0, "point"), curve="rows: a", at=10)
    text = record.as_table({"date": "today"}, [faster(record, 2.0), longer(record, 3.0), point])
    assert "Measured: date today." in text
    assert "| a search | 2 s | another tool, 8 | 4 times faster | 4 |" in text
    assert "| an audit | 3 s | the release, 2 | 1.5 times as long | 2 |" in text
    assert "point" not in text


def test_the_record_of_this_repository_can_be_read(record):
    head, figures = record.load(FILE.parent / "record.json")
    assert head["commit"]
    assert len({each.name for each in figures}) == len(figures) > 20
