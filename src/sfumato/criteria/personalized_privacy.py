"""Personalized privacy (Xiao and Tao; Wong 2009, section 5.1.5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Bound, Value
from sfumato.criteria.criterion import Criterion
from sfumato.data.groups import Counts, Groups
from sfumato.errors import BadInput
from sfumato.formulas.exact import at_most, largest_ratio
from sfumato.parameters import column_name, number, optional_column
from sfumato.text import share


@dataclass(frozen=True)
class PersonalizedPrivacy(Criterion):
    """Nobody's group has more than 1/l of its people under the node that the person guards.

    Everybody names a node of the sensitive attribute's hierarchy, or a value, or nothing. This is
    the bound as Wong 2009 states it. The node need not lie above the person's own value, which
    Xiao and Tao ask for: people without a disease may guard against being taken for ill.

    Whoever guards the root asks for the impossible unless l is 1. The criterion is not monotone:
    a safe group joined by a safe one in which nobody minds can become unsafe.

    Args:
        l: The bound, a number of at least 1; a fraction is accepted.
        guarding: The column that names each person's node; where it is missing, the person guards
            nothing. It has no role: it is counted, and never published.
        attribute: The sensitive column, when there are several.

    >>> from sfumato.data.groups import Guards, Histogram
    >>> one = Guards(Histogram.from_dense([[1], [1]]), nodes=np.array([[0, 0]]))
    >>> groups = Groups([1, 3], [[1, 0], [1, 2]], ["1st-4th", "undergrad"], guards=one)
    >>> PersonalizedPrivacy(2, "guard").holds(groups)
    array([False,  True])
    >>> PersonalizedPrivacy(2, "guard").measure(groups)
    Fraction(1, 1)
    """

    l: Fraction
    guarding: str = field()  # no default
    attribute: str | None = None

    def __init__(
        self, l: float | Fraction | str, guarding: str, attribute: str | None = None
    ) -> None:
        owner = "PersonalizedPrivacy"
        object.__setattr__(self, "l", number(owner, "l", l, least=1))
        object.__setattr__(self, "guarding", column_name(owner, "guarding", guarding))
        object.__setattr__(self, "attribute", optional_column(owner, "attribute", attribute))

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Compare the share under every node that somebody of a group guards with 1/l."""
        under, group = under_guards(groups)
        held = np.ones(len(groups), dtype=bool)
        held[group[~at_most(under, groups.sizes[group], 1 / self.l)]] = False
        return held

    def measure(self, groups: Groups) -> Value:
        """The l of the worst guarded node: 1 over the largest share."""
        if not len(groups):
            return None
        share = largest_guarded_share(groups)
        return 1 / share if share else float("inf")

    def promised(self) -> Value:
        """The l."""
        return self.l.numerator if self.l.denominator == 1 else self.l

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """It has no kinds."""
        return (cls("3/2", "guard"),)

    def monotone(self, *, suppression: bool) -> bool:
        """People who mind may be joined by people under their node who do not."""
        del suppression
        return False

    def belief_allowed(self) -> Bound:
        """At most 1/l, of what the person guards."""
        return Bound("<=", 1 / self.l)

    def without_sizes(self) -> Criterion:
        """It says nothing of sizes."""
        return self

    def in_words(self) -> str:
        """Say what people could name."""
        return (
            "Everybody could name what nobody is to believe of them: a sensitive value, or several "
            "under one name. In the groups of those who did, it is true of at most "
            f"{share(1 / self.l)} of the people. What was named is not published."
        )


def under_guards(groups: Groups) -> tuple[Counts, NDArray[np.intp]]:
    """Count, for every node guarded in a group, the people under it; and name the group."""
    guards = groups.guards
    if guards is None:
        raise BadInput("PersonalizedPrivacy: needs what the people of every group guard")
    group = guards.counted.group_of
    low, high = guards.nodes[guards.counted.codes].T
    return groups.histogram.between(group, low, high), group


def largest_guarded_share(groups: Groups) -> Fraction:
    """Give the largest share of a group under a node that somebody in it guards."""
    under, group = under_guards(groups)
    share = largest_ratio(under, groups.sizes[group])
    return share if isinstance(share, Fraction) else Fraction(0)
