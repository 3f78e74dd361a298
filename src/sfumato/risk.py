"""What drives the risk: which columns make people recognizable, and what would help."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts
from sfumato.data.recoding import Cut, level_intervals
from sfumato.errors import BadInput, nearest, one_line, shown
from sfumato.formulas.measures import recognition
from sfumato.formulas.measures.loss import exact_loss
from sfumato.html import html_table
from sfumato.parameters import is_count, whole
from sfumato.progress import report
from sfumato.table import Table
from sfumato.text import aligned_cells, people, percent, rows_in_groups, to_a_tenth, value_text

ALL_SUBSETS = 10  # columns: beyond 2^10 subsets only some are counted
DEFAULT_K = 5  # size from which on a group counts as safe, unless told otherwise
BELOW = (2, 3, 5, 10, 20)  # sizes of groups that stewards ask about
HELD = 1 << 25  # combinations of subsets of one size that are kept for smaller ones: 512 MiB

Rows = tuple[str, tuple[str, ...], list[tuple[str, ...]]]  # caption, header, cells


@dataclass(frozen=True)
class Risk:
    """What the groups of a table say about recognizing its people."""

    n_rows: int
    n_groups: int
    smallest: int
    n_alone: int
    prosecutor: Fraction  # who knows that somebody is in the table: 1 / smallest group
    marketer: Fraction  # expected share of right guesses of who links everybody
    average_group_size: Fraction
    below: Mapping[int, Fraction]  # share of the people in groups of fewer than so many

    @classmethod
    def of(cls, sizes: Counts) -> Risk:
        """Measure the sizes of all groups."""
        n_rows = int(sizes.sum())
        return cls(
            n_rows,
            len(sizes),
            int(sizes.min()),
            recognition.n_below(sizes, 2),
            recognition.prosecutor(sizes),
            recognition.distinction(sizes),
            recognition.people_per_group(sizes),
            {k: Fraction(recognition.n_below(sizes, k), n_rows) for k in BELOW},
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "rows": self.n_rows,
            "groups": self.n_groups,
            "smallest_group": self.smallest,
            "alone": self.n_alone,
            "prosecutor": float(self.prosecutor),
            "marketer": float(self.marketer),
            "average_group_size": float(self.average_group_size),
            "share_below": {str(k): float(share) for k, share in self.below.items()},
        }


@dataclass(frozen=True)
class Subset:
    """How well some of the quasi-identifiers tell people apart."""

    columns: tuple[str, ...]
    n_distinct: int
    distinction: Fraction  # distinct combinations / rows
    separation: Fraction  # share of the pairs of rows that differ
    n_alone: int
    smallest: int

    @classmethod
    def of(cls, columns: tuple[str, ...], sizes: Counts) -> Subset:
        """Measure the groups that these columns make."""
        return cls(
            columns,
            len(sizes),
            recognition.distinction(sizes),
            recognition.separation(sizes),
            recognition.n_below(sizes, 2),
            int(sizes.min()),
        )

    @property
    def marketer(self) -> Fraction:
        """Expected share of right guesses of somebody who knows these columns of everybody."""
        return self.distinction

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "columns": list(self.columns),
            "distinct": self.n_distinct,
            "distinction": float(self.distinction),
            "separation": float(self.separation),
            "alone": self.n_alone,
            "smallest_group": self.smallest,
            "marketer": float(self.marketer),
        }


@dataclass(frozen=True)
class ColumnShare:
    """What one quasi-identifier adds to distinction, and what is left without it."""

    name: str
    shapley: Fraction | None  # average over all orders of adding columns; None: not all counted
    leave_one_out: Fraction  # what it adds to all others
    distinction_without: Fraction
    n_alone_without: int

    @property
    def contribution(self) -> Fraction:
        """The Shapley value, or else what the column adds to all others."""
        return self.leave_one_out if self.shapley is None else self.shapley

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "attribute": self.name,
            "contribution": float(self.contribution),
            "shapley": None if self.shapley is None else float(self.shapley),
            "leave_one_out": float(self.leave_one_out),
            "distinction_without": float(self.distinction_without),
            "alone_without": self.n_alone_without,
        }


@dataclass(frozen=True)
class LevelStep:
    """One quasi-identifier published one level higher, all others as they are."""

    attribute: str
    level: int  # the new one
    smallest: int
    n_alone: int
    n_below: int  # people in groups of fewer than k
    n_protected: int  # people who are no longer in such a group
    marketer: Fraction
    loss_before: Fraction  # of this attribute, from 0 to 1
    loss_after: Fraction

    @property
    def protected_per_loss(self) -> Fraction:
        """People protected per unit of loss; 0 for a level at which nobody's value changes."""
        added = self.loss_after - self.loss_before
        return self.n_protected / added if added else Fraction(0)  # no loss: the same groups

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "attribute": self.attribute,
            "level": self.level,
            "smallest_group": self.smallest,
            "alone": self.n_alone,
            "below_k": self.n_below,
            "protected": self.n_protected,
            "marketer": float(self.marketer),
            "loss_before": float(self.loss_before),
            "loss_after": float(self.loss_after),
            "protected_per_loss": float(self.protected_per_loss),
        }


