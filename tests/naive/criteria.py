"""Criteria on the values of one group, and on counts where no list of rows could hold the people.

Guards: a person is (..., value, guard); the guard is any label of the hierarchy, or None.
Counts: a group is a list of counts, one per value.
"""

import itertools
import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

from naive.groups import histogram


def l_diverse(values, l, kind="distinct", protected=None, pooled=False):
    """Judge the sensitive values of one group.

    `protected`: the values that "frequency" bounds; `pooled`: these count together as one value.
    """
    if pooled:
        pool = object()
        values = [pool if value in protected else value for value in values]
        protected = [pool]
    counts = histogram(values)
    if kind == "distinct":
        return len(counts) >= l
    if kind == "entropy":
        return entropy_at_least(counts.values(), l)
    bounded = counts if protected is None else protected
    return all(counts.get(value, 0) * Fraction(l) <= len(values) for value in bounded)


def entropy_at_least(counts, l):
    """Entropy >= log l, decided in integers: n^n >= l^n * prod c^c."""
    n, l = sum(counts), Fraction(l)
    product = math.prod(count**count for count in counts)
    return (n * l.denominator) ** n >= l.numerator**n * product


def k_anonymity(k):
    """Criterion: at least k rows (Ciriani 2008, definition 2.3)."""
    return lambda group: len(group) >= k


def l_diversity(l, kind="distinct", protected=None, pooled=False, column=-1):
    """Criterion of a group of rows, about one of their columns."""
    return lambda group: l_diverse([row[column] for row in group], l, kind, protected, pooled)


def both(*criteria):
    """Criterion that asks for all of the given ones."""
    return lambda group: all(criterion(group) for criterion in criteria)


def recursive_diverse(values, c, l):
    """r_1 < c (r_l + ... + r_m), the counts in descending order."""
    counts = sorted(histogram(values).values(), reverse=True)
    return counts[0] < Fraction(c) * sum(counts[l - 1 :])


def alpha_k(values, alpha, k, protected=None, pooled=False):
    """At least k people, and no protected value (or all together) above the share alpha."""
    return len(values) >= k and l_diverse(
        values, 1 / Fraction(alpha), "frequency", protected, pooled
    )


def p_sensitive(values, p, k):
    """At least k people and p different values."""
    return len(values) >= k and len(set(values)) >= p


def k_e(values, k, e):
    """At least k people, and numbers that spread over at least e."""
    numbers = [Fraction(value) for value in values]
    return len(values) >= k and max(numbers) - min(numbers) >= Fraction(e)


def fewest_to_leave_out(sizes, keeps):
    """The fewest people in groups without which what is left keeps a promise about all of it."""
    return min(
        sum(sizes) - sum(kept)
        for n in range(len(sizes) + 1)
        for kept in itertools.combinations(sizes, n)
        if keeps(kept)
    )


def fewest_to_go(counts, is_safe):
    """The fewest people without whom a group is safe; all of them where nothing else helps.

    counts: people by value; is_safe: of such counts.
    """
    parts = itertools.product(*(range(count + 1) for count in counts))
    return sum(counts) - max(sum(part) for part in parts if not any(part) or is_safe(part))


def average_risk(sizes, risk):
    """The risk of each person, 1 by the size of the group, is at most so large on average."""
    risks = [Fraction(1, size) for size in sizes for _ in range(size)]
    return not risks or sum(risks) / len(risks) <= risk


def people_at_risk(sizes, share, risk):
    """At most such a share of the people has a risk above so much."""
    risks = [Fraction(1, size) for size in sizes for _ in range(size)]
    return sum(each > risk for each in risks) <= share * len(risks)


def t_close(values, everybody, t, ground_distance):
    """Earth mover's distance at most t, by a linear program; ground_distance(a, b)."""
    return earth_mover(values, everybody, ground_distance) <= float(t) + 1e-9


def earth_mover(values, everybody, ground_distance):
    """Least work of turning one distribution into the other: a transport problem."""
    import numpy as np
    from scipy.optimize import linprog

    here, there = Counter(values), Counter(everybody)
    domain = sorted(there)
    cost = [ground_distance(a, b) for a in domain for b in domain]
    n = len(domain)
    leave = np.kron(np.eye(n), np.ones((1, n)))
    arrive = np.kron(np.ones((1, n)), np.eye(n))
    supply = [here[v] / len(values) for v in domain]
    demand = [there[v] / len(everybody) for v in domain]
    found = linprog(cost, A_eq=np.vstack([leave, arrive]), b_eq=supply + demand)
    return found.fun


