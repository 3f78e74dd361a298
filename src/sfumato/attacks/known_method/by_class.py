"""What is believed of people with the same quasi-identifiers, over all groups they are in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.known_method.membership import Membership
from sfumato.attacks.known_method.solver import GroupBeliefs
from sfumato.attacks.largest_belief import LargestBelief
from sfumato.criteria import Criterion
from sfumato.criteria.bound import Bound
from sfumato.criteria.judging import surely
from sfumato.data.groups import Groups, Histogram

FINEST = 2**40  # what shares are rounded to where no common denominator is below it
Shares = dict[int, Fraction]  # by code of the sensitive column


def by_code(codes: Iterable[int], shares: Iterable[Fraction]) -> Shares:
    """Add up the shares of values that only other sensitive columns tell apart."""
    sums: Shares = {}
    for code, share in zip(codes, shares, strict=True):
        sums[code] = sums.get(code, Fraction(0)) + share
    return sums


@dataclass(frozen=True, eq=False)
class ClassBelief:
    """Credibility of every value, for people who are alike."""

    group: int  # where they are, or most of them
    combination: int  # one of their combinations
    people: int
    shares: Shares
    low: dict[int, float] | None = None  # where sampled or computed in floats
    high: dict[int, float] | None = None
    sampled: bool = False
    before: Shares | None = None  # of suppressed people: what is believed without the release

    @property
    def largest(self) -> Fraction:
        """The largest belief in one value."""
        return max(self.shares.values(), default=Fraction(0))

    @cached_property
    def _top(self) -> int:
        return max(self.shares, key=self.shares.__getitem__)

    def believed(self, protected: Protected) -> tuple[tuple[int, ...], Fraction]:
        """Give the value believed most among those that are protected; pooled ones are one."""
        if protected.rest and not protected.named:  # quickly: every value, each for itself
            return (self._top,), self.shares[self._top]
        candidates = [
            (sum((self.shares.get(code, Fraction(0)) for code in codes), Fraction(0)), codes)
            for codes in (*protected.named, *protected.others(self.shares))
        ]
        belief, codes = max(candidates, key=lambda each: each[0], default=(Fraction(0), ()))
        return codes, belief

    def within(self, bound: Bound, protected: Protected) -> bool:
        """Whether no belief is beyond a bound, or of somebody suppressed, grew beyond it."""
        if self.before is None:
            return bound.allows(self.believed(protected)[1])
        pairs = self._before_and_after(protected)
        return all(bound.allows(after) or after <= before for before, after in pairs)

    def unharmed(self, protected: Protected) -> bool:
        """Whether no value is believed more of somebody suppressed than without the release."""
        if self.before is None:
            return False
        return all(after <= before for before, after in self._before_and_after(protected))

    def _before_and_after(self, protected: Protected) -> Iterator[tuple[Fraction, Fraction]]:
        assert self.before is not None  # noqa: S101  (the caller looked)
        nothing = Fraction(0)
        for codes in (*protected.named, *protected.others({**self.before, **self.shares})):
            before = sum((self.before.get(code, nothing) for code in codes), nothing)
            yield before, sum((self.shares.get(code, nothing) for code in codes), nothing)

    def interval(self, protected: Protected) -> tuple[float, float] | None:
        """Give the interval of that belief, where it is not known exactly."""
        if self.low is None or self.high is None:
            return None
        codes, _ = self.believed(protected)
        low = sum(self.low.get(code, 0.0) for code in codes)
        return low, min(1.0, sum(self.high.get(code, 0.0) for code in codes))


@dataclass(frozen=True, eq=False)
class Protected:
    """The values that a part of a promise is about."""

    named: tuple[tuple[int, ...], ...] = ()  # codes that count as one
    rest: bool = True  # whether all other values are protected too, each for itself

    @classmethod
    def by(cls, part: Criterion | None, groups: Groups) -> Protected:
        """Ask a part of a promise; None: all values."""
        if part is None:
            return cls()
        codes = part.protects(groups.values)
        each_itself = np.arange(len(codes))
        if np.array_equal(codes, each_itself):
            return cls()
        rest = bool((codes >= 0).all())
        pooled = np.bincount(codes[codes >= 0], minlength=len(codes)) > 1
        named = np.flatnonzero(pooled) if rest else np.unique(codes[codes >= 0])
        return cls(tuple(tuple(np.flatnonzero(codes == one).tolist()) for one in named), rest)

    def others(self, shares: Shares) -> list[tuple[int, ...]]:
        """Give the values that are protected each for itself, beside the named ones."""
        within = {code for codes in self.named for code in codes}
        return [(code,) for code in shares if code not in within] if self.rest else []


def keeps(
    part: Criterion, classes: list[ClassBelief], groups: Groups, n_unseen: int = 0
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Say of each class whether what is believed of it keeps a part of a promise, and breaks it.

    Bounds of shares are compared as fractions. Anything else is asked of a group that has the
    values in these proportions. n_unseen: people who are missing from the distribution of the
    whole table, without whom neither may be certain. Neither may be where a part is about somebody
    who knows other people's values, too: what is believed of one person can only break it.
    """
    alone = part.without_others()
    if alone != part:
        _, broken = keeps(alone, classes, groups, n_unseen)
        return np.zeros(len(classes), dtype=bool), broken
    protected = Protected.by(part, groups)
    unharmed = np.array([each.unharmed(protected) for each in classes], dtype=bool)
    if _is_bound(part):
        bound = part.belief_allowed()
        within = [each.within(bound, protected) for each in classes]
        kept = np.array(within, dtype=bool)
        return kept, ~kept
    if not classes:
        return unharmed, unharmed
    kept, broken = surely(part, believed_groups(part, classes, groups), n_unseen)
    return kept | unharmed, broken & ~unharmed


