"""What the published values themselves add to their pooled numbers, on small tables.

A replaced value is drawn from the values of the table, not from the adversary's prior. So a value
that is published once is nobody's replacement, and a group of such values was not touched. The
pooled numbers of `posterior` suffice where there is a single value that is not sensitive, or where
no value is looked at; in between this weighs every way in which values may have been put in.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from sfumato.formulas.masking.lots import (
    Reference,
    Replacement,
    masked_number,
    n_references,
    violates,
)
from sfumato.formulas.masking.posterior import NeverPublished

Histogram = Sequence[int]  # sensitive people, then the people with each of the other values
MOST_STATES = 100_000
_Counts = tuple[int, ...]  # of values that are not sensitive
_Tally = list[Fraction]  # the weight, then weight times the sensitive people of each group


def posteriors_by_value(
    histograms: Sequence[Histogram],
    l: Fraction,
    p0: Fraction,
    shares: Sequence[Fraction],
    reference: Reference = "paper",
    replacement: Replacement = "table",
    most_states: int = MOST_STATES,
) -> list[Fraction] | None:
    """Give the probability that a person of each group is sensitive, given all published values.

    Args:
        histograms: Per group the published number of sensitive people, then of each other value.
        l: At most 1/l of a published group is sensitive.
        p0: The prior: everybody is sensitive with p0, independently, and
        shares: whoever is not has each of the other values with these probabilities.
        reference: "paper" draws from (l - 1)|V| groups, 1 from the single largest share.
        replacement: New values are drawn from the "table", or from the "group" where it has any.
        most_states: Ways to weigh; None is returned where there are more.

    Raises:
        NeverPublished: No table leads to this output.

    >>> once = [(1, 1, 0, 0, 0), (1, 0, 1, 0, 0), (0, 0, 0, 1, 1)]  # nothing was replaced
    >>> posteriors_by_value(once, Fraction(2), Fraction(1, 3), [Fraction(1, 4)] * 4)
    [Fraction(1, 2), Fraction(1, 2), Fraction(0, 1)]
    """
    sizes = [sum(histogram) for histogram in histograms]
    numbers = [histogram[0] for histogram in histograms]
    others = tuple(sum(column) for column in zip(*histograms, strict=True))[1:]
    if any(violates(size, number, l) for size, number in zip(sizes, numbers, strict=True)):
        raise NeverPublished("MASK publishes no group of which more than 1/l is sensitive")
    sums = [Fraction(0)] * (1 + len(sizes))
    for n_violating in range(len(sizes) + 1):
        u = n_references(n_violating, l, reference) if n_violating else 0
        if len(sizes) - n_violating < u:
            break
        for violating in itertools.combinations(range(len(sizes)), n_violating):
            kept = [i for i in range(len(sizes)) if i not in violating]
            drawn = sorted((Fraction(numbers[i], sizes[i]) for i in kept), reverse=True)[:u]
            nothing = (0,) * len(others)
            start = [Fraction(1)] + [Fraction(0)] * len(sizes)
            states = {(nothing, nothing): start}  # taken away, drawn from the table: so far
            for i, histogram in enumerate(histograms):
                lots = [masked_number(sizes[i], share) for share in drawn].count(numbers[i])
                if i in kept:
                    ways = [(nothing, nothing, numbers[i], _worlds(histogram, p0, shares))]
                elif lots:
                    most_states -= len(states) * math.prod(n + 1 for n in histogram[1:])
                    if most_states < 0:
                        return None
                    found = _put_in(histogram, l, p0, shares, replacement)
                    ways = [(r, d, x, weight * Fraction(lots, u)) for r, d, x, weight in found]
                else:
                    ways = []
                most_states -= len(states) * max(1, len(ways))
                if most_states < 0:
                    return None
                states = _joined(states, ways, i)
            for (removed, from_table), tally in states.items():
                original = [n - r for n, r in zip(others, removed, strict=True)]
                chance = _drawn(from_table, original)
                sums = [a + chance * b for a, b in zip(sums, tally, strict=True)]
    if not sums[0]:
        raise NeverPublished("no table leads to these values")
    return [n / (sums[0] * size) for n, size in zip(sums[1:], sizes, strict=True)]


def _worlds(histogram: Histogram, p0: Fraction, shares: Sequence[Fraction]) -> Fraction:
    """Weigh a group as it was: in how many ways its people have these values, and how likely."""
    sensitive, *others = histogram
    weight = p0**sensitive * (1 - p0) ** sum(others) * _orders(histogram)
    return weight * math.prod(q**n for q, n in zip(shares, others, strict=True))


def _orders(counts: Sequence[int]) -> int:
    return math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))


def _put_in(
    histogram: Histogram,
    l: Fraction,
    p0: Fraction,
    shares: Sequence[Fraction],
    replacement: Replacement,
) -> Iterator[tuple[_Counts, _Counts, int, Fraction]]:
    """Give the values that may have been put in, which of them from the table, and the weight."""
    sensitive, *others = histogram
    for put_in in itertools.product(*(range(n + 1) for n in others)):
        n_before = sensitive + sum(put_in)
        if not violates(sum(histogram), n_before, l):
            continue
        own = [n - r for n, r in zip(others, put_in, strict=True)]
        weight = _worlds([n_before, *own], p0, shares) * _orders(put_in)
        if replacement == "table" or not any(own):
            yield put_in, put_in, n_before, weight
        else:
            yield put_in, (0,) * len(own), n_before, weight * _drawn(put_in, own)


def _drawn(values: Sequence[int], source: Sequence[int]) -> Fraction:
    """Give the probability of drawing these values one by one, in a given order."""
    n = sum(source)
    return math.prod(
        (Fraction(s, n) ** v for v, s in zip(values, source, strict=True) if v), start=Fraction(1)
    )


def _joined(
    states: dict[tuple[_Counts, _Counts], _Tally],
    ways: Sequence[tuple[_Counts, _Counts, int, Fraction]],
    group: int,
) -> dict[tuple[_Counts, _Counts], _Tally]:
    joined: dict[tuple[_Counts, _Counts], _Tally] = {}
    for (removed, from_table), tally in states.items():
        for more_removed, more_from_table, n_sensitive, weight in ways:
            state = _plus(removed, more_removed), _plus(from_table, more_from_table)
            more = [each * weight for each in tally]
            more[1 + group] += n_sensitive * more[0]
            before = joined.get(state)
            joined[state] = more if before is None else _added(before, more)
    return joined


def _plus(one: _Counts, other: _Counts) -> _Counts:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _added(one: _Tally, other: _Tally) -> _Tally:
    return [a + b for a, b in zip(one, other, strict=True)]