def beta_like(values, everybody, beta, kind="basic"):
    """No value rises by more than beta, of its share in the table; enhanced: or by -ln of that."""
    here, there = Counter(values), Counter(everybody)
    for value, n in here.items():
        p, q = Fraction(n, len(values)), Fraction(there[value], len(everybody))
        if p > q and (not q or (p - q) / q > Fraction(beta)):
            return False
        if p > q and kind == "enhanced" and (p - q) / q > minus_ln(q):
            return False
    return True


def minus_ln(q):
    """-ln q to so many digits that no small fraction is as near as the error."""
    with localcontext(prec=60):
        return Fraction(Decimal(q.denominator).ln() - Decimal(q.numerator).ln())


def delta_disclosed(values, everybody, delta):
    """|log2(p / q)| < delta = a / b for every value: (p / q)^b and (q / p)^b are below 2^a."""
    here, there, delta = Counter(values), Counter(everybody), Fraction(delta)
    limit = Fraction(2) ** delta.numerator
    for value, n in here.items():
        p, q = Fraction(n, len(values)), Fraction(there[value], len(everybody))
        if not q or max(p / q, q / p) ** delta.denominator >= limit:
            return False
    return True


def largest_guarded_share(group, hierarchy):
    """The largest share of a group under what somebody in it guards; None: nobody does."""
    shares = []
    for *_, guard in group:
        if guard is not None:
            under = {labels[0] for labels in hierarchy if guard in labels}
            hit = [value for *_, value, _ in group if value in under or guard == hierarchy[0][-1]]
            shares.append(Fraction(len(hit), len(group)))
    return max(shares, default=None)


def personalized(l, hierarchy):
    """Criterion: that share is at most 1/l."""
    return lambda group: (largest_guarded_share(group, hierarchy) or 0) * Fraction(l) <= 1


def counts_frequency(counts, l, protected=None, pooled=False):
    """No value (of the protected positions, each or together) above the share 1/l."""
    bounded = counts if protected is None else [counts[j] for j in protected]
    bounded = [sum(bounded)] if pooled else bounded
    return all(Fraction(count) * Fraction(l) <= sum(counts) for count in bounded)


def counts_recursive(counts, c, l):
    """r_1 < c (r_l + ... + r_m), the counts in descending order."""
    ordered = sorted((count for count in counts if count), reverse=True)
    return max(counts) < Fraction(c) * sum(ordered[l - 1 :])


def counts_entropy_at_least(counts, l):
    """Entropy >= log l: in integers while these are small, else with 400 digits.

    Both sides are powers of small integers; if they agree to 300 digits they are equal.
    """
    counts = [count for count in counts if count]
    if sum(counts) < 3000:
        return entropy_at_least(counts, l)
    with localcontext(prec=400):
        n, l = Decimal(sum(counts)), Fraction(l)
        log_l = Decimal(l.numerator).ln() - Decimal(l.denominator).ln()
        entropy = n.ln() - sum(Decimal(c) * Decimal(c).ln() for c in counts) / n
        return entropy - log_l > -(Decimal(10) ** -300)


def counts_distance(counts, reference, distance, paths):
    """Earth mover's distance of a group from the whole table, as a fraction.

    "equal": what is too much somewhere has to move by 1. "ordered": over every gap between
    neighbours goes what is too much on one side of it. "hierarchical": what is too much in one
    child of a node and too little in another moves over that node, as high as it is (Li 2007).
    paths: per value `(ground, level 1, ..., root)`.
    """
    extra = [
        Fraction(count, sum(counts)) - Fraction(other, sum(reference))
        for count, other in zip(counts, reference, strict=True)
    ]
    if distance == "equal":
        return sum(e for e in extra if e > 0)
    if distance == "ordered":
        gaps = range(1, len(extra))
        return sum((abs(sum(extra[:j])) for j in gaps), Fraction(0)) / max(1, len(extra) - 1)
    height = len(paths[0]) - 1
    work = Fraction(0)
    for level in range(1, height + 1):
        for node in {path[level] for path in paths}:
            inside = [j for j, path in enumerate(paths) if path[level] == node]
            children = [
                sum(extra[j] for j in inside if paths[j][level - 1] == child)
                for child in {paths[j][level - 1] for j in inside}
            ]
            much, little = sum(c for c in children if c > 0), sum(-c for c in children if c < 0)
            work += min(much, little) * Fraction(level, height)
    return work
