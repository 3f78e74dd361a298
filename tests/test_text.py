"""Numbers, shares and counts for people: written in one way, and in one place."""

import ast
import itertools
import json
import math
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sfumato
from sfumato.text import aligned_cells, counted, listed, percent, plain, share, value_text

SOURCES = sorted(Path(sfumato.__file__).parent.rglob("*.py"))
SHARES = st.fractions(0, 1, max_denominator=10**12)


def formats(tree: ast.AST):
    """Give the format specifications of all f-strings and of calls of `format`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            yield ast.unparse(node.format_spec)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\{\w*:([^{}]*)\}", node.value)


def texts(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {node.value for node in constants if isinstance(node.value, str)}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "/".join(path.parts[-2:]))
def test_nobody_else_writes_per_cents_or_people(path):
    if path == Path(sfumato.__file__).parent / "text.py":
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not [spec for spec in formats(tree) if spec.strip("'\"").endswith("%")]
    said = texts(path)
    assert not [text for text in said if re.search(r"\d %(?![\w(])", text)]
    assert "1 person" not in said
    assert "s" not in {
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Constant)
    }


NOUNS = r" (people|rows|groups|records|releases|attacks|values|columns)\b"
# What a number is written by, noun and all, or for another reader than a person.
WRITERS = {"counted", "people", "percent", "percent_lost", "share", "shown"}
FIGURES = "papers"  # compared with printed ones, which have digits of their own


def numbers_by_hand(tree: ast.AST) -> Iterator[str]:
    """Give what is written of numbers without `text`: digits, thousands, and plurals."""
    for spec in formats(tree):
        if re.search(r"^(f['\"])?(,|.*\.\d+[efg]['\"]?$)", spec):
            yield spec
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp) and is_about_one(node.test):
            yield from [ast.unparse(node)] * (is_text(node.body) and is_text(node.orelse))
        if isinstance(node, ast.JoinedStr):
            for number, noun in itertools.pairwise(node.values):
                if is_bare(number) and is_text(noun) and re.match(NOUNS, noun.value):
                    yield ast.unparse(node)


def is_text(node: ast.expr) -> bool:
    constant = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return constant or isinstance(node, ast.JoinedStr)


def is_about_one(test: ast.expr) -> bool:
    """Whether this is `n == 1` of something counted."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, (ast.Name, ast.Call))
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == 1
    )


def is_bare(number: ast.expr) -> bool:
    """Whether a value stands in a text without a writer."""
    if not isinstance(number, ast.FormattedValue):
        return False
    if isinstance(number.value, ast.Call):
        return not (isinstance(number.value.func, ast.Name) and number.value.func.id in WRITERS)
    return not isinstance(number.value, (ast.Constant, ast.JoinedStr, ast.IfExp))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "/".join(path.parts[-2:]))
def test_nobody_else_writes_digits_thousands_or_plurals(path):
    inside = path.relative_to(Path(sfumato.__file__).parent)
    if inside == Path("text.py") or inside.parts[0] == FIGURES:
        return
    assert [*numbers_by_hand(ast.parse(path.read_text(encoding="utf-8")))] == []


@pytest.mark.parametrize(
    "text",
    [
        "f'{n:,}'",
        "f'{n:,.1f} on average'",
        "f'{x:.4g}'",
        "'{:.4f}'.format(x)",
        "f'{n} rows in it'",
        "f'{self.n_rows} people'",
        "f'{view.n_in(few)} groups'",
        "'1 group' if n == 1 else f'{n} groups'",
        "'attack' if len(found) == 1 else 'attacks'",
    ],
)
def test_a_number_written_by_hand_is_seen(text):
    assert [*numbers_by_hand(ast.parse(text))]


@pytest.mark.parametrize(
    "text",
    [
        "f'{counted(n, \"row\")} were left'",
        "f'{people(n)} in {counted(m, \"group\")}'",
        "f'{n:03d}'",
        "f'{name!r} is missing'",
        "parts[0] if len(parts) == 1 else parts",
        "l if n == 1 else None",
    ],
)
def test_a_number_written_as_all_are_is_not_taken_for_one(text):
    assert not [*numbers_by_hand(ast.parse(text))]


