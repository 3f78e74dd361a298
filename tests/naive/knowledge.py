"""Background knowledge: implications (Martin 2007), and the three kinds of Chen 2009.

A release is `[(people, {value: occurrences}), ...]`, a person `(group, member)`. A world says who
has what. What is true in which worlds is a whole number whose bits are the worlds.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction

from naive.formation import orders


def beliefs_with_implications(groups, k):
    """For every group the largest Pr(t has s | k implications), t in the group (Martin 2007).

    `groups` is a list of lists of values, one per person. An implication is a pair (w, z) of any
    person, t too, and any value: if w has z, then t has s. All worlds, all choices of k pairs.
    """
    people = [(g, i) for g, group in enumerate(groups) for i in range(len(group))]
    values = sorted({value for group in groups for value in group})
    worlds = list(itertools.product(*(list(orders(group)) for group in groups)))
    everything = (1 << len(worlds)) - 1
    holds = {  # which worlds a person has a value in, one bit per world
        (w, z): sum(1 << at for at, world in enumerate(worlds) if world[w[0]][w[1]] == z)
        for w in people
        for z in values
    }
    found = [Fraction(0)] * len(groups)
    for t in people:
        for s in values:
            has = holds[t, s]
            for pairs in itertools.combinations_with_replacement(holds, k):
                kept = everything
                for pair in pairs:
                    kept &= has | ~holds[pair]
                if kept:
                    belief = Fraction((kept & has).bit_count(), kept.bit_count())
                    found[t[0]] = max(found[t[0]], belief)
    return found


def breach_by_program(groups, value, l, k, m, case="single"):
    """Largest belief that somebody has the value, by spreading everybody known over the groups.

    `groups` is a list of (people, {value: occurrences}). No congregation: after every group, the
    least odds for every number of u's and v's so far, with and without the target among them.
    """
    without = {(i, j): Fraction(1) for i in range(k + 1) for j in range(m + 1)}
    with_t = {}
    for n, counts in groups:
        having = counts.get(value, 0)
        others = sorted((c for x, c in counts.items() if x != value), reverse=True)[:l]
        new_without, new_with = {}, {}
        for i, j in without:
            found, alone = [], []
            for a in range(i + 1):
                for b in range(j + 1):
                    v = v_odds(n, having, j - b, i - a, case)
                    alone.append(without[a, b] * v)
                    if (a, b) in with_t:
                        found.append(with_t[a, b] * v)
                    if having:
                        t = t_odds(n, having, others, i - a, case)
                        found.append(without[a, b] * t * v_odds(n, having, j - b, i - a + 1, case))
            new_without[i, j] = min(alone)
            if found:
                new_with[i, j] = min(found)
        without, with_t = new_without, new_with
    return 1 / (1 + with_t[k, m]) if with_t else Fraction(0)


def t_odds(n, having, others, k, case):
    """T of section 7.1."""
    if case == "single":
        return Fraction(max(0, n - having - sum(others) - k), having)
    if case == "set":
        lacking = math.prod((Fraction(n - c, n) for c in others), start=Fraction(1))
        return Fraction(max(0, n - having - k), having) * lacking
    if n - k <= 1:
        return Fraction(0)
    lacks = Fraction(n - k - 1, n - k) ** having
    return lacks / (1 - lacks) * Fraction(n - 1, n) ** sum(others)


def v_odds(n, having, m, k, case):
    """V of section 7.1; a factor that is not positive makes it 0."""
    if not having or not m:
        return Fraction(1)
    if case == "multiset":
        return Fraction(n - k - m, n - k) ** having if n - k > m else Fraction(0)
    product = Fraction(1)
    for i in range(m):
        left = n - having - k - i
        if left <= 0:
            return Fraction(0)
        product *= Fraction(left, n - k - i)
    return product


def dealings(people, counts, case):
    """All equally likely ways to deal a group's values: one set of values for every member."""
    if case == "single":
        cards = [value for value, count in counts.items() for _ in range(count)]
        return [tuple({v} for v in deal) for deal in set(itertools.permutations(cards))]
    ways = []
    for value, count in counts.items():
        if case == "set":
            chosen = itertools.combinations(range(people), count)
        else:
            chosen = itertools.product(range(people), repeat=count)
        ways.append([(value, set(members)) for members in chosen])
    return [
        tuple({value for value, members in world if i in members} for i in range(people))
        for world in itertools.product(*ways)
    ]


def true_in(groups, case):
    """How many worlds there are, the people, and `{(person, value): worlds in which it is so}`."""
    persons = [(g, i) for g, (people, _) in enumerate(groups) for i in range(people)]
    values = sorted({value for _, counts in groups for value in counts})
    truth = dict.fromkeys(itertools.product(persons, values), 0)
    n_worlds = 0
    for world in itertools.product(*(dealings(n, counts, case) for n, counts in groups)):
        for g, i in persons:
            for value in world[g][i]:
                truth[(g, i), value] |= 1 << n_worlds
        n_worlds += 1
    return n_worlds, persons, values, truth


