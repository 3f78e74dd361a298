"""Objects as small JSON-like specifications and back: `{"k_anonymity": {"k": 5}}`.

Hierarchies, criteria and methods are frozen dataclasses; job files and `release.json` write them
the same way, by the snake-case name of the class and its parameters. What another package defines
also names the package: `{"blur": {"radius": 2}, "package": "sfumato-blur 1.2"}`.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import numbers
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from inspect import cleandoc
from typing import Any, Protocol, TypeVar, runtime_checkable

from sfumato.errors import BadInput, nearest, shown, written
from sfumato.packages import Package, package_of

T = TypeVar("T")

PACKAGE = "package"  # beside the name: who defines it, if that is not sfumato


def name_of(kind: type) -> str:
    """Give the specification's name of a class.

    >>> name_of(type("KAnonymity", (), {})), name_of(type("LDiversity", (), {}))
    ('k_anonymity', 'l_diversity')
    >>> name_of(type("BCFAnonymizer", (), {}))
    'bcf_anonymizer'
    """
    parts = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z0-9]*|[A-Z]+", kind.__name__)
    return "_".join(part.lower() for part in parts)


def to_spec(instance: Any) -> dict[str, Any]:
    """Write a frozen dataclass as `{name: {parameter: value}}`.

    Every parameter is written, so that a default that changes cannot change what a file means.
    """
    return signed(type(instance), written_parameters(instance))


def written_parameters(instance: Any) -> dict[str, Any]:
    """Give all parameters of a frozen dataclass by their names, as files have them."""
    return {name: _plain(getattr(instance, name)) for name in parameter_names(type(instance))}


def parameter_names(kind: type) -> list[str]:
    """Give the names of the parameters of a frozen dataclass."""
    if not dataclasses.is_dataclass(kind):
        raise BadInput(
            f"{kind.__name__}: the class is no dataclass, so no file can name its parameters; "
            "write @dataclass(frozen=True) above it, and its parameters as fields"
        )
    return [field.name for field in dataclasses.fields(kind) if field.init]


def needed_parameters(kind: type) -> list[str]:
    """Give the names of the parameters that have no default."""
    given = inspect.signature(kind).parameters.values()
    return [parameter.name for parameter in given if parameter.default is parameter.empty]


def signed(kind: type, parameters: Any) -> dict[str, Any]:
    """Write parameters behind the name of a class, and beside it who else defines the class."""
    package = package_of(kind)
    return {name_of(kind): parameters} | ({} if package is None else {PACKAGE: str(package)})


def refuse_unreadable(part: T, parameters: Any, read: Callable[[Any], T]) -> None:
    """Refuse what a file could not give back: a parameter that is another one when it is read.

    Args:
        part: A criterion, a method or a hierarchy.
        parameters: What is written behind its name.
        read: Makes it again from that.
    """
    owner, remedy = type(part).__name__, "convert it in __post_init__ to what it is used as"
    try:
        again = read(json.loads(json.dumps(parameters)))
    except BadInput as error:
        raise BadInput(
            f"{owner}: cannot be read back from a file: {error}; {remedy}", error.values
        ) from None
    except Exception as error:  # whatever the code of others raises
        raise BadInput(
            f"{owner}: cannot be read back from a file ({type(error).__name__}); {remedy}"
        ) from None
    if _same(part, again):
        return
    for name in parameter_names(type(part)):
        before, after = getattr(part, name), getattr(again, name)
        if not _same(before, after):
            raise BadInput(
                f"{owner}: the parameter {name!r} cannot be read back from a file: "
                f"{_kind(before)} is read as {_kind(after)}; {remedy}"
            )


def _same(one: object, other: object) -> bool:
    try:
        return bool(one == other)
    except Exception:  # arrays, and whatever else does not say yes or no
        return False


def _kind(value: object) -> str:
    """Write a parameter with its class, or only that if it may hold data."""
    kind, text = type(value).__name__, shown(value)
    return text if text == f"a {kind}" else f"{text} ({kind})"


def from_spec(kinds: Mapping[str, type[T]], spec: Mapping[str, Any], where: str) -> T:
    """Build the object that `spec` names, out of a few; every error says `where` it stands."""
    name, parameters, _ = taken_apart(spec, where)
    if name not in kinds:
        raise BadInput(f"{where}: unknown name {shown(name)}{nearest(name, kinds)}")
    return build(kinds[name], name, parameters, where)


def taken_apart(spec: Mapping[str, Any], where: str) -> tuple[str, Any, Package | None]:
    """Give the name, the parameters and the package that a specification has."""
    names = [name for name in spec if name != PACKAGE] if isinstance(spec, Mapping) else []
    if len(names) != 1:
        raise BadInput(f"{where}: give exactly one name with its parameters, got {_kinds(spec)}")
    package = spec.get(PACKAGE)
    if package is not None and not isinstance(package, str):
        raise BadInput(f"{where}.{PACKAGE}: expected a name and a version, got {shown(package)}")
    return names[0], spec[names[0]], None if package is None else Package.read(package)


def build(kind: type[T], name: str, parameters: Any, where: str | None) -> T:
    """Call a class with the parameters written behind its name; where: None: the caller says so."""
    place = name if where is None else f"{where}.{name}"
    if not isinstance(parameters, Mapping):
        raise BadInput(f"{place}: the parameters must be a table, got {shown(parameters)}")
    known = parameter_names(kind)
    for parameter in parameters:
        if parameter not in known:
            suggestion = nearest(parameter, sorted(known))
            raise BadInput(f"{place}: unknown parameter {shown(parameter)}{suggestion}")
    try:
        return kind(**{key: _tuples(value) for key, value in parameters.items()})
    except TypeError as error:
        missing = re.findall(r"'(\w+)'", str(error).partition("missing")[2])
        needed = f"the parameter {missing[0]!r} is missing" if missing else str(error)
        raise BadInput(f"{place}: {needed}") from None
    except BadInput as error:
        if where is None:
            raise
        raise BadInput(f"{where}: {error}", error.values) from None


def _kinds(spec: object) -> str:
    return (", ".join(map(str, spec)) or "none") if isinstance(spec, Mapping) else shown(spec)


def describe(instance: Any) -> str:
    """Write a frozen dataclass as the call that makes it, without its defaults."""
    inside = ", ".join(f"{name}={_text(value)}" for name, value in chosen(instance).items())
    return f"{type(instance).__name__}({inside})"


def chosen(instance: Any) -> dict[str, Any]:
    """Give the parameters that are not at their defaults, for people."""
    return {
        field.name: _plain(getattr(instance, field.name))
        for field in dataclasses.fields(instance)
        if field.init and getattr(instance, field.name) != _default(field)
    }


def headline(instance: object) -> str:
    """Give the first paragraph of what a class says of itself, on one line."""
    said = cleandoc(type(instance).__doc__ or str(instance))
    return said.split("\n\n")[0].replace("\n", " ")


def _text(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # an integer of too many digits
        return written(value)


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


@runtime_checkable
class Specified(Protocol):
    """What writes itself down: a parameter that is a method, or a hierarchy."""

    def spec(self) -> Any:
        """Write it down."""


def _plain(value: Any) -> Any:
    if isinstance(value, Specified) and not isinstance(value, type):
        return value.spec()
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(each) for each in value), key=str)
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    return int(value) if isinstance(value, numbers.Integral) else str(value)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value
