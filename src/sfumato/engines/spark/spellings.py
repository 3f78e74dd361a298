"""Spellings of values, compared and replaced on the cluster.

The normal form of printable ASCII without grave accents is found there, and that of other distinct
texts here: in most columns there are few of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from sfumato.data.spellings import NUMBER, PLAIN_NUMBER, Spellings, normal_form, several
from sfumato.engines.arrow import cast_text, of_texts
from sfumato.engines.spark.cluster import Cluster
from sfumato.engines.spark.kinds import LIST, labelled
from sfumato.engines.spark.rows import Rows
from sfumato.engines.spark.texts import text_of
from sfumato.engines.spark.values import matched

LONGEST = 300  # letters; a longer text may be no number that can be read


def spellings_of(rows: Rows, column: str, known: Collection[str | None]) -> Spellings:
    """Compare the distinct values of a column, and what is known."""
    cluster, kind = rows.cluster, rows.types[column]
    values = rows.frame.select(rows.value(column).alias("value"))
    if is_list := LIST.match(kind):
        kind = is_list[1]
        values = values.select(F.explode("value").alias("value")).where("value IS NOT NULL")
    if kind != "string":
        counts = values.agg(F.count("value").alias("n"), F.count_distinct("value").alias("m"))
        (found,) = cluster.collected(counts).to_pylist()
        return Spellings(found["n"], found["m"], ())
    spelled = values.groupBy("value").agg(F.count(F.lit(1)).alias("n"))
    if known:
        texts = cluster.frame(pa.table({"value": of_texts(set(known))}))
        more = spelled.unionAll(texts.select("value", F.lit(0).cast("bigint").alias("n")))
        spelled = more.groupBy("value").agg(F.sum("n").alias("n"))
    formed = _formed(cluster, spelled)
    seen = F.col("form") != ""
    counts = formed.agg(
        F.coalesce(F.sum(F.when(seen, F.col("n"))), F.lit(0)).alias("rows"),
        F.count_distinct(F.when(seen & (F.col("n") > 0), F.col("form"))).alias("values"),
        F.count_distinct("form").alias("forms"),
        F.count(F.lit(1)).alias("texts"),
    )
    (found,) = cluster.collected(counts).to_pylist()
    by_form: dict[str, dict[str | None, int]] = {}
    if found["forms"] < found["texts"]:
        repeated = formed.groupBy("form").agg(F.count(F.lit(1)).alias("m")).where("m > 1")
        alike = formed.join(repeated.select("form"), "form")
        for each in cluster.collected(alike).to_pylist():
            by_form.setdefault(each["form"], {})[each["value"]] = each["n"]
    return Spellings(found["rows"], found["values"], several(by_form.values(), set(known)))


def _formed(cluster: Cluster, spelled: DataFrame) -> DataFrame:
    """Put the normal form of every text beside it; that of a missing one is empty."""
    value = F.col("value")
    odd = cluster.collected(spelled.where(_is_odd(value)).select("value"))
    form = _plain_form(value)
    if odd.num_rows:
        texts = odd["value"].combine_chunks()
        forms = pa.table({"v": texts, "odd": of_texts(map(normal_form, texts.to_pylist()))})
        spelled = matched(cluster, spelled, [value], forms, "left")
        form = F.coalesce(F.col("odd"), form)
    return spelled.select(F.coalesce(form, F.lit("")).alias("form"), "value", "n")


def _folded(text: Column) -> Column:
    return F.lower(F.trim(F.regexp_replace(text, " +", " ")))


def _full(text: Column, pattern: str) -> Column:
    return text.rlike(rf"\A(?:{pattern})\z")


def _may_be_number(text: Column) -> Column:
    """Whether a text begins as numbers do; few do in most columns of texts."""
    return text.rlike(r"^ *[-+.0-9]")


def _is_odd(text: Column) -> Column:
    """Whether a text's normal form is for Python to find."""
    folded = _folded(text)
    is_number = _full(folded, NUMBER) & ~_full(folded, PLAIN_NUMBER)
    odd = F.when(~_full(text, r"[ -_a-~]*") | (F.length(text) > LONGEST), True)
    return odd.when(_may_be_number(text), is_number).otherwise(False)


def _plain_form(text: Column) -> Column:
    """Give the normal form of every other text."""
    form = _folded(text)
    unsigned = F.regexp_replace(form, r"^\++", "")
    short = F.when(form.contains("."), F.regexp_replace(unsigned, r"\.?0*$", ""))
    number = F.regexp_replace(F.coalesce(short, unsigned), "^-0$", "0")
    is_number = _may_be_number(text) & _full(form, PLAIN_NUMBER)
    return F.when(is_number, number).otherwise(form)


def respelled(rows: Rows, spellings: Mapping[str, Mapping[object, str | None]]) -> Rows:
    """See some values of some columns as texts; None: a missing one."""
    frame, types = rows.frame, dict(rows.types)
    for column, texts in spellings.items():
        value, kind = rows.inner[column], rows.types[column]
        if is_list := LIST.match(kind):
            frame = _respelled_lists(rows, frame, value, is_list[1], texts)
            types[column] = "array<string>"
            continue
        new = {"new_": of_texts(texts.values()), "there_": pa.array([True] * len(texts))}
        if kind in ("float", "double"):
            old, label = (
                pa.array([*texts], pa.float64()),
                labelled(F.col(value), kind),
            )
        else:
            old, label = of_texts(map(cast_text, texts)), text_of(F.col(value), kind)
        frame = matched(rows.cluster, frame, [label], pa.table({"old_": old, **new}), "left")
        own = text_of(F.col(value), kind)
        frame = frame.withColumn(value, F.when(F.col("there_"), F.col("new_")).otherwise(own))
        frame = frame.drop("new_", "there_")
        types[column] = "string"
    return replace(rows, frame=frame, types=types)


def _respelled_lists(
    rows: Rows, frame: DataFrame, value: str, kind: str, texts: Mapping[object, str | None]
) -> DataFrame:
    """See some values in lists as texts."""
    old, new = of_texts(map(cast_text, texts)), of_texts(texts.values())
    pairs = pa.table({"one_": pa.array([1]), "old_": _one_list(old), "new_": _one_list(new)})
    frame = matched(rows.cluster, frame, [F.lit(1).cast("bigint")], pairs)
    place = F.map_from_arrays("old_", "new_")

    def spelled(each: Column) -> Column:
        text = text_of(each, kind)
        return F.coalesce(F.try_element_at(place, text), text)

    return frame.withColumn(value, F.transform(value, spelled)).drop("old_", "new_")


def _one_list(values: pa.Array) -> pa.Array:
    return pa.array([values.to_pylist()], pa.list_(pa.string()))
