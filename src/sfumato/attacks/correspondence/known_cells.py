"""What do all releases say of people whose classes are known in each of them?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.algorithms.bcf.on_cells import (
    CellView,
    SeriesCells,
    Verdict,
    decided,
    most_believed,
    worst,
)
from sfumato.attacks.attack import Threat
from sfumato.attacks.column_attack import ColumnAttack
from sfumato.attacks.correspondence.series_attack import SeriesAttack
from sfumato.attacks.correspondence.whole_series import among_others, doubt_about, in_common, named
from sfumato.attacks.finding import NO_CERTAINTY, Finding, text_of
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.criteria import Criterion, LDiversity
from sfumato.criteria.bound import FailedMeasure
from sfumato.criteria.judging import shown_to
from sfumato.errors import BadInput, CannotRun
from sfumato.progress import report
from sfumato.published.public_view import PublicView
from sfumato.release.earlier_releases.in_common import InCommon
from sfumato.text import people, value_text

AT_MOST = "worlds are too many to be counted, so this is a bound: no belief is larger"
BY_WORLDS = "worlds are too many to be counted, so found is only a bound; worlds show more"
NOT_DECIDED = "not decided for {}: too much to work out"
NOT_KNOWN = (
    "it is not known who is in which class of every release: when people came is not known, and "
    "the releases are not nested, or some people of a class were suppressed"
)
AS_A_WHOLE = (
    "attack the release in the process that made it, or the series as a whole (sfumato series "
    "audit)"
)


@dataclass(frozen=True, eq=False)
class KnownCells(ColumnAttack, SeriesAttack):
    """Put everybody into the known class of every release, and see which values fit.

    Whoever knows the quasi-identifiers of all people, and when they came, knows the class that
    each of them is in, in every release. People in the same classes are a cell. Every way to give
    people values so that all classes of all releases have theirs is a world; all worlds are alike.
    What is believed of a person is averaged over them: exactly, where the values of a cell follow
    by subtraction or worlds can be counted; else no belief is larger than the largest number of
    people of the cell who have the value in any world, which linear programs bound.

    When people came is known of releases made here, or in a series; nested releases, where every
    class is in one class of the next, need nobody who knows it. The method is not looked at.

    Args:
        earlier: Releases, directories of saved ones, or tables of any origin; those that a release
            of a series names are found without.
        attribute: The sensitive column, when there are several.
        others: The adversary knows people's other sensitive columns too.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> promise = sf.KAnonymity(5) & sf.LDiversity(2, "frequency")
    >>> first = sf.anonymize(patients, promise, sf.Samarati())
    >>> second = sf.anonymize(patients, promise, sf.Mondrian())
    >>> finding = sf.attacks.KnownCells(earlier=[first]).run(second)
    >>> finding.unit, finding.promised
    ('belief', Bound(relation='<=', value=Fraction(1, 2), assumed=False))
    """

    name: ClassVar[str] = "known cells"
    threat: ClassVar[Threat | None] = "inference"

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """That of series."""
        return SeriesAttack.remedy(self, target, finding)

    def find(self, target: Target) -> Finding:
        """Find the value that is believed most."""
        own = among_others(target)
        attribute = target.view(self.attribute, others=self.others).attribute
        releases, cells = _cells(target, own)
        report("giving people of known classes their values")
        view = cells.by(attribute, others=self.others)
        parts = target.parts(attribute, others=self.others)
        verdicts = [decided(part, view) for part in parts]
        bounded = [
            (part, of_part)
            for part, of_part in zip(parts, verdicts, strict=True)
            if not part.belief_allowed().allows(Fraction(1))
        ]
        shown, _ = max(
            bounded,
            key=lambda pair: (_rank(pair[1]), _excess(pair[0], view)),
            default=(None, None),
        )
        belief, cell, codes, exact = most_believed(shown, view)
        bound = None if shown is None else shown.belief_allowed()
        if bound is None and not self.others and False not in map(worst, verdicts):
            # At least nobody's value should be certain, unless it was before.
            bound = NO_CERTAINTY
            verdicts.append(_uncertain(view))
        of_cells = [worst(of_cell) for of_cell in zip(*verdicts, strict=True)]
        holds = worst(of_cells) if of_cells else None
        doubt = doubt_about(own, target.previous)
        shown_by_worlds = holds and bound is not None and not bound.allows(belief)
        notes = [] if exact else [BY_WORLDS if shown_by_worlds else AT_MOST]
        if holds is None and of_cells:
            n_open = view.sizes[[verdict is None for verdict in of_cells]].sum()
            notes.append(NOT_DECIDED.format(people(int(n_open))))
        failed = None
        if holds is False and (bound is None or bound.allows(belief)):
            pairs = zip(parts, verdicts, strict=False)
            broken = [(part, of_part) for part, of_part in pairs if False in of_part]
            notes.append(f"{broken[0][0]} does not hold")
            failed = _failed(*broken[0], view)
        notes += [] if doubt is None else [doubt]
        total = int(view.reference.sum())
        return Finding(
            attack=self.called,
            attribute=attribute,
            knows=self._knowledge(target),
            unit="belief",
            before=Fraction(int(view.reference[codes].sum()), total) if total else Fraction(0),
            found=belief,
            promised=bound,
            holds=None if holds and doubt is not None else holds,
            n_exceeding=int(view.sizes[[verdict is False for verdict in of_cells]].sum())
            if of_cells
            else 0,
            n_people=target.n_people,
            note="; ".join(notes) or None,
            is_bound=not exact,
            failed=failed,
            worst=_witness(releases, cells, view, cell, codes, belief),
        )

    def _knowledge(self, target: Target) -> str:
        other = " and other sensitive values" if self.others else ""
        return f"everybody's quasi-identifiers{other}, and when they came; {named(target.previous)}"


def _cells(target: Target, own: PublicView) -> tuple[list[InCommon], SeriesCells]:
    """Find everybody's classes."""
    releases, came = in_common(target, own)
    frequencies = own.seen.frequencies
    if target.original is not None and not releases[-1].public:
        frequencies = target.original.frequencies()
    classes = [each.classes for each in releases]
    if classes[-1].histogram.n_values != len(frequencies.persons_values.codes):
        raise CannotRun("an earlier release has sensitive values that this one has not")
    try:
        cells = SeriesCells.of(frequencies, classes, came)
    except BadInput as error:
        if target.previous.given:
            raise
        raise CannotRun(str(error)) from None
    if cells is None:
        raise CannotRun(NOT_KNOWN, remedy=AS_A_WHOLE)
    return releases, cells


