"""What people see of an audit."""

from __future__ import annotations

from sfumato.report.audit import Report, audit
from sfumato.report.knowledge_skyline import KnowledgeSkyline, knowledge_skyline

__all__ = ["KnowledgeSkyline", "Report", "audit", "knowledge_skyline"]
