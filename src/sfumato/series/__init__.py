"""Publishing again and again: batches come in, and every release covers all records so far."""

from sfumato.series.new_batch.rare import RareValues
from sfumato.series.release_series import ReleaseSeries, SeriesReport, Status, started
from sfumato.series.terms import Terms

__all__ = ["RareValues", "ReleaseSeries", "SeriesReport", "Status", "Terms", "started"]
