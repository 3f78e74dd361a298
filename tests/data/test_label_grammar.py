"""The language of published labels: what is written for anything is read back as the same thing."""

import ast
import datetime
import itertools
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sfumato as sf
from profiles import examples
from properties.generated import trees
from sfumato.data.decimals import as_number
from sfumato.data.labels import grammar
from sfumato.data.labels.grammar import Label, Mask, Members, Name, Range, parse
from sfumato.data.labels.in_common import common_intervals
from sfumato.data.labels.reader import LabelReader
from sfumato.data.labels.writer import (
    interval_labels,
    level_labels,
    node_labels,
    node_text,
    refuse_misread,
    side_labels,
)
from sfumato.data.values import KnownValues, published_text, texts_in_common
from sfumato.errors import CannotRun

# What could be taken for a form of the language, a value written in another way, or a formula.
ODD = [
    *("*", "**", "a*", '"a"*', "missing", "not missing", "a or missing", "* or missing"),
    *("[1, 5)", "[a, b)", "<5", ">=m", "<=5", "<", ">=", "[", "{a}", "{a, b}", "{}", "{missing}"),
    *('"', '""', '"a"', '"a, b"', "a, b", "a,", ", ", ",", "", " ", "a}", "{a", "=1+1", "-1", "@x"),
    *("true", "True", "False", "1", "1.0", "01", "1e3", "1e-07", "2026-11-15", "2026", "2020s"),
    *("'a", "a\nb", "\0", "é", "None", "nan"),
]
TEXTS = st.one_of(
    st.sampled_from(ODD),
    st.text('ab*,"{}[]()<>= ', max_size=6),
    st.lists(st.sampled_from(ODD), min_size=2, max_size=3).map(", ".join),
    st.lists(st.sampled_from(ODD), min_size=2, max_size=2).map(" or ".join),
)
NUMBERS = st.one_of(
    st.integers(-50, 50),
    st.integers(-(10**20), 10**20),
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: number + 0.0),
    st.sampled_from([1e-07, 1e22, 0.1, 2.5, 1e300]),
    st.decimals(-100, 100, places=2),
)
KINDS = ("text", "prefix", "numbers", "intervals", "number texts", "dates", "date texts", "times")
KINDS += ("booleans", "tree", "list", "number tree", "tails", "lengths", "formats", "months")
READABLE = NUMBERS.filter(lambda number: as_number(number) is not None)
DAYS = st.sampled_from([sf.Dates(), sf.Flat()])
DATES = st.dates(datetime.date(1890, 1, 1), datetime.date(2035, 12, 31))


def canonical(values):
    """One value of those that look alike: 1, 1.0 and Decimal("1.00") are not in one column."""
    return list({published_text(value): value for value in values}.values())


def distinct(values, most=7):
    return st.lists(values, min_size=1, max_size=most).map(canonical)


def of_one_type(values):
    """A column has one type of numbers."""
    kinds = {type(value) for value in values}
    return len(kinds) == 1


@st.composite
def named_trees(draw):
    """A tree of leaves and nodes with odd names; a leaf may be named like any node."""
    leaves = draw(st.lists(TEXTS, min_size=2, max_size=7, unique=True))
    cuts = draw(st.lists(st.integers(1, len(leaves) - 1), max_size=2, unique=True))
    bounds = [0, *sorted(cuts), len(leaves)]
    parts = [leaves[a:b] for a, b in itertools.pairwise(bounds)]
    odd = st.one_of(TEXTS, st.sampled_from(leaves))
    names = draw(st.lists(odd, min_size=len(parts), max_size=len(parts), unique=True))
    root = draw(st.sampled_from(["*", "any", "not missing", "{a, b}"]))
    assume(root not in names)
    rows = [(leaf, name, root) for name, part in zip(names, parts, strict=True) for leaf in part]
    return sf.Hierarchy.from_spec({"level_table": rows}, "here"), leaves


