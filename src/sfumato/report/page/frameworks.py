"""Headings of rules that officers work by: the same content, found by other people's words.

A heading says where to look, and nothing of whether a rule is met: a person has to judge that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sfumato.parameters import one_of

# The sections of a report, in their order, by what they are called where no framework is chosen.
TITLES = {
    "release": "Which release this is about",
    "context": "Who gets it, and under what conditions",
    "published": "What was published, and how",
    "techniques": "What was done to each column",
    "promised": "What was promised",
    "risk": "The risk of being recognized",
    "threats": "Singling out, linkability, inference, membership",
    "found": "What the attacks found",
    "not_run": "What could not be run, and why",
    "adversary": "What the adversary is taken to know",
    "remarks": "What the verdict does not say",
    "way_out": "A way out",
    "missing": "What is missing here",
    "worst": "Who is worst off",
    "lost": "What was lost",
    "values": "Sensitive values, original and published",
    "drivers": "What drives the risk",
    "summary": "Summary",
    "limits": "How far the claim goes",
    "evidence": "Evidence",
}


@dataclass(frozen=True)
class Framework:
    """Whose headings are used, and which; a section without one keeps its own."""

    name: str = ""  # as people know it; empty: none
    headings: Mapping[str, str] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """What the headings mean, and what they do not."""
        return (
            f"The headings are those of {self.name}. They say where to look; whether its "
            "requirements are met is for a person to judge."
            if self.name
            else ""
        )

    def heading(self, key: str) -> str:
        """Give the heading of a section."""
        return self.headings.get(key, TITLES[key])


FRAMEWORKS = {
    "gdpr": Framework(
        "recital 26 of the General Data Protection Regulation and of opinion 05/2014 of the "
        "Article 29 Working Party",
        {
            "context": "Contextual elements (opinion 05/2014, good practices)",
            "techniques": "Anonymisation techniques (opinion 05/2014, 3)",
            "promised": "Technical elements: what was promised (opinion 05/2014, good practices)",
            "risk": "Identifiability of the people (recital 26)",
            "threats": "Singling out, linkability, inference (opinion 05/2014)",
            "found": "Robustness of the techniques (opinion 05/2014, 3)",
            "adversary": "Means reasonably likely to be used (recital 26)",
            "limits": "Residual risk, to be looked at again (opinion 05/2014, good practices)",
        },
    ),
    "hipaa": Framework(
        "the expert determination of the HIPAA Privacy Rule, 45 CFR 164.514(b)(1)",
        {
            "release": "The information",
            "context": "The anticipated recipient (164.514(b)(1)(i))",
            "techniques": "Methods applied to the information",
            "promised": "What was set as the largest risk",
            "risk": "The risk that the information could be used to identify an individual",
            "threats": "Alone, or with other reasonably available information (164.514(b)(1)(i))",
            "found": "Results of the analysis (164.514(b)(1)(ii))",
            "adversary": "Other information that is reasonably available",
            "evidence": "Documentation of methods and results (164.514(b)(1)(ii))",
        },
    ),
    "ema": Framework(
        "the anonymisation report of EMA policy 0070 (external guidance, EMA/90915/2016)",
        {
            "context": "Context of the data release",
            "published": "Identification of data variables: direct and quasi identifiers",
            "techniques": "Anonymisation methodology: techniques and their rationale",
            "promised": "Risk threshold",
            "risk": "Risk of re-identification",
            "threats": "Singling out, linkability, inference: the three criteria",
            "found": "Evaluation of the risk of re-identification",
            "adversary": "Possible adversaries and plausible attacks",
            "lost": "Data utility considerations",
            "limits": "Residual risk",
        },
    ),
    "27559": Framework(
        "ISO/IEC 27559:2022",
        {
            "context": "Context assessment (6): threat modelling, transparency",
            "published": "Data assessment (7.2): data features",
            "promised": "Data assessment (7.3.4): data privacy models",
            "risk": "Identifiability assessment (8.2.2): quantifying identifiability",
            "threats": "Data assessment (7.3): attack modelling",
            "found": "Identifiability assessment (8.2.3): adversarial testing",
            "adversary": "Context assessment (6.2.3): motives and capacity to re-identify",
            "techniques": "Mitigation (8.3.3): transforming the data",
            "limits": "Mitigation (8.3.4): re-evaluation",
            "evidence": "De-identification governance (9): before data are made available",
        },
    ),
}


def framework(name: str | None) -> Framework:
    """Find a framework by its name on the command line; None: no framework.

    >>> framework("27559").name, framework(None).heading("lost")
    ('ISO/IEC 27559:2022', 'What was lost')
    """
    return Framework() if name is None else FRAMEWORKS[name]


def refuse_unknown(name: str | None) -> None:
    """Refuse a framework that has no headings here."""
    if name is not None:
        one_of("report", "framework", name, tuple(FRAMEWORKS))