def named_posterior(groups, target, value, excluded, others, family, case):
    """Count the worlds in which all that is known is true; None: there is none."""
    n_worlds, _, _, truth = true_in(groups, case)
    everything = (1 << n_worlds) - 1
    has = truth.get((target, value), 0)
    possible = everything
    for x in excluded:
        possible &= ~truth.get((target, x), 0) | (0 if case == "single" else has)
    for other in others:
        possible &= truth.get(other, 0) if case == "single" else ~truth.get((other, value), 0)
    for person in family:
        possible &= ~truth.get((person, value), 0) | has
    if not possible:
        return None
    return Fraction((possible & has).bit_count(), possible.bit_count())


def breaches_by_group(groups, value, case):
    """The largest posterior about anybody of each group, for exactly (l, k, m) pieces of knowledge.

    All groundings: every target, every set of values ruled out, and every other person unknown, in
    the family, or known (one value per person: with every value; sets: to lack the value).
    """
    n_worlds, persons, values, truth = true_in(groups, case)
    everything = (1 << n_worlds) - 1
    rest = [x for x in values if x != value]
    largest = [{} for _ in groups]
    for target in persons:
        has = truth[target, value]
        pieces = []  # per other person: (k, m, worlds that allow it)
        for person in persons:
            if person == target:
                continue
            choices = [(0, 0, everything), (0, 1, ~truth[person, value] | has)]
            if case == "single":
                choices += [(1, 0, truth[person, y]) for y in values]
            else:
                choices.append((1, 0, ~truth[person, value]))
            pieces.append(choices)
        about_target = [
            (len(ruled), [~truth[target, x] | has for x in ruled])
            for l in range(len(rest) + 1)
            for ruled in itertools.combinations(rest, l)
        ]
        for l, ruled in about_target:
            possible = everything
            for worlds in ruled:
                possible &= worlds
            for k, m, worlds in _conjunctions(pieces, possible):
                belief = Fraction((worlds & has).bit_count(), worlds.bit_count())
                best = largest[target[0]]
                best[l, k, m] = max(best.get((l, k, m), Fraction(0)), belief)
    return largest


def _conjunctions(pieces, possible):
    """Every choice of one piece per person that some world allows: (k, m, those worlds)."""
    if not pieces:
        yield 0, 0, possible
        return
    for k, m, worlds in pieces[0]:
        if possible & worlds:
            for more_k, more_m, left in _conjunctions(pieces[1:], possible & worlds):
                yield k + more_k, m + more_m, left


def up_to(breaches, l, k, m):
    """The largest of the beliefs with at most so much knowledge."""
    allowed = (b for (i, j, n), b in breaches.items() if i <= l and j <= k and n <= m)
    return max(allowed, default=Fraction(0))


def skyline_by_scan(breach, c, ends):
    """The maximal points of all (l, k, m) below `ends` whose breach is below c."""
    safe = {
        point for point in itertools.product(*(range(end) for end in ends)) if breach(*point) < c
    }
    return sorted(
        (l, k, m) for l, k, m in safe if not {(l + 1, k, m), (l, k + 1, m), (l, k, m + 1)} & safe
    )


def worlds_of(groups, case):
    """Every world, equally likely: for each group the sets of values of its people."""
    return itertools.product(*(dealings(n, counts, case) for n, counts in groups))


def uncertain_belief(groups, target, value, excluded, others, family, case):
    """The weighted share of the worlds in which the target has the value; None: no weight at all.

    `excluded`: {value: p}, `others`: {(person, value): p} or for sets {person: p}, `family`:
    {person: p}.
    """
    having = total = Fraction(0)
    for world in worlds_of(groups, case):

        def has(person, x, world=world):
            return x in world[person[0]][person[1]]

        hit = has(target, value)
        if case == "single":
            pieces = [(not has(target, x), p) for x, p in excluded.items()]
            pieces += [(has(person, x), p) for (person, x), p in others.items()]
        else:
            pieces = [(hit or not has(target, x), p) for x, p in excluded.items()]
            pieces += [(not has(person, value), p) for person, p in others.items()]
        pieces += [(hit or not has(person, value), p) for person, p in family.items()]
        weight = math.prod((p if true else 1 - p for true, p in pieces), start=Fraction(1))
        total += weight
        having += weight * hit
    return having / total if total else None


def beliefs_in_families(groups, value, edges, case):
    """For every person the share of worlds with the value, edges being both or neither.

    None: there is no such world.
    """
    people = [(g, i) for g, (n, _) in enumerate(groups) for i in range(n)]
    hits, n_worlds = Counter(), 0
    for world in worlds_of(groups, case):
        has = {(g, i): value in world[g][i] for g, i in people}
        if all(has[a] == has[b] for a, b in edges):
            n_worlds += 1
            hits.update(person for person in people if has[person])
    return {person: Fraction(hits[person], n_worlds) for person in people} if n_worlds else None
