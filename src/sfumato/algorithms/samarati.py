"""Samarati's algorithm: binary search for the lowest generalization (Ciriani 2008, 3.2.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sfumato.algorithms.base import Algorithm, Draw, allowed_rows, check_limit
from sfumato.algorithms.lattice import Judged, Lattice
from sfumato.criteria.base import Criterion, reached
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import Recoding
from sfumato.errors import Unsatisfiable
from sfumato.progress import report


@dataclass(frozen=True)
class Samarati(Algorithm):
    """Full-domain generalization with the fewest steps, leaving out at most `max_suppressed` rows.

    Follows algorithm 3.1, with `suppressed <= max_suppressed` as in definition 3.4. Among the
    nodes of the lowest height, which the paper leaves open, the one with the fewest suppressed
    rows wins, then the first in the order of the columns.

    The binary search rests on monotonicity. Where suppression takes it away (a safe group can
    become unsafe when people of an unsafe one join it), all heights are tried from below.
    """

    max_suppressed: float = 0
    deterministic: ClassVar[bool] = True
    symmetric: ClassVar[bool] = True
    joint: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_limit("Samarati", self.max_suppressed)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Find the lowest height that has a safe node."""
        del draw
        lattice = Lattice(frequencies, criterion)
        limit = allowed_rows(self.max_suppressed, frequencies.n_rows)
        low, high = 0, lattice.height
        if criterion.monotone(suppression=limit > 0):
            while low < high:
                middle = (low + high) // 2
                if any(_safe_at(lattice, middle, limit)):
                    high = middle
                else:
                    low = middle + 1
        for height in range(low, lattice.height + 1):
            safe = list(_safe_at(lattice, height, limit))
            if safe:
                return lattice.recoding(min(safe, key=lambda judged: judged.n_suppressed))
        raise Unsatisfiable(_evidence(lattice, limit))


def _safe_at(lattice: Lattice, height: int, limit: int) -> Iterator[Judged]:
    """Give the nodes of a height that need no more suppression than the limit allows."""
    nodes = list(lattice.at_height(height))
    for done, node in enumerate(nodes):
        report(f"searching height {height} of {lattice.height}", done, len(nodes))
        judged = lattice.judge(node)
        if judged.n_suppressed <= limit:
            yield judged


def _evidence(lattice: Lattice, limit: int) -> str:
    top = lattice.grouping(lattice.heights)
    return (
        f"no level of these hierarchies satisfies {lattice.criterion} with at most {limit} of "
        f"{lattice.frequencies.n_rows} rows suppressed; with everything generalized to the top "
        f"{list(lattice.heights)}, {reached(lattice.criterion, top)}"
    )