def _rank(verdicts: Sequence[Verdict]) -> int:
    """Show what is broken first, then what is open."""
    return [True, None, False].index(worst(verdicts))


def _excess(part: Criterion, view: CellView) -> Fraction:
    return most_believed(part, view)[0] - part.belief_allowed().number


def _uncertain(view: CellView) -> list[Verdict]:
    """Of whom two values are possible; a value that everybody has was certain before."""
    if np.count_nonzero(view.reference) < 2:
        return [True] * len(view.sizes)
    return decided(LDiversity(2), view)


def _failed(part: Criterion, verdicts: Sequence[Verdict], view: CellView) -> FailedMeasure:
    """Measure a part in a cell that breaks it, where what is believed there is known."""
    alone = part.without_sizes() or part
    found = "not kept"
    for cell in (cell for cell, verdict in enumerate(verdicts) if verdict is False):
        here = np.arange(len(view.sizes)) == cell
        groups = view.groups(here) if view.worlds.known[cell] else view.believed(cell)
        if groups is not None:
            found = value_text(alone.measure(shown_to(alone, groups)))
            break
    return FailedMeasure(str(part), value_text(part.promised()), found)


def _witness(
    releases: Sequence[InCommon],
    cells: SeriesCells,
    view: CellView,
    cell: int,
    codes: np.ndarray,
    belief: Fraction,
) -> dict[str, object] | None:
    if not len(codes):
        return None
    held = cells.joint.classes[view.owner[cell]].tolist()
    last = max(j for j, place in enumerate(held) if place >= 0)
    return {
        "group": releases[last].label(held[last]),
        "value": " or ".join(text_of(view.values.labels[code]) for code in codes.tolist()),
        "belief": belief,
        "people": int(view.sizes[cell]),
    }
