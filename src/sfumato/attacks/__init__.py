"""What would an adversary learn? Every module here that defines an attack joins the audit."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from sfumato.attacks.base import ATTACKS, Attack, Bound, Finding, Target
from sfumato.errors import CannotRun

for _module in sorted(module.name for module in iter_modules(__path__)):
    import_module(f"{__name__}.{_module}")

from sfumato.attacks.disclosure import (  # noqa: E402
    BackgroundKnowledge,
    Homogeneity,
    Similarity,
    Skewness,
)
from sfumato.attacks.facts import Implications, Knowledge  # noqa: E402
from sfumato.attacks.grouping import MethodBased  # noqa: E402
from sfumato.attacks.linkage import Linkage  # noqa: E402
from sfumato.attacks.minimality import Minimality  # noqa: E402
from sfumato.attacks.series import Correspondence  # noqa: E402

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
