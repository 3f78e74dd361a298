"""People whom greedy grouping leaves over: no beginning of their row was safe (Cormode 2010).

They are missing from the release, so everybody who knows who was in the table knows that (footnote
1 of the paper drops them). What they may have is what suppressed people may have for the mechanism
attack, with the same weights.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.formation import Formation, ranks
from sfumato.attacks.known_method.by_class import ClassBelief, Shares
from sfumato.attacks.known_method.interchangeable import lumps
from sfumato.attacks.target import Target
from sfumato.criteria import Criterion
from sfumato.criteria.judging import holding, ranks_named
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Histogram
from sfumato.data.hierarchy import Flat
from sfumato.data.recoding import SUPPRESSED, Bucketing

MOST_STEPS = 200_000  # from one row of counts to the next

State = tuple[int, ...]  # how many people have each value, or one of several that count alike


@dataclass(frozen=True, eq=False)
class LeftOver:
    """What is believed of people who were left over, by combination of quasi-identifiers."""

    people: Mapping[int, int]
    shares: Mapping[int, Shares]  # in the codes of the release; a value that it has not is left out
    before: Shares

    def added_to(self, classes: Sequence[ClassBelief]) -> list[ClassBelief]:
        """Add them to what is believed of published people; those who are alike are one class."""
        everybody = []
        for each in classes:
            n = self.people.get(each.combination, 0)
            if not n:
                everybody.append(each)
                continue
            mixed = partial(_mixed, each.people, more=self.shares[each.combination], n_more=n)
            low, high = (
                end and {code: float(share) for code, share in mixed(end).items()}
                for end in (each.low, each.high)
            )
            everybody.append(
                replace(each, people=each.people + n, shares=mixed(each.shares), low=low, high=high)
            )
        known = {each.combination for each in classes}
        for who, n in self.people.items():
            if who not in known:
                own = ClassBelief(SUPPRESSED, who, n, dict(self.shares[who]), before=self.before)
                everybody.append(own)
        return everybody


def _mixed(
    n: int, shares: Mapping[int, Fraction] | Mapping[int, float], more: Shares, n_more: int
) -> Shares:
    """Give the shares of some people and of more together."""
    return {
        code: (Fraction(shares.get(code, 0)) * n + more.get(code, 0) * n_more) / (n + n_more)
        for code in {**shares, **more}
    }


def can_be_followed(target: Target, formation: Formation) -> bool:
    """Whether it can be told what is believed of people who were left over.

    That is where shares of one column are bounded, and no toss had a part in it.
    """
    about = [part for part in formation.enforced.parts if part.looks_at_values]
    one_by_one = formation.unit > 0 and not formation.weight and len(target.sensitive) == 1
    return one_by_one and all(part.bounds_shares for part in about)


def left_over(
    target: Target,
    buckets: Bucketing,
    formation: Formation,
    domain: Domain,
    prior: Sequence[Fraction],
    published: Collection[int],
) -> LeftOver | None:
    """Find what is believed of people who were left over; None: too much to follow.

    domain, prior: what they may have, and how likely it is before anything is known. published:
    codes that others have. A table is refused where nobody has a value that the criterion names, so
    what nobody else has of these one of them has.
    """
    (name,) = target.sensitive
    row = _Row.of(buckets, formation)
    wanted = [] if domain.closed else _missing(formation.enforced, domain, published)
    believed = _believed(row.sizes, prior, domain, name, formation.enforced, wanted)
    if believed is None:
        return None
    own = target.seen.frequencies.domains[name]
    code = [own.code_of(label) for label in domain.labels]

    def in_release(shares: Sequence[Fraction]) -> Shares:
        return {c: share for c, share in zip(code, shares, strict=True) if c is not None}

    people, shares = {}, {}
    for who, places in row.places.items():
        n = sum(places.values())
        mean = [
            sum((Fraction(m, n) * believed[b][v] for b, m in places.items()), Fraction(0))
            for v in range(len(prior))
        ]
        people[who], shares[who] = n, in_release(mean)
    return LeftOver(people, shares, in_release(prior))


@dataclass(frozen=True, eq=False)
class _Row:
    """Left over people in their order."""

    sizes: list[int]  # of the buckets
    places: dict[int, dict[int, int]]  # combination -> bucket -> people

    @classmethod
    def of(cls, buckets: Bucketing, formation: Formation) -> _Row:
        gone = buckets.parts[buckets.parts[:, 1] == SUPPRESSED]
        ground = buckets.combinations.combinations
        who = buckets.combinations.combination_of[gone[:, 0]]
        count = sum_by(who.astype(np.intp), gone[:, 2], len(ground))
        order = np.argsort(ranks(ground, formation.order))
        standing = np.repeat(order, count[order])
        places: dict[int, dict[int, int]] = {}
        sizes = [0] * -(-len(standing) // formation.unit)
        for place, one in enumerate(standing.tolist()):
            bucket = place // formation.unit
            sizes[bucket] += 1
            mine = places.setdefault(one, {})
            mine[bucket] = mine.get(bucket, 0) + 1
        return cls(sizes, places)


def _believed(
    sizes: Sequence[int],
    prior: Sequence[Fraction],
    domain: Domain,
    name: str,
    enforced: Criterion,
    wanted: Sequence[NDArray[np.intp]],
) -> list[list[Fraction]] | None:
    """Give the belief in each value for each bucket, if no beginning of the row was safe.

    wanted: of each of these sets of values somebody has one.

    Forwards and backwards through rows of counts; values that the criterion counts alike are one.
    """
    counted = _every_value(domain, name)
    lump = lumps(enforced, counted)
    kinds = np.unique(lump)
    for codes in wanted:
        if np.isin(lump, lump[codes]).sum() > len(codes):
            return None  # counted alike with others, so these are not told apart here
    of_name = [np.searchsorted(kinds, np.unique(lump[codes])).tolist() for codes in wanted]
    weight = [
        sum((prior[v] for v in np.flatnonzero(lump == kind).tolist()), Fraction(0))
        for kind in kinds
    ]
    nobody: State = (0,) * len(kinds)
    forward: list[dict[State, Fraction]] = [{nobody: Fraction(1)}]
    steps: list[list[tuple[State, Fraction]]] = []
    work = 0
    for size in sizes:
        n_choices = math.comb(size + len(kinds) - 1, size)
        work += n_choices * len(forward[-1])
        if work > MOST_STEPS:
            return None
        steps.append(list(_joining(size, weight)))
        reached: dict[State, Fraction] = {}
        for state, chance in forward[-1].items():
            for joined, share in steps[-1]:
                after = _plus(state, joined)
                reached[after] = reached.get(after, Fraction(0)) + chance * share
        safe = _safe(list(reached), kinds, counted, enforced)
        forward.append({s: p for (s, p), ok in zip(reached.items(), safe, strict=True) if not ok})
    forward[-1] = {
        state: chance
        for state, chance in forward[-1].items()
        if all(any(state[j] for j in own) for own in of_name)
    }
    total = sum(forward[-1].values(), Fraction(0))
    if not total:
        return None  # it cannot have come about like this
    backward: dict[State, Fraction] = dict.fromkeys(forward[-1], Fraction(1))
    by_bucket: list[list[Fraction]] = []
    for size, choices, before in zip(sizes[::-1], steps[::-1], forward[-2::-1], strict=True):
        expected = [Fraction(0)] * len(kinds)
        earlier: dict[State, Fraction] = {}
        for state, chance in before.items():
            for joined, share in choices:
                later = backward.get(_plus(state, joined))
                if later is None:
                    continue
                earlier[state] = earlier.get(state, Fraction(0)) + share * later
                for j, n in enumerate(joined):
                    if n:
                        expected[j] += chance * share * later * n
        of_kind = [each / total / size for each in expected]
        by_bucket.append(
            [
                of_kind[j] * prior[v] / weight[j]
                for v, j in enumerate(np.searchsorted(kinds, lump).tolist())
            ]
        )
        backward = earlier
    return by_bucket[::-1]


def _missing(
    enforced: Criterion, domain: Domain, published: Collection[int]
) -> list[NDArray[np.intp]]:
    """Give the codes of every name that a criterion calls and nobody published has."""
    missing = []
    for part in enforced.parts:
        for value in part.named_values() if part.looks_at_values else ():
            ranks = ranks_named(part, domain, value)
            if ranks is None:
                continue
            codes = np.arange(ranks[0], ranks[1] + 1)
            if not any(code in published for code in codes.tolist()):
                missing.append(codes)
    return missing


def _joining(size: int, weight: Sequence[Fraction]) -> list[tuple[State, Fraction]]:
    """Give every way in which so many people can have values, and how likely it is."""
    ways = []
    for chosen in itertools.combinations_with_replacement(range(len(weight)), size):
        counts = [chosen.count(j) for j in range(len(weight))]
        orders = math.factorial(size) // math.prod(map(math.factorial, counts))
        share = math.prod((weight[j] for j in chosen), start=Fraction(orders))
        ways.append((tuple(counts), share))
    return ways


def _plus(one: State, other: State) -> State:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _safe(
    states: Sequence[State], kinds: NDArray[np.int32], counted: FrequencySet, enforced: Criterion
) -> list[bool]:
    """Say which rows of counts would have been published."""
    dense = np.zeros((len(states), len(counted.persons_values.codes)), dtype=np.int64)
    dense[:, kinds] = np.array(states, dtype=np.int64).reshape(len(states), len(kinds))
    joint = JointGroups(counted, dense.sum(axis=1), Histogram.from_dense(dense))
    return [bool(each) for each in holding(enforced, joint).tolist()]


def _every_value(domain: Domain, name: str) -> FrequencySet:
    """Count one person with every value."""
    here, _ = Flat().grow("here", ["here"])
    codes = {
        "": np.zeros(len(domain), dtype=np.int32),
        name: np.arange(len(domain), dtype=np.int32),
    }
    ones = np.ones(len(domain), dtype=np.int64)
    return FrequencySet.from_codes({"": here, name: domain}, [""], [name], codes, ones)
