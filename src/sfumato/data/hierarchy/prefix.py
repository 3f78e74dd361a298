"""Prefix: codes that become more general from the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.data.domain import Domain
from sfumato.data.hierarchy.base import Hierarchy
from sfumato.data.hierarchy.domains import all_different, open_domain
from sfumato.data.hierarchy.masked import MaskedTaxonomy
from sfumato.data.keys import Codes
from sfumato.data.values import published_text
from sfumato.errors import BadInput
from sfumato.parameters import whole

LONGEST_CODE = 100  # characters of a value under `Prefix`: one level for each


@dataclass(frozen=True, init=False)
class Prefix(Hierarchy):
    """Codes that become more general from the right: 13053, 1305*, 130**, ..., `*`.

    `Prefix(3, 2)` shows so many characters, and no other number of them: 13053, 130**, 13***, `*`.

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
    lengths: tuple[int, ...] = ()  # none: all

    def __init__(self, *lengths: int) -> None:
        numbers = [whole("Prefix", "a length", length, most=LONGEST_CODE) for length in lengths]
        falling = tuple(sorted(numbers, reverse=True))
        if len(set(falling)) < len(falling):
            raise BadInput(
                f"Prefix: a length stands twice in {', '.join(map(str, numbers))}; give it once"
            )
        object.__setattr__(self, "lengths", falling)

    def in_words(self) -> str:
        """Name what is left of a code."""
        return f"prefixes of {', '.join(map(str, self.lengths))}" if self.lengths else "prefixes"

    @property
    def parameter(self) -> Any:
        """The lengths; True: all of them."""
        return list(self.lengths) or True

    @classmethod
    def of_parameter(cls, parameter: Any) -> Prefix:
        """Read the lengths, or a single one, or True."""
        if parameter is True:
            return cls()
        return cls(*parameter) if isinstance(parameter, (list, tuple)) else cls(parameter)

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Mask more characters at each level; shorter codes wait for their turn."""
        longest = max((len(_text(v)) for v in values if v is not None), default=0)
        if longest > LONGEST_CODE:
            raise BadInput(
                f"column {column!r}: a value has {longest} characters; Prefix is for codes of at "
                f"most {LONGEST_CODE}, so give the column another hierarchy"
            )
        present = sorted((v for v in values if v is not None), key=_text)
        if not present:
            return open_domain(column, values, published_text, lambda _: [])
        texts = tuple(map(_text, present))
        missing = len(present) < len(values)
        lengths = self.lengths or tuple(range(longest - 1, 0, -1))
        taxonomy = MaskedTaxonomy.of(present, texts, lengths, missing=missing)
        labels = (*present, None) if missing else tuple(present)
        domain = Domain(labels, taxonomy, order="codes")
        code = {value: j for j, value in enumerate(domain.labels)}
        return domain, all_different(column, [code[value] for value in values])


def _text(code: object) -> str:
    return str(published_text(code))
