"""Hierarchies grown over a few values, and values to grow them over."""

import pytest
from hypothesis import strategies as st

from sfumato.errors import BadInput

INTEGERS = st.lists(st.integers(-200, 200), min_size=1, max_size=8, unique=True)
CODES = st.lists(st.text("0123", max_size=4), min_size=1, max_size=8, unique=True)
DATES = st.lists(st.dates(), min_size=1, max_size=8, unique=True)


def grow(rule, values):
    """The domain, checked to say of every given value where it is."""
    domain, codes = rule.grow("age", values)
    assert [str(domain.labels[code]) for code in codes] == [str(value) for value in values]
    return domain


def paths(domain):
    """What a domain holds as rows of labels, ground value first."""
    return list(zip(*domain.taxonomy.labels, strict=True))


def path(rule, value, *others):
    return next(row for row in paths(grow(rule, [value, *others])) if row[0] == value)


def refusal(make):
    with pytest.raises(BadInput) as caught:
        make()
    return caught.value
