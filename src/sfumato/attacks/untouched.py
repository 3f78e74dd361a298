"""Whose row is this, by columns that are published untouched? Linking with what the file shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sfumato.attacks.attack import Attack
from sfumato.attacks.finding import KNOWN, NO_CERTAINTY, Finding
from sfumato.attacks.linkage import least_people
from sfumato.attacks.target import Target
from sfumato.criteria.bound import Bound
from sfumato.errors import DoesNotApply
from sfumato.release.untouched import fewest_alike, given_away, given_away_text, listed_values
from sfumato.text import people


@dataclass(frozen=True, eq=False)
class UntouchedLinkage(Attack):
    """Match published rows with people by their quasi-identifiers and by untouched columns.

    Insensitive columns are published as they are. Success is 1 over the number of rows that are
    alike in all of them and in the quasi-identifiers as published.

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
    sets: ClassVar[bool] = True  # values do not matter

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Once; where no column is untouched, the reason says so."""
        del target
        yield cls()

    def find(self, target: Target) -> Finding:
        """Count who is alike in all that the file shows."""
        target.refuse_bucketized()
        untouched = target.untouched
        if untouched is None or untouched.groups is None:
            raise DoesNotApply("no insensitive column is published untouched")
        k = least_people(target.criterion)
        groups, n_below = untouched.groups, untouched.n_below(fewest_alike(target.criterion))
        note = f"{people(groups.people_below(2))} alone by {listed_values(untouched.columns)}"
        determined = {}
        if target.original is not None and not target.as_they_are:
            determined = given_away(target.original, untouched)
        if determined:
            note += f"; {given_away_text(determined)}"
        return Finding(
            attack=self.called,
            attribute=None,
            knows=f"{KNOWN} and {', '.join(untouched.columns)}; that the target is in the table",
            unit="belief",
            before=Fraction(1, int(target.seen.sizes.min())),
            found=Fraction(1, groups.smallest),
            promised=NO_CERTAINTY if k is None else Bound("<=", Fraction(1, k)),
            holds=n_below == 0,
            n_exceeding=n_below,
            n_people=target.n_people,
            note=note,
            worst={"people alike": groups.smallest},
        )
