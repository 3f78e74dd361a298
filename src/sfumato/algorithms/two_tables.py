"""Groups of any method as two tables: of people, and of the values of their groups."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from sfumato.algorithms.dealing import dealt
from sfumato.algorithms.lots import Draw
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import SUPPRESSED, Bucketing, Recoding, distinct_boxes
from sfumato.errors import BadInput
from sfumato.parameters import one_of

Publish = Literal["generalized", "bucketized"]


def check_publish(
    owner: str, publish: object, *, bounds: str = "grid", suppress: str = "rows"
) -> None:
    """Refuse another way to publish, and what two tables have no use for."""
    one_of(owner, "publish", publish, get_args(Publish))
    if publish != "bucketized":
        return
    if bounds != "grid":
        raise BadInput(
            f"{owner}: bounds are those of boxes, and publish='bucketized' has none; drop one of "
            "the two"
        )
    if suppress != "rows":
        raise BadInput(
            f"{owner}: suppress={suppress!r} hides quasi-identifiers of outliers, and "
            "publish='bucketized' publishes them as they are; drop one of the two"
        )


def as_two_tables(decided: Recoding, frequencies: FrequencySet, draw: Draw) -> Bucketing:
    """Number the groups of a recoding, for two tables (Wong 2009, section 6.2).

    Who is published alike by the recoding is one group, and who is suppressed is in none. People of
    a combination that goes to several groups without a look at values are dealt out by lot.
    """
    if decided.buckets is not None:
        return decided.buckets
    if not frequencies.sensitive:
        raise BadInput(
            "publish='bucketized': sensitive values are published in a table of their own, and the "
            "table has no sensitive column; name one (sensitive=, -s)"
        )
    placed = decided.placement(frequencies)
    if not placed.frequencies.sensitive:
        placed = dealt(decided, frequencies, draw).placement(frequencies).by_value(frequencies)
    _, same = distinct_boxes(placed.boxes)
    inside = placed.box != SUPPRESSED
    group = np.full(len(inside), SUPPRESSED, dtype=np.int64)
    group[inside] = np.unique(same[placed.box[inside]], return_inverse=True)[1]
    parts = np.stack([placed.key, group, placed.people], axis=1)
    return Bucketing(frequencies, parts.astype(np.int64))
