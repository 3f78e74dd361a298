"""The grouping attacks' formulas: what the order of grouping gives away (Cormode 2010)."""

from __future__ import annotations

from sfumato.formulas.buckets import bucket_risk

__all__ = ["bucket_risk"]
