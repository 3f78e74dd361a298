"""What an adversary with a stated amount of knowledge believes (Chen 2009, sections 4 to 7).

The target t is one person, the value one sensitive value. (l, k, m) is how much is known, up to:
l values that t does not have (for sets: that t has only together with the value); the values of k
other people (for sets: that k others lack the value); and m people who have the value only if t
has it. The breach probability is the largest posterior belief over everybody and everything that
could be known so, given that all ways to deal a group's values to its people are equally likely.
It is 1 / (NR + 1), where NR, the least odds, follows from five statistics that are each a minimum
over the groups (theorem 2).

Departures from the paper: amounts are "up to"; where t and the others do not fit into a group that
holds the value, the breach probability is 1; a group without the value has V = 1 and no T.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Histogram
from sfumato.errors import BadInput
from sfumato.formulas.exact import CLEAR
from sfumato.formulas.knowledge.exact import Statistics, exact_lacking, exact_odds
from sfumato.text import people

Case = Literal["single", "set", "multiset"]
CASES: tuple[Case, ...] = get_args(Case)
Floats = NDArray[np.float64]
AT_A_TIME = 2000  # groups
SMALL = 1e-250  # below this floats are not compared: they may stand for something smaller


class Point(NamedTuple):
    """An amount of knowledge."""

    l: int
    k: int
    m: int


@dataclass(frozen=True, eq=False)
class Entries:
    """Every (group, value) that occurs, with what the formulas need of it."""

    group: NDArray[np.intp]  # (n_entries,)
    codes: NDArray[np.int32]
    n: Counts  # people in the group
    having: Counts  # occurrences of the value
    ruled_out: Counts  # occurrences of the l most frequent other values
    share: Floats  # for sets: probability to have none of them; else empty


def refuse_impossible(histogram: Histogram, sizes: Counts, case: Case) -> None:
    """Refuse groups that cannot be dealt out: more values than people can have, or fewer."""
    upto = np.concatenate([[0], np.cumsum(histogram.counts)])
    totals = upto[histogram.starts[1:]] - upto[histogram.starts[:-1]]
    if case == "single":
        wrong, why = totals != sizes, "with one value per person the counts must add up to it"
    elif case == "set":
        wrong, why = histogram.largest() > sizes, "in a set nobody has a value twice"
    else:
        wrong, why = (sizes == 0) & (totals > 0), "somebody must have its values"
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise BadInput(
            f"group {first} has {people(int(sizes[first]))}, {totals[first]} occurrences of "
            f"values, and {histogram.largest()[first]} of the most frequent one: {why} "
            f"(case={case!r})"
        )


def entries_of(
    histogram: Histogram, sizes: Counts, l: int, case: Case, value: int | None = None
) -> Entries:
    """Prepare all entries, or those of one value, for points with this l."""
    refuse_impossible(histogram, sizes, case)
    least = min(l, histogram.n_values)
    ruled_out, share = kernels(len(histogram.counts) * (least + 1)).rule_out(
        histogram.starts, histogram.counts, sizes, least, case == "set"
    )
    group = histogram.group_of
    entries = Entries(group, histogram.codes, sizes[group], histogram.counts, ruled_out, share)
    return entries if value is None else part(entries, entries.codes == value)


def part(entries: Entries, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Entries:
    """Keep some of the entries."""
    return Entries(
        entries.group[chosen],
        entries.codes[chosen],
        entries.n[chosen],
        entries.having[chosen],
        entries.ruled_out[chosen],
        entries.share[chosen] if len(entries.share) else entries.share,
    )


def statistics(
    histogram: Histogram, sizes: Counts, l: int, k: int, m: int, case: Case = "single"
) -> Floats:
    """Give the five statistics of every entry of the histogram, as floats; (n_entries, 5).

    In the paper's order: minNR(g, l, k, m) = T(g, l, k) V(g, m, k + 1); T(g, l, 0); T(g, l, k);
    V(g, m, 0); V(g, m, k). What is 0 is exactly 0; else the relative error is below 1e-9.
    """
    return five_of(entries_of(histogram, sizes, l, case), Point(l, k, m), case)


def minima(histogram: Histogram, sizes: Counts, point: Point, case: Case = "single") -> Floats:
    """Give the least of each of the five statistics by value, as floats; (n_values, 5).

    One pass over the groups, some at a time, in memory that does not grow with them. Without the
    value in any group the first three are infinite and the others 1.
    """
    if case == "single":
        from sfumato.formulas.knowledge.one_pass import one_pass  # noqa: PLC0415  (a compiler)

        refuse_impossible(histogram, sizes, case)
        l, k, m = (min(a, int(sizes.max(initial=0)) + 1) for a in point)  # more says nothing more
        table = (histogram.starts, histogram.codes, histogram.counts, sizes)
        return np.asarray(one_pass(*table, l, k, m, histogram.n_values))
    lowest = np.repeat([[np.inf] * 3 + [1.0] * 2], histogram.n_values, axis=0)
    for first in range(0, histogram.n_groups, AT_A_TIME):
        last = min(first + AT_A_TIME, histogram.n_groups)
        entries = entries_of(histogram.rows(first, last), sizes[first:last], point.l, case)
        five = five_of(entries, point, case)
        own = kernels(len(five)).least(entries.codes, five, histogram.n_values)
        np.minimum(lowest, own, out=lowest)
    return lowest


def breaches(histogram: Histogram, sizes: Counts, point: Point, case: Case = "single") -> Floats:
    """Give the breach probability of every value, as floats; (n_values,).

    >>> table_1b = Histogram.from_dense([[2, 2, 0], [1, 2, 1]])  # AIDS, flu, cancer
    >>> breaches(table_1b, np.array([4, 4]), Point(0, 0, 0))
    array([0.5 , 0.5 , 0.25])
    """
    return np.asarray(1 / (1 + _ratios(minima(histogram, sizes, point, case))))


def _ratios(lowest: Floats) -> Floats:
    """Give the least odds from the five minima (theorem 2)."""
    together, alone, kept, family, beside = lowest.T
    return np.asarray(np.minimum(together, np.minimum(alone * beside, kept * family)))


def five_of(entries: Entries, point: Point, case: Case) -> Floats:
    """Give the five statistics of prepared entries; (n_entries, 5)."""
    most = int(entries.n.max(initial=0)) + 1  # more people than that say nothing more
    k, m = min(point.k, most), min(point.m, most)
    numbers = (entries.n, entries.having, entries.ruled_out, entries.share)
    n_steps = len(entries.n) * (1 + k + m)
    return np.asarray(kernels(n_steps).five(*numbers, k, m, CASES.index(case)))


def exposed(
    histogram: Histogram,
    sizes: Counts,
    point: Point,
    c: Fraction,
    case: Case = "single",
    value: int | None = None,
    *,
    alone: bool = False,
) -> NDArray[np.bool_]:
    """Say of every entry whether somebody of its group is exposed: breach >= c; (n_entries,).

    Somebody in the entry's group, with regard to the entry's value, by an adversary who knows
    `point` about anybody in any group. Decided exactly: floats far from a tie, fractions near it.

    Args:
        histogram: Occurrences of values; a release as a whole.
        sizes: People in each group.
        point: Amounts (l, k, m).
        c: Confidence, above 0 and at most 1.
        case: What one person can have.
        value: Judge one value alone; every other entry is False. None: all values.
        alone: Judge every group as if there were no other.
    """
    limit = (1 - c) / c
    chosen = np.ones(len(histogram.codes), dtype=bool)
    if value is not None:
        chosen = histogram.codes == value
    reached, open_ = compared(_ratios(minima(histogram, sizes, point, case)), limit)
    if not (reached | open_)[slice(None) if value is None else value].any():
        return np.zeros(len(chosen), dtype=bool)  # the usual answer, and the cheapest
    entries = entries_of(histogram, sizes, point.l, case, value)
    five = five_of(entries, point, case)
    loops = kernels(len(five))
    lowest = loops.least(entries.codes, five, histogram.n_values)
    ratio = five[:, 0] if alone else loops.negated(entries.codes, five, lowest)
    below, near = compared(ratio, limit)
    if near.any():
        exact = Exactly(histogram, entries, five, point, case)
        unsure = np.flatnonzero(near)
        kinds, of_kind = exact.kinds(unsure)
        odds = [exact.negated(int(unsure[first]), alone=alone) for first in kinds]
        verdicts = [each <= limit for each in odds]
        below[unsure] = np.array(verdicts, dtype=bool)[of_kind]
    verdict = np.zeros(len(chosen), dtype=bool)
    verdict[chosen] = below
    return verdict


def compared(ratio: Floats, limit: Fraction) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Compare floats with an exact limit: which are at most that, and which are too near to say."""
    at = to_float(limit)
    near = np.abs(ratio - at) <= CLEAR * at
    if at < SMALL:  # 0 is exact, the rest may be smaller than it looks
        near = (ratio > 0) & (ratio < SMALL) & (limit > 0)
    return ratio <= at, near


