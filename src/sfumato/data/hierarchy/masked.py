"""The tree of codes that are masked from the right; names are written when they are asked for.

Of n codes of m letters there are n * m masks of m letters each: too many to have them all.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from sfumato.data.labels.grammar import ROOT, Label, Mask, Name, mask_text, name_text, parse
from sfumato.data.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class MaskedLevel(Sequence[object]):
    """The codes of which so many characters are shown; shorter ones as they are, None: missing.

    >>> list(MaskedLevel(("13", "13053"), 3, 5, missing=True))
    ['13', '130**', None]
    """

    texts: Sequence[str]
    n_shown: int
    longest: int
    missing: bool

    def __len__(self) -> int:
        return len(self.texts) + self.missing

    @overload
    def __getitem__(self, rank: int) -> object: ...
    @overload
    def __getitem__(self, rank: slice) -> Sequence[object]: ...
    def __getitem__(self, rank: int | slice) -> object:
        """Write one, or some."""
        ranks = range(len(self))[rank]
        if isinstance(ranks, range):
            return tuple(self[j] for j in ranks)
        if ranks == len(self.texts):
            return None
        text = self.texts[ranks]
        if len(text) <= self.n_shown:
            return name_text(text)
        return mask_text(text[: self.n_shown], self.longest - self.n_shown)


@dataclass(frozen=True, eq=False)
class MaskNames(Mapping[str, tuple[int, int]]):
    """First and last rank of every node, found by what its name says.

    >>> names = MaskNames(("13", "13053", "13068"), 5, (4, 3, 2, 1), missing=False)
    >>> names["130**"], names["13"], names.get("130*"), list(names)[-2:]
    ((1, 2), (0, 0), None, ['1****', '*'])
    """

    texts: Sequence[str]  # ascending
    longest: int
    lengths: tuple[int, ...]  # that are shown, falling
    missing: bool

    def __getitem__(self, name: object) -> tuple[int, int]:
        if not isinstance(name, str):
            raise KeyError(name)
        if name == ROOT:
            return 0, len(self.texts) - 1 + self.missing
        match parse(name):
            case Label(Mask(beginning), False) if len(beginning) in self.lengths:
                written = mask_text(beginning, self.longest - len(beginning))
                first = bisect_right(self.texts, beginning)
                end = bisect_left(
                    self.texts, True, lo=first, key=lambda text: not text.startswith(beginning)
                )
            case Label(Name(text), False) if len(text) <= max(self.lengths, default=-1):
                written = name_text(text)
                first, end = bisect_left(self.texts, text), bisect_right(self.texts, text)
            case _:
                raise KeyError(name)
        if written != name or first == end:
            raise KeyError(name)
        return first, end - 1

    def __iter__(self) -> Iterator[str]:
        levels = (self._names(n_shown) for n_shown in self.lengths)
        return iter(dict.fromkeys([*(name for names in levels for name in names), ROOT]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _names(self, n_shown: int) -> Iterator[str]:
        level = MaskedLevel(self.texts, n_shown, self.longest, missing=False)
        return (str(name) for name in level)


@dataclass(frozen=True, eq=False)
class MaskedTaxonomy(Taxonomy):
    """A tree of codes."""

    masks: MaskNames

    @classmethod
    def of(
        cls,
        codes: Sequence[object],
        texts: Sequence[str],
        lengths: tuple[int, ...],
        *,
        missing: bool,
    ) -> MaskedTaxonomy:
        """Lay it out; texts: of the codes, ascending, at least one; lengths: shown, falling."""
        longest = max(map(len, texts))
        n, shown = len(texts) + missing, lengths
        begins = np.ones((len(shown) + 2, n), dtype=bool)
        begins[-1, 1:] = False
        before, after, common = _neighbours(texts, longest)
        for level, n_shown in enumerate(shown, 1):
            one = (common == before) & (common == after)  # the same text
            masked = (common >= n_shown) & (before > n_shown) & (after > n_shown)
            begins[level, 1 : len(texts)] = ~(one | masked)
        low, high = np.empty((2, *begins.shape), dtype=np.int32)
        for level, begin in enumerate(begins):
            starts = np.flatnonzero(begin)
            ends = np.append(starts[1:], n)
            low[level] = np.repeat(starts, ends - starts)
            high[level] = np.repeat(ends - 1, ends - starts)
        labels = (
            (*codes, None) if missing else tuple(codes),
            *(MaskedLevel(texts, n_shown, longest, missing) for n_shown in shown),
            (ROOT,) * n,
        )
        return cls(low, high, labels, MaskNames(texts, longest, lengths, missing))

    def names(self, *, ground: bool) -> Mapping[str, tuple[int, int]]:
        """Find nodes by what their names say."""
        return super().names(ground=True) if ground else self.masks


def _neighbours(texts: Sequence[str], longest: int) -> NDArray[np.int64]:
    """Give of every text but the first: the length of the one before, its own, what both share."""
    lengths = np.array([len(text) for text in texts])
    letters = np.zeros((len(texts), longest + 1), dtype=np.uint32)  # one more that always differs
    padded = "".join(text.ljust(longest, "\0") for text in texts).encode(
        "utf-32-le", "surrogatepass"
    )
    letters[:, :longest] = np.frombuffer(padded, dtype="<u4").reshape(len(texts), longest)
    differ = letters[1:] != letters[:-1]
    differ[:, longest] = True
    shared = np.minimum(differ.argmax(axis=1), np.minimum(lengths[1:], lengths[:-1]))
    return np.stack([lengths[:-1], lengths[1:], shared])
