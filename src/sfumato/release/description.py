"""The public description of a release: `release.json`.

An informed adversary is assumed to know all of it; nothing else of the original is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.algorithms import ALGORITHMS, Algorithm
from sfumato.criteria import CRITERIA, Criterion
from sfumato.criteria.base import together
from sfumato.data.domain import Domain
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.keys import distinct_rows
from sfumato.data.recoding import Recoding
from sfumato.errors import BadInput
from sfumato.spec import from_spec
from sfumato.table import Table

FORMAT = 1


@dataclass(frozen=True, eq=False)
class Description:
    """What is said about a release in public."""

    columns: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    hierarchies: Mapping[str, Any]  # as far as they are public
    recoded: tuple[str, ...]  # columns whose values are published as generalized text
    text: tuple[str, ...]  # columns that hold codes or generalized text, not numbers
    criterion: Criterion
    method: Algorithm
    n_rows: int
    n_suppressed: int
    levels: Mapping[str, int] | None

    @classmethod
    def of(
        cls, table: Table, recoding: Recoding, criterion: Criterion, method: Algorithm
    ) -> Description:
        """Describe what a recoding of a table will publish."""
        frequencies = table.frequencies()
        recoding.refuse_ambiguous(table.domains)
        labels = recoding.labels(table.domains)
        n_suppressed = recoding.n_suppressed(frequencies)
        recoded = tuple(column for column, texts in labels.items() if texts is not None)
        return cls(
            table.schema.published,
            table.schema.quasi_identifiers,
            table.schema.sensitive,
            _public_hierarchies(table, recoding) | _of_sensitive(table, criterion),
            recoded,
            tuple(c for c in table.schema.published if c in table.codes or c in recoded),
            criterion,
            method,
            frequencies.n_rows - n_suppressed,
            n_suppressed,
            recoding.levels,
        )

    def rules(self) -> dict[str, Hierarchy]:
        """The hierarchies that are public as a whole."""
        return {
            name: Hierarchy.from_spec(spec, f"hierarchies.{name}")
            for name, spec in self.hierarchies.items()
            if "paths" not in spec
        }

    def to_json(self) -> dict[str, Any]:
        """Write it down."""
        return {
            "sfumato": FORMAT,
            "rows": self.n_rows,
            "suppressed": self.n_suppressed,
            "columns": list(self.columns),
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.sensitive),
            "recoded": list(self.recoded),
            "text": list(self.text),
            "levels": None if self.levels is None else dict(self.levels),
            "hierarchies": dict(self.hierarchies),
            "criteria": self.criterion.spec(),
            "method": self.method.spec(),
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any], where: str) -> Description:
        """Read it back."""
        if written.get("sfumato") != FORMAT:
            raise BadInput(f"{where}: not a release this version can read")
        try:
            parts = [from_spec(CRITERIA, spec, where) for spec in written["criteria"]]
            criterion = together(parts)
            return cls(
                tuple(written["columns"]),
                tuple(written["quasi_identifiers"]),
                tuple(written["sensitive"]),
                dict(written["hierarchies"]),
                tuple(written["recoded"]),
                tuple(written["text"]),
                criterion,
                from_spec(ALGORITHMS, written["method"], where),
                int(written["rows"]),
                int(written["suppressed"]),
                written["levels"],
            )
        except (KeyError, TypeError, IndexError, AttributeError):
            raise BadInput(f"{where}: damaged; a part of the description is missing") from None


def _public_hierarchies(table: Table, recoding: Recoding) -> dict[str, Any]:
    """Say of every quasi-identifier's hierarchy what the release itself shows.

    An open rule is its parameters. A closed tree is the paths from published nodes up to the
    root: a value below them, or one that only suppressed people have, is not named.
    """
    boxes, _ = recoding.published_boxes(table.frequencies())
    shown: dict[str, Any] = {}
    for j, name in enumerate(table.schema.quasi_identifiers):
        domain = table.domains[name]
        if not domain.closed:
            shown[name] = table.schema.hierarchies[name].spec()
            continue
        level = None if recoding.levels is None else recoding.levels[name]
        sides = distinct_rows(boxes[:, j])[0].tolist()
        paths = {path for low, high in sides for path in _paths(domain, low, high, level)}
        shown[name] = {"paths": sorted(map(list, paths), key=str)}
    return shown


def _of_sensitive(table: Table, criterion: Criterion) -> dict[str, Any]:
    """Give the hierarchy of a sensitive column, if a criterion measures distances by it."""
    by_tree = any(getattr(part, "distance", "equal") != "equal" for part in criterion.parts)
    schema = table.schema
    return {name: schema.hierarchies[name].spec() for name in schema.sensitive if by_tree}


def _paths(domain: Domain, low: int, high: int, level: int | None) -> list[tuple[str, ...]]:
    """Give the way from every largest node of an interval up to the root, as labels."""
    taxonomy = domain.taxonomy
    paths = []
    for start, top in domain.largest_nodes(low, high):
        ends = np.array([[start], [taxonomy.high[top, start]]], dtype=np.int32)
        first = int(taxonomy.enclosing_level(*ends)[0]) if level is None else level
        labels = [names[start] for names in taxonomy.labels[first:]]
        paths.append(tuple(dict.fromkeys(str(label) for label in labels if label is not None)))
    return paths