@st.composite
def columns(draw):
    """A rule of any kind, open or closed, and its domain, sometimes with missing values."""
    kind = draw(st.sampled_from(KINDS))
    if kind == "text":
        rule, values = sf.Flat(), draw(distinct(TEXTS))
    elif kind == "prefix":
        codes = st.one_of(TEXTS, st.text("019*", min_size=1, max_size=4))
        rule, values = sf.Prefix(), draw(distinct(codes))
    elif kind in ("numbers", "intervals"):
        rule = sf.Flat() if kind == "numbers" else sf.Intervals(5, 10, 100)
        numbers = (
            NUMBERS if kind == "numbers" else NUMBERS.filter(lambda n: as_number(n) is not None)
        )
        values = draw(distinct(numbers).filter(of_one_type))
    elif kind == "number texts":
        rule = draw(st.sampled_from([sf.Flat(), sf.Intervals(5, 10)]))
        values = draw(distinct(READABLE.map(published_text)))
    elif kind == "dates":
        rule, values = draw(DAYS), draw(distinct(DATES))
    elif kind == "date texts":
        rule, values = (
            draw(st.sampled_from([sf.Dates(), sf.Flat()])),
            draw(distinct(DATES.map(str))),
        )
    elif kind == "times":
        times = st.datetimes(datetime.datetime(2020, 1, 1), datetime.datetime(2027, 1, 1))
        rule, values = sf.Dates(), draw(distinct(times.map(str)))
    elif kind == "booleans":
        rule, values = draw(st.sampled_from([sf.Flat(), sf.Prefix()])), [True, False]
    elif kind == "tails":
        bottom, top = draw(st.sampled_from([(18, 90), (None, 0), (-2.5, None), (0.1, 0.2)]))
        widths = draw(st.sampled_from([(), (5, 10), (0.25, 7, 140)]))
        rule = sf.Intervals(*widths, bottom=bottom, top=top)
        texts = READABLE.map(published_text)
        values = draw(distinct(st.one_of(texts, st.integers(-9, 99).map(str), st.just(">=90"))))
        assume(top == 90 or ">=90" not in values)
    elif kind == "lengths":
        lengths = draw(st.sets(st.integers(1, 6), min_size=1, max_size=3))
        codes = st.one_of(TEXTS, st.text("019*", min_size=1, max_size=4))
        rule, values = sf.Prefix(*lengths), draw(distinct(codes))
    elif kind == "formats":
        rule = sf.Dates("D.M.YYYY", "MM/DD/YYYY")
        days = DATES.map(lambda day: f"{day.day}.{day.month}.{day.year}")
        values = draw(distinct(st.one_of(days, DATES.map(lambda day: f"{day:%m/%d/%Y}"))))
    elif kind == "months":
        rule, values = sf.Dates("MM.YYYY"), draw(distinct(DATES.map(lambda day: f"{day:%m.%Y}")))
    elif kind == "tree":
        rule, values = draw(named_trees())
    elif kind == "list":
        values = draw(st.lists(TEXTS, min_size=1, max_size=7, unique=True))
        assume("*" not in values or len(values) == 1)
        rule = sf.Tree(values)
    else:
        numbers = sorted(draw(st.sets(st.integers(-9, 99), min_size=2, max_size=7)))
        values = [str(number) for number in numbers]
        nodes = draw(st.sampled_from(["low", "<5", "[1, 5)", "5 or missing"]))
        rule = sf.Tree({nodes: values[:1], "rest": values[1:]})
    values = [*values, *[None] * draw(st.booleans())]
    return rule, rule.grow("column", values)[0]


def domains():
    return columns().map(lambda column: column[1])


def open_columns():
    return columns().filter(lambda column: not column[1].closed)


def intervals(domain):
    pairs = list(itertools.combinations_with_replacement(range(len(domain)), 2))
    return np.array(pairs, dtype=np.int32)


def readable(domain, sides, labels):
    """Whether a release with these labels is not refused."""
    try:
        refuse_misread("q", domain, sides, labels)
    except sf.BadInput:
        return False
    return True


@examples(400)
@given(domains(), st.booleans())
def test_what_is_written_for_an_interval_is_read_back_as_it(domain, on_grid):
    """A label is ambiguous only where something else has its name, and then it is refused."""
    reader = LabelReader(domain)
    sides = intervals(domain)
    labels = interval_labels(domain, sides, on_grid=on_grid)
    wrong = [
        (side, label)
        for side, label in zip(sides.tolist(), labels, strict=True)
        if reader.intervals(label) != [tuple(side)]
    ]
    assert readable(domain, sides, labels) == (not wrong)
    values = {published_text(value): rank for rank, value in enumerate(domain.labels)}
    shared = any(domain.names.get(v, (rank, rank)) != (rank, rank) for v, rank in values.items())
    assert shared or all(label in values or label in domain.names for _, label in wrong)


