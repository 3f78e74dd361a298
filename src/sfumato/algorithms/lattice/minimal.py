"""k-minimal nodes, and the preference among them (Ciriani 2008, definition 3.4 and section 3)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, get_args

from sfumato.algorithms.lattice.lattice import Lattice, Node
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import reached
from sfumato.errors import Unsatisfiable
from sfumato.parameters import one_of
from sfumato.text import count, counted

Prefer = Literal["absolute_distance", "relative_distance", "distribution", "suppression"]


def check_prefer(owner: str, prefer: object) -> None:
    """Refuse an unknown preference."""
    one_of(owner, "prefer", prefer, get_args(Prefer))


def below(node: Node, other: Node) -> bool:
    """Whether `node` is nowhere more general than `other`."""
    return all(a <= b for a, b in zip(node, other, strict=True))


Preference = tuple[Fraction, int, int, Node]


def preferred(lattice: Lattice, nodes: Iterable[Node], prefer: Prefer) -> Node:
    """Choose among nodes."""
    return min(nodes, key=lambda node: preference(lattice, node, prefer))


def preference(lattice: Lattice, node: Node, prefer: Prefer) -> Preference:
    """Give what nodes are compared by; the least is preferred.

    Fewest steps ("absolute_distance"), fewest steps relative to the heights, most groups
    ("distribution"), or fewest suppressed rows; ties go to the fewest suppressed rows, then to the
    lowest node, then to the first in the order of the columns.
    """
    groups = lattice.rollup.at(node)
    safe = lattice.safe(groups)
    suppressed = int(groups.sizes[~safe].sum())
    if prefer == "absolute_distance":
        first = Fraction(sum(node))
    elif prefer == "relative_distance":
        shares = [Fraction(a, b) for a, b in zip(node, lattice.heights, strict=True)]
        first = sum(shares, Fraction(0))
    elif prefer == "distribution":
        first = Fraction(-int(safe.sum()))
    else:
        first = Fraction(suppressed)
    return first, suppressed, sum(node), node


def refuse(lattice: Lattice, limit: int) -> Unsatisfiable:
    """Say that no node will do, and how far the top one gets."""
    top = lattice.grouping(lattice.heights)
    return Unsatisfiable(
        f"no level of these hierarchies satisfies {lattice.criterion} with at most "
        f"{count(limit)} of {counted(lattice.frequencies.n_rows, 'row')} suppressed; with "
        f"everything generalized to the top {list(lattice.heights)}, "
        f"{reached(lattice.criterion, top.joint)}"
    )


def tried_without_order(criterion: Criterion, max_suppressed: float) -> str | None:
    """Say that all nodes are tried, where a criterion is not monotone; None: it is."""
    if criterion.monotone(suppression=bool(max_suppressed)):
        return None
    if not criterion.monotone(suppression=False):
        return "not monotone: all nodes are tried"
    return "not monotone when rows may be suppressed: all nodes are tried"


def nothing_yet(owner: str, n: int) -> Unsatisfiable:
    """Say that a budget was spent before any node was found that will do."""
    return Unsatisfiable(
        f"{owner}: none of the first {counted(n, 'node')} that were counted is safe; give a larger "
        "budget, or none"
    )
