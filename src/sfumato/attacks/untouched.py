"""What columns give away that stand untouched beside the quasi-identifiers: rows, and values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from sfumato.attacks.attack import Attack, Threat
from sfumato.attacks.disclosure.homogeneity import Homogeneity
from sfumato.attacks.finding import KNOWN, NO_CERTAINTY, Finding
from sfumato.attacks.linkage import least_people
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.attacks.what_helps import against_telling_columns
from sfumato.criteria.bound import Bound, FailedMeasure
from sfumato.criteria.judging import is_monotone
from sfumato.errors import DoesNotApply
from sfumato.parameters import optional_column
from sfumato.release.columns.untouched import (
    broken_among,
    fewest_alike,
    given_away,
    given_away_text,
    listed_values,
    told_text,
)
from sfumato.text import people

NOTHING = "no column tells people apart beside the quasi-identifiers"


@dataclass(frozen=True, eq=False)
class UntouchedLinkage(Attack):
    """Match published rows with people by their quasi-identifiers and by untouched columns.

    Insensitive columns are published as they are. Sensitive ones that go together with
    quasi-identifiers (a year of birth, with the age) are known to who knows these. Success is 1
    over the number of rows that are alike in all of them and in the quasi-identifiers as published.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20)},
    ...     sensitive="disease",
    ...     insensitive=["zip"],
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), untouched_identify=True)
    >>> finding = sf.attacks.UntouchedLinkage().run(release)
    >>> finding.found, finding.holds
    (Fraction(1, 1), False)
    """

    name: ClassVar[str] = "linkage, untouched columns"
    threat: ClassVar[Threat | None] = "singling out"
    sets: ClassVar[bool] = True  # values do not matter

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Once; where no column is untouched, the reason says so."""
        del target
        yield cls()

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """The columns."""
        del finding
        return against_telling_columns(target)

    def find(self, target: Target) -> Finding:
        """Count who is alike in all that the file shows."""
        target.refuse_bucketized()
        untouched = target.untouched
        if untouched is None or untouched.groups is None:
            raise DoesNotApply(NOTHING)
        k = least_people(target.criterion)
        groups, n_below = untouched.groups, untouched.n_below(fewest_alike(target.criterion))
        alone, columns = people(groups.people_below(2)), untouched.columns
        notes = [f"{alone} alone by {listed_values(columns) if columns else untouched.known}"]
        if untouched.telling:
            notes.append(told_text(untouched.telling))
        if target.original is not None:
            determined = given_away(target.original, untouched)
            if determined:
                notes.append(given_away_text(determined))
        return Finding(
            attack=self.called,
            attribute=None,
            knows=f"{KNOWN} and {untouched.known}; that the target is in the table",
            unit="belief",
            before=Fraction(1, int(target.seen.sizes.min())),
            found=Fraction(1, groups.smallest),
            promised=NO_CERTAINTY if k is None else Bound("<=", Fraction(1, k)),
            holds=n_below == 0,
            n_exceeding=n_below,
            n_people=target.n_people,
            note="; ".join(notes),
            worst={"people alike": groups.smallest},
        )


@dataclass(frozen=True, eq=False)
class UntouchedDisclosure(Attack):
    """Look for people's values among rows that are also alike in untouched columns.

    A county that is published beside a generalized zip code splits its groups, and what was
    promised of a group's values need not hold of its parts.

    Args:
        attribute: The sensitive column, when there are several.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20)},
    ...     sensitive="disease",
    ...     insensitive=["sex"],
    ... )
    >>> promise = sf.KAnonymity(5) & sf.LDiversity(3)
    >>> release = sf.anonymize(patients, promise, untouched_identify=True)
    >>> finding = sf.attacks.UntouchedDisclosure().run(release)
    >>> finding.found, finding.holds
    (Fraction(1, 1), False)
    """

    attribute: str | None = None
    name: ClassVar[str] = "homogeneity, untouched columns"
    threat: ClassVar[Threat | None] = "inference"

    def __post_init__(self) -> None:
        optional_column("UntouchedDisclosure", "attribute", self.attribute)

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Every sensitive column but those that quasi-identifiers tell already."""
        telling = () if target.untouched is None else target.untouched.telling
        names = [name for name in target.sensitive if name not in telling]
        for attribute in names or (None,):
            yield cls(attribute=attribute)

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """The columns."""
        del finding
        return against_telling_columns(target)

    def find(self, target: Target) -> Finding:
        """Ask what was promised of values of the finer groups."""
        untouched, apart = target.untouched, target.told_apart
        if untouched is None or apart is None:
            raise DoesNotApply(NOTHING)
        finding = Homogeneity(attribute=self.attribute).find(apart)
        holds, n_exceeding, failed = finding.holds, finding.n_exceeding, None
        notes = [finding.note] if finding.note else []
        about = (None, finding.attribute)
        promised = [p for p in apart.promises_of_values if p.attribute in about]
        for part in promised:
            for each in broken_among(apart.seen, part, apart.n_unseen):
                if each.note is None:
                    failed = failed or FailedMeasure.of(each.criterion, each.promised, each.found)
                    holds, n_exceeding = False, max(n_exceeding, each.n_people_failing)
                    notes.append(f"{each.criterion} does not hold")
                else:
                    holds = None if holds else holds
                    notes.append(each.note)
            several = len(untouched.columns) + len(untouched.telling) > 1
            monotone = is_monotone(part, apart.seen.frequencies, suppression=False)
            if holds and (part.guarding is not None or (several and not monotone)):
                holds = None
                notes.append(f"no verdict on {part} for who knows some of the columns")
        return replace(
            finding,
            attack=self.called,
            knows=f"{KNOWN} and {untouched.known}; that the target is in the table",
            holds=holds,
            n_exceeding=n_exceeding,
            note="; ".join(dict.fromkeys(notes)) or None,
            failed=finding.failed if finding.holds is False else failed,
        )
