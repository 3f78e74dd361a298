"""The mechanism attack by running the method on every world, person by person."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.algorithms.lots import every_outcome
from sfumato.criteria.judging import validate
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import SUPPRESSED

ANOTHER = "another value"


def shown(recoding, frequencies):
    """Give the values in every published box, and those of suppressed people."""
    placed = recoding.placement(frequencies)
    if placed.frequencies.sensitive:
        keys = [
            (key, box, n) for key, box, n in zip(placed.key, placed.box, placed.people, strict=True)
        ]
    else:  # whole combinations: their people take their values along
        box_of = dict(zip(placed.key.tolist(), placed.box.tolist(), strict=True))
        of = frequencies.combination_of.tolist()
        keys = [(key, box_of[of[key]], n) for key, n in enumerate(frequencies.counts)]
    boxes, out = Counter(), Counter()
    for key, box, n in keys:
        values = tuple(_label(frequencies, name, key) for name in frequencies.sensitive)
        if box == SUPPRESSED:
            out[values] += int(n)
            continue
        sides = tuple(
            tuple(frequencies.domains[name].labels[low : high + 1])
            for name, (low, high) in zip(
                frequencies.quasi_identifiers, placed.boxes[box].tolist(), strict=True
            )
        )
        boxes[sides, values] += int(n)
    return boxes, out


def shown_in_two_tables(recoding, frequencies):
    """Give the values of every group, named by its people and values, and those suppressed.

    recoding: its boxes are the groups, and are not published.
    """
    placed = recoding.placement(frequencies)
    whole = not placed.frequencies.sensitive
    box_of = dict(zip(placed.key.tolist(), placed.box.tolist(), strict=True))
    of = frequencies.combination_of.tolist()
    keys = (
        [(key, box_of[of[key]], n) for key, n in enumerate(frequencies.counts)]
        if whole
        else zip(placed.key, placed.box, placed.people, strict=True)
    )
    groups, out = {}, Counter()
    for key, box, n in keys:
        values = tuple(_label(frequencies, name, key) for name in frequencies.sensitive)
        if box == SUPPRESSED:
            out[values] += int(n)
            continue
        own = groups.setdefault(placed.boxes[box].tobytes(), (Counter(), Counter()))
        own[0][tuple(_label(frequencies, name, key) for name in frequencies.quasi_identifiers)] += (
            int(n)
        )
        own[1][values] += int(n)
    seen = Counter()
    for who, inside in groups.values():
        name = frozenset(who.items()), frozenset(inside.items())
        for values, n in inside.items():
            seen[name, values] += n
    return seen, out


def _label(frequencies, name, key):
    return frequencies.domains[name].labels[int(frequencies.codes(name)[key])]


def counted(rows, quasi_identifiers, sensitive):
    """Count a table as `sf.read` does, without an engine."""
    rules = dict(quasi_identifiers) | {name: sf.Flat() for name in sensitive}
    domains, codes = {}, {}
    for name, rule in rules.items():
        values = list(dict.fromkeys(row[name] for row in rows))
        domains[name], own = rule.grow(name, values)
        code = dict(zip(values, own.tolist(), strict=True))
        codes[name] = np.array([code[row[name]] for row in rows], dtype=np.int32)
    one_each = np.ones(len(rows), dtype=np.int64)
    return FrequencySet.from_codes(domains, list(quasi_identifiers), sensitive, codes, one_each)


def published(rows, quasi_identifiers, sensitive, criterion, method, see=shown):
    """Give what a method publishes on a table, by every lot: [(chance, boxes, suppressed)]."""
    frequencies = counted(rows, quasi_identifiers, sensitive)

    def run(draw):
        try:
            validate(criterion, frequencies)
            recoding = method.search(frequencies, criterion, draw)
        except sf.SfumatoError:  # refused: nobody sees anything
            return Counter(), Counter()
        return see(recoding, frequencies)

    return [(chance, *found) for chance, found in every_outcome(run, 10**6)]


def beliefs(rows, quasi_identifiers, sensitive, criterion, method, boxes, see=shown):
    """Give what is believed of the people of every combination: {who: {values: Fraction}}.

    rows: the original, of which only quasi-identifiers are looked at. boxes: what was published,
    as `see` gives it.
    None: on no world it is published; suppressed people may have several values of their own.
    """
    names = list(quasi_identifiers)
    people = [tuple(row[name] for name in names) for row in rows]
    values = Counter()
    for (_, value), n in boxes.items():
        values[value] += n
    n_out = len(rows) - sum(values.values())
    prior, rest = {}, [()]
    if n_out:
        named = [v for part in criterion.parts for v in part.named_values()]
        possible = dict.fromkeys([*(value for (value,) in values), *named, ANOTHER])
        whole = sum(values.values()) + len(possible)
        prior = {(v,): Fraction(values[(v,)] + 1, whole) for v in possible}
        rest = list(itertools.combinations_with_replacement(prior, n_out))
    believed, total, known = {}, Fraction(0), {}
    for hidden in rest:
        weight = Fraction(1)
        for value in hidden:
            weight *= prior[value]
        for world in set(itertools.permutations([*values.elements(), *hidden])):
            key = frozenset(Counter(zip(people, world, strict=True)).items())
            if key not in known:
                made = [
                    dict(zip(names, who, strict=True)) | dict(zip(sensitive, value, strict=True))
                    for who, value in zip(people, world, strict=True)
                ]
                known[key] = published(made, quasi_identifiers, sensitive, criterion, method, see)
            same = [c for c, seen, out in known[key] if seen == boxes and out == Counter(hidden)]
            likely = weight * sum(same, Fraction(0))
            total += likely
            for who, value in zip(people, world, strict=True):
                mine = believed.setdefault(who, Counter())
                mine[value] += likely / people.count(who)
    if not total:
        return None
    return {
        who: {value: share / total for value, share in mine.items()}
        for who, mine in believed.items()
    }


def beliefs_if_refused(rows, quasi_identifiers, criterion, method, prior):
    """Give what is believed of everybody where nothing is published: {who: {value: Fraction}}.

    prior: a weight for each value. None: the method never refuses.
    """
    names = list(quasi_identifiers)
    people = [tuple(row[name] for name in names) for row in rows]
    believed, total = {who: Counter() for who in people}, Fraction(0)
    for world in itertools.product(prior, repeat=len(rows)):
        made = [
            dict(zip(names, who, strict=True)) | {"s": value}
            for who, value in zip(people, world, strict=True)
        ]
        frequencies = counted(made, quasi_identifiers, ["s"])
        try:
            validate(criterion, frequencies)
        except sf.BadInput:  # nobody has a value that is named
            continue

        def refuses(draw, frequencies=frequencies):
            try:
                method.search(frequencies, criterion, draw)
            except sf.Unsatisfiable:
                return True
            return False

        likely = sum((c for c, no in every_outcome(refuses, 10**6) if no), Fraction(0))
        for value in world:
            likely *= Fraction(prior[value])
        total += likely
        for who, value in zip(people, world, strict=True):
            believed[who][value] += likely / people.count(who)
    if not total:
        return None
    return {who: {v: n / total for v, n in mine.items()} for who, mine in believed.items()}


def beliefs_in_series(batches, quasi_identifiers, made_by, criterion, published):
    """Give what is believed by somebody with all releases: {(batch, who): {value: Fraction}}.

    Publishes every world again, from the beginning. batches: rows, of which only quasi-identifiers
    are looked at. made_by: the earlier releases -> a method without chance. published: rows.
    """
    names = list(quasi_identifiers)
    people = [
        (batch, tuple(row[name] for name in names))
        for batch, rows in enumerate(batches)
        for row in rows
    ]
    ends = list(itertools.accumulate(map(len, batches)))
    values = [sorted(row["s"] for row in rows) for rows in published]
    believed, n = {who: Counter() for who in people}, 0
    for world in set(itertools.permutations(values[-1])):
        if any(sorted(world[:end]) != own for end, own in zip(ends, values, strict=True)):
            continue
        rows = [
            dict(zip(names, who, strict=True)) | {"s": value}
            for (_, who), value in zip(people, world, strict=True)
        ]
        if republished([rows[:end] for end in ends], quasi_identifiers, made_by, criterion)[1] != (
            published
        ):
            continue
        n += 1
        for who, value in zip(people, world, strict=True):
            believed[who][value] += Fraction(1, people.count(who))
    return {who: {v: share / n for v, share in mine.items()} for who, mine in believed.items()}


def republished(tables, quasi_identifiers, made_by, criterion):
    """Publish tables one after the other; give the releases, and their rows in order."""
    releases, published = [], []
    for rows in tables:
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        table = sf.read(pa.table(columns), quasi_identifiers, "s")
        try:
            release = sf.anonymize(table, criterion, made_by(releases))
        except sf.SfumatoError:
            return releases, None
        releases.append(release)
        published.append(sorted(release.to_arrow().to_pylist(), key=str))
    return releases, published


def beliefs_on_list(people, quasi_identifiers, criterion, method, published):
    """Give what is believed of people on a list, some of whom are not in the table.

    Publishes every set of them with every dealing of the values. people: quasi-identifiers of
    everybody. published: rows. Returns {who: {value: Fraction}}, of being in it and having it.
    """
    values = [row["s"] for row in published]
    believed, n = {tuple(who.values()): Counter() for who in people}, 0
    kinds = [tuple(who.values()) for who in people]
    known = {}
    for members in itertools.combinations(range(len(people)), len(values)):
        for world in set(itertools.permutations(values)):
            key = tuple(sorted((kinds[i], v) for i, v in zip(members, world, strict=True)))
            if key not in known:
                rows = [people[i] | {"s": v} for i, v in zip(members, world, strict=True)]
                made = republished([rows], quasi_identifiers, lambda _: method, criterion)[1]
                known[key] = made == [published]
            if known[key]:
                n += 1
                for i, value in zip(members, world, strict=True):
                    believed[kinds[i]][value] += Fraction(1, kinds.count(kinds[i]))
    return {who: {v: share / n for v, share in mine.items()} for who, mine in believed.items()}
