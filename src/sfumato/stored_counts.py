"""The combinations of a table that are too many for this process: asked for piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.condensed import Condensed
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts, Digests
from sfumato.data.keys import Codes, Keys, Layout, bytes_of_a_key, distinct_rows, order_of
from sfumato.data.regions import Middle, Regions, last_of_combination
from sfumato.engines.protocol import Counted, Outcome, Piece

BESIDE = 3 << 29  # bytes of a process that are not of combinations: Python, libraries, an engine
FEWEST = 10_000  # combinations, whatever is allowed: they take next to nothing
AT_ONCE = 1 << 20  # values of several columns together by which people are counted


def most_keys(memory: int, n_columns: int) -> int:
    """Give how many counted combinations a search may have at once, by the bytes it may use."""
    return max(FEWEST, (memory - BESIDE) // bytes_of_a_key(n_columns))


def bytes_for(n_keys: int, n_columns: int) -> int:
    """Give the bytes that a process uses which has all combinations at once."""
    return BESIDE + n_keys * bytes_of_a_key(n_columns)


@dataclass(frozen=True, eq=False)
class StoredCounts:
    """What a frequency set holds, where it stays in the engine."""

    counted: Counted
    domains: Mapping[str, Domain]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    guard: str | None
    told: tuple[tuple[str, ...], ...]  # what digests are of
    most: int  # keys that fit into this process at a time

    @property
    def columns(self) -> tuple[str, ...]:
        """All counted columns, in the order of their fields."""
        return (*self.quasi_identifiers, *self.personal)

    @property
    def personal(self) -> tuple[str, ...]:
        """The columns that follow the quasi-identifiers: sensitive ones, and the guard."""
        return (*self.sensitive, *((self.guard,) if self.guard else ()))

    @cached_property
    def layout(self) -> Layout:
        """Where each column's bits stand."""
        return Layout.of([len(self.domains[column]) for column in self.columns])

    @property
    def regions(self) -> Regions:
        """The whole space as one region."""
        whole = [[0, len(self.domains[name]) - 1] for name in self.quasi_identifiers]
        return Regions(whole, self.layout)

    @cached_property
    def everybody(self) -> Condensed:
        """All people as one group."""
        along = self.counted.along(self.regions, [0], 0, self._beside)
        return self.condensed(
            np.zeros((1, len(self.quasi_identifiers)), dtype=np.int32),
            np.zeros(len(along.people), dtype=np.intp),
            along.codes[:, 1:],
            along.people,
            {},
            frozenset(),
        )

    def condensed(
        self,
        first: NDArray[np.integer],
        group: NDArray[np.intp],
        personal: NDArray[np.int32],
        counts: NDArray[np.int64],
        digests: Mapping[tuple[str, ...], NDArray[np.uint64]],
        known: frozenset[str],
        *,
        shared: bool = False,
    ) -> Condensed:
        """See people by their groups; see `Condensed.of`."""
        return Condensed.of(
            self.domains, self.quasi_identifiers, self.sensitive, self.guard,
            first, group, list(personal.T), counts, digests, self.counted.n_keys, known,
            shared=shared,
        )  # fmt: skip

    def along(
        self, regions: Regions, wanted: Sequence[int], column: int, also: str | None = None
    ) -> Iterator[tuple[int, FrequencySet]]:
        """Count the people of some regions by one quasi-identifier, and by sensitive values.

        also: another quasi-identifier that they are counted by, if it is another.
        """
        more = [self.quasi_identifiers.index(also)] if also in self.quasi_identifiers else []
        more = [field for field in more if field != column]
        along = self.counted.along(regions, wanted, column, [*more, *self._beside])
        seen = [self.quasi_identifiers[field] for field in (column, *more)]
        names = (*seen, *self.personal)
        domains = {name: self.domains[name] for name in names}
        for region in wanted:
            own = along.region == region
            codes = dict(zip(names, along.codes[own].T, strict=True))
            people = FrequencySet.from_codes(
                domains, seen, self.sensitive, codes, along.people[own], self.guard
            )
            self._share(people)
            yield region, people

    def middle(
        self, regions: Regions, region: int, column: int, code: int, place: int
    ) -> tuple[Middle, int]:
        """Find who stands at a place, from 1, among the people of a region who have a code.

        They stand by ascending combination. Gives the combination in which that place is, and how
        many of the people stand before it.
        """
        where, known = np.array([region]), {column: np.array([code], dtype=np.int32)}
        known, rest, _ = self._looked_up(regions, where, known, np.array([place - 1]))
        along = self.counted.along(regions, [region], column, self._beside, known)
        n = len(self.quasi_identifiers)
        same = [np.repeat(known[field], len(along.people)) for field in range(n)]
        keys = self.layout.pack([*same, *along.codes[:, 1:].T])
        order = order_of(keys)
        upto_words = last_of_combination(self.layout, n, keys[0])
        return Middle(keys[order], along.people[order], upto_words), place - 1 - int(rest[0])

    def standing(
        self,
        regions: Regions,
        region: NDArray[np.integer],
        personal: NDArray[np.int32],
        place: NDArray[np.integer],
    ) -> tuple[Keys, Counts]:
        """Find who stands at places, from 0, among the people of regions who have certain values.

        region, place: (n,); personal: (n, n_columns) what they have of sensitive columns and the
        guard. They stand by ascending combination. Gives their keys, and how many people of the
        region have each.
        """
        known = dict(zip(self._beside, personal.T, strict=True))
        known, _, people = self._looked_up(regions, region, known, place)
        return self.layout.pack([known[field] for field in range(len(self.columns))]), people

    def _looked_up(
        self,
        regions: Regions,
        region: NDArray[np.integer],
        known: Mapping[int, Codes],
        place: NDArray[np.integer],
    ) -> tuple[dict[int, Codes], NDArray[np.int64], Counts]:
        """Find the codes of those at places among the people of regions of whom some are known.

        It is looked for as a word is in a dictionary: by the first columns, and by the next ones
        among those who agree in them. known: field -> (n,) codes. Gives all of them, the place
        among those who agree in all, and how many these are.
        """
        codes = dict(known)
        within, n_alike = place.astype(np.int64), np.zeros(len(place), dtype=np.int64)
        left = [field for field in range(len(self.quasi_identifiers)) if field not in known]
        while left:
            lists, own = distinct_rows(np.stack([region, *codes.values()], axis=1))
            fields = self._few(left, len(lists))
            left = left[len(fields) :]
            among = dict(zip(codes, lists[:, 1:].T, strict=True))
            beside, wanted = [*fields[1:], *codes], np.unique(region).tolist()
            along = self.counted.along(regions, wanted, fields[0], beside, among)
            seen = np.column_stack([along.region, along.codes[:, len(fields) :]])
            _, which = distinct_rows(np.concatenate([lists, seen]))
            rank = np.full(int(which.max()) + 1, -1)
            rank[which[: len(lists)]] = np.arange(len(lists))
            of_list = rank[which[len(lists) :]]  # -1: what another region is asked for
            order = np.lexsort((*along.codes[:, : len(fields)].T[::-1], of_list))
            order = order[of_list[order] >= 0]
            people = along.people[order]
            upto = np.cumsum(people)
            before = upto - people
            start = before[np.searchsorted(of_list[order], own)]
            at = np.searchsorted(upto, start + within, side="right")
            within, n_alike = within - (before[at] - start), people[at]
            codes |= dict(zip(fields, along.codes[order[at]].T, strict=False))
        return codes, within, n_alike

    def _few(self, fields: Sequence[int], n_lists: int) -> list[int]:
        """Give the first of some quasi-identifiers: as many as have few values together."""
        n_values = n_lists
        for n, field in enumerate(fields):
            n_values *= len(self.domains[self.quasi_identifiers[field]])
            if n and n_values > min(AT_ONCE, self.most):
                return list(fields[:n])
        return list(fields)

    def pieces(self, regions: Regions, wanted: Sequence[int]) -> Iterator[tuple[int, FrequencySet]]:
        """Give the people of some regions; of those that do not fit, in several parts."""
        for piece in self.counted.pieces(regions, wanted, self.most):
            yield piece.region, self.seen(piece.keys, piece.counts, piece.digests)

    def seen(self, keys: Keys, counts: Counts, digests: Sequence[Digests]) -> FrequencySet:
        """See counted combinations, given by ascending key, as a part of the table."""
        told = dict(zip(self.told, digests, strict=True))
        roles = (self.quasi_identifiers, self.sensitive)
        part = FrequencySet(dict(self.domains), *roles, keys, counts, self.guard, told)
        self._share(part)
        return part

    def worked_on(
        self, regions: Regions, work: Callable[[int, FrequencySet], Outcome]
    ) -> Iterator[Outcome]:
        """Do some work on every region: its number, and who is in it. See `Counted.worked_on`."""
        references = {name: self.everybody.reference(name) for name in self.sensitive}
        roles = (self.quasi_identifiers, self.sensitive, self.guard)
        given = _Work(work, dict(self.domains), roles, self.told, references)
        return self.counted.worked_on(regions, self.most, given)

    def _share(self, part: FrequencySet) -> None:
        """Let a part of the table know how often values are in the whole of it."""
        for name in self.sensitive:
            part.references[name] = self.everybody.reference(name)

    @property
    def _beside(self) -> list[int]:
        n = len(self.quasi_identifiers)
        return list(range(n, n + len(self.personal)))


@dataclass(frozen=True, eq=False)
class _Work:
    """Work on a piece, with what it takes to see it as a frequency set."""

    work: Callable[[int, FrequencySet], Any]
    domains: dict[str, Domain]
    roles: tuple[tuple[str, ...], tuple[str, ...], str | None]
    told: tuple[tuple[str, ...], ...]
    references: dict[str, Counts]

    def __call__(self, piece: Piece) -> Any:
        quasi_identifiers, sensitive, guard = self.roles
        digests = dict(zip(self.told, piece.digests, strict=True))
        people = FrequencySet(
            self.domains, quasi_identifiers, sensitive, piece.keys, piece.counts, guard, digests
        )
        people.references.update(self.references)
        return self.work(piece.region, people)
