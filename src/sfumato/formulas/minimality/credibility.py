"""Credibility under the minimality principle (Wong 2009, section 4).

A published group holds the people of several original classes, and a known number of them have a
sensitive value. Who follows the minimality principle generalized only because some class broke
l-diversity: of all ways to deal the sensitive values out to the people, those in which no class
does are impossible. Credibility is the expected share of a class that is sensitive, given that.

The ways are counted in whole numbers where that is quick (`exact_credibility`), otherwise in floats
by dynamic programs over sums of counts. There every term is positive (a flag says whether some
class has broken the rule; nothing is subtracted), and counts are tilted to probabilities and carry
a scale of their own, so they neither cancel nor overflow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.formulas.minimality import exact as exact_credibility
from sfumato.formulas.minimality.exact import ClassKind, near
from sfumato.parameters import fraction
from sfumato.text import people

CENTRAL = 1e-9  # of the largest term: what is looked for is no rare tail
NEGLIGIBLE = 1e-40  # of the largest term: cannot be felt where the central terms are
SMALLEST = 1e-290  # of the largest term: what a float can still tell from nothing
STEPS = 60  # to find the odds


class NobodyBreaks(ValueError):  # noqa: N818  (the name says what it is)
    """No world is left: an adversary who believes in minimality is wrong about this group."""

    def __init__(self) -> None:
        super().__init__(
            "no way of dealing the sensitive values out breaks the rule; nothing was generalized"
        )


def credibility(sizes: ArrayLike, n_sensitive: int, l: object) -> NDArray[np.float64]:
    """Belief that a person of each class is sensitive, when whole classes were generalized.

    Args:
        sizes: People of each original class in the published group.
        n_sensitive: How many people of the group have a sensitive value.
        l: A class breaks the rule when more than 1/l of it is sensitive.

    Raises:
        ValueError: No class can break the rule.

    >>> credibility([2, 2, 10], 5, 2).round(4)
    array([0.6163, 0.6163, 0.2535])
    """
    counts = np.asarray(sizes)
    if counts.ndim != 1 or not np.issubdtype(counts.dtype, np.integer):
        raise ValueError("sizes must be a list of whole numbers")
    counts = counts.tolist()
    return credibility_local([(size, size, 0) for size in counts], n_sensitive, l)


def credibility_local(
    classes: Sequence[tuple[int, int, int]], n_sensitive: int, l: object
) -> NDArray[np.float64]:
    """Belief that a person of each class is sensitive, when parts of classes were generalized.

    Args:
        classes: Per original class its people, how many of them were generalized, and how many of
            the others (who are published as they are) are sensitive.
        n_sensitive: How many of the generalized people are sensitive.
        l: A class breaks the rule when more than 1/l of the whole class is sensitive.

    >>> credibility_local([(5, 1, 2), (8, 1, 1)], 1, 2)
    array([0.6  , 0.125])
    """
    hit = expected_sensitive(classes, n_sensitive, fraction(l)).astype(np.float64)
    whole = np.array([size for size, _, _ in classes], dtype=np.float64)
    kept = np.array([kept for _, _, kept in classes], dtype=np.float64)
    return np.asarray((hit + kept) / whole)


def expected_sensitive(
    classes: Sequence[tuple[int, int, int]], n_sensitive: int, l: Fraction
) -> NDArray[np.object_] | NDArray[np.float64]:
    """Expected number of sensitive people among the generalized ones of each class.

    Fractions where these are counted quickly. A belief in floats that is as good as 1/l is counted
    again in fractions, so that who compares the two is right, unless that takes minutes.

    >>> expected_sensitive([(5, 1, 2), (8, 1, 1)], 1, Fraction(2)).tolist()
    [Fraction(1, 1), Fraction(0, 1)]
    """
    kinds, counts, which = _kinds(classes, n_sensitive, l)
    steps = exact_credibility.n_steps(kinds, n_sensitive)
    if steps > exact_credibility.MOST_STEPS:
        floats = expected(kinds, counts, n_sensitive)
        sizes = np.array([kind.size for kind in kinds])
        if steps > exact_credibility.MOST_STEPS_NEAR or not near(floats, sizes, l):
            return floats[which]
    numerators, ways = exact_credibility.expected(kinds, counts, n_sensitive)
    if not ways:
        raise NobodyBreaks
    fractions = np.empty(len(kinds), dtype=object)
    fractions[:] = [Fraction(each, ways) for each in numerators]
    return fractions[which]


def _kinds(
    classes: Sequence[tuple[int, int, int]], n_sensitive: int, l: Fraction
) -> tuple[list[ClassKind], list[int], NDArray[np.intp]]:
    if l <= 0:
        raise ValueError("l must be above 0")
    positions: dict[ClassKind, int] = {}  # its position
    counts: list[int] = []
    which = []
    for size, generalized, kept in classes:
        if not 0 <= generalized <= size or not 0 <= kept <= size - generalized or size < 1:
            raise ValueError(f"no class has {generalized} of {size} generalized, {kept} sensitive")
        allowed = size * l.denominator // l.numerator - kept
        kind = ClassKind(generalized, min(max(allowed, -1), generalized))
        position = positions.setdefault(kind, len(counts))
        if position == len(counts):
            counts.append(0)
        counts[position] += 1
        which.append(position)
    total = sum(kind.size * n for kind, n in zip(positions, counts, strict=True))
    if not 0 <= n_sensitive <= total:
        raise ValueError(f"{n_sensitive} of {people(total)} cannot be sensitive")
    return list(positions), counts, np.array(which, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class _Ways:
    """Numbers of ways by how many people are sensitive: a window of an array, and a scale."""

    first: int
    terms: NDArray[np.float64]  # the largest is 1, unless there are none
    scale: float  # natural logarithm of what the terms are multiplied with
    least: float  # terms below it at both ends are left out

    @classmethod
    def of(cls, first: int, terms: NDArray[np.float64], scale: float, least: float) -> _Ways:
        largest = float(terms.max(initial=0))
        if largest == 0:
            return NONE
        terms = terms / largest
        filled = np.flatnonzero(terms > least)
        terms = terms[filled[0] : filled[-1] + 1]
        return cls(first + int(filled[0]), terms, scale + math.log(largest), least)

    def __mul__(self, other: _Ways) -> _Ways:
        if not len(self.terms) or not len(other.terms):
            return NONE
        terms = np.convolve(self.terms, other.terms)
        scale, least = self.scale + other.scale, min(self.least, other.least)
        return _Ways.of(self.first + other.first, terms, scale, least)

    def __add__(self, other: _Ways) -> _Ways:
        if not len(self.terms) or not len(other.terms):
            return self if len(self.terms) else other
        first = min(self.first, other.first)
        end = max(self.first + len(self.terms), other.first + len(other.terms))
        scale = max(self.scale, other.scale)
        terms = np.zeros(end - first)
        for each in (self, other):
            start = each.first - first
            terms[start : start + len(each.terms)] += each.terms * math.exp(each.scale - scale)
        return _Ways.of(first, terms, scale, min(self.least, other.least))

    def at(self, n: int) -> tuple[float, float]:
        """The term of n, and the scale."""
        inside = 0 <= n - self.first < len(self.terms)
        return (float(self.terms[n - self.first]) if inside else 0.0), self.scale

    def mean_and_variance(self) -> tuple[float, float]:
        """Where the weight lies, and how far it spreads."""
        places = np.arange(self.first, self.first + len(self.terms), dtype=np.float64)
        weights = self.terms / self.terms.sum()
        mean = float(places @ weights)
        return mean, float((places - mean) ** 2 @ weights)


NONE = _Ways(0, np.zeros(0), 0.0, NEGLIGIBLE)
NOTHING = _Ways(0, np.ones(1), 0.0, NEGLIGIBLE)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Ways in which no class breaks the rule, and ways in which some class does."""

    kept: _Ways
    broken: _Ways

    def __mul__(self, other: _Pair) -> _Pair:
        return _Pair(self.kept * other.kept, self.broken * other.all + self.kept * other.broken)

    @property
    def all(self) -> _Ways:
        return self.kept + self.broken

    def to_the(self, n: int) -> _Pair:
        """Multiply n alike."""
        result, square = EMPTY, self
        while n:
            result = result * square if n & 1 else result
            n >>= 1
            square = square * square if n else square
        return result


