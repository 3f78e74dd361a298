"""Parameters: read exactly or refused in one way, and nowhere else."""

import ast
import math
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sfumato
from sfumato import parameters
from sfumato.errors import BadInput
from sfumato.parameters import (
    column_order,
    fraction,
    is_count,
    number,
    optional_column,
    optional_seed,
    whole,
)

SOURCES = sorted(Path(sfumato.__file__).parent.rglob("*.py"))


def refused(read, *given, **ranges) -> str:
    with pytest.raises(BadInput) as caught:
        read(*given, **ranges)
    return str(caught.value)


@pytest.mark.long
def test_the_sentence_of_a_refusal_is_written_in_one_place():
    """No second check of whole numbers, of numbers, of words, of switches, of columns."""
    sentence = re.compile(
        r"must be (an integer|a number (?!of values)|one of|true or false|the name of a column)"
    )
    texts = {
        (path.name, node.value)
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    said = {name for name, text in texts if sentence.search(text) and ">>>" not in text}
    assert said <= {"parameters.py"}
    assert any(name == "parameters.py" and "must be" in text for name, text in texts)


# ----------------------------------------------------------------------------------------- whole


@pytest.mark.parametrize("value", [5, np.int64(5), np.uint8(5), 10**330])
def test_a_whole_number_is_read_whoever_counted(value):
    read = whole("KAnonymity", "k", value)
    assert (read, type(read)) == (value, int)


@pytest.mark.parametrize("value", [0, -3, True, 2.0, "2", None, math.nan, [2], np.array([2, 3])])
def test_what_is_no_whole_number_in_range_is_refused_with_owner_name_and_range(value):
    assert refused(whole, "KAnonymity", "k", value).startswith(
        "KAnonymity: k must be an integer >= 1, got "
    )
    assert is_count(value) == (isinstance(value, int) and value == 0)


def test_a_whole_number_has_the_limits_it_is_given():
    assert whole("X", "n", 0, least=0) == 0
    assert refused(whole, "X", "n", -1, least=0) == "X: n must be an integer >= 0, got -1"
    assert refused(whole, "X", "n", 8, most=7) == "X: n must be at most 7, got 8"
    assert refused(whole, "X", "n", 10**331) == "X: n must have at most 330 digits"
    too_many = parameters.MOST_KNOWN + 1
    assert refused(parameters.amount, "X", "k", too_many).startswith("X: k must be at most")


def test_what_is_counted_goes_up_to_what_a_column_of_integers_holds():
    assert [is_count(n) for n in (0, 2**63 - 1, 2**63, -1, 1.0)] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert parameters.counts("X", "n", (1, np.int64(2)), 2, "of both") == [1, 2]
    for wrong in ([1], [1, 2, 3], [1, -1], [1, 2.0], [1, True], "12", {1, 2}, 5, None):
        said = "X: n must be 2 numbers >= 0, of both, got "
        assert refused(parameters.counts, "X", "n", wrong, 2, "of both").startswith(said)


def test_values_by_column_are_a_mapping():
    assert parameters.values_by_column("X", "who", {"age": 3}) == {"age": 3}
    assert refused(parameters.values_by_column, "X", "who", [3]) == (
        "X: who must be values by column, got a list"
    )


# ---------------------------------------------------------------------------------------- number


@pytest.mark.parametrize("value", [0, -1, "x", None, math.nan, math.inf])
def test_a_threshold_above_nought_is_asked_for_with_owner_and_name(value):
    said = refused(number, "TCloseness", "t", value, above=0)
    assert said == f"TCloseness: t must be a number > 0, got {value!r}"


def test_a_threshold_is_read_exactly_and_nought_only_where_allowed():
    assert number("TCloseness", "t", 0.1 + 0.2, above=0) == Fraction(3, 10)
    assert number("TCloseness", "t", 0, least=0) == 0
    assert refused(number, "TCloseness", "t", -1, least=0).endswith("a number >= 0, got -1")


@pytest.mark.parametrize(
    ("value", "bounds", "said"),
    [
        (1.5, {"least": 0, "most": 1}, "from 0 to 1"),
        (0, {"above": 0, "most": 1}, "above 0 and at most 1"),
        (1, {"least": 0, "below": 1}, "from 0 to below 1"),
        (1, {"above": 0, "below": 1}, "above 0 and below 1"),
        (0.4, {"least": Fraction(1, 2), "most": 1}, "from 1/2 to 1"),
    ],
)
def test_every_refused_number_hears_the_whole_range(value, bounds, said):
    for wrong in (value, "much", "1/0"):
        assert refused(number, "X", "x", wrong, **bounds).startswith(
            f"X: x must be a number {said}"
        )


def test_a_refusal_ends_with_the_remedy_if_there_is_one():
    assert refused(number, "X", "x", 0, above=0, remedy="ask again").endswith("got 0; ask again")


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (1 / 3, Fraction(1, 3)),
        (0.1 + 0.2, Fraction(3, 10)),
        (2 / 3, Fraction(2, 3)),
        (1 / (0.1 + 0.2), Fraction(10, 3)),
        (0.65, Fraction(13, 20)),
        (5, Fraction(5)),
        (2**70, Fraction(2**70)),
        (Fraction(22, 7), Fraction(22, 7)),
        (Fraction(1, 10**12), Fraction(1, 10**12)),
        ("2/7", Fraction(2, 7)),
        ("0.1", Fraction(1, 10)),
        (Decimal("0.3"), Fraction(3, 10)),
        (np.float64(1) / 3, Fraction(1, 3)),
    ],
)
def test_a_threshold_is_read_as_the_fraction_that_was_meant(value, exact):
    assert fraction(value) == exact


