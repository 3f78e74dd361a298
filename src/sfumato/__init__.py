"""sfumato: publish tables about people safely, and attack your own release first."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Name -> module; imported when first used, so that `import sfumato` costs nothing.
_HOME = {
    "read": "table",
    "Table": "table",
    "Hierarchy": "data.hierarchy",
    "Intervals": "data.hierarchy",
    "Prefix": "data.hierarchy",
    "Dates": "data.hierarchy",
    "Tree": "data.hierarchy",
    "Categories": "data.hierarchy",
    "Flat": "data.hierarchy",
    "Groups": "data.groups",
    "Criterion": "criteria",
    "KAnonymity": "criteria",
    "LDiversity": "criteria",
    "RecursiveDiversity": "criteria",
    "TCloseness": "criteria",
    "AlphaKAnonymity": "criteria",
    "PSensitiveKAnonymity": "criteria",
    "KEAnonymity": "criteria",
    "PeopleAtRisk": "criteria",
    "PersonalizedPrivacy": "criteria",
    "CKSafety": "criteria",
    "Confidentiality": "criteria",
    "Skyline": "criteria",
    "AverageRisk": "criteria",
    "BCFAnonymity": "criteria",
    "BetaLikeness": "criteria",
    "DeltaDisclosure": "criteria",
    "Algorithm": "algorithms",
    "BCFAnonymizer": "algorithms",
    "CellSuppression": "algorithms",
    "Checked": "algorithms",
    "Samarati": "algorithms",
    "MaxRisk": "criteria",
    "Local": "algorithms",
    "Mask": "algorithms",
    "Mondrian": "algorithms",
    "Exhaustive": "algorithms",
    "Incognito": "algorithms",
    "KOptimize": "algorithms",
    "Optimal": "algorithms",
    "OptimalConfidential": "algorithms",
    "Recode": "algorithms",
    "Anatomy": "algorithms",
    "GreedyGrouping": "algorithms",
    "OneGroup": "algorithms",
    "RandomizedGrouping": "algorithms",
    "SensitiveGrouping": "algorithms",
    "SkylineMondrian": "algorithms",
    "SymmetricGrouping": "algorithms",
    "ThreePhase": "algorithms",
    "TopDown": "algorithms",
    "propose": "proposal",
    "Proposal": "proposal",
    "anonymize": "release",
    "load": "release",
    "check": "release",
    "Check": "release",
    "Release": "release",
    "audit": "report",
    "Report": "report",
    "knowledge_skyline": "report",
    "KnowledgeSkyline": "report",
    "Attack": "attacks",
    "drivers": "risk",
    "safe_harbor": "hipaa",
    "SafeHarbor": "hipaa",
    "ReleaseSeries": "series",
    "reproduce": "papers",
    "Reproduction": "papers",
    "SfumatoError": "errors",
    "BadInput": "errors",
    "NoRoom": "errors",
    "Unsatisfiable": "errors",
    "BrokenPromise": "errors",
}
_ROOMS = ("attacks", "datasets", "engines", "utility")

__all__ = [
    "Algorithm",
    "AlphaKAnonymity",
    "Anatomy",
    "Attack",
    "AverageRisk",
    "BCFAnonymity",
    "BCFAnonymizer",
    "BadInput",
    "BetaLikeness",
    "BrokenPromise",
    "CKSafety",
    "Categories",
    "CellSuppression",
    "Check",
    "Checked",
    "Confidentiality",
    "Criterion",
    "Dates",
    "DeltaDisclosure",
    "Exhaustive",
    "Flat",
    "GreedyGrouping",
    "Groups",
    "Hierarchy",
    "Incognito",
    "Intervals",
    "KAnonymity",
    "KEAnonymity",
    "KOptimize",
    "KnowledgeSkyline",
    "LDiversity",
    "Local",
    "Mask",
    "MaxRisk",
    "Mondrian",
    "NoRoom",
    "OneGroup",
    "Optimal",
    "OptimalConfidential",
    "PSensitiveKAnonymity",
    "PeopleAtRisk",
    "PersonalizedPrivacy",
    "Prefix",
    "Proposal",
    "RandomizedGrouping",
    "Recode",
    "RecursiveDiversity",
    "Release",
    "ReleaseSeries",
    "Report",
    "Reproduction",
    "SafeHarbor",
    "Samarati",
    "SensitiveGrouping",
    "SfumatoError",
    "Skyline",
    "SkylineMondrian",
    "SymmetricGrouping",
    "TCloseness",
    "Table",
    "ThreePhase",
    "TopDown",
    "Tree",
    "Unsatisfiable",
    "__version__",
    "anonymize",
    "attacks",
    "audit",
    "check",
    "datasets",
    "drivers",
    "engines",
    "knowledge_skyline",
    "load",
    "propose",
    "read",
    "reproduce",
    "safe_harbor",
    "utility",
]

if TYPE_CHECKING:
    from sfumato import attacks, datasets, engines, utility
    from sfumato.algorithms import (
        Algorithm,
        Anatomy,
        BCFAnonymizer,
        CellSuppression,
        Checked,
        Exhaustive,
        GreedyGrouping,
        Incognito,
        KOptimize,
        Local,
        Mask,
        Mondrian,
        OneGroup,
        Optimal,
        OptimalConfidential,
        RandomizedGrouping,
        Recode,
        Samarati,
        SensitiveGrouping,
        SkylineMondrian,
        SymmetricGrouping,
        ThreePhase,
        TopDown,
    )
    from sfumato.attacks import Attack
    from sfumato.criteria import (
        AlphaKAnonymity,
        AverageRisk,
        BCFAnonymity,
        BetaLikeness,
        CKSafety,
        Confidentiality,
        Criterion,
        DeltaDisclosure,
        KAnonymity,
        KEAnonymity,
        LDiversity,
        MaxRisk,
        PeopleAtRisk,
        PersonalizedPrivacy,
        PSensitiveKAnonymity,
        RecursiveDiversity,
        Skyline,
        TCloseness,
    )
    from sfumato.data.groups import Groups
    from sfumato.data.hierarchy import Categories, Dates, Flat, Hierarchy, Intervals, Prefix, Tree
    from sfumato.errors import BadInput, BrokenPromise, NoRoom, SfumatoError, Unsatisfiable
    from sfumato.hipaa import SafeHarbor, safe_harbor
    from sfumato.papers import Reproduction, reproduce
    from sfumato.proposal import Proposal, propose
    from sfumato.release import Check, Release, anonymize, check, load
    from sfumato.report import KnowledgeSkyline, Report, audit, knowledge_skyline
    from sfumato.risk import drivers
    from sfumato.series import ReleaseSeries
    from sfumato.table import Table, read


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"sfumato.{name}")
    if name not in _HOME:
        from sfumato.errors import nearest

        meant = "" if name.startswith("_") else nearest(name, __all__)  # Python asks for many
        raise AttributeError(f"sfumato has no {name!r}{meant}")
    return getattr(import_module(f"sfumato.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
