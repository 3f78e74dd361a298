"""Regions of a piece that wait to be cut further, on disk meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts, Digests
from sfumato.data.keys import Keys, order_of
from sfumato.files.private_directory import no_room, scratch
from sfumato.stored_counts import StoredCounts


class OpenRegions(NamedTuple):
    """Regions in the order of the queue, with their counted combinations one after the other."""

    keys: Keys  # (n, n_words)
    counts: Counts  # (n,) people
    digests: Digests  # (n_told, n)
    sizes: NDArray[np.int64]  # (n_regions,) keys
    boxes: NDArray[np.int32]  # (n_regions, n_quasi_identifiers, 2): they reach to their cuts

    @classmethod
    def of(
        cls, people: FrequencySet, region: NDArray[np.intp], boxes: NDArray[np.int32]
    ) -> OpenRegions:
        """Put people down by their regions; region: of every key, -1: it is not to be kept."""
        order = np.argsort(region, kind="stable")[np.count_nonzero(region < 0) :]
        told = [each[order] for each in people.digests.values()]
        return cls(
            people.keys[order],
            people.counts[order],
            np.array(told, dtype=np.uint64).reshape(len(told), len(order)),
            np.bincount(region[order], minlength=len(boxes)).astype(np.int64),
            boxes,
        )

    @classmethod
    def joined(cls, several: Sequence[OpenRegions]) -> OpenRegions:
        """See those of neighbours as those of one piece."""
        keys, counts, digests, sizes, boxes = zip(*several, strict=True)
        return cls(
            np.concatenate(keys),
            np.concatenate(counts),
            np.concatenate(digests, axis=1),
            np.concatenate(sizes),
            np.concatenate(boxes),
        )

    def seen_in(self, stored: StoredCounts) -> tuple[FrequencySet, NDArray[np.intp]]:
        """Give the people, and the region of each of their combinations."""
        order = order_of(self.keys)
        people = stored.seen(self.keys[order], self.counts[order], list(self.digests[:, order]))
        region = np.empty(len(people.combinations), dtype=np.intp)
        of_key = np.repeat(np.arange(len(self.sizes)), self.sizes)[order]
        region[people.combination_of] = of_key
        return people, region


class Waiting(NamedTuple):
    """Where open regions are, and how many keys they have."""

    number: int
    n_keys: int


class OnDisk:
    """Open regions in files of a private directory, which goes with this object."""

    def __init__(self) -> None:
        self._directory = scratch()
        self._n_files = 0

    def put(self, regions: OpenRegions) -> Waiting:
        """Write some down."""
        self._n_files += 1
        try:
            np.savez(self._directory.path / f"{self._n_files}.npz", **regions._asdict())
        except OSError as error:
            raise no_room(error) from None
        return Waiting(self._n_files, len(regions.keys))

    def take(self, waiting: Waiting) -> OpenRegions:
        """Read some, for the only time."""
        path = self._directory.path / f"{waiting.number}.npz"
        with np.load(path) as kept:
            regions = OpenRegions(*(kept[name] for name in OpenRegions._fields))
        path.unlink()
        return regions
