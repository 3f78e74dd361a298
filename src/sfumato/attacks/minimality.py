"""The minimality attack's formulas: what "generalized only because it had to be" gives away.

Wong 2009, sections 3 to 5.1.
"""

from __future__ import annotations

from sfumato.formulas.credibility import credibility, credibility_local, credibility_superset
from sfumato.formulas.worlds import credibility_enumerated

__all__ = ["credibility", "credibility_enumerated", "credibility_local", "credibility_superset"]
