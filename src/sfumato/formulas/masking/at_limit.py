"""Of whom MASK certainly tells too much, in tables of any size: groups published at 1/l exactly.

MASK makes nobody sensitive, so of a published group at least as many are sensitive as are shown,
and no more where it was not changed. Where exactly 1/l of a group is shown, and one table with a
change in that group alone leads to the same output, the belief is a mean of 1/l and of something
above it. Such a table there is where another group is published at 1/l, too: it is in L, its share
may be drawn, and rounds to what is shown. (The value put in must be one that can be drawn.)
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.data.frequency import sum_by
from sfumato.data.groups import Histogram
from sfumato.formulas.exact import at_most, below
from sfumato.formulas.masking.lots import Masking, n_references


def above_limit(
    published: Histogram, masked: NDArray[np.bool_], masking: Masking
) -> NDArray[np.bool_]:
    """Say of which groups more than 1/l is believed, whatever the prior.

    To it people of a group must be alike, and everybody may be sensitive or not and may have any
    value that is published. Of a group that is not named here nothing is known.

    Args:
        published: (n_groups, n_values).
        masked: (n_values,) whether a value is one of the sensitive ones.
        masking: How values are changed.

    >>> xxi_c = Histogram.from_dense(np.array([[1, 1], [1, 1], [0, 2]]))
    >>> above_limit(xxi_c, np.array([True, False]), Masking(Fraction(2)))
    array([ True,  True, False])
    """
    n_groups, share = published.n_groups, 1 / Fraction(masking.l)
    in_group, value, people = published.group_of, published.codes, published.counts
    shown = masked[value]
    sizes = sum_by(in_group, people, n_groups)
    n_masked = sum_by(in_group[shown], people[shown], n_groups)
    at_limit = at_most(n_masked, sizes, share) & ~below(n_masked, sizes, share)
    n_needed = n_references(1, masking.l, masking.reference)
    if share == 1 or at_limit.sum() < 2 or n_groups - 1 < n_needed:
        return np.zeros(n_groups, dtype=bool)
    # What was put in must be left to be drawn: by somebody of the table, or of the group. A group
    # in which everybody was sensitive has nobody left, and draws from the rest of the table.
    others = np.flatnonzero(~masked[value])
    group, total = in_group[others], sum_by(value.astype(np.intp), people, len(masked))
    elsewhere = total[value[others]] - people[others]
    if masking.replacement == "table":
        left = np.bincount(group[elsewhere + people[others] > 1], minlength=n_groups) > 0
    else:
        left = np.bincount(group[people[others] > 1], minlength=n_groups) > 0
        left |= np.bincount(group[elsewhere == 0], minlength=n_groups) == 0
    return np.asarray(at_limit & left)
