"""What steps that were not taken give away (Wong 2009), world by world.

Worlds deal sensitive values out to people; None: there is no world that breaks the rule.
"""

import itertools
import math
from collections import Counter, defaultdict
from fractions import Fraction


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
    """One column of one group a level down, with everybody published inside a child's box.

    Where somebody is published inside the group's box, people went down along one column, and of
    that alone some child was not safe: one of those along which each group below is in one child.
    """
    steps = []
    for group in {person["group"] for person in people}:
        others = {p["group"] for p in people if p["group"] != group}
        below = [each for each in others if _inside(each, group, paths)]
        members = [i for i, person in enumerate(people) if person["group"] == group]
        tried = []
        for column, path_of in enumerate(paths):
            paths_down = {i: path_of[people[i]["q"][column]] for i in members}
            children_of = {
                path[path.index(group[column]) - 1]
                for path in path_of.values()
                if group[column] in path and path.index(group[column]) > 0
            }
            if not children_of:
                continue
            boxes = {child: (*group[:column], child, *group[column + 1 :]) for child in children_of}
            if not all(any(_inside(g, box, paths) for box in boxes.values()) for g in below):
                continue
            children = []
            for child, box in boxes.items():
                own = [i for i in members if child in paths_down[i]]
                if own:
                    under = [
                        i
                        for i, person in enumerate(people)
                        if person["group"] in below and _inside(person["group"], box, paths)
                    ]
                    children.append(own + under)
            tried.append(children)
        if below and tried:
            steps.append(([child for children in tried for child in children], 0))
        else:
            steps += [(children, 0) for children in tried]
    return steps


def _inside(group, box, paths):
    return all(_at_or_below(*each) for each in zip(group, box, paths, strict=True))


def over_all_that_fit(raw, groups, fits, steps_of, broken, everybody=True):
    """Credibilities where it is not known who is in which group: all that fits, person by person.

    raw: everybody's quasi-identifiers. groups: {label: values}. fits: whether somebody may be in a
    group. steps_of: the steps of people with groups. Returns {q: {value: share}}: of all people of
    a kind (everybody), or of those in a group; None if no world is left.
    """
    sums, total, inside = defaultdict(Counter), 0, Counter()
    places = [[None, *(label for label in groups if fits(q, label))] for q in raw]
    for choice in itertools.product(*places):
        if any(choice.count(label) != len(values) for label, values in groups.items()):
            continue
        found, n = _of_choice(raw, groups, choice, steps_of, broken)
        total += n
        for q, row in found.items():
            sums[q].update(row)
            inside[q] += n * sum(c is not None for p, c in zip(raw, choice, strict=True) if p == q)
    if not total:
        return None
    return {
        q: {
            v: Fraction(n, total * raw.count(q) if everybody else inside[q]) for v, n in row.items()
        }
        for q, row in sums.items()
    }


def _of_choice(raw, groups, choice, steps_of, broken):
    """Count the people with each value over all worlds that are left, and these worlds."""
    people = [{"q": q, "group": c} for q, c in zip(raw, choice, strict=True) if c is not None]
    steps = steps_of(people)
    places = [[i for i, p in enumerate(people) if p["group"] == label] for label in groups]
    sums, total = defaultdict(Counter), 0
    for orders in itertools.product(*(deals(values) for values in groups.values())):
        world = [None] * len(people)
        for members, order in zip(places, orders, strict=True):
            for i, value in zip(members, order, strict=True):
                world[i] = value
        if all(
            sum(len(c) for c in children if broken([world[i] for i in c])) > limit
            for children, limit in steps
        ):
            total += 1
            for person, value in zip(people, world, strict=True):
                sums[person["q"]][value] += 1
    return sums, total


def counted_worlds(cells, values, steps, broken):
    """Worlds in which every step breaks, and over all of them the people with each value by cell.

    cells: per group the cell of everybody; values: per group everybody's, in any order; steps:
    lists of children, (cells, values of others).
    """
    of_person = [cell for group in cells for cell in group]
    n_worlds, sums = 0, defaultdict(Counter)
    for orders in itertools.product(*map(deals, values)):
        dealt = [value for order in orders for value in order]
        has = list(zip(of_person, dealt, strict=True))
        if all(
            any(broken([v for c, v in has if c in own] + others) for own, others in children)
            for children in steps
        ):
            n_worlds += 1
            for cell, value in has:
                sums[cell][value] += 1
    return n_worlds, sums
