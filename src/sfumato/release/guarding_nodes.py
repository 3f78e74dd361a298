"""The check of what a published table cannot show: what its people guard."""

from __future__ import annotations

from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.recoding import Recoding


def decided(recoding: Recoding, frequencies: FrequencySet) -> Grouping | None:
    """Group the people with what they guard; None where the recoding does not say who is where.

    Nothing that is published tells the people of one combination apart by what they guard, so
    combinations must not be split between groups.
    """
    return recoding.grouping(frequencies) if recoding.follows_quasi_identifiers else None
