"""The shape of a criterion, and how criteria combine."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, JointGroups
from sfumato.data.groups import Groups
from sfumato.errors import BadInput, nearest, shown
from sfumato.formulas.exact import LONGEST, fraction
from sfumato.spec import describe, to_spec

Number = int | Fraction | float
Value = Number | tuple["Value", ...] | None  # None: there is no group to measure


class Criterion(ABC):
    """One definition: `holds` says yes or no to each group, `measure` what was achieved.

    Most definitions are about one group at a time. Where an adversary may know something of people
    in other groups (`by_group` is False), the groups that `holds` gets have to be all there are.
    """

    looks_at_values: ClassVar[bool] = True  # whether the sensitive attribute matters at all
    by_group: ClassVar[bool] = True  # whether other groups make no difference to a group
    by_series: ClassVar[bool] = False  # whether earlier releases of the same people matter
    attribute: str | None = None
    guarding: str | None = None  # a column that says what each person guards

    @property
    def parts(self) -> tuple[Criterion, ...]:
        """The definitions this is made of."""
        return (self,)

    @property
    def sets(self) -> bool:
        """Whether people may have any number of values of the sensitive column, or none."""
        return False

    @property
    def least_size(self) -> int:
        """People that every safe group has at least, as far as the definition says so itself."""
        return max((part.least_size for part in self.parts if part is not self), default=1)

    @abstractmethod
    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Say for every group whether it satisfies the definition."""

    @abstractmethod
    def measure(self, groups: Groups) -> Value:
        """What the worst group achieves, in the definition's own unit."""

    @abstractmethod
    def monotone(self, *, suppression: bool) -> bool:
        """Whether generalizing further can never break what holds.

        Without suppression: a union of safe groups is safe. With suppression a safe group may
        also be joined by people of an unsafe one, and only what adding people cannot break stays.
        """

    def alone(self, groups: Groups) -> NDArray[np.bool_]:
        """Say for every group whether it would satisfy the definition if there were no other."""
        return self.holds(groups)

    def spec(self) -> list[dict[str, Any]]:
        """Write the criterion down as job files and `release.json` do."""
        return [to_spec(self)]

    @abstractmethod
    def promised(self) -> Value:
        """The threshold, in the unit of `measure`."""

    def named_values(self) -> tuple[object, ...]:
        """Sensitive values that the steward named."""
        return ()

    def refuse(self, attribute: str, domain: Domain) -> None:  # noqa: B027  (most refuse nothing)
        """Refuse a sensitive column that the criterion makes no sense for."""

    def __and__(self, other: object) -> All:
        if not isinstance(other, Criterion):
            raise BadInput(f"&: expected another criterion, got {shown(other)}")
        return All((*self.parts, *other.parts))

    def __str__(self) -> str:
        return describe(self)


