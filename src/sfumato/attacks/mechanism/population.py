"""People whose quasi-identifiers are known, with the values that they may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.known_method.membership import Membership
from sfumato.criteria import Criterion
from sfumato.criteria.judging import names_somebody
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, sum_by
from sfumato.data.groups import Counts, Histogram
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.keys import Codes
from sfumato.data.recoding import SUPPRESSED, Bucketing, Recoding

Signature = dict[bytes, bytes]  # box -> histogram


@dataclass(frozen=True, eq=False)
class Population:
    """Turns a world, which is a table of counts, into what a method is run on."""

    ground: FrequencySet  # quasi-identifiers alone
    value_domains: Mapping[str, Domain]  # of the sensitive columns
    rows: NDArray[np.int32]  # (n_values, n_sensitive) codes: all that may go together

    @cached_property
    def domains(self) -> dict[str, Domain]:
        """Of all columns."""
        return {**self.ground.domains, **self.value_domains}

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """Quasi-identifiers of the combinations: (n_combinations, n_quasi_identifiers)."""
        names = self.ground.quasi_identifiers
        return np.stack([self.ground.codes(name) for name in names], axis=1)

    @cached_property
    def number(self) -> dict[tuple[int, ...], int]:
        """Which value has which codes."""
        return {tuple(row): v for v, row in enumerate(self.rows.tolist())}

    def frequencies(self, people: Counts) -> FrequencySet:
        """Count a world; people: (n_combinations, n_values)."""
        who, value = np.nonzero(people)
        return self._counted(who, value, people[who, value])

    def names_nobody(self, people: Counts, enforced: Criterion) -> bool:
        """Whether a world is refused because nobody has a value that the criterion names."""
        here = people.any(axis=0)
        for j, (name, domain) in enumerate(self.value_domains.items()):
            present = set(self.rows[here, j].tolist())
            for part in enforced.parts:
                if domain.closed or not part.looks_at_values or part.attribute not in (None, name):
                    continue
                if not names_somebody(part, domain, present):
                    return True
        return False

    def with_every_value(self, references: Mapping[str, Counts]) -> FrequencySet:
        """Count people so that all values have a number; references: what is known of a column."""
        n, n_values = len(self.ground), len(self.rows)
        who = np.concatenate([np.arange(n), np.zeros(n_values, dtype=np.intp)])
        value = np.concatenate([np.zeros(n, dtype=np.intp), np.arange(n_values)])
        counts = np.concatenate([self.ground.counts, np.zeros(n_values, dtype=np.int64)])
        counted = self._counted(who, value, counts)
        counted.references.update(references)
        return counted

    def members(self, boxes: NDArray[np.int32], histogram: Counts) -> Membership:
        """Show published groups by these values; histogram: (n_groups, n_values)."""
        whole = histogram.sum(axis=0)
        references = {
            name: sum_by(self.rows[:, j].astype(np.intp), whole, len(domain))
            for j, (name, domain) in enumerate(self.value_domains.items())
        }
        frequencies = self.with_every_value(references)
        code = {tuple(row): v for v, row in enumerate(frequencies.persons_values.codes.tolist())}
        place = np.array([code[tuple(row)] for row in self.rows.tolist()], dtype=np.int32)
        group, value = np.nonzero(histogram)
        shown = Histogram.from_entries(
            group, place[value], histogram[group, value], (len(boxes), len(code))
        )
        return Membership.of_groups(frequencies, boxes, shown)

    def published(
        self, recoding: Recoding, frequencies: FrequencySet
    ) -> tuple[NDArray[np.int32], Counts, Counts]:
        """Give the boxes that a recoding of a world publishes, with values, and who is suppressed.

        Boxes (n, n_quasi_identifiers, 2), people by box and by combination: (n, n_values).
        """
        if recoding.has_one_box_each:
            grouping = recoding.grouping(frequencies)
            key, n, boxes = np.arange(len(frequencies)), frequencies.counts, grouping.boxes
            box = grouping.index
        else:
            placed = recoding.placement(frequencies)
            key, box, n, boxes = placed.key, placed.box, placed.people, placed.boxes
        value = self._value_of(frequencies)[key]
        kept = box != SUPPRESSED
        histogram = np.zeros((len(boxes), len(self.rows)), dtype=np.int64)
        np.add.at(histogram, (box[kept], value[kept]), n[kept])
        suppressed = np.zeros((len(self.ground), len(self.rows)), dtype=np.int64)
        combination = frequencies.combination_of[key]
        np.add.at(suppressed, (combination[~kept], value[~kept]), n[~kept])
        return boxes, histogram, suppressed

    def in_groups(self, buckets: Bucketing) -> tuple[Counts, Counts]:
        """Give the people of numbered groups of a world, by combination and by value.

        (n_groups, n_combinations) and (n_groups, n_values).
        """
        key, group, people = buckets.kept.T
        n_groups = len(buckets.group_sizes)
        who = np.zeros((n_groups, len(self.ground)), dtype=np.int64)
        np.add.at(who, (group, buckets.combinations.combination_of[key]), people)
        histogram = np.zeros((n_groups, len(self.rows)), dtype=np.int64)
        np.add.at(histogram, (group, self._value_of(buckets.combinations)[key]), people)
        return who, histogram

    def _value_of(self, frequencies: FrequencySet) -> NDArray[np.intp]:
        """Give the number of the value that the people of each counted combination have."""
        rows = np.stack([frequencies.codes(name) for name in self.value_domains], axis=1)
        return np.array([self.number[tuple(row)] for row in rows.tolist()], dtype=np.intp)

    def _counted(
        self, who: NDArray[np.intp], value: NDArray[np.intp], counts: Counts
    ) -> FrequencySet:
        names, sensitive = self.ground.quasi_identifiers, tuple(self.value_domains)
        codes = {name: self.codes[who, j] for j, name in enumerate(names)}
        codes |= {name: self.rows[value, j] for j, name in enumerate(sensitive)}
        return FrequencySet.from_codes(self.domains, names, sensitive, codes, counts)


def grown_alone(rule: Hierarchy, column: str, domain: Domain, codes: Codes) -> tuple[Domain, Codes]:
    """Lay out the values that some people have, as reading these people alone does.

    codes: theirs, in the domain of everybody.
    """
    used = np.unique(codes)
    own, grown = rule.grow(column, [domain.labels[code] for code in used.tolist()])
    return own, np.asarray(grown, dtype=np.int32)[np.searchsorted(used, codes)]


def signature(boxes: NDArray[np.int32], histogram: Counts) -> Signature:
    """Put what is published into a form that can be compared; equal boxes are one."""
    histograms: dict[bytes, Counts] = {}
    for box, row in zip(boxes, histogram, strict=True):
        if row.any():
            key = np.ascontiguousarray(box, dtype=np.int32).tobytes()
            histograms[key] = histograms[key] + row if key in histograms else row
    return {key: row.tobytes() for key, row in histograms.items()}
