"""How many nodes of a lattice a search may count, and how many it has counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sfumato.parameters import whole
from sfumato.progress import stopping_early


class Enough(Exception):  # noqa: N818  (no error: a search ends with what it has)
    """No more nodes may be counted."""


class CountedNodes:
    """Counts the nodes that a search counts; ends it after so many, or when somebody asks for it.

    A limit in nodes ends a search at the same place every time, which one in seconds would not.

    >>> nodes = CountedNodes(2)
    >>> nodes.take(), nodes.take(), nodes.n
    (None, None, 2)
    >>> nodes.take()
    Traceback (most recent call last):
    sfumato.algorithms.lattice.counted_nodes.Enough
    """

    def __init__(self, budget: int | None, asked: Callable[[], bool] = lambda: False) -> None:
        self.budget = budget
        self.asked = asked
        self.n = 0
        self.interrupted = False
        self.enforced = True  # whether a search may end now: not before it has something

    def take(self, *, leave: int = 0) -> None:
        """Count one more node, unless there have been enough; leave: for what follows."""
        if self.budget is not None and self.n + leave >= self.budget:
            raise Enough
        if self.enforced and self.asked():
            self.interrupted = True
            raise Enough
        self.n += 1


@contextmanager
def counting_nodes(budget: int | None) -> Iterator[CountedNodes]:
    """Count nodes up to a budget; the first Ctrl-C inside the block ends the search, too."""
    with stopping_early() as asked:
        yield CountedNodes(budget, asked)


def check_budget(owner: str, budget: object) -> None:
    """Refuse what is no number of nodes."""
    if budget is not None:
        whole(owner, "budget", budget)
