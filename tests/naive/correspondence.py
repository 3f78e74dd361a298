"""Several releases (Fung 2008): every history.

A published record is (the set of raw values it can stand for, sensitive value); the value None is
that of a suppressed row, which can have any. A release is a list of records.
"""

import functools
import itertools
from collections import Counter


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