EMPTY = _Pair(NOTHING, NONE)


def expected(
    kinds: Sequence[ClassKind], counts: Sequence[int], n_sensitive: int
) -> NDArray[np.float64]:
    """Expected number of sensitive people in a class of each kind, given that some class breaks.

    Floats with a relative error below `ROUNDING`: every term is positive, nothing is subtracted.
    """
    tilt, least = _tilt(kinds, counts, n_sensitive)
    single = [_pair(kind, tilt, least) for kind in kinds]
    powers = [pair.to_the(n) for pair, n in zip(single, counts, strict=True)]
    before, after = [EMPTY], [EMPTY]
    for pair in powers:
        before.append(before[-1] * pair)
    for pair in reversed(powers):
        after.append(after[-1] * pair)
    broken, scale = before[-1].broken.at(n_sensitive)
    share = np.empty(len(kinds))
    for j, (pair, n) in enumerate(zip(single, counts, strict=True)):
        others = before[j] * after[len(kinds) - 1 - j] * pair.to_the(n - 1)
        weighted = _Pair(_weighted(pair.kept), _weighted(pair.broken))
        coefficient, own = _coefficient(weighted, others, n_sensitive)
        share[j] = coefficient / broken * math.exp(own - scale) if coefficient else 0.0
    return share


