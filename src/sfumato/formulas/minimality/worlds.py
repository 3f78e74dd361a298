"""Beliefs under the minimality principle for any criterion, by enumerating counts (Wong 2009, 5.1).

A world deals the sensitive values of a published group out to its people. Worlds with the same
counts of values per class are alike, so tables of counts are enumerated instead of people; each
stands for prod_i g_i! / prod_v m_iv! worlds. All numbers are integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache

Histogram = Mapping[Hashable, int]


def credibility_enumerated(
    kept: Sequence[Histogram],
    generalized: Sequence[int],
    values: Histogram,
    violates: Callable[[dict[Hashable, int]], bool],
    target: Hashable | Collection[Hashable],
) -> list[Fraction]:
    """Belief that a person of each class has the target value, when some class broke the criterion.

    Args:
        kept: Per original class the sensitive values of its people who are published as they are.
        generalized: Per class the number of its people in the published group.
        values: The sensitive values in the published group.
        violates: Whether a whole original class with these values breaks the criterion.
        target: The value, or a set of values that count together.

    Raises:
        ValueError: There is no world in which a class breaks the criterion.

    >>> def broken(values):  # 2-diversity by frequency
    ...     return 2 * values["HIV"] > sum(values.values())
    >>> credibility_enumerated([{}, {}], [2, 5], {"HIV": 2, "flu": 5}, broken, "HIV")
    [Fraction(1, 1), Fraction(0, 1)]
    """
    names = list(values)
    wanted = (
        {target} if isinstance(target, str) or not isinstance(target, Collection) else set(target)
    )
    if len(kept) != len(generalized) or sum(generalized) != sum(values.values()):
        raise ValueError("the group has as many values as people, in as many classes as are given")

    @cache
    def choices(i: int, left: tuple[int, ...]) -> list[tuple[tuple[int, ...], int, bool]]:
        """Counts that class i can get of what is left, their number of orders, and the verdict."""
        options = []
        for counts in _compositions(generalized[i], left):
            orders = math.factorial(generalized[i])
            whole = {name: kept[i].get(name, 0) for name in {*names, *kept[i]}}
            for name, count in zip(names, counts, strict=True):
                orders //= math.factorial(count)
                whole[name] += count
            options.append((counts, orders, violates(whole)))
        return options

    @cache
    def ways(i: int, left: tuple[int, ...]) -> tuple[int, int]:
        """Worlds of the classes from i on: those in which some class breaks, and the others."""
        if i == len(generalized):
            return 0, 1
        broken = good = 0
        for counts, orders, verdict in choices(i, left):
            later, rest = ways(i + 1, _minus(left, counts))
            broken += orders * (later + (rest if verdict else 0))
            good += 0 if verdict else orders * rest
        return broken, good

    everything = tuple(values[name] for name in names)
    total, _ = ways(0, everything)
    if not total:
        raise ValueError("in no world does a class break the criterion; nothing was generalized")
    # People's expected counts: worlds reached so far (broken already or not), class by class.
    reached: dict[tuple[int, ...], tuple[int, int]] = {everything: (0, 1)}
    beliefs = []
    for i, people in enumerate(generalized):
        expected = 0
        following: dict[tuple[int, ...], tuple[int, int]] = {}
        for left, (broken, good) in reached.items():
            for counts, orders, verdict in choices(i, left):
                rest = _minus(left, counts)
                later, fine = ways(i + 1, rest)
                now_broken = orders * (broken + (good if verdict else 0))
                now_good = 0 if verdict else orders * good
                hits = sum(c for name, c in zip(names, counts, strict=True) if name in wanted)
                expected += hits * (now_broken * (later + fine) + now_good * later)
                a, b = following.get(rest, (0, 0))
                following[rest] = (a + now_broken, b + now_good)
        reached = following
        size = people + sum(kept[i].values())
        sure = sum(count for name, count in kept[i].items() if name in wanted)
        if size == 0:
            raise ValueError("a class has nobody in it")
        beliefs.append((Fraction(expected, total) + sure) / size)
    return beliefs


def _minus(left: tuple[int, ...], counts: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a - b for a, b in zip(left, counts, strict=True))


def _compositions(total: int, limits: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Give every way to write a total as a sum of counts within limits."""
    if not limits:
        if total == 0:
            yield ()
        return
    rest = sum(limits[1:])
    for first in range(max(0, total - rest), min(total, limits[0]) + 1):
        for others in _compositions(total - first, limits[1:]):
            yield (first, *others)
