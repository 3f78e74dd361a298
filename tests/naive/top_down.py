"""Top-down specialization.

A node is the tuple of its ground values, in the order of the hierarchy.
"""

import hashlib
from fractions import Fraction
from itertools import islice

from naive.hierarchies import base


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


def top_down_local(people, hierarchies, criterion, least, by_value, secret, at_once, part):
    """The published groups `[(nodes, [person, ...])]` of Wong's top-down algorithm.

    people: rows that end with a number for the value, the value, and a number of their own by which
    they are sorted by combination; least: the size that
    the criterion asks for; secret: what the lots of every group follow from; at_once: how many are
    drawn to begin with; part: whether a part of an unsafe child is kept.
    """
    roots = tuple(tuple(labels[0] for labels in each) for each in hierarchies)
    waiting, final = [(roots, people)], []
    while waiting:
        nodes, group = waiting.pop(0)
        draw = stream(secret, nodes, hierarchies)
        tries = [
            _specialized(group, j, children_of(each, nodes[j]), criterion, least, part)
            for j, each in enumerate(hierarchies)
        ]
        while True:
            most = max(each["n"] for each in tries)
            column = next(j for j, each in enumerate(tries) if each["n"] == most)
            best = tries[column]
            if best["exact"]:
                break
            rest, parts = best["rest"], {}
            for child, members in best["parted"].items():
                parts[child] = kept_part(members, criterion, by_value, draw)
                rest = [person for person in rest if person not in parts[child]]
            back = []
            if not criterion(rest):
                back = people_back(best["safe"], parts, rest, criterion, by_value, draw, at_once)
            staying = rest + back
            n = len(group) - len(staying)
            assert n <= best["n"]
            best.update(n=n, exact=True, staying=staying, lots=True)
        if not best["n"]:
            final.append((nodes, group))
            continue
        children = children_of(hierarchies[column], nodes[column])
        staying = best["staying"]
        if best["lots"]:
            staying = who_stays(group, staying, column, children, by_value, draw, at_once)
        if staying:
            final.append((nodes, staying))
        for child in children:
            kept = [person for person in group if person[column] in child]
            kept = [person for person in kept if person not in staying]
            if kept:
                waiting.append(((*nodes[:column], child, *nodes[column + 1 :]), kept))
    return final


def who_stays(group, staying, column, children, by_value, draw, at_once):
    """Of each kind (a child and a value) as many as stay, who are drawn among all of the kind."""

    def kind(person):
        child = next(j for j, each in enumerate(children) if person[column] in each)
        return (child, person[-3] if by_value else None)

    same = {}
    for person in sorted(group, key=lambda person: (kind(person)[0], *in_line(person))):
        same.setdefault(kind(person), []).append(person)
    chosen = []
    for each, members in same.items():
        n = sum(kind(person) == each for person in staying)
        if n in (0, len(members)):
            chosen += members[:n]
        else:
            places = lots_from(draw, len(members), at_once)
            chosen += [members[place] for place in islice(places, n)]
    return chosen


def in_line(person):
    """People stand by their values and numbers."""
    return person[-3], person[-1]


def stream(secret, nodes, hierarchies):
    """The chances of a group: what is asked n-th follows from the secret, its box, and n."""
    box = b""
    for node, hierarchy in zip(nodes, hierarchies, strict=True):
        ground = [labels[0] for labels in hierarchy]
        for end in (node[0], node[-1]):
            box += ground.index(end).to_bytes(4, "little")
    n_asked = 0

    def draw(n):
        nonlocal n_asked
        n_asked += 1
        return hashlib.shake_256(secret + box + n_asked.to_bytes(8, "big")).digest(n)

    return draw


def _specialized(group, j, children, criterion, least, part):
    """One column one level down: the safe children, the rest, and how many can go down at most."""
    parts = {child: [person for person in group if person[j] in child] for child in children}
    safe = {child: members for child, members in parts.items() if members and criterion(members)}
    rest = [person for child in parts if child not in safe for person in parts[child]]
    sizes = [len(members) for members in safe.values()]
    parted = {
        child: members
        for child, members in parts.items()
        if part and child not in safe and len(members) > least
    }
    if parted:
        staying = len(rest) - sum(len(members) - 1 for members in parted.values())
        n = max(0, len(group) - max(staying, least))
        known = {"safe": safe, "rest": rest, "parted": parted, "staying": rest, "lots": False}
        return known | {"n": n, "exact": n == 0}
    known = {"safe": safe, "rest": rest, "parted": {}, "staying": rest, "lots": False}
    if not sizes or not rest or criterion(rest):
        return known | {"n": sum(sizes), "exact": True}
    needed = max(1, least - len(rest))
    if needed > sum(size - least for size in sizes):
        needed = max(needed, min(sizes))
    n = max(0, sum(sizes) - needed)
    return known | {"n": n, "exact": n == 0}


def kept_part(members, criterion, by_value, draw):
    """Who stays in an unsafe child: one value gives its first people, or lots say who leaves."""
    line = sorted(members, key=in_line)
    drawn = [line[place] for place in order_from(draw, len(line))]
    value_of = {person: person[-2] if by_value else None for person in drawn}
    values = list(dict.fromkeys(value_of.values()))
    same = {value: [person for person in drawn if value_of[person] == value] for value in values}
    for n in range(1, len(drawn)):
        for value in values:
            left = [person for person in drawn if person not in same[value][:n]]
            if n <= len(same[value]) and criterion(left):
                return left
    n_left = dict.fromkeys(values, 0)
    for n in range(1, len(drawn)):
        if criterion(drawn[n:]):
            n_left = {value: [value_of[p] for p in drawn[n:]].count(value) for value in values}
            break

    def staying(numbers):
        return [
            person
            for value in values
            for person in same[value][len(same[value]) - numbers[value] :]
        ]

    turn = n_asked = 0  # since somebody went home
    while n_asked < len(values):
        value = values[turn % len(values)]
        turn, n_asked = turn + 1, n_asked + 1
        for more in range(len(same[value]), n_left[value], -1):
            after = n_left | {value: more}
            if criterion(staying(after)):
                n_left, n_asked = after, 0
                break
    return staying(n_left)


def people_back(whole, parts, rest, criterion, by_value, draw, at_once):
    """Who of the safe children goes back to an unsafe rest, one lot after the other.

    Of parts of unsafe children people are drawn when nobody else is left.
    """
    safe = whole | parts
    child_of = {person: child for child, members in safe.items() for person in members}
    lines = [
        [p for child in turn for p in sorted(safe[child], key=in_line)] for turn in (whole, parts)
    ]
    drawn = {child: [] for child in safe}
    gone = {child: [] for child in safe}
    order = []
    for person in _drawn(lines, draw, at_once):
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


def _drawn(lines, draw, at_once):
    for line in lines:
        yield from (line[place] for place in (lots_from(draw, len(line), at_once) if line else ()))


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


def order_from(draw, n):
    """0 to n - 1, sorted by numbers drawn."""
    return [place for _, place in sorted(zip(_numbers(draw, n), range(n), strict=True))]


def _numbers(draw, n):
    drawn = draw(8 * n)
    return [int.from_bytes(drawn[8 * j : 8 * j + 8], "little") for j in range(n)]
