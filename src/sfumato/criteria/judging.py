"""Asking a criterion of a table: of every group, part by part, as its columns have to be seen."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Value
from sfumato.criteria.criterion import Criterion
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, JointGroups
from sfumato.data.groups import Groups
from sfumato.data.guarding_nodes import nodes_by_name
from sfumato.errors import BadInput, nearest, shown
from sfumato.spec import chosen, name_of
from sfumato.text import counted, value_text

UNSEEN_MECHANISM = "no verdict: groups can only break it; an audit asks what the method tells"
UNSEEN_PEOPLE = "no verdict: measured against the published rows, without the suppressed ones"


@dataclass(frozen=True)
class Measurement:
    """One criterion against one grouping: what was promised and what was found.

    With a `note` there is no verdict, and the note says why.
    """

    criterion: Criterion
    promised: Value
    found: Value
    holds: bool
    n_people_failing: int
    note: str | None = None

    @property
    def verdict(self) -> str:
        """What a person reads."""
        failing = counted(self.n_people_failing, "row")
        return self.note or ("holds" if self.holds else f"FAILS for {failing}")


def holding(criterion: Criterion, joint: JointGroups, *, alone: bool = False) -> NDArray[np.bool_]:
    """Say for every group whether it satisfies each part of a criterion.

    alone: judge each as if there were no other.
    """
    held = np.ones(len(joint.sizes), dtype=bool)
    for part in criterion.parts:
        for _, groups, owner in views(part, joint):
            safe = _asked(part, groups, alone=alone)
            if owner is None:
                held &= safe
            else:
                held[owner[~safe]] = False
    return held


def measure(criterion: Criterion, joint: JointGroups, n_unseen: int = 0) -> list[Measurement]:
    """Measure every part of a criterion.

    n_unseen: people of the original who are missing here. What is about the original's
    distribution gets a verdict only as far as it is certain without them.
    """
    measurements = []
    for part in criterion.parts:
        for named, groups, owner in views(part, joint):
            held, note = _asked(part, groups), None
            if n_unseen and part.needs_original:
                kept, broken = part.certainly(groups, n_unseen)
                held = ~broken
                note = None if broken.any() or kept.all() else UNSEEN_PEOPLE
            if part.by_mechanism and held.all():
                note = UNSEEN_MECHANISM
            failing = np.flatnonzero(~held) if owner is None else np.unique(owner[~held])
            measurements.append(
                Measurement(
                    named,
                    part.promised(),
                    part.measure(groups),
                    bool(held.all()),
                    int(joint.sizes[failing].sum()),
                    note,
                )
            )
    return measurements


def surely(
    part: Criterion, groups: Groups, n_unseen: int, *, alone: bool = False
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Say of every group whether it certainly satisfies a part, and whether it certainly breaks it.

    n_unseen: people of the original who are missing here; see `measure`. alone: judge each group as
    if there were no other.
    """
    shown = shown_to(part, groups)
    if n_unseen and part.needs_original:
        return part.certainly(shown, n_unseen)
    held = _asked(part, shown, alone=alone)
    return held, ~held


def _asked(part: Criterion, groups: Groups, *, alone: bool = False) -> NDArray[np.bool_]:
    if alone:
        return verdicts(part, part.alone(groups), len(groups), "alone")
    return verdicts(part, part.holds(groups), len(groups))


def verdicts(
    part: Criterion, answer: object, n_groups: int, method: str = "holds"
) -> NDArray[np.bool_]:
    """Give what a criterion answered; refuse what is not a yes or a no for each group."""
    try:
        given: NDArray[Any] = np.asarray(answer)
    except ValueError:  # lists of different lengths
        given = np.empty(0)
    if given.dtype != bool or given.shape != (n_groups,):
        raise BadInput(
            f"{type(part).__name__}: {method} must give True or False for each of "
            f"{counted(n_groups, 'group')}, as an array of this length; it gave "
            f"{_shape(answer)}"
        )
    return given


def _shape(answer: object) -> str:
    if isinstance(answer, np.ndarray):
        return f"an array of {answer.dtype}, shape {answer.shape}"
    return shown(answer)


def staying(criterion: Criterion, joint: JointGroups) -> NDArray[np.bool_]:
    """Say which groups can be published together where the others are suppressed.

    Where what is known of one group exposes people of others, a single bad group may expose them
    all. So first those go that expose their own people, as they must in any case; and then, as
    long as there are any, those whose people are exposed by what is left.
    """
    held = holding(criterion, joint)
    if held.all() or all(part.by_group for part in criterion.parts):
        return held
    kept = holding(criterion, joint, alone=True)
    while not (held := holding(criterion, joint.part(kept))).all():
        kept[kept] = held
    return kept


def views(
    part: Criterion, joint: JointGroups
) -> Iterator[tuple[Criterion, Groups, NDArray[np.intp] | None]]:
    """Give what a part has to see: by its attribute, or by every one within the others.

    The third of each triple is the group that each of the groups seen is a part of.
    """
    sensitive = joint.frequencies.sensitive
    if not part.looks_at_values:
        yield part, Groups(joint.sizes), None
    elif part.attribute is not None or len(sensitive) == 1:
        guarded = part.guarding is not None
        groups = joint.by(part.attribute or sensitive[0], guarded=guarded)
        yield part, shown_to(part, groups), None
    else:
        for attribute in sensitive:
            groups, owner = joint.within(attribute)
            yield part.about(attribute), shown_to(part, groups), owner


def shown_to(part: Criterion, groups: Groups) -> Groups:
    """Show the original's distribution only to what says that it needs it."""
    return groups if part.needs_original else groups.without_reference()


