"""Does a release keep its promise when it is compared with the earlier ones?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sfumato.algorithms import Algorithm
from sfumato.algorithms.bcf import promises
from sfumato.algorithms.bcf.on_cells import SeriesCells, Verdict, verdicts
from sfumato.criteria import Criterion, Measurement
from sfumato.criteria.judging import measure
from sfumato.data.frequency import FrequencySet, JointGroups
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput
from sfumato.formulas.correspondence.earlier_releases import Past, Together
from sfumato.formulas.correspondence.pair_flows import attack, by_flows
from sfumato.formulas.correspondence.pairs import Attacked, joined
from sfumato.published.public_view import PublicView
from sfumato.release.check import Check
from sfumato.release.earlier_releases.by_pairs_and_all import ByAll, left_by_pairs
from sfumato.release.earlier_releases.in_common import in_public
from sfumato.release.earlier_releases.previous import Previous

NOT_AT_HAND = (
    "no verdict about the series: the earlier releases are not at hand; the classes of this one "
    "are large enough"
)
PERHAPS_NOBODY = (
    "no verdict about the series: fewer records would be left to somebody with certain values, "
    "and only the original says whether anybody has them"
)

NOT_SHOWN = "not shown for what all releases leave together: too much to work out"
NOT_SHOWN_OF_CELLS = (
    "not shown for whoever knows everybody's quasi-identifiers and when they came: too much to "
    "work out"
)
ONLY_THE_STEWARD = (
    "no verdict about whoever knows everybody's quasi-identifiers and when they came: the releases "
    "are not nested, and from these alone nobody can tell who is in which class"
)


def judged_beside(
    verdict: Check,
    own: PublicView,
    criterion: Criterion,
    previous: Previous,
    counted: tuple[Algorithm, FrequencySet] | None,
) -> tuple[Check, tuple[Attacked, ...]]:
    """Go on from the verdict on a release alone to what the whole series gives away.

    A release that was made here was found safe by the search, in closed forms and by histories.
    So that one mistake is not enough, this is another computation: on the rows that were read back,
    with each earlier release by flows, and with all of them at once by programs. Where these would
    be too large, the verdict of the search stands for classes that are exactly those it judged.

    Args:
        verdict: On the classes of the release.
        own: The published table.
        criterion: What was promised.
        previous: The earlier releases.
        counted: The method, and the original table in whose ranks it sees the releases; None: they
            are seen as everybody can who has nothing but them.

    Returns:
        The verdict, and what the attacks with each of the earlier releases leave.
    """
    if not previous or not any(part.by_series for part in criterion.parts):
        return verdict, ()
    if previous.missing:
        return _without_verdict(verdict, NOT_AT_HAND), ()
    if counted is not None:
        method, frequencies = counted
        assert method.series is not None  # noqa: S101  (it has previous releases)
        classes = own.classes_in(frequencies, "the release", own_names=True)
        by_all = ByAll(method.series.past(frequencies), classes)
        attacked = tuple(by_flows(first, by_all.own) for first in by_all.past.releases)
        together: ByAll | Together = by_all
        if len(attacked) > 1 and by_all.small:
            together = Together(by_all.releases)
        judged = _judged(verdict, criterion, frequencies, attacked, together, 0)
        cells = SeriesCells.of(frequencies, by_all.releases, by_all.past.arrived)
        return _judged_cells(judged, criterion, cells, public=False), attacked
    try:
        *before, last = (each.classes for each in in_public([*previous.releases, own]))
        attacked = tuple(attack(first, last) for first in before)
        by_all = ByAll(Past(before), last)
        all_releases = None
        if len(before) > 1 and (_all_keep(promises(criterion)[0], attacked) or by_all.small):
            by_all.refuse_large()
            all_releases = Together(by_all.releases)
        judged = _judged(
            verdict, criterion, own.seen.frequencies, attacked, all_releases, own.n_suppressed
        )
        cells = SeriesCells.of(own.seen.frequencies, [*before, last], None)
        judged = _judged_cells(judged, criterion, cells, public=True)
    except BadInput as error:
        note = f"no verdict about the series: {error}; the classes of this one are large enough"
        return _without_verdict(verdict, note), ()
    if any(joined(first, last) is None for first in before):
        # Where published values overlap, some of what they have in common may be nobody's.
        both = zip(verdict.measured, judged.measured, strict=True)
        measured = tuple(
            after if after.holds or not alone.holds else _no_verdict(alone, PERHAPS_NOBODY)
            for alone, after in both
        )
        judged = replace(judged, measured=measured)
    return judged, attacked


def _all_keep(k: int, attacked: Sequence[Attacked]) -> bool:
    """Whether every attack with one of the earlier releases leaves k records."""
    return all(each.fewest >= k for each in left_by_pairs(attacked))


def _judged(
    verdict: Check,
    criterion: Criterion,
    frequencies: FrequencySet,
    attacked: Sequence[Attacked],
    together: ByAll | Together | None,
    n_unseen: int,
) -> Check:
    """Measure what is left.

    Args:
        verdict: On the classes of the release.
        criterion: What was promised.
        frequencies: What codes of sensitive values mean.
        attacked: The release with each of the earlier ones.
        together: With all of them, if there are several; None: it is decided without.
        n_unseen: People of the original of whom nothing is known.
    """
    own = attacked[0].second
    k, others = promises(criterion)
    pairs = left_by_pairs(attacked)
    fewest = min((each.fewest for each in pairs), default=k)
    groups = [(own.sizes, own.histogram), *(each.left.counted for each in pairs)]
    shown = True
    if len(attacked) > 1 and together is not None:
        shown_left, holds = together.at_least(k)
        in_all = None if others is None and holds else together.left()
        groups += [] if in_all is None else [in_all]
        fewest = min(fewest, shown_left if in_all is None else int(in_all[0].min()))
        shown = others is None or in_all is not None
    failing = [int(each.of.sizes[each.exposed(k)].sum()) for each in pairs]
    of_others = iter(
        measure(others, _joined(frequencies, groups), n_unseen) if others is not None else ()
    )
    measured = []
    for each in verdict.measured:
        if not each.criterion.by_series:
            each = next(of_others)  # noqa: PLW2901
            measured.append(each if shown else replace(each, holds=False, note=NOT_SHOWN))
            continue
        least = min(fewest, int(own.sizes.min()))
        n_failing = max(each.n_people_failing, int(least < k), *failing)
        measured.append(replace(each, found=least, holds=least >= k, n_people_failing=n_failing))
    return replace(verdict, measured=tuple(measured))


def _judged_cells(
    verdict: Check, criterion: Criterion, cells: SeriesCells | None, *, public: bool
) -> Check:
    """Judge the cells that people are known to be in.

    The search accepted what holds in every world; this is what is believed over all worlds.

    Args:
        verdict: On what is left of classes.
        criterion: What was promised.
        cells: None: who is in which class of every release is not known.
        public: Nothing is known but what is published.
    """
    k, others = promises(criterion)
    records = k if cells is None else cells.records(k)
    if cells is None:
        own: list[tuple[Verdict, int]] = [
            (None, 0) if each.looks_at_values else (True, 0) for each in _asked(verdict)
        ]
    else:
        own = verdicts(others, cells)
    of_others = iter(own)
    measured = []
    for each in verdict.measured:
        if each.criterion.by_series:
            small = isinstance(each.found, int) and records < min(k, each.found)
            n_left = records if small else each.found
            n_failing = max(each.n_people_failing, int(records < k))
            holds = each.holds and records >= k
            measured.append(replace(each, found=n_left, holds=holds, n_people_failing=n_failing))
            continue
        kept, n_failing = next(of_others)
        if kept is False:
            most = max(each.n_people_failing, n_failing)
            each = replace(each, holds=False, n_people_failing=most, note=None)  # noqa: PLW2901
        elif kept is None and public:
            each = _no_verdict(each, ONLY_THE_STEWARD)  # noqa: PLW2901
        elif kept is None and each.holds:
            each = replace(each, holds=False, note=NOT_SHOWN_OF_CELLS)  # noqa: PLW2901
        measured.append(each)
    return replace(verdict, measured=tuple(measured))


def _asked(verdict: Check) -> list[Criterion]:
    """The parts of a promise as they were measured: each of several columns by itself."""
    return [each.criterion for each in verdict.measured if not each.criterion.by_series]


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


def _without_verdict(verdict: Check, note: str) -> Check:
    return replace(verdict, measured=tuple(_no_verdict(each, note) for each in verdict.measured))


def _no_verdict(measured: Measurement, note: str) -> Measurement:
    """Take the verdict from what only the earlier releases could tell; what fails fails."""
    return replace(measured, note=note) if measured.holds else measured
