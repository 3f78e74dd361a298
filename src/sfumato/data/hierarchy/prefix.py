"""Prefix: codes that become more general from the right."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.data.domain import Domain
from sfumato.data.hierarchy.base import Hierarchy
from sfumato.data.hierarchy.domains import open_domain
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import mask_text, name_text
from sfumato.data.values import published_text
from sfumato.errors import BadInput

LONGEST_CODE = 100  # characters of a value under `Prefix`: one level for each


@dataclass(frozen=True)
class Prefix(Hierarchy):
    """Codes that become more general from the right: 13053, 1305*, 130**, ..., `*`.

    >>> import sfumato as sf
    >>> domain, _ = sf.Prefix().grow("column", ["13053", "13068"])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    13053  13068
    1305*  1306*
    130**  130**
    13***  13***
    1****  1****
    *  *
    """

    texts = "masks"

    def in_words(self) -> str:
        """Name what is left of a code."""
        return "prefixes"

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Mask one more character at each level; shorter codes wait for their turn."""
        longest = max((len(str(published_text(v))) for v in values if v is not None), default=0)
        if longest > LONGEST_CODE:
            raise BadInput(
                f"column {column!r}: a value has {longest} characters; Prefix is for codes of at "
                f"most {LONGEST_CODE}, so give the column another hierarchy"
            )

        masked = functools.cache(mask_text)

        def levels(value: object) -> list[str]:
            text = str(published_text(value))
            return [
                name_text(text) if len(text) <= n else masked(text[:n], longest - n)
                for n in range(longest - 1, 0, -1)
            ]

        return open_domain(column, values, published_text, levels)
