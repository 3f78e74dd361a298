"""Which texts of an open column a release may name, and what stands for the others.

The values of an open column come from the data: that somebody has a value is already told by
naming it. So a value that few people have is not named. Where texts have no order, all such values
are one, `other`; where they have one, they lie in ranges whose bounds tell what many people share.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, Merged, Rest
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import OTHER, ROOT
from sfumato.data.labels.writer import interval_text, masks
from sfumato.data.taxonomy import Taxonomy

FEWEST = 5  # people who have a value that is named, even where less was promised
MOST = 1_000  # values without an order that are named: a set of them is a text
# What a method publishes; "read": texts of a release are read in another table.
Publishes = Literal["ranges", "nodes", "given", "read"]


class FixedNames(NamedTuple):
    """The texts without an order that several releases name: fixed when the first was made."""

    names: Mapping[str, frozenset[str]]  # private; of columns that are not here: many people's
    mark: str  # public: releases with the same one have the same names

    @classmethod
    def of(cls, frequencies: FrequencySet, fewest: Mapping[str, int], mark: str) -> FixedNames:
        """Fix those that many people have; fewest: how many, by column."""
        names = {}
        for column in frequencies.quasi_identifiers:
            domain = frequencies.domains[column]
            if domain.is_category:
                codes = frequencies.codes(column).astype(np.intp)
                people = sum_by(codes, frequencies.counts, len(domain))
                common = np.flatnonzero(_common(domain, people, fewest[column])).tolist()
                texts = [domain.texts[rank] for rank in common]
                names[column] = frozenset(text for text in texts if text.casefold() != OTHER)
        return cls(names, mark)


class Leaves(NamedTuple):
    """A domain in which several values are one, and the code of each value in it."""

    domain: Domain
    code: Codes  # (n,) by code of the domain before


def with_names_of_many(
    domain: Domain,
    people: Counts,
    fewest: int,
    publishes: Publishes,
    named: frozenset[str] | None = None,
    *,
    in_groups: int = 0,
    mark: str | None = None,
) -> Leaves | None:
    """Join the values of an open column of texts that must not be named; None: all may be.

    Args:
        domain: The column.
        people: (n,) how many people have each value.
        fewest: People who have to share what is named.
        publishes: What the method publishes: ranges of values, nodes of the column's tree, or
            what was given to it, which is not touched.
        named: Of texts without an order, those that are named instead; None: those of many people.
        in_groups: People of every group: a node of a tree that one is published as has as many.
        mark: Of `named`, where several releases have these names.
    """
    if domain.closed or domain.numbers is not None or domain.members is not None:
        return None
    if domain.is_category:
        return _categories(domain, people, fewest, publishes, named, mark)
    if publishes in ("given", "read") or (publishes == "nodes" and in_groups >= fewest):
        return None
    named_alone = people >= fewest
    named_alone[len(domain) - domain.has_missing :] = True
    if named_alone.all():
        return None
    tree, before = domain.taxonomy, np.append(0, np.cumsum(people))
    told = before[tree.high + 1] - before[tree.low] >= fewest
    told[-1] = True  # the root tells nothing
    ground = replace(domain, named=named_alone, told=told)
    if domain.order is None or (domain.order == "codes" and publishes == "nodes"):
        return _leaves(ground, *_whole_nodes(ground, told), tree.height)
    if domain.order == "natural":
        cuts = _common_values(ground)
    else:
        cuts = _shared_beginnings(ground, people, fewest)
    starts = np.arange(len(domain)) >= len(domain.texts)  # the missing value is a leaf of its own
    starts[[0, *cuts]] = True
    return _leaves(replace(ground, cuts=cuts), starts, np.zeros(len(domain), dtype=bool), 1)


def _categories(
    domain: Domain,
    people: Counts,
    fewest: int,
    publishes: Publishes,
    frozen: frozenset[str] | None,
    mark: str | None,
) -> Leaves | None:
    """Join all values that few people have, and those that are called like the joined one."""
    n = len(domain.texts)
    if frozen is None:
        common = _common(domain, people, fewest)
    else:
        common = np.array([text in frozen for text in domain.texts], dtype=bool)
    if publishes == "given":
        common &= people[:n] >= fewest
    if publishes != "read":  # who reads is told what is named
        common &= np.array([text.casefold() != OTHER for text in domain.texts], dtype=bool)
    n_others = int(n - common.sum())
    if all(isinstance(label, bool) for label in domain.labels[:n]):
        return None  # everybody knows that it is true or false
    enough = int(people[:n][~common].sum()) >= fewest
    if n_others == 0 or (n_others == 1 and enough and frozen is None):
        return None
    called_so = all(domain.texts[rank].casefold() == OTHER for rank in np.flatnonzero(~common))
    viable = (enough and (n_others > 1 or called_so)) or publishes == "read"
    order = np.concatenate([np.flatnonzero(common), np.flatnonzero(~common)])
    order = np.append(order, n) if domain.has_missing else order
    labels = tuple(domain.labels[rank] for rank in order.tolist())
    ground = replace(
        domain,
        labels=labels,
        taxonomy=Taxonomy.from_levels([labels, (ROOT,) * len(labels)], "hierarchy"),
        rest=Rest(n - n_others, n - 1, OTHER if viable else None, mark),
    )
    starts = np.ones(len(labels), dtype=bool)
    starts[n - n_others + 1 : n] = False
    hidden = np.zeros(len(labels), dtype=bool)
    hidden[n - n_others : n] = not viable
    joined = _leaves(ground, starts, hidden, 1)
    code = np.empty(len(labels), dtype=np.int32)
    code[order] = joined.code
    return Leaves(joined.domain, code)


def _common(domain: Domain, people: Counts, fewest: int) -> NDArray[np.bool_]:
    """Say which values may be named: many people have them, and they are not too many."""
    n = len(domain.texts)
    common: NDArray[np.bool_] = people[:n] >= fewest
    if common.sum() > MOST:
        common[np.lexsort((np.arange(n), -people[:n]))[MOST:]] = False
    return common


def _whole_nodes(
    domain: Domain, told: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Begin a leaf at every code, but where one must not be named only at its smallest mask.

    Where too few share that, it is a larger one, unless this would take masks from others that
    many share: then nothing is told of these few. Returns also where that is so.
    """
    starts, hidden = np.ones(len(domain), dtype=bool), np.zeros(len(domain), dtype=bool)
    tree = domain.taxonomy
    for rank in np.flatnonzero(~_all_named(domain)).tolist():
        smallest = level = 1
        while smallest < tree.height and not masks(domain, rank, smallest):
            smallest += 1
        level = smallest
        while not told[level, rank]:
            level += 1
        low, high = int(tree.low[level, rank]), int(tree.high[level, rank])
        untold = level == tree.height
        untold |= level > smallest and bool(told[level - 1, low : high + 1].any())
        if untold:
            low, high = int(tree.low[level - 1, rank]), int(tree.high[level - 1, rank])
        starts[low + 1 : high + 1] = False
        hidden[low : high + 1] = untold
    return starts, hidden


