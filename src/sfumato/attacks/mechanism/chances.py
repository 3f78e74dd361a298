"""How likely a failed step is to break something, over all worlds: bounds on either side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.mechanism.component import Component
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes
from sfumato.formulas.minimality.posterior import RejectedStep

MOST_VALUES = 4  # that are looked at, the most frequent ones
MOST_CHILDREN = 200  # that are looked at, the small ones
MOST_IN_CHILD = 200  # people in a child of which chances are counted
BITS = 80  # of a chance, which is rounded up
ONE = 1 << BITS
SMALL = ONE >> 40  # to go on would change nothing


def step_chances(component: Component) -> list[StepChances]:
    """State the steps of a component, if shares are bounded and nothing else; otherwise none."""
    wanted = component.solver.bounded_values()
    if wanted is None:
        return []
    share, code_of = wanted
    having = np.zeros((len(component.groups), len(code_of)), dtype=np.int64)
    for number, row in enumerate(having):
        _count(row, code_of, *component.histogram(number))
    n_people = np.bincount(component.group_of_cell, weights=component.people).astype(np.int64)
    in_group = np.zeros((len(component.people), len(n_people)), dtype=np.int64)
    in_group[np.arange(len(in_group)), component.group_of_cell] = component.people
    chances = []
    for step in component.cell_steps:
        parts = step.children @ in_group
        limits = share.numerator * (parts.sum(axis=1) + step.fixed.sum(axis=1))
        limits = limits[:, np.newaxis] // share.denominator - _fixed(step, code_of)
        separate = bool((step.children.sum(axis=0) <= 1).all())
        chances.append(StepChances(parts, limits, having, n_people, separate))
    return chances


@dataclass(frozen=True, eq=False)
class StepChances:
    """One step: its children break by a value if more people than a limit have it."""

    parts: Counts  # (n_children, n_groups): people
    limits: Counts  # (n_children, n_values)
    having: Counts  # (n_groups, n_values): people with each value
    n_people: Counts  # (n_groups,)
    separate: bool  # nobody is in two children

    def none_breaks(self, without: int | None = None) -> Fraction:
        """Give a number no less than the chance that no child breaks.

        without: nor look at children with people of this group. Values are dealt without
        replacement in every group, so numbers of people with one value in separate children are
        negatively associated (Joag-Dev and Proschan 1983): the chance that all of them are small
        is at most the product of the chances that each is. The best value is taken.
        """
        size = self.parts.sum(axis=1)
        kept = size <= MOST_IN_CHILD
        if without is not None:
            kept &= self.parts[:, without] == 0
        children = np.flatnonzero(kept)
        children = children[np.argsort(size[children], kind="stable")][:MOST_CHILDREN].tolist()
        frequent = np.argsort(-self.having.sum(axis=0), kind="stable")[:MOST_VALUES].tolist()
        return Fraction(min(self._product(children, v) for v in frequent), ONE)

    def some_breaks(self, group: int) -> Fraction:
        """Give a number no less than the chance that a child with people of a group breaks."""
        return Fraction(min(ONE, sum(self._breaks[self.parts[:, group] > 0].tolist())), ONE)

    def _product(self, children: list[int], v: int) -> int:
        chance = ONE
        for c in children:
            own = at_most(int(self.limits[c, v]), self._drawn(c, v))
            chance = -(-chance * own // ONE) if self.separate else min(chance, own)
            if chance < SMALL:
                break
        return chance

    @cached_property
    def _breaks(self) -> NDArray[np.object_]:
        """(n_children,): no less than the chance that each breaks, by one value or another."""
        chances = np.zeros(len(self.parts), dtype=object)
        for c in range(len(self.parts)):
            most = np.minimum(self.having, self.parts[c][:, np.newaxis]).sum(axis=0)
            values = np.flatnonzero(most > self.limits[c]).tolist()
            chances[c] = sum(self._breaks_by(c, v) for v in values)
        return chances

    def _breaks_by(self, c: int, v: int) -> int:
        """By one value: counted as few people without it, or bounded by Hoeffding 1963."""
        size, limit = int(self.parts[c].sum()), int(self.limits[c, v])
        drawn = self._drawn(c, v)
        if size <= MOST_IN_CHILD:
            return at_most(size - limit - 1, tuple((n, n - having, k) for n, having, k in drawn))
        more = limit + 1 - float(sum(Fraction(k * having, n) for n, having, k in drawn))
        if more <= 0:
            return ONE
        chance = Fraction(math.exp(-2 * more**2 / size) * (1 + 1e-9))  # 0.0 where it is too small
        return min(ONE, max(1, math.ceil(chance * ONE)))

    def _drawn(self, c: int, v: int) -> tuple[tuple[int, int, int], ...]:
        return tuple(
            (int(self.n_people[g]), int(self.having[g, v]), int(self.parts[c, g]))
            for g in np.flatnonzero(self.parts[c]).tolist()
        )


def _count(row: Counts, code_of: Codes, codes: NDArray[np.signedinteger], counts: Counts) -> None:
    bounded = code_of[codes] >= 0
    np.add.at(row, code_of[codes[bounded]], counts[bounded])


def _fixed(step: RejectedStep, code_of: Codes) -> Counts:
    """Count the people outside the component by the values that are bounded."""
    counts = np.zeros((len(step.fixed), len(code_of)), dtype=np.int64)
    for row, fixed in zip(counts, step.fixed, strict=True):
        codes = np.flatnonzero(fixed)
        _count(row, code_of, codes, fixed[codes])
    return counts


@lru_cache(maxsize=1 << 14)
def at_most(most: int, drawn: tuple[tuple[int, int, int], ...]) -> int:
    """Give the chance that at most so many people who are drawn have a value; ONE is certain.

    Rounded up. drawn: of each group its people, those who have the value, and those drawn.

    >>> at_most(0, ((4, 2, 1),)) / ONE
    0.5
    """
    if most < 0:
        return 0
    chances = [ONE]  # by people who have it
    for n, having, k in drawn:
        ways = math.comb(n, k)
        own = [
            -(-(math.comb(having, x) * math.comb(n - having, k - x) << BITS) // ways)
            for x in range(min(k, having, most) + 1)
        ]
        sums = [0] * min(most + 1, len(chances) + len(own) - 1)
        for i, a in enumerate(chances):
            for j, b in enumerate(own[: len(sums) - i]):
                sums[i + j] += a * b
        chances = [-(-total // ONE) for total in sums]
    return min(ONE, sum(chances))
