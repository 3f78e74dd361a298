"""What a table might be released as: looked at, with reasons, for a person to decide."""

from __future__ import annotations

from sfumato.proposal.build import propose
from sfumato.proposal.proposal import Proposal, ProposedColumn

__all__ = ["Proposal", "ProposedColumn", "propose"]
