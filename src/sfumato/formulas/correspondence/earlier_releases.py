"""What a series of releases leaves of its people, whenever they came."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from sfumato.data.groups import Counts, Histogram
from sfumato.formulas.correspondence.candidates import CandidateRecords, younger_in
from sfumato.formulas.correspondence.cells import PublishedClasses, cells_of
from sfumato.formulas.correspondence.certified import Arrived, KnownHistory
from sfumato.formulas.correspondence.pairs import Attacked, RecordsLeft

LARGEST = 1 << 27  # releases times cells times sensitive values that are held at once
EXACT = 1_000  # cells times releases up to which programs decide what histories leave open


def n_people(release: PublishedClasses) -> int:
    """People a release is about, the suppressed ones too."""
    return int(release.sizes.sum()) + release.n_suppressed


def lefts(pair: Attacked) -> list[RecordsLeft]:
    """What each attack leaves, backward only if somebody came later.

    Two releases of the same people are two versions for recipients who may compare them: nobody
    came in between, so nobody can be looked for by having come later.
    """
    if n_people(pair.first) == n_people(pair.second):
        return [pair.forward, pair.cross]
    return [pair.forward, pair.cross, pair.backward]


class Together:
    """All releases of a series at once, exactly (see `remaining`), for everybody who came.

    A batch without people has nobody to look for.
    """

    def __init__(self, releases: Sequence[PublishedClasses]) -> None:
        self.candidates = CandidateRecords(releases)
        came = np.diff([0, *map(n_people, releases)])
        self.candidates.targets[came == 0] = False

    def at_least(self, k: int) -> tuple[int, bool]:
        """Give the fewest records shown to be left to anybody, and whether everybody keeps k."""
        holds = self.candidates.at_least(k)
        return int(self.candidates.bounds()[0][self.candidates.targets].min()), holds

    def left(self) -> tuple[Counts, Histogram]:
        """Give what is left for everybody: the records of each, and by value."""
        parts = []
        for time, histogram in enumerate(self.candidates.exact()):
            cells = np.flatnonzero(self.candidates.targets[time])
            parts.append(histogram.to_dense()[cells])
        dense = np.concatenate(parts)
        return dense.sum(axis=1), Histogram.from_dense(dense)


class Past:
    """The releases so far, against which any next one can be judged."""

    def __init__(
        self, releases: Sequence[PublishedClasses], arrived: Arrived | None = None
    ) -> None:
        """Args: the releases, and who came when, the people of the next release too, if known."""
        self.releases, self.arrived = tuple(releases), arrived
        self._verdicts: dict[tuple[bytes, int], tuple[int, bool]] = {}  # by release and k

    @cached_property
    def bounds(self) -> list[list[Counts]]:
        """Of every release, how many records came at a time or later, at most."""
        return [younger_in(self.releases[:j], each) for j, each in enumerate(self.releases)]

    def fewest_left(self, release: PublishedClasses, k: int) -> tuple[int, bool]:
        """Fewest records that are shown to be left to anybody, and whether everybody keeps k.

        More may be left than is shown. Where the programs that would tell are large (`EXACT`), they
        are solved only for a release of a single class, since there is no safer one; else it may be
        that everybody keeps k, and that this is not shown. The verdict on a release stands for
        whatever has the same classes.
        """
        key = _digest(release), k
        if key not in self._verdicts:
            self._verdicts[key] = self._fewest_left(release, k)
        return self._verdicts[key]

    def _fewest_left(self, release: PublishedClasses, k: int) -> tuple[int, bool]:
        known, large = self._known(release)
        fewest, shown = (0, None) if known is None else known.shows(k)
        if shown is not None or large:
            return fewest, bool(shown)
        return Together([*self.releases, release]).at_least(k)

    def left(self, release: PublishedClasses) -> tuple[Counts, Histogram] | None:
        """Give what all releases leave to everybody: the records of each, and by value.

        None: the programs that would tell are large, and the release is not of a single class.
        """
        known, large = self._known(release)
        records = None if known is None else known.exact()
        if records is None and not large:
            records = Together([*self.releases, release]).left()
        return records

    def _known(self, release: PublishedClasses) -> tuple[KnownHistory | None, bool]:
        """Start from who came when, if that is known and fits, and no classes overlap.

        Also tells whether programs are too large to be solved: never for a single class, or where
        there is nothing but programs.
        """
        releases = (*self.releases, release)
        if self.arrived is None or any(each.n_suppressed for each in releases):
            return None, False
        if n_people(release) > np.iinfo(np.int32).max:
            return None, False
        cells = cells_of(releases)
        classes = [cells.only_class(j) for j in range(len(releases))]
        alone = [each for each in classes if each is not None]
        if len(alone) < len(classes):
            return None, False
        size, single = len(releases) * len(cells), len(release) == 1
        if size * release.histogram.n_values > LARGEST:
            return None, not single
        bounds = [*self.bounds, younger_in(self.releases, release)]
        known = KnownHistory(releases, cells, alone, bounds, self.arrived)
        return (known, size > EXACT and not single) if known.fits else (None, False)


def _digest(release: PublishedClasses) -> bytes:
    """Name a release by its classes."""
    histogram = release.histogram
    shape = (*release.boxes.shape, histogram.n_values, release.n_suppressed)
    digest = hashlib.sha256(repr(shape).encode())
    for array in (release.boxes, histogram.starts, histogram.codes, histogram.counts):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()
