"""What must hold of every group of a release."""

from sfumato.criteria.base import Criterion, Measured
from sfumato.criteria.k_anonymity import KAnonymity
from sfumato.criteria.l_diversity import LDiversity
from sfumato.spec import name_of

CRITERIA: dict[str, type[Criterion]] = {name_of(kind): kind for kind in (KAnonymity, LDiversity)}

__all__ = ["CRITERIA", "Criterion", "KAnonymity", "LDiversity", "Measured"]
