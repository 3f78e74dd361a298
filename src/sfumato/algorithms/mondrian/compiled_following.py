"""What `failed_cuts` gives, on many combinations: compiled."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups
from sfumato.algorithms.mondrian.compiled_search import Space
from sfumato.algorithms.mondrian.kernels import follow

SOME = 1_024  # cuts that there is room for at first


def failed_cuts_compiled(
    published: PublishedGroups, least: int, *, widest_only: bool
) -> Iterator[FailedStep]:
    """Give the same cuts, in the same order."""
    ground = published.ground
    if not len(ground):
        return
    domains = [ground.domains[name] for name in ground.columns]
    space = Space.of(domains, 1, least, strict=True, widest_only=widest_only)
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
    member = np.arange(len(ground))  # combinations, those of every region side by side
    # (n, 5): the round, the column, where the region begins and ends, the last value on the left
    room = np.empty((SOME, 5), dtype=np.int64)
    failed, n = follow(space, codes, ground.counts, published.group, member, room)
    order = np.lexsort((failed[:n, 2], failed[:n, 1], failed[:n, 0]))
    for _, j, first, end, last in failed[order].tolist():
        members = member[first:end]
        below = codes[members, j] <= last
        yield FailedStep((members[below], members[~below]))
