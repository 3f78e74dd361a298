"""Installed packages beside this one: which of them defines a class, and what they offer."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import BadInput

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

OWN = __name__.partition(".")[0]


@dataclass(frozen=True)
class Package:
    """A distribution by its name and version, written as `sfumato-blur 1.2`."""

    name: str
    version: str

    @classmethod
    def read(cls, text: str) -> Package:
        """Read what `str` wrote.

        >>> Package.read("sfumato-blur 1.2")
        Package(name='sfumato-blur', version='1.2')
        """
        name, _, version = text.partition(" ")
        return cls(name, version)

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def named(self) -> str:
        """The package in a message: `the package 'sfumato-blur' 1.2`."""
        return f"the package {self.name!r} {self.version}".rstrip()


def offered(group: str) -> tuple[EntryPoint, ...]:
    """Give the entry points of a group that installed packages declare."""
    return tuple(entry for entry in _entry_points(tuple(sys.path)) if entry.group == group)


def offering(entry: EntryPoint) -> Package | None:
    """Give the package that declares an entry point."""
    return None if entry.dist is None else Package(entry.dist.name, entry.dist.version)


def version_of(name: str) -> str | None:
    """Give the version of a package that is installed here."""
    from importlib import metadata  # noqa: PLC0415  (slow, and rarely needed)

    try:
        return metadata.version(name)
    except (metadata.PackageNotFoundError, ValueError):
        return None


def package_of(kind: type) -> Package | None:
    """Give the package that defines a class; None: this one, or none that is installed."""
    top = kind.__module__.partition(".")[0]
    return None if top in (OWN, "__main__", "builtins") else _package_of_module(top)


def is_ours(kind: type) -> bool:
    """Whether this package itself defines a class."""
    return kind.__module__.partition(".")[0] == OWN


def failure_of(kind: type, error: Exception) -> str:
    """Say that the code of others failed: whose, where and how, and none of the data."""
    package = package_of(kind)
    by = f"{kind.__module__}.{kind.__name__}" if package is None else package.named
    if isinstance(error, BadInput):
        return f"{by}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    frame = next((each for each in reversed(frames) if each.filename == file), frames[-1])
    return f"{by}: {type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}"


@cache
def _entry_points(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:  # noqa: ARG001
    from importlib import metadata  # noqa: PLC0415  (slow, and rarely needed)

    every = metadata.entry_points()
    groups = [group for group in every.groups if group.startswith(f"{OWN}.")]
    return tuple(entry for group in groups for entry in every.select(group=group))


@cache
def _package_of_module(top: str) -> Package | None:
    """Find who brought a module along: who declares it, or has it among the files beside it."""
    declaring = {
        offering(entry)
        for entry in _entry_points(tuple(sys.path))
        if entry.module.partition(".")[0] == top
    }
    if len(declaring) != 1:
        declaring = set(_installing(top))
    return declaring.pop() if len(declaring) == 1 else None


def _installing(top: str) -> Iterator[Package]:
    from importlib import metadata  # noqa: PLC0415  (slow, and rarely needed)

    file = getattr(sys.modules.get(top), "__file__", None)
    if file is None:
        return
    place = Path(file).parent
    place = place.parent if Path(file).stem == "__init__" else place
    for distribution in metadata.distributions(path=[str(place)]):
        if any(each.parts[0] in (top, f"{top}.py") for each in distribution.files or ()):
            yield Package(distribution.name, distribution.version)
