"""Who came when, by the tables that releases were made of; never published."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.keys import distinct_rows
from sfumato.formulas.correspondence.certified import Arrived
from sfumato.published.public_view import PublicView

Entries = tuple[np.ndarray, np.ndarray, np.ndarray]  # ranks (n, d), values (n,), people (n,)


def arrived(frequencies: FrequencySet, earlier: Sequence[PublicView]) -> Arrived | None:
    """Tell of all people of a table with which release they came, in the table's ranks.

    None: it is not known of some release what it was made of, or its people are not all there.
    """
    tables = [each.people for each in earlier]
    if not all(tables):
        return None
    read: dict[int, Entries] = {}
    times, signs, parts = [], [], []
    before: tuple[FrequencySet, ...] = ()
    for time, now in enumerate([*tables, (frequencies,)]):
        # Tables that both are made of cancel out.
        for table in (*now, *before):
            in_both = any(table is each for each in now) and any(table is each for each in before)
            if in_both:
                continue
            if id(table) not in read:
                entries = _in_ranks(table, frequencies)
                if entries is None:
                    return None
                read[id(table)] = entries
            parts.append(read[id(table)])
            times.append(time)
            signs.append(1 if any(table is each for each in now) else -1)
        before = now
    ranks, row = distinct_rows(np.concatenate([ranks for ranks, _, _ in parts]))
    sizes = [len(values) for _, values, _ in parts]
    value = np.concatenate([values for _, values, _ in parts])
    count = np.concatenate(
        [sign * people for sign, (_, _, people) in zip(signs, parts, strict=True)]
    )
    n_values = len(frequencies.persons_values.codes)
    key = (row * (len(earlier) + 1) + np.repeat(times, sizes)) * n_values + value
    different, place = np.unique(key, return_inverse=True)
    people = sum_by(place.reshape(-1), count, len(different))
    if (people < 0).any():
        return None
    different, people = different[people > 0], people[people > 0]
    row, value = np.divmod(different, n_values)
    row, time_of = np.divmod(row, len(earlier) + 1)
    return Arrived(ranks, row, time_of, value, people)


def _in_ranks(table: FrequencySet, frequencies: FrequencySet) -> Entries | None:
    """See a table in the codes of another one; None: it does not fit."""
    fits = set(table.quasi_identifiers) == set(frequencies.quasi_identifiers)
    if not fits or set(table.sensitive) != set(frequencies.sensitive):
        return None
    columns = {}
    for name in (*frequencies.quasi_identifiers, *frequencies.sensitive):
        domain, own_domain = frequencies.domains[name], table.domains[name]
        if own_domain is domain:  # also where labels stand for several values
            columns[name] = table.codes(name)
            continue
        codes = [domain.code_of(label) for label in own_domain.labels]
        used = np.unique(table.codes(name))
        if any(codes[code] is None for code in used.tolist()):
            return None
        there = np.array([-1 if code is None else code for code in codes], dtype=np.int32)
        columns[name] = there[table.codes(name)]
    ranks = np.stack([columns[name] for name in frequencies.quasi_identifiers], axis=1)
    if not frequencies.sensitive:
        return ranks, np.zeros(len(ranks), dtype=np.int64), table.counts
    known = frequencies.persons_values.codes
    own = np.stack([columns[name] for name in frequencies.sensitive], axis=1)
    different, value = distinct_rows(np.concatenate([known, own]))
    number = np.full(len(different), -1, dtype=np.int64)
    number[value[: len(known)]] = np.arange(len(known))
    values = number[value[len(known) :]]
    return None if (values < 0).any() else (ranks, values, table.counts)
