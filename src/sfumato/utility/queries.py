"""How well a release answers COUNT queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato import parameters
from sfumato.errors import BadInput
from sfumato.formulas.measures.queries import Answering, Workload, lifts, most_correlated
from sfumato.html import html_table
from sfumato.parameters import number, one_of, whole
from sfumato.release import Release
from sfumato.release.release import a_release
from sfumato.table import Table
from sfumato.text import aligned, percent
from sfumato.utility.published_boxes import generalized_groups

N_QUERIES = {"cormode": 1_000, "wong": 10_000}
SELECTIVITY = {"cormode": Fraction(1, 2), "wong": Fraction(1, 20)}
DIMENSION = 3  # of "cormode", where there are as many quasi-identifiers


@dataclass(frozen=True)
class QueryError:
    """Relative errors of a release's answers. About the original, so for the steward only.

    Left out are queries that nobody matches, since their relative error has no meaning. `positive`
    is the average over the (up to) hundred queries whose true count exceeds the product of their
    selectivities by the largest factors, `negative` over the hundred where it falls short most;
    None where there is no such query. Cormode 2010, section 5.3, writes the two names the other
    way round.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> error = sf.utility.query_error(release, n_queries=200)
    >>> error.n_queries
    200
    """

    workload: Workload
    n_left_out: int
    average: float
    median: float
    positive: float | None
    negative: float | None

    @property
    def n_queries(self) -> int:
        """Number of queries asked, those left out among them."""
        return self.workload.n_queries

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "workload": self.workload.kind,
            "dimension": self.workload.dimension,
            "selectivity": float(self.workload.selectivity),
            "seed": self.workload.seed,
            "queries": self.n_queries,
            "left_out": self.n_left_out,
            "average": self.average,
            "median": self.median,
            "positive": self.positive,
            "negative": self.negative,
        }

    def _lines(self) -> list[tuple[str, str]]:
        workload = self.workload
        return [
            ("average relative error", percent(self.average)),
            ("median", percent(self.median)),
            ("positively correlated", _error_text(self.positive)),
            ("negatively correlated", _error_text(self.negative)),
            ("queries", f"{self.n_queries}, of which nobody matches {self.n_left_out}"),
            (
                "workload",
                f"{workload.kind}, {workload.dimension} quasi-identifiers, "
                f"selectivity {float(workload.selectivity):g}, seed {workload.seed}",
            ),
        ]

    def __str__(self) -> str:
        return aligned(self._lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(("", "COUNT queries"), self._lines())


def _error_text(error: float | None) -> str:
    return "no such query" if error is None else percent(error)


def query_error(
    release: Release,
    workload: Literal["cormode", "wong"] = "cormode",
    *,
    n_queries: int | None = None,
    dimension: int | None = None,
    selectivity: float | None = None,
    seed: int = 0,
    attribute: str | None = None,
) -> QueryError:
    """Ask random COUNT queries and compare the release's answers with the original's.

    Releases of the same table with the same arguments are asked the same queries. A generalized
    group is taken to be spread evenly over its box; in two tables quasi-identifiers match exactly,
    and people have a value with its share in their group. Suppressed people are missing from the
    answers and present in the truth.

    Args:
        release: A release whose original is at hand.
        workload: "cormode" (Cormode 2010, section 5.3) or "wong" (Wong 2009, section 7.2).
        n_queries: 1,000 for "cormode" and 10,000 for "wong" unless given.
        dimension: Number of quasi-identifiers in a query; unless given all for "wong", up to three
            for "cormode", whose own choice did not survive.
        selectivity: "wong": expected share of the table that a query matches if its attributes
            are independent, 0.05 unless given. "cormode": largest share of an attribute's values
            that a query names, 0.5 unless given.
        seed: Which queries; it protects nobody.
        attribute: The sensitive attribute, where there are several.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> round(sf.utility.query_error(release, n_queries=200).average, 2)
    11.13
    """
    asked = AskedQueries.of(
        a_release(release, "query_error").table,
        workload,
        n_queries=n_queries,
        dimension=dimension,
        selectivity=selectivity,
        seed=seed,
        attribute=attribute,
    )
    return asked.error(release)


@dataclass(frozen=True, eq=False)
class AskedQueries:
    """Queries with their true answers: releases of the same table can be asked one by one.

    What the queries are is drawn anew for each of them, from the same seed.
    """

    workload: Workload
    attribute: str
    bases: tuple[int, ...]  # numbers of values, the sensitive attribute's last
    truth: NDArray[np.float64]  # (n_queries,)
    factors: Sequence[Fraction]  # by which each true count exceeds that of independent columns

    @classmethod
    def of(
        cls,
        table: Table,
        workload: Literal["cormode", "wong"] = "cormode",
        *,
        n_queries: int | None = None,
        dimension: int | None = None,
        selectivity: float | None = None,
        seed: int = 0,
        attribute: str | None = None,
    ) -> AskedQueries:
        """Ask a table; the arguments are those of `query_error`."""
        one_of("query_error", "workload", workload, tuple(N_QUERIES))
        parameters.seed("query_error", seed)
        original = table.by_values.frequencies()
        name = original.attribute(attribute)
        if name is None:
            raise BadInput(
                "query_error: the table has no sensitive column; name one with sensitive="
            )
        if original.domains[name].members is not None:
            raise BadInput(
                f"query_error: people have any number of values of {name!r}, and queries are about "
                "one for each"
            )
        n = N_QUERIES[workload] if n_queries is None else n_queries
        questions = Workload(
            workload,
            whole("query_error", "n_queries", n),
            _dimension(workload, dimension, len(original.quasi_identifiers)),
            _selectivity(workload, selectivity),
            seed,
        )
        columns = (*original.quasi_identifiers, name)
        marginals = [original.reference(column) for column in columns]
        bases = tuple(len(original.domains[column]) for column in columns)
        exact = Answering.exact(original, name)
        truths, factors = [], []
        for some in questions.queries(bases):
            truths.append(exact.answers(some))
            factors += lifts(some, truths[-1], marginals)
        truth = np.concatenate(truths)
        if not truth.any():
            raise BadInput(
                "query_error: nobody matches any of the queries; ask more of them, raise "
                "selectivity, or lower dimension"
            )
        return cls(questions, name, bases, truth, factors)

    def error(self, release: Release) -> QueryError:
        """Compare what a release of the table answers."""
        published = _answering(release, self.attribute)
        answer = np.concatenate([*map(published.answers, self.workload.queries(self.bases))])
        matched = np.flatnonzero(self.truth)
        errors = np.abs(answer[matched] - self.truth[matched]) / self.truth[matched]
        above, below = self._most_correlated
        return QueryError(
            workload=self.workload,
            n_left_out=len(self.truth) - len(matched),
            average=float(errors.mean()),
            median=float(np.median(errors)),
            positive=float(errors[above].mean()) if len(above) else None,
            negative=float(errors[below].mean()) if len(below) else None,
        )

    @cached_property
    def _most_correlated(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Positions among the queries that somebody matches."""
        return most_correlated([self.factors[j] for j in np.flatnonzero(self.truth).tolist()])


def _dimension(workload: str, dimension: int | None, n_columns: int) -> int:
    if dimension is None:
        return n_columns if workload == "wong" else min(DIMENSION, n_columns)
    most_is = "the number of quasi-identifiers"
    return whole("query_error", "dimension", dimension, most=n_columns, most_is=most_is)


def _selectivity(workload: str, selectivity: float | None) -> Fraction:
    if selectivity is None:
        return SELECTIVITY[workload]
    return number("query_error", "selectivity", selectivity, above=0, most=1)


def _answering(release: Release, attribute: str) -> Answering:
    """What the release answers from: its two tables, or its boxes in ranks of the original."""
    buckets = release.recoding.buckets
    if buckets is not None:
        return Answering.bucketized(buckets, attribute)
    return Answering.generalized(*generalized_groups(release, attribute))
