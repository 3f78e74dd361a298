"""Reading back a set-valued column: how many people a group has, and which values occur in it.

Which of the values are one person's is not published (Chen 2009, proposition 2, counts on that).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.criteria import Criterion
from sfumato.criteria.skyline import one_value_each
from sfumato.data.frequency import FrequencySet, Grouping, same_values, sum_by
from sfumato.data.set_valued import each_alone
from sfumato.errors import BrokenPromise


def apart(people: Grouping, values: Grouping) -> Grouping:
    """Put the two published tables together: people from one, their values from the other.

    people, values: either grouped by its column of group numbers, `values` with the sensitive one.
    A group in which nobody has a value stands in the first table alone.
    """
    counted = values.frequencies
    (group,), (name,) = counted.quasi_identifiers, counted.sensitive
    numbers = people.frequencies.domains[group]
    try:
        code = same_values(counted.domains[group], numbers)
    except BrokenPromise:
        raise BrokenPromise("the two published tables do not have the same groups") from None
    codes = {group: code[counted.codes(group)], name: counted.codes(name)}
    domains = {group: numbers, name: each_alone(counted.domains[name])}
    seen = FrequencySet.from_codes(domains, [group], [name], codes, counted.counts)
    # Every number of a group is somebody's, so its code is also the position of its box.
    index = seen.codes(group).astype(np.intp)
    return replace(people, frequencies=seen, index=index, people=people.sizes)


def refuse_one_value_each(frequencies: FrequencySet, criterion: Criterion) -> None:
    """Refuse a promise about sets of a table in which everybody has exactly one value."""
    for part in criterion.parts:
        if part.sets and part.looks_at_values:
            (name,) = frequencies.sensitive
            members = frequencies.domains[name].members
            if members is None:
                continue  # refused already
            used = np.unique(frequencies.codes(name))
            position, _, each = members.of(used)
            if (sum_by(position, each, len(used)) == 1).all():
                raise one_value_each(part, name)
