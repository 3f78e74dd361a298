"""MASK on numbers of sensitive people (Wong 2009, algorithm 1): which outputs, how likely.

Groups are public, for they are made without looking at values. Everybody in a group is alike, so
a table is the number of sensitive people in each of its groups, and an output is so, too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Reference = Literal["paper", 1]
Replacement = Literal["table", "group"]
Output = tuple[int, ...] | None  # published numbers of sensitive people; None: refused
REFUSED = None


@dataclass(frozen=True)
class Masking:
    """How a method changes values: by which l, from which shares, into values from where."""

    l: Fraction
    reference: Reference = "paper"
    replacement: Replacement = "table"


def violates(size: int, n_sensitive: int, l: Fraction) -> bool:
    """Say whether more than 1/l of a group is sensitive."""
    return n_sensitive * l > size


def n_references(n_violating: int, l: Fraction, reference: Reference) -> int:
    """Give the size of L, the groups whose shares are drawn from: (l - 1)|V|, or 1 (6.1.2)."""
    return math.ceil((l - 1) * n_violating) if reference == "paper" else 1


def masked_number(size: int, share: Fraction) -> int:
    """Give the sensitive people that are left of a violating group when a share was drawn."""
    return math.floor(share * size)


def outputs(
    sizes: Sequence[int], n_sensitive: Sequence[int], l: Fraction, reference: Reference = "paper"
) -> dict[Output, Fraction]:
    """Give the probability of everything that MASK may publish of a table, refusal among it.

    Args:
        sizes: People per group.
        n_sensitive: Sensitive people per group, before anything is changed.
        l: At most 1/l of a published group is sensitive.
        reference: "paper" draws from (l - 1)|V| groups, 1 from the single largest share.

    >>> outputs([2, 2, 2], [2, 1, 0], Fraction(2))  # table XXI
    {(1, 1, 0): Fraction(1, 1)}
    >>> outputs([2, 2, 2], [2, 2, 1], Fraction(2))
    {None: Fraction(1, 1)}
    """
    numbers = list(zip(sizes, n_sensitive, strict=True))
    violating = [i for i, (size, n) in enumerate(numbers) if violates(size, n, l)]
    if not violating:
        return {tuple(n_sensitive): Fraction(1)}
    u = n_references(len(violating), l, reference)
    others = (Fraction(n, size) for size, n in numbers if not violates(size, n, l))
    shares = sorted(others, reverse=True)[:u]  # which of equal shares does not matter
    if len(shares) < u:
        return {REFUSED: Fraction(1)}
    likely: dict[Output, Fraction] = {}
    for drawn in itertools.product(shares, repeat=len(violating)):
        after = list(n_sensitive)
        for group, share in zip(violating, drawn, strict=True):
            after[group] = masked_number(sizes[group], share)
        likely[tuple(after)] = likely.get(tuple(after), 0) + Fraction(1, u ** len(violating))
    return likely
