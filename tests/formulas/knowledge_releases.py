"""Small releases in the paper's abstract form, by seed."""

import math


def release(random, case, people=6, values="ABCD"):
    """Groups `(people, {value: occurrences})` of which all worlds can be listed."""
    while True:
        total = random.randint(1, people)
        sizes = [1] * min(random.randint(1, 3), total)
        for _ in range(total - len(sizes)):
            sizes[random.randrange(len(sizes))] += 1
        known = values[: random.randint(1, len(values))]
        groups = [(n, _counts(random, n, known, case)) for n in sizes]
        if any(counts for _, counts in groups) and _n_worlds(groups, case) <= 2000:
            return groups


def values_of(groups):
    """The values that occur."""
    return sorted({value for _, counts in groups for value in counts})


def _counts(random, n, values, case):
    if case == "single":
        cards = [random.choice(values) for _ in range(n)]
        return {value: cards.count(value) for value in sorted(set(cards))}
    most = n if case == "set" else 3
    counts = {value: random.randint(0, most) for value in values}
    return {value: count for value, count in counts.items() if count}


def _n_worlds(groups, case):
    ways = 1
    for n, counts in groups:
        if case == "multiset":
            ways *= n ** sum(counts.values())
        elif case == "set":
            ways *= math.prod(math.comb(n, count) for count in counts.values())
        else:
            ways *= math.factorial(n) // math.prod(map(math.factorial, counts.values()))
    return ways
