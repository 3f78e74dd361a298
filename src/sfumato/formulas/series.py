"""What a series of releases leaves of its people, whenever they came."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

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

    def exact(self) -> tuple[Counts, Histogram]:
        """Give what is left for everybody: the records of each, and by value."""
        parts = []
        for time, histogram in enumerate(self.found.exact()):
            cells = np.flatnonzero(self.found.targets[time])
            parts.append(histogram.to_dense()[cells])
        dense = np.concatenate(parts)
        return dense.sum(axis=1), Histogram.from_dense(dense)


def fewest_left(releases: Sequence[Published], k: int) -> int | None:
    """Fewest records that all releases together leave to anybody, at least so many.

    None: fewer than k. Programs are solved only where bounds leave that open. What was asked last
    is remembered: a release is judged when it is found, and again when it is written.
    """
    return _fewest_left(_Series(tuple(releases)), k)


@lru_cache(maxsize=16)
def _fewest_left(series: _Series, k: int) -> int | None:
    found = Together(series.releases).found
    if not found.at_least(k):
        return None
    return int(found.bounds()[0][found.targets].min())


class _Series:
    """Releases that are equal if they publish the same."""

    def __init__(self, releases: tuple[Published, ...]) -> None:
        self.releases = releases
        digest = hashlib.sha256()
        for each in releases:
            shape = (*each.boxes.shape, each.histogram.n_values, each.n_suppressed)
            digest.update(repr(shape).encode())
            histogram = each.histogram
            for array in (each.boxes, histogram.starts, histogram.codes, histogram.counts):
                digest.update(np.ascontiguousarray(array).tobytes())
        self.name = digest.digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Series) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)
