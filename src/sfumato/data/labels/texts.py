"""Published texts, each written once however often it stands somewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.values import published_text


@dataclass(frozen=True, eq=False)
class Labels:
    """One text per code or per group; None: missing.

    >>> list(Labels(("<30", ">=30"), np.array([1, 0, 1])))
    ['>=30', '<30', '>=30']
    """

    texts: tuple[str | None, ...]
    index: NDArray[np.integer]  # (n,) which of the texts, in as few bytes as tell them apart

    def __post_init__(self) -> None:
        narrow = np.min_scalar_type(max(0, len(self.texts) - 1))
        object.__setattr__(self, "index", self.index.astype(narrow, copy=False))

    @classmethod
    def of(cls, labels: Sequence[object]) -> Labels:
        """Write labels as they are published."""
        texts: dict[str | None, int] = {}
        index = [texts.setdefault(published_text(label), len(texts)) for label in labels]
        return cls(tuple(texts), np.array(index, dtype=np.intp))

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, position: int) -> str | None:
        return self.texts[int(self.index[position])]

    def __iter__(self) -> Iterator[str | None]:
        return (self.texts[j] for j in self.index.tolist())

    def take(self, positions: NDArray[np.signedinteger]) -> Labels:
        """Give the labels at some positions."""
        return Labels(self.texts, self.index[positions])
