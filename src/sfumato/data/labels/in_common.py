"""Published texts of several releases, read as intervals of common ranks without any original.

What a text stands for is public: a range, a masked code, a part of the calendar, a node whose way
up to the root is in `release.json`. A column is cut into the fewest pieces that none of its texts
divides, and the pieces are numbered. A piece may be nobody's: what values people have is not
public.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.decimals import as_number, canonical_numbers
from sfumato.data.labels.grammar import (
    EVERY_VALUE,
    EVERYTHING,
    OTHER,
    ROOT,
    Label,
    Mask,
    Members,
    Name,
    Part,
    Range,
    Reading,
    calendar_beginning,
    calendar_place,
    parse,
)
from sfumato.data.labels.in_common_missing import with_missing
from sfumato.data.labels.in_common_tree import CommonTree
from sfumato.data.labels.reader import sides_of
from sfumato.data.values import Interval, natural_order
from sfumato.errors import CannotRun

Text = str | None  # None: missing
Place = tuple[Any, ...]  # comes before or after other places of the column
BEGIN: Place = (0,)
END: Place = (2,)


def common_intervals(
    column: str,
    texts: Sequence[Sequence[Text]],
    readings: Collection[Reading | None],
    paths: Sequence[Sequence[str]] = (),
    *,
    same_names: bool = False,
) -> list[NDArray[np.int32]]:
    """Give the ranks that the texts of a column stand for, release by release; each (n, 2).

    Args:
        column: Its name, for messages.
        texts: The published texts of every release.
        readings: How its hierarchies say that their texts are read; None: one does not say.
        paths: Ways from published nodes up to the root, of closed trees.
        same_names: Whether all releases name the same texts, so that `other` is the same in all.

    Raises:
        CannotRun: The texts do not say enough to be compared.
    """
    if None in readings:
        raise CannotRun(
            f"column {column!r}: its hierarchy does not say how its texts are read (`texts`), so "
            "which values lie in which is not public",
            remedy="give the original table with its hierarchies",
        )
    intervals = CommonTree(column, paths).intervals(texts) if paths else None
    if intervals is None and set(readings) == {"values"}:
        intervals = _as_categories(texts, same_names=same_names)
    if intervals is None:
        intervals = _on_an_axis(texts, set(readings), paths)
    if intervals is None:
        raise CannotRun(
            f"column {column!r}: what is published does not say which values lie in which of the "
            "published ones",
            remedy="give the original table with its hierarchies",
        )
    return [sides_of([intervals[text] for text in several]) for several in texts]


def _as_categories(
    texts: Sequence[Sequence[Text]], *, same_names: bool
) -> dict[Text, Interval] | None:
    """Lay out texts without an order: all that are named, and `other` behind them."""
    labels = {
        text: parse(text) for text in dict.fromkeys(chain.from_iterable(texts)) if text is not None
    }
    members = {text: _categories_of(label) for text, label in labels.items()}
    if None in members.values():
        return None
    named = [{n.text for t in each if t is not None for n in members[t] or ()} for each in texts]
    if canonical_numbers(sorted(set().union(*named))) is not None and not _any_set(labels):
        return None  # numbers have an order
    others = [
        any(Name(OTHER) in (members[text] or ()) for text in each if text is not None)
        for each in texts
    ]
    every = sorted(set().union(*named) - ({OTHER} if any(others) else set()))
    if not same_names and any(
        set(every) - names for names, other in zip(named, others, strict=True) if other
    ):
        return None  # what is `other` in one of them is named in another
    place = {text: rank for rank, text in enumerate([*every, OTHER])}
    n_pieces = max(len(every) + any(others), 1)
    spans = []
    for text, label in labels.items():
        ranks = sorted(place[name.text] for name in members[text] or ())
        if label.part == EVERY_VALUE:
            ranks = list(range(n_pieces))
        if not ranks or ranks[-1] - ranks[0] + 1 != len(ranks):
            return None
        spans.append((ranks[0], ranks[-1] + 1))
    also = [label.or_missing or _has_missing(label.part) for label in labels.values()]
    laid = with_missing(n_pieces, spans, also)
    if laid is None:
        return None
    intervals, missing = laid
    return {None: (missing, missing), **dict(zip(labels, intervals, strict=True))}


def _tells_a_set(label: Label) -> bool:
    return isinstance(label.part, Members) or label.part == Name(OTHER)


def _any_set(labels: Mapping[str, Label]) -> bool:
    return any(isinstance(label.part, Members) for label in labels.values())


def _has_missing(part: Part) -> bool:
    return isinstance(part, Members) and None in part.names


def _categories_of(label: Label) -> tuple[Name, ...] | None:
    """Give what a text names, nothing of one that says nothing; None: it is a range or a mask."""
    match label.part:
        case Name():
            return (label.part,)
        case Members(names):
            return tuple(name for name in names if name is not None)
    return () if label.part == EVERY_VALUE else None


def _on_an_axis(
    texts: Sequence[Sequence[Text]],
    readings: Collection[Reading | None],
    paths: Sequence[Sequence[str]],
) -> dict[Text, Interval] | None:
    """Lay the texts out in the order of their values: numbers as numbers, all else as text."""
    every = list(dict.fromkeys(text for several in texts for text in several))
    roots = {path[-1] for path in paths} | {ROOT}
    labels = {t: EVERYTHING if t in roots else parse(t) for t in every if t is not None}
    inner = {text for path in paths for text in path[1:-1]}
    if any(isinstance(labels[text].part, Name) for text in inner & labels.keys()):
        return None  # a node above others, whatever value it looks like
    if "nodes" in readings and not paths and labels.keys() - roots:
        return None  # a tree whose paths nobody shows
    of_text = "masks" in readings or "calendar" in readings
    named = [name for text, label in labels.items() for name in _named(text, label)]
    ranges = [label.part for label in labels.values() if isinstance(label.part, Range)]
    numeric = not of_text and canonical_numbers(named) is not None
    numeric = numeric and not any(part.quoted for part in ranges)
    if not numeric and ("numbers" in readings or "nodes" in readings):
        return None
    natural = "ordered" in readings and not numeric
    if natural and readings != {"ordered"}:
        return None
    if "values" in readings and not numeric and any(_tells_a_set(each) for each in labels.values()):
        return None  # `other` has no place in an order, nor has a set
    if not numeric and not of_text and any(part.of_numbers for part in ranges):
        return None  # one release has the order of numbers, another one that of text
    if any(isinstance(label.part, Members) for label in labels.values()):
        return None
    masks = not numeric and ("masks" in readings or "any" in readings)
    ends = {
        text: _ends(
            text,
            label,
            as_number if numeric else natural_order if natural else str,
            masks=masks,
            dates="calendar" in readings,
        )
        for text, label in labels.items()
    }
    cuts = sorted({BEGIN, END, *(place for both in ends.values() for place in both)})
    spans = [(bisect_left(cuts, low), bisect_left(cuts, high)) for low, high in ends.values()]
    if any(low >= high for low, high in spans):
        return None
    laid = with_missing(len(cuts) - 1, spans, [labels[text].or_missing for text in ends])
    if laid is None:
        return None
    intervals, missing = laid
    return {None: (missing, missing), **dict(zip(ends, intervals, strict=True))}


def _named(text: str, label: Label) -> list[str]:
    """Give the values that a text names."""
    match label.part:
        case Range(low, high, _):
            return [bound for bound in (low, high) if bound is not None]
        case Name(value, _):
            return [value]
    return [text]  # a mask is no number


def _ends(
    text: str, label: Label, order: Callable[[str], Any], *, masks: bool, dates: bool
) -> tuple[Place, Place]:
    """Say where a text begins and where it ends."""

    def at(value: str) -> Place:
        return (1, order(value), 0)

    def bound(value: str) -> Place:
        return at(calendar_place(value) if dates else value)

    match label.part:
        case Range(low, high):
            return BEGIN if low is None else bound(low), END if high is None else bound(high)
        case Mask(beginning) if masks:  # what begins so and is longer
            return _behind(at(beginning)), _behind_all(beginning)
        case Name(value, quoted):
            days = calendar_beginning(value) if dates and not quoted else None
            if days is not None:
                return at(days), _behind_all(days)
            return at(value), _behind(at(value))
    return at(text), _behind(at(text))


def _behind(place: Place) -> Place:
    """Right behind a value."""
    return (*place[:2], 1)


def _behind_all(beginning: str) -> Place:
    """Behind everything that begins so."""
    return (1, beginning[:-1] + chr(ord(beginning[-1]) + 1), 0)
