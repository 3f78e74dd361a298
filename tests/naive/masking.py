"""MASK (Wong 2009, algorithm 1) person by person: all worlds, all lots, everything published.

A world gives everybody a value; 0 is the sensitive one. An output is the published histogram of
every group, or None for a refusal. Nothing is aggregated before it has been listed.
"""

import itertools
import math
from collections import Counter, defaultdict
from fractions import Fraction


def published(groups, l, reference, replacement, n_values):
    """Give the outputs of one world, `groups` lists of values, with their probabilities."""
    violating = [i for i, people in enumerate(groups) if l * people.count(0) > len(people)]
    if not violating:
        return {_histograms(groups, n_values): Fraction(1)}
    others = [people for i, people in enumerate(groups) if i not in violating]
    u = math.ceil((l - 1) * len(violating)) if reference == "paper" else 1
    if len(others) < u:
        return {None: Fraction(1)}
    share = [Fraction(people.count(0), len(people)) for people in others]
    drawn_from = sorted(range(len(others)), key=lambda i: (-share[i], i))[:u]
    table = [value for people in groups for value in people if value]
    changed = []
    for i in violating:
        ways = defaultdict(Fraction)
        sensitive = [j for j, value in enumerate(groups[i]) if not value]
        own = [value for value in groups[i] if value]
        source = own if replacement == "group" and own else table
        for lot in drawn_from:
            n_changed = len(sensitive) - math.floor(share[lot] * len(groups[i]))
            choices = list(itertools.combinations(sensitive, n_changed))
            news = list(itertools.product(source, repeat=n_changed))
            for who, new in itertools.product(choices, news):
                people = list(groups[i])
                for j, value in zip(who, new, strict=True):
                    people[j] = value
                ways[tuple(people)] += Fraction(1, u * len(choices) * len(news))
        changed.append(ways)
    outputs = defaultdict(Fraction)
    for lots in itertools.product(*(ways.items() for ways in changed)):
        after = list(groups)
        for i, (people, _) in zip(violating, lots, strict=True):
            after[i] = people
        outputs[_histograms(after, n_values)] += math.prod(chance for _, chance in lots)
    return outputs


def drawn(groups, draws, unpublished, shares, n_values):
    """Give the outputs of one world where what is drawn is public: `draws` by size of the group.

    Of groups in `unpublished` nothing is seen. New values are drawn with the given shares.
    """
    ways = []
    for i, people in enumerate(groups):
        if i in unpublished:
            ways.append({(0,) * n_values: Fraction(1)})
            continue
        sensitive = [j for j, value in enumerate(people) if not value]
        seen = defaultdict(Fraction)
        for left, chance in draws[len(people)][len(sensitive)].items():
            choices = list(itertools.combinations(sensitive, len(sensitive) - left))
            for who in choices:
                for new in itertools.product(range(1, n_values), repeat=len(who)):
                    after = list(people)
                    for j, value in zip(who, new, strict=True):
                        after[j] = value
                    likely = math.prod(shares[value - 1] for value in new)
                    (histogram,) = _histograms([after], n_values)
                    seen[histogram] += chance * likely / len(choices)
        ways.append(seen)
    outputs = defaultdict(Fraction)
    for lots in itertools.product(*(seen.items() for seen in ways)):
        output = tuple(histogram for histogram, _ in lots)
        outputs[output] += math.prod(chance for _, chance in lots)
    return outputs


def beliefs(sizes, l, p0, shares, reference="paper", replacement="table", total=None, look=None):
    """Give for every output of MASK how likely the first person of each group is sensitive."""

    def publish(groups):
        return published(groups, l, reference, replacement, 1 + len(shares))

    return learned(sizes, p0, shares, publish, total, look)


def learned(sizes, p0, shares, publish, total=None, look=None):
    """Give the same for every output of any mechanism, and for what is seen of it with `look`."""
    chances = [p0, *((1 - p0) * q for q in shares)]
    ends = list(itertools.accumulate(sizes))
    weights = defaultdict(Fraction)
    sensitive = defaultdict(lambda: [Fraction(0)] * len(sizes))
    for world in itertools.product(range(len(chances)), repeat=sum(sizes)):
        if total is not None and world.count(0) != total:
            continue
        weight = math.prod(chances[value] for value in world)
        groups = [world[end - size : end] for size, end in zip(sizes, ends, strict=True)]
        for output, chance in publish(groups).items():
            seen = output if look is None else look(output)
            weights[seen] += weight * chance
            first = [Fraction(people[0] == 0) for people in groups]
            sensitive[seen] = [
                a + weight * chance * b for a, b in zip(sensitive[seen], first, strict=True)
            ]
    return {seen: [n / weights[seen] for n in sensitive[seen]] for seen in weights}


def pooled(output):
    """See the numbers of sensitive people alone."""
    return output if output is None else tuple(histogram[0] for histogram in output)


def _histograms(groups, n_values):
    counts = map(Counter, groups)
    return tuple(tuple(count[value] for value in range(n_values)) for count in counts)
