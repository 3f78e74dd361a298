"""Recoding by value that was decided without everybody's combination: people are seen by groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.condensed import Condensed
from sfumato.data.frequency import FrequencySet
from sfumato.data.keys import Codes
from sfumato.data.recoding.base import Placement
from sfumato.data.recoding.cut import Cut


@dataclass(frozen=True, eq=False, kw_only=True)
class CutInPieces(Cut):
    """A cut whose groups stand for one combination each.

    A group has the first ranks of its intervals. They tell what it is published as, and nothing
    about its people: whoever asks for people's own values is refused.
    """

    people: Condensed  # by groups, with sensitive values if they were counted

    def label_of(self, column: str, frequencies: FrequencySet) -> NDArray[np.signedinteger]:
        """Give the code of a value that is published as each group's are."""
        return self._ranks(column, frequencies)

    def label_at(self, column: str, placed: Placement) -> NDArray[np.signedinteger]:
        """Give the code of a value that is published as each one's is."""
        ranks: Codes = self._ranks(column, placed.frequencies)[placed.key]
        return ranks

    def _ranks(self, column: str, frequencies: FrequencySet) -> Codes:
        """Give a rank in the interval of everybody: of its own groups, the first."""
        own, given = self.people.combinations, frequencies.combinations
        if isinstance(frequencies, Condensed) and np.array_equal(own.keys, given.keys):
            return frequencies.firsts(column)
        return super()._ranks(column, frequencies)
