"""What a ledger has entries of: chains, batches and releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Chain:
    """Releases that cover the same people and more; another chain is about other people."""

    number: int
    terms: dict[str, Any]
    started: str


@dataclass(frozen=True)
class Batch:
    """Rows that came together."""

    number: int
    digest: str
    n_rows: int
    n_left_out: int
    fingerprint: str
    types: dict[str, str]
    typed: bool
    received: str
    kept: bool = False  # whether its file has its name, for good


@dataclass(frozen=True)
class ReleaseEntry:
    """A release of all batches from the first to the last."""

    number: int
    chain: int
    first_batch: int
    last_batch: int
    own_batch: int | None
    digest: str
    n_rows: int
    n_suppressed: int
    made: str
    published: bool
    recipient: str | None = None  # nobody in particular
    withdrawn: str | None = None  # since when; it stays known to whoever has read it

    @property
    def name(self) -> str:
        """How messages call it."""
        to = "" if self.recipient is None else f" for {self.recipient!r}"
        return f"{self.number:03d}{to}"

    def covers(self, batch: Batch) -> bool:
        """Whether the rows of a batch are in it."""
        return self.first_batch <= batch.number <= self.last_batch
