"""Sensitive columns that tell quasi-identifiers, or follow from them: a year of birth and an age.

Who knows somebody's age finds the rows with the years that go with it, whatever is left of the age
in them. Two columns go together where far fewer pairs of their values occur than would if they had
nothing to do with each other. What is different for everybody goes with everything: that shows
nothing, so the number of pairs is held against what chance would make of it.
"""

from __future__ import annotations

import numpy as np

from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes
from sfumato.table import Table

LARGEST_SHARE = 1 / 4  # of the pairs that chance would make beyond those that there must be
# By chance so few pairs occur less than once in a thousand tables: of so many that are expected
# (Chernoff), or where so small a share of those that are missing would be (Markov).
FEWEST_EXPECTED = 25
LARGEST_MISSING = 1 / 1000
SOME_PEOPLE = 2**16  # among whom there are too many pairs already, in most tables
MOST_MARKED = 2**24  # possible pairs of which the occurring ones are marked, not sorted


def telling_columns(table: Table) -> dict[str, tuple[str, ...]]:
    """Give the sensitive columns that go together with quasi-identifiers, and with which.

    >>> import sfumato as sf
    >>> import pyarrow as pa
    >>> ages = [20 + j % 30 for j in range(300)]
    >>> people = pa.table({"age": ages, "born": [2026 - age for age in ages]})
    >>> telling_columns(sf.read(people, ["age"], "born"))
    {'born': ('age',)}
    """
    told = {}
    for name in table.schema.sensitive:
        if name == table.set_valued:
            continue  # people have any number of values
        columns = [q for q in table.schema.quasi_identifiers if _tells(table, q, name)]
        if columns:
            told[name] = tuple(columns)
    return told


def _tells(table: Table, quasi_identifier: str, sensitive: str) -> bool:
    first, second = (len(table.domains[name]) for name in (sensitive, quasi_identifier))
    if too_many_pairs(first, second, table.n_rows) <= SOME_PEOPLE < table.n_rows:
        some = table.pairs(quasi_identifier, sensitive, SOME_PEOPLE)
        n_pairs = _n_pairs(some.codes(sensitive), some.codes(quasi_identifier))
        if n_pairs >= too_many_pairs(first, second, table.n_rows):
            return False
    pairs = table.pairs(quasi_identifier, sensitive)
    return go_together(pairs.codes(sensitive), pairs.codes(quasi_identifier), pairs.counts)


def too_many_pairs(n_first: int, n_second: int, n_people: int) -> int:
    """Give a number of pairs that is too many for two columns to go together.

    Whatever the shares of values are, chance makes no more pairs than are possible, and than there
    are people.
    """
    most, least = min(n_first * n_second, n_people), max(n_first, n_second)
    return int(least + LARGEST_SHARE * max(0, most - least)) + 1


def go_together(first: Codes, second: Codes, counts: Counts) -> bool:
    """Whether one of two columns nearly determines the other, more than chance would make it."""
    n_first, n_second = _people_by_value(first, counts), _people_by_value(second, counts)
    pairs = _n_pairs(first, second)
    expected = expected_pairs(n_first, n_second)
    n_all = len(n_first) * len(n_second)
    if pairs == n_all:
        return False
    surprising = n_all - expected <= LARGEST_MISSING * (n_all - pairs)
    for least in (len(n_first), len(n_second)):  # so many there are in any case
        beyond = expected - least
        if pairs - least <= LARGEST_SHARE * beyond and (surprising or beyond >= FEWEST_EXPECTED):
            return True
    return False


def expected_pairs(first: Counts, second: Counts) -> float:
    """How many pairs of values occur if each of n people draws one of either, by their shares."""
    n = int(first.sum())
    sizes, n_sizes = np.unique(first, return_counts=True)
    others, n_others = np.unique(second, return_counts=True)
    with np.errstate(divide="ignore"):  # all people have the same value: nobody misses it
        log_missing = np.log1p(-others / n)
    occurs = -np.expm1(sizes[:, np.newaxis] * log_missing[np.newaxis])
    return float(n_sizes @ occurs @ n_others)


def _people_by_value(codes: Codes, counts: Counts) -> Counts:
    people = sum_by(codes.astype(np.intp), counts, int(codes.max()) + 1)
    return people[people > 0]


def _n_pairs(first: Codes, second: Codes) -> int:
    n_values = int(second.max()) + 1
    pair = first.astype(np.int64) * n_values + second
    n_possible = (int(first.max()) + 1) * n_values
    if n_possible > MOST_MARKED:
        return len(np.unique(pair))
    occurs = np.zeros(n_possible, dtype=bool)
    occurs[pair] = True
    return int(np.count_nonzero(occurs))
