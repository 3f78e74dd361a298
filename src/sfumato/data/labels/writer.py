"""Published texts written: what intervals of ground ranks, nodes and values are called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from sfumato.data.decimals import number_text
from sfumato.data.domain import Domain
from sfumato.data.keys import distinct_rows
from sfumato.data.labels import grammar
from sfumato.data.labels.bounds import shortest_between, simplest_between
from sfumato.data.labels.cells import Cells
from sfumato.data.labels.grammar import OR_MISSING, Name
from sfumato.data.labels.reader import LabelReader
from sfumato.data.labels.texts import Labels
from sfumato.data.values import published_text
from sfumato.errors import BadInput


def interval_labels(
    domain: Domain, intervals: NDArray[np.int32], *, on_grid: bool = False
) -> Labels:
    """Published text of each interval of ranks; intervals: (m, 2).

    A single value is itself, the whole domain and the nodes of a tree carry their name. Any other
    side of a region is a range for ordered and for open columns, with bounds that are simple values
    between the last value inside and the first outside, never a tight extreme of the people in the
    region; for a closed tree it is the set of its largest nodes.

    on_grid: ranges that begin or end with a cell of the column's grid have the cell's bound there.
    """
    pairs, index = distinct_rows(intervals)
    cells = None
    if on_grid and domain.numbers is not None:
        cells = Cells(domain, partial(bound, domain))
    return Labels(tuple(_interval_texts(domain, pairs, cells)), index)


def node_labels(domain: Domain, intervals: NDArray[np.int32]) -> Labels:
    """Name of the node that each interval of ranks is; intervals: (m, 2).

    Of several nodes with the same values, in a closed tree the smallest; in an open one, whose
    values are those of the data, the largest, which says the least about the others.
    """
    pairs, index = distinct_rows(intervals)
    names = []
    for low, high in pairs.tolist():
        same = (domain.taxonomy.low[:, low] == low) & (domain.taxonomy.high[:, low] == high)
        levels = np.flatnonzero(same)
        names.append(node_text(domain, low, int(levels[0] if domain.closed else levels[-1])))
    return Labels(tuple(names), index)


def side_labels(
    domain: Domain, intervals: NDArray[np.int32], *, on_grid: bool = False
) -> Labels | None:
    """Published texts of intervals of ranks; None: they are single values, published as they are.

    Values that could be read as something else are not published as they are, but in quotes.
    """
    single = (intervals[:, 0] == intervals[:, 1]).all()
    if single and as_they_are(domain):
        return None
    return interval_labels(domain, intervals, on_grid=on_grid)


def level_labels(domain: Domain, level: int) -> Labels | None:
    """Published text of every ground value at a level; None: they are published as they are."""
    if level > 0:
        return Labels.of(domain.taxonomy.labels[level])
    ranks = np.arange(len(domain), dtype=np.int32)
    return side_labels(domain, np.stack([ranks, ranks], axis=1))


def as_they_are(domain: Domain) -> bool:
    """Whether all ground values can be read as themselves, without quotes."""
    return domain.merged is None and all(
        ground_text(domain, rank) == published_text(label) and domain.tail_bound(rank) is None
        for rank, label in enumerate(domain.labels)
    )


def interval_text(domain: Domain, low: int, high: int) -> str | None:
    """Write one interval of ranks; None: the missing value alone."""
    return _interval_texts(domain, np.array([[low, high]], dtype=np.int32))[0]


def _interval_texts(
    domain: Domain, pairs: NDArray[np.int32], cells: Cells | None = None
) -> list[str | None]:
    """Write intervals of ranks; pairs: (n, 2).

    cells: of an ordered column, whose bounds a range has where it begins or ends with one.
    """
    if domain.merged is not None:
        hidden = domain.holds_hidden(pairs[:, 0], pairs[:, 1])
        told = iter(_interval_texts(domain.ground, domain.ground_sides(pairs[~hidden])))
        return [grammar.ROOT if untold else next(told) for untold in hidden.tolist()]
    levels = domain.node_levels(pairs)
    begins = cache(partial(bound, domain))  # there are few bounds, and many ranges between them
    return [
        _interval_text(domain, low, high, None if level < 0 else level, begins, cells)
        for (low, high), level in zip(pairs.tolist(), levels.tolist(), strict=True)
    ]


def _interval_text(
    domain: Domain,
    low: int,
    high: int,
    level: int | None,
    begins: Callable[[int], str],
    cells: Cells | None,
) -> str | None:
    """Write one interval; level: of the node that it is published as; begins: bounds by ranks."""
    if low == high and (domain.named is None or domain.named[low]):
        return ground_text(domain, low) if domain.rest is None else _set_text(domain, low, high)
    if low == high:
        level = _masking_level(domain, low)
    if level and (domain.told is None or domain.told[level, low]):
        return node_text(domain, low, level)
    if domain.is_category:
        return _set_text(domain, low, high)
    if domain.numbers is None and domain.order is None:
        nodes = domain.largest_nodes(low, high)
        return grammar.set_text([_member(domain, rank, level) for rank, level in nodes])
    missing = domain.has_missing and high == len(domain) - 1
    last = high - 1 if missing else high
    if cells is not None:
        text = cells.text(low, last, or_missing=missing)
    elif low == last and (domain.named is None or domain.named[low]):
        text = str(ground_text(domain, low))
    else:
        top = len(domain) - 1 - domain.has_missing
        text = grammar.range_text(
            None if low == 0 else begins(low),
            None if last == top else begins(last + 1),
            of_text=domain.numbers is None and domain.taxonomy.height == 1,
        )
    return text + OR_MISSING if missing else text


def _holds_hidden(domain: Domain, low: int, high: int) -> bool:
    return bool(domain.holds_hidden(*np.array([[low], [high]], dtype=np.int32))[0])


def _masking_level(domain: Domain, rank: int) -> int | None:
    """Give the first level at which a code is masked, if it is the only one under that mask."""
    tree = domain.taxonomy
    for level in range(1, tree.height):
        alone = tree.low[level, rank] == rank == tree.high[level, rank]
        if alone and masks(domain, rank, level):
            return level
    return tree.height if len(domain) == 1 else None


def masks(domain: Domain, rank: int, level: int) -> bool:
    """Whether a value is not told any more at a level of its tree."""
    text = domain.texts[rank]
    return str(domain.taxonomy.labels[level][rank]) not in (text, grammar.name_text(text))


def _set_text(domain: Domain, low: int, high: int) -> str | None:
    """Write values without an order; what may not be named is `other`, or leaves nothing to say."""
    rest = domain.rest
    names: list[Name | None] = []
    if rest is not None and low <= rest.first and rest.last <= high:
        if rest.name is None:
            return grammar.ROOT
        names.append(Name(rest.name))
        ranks = [*range(low, rest.first), *range(rest.last + 1, high + 1)]
    else:
        ranks = list(range(low, high + 1))
    if len(ranks) + len(names) == 1:
        return ground_text(domain, ranks[0]) if ranks else str(rest.name if rest else None)
    known = [published_text(domain.labels[rank]) for rank in ranks]
    taken = {*domain.names, *(name.text for name in names if name is not None)}
    members = [None if text is None else Name(text, quoted=text in taken) for text in known]
    split = len(members) - (None in members)
    return grammar.set_text([*members[:split], *names, *members[split:]])


def node_text(domain: Domain, rank: int, level: int) -> str | None:
    """Write the node that holds a rank at a level; None: the missing value alone.

    The names of nodes above the ground are published texts already, or of the steward's own.
    """
    if level == 0:
        return ground_text(domain, rank)
    name = domain.taxonomy.labels[level][rank]
    return None if name is None else str(name)


def ground_text(domain: Domain, rank: int) -> str | None:
    """Write a ground value, in quotes if it could be read as something else; None: missing."""
    if domain.merged is not None:
        return interval_text(domain, rank, rank)
    text = published_text(domain.labels[rank])
    if text is None:
        return None
    node = domain.names.get(text, (rank, rank))
    if node != (rank, rank):  # a larger node has this name
        return grammar.quoted_text(text)
    as_it_is = domain.closed or domain.tail_bound(rank) is not None
    return text if as_it_is else grammar.name_text(text)


def _member(domain: Domain, rank: int, level: int) -> Name | None:
    """Name a node of a set."""
    name = published_text(domain.taxonomy.labels[level][rank])
    if name is None:
        return None
    node = rank, int(domain.taxonomy.high[level, rank])
    return Name(name, quoted=domain.names.get(name, node) != node)


def bound(domain: Domain, rank: int) -> str:
    """Give the simplest value above rank - 1 and not above rank; beside a tail, its bound."""
    for tail in (domain.tail_bound(rank - 1), domain.tail_bound(rank)):
        if tail is not None:
            return number_text(tail)
    below, value = domain.labels[rank - 1], domain.labels[rank]
    if domain.order == "natural":
        return domain.texts[rank]
    if domain.cuts is not None:
        return domain.cuts[rank]
    if domain.numbers is None:
        return shortest_between(domain.texts[rank - 1], domain.texts[rank])
    return simplest_between(below, value)


def refuse_misread(
    column: str, domain: Domain, intervals: NDArray[np.int32], texts: Labels
) -> None:
    """Refuse texts that say something else than what they were written for.

    Args:
        column: Its name, for messages.
        domain: Its values.
        intervals: What each text was written for; (m, 2), empty ones are nobody's.
        texts: The published texts.

    Raises:
        BadInput: A text would be read as another interval.
    """
    reader = LabelReader(domain)
    named, index = distinct_rows(intervals)
    text_of = np.empty(len(named), dtype=np.intp)
    text_of[index] = texts.index
    if (text_of[index] == texts.index).all():  # every interval has one text, as most columns
        named = np.column_stack([named, text_of])
    else:
        named, _ = distinct_rows(np.column_stack([intervals, texts.index]))
    wrong = [
        texts.texts[number]
        for low, high, number in named.tolist()
        if low <= high
        and reader.interval(texts.texts[number]) != (low, high)
        and not (texts.texts[number] == grammar.ROOT and _holds_hidden(domain, low, high))
    ]
    if wrong:
        raise BadInput(
            f"column {column!r}: a generalized value would be published under the same name as "
            "another one; rename a value, or a node of the hierarchy",
            list(dict.fromkeys(wrong)),
        )
