"""How much the order of columns decides, where the score of the paper does not."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from sfumato.papers.census import SEED
from sfumato.papers.fung2008.costs import ADDED, SAVED
from sfumato.papers.fung2008.setting import (
    ATTRIBUTES,
    Case,
    Comparison,
    Outcomes,
    Settings,
    added,
    saved,
)
from sfumato.papers.fung2008.violations import falls, n_broken
from sfumato.papers.reproduction import Panel
from sfumato.progress import report

ORDERS = 10
QUICK_ORDERS = 1

# What is looked at, its case, how it is worked out, and what the paper says.
Number = tuple[str, Case, Callable[[Sequence[Comparison]], float], int | None]
NUMBERS: tuple[Number, ...] = (
    ("k with FA < k", ("Sen3", "allD2"), n_broken, 4),
    ("k at which FA falls", ("Sen3", "allD2"), lambda by_k: len(falls(by_k)), None),
    ("FA at k = 40", ("Sen3", "allD2"), lambda by_k: by_k[0].anonymity[0], 21),
    ("left to somebody new at k = 80", ("Sen1", "200D2"), lambda by_k: by_k[1].fewest_new, 1),
    ("saved against D2 alone, %", ("Sen1", "200D2"), saved, SAVED["Sen1"]),
    ("saved against D2 alone, %", ("Sen3", "200D2"), saved, SAVED["Sen3"]),
    ("added to k-anonymized R2, %", ("Sen3", "2000D2"), added, ADDED),
)


def over_orders(outcomes: Outcomes, *, quick: bool) -> Panel:
    """Publish again with columns in other orders."""
    rng = random.Random(SEED)  # noqa: S311  (an experiment)
    n = QUICK_ORDERS if quick else ORDERS
    cases = dict.fromkeys(case for _, case, *_ in NUMBERS)
    runs = []
    for number in range(n):
        report("other orders of columns", number, n)
        settings = Settings(quick=quick, order=rng.sample(ATTRIBUTES, len(ATTRIBUTES)))
        runs.append({case: settings.outcomes(*case) for case in cases})
    rows = []
    for name, case, work_out, theirs in NUMBERS:
        others = [work_out(each[case]) for each in runs]
        ours = work_out(outcomes[case])
        rows.append((name, ", ".join(case), theirs, ours, min(others), max(others)))
    return Panel(
        "Ties: the same with columns in other orders",
        (
            "what",
            "case",
            "the paper",
            "in the order of the file",
            "least of others",
            "most of others",
        ),
        tuple(rows),
        "The score of a node is the squared sizes of the classes that have it. Every class has the "
        "root of a tree that is whole, so all such trees have the same score, the largest: which "
        "of them is specialized first is a tie, and what follows hangs on it. The paper does not "
        "say how it breaks ties; here the order of the columns does, and the last two columns are "
        f"the least and the most of {n} other orders at random. The trees are ours as well.",
    )
