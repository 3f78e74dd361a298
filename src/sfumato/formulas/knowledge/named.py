"""The belief about one person of an adversary who knows certain things about certain people.

Chen 2009, section 4.1, with every variable replaced by a name. Ways to deal the values out are
counted in whole numbers: those in which the target has the value, and those in which nothing that
is known would be true if the target did not lack it (lemma 1).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from sfumato.errors import BadInput

Person = tuple[int, int]  # (group, member)
Row = tuple[int, Mapping[int, int]]  # people, {value: occurrences}


def posterior(
    groups: Mapping[int, Row] | Sequence[Row],
    target: Person,
    value: int,
    excluded: Collection[int],
    known: Mapping[Person, int],
    lacking: Collection[Person],
    family: Collection[Person],
    case: str,
) -> Fraction:
    """Give the probability that the target has the value.

    Args:
        groups: The groups that somebody named is in.
        target: Whom it is about.
        value: The value's code.
        excluded: Values the target does not have; for sets, has only together with the value.
        known: For one value per person, what other people have.
        lacking: For sets and multisets, other people who do not have the value.
        family: People who have the value only if the target has it.
        case: "single", "set" or "multiset".

    Raises:
        BadInput: All that cannot be true at once.
    """
    settled = known.keys() if case == "single" else frozenset(lacking)
    open_family = [person for person in family if person not in settled]
    having = without = Fraction(1)  # ways to deal, with the target having the value and lacking it
    if any(known.get(person) == value for person in family):
        without = Fraction(0)
    for place in {person[0] for person in (target, *settled, *open_family)}:
        n, counts = groups[place]
        codes = [known[person] for person in settled if person[0] == place] if known else []
        people = n - sum(person[0] == place for person in settled)
        left = {code: count - codes.count(code) for code, count in counts.items()}
        if any(count < 0 for count in left.values()) or any(code not in left for code in codes):
            having = without = Fraction(0)
            break
        n_family = sum(person[0] == place for person in open_family)
        n_having = left.get(value, 0)
        if place != target[0]:
            having *= _ways(people, n_having, case)
            without *= _ways(people - n_family, n_having, case)
            continue
        others = [left.get(code, 0) for code in set(excluded) - {value}]
        having *= _ways(people, n_having, case) - _ways(people - 1, n_having, case)
        without *= _ways(people - 1 - n_family, n_having, case)
        if without:
            without *= _none_of(others, n, people - n_having, case)
    if case == "single" and value in excluded:
        having = Fraction(0)
    if not having + without:
        raise BadInput("posterior: what is said to be known cannot be true at once")
    return having / (having + without)


def _ways(people: int, occurrences: int, case: str) -> int:
    """In how many ways people can have a value so many times in all."""
    if people < 0:
        return 0
    return people**occurrences if case == "multiset" else math.comb(people, occurrences)


def _none_of(others: Sequence[int], n: int, lacking: int, case: str) -> Fraction:
    """Probability of somebody who lacks the value to have none of the others either."""
    if case == "single":
        return Fraction(lacking - sum(others), lacking)
    if case == "set":
        return Fraction(math.prod(n - count for count in others), n ** len(others))
    return Fraction(n - 1, n) ** sum(others)
