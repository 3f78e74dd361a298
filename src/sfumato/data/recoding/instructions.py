"""How an engine applies a recoding to its rows, in terms of codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.data.keys import Codes, Keys, Layout
from sfumato.data.labels.texts import Labels


@dataclass(frozen=True, eq=False)
class Lookup:
    """Publish by column: ground code -> text (None: the value as it is).

    >>> import numpy as np
    >>> nobody = np.empty((0, 1), dtype=np.int32)
    >>> Lookup({"sex": None}, {"sex": np.array([0, 1], dtype=np.int32)}, nobody).labels
    {'sex': None}
    """

    labels: Mapping[str, Labels | None]
    lows: Mapping[str, Codes]  # ground code -> first rank of its published interval
    suppressed: NDArray[np.int32]  # (n, n_columns): tuples of lows whose rows are left out


@dataclass(frozen=True, eq=False)
class Join:
    """Publish by combination: packed key -> group, or person by person.

    Where values are changed, a group here is a place: a published group, and the value that is
    published in it instead of people's own; `numbers` says which group it is, where that is
    published.

    People dealt out one by one stand in the order of their keys, those of one combination in the
    order of the columns in `order` (missing values first).

    >>> import numpy as np
    >>> keys, groups = np.array([[0], [1]], dtype=np.uint64), np.array([0, -1])
    >>> join = Join(Layout.of([2]), ("sex",), (), 1, [(keys, groups)], None, {"sex": None})
    >>> join.dealt is None  # no combination is split
    True
    """

    layout: Layout
    columns: tuple[str, ...]  # the columns in the key
    order: tuple[str, ...]  # all that is published and not in the key
    n_groups: int  # their numbers are below that
    # Keys (n, n_words) and the group of each (-1: suppressed), some combinations at a time; none
    # where people are dealt out.
    parts: Iterable[tuple[Keys, NDArray[np.signedinteger]]]
    # The group of each person, some people at a time, as often as they are asked for; None: no
    # combination is split.
    dealt: Iterable[NDArray[np.int32]] | None
    labels: Mapping[str, Labels | None]  # text per group (None: the value as it is)
    # Column -> (n_groups,) the code of the value published instead of everybody's own; -1: none.
    instead: Mapping[str, NDArray[np.integer]] = field(default_factory=dict)
    numbers: NDArray[np.int64] | None = None  # (n_groups,) published; None: as they are here
