"""Generalization hierarchies: what a steward writes down about a column's values.

A hierarchy is a rule; grown over the distinct values of a column it becomes a `Domain`. Tables and
trees are *closed*: they list the ground values themselves. The other rules are *open*: the ground
values come from the data and are never published as a list.
"""

from __future__ import annotations

import csv
import datetime
import functools
import io
import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.data.decimals import as_number, canonical_numbers, floor_to, number_text
from sfumato.data.domain import Domain
from sfumato.data.labels.grammar import (
    ROOT,
    Reading,
    calendar_texts,
    mask_text,
    name_text,
    range_text,
)
from sfumato.data.taxonomy import Taxonomy, in_tree_order
from sfumato.data.values import published_text
from sfumato.errors import BadInput, shown
from sfumato.files.paths import reason
from sfumato.parameters import file_path, refusal
from sfumato.registry import Registry
from sfumato.spec import (
    PACKAGE,
    build,
    name_of,
    parameter_names,
    signed,
    taken_apart,
    written_parameters,
)

TREE = "a tree"  # in words
PATHS = "paths"  # in `release.json`, instead of a name: what is public of a closed tree
TABLE_FILE = "csv"  # in a job file, instead of a name: where a level table is
LONGEST_CODE = 100  # characters of a value under `Prefix`: one level for each

Codes: TypeAlias = NDArray[np.int32]
Nested: TypeAlias = "Mapping[str, Nested] | Sequence[str] | None"

HIERARCHIES: Registry[Hierarchy] = Registry(
    "hierarchy", "sfumato.hierarchies", reserved=[PATHS, TABLE_FILE]
)


class Hierarchy(ABC):
    """A rule that makes the values of one column more general, level by level.

    A rule joins job files and releases by being a class of its own. It says with `texts` how what
    it publishes is read by somebody who has no table; one that does not say so can be compared with
    other releases only where the original is at hand.

    >>> import sfumato as sf
    >>> sf.Intervals(5, 10).spec(), sf.Prefix().spec()
    ({'intervals': [5, 10]}, {'prefix': True})
    """

    texts: ClassVar[Reading | None] = None  # None: not said
    public_paths: ClassVar[tuple[tuple[str, ...], ...]] = ()  # a closed one's are published apart

    def __init_subclass__(cls, **extra: Any) -> None:
        super().__init_subclass__(**extra)
        if "grow" in vars(cls) and "texts" not in vars(cls):
            cls.texts = None  # what the base says is about other levels
        HIERARCHIES.join(cls)

    @abstractmethod
    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Lay out the domain of `column` over its distinct `values` (None: missing).

        Returns the domain and the code of each of the given values.
        """

    @property
    def closed(self) -> bool:
        """Whether the rule itself lists the ground values, so that it grows without any data."""
        return self.texts == "nodes"

    def in_words(self) -> str:
        """Say by what a column is generalized. Default: the name of the class."""
        return name_of(type(self)).replace("_", " ")

    @property
    def parameter(self) -> Any:
        """What a job file and `release.json` write behind the name: the parameters, or True."""
        return written_parameters(self) or True

    @classmethod
    def of_parameter(cls, parameter: Any) -> Hierarchy:
        """Make the rule again from its `parameter`; True: all are at their defaults."""
        if parameter_names(cls):
            return build(cls, name_of(cls), {} if parameter is True else parameter, None)
        if parameter is not True:
            raise BadInput(f"write {name_of(cls)} = true, got {shown(parameter)}")
        return cls()

    def spec(self) -> dict[str, Any]:
        """Write the rule down: `{"intervals": [5, 10, 20]}`, `{"prefix": true}`."""
        return signed(type(self), self.parameter)

    @staticmethod
    def from_spec(spec: Mapping[str, Any], where: str) -> Hierarchy:
        """Read back what `spec` wrote; every error says `where` it stands."""
        if not isinstance(spec, Mapping) or len(spec.keys() - {PACKAGE}) != 1:
            known = ", ".join(sorted(HIERARCHIES))
            named = ", ".join(spec) if isinstance(spec, Mapping) else spec
            raise BadInput(f"{where}: give one hierarchy out of {known}; got {shown(named)}")
        name, parameter, package = taken_apart(spec, where)
        kind = HIERARCHIES.find(name, package, where)
        try:
            return kind.of_parameter(parameter)
        except BadInput as error:
            raise BadInput(f"{where}: {error}", error.values) from None

    @staticmethod
    def from_csv(path: str | Path, sep: str | None = None) -> LevelTable:
        """Read one row per ground value and one column per level, without a header.

        This is ARX's format. The separator is `;` or `,`; without `sep` the first line decides.
        """
        return LevelTable.read(file_path("Hierarchy.from_csv", path), sep)


@dataclass(frozen=True)
class Flat(Hierarchy):
    """No structure: a value is published as it is or not at all.

    >>> import sfumato as sf
    >>> domain, _ = sf.Flat().grow("column", ["female", "male"])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    female  male
    *  *
    """

    texts = "values"

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Order numbers as numbers and everything else as text."""
        numbers = canonical_numbers(values)
        if numbers is None:
            return open_domain(column, values, published_text, lambda _: [])
        return open_domain(column, values, numbers.__getitem__, lambda _: [], numbers.__getitem__)


