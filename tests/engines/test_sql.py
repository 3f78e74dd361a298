"""Quoting that nothing breaks out of."""

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.engines import sql

TEXT = st.one_of(
    st.text(alphabet="'\"\\;-%\n a", max_size=8),
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
)


@pytest.fixture(scope="module")
def database():
    return duckdb.connect()


@given(TEXT)
@example("'); DROP TABLE x; --")
@example("\\'")
def test_a_quoted_text_is_that_text(database, value):
    assert database.execute(f"SELECT {sql.text(value)}").fetchall() == [(value,)]


@given(TEXT.filter(bool))
@example('a"; DROP TABLE x; --')
def test_a_quoted_name_is_that_name(database, name):
    assert database.sql(f"SELECT 1 AS {sql.name(name)}").columns == [name]
