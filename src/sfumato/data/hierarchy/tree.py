"""Tree: a nested dict of the steward's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sfumato.data.domain import Domain
from sfumato.data.hierarchy.base import TREE, Hierarchy
from sfumato.data.hierarchy.domains import closed_domain, refuse_repeated
from sfumato.data.hierarchy.proposed import proposed_tree
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import ROOT
from sfumato.errors import BadInput, shown
from sfumato.files.toml_text import toml_table

Nested: TypeAlias = "Mapping[str, Nested] | Sequence[str | Mapping[str, Nested]] | None"


@dataclass(frozen=True)
class Tree(Hierarchy):
    """A tree written as a nested dict; leaves are None or a list.

    `Tree({"Europe": ["France", "Italy"], "Asia": {"Japan": None}})` has the root `*`. A dict with
    a single key names the root itself; a plain list is a closed set of values under `*`. In a list,
    leaves may stand beside nodes, as in TOML: `["Malta", {"North": ["Norway"]}]`.

    >>> import sfumato as sf
    >>> countries = sf.Tree({"Europe": ["France", "Italy"], "Asia": ["Japan"]})
    >>> domain, _ = countries.grow("column", ["Japan", "Italy"])
    >>> for level in domain.taxonomy.labels:
    ...     print(*level, sep="  ")
    France  Italy  Japan
    Europe  Europe  Asia
    *  *  *
    """

    texts = "nodes"
    tree: Nested = field(compare=False)
    _paths: tuple[tuple[object, ...], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        tree, root = self.tree, ROOT
        if isinstance(tree, Mapping) and len(tree) == 1 and next(iter(tree.values())) is not None:
            ((root, tree),) = tree.items()
            root = str(root)
        branches: list[tuple[object, ...]] = []  # leaf first, root last
        try:
            _walk(tree, (root,), branches)
        except RecursionError:
            raise BadInput("Tree: nested too deep, or a part of itself") from None
        # A leaf above the greatest depth is its own node on the levels below its depth.
        deepest = max(map(len, branches))
        paths = tuple((path[0],) * (deepest - len(path)) + path for path in branches)
        object.__setattr__(self, "_paths", paths)
        refuse_repeated([path[0] for path in paths], "Tree")

    def in_words(self) -> str:
        """The nodes have names of their own."""
        return TREE

    @property
    def parameter(self) -> Any:
        """The nested dict, as text, without None: leaves stand in lists."""
        return _written(self.tree)

    @classmethod
    def of_parameter(cls, parameter: Any) -> Tree:
        """Read the nested dict."""
        return cls(parameter)

    @classmethod
    def from_values(cls, values: Iterable[object], counts: Iterable[int] | None = None) -> Tree:
        """Propose a tree over values of the data, for a person to edit; see `proposed_tree`.

        A tree is public: the names of its nodes, and values that are not generalized, will be in
        releases. `to_toml` and `to_csv` write it down.

        >>> import sfumato as sf
        >>> print(sf.Tree.from_values(["J45", "J20", "A09", "A02"]).to_toml("diagnosis"))
        [diagnosis.tree]
        A = ["A02", "A09"]
        J = ["J20", "J45"]
        """
        return cls(proposed_tree(values, counts))

    def to_toml(self, *path: str) -> str:
        """Write the tree as a table of a job file; path: that of its column's hierarchy."""
        written = _written(self.tree)
        if isinstance(written, dict):
            return toml_table([*path, "tree"], written)
        return toml_table(path, {"tree": written})

    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Find every value among the leaves."""
        return closed_domain(column, values, self._paths, "Tree")


def _walk(tree: Nested, above: tuple[object, ...], branches: list[tuple[object, ...]]) -> None:
    if isinstance(tree, Mapping):
        nodes: Iterable[tuple[object, Nested]] = tree.items()
    elif isinstance(tree, str) or not isinstance(tree, Sequence):
        raise BadInput(f"Tree: a node holds a dict or a list of leaves, got {shown(tree)}")
    else:
        if any(leaf is None for leaf in tree):
            raise BadInput("Tree: a missing value is a leaf already; leave None out of the list")
        nodes = [
            node
            for item in tree
            for node in (item.items() if isinstance(item, Mapping) else [(item, None)])
        ]
    n_before = len(branches)
    for name, below in nodes:
        if below is None:
            branches.append((str(name), *above))
        else:
            _walk(below, (str(name), *above), branches)
    if len(branches) == n_before:
        raise BadInput("Tree: no leaves; give at least one ground value", above[:1])


def _written(tree: Nested) -> Any:
    """Write leaves as lists, in which nodes stand as tables where they are mixed."""
    if isinstance(tree, Mapping):
        nodes = {str(name): below for name, below in tree.items()}
        if None not in nodes.values():
            return {name: _written(below) for name, below in nodes.items()}
        return [n if below is None else {n: _written(below)} for n, below in nodes.items()]
    return [_written(item) if isinstance(item, Mapping) else str(item) for item in tree or ()]
