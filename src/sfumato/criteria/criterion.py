"""The shape of a criterion, and how criteria combine."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.bound import Bound, Value
from sfumato.criteria.judge import Judge
from sfumato.criteria.thresholds import Thresholds
from sfumato.data.domain import Domain
from sfumato.data.groups import Counts, Groups
from sfumato.errors import BadInput, shown
from sfumato.registry import Registry
from sfumato.spec import describe, headline, to_spec

if TYPE_CHECKING:
    from sfumato.criteria.skyline import Skyline

LARGEST = 2**62  # people: more than there are

CRITERIA: Registry[Criterion] = Registry("criterion", "sfumato.criteria")


class Criterion(ABC):
    """One definition: `holds` says yes or no to each group, `measure` what was achieved.

    A new one is a frozen dataclass with `holds`, `measure` and `promised`, and joins job files and
    releases by being defined. All the rest says what the definition means to those who search,
    attack and report; nobody asks for its class. What is left out has the careful default: nothing
    is claimed, and every group is judged by `holds`.
    A class that defines `holds` anew inherits none of these statements (`STATEMENTS`), since they
    are about the definition it replaces.

    Most definitions are about one group at a time. Where an adversary may know something of people
    in other groups (`by_group` is False), the groups that `holds` gets have to be all there are.

    >>> @dataclass(frozen=True)
    ... class EvenNumbers(Criterion, joins=False):
    ...     '''Every group has an even number of people.'''
    ...     looks_at_values: ClassVar[bool] = False
    ...     def holds(self, groups): return groups.sizes % 2 == 0
    ...     def measure(self, groups): return int((groups.sizes % 2).max(initial=0))
    ...     def promised(self): return 0
    >>> EvenNumbers().holds(Groups([2, 3])), EvenNumbers().monotone(suppression=False)
    (array([ True, False]), False)
    """

    looks_at_values: ClassVar[bool] = True  # False: groups are shown without sensitive values
    by_group: ClassVar[bool] = True  # whether other groups make no difference to a group
    # Whether it is about somebody who knows how a release came about: groups can only break it.
    by_mechanism: ClassVar[bool] = False
    needs_original: ClassVar[bool] = False  # False: `groups.reference` is not shown
    takes_nodes: ClassVar[bool] = False  # whether a named value may be a node of the hierarchy
    attribute: str | None = None  # the sensitive column; None: the only one, or each of several
    guarding: str | None = None  # a column that says what each person guards

    def __init_subclass__(cls, *, joins: bool = True, **extra: Any) -> None:
        super().__init_subclass__(**extra)
        if "holds" in vars(cls):
            for name in STATEMENTS - vars(cls).keys():
                setattr(cls, name, vars(Criterion)[name])
        if joins:
            CRITERIA.join(cls)

    # The definition.

    @abstractmethod
    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """Say for every group whether it satisfies the definition."""

    @abstractmethod
    def measure(self, groups: Groups) -> Value:
        """What the worst group achieves, in the definition's own unit."""

    @abstractmethod
    def promised(self) -> Value:
        """The threshold, in the unit of `measure`."""

    @classmethod
    def examples(cls) -> tuple[Criterion, ...]:
        """One instance of each kind that behaves differently: for tests and the documentation."""
        return ()

    def alone(self, groups: Groups) -> NDArray[np.bool_]:
        """Say for every group whether it would satisfy the definition if there were no other."""
        return self.holds(groups)

    def certainly(
        self, groups: Groups, n_unseen: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Say of every group whether it certainly satisfies and whether it certainly breaks it.

        For what needs the original's distribution: `groups.reference` lacks `n_unseen` people, who
        may have had anything. Default: nothing is certain.
        """
        del n_unseen
        nothing = np.zeros(len(groups), dtype=bool)
        return nothing, nothing

    def refuse(self, attribute: str, domain: Domain) -> None:  # noqa: B027  (most refuse nothing)
        """Refuse a sensitive column that the criterion makes no sense for."""

    def named_values(self) -> tuple[object, ...]:
        """Sensitive values that the steward named; a table that has none of them is refused."""
        return ()

    def respelled(self, names: Mapping[object, str]) -> Criterion:
        """The same, with some of `named_values` called otherwise. Default: none are named."""
        del names
        return self

    @property
    def sets(self) -> bool:
        """Whether people may have any number of values of the sensitive column, or none."""
        return False

    # What searches may count on.

    def monotone(self, *, suppression: bool) -> bool:
        """Whether generalizing further can never break what holds. Default: it may.

        Without suppression: a union of safe groups is safe. With suppression a safe group may
        also be joined by people of an unsafe one, and only what adding people cannot break stays.
        """
        del suppression
        return False

    def thresholds(self) -> Thresholds | None:
        """The whole definition as bounds on a few counts, for compiled loops; None: it is more.

        Shares and values are of what `protects` says. Most other statements follow from it.
        """
        return None

    def judge(self, values: Domain, reference: Counts) -> Judge:
        """The same verdicts, for searches that ask for them again and again; by default `holds`.

        values, reference: of the sensitive column, in the whole table.
        """
        del values, reference
        return Judge(self)

    @property
    def least_size(self) -> int:
        """People that every safe group has at least. Default: as its thresholds say, else 1."""
        known = self.thresholds()
        return 1 if known is None else known.people

    @property
    def size_alone(self) -> bool:
        """Whether a least number of people is all that it asks for."""
        return self.thresholds() == Thresholds(people=self.least_size)

    def enough_different(self) -> int | None:
        """How many people satisfy it, `least_size` apart, if their values differ; None: not said.

        Methods that make groups of different values ask for it (`Anatomy`).
        """
        known = self.thresholds()
        return None if known is None else known.enough_different

    def enough_people(self, groups: Groups) -> Counts | None:
        """How many people of each group satisfy it, whoever they are; None: not said.

        By default as its thresholds say: so many that the most frequent value, if all who have it
        are among them, has no larger share; and that l - 1 values cannot be all they have.
        """
        known = self.thresholds()
        if known is None:
            return None
        enough = np.full(len(groups), known.people, dtype=np.int64)
        if not self.looks_at_values:
            return enough
        histogram = groups.histogram.counted_as(self.protects(groups.values))
        if known.share is not None and known.share < 1:
            counts, which = np.unique(histogram.largest(), return_inverse=True)
            wanted = [min(math.ceil(n / known.share), LARGEST) for n in counts.tolist()]
            enough = np.maximum(enough, np.array(wanted, dtype=np.int64)[which])
        if known.values > 1:
            enough = np.maximum(enough, histogram.most(known.values - 1) + 1)
        return enough

    def stricter(self, factor: Fraction) -> Criterion | None:
        """The same with a margin: shares `factor` times as small. None: no margin makes sense."""
        del factor
        return None

    def joining(self) -> int:
        """How many people join a growing group at a time (Cormode 2010, section 2.3)."""
        return 1

    # What it promises against somebody who knows things.

    def average_allowed(self) -> Fraction | None:
        """How probable recognizing people may be on average; None: says nothing of it."""
        return None

    def share_above_risk(self) -> tuple[Fraction, Fraction] | None:
        """Which share of people may be recognized with more than which risk; None: says nothing."""
        return None

    def protects(self, values: Domain | Sequence[object]) -> NDArray[np.int32]:
        """Say what each sensitive value counts as: (n_values,) codes. Default: as itself.

        Values with the same code count as one; those below 0 are not protected.
        """
        return np.arange(len(values), dtype=np.int32)

    def values_wanted(self) -> int:
        """How many different values it wants in every group. Default: as its thresholds say."""
        known = self.thresholds()
        if known is None:
            return 0
        return max(known.values, 0 if self.named_values() else known.least_values)

    def belief_allowed(self) -> Bound:
        """What somebody who knows nothing else may believe of a person's protected value.

        Of the value that a person guards, if the criterion is about that. By default what its
        thresholds say; else belief is not bounded, or certainty excluded where it wants different
        values.
        """
        known = self.thresholds()
        if known is not None and known.share is not None:
            return Bound("<=", known.share)
        return Bound("<", 1) if self.values_wanted() > 1 else Bound("<=", 1)

    def belief_after(self, n: int) -> Bound:
        """What may be believed once `n` values were ruled out for the target.

        By default, where groups have l different values, l - 2 of them leave at least two.
        """
        return Bound("<", 1) if n <= self.values_wanted() - 2 else Bound("<=", 1)

    @property
    def bounds_shares(self) -> bool:
        """Whether all that it says of values is that no share is above `belief_allowed`."""
        known = self.thresholds()
        return known is not None and known.share is not None and not known.values

    @property
    def looks_at_shares(self) -> bool:
        """Whether it matters how many people have a value; False: only which values there are."""
        known = self.thresholds()
        return known is None or known.share is not None

    @property
    def exchangeable(self) -> bool:
        """Whether it makes no difference which value is which. Default: not said, so it may."""
        return False

    def without_sizes(self) -> Criterion | None:
        """What it asks of shares of values alone, whatever the number of people; None: not said.

        Beliefs are shares without a number of people: only with this can they be judged by it.
        """
        return None

    def without_others(self) -> Criterion:
        """What it asks of somebody who knows nothing of other people's values.

        All there is to ask by default. What is believed of a person can break a criterion that is
        about others, too, and not show that it is kept.
        """
        return self

    def distance_allowed(self) -> Bound | None:
        """How far the values of a group may be from the original's, in the unit of `measure`.

        For criteria that compare the two (`needs_original`); None: says nothing of it.
        """
        return None

    def range_wanted(self) -> Fraction | None:
        """How far the sensitive numbers of every group have to spread; None: says nothing."""
        return None

    def skyline(self) -> Skyline | None:
        """The whole definition as amounts of knowledge that it withstands; None: it is another."""
        return None

    def implications(self) -> tuple[int, Fraction] | None:
        """How many implications must not lead to which confidence; None: says nothing of them."""
        return None

    def records_left(self) -> int | None:
        """Records left to whoever compares releases; None: earlier releases do not matter."""
        return None

    @property
    def by_series(self) -> bool:
        """Whether earlier releases of the same people matter."""
        return self.records_left() is not None

    # How it is written and published.

    @property
    def needs_order(self) -> bool:
        """Whether the order or the tree of the sensitive values matters to it.

        Then the hierarchy of the column is published with the release, or nobody could check it.
        """
        return False

    def in_words(self) -> str:
        """Say what is promised in a sentence without symbols. Default: the docstring's first."""
        return headline(self)

    def spec(self) -> list[dict[str, Any]]:
        """Write the criterion down as job files and `release.json` do."""
        return [to_spec(self)]

    # How criteria combine.

    @property
    def parts(self) -> tuple[Criterion, ...]:
        """The definitions this is made of."""
        return (self,)

    def about(self, attribute: str) -> Criterion:
        """The same definition, about one of several sensitive columns."""
        same = copy(self)
        object.__setattr__(same, "attribute", attribute)
        return same

    def __and__(self, other: object) -> All:
        if not isinstance(other, Criterion):
            raise BadInput(f"&: expected another criterion, got {shown(other)}")
        return All((*self.parts, *other.parts))

    def __str__(self) -> str:
        return describe(self)


STATEMENTS = frozenset(
    {
        "alone",
        "average_allowed",
        "belief_after",
        "belief_allowed",
        "bounds_shares",
        "certainly",
        "distance_allowed",
        "enough_different",
        "enough_people",
        "exchangeable",
        "implications",
        "in_words",
        "joining",
        "judge",
        "least_size",
        "looks_at_shares",
        "monotone",
        "protects",
        "range_wanted",
        "share_above_risk",
        "size_alone",
        "skyline",
        "stricter",
        "thresholds",
        "values_wanted",
        "without_others",
        "without_sizes",
    }
)


@dataclass(frozen=True)
class All(Criterion, joins=False):
    """Several criteria that must hold together."""

    criteria: tuple[Criterion, ...]

    @property
    def parts(self) -> tuple[Criterion, ...]:
        """The definitions this is made of."""
        return self.criteria

    @property
    def least_size(self) -> int:
        """The most that one of them asks for."""
        return max(part.least_size for part in self.criteria)

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
