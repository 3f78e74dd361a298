"""Adult as section 6 publishes it: people come twice, and everybody is released each time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from sfumato.algorithms import BCFAnonymizer
from sfumato.criteria import BCFAnonymity
from sfumato.datasets import adult, adult_hierarchies
from sfumato.formulas.correspondence.pair_flows import attack
from sfumato.progress import report
from sfumato.release import Release, anonymize
from sfumato.table import Table, read
from sfumato.utility import discernibility

# In the order of the file, which decides ties.
ATTRIBUTES = (
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
)
SENSITIVE = {"Sen1": ("native-country",), "Sen3": ("native-country", "education", "occupation")}
NEWCOMERS = {"200D2": 200, "2000D2": 2_000, "allD2": None}  # the first of the training part
KS = (40, 80, 120, 160, 200)
QUICK_KS = (40, 80)
QUICK_ROWS = 4_000  # of either part

Case = tuple[str, str]  # as in SENSITIVE and NEWCOMERS
CASES = tuple((sensitive, new) for sensitive in SENSITIVE for new in NEWCOMERS)


@dataclass(frozen=True)
class Comparison:
    """What comes out for one k.

    R1 and R2 are k-anonymous, each made without a look at the other; the safe R2 is made against
    R1; D2 is the newcomers published by themselves.
    """

    k: int
    anonymity: tuple[int, int, int]  # FA, CA, BA of R1 and R2
    fewest_new: int  # records left by the backward attack, of classes that a newcomer can be in
    safe: tuple[int, int, int]  # FA, CA, BA of R1 and the safe R2
    cost_safe: float  # discernibility over squared number of people
    cost_unsafe: float  # of R2
    cost_new: float  # of D2
    seconds: float  # for the safe R2: decided, written, read back and checked

    @property
    def forward_broken(self) -> bool:
        """Whether the forward attack leaves fewer than k."""
        return self.anonymity[0] < self.k

    @property
    def backward_broken(self) -> bool:
        """Whether the backward attack leaves fewer than k."""
        return self.anonymity[2] < self.k


Outcomes = Mapping[Case, Sequence[Comparison]]


class Settings:
    """The rows, and the order of columns, which decides ties of the score."""

    def __init__(self, *, quick: bool, order: Sequence[str] = ATTRIBUTES) -> None:
        self.ks = QUICK_KS if quick else KS
        self.order = order
        n_rows = QUICK_ROWS if quick else None
        self.first, self.second = (
            adult(part).drop_null().select(list(ATTRIBUTES)).slice(0, n_rows)
            for part in ("test", "train")
        )
        self._first_releases: dict[tuple[str, int], Release] = {}

    def outcomes(self, sensitive: str, new: str) -> list[Comparison]:
        """Publish and attack for every k."""
        newcomers, everybody = self.tables(sensitive, new)
        comparisons = []
        for k in self.ks:
            report(f"{sensitive}, {new}: k = {k}")
            first = self.first_release(sensitive, k)
            unsafe = published(everybody, k)
            anonymity, fewest_new = attacked(first, unsafe)
            started = time.perf_counter()
            safe = published(everybody, k, first)
            safe.check()  # writes it and reads it back
            seconds = time.perf_counter() - started
            comparisons.append(
                Comparison(
                    k,
                    anonymity,
                    fewest_new,
                    attacked(first, safe)[0],
                    cost(safe),
                    cost(unsafe),
                    cost(published(newcomers, k)),
                    seconds,
                )
            )
        return comparisons

    def first_release(self, sensitive: str, k: int) -> Release:
        """Publish D1; the same for all sizes of D2."""
        if (sensitive, k) not in self._first_releases:
            release = published(self.table(self.first, sensitive), k)
            self._first_releases[sensitive, k] = release
        return self._first_releases[sensitive, k]

    def tables(self, sensitive: str, new: str) -> tuple[Table, Table]:
        """Open D2, and D1 and D2 together."""
        import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

        rows = self.second.slice(0, NEWCOMERS[new])
        everybody = pa.concat_tables([self.first, rows])
        return self.table(rows, sensitive), self.table(everybody, sensitive)

    def table(self, rows: Any, sensitive: str) -> Table:
        """Open rows; all columns that are not sensitive are quasi-identifiers."""
        hierarchies = adult_hierarchies()
        own = SENSITIVE[sensitive]
        return read(
            rows,
            quasi_identifiers={n: hierarchies[n] for n in self.order if n not in own},
            sensitive=list(own),
            hierarchies={name: hierarchies[name] for name in own},
        )


def published(table: Table, k: int, *previous: Release) -> Release:
    """Publish by BCF-anonymizer; without an earlier release that is k-anonymity."""
    return anonymize(table, BCFAnonymity(k), BCFAnonymizer(previous))


def attacked(first: Release, second: Release) -> tuple[tuple[int, int, int], int]:
    """Give FA, CA and BA, and the fewest records that the backward attack leaves to a newcomer.

    A class of which the backward attack leaves nothing has nobody new in it, so there is nobody to
    look for; BA of definition 3.6 is 0 then.
    """
    table = second.original
    assert table is not None  # noqa: S101  (a release that was made here)
    one, two = (
        release.public_view.classes_in(table.frequencies(), name)
        for name, release in (("R1", first), ("R2", second))
    )
    pair = attack(one, two)
    left = pair.backward.candidates
    return pair.anonymity, int(left[left > 0].min())


def cost(release: Release) -> float:
    """Give the discernibility cost as section 6.2 normalizes it: 1 for everybody in one class."""
    return discernibility(release) / release.n_rows**2


def means(outcomes: Sequence[Comparison]) -> tuple[float, float, float]:
    """Average the three costs over k: of the safe R2, of R2, of D2."""
    return (
        fmean(each.cost_safe for each in outcomes),
        fmean(each.cost_unsafe for each in outcomes),
        fmean(each.cost_new for each in outcomes),
    )


def saved(outcomes: Sequence[Comparison]) -> float:
    """How much less the safe R2 costs than D2 alone, in percent of the averages over k."""
    safe, _, new = means(outcomes)
    return 100 * (1 - safe / new)


def added(outcomes: Sequence[Comparison]) -> float:
    """How much more the safe R2 costs than R2, in percent of the averages over k."""
    safe, unsafe, _ = means(outcomes)
    return 100 * (safe / unsafe - 1)
