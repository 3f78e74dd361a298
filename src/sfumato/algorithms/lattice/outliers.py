"""Outliers: people whose group at a node is not safe (Ciriani 2008, section 2.2).

Their rows are left out (TS), or published with every quasi-identifier at the root (CS), as one
group. That group is published only if it is safe itself, beside the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import Suppress
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import holding
from sfumato.data.domain import Domain
from sfumato.data.recoding import without_hidden
from sfumato.parameters import one_of

if TYPE_CHECKING:
    from sfumato.data.frequency import JointGroups


def check_suppress(owner: str, suppress: object) -> None:
    """Refuse another way to suppress."""
    one_of(owner, "suppress", suppress, get_args(Suppress))


def safe_at_root(
    criterion: Criterion,
    joint: JointGroups,
    outlier: NDArray[np.bool_],
    told_at_root: NDArray[np.bool_],
) -> bool:
    """Whether outliers can be published at the root, beside all other groups of a node.

    Args:
        criterion: What is asked of the groups as they are read.
        joint: The groups of the node, nobody suppressed.
        outlier: (n_groups,): which are not safe.
        told_at_root: (n_groups,): of which nothing is told anyhow, so that they are read as one
            group with the outliers.
    """
    if not outlier.any():
        return False
    groups = joint.joined(outlier | told_at_root)
    if all(part.by_group for part in criterion.parts):  # the others are safe already
        groups = groups.part(np.arange(len(groups.sizes)) == len(groups.sizes) - 1)
    return bool(holding(criterion, groups).all())


def told_at_root(domains: Mapping[str, Domain], boxes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Say of which boxes nothing is told: every side is whole, or holds what cannot be told.

    domains: of the quasi-identifiers.
    """
    told = without_hidden(domains, tuple(domains), boxes)
    whole = [[0, len(domain) - 1] for domain in domains.values()]
    return np.asarray((told == np.array(whole, dtype=np.int32)).all(axis=(1, 2)))
