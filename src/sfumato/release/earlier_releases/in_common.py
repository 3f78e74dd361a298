"""Releases seen in the same ranks and codes: from their public files, or by an original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Histogram
from sfumato.data.labels.grammar import Reading
from sfumato.data.labels.in_common import common_intervals
from sfumato.data.values import published_text, texts_in_common
from sfumato.errors import CannotRun
from sfumato.formulas.correspondence.cells import PublishedClasses
from sfumato.published.public_view import PublicView


@dataclass(frozen=True, eq=False)
class InCommon:
    """One release as the others are seen, and what its boxes were published as."""

    release: PublicView
    boxes: NDArray[np.int32]  # (n_combinations, d, 2)
    classes: PublishedClasses
    public: bool  # seen by what is published alone

    def label(self, place: int) -> dict[str, str | None]:
        """Give the published quasi-identifiers of a class."""
        same = (self.boxes == self.classes.boxes[place]).all(axis=(1, 2))
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
    texts = {name: _texts(name, releases) for name in last.sensitive}
    codes = [
        _values(
            each.seen.frequencies, {name: several[j] for name, several in texts.items()}, values
        )
        for j, each in reversed(list(enumerate(releases)))
    ][::-1]
    views = []
    for j, each in enumerate(releases):
        own = each.seen.frequencies
        boxes = np.stack([column[j] for column in sides], axis=1)
        shape = (len(boxes), max(1, len(values)))
        histogram = Histogram.from_entries(own.combination_of, codes[j], own.counts, shape)
        published = PublishedClasses.of(boxes, histogram, each.n_suppressed)
        views.append(InCommon(each, boxes, published, public=True))
    return views


def by_original(releases: Sequence[PublicView], frequencies: FrequencySet) -> list[InCommon]:
    """See releases in the ranks of the table that the last one was made from.

    Raises:
        BadInput: A published value is none of the table's.
    """
    views = []
    for number, each in enumerate(releases):
        name = f"earlier release {number + 1}" if number + 1 < len(releases) else "the release"
        own = number + 1 == len(releases)
        boxes = each.boxes(frequencies, name, own_names=own)
        published = each.classes_in(frequencies, name, own_names=own)
        views.append(InCommon(each, boxes, published, public=False))
    return views


def _sides(column: str, releases: Sequence[PublicView]) -> list[NDArray[np.int32]]:
    """Give the sides of all boxes in one column, for every release."""
    frequencies = [each.seen.frequencies.combinations for each in releases]
    texts = [[published_text(label) for label in f.domains[column].labels] for f in frequencies]
    rules = [each.hierarchies.get(column) for each in releases]
    readings: list[Reading | None] = ["any" if rule is None else rule.texts for rule in rules]
    paths = [path for rule in rules if rule is not None for path in rule.public_paths]
    marks = {each.categories for each in releases}
    same_names = len(marks) == 1 and None not in marks
    intervals = common_intervals(column, texts, readings, paths, same_names=same_names)
    return [each[f.codes(column)] for each, f in zip(intervals, frequencies, strict=True)]


def _texts(column: str, releases: Sequence[PublicView]) -> list[list[str | None]]:
    """Give the values of a sensitive column in every release, the same value as the same text."""
    return texts_in_common([each.seen.frequencies.domains[column].labels for each in releases])


def _values(
    own: FrequencySet,
    texts: Mapping[str, Sequence[str | None]],
    values: dict[tuple[str | None, ...], int],
) -> NDArray[np.int32]:
    """Number what people have in the sensitive columns, the same in all releases; (n,)."""
    people = own.persons_values
    place = [own.sensitive.index(name) for name in texts]
    codes = [
        values.setdefault(
            tuple(each[row[j]] for each, j in zip(texts.values(), place, strict=True)), len(values)
        )
        for row in people.codes.tolist()
    ]
    return np.array(codes, dtype=np.int32)[people.of_key]
