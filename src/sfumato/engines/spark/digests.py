"""Digests of rows: sums of hashes of their values' texts, modulo 2^64."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from sfumato.data.groups import Digests


def hash_of(texts: Iterable[Column]) -> Column:
    """Give the hash of a row; a missing value is told from every text, in every place."""
    told = [F.coalesce(F.concat(F.lit("="), text), F.lit("-")) for text in texts]
    return F.xxhash64(*told)


def summed(hashes: Column) -> Column:
    """Give the sum of hashes, which cannot run over: it is taken modulo 2^64 here, not there."""
    return F.sum(hashes.cast("decimal(20,0)"))


def to_digests(sums: pa.ChunkedArray) -> Digests:
    """Give sums modulo 2^64; that of no rows is 0."""
    numbers = (int(each or 0) % (1 << 64) for each in sums.to_pylist())
    return np.fromiter(numbers, dtype=np.uint64, count=len(sums))
