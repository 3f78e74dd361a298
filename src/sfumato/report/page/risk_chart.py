"""People over group size, before and after, with the risks between them: drawn by the page alone.

Bars are boxes of the page, and their numbers its text: it needs no script, and light, dark, narrow
and paper are the style sheet's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from sfumato.html import Markup, tag
from sfumato.release.people_by_risk import AFTER, BANDS, BEFORE, left_out
from sfumato.text import count, percent

LONGEST = 70  # per cent of the width; numbers stand behind the bars
MARKS = {BEFORE: "original", AFTER: "kept-bar"}
State = Mapping[str, Any]  # of `people_by_risk.counted`


def risk_chart(
    after: State, before: State | None = None, n_suppressed: int | None = None
) -> Iterator[Markup]:
    """Draw it, words first: what the steward knows, and what everybody can count.

    >>> import numpy as np
    >>> from sfumato.data.groups import GroupSizes
    >>> from sfumato.release.people_by_risk import counted
    >>> words, legend, bars = risk_chart(counted("after", GroupSizes.of(np.array([1, 19]))))
    >>> '<p class="threshold"><b>risk above 0.5</b> down to here: after 1 of 20</p>' in bars
    True
    """
    states = {AFTER: after} if before is None else {BEFORE: before, AFTER: after}
    for each in states.values():
        yield tag("p", each["words"])
    if n_suppressed:
        yield tag("p", left_out(n_suppressed))
    marks = [tag("span", tag("i", class_=f"mark {MARKS[name]}"), name) for name in states]
    yield tag("p", *marks, class_="legend")
    yield tag("div", *_rows(states), class_="risk-bars")


def _rows(states: Mapping[str, State]) -> Iterator[Markup]:
    """Write a row for each band of sizes, and under it who is above the risk where it ends."""
    shares = {
        name: [Fraction(part["people"], max(each["people"], 1)) for part in each["sizes"]]
        for name, each in states.items()
    }
    most = max(*(share for each in shares.values() for share in each), Fraction(1, 100))
    for j, band in enumerate(BANDS):
        bars = [
            tag(
                "div",
                _bar(name, shares[name][j] / most, alone=band.high == 1),
                tag("b", count(each["sizes"][j]["people"])),
                tag("small", percent(shares[name][j])),
                class_="bar",
            )
            for name, each in states.items()
        ]
        called = f"{'groups' if band.high != 1 else 'group'} of {band}"
        yield tag("div", tag("span", called), tag("div", *bars), class_="band")
        if band.above is not None:
            above = "; ".join(
                f"{name} {count(each['above'][j]['people'])} of {count(each['people'])}"
                for name, each in states.items()
            )
            risk = tag("b", f"risk above {band.above}")
            yield tag("p", risk, f" down to here: {above}", class_="threshold")


def _bar(name: str, length: Fraction, *, alone: bool) -> Markup:
    """Write a bar; that of people who are alone as published has another colour."""
    kind = "alone" if alone and name == AFTER else MARKS[name]
    return tag("i", class_=kind, style=f"width: {round(float(LONGEST * length), 2)}%")
