"""Sensitive columns that tell quasi-identifiers, or follow from them: a year of birth and an age.

Who knows somebody's age finds the rows with the years that go with it, whatever is left of the age
in them. Two columns go together where far fewer pairs of their values occur than would if they had
nothing to do with each other. What is different for everybody goes with everything: that shows
nothing, so the number of pairs is held against what chance would make of it.
"""

from __future__ import annotations

import numpy as np

from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes

LARGEST_SHARE = 1 / 4  # of the pairs that chance would make beyond those that there must be
# By chance so few pairs occur less than once in a thousand tables: of so many that are expected
# (Chernoff), or where so small a share of those that are missing would be (Markov).
FEWEST_EXPECTED = 25
LARGEST_MISSING = 1 / 1000


def telling_columns(frequencies: FrequencySet) -> dict[str, tuple[str, ...]]:
    """Give the sensitive columns that go together with quasi-identifiers, and with which.

    >>> from sfumato.data.hierarchy import Flat
    >>> domains = {name: Flat().grow(name, list(range(30)))[0] for name in ("age", "born")}
    >>> age = np.arange(300, dtype=np.int32) % 30
    >>> ones = np.ones(300, dtype=np.int64)
    >>> codes = {"age": age, "born": 29 - age}
    >>> telling_columns(FrequencySet.from_codes(domains, ["age"], ["born"], codes, ones))
    {'born': ('age',)}
    """
    codes = {name: frequencies.codes(name) for name in frequencies.quasi_identifiers}
    told = {}
    for name in frequencies.sensitive:
        if frequencies.domains[name].members is not None:
            continue  # people have any number of values
        values = frequencies.codes(name)
        columns = [q for q, own in codes.items() if go_together(values, own, frequencies.counts)]
        if columns:
            told[name] = tuple(columns)
    return told


def go_together(first: Codes, second: Codes, counts: Counts) -> bool:
    """Whether one of two columns nearly determines the other, more than chance would make it."""
    n_first, n_second = _people_by_value(first, counts), _people_by_value(second, counts)
    n_values = int(second.max()) + 1
    pairs = len(np.unique(first.astype(np.int64) * n_values + second))
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
