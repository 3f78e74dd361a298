"""t-closeness (Li et al.; Ciriani 2008, definition 5.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Bound, Value
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judge import Judge
from sfumato.data.domain import Domain
from sfumato.data.groups import Counts, Groups
from sfumato.errors import BadInput
from sfumato.formulas.exact import Exact, at_most, largest_ratio
from sfumato.formulas.measures.closeness import ordered_distance, tree_distance
from sfumato.parameters import number, one_of, optional_column
from sfumato.text import value_text

DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True)
class TCloseness(Criterion):
    """The sensitive values of every group are distributed almost as in the ORIGINAL table.

    The earth mover's distance is at most t (the paper says lower than; equality is allowed here
    and in most of the literature). Suppressed rows still count in the original.

    Args:
        t: The largest distance allowed, from 0 to 1.
        distance: "equal": all values equally far apart. "ordered": values on a line, by their
            numbers or the order of their hierarchy, else sorted. "hierarchical": two values are as
            far apart as the level of their nearest common ancestor, as a share of the height.
        attribute: The sensitive column, when there are several.

    >>> groups = Groups([2, 2], [[2, 0], [1, 1]], values=["a", "b"], reference=[3, 1])
    >>> TCloseness(0.25).holds(groups), TCloseness(0.2).measure(groups)
    (array([ True,  True]), Fraction(1, 4))
    """

    t: Fraction
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    attribute: str | None = None
    needs_original: ClassVar[bool] = True

    def __init__(
        self,
        t: float | Fraction | str,
        distance: Literal["equal", "ordered", "hierarchical"] = "equal",
        attribute: str | None = None,
    ) -> None:
        exact = number("TCloseness", "t", t, least=0, most=1)
        one_of("TCloseness", "distance", distance, DISTANCES)
        object.__setattr__(self, "t", exact)
        object.__setattr__(self, "distance", distance)
        object.__setattr__(self, "attribute", optional_column("TCloseness", "attribute", attribute))

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare every group's distance with t."""
        return at_most(*self._distances(groups), self.t)

    def measure(self, groups: Groups) -> Value:
        """The distance of the farthest group."""
        return largest_ratio(*self._distances(groups))

    def promised(self) -> Value:
        """The t."""
        return self.t

    def certainly(
        self, groups: Groups, n_unseen: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Bound the distance by the share of the people who are missing from the reference.

        No two values are farther apart than 1, so these people move the reference by their share
        at most, and the distance from it likewise (the triangle inequality). Where the values are
        a closed list the distances between them are known; a missing value among the unseen would
        be one more at the end of the line. Otherwise unseen values may lie anywhere between, and
        one that is no number changes the order: then two values are at least one step of the
        longest line apart, or one of nobody knows how many levels.
        """
        published = int(groups.original("TCloseness").sum())
        share = Fraction(n_unseen, max(1, published + n_unseen))
        domain = groups.values if isinstance(groups.values, Domain) else None
        closed = domain is not None and domain.closed
        if self.distance == "equal" or (closed and self.distance == "hierarchical"):
            distances = self._distances(groups)
            return at_most(*distances, self.t - share), ~at_most(*distances, self.t + share)
        steps = groups.histogram.n_values - 1
        if domain is not None and closed and steps:
            more = 0 if domain.has_missing else min(1, n_unseen)
            distances = self._distances(groups)
            farthest = ((self.t - share) * (steps + more) - more) / steps
            nearest = (self.t + share) * (steps + more) / steps
            return at_most(*distances, farthest), ~at_most(*distances, nearest)
        different = replace(self, distance="equal")._distances(groups)
        keeps = at_most(*different, self.t - share)
        if self.distance == "hierarchical":
            return keeps, np.zeros(len(groups), dtype=bool)
        return keeps, ~at_most(*different, self.t * max(1, steps + n_unseen) + share)

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """One of each kind."""
        return (cls("1/2"), cls("1/2", "ordered"), cls("1/2", "hierarchical"))

    def monotone(self, *, suppression: bool) -> bool:
        """A union of close groups is close; a close group joined by others may not be."""
        return not suppression

    def judge(self, values: Domain, reference: Counts) -> Judge:
        """Distances in integers, by compiled loops."""
        from sfumato.criteria.closeness_judge import LineJudge, TreeJudge  # noqa: PLC0415  (a compiler)

        if self.distance == "ordered":
            return LineJudge.of(self, self.t, reference)
        lows = [np.arange(len(reference), dtype=np.int32)]
        if self.distance == "hierarchical":
            lows = list(values.taxonomy.low[:-1])
        return TreeJudge.of(self, self.t, lows, reference)

    def distance_allowed(self) -> Bound:
        """The t."""
        return Bound("<=", self.t)

    @property
    def needs_order(self) -> bool:
        """All distances but the equal one are measured by it."""
        return self.distance != "equal"

    def without_sizes(self) -> Criterion:
        """It says nothing of sizes."""
        return self

    def refuse(self, attribute: str, domain: Domain) -> None:
        """Without a tree there is nothing to measure a hierarchical distance by."""
        if self.distance == "hierarchical" and domain.taxonomy.height < 2:
            raise BadInput(
                f"{self}: column {attribute!r} has no tree; give it a hierarchy with hierarchies=, "
                "or use another distance"
            )

    def in_words(self) -> str:
        """Say how far from the table."""
        return (
            "The sensitive values of every group are distributed almost as in the whole table: the "
            f"{self.distance} distance is at most {value_text(self.t)}."
        )

    def _distances(self, groups: Groups) -> tuple[Exact, Exact]:
        reference = groups.original("TCloseness")
        if self.distance == "ordered":
            return ordered_distance(groups.sizes, groups.histogram, reference)
        lows = [np.arange(groups.histogram.n_values, dtype=np.int32)]
        if self.distance == "hierarchical":
            if not isinstance(groups.values, Domain):
                raise BadInput("TCloseness: the hierarchical distance needs a domain with a tree")
            lows = list(groups.values.taxonomy.low[:-1])
        return tree_distance(groups.sizes, groups.histogram, reference, lows)
