"""The public description of a release: `release.json`.

An informed adversary is assumed to know all of it; nothing else of the original is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.algorithms import ALGORITHMS, Algorithm
from sfumato.criteria import CRITERIA, Criterion
from sfumato.data.hierarchy import Hierarchy
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
    hierarchies: Mapping[str, Hierarchy]
    recoded: tuple[str, ...]  # columns whose values are published as generalized text
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
        labels = recoding.labels(table.domains)
        n_suppressed = recoding.n_suppressed(frequencies)
        return cls(
            table.schema.published,
            table.schema.quasi_identifiers,
            table.schema.sensitive,
            table.schema.hierarchies,
            tuple(column for column, texts in labels.items() if texts is not None),
            criterion,
            method,
            frequencies.n_rows - n_suppressed,
            n_suppressed,
            recoding.levels,
        )

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
            "levels": None if self.levels is None else dict(self.levels),
            "hierarchies": {name: rule.spec() for name, rule in self.hierarchies.items()},
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
            criterion = parts[0]
            for part in parts[1:]:
                criterion = criterion & part
            return cls(
                tuple(written["columns"]),
                tuple(written["quasi_identifiers"]),
                tuple(written["sensitive"]),
                {
                    name: Hierarchy.from_spec(spec, f"{where}: hierarchies.{name}")
                    for name, spec in written["hierarchies"].items()
                },
                tuple(written["recoded"]),
                criterion,
                from_spec(ALGORITHMS, written["method"], where),
                int(written["rows"]),
                int(written["suppressed"]),
                written["levels"],
            )
        except (KeyError, TypeError, IndexError, AttributeError):
            raise BadInput(f"{where}: damaged; a part of the description is missing") from None
