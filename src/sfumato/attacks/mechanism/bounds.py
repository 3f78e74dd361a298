"""Upper bounds on what is believed of groups that are too many, or too large, to enumerate.

Each gives the people of a group, cell by cell, a number that no belief in a value exceeds. They may
show that a promise is kept; they never show that it is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.mechanism.chances import step_chances
from sfumato.attacks.mechanism.component import Component
from sfumato.attacks.mechanism.promise import Promise
from sfumato.attacks.mechanism.witnesses import Witnesses
from sfumato.data.groups import Counts
from sfumato.data.keys import distinct_rows
from sfumato.formulas.minimality.deals import Dealer, worlds
from sfumato.formulas.minimality.posterior import Breaks, merged

MOST_OWN = 2_000  # tables of counts of the group itself
MOST_OTHERS = 5_000  # and of the groups that share a step with it
MOST_COMPARED = 20_000_000  # pairs of the two
MOST_EXACT = 100  # dealings that are compared in fractions
TINY = 1e-200  # weights below this are lost in floats
ERROR = 1e-9  # more than the relative error of sums of floats here

Uppers = NDArray[np.object_]  # (n_cells, n_values): no belief is larger
# Of some groups of a component, by their number there; groups of which it says nothing left out.
UpperBound = Callable[[Component, Sequence[int]], Iterator[tuple[int, Uppers]]]


def by_cells(component: Component, numbers: Sequence[int]) -> Iterator[tuple[int, Uppers]]:
    """At most r/m, where r people of a group have a value and m are in the cell.

    They are believed alike, and no more than r of them have it.
    """
    for number in numbers:
        _, counts = component.histogram(number)
        people = component.people[component.cells_of(number)].tolist()
        rows = [[Fraction(r, m) for r in counts.tolist()] for m in people]
        yield number, np.array(rows, dtype=object)


def by_chances(component: Component, numbers: Sequence[int]) -> Iterator[tuple[int, Uppers]]:
    """At most the share over the chance that every step breaks.

    That is at least 1 - the sum of the chances that one does not. Or, where q is the chance that a
    step breaks by no child without people of this group, and x that it breaks by one with them
    only, (p * share + x) / (p + x) with p = 1 - the sum of q, and x their sum: of all worlds in
    which the others alone break every step, the share is right.
    """
    steps = step_chances(component)
    if not steps:
        return
    every = 1 - sum((step.none_breaks() for step in steps), Fraction(0))
    for number in numbers:
        without = [step.none_breaks(number) for step in steps]
        others = 1 - sum(without, Fraction(0))
        if every <= 0 and others <= 0:
            continue
        rest = [min(q, s.some_breaks(number)) for q, s in zip(without, steps, strict=True)]
        more = sum(rest, Fraction(0))
        _, counts = component.histogram(number)
        row = []
        for r in counts.tolist():
            share = Fraction(r, int(counts.sum()))
            bounds = [share / every] if every > 0 else []
            bounds += [(others * share + more) / (others + more)] if others > 0 else []
            row.append(min(bounds))
        yield number, np.array([row] * len(component.cells_of(number)), dtype=object)


def by_others(component: Component, numbers: Sequence[int]) -> Iterator[tuple[int, Uppers]]:
    """At most the largest belief of somebody who knows how the values of other groups are dealt.

    A belief is an average of these, over the dealings of which a world is left. Only those groups
    matter that share a step with this one; that they share steps with each other is left out of
    account, so there are more dealings here than there are.
    """
    for number in numbers:
        largest = _largest_given_others(component, number)
        if largest is not None:
            yield number, largest


UPPER_BOUNDS: tuple[UpperBound, ...] = (by_cells, by_chances, by_others)  # the cheap ones first


def shown_safe(
    component: Component, promise: Promise, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Say of which groups of a component it is shown that a promise is kept for everybody."""
    safe = np.ones(len(component.groups), dtype=bool)
    if promise.possible:
        enough = Witnesses(component, rng).look_for(promise.kept_with)
        safe[component.group_of_cell[~enough]] = False
    if promise.bounded:
        safe &= _kept_below(component, promise, np.flatnonzero(safe).tolist())
    return safe


def _kept_below(
    component: Component, promise: Promise, numbers: Sequence[int]
) -> NDArray[np.bool_]:
    """Say of which groups some upper bounds, taken together, show that a promise is kept."""
    kept = np.zeros(len(component.groups), dtype=bool)
    best: dict[int, Uppers] = {}
    for bound in UPPER_BOUNDS:
        for number, uppers in bound(component, [g for g in numbers if not kept[g]]):
            least = np.minimum(best.get(number, uppers), uppers)
            best[number] = least
            codes, _ = component.histogram(number)
            kept[number] = all(promise.kept_below(codes, row) for row in least)
    return kept


