"""Fung, Wang, Fu and Pei (2008): section 6, what two releases give away and what safety costs."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.attacks.correspondence import bcf, crack_sizes
from sfumato.papers.fung2008.costs import figure_2, times
from sfumato.papers.fung2008.setting import CASES, Settings
from sfumato.papers.fung2008.ties import over_orders
from sfumato.papers.fung2008.violations import figure_1
from sfumato.papers.reproduction import Claim, Panel, Reproduction

CITATION = (
    "Benjamin C. M. Fung, Ke Wang, Ada Wai-Chee Fu, Jian Pei: Anonymity for Continuous Data "
    "Publishing. EDBT 2008"
)


def run(*, quick: bool) -> Reproduction:
    """Run the experiments of section 6."""
    settings = Settings(quick=quick)
    outcomes = {case: settings.outcomes(*case) for case in CASES}
    panels = (
        tables_1_and_2(),
        *figure_1(outcomes),
        *figure_2(outcomes),
        over_orders(outcomes, quick=quick),
        times(outcomes),
    )
    return Reproduction("fung2008", CITATION, panels, quick)


TREES: list[Mapping[object, object]] = [
    {"UK": "Europe", "France": "Europe"},
    {"Lawyer": "Professional", "Doctor": "Professional"},
]
EUROPE, UK, FRANCE = ("Europe", "Lawyer"), ("UK", "Professional"), ("France", "Professional")
TABLE_1 = [(EUROPE, "Flu")] * 3 + [(EUROPE, "HIV")] * 2
TABLE_2 = [(UK, "Flu")] * 3 + [(FRANCE, "HIV")] * 3 + [(FRANCE, "Flu")] * 2 + [(UK, "HIV")] * 2


def tables_1_and_2() -> Panel:
    """Examples 3.2 to 4.3: who is looked for, and what is cracked."""
    of_lawyer = crack_sizes(TABLE_1, TABLE_2, TREES, ("France", "Lawyer"))
    of_newcomer = crack_sizes(TABLE_1, TABLE_2, TREES, ("UK", "Lawyer"))
    sizes = [
        ("forward (3.2, 4.1)", "Europe, Lawyer", of_lawyer.forward, EUROPE, (1, 0)),
        ("cross (3.3, 4.2)", "France, Professional", of_lawyer.cross, FRANCE, (0, 1)),
        ("backward (3.4, 4.3)", "UK, Professional", of_newcomer.backward, UK, (1, 0)),
    ]
    rows = tuple(
        (attack, name, cracks[place, "Flu"], theirs[0], cracks[place, "HIV"], theirs[1])
        for attack, name, cracks, place, theirs in sizes
    )
    left = bcf(TABLE_1, TABLE_2, TREES)
    return Panel(
        "Tables 1 and 2: records that can be excluded",
        ("attack (examples)", "class", "Flu", "the paper", "HIV", "the paper"),
        rows,
        "Alice is a lawyer: from France and in both tables for the first two attacks, from the UK "
        "and in the second table only for the third.",
        (
            Claim(
                "the crack sizes are those of the examples",
                f"{sum(r[2:5:2] == r[3:6:2] for r in rows)} of {len(rows)} attacks",
                all(r[2:5:2] == r[3:6:2] for r in rows),
            ),
            Claim(
                "both tables are 5-anonymous, and every attack leaves fewer than 5",
                f"FA = {left.FA}, CA = {left.CA}, BA = {left.BA}",
                max(left) < 5,
            ),
        ),
    )
