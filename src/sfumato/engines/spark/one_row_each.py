"""One row for each person: a person's rows put together, with a list of the sensitive values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from sfumato.engines.one_person import ONLY_ONE, differing, refuse_ungathered, unnamed
from sfumato.engines.spark.kinds import LIST, refuse_uncountable, type_inside
from sfumato.engines.spark.rows import Rows
from sfumato.errors import BadInput


def one_row_each(
    rows: Rows, person: str | None, sensitive: Sequence[str], kept: Sequence[str]
) -> Rows:
    """See one row for each person, and a person's several values as a list in some order.

    A missing value in a list is no value, and a missing list is an empty one.
    """
    lists = [column for column in sensitive if LIST.match(rows.types[column])]
    if lists and len(sensitive) > 1:
        raise BadInput(f"column {lists[0]!r} holds lists; {ONLY_ONE}")
    n_repeated = 0 if person is None else _n_repeated(rows, person)
    if n_repeated:
        refuse_ungathered(str(person), n_repeated, sensitive, lists)
        refuse_uncountable(sensitive[0], rows.types[sensitive[0]])
        frame = _put_together(rows, str(person), sensitive[0], kept)
        element = rows.types[sensitive[0]]
    elif lists:
        value, element = rows.inner[lists[0]], LIST.sub(r"\1", rows.types[lists[0]])
        refuse_uncountable(lists[0], element)
        frame = rows.frame.withColumn(value, _sorted(F.col(value), element))
    else:
        return rows
    types = {**rows.types, sensitive[0]: f"array<{element}>"}
    return replace(rows, frame=frame, types=types, lists=sensitive[0])


def _n_repeated(rows: Rows, person: str) -> int:
    """Count the rows that repeat a person; refuse rows of nobody."""
    value = rows.value(person)
    counts = rows.frame.agg(
        F.count(F.lit(1)).alias("rows"),
        F.count(value).alias("named"),
        F.count_distinct(value).alias("people"),
    )
    (found,) = rows.cluster.collected(counts).to_pylist()
    if found["named"] < found["rows"]:
        raise unnamed(person, found["rows"] - found["named"])
    return int(found["rows"] - found["people"])


def _sorted(values: Column, element: str) -> Column:
    """Give a list without missing values, in order; a missing list is empty."""
    empty = F.array().cast(f"array<{type_inside(element)}>")
    return F.coalesce(F.array_sort(F.filter(values, lambda each: each.isNotNull())), empty)


def _put_together(rows: Rows, person: str, column: str, kept: Sequence[str]) -> DataFrame:
    """Make one row of all rows of a person; `column` becomes a list, `kept` have to agree."""
    value = rows.inner[column]
    others = {name: rows.inner[name] for name in kept if name != column}
    selected = [_sorted(F.collect_list(value), rows.types[column]).alias(value)]
    for v in others.values():
        differs = ~F.min(v).eqNullSafe(F.max(v)) | ~F.count(v).isin(0, F.count(F.lit(1)))
        selected += [F.min(v).alias(v), differs.alias(f"differs_{v}")]
    gathered = rows.frame.groupBy(rows.value(person)).agg(*selected)
    _refuse_differing(rows, gathered, others)
    return gathered.select(value, *others.values())


def _refuse_differing(rows: Rows, gathered: DataFrame, others: Mapping[str, str]) -> None:
    """Refuse people whose rows say different things of what a person has only once."""
    if not others:
        return
    counts = gathered.agg(*(F.count_if(f"differs_{v}").alias(v) for v in others.values()))
    (found,) = rows.cluster.collected(counts).to_pylist()
    for name, v in others.items():
        if found[v]:
            raise differing(name, found[v])
