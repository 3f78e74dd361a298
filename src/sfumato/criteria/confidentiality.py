"""m-confidentiality: what somebody believes who knows how a release was made (Wong 2009)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.l_diversity import codes_protected, protected_values, renamed
from sfumato.criteria.thresholds import Thresholds
from sfumato.data.domain import Domain
from sfumato.data.groups import Groups, Histogram
from sfumato.formulas.exact import at_most, largest_ratio
from sfumato.parameters import number, optional_column
from sfumato.text import share


@dataclass(frozen=True)
class Confidentiality(Criterion):
    """Nobody who knows how the release was made believes in a person's value with more than 1/m.

    Definition 5 of Wong 2009. The adversary knows the published table, everybody's
    quasi-identifiers, and the method with its parameters: he counts the worlds on which it
    publishes just this. So it is a promise of a *mechanism*, and the same groups may keep it or
    break it, by how they were chosen.

    Groups alone can only break it: beliefs in a group average to the share of the value there, so
    where a share is above 1/m somebody is believed too much. That is what `holds` says. Whether it
    is kept is decided by the mechanism attack (`sf.audit`), exactly, or it is not decided.

    Enforced by `OptimalConfidential`, and by methods to which it makes no difference who of a group
    has which value (`Mondrian(look_ahead=True)`, `Checked` with one k, `Anatomy`, `OneGroup`):
    there the shares of a published group are what is believed. All others are refused. It is about
    what is published. Where `Checked` publishes nothing that is an answer, too, from which
    something may be learned (`sf.attacks.Refusal`); whether the others do depends on no more than
    how often each value occurs in the whole table.

    Args:
        m: Beliefs are at most 1/m; a fraction is accepted.
        values: The values that are protected; all of them unless given. The name of a node of the
            column's hierarchy stands for all values below it, which count together as one.
        pooled: Count `values` together as one value (Wong's sensitive value set).
        attribute: The sensitive column, when there are several.

    >>> groups = Groups([4, 4], [[2, 2, 0], [3, 0, 1]], values=["HIV", "flu", "none"])
    >>> Confidentiality(2).holds(groups), Confidentiality(2, ["flu"]).holds(groups)
    (array([ True, False]), array([ True,  True]))
    >>> Confidentiality(2).measure(groups)
    Fraction(4, 3)
    """

    m: Fraction
    values: tuple[object, ...] | None = None
    pooled: bool = False
    attribute: str | None = None
    by_mechanism: ClassVar[bool] = True
    takes_nodes: ClassVar[bool] = True

    def __init__(
        self,
        m: float | Fraction | str,
        values: Sequence[object] | set[object] | frozenset[object] | None = None,
        pooled: bool = False,
        attribute: str | None = None,
    ) -> None:
        for name, value in {
            "m": number("Confidentiality", "m", m, least=1),
            "values": protected_values("Confidentiality", values, pooled),
            "pooled": pooled,
            "attribute": optional_column("Confidentiality", "attribute", attribute),
        }.items():
            object.__setattr__(self, name, value)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Say which groups do not break it by their shares alone."""
        return at_most(self._protected(groups).largest(), groups.sizes, 1 / self.m)

    def measure(self, groups: Groups) -> Value:
        """The largest m that the shares of the groups leave room for."""
        if not len(groups):
            return None
        largest = largest_ratio(self._protected(groups).largest(), groups.sizes)
        return 1 / largest if largest else float("inf")

    def promised(self) -> Value:
        """The m."""
        return self.m.numerator if self.m.denominator == 1 else self.m

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls("3/2"),)

    def monotone(self, *, suppression: bool) -> bool:
        """Of shares: a union of groups has no larger one than the largest of theirs."""
        return not suppression

    def thresholds(self) -> Thresholds:
        """A share of at most 1/m; where values decided nothing, that is all."""
        return Thresholds(share=1 / self.m)

    def protects(self, values: Domain | Sequence[object]) -> NDArray[np.int32]:
        """The values given, with `pooled` as one; all of them unless given."""
        return codes_protected(values, self.values, pooled=self.pooled, others=False)

    @property
    def exchangeable(self) -> bool:
        """Unless values are named."""
        return self.values is None

    def without_sizes(self) -> Criterion:
        """It says nothing of sizes."""
        return self

    def named_values(self) -> tuple[object, ...]:
        """The values given."""
        return self.values or ()

    def respelled(self, names: Mapping[object, str]) -> Criterion:
        """With other names for the values given; two that become one are one."""
        return replace(self, values=renamed(self.values, names))

    def in_words(self) -> str:
        """Say what is believed at most, and by whom."""
        value = "a sensitive value"
        if self.values is not None:
            names = ", ".join(map(str, self.values))
            value = f"{names}, taken together," if self.pooled else f"one of {names}"
        return (
            "Whoever knows how the release was made, and everybody's quasi-identifiers, believes "
            f"of nobody with more than {share(1 / self.m)} to have {value.rstrip(',')}."
        )

    def _protected(self, groups: Groups) -> Histogram:
        return groups.histogram.counted_as(self.protects(groups.values))
