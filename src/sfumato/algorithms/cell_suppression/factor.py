"""Factors of least weight: groups of two or three people (Ciriani 2008, 3.2.3).

k = 2: a [1,2]-factor, in which every vertex has one or two edges, falls apart into pairs and
threes. k = 3: a 2-factor falls apart into circles; those of more than five are cut into threes and
fours. Aggarwal et al. 2005 show that the groups cost at most 1.5 and 2 times the least for columns
of two values, and 2 and 3 times for others.

Both are found as matchings in a larger graph (Tutte 1954). In tables with at most `COMPLETE`
vertices all edges take part, and the factor is the least; in others only edges to near vertices do,
and nothing is promised.
"""

from __future__ import annotations

from sfumato.algorithms.cell_suppression.one_two_factor import pairs_and_threes
from sfumato.algorithms.cell_suppression.points import Parts, Points
from sfumato.algorithms.cell_suppression.two_factor import cut_circles


def factor_groups(points: Points, k: int) -> Parts:
    """Give the groups of a factor; k is 2 or 3."""
    return pairs_and_threes(points) if k == 2 else cut_circles(points)
