"""What a promise about values means for an adversary: beliefs it allows, values it wants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sfumato.attacks.target import View
from sfumato.criteria import (
    AlphaKAnonymity,
    CKSafety,
    Criterion,
    KEAnonymity,
    LDiversity,
    PSensitiveKAnonymity,
    RecursiveDiversity,
)
from sfumato.criteria.bound import Bound
from sfumato.formulas.exact import position_of_largest
from sfumato.formulas.measures.disclosure import most_frequent


def of_values_alone(part: Criterion) -> Criterion:
    """Give the part of a promise without what it says of the number of people."""
    if isinstance(part, (AlphaKAnonymity, KEAnonymity)):
        return replace(part, k=1)
    return replace(part, k=part.p) if isinstance(part, PSensitiveKAnonymity) else part


def share_allowed(part: Criterion) -> Bound:
    """Give the belief in a single value that a part of a promise allows."""
    if isinstance(part, LDiversity) and part.kind == "frequency":
        return Bound("<=", 1 / part.l)
    if isinstance(part, AlphaKAnonymity):
        return Bound("<=", part.alpha)
    if isinstance(part, CKSafety):  # also of who knows no implication
        return Bound("<", part.c)
    if isinstance(part, RecursiveDiversity) and part.l > 1:  # r_1 < c (n - r_1) at the least
        return Bound("<", part.c / (1 + part.c))
    if isinstance(part, RecursiveDiversity) and part.c <= 1:  # r_1 < c n
        return Bound("<", part.c)
    return Bound("<", 1) if values_wanted(part) > 1 else Bound("<=", 1)


def limit(bound: Bound) -> Fraction:
    """Give the number of a bound on beliefs."""
    assert isinstance(bound.value, (int, Fraction))  # noqa: S101  (for the type checker)
    return Fraction(bound.value)


def values_wanted(part: Criterion) -> int:
    """Give the number of different values that a part of a promise wants in every group."""
    if isinstance(part, LDiversity) and part.kind == "frequency" and part.values is not None:
        return 0  # the other values may be all the same
    if isinstance(part, (LDiversity, RecursiveDiversity)):
        return math.ceil(part.l)
    if isinstance(part, AlphaKAnonymity):
        return 0 if part.values is not None else math.ceil(1 / part.alpha)
    if isinstance(part, PSensitiveKAnonymity):
        return part.p
    return 2 if isinstance(part, KEAnonymity) and part.e > 0 else 0


@dataclass(frozen=True)
class Believed:
    """A group and a value that are believed to belong together."""

    group: int
    codes: tuple[int, ...]  # of the value, or of all that count as one
    belief: Fraction


def most_believed(view: View, part: Criterion | None) -> Believed:
    """Find where belief is largest, among the values that a part of a promise protects.

    Where the promise pools values, they are one value here too.
    """
    values, pooled = getattr(part, "values", None), getattr(part, "pooled", False)
    pool = view.groups.codes_of(values or ()).tolist() if pooled else []
    if pooled and isinstance(part, LDiversity) and part.kind != "frequency":
        counted = view.groups.histogram.pooled(np.array(pool, dtype=np.int32))
    else:
        counted = view.groups.bounded(values, pooled=pooled)
    codes, counts = most_frequent(counted)
    if not counts.any():
        return Believed(0, (), Fraction(0))
    group = position_of_largest(counts, view.sizes)
    code = int(codes[group])
    belief = Fraction(int(counts[group]), int(view.sizes[group]))
    return Believed(group, tuple(pool) if code in pool else (code,), belief)


def worst_of(kept: Sequence[np.bool_], excess: Sequence[Fraction]) -> int:
    """Choose which of several promises to show: a broken one, and the one nearest to its limit."""
    return max(range(len(kept)), key=lambda j: (not kept[j], excess[j]))
