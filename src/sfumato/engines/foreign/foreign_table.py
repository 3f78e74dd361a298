"""What came of a source that was converted, and what its reader has to be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from sfumato.data.read_settings import NUMBER, ReadSettings
from sfumato.engines.csv_header import numbered
from sfumato.engines.foreign.pieces import as_text, mixed
from sfumato.engines.foreign.spool import Spool
from sfumato.engines.text_copy import NOTHING, Skipped
from sfumato.errors import BadInput
from sfumato.text import count


@dataclass(frozen=True)
class ForeignTable:
    """A Parquet file in a private place: its columns are v0, v1, ..., these are their names."""

    names: tuple[str, ...]
    notices: tuple[tuple[str, str], ...] = ()  # what a person should know, without any value
    missing: Mapping[str, int] = field(default_factory=dict)  # codes that were read as missing
    skipped: Skipped = NOTHING
    meanings: Mapping[str, str] = field(default_factory=dict)  # what the file says of its columns

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        spool: Spool,
        missing: Mapping[str, int],
        notices: Sequence[tuple[str, str]] = (),
        skipped: Skipped = NOTHING,
        meanings: Mapping[str, str] | None = None,
    ) -> ForeignTable:
        """Say what was found in columns of several kinds, too."""
        said = [*notices]
        texts = mixed_columns(names, [spool.counts(j) for j in range(len(names))])
        if texts:
            said.append(("of several kinds, read as text", texts))
        return cls(tuple(names), tuple(said), dict(missing), skipped, dict(meanings or {}))

    @classmethod
    def together(cls, tables: Mapping[str, ForeignTable | None]) -> ForeignTable | None:
        """See several files as one; tables: by the name of the file."""
        foreign = {place: each for place, each in tables.items() if each is not None}
        if not foreign:
            return None
        missing: Counter[str] = Counter()
        notices: dict[str, list[str]] = {}
        for place, each in foreign.items():
            missing.update(each.missing)
            for what, text in each.notices:
                notices.setdefault(what, []).append(f"{text} in {place}")
        said = tuple((what, "; ".join(texts)) for what, texts in notices.items())
        first = next(iter(foreign.values()))
        return cls(first.names, said, dict(missing), meanings=first.meanings)


def mixed_columns(names: Sequence[str], counts: Sequence[Mapping[str, int]]) -> str:
    """Name the columns whose values are of several kinds, with the number of each kind.

    >>> mixed_columns(["age", "zip"], [{"whole number": 3}, {"text": 2, "whole number": 1}])
    'zip (text 2, whole number 1)'
    """
    return "; ".join(
        f"{name} ({', '.join(f'{kind} {count(n)}' for kind, n in sorted(found.items()))})"
        for name, found in zip(names, counts, strict=True)
        if mixed(found)
    )


def column_names(written: Sequence[str], settings: ReadSettings) -> list[str]:
    """Give the names of columns, as the settings want them to be read."""
    names = [name.strip() for name in written] if settings.trim else list(written)
    return list(numbered(names)) if settings.names == NUMBER else names


def without_codes(
    names: Sequence[str],
    columns: Sequence[list[Any]],
    settings: ReadSettings,
    n_missing: dict[str, int],
) -> Sequence[list[Any]]:
    """See codes as missing before kinds are: -99 among numbers, `k.A.` among dates; count them."""
    for name, column in zip(names, columns, strict=True):
        codes = frozenset(settings.codes(name))
        if not codes:
            continue
        found = [j for j, value in enumerate(column) if _text(value, settings) in codes]
        for j in found:
            column[j] = None
        n_missing[name] = n_missing.get(name, 0) + len(found)
    return columns


def _text(value: object, settings: ReadSettings) -> str | None:
    text = as_text(value)
    return text.strip() if settings.trim and text is not None else text


def needed(package: str, path: Path) -> Any:
    """Give a package that reads a kind of files, or say how to get it."""
    try:
        return import_module(package)
    except ImportError:
        raise BadInput(
            f"{path}: reading it needs {package}; in a clone of sfumato, install it with: "
            ".venv/bin/pip install -e '.[files]'"
        ) from None
