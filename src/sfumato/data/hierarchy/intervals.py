"""Intervals: numeric ranges of growing width."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cache
from typing import Any

from sfumato.data.decimals import DIGITS, as_number, floor_to, number_text
from sfumato.data.domain import Domain
from sfumato.data.hierarchy.base import Hierarchy
from sfumato.data.hierarchy.domains import open_domain, rewritten_domain
from sfumato.data.hierarchy.proposed import proposed_bands
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import range_text
from sfumato.data.read_settings import number_remedy
from sfumato.data.tails import Tails
from sfumato.errors import BadInput, nearest, shown
from sfumato.parameters import refusal
from sfumato.text import counted


@dataclass(frozen=True, init=False)
class Intervals(Hierarchy):
    """Numeric ranges of growing width, aligned to multiples of the width.

    `Intervals(5, 10, 20)` publishes 37 as 37, [35, 40), [30, 40), [20, 40) and `*`. Below `bottom`
    and from `top` on nobody is told apart, at no level: `Intervals(5, top=90)` publishes 97 as >=90
    or `*`. Ranges end at these bounds.

    `domain`: the smallest and the largest number there can be, as everybody may know, such as
    [0, 120] for ages. It is published, closes the open ends of >=90 and `*` where bounds are asked
    for (`Release.to_pandas(typed=True)`), and any number outside is refused.

    >>> import sfumato as sf
    >>> domain, _ = sf.Intervals(5, 10, 20, top=50).grow("column", [37, 44, 61, 97])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    37  44  >=50
    [35, 40)  [40, 45)  >=50
    [30, 40)  [40, 50)  >=50
    [20, 40)  [40, 50)  >=50
    *  *  *
    """

    texts = "numbers"
    widths: tuple[float, ...]
    bottom: float | None = None
    top: float | None = None
    domain: tuple[float, float] | None = None

    def __init__(
        self,
        *widths: float,
        bottom: float | None = None,
        top: float | None = None,
        domain: Sequence[float] | None = None,
    ) -> None:
        exact = [_width(width) for width in widths]
        for narrow, wide in itertools.pairwise(exact):
            if wide <= narrow or floor_to(wide, narrow) != wide:
                raise _does_not_nest(narrow, wide)
        below, above = _bound("bottom", bottom), _bound("top", top)
        if below is not None and above is not None and below >= above:
            raise BadInput(
                f"Intervals: bottom must be less than top, got {number_text(below)} and "
                f"{number_text(above)}"
            )
        extent = None if domain is None else _extent(domain)
        for name, bound in (("bottom", below), ("top", above)):
            if extent is not None and bound is not None and not extent[0] <= bound <= extent[1]:
                raise BadInput(
                    f"Intervals: {name} must lie in the domain {_listed(extent)}, got "
                    f"{number_text(bound)}"
                )
        object.__setattr__(self, "widths", tuple(map(_plain, exact)))
        object.__setattr__(self, "bottom", None if below is None else _plain(below))
        object.__setattr__(self, "top", None if above is None else _plain(above))
        ends = None if extent is None else (_plain(extent[0]), _plain(extent[1]))
        object.__setattr__(self, "domain", ends)

    @classmethod
    def proposed(cls, values: Iterable[object], counts: Iterable[int]) -> Intervals:
        """Propose widths, bottom and top for numbers and how many people have each of them.

        They are rounded quantiles, and no bound is anybody's own; see `proposed_bands`.

        >>> import sfumato as sf
        >>> sf.Intervals.proposed(range(18, 98), [9] * 70 + [1] * 10)
        Intervals(widths=(5, 10, 20), bottom=20, top=85, domain=None)
        """
        bands = proposed_bands(values, counts)
        bounds = [None if bound is None else _plain(bound) for bound in (bands.bottom, bands.top)]
        return cls(*map(_plain, bands.widths), bottom=bounds[0], top=bounds[1])

    @property
    def tails(self) -> Tails | None:
        """What lies beyond the bounds; None: there are no bounds."""
        if self.bottom is None and self.top is None:
            return None
        return Tails(_bound("bottom", self.bottom), _bound("top", self.top))

    def with_tails(
        self, people: Mapping[object, int], rare: Collection[object], k: int
    ) -> Intervals | None:
        """Give the same ranges with a bottom and a top that few people are beyond no more.

        A bound is a multiple of the smallest width. Beyond it are half as many people as in the
        least of the other widest ranges, and 2 k, if they can be found, else fewer, but k: what few
        people have keeps other columns general, and later batches will have such values, too.

        >>> ages = dict.fromkeys(range(20, 80), 3) | {83: 1, 85: 1}
        >>> Intervals(5, 10, 20).with_tails(ages, [83, 85], k=5)
        Intervals(widths=(5, 10, 20), bottom=None, top=70, domain=None)
        """
        numbers = {value: self._number(value, self.tails) for value in people if value is not None}
        known = {number: 0 for number in numbers.values() if number is not None}
        for value, number in numbers.items():
            if number is not None:
                known[number] += people[value]
        odd = {numbers.get(value) for value in rare}
        common = [number for number in known if number not in odd]
        if not self.widths or not common or None in odd:
            return None
        low, high = min(common), max(common)
        below = [number for number in odd if number is not None and number < low]
        above = [number for number in odd if number is not None and number > high]
        if len(below) + len(above) < len(odd):
            return None
        bottom, top = self.bottom, self.top
        if above:
            top = self._bound_beyond(known, min(above), -1, k)
        if below:
            bottom = self._bound_beyond(known, max(below), 1, k)
        if (above and top is None) or (below and bottom is None):
            return None
        if bottom is not None and top is not None and bottom >= top:
            return None
        return Intervals(*self.widths, bottom=bottom, top=top, domain=self.domain)

    def _bound_beyond(
        self, known: Mapping[Decimal, int], odd: Decimal, step: int, k: int
    ) -> float | None:
        """Find the bound nearest to a rare number with enough people beyond; None: there is none.

        step: -1: a top below the number, 1: a bottom above it.
        """
        narrow, wide = _width(self.widths[0]), _width(self.widths[-1])
        first, last = min(known), max(known)
        ranges: dict[Decimal, int] = {}
        for number, n in known.items():
            start = floor_to(number, wide)
            ranges[start] = ranges.get(start, 0) + n
        least = min((n for n in ranges.values() if n >= k), default=0)
        for enough in (max(2 * k, least // 2), 2 * k, k):
            bound = floor_to(odd, narrow, steps=0 if step < 0 else 1)
            while first < bound <= last:
                beyond = sum(n for at, n in known.items() if (at >= bound) == (step < 0))
                start = floor_to(bound, wide)
                end = bound if step < 0 else floor_to(bound, wide, steps=1)
                begin = start if step < 0 else bound
                beside = sum(n for at, n in known.items() if begin <= at < end)
                if beyond >= enough and (beside == 0 or beside >= min(enough, least)):
                    return _plain(bound)
                with localcontext(prec=DIGITS):
                    bound += step * narrow
        return None

    @property
    def extent(self) -> tuple[Decimal | None, Decimal | None]:
        """The ends of the declared domain."""
        return (None, None) if self.domain is None else _extent(self.domain)

    def in_words(self) -> str:
        """Name the widths, the bounds and the domain."""
        said = f"ranges of {', '.join(map(str, self.widths))}" if self.widths else "ranges"
        tails = self.tails
        texts = [] if tails is None else [t for t in (tails.low_text, tails.high_text) if t]
        bounds = f", {' and '.join(texts)}" if texts else ""
        within = "" if self.domain is None else f", within {_listed(_extent(self.domain))}"
        return said + bounds + within

    @property
    def parameter(self) -> Any:
        """The widths; with bounds or a domain, a table of all."""
        domain = None if self.domain is None else list(self.domain)
        bounds = {"bottom": self.bottom, "top": self.top, "domain": domain}
        given = {name: bound for name, bound in bounds.items() if bound is not None}
        return {"widths": list(self.widths), **given} if given else list(self.widths)

    @classmethod
    def of_parameter(cls, parameter: Any) -> Intervals:
        """Read the widths, or a single one, or a table of widths, bounds and domain."""
        bounds: Mapping[str, Any] = {}
        if isinstance(parameter, Mapping):
            for name in parameter:
                if name not in (known := ["widths", "bottom", "top", "domain"]):
                    raise BadInput(f"intervals: unknown key {shown(name)}{nearest(name, known)}")
            bounds = {name: each for name, each in parameter.items() if name != "widths"}
            parameter = parameter.get("widths", [])
        widths = parameter if isinstance(parameter, (list, tuple)) else [parameter]
        return cls(*widths, **bounds)

    @property
    def rewrites(self) -> bool:
        """With bounds: what lies beyond them is one value in the whole table."""
        return self.tails is not None

    @property
    def codes_ends(self) -> bool:
        """With bounds."""
        return self.tails is not None

    def rewritten(self, values: Iterable[object]) -> dict[object, str]:
        """Name the tails that values are in."""
        values = list(values)
        self._refuse_outside(values)
        tails = self.tails
        named = {} if tails is None else {value: tails.text(value) for value in values}
        return {value: text for value, text in named.items() if text not in (None, value)}

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Place every number in its range at each width."""
        self._refuse_outside(values, f"column {column!r}: ")
        return rewritten_domain(
            column, values, self.rewritten(values), lambda seen: self._laid_out(column, seen)
        )

    def _refuse_outside(self, values: Iterable[object], where: str = "") -> None:
        """Refuse numbers that the declared domain has no place for."""
        if self.domain is None:
            return
        first, last = _extent(self.domain)
        numbers = {value: as_number(value) for value in values if value is not None}
        outside = [v for v, n in numbers.items() if n is not None and not first <= n <= last]
        if outside:
            raise BadInput(
                f"{where}{counted(len(outside), 'distinct value')} outside of the domain "
                f"{_listed((first, last))}; mend the data, or declare a wider domain",
                outside,
            )

    def _laid_out(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        tails, widths = self.tails, [_width(width) for width in self.widths]
        numbers = {value: self._number(value, tails) for value in values if value is not None}
        exact = {value: number for value, number in numbers.items() if number is not None}
        unreadable = [value for value, number in numbers.items() if number is None]
        if unreadable:
            raise BadInput(
                f"column {column!r}: {len(unreadable)} distinct values are not numbers; Intervals "
                "needs numbers, so mend them or give the column another hierarchy"
                f"{number_remedy(unreadable)}",
                unreadable,
            )

        @cache
        def text(start: Decimal, width: Decimal) -> str:
            return _range(start, width, tails)

        def levels(value: object) -> list[str]:
            if tails is not None and tails.edge(value) is not None:
                return [str(value)] * len(widths)
            return [text(floor_to(exact[value], width), width) for width in widths]

        return open_domain(column, values, exact.__getitem__, levels, exact.__getitem__, tails)

    def _number(self, value: object, tails: Tails | None) -> Decimal | None:
        """Where a value lies; a tail at its bound, the lower one a step below it."""
        edge = None if tails is None else tails.edge(value)
        if tails is None or edge is None:
            return as_number(value)
        if edge == tails.top:
            return edge
        with localcontext(prec=DIGITS):
            return edge - (_width(self.widths[0]) if self.widths else 1)


def _range(start: Decimal, width: Decimal, tails: Tails | None) -> str:
    """Write a range as far as it lies between the bounds."""
    end = floor_to(start, width, steps=1)
    if tails is not None and tails.bottom is not None:
        start = max(start, tails.bottom)
    if tails is not None and tails.top is not None:
        end = min(end, tails.top)
    return range_text(number_text(start), number_text(end))


def _does_not_nest(narrow: Decimal, wide: Decimal) -> BadInput:
    """Say so, and name widths that would nest."""
    low, high = sorted((narrow, wide))
    better = max(floor_to(high, low), floor_to(low, low, steps=1))
    pair = f"{number_text(low)} and {number_text(better)}"
    return BadInput(
        "Intervals: widths must nest: each a multiple of the one before and larger, got "
        f"{number_text(wide)} after {number_text(narrow)}; {pair} would nest"
    )


def _width(width: object) -> Decimal:
    number = None if isinstance(width, (str, bool)) else as_number(width)
    if number is None or number <= 0:
        raise refusal("Intervals", "a width", "a number > 0", width)
    return number


def _bound(name: str, bound: object) -> Decimal | None:
    number = None if isinstance(bound, (str, bool)) else as_number(bound)
    if number is None and bound is not None:
        raise refusal("Intervals", name, "a number", bound)
    return number


def _extent(domain: object) -> tuple[Decimal, Decimal]:
    """Read the ends of a domain, the smaller one first."""
    given = domain if isinstance(domain, Sequence) and not isinstance(domain, str) else ()
    ends = [None if isinstance(end, (str, bool)) else as_number(end) for end in given]
    if len(ends) != 2 or ends[0] is None or ends[1] is None or ends[0] >= ends[1]:
        raise refusal("Intervals", "domain", "two numbers, the smaller one first", domain)
    return ends[0], ends[1]


def _listed(extent: tuple[Decimal, Decimal]) -> str:
    return f"[{number_text(extent[0])}, {number_text(extent[1])}]"


def _plain(number: Decimal) -> float:
    return int(number) if number == int(number) else float(number)
