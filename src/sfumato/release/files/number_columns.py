"""Columns of numbers in a published file, read as the texts that they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.data.frequency import FrequencySet
from sfumato.data.hierarchy import Flat
from sfumato.data.keys import distinct_rows
from sfumato.data.labels.numbers import NumberColumns, exact
from sfumato.data.schema import Schema
from sfumato.data.values import published_text
from sfumato.engines.protocol import Source
from sfumato.errors import BadInput
from sfumato.release.description import Description
from sfumato.table import Table


def as_texts(
    counted: FrequencySet, by: Sequence[str], instead: Mapping[str, NumberColumns], name: str
) -> FrequencySet:
    """See people who were counted by bounds as counted by the texts that these stand for.

    Args:
        counted: By the columns of the file.
        by: Quasi-identifiers, in the order that they are to have.
        instead: Those of which bounds are published.
        name: Of the file, for messages.

    Raises:
        BadInput: A pair of bounds stands for nothing.
    """
    domains, codes = dict(counted.domains), {}
    for column in by:
        if column not in instead:
            codes[column] = counted.codes(column)
            continue
        sides = instead[column].names
        pairs, index = distinct_rows(np.stack([counted.codes(side) for side in sides], axis=1))
        labels = [domains[side].labels for side in sides]
        try:
            texts = [
                instead[column].text([known[j] for known, j in zip(labels, pair, strict=True)])
                for pair in pairs.tolist()
            ]
        except KeyError:
            raise _undescribed(name, column) from None
        domains[column], code = Flat().grow(column, texts)
        codes[column] = code[index]
    codes |= {column: counted.codes(column) for column in counted.sensitive}
    return FrequencySet.from_codes(
        domains, by, counted.sensitive, codes, counted.counts, digests=counted.digests
    )


def other_numbers(source: Source, description: Description) -> str | None:
    """Say which columns of numbers hold others than those described; None: none of them."""
    for column, numbers in description.numbers.items():
        columns = description.in_file(column)
        found = Table(source, Schema.of(source.columns, columns)).combinations()
        labels = [found.domains[name].labels for name in columns]
        described = {exact(row) for row in numbers.values.values()}
        for row in zip(*(found.codes(name).tolist() for name in columns), strict=True):
            values = [known[code] for known, code in zip(labels, row, strict=True)]
            if not numbers.instead:
                own = numbers.values.get(published_text(values.pop(0)))
                described = set() if own is None else {exact(own)}
            if exact(values) not in described:
                return f"{', '.join(numbers.names)} hold numbers of no published value"
    return None


def _undescribed(name: str, column: str) -> BadInput:
    return BadInput(
        f"{name}: not what release.json describes: the bounds of {column!r} are of no published "
        "value; ask for the whole release again"
    )
