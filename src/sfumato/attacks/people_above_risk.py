"""How many people are recognized with more than a probability? What `PeopleAtRisk` promises of."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sfumato.attacks.attack import Attack, Threat
from sfumato.attacks.finding import KNOWN, Finding
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.attacks.what_helps import against_recognizing
from sfumato.criteria.bound import Bound
from sfumato.parameters import number


@dataclass(frozen=True)
class PeopleAboveRisk(Attack):
    """Look for everybody who is known to be in the table, and count who is easily recognized.

    Args:
        risk: Above which probability somebody is counted: 1 over the size of the group.

    An audit asks for it where a share of the people was promised, and holds it against the least.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> sf.attacks.PeopleAboveRisk(sf.MaxRisk("0.05").risk).run(release).found
    Fraction(17, 2000)
    """

    risk: Fraction
    name: ClassVar[str] = "linkage, people above"
    threat: ClassVar[Threat | None] = "singling out"
    sets: ClassVar[bool] = True  # values do not matter

    def __post_init__(self) -> None:
        risk = number("PeopleAboveRisk", "risk", self.risk, above=0, most=1)
        object.__setattr__(self, "risk", risk)

    @property
    def called(self) -> str:
        """The name and the risk."""
        return f"{self.name} {self.risk}"

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """One for each risk that a part of the promise names."""
        for risk in _shares_allowed(target):
            yield cls(risk)

    def find(self, target: Target) -> Finding:
        """Count the people of groups that are too small."""
        target.refuse_bucketized()
        sizes = target.seen.sizes
        at_risk = int(sizes[sizes < math.ceil(1 / self.risk)].sum())
        found = Fraction(at_risk, target.n_people)
        allowed = _shares_allowed(target).get(self.risk)
        bound = None if allowed is None else Bound("<=", allowed)
        holds = None if bound is None else bound.allows(found)
        return Finding(
            attack=self.called,
            attribute=None,
            knows=f"{KNOWN}; that the target is in the table",
            unit="share of rows",
            before=Fraction(0) if self.risk * target.n_people >= 1 else Fraction(1),
            found=found,
            promised=bound,
            holds=holds,
            n_exceeding=at_risk if holds is False else 0,
            n_people=target.n_people,
        )

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """Larger groups."""
        return Remedy() if finding is None else against_recognizing(target, finding)


def _shares_allowed(target: Target) -> dict[Fraction, Fraction]:
    """Give the least share of people that was promised, by the risk that they may be above."""
    least: dict[Fraction, Fraction] = {}
    for part in () if target.criterion is None else target.criterion.parts:
        said = part.share_above_risk()
        if said is not None:
            share, risk = said
            least[risk] = min(share, least.get(risk, share))
    return least
