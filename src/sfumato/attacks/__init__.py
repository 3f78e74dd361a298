"""What would an adversary learn? An attack joins every audit by being defined."""

from __future__ import annotations

# In the order of an audit's findings.
# isort: off
from sfumato.attacks.disclosure.homogeneity import Homogeneity
from sfumato.attacks.disclosure.background_knowledge import BackgroundKnowledge
from sfumato.attacks.disclosure.skewness import Skewness
from sfumato.attacks.disclosure.similarity import Similarity
from sfumato.attacks.knowledge.amounts import Implications, Knowledge
from sfumato.attacks.grouping import MethodBased
from sfumato.attacks.linkage import Linkage
from sfumato.attacks.people_above_risk import PeopleAboveRisk
from sfumato.attacks.untouched import UntouchedDisclosure, UntouchedLinkage
from sfumato.attacks.minimality import Minimality
from sfumato.attacks.mechanism import Mechanism
from sfumato.attacks.mechanism.refusal import Refusal
from sfumato.attacks.correspondence.across_releases import Correspondence
from sfumato.attacks.correspondence.known_cells import KnownCells
# isort: on

from sfumato.attacks import correspondence, grouping, knowledge, minimality
from sfumato.attacks.attack import Attack
from sfumato.attacks.finding import Finding
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.criteria.bound import Bound
from sfumato.errors import CannotRun, DoesNotApply

__all__ = [
    "Attack",
    "BackgroundKnowledge",
    "Bound",
    "CannotRun",
    "Correspondence",
    "DoesNotApply",
    "Finding",
    "Homogeneity",
    "Implications",
    "Knowledge",
    "KnownCells",
    "Linkage",
    "Mechanism",
    "MethodBased",
    "Minimality",
    "PeopleAboveRisk",
    "Refusal",
    "Remedy",
    "Similarity",
    "Skewness",
    "Target",
    "UntouchedDisclosure",
    "UntouchedLinkage",
    "correspondence",
    "grouping",
    "knowledge",
    "minimality",
]


def __dir__() -> list[str]:
    return sorted(__all__)