@dataclass(frozen=True)
class All(Criterion):
    """Several criteria that must hold together."""

    criteria: tuple[Criterion, ...]

    @property
    def parts(self) -> tuple[Criterion, ...]:
        """The definitions this is made of."""
        return self.criteria

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Say for every group whether it satisfies all of them."""
        self._one_attribute()
        held = [part.holds(groups) for part in self.criteria]
        return np.asarray(np.all(held, axis=0))

    def measure(self, groups: Groups) -> Value:
        """What each of them achieves, in order."""
        self._one_attribute()
        return tuple(part.measure(groups) for part in self.criteria)

    def promised(self) -> Value:
        """The thresholds, in order."""
        return tuple(part.promised() for part in self.criteria)

    def _one_attribute(self) -> None:
        """Groups show one sensitive column: parts about different ones cannot share them."""
        if len({part.attribute for part in self.criteria if part.looks_at_values}) > 1:
            raise BadInput(f"{self}: the parts are about different columns; judge them one by one")

    def monotone(self, *, suppression: bool) -> bool:
        """All parts have to be."""
        return all(part.monotone(suppression=suppression) for part in self.criteria)

    def spec(self) -> list[dict[str, Any]]:
        """One entry per part."""
        return [entry for part in self.criteria for entry in part.spec()]

    def __str__(self) -> str:
        return " & ".join(str(part) for part in self.criteria)


def together(parts: Sequence[Criterion]) -> Criterion:
    """Combine criteria that must all hold; one alone is itself."""
    return parts[0] if len(parts) == 1 else All(tuple(parts))


@dataclass(frozen=True)
class Measured:
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
        return self.note or ("holds" if self.holds else f"FAILS for {self.n_people_failing} rows")


def holding(criterion: Criterion, joint: JointGroups, *, alone: bool = False) -> NDArray[np.bool_]:
    """Say for every group whether it satisfies each part of a criterion.

    alone: judge each as if there were no other.
    """
    held = np.ones(len(joint.sizes), dtype=bool)
    for part in criterion.parts:
        for _, groups, owner in _views(part, joint):
            safe = part.alone(groups) if alone else part.holds(groups)
            if owner is None:
                held &= safe
            else:
                held[owner[~safe]] = False
    return held


def measure(criterion: Criterion, joint: JointGroups) -> list[Measured]:
    """Measure every part of a criterion."""
    found = []
    for part in criterion.parts:
        for named, groups, owner in _views(part, joint):
            held = part.holds(groups)
            failing = np.flatnonzero(~held) if owner is None else np.unique(owner[~held])
            found.append(
                Measured(
                    named,
                    part.promised(),
                    part.measure(groups),
                    bool(held.all()),
                    int(joint.sizes[failing].sum()),
                )
            )
    return found


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


def _views(
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
        yield part, joint.by(part.attribute or sensitive[0], guarded=guarded), None
    else:
        for attribute in sensitive:
            yield replace(part, attribute=attribute), *joint.within(attribute)  # type: ignore[type-var]


def guarding_column(criterion: object) -> str | None:
    """Give the column of guarding nodes that a criterion names, if it names one."""
    parts = criterion.parts if isinstance(criterion, Criterion) else ()
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
    ((name, parameters),) = criterion.spec()[0].items()
    rest = [f"{parameters[key]}" for key in ("kind", "distance", "attribute") if key in parameters]
    return " ".join([name.replace("_", "-", 1).replace("_", " "), *(f"({each})" for each in rest)])


def value_text(value: Value) -> str:
    """Write a measured value for a person."""
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return f"({', '.join(value_text(each) for each in value)})"
    whole = isinstance(value, int) or value == int(value) if value != float("inf") else False
    return str(int(value)) if whole else f"{float(value):.4g}"


def at_least_one(owner: str, name: str, value: object) -> int:
    """Read a number of people or values."""
    try:
        number = 0 if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if number < 1:
        raise BadInput(f"{owner}: {name} must be an integer >= 1, got {shown(value)}")
    if number > 10**LONGEST:
        raise BadInput(f"{owner}: {name} must have at most {LONGEST} digits")
    return number


def positive(owner: str, name: str, value: object, *, zero: bool = False) -> Fraction:
    """Read a threshold exactly, and refuse one that is not above 0 (or, with `zero`, below)."""
    try:
        exact = fraction(value)
    except (ValueError, ZeroDivisionError, OverflowError):
        exact = None
    if exact is None or exact < 0 or (exact == 0 and not zero):
        least = ">= 0" if zero else "> 0"
        raise BadInput(f"{owner}: {name} must be a number {least}, got {shown(value)}")
    return exact


def column_name(owner: str, attribute: object) -> str | None:
    """Read the name of the sensitive column that a criterion is about; None: not said."""
    if attribute is not None and not isinstance(attribute, str):
        raise BadInput(f"{owner}: attribute must be the name of a column, got {shown(attribute)}")
    return attribute


def validate(criterion: object, frequencies: FrequencySet, *, values: bool = True) -> Criterion:
    """Check that a criterion can be asked of this table, with the `values` it names; return it."""
    if not isinstance(criterion, Criterion):
        raise BadInput(f"criterion: expected one such as sf.KAnonymity(5), got {shown(criterion)}")
    for part in criterion.parts:
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
    return criterion


def _known_values(part: Criterion, attribute: str, domain: Domain) -> None:
    domain = domain.values
    for value in part.named_values():
        if domain.code_of(value) is None:
            known = [str(label) for label in domain.labels if label is not None]
            remedy = (
                nearest(str(value), known)
                if domain.closed
                else "; if that is no slip, give the column a hierarchy that lists it"
            )
            raise BadInput(f"{part}: nobody has {shown(value)} in column {attribute!r}{remedy}")
