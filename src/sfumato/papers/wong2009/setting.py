"""Adult as Wong 2009 uses it (table XXII): which columns, and what is sensitive."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.datasets import adult_hierarchies
from sfumato.papers.census import census
from sfumato.papers.reproduction import Panel
from sfumato.table import Table, read

# Table XXII: our name, theirs, their number of values, their height.
ATTRIBUTES = (
    ("age", "Age", 74, 4),
    ("workclass", "Work Class", 7, 3),
    ("marital-status", "Marital Status", 7, 3),
    ("occupation", "Occupation", 14, 2),
    ("race", "Race", 5, 2),
    ("sex", "Sex", 2, 1),
    ("native-country", "Native Country", 41, 3),
    ("salary", "Salary Class", 2, 1),
    ("education", "Education", 16, 4),
)
QUASI_IDENTIFIERS = tuple(name for name, *_ in ATTRIBUTES[:-1])
LOW = ("Preschool", "1st-4th", "5th-6th", "7th-8th")
N_SENSITIVE = 1_566  # as the paper says


def adult_table(columns: Sequence[str], *, quick: bool = False) -> Table:
    """Open Adult with these quasi-identifiers, and education as what is sensitive."""
    hierarchies = adult_hierarchies()
    return read(
        census([*columns, "education"], quick=quick),
        quasi_identifiers={name: hierarchies[name] for name in columns},
        sensitive="education",
        hierarchies={"education": hierarchies["education"]},
    )


def table_xxii(table: Table) -> Panel:
    """Compare the numbers of values and the heights of the trees."""
    rows = tuple(
        (theirs, _n_values(table, name), n, table.domains[name].taxonomy.height, height)
        for name, theirs, n, height in ATTRIBUTES
    )
    return Panel(
        "Table XXII: the attributes",
        ("attribute", "values", "the paper", "height", "the paper"),
        rows,
        "The paper prints no taxonomy trees; ours have its heights.",
    )


def _n_values(table: Table, name: str) -> int:
    """Count the values that somebody has; a tree may name more."""
    return int(np.count_nonzero(table.frequencies().reference(name)))
