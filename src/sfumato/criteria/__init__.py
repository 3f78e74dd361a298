"""What must hold of every group of a release."""

from sfumato.criteria.alpha_k_anonymity import AlphaKAnonymity
from sfumato.criteria.average_risk import AverageRisk
from sfumato.criteria.bcf_anonymity import BCFAnonymity
from sfumato.criteria.beta_likeness import BetaLikeness
from sfumato.criteria.ck_safety import CKSafety
from sfumato.criteria.confidentiality import Confidentiality
from sfumato.criteria.criterion import CRITERIA, Criterion
from sfumato.criteria.delta_disclosure import DeltaDisclosure
from sfumato.criteria.judging import Measurement
from sfumato.criteria.k_anonymity import KAnonymity
from sfumato.criteria.ke_anonymity import KEAnonymity
from sfumato.criteria.l_diversity import LDiversity
from sfumato.criteria.max_risk import MaxRisk
from sfumato.criteria.p_sensitive import PSensitiveKAnonymity
from sfumato.criteria.people_at_risk import PeopleAtRisk
from sfumato.criteria.personalized_privacy import PersonalizedPrivacy
from sfumato.criteria.recursive_diversity import RecursiveDiversity
from sfumato.criteria.skyline import Skyline
from sfumato.criteria.t_closeness import TCloseness

__all__ = [
    "CRITERIA",
    "AlphaKAnonymity",
    "AverageRisk",
    "BCFAnonymity",
    "BetaLikeness",
    "CKSafety",
    "Confidentiality",
    "Criterion",
    "DeltaDisclosure",
    "KAnonymity",
    "KEAnonymity",
    "LDiversity",
    "MaxRisk",
    "Measurement",
    "PSensitiveKAnonymity",
    "PeopleAtRisk",
    "PersonalizedPrivacy",
    "RecursiveDiversity",
    "Skyline",
    "TCloseness",
]
