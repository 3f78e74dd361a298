"""What does a release give away beside the earlier ones? Correspondence attacks (Fung 2008)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.attacks.attack import Attack, Threat
from sfumato.attacks.correspondence.series_attack import SeriesAttack
from sfumato.attacks.correspondence.whole_series import among_others, doubt_about, in_common, named
from sfumato.attacks.finding import KNOWN, Finding
from sfumato.attacks.linkage import least_people
from sfumato.attacks.target import Target
from sfumato.criteria.bound import Bound
from sfumato.errors import BadInput, CannotRun, DoesNotApply
from sfumato.formulas.correspondence.cells import PublishedClasses
from sfumato.formulas.correspondence.earlier_releases import Past
from sfumato.formulas.correspondence.pair_flows import attack
from sfumato.formulas.correspondence.pairs import joined
from sfumato.progress import report
from sfumato.release.earlier_releases.by_pairs_and_all import ByAll, PairLeft, left_by_pairs
from sfumato.release.earlier_releases.in_common import InCommon
from sfumato.release.earlier_releases.previous import Previous

PERHAPS_NOBODY = (
    "without the original it is not known whether anybody has the values of the one worst off"
)


@dataclass(frozen=True, eq=False)
class Correspondence(SeriesAttack):
    """Compare a release with the earlier ones: which records are new, which are old?

    Every release is of the same people as the earlier ones, and others. Whoever knows when a
    person came excludes records that cannot be the person's under any correspondence of the
    records: forward and cross for somebody who was in the earlier release, backward for somebody
    who came later (section 3 of the paper), each earlier release by itself, and all at once. What
    is found is the fewest records that are left to anybody, in a class of this release or, forward,
    of the earlier one. Somebody to whom none is left cannot be there, and does not count.

    With the original at hand releases are compared in its values, otherwise in what they publish
    alone: ranges, masks, and the hierarchies in `release.json`.

    Args:
        earlier: Releases, directories of saved ones, or tables of any origin; those that a release
            of a series names are found without.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> first = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> second = sf.anonymize(patients, sf.KAnonymity(5), sf.Mondrian())
    >>> finding = sf.attacks.Correspondence(earlier=[first]).run(second)
    >>> finding.unit
    'records'
    """

    name: ClassVar[str] = "correspondence"
    threat: ClassVar[Threat | None] = "linkability"

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Once, with the earlier releases that are at hand."""
        del target
        yield cls()

    def find(self, target: Target) -> Finding:
        """Compare."""
        view, previous = among_others(target), target.previous
        releases, came = in_common(target, view)
        *before, own = (each.classes for each in releases)
        report("comparing releases")
        pairs = _left_by_pairs(before, own, given=previous.given)
        worst = min(pairs, key=lambda each: each.fewest)
        k = least_people(target.criterion)
        by_all = ByAll(Past(before, came), own) if len(before) > 1 else None
        in_all, untold = worst.fewest, None
        if by_all is not None:
            try:
                in_all = by_all.fewest(worst.fewest, k)
            except CannotRun as error:
                by_all, untold = None, str(error)
        holds = None if k is None else in_all >= k
        n_exceeding = 0
        notes = [_fewest_text(pairs, worst, previous, in_all if by_all is not None else None)]
        if k is not None and holds is False:
            n_exceeding = _n_exposed(pairs, by_all, own, k)
            if releases[-1].public and any(joined(first, own) is None for first in before):
                notes.append(PERHAPS_NOBODY)
        doubt = untold or doubt_about(view, previous)
        if doubt is not None:
            notes.append(doubt)
        return Finding(
            attack=self.called,
            attribute=None,
            knows=f"{KNOWN}, and when the target came; {named(previous)}",
            unit="records",
            before=min(int(each.sizes.min()) for each in (*before, own)),
            found=in_all,
            promised=None if k is None else Bound(">=", k),
            holds=None if holds and doubt is not None else holds,
            n_exceeding=n_exceeding,
            n_people=target.n_people,
            note="; ".join(notes),
            worst=_witness(releases, worst, previous),
        )


def _left_by_pairs(
    before: Sequence[PublishedClasses], own: PublishedClasses, *, given: bool
) -> list[PairLeft]:
    try:
        pairs = [
            each.of_possible() for each in left_by_pairs([attack(first, own) for first in before])
        ]
    except BadInput as error:
        if given:
            raise
        raise CannotRun(str(error)) from None
    if not pairs:
        raise DoesNotApply("suppressed rows aside, nobody can be in two of the releases")
    return pairs


def _n_exposed(
    pairs: Sequence[PairLeft], by_all: ByAll | None, own: PublishedClasses, k: int
) -> int:
    """Count the people in classes of which somebody is left with fewer than k records.

    In an earlier release these are people of this one, too, so the largest number counts.
    """
    struck = np.zeros(len(own), dtype=bool)
    numbers = []
    for each in pairs:
        classes = each.exposed(k)
        if each.of is own:
            struck[classes] = True
        else:
            numbers.append(int(each.of.sizes[classes].sum()))
    if by_all is not None:
        struck[by_all.exposed(k)] = True
    return max([int(own.sizes[struck].sum()), *numbers])


def _fewest_text(
    pairs: Sequence[PairLeft], worst: PairLeft, previous: Previous, in_all: int | None
) -> str:
    """Say which attack leaves how many."""
    if len(previous.releases) == 1:
        left = [f"{each.kind} {each.fewest}" for each in pairs]
        return f"left by the attack: {', '.join(left)}"
    name = previous.names[worst.earlier]
    text = f"left with one of them at least {worst.fewest} ({worst.kind}, {name})"
    return text if in_all is None else f"{text}, with all of them at least {in_all}"


def _witness(
    releases: Sequence[InCommon], worst: PairLeft, previous: Previous
) -> dict[str, object]:
    place = int(worst.left.classes[int(worst.left.candidates.argmin())])
    name = previous.names[worst.earlier]
    forward = worst.kind == "forward"
    return {
        "attack": f"{worst.kind}, with {name}",
        "release": name if forward else "this one",
        "group": releases[worst.earlier if forward else -1].label(place),
        "people in it": int(worst.of.sizes[place]),
        "records left": worst.fewest,
    }