def _weighted(ways: _Ways) -> _Ways:
    """Multiply every number of ways with its number of sensitive people."""
    people = np.arange(ways.first, ways.first + len(ways.terms))
    return _Ways.of(ways.first, ways.terms * people, ways.scale, 0.0)


def _coefficient(one: _Pair, others: _Pair, n: int) -> tuple[float, float]:
    """Ways with n sensitive people in all, some class breaking: the one, or another."""
    parts = []
    for ways, rest in ((one.broken, others.all), (one.kept, others.broken)):
        low = max(ways.first, n - rest.first - len(rest.terms) + 1)
        high = min(ways.first + len(ways.terms) - 1, n - rest.first)
        if not len(ways.terms) or not len(rest.terms) or low > high:
            continue
        mine = ways.terms[low - ways.first : high + 1 - ways.first]
        theirs = rest.terms[n - high - rest.first : n - low + 1 - rest.first][::-1]
        parts.append((float(mine @ theirs), ways.scale + rest.scale))
    if not parts:
        return 0.0, 0.0
    scale = max(own for _, own in parts)
    return sum(value * math.exp(own - scale) for value, own in parts), scale


def _tilt(
    kinds: Sequence[ClassKind], counts: Sequence[int], n_sensitive: int
) -> tuple[float, float]:
    """Choose the odds of being sensitive so that the ways looked for are no rare tail.

    The ways with a given sum are weighted alike by any odds. Mostly the odds in the group do; where
    breaking the rule moves the sum far away, Newton's method finds odds that move it back. Returns
    the logarithm of the odds, and which terms are negligible.
    """
    if not _can_break(kinds, counts, n_sensitive):
        raise NobodyBreaks
    total = sum(kind.size * n for kind, n in zip(kinds, counts, strict=True))
    share = (n_sensitive + 0.5) / (total + 1)
    start = math.log(share / (1 - share))
    for least, enough in ((NEGLIGIBLE, CENTRAL), (0.0, SMALLEST)):
        low, high, tilt = -700.0, 700.0, start
        for _ in range(STEPS):
            broken = _broken(kinds, counts, tilt, least)
            if broken.at(n_sensitive)[0] >= enough:
                return tilt, least
            mean, variance = broken.mean_and_variance()
            low, high = (low, tilt) if mean > n_sensitive else (tilt, high)
            step = tilt + (n_sensitive - mean) / max(variance, 1e-9)
            step = step if low < step < high else (low + high) / 2
            if abs(step - tilt) < 1e-12 * max(1.0, abs(tilt)):
                break
            tilt = step
    raise NobodyBreaks


def _broken(kinds: Sequence[ClassKind], counts: Sequence[int], tilt: float, least: float) -> _Ways:
    product = EMPTY
    for kind, n in zip(kinds, counts, strict=True):
        product = product * _pair(kind, tilt, least).to_the(n)
    return product.broken


def _can_break(kinds: Sequence[ClassKind], counts: Sequence[int], n_sensitive: int) -> bool:
    """Whether some class can have more sensitive people than it may."""
    total = sum(kind.size * n for kind, n in zip(kinds, counts, strict=True))
    for kind in kinds:
        most = min(kind.size, n_sensitive)
        least = max(0, n_sensitive - (total - kind.size))
        if kind.allowed < kind.size and max(kind.allowed + 1, least) <= most:
            return True
    return False


