"""Does a release keep its promise when it is compared with the earlier ones?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.algorithms import Algorithm, BCFAnonymizer
from sfumato.algorithms.arrivals import arrived
from sfumato.algorithms.bcf_anonymizer import promises
from sfumato.algorithms.earlier import Earlier
from sfumato.criteria import Criterion, Measured
from sfumato.criteria.base import measure
from sfumato.data.frequency import FrequencySet, Grouping, JointGroups
from sfumato.data.groups import Histogram
from sfumato.formulas.cells import Published
from sfumato.formulas.cracks import Left, exposed
from sfumato.formulas.generators import attack
from sfumato.formulas.series import Past, lefts
from sfumato.release.check import Check

NOT_AT_HAND = (
    "no verdict about the series: the earlier releases are not at hand; the classes of this one "
    "are large enough"
)

NOT_SHOWN = "not shown for what all releases leave together: too much to work out"


def compared(
    found: Check,
    seen: Grouping,
    criterion: Criterion,
    method: Algorithm,
    frequencies: FrequencySet | None,
) -> Check:
    """Go on from what was found of a release alone to what the whole series gives away.

    Args:
        found: The classes of the release, measured.
        seen: The published table, grouped by its texts.
        criterion: What was promised.
        method: It knows the earlier releases.
        frequencies: The original table, whose ranks releases are compared in; None: not at hand.
    """
    about = any(part.by_series for part in criterion.parts)
    if not about or not isinstance(method, BCFAnonymizer) or not method.previous:
        return found
    if frequencies is None or method.known is None:
        return replace(found, measured=tuple(map(_without_series, found.measured)))
    own = Earlier(seen, 0).published(frequencies, "the release")
    previous = method.published(frequencies)
    k, others = promises(criterion)
    left = [each for first in previous for each in _of_release(first, own)]
    fewest = min((int(each.candidates.min()) for each, _ in left if len(each.classes)), default=k)
    groups = [(own.sizes, own.histogram), *((each.candidates, each.histogram) for each, _ in left)]
    shown = True
    if len(previous) > 1:
        past = Past(previous, arrived(frequencies, method.known))
        shown_left, holds = past.fewest_left(own, k)
        in_all = None if others is None and holds else past.left(own)
        groups += [] if in_all is None else [in_all]
        fewest = min(fewest, shown_left if in_all is None else int(in_all[0].min()))
        shown = others is None or in_all is not None
    failing = [exposed(each, release, k).n_people for each, release in left]
    of_others = iter(measure(others, _joined(frequencies, groups)) if others is not None else ())
    measured = []
    for each in found.measured:
        if not each.criterion.by_series:
            each = next(of_others)  # noqa: PLW2901
            measured.append(each if shown else replace(each, holds=False, note=NOT_SHOWN))
            continue
        least = min(fewest, int(own.sizes.min()))
        n_failing = max(each.n_people_failing, *failing, int(least < k))
        measured.append(replace(each, found=least, holds=least >= k, n_people_failing=n_failing))
    return replace(found, measured=tuple(measured))


def _of_release(first: Published, own: Published) -> list[tuple[Left, Published]]:
    found = attack(first, own)
    return list(zip(lefts(found), (first, own, own), strict=False))


def _joined(frequencies: FrequencySet, groups: list[tuple[np.ndarray, Histogram]]) -> JointGroups:
    """Put the classes and what is left of them side by side."""
    sizes = np.concatenate([each for each, _ in groups])
    starts = np.cumsum([0] + [len(each) for each, _ in groups])
    histogram = Histogram.from_entries(
        np.concatenate([h.group_of + s for (_, h), s in zip(groups, starts, strict=False)]),
        np.concatenate([h.codes for _, h in groups]),
        np.concatenate([h.counts for _, h in groups]),
        (len(sizes), groups[0][1].n_values),
    )
    return JointGroups(frequencies, sizes, histogram)


def _without_series(measured: Measured) -> Measured:
    """Take the verdict from what only the earlier releases could tell; what fails fails."""
    if not measured.holds:
        return measured
    return replace(measured, note=NOT_AT_HAND)
