"""Algorithms: from counted combinations and a criterion to a recoding."""

from sfumato.algorithms.anatomy import Anatomy
from sfumato.algorithms.base import Algorithm
from sfumato.algorithms.bcf_anonymizer import BCFAnonymizer
from sfumato.algorithms.exhaustive import Exhaustive
from sfumato.algorithms.greedy_grouping import GreedyGrouping, RandomizedGrouping
from sfumato.algorithms.incognito import Incognito
from sfumato.algorithms.mondrian import Mondrian
from sfumato.algorithms.one_group import OneGroup
from sfumato.algorithms.optimal import Optimal
from sfumato.algorithms.recode import Recode
from sfumato.algorithms.samarati import Samarati
from sfumato.algorithms.sensitive_grouping import SensitiveGrouping
from sfumato.algorithms.skyline_mondrian import SkylineMondrian
from sfumato.algorithms.symmetric_grouping import SymmetricGrouping
from sfumato.algorithms.top_down import TopDown
from sfumato.spec import name_of

ALGORITHMS: dict[str, type[Algorithm]] = {
    name_of(kind): kind
    for kind in (
        Anatomy,
        BCFAnonymizer,
        Exhaustive,
        GreedyGrouping,
        Incognito,
        Mondrian,
        OneGroup,
        Optimal,
        RandomizedGrouping,
        Recode,
        Samarati,
        SensitiveGrouping,
        SkylineMondrian,
        SymmetricGrouping,
        TopDown,
    )
}

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Anatomy",
    "BCFAnonymizer",
    "Exhaustive",
    "GreedyGrouping",
    "Incognito",
    "Mondrian",
    "OneGroup",
    "Optimal",
    "RandomizedGrouping",
    "Recode",
    "Samarati",
    "SensitiveGrouping",
    "SkylineMondrian",
    "SymmetricGrouping",
    "TopDown",
]
