"""A recoding decided earlier, applied to other data."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import Algorithm, Suppress, allowed_rows
from sfumato.algorithms.lattice.lattice import Lattice
from sfumato.algorithms.lattice.outliers import check_suppress
from sfumato.algorithms.lots import Draw
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import reached, staying
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping, sum_by
from sfumato.data.labels.grammar import OTHER, ROOT, Mask, Name, Range, parse
from sfumato.data.labels.reader import LabelReader, sides_of
from sfumato.data.labels.texts import Labels
from sfumato.data.labels.writer import bound, ground_text, side_labels
from sfumato.data.naming import FEWEST, Publishes
from sfumato.data.recoding import SUPPRESSED, Assignment, Recoding
from sfumato.data.values import Interval, published_text
from sfumato.errors import BadInput, Unsatisfiable, shown
from sfumato.files.formats import refuse_other_format
from sfumato.files.paths import reason
from sfumato.formulas.boxes.only_box import NONE, SEVERAL, only_box
from sfumato.parameters import file_path, is_count, suppression_limit, whole
from sfumato.spec import describe, from_spec, to_spec
from sfumato.text import count, counted, gigabytes

BYTES_OF_SIDE = 1400  # memory that a side of a box takes while it is written
FORMAT = 1  # of what `Release.save_recoding` writes

Side = Mapping[str, Any]  # see `_write_side`
NOBODY: Interval = (0, -1)
NO_GAPS = ", or decide the recoding by Mondrian(bounds='cuts'), whose boxes leave no gaps"
OVERLAP = (
    "Recode: boxes of this recoding overlap, and {}; anonymize other data anew, or publish by "
    "Mondrian from the first: its boxes never meet"
)


@dataclass(frozen=True, eq=False)
class Recode(Algorithm):
    """Publish another table the way an earlier release was published.

    Nothing is searched: levels, or boxes, are taken as they are, groups that fail the criterion
    are suppressed up to `max_suppressed`, and the release is checked like any other. Values that
    the earlier table did not have find their place by their hierarchy or by their order; where
    the hierarchy has changed so that a level or a node means something else, it is refused. With
    levels and `suppress="cells"`, people in groups that fail are published as one group with every
    quasi-identifier at the root, if that group holds.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> again = sf.anonymize(patients, sf.KAnonymity(5), sf.Recode(levels=release.levels))
    >>> again.levels == release.levels
    True
    """

    levels: Mapping[str, int] | None = None
    boxes: tuple[Mapping[str, Side], ...] | None = field(default=None, repr=False)  # private
    max_suppressed: float = 0
    shapes: Mapping[str, str] | None = None  # per column: height and order of its hierarchy
    suppress: Suppress = "rows"
    judges_all_groups: ClassVar[bool] = True

    def __post_init__(self) -> None:
        suppression_limit("Recode", self.max_suppressed)
        if (self.levels is None) == (self.boxes is None):
            raise BadInput("Recode: give either levels or boxes")
        check_suppress("Recode", self.suppress)
        if self.suppress == "cells" and self.levels is None:
            raise BadInput(
                "Recode: suppress='cells' is of levels; people in no safe box are left out "
                "(suppress='rows')"
            )
        for name in ("levels", "shapes"):
            given = getattr(self, name)
            if given is not None and not _by_column(given):
                raise BadInput(f"Recode: {name} must be given by column, got {shown(given)}")
        for column, level in (self.levels or {}).items():
            whole("Recode", f"the level of {column!r}", level, least=0)
        if self.boxes is not None:
            _refuse_odd_boxes(self.boxes)

    @property
    def keeps_guards(self) -> bool:
        """Combinations are recoded as a whole."""
        return True

    @property
    def publishes(self) -> Publishes:
        """Nodes of trees, or the boxes that were given."""
        return "given" if self.levels is None else "nodes"

    def names_in(self, column: str) -> frozenset[str] | None:
        """Give the names of the boxes."""
        if self.boxes is None:
            return None
        sides = [box[column] for box in self.boxes if column in box]
        alone = [side["value"] for side in sides if side.get("value") is not None]
        return frozenset([*alone, *(name for side in sides for name in side.get("names", ()))])

    @property
    def in_public(self) -> Recode:
        """This method, of boxes only that there were some.

        A box in which this table has nobody would tell about the earlier one.
        """
        return replace(self, boxes=None if self.boxes is None else ())

    def __str__(self) -> str:
        if self.boxes is None:
            return describe(replace(self, shapes=None))
        return f"Recode({len(self.boxes)} boxes)" if self.boxes else "Recode(boxes)"

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `Release.save_recoding` wrote."""
        file = file_path("Recode.load", path)
        try:
            written = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{path}: cannot read the recoding: {reason(error)}") from None
        except (ValueError, RecursionError):
            raise BadInput(f"{path}: damaged; not JSON") from None
        if not isinstance(written, dict):
            raise BadInput(f"{path}: damaged; not a recoding")
        refuse_other_format(path, written.pop("format", None), FORMAT)
        return from_spec({"recode": cls}, written, str(path))

    @classmethod
    def from_job(cls, parameters: Any, place: Path, where: str) -> Self:
        """Build it, or load a saved recoding: `recode = { file = "recoding.json" }`."""
        if not isinstance(parameters, dict) or "file" not in parameters:
            return super().from_job(parameters, place, where)
        odd = set(parameters) - {"file", "max_suppressed", "suppress"}
        if odd:
            raise BadInput(f"{where}.recode: unknown parameter {min(odd)!r} beside file")
        saved = cls.load(place / file_path(f"{where}.recode.file", parameters["file"]))
        return replace(saved, **{name: parameters[name] for name in parameters if name != "file"})

    def to_json(self) -> dict[str, Any]:
        """Write it down for `load`, with all its boxes (private)."""
        return {"format": FORMAT, **to_spec(self)}

    @classmethod
    def of(
        cls,
        recoding: Recoding,
        frequencies: FrequencySet,
        max_suppressed: float,
        suppress: Suppress = "rows",
        memory: int | None = None,
    ) -> Recode:
        """Write a recoding of counted people down in terms of values instead of codes.

        A cut that is not one level per column is written as the boxes that somebody is in, unless
        they take more memory than so many bytes.
        """
        domains, columns = frequencies.domains, frequencies.quasi_identifiers
        shapes = {column: _shape(domains[column]) for column in columns}
        levels = recoding.levels_of_most
        if levels is not None:
            how: Suppress = "cells" if recoding.n_at_root else suppress
            return cls(dict(levels), None, max_suppressed, shapes, how)
        labelled = recoding.boxes_for_other_data(frequencies)
        if labelled is None:
            raise BadInput(
                "Recode: this recoding puts the people of this table into groups, which has no "
                "meaning for other data"
            )
        ranks, labels = labelled
        needed = len(ranks) * len(columns) * BYTES_OF_SIDE
        if memory is not None and needed > memory:
            raise BadInput(
                f"Recode: to write down {counted(len(ranks), 'box', 'boxes')} takes about "
                f"{gigabytes(needed)}, and {gigabytes(memory)} are allowed (memory=): allow more, "
                "or recode by whole columns, with Optimal()"
            )
        if recoding.boxes_may_meet:
            ground = frequencies.combinations
            codes = np.stack([ground.codes(column) for column in columns], axis=1)
            if (only_box(codes, ranks) == SEVERAL).any():
                raise BadInput(OVERLAP.format("people of this table lie in several of them"))
        boxes = []
        for g, box in enumerate(ranks.tolist()):
            sides = {}
            for column, (low, high) in zip(columns, box, strict=True):
                texts = None if domains[column].is_category else labels[column]
                label = None if texts is None else texts[g]
                side = _write_side(domains[column], low, high, label)
                sides[column] = side if texts is None else {**side, "label": label}
            boxes.append(sides)
        return cls(None, tuple(boxes), max_suppressed, shapes)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Translate, then suppress what fails."""
        del draw
        self._refuse_other_columns(frequencies)
        limit = allowed_rows(self.max_suppressed, frequencies.n_rows)
        if self.levels is not None:
            recoding, failing, grouping = self._by_levels(self.levels, frequencies, criterion)
        else:
            recoding, failing, grouping = self._by_boxes(self.boxes or (), frequencies, criterion)
        if failing > limit:
            raise Unsatisfiable(
                f"the recoding does not satisfy {criterion} on this table: {count(failing)} of "
                f"{counted(frequencies.n_rows, 'row')} are in groups that fail, at most "
                f"{count(limit)} may be suppressed (max_suppressed); "
                f"{reached(criterion, grouping.joint)}"
            )
        return recoding

    def _refuse_other_columns(self, frequencies: FrequencySet) -> None:
        if self.boxes == ():
            raise BadInput("Recode: the boxes are not here; load the saved recoding")
        named = set(self.levels if self.levels is not None else (self.boxes or ({},))[0])
        columns = frequencies.quasi_identifiers
        if named != set(columns):
            odd = min(named.symmetric_difference(columns))
            raise BadInput(f"Recode: {odd!r} is a quasi-identifier here but not there")
        for column in columns if self.shapes is not None else ():
            here, there = _shape(frequencies.domains[column]), (self.shapes or {}).get(column)
            if here != there:
                raise BadInput(
                    f"Recode: the hierarchy of {column!r} is not what it was ({there} then, {here} "
                    "now), so its levels mean something else; anonymize the table anew"
                )

    def _by_levels(
        self, levels: Mapping[str, int], frequencies: FrequencySet, criterion: Criterion
    ) -> tuple[Recoding, int, Grouping]:
        lattice = Lattice(frequencies, criterion)
        for column, height in zip(frequencies.quasi_identifiers, lattice.heights, strict=True):
            if not 0 <= levels[column] <= height:
                raise BadInput(
                    f"Recode: {column!r} has levels 0 to {height}, got {shown(levels[column])}"
                )
        node = tuple(levels[column] for column in frequencies.quasi_identifiers)
        grouping = lattice.grouping(node)
        failing = grouping.sizes[~staying(criterion, grouping.joint)].sum()
        return lattice.recoding(node, self.suppress), int(failing), grouping

    def _by_boxes(
        self,
        written: tuple[Mapping[str, Side], ...],
        frequencies: FrequencySet,
        criterion: Criterion,
    ) -> tuple[Recoding, int, Grouping]:
        ground = frequencies.combinations
        sides, texts = [], {}
        for column in ground.columns:
            of_column = [box[column] for box in written]
            sides.append(_read_sides(frequencies.domains[column], of_column, column))
            # Texts without an order are named anew: as many people as ever have to have them.
            named_anew = frequencies.domains[column].is_category
            if not named_anew and any("label" in side for side in of_column):
                texts[column] = Labels.of([side.get("label") for side in of_column])
        boxes = np.stack(sides, axis=1)
        codes = np.stack([ground.codes(column) for column in ground.columns], axis=1)
        group = only_box(codes, boxes)
        if (group == SEVERAL).any():
            raise BadInput(OVERLAP.format("somebody of this table lies in two of them"))
        if (group == NONE).any():
            raise _outside(ground, boxes, codes, group == NONE)
        filled, group = np.unique(group, return_inverse=True)  # boxes without people are dropped
        boxes = boxes[filled]
        grouping = Grouping(frequencies, boxes, group[frequencies.combination_of])
        unsafe = ~staying(criterion, grouping.joint)
        group = np.where(unsafe[group], SUPPRESSED, group)
        parts = np.stack([np.arange(len(ground)), group, ground.counts], axis=1).astype(np.int64)
        labels: dict[str, Labels | None] = {
            c: texts[c].take(filled) if c in texts else side_labels(ground.domains[c], boxes[:, j])
            for j, c in enumerate(ground.columns)
        }
        told = boxes.copy()
        for j, (column, own) in enumerate(labels.items()):
            if own is not None:  # of which nothing was to be told, in the table of then
                untold = np.array([text == ROOT for text in own.texts])[own.index]
                told[untold, j] = 0, len(ground.domains[column]) - 1
        recoding = Assignment(ground, told, parts, labels, decided=boxes)
        shown = np.unique(group[group != SUPPRESSED])
        for column, own in labels.items():
            ranks = recoding.sides(column)[shown, 0].tolist()
            single = [ground_text(ground.domains[column], rank) for rank in ranks]
            texts_here = {*single} if own is None else {*own.take(shown)}
            _refuse_names_of_few(column, ground, texts_here, max(FEWEST, criterion.least_size))
        return recoding, int(grouping.sizes[unsafe].sum()), grouping


def _outside(
    ground: FrequencySet,
    boxes: NDArray[np.int32],
    codes: NDArray[np.int32],
    outside: NDArray[np.bool_],
) -> BadInput:
    """Say that people lie in no box, and in which column no box has their value."""
    n = int(ground.counts[outside].sum())
    for j, column in enumerate(ground.columns):
        held = np.zeros(len(ground.domains[column]) + 1, dtype=np.int64)
        some = boxes[:, j, 0] <= boxes[:, j, 1]
        np.add.at(held, boxes[some, j, 0], 1)
        np.add.at(held, boxes[some, j, 1] + 1, -1)
        unknown = outside & (np.cumsum(held)[codes[:, j]] == 0)
        if unknown.any():
            rows = counted(int(ground.counts[unknown].sum()), "row")
            values = [ground.domains[column].labels[code] for code in np.unique(codes[unknown, j])]
            between = ground.domains[column].numbers is not None
            return BadInput(
                f"Recode: of {column!r} no box of the recoding covers the values of {rows}; "
                f"anonymize the table anew{NO_GAPS if between else ''}",
                values,
            )
    return BadInput(
        f"Recode: no box of the recoding covers the values of {counted(n, 'row')}, taken together; "
        f"anonymize the table anew{NO_GAPS}"
    )


def _refuse_names_of_few(
    column: str, people: FrequencySet, texts: Collection[str | None], fewest: int
) -> None:
    """Refuse published texts that name what somebody of this table has, and fewer than `fewest`.

    Of codes a mask and a bound name all that begin so. Texts without an order are named by how many
    have them before, and lists are the steward's own.
    """
    domain = people.domains[column]
    if domain.order is None:
        return
    codes = people.codes(column).astype(np.intp)
    before = np.append(0, np.cumsum(sum_by(codes, people.counts, len(domain))))
    rare = []
    for part in (parse(text).part for text in texts if text is not None):
        bounds = {part.low, part.high} - {None} if isinstance(part, Range) else set()
        beginnings = {part.beginning} if isinstance(part, Mask) else bounds
        for name in {part.text} if isinstance(part, Name) else beginnings:
            code = domain.code_of(name)
            first, end = (0, 0) if code is None else (code, code + 1)
            if domain.order == "codes" and not isinstance(part, Name):
                first, end = domain.beginning_so(str(name))
            if 0 < before[end] - before[first] < fewest:
                rare.append(name)
    if rare:
        raise BadInput(
            f"Recode: a box of {column!r} names what fewer than "
            f"{counted(fewest, 'person', 'people')} of this table have; anonymize the table anew",
            rare,
        )


def _by_column(given: object) -> bool:
    return isinstance(given, Mapping) and all(isinstance(column, str) for column in given)


def _refuse_odd_boxes(boxes: object) -> None:
    """Refuse boxes that are not what `Recode.of` writes: one side per column, the same columns."""
    if not isinstance(boxes, (list, tuple)) or not all(_by_column(box) for box in boxes):
        raise BadInput(f"Recode: boxes must be a list of sides by column, got {shown(boxes)}")
    for g, box in enumerate(boxes):
        if not box or set(box) != set(boxes[0]):
            raise BadInput(f"Recode: box {g} has other columns than the first")
        for column, side in box.items():
            if not isinstance(side, Mapping) or not _is_side(side):
                raise BadInput(f"Recode: box {g}: the side of {column!r} is damaged", [side])


def _is_side(side: Side) -> bool:
    """Whether a side has one of the forms of `_write_side`."""
    rest = {key: value for key, value in side.items() if key not in ("label", "missing")}
    if (
        not isinstance(side.get("label"), (str, type(None)))
        or side.get("missing", True) is not True
    ):
        return False
    if set(rest) == {"value"}:
        return isinstance(rest["value"], (str, type(None)))
    if "names" in rest:
        names, other = rest.pop("names"), rest.pop("other", True)
        known = isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
        return known and other is True and not rest
    if set(rest) == {"level", "node"}:
        level = rest.pop("level")
        return is_count(level) and isinstance(rest["node"], str)
    bounds = set(rest) == {"first", "last"} or set(rest) <= {"from", "below"}
    return bounds and all(isinstance(bound, str) for bound in rest.values())


def _shape(domain: Domain) -> str:
    """Say what a level and a bound of a domain mean: its height, and how its values are ordered."""
    order = "numbers" if domain.numbers is not None else "tree" if domain.closed else domain.order
    ground = domain if domain.merged is None else domain.merged.ground
    return f"height {ground.taxonomy.height}, ordered as {order or 'nothing'}"


def _write_side(domain: Domain, low: int, high: int, label: str | None) -> dict[str, Any]:
    """Write an interval of ranks in terms of values, as its label means it.

    `level`, `node`: a node of the hierarchy, the root included. `value`: one value; None: the
    missing one. `first`, `last`: the leaves at the ends of a run in a closed hierarchy. `names`:
    texts that have no order, and `other` where those that are not named are with them. `from`,
    `below`: bounds in an open one, absent where there is none. All but nodes can include `missing`.
    """
    if domain.merged is not None and domain.order is not None:
        return _write_side(domain.merged.ground, *domain.merged.ground_ranks(low, high), label)
    missing_alone = low == high and domain.labels[low] is None
    if missing_alone or (low == high and domain.order is None and not _is_other(domain, low)):
        return {"value": published_text(domain.labels[low])}
    level = domain.node_level(low, high)
    if level is not None and not (domain.is_category and level == 0):
        return {"level": level, "node": str(domain.taxonomy.labels[level][low])}
    top = len(domain) - 1
    side: dict[str, Any] = {}
    if domain.has_missing and high == top:
        side["missing"] = True
        high -= 1
    if domain.is_category:
        ranks = [rank for rank in range(low, high + 1) if not _is_other(domain, rank)]
        side["names"] = [published_text(domain.labels[rank]) for rank in ranks]
        return side | ({"other": True} if high - low + 1 > len(ranks) else {})
    if domain.order is None and domain.numbers is None:
        return side | {"first": str(domain.labels[low]), "last": str(domain.labels[high])}
    part = None if label is None or domain.numbers is None else parse(label).part
    if isinstance(part, Range):
        ends = part.low, part.high
    elif low == high:
        return side | {"value": published_text(domain.labels[low])}
    elif part is not None:  # one cell of the grid
        return {"level": domain.grid, "node": label}
    else:
        ends = (
            None if low == 0 else bound(domain, low),
            None if high == top - domain.has_missing else bound(domain, high + 1),
        )
    written = zip(("from", "below"), ends, strict=True)
    return side | {name: end for name, end in written if end is not None}


def _is_other(domain: Domain, rank: int) -> bool:
    """Whether a text is that of all that are not named, or called so."""
    called_so = domain.is_category and str(domain.labels[rank]).casefold() == OTHER
    return called_so or rank == domain.rest_rank


def _read_sides(domain: Domain, sides: list[Side], column: str) -> NDArray[np.int32]:
    """Find the ranks of written sides in another domain; an empty side is [0, -1]."""
    reader = LabelReader(domain)
    top = len(domain) - 1
    levels = {side["level"] for side in sides if "node" in side}
    nodes = {
        level: {str(name): j for j, name in reversed(list(enumerate(names))) if name is not None}
        for level, names in enumerate(domain.taxonomy.labels)
        if level in levels
    }

    has_other = any(side.get("other") for side in sides)

    def is_elsewhere(code: int | None) -> bool:
        """Whether it is a name of then that too few have now: they are with the others."""
        return has_other and code is not None and code == domain.rest_rank

    def interval(side: Side) -> Interval:
        if "node" in side:
            start = nodes.get(side["level"], {}).get(side["node"])
            return NOBODY if start is None else (start, domain.taxonomy.high[side["level"], start])
        low, high = known(side)
        if side.get("missing") and domain.has_missing:
            return (low if high == top - 1 else top, top) if low <= high else (top, top)
        return low, high

    def known(side: Side) -> Interval:
        """Give the ranks without the missing value that may be there, too."""
        if "value" in side:
            code = domain.code_of(side["value"])
            return NOBODY if code is None or is_elsewhere(code) else (code, code)
        if "first" in side:
            first, last = domain.code_of(side["first"]), domain.code_of(side["last"])
            if first is None or last is None:
                raise BadInput(
                    f"Recode: the hierarchy of {column!r} has lost a value; anonymize anew"
                )
            return (first, last) if first <= last else NOBODY
        if "names" in side:
            found = [domain.code_of(name) for name in side["names"]]
            found = [code for code in found if side.get("other") or not is_elsewhere(code)]
            found += [domain.rest_rank, domain.code_of(OTHER)] if side.get("other") else []
            codes = [code for code in found if code is not None]
            return (min(codes), max(codes)) if codes else NOBODY
        bounds = side.get("from"), side.get("below")
        ranks = reader.range(*bounds)
        if ranks is None:
            raise BadInput(f"Recode: a bound of {column!r} is not a number", list(bounds))
        return ranks[0] if ranks else NOBODY

    return sides_of([interval(side) for side in sides])