def believed_groups(part: Criterion, classes: list[ClassBelief], groups: Groups) -> Groups:
    """See each class as a group that has the values in the proportions that are believed."""
    if part.looks_at_shares:
        rows = [_whole_numbers(each.shares) for each in classes]
    else:
        rows = [{code: 1 for code, share in each.shares.items() if share} for each in classes]
    owner = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    codes = np.array([code for row in rows for code in row], dtype=np.int32)
    counts = np.array([n for row in rows for n in row.values()], dtype=np.int64)
    histogram = Histogram.from_entries(owner, codes, counts, (len(rows), len(groups.labels)))
    sizes = np.array([sum(row.values()) for row in rows], dtype=np.int64)
    return Groups(sizes, histogram, groups.values, groups.reference)


def undecided(
    part: Criterion, classes: list[ClassBelief], groups: Groups, kept: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Say of each class whether it is not known exactly enough to tell if it keeps a part.

    So it is where the bound lies in the interval that floats leave. A sample shows that a belief
    is too large, never that none is; only where it matters which values are possible, and not how
    often, those that were seen are.

    kept: what the part says of the shares in the sample.
    """
    bound = part.belief_allowed()
    protected = Protected.by(part, groups)
    unclear = np.zeros(len(classes), dtype=bool)
    for j, each in enumerate(classes):
        ends = each.interval(protected)
        if ends is None or not bound.allows(Fraction(ends[0])):
            continue
        if _is_bound(part) and not each.sampled:
            unclear[j] = not bound.allows(Fraction(ends[1]))
        else:
            unclear[j] = not kept[j] or part.looks_at_shares
    return unclear


def _is_bound(part: Criterion) -> bool:
    """Whether beliefs are compared with a bound.

    So they are also where a part is about all groups together, and bounds what is believed.
    """
    bounded = not part.belief_allowed().allows(Fraction(1))
    return part.bounds_shares or (bounded and not part.by_group)


def _whole_numbers(shares: Shares) -> dict[int, int]:
    """Scale shares to whole numbers, values that are impossible left out."""
    possible = {code: share for code, share in sorted(shares.items()) if share > 0}
    whole = math.lcm(*(share.denominator for share in possible.values()))
    whole = min(whole, FINEST)
    return {code: max(1, round(share * whole)) for code, share in possible.items()}


def most_believed_class(
    part: Criterion | None, classes: list[ClassBelief], groups: Groups
) -> tuple[LargestBelief, ClassBelief] | None:
    """Find the class and the value that are believed to belong together most."""
    best: tuple[LargestBelief, ClassBelief] | None = None
    protected = Protected.by(part, groups)
    for each in classes:
        codes, belief = each.believed(protected)
        if best is None or belief > best[0].belief:
            best = LargestBelief(each.group, codes, belief), each
    return best


def class_beliefs(
    members: Membership,
    beliefs: list[GroupBeliefs],
    attribute: str,
    *,
    everybody: bool = False,
) -> tuple[list[ClassBelief], NDArray[np.bool_]]:
    """Give what is believed of every class that something was learned of, or that is split.

    Also says which groups have no other people: of everybody else the group's shares are believed.
    everybody: of every class.
    """
    column = members.frequencies.sensitive.index(attribute)
    code_of = members.frequencies.persons_values.codes[:, column]
    covered = np.zeros(len(members.boxes), dtype=bool)
    if not members.splits and not everybody:
        classes = []
        for each in beliefs:
            alike = np.array([each.group]) if each.alike is None else each.alike
            covered[alike] = True
            first = members.starts[each.group]
            _, some = np.unique(each.row, return_index=True)
            for row, i in enumerate(some.tolist()):
                shares, low, high = shares_of(each, row, code_of)
                who = int(members.combination[first + i])
                people = int(each.people[row]) * len(alike)
                classes.append(
                    ClassBelief(each.group, who, people, shares, low, high, each.sampled)
                )
        return classes, covered
    return _split_classes(members, beliefs, code_of, everybody=everybody)


def expected_people(
    members: Membership, beliefs: list[GroupBeliefs], attribute: str
) -> dict[int, Shares]:
    """Give how many people of each combination are believed to have each value, over all groups."""
    column = members.frequencies.sensitive.index(attribute)
    code_of = members.frequencies.persons_values.codes[:, column]
    by_group = {each.group: each for each in beliefs}
    by_combination: dict[int, Shares] = {}
    for place, who in enumerate(members.combination.tolist()):
        g, n = int(members.group[place]), int(members.people[place])
        if g in by_group:
            row = int(by_group[g].row[place - members.starts[g]])
            own, _, _ = shares_of(by_group[g], row, code_of)
        else:
            own = _in_group(members, g, code_of)
        mine = by_combination.setdefault(who, {})
        for code, share in own.items():
            mine[code] = mine.get(code, Fraction(0)) + n * share
    return by_combination


def shares_of(
    beliefs: GroupBeliefs, row: int, code_of: NDArray[np.int32]
) -> tuple[Shares, dict[int, float] | None, dict[int, float] | None]:
    """Add up what the other sensitive columns tell apart."""
    codes = code_of[beliefs.codes].tolist()
    shares: Shares = {}
    for code, share in zip(codes, beliefs.shares[row], strict=True):
        shares[code] = shares[code] + share if code in shares else share  # 0 + share is slow
    if beliefs.low is None or beliefs.high is None:
        return shares, None, None
    low: dict[int, float] = {}
    high: dict[int, float] = {}
    ends = zip(beliefs.low[row].tolist(), beliefs.high[row].tolist(), strict=True)
    for code, (a, b) in zip(codes, ends, strict=True):
        low[code], high[code] = low.get(code, 0.0) + a, min(1.0, high.get(code, 0.0) + b)
    return shares, low, high


def _split_classes(
    members: Membership,
    beliefs: list[GroupBeliefs],
    code_of: NDArray[np.int32],
    *,
    everybody: bool,
) -> tuple[list[ClassBelief], NDArray[np.bool_]]:
    """Weigh what is believed of a class in each group with its people there."""
    by_group = {each.group: each for each in beliefs}
    wanted = members.n_groups_of[members.combination] > 1
    wanted |= np.isin(members.group, list(by_group)) | everybody
    wanted = np.isin(members.combination, members.combination[wanted])
    covered = np.ones(len(members.boxes), dtype=bool)
    covered[members.group[~wanted]] = False
    known: dict[int, tuple[Shares, dict[int, float] | None, dict[int, float] | None]] = {}
    total: dict[int, int] = {}
    for place in np.flatnonzero(wanted).tolist():
        who = int(members.combination[place])
        total[who] = total.get(who, 0) + int(members.people[place])
    shares: dict[int, Shares] = {who: {} for who in total}
    ends: dict[int, tuple[dict[int, float], dict[int, float]]] = {who: ({}, {}) for who in total}
    inexact: set[int] = set()
    sampled: set[int] = set()
    where: dict[int, tuple[int, int]] = {}
    for place in np.flatnonzero(wanted).tolist():
        who, g, n = (int(a[place]) for a in (members.combination, members.group, members.people))
        where[who] = max(where.get(who, (0, 0)), (n, g))
        if g in by_group:
            row = int(by_group[g].row[place - members.starts[g]])
            own, low, high = shares_of(by_group[g], row, code_of)
            if by_group[g].sampled:
                sampled.add(who)
        else:
            own, low, high = known.setdefault(g, (_in_group(members, g, code_of), None, None))
        if low is not None:
            inexact.add(who)
        for code, share in own.items():
            weight = Fraction(n, total[who])
            shares[who][code] = shares[who].get(code, Fraction(0)) + weight * share
            for end, given in zip(ends[who], (low, high), strict=True):
                one = float(share) if given is None else given[code]
                end[code] = end.get(code, 0.0) + float(weight) * one
    classes = []
    for who, n in total.items():
        low, high = ends[who] if who in inexact else (None, None)
        group = where[who][1]
        classes.append(ClassBelief(group, who, n, shares[who], low, high, who in sampled))
    return classes, covered


def _in_group(members: Membership, group: int, code_of: NDArray[np.int32]) -> Shares:
    row = members.histogram.rows(group, group + 1)
    shares: Shares = {}
    for code, n in zip(code_of[row.codes].tolist(), row.counts.tolist(), strict=True):
        shares[code] = shares.get(code, Fraction(0)) + Fraction(n, int(members.sizes[group]))
    return shares
