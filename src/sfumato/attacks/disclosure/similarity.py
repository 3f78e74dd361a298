"""Similarity: a group's values differ, and are of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.attacks.attack import Threat
from sfumato.attacks.column_attack import ColumnAttack
from sfumato.attacks.finding import Finding, text_of
from sfumato.attacks.target import Target, View
from sfumato.criteria import Criterion
from sfumato.criteria.bound import Bound
from sfumato.criteria.judging import shown_to
from sfumato.data.domain import Domain
from sfumato.data.groups import Histogram
from sfumato.errors import DoesNotApply
from sfumato.formulas.measures.disclosure import largest_rise, most_frequent, under_node
from sfumato.formulas.ranges import as_fractions, ranges
from sfumato.text import people


@dataclass(frozen=True, eq=False)
class Similarity(ColumnAttack):
    """A group's values differ but are close: in a narrow range, or under one node of a tree.

    >>> import pyarrow as pa
    >>> import sfumato as sf
    >>> ward = pa.table({"age": [30, 31, 60, 61], "income": [10, 11, 12, 900]})
    >>> table = sf.read(ward, quasi_identifiers={"age": sf.Intervals(10, 20)}, sensitive="income")
    >>> release = sf.anonymize(table, sf.KAnonymity(2), sf.Samarati())
    >>> finding = sf.attacks.Similarity().run(release)
    >>> finding.unit, finding.found
    ('apart', Fraction(1, 1))
    """

    name: ClassVar[str] = "similarity"
    threat: ClassVar[Threat | None] = "inference"

    def find(self, target: Target) -> Finding:
        """Find the narrowest range, or the node that is believed most."""
        view = target.view(self.attribute, others=self.others)
        domain = view.groups.values
        if not isinstance(domain, Domain):
            raise DoesNotApply("the values have no order and no tree")
        parts = target.parts(view.attribute, others=self.others)
        wide = [part.without_sizes() for part in parts if part.range_wanted() is not None]
        promised = [part for part in wide if part is not None]
        ordered = domain.numbers is not None or promised
        numbers = as_fractions(domain.labels) if ordered else None
        if numbers is not None:
            return self._narrowest(target, view, numbers, promised)
        if domain.taxonomy.height > 1:
            return self._under_one_node(target, view, domain)
        raise DoesNotApply(
            f"no order or tree is known of {view.attribute!r}",
            remedy="read the original with a hierarchy for it (hierarchies=, or "
            "columns.hierarchies in a job file)",
        )

    def _narrowest(
        self,
        target: Target,
        view: View,
        numbers: list[Fraction | None],
        promised: Sequence[Criterion],
    ) -> Finding:
        whole, _ = ranges(numbers, Histogram.from_dense(view.reference[np.newaxis]))
        different, which = ranges(numbers, view.groups.histogram)
        group = int(np.argmin(which))
        unsafe = (
            ~np.all([part.holds(shown_to(part, view.groups)) for part in promised], axis=0)
            if promised
            else None
        )
        codes = view.groups.histogram.rows(group, group + 1).codes.tolist()
        known = [code for code in codes if numbers[code] is not None] or codes
        known.sort(key=lambda code: numbers[code] or Fraction(0))
        wanted = [e for part in promised if (e := part.range_wanted()) is not None]
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(),
            unit="apart",
            before=whole[0],
            found=different[0],
            promised=Bound(">=", max(wanted)) if wanted else None,
            holds=None if unsafe is None else not unsafe.any(),
            n_exceeding=0 if unsafe is None else view.n_in(unsafe),
            n_people=target.n_people,
            worst={
                "group": target.published_labels(int(view.owner[group])),
                "from": view.label(known[0]),
                "to": view.label(known[-1]),
            },
        )

    def _under_one_node(self, target: Target, view: View, domain: Domain) -> Finding:
        rises: list[tuple[Fraction, Fraction, int, int, int]] = []  # the largest of each level
        taxonomy = domain.taxonomy
        differ = view.groups.histogram.n_distinct() > 1
        certain = np.zeros(len(view.sizes), dtype=bool)  # of the kind, where the value is not
        for level in range(1, taxonomy.height):
            lows = taxonomy.low[level]
            nodes = under_node(view.groups.histogram, lows)
            expected = np.zeros(len(domain), dtype=np.int64)
            np.add.at(expected, lows, view.reference)  # (n_values,): people under each node
            kinds, counts = most_frequent(nodes)
            certain |= differ & (counts == view.sizes) & (expected[kinds] < expected.sum())
            entry = largest_rise(view.sizes, nodes, expected)
            group, node = int(nodes.group_of[entry]), int(nodes.codes[entry])
            belief = Fraction(int(nodes.counts[entry]), int(view.sizes[group]))
            before = Fraction(int(expected[node]), int(expected.sum()))
            rises.append((belief, before, group, node, level))
        belief, before, group, node, level = max(rises, key=lambda rise: rise[0] - rise[1])
        return Finding(
            attack=self.called,
            attribute=view.attribute,
            knows=self._knows(),
            unit="belief",
            before=before,
            found=belief,
            promised=None,
            holds=None,
            n_exceeding=0,
            n_people=target.n_people,
            note=_kind_text(view.n_in(certain)),
            worst={
                "group": target.published_labels(int(view.owner[group])),
                "kind of value": text_of(taxonomy.labels[level][node]),
                "belief": belief,
            },
        )


def _kind_text(n: int) -> str | None:
    return f"the kind of value is certain for {people(n)}, though values differ" if n else None
