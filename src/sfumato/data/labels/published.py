"""Published texts read back as intervals of ground ranks, of any table with these hierarchies."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import MISSING_TEXT, Domain, as_number

OR_MISSING = f" or {MISSING_TEXT}"
Interval = tuple[int, int]


def intervals_of(domain: Domain, labels: Sequence[object]) -> list[Interval | None]:
    """Find the ranks that published values stand for; None: no value of this table.

    A text that names several nodes with different values stands for the largest of them.
    """
    read = _Reader(domain)
    return [read.interval(label) for label in labels]


class _Reader:
    """Looks texts up as nodes, and takes ranges and sets apart (see `Domain.interval_labels`)."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.missing = len(domain) - 1 if domain.has_missing else None
        taxonomy = domain.taxonomy
        self.nodes: dict[str, Interval] = {}
        for level, names in enumerate(taxonomy.labels):
            for rank, name in enumerate(names):
                if name is not None and taxonomy.low[level, rank] == rank:
                    self.nodes[str(name)] = rank, int(taxonomy.high[level, rank])
        known = [label for label in domain.labels if label is not None]
        self.order: Callable[[object], Any] = str
        numbers = [as_number(label) for label in known]
        if domain.numbers is not None and None not in numbers:
            self.order = as_number
        self.places: list[Any] = [self.order(label) for label in known]
        self.n_known = len(known)
        # Codes with their ends masked, by what is left of them: a mask is as long as the longest
        # code, so another table's may be longer or shorter.
        codes = not domain.closed and domain.numbers is None and taxonomy.height > 1
        masked = [name for name in self.nodes if name.endswith("*")] if codes else []
        self.masked = {name.rstrip("*"): self.nodes[name] for name in masked}

    def interval(self, label: object) -> Interval | None:
        if label is None:
            return None if self.missing is None else (self.missing, self.missing)
        text = str(label)
        if text in self.nodes:
            return self.nodes[text]
        if text == f"not {MISSING_TEXT}":
            return (0, self.n_known - 1) if self.n_known else None
        if text.endswith(OR_MISSING):
            return self._with_missing(self._run(text.removesuffix(OR_MISSING)))
        return self._run(text)

    def _with_missing(self, found: Interval | None) -> Interval | None:
        if self.missing is None:
            return found
        if found is None:
            return self.missing, self.missing
        return (found[0], self.missing) if found[1] == self.missing - 1 else None

    def _run(self, text: str) -> Interval | None:
        if text in self.nodes:
            return self.nodes[text]
        if re.fullmatch(r"\{.*\}", text, re.DOTALL):
            return self._joined(names_in(text, self.nodes))
        between = re.fullmatch(r"\[(.*), (.*)\)", text, re.DOTALL)
        if between is not None:
            return self._range(between[1], between[2])
        if text.startswith(">="):
            return self._range(text[2:], None)
        if text.startswith("<"):
            return self._range(None, text[1:])
        number = as_number(text)
        if self.order is as_number and number is not None:  # written in another way
            place = bisect_left(self.places, number)
            if place < self.n_known and self.places[place] == number:
                return place, place
        kept = text.rstrip("*")
        return self.masked.get(kept) if 0 < len(kept) < len(text) else None

    def _range(self, low: str | None, high: str | None) -> Interval | None:
        first = 0 if low is None else self._place(low)
        end = self.n_known if high is None else self._place(high)
        return None if first is None or end is None or end <= first else (first, end - 1)

    def _place(self, bound: str) -> int | None:
        """Rank of the first value not below a bound; None: it is no bound in this column."""
        at = self.order(bound)
        return None if at is None else bisect_left(self.places, at)

    def _joined(self, names: list[str]) -> Interval | None:
        found = []
        for name in names:
            part = self.nodes.get(name)
            if name == MISSING_TEXT and part is None and self.missing is not None:
                part = self.missing, self.missing
            if part is None:
                return None
            found.append(part)
        found.sort()
        if any(b[0] != a[1] + 1 for a, b in itertools.pairwise(found)):
            return None
        return found[0][0], found[-1][1]


def names_in(text: str, known: Container[str]) -> list[str]:
    """Take `{one, two}` apart; a known name may hold the comma that stands between names."""
    pieces, found = text[1:-1].split(", "), []
    while pieces:
        n = len(pieces)
        while n > 1 and ", ".join(pieces[:n]) not in known:
            n -= 1
        found.append(", ".join(pieces[:n]))
        pieces = pieces[n:]
    return found


def side(found: Sequence[Interval]) -> NDArray[np.int32]:
    """Write intervals as an array; (n, 2)."""
    return np.array(found, dtype=np.int32).reshape(-1, 2)
