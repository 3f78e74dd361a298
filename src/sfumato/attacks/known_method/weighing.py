"""What is believed where counts do not tell who is in which group: over all that fits.

Who is in which group, and who there has which value, are worlds that are all equally likely before
anything is known of the method. So every filling of the groups counts as often as people with names
can be in them so, times the share of its worlds that the method leaves possible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.attacks.known_method.by_class import ClassBelief, Shares, expected_people
from sfumato.attacks.known_method.membership import Membership, PossibleMembers
from sfumato.attacks.known_method.solver import LearnedBeliefs
from sfumato.errors import CannotRun
from sfumato.formulas.boxes.fillings import Part
from sfumato.progress import report
from sfumato.text import count

MOST_FILLINGS = 2_000  # of groups that hang together
MOST_SOLVED = 20_000  # fillings of all groups
TOO_MANY = (
    "counts do not tell who is in which group, and there are too many ways to be there to weigh "
    "them all"
)


@dataclass(frozen=True, eq=False)
class WeighedBeliefs:
    """Beliefs over all fillings, class by class."""

    classes: list[ClassBelief]
    learned: LearnedBeliefs  # what there is to say beside the classes
    n_fillings: int  # of groups that have more than one

    @property
    def note(self) -> str | None:
        """Say over what beliefs were weighed."""
        if not self.n_fillings:
            return None
        ways = f"{count(self.n_fillings)} ways that fit"
        return f"counts do not tell who is in which group; {ways} were weighed"


@dataclass(frozen=True, eq=False)
class Weighing:
    """Weighs what is believed over every way in which people can be in the groups.

    solve: what is believed where it is known who is in which group; `CannotRun`: no world is.
    one_by_one: groups with nobody in common are solved for themselves; False: there are steps that
    all groups take at once.
    absent: whoever is in no group is somebody without a value; False: what is believed is about
    people in groups.
    """

    possible: PossibleMembers
    attribute: str
    solve: Callable[[Membership], LearnedBeliefs]
    one_by_one: bool
    absent: bool

    def run(self) -> WeighedBeliefs:
        """Give what is believed of everybody who can be in a group."""
        fillings = self.possible.fillings
        everything = Part(np.arange(len(fillings.people)), np.arange(len(fillings.sizes)), fillings)
        parts = fillings.parts if self.one_by_one else [everything]
        classes: list[ClassBelief] = []
        unknown: list[int] = []
        n_unexplained, n_fillings, left = 0, 0, MOST_SOLVED
        for done, part in enumerate(parts):
            report("weighing who is in which group", done, len(parts))
            filled = part.fillings.every(min(MOST_FILLINGS, left))
            solved = None if filled is None else self._solved(part, list(filled))
            if solved is None or filled is None:
                unknown += part.boxes.tolist()
                continue
            left -= len(filled)
            n_fillings += len(filled) if len(filled) > 1 else 0
            n_unexplained += solved[0].learned.n_unexplained
            classes += self._classes(part, solved)
        if not classes:
            raise CannotRun(TOO_MANY)
        learned = LearnedBeliefs([], unknown, n_unexplained=n_unexplained)
        return WeighedBeliefs(classes, learned, n_fillings)

    def _solved(self, part: Part, filled: list[np.ndarray]) -> list[_Solved] | None:
        """Solve every filling of a part; those that explain less than others are no worlds."""
        solutions, refused = [], CannotRun(TOO_MANY)
        for filling in filled:
            members = self.possible.with_filling(filling, part)
            try:
                learned = self.solve(members)
            except CannotRun as error:
                refused = error
                continue
            sampled = any(each.low is not None for each in learned.beliefs)
            if learned.unknown or sampled or (learned.kept is None and len(filled) > 1):
                return None
            kept = Fraction(1) if learned.kept is None else learned.kept
            solutions.append(_Solved(members, learned, part.fillings.ways(filling) * kept))
        if not solutions:
            raise refused
        fewest = min(each.learned.n_unexplained for each in solutions)
        return [each for each in solutions if each.learned.n_unexplained == fewest]

    def _classes(self, part: Part, solved: list[_Solved]) -> list[ClassBelief]:
        """Add up the people of each combination, and those with each value."""
        people: dict[int, Fraction] = {}
        values: dict[int, Shares] = {}
        where: dict[int, tuple[int, int]] = {}  # most people, in which group
        for each in solved:
            members = each.members
            for who, n, g in zip(
                members.combination.tolist(),
                members.people.tolist(),
                members.group.tolist(),
                strict=True,
            ):
                people[who] = people.get(who, Fraction(0)) + each.weight * n
                where[who] = max(where.get(who, (0, 0)), (n, int(part.boxes[g])))
            believed = expected_people(members, each.learned.beliefs, self.attribute)
            for who, shares in believed.items():
                mine = values.setdefault(who, {})
                for code, n in shares.items():
                    mine[code] = mine.get(code, Fraction(0)) + each.weight * n
        total = sum((each.weight for each in solved), Fraction(0))
        counts = self.possible.fillings.people
        classes = []
        for who, inside in people.items():
            whole = total * int(counts[who]) if self.absent else inside
            shares = {code: n / whole for code, n in values[who].items()}
            classes.append(ClassBelief(where[who][1], who, int(counts[who]), shares))
        return classes


@dataclass(frozen=True, eq=False)
class _Solved:
    members: Membership
    learned: LearnedBeliefs
    weight: Fraction
