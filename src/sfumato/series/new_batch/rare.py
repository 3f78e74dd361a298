"""People whose rare values would cost a release whole columns, and what can become of them.

Whom this is about follows from quasi-identifiers, from when people came, and from what was
published before: whoever knows these knows who is left out, and nobody's sensitive value had any
part in it. A row that is left out is not kept, so no release depends on its sensitive value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.algorithms import SeriesAlgorithm
from sfumato.algorithms.bcf.obstacles import Obstacle, Told, obstacle
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Counts
from sfumato.data.hierarchy import Hierarchy
from sfumato.errors import BadInput
from sfumato.release.columns.naming import naming_many
from sfumato.series.new_batch.drift import Drift
from sfumato.series.terms import Terms
from sfumato.table import Table
from sfumato.text import counted, listed, people, percent, plural

WAYS = ("suppress", "code", "keep")
MOST_NAMED = 5  # nodes of a column that a question names


@dataclass(frozen=True)
class RareColumn:
    """A column that rare values would cost."""

    column: str
    n_people: int  # who have them in the batch
    nodes: tuple[str, ...] = field(repr=False)  # what they have; private
    values: tuple[object, ...] = field(repr=False)  # as the batch has them; private
    coded: Hierarchy | None = field(repr=False)  # the column's rule with tails that many share

    @property
    def tails(self) -> str | None:
        """What would be one value if the tails were coded; private."""
        tails = None if self.coded is None else self.coded.tails
        if tails is None:
            return None
        texts = [text for text in (tails.low_text, tails.high_text) if text is not None]
        return listed(texts)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine: counts, nothing that anybody has."""
        return {
            "column": self.column,
            "people": self.n_people,
            "can_be_coded": self.coded is not None,
        }


@dataclass(frozen=True)
class Obstacles:
    """What is in the way of every column by itself, and who could be left out."""

    by_column: Mapping[str, Obstacle]
    rare: tuple[RareColumn, ...]

    def why_lost(
        self,
        lost: Iterable[str],
        done: Collection[str],
        asked: Collection[str],
        k: int,
        in_vain: Collection[str] = (),
    ) -> list[str]:
        """Say of columns of which nothing is left why that is so.

        Args:
            lost: The columns.
            done: Columns whose rare values were left out.
            asked: Columns that were to be told in detail.
            k: Records that are left to everybody.
            in_vain: Columns that would be lost without their rare values, too.
        """
        n_people = {each.column: each.n_people for each in self.rare}
        said: dict[str, list[str]] = {}
        for column in lost:
            own = self.by_column.get(column)
            why = "free" if own is None or column in (*done, *in_vain) else own.why
            text = {
                "rare": (
                    f"some of its values have fewer people than k = {k}, "
                    f"{people(n_people.get(column, 0))} in all (--rare, max_suppressed)"
                ),
                "few new": (
                    f"fewer than k = {k} new people have some of its values, and earlier releases, "
                    "or batches that waited, have people with them"
                ),
                "few": f"no two of its values, ranges or nodes have k = {k} new people each",
                "free": (
                    "beside what is told of the other columns, or beside the earlier releases, "
                    "groups would be too small"
                ),
            }[why]
            if column in in_vain:
                text += f", also without the people whose values fewer than k = {k} have"
            text = text if column in asked else "it was not asked for (--columns)"
            said.setdefault(text, []).append(column)
        return [f"nothing is left of {listed(columns)}: {why}" for why, columns in said.items()]


class RareValues(BadInput):
    """Some people would cost a release whole columns, and nobody said what becomes of them.

    columns: The columns.
    n_people: The rows that would be left out.
    share: Of the new rows.
    terms: Those of the series with coded tails; None: the chain has begun, or there are no tails.
    drift: How the batch differs from the series so far.
    allowed: Rows that may still be left out by max_suppressed; None: the series has no limit.
    """

    def __init__(
        self,
        columns: Sequence[RareColumn],
        n_people: int,
        n_rows: int,
        terms: Terms | None,
        drift: Drift | None,
        allowed: int | None = None,
        refused: str | None = None,
    ) -> None:
        self.columns, self.n_people, self.terms, self.drift = tuple(columns), n_people, terms, drift
        self.share, self.allowed = Fraction(n_people, n_rows), allowed
        names = listed([each.column for each in columns])
        many = "have values so rare" if n_people > 1 else "has a value so rare"
        shown = [*(node for each in columns for node in each.nodes)]
        shown += [each.tails for each in columns if each.tails is not None and terms is not None]
        ways = ", ".join(f"{words} ({way})" for way, words in self.ways.items())
        super().__init__(
            refused
            or f"{names}: {people(n_people)} ({percent(self.share)}) {many} that nothing would be "
            f"left of the {plural(len(columns), 'column')}; say what becomes of them "
            f"with --rare: {ways}{self._forbidden}",
            () if refused else shown,  # a refusal is about no value
        )

    @property
    def ways(self) -> dict[str, str]:
        """What can become of them: the words of --rare, and what they mean."""
        ways = {
            "suppress": "leave them out",
            "code": "code the tails as one",
            "keep": f"publish no detail of the {plural(len(self.columns), 'column')}",
        }
        if self.allowed is not None and self.n_people > self.allowed:
            del ways["suppress"]
        if self.terms is None:
            del ways["code"]
        return ways

    @property
    def _forbidden(self) -> str:
        """Why they cannot be left out, if they cannot."""
        if "suppress" in self.ways:
            return ""
        allowed = self.allowed or 0
        more = f"only {counted(allowed, 'row')} more" if allowed > 0 else "no more rows"
        return f"; they cannot be left out: max_suppressed of the series allows {more}"

    @property
    def questions(self) -> list[str]:
        """What to ask a steward at a terminal, with numbers and values."""
        several = len(self.columns) > 1
        asked = []
        for each in self.columns:
            cost = "costs" if each.n_people == 1 else "cost"
            told = _first_few(each.nodes)
            asked.append(f"{people(each.n_people)} ({told}) {cost} the {each.column} column")
        if several:
            asked = [f"{line}." for line in asked]
            asked.append(f"Together they are {people(self.n_people)} ({percent(self.share)})")
        tails = [
            f"code {each.column + ' ' if several else ''}{each.tails} as one"
            for each in self.columns
            if each.tails is not None
        ]
        ways = self.ways | ({"code": listed(tails)} if "code" in self.ways else {})
        share = "" if several else f"{percent(self.share)}, "
        *others, keep = (
            f"{words} ({share if way == 'suppress' else ''}{way})" for way, words in ways.items()
        )
        asked[-1] += f": {', '.join(others)}, or {keep}?" if others else f": {keep}?"
        if self._forbidden:
            asked.append(f"T{self._forbidden[3:]}.")
        return asked


