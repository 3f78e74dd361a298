"""What the order of greedy grouping gives away (Cormode 2010, section 4).

A group is m buckets of l people, joined one after the other until at most 1/l of the group was
sensitive. So every proper prefix was not diverse yet (greedy), or was, and chance went on with
probability p each time (randomized): a way to deal the sensitive values out in which d proper
prefixes were diverse has the likelihood p^d (1 - p).
"""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.formulas.exact import fraction


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
    return [float(risk) for risk in exact_bucket_risk(l, m, fraction(p), n_sensitive)]


def exact_bucket_risk(l: int, m: int, p: Fraction, n_sensitive: int | None) -> list[Fraction]:
    """Give the same as fractions."""
    n = m if n_sensitive is None else n_sensitive
    if l < 1 or m < 1:
        raise ValueError("a group has at least one bucket of at least one person")
    if not 0 <= p < 1:
        raise ValueError("p must be at least 0 and below 1")
    if not 0 <= n <= m:
        raise ValueError(f"a finished group of {m} buckets has at most {m} sensitive people")
    choices = [math.comb(l, k) for k in range(l + 1)]
    # Ways to fill the first i buckets with j sensitive people, times p for each diverse prefix;
    # all of them times the denominator of p to the number of prefixes, so that they are integers.
    forward = [_at(0, n)]
    for i in range(1, m + 1):
        forward.append(
            [_passed(total, i, j, m, p) for j, total in enumerate(_spread(forward[-1], choices))]
        )
    backward = [_at(n, n)]  # ways to fill the buckets after i, when j are before them
    for i in range(m, 0, -1):
        passed = [_passed(total, i, j, m, p) for j, total in enumerate(backward[-1])]
        backward.append(_spread(passed[::-1], choices)[::-1])
    backward.reverse()
    ways = forward[m][n]
    if not ways:
        raise ValueError(
            f"greedy grouping cannot end with {n} sensitive people in {m} buckets of {l}"
        )
    risks = []
    for i in range(1, m + 1):
        weighted = [k * choice for k, choice in enumerate(choices)]
        after = [_passed(total, i, j, m, p) for j, total in enumerate(backward[i])]
        total = sum(a * b for a, b in zip(_spread(forward[i - 1], weighted), after, strict=True))
        risks.append(Fraction(total, ways * l))
    return risks


def _at(j: int, n: int) -> list[int]:
    return [int(i == j) for i in range(n + 1)]


def _spread(ways: list[int], choices: list[int]) -> list[int]:
    """Add one bucket: by the number of sensitive people in all, up to as many as before."""
    return [
        sum(ways[j - k] * choices[k] for k in range(min(j, len(choices) - 1) + 1))
        for j in range(len(ways))
    ]


def _passed(ways: int, i: int, j: int, m: int, p: Fraction) -> int:
    """Weigh going on behind bucket i with j sensitive people so far."""
    if i == m:
        return ways
    return ways * (p.denominator if j > i else p.numerator)
