"""Published texts read: the ranks of a table's values that they stand for."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.decimals import as_number
from sfumato.data.domain import Domain
from sfumato.data.labels.grammar import EVERY_VALUE, Label, Mask, Members, Name, Part, Range, parse
from sfumato.data.values import Interval, natural_order, published_text

MONTH = re.compile(r"\d{4}-\d\d")
BELOW_ALL = Decimal("-Infinity")
Ranks = list[Interval]  # ascending, with gaps between them; empty: nobody's


class LabelReader:
    """Reads published texts as ranks of any table with the same hierarchy.

    The table need not be the one that the texts were published of: a range may hold other values
    here, or none.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.n_known = len(domain) - domain.has_missing
        self._bounds: dict[str, int | None] = {}
        self.merged = None
        if domain.merged is not None:
            self.merged = domain.merged, LabelReader(domain.merged.ground)
        # Codes can be masked; a mask is as long as the longest code of its table.
        self.masks = not domain.closed and domain.numbers is None and domain.taxonomy.height > 1

    def interval(self, label: object) -> Interval | None:
        """Give the one interval of ranks that a label stands for; None: it is none, or several."""
        ranks = self.intervals(label)
        return ranks[0] if ranks is not None and len(ranks) == 1 else None

    def intervals(self, label: object) -> Ranks | None:
        """Give the ranks that a label stands for; None: it cannot be read in this column.

        A label that is no text is a value. A name is that of the largest node that has it. In an
        open column, a text that is a value here, and can be read as a range of others as well,
        cannot be read.
        """
        if self.merged is not None:
            merged, reader = self.merged
            found = reader.intervals(label)
            runs = [merged.runs(*each) for each in found or ()]
            return None if found is None or None in runs else [each for each in runs if each]
        if label is None:
            return self._missing()
        if not isinstance(label, str):
            return self._value(label)
        if label in self.domain.names:
            return [self.domain.names[label]]
        ranks = self._label(parse(label), label)
        if self.domain.rest is not None and label == self.domain.rest.name:
            return ranks  # a value that is called so is one of them
        rank = self.domain.known.texts.get(label)
        if rank is None or ranks == [(rank, rank)]:
            return ranks
        return None if ranks else [(rank, rank)]

    def range(self, low: str | None, high: str | None) -> Ranks | None:
        """Give the ranks of all values from a bound up to another; None: it is no bound here."""
        first = 0 if low is None else self._first_from(low)
        end = self.n_known if high is None else self._first_from(high)
        if first is None or end is None:
            return None
        return [(first, end - 1)] if end > first else []

    def _first_from(self, bound: str) -> int | None:
        """Give the first rank that is not below a bound; None: it is no bound here.

        There are few bounds, and many ranges between them.
        """
        if bound not in self._bounds:
            tails, (order, places) = self.domain.tails, self._axis
            divided = tails is not None and tails.divided_by(bound)
            place = None if divided else order(bound)
            self._bounds[bound] = None if place is None else bisect_left(places, place)
        return self._bounds[bound]

    @cached_property
    def _axis(self) -> tuple[Callable[[object], Any], list[Any]]:
        """What bounds are compared by, numbers or texts, and where the known values lie."""
        known = self.domain.labels[: self.n_known]
        if self.domain.order == "natural":
            return natural_order, [natural_order(label) for label in known]
        if self.domain.numbers is not None:
            numbers = [self._place(rank) for rank in range(self.n_known)]
            if numbers and None not in numbers:  # of no values at all, they may be dates
                return as_number, numbers
            return _day, [_day(label) for label in known]
        return published_text, [published_text(label) for label in known]  # dates are ISO text

    def _place(self, rank: int) -> Decimal | None:
        """Where a number lies; what is below all others, below their bound."""
        tail = self.domain.tail_bound(rank)
        if tail is None:
            return as_number(self.domain.labels[rank])
        tails = self.domain.tails
        return tail if tails is not None and tail == tails.top else BELOW_ALL

    def _label(self, label: Label, text: str) -> Ranks | None:
        ranks = self._part(label.part, text)
        return (
            _joined([*ranks, *self._missing()]) if label.or_missing and ranks is not None else ranks
        )

    def _part(self, part: Part, text: str) -> Ranks | None:
        match part:
            case Name(name, quoted):
                return self._name(name, quoted=quoted)
            case Range(low, high):
                return self.range(low, high) if self._is_ordered_so(part) else None
            case Members(names):
                return self._members(names)
            case Mask(beginning) if self.masks:
                return self._mask(beginning)
        return self._value(text)

    def _is_ordered_so(self, part: Range) -> bool:
        """Whether a range is of the order of this column, which may have had another before."""
        if part == EVERY_VALUE or self.masks:
            return True
        if self.domain.numbers is not None:
            return not part.quoted
        return self.domain.order is not None and not part.of_numbers

    def _name(self, name: str, *, quoted: bool) -> Ranks | None:
        """Look a name up: as a value if it is quoted, else as a node if there is one."""
        rest = self.domain.rest
        if rest is not None and name == rest.name and not quoted:
            return [(rest.first, rest.last)]
        node = self.domain.names.get(name)
        value = self.domain.known.interval(name)
        first, second = (value, node) if quoted else (node, value)
        if first is not None:
            return [first]
        return self._unknown(name) if second is None else [second]

    def _value(self, value: object) -> Ranks | None:
        ranks = self.domain.known.interval(value)
        return self._unknown(value) if ranks is None else [ranks]

    def _members(self, names: Sequence[Name | None]) -> Ranks | None:
        ranks: Ranks = []
        for name in names:
            member = self._missing() if name is None else self._name(name.text, quoted=name.quoted)
            if member is None:
                return None
            ranks += member
        return _joined(ranks)

    def _mask(self, beginning: str) -> Ranks:
        _, places = self._axis
        first = end = bisect_right(places, beginning)
        while end < self.n_known and places[end].startswith(beginning):
            end += 1
        return [(first, end - 1)] if end > first else []

    def _missing(self) -> Ranks:
        return [(self.n_known, self.n_known)] if self.domain.has_missing else []

    def _unknown(self, name: object) -> Ranks | None:
        """Of a name: a closed column lists all of them, an open one has others in other data.

        A number in a tail is not told apart from the others there.
        """
        tails = self.domain.tails
        in_tail = tails is not None and tails.text(name) not in (None, name)
        return None if self.domain.closed or in_tail else []


def _day(value: object) -> str:
    """Where a date lies, or a bound among dates: a month at its first day."""
    text = str(published_text(value))
    return f"{text}-01" if MONTH.fullmatch(text) else text


def _joined(ranks: Iterable[Interval]) -> Ranks:
    """Join intervals that touch or overlap."""
    joined: Ranks = []
    for low, high in sorted(ranks):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    return joined


def sides_of(intervals: Sequence[Interval]) -> NDArray[np.int32]:
    """Write intervals as an array; (n, 2)."""
    return np.array(intervals, dtype=np.int32).reshape(-1, 2)
