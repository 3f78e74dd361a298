"""Samarati's algorithm: binary search for the lowest generalization (Ciriani 2008, 3.2.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sfumato.algorithms.lattice.exhaustive import Exhaustive
from sfumato.algorithms.lattice.lattice import Lattice, Node
from sfumato.algorithms.lattice.minimal import tried_without_order
from sfumato.algorithms.lattice.tried import Tried
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.refusals import all_tuples, frequencies_of
from sfumato.criteria.criterion import Criterion
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import Recoding
from sfumato.errors import BadInput, shown
from sfumato.table import Table
from sfumato.text import counted as counted_text


@dataclass(frozen=True)
class Samarati(Exhaustive):
    """Full-domain generalization with the fewest steps, leaving out at most `max_suppressed` rows.

    Follows algorithm 3.1, with `suppressed <= max_suppressed` as in definition 3.4. Among the
    nodes of the lowest height, which the paper leaves open, the one with the fewest suppressed
    rows wins, then the first in the order of the columns. Another preference than the paper's
    "absolute_distance" chooses among all k-minimal nodes, of whatever height.

    The binary search rests on monotonicity. Where suppression takes it away (a safe group can
    become unsafe when people of an unsafe one join it), all heights are tried from below.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati()).levels
    {'age': 1, 'sex': 1}
    """

    def remark(self, criterion: Criterion) -> str | None:
        """Where nothing follows from one node about another, all are tried."""
        return tried_without_order(criterion, self.max_suppressed)

    @classmethod
    def examples(cls) -> tuple[Exhaustive, ...]:
        """One of each kind that behaves differently."""
        return (cls(), cls(0.1), cls(0.2, suppress="cells"), cls(budget=9))

    @staticmethod
    def distance_vector(
        counted: FrequencySet | Table, one: Sequence[object], other: Sequence[object]
    ) -> Node:
        """Give the lowest node at which two tuples are published as one (figure 9).

        A tuple has a value for every quasi-identifier, in their order.

        >>> import sfumato as sf
        >>> patients = sf.read(
        ...     sf.datasets.patients(), {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}
        ... )
        >>> sf.Samarati.distance_vector(patients, (31, "female"), (36, "female"))
        (2, 0)
        """
        frequencies = frequencies_of("distance_vector", counted)
        names = frequencies.quasi_identifiers
        if not all_tuples((one, other)):
            raise BadInput(
                "distance_vector: expected two tuples of values, got "
                f"{shown(one)} and {shown(other)}"
            )
        for given in (one, other):
            if len(given) != len(names):
                raise BadInput(
                    f"distance_vector: a tuple has {counted_text(len(names), 'value')}, of "
                    f"{', '.join(names)}, and one of these has {len(given)}"
                )
        return tuple(
            _meeting_level(frequencies.domains[name], name, *values)
            for name, values in zip(names, zip(one, other, strict=True), strict=True)
        )

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Find the lowest height that has a safe node."""
        if self.prefer != "absolute_distance":
            return super().search(frequencies, criterion, draw)
        return self._searched(frequencies, criterion, _lowest)


def _lowest(lattice: Lattice, tried: Tried) -> list[Node]:
    """Give the safe nodes of the lowest height that has any."""
    low, high = 0, lattice.height
    if lattice.monotone(tried.limit):
        while low < high:
            middle = (low + high) // 2
            if any(True for _ in _safe_at(lattice, middle, tried)):
                high = middle
            else:
                low = tried.lowest = middle + 1
    for height in range(low, lattice.height + 1):
        tried.lowest = height
        nodes = list(_safe_at(lattice, height, tried))
        if nodes:
            return nodes
    return []


def _safe_at(lattice: Lattice, height: int, tried: Tried) -> Iterator[Node]:
    """Give the nodes of a height that need no more suppression than the limit allows."""
    n_nodes = lattice.n_at_height(height)
    for done, node in enumerate(lattice.at_height(height)):
        tried.report(f"searching height {height} of {lattice.height}", done, n_nodes)
        if tried.allowed(node):
            yield node


def _meeting_level(domain: Domain, column: str, one: object, other: object) -> int:
    """Give the level at which two values have the same node."""
    codes = []
    for value in (one, other):
        code = domain.code_of(value)
        if code is None:
            raise BadInput(f"distance_vector: {column!r} has no value {shown(value)}")
        codes.append(code)
    low = domain.taxonomy.low[:, codes]
    return int((low[:, 0] == low[:, 1]).argmax())
