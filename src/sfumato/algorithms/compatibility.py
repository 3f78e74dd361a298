"""Which algorithm goes with which criterion, and how."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sfumato.algorithms import ALGORITHMS, Algorithm, Checked, Local, Mondrian, Optimal
from sfumato.algorithms.checked import doubling
from sfumato.criteria import CRITERIA, Criterion
from sfumato.errors import BadInput
from sfumato.registry import Registry
from sfumato.spec import name_of


@dataclass(frozen=True)
class Pair:
    """What becomes of one algorithm with one criterion."""

    method: Algorithm
    criterion: Criterion
    refused: str | None  # why they do not go together
    remark: str | None  # what is different about them

    @classmethod
    def of(cls, method: Algorithm, criterion: Criterion) -> Pair:
        """Ask the method."""
        return cls(method, criterion, method.refuses(criterion), method.remark(criterion))


@cache
def methods() -> tuple[Algorithm, ...]:
    """Give the examples of all methods of this package, by name."""
    return _examples(ALGORITHMS)


@cache
def criteria() -> tuple[Criterion, ...]:
    """Give the examples of all criteria of this package, by name."""
    return _examples(CRITERIA)


def _examples(registry: Registry[Any]) -> tuple[Any, ...]:
    return tuple(example for kind in registry.ours for example in kind.examples())


@cache
def all_pairs() -> tuple[Pair, ...]:
    """Every method with every kind of criterion."""
    return tuple(Pair.of(method, criterion) for method in methods() for criterion in criteria())


def default_method(criterion: Criterion) -> Algorithm:
    """Choose a method where nobody named one, by what is promised alone.

    Where numbers of people are all that is promised, the one that loses least (`bench/local.py`).
    Promises about values are enforced by methods to which it makes no difference who has which
    value, so that knowing them tells nothing: bounds on shares by looking ahead, other criteria by
    groups that are made without values, 8 times as large, and checked. Where it only matters which
    values there are, groups are as large as has to be, which tells little
    (`bench/default_method.py`). Promises about the whole table are for a lattice.

    >>> import sfumato as sf
    >>> print(default_method(sf.KAnonymity(5)), default_method(sf.LDiversity(2, "frequency")))
    Local() Mondrian(look_ahead=True)
    >>> print(default_method(sf.KAnonymity(5) & sf.LDiversity(3)))
    Checked(Mondrian(), ks=[5, 10, 20, 40, 80, 160])
    """
    about = [part for part in criterion.parts if part.looks_at_values]
    by_group = all(part.by_group for part in criterion.parts)
    ks = doubling(criterion)
    candidates: tuple[Algorithm, ...] = (Checked(Mondrian(), ks),)
    if not about:
        candidates = (Local(),) if by_group else ()
    elif any(part.looks_at_shares for part in about):
        candidates = (Mondrian(look_ahead=True), Checked(Mondrian(), ks[3:4]))
    otherwise = Mondrian() if by_group else Optimal()
    return next((each for each in candidates if each.refuses(criterion) is None), otherwise)


def able_in_pieces(criterion: Criterion) -> list[Algorithm]:
    """Give one of each kind of method that enforces a criterion without seeing the whole table."""
    able: dict[str, Algorithm] = {}
    for method in methods():
        if method.works_in_pieces and method.refuses(criterion) is None:
            able.setdefault(name_of(type(method)), method)
    return list(able.values())


def check_pair(method: Algorithm, criterion: Criterion) -> None:
    """Refuse what does not go together, with the reason."""
    refused = method.refuses(criterion)
    if refused is not None:
        raise BadInput(f"{method} cannot enforce {criterion}: {refused}")


def check_sets(method: Algorithm, column: str | None, person: str | None) -> None:
    """Refuse a set-valued column where the method is about one value for each person."""
    if column is None or method.takes_sets:
        return
    why = (
        "it puts people into groups by the one value that each of them has"
        if method.one_by_one
        else "it judges groups by the one value that each person has"
        if method.bucketized
        else "a person's values would be published together, and these are known only apart: as "
        "two tables, of people and of values"
    )
    able = " or ".join(sorted({f"sf.{each}" for each in methods() if each.takes_sets}))
    by = "" if person is None else f" by {person!r}"
    raise BadInput(
        f"{method} cannot publish {column!r}, of which people have any number of values{by}: "
        f"{why}; use {able}"
    )


def markdown() -> str:
    """Write the table of pairs for the documentation."""
    names = [str(criterion) for criterion in criteria()]
    lines = ["| | " + " | ".join(f"`{name}`" for name in names) + " |"]
    lines.append("|---" * (len(names) + 1) + "|")
    notes: dict[str, int] = {}
    for method in methods():
        cells = []
        for criterion in criteria():
            pair = Pair.of(method, criterion)
            text = "refused" if pair.refused else "yes"
            note = pair.refused or pair.remark
            if note:
                text += f" ({notes.setdefault(note, len(notes) + 1)})"
            cells.append(text)
        lines.append(f"| `{method}` | " + " | ".join(cells) + " |")
    lines += ["", *(f"({number}) {note}." for note, number in notes.items())]
    return "\n".join(lines)
