"""JSON as it is written: for people, machines, and terminals that show it."""

from __future__ import annotations

import json
from typing import Any

from sfumato.errors import STEERING


def readable_json(value: Any, *, ascii_only: bool = False) -> str:
    r"""Write JSON with its letters; what steers a terminal or turns text around is escaped.

    >>> print(readable_json({"Größe": "a\u202eb\x9b"}))
    {
      "Größe": "a\u202eb\u009b"
    }
    """
    text = json.dumps(value, indent=2, ensure_ascii=ascii_only, allow_nan=False)
    return STEERING.sub(lambda e: "\n" if e[0] == "\n" else f"\\u{ord(e[0]):04x}", text)
