"""Orders drawn by lot, so that somebody who knows the method can go through all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


def drawn_order(kind: NDArray[np.integer], draw: Draw) -> Positions:
    """Put people into an order drawn by lot; kind: (n,), equal where they are alike.

    >>> sorted(drawn_order(np.array([0, 0, 1]), np.random.default_rng(1).bytes).tolist())
    [0, 1, 2]
    """
    if isinstance(draw, Scripted):
        return draw.order(kind)
    chances = np.frombuffer(draw(8 * len(kind)), dtype=np.uint64)
    return np.argsort(chances, kind="stable")


class _OneMore(Exception):  # noqa: N818  (no error: another order has to be chosen)
    """The script is at its end, and an order is asked for."""

    def __init__(self, kind: tuple[int, ...]) -> None:
        super().__init__()
        self.kind = kind


class Scripted:
    """Chances that are orders alone, each of them chosen beforehand."""

    def __init__(self, script: list[tuple[int, ...]]) -> None:
        self.script = iter(script)

    def __call__(self, n: int) -> bytes:
        """Refuse: what these bytes are used for is not known, so not all cases can be tried."""
        raise CannotRun(
            f"the method draws {counted(n, 'random byte')} of which it is not known what they "
            "decide; draw orders with drawn_order, or say that draws_orders is False"
        )

    def order(self, kind: NDArray[np.integer]) -> Positions:
        """Give the next order: who of a kind comes when does not matter."""
        chosen = next(self.script, None)
        if chosen is None:
            raise _OneMore(tuple(kind.tolist()))
        places = {each: iter(np.flatnonzero(kind == each).tolist()) for each in set(chosen)}
        return np.array([next(places[each]) for each in chosen], dtype=np.intp)


def every_outcome(
    run: Callable[[Draw], Outcome], most: int
) -> Iterator[tuple[Fraction, Outcome]] | None:
    """Give what a run leads to by every order it can draw, with the probability of each.

    None: there are more than `most`.

    >>> def first(draw):
    ...     return int(drawn_order(np.array([7, 7, 8]), draw)[0] == 2)
    >>> sorted(every_outcome(first, 10))
    [(Fraction(1, 3), 0), (Fraction(1, 3), 0), (Fraction(1, 3), 1)]
    """
    outcomes: list[tuple[Fraction, Outcome]] = []
    waiting: list[tuple[list[tuple[int, ...]], Fraction]] = [([], Fraction(1))]
    while waiting:
        script, chance = waiting.pop()
        try:
            outcomes.append((chance, run(Scripted(script))))
        except _OneMore as more:
            counts = [more.kind.count(each) for each in set(more.kind)]
            n = factorial(len(more.kind)) // prod(map(factorial, counts))
            if n + len(waiting) + len(outcomes) > most:
                return None
            waiting += [([*script, order], chance / n) for order in distinct_orders(more.kind)]
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
