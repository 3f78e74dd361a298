"""What HIPAA's safe harbour would object to in a table, a job, or a release."""

from __future__ import annotations

from sfumato.hipaa.safe_harbor import SafeHarbor, safe_harbor

__all__ = ["SafeHarbor", "safe_harbor"]
