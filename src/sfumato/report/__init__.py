"""What people see of an audit."""

from __future__ import annotations

from sfumato.report.audit import Report, audit

__all__ = ["Report", "audit"]
