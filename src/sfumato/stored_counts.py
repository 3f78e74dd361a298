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
from sfumato.data.keys import Keys, Layout, bytes_of_a_key, order_of
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

        They stand by ascending combination, so it is looked for as a word is in a dictionary: by
        the first columns, and by the next ones among those who agree in them. Gives the
        combination, and how many of the people stand before it.
        """
        known, n_before = {column: code}, 0
        for fields in self._few_at_a_time(column):
            along = self.counted.along(regions, [region], fields[0], fields[1:], known)
            order = np.lexsort(along.codes.T[::-1])
            upto = n_before + np.cumsum(along.people[order])
            at = int(np.searchsorted(upto, place))
            n_before = int(upto[at] - along.people[order[at]])
            known |= dict(zip(fields, along.codes[order[at]].tolist(), strict=True))
        along = self.counted.along(regions, [region], column, self._beside, known)
        n = len(self.quasi_identifiers)
        shape = (len(along.people),)
        same = [np.full(shape, known[field], dtype=np.int32) for field in range(n)]
        keys = self.layout.pack([*same, *along.codes[:, 1:].T])
        order = order_of(keys)
        upto_words = last_of_combination(self.layout, n, keys[0])
        return Middle(keys[order], along.people[order], upto_words), n_before

    def _few_at_a_time(self, column: int) -> Iterator[list[int]]:
        """Give the other quasi-identifiers in turn, as many as have few values together."""
        fields: list[int] = []
        n_values = 1
        for field, name in enumerate(self.quasi_identifiers):
            if field == column:
                continue
            n_values *= len(self.domains[name])
            if fields and n_values > AT_ONCE:
                yield fields
                fields, n_values = [], len(self.domains[name])
            fields.append(field)
        if fields:
            yield fields

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