@dataclass(frozen=True, init=False)
class Intervals(Hierarchy):
    """Numeric ranges of growing width, aligned to multiples of the width.

    `Intervals(5, 10, 20)` publishes 37 as 37, [35, 40), [30, 40), [20, 40) and `*`.

    >>> import sfumato as sf
    >>> domain, _ = sf.Intervals(5, 10, 20).grow("column", [37, 44])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    37  44
    [35, 40)  [40, 45)
    [30, 40)  [40, 50)
    [20, 40)  [40, 60)
    *  *
    """

    texts = "numbers"
    widths: tuple[float, ...]

    def __init__(self, *widths: float) -> None:
        exact = [_width(width) for width in widths]
        plain = tuple(int(width) if width == int(width) else float(width) for width in exact)
        object.__setattr__(self, "widths", plain)
        for narrow, wide in itertools.pairwise(exact):
            if wide <= narrow or floor_to(wide, narrow) != wide:
                raise BadInput(
                    f"Intervals: widths must nest: each a multiple of the one before and larger, "
                    f"got {number_text(wide)} after {number_text(narrow)}"
                )

    def in_words(self) -> str:
        """Name the widths."""
        return f"ranges of {', '.join(map(str, self.widths))}" if self.widths else "ranges"

    @property
    def parameter(self) -> Any:
        """The widths."""
        return list(self.widths)

    @classmethod
    def of_parameter(cls, parameter: Any) -> Intervals:
        """Read the widths, or a single one."""
        return cls(*parameter) if isinstance(parameter, (list, tuple)) else cls(parameter)

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Place every number in its range at each width."""
        numbers = {value: as_number(value) for value in values if value is not None}
        unreadable = [value for value, number in numbers.items() if number is None]
        if unreadable:
            raise BadInput(
                f"column {column!r}: {len(unreadable)} distinct values are not numbers; Intervals "
                "needs numbers, so mend them or give the column another hierarchy",
                unreadable,
            )
        exact: dict[object, Decimal] = {v: n for v, n in numbers.items() if n is not None}
        widths = [_width(width) for width in self.widths]

        def levels(value: object) -> list[str]:
            ranges = []
            for width in widths:
                start = floor_to(exact[value], width)
                end = floor_to(exact[value], width, steps=1)
                ranges.append(range_text(number_text(start), number_text(end)))
            return ranges

        return open_domain(column, values, exact.__getitem__, levels, exact.__getitem__)


@dataclass(frozen=True)
class Prefix(Hierarchy):
    """Codes that become more general from the right: 13053, 1305*, 130**, ..., `*`.

    >>> import sfumato as sf
    >>> domain, _ = sf.Prefix().grow("column", ["13053", "13068"])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    13053  13068
    1305*  1306*
    130**  130**
    13***  13***
    1****  1****
    *  *
    """

    texts = "masks"

    def in_words(self) -> str:
        """Name what is left of a code."""
        return "prefixes"

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Mask one more character at each level; shorter codes wait for their turn."""
        longest = max((len(str(published_text(v))) for v in values if v is not None), default=0)
        if longest > LONGEST_CODE:
            raise BadInput(
                f"column {column!r}: a value has {longest} characters; Prefix is for codes of at "
                f"most {LONGEST_CODE}, so give the column another hierarchy"
            )

        masked = functools.cache(mask_text)

        def levels(value: object) -> list[str]:
            text = str(published_text(value))
            return [
                name_text(text) if len(text) <= n else masked(text[:n], longest - n)
                for n in range(longest - 1, 0, -1)
            ]

        return open_domain(column, values, published_text, levels)