def test_the_search_for_writers_of_per_cents_finds_both_ways_of_writing():
    specs = [*formats(ast.parse("f'{x:.1%}' + '{:.2%}'.format(x)"))]
    assert [spec.strip("f'") for spec in specs] == [".1%", ".2%"]


# --------------------------------------------------------------------------------------- per cents


@given(SHARES)
@example(Fraction(1))
@example(Fraction(0))
@example(1 - Fraction(1, 10**30))
@example(Fraction(9995, 10_000_000))
def test_certain_is_written_of_what_is_certain_alone(value):
    text = percent(value)
    assert (text == "100%") == (value == 1)
    assert (text == "0%") == (value == 0)
    assert Fraction(text.removesuffix("%")) not in ({0, 100} if 0 < value < 1 else ())


@given(SHARES)
def test_a_per_cent_is_right_to_a_tenth_and_to_a_twentieth_of_what_is_there_or_missing(value):
    written, exact = Fraction(percent(value).removesuffix("%")), 100 * value
    assert abs(written - exact) <= Fraction(1, 20)
    assert abs(written - exact) <= min(exact, 100 - exact) / 20


@given(SHARES, SHARES)
def test_a_larger_share_is_never_written_smaller(one, other):
    less, more = (Fraction(percent(each).removesuffix("%")) for each in sorted((one, other)))
    assert less <= more


@given(st.integers(0, 1000))
def test_what_has_no_decimals_is_exact(per_mille):
    text = percent(Fraction(per_mille, 1000))
    assert ("." in text) == (per_mille % 10 > 0)
    assert percent(per_mille / 1000) == text


def test_rare_shares_of_one_are_one_in_so_many():
    assert share(Fraction(1, 101)) == "1 in 101"
    assert share(Fraction(1, 100)) == "1%"
    assert share(0.001) == "0.10%"


# ------------------------------------------------------------------------ counts, values and lists


def test_one_is_singular_and_everything_else_plural():
    assert [counted(n, "person", "people") for n in (0, 1, 2)] == [
        "0 people",
        "1 person",
        "2 people",
    ]
    assert counted(Fraction(1), "value") == "1 value"
    assert counted(12345, "row") == "12,345 rows"


WHOLES = st.sampled_from([0, 1, 2, 3, 1000, 10**6])
TINY = st.builds(
    lambda n, digits: Fraction(n, 10**digits), st.integers(-99, 99), st.integers(1, 60)
)


@given(WHOLES, TINY)
@example(0, Fraction(1, 10**320))
def test_what_is_no_whole_number_is_not_written_as_one(whole, beyond):
    value = whole + beyond
    text = value_text(value)
    assert text.replace(",", "").removeprefix("-").isdigit() == (value.denominator == 1)
    numbers = [Fraction(part) for part in text.replace(",", "").split() if part not in "+-"]
    written = numbers[0] + sum(numbers[1:]) * (-1 if " - " in text else 1)
    assert (written > whole, written < whole) == (value > whole, value < whole)
    assert abs(written - value) <= min(abs(value) / 1000, Fraction(1, 20))


@pytest.mark.parametrize("write", [value_text, percent, share, lambda n: counted(n, "row")])
@pytest.mark.parametrize("value", [10**300, Fraction(1, 10**300), 1 - Fraction(1, 10**300)])
def test_no_number_fills_lines(write, value):
    assert len(write(value)) < 25


@given(st.floats(0.1, 1e12))
def test_a_float_is_written_to_four_digits(value):
    written = float(value_text(value).replace(",", ""))
    assert math.isclose(written, value, rel_tol=5.01e-4)


def test_what_roundings_did_to_a_whole_number_is_not_shown():
    assert value_text(math.log2(28) - math.log2(7)) == value_text(0.1 + 0.2 + 1.7) == "2"


def test_names_are_listed_as_a_person_would():
    assert [listed("a"), listed("ab"), listed("abc")] == ["a", "a and b", "a, b and c"]


def test_cells_stand_below_each_other():
    assert [*aligned_cells([("column", "n"), ("age", "10")])] == ["  column   n", "  age     10"]


@pytest.mark.parametrize("value", [math.inf, (math.inf, math.nan), {"x": [Fraction(1, 3)]}])
def test_json_holds_whatever_was_measured(value):
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == plain(value)
    assert plain(math.inf) == value_text(math.inf) == "infinite"
