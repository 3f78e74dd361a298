"""Decisions of an algorithm: which published value stands for which ground value.

A `Cut` recodes each column on its own and is applied by look-up; an `Assignment` puts whole
combinations, or some of the people of one, into boxes and is applied by join; a `Bucketing` puts
people into groups whose quasi-identifiers and sensitive values are published apart.
`Masked` publishes some people of another recoding's groups with other sensitive values.
`Piecewise` is an assignment of combinations that are too many to be here, and `CutInPieces` a cut.
`OutliersAtRoot` is an assignment to the groups of one node, and to one more for those in none.
"""

from sfumato.data.recoding.assignment import Assignment
from sfumato.data.recoding.base import (
    SUPPRESSED,
    Placement,
    Recoding,
    a_recoding,
    distinct_boxes,
    without_hidden,
)
from sfumato.data.recoding.best_so_far import BestSoFar
from sfumato.data.recoding.bucketing import Bucketing
from sfumato.data.recoding.cut import Cut, level_intervals, rows_in
from sfumato.data.recoding.cut_in_pieces import CutInPieces
from sfumato.data.recoding.masked import Masked
from sfumato.data.recoding.outliers import OutliersAtRoot
from sfumato.data.recoding.piecewise import Piecewise

InPieces = Piecewise | CutInPieces

__all__ = [
    "SUPPRESSED",
    "Assignment",
    "BestSoFar",
    "Bucketing",
    "Cut",
    "CutInPieces",
    "InPieces",
    "Masked",
    "OutliersAtRoot",
    "Piecewise",
    "Placement",
    "Recoding",
    "a_recoding",
    "distinct_boxes",
    "level_intervals",
    "rows_in",
    "without_hidden",
]
