"""MASK beside (alpha, k)-anonymity (section 7.2): every setting, published again and again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
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
from sfumato.release.anonymize import SECRET_BYTES
from sfumato.release.context import Context
from sfumato.release.description import Description
from sfumato.release.files.writing import Private
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

    def made(self, table: Table, seed: int) -> FirstStep:
        """Put people into groups, told k alone; the rival does all at once, so there is nothing."""
        if self.method_name == RIVAL:
            return FirstStep(self.first_step, 0.0)
        decided, seconds = _seconds(self.first_step, table.combinations(), KAnonymity(self.k), seed)
        return FirstStep(_Made(decided, self.first_step), seconds)

    def method(
        self, seed: int, publish: Publish = "generalized", groups: Algorithm | None = None
    ) -> Algorithm:
        """How it is published in one of the runs; groups: those of step 1, where they are made."""
        if self.method_name == RIVAL:
            return TopDown("local", seed=seed, publish=publish)
        reference: Reference = 1 if self.method_name == ONE else "paper"
        inner = groups or self.first_step
        return Mask(self.k, self.m, LOW, inner, publish, reference, seed=seed)

    def publish(
        self,
        table: Table,
        seed: int,
        publish: Publish = "generalized",
        groups: Algorithm | None = None,
    ) -> Release:
        """Publish it once; groups: those of step 1, where they are made."""
        named = self.method(seed, publish)
        if groups is None or self.method_name == RIVAL:
            return anonymize(table, self.promise, named)
        counted, draw = table.frequencies(), np.random.default_rng(seed).bytes
        decided = self.method(seed, publish, groups).search(counted, self.promise, draw)
        secret = draw(SECRET_BYTES)
        recoding = decided.renumbered(secret).without_hidden()
        description = Description.of(table, counted, recoding, self.promise, named)
        return Release(description, Private(table, counted, recoding, secret, Context()))

    def seconds_after(self, made: FirstStep, table: Table, seed: int) -> float:
        """Measure the processor's time for the rest of the search: steps 2 to 4 of MASK."""
        method = self.method(seed, groups=made.groups)
        return _seconds(method, table.frequencies(), self.promise, seed)[1]


@dataclass(frozen=True)
class FirstStep:
    """Groups that were made without a look at values, and how long that took."""

    groups: Algorithm  # gives them at once
    seconds: float  # of the processor


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


@dataclass
class _Runs:
    """What the runs of one setting gave."""

    n_runs: int = 0
    losses: list[float] = field(default_factory=list)
    distortions: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    errors_of_two: list[float] = field(default_factory=list)
    seconds: list[tuple[float, float]] = field(default_factory=list)  # step 1, and the others

    def measured(self) -> Measured | None:
        """Average them; None: every run was refused."""
        if not self.seconds:
            return None
        first, rest = (fmean(each) for each in zip(*self.seconds, strict=True))
        return Measured(
            seconds=first + rest,
            first_step=first / (first + rest),
            loss=fmean(self.losses),
            distortion=fmean(self.distortions),
            error=fmean(self.errors),
            error_of_two=fmean(self.errors_of_two),
            spread=(max(self.errors) - min(self.errors)) / max(self.errors),
            n_refused=self.n_runs - len(self.losses),
        )


class Experiments:
    """Every setting, measured when it is asked for; what settings have in common is kept.

    A run draws all lots anew. Step 1 knows neither m nor where shares are drawn from, so all
    settings that differ in these alone have the same groups in the same run. Queries, which are the
    same for all, take the most time and are asked in some of the runs only; `Measured.spread` says
    what that may hide.
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
            self._measure(_with_the_same_groups(setting))
        return self._found[setting]

    def _measure(self, settings: Sequence[Setting]) -> None:
        first = settings[0]
        table, plan = self.table(first.size), self.plan
        runs = {setting: _Runs() for setting in settings}
        n_runs = plan.n_asked if first.method_name == RIVAL else plan.n_runs
        for run in range(n_runs):
            report(f"figures 8 to 10: {first.in_words}, run {run + 1} of {n_runs}")
            made = first.made(table, SEED + run)
            for setting, found in runs.items():
                if run < plan.n_asked or found.losses:  # else it was refused every time
                    found.n_runs += 1
                    with suppress(Unsatisfiable):
                        self._run(setting, made, run, found)
        self._found |= {setting: found.measured() for setting, found in runs.items()}

    def _run(self, setting: Setting, made: FirstStep, run: int, found: _Runs) -> None:
        table, seed = self.table(setting.size), SEED + run
        release = setting.publish(table, seed, groups=made.groups)
        found.losses.append(information_loss(release))
        found.distortions.append(distortion(release))
        if run < self.plan.n_asked:
            asked = self.asked(setting.size, setting.size, SELECTIVITY)
            found.errors.append(asked.error(release).average)
            two = setting.publish(table, seed, "bucketized", made.groups)
            found.errors_of_two.append(asked.error(two).average)
            found.seconds.append((made.seconds, setting.seconds_after(made, table, seed)))

    def two_tables(self, k: int, m: int, method: str) -> list[Release]:
        """Publish all quasi-identifiers as two tables, in every run in which queries are asked."""
        setting, releases = Setting(max(self.plan.sizes), k, m, method), []
        for run in range(self.plan.n_asked):
            with suppress(Unsatisfiable):
                table = self.table(setting.size)
                releases.append(setting.publish(table, SEED + run, "bucketized"))
        return releases


def _with_the_same_groups(setting: Setting) -> list[Setting]:
    """Give all settings whose step 1 is the same; the rival, which has none, stands alone."""
    if setting.method_name == RIVAL:
        return [setting]
    names = [SECOND] if setting.method_name == SECOND else [PAPERS_OWN, ONE]
    return [replace(setting, m=m, method_name=name) for name in names for m in MS]
