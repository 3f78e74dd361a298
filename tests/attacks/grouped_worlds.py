"""Small tables in which everybody's place is known, criteria with twins, and what worlds say."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

import naive.criteria
import naive.formation
import naive.grouping
import sfumato as sf
from attacks.made import VALUE_PATHS, VALUE_TREE, VALUES
from sfumato.attacks import Target
from sfumato.data.frequency import FrequencySet

half = Fraction(1, 2)


@dataclass(frozen=True)
class Case:
    """A criterion in the words of the twins."""

    criterion: object
    keeps: object  # (values of a group, those of everybody) -> bool
    believable: object  # (counts in proportion to beliefs, counts of everybody) -> bool
    unit: int = 1  # people who join at a time
    least: int = 1  # people in a half
    protected: tuple = tuple((v,) for v in VALUES)  # values, those that count as one together
    partition: tuple | None = None  # for Anatomy: different values, people; None: not for it

    def __str__(self):
        return str(self.criterion)


def by_frequency(l, values=None, pooled=False):
    """Bounded shares: of all values, of some, or of some together."""
    l = Fraction(l)
    places = None if values is None else [VALUES.index(v) for v in values]
    protected = tuple((v,) for v in values or VALUES)
    return Case(
        sf.LDiversity(l, "frequency", values, pooled),
        lambda v, _: naive.criteria.l_diverse(v, l, "frequency", values, pooled),
        lambda counts, _: naive.criteria.counts_frequency(counts, l, places, pooled),
        unit=int(l) if l.denominator == 1 else 1,
        least=math.ceil(l),
        protected=(tuple(values),) if pooled else protected,
        partition=(math.ceil(l), math.ceil(l)),
    )


def closeness(t, distance):
    def near(counts, everybody):
        return naive.criteria.counts_distance(counts, everybody, distance, VALUE_PATHS) <= Fraction(
            t
        )

    return Case(
        sf.TCloseness(t, distance), lambda v, e: near(counted(v), tuple(map(e.count, VALUES))), near
    )


def counted(values):
    return tuple(map(values.count, VALUES))


def spread(counts):
    present = [Fraction(v) for v, n in zip(VALUES, counts, strict=True) if n]
    return max(present) - min(present)


def n_present(counts):
    return sum(n > 0 for n in counts)


def both(one, other):
    """Two criteria at once: people join one at a time."""
    return Case(
        one.criterion & other.criterion,
        lambda v, e: one.keeps(v, e) and other.keeps(v, e),
        lambda counts, e: one.believable(counts, e) and other.believable(counts, e),
        least=max(one.least, other.least),
        protected=one.protected,
    )


def of_k(k):
    return Case(sf.KAnonymity(k), lambda v, _: len(v) >= k, lambda *_: True, least=k)


DISTINCT = Case(
    sf.LDiversity(2),
    lambda v, _: naive.criteria.l_diverse(v, 2),
    lambda counts, _: n_present(counts) >= 2,
    least=2,
    partition=(2, 2),
)
CASES = [
    by_frequency(2),
    by_frequency(3),
    by_frequency(2, ["1"]),
    by_frequency(3, ["1"]),
    by_frequency(2, ["1", "2"]),
    by_frequency(2, ["1", "2"], pooled=True),
    by_frequency(3, ["1", "9"], pooled=True),
    by_frequency("3/2"),
    by_frequency("5/2", ["1"]),
    by_frequency("5/2", ["1", "2"]),
    by_frequency("3/2", ["1", "2"], pooled=True),
    by_frequency(1, ["1"]),
    DISTINCT,
    Case(
        sf.LDiversity(2, values=["1", "2"], pooled=True),
        lambda v, _: naive.criteria.l_diverse(v, 2, protected=["1", "2"], pooled=True),
        lambda counts, _: n_present((counts[0] + counts[1], *counts[2:])) >= 2,
        least=2,
        protected=(("1", "2"), ("5",), ("9",)),
        partition=(2, 2),
    ),
    Case(
        sf.LDiversity("3/2", "entropy"),
        lambda v, _: naive.criteria.l_diverse(v, Fraction(3, 2), "entropy"),
        lambda counts, _: naive.criteria.counts_entropy_at_least(counts, Fraction(3, 2)),
        least=2,
        partition=(2, 2),
    ),
    Case(
        sf.RecursiveDiversity(2, 2),
        lambda v, _: naive.criteria.recursive_diverse(v, 2, 2),
        lambda counts, _: naive.criteria.counts_recursive(counts, 2, 2),
        partition=(2, 2),
    ),
    closeness(half, "equal"),
    closeness("1/4", "ordered"),
    closeness("1/3", "hierarchical"),
    Case(
        sf.AlphaKAnonymity(half, 3),
        lambda v, _: naive.criteria.alpha_k(v, half, 3),
        lambda counts, _: naive.criteria.counts_frequency(counts, 2),
        least=3,
        partition=(2, 3),
    ),
    Case(
        sf.AlphaKAnonymity("2/3", 2, ["1"]),
        lambda v, _: naive.criteria.alpha_k(v, Fraction(2, 3), 2, ["1"]),
        lambda counts, _: naive.criteria.counts_frequency(counts, Fraction(3, 2), [0]),
        least=2,
        protected=(("1",),),
        partition=(2, 2),
    ),
    Case(
        sf.PSensitiveKAnonymity(2, 3),
        lambda v, _: naive.criteria.p_sensitive(v, 2, 3),
        lambda counts, _: n_present(counts) >= 2,
        least=3,
        partition=(2, 3),
    ),
    Case(
        sf.KEAnonymity(2, 3),
        lambda v, _: naive.criteria.k_e(v, 2, 3),
        lambda counts, _: spread(counts) >= 3,
        least=2,
    ),
    both(of_k(3), by_frequency(2)),
    both(of_k(2), by_frequency(2, ["1"])),
    both(DISTINCT, of_k(3)),
    both(by_frequency(2, ["1"]), closeness("2/3", "equal")),
]


def count(columns, sensitive):
    """Count people given by columns, without a file."""
    domains, codes = {}, {}
    for name, found in columns.items():
        rule = VALUE_TREE if set(found) <= set(VALUES) else sf.Flat()
        distinct = list(VALUES) if rule is VALUE_TREE else sorted(set(found))
        domains[name], coded = rule.grow(name, distinct)
        codes[name] = coded[[distinct.index(value) for value in found]]
    ones = np.ones(len(next(iter(columns.values()))), dtype=np.int64)
    known = [name for name in columns if name not in sensitive]
    return FrequencySet.from_codes(domains, known, list(sensitive), codes, ones)


def groups_in(recoding, n_people):
    """The group of every position, -1: suppressed; everybody's quasi-identifier is his place."""
    place = recoding.combinations.codes("q")
    group = np.full(n_people, -1)
    group[place[recoding.parts[:, 0]]] = recoding.parts[:, 1]
    assert (recoding.parts[:, 2] == 1).all()
    return group.tolist()