def _all_named(domain: Domain) -> NDArray[np.bool_]:
    return np.ones(len(domain), dtype=bool) if domain.named is None else domain.named


def _common_values(domain: Domain) -> Mapping[int, str]:
    """Cut texts of a declared order where a value is that many people have: the bound is it."""
    ranks = np.flatnonzero(_all_named(domain)[: len(domain.texts)]).tolist()
    return {rank: domain.texts[rank] for rank in ranks if rank > 0}


def _shared_beginnings(domain: Domain, people: Counts, fewest: int) -> Mapping[int, str]:
    """Cut codes between the longest beginnings that many people share, by the letter that differs.

    Nobody's code decides where that is, and what the bound is, but by being one of many.
    """
    longest = _longest_shared(domain.texts, people, fewest)
    cuts = {}
    for below, beginning in pairwise(longest):
        letters = enumerate(beginning)
        differs = next(n for n, letter in letters if below[n : n + 1] != letter)
        bound = beginning[: differs + 1]
        cuts[domain.beginning_so(bound)[0]] = bound
    return cuts


def _longest_shared(texts: Sequence[str], people: Counts, fewest: int) -> list[str]:
    """Give the beginnings, or whole codes, that many people share while nothing longer is.

    texts: ascending, and so are these.
    """
    before = np.append(0, np.cumsum(people[: len(texts)]))
    found: list[str] = []
    # Codes from a rank up to another that share so many letters; None: all of them.
    open_: list[tuple[int, int, int | None]] = [(0, len(texts), 0)]
    while open_:
        first, end, length = open_.pop()
        parts: list[tuple[int, int, int | None]] = []
        while length is not None and first < end:
            letter = texts[first][length : length + 1]
            behind = bisect_right(
                texts, letter, first, end, key=itemgetter(slice(length, length + 1))
            )
            if before[behind] - before[first] >= fewest:
                parts.append((first, behind, length + 1 if letter else None))
            first = behind
        if not parts and length != 0:
            found.append(texts[end - 1][:length])
        open_ += reversed(parts)
    return found


