"""Small tables with trees, releases of them by hand, and beliefs member by member."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa

import naive.criteria
import sfumato as sf
from sfumato.algorithms import Algorithm
from sfumato.attacks import Target
from sfumato.attacks.known_method.membership import members_of
from sfumato.attacks.minimality import Minimality
from sfumato.data.recoding import SUPPRESSED, Assignment, Cut

PATHS = [
    {v: (v, v[0], "*") for v in ("a1", "a2", "b1", "b2")},
    {v: (v, "*") for v in ("x1", "x2", "x3")},
]
RULES = [sf.Tree({"a": ["a1", "a2"], "b": ["b1", "b2"]}), sf.Tree(["x1", "x2", "x3"])]
VALUES = ("1", "2", "5", "9")
VALUE_PATHS = [("1", "low", "*"), ("2", "low", "*"), ("5", "high", "*"), ("9", "high", "*")]
VALUE_TREE = sf.Tree({"low": ["1", "2"], "high": ["5", "9"]})
BELOW = {"low": ("1", "2"), "high": ("5", "9")}  # values below the nodes


def distance(values, everybody, kind):
    counted = [values.count(v) for v in VALUES]
    return naive.criteria.counts_distance(
        counted, [everybody.count(v) for v in VALUES], kind, VALUE_PATHS
    )


half = Fraction(1, 2)
# A criterion, and whether a list of values keeps it, everybody's values beside.
CRITERIA = [
    (sf.LDiversity(2), lambda v, _: naive.criteria.l_diverse(v, 2)),
    (
        sf.LDiversity("3/2", "entropy"),
        lambda v, _: naive.criteria.l_diverse(v, Fraction(3, 2), "entropy"),
    ),
    (sf.LDiversity(2, "frequency"), lambda v, _: naive.criteria.l_diverse(v, 2, "frequency")),
    (
        sf.LDiversity(2, "frequency", ["1"]),
        lambda v, _: naive.criteria.l_diverse(v, 2, "frequency", ["1"]),
    ),
    (
        sf.LDiversity(2, "frequency", ["1", "2"], pooled=True),
        lambda v, _: naive.criteria.l_diverse(v, 2, "frequency", ["1", "2"], True),
    ),
    (
        sf.LDiversity(2, "frequency", ["low", "5"]),
        lambda v, _: (
            naive.criteria.l_diverse(v, 2, "frequency", ["1", "2"], True)
            and naive.criteria.l_diverse(v, 2, "frequency", ["5"])
        ),
    ),
    (
        sf.LDiversity(2, values=["1", "2"], pooled=True),
        lambda v, _: naive.criteria.l_diverse(v, 2, protected=["1", "2"], pooled=True),
    ),
    (sf.RecursiveDiversity(2, 2), lambda v, _: naive.criteria.recursive_diverse(v, 2, 2)),
    (sf.TCloseness(half), lambda v, e: distance(v, e, "equal") <= half),
    (sf.TCloseness("1/4", "ordered"), lambda v, e: distance(v, e, "ordered") <= half / 2),
    (
        sf.TCloseness("1/3", "hierarchical"),
        lambda v, e: distance(v, e, "hierarchical") <= Fraction(1, 3),
    ),
    (sf.AlphaKAnonymity(half, 2), lambda v, _: naive.criteria.alpha_k(v, half, 2)),
    (sf.AlphaKAnonymity(half, 2, ["1"]), lambda v, _: naive.criteria.alpha_k(v, half, 2, ["1"])),
    (sf.PSensitiveKAnonymity(2, 2), lambda v, _: naive.criteria.p_sensitive(v, 2, 2)),
    (sf.KEAnonymity(2, 3), lambda v, _: naive.criteria.k_e(v, 2, 3)),
    (
        sf.KAnonymity(2) & sf.LDiversity(2),
        lambda v, _: len(v) >= 2 and naive.criteria.l_diverse(v, 2),
    ),
    (
        sf.LDiversity(2, "frequency", ["1"]) & sf.TCloseness("2/3"),
        lambda v, e: (
            naive.criteria.l_diverse(v, 2, "frequency", ["1"])
            and distance(v, e, "equal") <= Fraction(2, 3)
        ),
    ),
    (  # two sensitive value sets
        sf.LDiversity(2, "frequency", ["1", "2"], pooled=True)
        & sf.LDiversity("3/2", "frequency", ["5", "9"], pooled=True),
        lambda v, _: (
            naive.criteria.l_diverse(v, 2, "frequency", ["1", "2"], True)
            and naive.criteria.l_diverse(v, Fraction(3, 2), "frequency", ["5", "9"], True)
        ),
    ),
]


def rows_of(rng, n_columns):
    """Give the rows of a small private table: few kinds of people, whose values go with them."""
    values = rng.choice(VALUES, int(rng.integers(2, 4)), replace=False)
    kinds = []
    for _ in range(int(rng.integers(2, 4))):
        kind = {f"q{c}": str(rng.choice(list(PATHS[c]))) for c in range(n_columns)}
        often = rng.dirichlet(np.full(len(values), 0.5))
        kinds += [
            kind | {"s": str(v)} for v in rng.choice(values, int(rng.integers(2, 4)), p=often)
        ]
    return kinds


def table_of(rows, n_columns):
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    rules = {f"q{c}": RULES[c] for c in range(n_columns)}
    return sf.read(pa.table(columns), rules, "s", hierarchies={"s": VALUE_TREE})


MADE = []  # recodings by number: a method is written down by its parameters


@dataclass(frozen=True)
class Made(Algorithm):
    """Publishes what it is told to."""

    number: int
    kind: str
    symmetric: ClassVar[bool] = False
    joint: ClassVar[bool] = True

    @property
    def minimality(self):
        return self.kind

    def search(self, frequencies, criterion, draw):
        del criterion, draw
        return MADE[self.number](frequencies)


def release_of(table, make, kind, criterion=None):
    """Release a table by a function from its frequencies to a recoding."""
    MADE.append(make)
    return sf.anonymize(table, criterion or sf.LDiversity(1), Made(len(MADE) - 1, kind))


def interval(domain, label):
    """The ranks of a node, by its name."""
    for level, names in enumerate(domain.taxonomy.labels):
        if label in names:
            rank = names.index(label)
            low, high = domain.taxonomy.low[level][rank], domain.taxonomy.high[level][rank]
            return int(low), int(high)
    raise ValueError(label)


def local(rows, labels):
    """Publish each row under labels of its own; None: suppressed."""

    def make(frequencies):
        names = frequencies.columns
        domains = [frequencies.domains[name] for name in names]
        keys = np.stack([frequencies.codes(name) for name in names], axis=1).tolist()
        boxes = sorted(set(labels) - {None})
        sides = [[interval(d, n) for d, n in zip(domains, box, strict=False)] for box in boxes]
        parts = {}
        for row, box in zip(rows, labels, strict=True):
            code = [d.code_of(row[name]) for d, name in zip(domains, names, strict=True)]
            key = (keys.index(code), SUPPRESSED if box is None else boxes.index(box))
            parts[key] = parts.get(key, 0) + 1
        listed = [(c, g, n) for (c, g), n in sorted(parts.items())]
        return Assignment(
            frequencies, np.array(sides, dtype=np.int32), np.array(listed, dtype=np.int64)
        )

    return make


def by_counts(rows, labels):
    """Publish rows under labels of their own, told apart by their quasi-identifiers alone."""
    return lambda frequencies: local(rows, labels)(frequencies.combinations)


def cut(cuts):
    """Publish every value as the node of its column's cut that holds it."""

    def make(frequencies):
        ground = frequencies.combinations
        intervals = {}
        for name, nodes in zip(ground.columns, cuts, strict=True):
            domain = ground.domains[name]
            sides = np.zeros((len(domain), 2), dtype=np.int32)
            for node in nodes:
                low, high = interval(domain, node)
                sides[low : high + 1] = low, high
            intervals[name] = sides
        nobody = np.zeros((0, len(intervals)), dtype=np.int32)
        return Cut(intervals, nobody)

    return make


