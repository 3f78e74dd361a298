"""Does a release keep its promise when it is compared with the earlier ones?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.algorithms import Algorithm
from sfumato.algorithms.bcf import promises
from sfumato.algorithms.bcf.arrivals import arrived
from sfumato.criteria import Criterion, Measured
from sfumato.criteria.judging import measure
from sfumato.data.frequency import FrequencySet, JointGroups
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput
from sfumato.formulas.correspondence.cells import Published
from sfumato.formulas.correspondence.pairs import joined
from sfumato.published.public_view import Earlier
from sfumato.release.beside.by_pairs_and_all import ByAll, by_pairs
from sfumato.release.beside.in_common import in_public
from sfumato.release.beside.previous import Previous
from sfumato.release.check import Check

NOT_AT_HAND = (
    "no verdict about the series: the earlier releases are not at hand; the classes of this one "
    "are large enough"
)
PERHAPS_NOBODY = (
    "no verdict about the series: fewer records would be left to somebody with certain values, "
    "and only the original says whether anybody has them"
)

NOT_SHOWN = "not shown for what all releases leave together: too much to work out"


def compared(
    found: Check,
    own: Earlier,
    criterion: Criterion,
    previous: Previous,
    counted: tuple[Algorithm, FrequencySet] | None,
) -> Check:
    """Go on from what was found of a release alone to what the whole series gives away.

    Args:
        found: The classes of the release, measured.
        own: The published table.
        criterion: What was promised.
        previous: The earlier releases.
        counted: The method, and the original table in whose ranks it sees the releases; None: they
            are seen as everybody can who has nothing but them.
    """
    if not previous or not any(part.by_series for part in criterion.parts):
        return found
    if previous.missing:
        return replace(found, measured=tuple(_no_verdict(m, NOT_AT_HAND) for m in found.measured))
    if counted is not None:
        method, frequencies = counted
        assert method.series is not None  # noqa: S101  (it has previous releases)
        releases = method.series.published(frequencies)
        releases.append(own.published(frequencies, "the release"))
        came = arrived(frequencies, previous.releases)
        return _judged(found, releases, criterion, frequencies, ByAll(releases, came), made=True)
    try:
        releases = [each.published for each in in_public([*previous.releases, own])]
        by_all = ByAll(releases)
        judged = _judged(found, releases, criterion, own.seen.frequencies, by_all, made=False)
    except BadInput as error:
        note = f"no verdict about the series: {error}; the classes of this one are large enough"
        return replace(found, measured=tuple(_no_verdict(m, note) for m in found.measured))
    if any(joined(first, releases[-1]) is None for first in releases[:-1]):
        # Where published values overlap, some of what they have in common may be nobody's.
        both = zip(found.measured, judged.measured, strict=True)
        measured = tuple(
            after if after.holds or not before.holds else _no_verdict(before, PERHAPS_NOBODY)
            for before, after in both
        )
        judged = replace(judged, measured=measured)
    return judged


def _judged(
    found: Check,
    releases: list[Published],
    criterion: Criterion,
    frequencies: FrequencySet,
    by_all: ByAll,
    *,
    made: bool,
) -> Check:
    """Measure it; made: by who made the release, and has solved the programs, however large."""
    *previous, own = releases
    k, others = promises(criterion)
    pairs = by_pairs(previous, own)
    fewest = min((each.fewest for each in pairs), default=k)
    groups = [(own.sizes, own.histogram), *(each.left.counted for each in pairs)]
    shown = True
    if len(previous) > 1 and (made or fewest >= k or by_all.small):
        if not made:
            by_all.refuse_large()
        shown_left, holds = by_all.at_least(k)
        in_all = None if others is None and holds else by_all.left()
        groups += [] if in_all is None else [in_all]
        fewest = min(fewest, shown_left if in_all is None else int(in_all[0].min()))
        shown = others is None or in_all is not None
    failing = [int(each.of.sizes[each.exposed(k)].sum()) for each in pairs]
    of_others = iter(measure(others, _joined(frequencies, groups)) if others is not None else ())
    measured = []
    for each in found.measured:
        if not each.criterion.by_series:
            each = next(of_others)  # noqa: PLW2901
            measured.append(each if shown else replace(each, holds=False, note=NOT_SHOWN))
            continue
        least = min(fewest, int(own.sizes.min()))
        n_failing = max(each.n_people_failing, int(least < k), *failing)
        measured.append(replace(each, found=least, holds=least >= k, n_people_failing=n_failing))
    return replace(found, measured=tuple(measured))


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


def _no_verdict(measured: Measured, note: str) -> Measured:
    """Take the verdict from what only the earlier releases could tell; what fails fails."""
    return replace(measured, note=note) if measured.holds else measured