def _leaves(
    ground: Domain, starts: NDArray[np.bool_], hidden: NDArray[np.bool_], levels: int
) -> Leaves:
    """See runs of values as one value each.

    starts, hidden: (n,) where one begins; of which nothing is told.
    """
    first = np.append(np.flatnonzero(starts), len(ground)).astype(np.int32)
    code = (np.cumsum(starts) - 1).astype(np.int32)
    merged = Merged(ground, first)
    labels: list[object] = [ground.labels[rank] for rank in first[:-1].tolist()]
    untold = hidden[first[:-1]]
    unnamed = ~_all_named(ground)[first[:-1]] | (np.diff(first) > 1)
    for j in np.flatnonzero(unnamed).tolist():  # what is told of them is all that they are called
        labels[j] = ROOT if untold[j] else interval_text(ground, *merged.ground_ranks(j, j))
    if ground.rest is not None:
        labels[int(code[ground.rest.first])] = ground.rest.name or ROOT
    if levels == 1:
        ranks, n = np.arange(len(labels), dtype=np.int32), len(labels)
        low, high = np.stack([ranks, np.zeros_like(ranks)]), np.stack([ranks, ranks * 0 + n - 1])
        taxonomy = Taxonomy(low, high, (tuple(labels), (ROOT,) * n))
    else:
        taxonomy = _restricted(ground, first, code, labels, untold)
    domain = Domain(
        tuple(labels),
        taxonomy,
        order=ground.order,
        hidden=untold if untold.any() else None,
        merged=merged,
    )
    return Leaves(domain, code)


@dataclass(frozen=True, eq=False)
class _Level(Sequence[object]):
    """A level of a tree by leaves, each of which is a value or a whole node; written when asked."""

    ground: Domain
    first: NDArray[np.int32]
    untold: NDArray[np.bool_]
    level: int

    def __len__(self) -> int:
        return len(self.first) - 1

    @overload
    def __getitem__(self, leaf: int) -> object: ...
    @overload
    def __getitem__(self, leaf: slice) -> Sequence[object]: ...
    def __getitem__(self, leaf: int | slice) -> object:
        """Write one, or some."""
        leaves = range(len(self))[leaf]
        if isinstance(leaves, range):
            return tuple(self[j] for j in leaves)
        begin, last = int(self.first[leaves]), int(self.first[leaves + 1]) - 1
        if self.untold[leaves] and not self._is_told(begin):
            return ROOT
        if self.ground.taxonomy.high[self.level, begin] < last:  # a node inside the leaf
            return interval_text(self.ground, begin, last)
        return self.ground.taxonomy.labels[self.level][begin]

    def _is_told(self, begin: int) -> bool:
        """Whether many share the node that a leaf lies in."""
        told = self.ground.told
        return told is None or bool(told[self.level, begin])


def _restricted(
    ground: Domain,
    first: NDArray[np.int32],
    code: Codes,
    labels: Sequence[object],
    untold: NDArray[np.bool_],
) -> Taxonomy:
    """See the tree of codes by leaves, each of which is a value or a whole node."""
    tree, begin = ground.taxonomy, first[:-1]
    low, high = code[tree.low[:, begin]], code[tree.high[:, begin]]
    above = (_Level(ground, first, untold, level) for level in range(1, tree.height))
    return Taxonomy(low, high, (tuple(labels), *above, (ROOT,) * len(begin)))
