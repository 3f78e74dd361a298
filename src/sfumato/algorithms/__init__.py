"""Algorithms: from counted combinations and a criterion to a recoding."""

from sfumato.algorithms.algorithm import ALGORITHMS, Algorithm, SeriesAlgorithm
from sfumato.algorithms.bcf import BCFAnonymizer
from sfumato.algorithms.cell_suppression import CellSuppression
from sfumato.algorithms.checked import Checked
from sfumato.algorithms.grouping.anatomy import Anatomy
from sfumato.algorithms.grouping.by_sensitive import SensitiveGrouping
from sfumato.algorithms.grouping.greedy import GreedyGrouping, RandomizedGrouping
from sfumato.algorithms.grouping.one_group import OneGroup
from sfumato.algorithms.grouping.symmetric import SymmetricGrouping
from sfumato.algorithms.k_optimize import KOptimize
from sfumato.algorithms.lattice.exhaustive import Exhaustive
from sfumato.algorithms.lattice.incognito import Incognito
from sfumato.algorithms.lattice.optimal import Optimal
from sfumato.algorithms.lattice.optimal_confidential import OptimalConfidential
from sfumato.algorithms.lattice.samarati import Samarati
from sfumato.algorithms.lattice.three_phase import ThreePhase
from sfumato.algorithms.local import Local
from sfumato.algorithms.mask import Mask
from sfumato.algorithms.mondrian import Mondrian
from sfumato.algorithms.recode import Recode
from sfumato.algorithms.skyline_mondrian import SkylineMondrian
from sfumato.algorithms.top_down import TopDown

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Anatomy",
    "BCFAnonymizer",
    "CellSuppression",
    "Checked",
    "Exhaustive",
    "GreedyGrouping",
    "Incognito",
    "KOptimize",
    "Local",
    "Mask",
    "Mondrian",
    "OneGroup",
    "Optimal",
    "OptimalConfidential",
    "RandomizedGrouping",
    "Recode",
    "Samarati",
    "SensitiveGrouping",
    "SeriesAlgorithm",
    "SkylineMondrian",
    "SymmetricGrouping",
    "ThreePhase",
    "TopDown",
]
