"""An attack with all releases of a series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.attacks.attack import Attack
from sfumato.attacks.finding import Finding
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.attacks.what_helps import against_comparing
from sfumato.release import Release
from sfumato.table import Table


@dataclass(frozen=True, eq=False)
class SeriesAttack(Attack):
    """An attack by somebody who has earlier releases of the same people, too."""

    earlier: Sequence[object] = ()

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """The method for series, or what is missing."""
        return against_comparing(target, finding)

    def run(self, subject: Release | Table | Target, original: object = None) -> Finding:
        """Attack a release, or a published table of any origin, with the whole series."""
        if not isinstance(subject, Target):
            subject = Target.of(subject, original, earlier=self.earlier)
        return super().run(subject)
