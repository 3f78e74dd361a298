"""What an adversary would believe who is not sure of what he knows; beyond Chen 2009."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import TypeVar

from sfumato.attacks.knowledge.given_groups import Person, Released, read_groups
from sfumato.errors import BadInput, shown
from sfumato.formulas.knowledge.breach import Case
from sfumato.formulas.knowledge.uncertain import Pieces, uncertain_belief
from sfumato.parameters import number

__all__ = ["uncertain_posterior"]

Probability = float | Fraction
Others = Mapping[tuple[Person, object], Probability] | Mapping[Person, Probability]
Piece = TypeVar("Piece", bound=Hashable)
NOTHING: Mapping[object, Probability] = {}
NOBODY: Mapping[Person, Probability] = {}


def uncertain_posterior(
    groups: Released,
    target: Person,
    value: object,
    excluded: Mapping[object, Probability] = NOTHING,
    others: Others = NOBODY,
    family: Mapping[Person, Probability] = NOBODY,
    case: Case = "single",
) -> Fraction:
    """Give the belief that one person has the value, each piece of knowledge with a probability.

    As `posterior`, but every piece comes with a probability from 1/2 (which says nothing) to 1
    (certain). A world weighs p for every piece that is true in it, and 1 - p for every other.

    Args:
        groups: `[(people, {value: occurrences}), ...]`, or `sf.Groups`.
        target: Whom it is about: `(group, member)`, both counted from 0.
        value: The sensitive value.
        excluded: `{value: p}` that the target does not have; for sets and multisets, has only
            together with `value`.
        others: `{(person, value): p}` that other people have; for sets and multisets
            `{person: p}` who do not have `value`.
        family: `{person: p}` who have `value` only if the target has it.
        case: "single", "set" or "multiset".

    Raises:
        BadInput: What is certain cannot be true at once.

    >>> table_1b = [(4, {"AIDS": 2, "Flu": 2}), (4, {"AIDS": 1, "Cancer": 1, "Flu": 2})]
    >>> tom, gary, ann = (1, 3), (1, 2), (0, 0)
    >>> uncertain_posterior(table_1b, tom, "AIDS", {"Cancer": 1}, {(gary, "Flu"): 0.5})
    Fraction(1, 3)
    >>> uncertain_posterior(table_1b, tom, "AIDS", {"Cancer": 1}, {(gary, "Flu"): 1}, {ann: 0.9})
    Fraction(9, 14)
    """
    release = read_groups(groups, case)
    whom = release.person("target", target)

    def code(label: object) -> Hashable:
        published_code = release.code_of(label)
        return ("nowhere", repr(label)) if published_code is None else published_code

    def other(piece: object) -> tuple[Person, Hashable]:
        if case != "single":
            return release.person("others", piece), None
        if not isinstance(piece, tuple) or len(piece) != 2:
            raise BadInput(
                f"uncertain_posterior: others must be {{(person, value): p}}, got {shown(piece)}"
            )
        return release.person("others", piece[0]), code(piece[1])

    known = Pieces(
        _probable("excluded", excluded, code),
        _probable("others", others, other),
        _probable("family", family, lambda person: release.person("family", person)),
    )
    people = [*(person for person, _ in known.others), *known.family]
    if whom in people:
        raise BadInput(
            "uncertain_posterior: the target cannot be one of the others or of the family"
        )
    rows = {group: release.row(group) for group in {person[0] for person in (whom, *people)}}
    return uncertain_belief(rows, whom, code(value), known, case)


def _probable(name: str, pieces: object, read: Callable[[object], Piece]) -> dict[Piece, Fraction]:
    """Read pieces of knowledge and their probabilities."""
    if not isinstance(pieces, Mapping):
        raise BadInput(
            f"uncertain_posterior: {name} must be {{piece: probability}}, got {shown(pieces)}"
        )
    probabilities: dict[Piece, Fraction] = {}
    for each, given in pieces.items():
        p = number(
            "uncertain_posterior",
            f"a probability in {name}",
            given,
            least=Fraction(1, 2),
            most=1,
            remedy="what is less probable is better said the other way round",
        )
        piece = read(each)
        if piece in probabilities:
            raise BadInput(f"uncertain_posterior: {name} has the same piece of knowledge twice")
        probabilities[piece] = p
    return probabilities
