"""A promise asked of known cells: the people who are in the same classes of all releases.

Whoever knows everybody's quasi-identifiers, and when each person came, knows everybody's cell
(`formulas.known_cells`). Where the values of a cell are known up to who has which, it is judged
like any group. Elsewhere two questions are answered:

- `CellPromise`: is the promise kept in every world that explains all releases? A release is
  accepted only if that is shown.
- `decided`: is it kept by what is believed, averaged over these worlds? That is what an attack
  finds; exactly where worlds can be counted, else by the same bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import shown_to
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts, Groups, Histogram
from sfumato.data.keys import distinct_rows
from sfumato.formulas.correspondence.cells import PublishedClasses
from sfumato.formulas.correspondence.certified import Arrived
from sfumato.formulas.correspondence.earlier_releases import Past
from sfumato.formulas.exact import position_of_largest
from sfumato.formulas.known_cells.cells import KnownCells, cells_of_people, nested_cells
from sfumato.formulas.known_cells.exchanges import possible_by_exchange
from sfumato.formulas.known_cells.worlds import Worlds
from sfumato.text import counted

Verdict = bool | None  # None: neither was shown
MOST_FREE = 3_000  # sorts of people times values, beyond which a next release has to be nested
NOT_KNOWN = (
    "it is not known who is in which class of the earlier releases (classes overlap, or some "
    "people of a class were suppressed)"
)


@dataclass(frozen=True, eq=False)
class CellView:
    """The cells seen by one sensitive column."""

    attribute: str
    worlds: Worlds
    values: Domain
    reference: Counts  # of the whole table
    owner: NDArray[np.intp]  # the cell of all columns that each is a part of

    @property
    def sizes(self) -> Counts:
        """People in each."""
        return self.worlds.cells.sizes

    def groups(self, chosen: NDArray[np.bool_]) -> Groups:
        """See cells whose values are known as groups."""
        histogram = Histogram.from_dense(self.worlds.bounds.lower[chosen])
        return Groups(self.sizes[chosen], histogram, self.values, self.reference)

    def believed(self, cell: int) -> Groups | None:
        """See what is believed of the people of a cell as a group; None: too much to count."""
        belief = self.worlds.belief(cell)
        if belief is None:
            return None
        whole = math.lcm(*(each.denominator for each in belief))
        counts = np.array([int(each * whole) for each in belief], dtype=object)
        if whole > np.iinfo(np.int64).max:
            return None
        histogram = Histogram.from_dense(counts.astype(np.int64)[np.newaxis])
        return Groups([whole], histogram, self.values, self.reference)


class SeriesCells:
    """The cells of some releases, the last of them of the whole table.

    Args:
        frequencies: What codes of sensitive values mean.
        joint: The cells by all sensitive columns at once.
        people: Their true values; (n_cells, n_combinations). Of these the adversary knows, with
            several columns, people's other values; for the rest they are where the search for
            other worlds begins.
    """

    def __init__(self, frequencies: FrequencySet, joint: KnownCells, people: Counts) -> None:
        self.frequencies, self.joint, self.people = frequencies, joint, people

    @classmethod
    def of(
        cls,
        frequencies: FrequencySet,
        releases: Sequence[PublishedClasses],
        arrived: Arrived | None,
    ) -> SeriesCells | None:
        """Find the cells, by who came when or else by how the releases are nested.

        None: it is not known who is in which class of every release, or an earlier one has values
        that the last has not.
        """
        if releases[-1].histogram.n_values != len(frequencies.persons_values.codes):
            return None
        if arrived is not None:
            cells_and_people = cells_of_people(releases, arrived)
            if cells_and_people is not None:
                return cls(frequencies, *cells_and_people)
        nested = nested_cells(releases)
        if nested is None:
            return None
        return cls(frequencies, nested, Worlds(nested).bounds.lower)

    @cached_property
    def worlds(self) -> Worlds:
        """By all sensitive columns at once."""
        return Worlds(self.joint, self.people)

    def by(self, attribute: str, *, others: bool) -> CellView:
        """See the cells by one sensitive column; `others`: knowing people's other values too."""
        frequencies = self.frequencies
        column = frequencies.sensitive.index(attribute)
        combinations = frequencies.persons_values.codes[:, : len(frequencies.sensitive)]
        domain = frequencies.domains[attribute].values
        codes = combinations[:, column].astype(np.intp)
        owner = np.arange(len(self.joint))
        if others:
            _, other = distinct_rows(np.delete(combinations, column, axis=1))
            n_others = int(other.max(initial=0)) + 1
            sizes = np.zeros((len(self.joint), n_others), dtype=np.int64)
            np.add.at(sizes.T, other, self.people.T)
            owner, own = np.nonzero(sizes)
            cells = self.joint.within(other, sizes, codes, len(domain))
            people = np.zeros((len(owner), len(domain)), dtype=np.int64)
            for code in range(len(combinations)):
                chosen = own == other[code]
                people[chosen, codes[code]] += self.people[owner[chosen], code]
        else:
            cells = self.joint.by(codes, len(domain))
            people = np.zeros((len(owner), len(domain)), dtype=np.int64)
            np.add.at(people.T, codes, self.people.T)
        worlds = Worlds(cells, people)
        return CellView(attribute, worlds, domain, frequencies.reference(attribute), owner)

    def views(self, part: Criterion) -> Iterator[CellView]:
        """Give what a part of a promise is about: its column, or each within the others."""
        sensitive = self.frequencies.sensitive
        if part.attribute is not None or len(sensitive) == 1:
            yield self.by(part.attribute or sensitive[0], others=False)
        else:
            for attribute in sensitive:
                yield self.by(attribute, others=True)

    def records(self, k: int) -> int:
        """Fewest records of a class that may be a person's, as far as worlds show; k is enough.

        A record may be a person's if some world gives its value to somebody of the cell: equal
        records of a class cannot be told apart. The true values are one world; exchanges, and then
        programs, show others where these are not enough.
        """
        if self.joint.last_is_nested:
            return self._records_of_nested(k)
        small = np.flatnonzero(self.joint.sizes < k)
        fewest = self._records((self.people > 0)[small], small)
        if (fewest < k).any():
            fewest = self._records(possible_by_exchange(self.joint, self.people)[small], small)
        for place, cell in enumerate(small.tolist()):
            if fewest[place] < k:
                codes = range(self.joint.n_values)
                possible = np.array([self.worlds.possible(cell, code) is True for code in codes])
                fewest[place] = self._records(possible[np.newaxis], np.array([cell]))[0]
        return int(fewest.min(initial=k))

    def _records_of_nested(self, k: int) -> int:
        """Count for old people without the last release, and for new ones by what is left of it."""
        cells = self.joint
        old = cells.classes[:, -2] >= 0
        before = KnownCells(cells.classes[old, :-1], cells.sizes[old], cells.histograms[:-1])
        fewest = SeriesCells(self.frequencies, before, self.people[old]).records(k)
        new = np.flatnonzero(~old & (cells.sizes < k))
        return min(fewest, int(self._records((self.people > 0)[new], new).min(initial=k)))

    def _records(self, possible: NDArray[np.bool_], chosen: NDArray[np.intp]) -> Counts:
        """Count the records with possible values, in the release with the fewest; (n_chosen,)."""
        fewest = np.full(len(chosen), np.iinfo(np.int64).max)
        for j, histogram in enumerate(self.joint.histograms):
            held = self.joint.classes[chosen, j]
            n_records = (histogram[held] * possible).sum(axis=1)
            fewest = np.where(held >= 0, np.minimum(fewest, n_records), fewest)
        return fewest


