"""Chen, LeFevre and Ramakrishnan (2009): section 8, what an adversary knows and what it costs."""

from __future__ import annotations

from sfumato.papers.chen2009.adult import figure_8, table_2, table_3
from sfumato.papers.chen2009.applications import figure_9
from sfumato.papers.reproduction import Reproduction

CITATION = (
    "Bee-Chung Chen, Kristen LeFevre, Raghu Ramakrishnan: Adversarial-knowledge dimensions in "
    "data privacy. The VLDB Journal 18 (2009)"
)


def run(*, quick: bool) -> Reproduction:
    """Run the case study of section 8.3 and the analysis of section 8.4."""
    panels = (
        table_2(quick=quick),
        *figure_8(quick=quick),
        table_3(quick=quick),
        *figure_9(quick=quick),
    )
    return Reproduction("chen2009", CITATION, panels, quick)