@dataclass(frozen=True, repr=False)
class Drivers:
    """Which columns make people recognizable, and what one more level would buy.

    Private: all of it is about the original table, so it is for the steward alone.
    """

    subsets: tuple[Subset, ...]  # smaller ones first, then in the order of the columns
    attributes: tuple[ColumnShare, ...]  # the largest contribution first
    raw: Risk  # of the table as it is
    levels: Mapping[str, int]  # where the steps start
    n_below: int  # people in groups of fewer than k at these levels
    one_more_level: tuple[LevelStep, ...]  # the most people protected per loss first
    k: int
    note: str | None = None  # what was left out

    @classmethod
    def of(
        cls, frequencies: FrequencySet, levels: Mapping[str, int] | None = None, k: int = 5
    ) -> Drivers:
        """Look at what was counted of a table; see `drivers`."""
        k = whole("drivers", "k", k)
        ground = frequencies.combinations
        start = _started(ground, levels)
        subsets = _count(ground)
        n_below, steps = _steps(ground, start, k)
        return cls(
            tuple(sorted(subsets.values(), key=lambda subset: len(subset.columns))),
            tuple(sorted(_attributes(ground, subsets), key=lambda each: -each.contribution)),
            Risk.of(ground.counts),
            start,
            n_below,
            tuple(sorted(steps, key=_most_protecting)),
            k,
            _note(len(ground.columns), len(subsets)),
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine: names and numbers."""
        return {
            "raw": self.raw.to_json(),
            "subsets": [each.to_json() for each in self.subsets],
            "attributes": [each.to_json() for each in self.attributes],
            "k": self.k,
            "levels": dict(self.levels),
            "below_k": self.n_below,
            "one_more_level": [each.to_json() for each in self.one_more_level],
            "note": self.note,
        }

    def __repr__(self) -> str:
        lines = [self.heading]
        for caption, header, rows in self.tables():
            lines += ["", caption, *(aligned_cells([header, *rows]) if rows else ())]
        return "\n".join(lines if self.note is None else [*lines, "", f"note: {self.note}"])

    def _repr_html_(self) -> str:
        tables = (html_table(header, rows, caption) for caption, header, rows in self.tables())
        heading = html_table((self.heading,), [] if self.note is None else [(self.note,)])
        return "\n".join([heading, *tables])

    @property
    def heading(self) -> str:
        """Rows, groups, and how many people stand alone."""
        raw = self.raw
        table = rows_in_groups(raw.n_rows, raw.n_groups)
        return f"{table}, {people(raw.n_alone)} alone in theirs"

    def tables(self) -> Iterator[Rows]:
        """What a person reads: the risk, the columns, the most telling subsets, the steps."""
        raw = self.raw
        yield (
            "The table as it is",
            ("smallest group", "average", "prosecutor", "marketer", *(f"< {k}" for k in raw.below)),
            [
                (
                    str(raw.smallest),
                    to_a_tenth(float(raw.average_group_size)),
                    percent(raw.prosecutor),
                    percent(raw.marketer),
                    *(percent(share) for share in raw.below.values()),
                )
            ],
        )
        yield (
            "What each column adds to distinction",
            ("column", "adds", "left without it", "alone without it"),
            [
                (
                    one_line(each.name),
                    percent(each.contribution),
                    percent(each.distinction_without),
                    str(each.n_alone_without),
                )
                for each in self.attributes
            ],
        )
        yield (
            "The most telling columns, one or more at a time",
            ("columns", "distinct", "distinction", "separation", "alone", "smallest group"),
            [
                (
                    one_line(", ".join(each.columns)),
                    str(each.n_distinct),
                    percent(each.distinction),
                    percent(each.separation),
                    str(each.n_alone),
                    str(each.smallest),
                )
                for each in self._most_telling()
            ],
        )
        what = (
            "One more level on one column" if self.one_more_level else "No column has more levels"
        )
        yield (
            f"{what}; now {people(self.n_below)} in groups below {self.k}",
            (
                *("column", "level", f"below {self.k}", "protected", "per 1% of loss", "loss"),
                *("alone", "smallest group", "marketer"),
            ),
            [
                (
                    one_line(each.attribute),
                    f"{each.level - 1} -> {each.level}",
                    str(each.n_below),
                    str(each.n_protected),
                    value_text(float(each.protected_per_loss) / 100),
                    f"{percent(each.loss_before)} -> {percent(each.loss_after)}",
                    str(each.n_alone),
                    str(each.smallest),
                    percent(each.marketer),
                )
                for each in self.one_more_level
            ],
        )

    def _most_telling(self) -> list[Subset]:
        """Of each number of columns the subset with the most distinct combinations."""
        best: dict[int, Subset] = {}
        for subset in self.subsets:
            size = len(subset.columns)
            if size not in best or subset.n_distinct > best[size].n_distinct:
                best[size] = subset
        return list(best.values())


def drivers(table: Table, levels: Mapping[str, int] | None = None, k: int = DEFAULT_K) -> Drivers:
    """Find out which columns make people recognizable, and what would help.

    The result is private: it is about the original table, so it is for the steward alone.

    `subsets` measures every subset of the quasi-identifiers: distinct combinations, distinction,
    separation (Motwani and Xu 2007), people alone. `attributes` shares distinction out among the
    columns (Shapley 1953): the contributions add up to distinction(all) - 1 / rows. `raw` is the
    risk of the table as it is. `one_more_level` generalizes one column by one level more and says
    how many people leave groups of fewer than k, and what is lost. All shares are exact fractions.

    With more than 10 quasi-identifiers only single columns, pairs, all but one, and all of them
    are counted; then a contribution is what a column adds to all others, and `note` says so.

    Args:
        table: A table from `sf.read`.
        levels: Where `one_more_level` starts: a level per quasi-identifier, 0 where none is given,
            such as the `levels` of a full-domain release. Nobody is suppressed here.
        k: Size from which on a group counts as safe.

    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [20, 30, 40, 20, 40], "sex": list("FFFMM")})
    >>> found = drivers(sf.read(people, {"age": sf.Intervals(20), "sex": sf.Flat()}), k=2)
    >>> [(each.name, str(each.shapley)) for each in found.attributes]
    [('age', '1/2'), ('sex', '3/10')]
    >>> [(step.attribute, step.n_protected) for step in found.one_more_level]
    [('age', 2), ('sex', 4)]
    >>> found.subsets[0]
    Subset(columns=('age',), n_distinct=3, distinction=Fraction(3, 5), separation=Fraction(4, 5),
           n_alone=1, smallest=1)
    """
    if not isinstance(table, Table):
        raise BadInput(f"drivers: expected a table from sf.read, got {type(table).__name__}")
    whole("drivers", "k", k)
    _named(levels, table.schema.quasi_identifiers)
    return Drivers.of(table.combinations(), levels, k)


def _named(levels: object, columns: Sequence[str]) -> Mapping[str, object]:
    """Refuse levels of anything but these columns."""
    if levels is None:
        return {}
    if not isinstance(levels, Mapping):
        raise BadInput(f"drivers: levels must be given by column, got {shown(levels)}")
    for name in levels:
        if name not in columns:
            raise BadInput(
                f"drivers: unknown quasi-identifier {shown(name)}{nearest(name, columns)}"
            )
    return levels


def _started(ground: FrequencySet, levels: object) -> dict[str, int]:
    """Read the levels to start from, one per quasi-identifier."""
    start = dict.fromkeys(ground.columns, 0)
    for name, level in _named(levels, ground.columns).items():
        height = ground.domains[name].taxonomy.height
        if not is_count(level) or not level <= height:  # type: ignore[operator]
            raise BadInput(f"drivers: {name!r} has levels 0 to {height}, got {shown(level)}")
        start[name] = int(level)  # type: ignore[call-overload]
    return start


def _sizes(n: int) -> tuple[int, ...]:
    """How many columns the counted subsets of n columns have, from all of them down."""
    return tuple(range(n, 0, -1)) if n <= ALL_SUBSETS else (n, n - 1, 2, 1)


def _count(ground: FrequencySet) -> dict[int, Subset]:
    """Measure the subsets: bit j of an index says whether column j is in.

    Each is counted from its smallest superset at hand, which is one with the next larger number
    of columns, unless these take too much memory.
    """
    names = ground.columns
    everything = (1 << len(names)) - 1
    subsets: dict[int, Subset] = {}
    held = {everything: ground}
    sizes = _sizes(len(names))
    total = sum(math.comb(len(names), size) for size in sizes)
    for size in sizes:
        n_held = 0
        counted: dict[int, FrequencySet] = {}
        for members in combinations(range(len(names)), size):
            report("comparing columns", len(subsets), total)
            mask = sum(1 << j for j in members)
            chosen = tuple(names[j] for j in members)
            above = min((each for m, each in held.items() if m & mask == mask), key=len)
            subset = above if mask == everything else above.project(chosen)
            subsets[mask] = Subset.of(chosen, subset.counts)
            counted[mask] = subset
            n_held += len(subset)
            while n_held > HELD:  # the largest saves the least
                largest = max(counted, key=lambda each: len(counted[each]))
                n_held -= len(counted.pop(largest))
        held = {everything: ground} | counted
    return subsets


def _attributes(ground: FrequencySet, subsets: Mapping[int, Subset]) -> Iterator[ColumnShare]:
    """Share distinction out; by Shapley's value where every subset was counted."""
    names, n_rows = ground.columns, ground.n_rows
    everything = (1 << len(names)) - 1
    nothing = Subset.of((), ground.counts.sum(keepdims=True))  # everybody is alike
    shares: Sequence[Fraction | None] = [None] * len(names)
    if len(subsets) == everything:
        worth = [
            nothing.n_distinct,
            *(subsets[mask].n_distinct for mask in range(1, everything + 1)),
        ]
        shares = [share / n_rows for share in recognition.shapley(worth)]
    for j, name in enumerate(names):
        rest = subsets.get(everything & ~(1 << j), nothing)
        yield ColumnShare(
            name,
            shares[j],
            subsets[everything].distinction - rest.distinction,
            rest.distinction,
            rest.n_alone,
        )


