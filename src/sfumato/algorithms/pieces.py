"""What was decided about a table piece by piece, put together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bounds import Bounds, extremes, reaching
from sfumato.criteria.criterion import Criterion
from sfumato.data.condensed import MORE_MEMORY
from sfumato.data.frequency import FrequencySet, aggregated
from sfumato.data.groups import Counts, Digests
from sfumato.data.keys import Keys, Layout
from sfumato.data.recoding import Assignment, Piecewise
from sfumato.data.recoding.kept_parts import KeptParts
from sfumato.errors import CannotRun
from sfumato.stored_counts import StoredCounts


class Decision(NamedTuple):
    """What was decided about a piece: its groups, and who is in them."""

    region: int
    keys: Keys  # of its parts: combinations, or those of them who have a sensitive value
    group: NDArray[np.int64]  # of each of them
    people: Counts | None  # in each of them; None: all people of a key are together
    splits: bool  # whether a key is in several groups
    cuts: NDArray[np.int32]  # (n_groups, n_quasi_identifiers, 2): boxes that reach to their cuts,
    ends: NDArray[np.int32]  # and to their people
    of: NDArray[np.int64]  # (n,) the group of some people,
    personal: NDArray[np.int32]  # (n, n_columns) what they have of sensitive columns and the guard,
    counts: Counts  # (n,) how many they are,
    digests: tuple[Digests, ...]  # (n,) each

    @classmethod
    def about(
        cls, region: int, piece: FrequencySet, decided: Assignment, *, whole: bool = True
    ) -> Decision:
        """Sum up a piece by the groups that its people were assigned to.

        What is told of the people of a split combination is told in one of their groups. whole:
        Whether no combination is ever split, in no piece.
        """
        counted, (part, group, people) = decided.combinations, decided.parts.T
        key, of_key, n_people = part, group, people
        if counted is piece or not piece.personal:
            told = np.zeros(len(part), dtype=bool)
            told[np.unique(part, return_index=True)[1]] = True
        else:  # whole combinations, whatever their sensitive values
            of_combination = np.empty(len(counted), dtype=np.int64)
            of_combination[part] = group
            key, of_key = np.arange(len(piece)), of_combination[piece.combination_of]
            n_people, told = piece.counts, np.ones(len(piece), dtype=bool)
        sizes = [len(piece.domains[name]) for name in piece.personal]
        layout = Layout.of([len(decided.boxes), *sizes])
        keys, counts, digests = aggregated(
            layout.pack(
                [of_key.astype(np.int32), *(piece.codes(name)[key] for name in piece.personal)]
            ),
            n_people,
            {name: np.where(told, each[key], 0) for name, each in piece.digests.items()},
        )
        personal = [layout.unpack(keys, 1 + j) for j in range(len(sizes))]
        return cls(
            region,
            counted.keys[part],
            group,
            None if whole else people,
            decided.splits,
            decided.boxes,
            extremes(decided),
            layout.unpack(keys, 0).astype(np.int64),
            np.stack(personal, axis=1) if personal else np.zeros((len(keys), 0), np.int32),
            counts,
            tuple(digests.values()),
        )

    @classmethod
    def one_group(
        cls,
        region: int,
        piece: FrequencySet,
        box: NDArray[np.int32],
        *,
        whole: bool = True,
        by_value: bool = False,
    ) -> Decision:
        """Leave a piece as it is; other pieces of its region are in the same group.

        by_value: Whether people are assigned by their values, and not as whole combinations.
        """
        counted = piece if by_value else piece.combinations
        parts = np.zeros((len(counted), 3), dtype=np.int64)
        parts[:, 0], parts[:, 2] = np.arange(len(counted)), counted.counts
        return cls.about(region, piece, Assignment(counted, box[np.newaxis], parts), whole=whole)


NOT_LOOKED_AT = (
    "{} deals people out by what they have of counted columns, in pieces, and {} counts sensitive "
    "values without looking at them"
)


def refuse_values_unseen(stored: StoredCounts, criterion: Criterion, method: object) -> bool:
    """Say whether people are dealt out by their values; refuse it where these are only counted."""
    by_value = any(part.looks_at_values for part in criterion.parts)
    if stored.personal and not by_value:
        raise CannotRun(NOT_LOOKED_AT.format(method, criterion), remedy=MORE_MEMORY)
    return by_value


class Decided:
    """The groups so far: their boxes, and their people by sensitive values.

    What is of combinations goes to disk at once; only what is of groups stays here.
    """

    def __init__(
        self,
        stored: StoredCounts,
        *,
        splits: bool = False,
        by_value: bool = False,
        halved: bool = False,
    ) -> None:
        """Begin with nobody.

        splits: Whether people of one key are in several regions. by_value: Whether people of one
        combination are assigned by their values. halved: Whether boxes may meet.
        """
        self._stored, self._on_disk = stored, KeptParts()
        self._splits, self._by_value, self._halved = splits, by_value, halved
        # Ranks are kept in as few bytes as they need: there may be millions of groups.
        most = max(len(stored.domains[name]) for name in stored.quasi_identifiers)
        self._rank = np.min_scalar_type(most - 1)
        self._cuts: list[NDArray[np.integer]] = []
        self._ends: list[NDArray[np.integer]] = []
        self._people: list[tuple[Any, ...]] = []  # group, personal, counts, digests
        self._n_groups = 0
        self._begun: dict[int, tuple[int, NDArray[np.integer]]] = {}  # region: its group and ends

    def add(self, piece: Decision) -> None:
        """Take the groups of a piece: where its region is in several, there is one group."""
        new = piece.ends.astype(self._rank)
        if piece.region in self._begun:
            first, ends = self._begun[piece.region]
            np.minimum(ends[:, 0], new[0, :, 0], out=ends[:, 0])
            np.maximum(ends[:, 1], new[0, :, 1], out=ends[:, 1])
        else:
            first = self._n_groups
            self._begun[piece.region] = first, new[0]
            self._cuts.append(piece.cuts.astype(self._rank))
            self._ends.append(new)
            self._n_groups += len(piece.cuts)
        self._on_disk.add(piece.keys, piece.group + first, piece.people)
        self._splits |= piece.splits
        self._people.append((piece.of + first, piece.personal, piece.counts, piece.digests))

    def recoding(self, bounds: Bounds) -> Piecewise:
        """Put the pieces together; bounds: how far boxes reach."""
        stored = self._stored
        cuts, ends = np.concatenate(self._cuts), np.concatenate(self._ends)
        self._cuts.clear()
        self._ends.clear()
        group, personal, counts = (
            np.concatenate([each[j] for each in self._people]) for j in range(3)
        )
        digests = {
            told: np.concatenate([each[3][j] for each in self._people])
            for j, told in enumerate(stored.told)
        }
        self._people.clear()
        single = (ends[:, :, 0] == ends[:, :, 1]).all(axis=0)
        known = frozenset(
            name for name, one in zip(stored.quasi_identifiers, single, strict=True) if one
        )
        people = stored.condensed(
            ends[:, :, 0], group, personal, counts, digests, known, shared=self._splits
        )
        domains = [stored.domains[name] for name in stored.quasi_identifiers]
        boxes = reaching(cuts, ends, domains, bounds)
        counted = people if self._by_value else people.combinations
        parts = np.stack([np.arange(len(counted)), counted.combination_of, counted.counts], axis=1)
        return Piecewise(
            counted,
            boxes,
            parts.astype(np.int64),
            on_grid=bounds == "grid",
            on_disk=self._on_disk,
            columns=stored.columns if self._by_value else stored.quasi_identifiers,
            people=people,
            dealt_out=self._splits,
            halved=self._halved,
        )
