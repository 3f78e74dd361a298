"""What every decision of an algorithm can say about itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes, distinct_rows
from sfumato.data.labels.texts import Labels
from sfumato.data.labels.writer import refuse_misread, side_labels
from sfumato.data.recoding.best_so_far import BestSoFar
from sfumato.data.recoding.instructions import Join, Lookup
from sfumato.errors import BadInput, shown

if TYPE_CHECKING:
    from sfumato.data.recoding.bucketing import Bucketing

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Placement:
    """Who is published as what: how many people of a counted combination are in which box."""

    frequencies: FrequencySet  # what `key` points into
    key: NDArray[np.signedinteger]  # (n,)
    box: NDArray[np.signedinteger]  # (n,) position in `boxes`; -1: suppressed
    people: Counts  # (n,)
    boxes: NDArray[np.int32]  # (n_boxes, n_quasi_identifiers, 2): [low, high] ground ranks
    on_grid: bool = False  # whether sides are written by the cells of their column's grid

    def by_value(self, counted: FrequencySet) -> Placement:
        """Tell people with different sensitive values apart, where no combination is split."""
        if self.frequencies.sensitive:
            return self
        box = np.full(len(self.frequencies), SUPPRESSED)
        box[self.key] = self.box
        every, of = np.arange(len(counted)), counted.combination_of
        return replace(self, frequencies=counted, key=every, box=box[of], people=counted.counts)


def a_recoding(given: object, owner: str) -> Recoding:
    """Refuse what is no recoding; owner: who decided it."""
    if not isinstance(given, Recoding):
        raise BadInput(
            f"{owner}: search must give a recoding, such as Cut.at_levels(domains, levels), or "
            f"raise sf.Unsatisfiable; it gave {shown(given)}"
        )
    return given


class Recoding(ABC):
    """What an algorithm decided: who is published with which values."""

    @property
    def levels(self) -> Mapping[str, int] | None:
        """The level of each column, where one holds for all its values: full-domain recoding."""
        return None

    @property
    def levels_of_most(self) -> Mapping[str, int] | None:
        """The level of each column for everybody but outliers, who are published at the root."""
        return self.levels

    @property
    def n_at_root(self) -> int:
        """Number of outliers who are published with every quasi-identifier at the root."""
        return 0

    @property
    def best_so_far(self) -> BestSoFar | None:
        """How far the search got, where it goes on until the best is proved."""
        return None

    @property
    def changed(self) -> Mapping[str, Codes]:
        """Sensitive columns of which other values are published than people have: with which ones.

        Codes stand in the order of `placement`, and of the parts of `buckets`; -1: their own.
        """
        return {}

    @property
    def n_changed(self) -> int:
        """Number of people who are published with another sensitive value than they have."""
        return 0

    @property
    def own_texts(self) -> Mapping[str, Labels | None]:
        """Texts that boxes were given beforehand, by which they are told apart; none: by sides."""
        return {}

    @property
    def boxes_may_meet(self) -> bool:
        """Whether somebody can lie in two of its boxes."""
        return True

    @property
    def buckets(self) -> Bucketing | None:
        """The numbered groups of a recoding that is published as two tables; None: it is one."""
        return None

    @property
    @abstractmethod
    def splits(self) -> bool:
        """Whether the people of some combination are spread over several groups."""

    @property
    @abstractmethod
    def has_one_box_each(self) -> bool:
        """Whether every combination has one box; if not, the published table says who is where."""

    @property
    @abstractmethod
    def follows_quasi_identifiers(self) -> bool:
        """Whether people of equal quasi-identifiers are together, whatever else is counted."""

    @abstractmethod
    def labels(self, domains: Mapping[str, Domain]) -> Mapping[str, Labels | None]:
        """Published texts of every column, None for a column published as it is.

        What the texts are listed by (ground values or groups) is the recoding's own: `sides` says
        what each stands for, `label_of` which of them a combination gets.
        """

    @abstractmethod
    def sides(self, column: str) -> NDArray[np.int32]:
        """Give the interval of ground ranks that each label of a column stands for: (n, 2)."""

    @abstractmethod
    def label_of(self, column: str, frequencies: FrequencySet) -> NDArray[np.signedinteger]:
        """Give the position of each counted combination's label among those of a column."""

    @abstractmethod
    def label_at(self, column: str, placed: Placement) -> NDArray[np.signedinteger]:
        """Give the position, among those of a column, of the label of everybody who is placed."""

    @abstractmethod
    def as_table(self, domains: Mapping[str, Domain]) -> dict[str, list[Any]]:
        """List values and published values, column by column of the table."""

    @abstractmethod
    def grouping(self, frequencies: FrequencySet) -> Grouping:
        """Say which box each counted combination is published as, if it has one."""

    @abstractmethod
    def n_suppressed(self, frequencies: FrequencySet) -> int:
        """Number of people left out."""

    @abstractmethod
    def published_boxes(self, frequencies: FrequencySet) -> tuple[NDArray[np.int32], Counts]:
        """Give the boxes that are published, each once, and how many people are in each."""

    @abstractmethod
    def placement(self, frequencies: FrequencySet) -> Placement:
        """Say who is published as what."""

    @abstractmethod
    def application(
        self, domains: Mapping[str, Domain], published: Sequence[str], secret: bytes
    ) -> Lookup | Join:
        """Tell an engine how to write the rows; published: the columns, secret: deals people."""

    def sizes(self, frequencies: FrequencySet) -> Counts:
        """Give the number of people in every published group."""
        return self.published_boxes(frequencies)[1]

    def told_grouping(self, frequencies: FrequencySet) -> Grouping:
        """Group as everybody sees it: boxes that are told alike are one."""
        grouping = self.grouping(frequencies)
        boxes = without_hidden(frequencies.domains, frequencies.quasi_identifiers, grouping.boxes)
        if boxes is grouping.boxes:
            return grouping
        boxes, box = distinct_boxes(boxes)
        index = np.where(grouping.index == SUPPRESSED, SUPPRESSED, box[grouping.index])
        return Grouping(frequencies, boxes, index)

    def lows(self, column: str) -> NDArray[np.int32] | None:
        """Give the first rank of each ground value's interval; None: not recoded by value."""
        del column
        return None

    def renumbered(self, secret: bytes) -> Recoding:
        """Number groups as they are published, so that their numbers say nothing else."""
        del secret
        return self

    def without_hidden(self) -> Recoding:
        """Let nothing be told of a column where it would tell a value that cannot be."""
        return self

    def boxes_for_other_data(
        self, frequencies: FrequencySet
    ) -> tuple[NDArray[np.int32], Mapping[str, Labels | None]] | None:
        """Give the boxes that anybody's combination has its place in, and their labels.

        None, where people of this table are put into groups.
        """
        del frequencies
        return None

    def refuse_ambiguous(
        self, labels: Mapping[str, Labels | None], domains: Mapping[str, Domain]
    ) -> None:
        """Refuse labels that would be read as something else than what they were written for."""
        for column, texts in labels.items():
            if texts is not None:
                refuse_misread(column, domains[column], self.sides(column), texts)


def box_labels(
    domains: Mapping[str, Domain],
    columns: Sequence[str],
    boxes: NDArray[np.int32],
    *,
    on_grid: bool = False,
) -> dict[str, Labels | None]:
    """Write the sides of boxes column by column; None for values published as they are."""
    return {
        column: side_labels(domains[column], boxes[:, j], on_grid=on_grid)
        for j, column in enumerate(columns)
    }


def without_hidden(
    domains: Mapping[str, Domain], columns: Sequence[str], boxes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Widen sides that hold a value which cannot be told to the whole column, as they are told."""
    widened = boxes
    for j, column in enumerate(columns):
        held = domains[column].holds_hidden(boxes[:, j, 0], boxes[:, j, 1])
        if held.any():
            widened = widened.copy() if widened is boxes else widened
            widened[held, j] = 0, len(domains[column]) - 1
    return widened


def distinct_boxes(boxes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Give the boxes that differ, in order, and for each box its position among them."""
    rows, index = distinct_rows(boxes.reshape(len(boxes), -1))
    return rows.reshape(-1, *boxes.shape[1:]), index
