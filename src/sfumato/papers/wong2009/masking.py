"""MASK beside (alpha, k)-anonymity (section 7.2): every setting, published again and again."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean

import numpy as np

from sfumato.algorithms import Algorithm, Mask, Mondrian, TopDown
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.mask import Reference
from sfumato.algorithms.two_tables import Publish
from sfumato.criteria import AlphaKAnonymity, Criterion, KAnonymity, LDiversity
from sfumato.data.frequency import FrequencySet
from sfumato.data.naming import Publishes
from sfumato.data.recoding import Recoding
from sfumato.errors import Unsatisfiable
from sfumato.papers.census import SEED
from sfumato.papers.wong2009.setting import LOW, QUASI_IDENTIFIERS, adult_table
from sfumato.progress import report
from sfumato.release import Release, anonymize
from sfumato.table import Table
from sfumato.utility import distortion, information_loss
from sfumato.utility.queries import AskedQueries

MS = (2, 10)
RIVAL, PAPERS_OWN, SECOND, ONE = "(alpha, k)", "MASK", "MASK by Mondrian", "MASK, one reference"
METHODS = (RIVAL, PAPERS_OWN, SECOND, ONE)
SELECTIVITY = 0.05


@dataclass(frozen=True)
class Plan:
    """How much is tried: fewer places, runs and queries for a quick look."""

    quick: bool

    @property
    def ks(self) -> tuple[int, ...]:
        """Least sizes of groups."""
        return (2, 20) if self.quick else (2, 10, 20)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of quasi-identifiers, the first of table XXII."""
        return (2, 4) if self.quick else tuple(range(2, 9))

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Quasi-identifiers in a query."""
        return (1, 4) if self.quick else tuple(range(1, 9))

    @property
    def selectivities(self) -> tuple[float, ...]:
        """Expected shares of the table that a query matches."""
        return (0.01, 0.1) if self.quick else tuple(j / 100 for j in range(1, 11))

    @property
    def n_runs(self) -> int:
        """How often MASK publishes a setting."""
        return 5 if self.quick else 100

    @property
    def n_asked(self) -> int:
        """In how many of the runs queries are asked and time is taken; the rival has no others."""
        return 1 if self.quick else 5

    @property
    def n_queries(self) -> int:
        """How many queries are asked of a release."""
        return 300 if self.quick else 10_000


@dataclass(frozen=True)
class Setting:
    """One point of a figure."""

    size: int  # quasi-identifiers
    k: int
    m: int
    method_name: str  # one of METHODS

    @property
    def in_words(self) -> str:
        """For progress."""
        return f"{self.method_name}, m = {self.m}, k = {self.k}, {self.size} quasi-identifiers"

    @property
    def promise(self) -> Criterion:
        """What every published group satisfies."""
        if self.method_name == RIVAL:
            return AlphaKAnonymity(Fraction(1, self.m), self.k, values=list(LOW), pooled=True)
        frequent = LDiversity(self.m, "frequency", values=list(LOW), pooled=True)
        return KAnonymity(self.k) & frequent

    @property
    def first_step(self) -> Algorithm:
        """How people are put into groups."""
        return Mondrian() if self.method_name == SECOND else TopDown("local")

    def method(self, seed: int, publish: Publish = "generalized") -> Algorithm:
        """How it is published in one of the runs."""
        if self.method_name == RIVAL:
            return TopDown("local", seed=seed, publish=publish)
        return self._masking(self.first_step, seed, publish)

    def _masking(self, inner: Algorithm, seed: int, publish: Publish = "generalized") -> Mask:
        reference: Reference = 1 if self.method_name == ONE else "paper"
        return Mask(self.k, self.m, LOW, inner, publish, reference, seed=seed)

    def publish(self, table: Table, seed: int, publish: Publish = "generalized") -> Release:
        """Publish it once."""
        return anonymize(table, self.promise, self.method(seed, publish))

    def seconds(self, table: Table, seed: int) -> tuple[float, float]:
        """Measure the processor's time for the search: step 1 of MASK, and steps 2 to 4."""
        counted = table.frequencies()
        if self.method_name == RIVAL:
            return _seconds(self.method(seed), counted, self.promise, seed)[1], 0.0
        people, k = table.combinations(), KAnonymity(self.k)
        decided, first = _seconds(self.first_step, people, k, seed)
        masking = self._masking(_Made(decided, self.first_step), seed)
        return first, _seconds(masking, counted, self.promise, seed)[1]