@dataclass(frozen=True, eq=False)
class CellPromise:
    """What is promised of the people of every cell, of all releases so far and the next one."""

    frequencies: FrequencySet
    past: Past
    k: int
    values: tuple[Criterion, ...]  # the parts of the promise about sensitive values

    @classmethod
    def of(
        cls, frequencies: FrequencySet, past: Past, k: int, others: Criterion | None
    ) -> CellPromise | None:
        """Take what a promise says of cells; None: there are none, or there is nothing to learn."""
        if not past.releases or len(frequencies.persons_values.codes) < 2:
            return None
        return cls(frequencies, past, k, about_values(others))

    @property
    def nested_only(self) -> bool:
        """Whether only nested releases can be shown to keep what is promised of values."""
        came = self.past.arrived
        if not self.values or came is None:
            return bool(self.values)
        if all(part.thresholds() is not None and not part.looks_at_shares for part in self.values):
            return False  # what is possible is shown at any size
        n_sorts = len(np.unique(came.row * (len(self.past.releases) + 1) + came.time))
        return n_sorts * self.past.releases[0].histogram.n_values > MOST_FREE

    def broken(self, release: PublishedClasses) -> str | None:
        """Say what is not shown of a next release; None: everything promised is shown.

        Where it is not known who is in which class, a promise of k alone is not asked of cells.
        """
        cells = SeriesCells.of(self.frequencies, (*self.past.releases, release), self.past.arrived)
        who = "to whoever knows everybody's quasi-identifiers and when they came"
        if cells is None:
            return f"{NOT_KNOWN}, so nothing is shown of values" if self.values else None
        for part in self.values:
            if not all(_in_every_world(part, view) for view in cells.views(part)):
                return f"{part} is not shown to hold {who}"
        records = cells.records(self.k)
        if records < self.k:
            left = counted(records, "record is", "records are")
            return f"no more than {left} shown to be left {who}"
        return None


def about_values(criterion: Criterion | None) -> tuple[Criterion, ...]:
    """Give the parts of a promise that are about sensitive values."""
    parts = () if criterion is None else criterion.parts
    return tuple(part for part in parts if part.looks_at_values)


