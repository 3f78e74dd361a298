"""What a promise about values means for an adversary: beliefs it allows, values it wants."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from sfumato.attacks.base import Bound
from sfumato.criteria import (
    AlphaKAnonymity,
    Criterion,
    KEAnonymity,
    LDiversity,
    PSensitiveKAnonymity,
    RecursiveDiversity,
)


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
