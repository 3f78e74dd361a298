"""Orders and numbers drawn by lot, so that who knows the method can go through all of them."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from math import factorial, prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import CannotRun
from sfumato.text import counted

Draw = Callable[[int], bytes]  # so many random bytes, from the operating system when publishing
Positions = NDArray[np.intp]
Outcome = TypeVar("Outcome")
Choice = tuple[int, ...] | int  # an order of kinds, or a number

LAST_CHANCE = np.uint64(2**64 - 1)
SECRET_BYTES = 32
CUT = struct.Struct("<QQ")  # a path and a column


def drawn_order(kind: NDArray[np.integer], draw: Draw) -> Positions:
    """Put people into an order drawn by lot; kind: (n,), equal where they are alike.

    >>> sorted(drawn_order(np.array([0, 0, 1]), np.random.default_rng(1).bytes).tolist())
    [0, 1, 2]
    """
    if isinstance(draw, Scripted):
        return draw.order(kind)
    chances = np.frombuffer(draw(8 * len(kind)), dtype=np.uint64)
    return np.argsort(chances, kind="stable")  # of n chances two are equal once in 2^65 / n^2 times


def drawn_numbers(limits: NDArray[np.integer], draw: Draw) -> NDArray[np.int64]:
    """Draw whole numbers from 0, each below a limit of its own, all of them equally likely.

    Chances that would make some numbers likelier than others are drawn again.

    >>> numbers = drawn_numbers(np.array([1, 3, 3]), np.random.default_rng(1).bytes)
    >>> bool((numbers < [1, 3, 3]).all())
    True
    """
    if isinstance(draw, Scripted):
        return np.array([draw.number(limit) for limit in limits.tolist()], dtype=np.int64)
    modulus = limits.astype(np.uint64)
    # 2^64 chances less those that are left over when they are dealt out evenly.
    last = LAST_CHANCE - (LAST_CHANCE % modulus + np.uint64(1)) % modulus
    numbers = np.zeros(len(limits), dtype=np.int64)
    waiting = np.arange(len(limits))
    while len(waiting):
        chances = np.frombuffer(draw(8 * len(waiting)), dtype=np.uint64)
        even = chances <= last[waiting]
        numbers[waiting[even]] = (chances % modulus[waiting])[even].astype(np.int64)
        waiting = waiting[~even]
    return numbers


class _OneMore(Exception):  # noqa: N818  (no error: something else has to be chosen)
    """The script is at its end, and an order or a number is asked for."""

    def __init__(self, n: int, choices: Iterable[Choice]) -> None:
        super().__init__()
        self.n = n  # that are equally likely
        self.choices = choices


class Scripted:
    """Chances that are orders and numbers alone, each of them chosen beforehand."""

    def __init__(self, script: Sequence[Choice]) -> None:
        self.script = iter(script)

    def __call__(self, n: int) -> bytes:
        """Refuse: what these bytes are used for is not known, so not all cases can be tried."""
        raise CannotRun(
            f"the method draws {counted(n, 'random byte')} of which it is not known what they "
            "decide; draw orders with drawn_order and numbers with drawn_numbers, or say that "
            "draws_orders is False"
        )

    def order(self, kind: NDArray[np.integer]) -> Positions:
        """Give the next order: who of a kind comes when does not matter."""
        chosen = next(self.script, None)
        if chosen is None:
            kinds = tuple(kind.tolist())
            alike = prod(factorial(kinds.count(each)) for each in set(kinds))
            raise _OneMore(factorial(len(kinds)) // alike, distinct_orders(kinds))
        assert not isinstance(chosen, int)  # noqa: S101  (for the type checker)
        places = {each: iter(np.flatnonzero(kind == each).tolist()) for each in set(chosen)}
        return np.array([next(places[each]) for each in chosen], dtype=np.intp)

    def number(self, limit: int) -> int:
        """Give the next number, which is below the limit."""
        chosen = next(self.script, None)
        if chosen is None:
            raise _OneMore(limit, range(limit))
        assert isinstance(chosen, int)  # noqa: S101  (for the type checker)
        return chosen


class OwnChances:
    """Chances of its own for every group, which follow from a secret that is drawn once.

    So it makes no difference in which order groups draw, or on which machine, and nobody without
    the secret can tell them from others. Chances that were chosen beforehand are for all groups.

    >>> own = OwnChances(np.random.default_rng(1).bytes)
    >>> one, other = np.array([[0, 3]]), np.array([[4, 7]])
    >>> own.of(one)(4) == own.of(one)(4), own.of(one)(4) == own.of(other)(4)
    (True, False)
    >>> own.of_cut(2, 0)(4) == own.of_cut(2, 0)(4), own.of_cut(2, 0)(4) == own.of_cut(2, 1)(4)
    (True, False)
    """

    def __init__(self, draw: Draw) -> None:
        self._scripted = draw if isinstance(draw, Scripted) else None
        self._secret = draw(SECRET_BYTES) if self._scripted is None else b""

    def of(self, box: NDArray[np.integer]) -> Draw:
        """Give the chances of the group that has a box, (n_columns, 2), from the beginning."""
        if self._scripted is not None:
            return self._scripted
        return _Stream(self._secret + box.astype("<i4").tobytes())

    def of_cut(self, path: int, column: int) -> Draw:
        """Give the chances of a region that is halved along a column, from the beginning.

        path: How it came about: 1 is the whole, 2 * path and 2 * path + 1 are the halves of a
        region. Boxes do not tell them apart: a half may have the box of the whole. Below 2^64:
        2^63 people are halved 63 times before each is alone.
        """
        if self._scripted is not None:
            return self._scripted
        return _Stream(self._secret + CUT.pack(path, column))

    def of_cuts(
        self, paths: NDArray[np.uint64], columns: NDArray[np.integer], n_bytes: Sequence[int]
    ) -> bytes:
        """Give the first chances of many cuts, one after the other: so many bytes of each.

        >>> own = OwnChances(np.random.default_rng(1).bytes)
        >>> both = own.of_cuts(np.array([2, 3], np.uint64), np.array([0, 1]), [8, 4])
        >>> both == own.of_cut(2, 0)(8) + own.of_cut(3, 1)(4)
        True
        """
        if self._scripted is not None:
            return self._scripted(sum(n_bytes))
        cuts = zip(paths.tolist(), columns.tolist(), n_bytes, strict=True)
        return b"".join(
            [_answer(self._secret + CUT.pack(path, column), 1, n) for path, column, n in cuts]
        )


class _Stream:
    """Bytes that follow from a seed and from how often was asked before."""

    def __init__(self, seed: bytes) -> None:
        self._seed, self._n_asked = seed, 0

    def __call__(self, n: int) -> bytes:
        self._n_asked += 1
        return _answer(self._seed, self._n_asked, n)


def _answer(seed: bytes, n_asked: int, n: int) -> bytes:
    return hashlib.shake_256(seed + n_asked.to_bytes(8)).digest(n)


def every_outcome(
    run: Callable[[Draw], Outcome], most: int
) -> Iterator[tuple[Fraction, Outcome]] | None:
    """Give what a run leads to by all it can draw, orders and numbers, with their probabilities.

    None: there are more than `most`.

    >>> def first(draw):
    ...     return int(drawn_order(np.array([7, 7, 8]), draw)[0] == 2)
    >>> sorted(every_outcome(first, 10))
    [(Fraction(1, 3), 0), (Fraction(1, 3), 0), (Fraction(1, 3), 1)]
    """
    outcomes: list[tuple[Fraction, Outcome]] = []
    waiting: list[tuple[list[Choice], Fraction]] = [([], Fraction(1))]
    while waiting:
        script, chance = waiting.pop()
        try:
            outcomes.append((chance, run(Scripted(script))))
        except _OneMore as more:
            if more.n + len(waiting) + len(outcomes) > most:
                return None
            waiting += [([*script, each], chance / more.n) for each in more.choices]
    return iter(outcomes)


def distinct_orders(kinds: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Give every order of things of which some are alike, each once.

    >>> list(distinct_orders((1, 1, 2)))
    [(1, 1, 2), (1, 2, 1), (2, 1, 1)]
    """
    if len(kinds) < 2:
        yield kinds
        return
    for first in sorted(set(kinds)):
        rest = list(kinds)
        rest.remove(first)
        for others in distinct_orders(tuple(rest)):
            yield (first, *others)
