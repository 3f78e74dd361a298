"""What people see of an audit."""

from __future__ import annotations

from sfumato.report.audit import Report, audit
from sfumato.report.exploration import Exploration, explore

__all__ = ["Exploration", "Report", "audit", "explore"]
