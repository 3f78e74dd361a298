"""Which people fit a published row: labels read as an adversary with a list of people would."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import MISSING_TEXT, Domain, as_number
from sfumato.data.frequency import FrequencySet, Grouping, sum_by
from sfumato.data.groups import Counts
from sfumato.errors import CannotRun
from sfumato.table import Table

PAIRS_AT_ONCE = 1 << 16
Interval = tuple[int, int]  # first and last rank
NOBODY: Interval = (0, -1)


def boxes_in(domains: Mapping[str, Domain], seen: Grouping) -> NDArray[np.int32]:
    """Give the smallest boxes of another table's ranks around published groups.

    Empty sides are (0, -1).
    """
    columns = seen.frequencies.quasi_identifiers
    sides = []
    for j, column in enumerate(columns):
        ends = [(each[0][0], each[-1][1]) for each in _intervals(column, domains[column], seen)]
        sides.append(np.array(ends, dtype=np.int32).reshape(-1, 2)[seen.boxes[:, j, 0]])
    return np.stack(sides, axis=1)


def fitting(people: Table, seen: Grouping) -> Counts:
    """Count the people of a table who fit each published group; they may fit several."""
    columns = seen.frequencies.quasi_identifiers
    owner = np.arange(len(seen.boxes))
    sides: list[NDArray[np.int32]] = []
    for j, column in enumerate(columns):  # a label that stands for two ranges makes two boxes
        ranges = _intervals(column, people.domains[column], seen)
        n_ranges = np.array([len(each) for each in ranges])
        starts = np.cumsum(n_ranges) - n_ranges
        every = np.array([each for several in ranges for each in several], dtype=np.int32)
        label = seen.boxes[owner, j, 0]
        box = np.repeat(np.arange(len(owner)), n_ranges[label])
        which = np.arange(len(box)) - np.searchsorted(box, box)  # 0 for the first range of a label
        sides = [side[box] for side in sides] + [every[starts[label[box]] + which]]
        owner = owner[box]
    found = people_in(np.stack(sides, axis=1), people.combinations(), columns)
    return sum_by(owner, found, len(seen.boxes))


def fits(column: str, domain: Domain, rank: int, seen: Grouping) -> NDArray[np.bool_]:
    """Say for every published group whether a value fits its label."""
    inside = [
        any(low <= rank <= high for low, high in each) for each in _intervals(column, domain, seen)
    ]
    j = seen.frequencies.quasi_identifiers.index(column)
    return np.array(inside, dtype=bool)[seen.boxes[:, j, 0]]


def _intervals(column: str, domain: Domain, seen: Grouping) -> list[list[Interval]]:
    """Read all labels of a published column."""
    reader = _Reader(column, domain)
    return [reader.intervals(label) for label in seen.frequencies.domains[column].labels]


def people_in(
    boxes: NDArray[np.int32], table: FrequencySet, columns: Sequence[str] | None = None
) -> Counts:
    """Count the people of a table in each of many boxes, which may overlap.

    columns: what the sides of the boxes are about, in their order.
    """
    ground = table.combinations
    codes = np.stack([ground.codes(column) for column in columns or ground.columns], axis=1)
    if len(boxes) * len(codes) > PAIRS_AT_ONCE:
        from sfumato.formulas.boxes.kd_tree import count_in_boxes  # noqa: PLC0415  (slow to import)

        return np.asarray(count_in_boxes(codes, ground.counts, boxes))
    inside = np.ones((len(boxes), len(codes)), dtype=bool)
    for code, side in zip(codes.T, boxes.transpose(1, 0, 2), strict=True):
        inside &= (code >= side[:, :1]) & (code <= side[:, 1:])
    return np.asarray(inside @ ground.counts)


class _Reader:
    """Reads the published labels of one column as intervals of a domain's ranks."""

    def __init__(self, column: str, domain: Domain) -> None:
        self.column, self.domain = column, domain
        taxonomy = domain.taxonomy
        self.nodes: dict[str, Interval] = {}
        for level, names in enumerate(taxonomy.labels):  # the largest of several with one name
            for rank, name in enumerate(names):
                if name is not None:
                    ends = int(taxonomy.low[level, rank]), int(taxonomy.high[level, rank])
                    self.nodes[str(name)] = ends
                    if isinstance(name, bool):  # as a file has it
                        self.nodes[str(name).lower()] = ends
        top = len(domain) - 1
        self.everything = (0, top)
        self.missing = (top, top) if domain.has_missing else NOBODY
        known = [label for label in domain.labels if label is not None]
        self.n_known = len(known)
        self.order: Any = str if domain.numbers is None else as_number
        if domain.numbers is not None and any(self.order(label) is None for label in known):
            self.order = str  # dates and times in ISO text
        self.places = [self.order(label) for label in known]

    def intervals(self, label: object) -> list[Interval]:
        """Give the ranks that a label may stand for, as intervals with gaps between them."""
        joined: list[Interval] = []
        for low, high in sorted(each for each in self._read(label) if each != NOBODY):
            if joined and low <= joined[-1][1] + 1:
                joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
            else:
                joined.append((low, high))
        return joined or [NOBODY]

    def _read(self, label: object) -> list[Interval]:
        if label is None:
            return [self.missing]
        text = str(label)
        if text in self.nodes:
            return [self.nodes[text]]
        if text == "*":  # suppressed, whatever the root is called
            return [self.everything]
        if text == f"not {MISSING_TEXT}":
            return [(0, self.n_known - 1)]
        if text.endswith(f" or {MISSING_TEXT}"):
            return [*self._read(text.removesuffix(f" or {MISSING_TEXT}")), self.missing]
        if text.startswith("{") and text.endswith("}"):
            return self._set(text[1:-1].split(", "))
        return [self._range(text)]

    def _set(self, pieces: list[str]) -> list[Interval]:
        """Read the nodes of a set; a name may hold the comma that stands between names."""
        found: list[Interval] = []
        while pieces:
            n = len(pieces)
            while n > 1 and ", ".join(pieces[:n]) not in self.nodes:
                n -= 1
            name = ", ".join(pieces[:n])
            if name == MISSING_TEXT:
                found += [self.missing, self.nodes.get(name, NOBODY)]
            else:
                found += self._read(name)
            pieces = pieces[n:]
        return found

    def _range(self, text: str) -> Interval:
        low = high = None
        if text.startswith("[") and text.endswith(")") and text.count(", ") == 1:
            low, high = text[1:-1].split(", ")
        elif text.startswith("<"):
            high = text[1:]
        elif text.startswith(">="):
            low = text[2:]
        else:
            return self._written_otherwise(text)
        bounds = [None if bound is None else self.order(bound) for bound in (low, high)]
        if (low is not None and bounds[0] is None) or (high is not None and bounds[1] is None):
            return self._written_otherwise(text)
        first = 0 if low is None else bisect_left(self.places, bounds[0])
        end = self.n_known if high is None else bisect_left(self.places, bounds[1])
        return (first, end - 1) if end > first else NOBODY

    def _written_otherwise(self, text: str) -> Interval:
        """Read a label that is no name here: a number, or a code with its end masked."""
        place = self.order(text)
        if self.order is as_number and place is not None:  # 37.0 for 37
            first, end = bisect_left(self.places, place), bisect_right(self.places, place)
            return (first, end - 1) if end > first else NOBODY
        kept = text.rstrip("*")
        open_codes = not self.domain.closed and self.domain.numbers is None
        if open_codes and self.domain.taxonomy.height > 1 and 0 < len(kept) < len(text):
            # Another table's longest code may be longer, and so its masks.
            first = bisect_right(self.places, kept)
            end = first
            while end < self.n_known and self.places[end].startswith(kept):
                end += 1
            return (first, end - 1) if end > first else NOBODY
        if self.domain.closed:
            raise CannotRun(
                f"column {self.column!r}: a published value is neither a range nor in the "
                "hierarchy of the list of people; read the list with the release's hierarchies",
                [text],
            )
        return NOBODY  # a value that this table does not have