def _steps(ground: FrequencySet, levels: Mapping[str, int], k: int) -> tuple[int, list[LevelStep]]:
    """Count who is in groups below k at these levels, and after each possible step."""
    start = ground.roll_up(Cut.at_levels(ground.domains, levels).intervals)
    n_below = recognition.n_below(start.counts, k)
    steps = []
    for done, (name, level) in enumerate(levels.items()):
        report("one more level", done, len(levels))
        taxonomy = ground.domains[name].taxonomy
        if level == taxonomy.height:
            continue
        # The first rank of a node stands for it, and lies in the node above.
        sizes = start.roll_up(level_intervals(ground.domains, {name: level + 1})).counts
        alone = ground.project([name])
        coverage = (taxonomy.high - taxonomy.low + 1)[:, alone.codes(name)]  # (height + 1, n)
        before, after = (
            exact_loss(alone.counts, coverage[each], taxonomy.size) for each in (level, level + 1)
        )
        left = recognition.n_below(sizes, k)
        steps.append(
            LevelStep(
                name,
                level + 1,
                int(sizes.min()),
                recognition.n_below(sizes, 2),
                left,
                n_below - left,
                recognition.distinction(sizes),
                before,
                after,
            )
        )
    return n_below, steps


def _most_protecting(step: LevelStep) -> tuple[Fraction, int, Fraction]:
    """Sort by people protected per loss, then by what is left; then as the columns stand.

    Far from k no step protects anybody yet; then the marketer's risk says which comes nearest.
    """
    return -step.protected_per_loss, -step.n_protected, step.marketer


def _note(n_columns: int, n_counted: int) -> str | None:
    """Say which subsets were left out."""
    left_out = (1 << n_columns) - 1 - n_counted
    if not left_out:
        return None
    return (
        f"{left_out} subsets, of 3 to {n_columns - 2} of the {n_columns} quasi-identifiers, were "
        "left out; so what a column adds is what it adds to all others, not its Shapley value"
    )
