"""Figure 2 of Ciriani 2008: where each method stands by what it generalizes and suppresses.

Attribute generalization (AG) publishes a value of a column alike in all rows, whether by levels of
a hierarchy or by intervals; cell generalization (CG) may publish it differently from row to row.
Suppression leaves tuples out (TS), obscures whole columns (AS) or single cells (CS).
"""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.algorithms import ALGORITHMS

SUPPRESSION = ("TS", "AS", "CS", "")
GENERALIZATION = {"AG": "attribute", "CG": "cell", "": "none"}
HEADS = ("tuple", "attribute", "cell", "none")

# What the figure says of cells beside their names.
SAID = {
    "AG_AS": "≡ AG_: a suppressed column is one at its root",
    "AG_": "≡ AG_AS",
    "CG_TS": "not applicable",
    "CG_AS": "not applicable",
    "CG_CS": "≡ CG_: a suppressed cell is one at its root",
    "CG_": "≡ CG_CS",
    "_": "not interesting",
}
TWO_TABLES = "two tables"  # quasi-identifiers as they are: neither generalized nor suppressed


@dataclass(frozen=True)
class Place:
    """A method with its options, and the cell that its releases are in."""

    cell: str
    method: str  # as it is called
    over: str = ""  # what it has to be given to be there

    @property
    def name(self) -> str:
        """The name of its class."""
        return self.method[: self.method.index("(")]

    def __str__(self) -> str:
        return f"`{self.method}`{self.over and ' '}{self.over}"


FLAT = "over `Flat()` columns"
LIMIT, CELLS = "max_suppressed=0.1", "max_suppressed=0.2, suppress='cells'"
LATTICE = ("Samarati", "Incognito", "Exhaustive", "Optimal")

PLACES = (
    *(Place("AG_", f"{name}()") for name in LATTICE),
    *(Place("AG_TS", f"{name}({LIMIT})") for name in LATTICE),
    *(Place("AG_CS", f"{name}({CELLS})") for name in LATTICE),
    Place("AG_", "OptimalConfidential(2)"),
    Place("AG_", "ThreePhase()"),
    Place("AG_", "TopDown('cut')"),
    Place("AG_", "BCFAnonymizer()"),
    Place("AG_", "Checked(Samarati(), ks=[5])"),
    Place("AG_", "Recode(levels=levels)"),
    Place("AG_TS", f"Recode(levels=levels, {LIMIT})"),
    Place("AG_CS", f"Recode(levels=levels, {CELLS})"),
    Place("AG_TS", f"Checked(Samarati({LIMIT}), ks=[5])"),
    Place("AG_CS", f"Checked(Samarati({CELLS}), ks=[5])"),
    Place("AG_", "KOptimize(max_suppressed=0)"),
    Place("AG_TS", "KOptimize()"),
    Place("CG_", "Mondrian()"),
    Place("CG_", "Mondrian(strict=False)"),
    Place("CG_", "Local()"),
    Place("CG_", "TopDown('local')"),
    Place("CG_", "SkylineMondrian()"),
    Place("CG_", "Checked(Mondrian(), ks=[5])"),
    Place("CG_", "Mask(3, 2, ['1'])"),
    Place("CG_", "Recode(boxes=boxes)"),
    Place("CG_CS", "CellSuppression(hierarchies=True)"),
    Place("_TS", "Recode(levels=levels, max_suppressed=1.0)", "with every level 0"),
    *(Place("_AS", f"{name}()", FLAT) for name in LATTICE),
    Place("_CS", "CellSuppression()"),
    Place(TWO_TABLES, "Anatomy()"),
    Place(TWO_TABLES, "GreedyGrouping()"),
    Place(TWO_TABLES, "RandomizedGrouping(p=0.65)"),
    Place(TWO_TABLES, "SymmetricGrouping()"),
    Place(TWO_TABLES, "SensitiveGrouping()"),
    Place(TWO_TABLES, "OneGroup()"),
    Place(TWO_TABLES, "SkylineMondrian(publish='bucketized')"),
    Place(TWO_TABLES, "Mondrian(publish='bucketized')"),
    Place(TWO_TABLES, "TopDown(publish='bucketized')"),
    *(Place(TWO_TABLES, f"{name}(publish='bucketized')") for name in (*LATTICE, "ThreePhase")),
)


def places() -> list[Place]:
    """Give the places of the methods that there are."""
    names = {kind.__name__ for kind in ALGORITHMS.ours}
    return [place for place in PLACES if place.name in names]


def cell_names() -> list[str]:
    """Name the twelve cells, row by row."""
    return [f"{own}_{suppressed}" for own in GENERALIZATION for suppressed in SUPPRESSION]


def markdown() -> str:
    """Draw the figure for the documentation."""
    heads = [f"{head} suppression" if head != "none" else "no suppression" for head in HEADS]
    lines = ["| generalization | " + " | ".join(heads) + " |", "|---" * 5 + "|"]
    for own, by in GENERALIZATION.items():
        cells = [_cell(f"{own}_{suppressed}") for suppressed in SUPPRESSION]
        lines.append(f"| {by} | " + " | ".join(cells) + " |")
    apart = ", ".join(str(place) for place in places() if place.cell == TWO_TABLES)
    lines += ["", f"Outside the figure, since quasi-identifiers are told as they are: {apart}."]
    return "\n".join(lines)


def _cell(name: str) -> str:
    said = f" {SAID[name]}" if name in SAID else ""
    inside = "<br>".join(str(place) for place in places() if place.cell == name)
    return f"**{name}**{said}{inside and '<br>'}{inside}"
