"""Which sensitive values are changed, and into what: steps 3 and 4 of MASK (Wong 2009)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.lots import Draw, drawn_numbers, drawn_order
from sfumato.algorithms.mask.shares import SensitiveShares
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Entries:
    """The published people, those together who are in one group and alike in all that counts."""

    group: Positions  # (n,)
    people: Counts  # (n,)
    value: Codes  # (n,)
    sensitive: NDArray[np.bool_]  # (n,)


@dataclass(frozen=True, eq=False)
class Changes:
    """How many people of an entry get which value instead of their own."""

    entry: Positions  # (n,)
    value: NDArray[np.int64]  # (n,)
    people: Counts  # (n,)


def numbers_left(
    shares: SensitiveShares, violating: Positions, reference: Positions, draw: Draw
) -> Counts:
    """Draw how many people of each violating group keep a sensitive value.

    A group takes the share of one of the reference groups, each as likely as every other, and
    rounds it down to whole people. Numbers are multiplied as integers of any size.
    """
    chosen = reference[drawn_numbers(np.full(len(violating), len(reference)), draw)]
    product = shares.n_sensitive[chosen].astype(object) * shares.sizes[violating].astype(object)
    return np.asarray(product // shares.sizes[chosen].astype(object)).astype(np.int64)


def changed_people(
    entries: Entries, violating: Positions, n_changed: Counts, draw: Draw
) -> Positions:
    """Draw whose values change, out of all sensitive people of a group; give their entries."""
    wanted = np.zeros(int(entries.group.max(initial=-1)) + 1, dtype=np.int64)
    wanted[violating] = n_changed
    rows = np.flatnonzero(entries.sensitive & (wanted[entries.group] > 0))
    person = np.repeat(rows, entries.people[rows])
    person = person[drawn_order(person, draw)]
    person = person[np.argsort(entries.group[person], kind="stable")]
    group = entries.group[person]
    first = np.searchsorted(group, group)  # of the same group
    return person[np.arange(len(person)) - first < wanted[group]]


def drawn_values(
    entries: Entries, changed: Positions, draw: Draw, *, within_group: bool
) -> NDArray[np.int64]:
    """Draw the new values: each is that of a person without a sensitive one, drawn for it.

    within_group: Out of the person's own group, if somebody there has none; else out of everybody.
    """
    plain = np.flatnonzero(~entries.sensitive)
    if within_group:
        plain = plain[np.argsort(entries.group[plain], kind="stable")]
    upto = np.cumsum(entries.people[plain])
    first, limit = np.zeros(len(changed), dtype=np.int64), np.full(len(changed), upto[-1])
    if within_group:
        n_groups = int(entries.group.max()) + 1
        in_group = sum_by(entries.group[plain], entries.people[plain], n_groups)
        own = entries.group[changed]
        some = in_group[own] > 0
        first[some] = (np.cumsum(in_group) - in_group)[own[some]]
        limit[some] = in_group[own[some]]
    chosen = first + drawn_numbers(limit, draw)
    return entries.value[plain[np.searchsorted(upto, chosen, side="right")]].astype(np.int64)


def summed(changed: Positions, value: NDArray[np.int64], n_values: int) -> Changes:
    """Count the people of an entry who get the same value."""
    pairs, people = np.unique(changed * n_values + value, return_counts=True)
    return Changes(pairs // n_values, pairs % n_values, people.astype(np.int64))
