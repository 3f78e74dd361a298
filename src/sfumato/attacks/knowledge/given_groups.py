"""A release as the paper sees it, read from what people write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.data.groups import Counts, Groups, Histogram
from sfumato.errors import BadInput, shown
from sfumato.formulas.knowledge import named as named_knowledge
from sfumato.formulas.knowledge.breach import CASES, Case, Point, refuse_impossible
from sfumato.parameters import MOST_COUNTED, is_count, one_of, whole
from sfumato.text import counted, people

Released = Sequence[tuple[int, Mapping[object, int]]] | Groups
Person = tuple[int, int]


@dataclass(frozen=True, eq=False)
class GivenGroups:
    """What is published: groups as arrays, and the values' codes."""

    histogram: Histogram
    sizes: Counts
    codes: Mapping[object, int] | Groups

    @property
    def labels(self) -> Sequence[object]:
        """The values, by code."""
        return self.codes.labels if isinstance(self.codes, Groups) else list(self.codes)

    def code_of(self, value: object) -> int | None:
        """Look a value up; None: nobody has it."""
        if isinstance(self.codes, Groups):
            codes = self.codes.codes_of([value])
            return int(codes[0]) if len(codes) else None
        try:
            return self.codes.get(value)
        except TypeError:  # it cannot be a key
            return None

    def row(self, group: int) -> named_knowledge.Row:
        """One group: people, and occurrences by code."""
        part = slice(self.histogram.starts[group], self.histogram.starts[group + 1])
        codes, counts = self.histogram.codes[part], self.histogram.counts[part]
        return int(self.sizes[group]), dict(zip(codes.tolist(), counts.tolist(), strict=True))

    def person(self, name: str, person: object) -> Person:
        """Read `(group, member)`."""
        if not isinstance(person, Sequence) or len(person) != 2 or not all(map(is_count, person)):
            raise BadInput(
                f"posterior: in {name} a person must be (group, member), two whole numbers from 0, "
                f"got {shown(person)}"
            )
        group, member = int(person[0]), int(person[1])
        if not group < len(self.sizes) or not member < self.sizes[group]:
            among = f" of {people(int(self.sizes[group]))}" if group < len(self.sizes) else ""
            raise BadInput(
                f"posterior: in {name} there is no member {member} in group {group}{among}, of "
                f"{counted(len(self.sizes), 'group')}; groups and members are counted from 0"
            )
        return group, member


def read_groups(groups: Released, case: Case) -> GivenGroups:
    """Read groups; refuse what cannot be dealt out."""
    one_of("knowledge", "case", case, CASES)
    if isinstance(groups, Groups):
        release = GivenGroups(groups.histogram, groups.sizes, groups)
    else:
        release = _read_list(groups)
    refuse_impossible(release.histogram, release.sizes, case)
    return release


def _read_list(groups: object) -> GivenGroups:
    if not isinstance(groups, Iterable) or isinstance(groups, (str, Mapping)):
        raise BadInput(f"groups must be a list of (people, {{value: n}}), got {shown(groups)}")
    codes: dict[object, int] = {}
    sizes, places, values, counts = [], list[int](), list[int](), list[int]()
    for place, group in enumerate(groups):
        pair = tuple(group) if isinstance(group, Sequence) and not isinstance(group, str) else ()
        if len(pair) != 2 or not is_count(pair[0]) or not isinstance(pair[1], Mapping):
            raise BadInput(
                f"group {place} must be (people, {{value: occurrences}}), got {shown(group)}"
            )
        sizes.append(pair[0])
        for value, count in pair[1].items():
            occurrences = whole(f"group {place}", "occurrences", count, least=0)
            if occurrences:
                places.append(place)
                values.append(codes.setdefault(value, len(codes)))
                counts.append(occurrences)
    if max(sum(sizes), sum(counts)) > MOST_COUNTED:
        raise BadInput("groups: people and occurrences must add up to less than 2^63")
    histogram = Histogram.from_entries(
        np.array(places, dtype=np.intp),
        np.array(values, dtype=np.int32),
        np.array(counts, dtype=np.int64),
        (len(sizes), len(codes)),
    )
    return GivenGroups(histogram, np.array(sizes, dtype=np.int64), codes)


def point_of(l: int, k: int, m: int) -> Point:
    """Read amounts."""
    amounts = {"l": l, "k": k, "m": m}
    return Point(*(whole("knowledge", name, amount, least=0) for name, amount in amounts.items()))
