"""Which group a combination is in, where combinations are too many to be here: kept on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.data.keys import Keys, order_of
from sfumato.data.recoding.lots import Parts
from sfumato.files.private_directory import no_room, scratch

AT_ONCE = 1 << 20  # parts that are sorted at once


class KeptParts:
    """Keys and their groups in files of a private directory, which goes with this object."""

    def __init__(self) -> None:
        self._directory = scratch()
        self._n_files = 0

    def add(
        self, keys: Keys, groups: NDArray[np.signedinteger], people: Counts | None = None
    ) -> None:
        """Write some combinations, each once; with `people` as often as it has groups."""
        columns: dict[str, NDArray[np.generic]] = {"keys": keys, "groups": groups}
        if people is not None:
            order = order_of(keys)
            columns = {"keys": keys[order], "groups": groups[order], "people": people[order]}
        try:
            for name, each in columns.items():
                np.save(self._path(name, self._n_files), each)
        except OSError as error:
            raise no_room(error) from None
        self._n_files += 1

    def __iter__(self) -> Iterator[tuple[Keys, NDArray[np.signedinteger]]]:
        """Read them again, as they were written."""
        for j in range(self._n_files):
            yield np.load(self._path("keys", j)), np.load(self._path("groups", j))

    def by_key(self, turns: NDArray[np.signedinteger]) -> Iterator[Parts]:
        """Read what was written with people by ascending key, some keys at a time.

        turns: (n_groups,) the order of the groups of one key.
        """
        files = [
            Parts(
                *(
                    np.load(self._path(name, j), mmap_mode="r")
                    for name in ("keys", "groups", "people")
                )
            )
            for j in range(self._n_files)
        ]
        starts = np.zeros(self._n_files, dtype=np.intp)
        for bound in [*_bounds([file.keys for file in files]), None]:
            ends = np.array(
                [len(f.keys) if bound is None else _place(f.keys, bound) for f in files]
            )
            some = [f.some(*ends_of) for f, *ends_of in zip(files, starts, ends, strict=True)]
            keys, group, people = (np.concatenate(each) for each in zip(*some, strict=True))
            order = np.lexsort((turns[group], *keys.T[::-1]))
            yield Parts(keys[order], group[order], people[order])
            starts = ends

    def _path(self, name: str, number: int) -> Path:
        return self._directory.path / f"{name}-{number}.npy"


def _bounds(files: list[Keys]) -> Keys:
    """Give keys between which there are few others, unless one key is there very often.

    Of every file some keys are looked at, at even distances.
    """
    step = max(1, AT_ONCE // (2 * len(files)))
    seen = np.concatenate([keys[step::step] for keys in files])
    return seen[order_of(seen)][:: max(1, AT_ONCE // (2 * step))]


def _place(keys: Keys, bound: Keys) -> int:
    """Find the first of some sorted keys that is not before a bound, (n_words,)."""
    first, end = 0, len(keys)
    for word, value in enumerate(bound):
        column = keys[first:end, word]
        first, end = (
            first + int(np.searchsorted(column, value, side="left")),
            first + int(np.searchsorted(column, value, side="right")),
        )
    return first
