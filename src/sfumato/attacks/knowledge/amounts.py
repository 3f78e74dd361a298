"""How sure is somebody who knows so many facts? (Chen 2009; Martin et al. for implications)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.attacks.attack import Attack, Threat
from sfumato.attacks.finding import KNOWN, Finding
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target, View
from sfumato.attacks.values_per_person import case_of, promised_skylines
from sfumato.attacks.what_helps import against_beliefs
from sfumato.criteria.bound import Bound
from sfumato.errors import DoesNotApply
from sfumato.formulas.knowledge import implications as ck_safety
from sfumato.formulas.knowledge.breach import CASES, Case, Point, exposed, largest_breach, of_value
from sfumato.formulas.knowledge.witness import Witness, witness
from sfumato.parameters import amount, one_of, optional_column
from sfumato.text import counted

WITHOUT = Point(0, 0, 0)
MAY_HAVE_NONE = "anybody may have no value at all; who knows better believes more"


@dataclass(frozen=True, eq=False)
class Knowledge(Attack):
    """Somebody who knows l, k and m facts of three kinds, the worst there are.

    Up to l values that the target does not have (of sets: that come only together with the value
    in question), the values of up to k other people (of sets: that they lack the value), and up to
    m people who have the value only if the target has it. An audit tries the points of a promised
    `Skyline`, and else one fact of each kind, about which nothing was promised.

    Args:
        l: Values ruled out for the target.
        k: Other people known.
        m: Members of the target's family known.
        attribute: The sensitive column, when there are several.
        case: What one person can have: "single", "set" or "multiset". None: what was promised,
            else "single", or for a column of sets "set", unless somebody has a value twice.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> finding = sf.attacks.Knowledge(l=1, k=1, m=1).run(release)
    >>> finding.attack, finding.found
    ('knowledge (1, 1, 1)', Fraction(2720, 4787))
    """

    l: int = 1
    k: int = 1
    m: int = 1
    attribute: str | None = None
    case: Case | None = None
    name: ClassVar[str] = "knowledge"
    threat: ClassVar[Threat | None] = "inference"
    sets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in "lkm":
            amount("Knowledge", name, getattr(self, name))
        optional_column("Knowledge", "attribute", self.attribute)
        if self.case is not None:
            one_of("Knowledge", "case", self.case, CASES)

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Every point that was promised of a sensitive column; one of each kind where none was."""
        for attribute in target.sensitive or (None,):
            parts = promised_skylines(target, attribute)
            points = {(*limit.point, part.case) for part in parts for limit in part.limits}
            for l, k, m, case in sorted(points):
                yield cls(l, k, m, attribute, case)
            if not points:
                yield cls(attribute=attribute)

    @property
    def called(self) -> str:
        """The name with the amounts."""
        return f"{self.name} ({self.l}, {self.k}, {self.m})"

    @property
    def point(self) -> Point:
        """The amounts."""
        return Point(self.l, self.k, self.m)

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """What was promised of the column's values."""
        attribute = self.attribute if finding is None else finding.attribute
        parts = [] if attribute is None else target.parts(attribute, others=False)
        return against_beliefs(target, finding, parts)

    def find(self, target: Target) -> Finding:
        """Find the value and the group that this much gives away most."""
        view = target.view(self.attribute, others=False)
        case = case_of(target, view.attribute, self.case)
        histogram, sizes = view.groups.histogram, view.sizes
        bounds = self._bounds(target, view, case)
        unsafe = np.zeros(len(sizes), dtype=bool)
        for c in set(bounds.values()):
            codes = [code for code, bound in bounds.items() if bound == c]
            hit = exposed(histogram, sizes, self.point, c, case)
            unsafe[histogram.group_of[hit & np.isin(histogram.codes, codes)]] = True
        code = self._worst_code(view, bounds, case)
        belief = of_value(histogram, sizes, code, self.point, case).breach
        promised = bounds.get(code)
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(case),
            unit="belief",
            before=of_value(histogram, sizes, code, WITHOUT, case).breach,
            found=belief,
            promised=None if promised is None else Bound("<", promised),
            holds=None if promised is None else not unsafe.any(),
            n_exceeding=view.n_in(unsafe),
            n_people=target.n_people,
            note=None if case == "single" else MAY_HAVE_NONE,
            worst=witness_account(
                target, view, witness(histogram, sizes, code, self.point, case), case
            ),
        )

    def _bounds(self, target: Target, view: View, case: Case) -> dict[int, Fraction]:
        """Give the confidence that was promised to stay below, by value, against this much."""
        bounds: dict[int, Fraction] = {}
        for part in promised_skylines(target, view.attribute):
            if part.case != case:
                continue
            for limit, codes in part.requirements(view.groups.values).items():
                if limit.l >= self.l and limit.k >= self.k and limit.m >= self.m:
                    for code in codes.tolist():
                        bounds[code] = min(limit.c, bounds.get(code, limit.c))
        return bounds

    def _worst_code(self, view: View, bounds: dict[int, Fraction], case: Case) -> int:
        """Choose the value to show: the one nearest to what was promised of it, or beyond."""
        histogram, sizes = view.groups.histogram, view.sizes
        occurring = set(np.unique(histogram.codes).tolist())
        protected = [code for code in bounds if code in occurring]
        if len(set(bounds.values())) <= 1 and len(protected) in (0, len(occurring)):
            _, code = largest_breach(histogram, sizes, self.point, case)
            assert code is not None  # noqa: S101  (somebody has a value)
            return code

        def excess(code: int) -> Fraction:
            return of_value(histogram, sizes, code, self.point, case).breach - bounds[code]

        return max(protected, key=excess)

    def _knows(self, case: Case) -> str:
        single = case == "single"
        facts = {
            f"{counted(self.l, 'value')} {'ruled out' if single else 'tied to this one'}": self.l,
            f"{counted(self.k, 'other person', 'others')}{'' if single else ' without it'}": self.k,
            counted(self.m, "relative"): self.m,
        }
        known = ", ".join(text for text, amount in facts.items() if amount)
        more = f"; up to {known}" if known else ""
        return f"{KNOWN}; that the target is in the table{more}"


