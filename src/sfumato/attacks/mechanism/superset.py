"""Running a method again on every set of people of a list who may be those in a release.

Wong's superset case, of which the paper has formulas for minimality alone: a list has more people
than the table, and nobody knows who of them is in it. Every set of as many people as were published
is as likely as any other before, and counts as often as the method publishes the release on its
worlds. A table is read with the values of its own people, so what is compared are published texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms import Algorithm
from sfumato.attacks.known_method.by_class import ClassBelief
from sfumato.attacks.known_method.membership import fitting_pairs
from sfumato.attacks.matching import boxes_in
from sfumato.attacks.mechanism.population import grown_alone
from sfumato.attacks.mechanism.replaying import TOO_MANY, Replay
from sfumato.attacks.mechanism.worlds import fewest_tables, suppressed_sets
from sfumato.attacks.target import Target
from sfumato.criteria import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Counts
from sfumato.data.hierarchy import Flat, Hierarchy, whole_rules
from sfumato.data.labels.grammar import OTHER, Name, parse
from sfumato.data.recoding import Recoding
from sfumato.data.values import published_text
from sfumato.errors import CannotRun
from sfumato.progress import report
from sfumato.table import Table

Texts = tuple[str | None, ...]


class ListReplay:
    """Goes through the people who may be in a release."""

    def __init__(
        self, target: Target, external: Table, method: Algorithm, enforced: Criterion, most: int
    ) -> None:
        if target.n_suppressed:
            raise CannotRun(
                "rows were suppressed, so who on the list is in no group may be one of them; how "
                "that was decided is not worked out for lists"
            )
        _refuse_unworked_names(target, external)
        self.target, self.method, self.enforced, self.left = target, method, enforced, most
        self.rules = _rules(target, external)
        self.ground = external.combinations()
        names = self.ground.quasi_identifiers
        self.codes = np.stack([self.ground.codes(name) for name in names], axis=1)
        self.boxes = boxes_in(external.domains, target.seen)
        fits = np.zeros(len(self.ground), dtype=bool)
        fits[fitting_pairs(self.ground, self.boxes)[:, 0]] = True
        self.fits, self.counts = fits, np.where(fits, self.ground.counts, 0)
        self.n_absent = int(self.counts.sum()) - target.n_people

    def run(self, attribute: str) -> list[ClassBelief]:
        """Give what is believed of everybody on the list who may be in a group."""
        total: Fraction = Fraction(0)
        seen = self.target.seen.frequencies
        j = seen.sensitive.index(attribute)
        believed: list[dict[int, Fraction]] = [{} for _ in self.counts]
        for done, present in enumerate(self._sets()):
            report("running the method on people of the list", done)
            replay, own = self._replay(present)
            if replay is None:
                continue
            weight, expected = replay.weigh()
            self.left = replay.left
            chosen = zip(self.counts.tolist(), present.tolist(), strict=True)
            ways = math.prod(math.comb(n, k) for n, k in chosen)
            total += weight * ways
            domain = replay.values.domains[attribute]
            for v, code in enumerate(replay.values.rows[:, j].tolist()):
                name = seen.domains[attribute].code_of(domain.labels[code])
                assert name is not None  # noqa: S101  (it was published)
                for i, kind in enumerate(own):
                    if expected[i, v]:
                        mine = believed[kind]
                        mine[name] = mine.get(name, Fraction(0)) + ways * expected[i, v]
        if not total:
            raise CannotRun(
                "of no people on the list does the method publish this; the release was made "
                "another way than it says, or of others"
            )
        classes = []
        low, high = self.boxes[:, :, 0], self.boxes[:, :, 1]
        for kind in np.flatnonzero(self.fits).tolist():
            n, row = int(self.counts[kind]), self.codes[kind]
            shares = {code: share / total / n for code, share in believed[kind].items()}
            inside = np.flatnonzero(((row >= low) & (row <= high)).all(axis=1))
            classes.append(ClassBelief(int(inside[0]), kind, n, shares or {0: Fraction(0)}))
        return classes

    def _sets(self) -> Iterator[Counts]:
        """Give every number of people by combination who may be in the table."""
        if self.n_absent < 0:
            raise CannotRun("the people on the list do not fill the published groups")
        some = self.counts[self.fits]
        both = np.array([self.n_absent, int(some.sum()) - self.n_absent])
        if fewest_tables(some, both, self.left) > self.left or self.n_absent > self.left:
            raise CannotRun(TOO_MANY)
        for n, absent in enumerate(suppressed_sets(self.fits, self.counts, self.n_absent)):
            if n >= self.left:
                raise CannotRun(TOO_MANY)
            yield self.counts - absent

    def _replay(self, present: Counts) -> tuple[_OnTexts | None, list[int]]:
        """See some people as a table of their own; also which kinds of the list these are."""
        kinds = np.flatnonzero(present)
        domains, codes = {}, {}
        for j, name in enumerate(self.ground.quasi_identifiers):
            rule, everybody = self.rules.get(name, Flat()), self.ground.domains[name]
            domains[name], codes[name] = grown_alone(rule, name, everybody, self.codes[kinds, j])
        names = self.ground.quasi_identifiers
        ground = FrequencySet.from_codes(domains, names, (), codes, present[kinds])
        rows = np.stack([codes[name] for name in names], axis=1).tolist()
        kind_of = {tuple(row): int(kind) for row, kind in zip(rows, kinds, strict=True)}
        shown = np.stack([ground.codes(name) for name in names], axis=1).tolist()
        own = [kind_of[tuple(row)] for row in shown]
        try:
            replay = _OnTexts(
                self.target, ground, self.rules, self.method, self.enforced, self.left
            )
        except CannotRun:  # a published text that these people have no value for
            if self.ground.n_rows > self.left:
                raise
            return None, own
        return replay, own


class _OnTexts(Replay):
    """Compares what is published by its texts: other people have other ranks."""

    def is_same(
        self,
        recoding: Recoding,
        frequencies: FrequencySet,
        boxes: NDArray[np.int32],
        histogram: Counts,
    ) -> bool:
        """Whether a recoding of a world publishes the same texts with the same values."""
        if not recoding.has_one_box_each:
            raise CannotRun(
                "people who are alike may be in several groups; which texts these get is not "
                "worked out for lists"
            )
        index = recoding.grouping(frequencies).index
        labels = recoding.labels(frequencies.domains)
        columns = []
        for name in frequencies.quasi_identifiers:
            own, domain = labels[name], frequencies.domains[name]
            if own is None:
                texts = [published_text(domain.labels[c]) for c in frequencies.codes(name).tolist()]
            else:
                places = own.index[recoding.label_of(name, frequencies)].tolist()
                texts = [own.texts[place] for place in places]
            columns.append(texts)
        histograms: dict[Texts, Counts] = {}
        for box in range(len(boxes)):
            members = np.flatnonzero(index == box)
            if len(members) and histogram[box].any():
                key = tuple(texts[int(members[0])] for texts in columns)
                histograms[key] = histograms.get(key, 0) + histogram[box]
        same = {
            tuple(self.target.published_labels(group).values()): row
            for group, row in enumerate(self.values.histogram)
        }
        return histograms.keys() == same.keys() and all(
            np.array_equal(histograms[key], same[key]) for key in same
        )


def _refuse_unworked_names(target: Target, external: Table) -> None:
    """Refuse texts of the data of which it depends on who is in the table whether they are named.

    Where every label is one text, the release itself says how many people have it.
    """
    rest = frozenset() if target.own is None else target.own.rest
    for column in target.seen.frequencies.quasi_identifiers:
        domain = external.before_naming.domains[column]
        if domain.closed or domain.numbers is not None:
            continue
        labels = target.seen.frequencies.domains[column].labels
        parts = {parse(label).part for label in labels if isinstance(label, str)}
        told = rest is not None and column not in rest
        if not all(isinstance(each, Name) and (told or each.text != OTHER) for each in parts):
            raise CannotRun(
                f"which texts of {column!r} are named depends on who is in the table, and that is "
                "not worked out for lists"
            )


def _rules(target: Target, external: Table) -> Mapping[str, Hierarchy]:
    """Give the hierarchies: of the list, and of values the original's or the public ones."""
    known: Mapping[str, Hierarchy] = {}
    if target.original is not None:
        known = target.original.schema.hierarchies
    elif target.own is not None:
        known = whole_rules(target.own.hierarchies)
    return {**known, **external.schema.hierarchies}
