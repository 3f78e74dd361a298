"""A recoding decided earlier, applied to other data."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.base import Algorithm, Draw, allowed_rows, check_limit
from sfumato.algorithms.lattice import Lattice
from sfumato.criteria.base import Criterion, holding, reached
from sfumato.data.domain import Domain, as_number
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.hierarchy import reason
from sfumato.data.recoding import SUPPRESSED, Assignment, Cut, Labels, Recoding
from sfumato.errors import BadInput, Unsatisfiable, nearest
from sfumato.spec import from_spec, to_spec

PAIRS_AT_ONCE = 1 << 24

Side = Mapping[str, Any]  # see `_write_side`


@dataclass(frozen=True, eq=False)
class Recode(Algorithm):
    """Publish another table the way an earlier release was published.

    Nothing is searched: levels, or boxes, are taken as they are, groups that fail the criterion
    are suppressed up to `max_suppressed`, and the release is checked like any other. Values that
    the earlier table did not have find their place by their hierarchy or by their order.
    """

    levels: Mapping[str, int] | None = None
    boxes: tuple[Mapping[str, Side], ...] | None = None
    max_suppressed: float = 0
    deterministic: ClassVar[bool] = True
    symmetric: ClassVar[bool] = True
    joint: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_limit("Recode", self.max_suppressed)
        if (self.levels is None) == (self.boxes is None):
            raise BadInput("Recode: give either levels or boxes")

    def spec(self) -> dict[str, Any]:
        """Write the method down for the public: of boxes only that there were some.

        A box in which this table has nobody would tell about the earlier one.
        """
        return to_spec(replace(self, boxes=None if self.boxes is None else ()))

    def __str__(self) -> str:
        if self.boxes is None:
            return super().__str__()
        return f"Recode({len(self.boxes)} boxes)" if self.boxes else "Recode(boxes)"

    @classmethod
    def load(cls, path: str | Path) -> Recode:
        """Read what `Release.save_recoding` wrote."""
        try:
            written = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{path}: cannot read the recoding: {reason(error)}") from None
        except ValueError:
            raise BadInput(f"{path}: damaged; not JSON") from None
        return from_spec({"recode": cls}, written, str(path))

    @classmethod
    def of(cls, recoding: Recoding, domains: Mapping[str, Domain], max_suppressed: float) -> Recode:
        """Write a recoding down in terms of values instead of codes."""
        how = recoding.how
        if isinstance(how, Cut):
            if how.levels is None:
                raise BadInput("Recode: only full-domain levels and boxes can be applied again")
            return cls(levels=dict(how.levels), max_suppressed=max_suppressed)
        if how.splits:
            raise BadInput(
                "Recode: this recoding deals the people of one combination out by counts, which "
                "has no meaning for other data"
            )
        labels = how.labels(domains)
        boxes = []
        for g, box in enumerate(how.boxes):
            sides = {}
            for column, (low, high) in zip(how.combinations.quasi_identifiers, box, strict=True):
                texts = labels[column]
                side = _write_side(domains[column], int(low), int(high))
                sides[column] = side if texts is None else {**side, "label": texts[g]}
            boxes.append(sides)
        return cls(boxes=tuple(boxes), max_suppressed=max_suppressed)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Translate, then suppress what fails."""
        del draw
        limit = allowed_rows(self.max_suppressed, frequencies.n_rows)
        columns = frequencies.quasi_identifiers
        named = set(self.levels if self.levels is not None else (self.boxes or ({},))[0])
        if named != set(columns):
            odd = min(named.symmetric_difference(columns))
            raise BadInput(
                "Recode: the recoding and the table have different quasi-identifiers"
                f"{nearest(odd, named - set(columns) or columns)}"
            )
        if self.levels is not None:
            recoding, unsafe, grouping = self._by_levels(frequencies, criterion)
        else:
            recoding, unsafe, grouping = self._by_boxes(frequencies, criterion)
        failing = int(grouping.sizes[unsafe].sum())
        if failing > limit:
            raise Unsatisfiable(
                f"the recoding does not satisfy {criterion} on this table: {failing} of "
                f"{frequencies.n_rows} rows are in groups that fail, at most {limit} may be "
                f"suppressed; {reached(criterion, grouping)}"
            )
        return recoding

    def _by_levels(
        self, frequencies: FrequencySet, criterion: Criterion
    ) -> tuple[Recoding, NDArray[np.bool_], Grouping]:
        lattice = Lattice(frequencies, criterion)
        assert self.levels is not None  # noqa: S101  (for the type checker)
        node = tuple(self.levels[column] for column in frequencies.quasi_identifiers)
        for column, level, height in zip(self.levels, node, lattice.heights, strict=True):
            if not 0 <= level <= height:
                raise BadInput(f"Recode: {column!r} has levels 0 to {height}, got {level}")
        grouping = lattice.grouping(node)
        return lattice.recoding(node), ~holding(criterion, grouping), grouping

    def _by_boxes(
        self, frequencies: FrequencySet, criterion: Criterion
    ) -> tuple[Recoding, NDArray[np.bool_], Grouping]:
        assert self.boxes is not None  # noqa: S101
        ground = frequencies.combinations
        sides, texts = [], {}
        for column in ground.columns:
            written = [box[column] for box in self.boxes]
            sides.append(_read_sides(frequencies.domains[column], written))
            if any("label" in side for side in written):
                texts[column] = [side.get("label") for side in written]
        boxes = np.stack(sides, axis=1)
        codes = np.stack([ground.codes(column) for column in ground.columns], axis=1)
        group = _box_of(codes, boxes)
        outside = int(ground.counts[group < 0].sum())
        if outside:
            raise BadInput(
                f"Recode: {outside} rows have values that no box of the recoding covers; "
                "anonymize the table anew"
            )
        grouping = Grouping(frequencies, boxes, group[frequencies.combination_of])
        filled = grouping.sizes > 0
        unsafe = ~holding(criterion, grouping) & filled
        group = np.where(unsafe[group], SUPPRESSED, group)
        parts = np.stack([np.arange(len(ground)), group, ground.counts], axis=1).astype(np.int64)
        labels: dict[str, Labels | None] = {c: texts.get(c) for c in ground.columns}
        return Recoding(Assignment(ground, boxes, parts, labels)), unsafe, grouping