def to_float(limit: Fraction) -> float:
    """Give a limit as a float; no ratio reaches 1e300."""
    return float(min(limit, Fraction(10**300)))


def of_value(
    histogram: Histogram, sizes: Counts, value: int, point: Point, case: Case = "single"
) -> Statistics:
    """Give the five minima of one value and one point over the groups, exactly."""
    entries = entries_of(histogram, sizes, point.l, case, value)
    return Exactly(histogram, entries, five_of(entries, point, case), point, case).minima(value)


def largest_breach(
    histogram: Histogram, sizes: Counts, point: Point, case: Case = "single"
) -> tuple[Fraction, int | None]:
    """Give the largest breach probability over all values, exactly, and the value's code.

    Of several such values the first; without any value 0 and None.
    """
    entries = entries_of(histogram, sizes, point.l, case)
    if not len(entries.codes):
        return Fraction(0), None
    five = five_of(entries, point, case)
    loops = kernels(len(five))
    ratio = loops.negated(entries.codes, five, loops.least(entries.codes, five, histogram.n_values))
    lowest = float(ratio.min())
    candidates = np.unique(entries.codes[ratio <= max(lowest * (1 + 2 * CLEAR), _floor(lowest))])
    exact = Exactly(histogram, entries, five, point, case)
    breaches = [(exact.minima(int(code)).breach, -int(code)) for code in candidates]
    largest, code = max(breaches)
    return largest, -code


