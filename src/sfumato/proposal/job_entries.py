"""Criteria and methods as lines of a job file, without what a reader is given anyway."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.algorithms import ALGORITHMS, Algorithm
from sfumato.criteria import CRITERIA, Criterion
from sfumato.files.toml_text import toml_key, toml_value
from sfumato.registry import Registry
from sfumato.spec import PACKAGE

EARLIER = "the directory of each earlier release"  # where nobody knows the places


def criteria_entries(criterion: Criterion) -> Iterator[str]:
    r"""Write every part of a criterion under a header of its own.

    >>> import sfumato as sf
    >>> print(*criteria_entries(sf.KAnonymity(5) & sf.LDiversity(2)), sep="\n")
    [[criteria]]
    k_anonymity = {k = 5}
    [[criteria]]
    l_diversity = {l = 2}
    """
    for spec in criterion.spec():
        yield "[[criteria]]"
        yield from _entries(_short(spec, CRITERIA))


def method_entries(method: Algorithm) -> Iterator[str]:
    r"""Write a method; the places of earlier releases are to be filled in, as nobody knows them.

    >>> import sfumato as sf
    >>> print(*method_entries(sf.Mondrian(look_ahead=True)), sep="\n")
    [method]
    mondrian = {look_ahead = true}
    """
    spec = method.spec()
    if method.series is not None and method.series.previous:
        spec = {
            name: {**given, "previous": [EARLIER]} if isinstance(given, Mapping) else given
            for name, given in spec.items()
        }
    yield "[method]"
    yield from _entries(_short(spec, ALGORITHMS))


def _short(spec: Mapping[str, Any], registry: Registry[Any]) -> dict[str, Any]:
    """Leave out what a reader of the file would be given anyway."""
    written = {}
    for name, parameters in spec.items():
        if name == PACKAGE:
            written[name] = parameters
            continue
        known = inspect.signature(registry[name]).parameters
        written[name] = {
            key: _short(value, ALGORITHMS) if _is_method(value) else value
            for key, value in parameters.items()
            if value is not None and value != known[key].default
        }
    return written


def _is_method(value: object) -> bool:
    """Whether a parameter is a method itself."""
    return isinstance(value, Mapping) and {*value} - {PACKAGE} <= {*ALGORITHMS}


def _entries(spec: Mapping[str, Any]) -> Iterator[str]:
    for key, value in spec.items():
        yield f"{toml_key(key)} = {toml_value(value)}"