@dataclass(frozen=True)
class Dates(Hierarchy):
    """Calendar dates: day, month, year, decade, `*`.

    >>> import sfumato as sf
    >>> domain, _ = sf.Dates().grow("column", ["2024-02-29", "2026-11-16"])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    2024-02-29  2026-11-16
    2024-02  2026-11
    2024  2026
    2020s  2020s
    *  *
    """

    texts = "calendar"

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Read dates, or ISO text such as 2026-11-15, and group them by the calendar."""
        dates = {value: _date(value) for value in values if value is not None}
        unreadable = [value for value, date in dates.items() if date is None]
        if unreadable:
            raise BadInput(
                f"column {column!r}: {len(unreadable)} distinct values are not dates; write them "
                "as YYYY-MM-DD",
                unreadable,
            )
        known = {value: date for value, date in dates.items() if date is not None}

        def levels(value: object) -> list[str]:
            return calendar_texts(known[value])

        # Equal days of times are in the order of their text, which is that of the times.
        return open_domain(
            column, values, known.__getitem__, levels, lambda value: known[value].toordinal()
        )


@dataclass(frozen=True)
class Tree(Hierarchy):
    """A tree written as a nested dict; leaves are None or a list.

    `Tree({"Europe": ["France", "Italy"], "Asia": {"Japan": None}})` has the root `*`. A dict with
    a single key names the root itself; a plain list is a closed set of values under `*`.

    >>> import sfumato as sf
    >>> countries = sf.Tree({"Europe": ["France", "Italy"], "Asia": ["Japan"]})
    >>> domain, _ = countries.grow("column", ["Japan", "Italy"])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    France  Italy  Japan
    Europe  Europe  Asia
    *  *  *
    """

    texts = "nodes"
    tree: Nested = field(compare=False)
    _paths: tuple[tuple[object, ...], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        tree, root = self.tree, ROOT
        if isinstance(tree, Mapping) and len(tree) == 1 and next(iter(tree.values())) is not None:
            ((root, tree),) = tree.items()
            root = str(root)
        branches: list[tuple[object, ...]] = []  # leaf first, root last
        try:
            _walk(tree, (root,), branches)
        except RecursionError:
            raise BadInput("Tree: nested too deep, or a part of itself") from None
        if not branches:
            raise BadInput("Tree: no leaves; give at least one ground value")
        # A leaf above the greatest depth is its own node on the levels below its depth.
        deepest = max(map(len, branches))
        paths = tuple((path[0],) * (deepest - len(path)) + path for path in branches)
        object.__setattr__(self, "_paths", paths)
        _refuse_repeated([path[0] for path in paths], "Tree")

    def in_words(self) -> str:
        """The nodes have names of their own."""
        return TREE

    @property
    def parameter(self) -> Any:
        """The nested dict, as text."""
        return _written(self.tree)

    @classmethod
    def of_parameter(cls, parameter: Any) -> Tree:
        """Read the nested dict."""
        return cls(parameter)

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Find every value among the leaves."""
        return closed_domain(column, values, self._paths, "Tree")


