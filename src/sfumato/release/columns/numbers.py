"""Which columns of numbers a release publishes, instead of texts or beside them."""

from __future__ import annotations

import numpy as np

from sfumato.data.frequency import FrequencySet
from sfumato.data.labels.numbers import NumberColumns, Numbers, number_columns
from sfumato.data.recoding import Recoding
from sfumato.data.values import natural_order
from sfumato.errors import BadInput
from sfumato.release.description import Description
from sfumato.table import Table


def published_numbers(
    way: Numbers,
    description: Description,
    table: Table,
    frequencies: FrequencySet,
    recoding: Recoding,
) -> dict[str, NumberColumns]:
    """Choose the numbers of every generalized column of numbers; they tell no unpublished text.

    Raises:
        BadInput: A name is taken.
    """
    if way == "text" or description.group is not None:
        return {}
    placed = recoding.placement(frequencies)
    rows = np.flatnonzero((placed.box >= 0) & (placed.people > 0))
    chosen: dict[str, NumberColumns] = {}
    for column, labels in recoding.labels(table.domains).items():
        if labels is None:
            continue
        used = np.unique(labels.index[recoding.label_at(column, placed)[rows]])
        texts = [labels.texts[j] for j in used.tolist()]
        texts.sort(key=lambda text: (text is not None, natural_order(text)))
        numbers = number_columns(column, texts, description.hierarchies[column], way)
        if numbers is not None:
            chosen[column] = numbers
            _refuse_taken(chosen, column, description)
    return chosen


def _refuse_taken(chosen: dict[str, NumberColumns], column: str, description: Description) -> None:
    taken = {name.casefold() for name in description.columns}
    for other, numbers in chosen.items():
        taken |= {name.casefold() for name in numbers.names if other != column}
    for name in chosen[column].names:
        if name.casefold() in taken:
            raise BadInput(
                f"numbers: the name {name!r} is taken by a column of the table; rename that "
                "column, or publish numbers as text"
            )
