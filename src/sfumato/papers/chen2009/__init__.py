"""Chen, LeFevre and Ramakrishnan (2009): section 8, what an adversary knows and what it costs."""

from __future__ import annotations

from sfumato.papers.chen2009.adult import figure_8, table_2, table_3
from sfumato.papers.chen2009.applications import figure_9
from sfumato.papers.chen2009.checking import figure_6
from sfumato.papers.chen2009.scaling import figure_7
from sfumato.papers.reproduction import Reproduction
from sfumato.utility.decision_tree import need_learning

CITATION = (
    "Bee-Chung Chen, Kristen LeFevre, Raghu Ramakrishnan: Adversarial-knowledge dimensions in "
    "data privacy. The VLDB Journal 18 (2009)"
)


def run(*, quick: bool) -> Reproduction:
    """Run all experiments of section 8."""
    need_learning("reproduce: chen2009")  # before minutes of work
    panels = (
        *figure_6(quick=quick),
        figure_7(quick=quick),
        table_2(quick=quick),
        *figure_8(quick=quick),
        table_3(quick=quick),
        *figure_9(quick=quick),
    )
    return Reproduction("chen2009", CITATION, panels, quick)
