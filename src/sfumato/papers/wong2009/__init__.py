"""Wong, Fu, Wang and Pei (2009): section 7, the minimality attack and algorithm MASK."""

from __future__ import annotations

from sfumato.papers.reproduction import Reproduction
from sfumato.papers.wong2009.figures import figure_10, figure_11, figures_8_and_9
from sfumato.papers.wong2009.masking import Experiments, Plan
from sfumato.papers.wong2009.mechanism import figure_7_by_mechanism, mask_by_mechanism
from sfumato.papers.wong2009.minimality import cases, over_m, over_size
from sfumato.papers.wong2009.setting import QUASI_IDENTIFIERS, adult_table, table_xxii

CITATION = (
    "Raymond Chi-Wing Wong, Ada Wai-Chee Fu, Ke Wang, Jian Pei: Anonymization-Based "
    "Attacks in Privacy-Preserving Data Publishing. ACM TODS 34 (2009)"
)


def run(*, quick: bool) -> Reproduction:
    """Run the experiments about the minimality attack, and those about MASK."""
    work = Experiments(Plan(quick=quick))
    panels = (
        table_xxii(adult_table(QUASI_IDENTIFIERS, quick=quick)),
        over_m(quick=quick),
        over_size(quick=quick),
        cases(),
        figure_7_by_mechanism(quick=quick),
        *figures_8_and_9(work),
        *figure_10(work),
        *figure_11(work),
        mask_by_mechanism(work),
    )
    return Reproduction("wong2009", CITATION, panels, quick)
