"""Grouping methods (Cormode 2010)."""

import itertools


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
