"""Minimality against personalized privacy: is what a person guards still a secret?

Worlds deal pairs of a value and what its owner guards (Wong 2009, section 5.1.5). The adversary is
taken to know which pairs are in a group, which is more than is published. What is found is the
belief that a person's value lies under the node that this very person guards. So it depends on who
guards what, which nobody else may learn, not even from a verdict: there is none, unless nothing was
learned, and then no number is told but the bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.finding import Finding
from sfumato.attacks.known_method.by_class import shares_of
from sfumato.attacks.known_method.membership import Membership
from sfumato.attacks.known_method.solver import LearnedBeliefs
from sfumato.attacks.target import Target
from sfumato.criteria import Criterion
from sfumato.criteria.personalized_privacy import largest_guarded_share
from sfumato.data.frequency import sum_by
from sfumato.text import counted as counted_text

NOTE = (
    "by somebody who knows which values and guarding nodes go together in a group; no verdict, for "
    "it would tell who guards what"
)
AT_MOST = "at most what was promised, and no more is said, for it would tell what people guard"


@dataclass(frozen=True)
class _Guarding:
    """People who are alike, in quasi-identifiers and in what they guard."""

    group: int
    combination: int
    node: int
    people: int
    belief: Fraction
    high: float | None  # the upper end of an interval, where sampled or computed in floats
    low: float | None
    sampled: bool

    @property
    def ends(self) -> tuple[float, float] | None:
        """Between what the belief is, where it is not known exactly."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def guarded_finding(
    target: Target,
    members: Membership,
    learned: LearnedBeliefs,
    part: Criterion,
    called: str,
    knows: str,
) -> Finding:
    """Hold what is believed of everybody against what they guard."""
    counted = members.frequencies
    attribute = str(counted.attribute(part.attribute))
    everybody = np.ones(len(members.boxes), dtype=bool)
    others = everybody.copy()
    others[[each.group for each in learned.beliefs]] = False
    bound = part.belief_allowed()
    beliefs = [*_guarding(members, learned, attribute)]
    stated = part.without_sizes() is not None  # else it is not known what it says of beliefs
    worst = max(beliefs, key=lambda each: each.belief, default=None)
    largest = _largest(members, others, attribute)
    if worst is not None and worst.belief < largest:
        worst = None
    notes = [*([NOTE] if learned.beliefs else []), *learned.notes]
    if learned.n_unknown:
        notes.append(f"{counted_text(learned.n_unknown, 'group')} unknown")
    if learned.answers and not learned.beliefs:
        return Finding(
            attack=called,
            attribute=attribute,
            knows=knows,
            unit="belief",
            before=bound.number,
            found=bound.number,
            promised=bound if stated else None,
            holds=stated or None,
            n_exceeding=0,
            n_people=target.n_people,
            note="; ".join([*notes, AT_MOST]),
        )
    return Finding(
        attack=called,
        attribute=attribute,
        knows=knows,
        unit="belief",
        before=_largest(members, everybody, attribute),
        found=largest if worst is None else worst.belief,
        promised=bound if stated else None,
        holds=None,
        n_exceeding=0,
        n_people=target.n_people,
        note="; ".join(notes),
        interval=worst.ends if worst is not None and worst.sampled else None,
        worst=None if worst is None else _whom(target, members, worst),
    )


def _largest(members: Membership, chosen: NDArray[np.bool_], attribute: str) -> Fraction:
    """Give the largest share under a node that somebody of the group guards."""
    return largest_guarded_share(members.joint(chosen).by(attribute, guarded=True))


def _guarding(members: Membership, learned: LearnedBeliefs, attribute: str) -> Iterator[_Guarding]:
    """Give everybody of the groups that something was learned of, alike ones together."""
    counted = members.frequencies
    assert counted.guard is not None  # noqa: S101  (the caller looked)
    nodes = counted.guarded(attribute)  # (n_names, 2)
    code_of = counted.persons_values.codes[:, counted.sensitive.index(attribute)]
    guard, combination = counted.codes(counted.guard).astype(np.intp), counted.combination_of
    kinds = combination * len(nodes) + guard
    which, index = np.unique(kinds, return_inverse=True)
    people = sum_by(index, counted.counts, len(which))
    for each in learned.beliefs:
        first = members.starts[each.group]
        for place, row in enumerate(each.row.tolist()):
            who = int(members.combination[first + place])
            shares, low, high = shares_of(each, row, code_of)
            start, end = np.searchsorted(which, [who * len(nodes), (who + 1) * len(nodes)])
            for kind in range(start, end):
                name = int(which[kind] - who * len(nodes))
                bottom, top = nodes[name].tolist()
                if bottom > top:  # guards nothing
                    continue
                under = [code for code in shares if bottom <= code <= top]
                yield _Guarding(
                    each.group,
                    who,
                    name,
                    int(people[kind]),
                    sum((shares[code] for code in under), Fraction(0)),
                    None if high is None else min(1.0, sum(high[code] for code in under)),
                    None if low is None else sum(low[code] for code in under),
                    each.sampled,
                )


def _whom(target: Target, members: Membership, worst: _Guarding) -> dict[str, object]:
    counted = members.frequencies
    label = counted.domains[str(counted.guard)].labels[worst.node]
    return {
        "group": members.labels(worst.group, target),
        "who": members.values(worst.combination),
        "guards": None if label is None else str(label),
        "belief": worst.belief,
        "people": worst.people,
    }
