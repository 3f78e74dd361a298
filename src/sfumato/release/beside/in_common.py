"""Releases seen in the same ranks and codes: from their public files, or by an original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import as_number, number_text
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Histogram
from sfumato.data.labels.in_common import common_intervals
from sfumato.errors import CannotRun
from sfumato.formulas.correspondence.cells import PublishedClasses
from sfumato.published.public_view import PublicView, published_text


@dataclass(frozen=True, eq=False)
class InCommon:
    """One release as the others are seen, and what its boxes were published as."""

    release: PublicView
    boxes: NDArray[np.int32]  # (n_combinations, d, 2)
    published: PublishedClasses
    public: bool  # seen by what is published alone

    def label(self, place: int) -> dict[str, str | None]:
        """Give the published quasi-identifiers of a class."""
        same = (self.boxes == self.published.boxes[place]).all(axis=(1, 2))
        combinations = self.release.seen.frequencies.combinations
        first = int(np.flatnonzero(same)[0])
        return {
            column: published_text(domain.labels[int(combinations.codes(column)[first])])
            for column, domain in combinations.domains.items()
        }


def in_public(releases: Sequence[PublicView]) -> list[InCommon]:
    """See releases as everybody can who has nothing but them.

    The last one decides the order of columns, and its sensitive values are numbered as its own
    `persons_values` are; values that it has not come behind.

    Raises:
        CannotRun: They have other columns, or what they publish cannot be compared.
    """
    last = releases[-1].seen.frequencies
    for each in releases:
        own = each.seen.frequencies
        if set(own.columns) != set(last.columns) or set(own.sensitive) != set(last.sensitive):
            raise CannotRun(
                "the releases have different columns, or in different roles; they can be compared "
                "only column by column"
            )
    sides = [_sides(column, releases) for column in last.quasi_identifiers]  # (d, releases)
    values: dict[tuple[str | None, ...], int] = {}
    numbers = {name: _numbers(name, releases) for name in last.sensitive}
    codes = [_values(each, numbers, values) for each in reversed(releases)][::-1]
    found = []
    for j, each in enumerate(releases):
        own = each.seen.frequencies
        boxes = np.stack([column[j] for column in sides], axis=1)
        shape = (len(boxes), max(1, len(values)))
        histogram = Histogram.from_entries(own.combination_of, codes[j], own.counts, shape)
        published = PublishedClasses.of(boxes, histogram, each.n_suppressed)
        found.append(InCommon(each, boxes, published, public=True))
    return found


def by_original(releases: Sequence[PublicView], frequencies: FrequencySet) -> list[InCommon]:
    """See releases in the ranks of the table that the last one was made from.

    Raises:
        BadInput: A published value is none of the table's.
    """
    found = []
    for number, each in enumerate(releases):
        name = f"earlier release {number + 1}" if number + 1 < len(releases) else "the release"
        boxes, published = each.boxes(frequencies, name), each.published(frequencies, name)
        found.append(InCommon(each, boxes, published, public=False))
    return found


def _sides(column: str, releases: Sequence[PublicView]) -> list[NDArray[np.int32]]:
    """Give the sides of all boxes in one column, for every release."""
    frequencies = [each.seen.frequencies.combinations for each in releases]
    texts = [[published_text(label) for label in f.domains[column].labels] for f in frequencies]
    rules = [each.hierarchies.get(column) for each in releases]
    specs = [None if rule is None else rule.spec() for rule in rules]
    intervals = common_intervals(column, texts, specs)
    return [each[f.codes(column)] for each, f in zip(intervals, frequencies, strict=True)]


def _numbers(column: str, releases: Sequence[PublicView]) -> set[str]:
    """Texts of the values that are numbers in some release; in a text file 1e-07 may be one."""
    labels = {label for each in releases for label in each.seen.frequencies.domains[column].labels}
    return {
        str(published_text(label))
        for label in labels
        if label is not None and not isinstance(label, (str, bool))
    }


def _value_text(label: object, numbers: set[str]) -> str | None:
    number = as_number(label) if isinstance(label, str) else None
    text = None if number is None else number_text(number)
    return text if text in numbers and str(label) not in numbers else published_text(label)


def _values(
    release: PublicView, numbers: Mapping[str, set[str]], values: dict[tuple[str | None, ...], int]
) -> NDArray[np.int32]:
    """Number what people have in the sensitive columns, the same in all releases; (n,)."""
    own = release.seen.frequencies
    people = own.persons_values
    texts = [
        [_value_text(label, known) for label in own.domains[name].labels]
        for name, known in numbers.items()
    ]
    place = [own.sensitive.index(name) for name in numbers]
    codes = [
        values.setdefault(
            tuple(each[row[j]] for each, j in zip(texts, place, strict=True)), len(values)
        )
        for row in people.codes.tolist()
    ]
    return np.array(codes, dtype=np.int32)[people.of_key]
