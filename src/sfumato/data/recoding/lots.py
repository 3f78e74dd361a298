"""Dealing the people of a split combination out to its groups."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray


def deal(
    combination: NDArray[np.int64],
    group: NDArray[np.int64],
    people: NDArray[np.int64],
    secret: bytes,
) -> NDArray[np.int32]:
    """Shuffle the places in the groups of each combination; give one group per person.

    The three describe the parts, by ascending combination. Every order of a combination's places
    is as likely as every other, whoever will take them: so nobody without the secret can tell who
    went where, and people who are alike are not kept together. With the secret it is repeatable.

    >>> deal(np.array([0, 0, 1]), np.array([7, 8, 9]), np.array([2, 2, 1]), b"secret")
    array([8, 8, 7, 7, 9], dtype=int32)
    """
    n = int(people.sum())
    lots = np.frombuffer(bytearray(hashlib.shake_256(secret).digest(8 * n)), dtype="<u8")
    which = np.repeat(np.cumsum(np.diff(combination, prepend=-1) > 0).astype(np.uint64), people)
    # The combination above, chance below: one sort keeps combinations together and shuffles.
    n_bits = int(which.max(initial=0)).bit_length()
    lots >>= np.uint64(n_bits)
    lots |= which << np.uint64(64 - n_bits)
    del which
    return np.repeat(group.astype(np.int32), people)[np.argsort(lots)]
