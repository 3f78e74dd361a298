"""TOML as it is written: keys and values of job files that a person edits."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import STEERING

BARE = re.compile(r"[A-Za-z0-9_-]+")
LONGEST = 90  # characters of a list on one line


def toml_key(*names: str) -> str:
    """Write a key, or the path to it.

    >>> toml_key("columns", "net income", "tree")
    'columns."net income".tree'
    """
    return ".".join(name if BARE.fullmatch(name) else _string(name) for name in names)


def toml_value(value: Any) -> str:
    r"""Write a value on one line.

    >>> print(toml_value({"widths": [5, 10], "top": 90, "the \"rest\"": ["a\tb", True]}))
    {widths = [5, 10], top = 90, "the \"rest\"" = ["a\tb", true]}
    """
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_key(k)} = {toml_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return json.dumps(value, allow_nan=False)


def toml_line(name: str, value: Any) -> str:
    """Write a key with its value; a long list has an item on each line.

    >>> toml_line("prefix", [3, 2])
    'prefix = [3, 2]'
    """
    line = f"{toml_key(name)} = {toml_value(value)}"
    if isinstance(value, str) or not isinstance(value, Sequence) or len(line) <= LONGEST:
        return line
    items = "".join(f"    {toml_value(item)},\n" for item in value)
    return f"{toml_key(name)} = [\n{items}]"


def toml_table(path: Sequence[str], table: Mapping[str, Any]) -> str:
    """Write a table under its path, and the tables at its end under theirs: the order stays."""
    n_inner = 0
    while n_inner < len(table) and isinstance([*table.values()][-1 - n_inner], Mapping):
        n_inner += 1
    inner = dict([*table.items()][len(table) - n_inner :])
    lines = [toml_line(name, value) for name, value in table.items() if name not in inner]
    header = [f"[{toml_key(*path)}]"] if path else []
    parts = ["\n".join([*header, *lines])] if lines or not inner else []
    parts += [toml_table([*path, name], value) for name, value in inner.items()]
    return "\n\n".join(parts)


def _string(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