def _in_every_world(part: Criterion, view: CellView) -> bool:
    known = view.worlds.known
    if not part.holds(shown_to(part, view.groups(known))).all():
        return False
    unknown = np.flatnonzero(~known).tolist()
    return not unknown or (
        part.thresholds() is not None
        and all(view.sizes[cell] >= part.least_size for cell in unknown)
        and all(_by_bounds(part, view, cell) for cell in unknown)
    )


def decided(part: Criterion, view: CellView) -> list[Verdict]:
    """Say of every cell whether a part of a promise is kept by what is believed of its people.

    Beliefs are shares, so what the part says of numbers of people is not asked here.
    """
    shares_part = part.without_sizes()
    if shares_part is None or part.guarding is not None:
        return [None] * len(view.sizes)
    known = view.worlds.known
    if not part.by_group:  # about all groups at once, which have to be known
        if not known.all():
            return [None] * len(view.sizes)
        return [bool(held) for held in shares_part.holds(shown_to(shares_part, view.groups(known)))]
    by_cell: list[Verdict] = [None] * len(view.sizes)
    held = shares_part.holds(shown_to(shares_part, view.groups(known)))
    for place, cell in enumerate(np.flatnonzero(known).tolist()):
        by_cell[cell] = bool(held[place])
    for cell in np.flatnonzero(~known).tolist():
        believed = view.believed(cell)
        if believed is not None:
            by_cell[cell] = bool(shares_part.holds(shown_to(shares_part, believed))[0])
        elif shares_part.thresholds() is not None:
            by_cell[cell] = _by_bounds(shares_part, view, cell)
    return by_cell


def verdicts(others: Criterion | None, cells: SeriesCells) -> list[tuple[Verdict, int]]:
    """Decide every part of a promise, in the order of `measure`: the verdict, and how many fail."""
    by_part: list[tuple[Verdict, int]] = []
    for part in () if others is None else others.parts:
        if not part.looks_at_values:
            by_part.append((True, 0))
            continue
        for view in cells.views(part):
            own = decided(part, view)
            failing = int(view.sizes[[each is False for each in own]].sum())
            by_part.append((worst(own), failing))
    return by_part


def worst(own: Sequence[Verdict]) -> Verdict:
    """Put verdicts together: one that is broken breaks all, one that is open leaves all open."""
    return False if False in own else None if None in own else True


def _by_bounds(part: Criterion, view: CellView, cell: int) -> Verdict:
    """Judge a cell by bounds on how many of its people can have a value, and by worlds found."""
    known = part.thresholds()
    assert known is not None  # noqa: S101  (for the type checker)
    verdict: Verdict = True
    pools = protected(part, view)
    if known.share is not None:
        allowed = math.floor(known.share * int(view.sizes[cell]))
        for codes in pools:
            if view.worlds.most(cell, codes, allowed) <= allowed:
                continue
            if view.worlds.fewest(cell, codes) > allowed:
                return False
            verdict = None
    if known.values:
        n_shown = n_open = 0
        for codes in pools:
            possible = _any_possible(view, cell, codes)
            n_shown, n_open = n_shown + (possible is True), n_open + (possible is None)
            if n_shown == known.values:
                return verdict
        return None if n_shown + n_open >= known.values else False
    return verdict


def _any_possible(view: CellView, cell: int, codes: NDArray[np.intp]) -> Verdict:
    answers = [view.worlds.possible(cell, code) for code in codes.tolist()]
    return True if True in answers else None if None in answers else False


def protected(part: Criterion | None, view: CellView) -> list[NDArray[np.intp]]:
    """Give the values that a part of a promise protects; those that count as one together."""
    if part is None:
        return [np.array([code]) for code in range(len(view.values))]
    counted_as = part.protects(view.values)
    return [np.flatnonzero(counted_as == code) for code in np.unique(counted_as[counted_as >= 0])]


def most_believed(
    part: Criterion | None, view: CellView
) -> tuple[Fraction, int, NDArray[np.intp], bool]:
    """Find the largest belief in what a part protects: belief, cell, values, and if it is exact.

    Where worlds are too many to be counted it is a bound: no belief is larger.
    """
    best = (Fraction(0), 0, np.zeros(0, dtype=np.intp), True)
    pools = protected(part, view)
    known = np.flatnonzero(view.worlds.known)
    for codes in pools if len(known) else ():
        counts = view.worlds.bounds.lower[known][:, codes].sum(axis=1)
        place = position_of_largest(counts, view.sizes[known])
        own = Fraction(int(counts[place]), int(view.sizes[known[place]]))
        if own > best[0]:
            best = (own, int(known[place]), codes, True)
    for cell in np.flatnonzero(~view.worlds.known).tolist():
        belief, size = view.worlds.belief(cell), int(view.sizes[cell])
        for codes in pools:
            if belief is not None:
                own = sum((belief[code] for code in codes.tolist()), Fraction(0))
            else:
                enough = math.floor(best[0] * size)
                own = Fraction(view.worlds.most(cell, codes, enough), size)
            if own > best[0]:
                best = (own, cell, codes, belief is not None)
    return best