@examples(300)
@given(domains())
def test_what_is_written_for_a_level_or_a_node_is_read_back_as_it(domain):
    reader, taxonomy = LabelReader(domain), domain.taxonomy
    for level in range(taxonomy.height + 1):
        sides = np.stack([taxonomy.low[level], taxonomy.high[level]], axis=1)
        labels = level_labels(domain, level)
        texts = domain.labels if labels is None else list(labels)
        for side, text in zip(sides.tolist(), texts, strict=True):
            assert reader.intervals(text) == [tuple(side)]
        names = node_labels(domain, sides)
        assert [reader.interval(name) for name in names] == [tuple(side) for side in sides.tolist()]


@examples(300)
@given(domains())
def test_values_are_published_as_they_are_only_if_they_are_read_as_themselves(domain):
    reader = LabelReader(domain)
    ranks = np.arange(len(domain), dtype=np.int32)
    if side_labels(domain, np.stack([ranks, ranks], axis=1)) is None:
        assert [reader.interval(published_text(v)) for v in domain.labels] == [
            (rank, rank) for rank in range(len(domain))
        ]


# ---------------------------------------------------------------------------------- the language

NAMES = st.one_of(TEXTS, st.text(max_size=6))


@examples(500)
@given(NAMES)
def test_a_name_is_read_as_itself(text):
    part, or_missing = parse(grammar.name_text(text))
    assert (part.text, or_missing) == (text, False)
    assert parse(grammar.name_text(text) + " or missing") == (part, True)


@examples(500)
@given(st.none() | NAMES, st.none() | NAMES, st.booleans())
def test_a_range_is_read_as_itself(low, high, missing):
    text = grammar.range_text(low, high) + " or missing" * missing
    assume(text != "not missing or missing")
    part, or_missing = parse(text)
    assert (part.low, part.high, or_missing) == (low, high, missing)


@examples(500)
@given(st.lists(st.none() | NAMES, min_size=1, max_size=4))
def test_a_set_is_read_as_itself(names):
    text = grammar.set_text([None if name is None else Name(name) for name in names])
    (members,), or_missing = parse(text)
    assert [None if each is None else each.text for each in members] == names
    assert not or_missing


@examples(500)
@given(NAMES.filter(bool), st.integers(1, 3))
def test_a_mask_is_read_as_itself(beginning, n):
    assert parse(grammar.mask_text(beginning, n)) == Label(Mask(beginning))


@examples(500)
@given(NAMES)
def test_every_text_can_be_read(text):
    part, _ = parse(text)
    assert isinstance(part, (Name, Mask, Range, Members))


def test_plain_texts_are_written_without_quotes():
    plain = ["flu", "Smith, John", "missing", "<=5", ">5", "a}", "2026-11-15", "", "-1", "5*5", "é"]
    assert [grammar.name_text(text) for text in plain] == plain


# ------------------------------------------------------------------- a value in several writings


@pytest.mark.parametrize(
    ("values", "ways"),
    [
        ([False, True], {"true": 1, "True": 1, True: 1, "false": 0, False: 0, "yes": None}),
        (["false", "true"], {True: 1, "True": 1, False: 0}),
        (["False", "True"], {True: 1, "true": 1}),
        ([1.0, 2.5], {"1": 0, "1.0": 0, 1: 0, "1e0": 0, "2.50": 1, Decimal("2.5"): 1, "3": None}),
        ([1e-07], {"1e-07": 0, "0.0000001": 0, 1e-07: 0}),
        (["1.0", "1000"], {1.0: 0, "1": 0, "1e3": 1, 1000: 1}),
        (["01", "1"], {"01": 0, "1": 1, 1: 1, "1.0": None, "001": None}),
        ([datetime.date(2026, 11, 15)], {"2026-11-15": 0, datetime.date(2026, 11, 15): 0}),
        (["None", None], {"None": 0, None: 1}),
        ([5], {10**5000: None}),
    ],
)
def test_a_value_is_found_in_whatever_way_it_is_written(values, ways):
    domain = sf.Flat().grow("q", values)[0]
    assert {way: domain.code_of(way) for way in ways} == ways
    reader = LabelReader(domain)
    ranks = {way: None if code is None else (code, code) for way, code in ways.items()}
    assert {way: reader.interval(way) for way in ways} == ranks


def test_texts_of_one_number_are_one_value_for_other_writings_alone():
    known = KnownValues(["1.0", "1.00", "2"], numeric=True)
    assert known.interval("1.00") == (1, 1)
    assert known.interval("1") == (0, 1)


