"""Slow, obvious twins of what sfumato computes: the truth that fast results are compared with.

Plain Python on plain tables. A row is a tuple; a column is a position in it. A hierarchy is a list
of rows of labels, one per ground value: `(ground, level 1, ..., root)`. Hierarchies generalize the
first `len(hierarchies)` columns of a row; what stands behind them is carried along. A node of the
lattice is a tuple of levels. A criterion is a function of one group (a list of rows) to bool.
"""

import functools
import itertools
import math
from collections import Counter, defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction

# ---------------------------------------------------------------------------- groups and counts


def rows_by_group(rows, columns):
    """Rows that are equal in the given columns stand together: `{values: [row, ...]}`."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


def histogram(values):
    """How often each value occurs: `{value: count}`."""
    return dict(Counter(values))


# ------------------------------------------------------------------------------------- criteria


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


# ---------------------------------------------------------------------------------- hierarchies


def hierarchy_from_parents(parents):
    """Rows of labels from `{child: parent}`, where every leaf has the same depth."""
    rows = []
    for leaf in parents:
        if leaf not in parents.values():
            path = [leaf]
            while path[-1] in parents:
                path.append(parents[path[-1]])
            rows.append(tuple(path))
    return rows


def label_at(hierarchy, value, level):
    """What a ground value is called at a level."""
    for labels in hierarchy:
        if labels[0] == value:
            return labels[level]
    raise KeyError(value)


def levels_of(hierarchy, label):
    """All levels at which a label stands."""
    return [level for level in range(len(hierarchy[0])) if label in {r[level] for r in hierarchy}]


def coverage(hierarchy, value, level):
    """Number of ground values under the node that holds `value` (Wong 2009, definition 6)."""
    label = label_at(hierarchy, value, level)
    return sum(labels[level] == label for labels in hierarchy)


def base(hierarchy):
    """Number of ground values (Wong 2009, definition 6)."""
    return len(hierarchy)


# -------------------------------------------------------------------------------------- lattice


def heights_of(hierarchies):
    """Level of the root of each hierarchy."""
    return [len(hierarchy[0]) - 1 for hierarchy in hierarchies]


def all_nodes(heights):
    """Every vector of levels from the bottom to `heights`, lower sums first."""
    nodes = itertools.product(*(range(height + 1) for height in heights))
    return sorted(nodes, key=lambda node: (sum(node), node))


def generalize(rows, hierarchies, node):
    """Every row with its first columns at the levels of `node`, in the same order."""
    known = [{labels[0]: labels for labels in hierarchy} for hierarchy in hierarchies]
    return [
        tuple(known[j][row[j]][level] for j, level in enumerate(node)) + row[len(node) :]
        for row in rows
    ]


def groups_at(rows, hierarchies, node):
    """Groups of the rows generalized to `node`, in the published labels."""
    return rows_by_group(generalize(rows, hierarchies, node), range(len(node)))


def suppressed_at(rows, hierarchies, node, criterion):
    """Number of rows in groups that do not satisfy the criterion at `node`."""
    groups = groups_at(rows, hierarchies, node).values()
    return sum(len(group) for group in groups if not criterion(group))


def safe_nodes(rows, hierarchies, criterion, max_suppressed=0):
    """Every node where leaving out at most `max_suppressed` rows makes all groups safe."""
    return [
        node
        for node in all_nodes(heights_of(hierarchies))
        if suppressed_at(rows, hierarchies, node, criterion) <= max_suppressed
    ]


def below(node, other):
    """Whether `node` is another one than `other` and nowhere more general."""
    return node != other and all(a <= b for a, b in zip(node, other, strict=True))


def minimal_nodes(rows, hierarchies, criterion, max_suppressed=0):
    """Safe nodes with no safe node below them (Ciriani 2008, definition 3.4)."""
    safe = safe_nodes(rows, hierarchies, criterion, max_suppressed)
    return {node for node in safe if not any(below(other, node) for other in safe)}


# ----------------------------------------------------------------------------------------- loss


def value_loss(covered, ground_values):
    """Loss of one published value: (coverage - 1) / (base - 1) (Wong 2009, definition 7)."""
    return Fraction(covered - 1, ground_values - 1) if ground_values > 1 else Fraction(0)


def information_loss(losses, weights, n_suppressed=0):
    """Average over rows of the weighted sum over columns; a suppressed row counts 1.

    losses: per published row the loss in every column.
    """
    each = [sum(w * loss for w, loss in zip(weights, row, strict=True)) for row in losses]
    n = len(each) + n_suppressed
    return (sum(each, Fraction(0)) + n_suppressed) / n if n else Fraction(0)


def loss_at(rows, hierarchies, node, weights=None):
    """Information loss of the rows generalized to `node`; weights: equal unless given."""
    weights = weights or [Fraction(1, len(node))] * len(node)
    losses = [
        [
            value_loss(coverage(hierarchy, value, level), base(hierarchy))
            for hierarchy, value, level in zip(hierarchies, row, node, strict=False)
        ]
        for row in rows
    ]
    return information_loss(losses, weights)


def discernibility(sizes, n_suppressed=0):
    """Every row costs the size of its group, a suppressed one the number of all rows."""
    n = sum(sizes) + n_suppressed
    return sum(size for size in sizes for _ in range(size)) + n * n_suppressed


# ------------------------------------------------------------------------------------- Mondrian
# A dimension is (rank of every value, its place on the axis, its labels by level or None).


def mondrian(rows, dimensions, criterion):
    """Regions of strict Mondrian, as lists of rows.

    Cut along the widest column that allows it, the earlier one in a tie: a tree between its
    largest nodes first, then nearest to halving, the lower boundary in a tie; then do the same to
    both sides.
    """
    best, widest = None, -1
    for column, dimension in enumerate(dimensions):
        place = dimension[1]
        cuts = allowable_cuts(rows, column, dimension, criterion)
        inside = [place[row[column]] for row in rows]
        if cuts:
            whole = Fraction(max(place.values()) - min(place.values()))
            width = Fraction(max(inside) - min(inside)) / whole
            if width > widest:
                best = min(cuts, key=lambda cut: (-cut[0], abs(len(cut[1]) - len(cut[2]))))
                widest = width
    if best is None:
        return [rows]
    return [region for side in best[1:] for region in mondrian(side, dimensions, criterion)]


def allowable_cuts(rows, column, dimension, criterion):
    """Every cut along a column that leaves both sides safe: `[(level, left, right), ...]`.

    The level is that of the smallest node around the two values that a cut in a tree parts.
    """
    rank, _, labels = dimension
    values = sorted({row[column] for row in rows}, key=rank.get)
    cuts = []
    for last, following in itertools.pairwise(values):
        left = [row for row in rows if rank[row[column]] <= rank[last]]
        right = [row for row in rows if rank[row[column]] > rank[last]]
        if criterion(left) and criterion(right):
            level = meeting_level(labels[last], labels[following]) if labels else 0
            cuts.append((level, left, right))
    return cuts


def meeting_level(one, other):
    """Level at which two paths come together."""
    return next(level for level in range(len(one)) if one[level] == other[level])


# ------------------------------------------------------------------------- the rest of the family


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


def price(rows, hierarchies, node, criterion, metric):
    """What `Optimal` minimizes, from the definitions."""
    groups = list(groups_at(list(enumerate_rows(rows)), hierarchies, node).values())
    safe = [group for group in groups if criterion([row[:-1] for row in group])]
    kept = {row[-1] for group in safe for row in group}
    n, n_suppressed = len(rows), len(rows) - len(kept)
    heights = heights_of(hierarchies)
    if metric == "height":
        return sum(node)
    if metric == "relative_height":
        return sum(Fraction(level, height) for level, height in zip(node, heights, strict=True))
    if metric == "discernibility":
        return discernibility([len(group) for group in safe], n_suppressed)
    if metric == "average_class":
        return Fraction(n, len(safe)) if safe else float("inf")
    if metric == "distinct":
        return -len(safe)
    total = 0
    for j, row in enumerate(rows):
        for column, (hierarchy, level) in enumerate(zip(hierarchies, node, strict=True)):
            value = row[column]
            if metric == "entropy":
                level = level if j in kept else heights[column]  # noqa: PLW2901
                label = label_at(hierarchy, value, level)
                inside = sum(label_at(hierarchy, r[column], level) == label for r in rows)
                total += math.log2(inside / sum(r[column] == value for r in rows))
            else:
                share = {
                    "loss": value_loss(coverage(hierarchy, value, level), base(hierarchy)),
                    "precision": Fraction(level, heights[column]),
                }[metric]
                total += (share if j in kept else 1) * Fraction(1, len(node) * n)
    return total


def enumerate_rows(rows):
    """Rows with their number at the end, so that equal ones can be told apart."""
    return [(*row, j) for j, row in enumerate(rows)]


# --------------------------------------------------------------------- criteria on counts of people
# A group is a list of counts, one per value: for numbers of people that no list of rows can hold.


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


# -------------------------------------------------------------------------------------- attacks
# A published group is the list of the sensitive values of its people; None is a value.


def fits(value, label, is_under, order):
    """Whether a person with a value may be behind a published label, read as text.

    is_under(value, label): the label is the value's ancestor; order: what ranges compare.
    """
    if label is None:
        return value is None
    if label == "*" or is_under(value, label):
        return True
    if label == "not missing":
        return value is not None
    if label.endswith(" or missing"):
        return value is None or fits(value, label.removesuffix(" or missing"), is_under, order)
    if label.startswith("{"):
        names = label.strip("{}").split(", ")
        return any(
            value is None if name == "missing" else fits(value, name, is_under, order)
            for name in names
        )
    if value is None:
        return False
    if label.startswith("<"):
        return order(value) < order(label[1:])
    if label.startswith(">="):
        return order(value) >= order(label[2:])
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return order(low) <= order(value) < order(high)
    return str(value) == label


def prosecutor(sizes):
    """Success for the person in the smallest group."""
    return max(Fraction(1, size) for size in sizes)


def journalist(sizes, listed):
    """Success for the row that fewest people on a list fit; None: nobody fits any.

    Where fewer people fit than the group has rows, a row is one of theirs with this share at most.
    """
    chances = [
        min(Fraction(1), Fraction(n, size)) / n for size, n in zip(sizes, listed, strict=True) if n
    ]
    return max(chances, default=None)


def marketer(sizes, listed):
    """Share of all rows that are linked with the right person, on average."""
    right = Fraction(0)
    for size, n in zip(sizes, listed, strict=True):
        for _ in range(size):
            right += min(Fraction(1), Fraction(n, size)) / n if n else 0
    return right / sum(sizes)


def beliefs(values):
    """Share of every value in a group."""
    return {value: Fraction(n, len(values)) for value, n in Counter(values).items()}


def subsets(values, n):
    """All sets of up to `n` different values."""
    different = sorted(set(values), key=str)
    return [
        set(chosen)
        for size in range(min(n, len(different)) + 1)
        for chosen in itertools.combinations(different, size)
    ]


def belief_after(values, n):
    """Strongest belief in one value after any `n` values have been ruled out."""
    left = [[v for v in values if v not in excluded] for excluded in subsets(values, n)]
    return max(max(beliefs(remaining).values()) for remaining in left if remaining)


def values_to_rule_out(values, everything):
    """Fewest values, of all there are, that leave the people of a group only one possible."""
    for n in range(len(set(everything)) + 1):
        for excluded in itertools.combinations(sorted(set(everything), key=str), n):
            if len(set(values) - set(excluded)) == 1:
                return n
    raise AssertionError("nobody is here")


def largest_rise(groups, everybody):
    """Most that belief in a value rises from its share among everybody to its share in a group."""
    before = beliefs(everybody)
    return max(after - before[value] for group in groups for value, after in beliefs(group).items())


def value_range(values):
    """Largest minus smallest number; missing values have no place in it."""
    numbers = [Fraction(value) for value in values if value is not None]
    return max(numbers) - min(numbers) if numbers else Fraction(0)


# ---------------------------------------------------------------------------------- recognition


def sizes_of(rows, columns):
    """Sizes of the groups of rows that are equal in these columns."""
    return [len(group) for group in rows_by_group(rows, columns).values()]


def separation(rows, columns):
    """Share of the pairs of rows that differ in some of the columns; 0 without pairs."""
    pairs = list(itertools.combinations(rows, 2))
    apart = [pair for pair in pairs if any(pair[0][c] != pair[1][c] for c in columns)]
    return Fraction(len(apart), len(pairs)) if pairs else Fraction(0)


def people_below(rows, columns, k):
    """Number of rows that share the columns with fewer than k rows, themselves included."""
    return sum(sum(all(row[c] == other[c] for c in columns) for other in rows) < k for row in rows)


def right_guesses(rows, columns):
    """Expected share of rows guessed right by drawing one of those that look alike."""
    each = [Fraction(1, size) for size in sizes_of(rows, columns) for _ in range(size)]
    return sum(each) / len(each)


def shapley(worth, members):
    """What each member adds to a set, averaged over all orders; worth: of a tuple of members."""
    added = dict.fromkeys(members, Fraction(0))
    orders = list(itertools.permutations(members))
    for order in orders:
        for place, member in enumerate(order):
            before = tuple(sorted(order[:place]))
            added[member] += worth(tuple(sorted((*before, member)))) - worth(before)
    return {member: total / len(orders) for member, total in added.items()}


def column_loss(rows, hierarchies, column, level):
    """Average loss of a row in one column at a level."""
    hierarchy = hierarchies[column]
    losses = [value_loss(coverage(hierarchy, r[column], level), base(hierarchy)) for r in rows]
    return sum(losses, Fraction(0)) / len(rows)


# ------------------------------------------------------------------------------------- minimality
# Worlds deal sensitive values out to people; None: there is no world that breaks the rule.


def credibility_local(classes, n_sensitive, l):
    """Expected share of each class that is sensitive, over all worlds in which a class breaks."""
    l = Fraction(l)
    people = [i for i, (_, generalized, _) in enumerate(classes) for _ in range(generalized)]
    shares = [Fraction(0)] * len(classes)
    n_worlds = 0
    for who in itertools.combinations(people, n_sensitive):
        hit = [kept + who.count(i) for i, (_, _, kept) in enumerate(classes)]
        if any(count * l > size for count, (size, _, _) in zip(hit, classes, strict=True)):
            n_worlds += 1
            for i, (size, _, _) in enumerate(classes):
                shares[i] += Fraction(hit[i], size)
    return [share / n_worlds for share in shares] if n_worlds else None


def credibility_counted(sizes, n_sensitive, l):
    """The same for whole classes, by polynomials with integer coefficients and a flag."""

    def times(one, other):
        kept = [0] * (n_sensitive + 1)
        broken = [0] * (n_sensitive + 1)
        for i, (a, b) in enumerate(zip(*one, strict=True)):
            for j in range(n_sensitive + 1 - i):
                kept[i + j] += a * other[0][j]
                broken[i + j] += a * other[1][j] + b * (other[0][j] + other[1][j])
        return kept, broken

    def of_class(size, weight):
        ways = [weight(m) * math.comb(size, m) for m in range(n_sensitive + 1)]
        breaks = [m * Fraction(l) > size for m in range(n_sensitive + 1)]
        kept = [0 if bad else way for way, bad in zip(ways, breaks, strict=True)]
        broken = [way if bad else 0 for way, bad in zip(ways, breaks, strict=True)]
        return kept, broken

    start = ([1] + [0] * n_sensitive, [0] * (n_sensitive + 1))
    found = {}
    for size in set(sizes):
        others = list(sizes)
        others.remove(size)
        rest = start
        for other in others:
            rest = times(rest, of_class(other, lambda m: 1))
        total = times(rest, of_class(size, lambda m: 1))[1][n_sensitive]
        weighted = times(rest, of_class(size, lambda m: m))[1][n_sensitive]
        found[size] = Fraction(weighted, total * size)
    return [found[size] for size in sizes]


def credibility_superset(population, n_present, n_sensitive, l):
    """Expected share of each class that is present and sensitive, over all choices of both."""
    people = [i for i, size in enumerate(population) for _ in range(size)]
    shares = [Fraction(0)] * len(population)
    n_worlds = 0
    for present in itertools.combinations(range(len(people)), n_present):
        for sensitive in itertools.combinations(present, n_sensitive):
            here = Counter(people[j] for j in present)
            hit = Counter(people[j] for j in sensitive)
            if any(hit[i] * Fraction(l) > here[i] for i in here):
                n_worlds += 1
                for i, size in enumerate(population):
                    shares[i] += Fraction(hit[i], size)
    return [share / n_worlds for share in shares] if n_worlds else None


def credibility_enumerated(kept, generalized, values, violates, target):
    """Expected share of each class with the target value, over all orders of the values."""
    wanted = {target} if isinstance(target, str) else target
    dealt = [value for value, count in values.items() for _ in range(count)]
    people = [i for i, n in enumerate(generalized) for _ in range(n)]
    shares = [Fraction(0)] * len(generalized)
    n_worlds = 0
    for order in itertools.permutations(dealt):
        whole = [Counter(each) for each in kept]
        for i, value in zip(people, order, strict=True):
            whole[i][value] += 1
        if any(violates(dict(each)) for each in whole):
            n_worlds += 1
            for i, each in enumerate(whole):
                shares[i] += Fraction(sum(each[v] for v in wanted), each.total())
    return [share / n_worlds for share in shares] if n_worlds else None


def bucket_risk(l, m, p, n_sensitive):
    """Expected share of each bucket that is sensitive, worlds weighted by their likelihood."""
    total, shares = Fraction(0), [Fraction(0)] * m
    for counts in itertools.product(range(l + 1), repeat=m):
        if sum(counts) != n_sensitive or n_sensitive > m:
            continue
        n_diverse = sum(sum(counts[:i]) <= i for i in range(1, m))
        weight = math.prod(math.comb(l, count) for count in counts) * p**n_diverse
        total += weight
        for i, count in enumerate(counts):
            shares[i] += weight * Fraction(count, l)
    return [share / total for share in shares] if total else None


# --------------------------------------------------------------------------- personalized privacy
# A person is (..., value, guard); the guard is any label of the hierarchy, or None.


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


# ------------------------------------------------------------------- grouping methods (Cormode)


def together(lists):
    """One list of all."""
    return list(itertools.chain(*lists))


def greedy_grouping(people, safe, unit, goes_on):
    """Figure 2 of Cormode 2010, on people in order: the groups, and who is left over.

    `goes_on` says of every bucket whether a group that is safe at its end goes on all the same;
    one that is unsafe at the end of the table goes back to where it was safe last.
    """
    buckets = [people[i : i + unit] for i in range(0, len(people), unit)]
    groups, first = [], 0
    while first < len(buckets):
        ends = []
        for last in range(first + 1, len(buckets) + 1):
            if safe(together(buckets[first:last])):
                ends.append(last)
                if not goes_on[last - 1]:
                    break
        if not ends:
            break
        groups.append(together(buckets[first : ends[-1]]))
        first = ends[-1]
    return groups, together(buckets[first:])


def symmetric_grouping(people, safe, least):
    """Figure 7 of Cormode 2010, with a least size of both halves; the whole is safe."""
    half = (len(people) + 1) // 2
    left, right = people[:half], people[half:]
    if min(len(left), len(right)) < least or not safe(left) or not safe(right):
        return [people]
    return [half for side in (left, right) for half in symmetric_grouping(side, safe, least)]


def anatomy(names, n_different, n_people, lots, turns):
    """Cormode 2010, 2.3: groups of people, each the number of a person; None: not eligible.

    `names` says what must differ, None: it may repeat. People of one name are taken in the order
    of their turns, who is left over joins a group by lot. Groups of too few people are joined.
    """
    everybody = range(len(names))
    # Who may repeat has a name of his own, behind all others.
    own = [(1, turns[i]) if names[i] is None else (0, names[i]) for i in everybody]
    left = {}
    for person in sorted(everybody, key=turns.__getitem__):
        left.setdefault(own[person], []).append(person)
    most = max((len(them) for name, them in left.items() if name[0] == 0), default=1)
    if len(names) < n_people or most * n_different > len(names):
        return None
    width = min(max(n_different, n_people), len(names) // most)
    groups = []
    while sum(map(len, left.values())) >= width:
        present = [name for name in left if left[name]]
        top = sorted(present, key=lambda name: (-len(left[name]), name))[:width]
        assert len(top) == width
        groups.append([left[name].pop(0) for name in top])
    lots = iter(lots)
    for name in sorted(name for name in left if left[name]):
        (person,) = left[name]
        others = [g for g in groups if name not in [own[i] for i in g]]
        others[next(lots) % len(others)].append(person)
    joined = -(-n_people // width)
    parts = [groups[i : i + joined] for i in range(0, len(groups), joined)]
    if len(parts) > 1 and len(parts[-1]) < joined:
        parts[-2:] = [parts[-2] + parts[-1]]
    return [together(part) for part in parts]


# ----------------------------------------------------------------------- top-down specialization
# A node is the tuple of its ground values, in the order of the hierarchy.


def children_of(hierarchy, node):
    """The largest nodes strictly inside a node; none for a ground value."""
    for level in reversed(range(len(hierarchy[0]))):
        inside = {}
        for labels in hierarchy:
            if labels[0] in node:
                inside.setdefault(labels[level], []).append(labels[0])
        if len(inside) > 1:
            return [tuple(values) for values in inside.values()]
    return []


def top_down_cut(rows, hierarchies, criterion):
    """The nodes of every column's cut, when the best allowed replacement is made until none is."""
    cuts = [[tuple(labels[0] for labels in each)] for each in hierarchies]
    while True:
        options = []
        for j, hierarchy in enumerate(hierarchies):
            for node in cuts[j]:
                children = children_of(hierarchy, node)
                rank = [labels[0] for labels in hierarchy].index(node[0])
                saved = [
                    Fraction(len(node) - len(child), base(hierarchy) - 1)
                    for row in rows
                    for child in children
                    if row[j] in child
                ]
                if saved:
                    options.append((-sum(saved), j, rank, node, children))
        for _, j, _, node, children in sorted(options):
            after = list(cuts)
            after[j] = [each for each in cuts[j] if each != node] + children
            if all(map(criterion, published_under(rows, after).values())):
                cuts = after
                break
        else:
            return cuts


