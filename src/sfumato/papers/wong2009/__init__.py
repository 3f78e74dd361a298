"""Wong, Fu, Wang and Pei (2009): table XXII and section 7.1, figure 7 and its two cases."""

from __future__ import annotations

from sfumato.papers.reproduction import Reproduction
from sfumato.papers.wong2009.minimality import cases, over_m, over_size
from sfumato.papers.wong2009.setting import QUASI_IDENTIFIERS, adult_table, table_xxii

CITATION = (
    "Raymond Chi-Wing Wong, Ada Wai-Chee Fu, Ke Wang, Jian Pei: Anonymization-Based "
    "Attacks in Privacy-Preserving Data Publishing. ACM TODS 34 (2009)"
)


def run(*, quick: bool) -> Reproduction:
    """Run the experiments about the minimality attack."""
    panels = (
        table_xxii(adult_table(QUASI_IDENTIFIERS, quick=quick)),
        over_m(quick=quick),
        over_size(quick=quick),
        cases(),
    )
    return Reproduction("wong2009", CITATION, panels, quick)