def target_of(values, case, method, seed):
    """Group people and look at the groups, without writing them; and the group of everybody."""
    whole = count({"q": list(range(len(values))), "s": values}, ["s"])
    draw = np.random.default_rng(seed).bytes
    recoding = method.search(whole, case.criterion, draw)
    group = groups_in(recoding, len(values))
    kept = [i for i, g in enumerate(group) if g >= 0]
    published = count({"group": [group[i] for i in kept], "s": [values[i] for i in kept]}, ["s"])
    seen = published.with_values_of(whole).as_it_is()
    n_suppressed = len(values) - len(kept)
    target = Target(
        seen,
        case.criterion,
        method,
        n_suppressed,
        as_they_are=("q",),
        recoding=recoding,
        buckets=recoding.buckets,
    )
    return target, group


def parts_of(group):
    """Positions by group."""
    found = [[] for _ in range(max(group) + 1)]
    for i, g in enumerate(group):
        if g >= 0:
            found[g].append(i)
    return found


def formed_by(method, values, keeps, unit, least, parts):
    """The groups before they were partitioned, by what is written and nothing else.

    Where chance decided, the parts say where groups ended: a group is a row of neighbours.
    """
    people = list(range(len(values)))
    safe = naive.formation.keeping(keeps, values)
    if not method.anatomize:
        return parts
    if isinstance(method, sf.SymmetricGrouping):
        return naive.grouping.symmetric_grouping(people, safe, least)
    if isinstance(method, sf.GreedyGrouping):
        never = dict.fromkeys(range(len(values) + 1), False)
        return naive.grouping.greedy_grouping(people, safe, unit, never)[0]
    raise AssertionError("tosses are not written down")


def worlds_say(values, case, method, parts, formed):
    """Beliefs for every position, over all worlds."""
    enforced, unit = case, case.unit
    if getattr(method, "margin", 1) != 1:
        l = math.ceil(method.margin * case.criterion.l)
        enforced = by_frequency(l, case.criterion.values, case.criterion.pooled)
        unit = enforced.unit
    unit = min(unit, len(values))
    everybody = list(values)

    @cache
    def keeps(group):
        return enforced.keeps(list(group), everybody)

    if formed is None:
        formed = formed_by(method, values, keeps, unit, enforced.least, parts)
    if isinstance(method, sf.SymmetricGrouping):
        chance = naive.formation.chance_of_halves(formed, enforced.least)
    else:
        chance = naive.formation.chance_of_greedy(formed, unit, getattr(method, "p", Fraction(0)))
    return naive.formation.method_posterior(values, parts, keeps, chance), formed, unit


def in_proportion(shares):
    """Beliefs as counts of the values."""
    whole = math.lcm(*(share.denominator for share in shares.values()))
    return tuple(int(shares.get(v, 0) * whole) for v in VALUES)
