"""Which people fit a published row: labels read as an adversary with a list of people would."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import MISSING_TEXT, Domain, as_number
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.groups import Counts
from sfumato.errors import CannotRun

PAIRS_AT_ONCE = 1 << 16
NOBODY = (0, -1)


def boxes_in(domains: Mapping[str, Domain], seen: Grouping) -> NDArray[np.int32]:
    """Translate published groups into boxes of another table's ranks; empty sides are (0, -1)."""
    sides = []
    for j, column in enumerate(seen.frequencies.quasi_identifiers):
        reader = _Reader(column, domains[column])
        labels = seen.frequencies.domains[column].labels
        intervals = np.array([reader.interval(label) for label in labels], dtype=np.int32)
        sides.append(intervals.reshape(-1, 2)[seen.boxes[:, j, 0]])
    return np.stack(sides, axis=1)


def people_in(boxes: NDArray[np.int32], table: FrequencySet) -> Counts:
    """Count the people of a table in each of many boxes, which may overlap."""
    ground = table.combinations
    codes = np.stack([ground.codes(column) for column in ground.columns], axis=1)
    found = np.zeros(len(boxes), dtype=np.int64)
    # Boxes that share their first sides share the people found there.
    waiting = [(np.arange(len(boxes)), np.arange(len(codes)), 0)]
    while waiting:
        group, member, j = waiting.pop()
        if not len(member):
            continue
        if j == boxes.shape[1]:
            found[group] = ground.counts[member].sum()
        elif len(group) * len(member) <= PAIRS_AT_ONCE:
            inside = np.ones((len(group), len(member)), dtype=bool)
            for i in range(j, boxes.shape[1]):
                code, side = codes[member, i], boxes[group, i]
                inside &= (code >= side[:, :1]) & (code <= side[:, 1:])
            found[group] = inside @ ground.counts[member]
        else:
            member = member[np.argsort(codes[member, j], kind="stable")]
            code = codes[member, j]
            order = np.lexsort((boxes[group, j, 1], boxes[group, j, 0]))
            group = group[order]
            sides = boxes[group, j]
            starts = np.flatnonzero((np.diff(sides, axis=0, prepend=-2) != 0).any(axis=1))
            for those in np.split(group, starts[1:]):
                low, high = boxes[those[0], j]
                first, end = np.searchsorted(code, [low, high + 1])
                waiting.append((those, member[first:end], j + 1))
    return found


class _Reader:
    """Reads the published labels of one column as intervals of a domain's ranks."""

    def __init__(self, column: str, domain: Domain) -> None:
        self.column, self.domain = column, domain
        taxonomy = domain.taxonomy
        self.nodes: dict[str, tuple[int, int]] = {}
        for level, names in enumerate(taxonomy.labels):  # the largest of several with one name
            for rank, name in enumerate(names):
                if name is not None:
                    ends = int(taxonomy.low[level, rank]), int(taxonomy.high[level, rank])
                    self.nodes[str(name)] = ends
        self.top = len(domain) - 1
        known = [label for label in domain.labels if label is not None]
        self.n_known = len(known)
        self.order: Any = str if domain.numbers is None else as_number
        if domain.numbers is not None and any(self.order(label) is None for label in known):
            self.order = str  # dates and times in ISO text
        self.places = [self.order(label) for label in known]

    def interval(self, label: object) -> tuple[int, int]:
        """Give the ranks that a label may stand for."""
        missing = (self.top, self.top) if self.domain.has_missing else NOBODY
        if label is None:
            return missing
        text = str(label)
        if text in self.nodes:
            return self.nodes[text]
        if text == "*":  # suppressed, whatever the root is called
            return (0, self.top)
        if text == f"not {MISSING_TEXT}":
            return (0, self.n_known - 1)
        if text.endswith(f" or {MISSING_TEXT}"):
            return _around([self.interval(text.removesuffix(f" or {MISSING_TEXT}")), missing])
        if text.startswith("{") and text.endswith("}"):
            names = text[1:-1].split(", ")
            return _around([missing if n == MISSING_TEXT else self.interval(n) for n in names])
        return self._range(text)

    def _range(self, text: str) -> tuple[int, int]:
        low = high = None
        if text.startswith("[") and text.endswith(")") and text.count(", ") == 1:
            low, high = text[1:-1].split(", ")
        elif text.startswith("<"):
            high = text[1:]
        elif text.startswith(">="):
            low = text[2:]
        elif not self.domain.closed:  # a value that this table does not have
            return NOBODY
        bounds = [None if bound is None else self.order(bound) for bound in (low, high)]
        if (low, high) == (None, None) or (None in bounds and None not in (low, high)):
            raise CannotRun(
                f"column {self.column!r}: a published value is neither a range nor in the "
                "hierarchy of the list of people; read the list with the release's hierarchies",
                [text],
            )
        first = 0 if low is None else bisect_left(self.places, bounds[0])
        end = self.n_known if high is None else bisect_left(self.places, bounds[1])
        return (first, end - 1) if end > first else NOBODY


def _around(intervals: list[tuple[int, int]]) -> tuple[int, int]:
    filled = [each for each in intervals if each != NOBODY]
    if not filled:
        return NOBODY
    return min(low for low, _ in filled), max(high for _, high in filled)