def published_under(rows, cuts):
    """The groups of a cut: `{nodes: [row, ...]}`."""
    groups = {}
    for row in rows:
        nodes = tuple(
            next(n for n in cut if value in n) for cut, value in zip(cuts, row, strict=False)
        )
        groups.setdefault(nodes, []).append(row)
    return groups


def top_down_local(people, hierarchies, criterion, least, by_value, lots):
    """The published groups `[(nodes, [person, ...])]` of Wong's top-down algorithm.

    people: rows with a number of their own at the end, sorted by combination; least: the size that
    the criterion asks for; lots(n): 0 to n - 1 in the order drawn.
    """
    roots = tuple(tuple(labels[0] for labels in each) for each in hierarchies)
    waiting, final = [(roots, people)], []
    while waiting:
        nodes, group = waiting.pop(0)
        tries = [
            _specialized(group, j, children_of(each, nodes[j]), criterion, least)
            for j, each in enumerate(hierarchies)
        ]
        while True:
            most = max(each["n"] for each in tries)
            column = next(j for j, each in enumerate(tries) if each["n"] == most)
            best = tries[column]
            if best["exact"]:
                break
            back = people_back(best["safe"], best["rest"], criterion, by_value, lots)
            n = sum(map(len, best["safe"].values())) - len(back)
            assert n <= best["n"]
            best.update(n=n, exact=True, back=back)
        if not best["n"]:
            final.append((nodes, group))
            continue
        staying = best["rest"] + best["back"]
        if staying:
            final.append((nodes, staying))
        for child, members in best["safe"].items():
            kept = [person for person in members if person not in staying]
            if kept:
                waiting.append(((*nodes[:column], child, *nodes[column + 1 :]), kept))
    return final


