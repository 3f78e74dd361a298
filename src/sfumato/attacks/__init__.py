"""What would an adversary learn? An attack joins every audit by being defined."""

from __future__ import annotations

from importlib import import_module

from sfumato.attacks.attack import ATTACKS, Attack
from sfumato.attacks.finding import Finding
from sfumato.attacks.target import Target
from sfumato.criteria.bound import Bound
from sfumato.errors import CannotRun

_IN_ORDER = (  # of the findings of an audit
    "disclosure",
    "knowledge.amounts",
    "grouping",
    "linkage",
    "minimality",
    "correspondence.across_releases",
)
for _module in _IN_ORDER:
    import_module(f"{__name__}.{_module}")

from sfumato.attacks.correspondence.across_releases import Correspondence  # noqa: E402
from sfumato.attacks.disclosure import (  # noqa: E402
    BackgroundKnowledge,
    Homogeneity,
    Similarity,
    Skewness,
)
from sfumato.attacks.grouping import MethodBased  # noqa: E402
from sfumato.attacks.knowledge.amounts import Implications, Knowledge  # noqa: E402
from sfumato.attacks.linkage import Linkage  # noqa: E402
from sfumato.attacks.minimality import Minimality  # noqa: E402

__all__ = [
    "ATTACKS",
    "Attack",
    "BackgroundKnowledge",
    "Bound",
    "CannotRun",
    "Correspondence",
    "Finding",
    "Homogeneity",
    "Implications",
    "Knowledge",
    "Linkage",
    "MethodBased",
    "Minimality",
    "Similarity",
    "Skewness",
    "Target",
]