@given(st.integers(0, 10**4), st.integers(1, 10**4))
def test_a_quotient_of_small_integers_survives_the_float(numerator, denominator):
    assert fraction(numerator / denominator) == Fraction(numerator, denominator)


@given(st.floats(0, 10**12))
@example(0.1 + 0.2)
@example(7e-10)  # not a thousand-millionth
@example(1 + 1e-10)  # and not one
def test_a_float_is_a_small_fraction_near_it_or_what_is_written(value):
    exact = fraction(value)
    near = abs(exact - Fraction(value)) <= Fraction(value) / 2**40
    assert exact == Fraction(repr(value)) or (near and exact.denominator <= 10**9)


@given(st.integers(0, 10**9), st.integers(0, 99))
def test_an_amount_of_money_survives_the_float(whole, cents):
    text = f"{whole}.{cents:02d}"
    assert fraction(float(text)) == Fraction(text)


@pytest.mark.parametrize("value", [True, None, [1], "x", "", float("nan"), Decimal("NaN")])
def test_what_is_no_number_is_no_threshold(value):
    with pytest.raises(ValueError, match=r".+"):
        fraction(value)


# ------------------------------------------------------------------------- columns, seeds, limits


def test_columns_may_be_left_out_or_named():
    assert optional_column("X", "attribute", None) is None
    assert optional_column("X", "attribute", "age") == "age"
    assert refused(optional_column, "X", "attribute", 3) == (
        "X: attribute must be the name of a column, got 3"
    )


def test_an_order_is_a_list_of_different_columns():
    assert column_order("X", None) is column_order("X", []) is None
    assert column_order("X", "age") == ("age",)
    assert column_order("X", ["age", "zip"]) == ("age", "zip")
    assert "must be a list of quasi-identifiers" in refused(column_order, "X", [1])
    assert "twice" in refused(column_order, "X", ["age", "age"])


@pytest.mark.parametrize("value", [-1, True, 1.0, "7", 2**256])
def test_a_seed_is_a_whole_number_of_at_most_256_bits(value):
    assert "X: seed must be" in refused(optional_seed, "X", value)
    assert optional_seed("X", None) is None
    assert optional_seed("X", 2**256 - 1) == 2**256 - 1
    assert "got None" in refused(parameters.seed, "X", None)


@pytest.mark.parametrize("value", [-1, True, 1.5, math.nan, "5%", None, 2**63])
def test_a_limit_of_suppression_is_rows_or_a_share(value):
    assert "max_suppressed must be a number of rows" in refused(
        parameters.suppression_limit, "X", value
    )
    for fine in (0, 3, np.int32(3), 0.0, 1.0):
        parameters.suppression_limit("X", fine)


@pytest.mark.parametrize("value", [5, None, "a\0b"])
def test_a_path_is_what_a_file_can_be_called(value):
    assert refused(parameters.file_path, "X", value).startswith("X: expected the path of a file")
    assert parameters.file_path("X", "a.csv") == Path("a.csv")