def target_of(release):
    """See a release without writing it, where nobody has to count what was written."""
    if not release.recoding.has_one_box_each:
        return Target.of(release)
    return Target(
        release.grouping,
        release.criterion,
        release.method,
        release.n_suppressed,
        release.table,
        recoding=release.recoding,
    )


def believed(release, attack=None, original=None):
    """Give credibilities {quasi-identifiers: {value: share}}, group by group and added up."""
    attack = attack or Minimality()
    target = target_of(release) if original is None else Target.of(release, original)
    members = members_of(target)
    learned = attack._learned(target, members, *attack._method(target))
    by_group = {each.group: each for each in learned.beliefs}
    labels = members.frequencies.domains[target.sensitive[0]].labels
    found, total = {}, {}
    for place, (who, g, n) in enumerate(
        zip(members.combination, members.group, members.people, strict=True)
    ):
        q = tuple(members.values(int(who)).values())
        total[q] = total.get(q, 0) + int(n)
        if g in by_group:
            each = by_group[g]
            shares = each.shares[each.row[place - members.starts[g]]]
            row = dict(zip(each.codes.tolist(), shares, strict=True))
        else:
            own = members.histogram.rows(g, g + 1)
            counts = own.counts.tolist()
            row = {c: Fraction(k, sum(counts)) for c, k in zip(own.codes, counts, strict=True)}
        for code, share in row.items():
            mine = found.setdefault(q, {})
            mine[labels[code]] = mine.get(labels[code], 0) + int(n) * share
    return {
        q: {v: share / total[q] for v, share in row.items() if share} for q, row in found.items()
    }


def or_certain(exceeding, beliefs, criterion, values):
    """Whoever is certain, where a promise allows that and is kept: nobody should be, all the same.

    exceeding: for whom it is not kept. values: of everybody; a single one was certain before.
    """
    about_values = [part for part in criterion.parts if part.looks_at_values]
    excluded = any(not part.belief_allowed().allows(Fraction(1)) for part in about_values)
    if exceeding or excluded or len(set(values)) < 2:
        return exceeding
    return [who for who, shares in beliefs.items() if max(shares.values()) == 1]
