"""l-diversity: distinct, entropy, and by frequency (Ciriani 2008, section 5; Wong 2009)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judge import Judge
from sfumato.criteria.thresholds import Thresholds
from sfumato.data.decimals import LARGEST
from sfumato.data.domain import Domain
from sfumato.data.groups import Counts, Groups, Histogram, sets_of
from sfumato.data.values import published_text
from sfumato.errors import BadInput
from sfumato.formulas.exact import at_most, largest_ratio
from sfumato.formulas.measures.diversity import entropy, entropy_diverse
from sfumato.parameters import number, one_of, optional_column, refusal, true_or_false
from sfumato.text import counted, share

KINDS = ("distinct", "entropy", "frequency")


@dataclass(frozen=True)
class LDiversity(Criterion):
    """Every group has sensitive values that are diverse enough.

    Args:
        l: The threshold; a fraction is accepted where it makes sense.
        kind: "distinct": at least l different values (definition 5.1). "entropy": entropy at least
            log l. "frequency": no value has a share above 1/l, which is what Wong 2009 and
            Cormode 2010 call l-diversity.
        values: The values that are sensitive. For "frequency" only these are bounded; the other
            kinds need `pooled` with it. The name of a node of the column's hierarchy stands for
            all values below it, which count together as one.
        pooled: Count `values` together as one value (Wong's sensitive value set).
        attribute: The sensitive column, when there are several.

    >>> groups = Groups(sizes=[3, 3], histogram=[[3, 0, 0], [1, 2, 0]], values=["a", "b", "c"])
    >>> LDiversity(2).holds(groups), LDiversity(2).measure(groups)
    (array([False,  True]), 1)
    >>> LDiversity(2, kind="frequency", values=["b", "c"]).measure(groups)
    Fraction(3, 2)
    """

    l: Fraction
    kind: Literal["distinct", "entropy", "frequency"] = "distinct"
    values: tuple[object, ...] | None = None
    pooled: bool = False
    attribute: str | None = None
    takes_nodes: ClassVar[bool] = True

    def __init__(
        self,
        l: float | Fraction | str,
        kind: Literal["distinct", "entropy", "frequency"] = "distinct",
        values: Sequence[object] | set[object] | frozenset[object] | None = None,
        pooled: bool = False,
        attribute: str | None = None,
    ) -> None:
        exact = number("LDiversity", "l", l, least=1)
        one_of("LDiversity", "kind", kind, KINDS)
        if kind == "distinct" and exact.denominator != 1:
            raise refusal("LDiversity", "l", "an integer for distinct values", l)
        listed = protected_values("LDiversity", values, pooled)
        if values is not None and kind != "frequency" and not pooled:
            raise BadInput(
                f'LDiversity: with kind="{kind}" values can only be pooled into one; '
                "say pooled=True"
            )
        for name, value in {
            "l": exact,
            "kind": kind,
            "values": listed,
            "pooled": pooled,
            "attribute": optional_column("LDiversity", "attribute", attribute),
        }.items():
            object.__setattr__(self, name, value)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Judge every group."""
        histogram = self._judged(groups)
        if self.kind == "distinct":
            return np.asarray(histogram.n_distinct() >= self.l.numerator)
        if self.kind == "entropy":
            return entropy_diverse(histogram, self.l)
        return at_most(histogram.largest(), groups.sizes, 1 / self.l)

    def measure(self, groups: Groups) -> Value:
        """The l of the worst group: a number of values, e to its entropy, or 1 over a share."""
        if not len(groups):
            return None
        histogram = self._judged(groups)
        if self.kind == "distinct":
            return int(histogram.n_distinct().min())
        if self.kind == "entropy":
            return float(np.exp(entropy(histogram).min()))
        share = largest_ratio(histogram.largest(), groups.sizes)
        return 1 / share if share else float("inf")

    def promised(self) -> Value:
        """The l."""
        return self.l.numerator if self.l.denominator == 1 else self.l

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """One of each kind."""
        return (cls(2), cls("3/2", "entropy"), cls("3/2", "frequency"))

    def monotone(self, *, suppression: bool) -> bool:
        """Adding people can make one value too frequent, but takes no value away."""
        return self.kind == "distinct" or not suppression

    def judge(self, values: Domain, reference: Counts) -> Judge:
        """Entropy by compiled loops."""
        if self.kind != "entropy":
            return super().judge(values, reference)
        from sfumato.criteria.diversity_judge import EntropyJudge  # noqa: PLC0415  (a compiler)

        return EntropyJudge(self, self.l, self.protects(values))

    def thresholds(self) -> Thresholds | None:
        """A share of at most 1/l, or l different values; entropy is neither."""
        if self.kind == "frequency":
            return Thresholds(share=1 / self.l)
        return Thresholds(values=self.l.numerator) if self.kind == "distinct" else None

    def values_wanted(self) -> int:
        """The l; none where other values than those named may be all the same."""
        return math.ceil(self.l) if self.kind == "entropy" else super().values_wanted()

    def enough_different(self) -> int:
        """The l, whatever the kind."""
        return math.ceil(self.l)

    def stricter(self, factor: Fraction) -> Criterion | None:
        """A larger l, for shares."""
        if self.kind != "frequency":
            return None
        return replace(self, l=Fraction(math.ceil(factor * self.l)))

    def joining(self) -> int:
        """Buckets of l people, where l is whole and bounds shares."""
        whole = self.kind == "frequency" and self.l.denominator == 1
        return self.l.numerator if whole else 1

    def protects(self, values: Domain | Sequence[object]) -> NDArray[np.int32]:
        """The values given, with `pooled` as one, and where they are counted the others too."""
        others = self.kind != "frequency"
        return codes_protected(values, self.values, pooled=self.pooled, others=others)

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
        """Say how many values, how evenly spread, or how frequent."""
        names = () if self.values is None else map(str, self.values)
        as_one = "" if self.values is None else f", where {', '.join(names)} count as one"
        if self.kind == "distinct":
            return f"Every group has at least {different_values(self.l)}{as_one}."
        if self.kind == "entropy":
            return (
                "The sensitive values of every group are spread as evenly as "
                f"{different_values(self.l)} that are equally frequent, or more (entropy){as_one}."
            )
        bounded = protected_in_words(self.values, pooled=self.pooled)
        return f"In no group do more than {share(1 / self.l)} of the people have {bounded}."

    def _judged(self, groups: Groups) -> Histogram:
        return groups.histogram.counted_as(self.protects(groups.values))


def different_values(n: int | Fraction) -> str:
    """Write how many different values there are."""
    return counted(n, "sensitive value", "different sensitive values")


def protected_in_words(values: Sequence[object] | None, *, pooled: bool) -> str:
    """Say which values are bounded, as the end of a sentence.

    >>> protected_in_words(["HIV", "cancer"], pooled=True)
    'one of HIV, cancer (counted together)'
    """
    if values is None:
        return "the same sensitive value"
    names = ", ".join(map(str, values))
    if len(values) == 1:
        return names
    return f"one of {names} (counted together)" if pooled else f"the same one of {names}"


def renamed(
    values: tuple[object, ...] | None, names: Mapping[object, str]
) -> tuple[object, ...] | None:
    """Give values by other names; two that become one are one."""
    return None if values is None else tuple(dict.fromkeys(names.get(v, v) for v in values))


def codes_protected(
    values: Domain | Sequence[object],
    named: Sequence[object] | None,
    *,
    pooled: bool,
    others: bool,
) -> NDArray[np.int32]:
    """Say what each value counts as, where some are named; others: whether the rest counts too.

    A name of a node stands for all values below it, which count as one.
    """
    every = np.arange(len(values), dtype=np.int32)
    if named is None:
        return every
    codes = every if others else np.full(len(values), -1, dtype=np.int32)
    sets = sets_of(values, named)
    for each in sets:
        codes[each] = sets[0][0] if pooled else each[0]
    return codes


def _is_value(value: object) -> bool:
    """Whether a value can be compared and written down."""
    return isinstance(value, Hashable) and not (isinstance(value, int) and abs(value) > LARGEST)


def protected_values(
    owner: str, values: Sequence[object] | set[object] | frozenset[object] | None, pooled: bool
) -> tuple[object, ...] | None:
    """Check the values that a steward calls sensitive; None: all of them."""
    if not true_or_false(owner, "pooled", pooled) and values is None:
        return None
    plain = isinstance(values, (list, tuple, set, frozenset)) and all(map(_is_value, values))
    if values is not None and not plain:
        raise refusal(owner, "values", "a list of values", values)
    if values is not None and not values:
        raise BadInput(f"{owner}: values is empty; leave it out to protect every value")
    if pooled and values is None:
        raise BadInput(f"{owner}: pooled needs the values that count as one")
    return None if values is None else tuple(sorted(set(map(_writable, values)), key=str))


def _writable(value: object) -> object:
    """Give a value as files have it: one that is neither text nor a number, as its text."""
    return value if isinstance(value, (bool, int, float)) else published_text(value)
