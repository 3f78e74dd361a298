"""Top-down specialization: from everything generalized down to as much as is safe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import Algorithm, Minimality
from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups
from sfumato.algorithms.lots import Draw, OwnChances
from sfumato.algorithms.pieces import Decided, Decision, refuse_values_unseen
from sfumato.algorithms.refusals import refuse_unsafe_whole
from sfumato.algorithms.top_down.by_cut import cut, failed_nodes
from sfumato.algorithms.top_down.first_steps import first_steps
from sfumato.algorithms.top_down.in_pieces import cut_in_pieces
from sfumato.algorithms.top_down.local import LocalSpecialization
from sfumato.algorithms.two_tables import Publish, check_publish
from sfumato.criteria.criterion import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.naming import Publishes
from sfumato.data.recoding import InPieces, Recoding
from sfumato.errors import BadInput
from sfumato.parameters import one_of, optional_seed
from sfumato.progress import report
from sfumato.stored_counts import StoredCounts


@dataclass(frozen=True)
class TopDown(Algorithm):
    """Start at the roots of all trees, and go down one node after the other; nobody is suppressed.

    Local: the algorithm for (alpha, k)-anonymity of Wong, Li, Fu and Wang (2006), which Wong 2009,
    section 7.1, attacks, here for any criterion. A group is specialized along one column: its
    people go one level down. Children that are not safe go back to the parent, and where the
    parent is then not safe, some people of the safe children go back with them, as few as needed:
    so people who are alike may be published at different levels. Of all columns the one along
    which most people go down is taken; ties go to the earlier column. What stays at the parent
    stays there for good.

    Who goes back is drawn by lot among all people of the safe children; a child gives only as many
    as leave it safe, or all. Drawing ends when the parent is safe. Then those go home whom the
    parent does not need: kind by kind (a child and a sensitive value), as many as possible, until
    nobody else can. So many of each kind are then drawn by lot among all of that kind. So a lot
    says who, but values say how many of each kind: whoever knows the method knows that an
    (alpha, k)-unsafe remainder was filled up with people whose value is not sensitive, if there
    were any.

    `keep="part"`: of an unsafe child, only as many people go back as leave the others safe, so that
    a part of it goes down; with `keep="whole"` all its people go back. If it is enough that people
    of one value leave, as few as possible do: of the value that takes the fewest, ties to the one
    drawn first. Otherwise people leave in the order of lots until the others are safe, and whoever
    can goes home: value by value, as many as possible. Parts give people to fill up the parent only
    where the safe children have no more. So table IX of Wong 2009 becomes table X: two people are
    generalized instead of six. Where more people never break a criterion (sizes, different values),
    fewer never mend it, and nothing is parted.

    Cut: one cut through the tree of every column, for all people alike. A node is replaced by its
    children where all groups stay safe; of all such nodes, the one that saves the most information
    loss (Wong 2009, definition 7, equal weights); ties go to the earlier column, then to the
    earlier node. At the end no node can be replaced any more.

    `publish="bucketized"`: two tables, one of quasi-identifiers as they are and the number of the
    group, one of the numbers and the sensitive values.

    Every group draws lots of its own, which follow from a secret and from its box: so groups may go
    down in any order, and in pieces as well.

    A `seed` repeats the lots of a local run. It is for experiments: such a release is saved only
    with `experiment=True`, and says so.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.AlphaKAnonymity(0.5, 5), sf.TopDown("cut"))
    >>> len(release.groups), release.n_suppressed
    (3, 0)
    """

    recoding: Literal["local", "cut"] = "local"
    seed: int | None = None
    keep: Literal["whole", "part"] = "whole"
    publish: Publish = "generalized"

    def __post_init__(self) -> None:
        one_of("TopDown", "recoding", self.recoding, ("local", "cut"))
        optional_seed("TopDown", self.seed)
        check_publish("TopDown", self.publish)
        one_of("TopDown", "keep", self.keep, ("whole", "part"))
        if self.recoding == "cut" and self.experiment:
            raise BadInput("TopDown: a cut leaves nothing to chance; drop the seed")
        if self.recoding == "cut" and self.keep == "part":
            raise BadInput(
                'TopDown: a cut recodes all people of a node alike; keep="part" goes with '
                'recoding="local"'
            )

    @property
    def publishes(self) -> Publishes:
        """Nodes of trees."""
        return "nodes"

    @property
    def minimality(self) -> Minimality:
        """No further cut leaves everybody safe; locally, none along the column that was taken."""
        return self.recoding

    def failed_steps(
        self, published: PublishedGroups, criterion: Criterion
    ) -> Iterator[FailedStep] | None:
        """The nodes that were tried and could not be replaced; local recoding depends on lots."""
        return failed_nodes(published, criterion.least_size) if self.recoding == "cut" else None

    @property
    def keeps_alike_together(self) -> bool:
        """By cuts; of a combination, some may stay where others are generalized."""
        return self.recoding == "cut"

    @property
    def deterministic(self) -> bool:
        """A cut is; local recoding draws who goes back."""
        return self.recoding == "cut"

    @property
    def draws_orders(self) -> bool:
        """Who goes back is an order drawn by lot."""
        return True

    @property
    def keeps_guards(self) -> bool:
        """A cut recodes combinations as a whole; local recoding may split them."""
        return self.recoding == "cut" and not self.bucketized

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (cls(), cls(keep="part"), cls("cut"))

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Specialize until nothing can be specialized any more."""
        refuse_unsafe_whole(frequencies, criterion)
        if self.recoding == "cut":
            return cut(frequencies, criterion)
        chances, parts = OwnChances(draw), self.keep == "part"
        return LocalSpecialization(frequencies, criterion, chances, parts=parts).run()

    @property
    def works_in_pieces(self) -> bool:
        """A cut follows from counts that are rolled up; groups go down each for itself."""
        return not self.bucketized

    def search_in_pieces(self, stored: StoredCounts, criterion: Criterion, draw: Draw) -> InPieces:
        """Specialize by what the engine counts; locally, only groups that do not fit."""
        refuse_unsafe_whole(stored.everybody, criterion)
        if self.recoding == "cut":
            return cut_in_pieces(stored, criterion)
        by_value = refuse_values_unseen(stored, criterion, self)
        chances, parts = OwnChances(draw), self.keep == "part"
        regions, final = first_steps(stored, criterion, chances, parts=parts)
        decided = Decided(stored, splits=regions.shares.split, by_value=by_value, halved=True)
        work = _Finishing(criterion, chances, parts, by_value, regions.boxes, final)
        for done, piece in enumerate(stored.worked_on(regions, work), 1):
            decided.add(piece)
            report("specializing", min(done, len(regions)), len(regions))
        return decided.recoding("cuts")


@dataclass(frozen=True, eq=False)
class _Finishing:
    """What is left to be done to a piece, wherever that is done."""

    criterion: Criterion
    chances: OwnChances
    parts: bool
    by_value: bool
    boxes: NDArray[np.int32]  # of the regions
    final: frozenset[int]  # those whose people stay where they are

    def __call__(self, region: int, piece: FrequencySet) -> Decision:
        box = self.boxes[region]
        if region in self.final:
            return Decision.one_group(region, piece, box, whole=False, by_value=self.by_value)
        local = LocalSpecialization(
            piece, self.criterion, self.chances, parts=self.parts, whole=box
        )
        return Decision.about(region, piece, local.run(), whole=False)
