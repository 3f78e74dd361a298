"""Good recodings to begin with: split by split, and the best full-domain generalization."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sfumato.algorithms.k_optimize.best import Best
from sfumato.algorithms.k_optimize.nodes import Chosen, Costs, Node, Problem

Ended = Callable[[], bool]
Step = tuple[Costs, Chosen]


def improved(problem: Problem, start: Chosen, best: Best, ended: Ended) -> None:
    """Add a split, take one away or exchange two, whatever gains most, until nothing does.

    Among steps that cost the same, one that makes groups purer by class still is a step.
    """
    head = start
    costs = _of(problem, head).bounds.head
    if costs.n_suppressed > problem.limit:
        return
    best.offer(costs, head)
    while not ended():
        step = _best_addition(_of(problem, head), costs.cost)
        step = step or _best_exchange(problem, head, costs.cost, ended)
        if step is None:
            return
        costs, head = step
        best.offer(costs, head)


def cheapest_first(problem: Problem, heads: Sequence[Chosen]) -> list[Chosen]:
    """Order recodings by what they cost; those that suppress too many are left out."""
    priced = [(_of(problem, head).bounds.head, number) for number, head in enumerate(heads)]
    within = sorted((c.cost, n) for c, n in priced if c.n_suppressed <= problem.limit)
    return [heads[number] for _, number in within]


def _of(problem: Problem, head: Chosen) -> Node:
    return Node.of(problem, head, ~head)


def _best_addition(node: Node, below: int, *, same: bool = True) -> Step | None:
    """Give the cheapest recoding with one split more, if it is cheaper, or as cheap and purer."""
    own, suppressed = node.bounds.head
    added = node.with_one_more
    cost = own + added.cost
    purer = added.purer > 1e-6 if same else np.zeros(len(cost), dtype=bool)
    fits = (suppressed + added.n_suppressed <= node.problem.limit) & (
        (cost < below) | ((cost == below) & purer)
    )
    if not fits.any():
        return None
    best = np.lexsort((added.split, -added.purer, cost, ~fits))[0]
    head = node.head.copy()
    head[added.split[best]] = True
    return Costs(int(cost[best]), int(suppressed + added.n_suppressed[best])), head


def _best_exchange(problem: Problem, head: Chosen, below: int, ended: Ended) -> Step | None:
    """Give the cheapest recoding without one split, or with another one in its place."""
    best: Step | None = None
    for split in np.flatnonzero(head).tolist():
        if ended():
            break
        without = head.copy()
        without[split] = False
        node = _of(problem, without)
        alone = node.bounds.head, without
        for step in (alone, _best_addition(node, below, same=False)):
            if step is None or step[0].n_suppressed > problem.limit:
                continue
            if step[0].cost < (below if best is None else best[0].cost):
                best = step
    return best


def full_domain(
    problem: Problem, levels: Sequence[Sequence[Chosen]], best: Best, ended: Ended
) -> None:
    """Go through the full-domain generalizations, but for branches that cannot be better.

    levels: of every column, the splits of each of its levels.
    """
    open_tails = [np.logical_or.reduce([problem.nothing, *own]) for own in levels]

    def descend(head: Chosen, n_fixed: int) -> None:
        tail = np.logical_or.reduce([problem.nothing, *open_tails[n_fixed:]])
        node = Node.of(problem, head, tail)
        if n_fixed == len(levels):
            best.offer(node.bounds.head, head)
            return
        if best.settles(node.bounds.least):
            return
        for own in levels[n_fixed]:
            if ended():
                return
            descend(head | own, n_fixed + 1)

    descend(problem.nothing, 0)
