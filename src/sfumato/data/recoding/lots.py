"""Dealing the people of split combinations out to their groups, some of them at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.keys import Keys, runs

BLOCK = 1 << 21  # people whose lots are drawn at once
PARTS_AT_ONCE = 1 << 20


class Parts(NamedTuple):
    """Some of the parts, by ascending key; what follows may begin with the last key again."""

    keys: Keys  # (n, n_words)
    group: NDArray[np.signedinteger]  # (n,)
    people: NDArray[np.int64]  # (n,)

    def some(self, first: int, end: int | None = None) -> Parts:
        """Give the parts in between."""
        return Parts(self.keys[first:end], self.group[first:end], self.people[first:end])


class Dealt:
    """Shuffles the places in the groups of each key; gives one group per person, in arrays.

    Every order of a key's places is as likely as every other, whoever will take them: so nobody
    without the secret can tell who went where, and people who are alike are not kept together.
    With the secret it is repeatable, however the parts come in pieces: keys that begin within the
    same stretch of `BLOCK` people are a block, a key that has more people than that is one of its
    own, and the lots of a block follow from the secret and from where the block begins.

    parts: gives all of them, from the beginning.

    >>> parts = np.array([[0], [0], [1]]), np.array([7, 8, 9]), np.array([2, 2, 1])
    >>> list(Dealt(lambda: iter([Parts(*parts)]), b"secret"))
    [array([7, 8, 7, 8, 9], dtype=int32)]
    """

    def __init__(self, parts: Callable[[], Iterator[Parts]], secret: bytes) -> None:
        self._parts, self._secret = parts, secret

    @classmethod
    def of(
        cls,
        combination: NDArray[np.integer],
        group: NDArray[np.signedinteger],
        people: NDArray[np.int64],
        secret: bytes,
    ) -> Dealt:
        """Deal out parts that are here, by ascending combination."""
        return cls(partial(_in_pieces, combination, group, people), secret)

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        for begin, block in _blocks(self._parts()):
            starts = runs(block.keys)
            if len(starts) == len(block.keys):  # nobody is split
                yield from _repeated(block)
            elif len(starts) == 1 and int(block.people.sum()) > BLOCK:
                yield from self._large(begin, block)
            else:
                yield self._shuffled(begin, block, starts)

    def _shuffled(self, begin: int, block: Parts, starts: NDArray[np.intp]) -> NDArray[np.int32]:
        """Shuffle the places of several keys."""
        lots = self._lots(begin, 0, int(block.people.sum()))
        of_part = np.zeros(len(block.keys), dtype=np.uint64)
        of_part[starts] = 1
        which = np.repeat(np.cumsum(of_part), block.people)
        # The key above, chance below: one sort keeps keys together and shuffles.
        n_bits = len(starts).bit_length()
        lots >>= np.uint64(n_bits)
        lots |= which << np.uint64(64 - n_bits)
        return np.repeat(block.group.astype(np.int32), block.people)[np.argsort(lots)]

    def _large(self, begin: int, block: Parts) -> Iterator[NDArray[np.int32]]:
        """Shuffle the places of one key that has more than fit: by heaps, which chance chooses.

        Which heap a place is on is drawn again for every heap, so that nothing is kept of it.
        """
        upto = np.cumsum(block.people)
        n_bits = (int(upto[-1]) // BLOCK).bit_length()
        for heap in range(1 << n_bits):
            on_heap = []
            for first in range(0, int(upto[-1]), BLOCK):
                n = min(BLOCK, int(upto[-1]) - first)
                drawn = np.frombuffer(self._drawn(begin, 1 + first, 4 * n), dtype="<u4")
                place = first + np.flatnonzero(drawn >> np.uint32(32 - n_bits) == heap)
                on_heap.append(block.group[np.searchsorted(upto, place, side="right")])
            groups = np.concatenate(on_heap).astype(np.int32)
            yield groups[np.argsort(self._lots(begin, -1 - heap, len(groups)))]

    def _lots(self, begin: int, use: int, n: int) -> NDArray[np.uint64]:
        return np.frombuffer(bytearray(self._drawn(begin, use, 8 * n)), dtype="<u8")

    def _drawn(self, begin: int, use: int, n_bytes: int) -> bytes:
        """Draw bytes for one use within the block that begins somewhere."""
        where = begin.to_bytes(8) + use.to_bytes(8, signed=True)
        return hashlib.shake_256(self._secret + where).digest(n_bytes)


def _in_pieces(
    combination: NDArray[np.integer],
    group: NDArray[np.signedinteger],
    people: NDArray[np.int64],
) -> Iterator[Parts]:
    for first in range(0, len(group), PARTS_AT_ONCE):
        some = slice(first, first + PARTS_AT_ONCE)
        keys = combination[some].astype(np.uint64)[:, np.newaxis]
        yield Parts(keys, group[some], people[some])


def _blocks(pieces: Iterator[Parts]) -> Iterator[tuple[int, Parts]]:
    """Give the blocks of all parts, and how many people are before each."""
    begin, waiting = 0, None
    for piece in pieces:
        known = piece
        if waiting is not None:
            known = Parts(*(np.concatenate(both) for both in zip(waiting, piece, strict=True)))
        if len(known.keys):
            *whole, (begin, waiting) = _cut_into_blocks(begin, known)
            yield from whole
    if waiting is not None:
        yield from _cut_into_blocks(begin, waiting)


def _cut_into_blocks(begin: int, parts: Parts) -> list[tuple[int, Parts]]:
    """Cut some parts, whose first begins a block; of the last block not all may be there."""
    starts = runs(parts.keys)
    people = np.add.reduceat(parts.people, starts)
    before = begin + np.cumsum(people) - people
    alone = people > BLOCK
    new = np.flatnonzero((np.diff(before // BLOCK) > 0) | alone[1:] | alone[:-1]) + 1
    firsts = [0, *new.tolist()]
    places = [*starts[firsts].tolist(), len(parts.keys)]
    return [
        (int(before[first]), parts.some(here, there))
        for first, here, there in zip(firsts, places[:-1], places[1:], strict=True)
    ]


def _repeated(block: Parts) -> Iterator[NDArray[np.int32]]:
    """Give the group of everybody, where each key has one; a large key in several arrays."""
    if len(block.keys) > 1 or int(block.people.sum()) <= BLOCK:
        yield np.repeat(block.group.astype(np.int32), block.people)
        return
    n = int(block.people[0])
    for first in range(0, n, BLOCK):
        yield np.full(min(BLOCK, n - first), block.group[0], dtype=np.int32)
