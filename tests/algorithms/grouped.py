"""What the tests of the grouping methods share: small tables, chances that are written down."""

from collections import Counter

import numpy as np

import naive.criteria
import sfumato as sf
from sfumato.data.frequency import FrequencySet

VALUES = ["flu", "HIV", "asthma", "none", "cough"]


def count(rows, values=VALUES, sensitive=1) -> FrequencySet:
    """Count rows whose last columns are sensitive, s, s1, ...; the others are q0, q1, ..."""
    n_columns = len(rows[0])
    names = [f"q{j}" for j in range(n_columns - sensitive)]
    names += ["s", *(f"s{j}" for j in range(1, sensitive))][:sensitive]
    domains, codes = {}, {}
    for j, name in enumerate(names):
        found = [row[j] for row in rows]
        listed = name == "s" and set(found) <= set(values)
        distinct = sorted(set(found), key=str)
        rule = sf.Tree(list(values)) if listed else sf.Flat()
        domains[name], coded = rule.grow(name, distinct)
        place = {value: i for i, value in enumerate(distinct)}
        codes[name] = coded[[place[value] for value in found]]
    ones = np.ones(len(rows), dtype=np.int64)
    first = n_columns - sensitive
    return FrequencySet.from_codes(domains, names[:first], names[first:], codes, ones)


class Chances:
    """The system's randomness, from a seed, that remembers what it gave."""

    def __init__(self, seed=0):
        self._random = np.random.default_rng(seed)
        self.given = []

    def __call__(self, n_bytes):
        self.given.append(self._random.bytes(n_bytes))
        return self.given[-1]

    def numbers(self, turn):
        """The numbers of 64 bits that were given at a turn."""
        return [int(each) for each in np.frombuffer(self.given[turn], dtype="<u8")]


def people_of(frequencies) -> list[tuple]:
    """Everybody as a row of codes, in the order in which they were counted."""
    columns = [frequencies.codes(name).tolist() for name in frequencies.columns]
    rows = list(zip(*columns, strict=True))
    return [row for row, n in zip(rows, frequencies.counts.tolist(), strict=True) for _ in range(n)]


def labelled(frequencies, rows):
    """Rows of codes with the last column as its label, as criteria of `naive` want it."""
    labels = frequencies.domains[frequencies.columns[-1]].labels
    return [(*row[:-1], labels[row[-1]]) for row in rows]


def groups_of(recoding) -> tuple[list[Counter], Counter]:
    """Rebuild the groups, each as how many people have which row; and those left out."""
    columns = [recoding.combinations.codes(name).tolist() for name in recoding.combinations.columns]
    rows = list(zip(*columns, strict=True))
    found, left = {}, Counter()
    for key, group, n in recoding.parts.tolist():
        assert n > 0
        mine = left if group < 0 else found.setdefault(group, Counter())
        assert rows[key] not in mine or recoding.formed is not None
        mine[rows[key]] += n
    assert sorted(found) == list(range(len(found)))
    together = sum(found.values(), Counter()) + left
    assert together == Counter(people_of(recoding.combinations))  # everybody exactly once
    return [found[group] for group in range(len(found))], left


def sorted_by_lots(frequencies, lots, order=()):
    """Everybody sorted by quasi-identifiers, equal people by their lots."""
    names = [*order, *(name for name in frequencies.quasi_identifiers if name not in order)]
    columns = [frequencies.columns.index(name) for name in names]
    with_lots = zip(people_of(frequencies), lots, strict=True)
    place = sorted(with_lots, key=lambda each: ([each[0][c] for c in columns], each[1]))
    return [row for row, _ in place]


def small_tables(n_tables, seed=0, n_rows=(1, 24), n_values=5):
    """Random rows of one to three quasi-identifiers and a sensitive value."""
    random = np.random.default_rng(seed)
    for _ in range(n_tables):
        n = int(random.integers(n_rows[0], n_rows[1] + 1))
        width = int(random.integers(1, 4))
        known = int(random.integers(1, n_values + 1))
        skew = random.dirichlet(np.full(known, random.choice([0.5, 2.0, 20.0])))
        values = random.choice(VALUES[:known], n, p=skew)
        cells = random.integers(0, int(random.integers(1, 6)), (n, width))
        yield [(*map(str, cells[i].tolist()), str(values[i])) for i in range(n)]


PROTECTED = ["flu", "HIV"]


def criteria_with_twins(l, k):
    """Criteria of every kind that different values can satisfy, with their twins."""
    safe = naive.criteria.l_diversity
    return [
        (sf.LDiversity(l, "frequency"), safe(l, "frequency")),
        (
            sf.LDiversity(l, "frequency", values=PROTECTED),
            safe(l, "frequency", protected=PROTECTED),
        ),
        (
            sf.LDiversity(l, "frequency", values=PROTECTED, pooled=True),
            safe(l, "frequency", protected=PROTECTED, pooled=True),
        ),
        (sf.KAnonymity(k), naive.criteria.k_anonymity(k)),
        (sf.LDiversity(l), safe(l)),
        (sf.LDiversity(l, "entropy"), safe(l, "entropy")),
        (
            sf.LDiversity(l, values=PROTECTED, pooled=True),
            safe(l, protected=PROTECTED, pooled=True),
        ),
        (
            sf.LDiversity(f"{2 * l + 1}/2", "frequency") & sf.KAnonymity(k),
            naive.criteria.both(
                naive.criteria.k_anonymity(k),
                safe(sf.LDiversity(f"{2 * l + 1}/2", "entropy").l, "frequency"),
            ),
        ),
        (
            sf.AlphaKAnonymity(f"1/{l}", k, values=PROTECTED) & sf.LDiversity(2),
            naive.criteria.both(
                lambda rows: naive.criteria.alpha_k(
                    [r[-1] for r in rows], 1 / sf.LDiversity(l).l, k, PROTECTED
                ),
                safe(2),
            ),
        ),
        (
            sf.PSensitiveKAnonymity(l, max(k, l)),
            lambda rows: naive.criteria.p_sensitive([r[-1] for r in rows], l, max(k, l)),
        ),
        (
            sf.RecursiveDiversity(2, l),
            lambda rows: naive.criteria.recursive_diverse([r[-1] for r in rows], 2, l),
        ),
    ]
