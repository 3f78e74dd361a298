"""The belief that a published table of MASK leaves (Wong 2009, section 6.1), exactly.

A group that did not violate is published as it is. So whoever knows MASK has only to guess which
groups violated: then L is the others with the largest published shares, every violating group
had any number of sensitive people above its limit, and was drawn to what is published with the
share of L that leads there. Groups of equal size and equal published number are alike, and only
those that come before L is full have to be told apart: all others enter as polynomials.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from sfumato.formulas.masking.lots import Reference, masked_number, n_references, violates
from sfumato.formulas.masking.weights import Kind, Prior, Tally, beliefs, joined

MOST_REFERENCES = 5_000  # sets L that are weighed, up to likeness
HALF = Fraction(1, 2)


class NeverPublished(ValueError):  # noqa: N818  (the name says what it is)
    """No table leads to this output."""


def posteriors(
    sizes: Sequence[int],
    published: Sequence[int],
    l: Fraction,
    p0: Fraction = HALF,
    reference: Reference = "paper",
    total: int | None = None,
    most_references: int = MOST_REFERENCES,
) -> list[Fraction] | None:
    """Give the probability that a person of each group is sensitive, given what MASK published.

    Args:
        sizes: People per group.
        published: Sensitive people per group, as published.
        l: At most 1/l of a published group is sensitive.
        p0: The prior: everybody is sensitive with p0, independently.
        reference: "paper" draws from (l - 1)|V| groups, 1 from the single largest share.
        total: Sensitive people in the original table where their number is known (as it is when
            it is told how many values were changed); p0 is without effect then.
        most_references: Sets L to weigh; None is returned where there are more.

    Raises:
        NeverPublished: No table leads to this output.

    >>> posteriors([2, 2, 2], [1, 1, 0], Fraction(2))  # table XXI(c)
    [Fraction(5, 8), Fraction(5, 8), Fraction(0, 1)]
    >>> posteriors([2, 2, 2], [1, 1, 0], Fraction(2), total=3)
    [Fraction(3, 4), Fraction(3, 4), Fraction(0, 1)]
    """
    pairs = list(zip(sizes, published, strict=True))
    if any(violates(size, number, l) for size, number in pairs):
        raise NeverPublished("MASK publishes no group of which more than 1/l is sensitive")
    if total is not None and total < sum(published):
        raise NeverPublished("MASK makes nobody sensitive: fewer were so than are published")
    prior = Prior(p0, None if total is None else total - sum(published))
    alike = Counter(pairs)
    order = sorted(alike, key=lambda pair: (Fraction(-pair[1], pair[0]), pair[0]))
    kinds = [
        Kind.of(
            size,
            alike[size, number],
            kept=prior.weigh(size, [number], number),
            hidden=prior.weigh(size, _hidden(size, l), number),
        )
        for size, number in order
    ]
    sums = [Fraction(int(each)) for each in _nobody_violates(kinds, prior)[:, -1]]
    for n_violating in range(1, len(pairs) + 1):
        u = n_references(n_violating, l, reference)
        if len(pairs) - n_violating < u:
            break
        for taken in _references([kind.number for kind in kinds], n_violating, u):
            most_references -= 1
            if most_references < 0:
                return None
            tally = _weighed(kinds, order, taken, n_violating, prior)
            if tally is not None:
                lots = u**n_violating
                sums = [a + Fraction(int(b), lots) for a, b in zip(sums, tally[:, -1], strict=True)]
    if not sums[0]:
        raise NeverPublished("no table with so many sensitive people leads to this output")
    found = dict(zip(order, beliefs(sums, kinds), strict=True))
    return [found[pair] for pair in pairs]


def _hidden(size: int, l: Fraction) -> range:
    return range(int(size / l) + 1, size + 1)


def _nobody_violates(kinds: Sequence[Kind], prior: Prior) -> Tally:
    tally = prior.start(len(kinds))
    for i, kind in enumerate(kinds):
        tally = joined(tally, i, *kind.weights[0])
    return tally


def _references(numbers: Sequence[int], n_violating: int, u: int) -> Iterator[tuple[int, ...]]:
    """Give how many groups of each kind are in L, from the largest share down until L is full.

    The others of a kind before the last violate. Of the last kind and of all below any may.
    """
    first, rest = numbers[0], numbers[1:]
    if first >= u:
        yield (u,)
    for n_hidden in range(max(0, first - u + 1), min(first, n_violating) + 1):
        taken = first - n_hidden
        for more in _references(rest, n_violating - n_hidden, u - taken):
            yield (taken, *more)


def _weighed(
    kinds: Sequence[Kind],
    order: Sequence[tuple[int, int]],
    taken: Sequence[int],
    n_violating: int,
    prior: Prior,
) -> Tally | None:
    """Give the tally of all tables with this L, times u for every group that was drawn."""
    shares = [(Fraction(y, size), n) for (size, y), n in zip(order, taken, strict=False) if n]
    tallies = {0: prior.start(len(kinds))}  # by number of groups that violate so far
    for i, (kind, (size, number)) in enumerate(zip(kinds, order, strict=True)):
        lots = sum(n for share, n in shares if masked_number(size, share) == number)
        most = kind.number - (taken[i] if i < len(taken) else 0)
        least = most if i < len(taken) - 1 else 0
        added: dict[int, Tally] = {}
        for n_hidden in range(least, min(most if lots else 0, n_violating) + 1):
            weight, people = (lots**n_hidden * each for each in kind.weights[n_hidden])
            for before, tally in tallies.items():
                if before + n_hidden <= n_violating:
                    more = joined(tally, i, weight, people)
                    so_far = before + n_hidden
                    added[so_far] = added[so_far] + more if so_far in added else more
        tallies = added
    return np.asarray(tallies[n_violating]) if n_violating in tallies else None