def _specialized(group, j, children, criterion, least):
    """One column one level down: the safe children, the rest, and how many can go down at most."""
    parts = {child: [person for person in group if person[j] in child] for child in children}
    safe = {child: members for child, members in parts.items() if members and criterion(members)}
    rest = [person for child in parts if child not in safe for person in parts[child]]
    sizes = [len(members) for members in safe.values()]
    if not sizes or not rest or criterion(rest):
        return {"safe": safe, "rest": rest, "n": sum(sizes), "exact": True, "back": []}
    needed = max(1, least - len(rest))
    if needed > sum(size - least for size in sizes):
        needed = max(needed, min(sizes))
    n = max(0, sum(sizes) - needed)
    return {"safe": safe, "rest": rest, "n": n, "exact": n == 0, "back": []}


def people_back(safe, rest, criterion, by_value, lots):
    """Who of the safe children goes back to an unsafe rest, one lot after the other."""
    child_of = {person: child for child, members in safe.items() for person in members}
    line = sorted(child_of, key=lambda person: person[-1])
    drawn = {child: [] for child in safe}
    gone = {child: [] for child in safe}
    order = []
    for place in lots(len(line)):
        person = line[place]
        child = child_of[person]
        order.append(person)
        drawn[child].append(person)
        left = [each for each in safe[child] if each not in drawn[child]]
        if not left or criterion(left):
            gone[child] = list(drawn[child])
            if criterion(rest + [each for members in gone.values() for each in members]):
                break
    moved = [person for person in order if person in gone[child_of[person]]]

    def kind(person):
        return (child_of[person], person[-2] if by_value else None)

    kinds = list(dict.fromkeys(map(kind, moved)))
    turn = n_asked = 0  # since somebody went home
    while n_asked < len(kinds):
        each = kinds[turn % len(kinds)]
        turn, n_asked = turn + 1, n_asked + 1
        same = [person for person in moved if kind(person) == each]
        for n in range(len(same), 0, -1):
            stay = [person for person in moved if person not in same[-n:]]
            child = [person for person in safe[each[0]] if person not in stay]
            if criterion(rest + stay) and criterion(child):
                moved, n_asked = stay, 0
                break
    return moved


