"""Who has a value, where people have any number of values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.target import Target, View
from sfumato.attacks.values_per_person import case_of
from sfumato.errors import DoesNotApply


def holders(target: Target) -> tuple[View, bool]:
    """See groups by how often a value occurs among people who have any number of values.

    Also whether one person may have a value more than once. Where whole sets stand in the table a
    value counts once for everybody who has it.
    """
    name = str(target.set_valued)
    seen, repeated = target.seen, False
    if seen.people is None:
        domain = seen.frequencies.domains[name]
        assert domain.members is not None  # noqa: S101  (for the type checker)
        once = replace(domain.members, counts=np.ones_like(domain.members.counts))
        domains = {**seen.frequencies.domains, name: replace(domain, members=once)}
        seen = replace(seen, frequencies=replace(seen.frequencies, domains=domains))
    else:
        repeated = case_of(target, name) == "multiset"
    view = View(name, seen.joint.by(name), np.arange(len(seen.sizes)))
    if not len(view.groups.histogram.codes):
        raise DoesNotApply("nobody in the release has a value")
    return view, repeated


def entries_of_all(view: View, *, repeated: bool) -> NDArray[np.intp]:
    """Give the entries of values that everybody in a group has: all have one, or there is one."""
    histogram = view.groups.histogram
    people = view.sizes[histogram.group_of]
    return np.flatnonzero(people == 1 if repeated else people == histogram.counts)
