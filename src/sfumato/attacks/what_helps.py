"""Which remedy helps against which kind of attack."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.algorithms import BCFAnonymizer
from sfumato.attacks.finding import Finding
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.attacks.values_per_person import case_of
from sfumato.criteria import BCFAnonymity, Criterion, KAnonymity, LDiversity, Skyline
from sfumato.criteria.criterion import together

FEWEST = 2  # people who have to be alike, and values, where nothing was promised


def against_recognizing(target: Target, finding: Finding) -> Remedy:
    """What was promised of numbers of people; where nothing was, that nobody is alone."""
    assumed = finding.promised is not None and finding.promised.assumed
    parts = () if target.criterion is None or assumed else target.criterion.parts
    numbers = [part for part in parts if not part.looks_at_values]
    k = 1 if target.criterion is None else target.criterion.least_size
    return Remedy(together(numbers) if numbers else KAnonymity(max(k, FEWEST)))


def against_beliefs(target: Target, finding: Finding | None, parts: Sequence[Criterion]) -> Remedy:
    """What was promised of values; where nothing was, that nobody's is certain.

    finding: None: the attack could not be run.
    """
    if finding is None or finding.holds is None:
        return Remedy(give=("original",)) if target.original is None else Remedy()
    if target.untouched is not None and finding.attribute in target.untouched.telling:
        return against_telling_columns(target)
    assumed = finding.promised is not None and finding.promised.assumed
    if parts and not (assumed and finding.failed is None):
        return Remedy(together(parts))
    attribute = finding.attribute if len(target.sensitive) > 1 else None
    if target.set_valued is None:
        return Remedy(LDiversity(FEWEST, attribute=attribute))
    if target.seen.people is None:  # a person's values stand together, whatever is promised
        return Remedy()
    case = case_of(target, target.set_valued)
    return Remedy(Skyline([(0, 0, 0, 1)], case=case, attribute=attribute))


def against_telling_columns(target: Target) -> Remedy:
    """Columns beside the quasi-identifiers that tell people apart."""
    untouched = target.untouched
    if untouched is None:
        return Remedy()
    return Remedy(telling=(*untouched.columns, *untouched.telling))


def against_knowing_method(target: Target, finding: Finding | None) -> Remedy:
    """Another method; where there is no verdict, first what the attack lacks.

    finding: None: the attack could not be run.
    """
    if target.previous:
        return against_comparing(target, finding)
    decided = finding is not None and finding.holds is not None
    telling = Remedy() if target.told_apart is None else against_telling_columns(target)
    if not decided and telling.telling:
        return telling
    if not decided and target.original is None and target.method is not None:
        return Remedy(give=("original",))
    if finding is not None and decided and target.blind and not telling.telling:
        parts = target.parts(str(finding.attribute), others=False)
        return against_beliefs(target, finding, parts)  # the method told nothing
    return telling | Remedy(other_method=True)


def against_comparing(target: Target, finding: Finding | None) -> Remedy:
    """The method for series, after the earlier releases; first what the attack lacks.

    finding: None: the attack could not be run.
    """
    previous = target.previous
    if previous.missing:
        return Remedy(give=("earlier",))
    told = () if target.own is None else target.own.insensitive
    if finding is None or finding.holds is None:
        names = {name for each in previous.releases for name in each.insensitive}
        both = tuple(name for name in told if name in names)
        if both:
            return Remedy(drop=both)
        if not all(each.people for each in previous.releases):  # who came when is not known
            return Remedy(give=("process",))
    if target.method is not None and target.method.series is not None:
        return Remedy()
    if not all(each.true_values for each in previous.releases):
        return Remedy()  # they cannot be compared with any
    k = 1 if target.criterion is None else target.criterion.least_size
    method = BCFAnonymizer(previous=previous.releases)
    return Remedy(BCFAnonymity(max(k, FEWEST)), method, drop=tuple(told))