def _floor(lowest: float) -> float:
    """What floats cannot tell apart at the small end; 0 they can."""
    return SMALL if 0 < lowest < SMALL else 0.0


class Exactly:
    """Fractions for the few entries that floats leave open."""

    def __init__(
        self, histogram: Histogram, entries: Entries, five: Floats, point: Point, case: Case
    ) -> None:
        self.histogram, self.entries, self.five = histogram, entries, five
        self.point, self.case = point, case
        self._minima: dict[int, Statistics] = {}

    def others(self, entry: int) -> tuple[int, ...]:
        """Counts of the l most frequent other values, falling."""
        group, code = self.entries.group[entry], self.entries.codes[entry]
        first, end = self.histogram.starts[group], self.histogram.starts[group + 1]
        counts = self.histogram.counts[first:end][self.histogram.codes[first:end] != code]
        return tuple(np.sort(counts)[::-1][: self.point.l].tolist())

    def kinds(self, chosen: NDArray[np.intp]) -> tuple[Sequence[int], NDArray[np.intp]]:
        """Find entries of which all numbers are the same: the first of each kind, and the kinds."""
        entries = self.entries
        keys: list[NDArray[Any]] = [
            entries.codes[chosen],
            entries.n[chosen],
            entries.having[chosen],
        ]
        if self.case == "set":
            numbers: dict[tuple[int, ...], int] = {}
            tops = [numbers.setdefault(self.others(int(e)), len(numbers)) for e in chosen]
            keys.append(np.array(tops, dtype=np.int64))
        else:
            keys.append(entries.ruled_out[chosen])
        table = np.stack(keys, axis=1).astype(np.int64)
        _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
        return first.tolist(), inverse.reshape(-1)

    def of(self, entry: int) -> Statistics:
        """Give the five statistics of one entry."""
        entries, (_, k, m) = self.entries, self.point
        n, having = int(entries.n[entry]), int(entries.having[entry])
        others = self.others(entry)
        kept = exact_odds(n, having, others, k, self.case)
        return Statistics(
            kept * exact_lacking(n, having, m, k + 1, self.case),
            exact_odds(n, having, others, 0, self.case),
            kept,
            exact_lacking(n, having, m, 0, self.case),
            exact_lacking(n, having, m, k, self.case),
        )

    def minima(self, code: int) -> Statistics:
        """Give the minima over the groups; floats pick the candidates, fractions decide."""
        if code not in self._minima:
            total = Statistics()
            for entry in self.candidates(code):
                total = total.merge(self.of(entry))
            self._minima[code] = total
        return self._minima[code]

    def candidates(self, code: int) -> list[int]:
        """Find the entries of a value among which all five minima are, one of every kind."""
        mine = np.flatnonzero(self.entries.codes == code)
        if not len(mine):
            return []
        chosen = np.zeros(len(mine), dtype=bool)
        for column in self.five[mine].T:
            lowest = float(column.min())
            if lowest == 0:
                chosen[int(column.argmin())] = True
            else:
                chosen |= column <= max(lowest * (1 + 2 * CLEAR), _floor(lowest))
        near = mine[chosen]
        return [int(near[first]) for first in self.kinds(near)[0]]

    def negated(self, entry: int, *, alone: bool = False) -> Fraction:
        """Give the least odds about somebody in the entry's group."""
        own, all_groups = self.of(entry), self.minima(int(self.entries.codes[entry]))
        if alone and own.together is not None:
            return own.together
        assert own.together is not None and own.alone is not None and own.kept is not None  # noqa: S101, PT018
        return min(
            own.together,
            own.alone * all_groups.family_beside_others,
            own.kept * all_groups.family,
        )


def kernels(n_steps: int) -> Any:
    """Import the loops where they are used; n_steps: about how many there are to do."""
    from sfumato.compiled import suited  # noqa: PLC0415  (a compiler)
    from sfumato.formulas.knowledge import kernels as knowledge_kernels  # noqa: PLC0415  (likewise)

    return suited(knowledge_kernels, n_steps)