@dataclass(frozen=True, eq=False)
class Implications(Attack):
    """Somebody who knows k implications: if a person has some value, the target has the value.

    This is the adversary of (c,k)-safety. An audit tries him where it was promised: the facts that
    `Knowledge` counts are easier to imagine.

    Args:
        k: How many implications. None: as many as were promised.
        attribute: The sensitive column, when there are several.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> sf.attacks.Implications(k=1).run(release).found
    Fraction(1376, 2861)
    """

    k: int | None = None
    attribute: str | None = None
    name: ClassVar[str] = "implications"
    threat: ClassVar[Threat | None] = "inference"

    def __post_init__(self) -> None:
        if self.k is not None:
            amount("Implications", "k", self.k)
        optional_column("Implications", "attribute", self.attribute)

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Every sensitive column."""
        for attribute in target.sensitive or (None,):
            yield cls(attribute=attribute)

    @property
    def called(self) -> str:
        """The name with the number."""
        return self.name if self.k is None else f"{self.name} ({self.k})"

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """What was promised of the column's values."""
        attribute = self.attribute if finding is None else finding.attribute
        parts = [] if attribute is None else target.parts(attribute, others=False)
        return against_beliefs(target, finding, parts)

    def find(self, target: Target) -> Finding:
        """Find out how sure the worst implications make somebody."""
        view = target.view(self.attribute, others=False)
        histogram, sizes = view.groups.histogram, view.sizes
        parts = target.parts(view.attribute, others=False)
        promised = [known for part in parts if (known := part.implications()) is not None]
        k = max((k for k, _ in promised), default=None) if self.k is None else self.k
        if k is None:
            raise DoesNotApply(
                "no (c,k)-safety was promised",
                remedy="sf.attacks.Implications(k) tries any k",
            )
        bounds = [c for n, c in promised if n >= k]
        unsafe = np.zeros(len(sizes), dtype=bool)
        if bounds:
            unsafe = ck_safety.exposed(histogram, sizes, min(bounds), k)
        return Finding(
            attack=f"{self.name} ({k})",
            attribute=view.attribute,
            knows=f"{KNOWN}; that the target is in the table; {counted(k, 'implication')}",
            unit="belief",
            before=ck_safety.largest_belief(histogram, sizes, 0),
            found=ck_safety.largest_belief(histogram, sizes, k),
            promised=Bound("<", min(bounds)) if bounds else None,
            holds=not unsafe.any() if bounds else None,
            n_exceeding=view.n_in(unsafe),
            n_people=target.n_people,
        )


def witness_account(target: Target, view: View, worst: Witness, case: Case) -> dict[str, object]:
    """Say who is given away by what (private)."""
    account: dict[str, object] = {
        "group": target.published_labels(int(view.owner[worst.group])),
        "value": view.label(_code(worst.value)),
        "belief": worst.breach,
        "people": int(view.sizes[worst.group]),
    }
    if worst.ruled_out:
        of_target = "ruled out" if case == "single" else "only together with it"
        account[of_target] = [view.label(_code(value)) for value in worst.ruled_out]
    if worst.n_others:
        of_others = "others known" if case == "single" else "others without it"
        account[of_others] = worst.n_others
        if worst.others_have:
            account["others have"] = {
                view.label(_code(value)): people for value, people in worst.others_have
            }
    if worst.n_family:
        account["family known"] = worst.n_family
        if worst.family_group is not None and worst.family_group != worst.group:
            account["family's group"] = target.published_labels(int(view.owner[worst.family_group]))
    return account


def _code(value: object) -> int:
    assert isinstance(value, int)  # noqa: S101  (formulas know values by their codes)
    return value