def test_a_number_of_one_file_is_a_number_in_all():
    assert texts_in_common([[1.0, True], ["1.00", "true", "01"], ["1e0", None]]) == [
        ["1", "true"],
        ["1", "true", "1"],
        ["1", None],
    ]
    assert texts_in_common([["1.0"], ["1"]]) == [["1.0"], ["1"]]


def test_a_text_that_is_a_value_and_a_range_of_others_is_not_read():
    """Somebody else's release may name <18 without quotes; ours never does."""
    categories = sf.Flat().grow("age", ["<18", "18 to 65", ">65"])[0]
    assert LabelReader(categories).interval("<18") == (categories.code_of("<18"),) * 2
    unclear = sf.Flat(ordered=True).grow("name", ["<m", "a", "z"])[0]
    assert LabelReader(unclear).intervals("<m") is None
    assert LabelReader(unclear).interval('"<m"') == (unclear.code_of("<m"),) * 2


def test_an_order_of_text_is_told_from_one_of_numbers():
    """A column with 01 among its values is of codes, even if only its numbers are published."""
    codes = sf.Flat(ordered=True).grow("q", ["01", "1", "10", "2", "9"])[0]
    below = interval_labels(codes, np.array([[0, 2]], dtype=np.int32))[0]
    assert below == '<"9"'
    assert LabelReader(codes).interval(below) == (0, 2)
    numbers = sf.Flat().grow("q", ["1", "10", "2", "9"])[0]
    assert LabelReader(numbers).intervals(below) is None
    assert LabelReader(codes).intervals("<9") is None
    flat = [sf.Flat(ordered=True).texts]
    (ranks,) = common_intervals("q", [[below, "2", "10"]], flat)
    assert overlap(*ranks[:2])
    assert not overlap(ranks[0], ranks[2])
    (ranks,) = common_intervals("q", [["<2", "10", "2"]], flat)
    assert not overlap(*ranks[:2])
    with pytest.raises(CannotRun, match="does not say"):
        common_intervals("q", [["<5"], [below]], flat * 2)


def test_a_node_that_looks_like_a_number_is_not_read_as_one():
    """10 stands for 1 and 2 here, and no order of numbers says so."""
    paths = [("1", "10", "*"), ("3", "20", "*")]
    one, ten = common_intervals("q", [["1"], ["10"]], ["nodes"], paths)
    assert overlap(one[0], ten[0])
    with pytest.raises(CannotRun, match="does not say"):
        common_intervals("q", [["[1, 3)"], ["10"]], ["nodes"], paths)
    with pytest.raises(CannotRun, match="does not say"):
        common_intervals("q", [["1"], ["10"]], ["nodes"])


def test_texts_that_nobody_says_how_to_read_are_not_compared():
    with pytest.raises(CannotRun, match="its hierarchy does not say how its texts are read"):
        common_intervals("q", [["Paris"], ["P"]], ["values", None])


def overlap(one, other):
    return max(one[0], other[0]) <= min(one[1], other[1])


@examples(200)
@given(open_columns(), st.booleans())
def test_texts_read_without_the_table_overlap_where_their_values_do(column, on_grid):
    """Of one table: two texts have a value in common for everybody if they have one for us."""
    rule, domain = column
    sides = intervals(domain)
    labels = list(interval_labels(domain, sides, on_grid=on_grid))
    try:
        (ranks,) = common_intervals("q", [labels], [rule.texts])
    except CannotRun:
        assume(False)
    for (one, here), (other, there) in itertools.combinations(
        zip(sides.tolist(), ranks.tolist(), strict=True), 2
    ):
        assert overlap(one, other) == overlap(here, there)


@st.composite
def two_tables(draw):
    """A rule whose texts are no plain values, and the values of two tables."""
    kind = draw(st.sampled_from(["intervals", "tails", "lengths", "formats", "months"]))
    if kind in ("intervals", "tails"):
        bounds = {"bottom": -5, "top": draw(st.sampled_from([20, 25]))} if kind == "tails" else {}
        rule, values = sf.Intervals(5, 10, **bounds), st.integers(-20, 40).map(str)
    elif kind == "lengths":
        lengths = draw(st.sets(st.integers(1, 3), max_size=2))
        rule, values = sf.Prefix(*lengths), st.text("01", min_size=4, max_size=4)
    elif kind == "formats":
        rule, values = sf.Dates("DD.MM.YYYY"), DATES.map(lambda day: f"{day:%d.%m.%Y}")
    else:
        rule, values = sf.Dates("MM/YYYY"), DATES.map(lambda day: f"{day:%m/%Y}")
    return rule, draw(distinct(values)), draw(distinct(values))


