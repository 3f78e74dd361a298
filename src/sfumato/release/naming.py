"""What a release may name of the values of open columns."""

from __future__ import annotations

from sfumato.algorithms import Algorithm
from sfumato.criteria import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.labels.grammar import OTHER, Members, Name, parse
from sfumato.data.naming import FEWEST
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


def naming_what_is_named(table: Table, published: FrequencySet) -> Table:
    """See another table by the texts without an order that a release names; all else is `other`."""

    def named(column: str) -> frozenset[str] | None:
        if column not in published.domains:
            return None
        labels = published.domains[column].labels
        return frozenset(name for label in labels for name in _names(label))

    return table.naming_many(FEWEST, "read", named)


def _names(label: object) -> list[str]:
    part = parse(label).part if isinstance(label, str) else None
    names = part.names if isinstance(part, Members) else (part,)
    return [n.text for n in names if isinstance(n, Name) and n != Name(OTHER)]
