"""Running a method again on every world, where its groups were published as two tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.two_tables import as_two_tables
from sfumato.attacks.known_method.membership import Membership, members_of
from sfumato.attacks.mechanism.replaying import Replay
from sfumato.attacks.mechanism.worlds import Case, Dealing
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Counts
from sfumato.data.recoding import Recoding

Groups = Counter[tuple[bytes, bytes]]  # the people of a group, and its values


class TwoTablesReplay(Replay):
    """Runs a method again on the worlds of two tables, which say who is in which group.

    Who is suppressed is known, too. A world counts where the same people are grouped with the same
    values; the numbers of groups say nothing (`Bucketing.renumbered`).
    """

    @cached_property
    def members(self) -> Membership:
        """Who is in which group."""
        return members_of(self.target)

    @cached_property
    def who(self) -> Counts:
        """The people of each group by combination: (n_groups, n_combinations)."""
        members = self.members
        who = np.zeros((len(members.boxes), len(self.ground)), dtype=np.int64)
        who[members.group, members.combination] = members.people
        return who

    def _boxes(self) -> NDArray[np.int32]:
        """Give the boxes around the people of every group, which nobody published."""
        return self.members.boxes

    @cached_property
    def groups(self) -> Groups:
        """What was published, whatever the numbers."""
        return _groups(self.who, self.values.histogram)

    def _cases(self) -> Iterator[Case]:
        """Deal the values of every group to its people, who are known."""
        members = self.members
        inside = sum_by(members.combination, members.people, len(self.ground))
        suppressed = self.ground.counts - inside
        self._refuse_hopeless(members.combination, members.group, members.people, suppressed)
        self.placed = not self.target.n_suppressed and not members.splits
        pairs = zip(self.who, self.values.histogram, strict=True)
        yield Case(suppressed, [[Dealing(sizes, row) for sizes, row in pairs]])

    def is_same(
        self,
        recoding: Recoding,
        frequencies: FrequencySet,
        boxes: NDArray[np.int32],
        histogram: Counts,
    ) -> bool:
        """Whether a recoding of a world puts the same people together, with the same values."""
        del boxes, histogram
        buckets = as_two_tables(recoding, frequencies, _no_lots)
        return _groups(*self.population.in_groups(buckets)) == self.groups

    def _groups_of(self, combination: int) -> NDArray[np.intp]:
        return np.flatnonzero(self.who[:, combination])


def _groups(who: Counts, histogram: Counts) -> Groups:
    pairs = zip(who, histogram, strict=True)
    return Counter((people.tobytes(), values.tobytes()) for people, values in pairs)


def _no_lots(n: int) -> bytes:
    raise AssertionError(f"{n} bytes of chance for people who were dealt with their values")
