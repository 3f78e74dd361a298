"""People in a row, one by one: the input of the methods that group people, not combinations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.formation import ranks
from sfumato.algorithms.lots import Draw
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.data.recoding import Bucketing
from sfumato.errors import BadInput, nearest
from sfumato.parameters import column_order, optional_seed, true_or_false

Integers = NDArray[np.int64]


def need_sensitive(owner: str, frequencies: FrequencySet) -> None:
    """Refuse a table without sensitive values: there would be no second table to publish."""
    if not frequencies.sensitive:
        raise BadInput(
            f"{owner}: publishes sensitive values in a table of their own, and the table has no "
            "sensitive column; name one (sensitive=, -s)"
        )


def shuffled(block: NDArray[np.integer], draw: Draw) -> NDArray[np.intp]:
    """Give an order of people by ascending block; those of one block in a random order.

    Every order is as likely as every other, whatever is known of the people.
    """
    lots = np.frombuffer(draw(8 * len(block)), dtype="<u8")
    # The block above, chance below: one sort does both.
    n_bits = int(block.max(initial=0)).bit_length()
    packed = lots >> np.uint64(n_bits)
    if n_bits:
        packed |= block.astype(np.uint64) << np.uint64(64 - n_bits)
    order = np.argsort(packed)
    packed = packed[order]
    if (packed[1:] == packed[:-1]).any():  # too few bits were left to chance
        return np.lexsort((lots, block))
    return order


def one_by_one(counts: Counts) -> NDArray[np.intp]:
    """Write every key as often as it has people."""
    return np.repeat(np.arange(len(counts)), counts)


def sorted_people(frequencies: FrequencySet, order: Sequence[str], draw: Draw) -> NDArray[np.intp]:
    """Give the key of every person, sorted by quasi-identifiers; equal people by chance.

    order: quasi-identifiers by priority; those not named follow in the order of the table. Values
    are compared by their codes, which are in tree order.
    """
    rank = ranks(frequencies.combinations, order)
    people = one_by_one(frequencies.counts)
    return people[shuffled(rank[frequencies.combination_of[people]], draw)]


def settle(method: Algorithm, order: object, anatomize: object, seed: object) -> None:
    """Check and set what all methods take that group sorted people."""
    owner = type(method).__name__
    optional_seed(owner, seed)
    true_or_false(owner, "anatomize", anatomize)
    settled = {"order": column_order(owner, order), "anatomize": anatomize, "seed": seed}
    for name, value in settled.items():
        object.__setattr__(method, name, value)


def known_order(owner: str, order: tuple[str, ...] | None, frequencies: FrequencySet) -> list[str]:
    """Refuse an order by what is no quasi-identifier of the table."""
    for name in order or ():
        if name not in frequencies.quasi_identifiers:
            hint = nearest(name, frequencies.quasi_identifiers)
            raise BadInput(f"{owner}: order: no quasi-identifier {name!r}{hint}")
    return list(order or ())


def bucketing(
    frequencies: FrequencySet, people: NDArray[np.intp], group: NDArray[np.integer]
) -> Bucketing:
    """Count how many people of every key are in every group.

    people: (n,) the key of every person; group: (n,) from 0 without gaps, -1: suppressed.
    """
    n_groups = int(group.max(initial=-1)) + 2  # one more for the suppressed
    cell = people * n_groups + group + 1
    cell.sort()
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    key, part = np.divmod(cell[starts], n_groups)
    counted = np.diff(np.append(starts, len(cell)))
    return Bucketing(frequencies, np.stack([key, part - 1, counted], axis=1).astype(np.int64))


def partitioned(
    frequencies: FrequencySet,
    people: NDArray[np.intp],
    group: Integers,
    before: Integers,
    bucket: Integers,
) -> Bucketing:
    """Count people likewise where groups were partitioned further.

    before: (n,) the group of every person until then; bucket: where in it the person joined.
    """
    rows, index = distinct_rows(np.stack([people, group, before, bucket], axis=1))
    parts = np.column_stack([rows[:, :2], np.bincount(index)]).astype(np.int64)
    return Bucketing(frequencies, parts, rows[:, 2:].astype(np.int64))


def place_in_group(group: Integers) -> Integers:
    """Say how many people of its group stand before each person; groups stand together."""
    begins = np.append(True, group[1:] != group[:-1])
    starts = np.flatnonzero(begins)
    return np.asarray(np.arange(len(group)) - starts[np.cumsum(begins) - 1])
