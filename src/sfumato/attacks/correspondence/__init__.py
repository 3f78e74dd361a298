"""What several releases of one growing table give away together (Fung 2008).

A release is written as published: a list of `(quasi-identifiers, sensitive value)`, where a
quasi-identifier is a node of its hierarchy or a range `(low, high)` of ground values, both
inclusive. Hierarchies are a list, one per attribute, of `{child: parent}` or `sf.Hierarchy`. Later
releases hold all records of the earlier ones. Rows that a release left out are told by
`suppressed`, one number per release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from sfumato.attacks.correspondence.given_records import Records, Rule, Series, read
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput, shown
from sfumato.formulas.correspondence import pair_flows
from sfumato.formulas.correspondence.candidates import CandidateRecords, by_the_paper
from sfumato.formulas.correspondence.cells import Cells, cells_of, targets_of
from sfumato.formulas.correspondence.pairs import RecordsLeft, exposed
from sfumato.parameters import one_of, whole

__all__ = ["Anonymity", "Cracks", "Exposure", "bcf", "crack_sizes", "exposure", "remaining"]


def __dir__() -> list[str]:
    return sorted(__all__)


METHODS = ("exact", "paper")
MOST_TARGETS = 10**6  # raw tuples that `remaining` lists

Group = tuple[tuple[object, ...], object]  # published quasi-identifiers, sensitive value


class Anonymity(NamedTuple):
    """The fewest records that each attack leaves of a class, for any target.

    >>> from sfumato.attacks import correspondence
    >>> europe = {"UK": "Europe", "France": "Europe"}
    >>> first = [(("Europe",), "Flu")] * 3 + [(("Europe",), "HIV")] * 2
    >>> second = [(("UK",), "Flu")] * 3 + [(("UK",), "HIV")] * 2
    >>> second += [(("France",), "Flu")] * 2 + [(("France",), "HIV")] * 3
    >>> min(correspondence.bcf(first, second, [europe]))
    4
    """

    FA: int
    CA: int
    BA: int


class Cracks(NamedTuple):
    """Crack size of every group: of the first release, and twice of the second.

    >>> from sfumato.attacks import correspondence
    >>> europe = {"UK": "Europe", "France": "Europe"}
    >>> first = [(("Europe",), "Flu")] * 3 + [(("Europe",), "HIV")] * 2
    >>> second = [(("UK",), "Flu")] * 3 + [(("UK",), "HIV")] * 2
    >>> second += [(("France",), "Flu")] * 2 + [(("France",), "HIV")] * 3
    >>> correspondence.crack_sizes(first, second, [europe])._fields
    ('forward', 'cross', 'backward')
    """

    forward: Mapping[Group, int]
    cross: Mapping[Group, int]
    backward: Mapping[Group, int]


class Exposure(NamedTuple):
    """Classes of which an attack leaves fewer than k records, and how many records they have.

    >>> from sfumato.attacks import correspondence
    >>> europe = {"UK": "Europe", "France": "Europe"}
    >>> first = [(("Europe",), "Flu")] * 3 + [(("Europe",), "HIV")] * 2
    >>> second = [(("UK",), "Flu")] * 3 + [(("UK",), "HIV")] * 2
    >>> second += [(("France",), "Flu")] * 2 + [(("France",), "HIV")] * 3
    >>> correspondence.exposure(first, second, [europe], k=5)[0].classes
    (('Europe',),)
    """

    classes: tuple[tuple[object, ...], ...]
    n_people: int


def bcf(
    release1: Records,
    release2: Records,
    hierarchies: Sequence[Rule],
    suppressed: Sequence[int] | None = None,
) -> Anonymity:
    """Give the F-, C- and B-anonymity of two releases (definitions 3.2, 3.4, 3.6).

    Classes of the second release that no record of the first can be in have no target of a cross
    attack and do not count for CA. Where nothing was added between the releases BA is 0: there is
    nobody who came later, and only FA and CA say something (two versions of one table for
    recipients who may compare them).

    >>> europe = {"UK": "Europe", "France": "Europe"}
    >>> first = [(("Europe",), "Flu")] * 3 + [(("Europe",), "HIV")] * 2
    >>> second = [(("UK",), "Flu")] * 3 + [(("UK",), "HIV")] * 2
    >>> second += [(("France",), "Flu")] * 2 + [(("France",), "HIV")] * 3
    >>> bcf(first, second, [europe])
    Anonymity(FA=4, CA=4, BA=4)
    """
    series = read([release1, release2], hierarchies, suppressed)
    first, second = series.releases
    return Anonymity(*pair_flows.attack(first, second).anonymity)


def crack_sizes(
    release1: Records,
    release2: Records,
    hierarchies: Sequence[Rule],
    target: Sequence[object] | None = None,
    suppressed: Sequence[int] | None = None,
) -> Cracks:
    """Give the crack size of every group (definitions 3.1, 3.3 and 3.5).

    Args:
        release1: Some people.
        release2: The same people and others.
        hierarchies: One per attribute.
        target: Raw values of one person; then only the groups that hold the person are listed.
            Without a target, the largest crack size of every group for anybody is given, and 0
            for a group that nobody can be sought in.
        suppressed: Rows that each release left out.

    >>> from sfumato.attacks import correspondence
    >>> europe = {"UK": "Europe", "France": "Europe"}
    >>> first = [(("Europe",), "Flu")] * 3 + [(("Europe",), "HIV")] * 2
    >>> second = [(("UK",), "Flu")] * 3 + [(("UK",), "HIV")] * 2
    >>> second += [(("France",), "Flu")] * 2 + [(("France",), "HIV")] * 3
    >>> correspondence.crack_sizes(first, second, [europe], target=["France"]).forward
    {(('Europe',), 'Flu'): 1, (('Europe',), 'HIV'): 0}
    """
    series = read([release1, release2], hierarchies, suppressed)
    ranks = None if target is None else series.ranks(target)
    first, second = series.releases
    pair = pair_flows.attack(first, second, ranks)
    return Cracks(
        _by_group(series, 0, pair.forward, every=target is None),
        _by_group(series, 1, pair.cross, every=target is None),
        _by_group(series, 1, pair.backward, every=target is None),
    )


def exposure(
    release1: Records,
    release2: Records,
    hierarchies: Sequence[Rule],
    k: int,
    suppressed: Sequence[int] | None = None,
) -> tuple[Exposure, Exposure, Exposure]:
    """Tell which classes the F-, the C- and the B-attack leave with fewer than k records.

    >>> from sfumato.attacks import correspondence
    >>> europe = {"UK": "Europe", "France": "Europe"}
    >>> first = [(("Europe",), "Flu")] * 3 + [(("Europe",), "HIV")] * 2
    >>> second = [(("UK",), "Flu")] * 3 + [(("UK",), "HIV")] * 2
    >>> second += [(("France",), "Flu")] * 2 + [(("France",), "HIV")] * 3
    >>> [left.n_people for left in correspondence.exposure(first, second, [europe], k=5)]
    [5, 5, 5]
    """
    k = whole("exposure", "k", k)
    series = read([release1, release2], hierarchies, suppressed)
    first, second = series.releases
    pair = pair_flows.attack(first, second)
    forward, cross, backward = (
        _exposure(series, number, left, k)
        for number, left in ((0, pair.forward), (1, pair.cross), (1, pair.backward))
    )
    return forward, cross, backward


def remaining(
    releases: Sequence[Records],
    hierarchies: Sequence[Rule],
    method: Literal["exact", "paper"] = "exact",
    suppressed: Sequence[int] | None = None,
) -> list[Counter[tuple[object, ...]]]:
    """Count the records that may still be a person's, in any of the releases that hold the person.

    Args:
        releases: In the order of publishing; each holds the records of those before.
        hierarchies: One per attribute.
        method: "exact": by integer programs over all histories that give the releases. "paper": by
            attacks on two releases at a time, put together as in section 7.1, for cuts only; that
            is wrong in some cases.
        suppressed: Rows that each release left out.

    Returns:
        For each time at which a person can have come, `{raw tuple: candidates}`: the raw tuples
        that every release from then on has a class for. 0 means that nobody with these values can
        have come then. A raw tuple that is not listed counts 0 as well.

    >>> tree = {"a": "A", "b": "A", "c": "B", "d": "B", "A": "*", "B": "*"}
    >>> counts = [{"b": 2, "c": 1}, {"*": 6}, {"b": 3, "B": 4}]
    >>> series = [[((q,), "Flu") for q, n in each.items() for _ in range(n)] for each in counts]
    >>> remaining(series, [tree])[1]["b",], remaining(series, [tree], method="paper")[1]["b",]
    (1, 3)
    """
    one_of("remaining", "method", method, METHODS)
    if isinstance(releases, (str, Mapping)) or not isinstance(releases, Sequence) or not releases:
        raise BadInput(f"remaining: releases must be a list of releases, got {shown(releases)}")
    series = read(releases, hierarchies, suppressed)
    if method == "exact":
        everything = CandidateRecords(series.releases)
        cells, histograms = everything.cells, everything.exact()
    else:
        cells = cells_of(series.releases)
        histograms = by_the_paper(series.releases, cells)
    targets = targets_of(series.releases, cells)
    raw, cell = _raw_tuples(series, cells)
    totals = [_totals(histogram) for histogram in histograms]
    return [
        Counter({raw[j]: int(total[c]) for j, c in enumerate(cell.tolist()) if target[c]})
        for total, target in zip(totals, targets, strict=True)
    ]


def _totals(histogram: Histogram) -> np.ndarray:
    return sum_by(histogram.group_of, histogram.counts, histogram.n_groups)


def _raw_tuples(series: Series, cells: Cells) -> tuple[list[tuple[object, ...]], np.ndarray]:
    """List the raw values that the last release has a class for, and their cells."""
    sizes = [len(each.ground) for each in series.attributes]
    if float(np.prod(np.array(sizes, dtype=float))) > MOST_TARGETS:
        raise BadInput(
            f"remaining: the hierarchies have more than {MOST_TARGETS} combinations of ground "
            "values, too many to list"
        )
    ranks = np.indices(sizes).reshape(len(sizes), -1).T
    cell = cells.of(ranks)
    held = cell >= 0
    raw = [
        tuple(each.ground[rank] for each, rank in zip(series.attributes, row, strict=True))
        for row in ranks[held].tolist()
    ]
    return raw, cell[held]


def _by_group(series: Series, number: int, left: RecordsLeft, *, every: bool) -> dict[Group, int]:
    release = series.releases[number]
    whole = release.histogram
    crack = left.cracked(release).to_dense()  # (m, n_values)
    worst: dict[Group, int] = {}
    classes = left.classes.tolist()
    listed = range(len(release)) if every else sorted(set(classes))
    for place in listed:
        for code in whole.codes[whole.starts[place] : whole.starts[place + 1]].tolist():
            worst[series.group(number, place, code)] = 0
    for row, place in enumerate(classes):
        for code in np.flatnonzero(crack[row]).tolist():
            group = series.group(number, place, code)
            worst[group] = max(worst[group], int(crack[row, code]))
    return worst


def _exposure(series: Series, number: int, left: RecordsLeft, k: int) -> Exposure:
    release = series.releases[number]
    exposed_classes = exposed(left, release, k)
    boxes = [
        tuple((int(low), int(high)) for low, high in release.boxes[place])
        for place in exposed_classes.classes.tolist()
    ]
    return Exposure(tuple(series.labels[number][box] for box in boxes), exposed_classes.n_people)