def _pair(kind: ClassKind, tilt: float, least: float) -> _Pair:
    """Ways to choose m of a class's people, times the odds to the power m, by m."""
    cut, end = kind.allowed + 1, kind.size + 1
    return _Pair(
        _binomials(kind.size, 0, cut, tilt, least), _binomials(kind.size, cut, end, tilt, least)
    )


def _binomials(n: int, first: int, end: int, tilt: float, least: float) -> _Ways:
    """Give C(n, m) e^(tilt m) for m from `first` to `end` - 1, up to a factor that n and tilt fix.

    From the largest term outwards, each is the one before times a ratio.
    """
    if first >= end:
        return NONE
    m = np.arange(n)
    ratios = (n - m) / (m + 1) * math.exp(tilt)  # of term m + 1 to term m
    top = int(np.searchsorted(-ratios, -1.0))  # ratios fall; up to here they are above 1
    pivot = min(max(top, first), end - 1)
    up = np.cumprod(ratios[pivot : end - 1])
    down = np.cumprod(1 / ratios[first:pivot][::-1])[::-1]
    between = float(np.log(ratios[min(top, pivot) : max(top, pivot)]).sum())
    terms = np.concatenate([down, [1.0], up])
    return _Ways.of(first, terms, between if pivot > top else -between, least)


def credibility_superset(
    population: Sequence[int], n_present: int, n_sensitive: int, l: object
) -> list[Fraction]:
    """Belief about people of whom it is not known whether they are in the published group.

    Args:
        population: People of each class that an adversary knows of; not all need be in the group.
        n_present: People in the group.
        n_sensitive: How many of them are sensitive.
        l: A class breaks the rule when more than 1/l of its people in the group are sensitive.

    Every choice of who is present, and of who of them is sensitive, is equally likely as long as
    some class breaks the rule: prod C(N_i, n_i) C(n_i, m_i) ways (the paper has no formula where
    cardinalities do not match).

    >>> credibility_superset([3, 5], 7, 2, 2)[0], credibility_superset([2, 6], 7, 2, 2)
    (Fraction(2, 3), [Fraction(2, 3), Fraction(1, 9)])
    """
    bound = fraction(l)
    tables = [_present(size, n_present, n_sensitive, bound) for size in population]
    before = [_START]
    for table in tables:
        before.append(_joined(before[-1], table, n_present, n_sensitive))
    after = [_START]
    for table in reversed(tables):
        after.append(_joined(after[-1], table, n_present, n_sensitive))
    total = before[-1].get((n_present, n_sensitive), (0, 0))[1]
    if not total:
        raise NobodyBreaks
    beliefs = []
    for i, table in enumerate(tables):
        others = _joined(before[i], after[len(tables) - 1 - i], n_present, n_sensitive)
        expected = 0
        for (n, m), (kept, broken) in table.items():
            fine, bad = others.get((n_present - n, n_sensitive - m), (0, 0))
            expected += m * (broken * (fine + bad) + kept * bad)
        beliefs.append(Fraction(expected, total * population[i]))
    return beliefs


_Table = dict[tuple[int, int], tuple[int, int]]  # present, sensitive -> ways kept, ways broken
_START: _Table = {(0, 0): (1, 0)}


def _present(size: int, n_present: int, n_sensitive: int, l: Fraction) -> _Table:
    table: _Table = {}
    for n in range(min(size, n_present) + 1):
        for m in range(min(n, n_sensitive) + 1):
            ways = math.comb(size, n) * math.comb(n, m)
            table[n, m] = (0, ways) if m * l > n else (ways, 0)
    return table


def _joined(one: _Table, other: _Table, n_present: int, n_sensitive: int) -> _Table:
    table: _Table = {}
    for (n1, m1), (kept1, broken1) in one.items():
        for (n2, m2), (kept2, broken2) in other.items():
            n, m = n1 + n2, m1 + m2
            if n <= n_present and m <= n_sensitive:
                kept, broken = table.get((n, m), (0, 0))
                broken += broken1 * (kept2 + broken2) + kept1 * broken2
                table[n, m] = (kept + kept1 * kept2, broken)
    return table
