"""Cormode, Srivastava, Li and Li (2010): section 5, table 1 and figures 3 to 6."""

from __future__ import annotations

from sfumato.attacks.grouping import bucket_risk
from sfumato.attacks.minimality import credibility
from sfumato.papers.census import census
from sfumato.papers.cormode2010.closeness import figure_3_closeness
from sfumato.papers.cormode2010.queries import figure_5
from sfumato.papers.cormode2010.risks import figure_3_diversity, figure_4
from sfumato.papers.reproduction import Claim, Panel, Reproduction
from sfumato.table import Table, read

CITATION = (
    "Graham Cormode, Divesh Srivastava, Ninghui Li, Tiancheng Li: Minimizing Minimality and "
    "Maximizing Utility. PVLDB 3 (2010)"
)
# Table 1: our name, theirs, their number of values.
ATTRIBUTES = (
    ("age", "Age", 74),
    ("workclass", "Workclass", 8),
    ("education", "Education", 16),
    ("marital-status", "Marital_Status", 7),
    ("race", "Race", 5),
    ("sex", "Gender", 2),
    ("occupation", "Occupation", 14),
)


def run(*, quick: bool) -> Reproduction:
    """Run all experiments of section 5."""
    table = adult_table(quick=quick)
    panels = (
        _table_1(table),
        _figure_6(),
        *figure_3_diversity(table, quick=quick),
        *figure_3_closeness(table, quick=quick),
        *figure_4(table, quick=quick),
        *figure_5(table, quick=quick),
    )
    return Reproduction("cormode2010", CITATION, panels, quick)


def adult_table(*, quick: bool) -> Table:
    """Open Adult with the columns of table 1, people sorted by them from left to right."""
    names = [name for name, _, _ in ATTRIBUTES]
    return read(census(names, quick=quick), quasi_identifiers=names[:-1], sensitive=names[-1])


def _table_1(table: Table) -> Panel:
    rows = [(theirs, len(table.domains[name]), n) for name, theirs, n in ATTRIBUTES]
    return Panel(
        "Table 1: the attributes",
        ("attribute", "values", "the paper"),
        tuple(rows),
        f"{table.frequencies().n_rows:,} people without missing values. The eighth class of "
        "workers, Never-worked, has no occupation: it is in the file, and in none of these rows.",
    )


def _figure_6() -> Panel:
    greedy, _ = bucket_risk(2, 2)
    lone, many = (float(belief) for belief in credibility([2, 4], 2, 2))
    rows = (
        ("(a) greedy grouping, a and b of {a, b, c, d}", greedy, 1),
        ("(b) Mondrian, a and b of {a, b | c, c, c, d}", lone, 1),
        ("(b) Mondrian, the others", many, 0),
    )
    return Panel(
        "Figure 6: two groups that give themselves away (l = 2, two are positive)",
        ("who", "belief to be positive", "the paper"),
        rows,
        claims=(
            Claim(
                "a and b must both be positive",
                f"belief {greedy:g} and {lone:g}",
                greedy == lone == 1,
            ),
        ),
    )
