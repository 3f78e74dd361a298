"""The check of what a published table cannot show: what its people guard."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping, same_values
from sfumato.data.labels.texts import Labels
from sfumato.data.recoding import Recoding
from sfumato.errors import BrokenPromise


def decided(recoding: Recoding, frequencies: FrequencySet) -> Grouping | None:
    """Group the people with what they guard; None where the recoding does not say who is where.

    Nothing that is published tells the people of one combination apart by what they guard, so
    combinations must not be split between groups.
    """
    return recoding.grouping(frequencies) if recoding.follows_quasi_identifiers else None


def refuse_other_groups(seen: Grouping, planned: Grouping, recoding: Recoding) -> None:
    """Refuse a written table unless its groups and their values are exactly the planned ones.

    Then what was judged of the planned groups, with what their people guard, is true of it.

    seen: as a reader groups the written table, with the sensitive values of the original.
    """
    written, counted = seen.frequencies, planned.frequencies
    kept = np.flatnonzero(planned.index >= 0)
    codes = {name: counted.codes(name)[kept] for name in counted.sensitive}
    for name, texts in recoding.labels(counted.domains).items():
        if texts is None:
            code = _of_values(written.domains[name], counted.domains[name])[counted.codes(name)]
        else:
            code = _of_texts(written.domains[name], texts)[recoding.label_of(name, counted)]
        codes[name] = code[kept].astype(np.int32)
    known = all((code >= 0).all() for code in codes.values())
    wanted = known and FrequencySet.from_codes(
        written.domains, written.quasi_identifiers, written.sensitive, codes, counted.counts[kept]
    )
    if (
        not wanted
        or not np.array_equal(wanted.keys, written.keys)
        or not np.array_equal(wanted.counts, written.counts)
    ):
        raise BrokenPromise(
            "internal error: the written groups do not have the values that were decided; the "
            "source may have changed since it was counted"
        )


def _of_values(written: Domain, original: Domain) -> NDArray[np.intp]:
    """Give the written code of every original value; -1: nobody has it in the written table."""
    code = np.full(len(original), -1)
    code[same_values(written, original)] = np.arange(len(written))
    return code


def _of_texts(written: Domain, texts: Labels) -> NDArray[np.intp]:
    """Give the written code of every label; -1: it stands nowhere in the written table."""
    known = {label if label is None else str(label): j for j, label in enumerate(written.labels)}
    return np.array([known.get(text, -1) for text in texts.texts], dtype=np.intp)[texts.index]
