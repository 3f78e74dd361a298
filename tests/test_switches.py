"""What a thing means, it says itself: outside its own room nobody asks for its class.

Every file is parsed. A class of a room may be made and named in annotations elsewhere, and derived
from; asking an object for it (`isinstance`, `match`, `type(...) is`, a table keyed by classes), or
for a field that only some classes have (`getattr`), is a switch.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.algorithms import Algorithm
from sfumato.criteria import Criterion
from sfumato.data.hierarchy import Hierarchy, PublishedPaths
from sfumato.data.recoding import Recoding

SOURCE = Path(sfumato.__file__).parent


@dataclass(frozen=True)
class Room:
    """Where a kind of thing is at home, and what it is derived from."""

    home: str  # a folder or a file of the package
    base: type
    also: frozenset[type] = frozenset()  # what stands for one of the base here and there
    remaining: frozenset[str] = frozenset()  # switches that are still there: this list only shrinks
    others: frozenset[str] = frozenset()  # getattr of a field of the same name, of another thing

    @property
    def kinds(self) -> set[type]:
        """The base class and all that sfumato derives from it."""
        found, waiting = set(), [self.base, *self.also]
        while waiting:
            kind = waiting.pop()
            found.add(kind)
            waiting += [each for each in kind.__subclasses__() if is_ours(each)]
        return found

    @property
    def members(self) -> set[str]:
        """Names of what things of this kind have."""
        found = set()
        for kind in self.kinds:
            found |= {*vars(kind), *getattr(kind, "__dataclass_fields__", ())}
        return {name for name in found if not name.startswith("_")}


ROOMS = [
    Room(
        "criteria",
        Criterion,
        others=frozenset(
            {
                'report/verdict.py: getattr(attack, "attribute", None)',
                'cli/command.py: getattr(error, "values", ())',
            }
        ),
    ),
    Room(
        "algorithms",
        Algorithm,
        others=frozenset(
            {
                'engines/duckdb/reading/opening.py: hasattr(frame, "columns")',
                'cli/command.py: getattr(error, "values", ())',
            }
        ),
    ),
    Room(
        "data/recoding",
        Recoding,
        others=frozenset(
            {
                'engines/duckdb/reading/opening.py: hasattr(frame, "columns")',
                'report/verdict.py: getattr(attack, "attribute", None)',
            }
        ),
    ),
    Room("data/hierarchy", Hierarchy, frozenset({PublishedPaths})),
]


def is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "sfumato"


@cache
def parsed(text: str) -> tuple[ast.AST, dict[ast.AST, ast.AST]]:
    """Give the tree of a file, and what each node stands in."""
    tree = ast.parse(text)
    parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    return tree, parents


@dataclass
class Reader:
    """Finds the switches on the classes of a room in one file."""

    text: str
    known: dict[str, Any]  # objects by the names that the file has for them
    room: Room

    def __post_init__(self) -> None:
        self.tree, self.parents = parsed(self.text)
        self.kinds, self.members = self.room.kinds, self.room.members
        self.names = {kind.__name__ for kind in self.kinds}

    def switches(self) -> Iterator[str]:
        """Give the source of every switch."""
        for node in ast.walk(self.tree):
            if self.asks_for_field(node) or self.asks_for_name(node) or self.matches(node):
                yield self.source(node)
            elif self.mentions(self.value(node)) and not self.is_harmless(node):
                yield self.source(self.around(node))

    def asks_for_field(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return False
        if node.func.id not in ("getattr", "hasattr"):
            return False
        name = node.args[1]
        return isinstance(name, ast.Constant) and name.value in self.members

    def asks_for_name(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Compare) and any(
            isinstance(each, ast.Constant) and each.value in self.names for each in ast.walk(node)
        )

    def matches(self, node: ast.AST) -> bool:
        return isinstance(node, ast.MatchClass) and self.mentions(self.value(node.cls))

    def mentions(self, value: Any) -> bool:
        """Whether this is a class of the room; or several, where they are asked for."""
        if isinstance(value, (tuple, list, set, frozenset)):
            return any(map(self.mentions, value))
        return isinstance(value, type) and value in self.kinds

    def is_harmless(self, node: ast.AST) -> bool:
        """Whether a class is made here, derived from, or named for the type checker."""
        parent = self.parents[node]
        if isinstance(parent, ast.MatchClass):
            return True  # found by itself
        if isinstance(parent, ast.Call) and parent.func is node:
            return True
        if isinstance(parent, ast.Attribute):  # a class method makes one, too
            above = self.parents[parent]
            return isinstance(above, ast.Call) and above.func is parent
        if isinstance(parent, ast.ClassDef) and node in parent.bases:
            return True
        while not isinstance(parent, ast.stmt):
            if isinstance(parent, ast.arg):
                return True
            node, parent = parent, self.parents[parent]
        annotation = getattr(parent, "annotation", None), getattr(parent, "returns", None)
        return node in annotation

    def around(self, node: ast.AST) -> ast.AST:
        """Give the call or comparison that a class stands in."""
        parent: ast.AST = node
        while not isinstance(parent, (ast.Call, ast.Compare, ast.stmt)):
            parent = self.parents[parent]
        return parent

    def value(self, node: ast.AST) -> Any:
        """What a name stands for, as far as the file says so."""
        if isinstance(node, ast.Name):
            return self.known.get(node.id)
        if isinstance(node, ast.Attribute):
            return getattr(self.value(node.value), node.attr, None)
        return None

    def source(self, node: ast.AST) -> str:
        return " ".join((ast.get_source_segment(self.text, node) or "").split())


@cache
def known_in(path: Path) -> dict[str, Any]:
    """Give the objects that a file can name, imports inside of functions included."""
    module = ".".join(("sfumato", *path.relative_to(SOURCE).with_suffix("").parts))
    known = dict(vars(importlib.import_module(module.removesuffix(".__init__"))))
    for node in ast.walk(parsed(path.read_text())[0]):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sfumato"):
            source = importlib.import_module(str(node.module))
            for alias in node.names:
                value = getattr(source, alias.name, None)
                known.setdefault(alias.asname or alias.name, value)
    return known


def all_switches(room: Room) -> set[str]:
    home = SOURCE / room.home
    found = set()
    for path in SOURCE.rglob("*.py"):
        if path.name == "__main__.py" or path.is_relative_to(home) or path == home:
            continue
        name = path.relative_to(SOURCE).as_posix()
        found |= {
            f"{name}: {each}" for each in Reader(path.read_text(), known_in(path), room).switches()
        }
    return found - room.others


@pytest.mark.long
@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.home)
def test_nobody_asks_for_a_class_outside_its_room(room):
    assert all_switches(room) == room.remaining


SWITCHES = [
    "isinstance(part, KAnonymity)",
    "isinstance(part, (str, sf.LDiversity))",
    "isinstance(part, Criterion)",
    "isinstance(part, SEVERAL)",
    "issubclass(kind, KAnonymity)",
    "type(part) is KAnonymity",
    "type(part) in SEVERAL",
    "type(part).__name__ == 'KAnonymity'",
    "words = {KAnonymity: 'k'}",
    "kinds = (KAnonymity,)",
    "getattr(part, 'values', None)",
    "hasattr(part, 'pooled')",
    "match part:\n    case KAnonymity(k=5): pass",
]
NO_SWITCHES = [
    "KAnonymity(5)",
    "sf.LDiversity(2, 'entropy')",
    "KAnonymity.from_text('5')",
    "def ask(part: KAnonymity | None) -> list[Criterion]: pass",
    "part: Criterion = made()",
    "class Mine(Criterion): pass",
    "getattr(module, name)",
    "isinstance(value, str)",
    "from_spec(CRITERIA, spec)",
]


def read(text: str) -> list[str]:
    known = {
        **vars(sfumato.criteria),
        "sf": sfumato,
        "SEVERAL": (sfumato.KAnonymity, sfumato.LDiversity),
    }
    return list(Reader(text, known, Room("criteria", Criterion)).switches())


ELSEWHERE = [
    ("isinstance(method, sf.Mondrian)", Algorithm),
    ("isinstance(method, (sf.Anatomy, sf.OneGroup))", Algorithm),
    ("getattr(method, 'max_suppressed', 0)", Algorithm),
    ("{sf.Optimal: 'all nodes'}", Algorithm),
    ("isinstance(recoding, Cut)", Recoding),
    ("match recoding:\n    case Bucketing(): pass", Recoding),
    ("hasattr(recoding, 'intervals')", Recoding),
    ("isinstance(rule, sf.Flat)", Hierarchy),
    ("isinstance(rule, (sf.Tree, str))", Hierarchy),
    ("named = {sf.Prefix: 'prefixes'}", Hierarchy),
    ("getattr(rule, 'widths', ())", Hierarchy),
]


@pytest.mark.parametrize(("text", "base"), ELSEWHERE)
def test_a_switch_on_a_method_a_recoding_or_a_hierarchy_is_seen_by_its_own_room_alone(text, base):
    known = {**vars(sfumato.data.recoding), "sf": sfumato}
    seen = [room.base for room in ROOMS if [*Reader(text, known, room).switches()]]
    assert seen == [base]


@pytest.mark.parametrize("text", SWITCHES)
def test_a_switch_is_seen(text):
    assert read(text)


@pytest.mark.parametrize("text", NO_SWITCHES)
def test_what_is_no_switch_is_not_taken_for_one(text):
    assert not read(text)
