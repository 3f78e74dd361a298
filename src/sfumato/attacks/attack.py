"""The shape of an attack."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Literal

from sfumato.attacks.finding import Finding
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.errors import BadInput, CannotRun, DoesNotApply, shown
from sfumato.packages import failure_of, is_ours
from sfumato.registry import Registry
from sfumato.release import Release
from sfumato.table import Table

# What a table is asked about (Article 29 Working Party, opinion 05/2014), and membership.
Threat = Literal["singling out", "linkability", "inference", "membership"]

INTERRUPTED = (
    "the search was ended by hand (Ctrl-C), so nobody can run it again to the same place; let it "
    "finish, or give it a budget in nodes"
)

ATTACKS: Registry[Attack] = Registry(
    "attack", "sfumato.attacks", stated=["name"]
)  # in the order of findings


class Attack(ABC):
    """One adversary: what he knows is in the fields, what he learns is the finding.

    It joins every audit by being defined, unless its name starts with an underscore, as here:

    >>> from dataclasses import dataclass
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> @dataclass(frozen=True)
    ... class _Lottery(sf.Attack):
    ...     name = "lottery"
    ...     @classmethod
    ...     def against(cls, target):
    ...         yield cls()
    ...     def find(self, target):
    ...         n = int(target.seen.sizes.sum())
    ...         belief = Fraction(1, n)
    ...         return sf.attacks.Finding(
    ...             self.name, None, "nothing", "belief", belief, belief, None, None, 0, n
    ...         )
    >>> patients = sf.read(sf.datasets.patients(), quasi_identifiers=["age", "sex"])
    >>> _Lottery().run(sf.anonymize(patients, sf.KAnonymity(5))).found
    Fraction(1, 2000)
    """

    name: ClassVar[str]
    sets: ClassVar[bool] = False  # whether people may have any number of sensitive values
    # Whether the adversary reasons from how the method works, all of its steps and its choices.
    # Only such an attack can show that a promise about values is kept.
    knows_method: ClassVar[bool] = False
    threat: ClassVar[Threat | None] = None  # which of the four it tries; None: another one

    def __init_subclass__(cls, **extra: Any) -> None:
        super().__init_subclass__(**extra)
        ATTACKS.join(cls)

    @property
    def called(self) -> str:
        """The name with what the adversary knows beside, as findings have it."""
        return self.name

    @classmethod
    def threat_of(cls, called: str) -> Threat | None:
        """Which threat an attack of this kind tries, by how it is called."""
        del called
        return cls.threat

    @classmethod
    @abstractmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Give the attacks of this kind that an audit tries."""

    @abstractmethod
    def find(self, target: Target) -> Finding:
        """Attack; `DoesNotApply` where there is nothing to attack, `CannotRun` if it cannot."""

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """Say what to do about a finding that fails or has no verdict. Default: nothing is known.

        finding: None: the attack applies, and could not be run.
        """
        del target, finding
        return Remedy()

    def run(self, subject: Release | Table | Target, original: object = None) -> Finding:
        """Attack a release, or a published table of any origin."""
        target = Target.of(subject, original)
        if target.set_valued is not None and not self.sets:
            kind = CannotRun if target.promises_of_values else DoesNotApply
            raise kind(
                f"people have any number of values of {target.set_valued!r}, and this adversary "
                "counts on one for each"
            )
        finding = self.find(target)
        if not isinstance(finding, Finding):
            raise BadInput(
                f"{type(self).__name__}: find must give a sf.attacks.Finding, or raise CannotRun; "
                f"it gave {shown(finding)}"
            )
        remedy = self.remedy(target, finding) if finding.needs_remedy else None
        return replace(finding, knows_method=self.knows_method, remedy=remedy)


def tried(kind: type[Attack], target: Target) -> list[Attack]:
    """Give the attacks of a kind that an audit tries; see `attempt`."""
    try:
        return list(kind.against(target))
    except Exception as error:  # whatever the code of others raises
        if is_ours(kind):
            raise
        raise CannotRun(failure_of(kind, error)) from error


def attempt(attack: Attack, target: Target) -> Finding:
    """Attack in an audit, where the code of others that fails does not stop all other attacks.

    Raises:
        CannotRun: The attack does not apply, or is another package's and failed.
    """
    try:
        return attack.run(target)
    except CannotRun:
        raise
    except Exception as error:  # whatever the code of others raises
        if is_ours(type(attack)):
            raise
        raise CannotRun(failure_of(type(attack), error)) from error


def each_attribute(target: Target) -> Iterator[tuple[str, bool]]:
    """Give every sensitive column to attack, without and with knowing the others."""
    for others in (False, True) if len(target.sensitive) > 1 else (False,):
        for attribute in target.sensitive or (None,):
            yield attribute, others  # type: ignore[misc]  # None: refused with the reason
