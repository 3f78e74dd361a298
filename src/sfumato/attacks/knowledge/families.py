"""What an adversary would believe who knows which people share a value; beyond Chen 2009."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sfumato.attacks.knowledge.given_groups import Person, Released, read_groups
from sfumato.errors import BadInput, shown
from sfumato.formulas.knowledge.breach import Case
from sfumato.formulas.knowledge.clusters import Belief
from sfumato.formulas.knowledge.families import family_beliefs, largest_belief
from sfumato.parameters import optional_seed

__all__ = ["Belief", "same_value_families"]


def same_value_families(
    groups: Released,
    value: object,
    edges: Iterable[tuple[Person, Person]],
    case: Case = "single",
    seed: int | None = 0,
) -> Belief:
    """Give the largest belief that anybody has the value, and who that is.

    An edge says of two people that both have the value or neither, so everybody who is connected
    has it, or nobody.

    Args:
        groups: `[(people, {value: occurrences}), ...]`, or `sf.Groups`.
        value: The sensitive value.
        edges: Pairs of people; a person is `(group, member)`, both counted from 0.
        case: "single", "set" or "multiset".
        seed: Repeats the samples that stand for what has too many states to be worked out; then
            the belief is a float with a 95% interval. Nobody is protected by it.

    Raises:
        BadInput: There is no world in which all families agree.

    >>> release = [(4, {"AIDS": 2, "Flu": 2}), (4, {"AIDS": 1, "Cancer": 1, "Flu": 2})]
    >>> same_value_families(release, "AIDS", [((0, 0), (1, 0)), ((0, 1), (1, 0))])
    Belief(person=(0, 2), belief=Fraction(3, 4), interval=None)
    """
    release = read_groups(groups, case)
    optional_seed("same_value_families", seed)
    pairs = []
    for edge in edges:
        if not isinstance(edge, Sequence) or len(edge) != 2:
            raise BadInput(
                f"same_value_families: an edge must be a pair of people, got {shown(edge)}"
            )
        pairs.append((release.person("edges", edge[0]), release.person("edges", edge[1])))
    code = release.code_of(value)
    rows = [release.row(group) for group in range(len(release.sizes))]
    rng = np.random.default_rng(seed)
    largest = largest_belief(family_beliefs(rows, -1 if code is None else code, pairs, case, rng))
    if largest is None:
        raise BadInput("same_value_families: there is nobody in these groups")
    return largest
