"""Published texts of several releases, read as intervals of common ranks without any original.

What a text stands for is public: a range, a masked code, a part of the calendar, a node whose way
up to the root is in `release.json`. A column is cut into the fewest pieces that none of its texts
divides, and the pieces are numbered. A piece may be nobody's: what values people have is not
public.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import MISSING_TEXT, as_number
from sfumato.data.hierarchy import ROOT, canonical_numbers
from sfumato.data.labels.in_common_missing import with_missing
from sfumato.data.labels.in_common_tree import CommonTree
from sfumato.data.labels.published import OR_MISSING, Interval, side
from sfumato.errors import CannotRun

Text = str | None  # None: missing
Spec = Mapping[str, Any] | None  # a hierarchy as release.json has it; None: nobody says
Place = tuple[Any, ...]  # comes before or after other places of the column
BEGIN: Place = (0,)
END: Place = (2,)
RANGE = re.compile(r"\[(.*), (.*)\)", re.DOTALL)
CALENDAR = re.compile(r"(\d{3})0s|(\d{4})|(\d{4}-\d\d)")  # a decade, a year, a month


def common_intervals(
    column: str, texts: Sequence[Sequence[Text]], specs: Sequence[Spec]
) -> list[NDArray[np.int32]]:
    """Give the ranks that the texts of a column stand for, release by release; each (n, 2).

    Args:
        column: Its name, for messages.
        texts: The published texts of every release.
        specs: The column's hierarchy in every release, as far as it is public.

    Raises:
        CannotRun: The texts do not say enough to be compared.
    """
    paths = [path for spec in specs for path in (spec or {}).get("paths", ())]
    found = CommonTree(column, paths).intervals(texts) if paths else None
    if found is None:
        found = _on_an_axis(texts, specs, {path[-1] for path in paths} | {ROOT})
    if found is None:
        raise CannotRun(
            f"column {column!r}: what is published does not say which values lie in which of the "
            "published ones; give the original table with its hierarchies"
        )
    return [side([found[text] for text in several]) for several in texts]


class _Written(NamedTuple):
    """A text taken apart: a single value, or the ends of a range (None: none on that side)."""

    value: Text
    low: Text = None
    high: Text = None
    or_missing: bool = False

    @property
    def named(self) -> list[str]:
        """The values that it names."""
        return [each for each in self[:3] if each is not None]


def _written(text: str, roots: set[str]) -> _Written:
    or_missing = text.endswith(OR_MISSING)
    text = text.removesuffix(OR_MISSING)
    between = RANGE.fullmatch(text)
    if text in roots:
        return _Written(None, or_missing=True)
    if text == f"not {MISSING_TEXT}":
        return _Written(None)
    if between is not None:
        return _Written(None, between[1], between[2], or_missing)
    if text.startswith(">="):
        return _Written(None, text[2:], None, or_missing)
    if text.startswith("<"):
        return _Written(None, None, text[1:], or_missing)
    return _Written(text, or_missing=or_missing)


def _on_an_axis(
    texts: Sequence[Sequence[Text]], specs: Sequence[Spec], roots: set[str]
) -> dict[Text, Interval] | None:
    """Lay the texts out in the order of their values: numbers as numbers, all else as text."""
    every = list(dict.fromkeys(text for several in texts for text in several))
    written = {text: _written(text, roots) for text in every if text is not None}
    kinds = {name for spec in specs if spec is not None for name in spec}
    named = [each for text in written.values() for each in text.named]
    numeric = not kinds & {"prefix", "dates"} and canonical_numbers(named) is not None
    if not numeric and kinds & {"intervals", "paths"}:
        return None
    masks = not numeric and ("prefix" in kinds or None in specs)
    ends = {
        text: _ends(each, numeric=numeric, masks=masks, dates="dates" in kinds)
        for text, each in written.items()
    }
    cuts = sorted({BEGIN, END, *(place for both in ends.values() for place in both)})
    spans = [(bisect_left(cuts, low), bisect_left(cuts, high)) for low, high in ends.values()]
    if any(low >= high for low, high in spans):
        return None
    or_missing = [written[text].or_missing for text in ends]
    laid = with_missing(len(cuts) - 1, spans, or_missing)
    if laid is None:
        return None
    intervals, missing = laid
    return {None: (missing, missing), **dict(zip(ends, intervals, strict=True))}


def _ends(written: _Written, *, numeric: bool, masks: bool, dates: bool) -> tuple[Place, Place]:
    """Say where a text begins and where it ends."""

    def at(value: str) -> Place:
        return (1, as_number(value) if numeric else value, 0)

    value = written.value
    if value is None:
        low, high = written.low, written.high
        return BEGIN if low is None else at(low), END if high is None else at(high)
    kept = value.rstrip(ROOT)
    if masks and 0 < len(kept) < len(value):  # what begins so and is longer
        return _behind(at(kept)), _behind_all(kept)
    part = CALENDAR.fullmatch(value) if dates else None
    if part is not None:
        kept = part[part.lastindex or 0]
        return at(kept), _behind_all(kept)
    return at(value), _behind(at(value))


def _behind(place: Place) -> Place:
    """Right behind a value."""
    return (*place[:2], 1)


def _behind_all(beginning: str) -> Place:
    """Behind everything that begins so."""
    return (1, beginning[:-1] + chr(ord(beginning[-1]) + 1), 0)