def lots_from(draw, n, at_once):
    """0 to n - 1 by lot: numbers modulo n, old ones passed over; the second half is shuffled."""
    seen = []
    while n - len(seen) > max(at_once, n // 2):
        for number in _numbers(draw, at_once):
            if number % n not in seen:
                seen.append(number % n)
                yield number % n
        at_once *= 2
    rest = [place for place in range(n) if place not in seen]
    numbers = _numbers(draw, len(rest))
    yield from (place for _, place in sorted(zip(numbers, rest, strict=True)))


def _numbers(draw, n):
    drawn = draw(8 * n)
    return [int.from_bytes(drawn[8 * j : 8 * j + 8], "little") for j in range(n)]


# -------------------------------------------------------------------------------- COUNT queries


def count_query(rows, query):
    """How many rows, as dicts, have values in all sets of the query: `{column: set}`."""
    return sum(all(row[column] in asked for column, asked in query.items()) for row in rows)


def count_generalized(rows, query, sensitive):
    """The expected count of published rows, whose cells are lists of equally likely values."""
    total = Fraction(0)
    for row in rows:
        share = Fraction(row[sensitive] in query[sensitive])
        for column, asked in query.items():
            if column != sensitive:
                share *= Fraction(sum(value in asked for value in row[column]), len(row[column]))
        total += share
    return total


def count_bucketized(groups, query, sensitive):
    """The expected count of groups of rows, when anybody of a group may have any of its values."""
    known = {column: asked for column, asked in query.items() if column != sensitive}
    total = Fraction(0)
    for rows in groups:
        for row in rows:
            for other in rows:
                hit = count_query([row], known) and other[sensitive] in query[sensitive]
                total += Fraction(int(hit), len(rows))
    return total


def most_correlated(truths, expected, n):
    """Positions of the n counts farthest above and below what was expected, by their ratio."""
    ratios = [Fraction(truth) / expect for truth, expect in zip(truths, expected, strict=True)]
    order = range(len(ratios))
    above = sorted((j for j in order if ratios[j] > 1), key=lambda j: (-ratios[j], j))
    below = sorted((j for j in order if ratios[j] < 1), key=lambda j: (ratios[j], j))
    return above[:n], below[:n]


# ---- What steps that were not taken give away (Wong 2009, section 5.1): world by world


def deals(values):
    """Every different order of the values of a group."""
    return set(itertools.permutations(values))


def posterior(cells, values, steps, broken):
    """Expected number of people with each value in each cell, over all weighted worlds.

    cells: the cell of every person; steps: ([(cells, values of others)], limit, weight).
    """
    people = range(len(cells))
    names = sorted(set(values))
    sums = {cell: dict.fromkeys(names, Fraction(0)) for cell in set(cells)}
    total = Fraction(0)
    for world in deals(values):
        weight = Fraction(1)
        for children, limit, missed in steps:
            n_broken = 0
            for inside, others in children:
                child = [world[i] for i in people if cells[i] in inside] + list(others)
                n_broken += len(child) if broken(child) else 0
            weight *= 1 if n_broken > limit else missed
        total += weight
        for i in people:
            sums[cells[i]][world[i]] += weight
    if not total:
        return None
    return {cell: {v: n / total for v, n in row.items()} for cell, row in sums.items()}


def minimality(people, steps, broken):
    """Credibility of every value for every combination, over all worlds of a whole table.

    people: dicts with "group" (None: suppressed), "q" (the original quasi-identifiers) and "s".
    steps: what a world is judged by: (children, limit), children lists of people's positions.
    Returns {q: {value: share}}, and whether the table itself is one of the worlds; None if none is.
    """
    groups = defaultdict(list)
    for i, person in enumerate(people):
        if person["group"] is not None:
            groups[person["group"]].append(i)
    orders = [deals([people[i]["s"] for i in members]) for members in groups.values()]
    dealt = [person["s"] for person in people]
    sums, total, classes = defaultdict(Counter), 0, Counter()
    for person in people:
        if person["group"] is not None:
            classes[person["q"]] += 1

    def kept(world):
        return all(
            sum(len(c) for c in children if broken([world[i] for i in c])) > limit
            for children, limit in steps
        )

    for choice in itertools.product(*orders):
        world = list(dealt)
        for members, order in zip(groups.values(), choice, strict=True):
            for i, value in zip(members, order, strict=True):
                world[i] = value
        if kept(world):
            total += 1
            for members in groups.values():
                for i in members:
                    sums[people[i]["q"]][world[i]] += 1
    if not total:
        return None, False
    found = {
        q: {value: Fraction(n, total * classes[q]) for value, n in row.items()}
        for q, row in sums.items()
    }
    return found, kept(dealt)


def group_shares(people):
    """What is believed of every combination by somebody who does not know the method."""
    return minimality(people, (), None)[0]


def full_domain_steps(people, paths, node, limit):
    """One column of the whole table one level down; paths: per column value -> its path up."""
    steps = []
    for column, level in enumerate(node):
        if level == 0:
            continue
        lower = [*node[:column], level - 1, *node[column + 1 :]]
        children = defaultdict(list)
        for i, person in enumerate(people):
            labels = [paths[c][v][lower[c]] for c, v in enumerate(person["q"])]
            children[tuple(labels)].append(i)
        steps.append((list(children.values()), limit))
    return steps


def region_steps(people, orders):
    """Every cut of every group between two values that somebody in it has, in every column."""
    steps = []
    for group in {person["group"] for person in people}:
        members = [i for i, person in enumerate(people) if person["group"] == group]
        for column, order in enumerate(orders):
            places = sorted({order.index(people[i]["q"][column]) for i in members})
            for last in places[:-1]:
                left = [i for i in members if order.index(people[i]["q"][column]) <= last]
                steps.append(([left, [i for i in members if i not in left]], 0))
    return steps


def _at_or_below(label, node, path_of):
    """Whether everything under a label is under a node."""
    return all(node in path for path in path_of.values() if label in path)


def cut_step_list(people, paths):
    """One node of one column replaced by its children, wherever it is published."""
    steps = []
    for column, path_of in enumerate(paths):
        nodes = {person["group"][column] for person in people}
        for node in nodes:
            children = defaultdict(list)
            for i, person in enumerate(people):
                if person["group"][column] == node:
                    path = path_of[person["q"][column]]
                    if path.index(node) > 0:
                        child = path[path.index(node) - 1]
                        labels = (*person["group"][:column], child, *person["group"][column + 1 :])
                        children[labels].append(i)
            if children:
                steps.append((list(children.values()), 0))
    return steps


def local_steps(people, paths):
    """One column of one group a level down, with everybody published inside a child's box."""
    steps = []
    for group in {person["group"] for person in people}:
        for column, path_of in enumerate(paths):
            children = []
            members = [i for i, person in enumerate(people) if person["group"] == group]
            inside = {}
            for i in members:
                path = path_of[people[i]["q"][column]]
                at = path.index(group[column])
                if at > 0:
                    inside.setdefault(path[at - 1], []).append(i)
            for child, own in inside.items():
                box = (*group[:column], child, *group[column + 1 :])
                below = [
                    i
                    for i, person in enumerate(people)
                    if person["group"] != group
                    and all(
                        _at_or_below(label, side, of)
                        for label, side, of in zip(person["group"], box, paths, strict=True)
                    )
                ]
                children.append(own + below)
            if children:
                steps.append((children, 0))
    return steps


# ---- What the way groups were formed gives away (Cormode 2010): every world of the whole table


def orders(values):
    """Every different order of some values, one after the other."""
    if not values:
        yield ()
    for value in sorted(set(values)):
        rest = list(values)
        rest.remove(value)
        yield from ((value, *others) for others in orders(rest))


class Tossed(dict):
    """Tosses by place; asking for one that was not made is an error that names the place."""

    def __missing__(self, place):
        raise LookupError(place)


def chance_of(happens, p):
    """Probability of tosses with which something happens; a toss is made when it is asked for."""
    total, open_ = Fraction(0), [Tossed()]
    while open_:
        tosses = open_.pop()
        try:
            happened = happens(tosses)
        except LookupError as wanted:
            (place,) = wanted.args
            open_ += [Tossed(tosses | {place: True}), Tossed(tosses | {place: False})]
            continue
        if happened:
            total += math.prod(p if goes_on else 1 - p for goes_on in tosses.values())
    return total


def chance_of_greedy(formed, unit, p=0):
    """Give the function from (keeps, world) to the chance that greedy grouping forms the groups."""

    def chance(keeps, world):
        def happens(tosses):
            safe = keeping(keeps, world)
            return greedy_grouping(list(range(len(world))), safe, unit, tosses)[0] == formed

        return chance_of(happens, p)

    return chance


def chance_of_halves(formed, least):
    """Do the same for even splits: 1 or 0."""

    def chance(keeps, world):
        safe = keeping(keeps, world)
        return Fraction(symmetric_grouping(list(range(len(world))), safe, least) == formed)

    return chance


def keeping(keeps, world):
    """Judge people by the values that they have in a world."""
    return lambda people: keeps(tuple(sorted(world[i] for i in people)))


def method_posterior(values, parts, keeps, chance):
    """Give the probability of every value for every position, over all worlds of the table.

    A world deals the values of each published part to its people; whoever is in none keeps his.
    It counts by the chance that the method forms the groups that it did.
    """
    total = Fraction(0)
    sums = {i: Counter() for part in parts for i in part}
    for dealt in itertools.product(*(list(orders([values[i] for i in part])) for part in parts)):
        world = list(values)
        for part, own in zip(parts, dealt, strict=True):
            for i, value in zip(part, own, strict=True):
                world[i] = value
        weight = chance(keeps, world)
        total += weight
        for i, row in sums.items():
            row[world[i]] += weight
    return {i: {v: Fraction(n) / total for v, n in row.items() if n} for i, row in sums.items()}


def chance_of_parts(names, n_different, n_people, parts):
    """Probability that Anatomy makes exactly these parts, over every turn and lot."""
    n, hits = 0, Fraction(0)
    wanted = sorted(sorted(part) for part in parts)
    many = math.lcm(*range(1, len(names) // n_different + 1))  # every choice of a group alike
    for turns in itertools.permutations(range(len(names))):
        n += 1

        def happens(lots, turns=turns):
            found = anatomy(names, n_different, n_people, lots, turns)
            return sorted(sorted(part) for part in found) == wanted

        hits += _over_lots(happens, many)
    return hits / n


def _over_lots(happens, many):
    """Share of lots, each below `many`, with which something happens."""
    total, open_ = Fraction(0), [((), Fraction(1))]
    while open_:
        lots, weight = open_.pop()
        try:
            happened = happens(_given(lots))
        except LookupError:
            open_ += [((*lots, lot), weight / many) for lot in range(many)]
            continue
        total += weight * happened
    return total


def _given(lots):
    yield from lots
    raise LookupError


# --------------------------------------------------------- a group that grew person by person


def beliefs_of_never_close(values, reference, t):
    """For every position of a group, the share of each value over all orders of the values.

    Only the orders count in which no proper beginning is within t of the reference, a dict
    `{value: people}`. None: there is no such order.
    """
    total = sum(reference.values())

    def close(beginning):
        distance = sum(
            abs(Fraction(beginning.count(v), len(beginning)) - Fraction(n, total))
            for v, n in reference.items()
        )
        return distance / 2 <= t

    orders = [
        order
        for order in itertools.permutations(values)
        if not any(close(order[:n]) for n in range(1, len(order)))
    ]
    if not orders:
        return None
    return [
        {v: Fraction(sum(order[i] == v for order in orders), len(orders)) for v in reference}
        for i in range(len(values))
    ]


# ---- How far a release's distribution is from the table's (Chen 2009, section 8.4)


def kl_divergence(cells, expected):
    """Sum of p log(p / p*), where the release expects as many people in every cell of the table.

    cells: one per person; expected: gives a Fraction for a cell.
    """
    total = 0.0
    for cell, n in Counter(cells).items():
        ratio = n / Fraction(expected(cell))
        total += n * (math.log(ratio.numerator) - math.log(ratio.denominator))
    return total / len(cells)


def mutual_information(pairs):
    """Sum over pairs that occur of p(x, s) log(p(x, s) / (p(x) p(s)))."""
    first, second = (Counter(each) for each in zip(*pairs, strict=True))
    total = 0.0
    for (x, s), n in Counter(pairs).items():
        total += n * math.log(Fraction(n * len(pairs), first[x] * second[s]))
    return total / len(pairs)


# ---- A pruned decision tree (Quinlan's C4.5), node by node


def at_most(errors, people, p):
    """Probability of at most so many errors among the people, when each errs with p."""
    return sum(math.comb(people, i) * p**i * (1 - p) ** (people - i) for i in range(errors + 1))


def leaves_after_pruning(tree, expected, tolerance):
    """Leaves of what is left: a tree is (name, left, right), or (name,) for a leaf.

    expected: the errors to expect of each name as a leaf. Returns the expected errors and a dict
    from every leaf of the grown tree to the name that answers for it.
    """
    name, *branches = tree
    if not branches:
        return expected[name], {name: name}
    below = [leaves_after_pruning(branch, expected, tolerance) for branch in branches]
    errors = sum(each for each, _ in below)
    leaves = {leaf: answer for _, found in below for leaf, answer in found.items()}
    if expected[name] <= errors + tolerance:
        return expected[name], dict.fromkeys(leaves, name)
    return errors, leaves


# ------------------------------------------------------------- (c,k)-safety: k implications


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


# ------------------------------------------- breach probability by the program of Chen 2009, A.3


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
                    v = _v(n, having, j - b, i - a, case)
                    alone.append(without[a, b] * v)
                    if (a, b) in with_t:
                        found.append(with_t[a, b] * v)
                    if having:
                        t = _t(n, having, others, i - a, case)
                        found.append(without[a, b] * t * _v(n, having, j - b, i - a + 1, case))
            new_without[i, j] = min(alone)
            if found:
                new_with[i, j] = min(found)
        without, with_t = new_without, new_with
    return 1 / (1 + with_t[k, m]) if with_t else Fraction(0)


def _t(n, having, others, k, case):
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


def _v(n, having, m, k, case):
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


# ----------------------------------------------------- SkylineAnonymize (Chen 2009, figure 4)
# A row is (quasi-identifiers ..., values): the last is a tuple of all that the person has. A
# dimension is as for Mondrian. A requirement is (value, l, k, m, c).


def skyline_anonymize(
    rows, dimensions, requirements, case, priority, also=lambda rows: True, gain_of=-1
):
    """Regions, as lists of rows. Every release on the way is judged as a whole, in fractions."""
    done, queue = [], [rows]
    while queue:
        region = queue.pop(0)
        for left, right in splits_by_priority(region, dimensions, priority, gain_of):
            release = [*done, *queue, left, right]
            if also(left) and also(right) and withstands(release, requirements, case):
                queue += [left, right]
                break
        else:
            done.append(region)
    return done


def splits_by_priority(region, dimensions, priority, gain_of=-1):
    """Every way to cut a region in two between values that occur in it, the best first."""
    found = []
    for column, (rank, place, labels) in enumerate(dimensions):
        values = sorted({row[column] for row in region}, key=rank.get)
        width = Fraction(place[values[-1]] - place[values[0]]) if values else 0
        whole = Fraction(max(place.values()) - min(place.values())) or 1
        for last, following in itertools.pairwise(values):
            left = [row for row in region if rank[row[column]] <= rank[last]]
            right = [row for row in region if rank[row[column]] > rank[last]]
            level = meeting_level(labels[last], labels[following]) if labels else 0
            middle = abs(place[last] + place[following] - place[values[0]] - place[values[-1]])
            key = {
                "gain": (entropies(left, right, gain_of),),
                "median": (-width / whole, column, -level, abs(len(left) - len(right))),
                "widest": (-width / whole, column, middle),
            }[priority]
            found.append(((*key, column, rank[last]), left, right))
    return [sides for _, *sides in sorted(found, key=lambda each: each[0])]


def entropies(left, right, column):
    """2 to the power of n_l H_l + n_r H_r, which is smaller where more is gained about a column."""
    product = Fraction(1)
    for side in (left, right):
        cells = [row[column] for row in side]
        occurring = [v for cell in cells for v in (cell if isinstance(cell, tuple) else [cell])]
        product *= len(occurring) ** len(occurring)
        for n in Counter(occurring).values():
            product /= n**n
    return product


def withstands(release, requirements, case):
    """Whether every breach probability stays below its confidence."""
    groups = tuple(
        (len(region), tuple(sorted(Counter(v for row in region for v in row[-1]).items())))
        for region in release
    )
    return all(chen_breach(groups, value, l, k, m, case) < c for value, l, k, m, c in requirements)


def chen_breach(groups, value, l, k, m, case):
    """Theorem 2 and the formulas of 7.1; groups: ((n, ((value, occurrences), ...)), ...)."""
    ratios = []
    for n, counts in groups:
        if value in dict(counts):
            with_others = chen_t(n, counts, value, l, k, case)
            ratios.append(with_others * chen_v(n, counts, value, m, k + 1, case))
            alone = chen_t(n, counts, value, l, 0, case)
            ratios += [alone * chen_v(*other, value, m, k, case) for other in groups]
            ratios += [with_others * chen_v(*other, value, m, 0, case) for other in groups]
    return 1 / (min(ratios) + 1) if ratios else 0


@functools.cache
def chen_t(n, counts, value, l, k, case):
    having = dict(counts)[value]
    others = sorted((c for v, c in counts if v != value), reverse=True)[:l]
    return _t(n, having, others, k, case)


@functools.cache
def chen_v(n, counts, value, m, k, case):
    return _v(n, dict(counts).get(value, 0), m, k, case)


# ------------------------------------------------- people with any number of sensitive values


def people_of(rows, person, known, value):
    """Put rows, one for each value of a person, together: `{person: (known values, Counter)}`.

    `rows` is a list of dicts; a missing value is none.
    """
    found = {}
    for row in rows:
        same = tuple(row[name] for name in known)
        assert found.setdefault(row[person], (same, Counter()))[0] == same
        if row[value] is not None:
            found[row[person]][1][row[value]] += 1
    return found


def sets_counted(people):
    """Count whole sets: `{(known values, sorted values with their repetitions): people}`."""
    return Counter((known, tuple(sorted(values.elements()))) for known, values in people)


def occurrences_counted(people):
    """Count people and single values by what is known: `{known values: (people, Counter)}`."""
    found = {}
    for known, values in people:
        n, occurring = found.get(known, (0, Counter()))
        found[known] = (n + 1, occurring + values)
    return found


# ------------------------------------------------------- background knowledge (Chen 2009)
#
# A release is `[(people, {value: occurrences}), ...]`, a person `(group, member)`. A world says who
# has what. What is true in which worlds is a whole number whose bits are the worlds.


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


# --------------------------------------- uncertain knowledge, and families that share the value


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


# ------------------------------------------------- several releases (Fung 2008): every history
# A published record is (the set of raw values it can stand for, sensitive value); the value None
# is that of a suppressed row, which can have any. A release is a list of records.


def generators(first, second):
    """Every choice of buddies: lists of (record of the first, record of the second, raw value).

    Equal records of the second are taken in their order, since nobody can tell them apart.
    """

    def choose(j, used):
        if j == len(first):
            yield []
            return
        raws, value = first[j]
        tried = []
        for m, (other_raws, other_value) in enumerate(second):
            if m in used or (other_raws, other_value) in tried:
                continue
            if None in {value, other_value} or value == other_value:
                tried.append((other_raws, other_value))
                for rest in choose(j + 1, used | {m}):
                    for raw in raws & other_raws:
                        yield [(j, m, raw), *rest]

    return choose(0, frozenset())


def cracks(first, second):
    """What is left of every group for every raw value, and of groups for who comes later.

    Returns three dicts: `{(group of the first, raw): most records that are buddies with that raw
    value}`, the same for groups of the second, and `{group of the second: fewest buddies}`.
    """
    forward, cross, backward = Counter(), Counter(), {}
    possible = False
    for buddies in generators(first, second):
        possible = True
        here = Counter((first[j], raw) for j, _, raw in buddies)
        there = Counter((second[m], raw) for _, m, raw in buddies)
        older = Counter(second[m] for _, m, _ in buddies)
        for most, now in ((forward, here), (cross, there)):
            for key, n in now.items():
                most[key] = max(most[key], n)
        for group in set(second):
            backward[group] = min(backward.get(group, older[group]), older[group])
    return (forward, cross, backward) if possible else None


def bcf(first, second):
    """F-, C- and B-anonymity by all choices of buddies; None: there is none."""
    found = cracks(first, second)
    if found is None:
        return None
    forward, cross, backward = found
    covered = [set().union(*(raws for raws, _ in release)) for release in (first, second)]
    targets = covered[0] & covered[1]

    def fewest(release, left):
        """Without any target the classes stay whole."""
        whole = min(groups.total() for groups in _groups_by_class(release))
        counts = [
            sum(left[group, p] for group in groups)
            for groups in _groups_by_class(release)
            for p in next(iter(groups))[0] & targets
        ]
        return min(counts, default=whole)

    ba = min(
        sum(n - backward[group] for group, n in groups.items())
        for groups in _groups_by_class(second)
    )
    return fewest(first, forward), fewest(second, cross), ba


def _groups_by_class(release):
    """The groups of every published class, with their sizes; suppressed rows are no class."""
    classes = {}
    for raws, value in release:
        if value is not None:
            classes.setdefault(raws, Counter())[raws, value] += 1
    return classes.values()


def candidates_left(releases):
    """For every time `{raw: n}`: over the values, the most people that can have come then."""
    values = {value for release in releases for _, value in release} - {None}
    hidden = any(value is None for release in releases for _, value in release)
    left = [Counter() for _ in releases]
    for some in [values] if hidden else [{value} for value in values]:
        parts = [[r for r in release if r[1] in some or r[1] is None] for release in releases]
        most = Counter()
        for history in histories(parts, some):
            for person, n in Counter(history).items():
                most[person] = max(most[person], n)
        for (raw, _, time), n in most.items():
            left[time][raw] += n
    return left


def histories(releases, values):
    """Every multiset of people (raw, value, time of coming) whose recodings give the releases."""
    times = range(len(releases))
    choices = []
    for (raws, value), n in Counter(releases[-1]).items():
        people = itertools.product(
            sorted(raws), sorted(values) if value is None else [value], times
        )
        choices.append(list(itertools.combinations_with_replacement(sorted(people), n)))
    known = [{} for _ in releases]
    for choice in itertools.product(*choices):
        people = [person for chosen in choice for person in chosen]
        for j, release in enumerate(releases[:-1]):
            so_far = tuple(sorted((raw, value) for raw, value, time in people if time <= j))
            if so_far not in known[j]:
                known[j][so_far] = _publishable(so_far, release)
            if not known[j][so_far]:
                break
        else:
            yield people


def _publishable(people, release):
    """Whether the people, each once, can be what the records stand for."""
    if len(people) != len(release):
        return False
    if not people:
        return True
    (raw, value), *rest = people
    return any(
        raw in raws and own in {value, None} and _publishable(rest, release[:j] + release[j + 1 :])
        for j, (raws, own) in enumerate(release)
    )


# ------------------------------------------ the next release of a growing table (Fung 2008, 5)


def bcf_cut(rows, hierarchies, safe, score, columns=None):
    """The cuts, when the best safe replacement is made until none is; None: no start is safe.

    safe: asked of a release, as a list of records (see `generators`).
    columns: those that may be replaced at all; None: all.
    """
    cuts = [[tuple(labels[0] for labels in each)] for each in hierarchies]
    if not safe(records_under(rows, cuts)):
        return None
    while True:
        options = []
        for j, hierarchy in enumerate(hierarchies):
            for node in cuts[j]:
                children = children_of(hierarchy, node)
                rank = [labels[0] for labels in hierarchy].index(node[0])
                if columns is not None and j not in columns:
                    continue
                if children and any(row[j] in node for row in rows):
                    worth = score(rows, cuts, hierarchies, j, node, children)
                    options.append((-worth, j, rank, node, children))
        for _, j, _, node, children in sorted(options):
            after = list(cuts)
            after[j] = [each for each in cuts[j] if each != node] + children
            if safe(records_under(rows, after)):
                cuts = after
                break
        else:
            return cuts


def records_under(rows, cuts):
    """A cut as published records: the raw values that each can stand for, and its value."""
    return [
        (frozenset(itertools.product(*nodes)), row[-1])
        for nodes, group in published_under(rows, cuts).items()
        for row in group
    ]


def by_discernibility(rows, cuts, hierarchies, j, node, children):
    """Squared sizes of the classes that have the node."""
    groups = published_under(rows, cuts)
    return sum(len(group) ** 2 for nodes, group in groups.items() if nodes[j] == node)


def by_loss(rows, cuts, hierarchies, j, node, children):
    """Information loss that the children save."""
    return sum(
        Fraction(len(node) - len(child), base(hierarchies[j]) - 1)
        for row in rows
        for child in children
        if row[j] in child
    )


def left_by_value(first, second):
    """What the three attacks leave of a class, for every sort of target: `{value: n}` each.

    Nobody can be looked for by having come later where nobody did.
    """
    forward, cross, backward = cracks(first, second)
    targets = set.intersection(*(set().union(*(r for r, _ in each)) for each in (first, second)))
    for release, left in ((first, forward), (second, cross)):
        for groups in _groups_by_class(release):
            for p in next(iter(groups))[0] & targets:
                yield {group[1]: left[group, p] for group in groups}
    if len(second) > len(first):
        for groups in _groups_by_class(second):
            yield {group[1]: n - backward[group] for group, n in groups.items()}


def bcf_safe(previous, release, k, criterion=lambda group: True):
    """Whether classes, and what every earlier release leaves of them, have k records and hold."""
    kept = [{g[1]: n for g, n in groups.items()} for groups in _groups_by_class(release)]
    kept += [left for first in previous for left in left_by_value(first, release)]
    return all(
        sum(left.values()) >= k and criterion([(v,) for v, n in left.items() for _ in range(n)])
        for left in kept
    )


def series_safe(releases, k):
    """Whether everybody keeps k records in all releases, whenever he came with others."""
    left = candidates_left(releases)
    covered = [set().union(*(raws for raws, _ in release)) for release in releases]
    sizes = [0, *map(len, releases)]
    return all(
        left[time][raw] >= k
        for time in range(len(releases))
        if sizes[time + 1] > sizes[time]
        for raw in set.intersection(*covered[time:])
    )


def published_sizes(release):
    """The records of every class."""
    classes = {}
    for record in release:
        classes.setdefault(record[0], []).append(record)
    return classes.values()


# ------------------------------ a release beside the earlier ones: the attack on published files


def fewest_left_to_anybody(releases):
    """Fewest records left to somebody who can be there, with each earlier release and with all.

    Somebody to whom none is left is nobody's neighbour: no choice of buddies has such a person.
    """
    *previous, last = releases
    counts = []
    for first in previous:
        forward, cross, backward = cracks(first, last)
        for release, left in ((first, forward), (last, cross)):
            for groups in _groups_by_class(release):
                raws = next(iter(groups))[0]
                counts += [sum(left[group, raw] for group in groups) for raw in raws]
        if len(first) < len(last):
            for groups in _groups_by_class(last):
                counts.append(sum(n - backward[group] for group, n in groups.items()))
    if len(previous) > 1:
        sizes = [0, *map(len, releases)]
        for time, left in enumerate(candidates_left(releases)):
            counts += left.values() if sizes[time + 1] > sizes[time] else ()
    return min(n for n in counts if n)


def by_membership(releases):
    """Keep one raw value of all that are in the same records: nobody can tell them apart."""
    every = sorted({raw for release in releases for raws, _ in release for raw in raws})
    kept = {}
    for raw in every:
        kept.setdefault(tuple(raw in raws for release in releases for raws, _ in release), raw)
    chosen = frozenset(kept.values())
    return [[(raws & chosen, value) for raws, value in release] for release in releases]


# ------------------------------------ two cuts, class by class (Fung 2008, theorems 4.2 to 4.4)


def left_between_cuts(first, second, trees):
    """Records that the forward, the cross and the backward attack leave, one number per target.

    A release is a list of (labels, value); trees are `{child: parent}`. A class of the second
    release that no class of the first is comparable to has no target of the cross attack.
    """
    ones, twos = ({}, {})
    for classes, release in ((ones, first), (twos, second)):
        for labels, value in release:
            classes.setdefault(labels, Counter())[value] += 1

    @functools.cache
    def path(j, label):
        return {label} | (path(j, trees[j][label]) if label in trees[j] else set())

    def comparable(one, two):
        return all(
            a in path(j, b) or b in path(j, a)
            for j, (a, b) in enumerate(zip(one, two, strict=True))
        )

    pairs = [(one, two) for one in ones for two in twos if comparable(one, two)]
    met = [sum((ones[one] & twos[two]).values()) for one, two in pairs]
    backward = []
    for two, groups in twos.items():
        left = 0
        for value, n in groups.items():
            mine = {one for one, other in pairs if other == two and ones[one][value]}
            theirs = {other for one, other in pairs if one in mine}
            older = sum(ones[one][value] for one in mine)
            others = sum(twos[other][value] for other in theirs) - n
            left += n - max(0, older - others) if mine else n
        backward.append(left)
    return met, met, backward


# ------------------------- many releases of disjoint classes: tables instead of whole histories


def most_who_came(releases):
    """For every time `{(raw, value): n}`, the most people that can have come then.

    By all tables of people that each release can be of, and which of them can follow which: so more
    releases are possible than for `candidates_left`.
    """
    values = {value for release in releases for _, value in release}
    most = [Counter() for _ in releases]
    for value in values:
        parts = [[raws for raws, own in release if own == value] for release in releases]
        tables = [_tables(part) for part in parts]
        reached = [tables[0]]
        for following in tables[1:]:
            reached.append([two for two in following if any(one <= two for one in reached[-1])])
        goes_on = [tables[-1]]
        for before in tables[-2::-1]:
            goes_on.insert(0, [one for one in before if any(one <= two for two in goes_on[0])])
        for time, now in enumerate(goes_on):
            for one, two in itertools.product(reached[time - 1] if time else [Counter()], now):
                if one <= two:
                    for raw, n in (two - one).items():
                        most[time][raw, value] = max(most[time][raw, value], n)
    return most


def _tables(records):
    """Every table of raw values that records can be of, each once."""
    choices = [
        itertools.combinations_with_replacement(sorted(raws), n)
        for raws, n in Counter(records).items()
    ]
    return [Counter(itertools.chain(*each)) for each in itertools.product(*choices)]
