"""The papers' tables and figures once more, ours beside theirs.

A paper is a module with a function `run(*, quick)` that gives a `Reproduction`; `PAPERS` names it.
The experiments have fixed seeds, so that they can be repeated; they protect nobody.
"""

from __future__ import annotations

from importlib import import_module

from sfumato.errors import BadInput, nearest, shown
from sfumato.papers.reproduction import Claim, Panel, Reproduction
from sfumato.parameters import true_or_false
from sfumato.report.page.line_chart import Chart

__all__ = ["PAPERS", "Chart", "Claim", "Panel", "Reproduction", "check_name", "reproduce"]

PAPERS = {
    "chen2009": "Adversarial-knowledge dimensions in data privacy (section 8)",
    "cormode2010": "Minimizing Minimality and Maximizing Utility (section 5)",
    "fung2008": "Anonymity for Continuous Data Publishing (section 6)",
    "wong2009": "Anonymization-Based Attacks in Privacy-Preserving Data Publishing (section 7)",
}


def reproduce(name: str, *, quick: bool = False) -> Reproduction:
    """Run a paper's experiments on the bundled data.

    Args:
        name: "chen2009", "cormode2010", "fung2008" or "wong2009".
        quick: On a few thousand rows and at a few points, for a look in seconds. The numbers are
            then others than the paper's.

    >>> import sfumato as sf
    >>> sf.reproduce("cormode2010", quick=True).paper
    'cormode2010'
    """
    true_or_false("reproduce", "quick", quick)
    run = import_module(f"sfumato.papers.{check_name(name)}").run
    reproduction = run(quick=quick)
    assert isinstance(reproduction, Reproduction)  # noqa: S101  (what a paper's module promises)
    return reproduction


def check_name(name: str) -> str:
    """Refuse a paper that is not here."""
    if not isinstance(name, str) or name not in PAPERS:
        raise BadInput(f"reproduce: no paper {shown(name)}{nearest(name, PAPERS)}")
    return name
