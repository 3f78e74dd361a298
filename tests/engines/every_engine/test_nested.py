"""What stands inside lists and structs is cleaned and sorted alike by every engine."""

import math

import pyarrow as pa
import pytest

import sfumato as sf

N = 40
STRUCT = pa.struct({"a": pa.int64(), "b": pa.list_(pa.int64())})
NO_STRUCTS = pytest.mark.not_on(postgres="its driver makes no table of them")
LISTS = pa.array([[1, None], [None, 1], None, [], [2], [1], [1, 2], [None]] * 5)
STRUCTS = pa.array(
    [
        {"a": 1, "b": None},
        {"a": None, "b": [1]},
        None,
        {"a": 1, "b": [2, None]},
        {"a": 1, "b": [None]},
        {"a": None, "b": None},
        {"a": 1, "b": [2]},
        {"a": 0, "b": []},
    ]
    * 5,
    STRUCT,
)
NESTED = [
    pytest.param(LISTS, id="lists"),
    pytest.param(STRUCTS, id="structs", marks=NO_STRUCTS),
    pytest.param(
        pa.array([[each, None] for each in STRUCTS.to_pylist()], pa.list_(STRUCT)),
        id="lists of structs",
        marks=NO_STRUCTS,
    ),
]
METHODS = [
    pytest.param(sf.Mondrian(strict=False), id="split combinations"),
    pytest.param(sf.Samarati(), id="whole ones"),
]


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("column", NESTED)
def test_what_is_missing_inside_comes_last_in_the_order_of_rows(released, column, method):
    """People are dealt out in this order, too, so the same ones stand in a group."""
    rows = pa.table({"q": [j % 3 for j in range(N)], "x": column})
    roles = {"quasi_identifiers": ["q"], "insensitive": ["x"]}
    published = released(rows, sf.KAnonymity(7), method, "parquet", exact=False, **roles)
    assert published["data"].num_rows == N


def test_a_list_is_before_those_it_begins_and_before_those_with_a_missing_value(released):
    rows = pa.table({"q": [1] * 8, "x": LISTS[:8]})
    roles = {"quasi_identifiers": ["q"], "insensitive": ["x"]}
    published = released(rows, sf.KAnonymity(2), sf.Samarati(), "parquet", exact=False, **roles)
    in_order = [None, [], [1], [1, 2], [1, None], [2], [None], [None, 1]]
    assert published["data"]["x"].to_pylist() == in_order


REALS = [0.0, -0.0, math.nan, None, 1.5]
CLEANED = [0.0, 0.0, 1.5, None, None]


@pytest.mark.parametrize(
    ("around", "kind"),
    [
        pytest.param(lambda value: [value], pa.list_(pa.float64()), id="lists"),
        pytest.param(lambda value: [value], pa.list_(pa.float32()), id="lists of floats"),
        pytest.param(
            lambda value: [value, None],
            pa.list_(pa.float64(), 2),
            id="lists of one length",
            marks=NO_STRUCTS,
        ),
        pytest.param(
            lambda value: [[value], None],
            pa.list_(pa.list_(pa.float64())),
            id="lists of lists",
            marks=NO_STRUCTS,
        ),
        pytest.param(
            lambda value: {"a 'b'": value, "c": 1},
            pa.struct({"a 'b'": pa.float64(), "c": pa.int8()}),
            id="structs",
            marks=NO_STRUCTS,
        ),
        pytest.param(
            lambda value: [{"a": {"b": [value]}}],
            pa.list_(pa.struct({"a": pa.struct({"b": pa.list_(pa.float64())})})),
            id="structs in lists",
            marks=NO_STRUCTS,
        ),
    ],
)
def test_inside_too_there_is_one_zero_and_what_is_no_number_is_missing(released, around, kind):
    rows = pa.table({"q": [1] * 6, "x": pa.array([*map(around, REALS), None], kind)})
    roles = {"quasi_identifiers": ["q"], "insensitive": ["x"]}
    published = released(rows, sf.KAnonymity(2), sf.Samarati(), "parquet", exact=False, **roles)
    values = published["data"]["x"].to_pylist()
    assert values == [None, *map(around, CLEANED)]
    assert "-0.0" not in str(values)
