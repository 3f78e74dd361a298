"""Doors: how criteria, methods, attacks, hierarchies and engines join, ours and other people's.

A class joins by being defined: its base calls `join` in `__init_subclass__`. A class of another
package is found by its name through an entry point, so that it need not be imported first:

    [project.entry-points."sfumato.criteria"]
    blur = "sfumato_blur:Blur"
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from inspect import isabstract
from typing import Any, Generic, TypeVar

from sfumato.errors import BadInput, nearest, shown
from sfumato.packages import Package, is_ours, offered, offering, package_of, version_of
from sfumato.spec import PACKAGE, build, name_of, taken_apart

T = TypeVar("T")


class Registry(Mapping[str, type[T]], Generic[T]):
    """All classes of one kind by their names: those defined so far, and those packages offer.

    Packages are asked when a name is not known, and when all are listed. One that cannot be
    imported does not hide the others; `broken` says why.
    """

    def __init__(
        self,
        noun: str,
        group: str,
        named: Callable[[type[T]], str] = name_of,
        homes: Mapping[str, str] | None = None,
        stated: Sequence[str] = (),
        reserved: Sequence[str] = (),
    ) -> None:
        """Open a door.

        Args:
            noun: What a message calls one of them.
            group: The entry points by which packages offer theirs.
            named: How a class gets its name.
            homes: Modules of our own that define one by its name, imported when it is needed.
            stated: Texts that every class has to state.
            reserved: Names that mean something else in files.
        """
        self.noun, self.group = noun, group
        self._named = named
        self._homes = dict(homes or {})
        self._stated = tuple(stated)
        self._reserved = {PACKAGE, *reserved}
        self._kinds: dict[str, type[T]] = {}
        self._broken: dict[str, str] = {}

    def join(self, kind: type[T]) -> None:
        """Let a class in, unless it is abstract or its name starts with an underscore.

        A class that is defined again, by a notebook's cell or a reload, takes its own place.
        """
        if isabstract(kind) or kind.__name__.startswith("_"):
            return
        for attribute in self._stated:
            if not isinstance(getattr(kind, attribute, None), str):
                raise BadInput(
                    f"{self.noun} {kind.__name__}: the class does not say its {attribute}; write "
                    f'{attribute} = "..." into it'
                )
        name = self._named(kind)
        if name in self._reserved:
            raise BadInput(f"{self.noun} {name!r}: the name means something else; choose another")
        known = self._kinds.get(name)
        if known is not None and _place(known) != _place(kind):
            raise BadInput(
                f"{self.noun} {name!r}: the name is taken twice, by {_placed(known)} and by "
                f"{_placed(kind)}; rename one of the classes, or use one of the two alone"
            )
        self._kinds[name] = kind

    def __getitem__(self, name: str) -> type[T]:
        if name not in self._kinds:
            self._load(name)
        return self._kinds[name]

    def __iter__(self) -> Iterator[str]:
        self._load_all()
        return iter(tuple(self._kinds))

    def __len__(self) -> int:
        self._load_all()
        return len(self._kinds)

    @property
    def ours(self) -> list[type[T]]:
        """The classes that this package itself defines, by their names."""
        own = [kind for kind in self._kinds.values() if is_ours(kind)]
        return sorted(own, key=lambda kind: kind.__name__)

    @property
    def broken(self) -> dict[str, str]:
        """What packages offer and cannot give, with the reason."""
        self._load_all()
        return dict(self._broken)

    def from_spec(self, spec: Mapping[str, Any], where: str) -> T:
        """Build the object that `spec` names; every error says `where` it stands."""
        name, parameters, package = taken_apart(spec, where)
        return build(self.find(name, package, where), name, parameters, where)

    def find(self, name: str, package: Package | None, where: str) -> type[T]:
        """Give the class that a file means, which was written with one of `package`."""
        kind = self.get(name)
        if kind is None:
            raise BadInput(f"{where}: {self._missing(name, package)}")
        here = package_of(kind)
        if package is None or (here is None and not is_ours(kind)):
            return kind  # not said, or not installed: by somebody who works on it
        if here is None or here.name != package.name:
            by = "sfumato itself" if here is None else here.named
            raise BadInput(
                f"{where}: the {self.noun} {name!r} was written by {package.named}, and {by} "
                "means something else by this name; use the package that wrote it"
            )
        return kind

    def _missing(self, name: str, package: Package | None) -> str:
        if name in self._broken:
            return f"the {self.noun} {name!r} cannot be used: {self._broken[name]}"
        if package is None:
            known = [*self, *self._broken]
            return f"unknown name {shown(name)}{nearest(name, known)}"
        version = version_of(package.name)
        remedy = "install it"
        if version is not None:
            remedy = f"version {version} is installed and does not offer it, so install that one"
        return (
            f"the {self.noun} {shown(name)} is not known here; it was written by {package.named}; "
            f"{remedy}"
        )

    def _load_all(self) -> None:
        for name in dict.fromkeys([*self._homes, *(entry.name for entry in offered(self.group))]):
            self._load(name)

    def _load(self, name: str) -> None:
        """Import what is offered under a name; say in `_broken` if that cannot be."""
        if name in self._homes:
            import_module(self._homes[name])
        entries = [entry for entry in offered(self.group) if entry.name == name]
        by = " and ".join(
            package.named for package in map(offering, entries) if package is not None
        )
        try:
            if len(entries) > 1:
                raise BadInput("they both have it; uninstall all but one")
            for entry in entries:
                self._check(name, entry.load())
            self._broken.pop(name, None)
        except Exception as error:  # whatever the code of others raises
            what = str(error) if isinstance(error, BadInput) else f"{type(error).__name__}: {error}"
            self._broken[name] = f"{by}: {what}"

    def _check(self, name: str, kind: object) -> None:
        if self._kinds.get(name) is kind:
            return
        real = next((real for real, known in self._kinds.items() if known is kind), None)
        wrong = f"gives no {self.noun}" if real is None else f"has to be called {real!r}"
        raise BadInput(f"the entry point {name!r} of {self.group} {wrong}")


def _place(kind: type) -> tuple[str, str]:
    """Where a class is written; a file may be imported under two names, one of them `__main__`."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file or kind.__module__, kind.__qualname__


def _placed(kind: type) -> str:
    package = package_of(kind)
    of = "sfumato" if is_ours(kind) else "no package" if package is None else package.named
    return f"{kind.__module__}.{kind.__qualname__} ({of})"
