"""How often methods may be run on worlds, and how likely each outcome of a run is."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from sfumato.algorithms import Algorithm
from sfumato.algorithms.lots import Draw, every_outcome
from sfumato.errors import CannotRun

Outcome = TypeVar("Outcome")


class Budget:
    """Worlds that may still be looked at, and runs of a method on them.

    >>> import numpy as np
    >>> from sfumato.algorithms.lots import drawn_order
    >>> budget = Budget(10, "too many")
    >>> budget.chances(lambda draw: int(drawn_order(np.array([0, 1, 2]), draw)[0]) > 1)
    {True: Fraction(1, 3), False: Fraction(2, 3)}
    >>> budget.left
    4
    """

    def __init__(self, most: int, too_many: str) -> None:
        """Allow for `most` of them; too_many: what is said where there are more."""
        self.left, self.too_many = most, too_many

    def spend(self, n: int) -> None:
        """Count worlds."""
        self.left -= n
        if self.left < 0:
            raise CannotRun(self.too_many)

    def chances(
        self, run: Callable[[Draw], Outcome], *, counted: bool = False
    ) -> dict[Outcome, Fraction]:
        """Run a method by every lot that it can draw; give how likely each outcome is.

        counted: the world was counted before, so one run is free.
        """
        outcomes = every_outcome(run, self.left + counted)
        if outcomes is None:
            raise CannotRun(self.too_many)
        chances: dict[Outcome, Fraction] = {}
        n_runs = 0
        for chance, outcome in outcomes:
            n_runs += 1
            chances[outcome] = chances.get(outcome, Fraction(0)) + chance
        self.left -= n_runs - counted
        return chances


def chosen_by_values(method: Algorithm) -> str:
    """Say why nothing is known of a method that looks at values whatever is promised."""
    return (
        f"{method} looked at values to choose what is published, and on which worlds it chooses "
        "the same is not worked out"
    )


def refuse_unknown_lots(method: Algorithm, *, refused: bool = False) -> None:
    """Refuse a method of which it is not known what it draws lots for.

    refused: It published nothing, so that no value that it changed has to be explained.
    """
    if method.reads_values and not (method.changes_values and refused):
        raise CannotRun(chosen_by_values(method))
    if not method.draws_orders:
        raise CannotRun(
            f"{method} leaves things to chance, and does not say which: it cannot be run on every "
            "chance"
        )
