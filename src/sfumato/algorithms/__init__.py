"""Algorithms: from counted combinations and a criterion to a recoding."""

from sfumato.algorithms.base import Algorithm
from sfumato.algorithms.exhaustive import Exhaustive
from sfumato.algorithms.incognito import Incognito
from sfumato.algorithms.mondrian import Mondrian
from sfumato.algorithms.optimal import Optimal
from sfumato.algorithms.recode import Recode
from sfumato.algorithms.samarati import Samarati
from sfumato.algorithms.top_down import TopDown
from sfumato.spec import name_of

ALGORITHMS: dict[str, type[Algorithm]] = {
    name_of(kind): kind
    for kind in (Exhaustive, Incognito, Mondrian, Optimal, Recode, Samarati, TopDown)
}

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Exhaustive",
    "Incognito",
    "Mondrian",
    "Optimal",
    "Recode",
    "Samarati",
    "TopDown",
]