@examples(200)
@given(two_tables())
def test_texts_of_two_tables_overlap_where_somebody_may_be_behind_both(drawn):
    """Read without any original: what both may stand for in a table of all these values."""
    rule, *tables = drawn
    every = LabelReader(rule.grow("q", [*dict.fromkeys([*tables[0], *tables[1]])])[0])
    labels = []
    for values in tables:
        domain, _ = rule.grow("q", values)
        levels = [level_labels(domain, level) for level in range(domain.taxonomy.height + 1)]
        texts = [text for level in levels if level is not None for text in level.texts]
        texts += interval_labels(domain, intervals(domain)).texts
        labels.append([text for text in dict.fromkeys(texts) if text is not None])
    try:
        ranks = common_intervals("q", labels, [rule.texts])
    except CannotRun:
        assume(False)
    for (one, here), (other, there) in itertools.product(
        zip(labels[0], ranks[0].tolist(), strict=True),
        zip(labels[1], ranks[1].tolist(), strict=True),
    ):
        known = every.intervals(one), every.intervals(other)
        assert None not in known
        if any(overlap(a, b) for a in known[0] for b in known[1]):
            assert overlap(here, there)


def ways_up(domain, low, high):
    """What a release shows of a closed tree: the names above the nodes of a side."""
    for start, level in domain.largest_nodes(low, high):
        names = [node_text(domain, start, up) for up in range(level, domain.taxonomy.height + 1)]
        if None not in names:
            yield tuple(dict.fromkeys(names))


@examples(200)
@given(trees("v"), st.data())
def test_nodes_and_sets_of_a_tree_are_read_by_their_published_ways_up(rows, data):
    """By whoever has two releases, and neither the tree nor a table."""
    domain, _ = sf.Hierarchy.from_spec({"level_table": rows}, "here").grow("q", [])
    assume(domain.numbers is None)
    every = [tuple(side) for side in intervals(domain).tolist()]
    sides = [data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=4)) for _ in "12"]
    texts = [list(interval_labels(domain, np.array(own, dtype=np.int32))) for own in sides]
    paths = {way for own in sides for low, high in own for way in ways_up(domain, low, high)}
    try:
        ranks = common_intervals("q", texts, ["nodes"], sorted(paths))
    except CannotRun:
        assume(False)
    for one, here in zip(sides[0], ranks[0].tolist(), strict=True):
        for other, there in zip(sides[1], ranks[1].tolist(), strict=True):
            assert overlap(one, other) == overlap(here, there)


# -------------------------------------------------------------------- nobody else reads the texts

SOURCE = Path(sf.__file__).parent
METHODS = {"startswith", "endswith", "removeprefix", "removesuffix", "split", "partition", "strip"}
METHODS |= {"lstrip", "rstrip", "rsplit", "rpartition"}
SIGNS = re.compile(r"[\[({<>*]|>=|, | or missing|not missing")
CONSTANTS = {"ROOT", "OR_MISSING", "NOT_MISSING", "BETWEEN", "MISSING_TEXT"}
ELSEWHERE = {
    "engines/duckdb/reading/one_row_each.py",  # types
    "hipaa/ages_and_years.py",  # ages as other tools write them
    "papers/cormode2010/queries.py",  # names of columns
}


def parsing_lines(source):
    """Lines that look for a sign of the language in a text, or have a pattern with one."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        parts = [part for argument in node.args[:1] for part in ast.walk(argument)]
        texts = [
            part.value
            for part in parts
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        signs = any(map(SIGNS.fullmatch, texts)) or any(
            isinstance(part, ast.Name) and part.id in CONSTANTS for part in parts
        )
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            signs = any(sign in text for text in texts for sign in (r"\[(", r"\{(", "missing"))
        elif node.func.attr not in METHODS:
            continue
        if signs:
            yield node.lineno


def test_the_walk_through_the_source_sees_a_second_reader():
    second_reader = r"""
between = re.fullmatch(r"\[(.*), (.*)\)", text)
text.endswith(" or missing")
text[1:-1].split(", ")
text.rstrip(ROOT)
text.startswith(("<", ">="))
text.startswith("a")
"""
    assert list(parsing_lines(second_reader)) == [2, 3, 4, 5, 6]


@pytest.mark.long
def test_published_texts_are_taken_apart_in_one_place():
    files = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if list(parsing_lines(path.read_text(encoding="utf-8")))
    }
    assert files == {"data/labels/grammar.py"} | ELSEWHERE
