"""What a series of releases leaves of its people, whenever they came."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.cells import Published
from sfumato.formulas.cracks import Attacked, Left
from sfumato.formulas.remaining import Remaining


def n_people(release: Published) -> int:
    """People a release is about, the suppressed ones too."""
    return int(release.sizes.sum()) + release.n_suppressed


def lefts(found: Attacked) -> list[Left]:
    """What each attack leaves, backward only if somebody came later.

    Two releases of the same people are two versions for recipients who may compare them: nobody
    came in between, so nobody can be looked for by having come later.
    """
    if n_people(found.first) == n_people(found.second):
        return [found.forward, found.cross]
    return [found.forward, found.cross, found.backward]


class Together:
    """All releases of a series at once, exactly (see `remaining`), for everybody who came.

    A batch without people has nobody to look for.
    """

    def __init__(self, releases: Sequence[Published]) -> None:
        self.found = Remaining(releases)
        came = np.diff([0, *map(n_people, releases)])
        self.found.targets[came == 0] = False

    def at_least(self, k: int) -> bool:
        """Whether everybody keeps k records."""
        return self.found.at_least(k)

    def fewest(self) -> int:
        """Fewest records that are left to anybody, as far as bounds tell: at least so many."""
        return int(self.found.bounds()[0][self.found.targets].min())

    def exact(self) -> tuple[Counts, Histogram]:
        """Give what is left for everybody: the records of each, and by value."""
        parts = []
        for time, histogram in enumerate(self.found.exact()):
            cells = np.flatnonzero(self.found.targets[time])
            parts.append(histogram.to_dense()[cells])
        dense = np.concatenate(parts)
        return dense.sum(axis=1), Histogram.from_dense(dense)
