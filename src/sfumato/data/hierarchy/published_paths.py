"""What a release shows of a hierarchy: the whole rule, or paths of a closed tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from sfumato.data.hierarchy.base import PATHS, TREE, Hierarchy
from sfumato.data.labels.grammar import Reading


@dataclass(frozen=True)
class PublishedPaths:
    """What a release shows of a closed tree: the paths from published nodes up to the root."""

    texts: ClassVar[Reading] = "nodes"
    extent: ClassVar[tuple[None, None]] = None, None
    codes_ends: ClassVar[bool] = False
    tails: ClassVar[None] = None
    public_paths: tuple[tuple[str, ...], ...]

    def in_words(self) -> str:
        """What it is a part of."""
        return TREE

    def spec(self) -> dict[str, Any]:
        """Write the paths down as `release.json` has them."""
        return {PATHS: [list(path) for path in self.public_paths]}


PublicRule: TypeAlias = Hierarchy | PublishedPaths  # as far as a hierarchy is public


def whole_rules(rules: Mapping[str, PublicRule]) -> dict[str, Hierarchy]:
    """Give the hierarchies that are public as a whole."""
    return {name: rule for name, rule in rules.items() if isinstance(rule, Hierarchy)}
