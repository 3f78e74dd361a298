"""Sensitive columns that say by themselves who people are: an address, a telephone, a number.

A salary can be different for everybody as well, and nobody is known by it. So what is measured
does not count: numbers and dates, unless the numbers were given to people. Such are long and all of
one length, or they hardly repeat although chance would repeat them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

import numpy as np

from sfumato.data.decimals import canonical_numbers
from sfumato.data.domain import Domain
from sfumato.data.groups import GroupSizes
from sfumato.data.values import published_text

MOST_HOLDERS = 2  # of a value that says who has it
SMALLEST_SHARE = 9 / 10  # of people with such a value, those with the most frequent one aside
FEWEST_VALUES = 30  # of that kind: fewer may be anything, in so small a table
MOST_WORDS = 5  # such as "unknown" do not make texts of a column of numbers
FEWEST_DIGITS = 9
FEWEST_REPEATS = 20  # pairs of people with the same number, as chance would make them
SMALLEST_REPEATED = 1 / 10  # of these


def identifies(domain: Domain, sizes: GroupSizes) -> bool:
    """Whether the values of a column are mostly one or two people's, and nothing measured.

    sizes: how many people have the same value; a missing one is one as well.

    >>> from sfumato.data.hierarchy import Flat
    >>> domain, _ = Flat().grow("mail", [f"p{j}@example.org" for j in range(100)])
    >>> identifies(domain, GroupSizes(np.array([1]), np.array([100])))
    True
    """
    if not _of_few_people(sizes):
        return False
    words = [value for value in domain.values.labels if value is not None]
    numbers = _numbers(words)
    return not _dates(words) if numbers is None else _given(numbers, sizes)


def may_identify(n_values: int) -> bool:
    """Whether a column has values enough to be asked."""
    return n_values >= FEWEST_VALUES


def _of_few_people(sizes: GroupSizes) -> bool:
    few = sizes.sizes <= MOST_HOLDERS
    n_few, n_people = int(sizes.n_groups[few].sum()), sizes.people_below(MOST_HOLDERS + 1)
    others = sizes.n_people - (0 if few[-1] else int(sizes.sizes[-1]))
    return n_few >= FEWEST_VALUES and n_people >= SMALLEST_SHARE * others


def _numbers(labels: Sequence[object]) -> list[object] | None:
    """Give the numbers of a column that are mostly such; None: they are not."""
    numbers, n_words = [], 0
    for label in labels:
        if canonical_numbers([label]) is not None:
            numbers.append(label)
        else:
            n_words += 1
            if n_words > MOST_WORDS:
                return None
    return numbers


def _dates(labels: Sequence[object]) -> bool:
    n_words = 0
    for label in labels:
        n_words += not _is_date(label)
        if n_words > MOST_WORDS:
            return False
    return True


def _is_date(label: object) -> bool:
    if not isinstance(label, str):
        return isinstance(label, (date, time, timedelta))
    try:
        datetime.fromisoformat(label)
    except ValueError:
        return False
    return True


def _given(labels: Sequence[object], sizes: GroupSizes) -> bool:
    """Whether numbers were given to people, rather than measured of them."""
    texts = [str(published_text(label)) for label in labels]
    if not all(text.isdigit() for text in texts):
        return False
    lengths = {len(text) for text in texts}
    if len(lengths) == 1 and min(lengths) >= FEWEST_DIGITS:
        return True
    first, last = np.quantile([float(text) for text in texts], [1 / 10, 9 / 10])
    n_places = (last - first) / (8 / 10) + 1  # without what lies far out
    size, n_groups = sizes.sizes.astype(float), sizes.n_groups.astype(float)
    if size[-1] > MOST_HOLDERS:  # missing, or written where there is none
        n_groups[-1] -= 1
    n = float(size @ n_groups)
    repeats, by_chance = n_groups @ (size * (size - 1) / 2), n * (n - 1) / 2 / n_places
    return bool(by_chance >= FEWEST_REPEATS and repeats <= SMALLEST_REPEATED * by_chance)
