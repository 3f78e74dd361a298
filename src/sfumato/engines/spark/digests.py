"""Digests of rows: sums of hashes of their values' texts, modulo 2^64."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from sfumato.data.groups import Digests
from sfumato.engines.arrow import to_numbers


def hash_of(texts: Iterable[Column]) -> Column:
    """Give the hash of a row; a missing value is told from every text, in every place."""
    told = [F.coalesce(F.concat(F.lit("="), text), F.lit("-")) for text in texts]
    return F.xxhash64(*told)


def summed(hashes: Column) -> Column:
    """Give the sum of hashes, which cannot run over."""
    return F.sum(hashes.cast("decimal(20,0)"))


def added(name: str) -> Column:
    """Give the total of such sums, under their name, as a number from -2^63 on; of none it is 0.

    Modulo 2^64, so that it is a word.
    """
    total = F.coalesce(F.sum(name), F.lit(0)).cast("decimal(38,0)")
    rest = F.pmod(total, F.lit(str(1 << 64)).cast("decimal(20,0)"))
    return (rest - F.lit(str(1 << 63)).cast("decimal(20,0)")).cast("bigint").alias(name)


def of_nobody() -> Column:
    """Give the total of no sums."""
    return F.lit(str(-(1 << 63))).cast("bigint")


def without_sign(name: str) -> Column:
    """Give such a total as it is without its sign, to be added up once more."""
    return F.col(name).cast("decimal(20,0)") + F.lit(str(1 << 63)).cast("decimal(20,0)")


def to_digests(totals: pa.ChunkedArray) -> Digests:
    """Give totals as they are without their sign."""
    return to_numbers(totals).view(np.uint64) + np.uint64(1 << 63)