@dataclass(frozen=True)
class LevelTable(Hierarchy):
    """A table with one row per ground value: `(ground, level 1, ..., most general)`."""

    texts = "nodes"
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.rows:
            raise BadInput("hierarchy table: no rows")
        if len({len(row) for row in self.rows}) > 1 or not self.rows[0]:
            raise BadInput("hierarchy table: every row needs the same number of levels")
        _refuse_repeated([row[0] for row in self.rows], "hierarchy table")

    def in_words(self) -> str:
        """The nodes have names of their own."""
        return TREE

    @property
    def parameter(self) -> Any:
        """The rows."""
        return [list(row) for row in self.rows]

    @classmethod
    def of_parameter(cls, parameter: Any) -> LevelTable:
        """Read the rows."""
        if not isinstance(parameter, Sequence) or not all(
            isinstance(row, Sequence) and not isinstance(row, str) for row in parameter
        ):
            raise BadInput(f"a table is a list of rows, got {shown(parameter)}")
        return cls(tuple(tuple(str(label) for label in row) for row in parameter))

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Find every value in the first column."""
        rows = self.rows
        if len({row[-1] for row in rows}) > 1 or len(rows[0]) == 1:
            rows = tuple((*row, ROOT) for row in rows)
        return closed_domain(column, values, rows, "hierarchy table")

    @classmethod
    def read(cls, path: Path, sep: str | None) -> LevelTable:
        """Read a CSV file; every refusal names the file and the line."""
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{path}: cannot read the hierarchy: {reason(error)}") from None
        first = text.split("\n", 1)[0]
        if sep is not None and (not isinstance(sep, str) or len(sep) != 1):
            raise BadInput(f"{path}: sep must be one character, got {shown(sep)}")
        if sep is not None and sep in '\r\n"':
            raise BadInput(f"{path}: sep cannot be a quote or the end of a line, got {shown(sep)}")
        separator = sep or (";" if first.count(";") >= first.count(",") else ",")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        try:
            rows = [(reader.line_num, tuple(row)) for row in reader if row]
        except csv.Error as error:
            raise BadInput(f"{path}, line {reader.line_num}: {error}") from None
        if not rows:
            raise BadInput(f"{path}: the hierarchy is empty")
        first_line, width = rows[0][0], len(rows[0][1])
        seen: dict[str, int] = {}
        for line, row in rows:
            if len(row) != width:
                raise BadInput(
                    f"{path}, line {line}: {len(row)} fields where line {first_line} has {width}"
                )
            if row[0] in seen:
                raise BadInput(
                    f"{path}, line {line}: the ground value of line {seen[row[0]]} again", [row[0]]
                )
            seen[row[0]] = line
        return cls(tuple(row for _, row in rows))


def open_domain(
    column: str,
    values: Sequence[object],
    order: Callable[[object], Any],
    levels: Callable[[object], list[str]],
    number: Callable[[object], Any] | None = None,
) -> tuple[Domain, Codes]:
    """Lay out the values that the data has, sorted by `order`."""
    present = sorted(
        (v for v in values if v is not None), key=lambda v: (order(v), published_text(v))
    )
    columns: list[list[object]] = [
        list(column) for column in zip(*([v, *levels(v), ROOT] for v in present), strict=True)
    ] or [[], []]
    numbers = None
    if number is not None:
        numbers = np.array([float(number(value)) for value in present])
    domain = _domain(columns, any(v is None for v in values), numbers, "hierarchy", closed=False)
    code = {value: j for j, value in enumerate(domain.labels)}
    return domain, _all_different(column, [code[value] for value in values])


def closed_domain(
    column: str, values: Sequence[object], paths: Sequence[Sequence[object]], where: str
) -> tuple[Domain, Codes]:
    """Lay out the values that the steward lists, and find the data's values among them."""
    ordered = [paths[j] for j in in_tree_order(paths)]
    columns = [list(labels) for labels in zip(*ordered, strict=True)]
    exact = canonical_numbers(columns[0])
    ascending = exact is not None and all(
        exact[a] < exact[b] for a, b in itertools.pairwise(columns[0])
    )
    numbers = None
    if exact is not None and ascending and len(exact) > 1:
        numbers = np.array([float(exact[label]) for label in columns[0]])
    missing = any(value is None for value in values)
    domain = _domain(columns, missing, numbers, f"column {column!r}: {where}", closed=True)
    codes = [_leaf(domain, value) for value in values]
    unknown = [value for value, code in zip(values, codes, strict=True) if code is None]
    if unknown:
        raise BadInput(
            f"column {column!r}: {len(unknown)} distinct values are missing from its hierarchy; "
            "add them to it, or mend the data",
            unknown,
        )
    return domain, _all_different(column, [code for code in codes if code is not None])


