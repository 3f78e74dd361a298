"""BCF-anonymizer: the next release of a growing table (Fung 2008, section 5)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self
from weakref import WeakKeyDictionary

from sfumato.algorithms.algorithm import Algorithm, SeriesAlgorithm
from sfumato.algorithms.bcf.against_all import against_all
from sfumato.algorithms.bcf.arrivals import arrived
from sfumato.algorithms.bcf.on_cells import CellPromise
from sfumato.algorithms.bcf.specialization import Score, Specialization
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.refusals import refuse_unsafe_whole
from sfumato.criteria.bcf_anonymity import BCFAnonymity
from sfumato.criteria.criterion import Criterion, together
from sfumato.criteria.judging import reached
from sfumato.data.frequency import FrequencySet, JointGroups
from sfumato.data.naming import Publishes
from sfumato.data.recoding import Recoding
from sfumato.errors import BadInput, Unsatisfiable, nearest, shown
from sfumato.formulas.correspondence.cells import PublishedClasses
from sfumato.formulas.correspondence.earlier_releases import Past, lefts, n_people
from sfumato.formulas.correspondence.pair_flows import attack
from sfumato.formulas.correspondence.pairs import RecordsLeft
from sfumato.parameters import file_path, one_of
from sfumato.published.public_view import NAMED, PublicView, read_previous
from sfumato.text import count, counted

REMEDY = "wait for more records, or start a new chain of releases without the records published"


@dataclass(frozen=True)
class BCFAnonymizer(SeriesAlgorithm):
    """The next release of a growing table: a cut that is safe against all earlier releases.

    Starts at the roots of all trees and replaces a node by its children where that leaves every
    class k records and lets no attack across the releases leave fewer; of all such nodes, the one
    with the best score. At the end no node can be replaced any more; nobody is suppressed. A node
    whose children make a class too small, or break B-anonymity, is dropped for good. One whose
    children break F- or C-anonymity is tried again when the classes that broke it are specialized
    otherwise: a class that nobody is in any more can make it safe, so theorem 5.1 of the paper does
    not hold for these. Without an earlier release this is k-anonymity.

    With one earlier release that is a cut through the same trees, everything is exact in closed
    form. Releases of another kind (regions, local recoding, suppressed rows) are compared by flows,
    exactly and more slowly. With several, each is compared by itself, which decides most
    candidates against, and what passes is judged by all of them at once: k records are left to
    everybody, whenever the person came (`correspondence.remaining`). On large tables that has to be
    shown by a history; what is not shown counts as unsafe. Releases of the same people are versions
    for different recipients: then only F- and C-anonymity count.

    What is promised holds beyond that in every cell, the people who are in the same classes of all
    releases: whoever knows everybody's quasi-identifiers and when they came knows these. k records
    may be everybody's, by worlds that explain all releases; what is said of values holds in every
    such world. Where that would be too much to show, or who came when is not known, no class of an
    earlier release is cut.

    Args:
        previous: The earlier releases in the order of publishing, each of the people before and
            possibly more: releases, or the directories they were saved to. `release.json` names
            them by the digest of what they publish.
        score: "discernibility": the squared sizes of the classes with the node, as in the paper;
            "loss": the information loss that its children save.
        columns: The quasi-identifiers that may be specialized; the others stay at their roots, as
            for a recipient whose purpose does not need them. None: all.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> first = sf.anonymize(patients, sf.BCFAnonymity(5), sf.BCFAnonymizer())
    >>> second = sf.anonymize(patients, sf.BCFAnonymity(5), sf.BCFAnonymizer(previous=[first]))
    >>> bool(second.check())
    True
    """

    previous: tuple[PublicView | str, ...] = ()
    score: Score = "discernibility"
    columns: tuple[str, ...] | None = None

    def __init__(
        self,
        previous: Sequence[object] = (),
        score: Score = "discernibility",
        columns: Sequence[str] | None = None,
    ) -> None:
        object.__setattr__(self, "previous", read_previous(previous))
        one_of("BCFAnonymizer", "score", score, ("discernibility", "loss"))
        object.__setattr__(self, "score", score)
        object.__setattr__(self, "columns", _names(columns))

    @classmethod
    def from_job(cls, parameters: Any, place: Path, where: str) -> Self:
        """Build it with the directories of earlier releases: `previous = ["out/january"]`."""
        method = super().from_job(parameters, place, where)
        previous = [place / file_path(f"{where}.previous", each) for each in method.previous]
        return replace(method, previous=previous)  # type: ignore[arg-type]

    def __str__(self) -> str:
        n = len(self.previous)
        after = [f"after {counted(n, 'release')}"] if n else []
        score = [] if self.score == "discernibility" else [f"score={self.score!r}"]
        columns = [] if self.columns is None else [f"columns={list(self.columns)!r}"]
        return f"BCFAnonymizer({', '.join([*after, *score, *columns])})"

    @property
    def publishes(self) -> Publishes:
        """Nodes of trees."""
        return "nodes"

    @property
    def by_value(self) -> bool:
        """It is a cut."""
        return True

    @property
    def known(self) -> tuple[PublicView, ...] | None:
        """The earlier releases; None where only their names are known."""
        views = tuple(each for each in self.previous if isinstance(each, PublicView))
        return views if len(views) == len(self.previous) else None

    def refuses(self, criterion: Criterion) -> str | None:
        """Also what is not about earlier releases, or needs more than is left of them."""
        if not any(part.by_series for part in criterion.parts):
            return (
                "it publishes against earlier releases, which is what BCFAnonymity(k) asks for; "
                "add it with &"
            )
        if any(part.guarding is not None for part in criterion.parts):
            return "what people guard is not known of the records that are left of a class"
        if not all(part.by_group for part in criterion.parts):
            return (
                "it is about all groups of one table at once, and what earlier releases leave of "
                "classes are not groups of one table: they share people"
            )
        return super().refuses(criterion)

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """Without an earlier release."""
        return (cls(),)

    def after(self, previous: Sequence[object]) -> BCFAnonymizer:
        """Give the same method after other releases."""
        return replace(self, previous=previous)  # type: ignore[arg-type]  # as the caller gave them

    def specializing(self, columns: Sequence[str]) -> BCFAnonymizer:
        """Give the same method for a recipient who needs only some columns."""
        return replace(self, columns=columns)  # type: ignore[arg-type]  # as the caller gave them

    def specialized(self, quasi_identifiers: Sequence[str]) -> Sequence[str]:
        """Give `columns`, or all."""
        return quasi_identifiers if self.columns is None else self.columns

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Specialize until nothing can be specialized any more."""
        del draw
        k, others = promises(criterion)
        self.refuse_unknown(frequencies.quasi_identifiers)
        refuse_unsafe_whole(frequencies, criterion)
        previous = self.earlier_classes(frequencies)

        past = self.past(frequencies) if previous else Past(())
        cells = CellPromise.of(frequencies, past, k, others)
        nested = cells is not None and cells.nested_only

        def begin(earlier: Sequence[PublishedClasses]) -> Specialization:
            search = Specialization(frequencies, earlier, k, others, self.score)
            if nested:
                search.keep_together(past.releases)
            if self.columns is not None:
                search.specialize_only(self.columns)
            return search

        search = begin(previous)
        for against in search.against:
            if not against.fits():
                raise _not_of_this_table(previous.index(against.first))
        refuse_impossible(search, criterion)
        why = None if cells is None else cells.broken(search.classes())
        if why is not None:
            raise Unsatisfiable(
                f"no release that satisfies {criterion} is found: even with everything "
                f"generalized, {why}; {REMEDY}"
            )
        if len(previous) > 1 or cells is not None:
            search = against_all(begin, criterion, past, cells)
        else:
            search.run()
        return replace(search.table.cut, nodes=True)

    def told_by_size(self, frequencies: FrequencySet, k: int) -> Sequence[str]:
        """Specialize where only sizes count: of classes, and of what all releases leave of them."""
        previous = [each.without_values() for each in self.earlier_classes(frequencies)]

        def begin(earlier: Sequence[PublishedClasses]) -> Specialization:
            search = Specialization(frequencies.combinations, earlier, k, None, self.score)
            if self.columns is not None:
                search.specialize_only(self.columns)
            return search

        if len(previous) > 1:
            came = self.past(frequencies).arrived
            past = Past(previous, None if came is None else came.without_values())
            try:
                search = against_all(begin, BCFAnonymity(k), past, None)
            except Unsatisfiable:
                return []
        else:
            search = begin(previous)
            search.run()
        return search.table.told

    def past(self, frequencies: FrequencySet) -> Past:
        """The earlier releases in the ranks of a table, with the verdicts of the search."""
        if frequencies not in self._pasts:
            came = arrived(frequencies, self.known or ())
            self._pasts[frequencies] = Past(self.earlier_classes(frequencies), came)
        return self._pasts[frequencies]

    @cached_property
    def _pasts(self) -> WeakKeyDictionary[FrequencySet, Past]:
        return WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        """What may be pickled: nothing private."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def refuse_unknown(self, quasi_identifiers: Sequence[str]) -> None:
        """Refuse `columns` that the table does not have."""
        for name in self.columns or ():
            if name not in quasi_identifiers:
                raise BadInput(
                    f"columns: {shown(name)} is no quasi-identifier"
                    f"{nearest(name, quasi_identifiers)}"
                )

    def earlier_classes(self, frequencies: FrequencySet) -> list[PublishedClasses]:
        """See the earlier releases in the ranks of a table."""
        classes = []
        for number, each in enumerate(self.previous):
            if not isinstance(each, PublicView):
                what = "only its name is known" if each.startswith(NAMED) else "it was not loaded"
                raise BadInput(
                    f"BCFAnonymizer: earlier release {number + 1} is not at hand ({what}); give "
                    "the release, or the directory it was saved to"
                )
            if each.insensitive:
                raise BadInput(
                    f"BCFAnonymizer: earlier release {number + 1} published "
                    f"{each.insensitive[0]!r} untouched (insensitive), which lets anybody find the "
                    "same record in the next release; start a new chain without such columns"
                )
            classes.append(each.classes_in(frequencies, f"earlier release {number + 1}"))
        people = [*(each.n_rows for each in self.known or ()), frequencies.n_rows]
        for number, (before, after) in enumerate(itertools.pairwise(people)):
            if before > after:
                following = "the table" if number + 2 == len(people) else f"release {number + 2}"
                raise BadInput(
                    f"BCFAnonymizer: earlier release {number + 1} is of "
                    f"{counted(before, 'record')} and {following} of {count(after)}; every release "
                    "is of all records so far, and they are given in the order of publishing"
                )
        return classes


def _names(columns: object) -> tuple[str, ...] | None:
    if columns is None:
        return None
    if (
        isinstance(columns, (str, bytes))
        or not isinstance(columns, Sequence)
        or not all(isinstance(name, str) for name in columns)
    ):
        raise BadInput(f"columns: must be a list of quasi-identifiers, got {shown(columns)}")
    if not columns:
        raise BadInput("columns: name one quasi-identifier at least, or leave them out for all")
    return tuple(dict.fromkeys(columns))


def promises(criterion: Criterion) -> tuple[int, Criterion | None]:
    """Take a criterion apart: the k, and what else is asked of what is left."""
    left = max(part.records_left() or 1 for part in criterion.parts)
    others = [part for part in criterion.parts if not part.by_series]
    return left, together(others) if others else None


def _not_of_this_table(number: int) -> BadInput:
    return BadInput(
        f"BCFAnonymizer: earlier release {number + 1} has records that the table has not; every "
        "release is of all records so far, unchanged"
    )


def refuse_impossible(search: Specialization, criterion: Criterion) -> None:
    """Refuse where even the most general release is not safe, and say why.

    After one cut: a safe release exists if and only if every class of the earlier one has k records
    and k records are new, or none (corollary 5.1, made precise).
    """
    k, previous = search.k, search.previous
    n = search.frequencies.n_rows
    for number, first in enumerate(previous):
        smallest = int(first.sizes.min())
        if smallest < k:
            raise Unsatisfiable(
                f"no release satisfies {criterion}: earlier release {number + 1} has a class of "
                f"{counted(smallest, 'record')}, and no later release can leave more of it; start a"
                " new chain of releases without the records published"
            )
    counts = [*map(n_people, previous), n]
    for number, (before, after) in enumerate(itertools.pairwise(counts)):
        if any(each.n_suppressed for each in previous[number : number + 2]):
            continue  # nobody can tell how many of each value are new
        if 0 < after - before < k:
            new = "the table" if number + 1 == len(previous) else f"earlier release {number + 2}"
            raise Unsatisfiable(
                f"no release satisfies {criterion}: {new} has "
                f"{counted(after - before, 'record')} that earlier release {number + 1} has not, "
                f"fewer than k = {k}, and everybody can tell how many are new; {REMEDY}"
            )
    whole = search.classes()
    for number, first in enumerate(previous):
        for left in lefts(attack(first, whole)):
            _refuse_left(search, criterion, left, number)


def _refuse_left(
    search: Specialization, criterion: Criterion, left: RecordsLeft, number: int
) -> None:
    sizes, histogram = left.counted
    why = f"even with everything generalized, earlier release {number + 1} leaves to somebody"
    if len(sizes) and int(sizes.min()) < search.k:
        # Who was suppressed may be anybody whom the release holds, and a finer one may hold fewer.
        none = f"no release satisfies {criterion}"
        if search.previous[number].n_suppressed:
            none = f"no release that satisfies {criterion} is found"
        raise Unsatisfiable(f"{none}: {why} {counted(int(sizes.min()), 'record')}; {REMEDY}")
    if search.others is not None and len(search.unsafe(sizes, histogram)):
        joint = JointGroups(search.frequencies, sizes, histogram)
        raise Unsatisfiable(
            f"no release that satisfies {criterion} is found: {why} only records of which "
            f"{reached(search.others, joint)}; {REMEDY}"
        )
