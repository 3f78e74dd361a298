"""MASK (Wong 2009, algorithm 1) on people in groups: all lots, and who is published with what."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction


def masked(people, values, l, reference, replacement):
    """Give every published table with its probability; None: refused.

    people: (group, combination, value) of everybody; groups are numbers in the order of their
    boxes. A published table is the sorted list of (group, combination, value).
    """
    groups = sorted({group for group, _, _ in people})
    members = {g: [j for j, each in enumerate(people) if each[0] == g] for g in groups}
    having = {g: [j for j in members[g] if people[j][2] in values] for g in groups}
    share = {g: Fraction(len(having[g]), len(members[g])) for g in groups}
    violating = [g for g in groups if share[g] > 1 / Fraction(l)]
    if not violating:
        return {tuple(sorted(people)): Fraction(1)}
    u = 1 if reference == 1 else math.ceil((Fraction(l) - 1) * len(violating))
    others = [g for g in groups if g not in violating]
    if len(others) < u:
        return {None: Fraction(1)}
    drawn_from = [share[g] for g in sorted(others, key=lambda g: (-share[g], g))[:u]]
    table = [value for _, _, value in people if value not in values]
    ways = []  # per violating group: {person: new value} with its probability
    for g in violating:
        own = [people[j][2] for j in members[g] if people[j][2] not in values]
        source = own if replacement == "group" and own else table
        of_group = []
        for p in drawn_from:
            n_changed = len(having[g]) - math.floor(p * len(members[g]))
            chosen = [*itertools.combinations(having[g], n_changed)]
            for who in chosen:
                for new in itertools.product(source, repeat=n_changed):
                    chance = Fraction(1, u * len(chosen) * len(source) ** n_changed)
                    of_group.append((dict(zip(who, new, strict=True)), chance))
        ways.append(of_group)
    found = defaultdict(Fraction)
    for lots in itertools.product(*ways):
        instead = {j: value for changes, _ in lots for j, value in changes.items()}
        rows = ((g, q, instead.get(j, value)) for j, (g, q, value) in enumerate(people))
        found[tuple(sorted(rows))] += math.prod(chance for _, chance in lots)
    return dict(found)
