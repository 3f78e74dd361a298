"""What the order of greedy grouping gives away (Cormode 2010, section 4).

A group is m buckets of l people, joined one after the other until at most 1/l of the group was
sensitive. So every proper prefix was not diverse yet (greedy), or was, and chance went on with
probability p each time (randomized): a way to deal the sensitive values out in which d proper
prefixes were diverse has the likelihood p^d (1 - p).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.formulas.minimality.exact import near
from sfumato.parameters import fraction

MOST_EXACT = 50_000  # multiplications of whole numbers
MOST_EXACT_NEAR = 5_000_000  # some seconds, where floats do not tell
MOST_PEOPLE = 2_000  # whose numbers of ways are still short


def bucket_risk(
    l: int, m: int, p: float | Fraction = 0.0, n_sensitive: int | None = None
) -> list[float]:
    """Give the probability of a person in each bucket to be sensitive, for who knows the method.

    Args:
        l: People per bucket; at most 1/l of a finished group is sensitive.
        m: Buckets in the group.
        p: Probability of going on although the group is diverse; 0 for greedy grouping.
        n_sensitive: Sensitive people in the group; m unless given.

    Raises:
        ValueError: No such group can arise.

    >>> bucket_risk(6, 2)
    [0.3333333333333333, 0.0]
    >>> [round(6 * risk, 4) for risk in bucket_risk(6, 3)]
    [2.1818, 0.8182, 0.0]
    """
    n = m if n_sensitive is None else n_sensitive
    _refuse(l, m, fraction(p), n)
    expected = prefix_risk([l] * m, n, range(2, m + 1), fraction(p))
    return [float(each / l) for each in _possible(expected, l, m, n)]


def exact_bucket_risk(l: int, m: int, p: Fraction, n_sensitive: int | None) -> list[Fraction]:
    """Give the same as fractions, however long they are."""
    n = m if n_sensitive is None else n_sensitive
    _refuse(l, m, p, n)
    expected = _exact_prefix_risk([l] * m, n, range(2, m + 1), p)
    return [each / l for each in _possible(expected, l, m, n)]


def _possible(expected: Sequence[Any] | None, l: int, m: int, n: int) -> Sequence[Any]:
    if expected is None:
        raise ValueError(
            f"greedy grouping cannot end with {n} sensitive people in {m} buckets of {l}"
        )
    return expected


def _refuse(l: int, m: int, p: Fraction, n: int) -> None:
    if l < 1 or m < 1:
        raise ValueError("a group has at least one bucket of at least one person")
    if not 0 <= p < 1:
        raise ValueError("p must be at least 0 and below 1")
    if not 0 <= n <= m:
        raise ValueError(f"a finished group of {m} buckets has at most {m} sensitive people")


def prefix_risk(
    sizes: Sequence[int],
    n_sensitive: int,
    breaks_from: Sequence[int],
    p: Fraction,
    l: Fraction | None = None,
) -> list[Fraction] | list[float] | None:
    """Give the expected number of sensitive people in each of the buckets that make up a group.

    Args:
        sizes: People in each bucket, in the order in which they joined.
        n_sensitive: Sensitive people in all of them.
        breaks_from: For every proper prefix, the number of sensitive people from which on it is
            not diverse; one less than there are buckets.
        p: Weight of a world for each prefix that is diverse.
        l: Shares are compared with 1/l: who is as near to it as floats can tell is counted again.

    Returns:
        Fractions while the numbers are small, else floats (relative error below 1e-9: every term
        is positive, nothing is subtracted); None where no world is possible.
    """
    largest = max(sizes)
    work = len(sizes) * (n_sensitive + 1) * (min(largest, n_sensitive) + 1)
    if work <= MOST_EXACT and sum(sizes) <= MOST_PEOPLE:
        return _exact_prefix_risk(sizes, n_sensitive, breaks_from, p)
    floats = _float_prefix_risk(sizes, n_sensitive, breaks_from, float(p))
    if floats is None or l is None or work > MOST_EXACT_NEAR:
        return floats
    if not near(np.array(floats), np.array(sizes), l):
        return floats
    return _exact_prefix_risk(sizes, n_sensitive, breaks_from, p)


def _exact_prefix_risk(
    sizes: Sequence[int], n: int, breaks_from: Sequence[int], p: Fraction
) -> list[Fraction] | None:
    """Count worlds in whole numbers: times the denominator of p for every prefix."""
    m = len(sizes)
    choices = {size: [math.comb(size, k) for k in range(min(size, n) + 1)] for size in set(sizes)}
    go_on = [
        [p.denominator if j >= start else p.numerator for j in range(n + 1)]
        for start in breaks_from
    ] + [[1] * (n + 1)]
    # Ways to fill the first i buckets with j sensitive people; and those behind, when j are before.
    forward = [[int(j == 0) for j in range(n + 1)]]
    for size, weight in zip(sizes, go_on, strict=True):
        filled = _spread(forward[-1], choices[size])
        forward.append([a * b for a, b in zip(filled, weight, strict=True)])
    backward = [[int(j == n) for j in range(n + 1)]]
    for size, weight in zip(reversed(sizes), reversed(go_on), strict=True):
        passed = [a * b for a, b in zip(backward[-1], weight, strict=True)]
        backward.append(_spread(passed[::-1], choices[size])[::-1])
    backward.reverse()
    ways = forward[m][n]
    if not ways:
        return None
    expected = []
    for i, size in enumerate(sizes):
        weighted = [k * choice for k, choice in enumerate(choices[size])]
        inside = _spread(forward[i], weighted)
        total = sum(a * b * c for a, b, c in zip(inside, go_on[i], backward[i + 1], strict=True))
        expected.append(Fraction(total, ways))
    return expected


def _spread(ways: list[int], choices: list[int]) -> list[int]:
    """Add one bucket: by the number of sensitive people in all, up to as many as before."""
    return [
        sum(ways[j - k] * choices[k] for k in range(min(j, len(choices) - 1) + 1))
        for j in range(len(ways))
    ]


def _float_prefix_risk(
    sizes: Sequence[int], n: int, breaks_from: Sequence[int], p: float
) -> list[float] | None:
    """Do the same in floats.

    Ways are weighed by odds to the number of sensitive people, which is the same in all worlds, so
    that the likely ones are in the middle; and rows are scaled as they come, above and below alike.
    """
    if n == 0:
        return [0.0] * len(sizes) if p or not any(breaks_from) else None
    odds = math.log(n) - math.log(max(sum(sizes) - n, 0.5))
    choices = {}
    for size in set(sizes):
        logs = _log_binomials(size, min(size, n)) + odds * np.arange(min(size, n) + 1)
        choices[size] = np.exp(logs - logs.max())
    number = np.arange(n + 1)
    go_on = [np.where(number >= start, 1.0, p) for start in breaks_from] + [np.ones(n + 1)]
    forward = [np.eye(1, n + 1)[0]]
    for size, weight in zip(sizes, go_on, strict=True):
        forward.append(_scaled(np.convolve(forward[-1], choices[size])[: n + 1] * weight))
    backward = [np.eye(1, n + 1, n)[0]]
    for size, weight in zip(reversed(sizes), reversed(go_on), strict=True):
        passed = (backward[-1] * weight)[::-1]
        backward.append(_scaled(np.convolve(passed, choices[size])[: n + 1][::-1]))
    backward.reverse()
    expected = []
    for i, size in enumerate(sizes):
        behind = go_on[i] * backward[i + 1]
        weighted = choices[size] * np.arange(len(choices[size]))
        all_ways = float(np.convolve(forward[i], choices[size])[: n + 1] @ behind)
        if not all_ways:
            return None
        expected.append(float(np.convolve(forward[i], weighted)[: n + 1] @ behind) / all_ways)
    return expected


def _log_binomials(size: int, most: int) -> NDArray[np.float64]:
    logs = [math.lgamma(k + 1) + math.lgamma(size - k + 1) for k in range(most + 1)]
    return math.lgamma(size + 1) - np.array(logs)


def _scaled(row: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = float(row.max())
    return row / largest if largest else row
