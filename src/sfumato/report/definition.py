"""The promise by its own definition, beside what attacks found.

Attacks compare what they find with what a criterion says of itself: a number of people, a belief, a
distance. A criterion that says none of it is judged by its definition alone; so nothing is called
safe that whoever counts the published groups finds broken, or that nothing has judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.attacks import Finding, Remedy, Target
from sfumato.attacks.finding import KNOWN
from sfumato.criteria import Criterion, Measurement
from sfumato.criteria.bound import FailedMeasure
from sfumato.data.frequency import Grouping
from sfumato.packages import failure_of, is_ours
from sfumato.release.check import checked
from sfumato.release.guarding_nodes import decided
from sfumato.report.verdict import NotRun

COUNTING_PEOPLE = "counting people"
COUNTING_VALUES = "counting values"


def by_definition(
    target: Target, findings: Sequence[Finding]
) -> tuple[list[Finding], list[NotRun]]:
    """Find the parts of the promise that counting breaks, if no attack says so; and the unjudged.

    What is promised of values needs more than counting to be shown safe; see `left_open`.
    """
    shown = {
        each.attribute
        for each in findings
        if each.holds is False
        if each.failed is not None or not (each.promised is None or each.promised.assumed)
    }
    broken, unjudged = [], []
    for part in () if target.criterion is None else target.criterion.parts:
        try:
            measured = [*_measured(target, part)]
        except Exception as error:  # whatever the code of others raises
            if is_ours(type(part)):
                raise
            unjudged.append(NotRun(_name(part), failure_of(type(part), error)))
            continue
        for each in measured:
            attribute = _column(target, each.criterion)
            known = attribute in shown or (part.least_size > 1 and None in shown)  # too few people
            if each.note is None and not each.holds and not known:
                broken.append(_finding(target, each, attribute))
            if each.note is not None and not part.looks_at_values:
                unjudged.append(NotRun(_name(part), each.note))
    return broken, unjudged


def _measured(target: Target, part: Criterion) -> Iterator[Measurement]:
    """Ask a part of the groups that are published."""
    planned: Grouping | None = None
    if part.guarding is not None and target.recoding is not None and target.original is not None:
        planned = decided(target.recoding, target.original.frequencies(part.guarding))
    yield from checked(target.seen, part, planned, target.n_unseen).measured


def _finding(target: Target, measured: Measurement, attribute: str | None) -> Finding:
    part = measured.criterion
    return Finding(
        attack=_name(part),
        attribute=attribute,
        knows=KNOWN,
        unit="",
        before=None,
        found=measured.found,
        promised=None,  # `failed` says it, in the unit of the criterion
        holds=False,
        n_exceeding=measured.n_people_failing,
        n_people=target.n_people,
        failed=FailedMeasure.of(part, measured.promised, measured.found),
        remedy=Remedy(part),
    )


def _name(part: Criterion) -> str:
    return f"{COUNTING_VALUES if part.looks_at_values else COUNTING_PEOPLE}, {part}"


def _column(target: Target, part: Criterion) -> str | None:
    if not part.looks_at_values:
        return None
    return str(target.seen.frequencies.attribute(part.attribute))