def _leaf(domain: Domain, value: object) -> int | None:
    """Find a value among the leaves: as a number only if it is written as the leaf is."""
    if value is None or isinstance(value, bool):
        return domain.code_of(value)
    return domain.known.texts.get(str(value))


def _all_different(column: str, codes: list[int]) -> Codes:
    """Refuse two values that only an engine can tell apart: they would be counted as one."""
    if len(set(codes)) < len(codes):
        raise BadInput(
            f"column {column!r}: two different values look the same; turn the column into text"
        )
    return np.array(codes, dtype=np.int32)


def _domain(
    columns: list[list[object]],
    missing: bool,
    numbers: NDArray[np.float64] | None,
    where: str,
    *,
    closed: bool,
) -> Domain:
    if missing:
        for labels in columns[:-1]:
            labels.append(None)
        columns[-1].append(columns[-1][0] if columns[-1] else ROOT)
        if numbers is not None:
            numbers = np.append(numbers, np.nan)
    taxonomy = Taxonomy.from_levels(columns, where)
    return Domain(taxonomy.labels[0], taxonomy, numbers, closed)


def _walk(tree: Nested, above: tuple[object, ...], branches: list[tuple[object, ...]]) -> None:
    if isinstance(tree, Mapping):
        for name, below in tree.items():
            if below is None:
                branches.append((str(name), *above))
            else:
                _walk(below, (str(name), *above), branches)
    elif isinstance(tree, str) or not isinstance(tree, Sequence):
        raise BadInput(f"Tree: a node holds a dict or a list of leaves, got {shown(tree)}")
    else:
        if any(leaf is None for leaf in tree):
            raise BadInput("Tree: a missing value is a leaf already; leave None out of the list")
        branches.extend((str(leaf), *above) for leaf in tree)


@dataclass(frozen=True)
class PublishedPaths:
    """What a release shows of a closed tree: the paths from published nodes up to the root."""

    texts: ClassVar[Reading] = "nodes"
    public_paths: tuple[tuple[str, ...], ...]

    def in_words(self) -> str:
        """What it is a part of."""
        return TREE

    def spec(self) -> dict[str, Any]:
        """Write the paths down as `release.json` has them."""
        return {PATHS: [list(path) for path in self.public_paths]}


PublicRule: TypeAlias = Hierarchy | PublishedPaths  # as far as a hierarchy is public


def whole_rules(rules: Mapping[str, PublicRule]) -> dict[str, Hierarchy]:
    """Give the hierarchies that are public as a whole."""
    return {name: rule for name, rule in rules.items() if isinstance(rule, Hierarchy)}


def a_hierarchy(given: object, where: str) -> Hierarchy:
    """Refuse what is no hierarchy."""
    if not isinstance(given, Hierarchy):
        raise BadInput(f"{where}: expected a hierarchy such as sf.Flat(), got {shown(given)}")
    return given


def _written(tree: Nested) -> Any:
    if isinstance(tree, Mapping):
        return {str(name): _written(below) for name, below in tree.items()}
    return None if tree is None else [str(leaf) for leaf in tree]


def _refuse_repeated(leaves: Sequence[object], where: str) -> None:
    seen: set[object] = set()
    for leaf in leaves:
        if leaf in seen:
            raise BadInput(f"{where}: a ground value stands in two places", [leaf])
        seen.add(leaf)


def _width(width: object) -> Decimal:
    number = None if isinstance(width, (str, bool)) else as_number(width)
    if number is None or number <= 0:
        raise refusal("Intervals", "a width", "a number > 0", width)
    return number


def _date(value: object) -> datetime.date | None:
    if isinstance(value, datetime.date):
        return value
    text = str(value)
    if not re.match(r"\d{4}-\d\d-\d\d([ T]|$)", text, re.ASCII):
        return None
    try:
        return datetime.date.fromisoformat(text[:10])
    except ValueError:
        return None
