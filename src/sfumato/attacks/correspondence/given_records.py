"""Releases written as lists of published records, read into boxes of ground ranks."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sfumato.data.decimals import as_number, canonical_numbers
from sfumato.data.groups import Histogram
from sfumato.data.hierarchy import Hierarchy, a_hierarchy
from sfumato.data.labels.grammar import ROOT
from sfumato.data.taxonomy import Taxonomy, in_tree_order
from sfumato.errors import BadInput, shown
from sfumato.formulas.correspondence.cells import PublishedClasses
from sfumato.parameters import counts

Records = Sequence[tuple[Sequence[object], object]]  # (quasi-identifiers, sensitive value)
Rule: TypeAlias = "Mapping[object, object] | Hierarchy"  # {child: parent}
Interval = tuple[int, int]


@dataclass(frozen=True, eq=False)
class LabelledAttribute:
    """The ground values of one attribute, and the interval of ranks that each label stands for."""

    ground: tuple[object, ...]
    nodes: Mapping[object, Interval]

    def interval(self, label: object, place: str) -> Interval:
        """Look up a node, or a `(low, high)` of ground values, both inclusive."""
        if not isinstance(label, Hashable):
            raise BadInput(f"{place}: a label must be a node or (low, high), got {shown(label)}")
        interval = self.nodes.get(label, self.nodes.get(str(label)))
        if interval is not None:
            return interval
        if isinstance(label, tuple) and len(label) == 2:
            low, high = self._rank(label[0], place, 0), self._rank(label[1], place, 1)
            if low <= high:
                return low, high
            raise BadInput(f"{place}: a range (low, high) holds no ground value", [label])
        raise BadInput(
            f"{place}: a published value is no node of the attribute's hierarchy; add it there, or "
            "write a range as (low, high)",
            [label],
        )

    def _rank(self, end: object, place: str, side: int) -> int:
        """Rank of the first ground value not below an end, or of the last not above it."""
        interval = self.nodes.get(end, self.nodes.get(str(end)))
        if interval is not None:
            return interval[side]
        number, numbers = as_number(end), [as_number(value) for value in self.ground]
        if number is None or None in numbers:
            raise BadInput(f"{place}: an end of a range is no value of the attribute", [end])
        inside = [
            rank
            for rank, each in enumerate(numbers)
            if each is not None and (each >= number if side == 0 else each <= number)
        ]
        if not inside:
            raise BadInput(f"{place}: a range (low, high) holds no ground value", [end])
        return min(inside) if side == 0 else max(inside)


def attribute(tree: Rule, labels: Iterable[object], place: str) -> LabelledAttribute:
    """Lay out one attribute; `labels` are those published, which an open hierarchy needs.

    A root may be left out of the children, or have itself or None as its parent.
    """
    if not isinstance(tree, Mapping):
        return _grown(a_hierarchy(tree, f"{place}, which may be {{child: parent}}"), labels, place)
    if not tree:
        return _laid_out([(value, ROOT) for value in _ground(labels)], place)
    above = {child: up for child, up in tree.items() if up is not None and up != child}
    parents = set(above.values())
    leaves = [child for child in tree if child not in parents]
    paths = [_path(leaf, above, place) for leaf in leaves]
    if not paths:
        raise BadInput(f"{place}: the hierarchy has no leaves; every child is a parent as well")
    return _laid_out(paths, place)


def _path(leaf: object, tree: Mapping[object, object], place: str) -> tuple[object, ...]:
    path = [leaf]
    while path[-1] in tree:
        path.append(tree[path[-1]])
        if len(path) > len(tree) + 1:
            raise BadInput(f"{place}: the hierarchy goes round in a circle", [leaf])
    return tuple(path)


def _laid_out(paths: Sequence[tuple[object, ...]], place: str) -> LabelledAttribute:
    """Order the leaves so that every node is an interval: numbers as numbers, where they can be."""
    roots = {path[-1] for path in paths}
    if len(roots) > 1:
        paths = [(*path, ROOT) for path in paths]
    deepest = max(map(len, paths))
    padded = [(path[0],) * (deepest - len(path)) + path for path in paths]
    numbers = canonical_numbers([path[0] for path in padded])
    if numbers is not None:
        padded.sort(key=lambda path: numbers[path[0]])
    ordered = [padded[j] for j in in_tree_order(padded)]
    levels = [list(level) for level in zip(*ordered, strict=True)]
    return _of_taxonomy(Taxonomy.from_levels(levels, place))


def _grown(hierarchy: Hierarchy, labels: Iterable[object], place: str) -> LabelledAttribute:
    """Grow a hierarchy: a closed one alone, an open one over the ground values that are there."""
    domain, _ = hierarchy.grow(place, [] if hierarchy.closed else _ground(labels))
    return _of_taxonomy(domain.taxonomy)


def _of_taxonomy(taxonomy: Taxonomy) -> LabelledAttribute:
    nodes: dict[object, Interval] = {}
    for level, labels in enumerate(taxonomy.labels):
        for rank, label in enumerate(labels):
            nodes[label] = int(taxonomy.low[level, rank]), int(taxonomy.high[level, rank])
    return LabelledAttribute(tuple(taxonomy.labels[0]), nodes)


def _ground(labels: Iterable[object]) -> list[object]:
    """Values that published labels name: themselves, and the ends of ranges.

    Between two neighbouring numbers one more is put in, for everybody who is between them.
    """
    values: dict[object, None] = {}
    for label in labels:
        ends = label if isinstance(label, tuple) and len(label) == 2 else (label,)
        values.update(dict.fromkeys(end for end in ends if end != ROOT))
    if not all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in values):
        return list(values)
    numbers = sorted(each for each in values if isinstance(each, (int, float)))
    whole = all(isinstance(each, int) for each in numbers)
    between = [low + 1 if whole else (low + high) / 2 for low, high in itertools.pairwise(numbers)]
    return [*sorted({*numbers, *between})]


@dataclass(frozen=True, eq=False)
class Series:
    """Releases as arrays, with what their ranks and codes stand for."""

    releases: tuple[PublishedClasses, ...]
    attributes: tuple[LabelledAttribute, ...]
    values: tuple[object, ...]
    labels: tuple[Mapping[tuple[Interval, ...], tuple[object, ...]], ...]  # per release: box -> qid

    def ranks(self, target: object) -> np.ndarray:
        """Ground ranks of raw values."""
        if not isinstance(target, Sequence) or isinstance(target, str):
            raise BadInput(f"target must be a tuple of raw values, got {shown(target)}")
        if len(target) != len(self.attributes):
            raise BadInput(
                f"target must have {len(self.attributes)} raw values, one per attribute, got "
                f"{len(target)}"
            )
        ranks = []
        for j, (value, each) in enumerate(zip(target, self.attributes, strict=True)):
            low, high = each.interval(value, f"target, attribute {j}")
            if low != high:
                raise BadInput(f"target: attribute {j} is no ground value", [value])
            ranks.append(low)
        return np.array(ranks, dtype=np.int64)

    def group(self, release: int, place: int, code: int) -> tuple[tuple[object, ...], object]:
        """Name a group: the published quasi-identifiers, and the sensitive value."""
        box = tuple((int(low), int(high)) for low, high in self.releases[release].boxes[place])
        return self.labels[release][box], self.values[code]


def read(
    releases: Sequence[Records], hierarchies: Sequence[Rule], suppressed: Sequence[int] | None
) -> Series:
    """Read releases written as lists of `(quasi-identifiers, sensitive value)`."""
    if isinstance(hierarchies, (str, Mapping)) or not isinstance(hierarchies, Sequence):
        raise BadInput(f"hierarchies must be a list, one per attribute, got {shown(hierarchies)}")
    if not hierarchies:
        raise BadInput("hierarchies: none given; give one per attribute")
    n, each_left_out = len(releases), "the rows that each release left out"
    hidden = [0] * n
    if suppressed is not None:
        hidden = counts("correspondence", "suppressed", suppressed, n, each_left_out)
    written = [
        _records(release, f"release {j}", len(hierarchies)) for j, release in enumerate(releases)
    ]
    attributes = tuple(
        attribute(tree, (qid[j] for records in written for qid, _ in records), f"hierarchy {j}")
        for j, tree in enumerate(hierarchies)
    )
    codes: dict[object, int] = {}
    for records in written:
        for _, value in records:
            codes.setdefault(value, len(codes))
    read_in = [
        _published(records, attributes, codes, n, f"release {j}")
        for j, (records, n) in enumerate(zip(written, hidden, strict=True))
    ]
    return Series(
        tuple(release for release, _ in read_in),
        attributes,
        tuple(codes),
        tuple(labels for _, labels in read_in),
    )


def _records(release: object, place: str, width: int) -> list[tuple[tuple[object, ...], object]]:
    if not isinstance(release, Iterable) or isinstance(release, (str, Mapping)):
        raise BadInput(
            f"{place} must be a list of (qid tuple, sensitive value), got {shown(release)}"
        )
    records = []
    for number, record in enumerate(release):
        pair = tuple(record) if isinstance(record, Sequence) and not isinstance(record, str) else ()
        qid = pair[0] if len(pair) == 2 else None
        if not isinstance(qid, Sequence) or isinstance(qid, str):
            raise BadInput(f"{place}, record {number}: must be (qid tuple, sensitive value)")
        if len(qid) != width:
            raise BadInput(
                f"{place}, record {number}: {len(qid)} quasi-identifiers, but {width} hierarchies"
            )
        if not isinstance(pair[1], Hashable):
            raise BadInput(f"{place}, record {number}: a sensitive value cannot be a list or dict")
        records.append((tuple(tuple(v) if isinstance(v, list) else v for v in qid), pair[1]))
    if not records:
        raise BadInput(f"{place}: no records; leave an empty release out")
    return records


def _published(
    records: list[tuple[tuple[object, ...], object]],
    attributes: Sequence[LabelledAttribute],
    codes: Mapping[object, int],
    n_suppressed: int,
    place: str,
) -> tuple[PublishedClasses, dict[tuple[Interval, ...], tuple[object, ...]]]:
    names: dict[tuple[Interval, ...], tuple[object, ...]] = {}
    classes: dict[tuple[Interval, ...], int] = {}
    known: dict[tuple[object, ...], int] = {}
    rows, values = [], []
    for number, (qid, value) in enumerate(records):
        if qid not in known:
            where = f"{place}, record {number}"
            box = tuple(
                each.interval(label, where) for each, label in zip(attributes, qid, strict=True)
            )
            names.setdefault(box, qid)
            known[qid] = classes.setdefault(box, len(classes))
        rows.append(known[qid])
        values.append(codes[value])
    boxes = np.array(list(classes), dtype=np.int32)
    histogram = Histogram.from_entries(
        np.array(rows, dtype=np.intp),
        np.array(values, dtype=np.int32),
        np.ones(len(rows), dtype=np.int64),
        (len(classes), len(codes)),
    )
    return PublishedClasses.of(boxes, histogram, n_suppressed), names