def _first_few(names: Sequence[str]) -> str:
    n_more = len(names) - MOST_NAMED
    return listed([*names] if n_more < 1 else [*names[:MOST_NAMED], f"{n_more} more"])


def looked_at(
    table: Table,
    terms: Terms,
    method: SeriesAlgorithm,
    batch: Table,
    waiting: Sequence[FrequencySet],
    published: Sequence[Sequence[FrequencySet]],
) -> Obstacles:
    """Find what is in the way of the columns of the next release.

    Args:
        table: All records so far and the batch, with the names that the chain has.
        terms: What is promised.
        method: With the columns that are asked for, and the earlier releases.
        batch: The new records alone.
        waiting: Those that came before, and are new in this release.
        published: Those that each earlier release has.
    """
    seen = naming_many(table, terms.promise, method)
    asked = method.specialized(list(terms.quasi_identifiers))
    releases = method.past(seen.frequencies()).releases if published else ()
    by_column, rare = {}, []
    for j, column in enumerate(terms.quasi_identifiers):
        domain = seen.domains[column]
        own = _counts(domain, column, [batch.combinations()])
        stay = _counts(domain, column, waiting)
        told = [
            Told(_counts(domain, column, people_then), np.unique(release.boxes[:, j], axis=0))
            for people_then, release in zip(published, releases, strict=True)
        ]
        new, stay = own + stay, stay + (told[-1].older if told else 0)
        found = obstacle(domain.taxonomy, new, stay, terms.k, told)
        by_column[column] = found
        if found.why == "rare" and column in asked:
            rare.append(_rare(column, domain, found, batch, terms))
    return Obstacles(by_column, tuple(rare))


def with_tails(terms: Terms, columns: Sequence[RareColumn]) -> Terms | None:
    """Give the terms with coded tails, where columns have some; None: none has."""
    rules = {each.column: each.coded for each in columns if each.coded is not None}
    if not rules:
        return None
    return replace(terms, quasi_identifiers={**terms.quasi_identifiers, **rules})


def _counts(domain: Domain, column: str, counted: Sequence[FrequencySet]) -> Counts:
    """Count people by the ranks of a domain."""
    counts = np.zeros(len(domain), dtype=np.int64)
    for each in counted:
        own = each.domains[column]
        having = sum_by(each.codes(column).astype(np.intp), each.counts, len(own))
        some = np.flatnonzero(having).tolist()
        ranks = [_rank(domain, own.labels[code]) for code in some]
        np.add.at(counts, ranks, having[some])
    return counts


def _rank(domain: Domain, value: object) -> int:
    rank = len(domain) - 1 if value is None else domain.code_of(value)
    assert rank is not None  # noqa: S101  (the domain is of the whole table)
    return rank


def _rare(column: str, domain: Domain, found: Obstacle, batch: Table, terms: Terms) -> RareColumn:
    people_by_value = batch.people_by_value(column)
    inside = {
        value
        for value in people_by_value
        if any(low <= _rank(domain, value) <= high for low, high in found.nodes)
    }
    coded = terms.quasi_identifiers[column].with_tails(people_by_value, inside, terms.k)
    return RareColumn(
        column,
        sum(people_by_value[value] for value in inside),
        tuple(_node(domain, low, high) for low, high in found.nodes),
        tuple(value for value in people_by_value if value in inside),
        coded,
    )


def _node(domain: Domain, low: int, high: int) -> str:
    """Name a node for the steward."""
    taxonomy = domain.taxonomy
    ends = np.array([[low], [high]], dtype=np.int32)
    label = taxonomy.labels[int(taxonomy.enclosing_level(*ends)[0])][low]
    return "missing" if label is None else str(label)