def a_criterion(given: object, name: str = "criterion") -> Criterion:
    """Refuse what is no criterion."""
    if not isinstance(given, Criterion):
        raise BadInput(f"{name}: expected one such as sf.KAnonymity(5), got {shown(given)}")
    return given


def guarding_column(criterion: object) -> str | None:
    """Give the column of guarding nodes that a criterion names, if it names one."""
    parts = () if criterion is None else a_criterion(criterion).parts
    named = list(dict.fromkeys(part.guarding for part in parts if part.guarding is not None))
    if len(named) > 1:
        raise BadInput(
            f"{criterion}: two columns of guarding nodes, {named[0]!r} and {named[1]!r}; a release "
            "can keep one"
        )
    return named[0] if named else None


def is_monotone(criterion: Criterion, frequencies: FrequencySet, *, suppression: bool) -> bool:
    """Whether generalizing this table further can never break what holds of it.

    A criterion about all of several sensitive columns splits groups by the others: a person who
    joins with a new value there makes a part of a group that nobody else is in. So with
    suppression it is not monotone, whatever it says of one column.
    """
    joint = len(frequencies.sensitive) > 1 and any(
        part.looks_at_values and part.attribute is None for part in criterion.parts
    )
    return criterion.monotone(suppression=suppression) and not (joint and suppression)


def reached(criterion: Criterion, joint: JointGroups) -> str:
    """Say what every part of a criterion reaches, as evidence of what cannot be had."""
    return ", ".join(
        f"{part.criterion} reaches {value_text(part.found)}" for part in measure(criterion, joint)
    )


def without_threshold(criterion: Criterion) -> str:
    """Name a criterion by everything but its threshold."""
    name, parameters = name_of(type(criterion)), chosen(criterion)
    rest = [f"{parameters[key]}" for key in ("kind", "distance", "attribute") if key in parameters]
    return " ".join([name.replace("_", "-", 1).replace("_", " "), *(f"({each})" for each in rest)])


def validate(criterion: object, frequencies: FrequencySet, *, values: bool = True) -> Criterion:
    """Check that a criterion can be asked of this table, with the `values` it names; return it."""
    promise = a_criterion(criterion)
    for part in promise.parts:
        if part.attribute is not None:
            frequencies.attribute(part.attribute)
        if not part.looks_at_values:
            continue
        if not frequencies.sensitive:
            raise BadInput(f"{part}: the table has no sensitive column; name one (sensitive=, -s)")
        if part.attribute is not None or len(frequencies.sensitive) == 1:
            attribute = str(frequencies.attribute(part.attribute))
            if frequencies.domains[attribute].members is not None and not part.sets:
                raise BadInput(
                    f"{part}: people have any number of values of {attribute!r}, and this is about "
                    "one value for each; k-anonymity can be asked for, and a skyline with "
                    'case="set" or "multiset"'
                )
            part.refuse(attribute, frequencies.domains[attribute])
            if values:
                _known_values(part, attribute, frequencies.domains[attribute])
            if part.guarding is not None and frequencies.guard is not None:
                frequencies.guarded(attribute)  # refused now rather than in the search
            continue
        for attribute in frequencies.sensitive:
            part.refuse(attribute, frequencies.domains[attribute])
        named = "values" if part.named_values() else "guarding nodes" if part.guarding else None
        if named is not None:
            raise BadInput(
                f"{part}: the table has several sensitive columns; say with attribute= which one "
                f"the {named} belong to"
            )
    return promise


def ranks_named(part: Criterion, domain: Domain, name: object) -> tuple[int, int] | None:
    """First and last rank of what a criterion calls by a name: a value, or a node if it may be."""
    if part.takes_nodes:
        return domain.ranks_of(name)
    code = domain.code_of(name)
    return None if code is None else (code, code)


def names_node(part: Criterion, attribute: str, domain: Domain) -> bool:
    """Whether a part speaks of a column's values by a node of its hierarchy."""
    if part.attribute not in (None, attribute):
        return False
    values = domain.values
    for name in part.named_values():
        code, ranks = values.code_of(name), ranks_named(part, values, name)
        if ranks is not None and (code is None or ranks[0] < ranks[1]):
            return True
    return False


def names_somebody(part: Criterion, domain: Domain, present: Collection[int]) -> bool:
    """Whether somebody has what each name of a criterion stands for; present: codes people have."""
    for name in part.named_values():
        ranks = ranks_named(part, domain, name)
        if ranks is None or not any(ranks[0] <= code <= ranks[1] for code in present):
            return False
    return True


def named_in(criterion: Criterion, attribute: str) -> list[object]:
    """Give the values of a sensitive column that a criterion calls by their names."""
    return [
        value
        for part in criterion.parts
        if part.looks_at_values and part.attribute in (None, attribute)
        for value in part.named_values()
    ]


def _known_values(part: Criterion, attribute: str, domain: Domain) -> None:
    domain = domain.values
    _, unclear = nodes_by_name(domain)
    for value in part.named_values():
        if part.takes_nodes and str(value) in unclear:
            raise BadInput(
                f"{part}: {shown(value)} stands for two different nodes in the hierarchy of "
                f"{attribute!r}; rename one of them"
            )
        if ranks_named(part, domain, value) is None:
            known = [str(label) for label in domain.labels if label is not None]
            if part.takes_nodes and domain.closed:
                known += [name for name in domain.names if name not in known]
            remedy = (
                nearest(str(value), known)
                if domain.closed
                else "; if that is no slip, give the column a hierarchy that lists it"
            )
            raise BadInput(f"{part}: nobody has {shown(value)} in column {attribute!r}{remedy}")
