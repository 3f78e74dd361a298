"""What SkylineAnonymize is given: counted combinations, requirements, and an order of cuts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.compiled_search import axes
from sfumato.algorithms.skyline_mondrian.kernels.cuts import GAIN
from sfumato.criteria import Skyline
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Occurrences
from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.knowledge.breach import CASES

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

TABULATED = 1 << 16  # counts whose logarithms are exact for products
FINEST = 40  # bits after the point of a logarithm
NEAR = 1e-11  # share of the threshold within which a cut is as good as at it
ROUNDED = 1e-15  # and more for every factor that was rounded


class Counted(NamedTuple):
    """What is cut: combinations, and the values that their people have."""

    codes: NDArray[np.int32]  # (n, n_columns)
    people: Counts  # (n,)
    first: Integers  # (n + 1,) entries of each combination
    value: NDArray[np.int32]  # (n_entries,) values of several columns stand one after the other
    occurs: Counts  # (n_entries,) how often

    @classmethod
    def of(
        cls,
        frequencies: FrequencySet,
        columns: Sequence[str],
        offset: dict[str, int],
        n_values: int,
    ) -> Counted:
        """Count values of some columns, which begin at their `offset`.

        columns: those along which is cut.
        """
        ground = frequencies.combinations
        occurrences = [_occurrences(frequencies, name) for name in offset]
        value = [
            each.codes + start for each, start in zip(occurrences, offset.values(), strict=True)
        ]
        histogram = Histogram.from_entries(
            np.concatenate([each.combination for each in occurrences]),
            np.concatenate(value).astype(np.int32),
            np.concatenate([each.counts for each in occurrences]),
            (len(ground), n_values),
        )
        codes = np.stack([ground.codes(name) for name in columns], axis=1)
        return cls(codes, ground.counts, histogram.starts, histogram.codes, histogram.counts)


class Wanted(NamedTuple):
    """Requirements: a point for a value each, by ascending value."""

    first: Integers  # (n_values + 1,) those of each value
    value: Integers
    l: Integers
    k: Integers
    m: Integers
    limit: Floats  # the negated ratio has to be above
    case: Integers
    block: NDArray[np.int32]  # (n_values,) the column of a value; -1: it only orders cuts
    most: Integers  # (n_blocks,) frequent values that are looked at, one more than any l
    live: bool  # whether statistics are of the groups there are now, or of all there ever were

    @classmethod
    def of(
        cls,
        frequencies: FrequencySet,
        skylines: Sequence[tuple[Skyline, str]],
        offset: dict[str, int],
        n_values: int,
    ) -> Wanted:
        """Write down what skylines, each about a column, ask for."""
        protected = list(dict.fromkeys(attribute for _, attribute in skylines))
        block = np.full(n_values, -1, dtype=np.int32)
        most = np.ones(len(protected), dtype=np.int64)
        amounts, limits = [], []
        for part, attribute in skylines:
            values = frequencies.domains[attribute].values
            start, number = offset[attribute], protected.index(attribute)
            block[start : start + len(values)] = number
            for limit, codes in part.requirements(values).items():
                # Nobody can know more than that.
                l = min(limit.l, len(values))
                k, m = (min(known, frequencies.n_rows + 1) for known in (limit.k, limit.m))
                most[number] = max(most[number], l + 1)
                case = CASES.index(part.case)
                amounts += [(start + code, l, k, m, case) for code in codes.tolist()]
                limits += [too_near(limit.c, m)] * len(codes)
        written = np.array(amounts, dtype=np.int64).reshape(-1, 5)
        order = np.argsort(written[:, 0], kind="stable")
        value, l, k, m, case = written[order].T.copy()
        live = any(part.case != "single" for part, _ in skylines)
        first = np.searchsorted(value, np.arange(n_values + 1)).astype(np.int64)
        floors = np.array(limits, dtype=np.float64)[order]
        return cls(first, value, l, k, m, floors, case, block, most, live)


class Order(NamedTuple):
    """What puts the cuts of a region in order. All columns stand in one long array."""

    split: int
    least: int  # people in a region
    offset: Integers  # (n_columns + 1,)
    place: Floats  # where each code lies on its axis
    meet: NDArray[np.int32]  # level at which a code and the next one meet
    length: Floats  # (n_columns,) of the axes
    tall: NDArray[np.bool_]  # (n_columns,) trees with inner nodes
    gain_low: int  # the values that gain is about
    gain_high: int
    logs: Integers  # log2 in units of 1 / unit
    unit: float

    @classmethod
    def of(
        cls,
        domains: Sequence[Domain],
        split: int,
        least: int,
        gain: tuple[int, int],
        n_gaining: int,
    ) -> Order:
        """Prepare an order; gain: from which value to which, and how often all these occur."""
        offset, place, meet, length, numeric = axes(list(domains))
        tall = np.array([domain.taxonomy.height > 1 for domain in domains]) & ~numeric
        total = n_gaining + 1
        # Sums of count * log2(count) have to fit into 64 bits.
        unit = 2.0 ** min(FINEST, 61 - (total * total.bit_length()).bit_length())
        logs = fixed_logarithms(min(total, TABULATED) if split == GAIN else 0, unit)
        return cls(split, least, offset, place, meet, length, tall, *gain, logs, unit)


def too_near(c: Fraction, m: int) -> float:
    """Give the negated ratio that is too small for confidence c, or as good as that.

    Statistics are floats, and the relative error of a product of m factors is far below `NEAR`
    and `ROUNDED` times m. So what is at the limit exactly, which is unsafe and common (small
    counts, simple confidences), is never taken for safe. What is that near without being at it
    stays uncut, on the safe side.
    """
    return float((1 - c) / c) * (1 + NEAR + ROUNDED * m)


def fixed_logarithms(n: int, unit: float) -> Integers:
    """Give log2 of 0 to n in whole units, so that products add up exactly.

    Only those of primes are rounded. So two cuts whose gain is the same have it in these numbers
    too, however their counts come together, and no rounding decides between them.

    >>> logs = fixed_logarithms(12, 1000.0)
    >>> int(logs[3]), bool(logs[12] == 2 * logs[2] + logs[3])
    (1585, True)
    """
    logs = np.zeros(n + 1, dtype=np.int64)
    for prime in range(2, n + 1):
        if logs[prime] == 0:
            step, power = round(math.log2(prime) * unit), prime
            while power <= n:
                logs[power::power] += step
                power *= prime
    return logs


def _occurrences(frequencies: FrequencySet, name: str) -> Occurrences:
    if name in frequencies.sensitive:
        return frequencies.occurrences(name)
    ground = frequencies.combinations
    return Occurrences(np.arange(len(ground)), ground.codes(name), ground.counts)
