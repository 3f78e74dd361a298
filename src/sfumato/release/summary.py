"""A release in a few lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.data.frequency import Grouping
from sfumato.formulas.loss import (
    attribute_weights,
    average_group_size,
    coverage_loss,
    discernibility,
    information_loss,
)
from sfumato.release.description import Description
from sfumato.table import Table


@dataclass(frozen=True, eq=False)
class Summary:
    """What was published, what was left out, what was lost. For the steward."""

    lines: tuple[tuple[str, str], ...]
    numbers: dict[str, Any]

    @classmethod
    def of(cls, description: Description, grouping: Grouping, original: Table | None) -> Summary:
        """Summarize; what needs the original is left out without it."""
        sizes = grouping.sizes
        n_suppressed = description.n_suppressed
        share = n_suppressed / max(1, description.n_rows + n_suppressed)
        numbers: dict[str, Any] = {
            "rows": description.n_rows,
            "suppressed": n_suppressed,
            "groups": len(sizes),
            "smallest_group": int(sizes.min(initial=description.n_rows)),
            "average_group_size": average_group_size(sizes),
            "largest_group": int(sizes.max(initial=0)),
            "discernibility": discernibility(sizes, n_suppressed),
        }
        lines = [
            ("promise", str(description.criterion)),
            ("method", str(description.method)),
            ("rows", f"{description.n_rows} published, {n_suppressed} suppressed ({share:.2%})"),
            (
                "groups",
                f"{len(sizes)} of {numbers['smallest_group']} to {numbers['largest_group']} "
                f"people, {numbers['average_group_size']:.1f} on average",
            ),
        ]
        if description.levels is not None:
            numbers["levels"] = dict(description.levels)
            named = ", ".join(f"{name} {level}" for name, level in description.levels.items())
            lines.append(("levels", named))
        if original is not None:
            names = description.quasi_identifiers
            loss = coverage_loss(grouping.boxes, [len(original.domains[name]) for name in names])
            weights = attribute_weights(names, None)
            numbers["information_loss"] = information_loss(loss, sizes, weights, n_suppressed)
            per_column = sizes @ loss / max(1, int(sizes.sum()))
            numbers["loss"] = {n: float(v) for n, v in zip(names, per_column, strict=True)}
            each = ", ".join(f"{name} {value:.0%}" for name, value in numbers["loss"].items())
            lines.append(("information loss", f"{numbers['information_loss']:.1%} ({each})"))
        lines.append(("discernibility", str(numbers["discernibility"])))
        if description.recoded:
            lines.append(("generalized to text", ", ".join(description.recoded)))
        if original is not None:
            dropped = {
                "identifiers": original.schema.identifiers,
                "person": (original.schema.person,) if original.schema.person else (),
                "no role": original.schema.without_role,
            }
            numbers["dropped"] = [name for names in dropped.values() for name in names]
            told = "; ".join(f"{why}: {', '.join(n)}" for why, n in dropped.items() if n)
            lines.append(("columns dropped", told or "none"))
        return cls(tuple(lines), numbers)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return dict(self.numbers)

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.lines)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in self.lines)

    __repr__ = __str__