def _write_side(domain: Domain, low: int, high: int) -> dict[str, Any]:
    """Write an interval of ranks in terms of values.

    `all`: the whole domain. `only_missing`: the missing value. `value`: one other value. `first`,
    `last`: the leaves at the ends of a run in a closed hierarchy. `from`, `below`: bounds in an
    open one, absent where there is none. The last two kinds can include `missing`.
    """
    top = len(domain) - 1
    if low == 0 and high == top:
        return {"all": True}
    side: dict[str, Any] = {}
    if domain.has_missing and high == top:
        if low == top:
            return {"only_missing": True}
        side["missing"] = True
        high -= 1
    if domain.closed:
        return side | {"first": str(domain.labels[low]), "last": str(domain.labels[high])}
    if low == high and not side:
        return {"value": str(domain.labels[low])}
    if low > 0:
        side["from"] = domain.bound(low)
    if high < top - domain.has_missing:
        side["below"] = domain.bound(high + 1)
    return side


def _read_sides(domain: Domain, sides: list[Side]) -> NDArray[np.int32]:
    """Find the ranks of written sides in another domain; an empty side is [0, -1]."""
    known = [label for label in domain.labels if label is not None]
    order: Callable[[object], Any] = str
    if domain.numbers is not None and all(as_number(label) is not None for label in known):
        order = as_number
    places = [order(label) for label in known]  # ascending, as the domain is
    rank = {str(label): j for j, label in enumerate(known)}
    top = len(domain) - 1

    def interval(side: Side) -> tuple[int, int]:
        if "all" in side:
            return 0, top
        if "only_missing" in side:
            return (top, top) if domain.has_missing else (0, -1)
        if "value" in side:
            here = rank.get(side["value"])
            return (0, -1) if here is None else (here, here)
        if "first" in side:
            low, high = rank.get(side["first"], 0), rank.get(side["last"], -1)
        else:
            low = bisect_left(places, order(side["from"])) if "from" in side else 0
            high = (
                bisect_left(places, order(side["below"])) if "below" in side else len(known)
            ) - 1
        if side.get("missing") and domain.has_missing:
            return (low, top) if high >= low else (top, top)
        return (low, high) if high >= low else (0, -1)

    return np.array([interval(side) for side in sides], dtype=np.int32).reshape(-1, 2)


def _box_of(codes: NDArray[np.int32], boxes: NDArray[np.int32]) -> NDArray[np.intp]:
    """Find the box that holds each combination, -1 for none; boxes do not overlap."""
    group = np.full(len(codes), -1, dtype=np.intp)
    step = max(1, PAIRS_AT_ONCE // max(1, len(boxes)))
    for start in range(0, len(codes), step):
        chunk = codes[start : start + step, np.newaxis]  # (c, 1, d) against (g, d)
        inside = np.ones((chunk.shape[0], len(boxes)), dtype=bool)
        for j in range(boxes.shape[1]):
            inside &= (chunk[:, :, j] >= boxes[:, j, 0]) & (chunk[:, :, j] <= boxes[:, j, 1])
        held, box = np.nonzero(inside)
        group[start + held] = box
    return group
