"""A place for missing values among the pieces of a column, so that all texts are intervals.

A release puts missing values behind its largest value, so it may publish "39204 or missing". Beside
texts of values that are larger, or might be, missing values must stand elsewhere, or the pieces in
another order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np

from sfumato.data.values import Interval

MISSING = -1


def with_missing(
    n_pieces: int, spans: Sequence[Interval], or_missing: Sequence[bool]
) -> tuple[list[Interval], int] | None:
    """Order the pieces of a column, and missing values among them.

    Args:
        n_pieces: How many there are, in the order of their values.
        spans: The pieces of every text, from one up to another that is not in it any more.
        or_missing: Whether a text stands for missing values, too.

    Returns:
        The ranks of every text, and the one of missing values; None: we find no order.
    """
    if all(high == n_pieces for (_, high), also in zip(spans, or_missing, strict=True) if also):
        last = [
            (low, high if also else high - 1)
            for (low, high), also in zip(spans, or_missing, strict=True)
        ]
        return last, n_pieces
    pieces = _different(n_pieces, spans)
    places = [(bisect_left(pieces, low), bisect_left(pieces, high)) for low, high in spans]
    tight = min(
        (place for place, also in zip(places, or_missing, strict=True) if also),
        key=lambda place: place[1] - place[0],
    )
    for order in _orders(len(pieces), *tight):
        ranks = _ranks(order, places, or_missing)
        if ranks is not None:
            return ranks, order.index(MISSING)
    return None


def _different(n_pieces: int, spans: Sequence[Interval]) -> list[int]:
    """Keep one of the pieces that are in the same texts, and none that is in no text."""
    changed = [0] * (n_pieces + 1)
    for number, (low, high) in enumerate(spans):
        changed[low] ^= 1 << number
        changed[high] ^= 1 << number
    kept: dict[int, int] = {}
    inside = 0  # a bit for every text
    for piece in range(n_pieces):
        inside ^= changed[piece]
        if inside:
            kept.setdefault(inside, piece)
    return list(kept.values())


def _orders(n: int, low: int, high: int) -> Iterator[list[int]]:
    """Put missing values beside the pieces from `low` up to `high`, in the ways that we try."""
    before, own, behind = list(range(low)), list(range(low, high)), list(range(high, n))
    yield [*before, *behind, *own, MISSING]
    yield [*before, *behind[::-1], *own, MISSING]
    yield [*before, *own, MISSING, *behind]
    yield [*before, MISSING, *own, *behind]
    yield [MISSING, *own, *before, *behind]
    yield [MISSING, *own, *before[::-1], *behind]


def _ranks(
    order: Sequence[int], places: Sequence[Interval], or_missing: Sequence[bool]
) -> list[Interval] | None:
    """Give the ranks of every text in an order; None: one of them is no interval there."""
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))  # that of missing values is the last
    missing = int(rank[MISSING])
    ranks = []
    for (low, high), also in zip(places, or_missing, strict=True):
        own = rank[low:high]
        first, last = int(own.min()), int(own.max())
        if also:
            first, last = min(first, missing), max(last, missing)
        if last - first + 1 != high - low + also:
            return None
        ranks.append((first, last))
    return ranks
