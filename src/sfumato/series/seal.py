"""Keyed digests of the ledger: whoever has not the key of the series cannot write an entry.

A bit that flips on a disk changes an entry, and its digest does not fit any more. The seal is the
digest of all digests, so that no entry can be missing, come twice, or be one of another day.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence

# No text is encoded like this, so it is nobody's id: people are hashed with the same key.
PURPOSE = b"\xffledger"

Value = int | float | str | bytes | None  # as SQLite has them


class Seal:
    """Digests by the key of a series.

    >>> seal = Seal(bytes(32))
    >>> seal.of("chains", [1, "{}"]) == seal.of("chains", [1, "{}"])
    True
    >>> seal.of("chains", [1, "{}"]) == seal.of("chains", ["1", "{}"])
    False
    """

    def __init__(self, key: bytes) -> None:
        self._key = hmac.digest(key, PURPOSE, "sha256")

    def of(self, kind: str, values: Sequence[Value]) -> str:
        """Give the digest of some values; of bytes, which no entry has, there is none."""
        try:
            written = json.dumps([kind, *values])
        except TypeError:
            return ""
        return hmac.new(self._key, written.encode(), hashlib.sha256).hexdigest()

    def fits(self, digest: Value, kind: str, values: Sequence[Value]) -> bool:
        """Whether a digest is that of some values."""
        expected = self.of(kind, values)
        return isinstance(digest, str) and digest == expected != ""
