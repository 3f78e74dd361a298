"""What everybody sees of a release, in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sfumato.criteria.criterion import Criterion
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.groups import Histogram
from sfumato.data.hierarchy import PublicRule
from sfumato.data.labels.grammar import OTHER, Name, names_in, parse
from sfumato.data.labels.reader import LabelReader, sides_of
from sfumato.data.values import text_in_all_formats
from sfumato.errors import BadInput, shown
from sfumato.formulas.correspondence.cells import PublishedClasses

NAMED = "sha256:"
MadeOf = Callable[[], tuple[FrequencySet, ...]]


def not_known() -> tuple[FrequencySet, ...]:
    """Say that it is not known what a release was made of."""
    return ()


@dataclass(frozen=True, eq=False)
class PublicView:
    """The public view of a release: published rows by their labels, and how many were suppressed.

    `made_of` gives what the release was made of, if that is known, in any number of parts. It is
    private and stays in memory: with it, what is left to everybody is found faster (`arrivals`).
    It is counted when somebody asks.
    """

    seen: Grouping  # by the published texts
    n_suppressed: int
    insensitive: tuple[str, ...] = ()  # columns that were published untouched
    made_of: MadeOf = field(default=not_known, repr=False)
    hierarchies: Mapping[str, PublicRule] = field(default_factory=dict)
    method: object = None  # the `Algorithm` that the release names; None: not known
    criterion: Criterion | None = None  # that it was made to satisfy
    categories: str | None = None  # releases with the same mark name the same texts
    rest: frozenset[str] | None = None  # columns whose `other` is all not named; None: not told
    true_values: bool = True  # whether people are published with their own sensitive values

    def __getstate__(self) -> dict[str, Any]:
        """What may be pickled: nothing private."""
        public = {each.name: getattr(self, each.name) for each in fields(self)}
        return public | {"made_of": not_known}

    def knowing(self, people: tuple[FrequencySet, ...]) -> PublicView:
        """See the release with what it was made of."""
        return replace(self, made_of=lambda: people)

    @property
    def people(self) -> tuple[FrequencySet, ...]:
        """What the release was made of; empty: not known."""
        return self.made_of()

    @cached_property
    def _in_ranks(
        self,
    ) -> WeakKeyDictionary[FrequencySet, dict[bool, tuple[NDArray[np.int32], PublishedClasses]]]:
        """Boxes and classes by the table in whose ranks they are seen, and by `own_names`."""
        return WeakKeyDictionary()

    @property
    def n_rows(self) -> int:
        """Number of people the release is about, the suppressed ones too."""
        return self.seen.frequencies.n_rows + self.n_suppressed

    @cached_property
    def digest(self) -> str:
        """Name the release by what it says: the same made, saved and loaded, in any format."""
        frequencies = self.seen.frequencies
        columns = []
        for name in frequencies.columns:
            texts = [text_in_all_formats(label) for label in frequencies.domains[name].labels]
            columns.append([texts[code] for code in frequencies.codes(name)])
        rows = sorted(zip(*columns, frequencies.counts.tolist(), strict=True), key=repr)
        written = json.dumps([frequencies.columns, self.n_suppressed, rows], ensure_ascii=True)
        return NAMED + hashlib.sha256(written.encode()).hexdigest()

    def __str__(self) -> str:
        return self.digest

    def classes_in(
        self, frequencies: FrequencySet, name: str, *, own_names: bool = False
    ) -> PublishedClasses:
        """See the classes in the ranks and codes of another table of the same people and more.

        Args:
            frequencies: The table.
            name: How messages call the release.
            own_names: Whether it is the table that the release was made from, so that what stands
                for unnamed values stands for the same ones in both.

        Raises:
            BadInput: It has other columns, or values that the table and its hierarchies have not.
        """
        return self._seen_in(frequencies, name, own_names)[1]

    def boxes(
        self, frequencies: FrequencySet, name: str, *, own_names: bool = False
    ) -> NDArray[np.int32]:
        """See the published combinations of quasi-identifiers in the ranks of another table."""
        return self._seen_in(frequencies, name, own_names)[0]

    def _seen_in(
        self, frequencies: FrequencySet, name: str, own_names: bool
    ) -> tuple[NDArray[np.int32], PublishedClasses]:
        seen = self._in_ranks.setdefault(frequencies, {})
        if own_names not in seen:
            boxes = self._boxes(frequencies, name, own_names)
            seen[own_names] = boxes, self._classes(frequencies, name, boxes)
        return seen[own_names]

    def _classes(
        self, frequencies: FrequencySet, name: str, boxes: NDArray[np.int32]
    ) -> PublishedClasses:
        own = self.seen.frequencies
        value = self._values(frequencies, name)
        shape = (len(boxes), len(frequencies.persons_values.codes))
        histogram = Histogram.from_entries(own.combination_of, value, own.counts, shape)
        return PublishedClasses.of(boxes, histogram, self.n_suppressed)

    def _boxes(self, frequencies: FrequencySet, name: str, own_names: bool) -> NDArray[np.int32]:
        own = self.seen.frequencies
        refuse_other_columns(f"BCFAnonymizer: {name}", own, "the table", frequencies)
        classes = own.combinations
        sides = []
        for column in frequencies.quasi_identifiers:
            labels = own.domains[column].labels
            domain = frequencies.domains[column]
            reader = LabelReader(domain)
            intervals = [
                reader.interval(label)
                if own_names or not self._is_other_elsewhere(label, domain)
                else None
                for label in labels
            ]
            _refuse_unknown(name, column, labels, intervals)
            ends = sides_of([each for each in intervals if each is not None])
            sides.append(ends[classes.codes(column)])
        return np.stack(sides, axis=1)

    def _is_other_elsewhere(self, label: object, domain: Domain) -> bool:
        """Whether a text stands for values that are not named, and these may be others here."""
        names = names_in(parse(label)) if isinstance(label, str) else ()
        if not domain.ground.is_category or Name(OTHER) not in names:
            return False
        rest = domain.ground.rest
        return rest is None or rest.mark is None or rest.mark != self.categories

    def _values(self, frequencies: FrequencySet, name: str) -> np.ndarray:
        """Give the combination of sensitive values, as the table numbers them, of every key."""
        own = self.seen.frequencies
        columns = []
        for column in frequencies.sensitive:
            labels = own.domains[column].labels
            codes = [frequencies.domains[column].code_of(label) for label in labels]
            _refuse_unknown(name, column, labels, codes)
            columns.append([codes[code] for code in own.codes(column).tolist()])
        if not columns:
            return np.zeros(len(own), dtype=np.int32)
        values = frequencies.persons_values.codes.tolist()
        numbers = {tuple(each): number for number, each in enumerate(values)}
        combinations = [numbers.get(each) for each in zip(*columns, strict=True)]
        if None in combinations:
            raise _does_not_fit(name, " and ".join(frequencies.sensitive), [])
        return np.array(combinations, dtype=np.int32)


def refuse_other_columns(
    name: str, own: FrequencySet, whole: str, frequencies: FrequencySet
) -> None:
    """Refuse a release that has other columns than what it is compared with, called `whole`."""
    for role, here, there in (
        ("quasi-identifiers", frequencies.quasi_identifiers, own.quasi_identifiers),
        ("sensitive columns", frequencies.sensitive, own.sensitive),
    ):
        if set(here) != set(there):
            raise BadInput(
                f"{name} has other {role} ({_listed(there)}) than {whole} ({_listed(here)}); "
                "releases can be compared only column by column"
            )


def _refuse_unknown(
    name: str, column: str, labels: Sequence[object], counterparts: Sequence[object]
) -> None:
    """Refuse values for which nothing was found."""
    unknown = [label for label, each in zip(labels, counterparts, strict=True) if each is None]
    if unknown:
        raise _does_not_fit(name, column, unknown)


def _does_not_fit(name: str, column: str, values: Sequence[object]) -> BadInput:
    return BadInput(
        f"BCFAnonymizer: {name} does not fit the table: it has a value of {column!r} that neither "
        "the table nor its hierarchy has; every release is of all records so far, and the "
        "hierarchies stay the same",
        list(values),
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def read_previous(previous: object) -> tuple[PublicView | str, ...]:
    """Read what a method was given: releases, directories of saved ones, or names of releases."""
    if isinstance(previous, (str, bytes)) or not isinstance(previous, Sequence):
        raise BadInput(
            f"BCFAnonymizer: previous must be a list of releases or of their directories, in the "
            f"order of publishing, got {shown(previous)}"
        )
    previous_views: list[PublicView | str] = []
    for each in previous:
        if hasattr(each, "__fspath__") or isinstance(each, str):
            previous_views.append(str(each))
            continue
        seen = each if isinstance(each, PublicView) else getattr(each, "public_view", None)
        if not isinstance(seen, PublicView):
            raise BadInput(
                "BCFAnonymizer: previous must hold releases, or the directories of saved ones, got "
                f"{shown(each)}"
            )
        if not seen.true_values:
            raise BadInput(
                f"BCFAnonymizer: previous holds a release by {seen.method}, which changes values; "
                "releases are compared by values that are people's own"
            )
        previous_views.append(seen)
    return tuple(previous_views)