def _seconds(
    method: Algorithm, counted: FrequencySet, promise: Criterion, seed: int
) -> tuple[Recoding, float]:
    draw = np.random.default_rng(seed).bytes
    started = time.process_time()
    decided = method.search(counted, promise, draw)
    return decided, time.process_time() - started


@dataclass(frozen=True, eq=False)
class _Made(Algorithm):
    """Groups that were made before, so that what comes after them can be measured alone."""

    decided: Recoding
    by: Algorithm

    @property
    def publishes(self) -> Publishes:
        """As the method that made them does."""
        return self.by.publishes

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Take them as they are."""
        del frequencies, criterion, draw
        return self.decided


@dataclass(frozen=True)
class Measured:
    """Averages over the runs of a setting."""

    seconds: float  # of the processor, for the search, all steps
    first_step: float  # the share of step 1
    loss: float
    distortion: float
    error: float  # of one table
    error_of_two: float  # of two tables
    spread: float  # of the errors of one table: the largest less the smallest, of the largest
    n_refused: int  # runs


class Experiments:
    """Every setting, measured when it is asked for; what settings have in common is kept.

    A run draws all lots anew. Queries, which are the same for all, take the most time and are asked
    in some of the runs only; `Measured.spread` says what that may hide.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._tables: dict[int, Table] = {}
        self._asked: dict[tuple[int, int, float], AskedQueries] = {}
        self._found: dict[Setting, Measured | None] = {}

    def table(self, size: int) -> Table:
        """Open Adult with so many quasi-identifiers."""
        if size not in self._tables:
            columns = QUASI_IDENTIFIERS[:size]
            self._tables[size] = adult_table(columns, quick=self.plan.quick)
        return self._tables[size]

    def asked(self, size: int, dimension: int, selectivity: float) -> AskedQueries:
        """Ask the table itself."""
        key = size, dimension, selectivity
        if key not in self._asked:
            self._asked[key] = AskedQueries.of(
                self.table(size),
                "wong",
                n_queries=self.plan.n_queries,
                dimension=dimension,
                selectivity=selectivity,
                seed=SEED,
            )
        return self._asked[key]

    def measured(self, setting: Setting) -> Measured | None:
        """Publish a setting as often as planned; None: every time that was refused."""
        if setting not in self._found:
            report(f"figures 8 to 10: {setting.in_words}")
            self._found[setting] = self._measure(setting)
        return self._found[setting]

    def _measure(self, setting: Setting) -> Measured | None:
        table, n_asked = self.table(setting.size), self.plan.n_asked
        asked = self.asked(setting.size, setting.size, SELECTIVITY)
        losses: list[float] = []
        distortions, errors, errors_of_two, seconds = [], [], [], []
        n_runs = n_asked if setting.method_name == RIVAL else self.plan.n_runs
        for run in range(n_runs):
            if run == n_asked and not losses:
                return None  # refused every time
            with suppress(Unsatisfiable):
                release = setting.publish(table, SEED + run)
                losses.append(information_loss(release))
                distortions.append(distortion(release))
                if run < n_asked:
                    errors.append(asked.error(release).average)
                    two = setting.publish(table, SEED + run, "bucketized")
                    errors_of_two.append(asked.error(two).average)
                    seconds.append(setting.seconds(table, SEED + run))
        if not seconds:
            return None
        first, rest = (fmean(each) for each in zip(*seconds, strict=True))
        return Measured(
            seconds=first + rest,
            first_step=first / (first + rest),
            loss=fmean(losses),
            distortion=fmean(distortions),
            error=fmean(errors),
            error_of_two=fmean(errors_of_two),
            spread=(max(errors) - min(errors)) / max(errors),
            n_refused=n_runs - len(losses),
        )

    def two_tables(self, k: int, m: int, method: str) -> list[Release]:
        """Publish all quasi-identifiers as two tables, in every run in which queries are asked."""
        setting, releases = Setting(max(self.plan.sizes), k, m, method), []
        for run in range(self.plan.n_asked):
            with suppress(Unsatisfiable):
                table = self.table(setting.size)
                releases.append(setting.publish(table, SEED + run, "bucketized"))
        return releases
