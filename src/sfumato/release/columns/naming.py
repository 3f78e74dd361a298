"""What a release may name of the values of open columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.algorithms import Algorithm
from sfumato.criteria import Criterion
from sfumato.data.hierarchy import Flat, whole_rules
from sfumato.data.labels.grammar import EVERY_VALUE, OTHER, Name, names_in, parse
from sfumato.data.naming import FEWEST
from sfumato.published.public_view import PublicView
from sfumato.table import Table


def fewest_named(criterion: Criterion) -> int:
    """Give how many people have to share a text that a release names."""
    return max(FEWEST, criterion.least_size)


def naming_many(table: Table, criterion: Criterion, method: Algorithm) -> Table:
    """See a table as a method may publish it: see `sfumato.data.naming`.

    Two tables of people and of values name quasi-identifiers as they are.
    """
    if method.bucketized:
        return table.before_naming
    fewest, size = fewest_named(criterion), criterion.least_size
    return table.naming_many(fewest, method.publishes, method.names_in, in_groups=size)


def naming_what_is_named(
    table: Table, view: PublicView, earlier: Sequence[PublicView] = (), *, certainly: bool = False
) -> Table:
    """See another table by the texts without an order that a release names; the rest is `other`.

    A text that a release does not show may be one that it names all the same: those who have it
    were suppressed, or are published as `*`.

    Args:
        table: The other table.
        view: The release.
        earlier: Others; those with the same mark name the same texts.
        certainly: Only what the release cannot name is `other`; else all that it may not name.
    """
    views = [view, *(each for each in earlier if view.categories == each.categories is not None)]
    ground = table.before_naming

    def named(column: str) -> frozenset[str] | None:
        domain = ground.domains[column]
        if column not in view.seen.frequencies.domains or not domain.is_category:
            return None
        texts = frozenset(domain.texts)
        if view.rest is not None and column not in view.rest:
            return texts  # `other` is a text like any other
        if not certainly or (view.rest is not None and not _may_hide_a_name(view, column)):
            labels = [each.seen.frequencies.domains[column].labels for each in views]
            return frozenset(name for each in labels for name in _named_by(each))
        if view.rest is None:  # what is called `other` is it, whatever that stands for
            return texts - {OTHER}
        return frozenset(text for text in texts if text.casefold() != OTHER)

    return table.naming_many(FEWEST, "read", named)


def _may_hide_a_name(view: PublicView, column: str) -> bool:
    """Whether so many people are suppressed, or `*` in a column, that they may share a name."""
    if view.categories is not None:  # fixed by another table, in which others had it
        least = 1
    else:
        rule = whole_rules(view.hierarchies).get(column, Flat())
        promised = FEWEST if view.criterion is None else fewest_named(view.criterion)
        least = max(promised, rule.fewest_named)
    seen = view.seen.frequencies
    hidden = np.array([_says_nothing(label) for label in seen.domains[column].labels])
    return int(seen.counts[hidden[seen.codes(column)]].sum()) + view.n_suppressed >= least


def _says_nothing(label: object) -> bool:
    return isinstance(label, str) and parse(label).part == EVERY_VALUE


def _named_by(labels: Sequence[object]) -> set[str]:
    """Give the texts that published labels name."""
    parsed = [parse(label) for label in labels if isinstance(label, str)]
    return {name.text for each in parsed for name in names_in(each) if name != Name(OTHER)}