def _largest_given_others(component: Component, number: int) -> Uppers | None:
    """Go through all dealings of the groups that share a step with one; None: too many."""
    own = component.group_of_cell == number
    steps = [step for step in component.cell_steps if step.children[:, own].any()]
    sliced = np.concatenate([step.children for step in steps]).any(axis=0)
    shared = np.unique(component.group_of_cell[sliced])
    chosen = np.isin(component.group_of_cell, shared)
    cell, people, steps = merged(
        component.people[chosen],
        [replace(step, children=step.children[:, chosen]) for step in steps],
        component.group_of_cell[chosen],
    )
    pool = np.zeros(len(people), dtype=np.intp)
    pool[cell] = np.searchsorted(shared, component.group_of_cell[chosen])
    me = int(np.searchsorted(shared, number))
    dealt = component.solver.dealt(component.groups[shared], steps, people, pool)
    mine, theirs = np.flatnonzero(pool == me), np.flatnonzero(pool != me)
    alone = np.zeros(len(mine), dtype=np.intp)
    tables = Dealer(people[mine], alone, dealt.histograms[[me]]).tables(MOST_OWN)
    if tables is None:
        return None
    most = min(MOST_OTHERS, MOST_COMPARED // len(tables))
    their_pool = pool[theirs] - (pool[theirs] > me)
    others = Dealer(people[theirs], their_pool, np.delete(dealt.histograms, me, axis=0))
    their_tables = others.tables(most)
    if their_tables is None:
        return None
    left = np.ones((len(their_tables), len(tables)), dtype=bool)
    for step in dealt.steps:
        given = step.children[:, theirs].astype(np.int64) @ their_tables + step.fixed
        left &= _breaking(step.children[:, mine], tables, given, dealt.breaks)
    _, some = np.unique(np.packbits(left, axis=1), axis=0, return_index=True)
    left = left[some]
    left = left[left.any(axis=1)]
    if not len(left):
        return None
    largest = _largest(left, tables, people[mine])
    if largest is None:
        return None
    column, part = dealt.shares(me, *component.histogram(number))
    rows = np.searchsorted(mine, cell[own[chosen]])
    return np.asarray(largest[rows][:, column] * part)


def _breaking(
    children: NDArray[np.bool_], tables: Counts, given: Counts, breaks: Breaks
) -> NDArray[np.bool_]:
    """Say in which worlds a step breaks: (n_dealings, n_tables).

    children: (n_children, n_cells) of the group; given: (n_dealings, n_children, n_values), the
    others in each child.
    """
    broken = np.zeros((len(given), len(tables)), dtype=bool)
    for child, around in zip(children, given.transpose(1, 0, 2), strict=True):
        own, which = distinct_rows(tables[:, child].sum(axis=1))
        theirs, whose = distinct_rows(around)
        both = theirs[:, np.newaxis].astype(np.int64) + own
        verdict = breaks(both.reshape(-1, both.shape[2])).reshape(both.shape[:2])
        broken |= verdict[whose][:, which]
    return broken


def _largest(left: NDArray[np.bool_], tables: Counts, people: Counts) -> Uppers | None:
    """Give the largest belief, over sets of tables of which one is left, by cell and value.

    In floats first, which err by less than ERROR; then exactly for the sets that may be largest,
    unless these are many: then what floats say is rounded up. None: floats are too coarse.
    """
    ways = worlds(tables, people).astype(object)
    flat = tables.reshape(len(tables), -1)
    weight = (ways / ways.max()).astype(np.float64)
    if weight.min() < TINY:
        return None
    near = (left @ (weight[:, np.newaxis] * flat)) / (left @ weight)[:, np.newaxis]
    close = (near >= near.max(axis=0) * (1 - ERROR)).any(axis=1)
    if close.sum() > MOST_EXACT:
        largest = np.array([Fraction(x) * (1 + Fraction(ERROR)) for x in near.max(axis=0).tolist()])
    else:
        exact = [
            [Fraction(int(n), int(ways[kept].sum())) for n in ways[kept] @ flat[kept]]
            for kept in left[close]
        ]
        largest = np.array(exact, dtype=object).max(axis=0)
    return np.asarray(largest.reshape(tables.shape[1:]) / people[:, np.newaxis].astype(object))
