"""The minimality attack on releases: against every world of small tables, and Wong's tables."""

from fractions import Fraction

import numpy as np
import pytest

import naive
import sfumato as sf
from attacks.made import (
    CRITERIA,
    PATHS,
    believed,
    cut,
    local,
    release_of,
    rows_of,
    table_of,
    target_of,
)
from sfumato.attacks import CannotRun
from sfumato.attacks.minimality import Minimality

FULL_DOMAIN = [
    sf.Exhaustive(),
    sf.Incognito(1),
    sf.Samarati(2),
    sf.Samarati(),
    sf.Exhaustive(2, prefer="suppression"),
    sf.Optimal("loss"),
    sf.Optimal("discernibility"),
    sf.Optimal("height"),
    sf.Optimal("entropy"),
]


def breaking(keeps, everybody):
    return lambda child: not keeps(child, everybody)


def without_zeros(found):
    return {q: {v: share for v, share in row.items() if share} for q, row in found.items()}


def published_as(rows, n_columns, node):
    """Give each row's labels at a node."""
    return [tuple(PATHS[c][row[f"q{c}"]][node[c]] for c in range(n_columns)) for row in rows]


def people_of(rows, n_columns, groups):
    return [
        {"q": tuple(row[f"q{c}"] for c in range(n_columns)), "s": row["s"], "group": group}
        for row, group in zip(rows, groups, strict=True)
    ]


def full_domain_case(rng):
    """Give a release by a full-domain method, and all the twin needs; None: impossible."""
    n_columns = int(rng.integers(1, 3))
    rows = rows_of(rng, n_columns, int(rng.integers(3, 8)))
    fast, keeps = CRITERIA[int(rng.integers(len(CRITERIA)))]
    method = FULL_DOMAIN[int(rng.integers(len(FULL_DOMAIN)))]
    try:
        release = sf.anonymize(table_of(rows, n_columns), fast, method)
    except sf.Unsatisfiable:
        return None
    everybody = [row["s"] for row in rows]
    node = list(release.levels.values())
    labels = published_as(rows, n_columns, node)
    by_label = {}
    for row, label in zip(rows, labels, strict=True):
        by_label.setdefault(label, []).append(row["s"])
    groups = [label if keeps(by_label[label], everybody) else None for label in labels]
    limit = min(getattr(method, "max_suppressed", 0), len(rows) - 1)
    people = people_of(rows, n_columns, groups)
    steps = naive.full_domain_steps(people, PATHS, node, limit)
    return release, people, steps, breaking(keeps, everybody), keeps, everybody


@pytest.mark.parametrize("seed", range(10))
def test_full_domain_releases_say_what_all_worlds_say(seed):
    rng = np.random.default_rng(seed)
    n_learned = 0
    for _ in range(25):
        case = full_domain_case(rng)
        if case is None:
            continue
        release, people, steps, broken, keeps, everybody = case
        slow, truly = naive.minimality(people, steps, broken)
        assert truly  # these methods are minimal
        assert believed(release) == without_zeros(slow)
        n_learned += compare_finding(release, Minimality(), people, slow, keeps, everybody)
    assert n_learned


def compare_finding(release, attack, people, slow, keeps, everybody):
    """Hold the finding against credibilities; returns whether the method gave anything away."""
    finding = attack.find(target_of(release))
    inside = [person for person in people if person["group"] is not None]
    n_exceeding = sum(
        not keeps_beliefs(slow[person["q"]], keeps, everybody, release) for person in inside
    )
    assert finding.n_exceeding == n_exceeding
    assert finding.holds == (n_exceeding == 0)
    protected = protecting(release.criterion)
    assert finding.found == max(
        sum((row.get(v, Fraction(0)) for v in values), Fraction(0))
        for row in slow.values()
        for values in protected(row)
    )
    return finding.found != finding.before


def keeps_beliefs(row, keeps, everybody, release):
    """Ask a criterion of a group that has the values as often as they are believed."""
    whole = np.lcm.reduce([share.denominator for share in row.values()])
    k = max(2, release.criterion.least_size)  # so many that sizes do not matter
    values = [v for v, share in row.items() for _ in range(int(share * whole) * k)]
    return keeps(values, everybody)


def protecting(criterion):
    """Which values are shown: those of the part that bounds beliefs."""
    part = next((p for p in criterion.parts if getattr(p, "values", None)), None)
    if part is None:
        return lambda row: [(v,) for v in row]
    if part.pooled and getattr(part, "kind", "frequency") == "frequency":
        return lambda _: [part.values]
    if part.pooled:
        return lambda row: [part.values, *((v,) for v in row if v not in part.values)]
    return lambda _: [(v,) for v in part.values]


@pytest.mark.parametrize("seed", range(10))
def test_strict_mondrian_says_what_all_worlds_say(seed):
    rng = np.random.default_rng(seed)
    n_learned = 0
    for _ in range(25):
        n_columns = int(rng.integers(1, 3))
        rows = rows_of(rng, n_columns, int(rng.integers(3, 8)))
        fast, keeps = CRITERIA[int(rng.integers(len(CRITERIA)))]
        table = table_of(rows, n_columns)
        try:
            release = sf.anonymize(table, fast, sf.Mondrian())
        except sf.Unsatisfiable:
            continue
        everybody = [row["s"] for row in rows]
        groups = groups_of(release, table, rows, n_columns)
        people = people_of(rows, n_columns, groups)
        steps = naive.region_steps(people, [list(PATHS[c]) for c in range(n_columns)])
        slow, truly = naive.minimality(people, steps, breaking(keeps, everybody))
        assert truly
        assert believed(release) == without_zeros(slow)
        n_learned += compare_finding(release, Minimality(), people, slow, keeps, everybody)
    assert n_learned


def groups_of(release, table, rows, n_columns):
    """Give the number of the region of each row."""
    how = release.recoding.how
    region = dict(zip(how.parts[:, 0].tolist(), how.parts[:, 1].tolist(), strict=True))
    ground = how.combinations
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1).tolist()
    found = []
    for row in rows:
        code = [table.domains[f"q{c}"].code_of(row[f"q{c}"]) for c in range(n_columns)]
        found.append(region[codes.index(code)])
    return found


@pytest.mark.parametrize("seed", range(8))
def test_local_recoding_says_what_all_worlds_say(seed):
    """Any labels on the paths of people's values, whether an algorithm would choose them or not."""
    rng = np.random.default_rng(seed)
    n_learned = 0
    for _ in range(25):
        n_columns = int(rng.integers(1, 3))
        rows = rows_of(rng, n_columns, int(rng.integers(3, 8)))
        fast, keeps = CRITERIA[int(rng.integers(len(CRITERIA)))]
        labels = [
            tuple(str(rng.choice(PATHS[c][row[f"q{c}"]])) for c in range(n_columns)) for row in rows
        ]
        release = release_of(table_of(rows, n_columns), local(rows, labels), "local")
        everybody = [row["s"] for row in rows]
        people = as_published(people_of(rows, n_columns, labels), release)
        steps = naive.local_steps(people, PATHS[:n_columns])
        slow, _ = naive.minimality(people, steps, breaking(keeps, everybody))
        attack = Minimality(enforced=fast)
        if slow is None:
            with pytest.raises(CannotRun, match="no world"):
                attack.run(release)
            continue
        assert believed(release, attack) == without_zeros(slow)
        n_learned += attack.run(release).found != attack.run(release).before
    assert n_learned


def as_published(people, release):
    """Deal the published values of each group to its people: who of a class is where is chance."""
    published = {}
    names = release.description.quasi_identifiers
    for row in release.to_arrow().to_pylist():
        published.setdefault(tuple(row[name] for name in names), []).append(row["s"])
    return [person | {"s": published[person["group"]].pop()} for person in people]


CUTS = [
    [["a1", "a2", "b1", "b2"], ["a", "b1", "b2"], ["a1", "a2", "b"], ["a", "b"], ["*"]],
    [["x1", "x2", "x3"], ["*"]],
]


@pytest.mark.parametrize("seed", range(8))
def test_cuts_say_what_all_worlds_say(seed):
    rng = np.random.default_rng(seed)
    n_learned = 0
    for _ in range(30):
        n_columns = int(rng.integers(1, 3))
        rows = rows_of(rng, n_columns, int(rng.integers(3, 8)))
        fast, keeps = CRITERIA[int(rng.integers(len(CRITERIA)))]
        nodes = [CUTS[c][int(rng.integers(1, len(CUTS[c])))] for c in range(n_columns)]
        labels = [
            tuple(
                next(label for label in PATHS[c][row[f"q{c}"]] if label in nodes[c])
                for c in range(n_columns)
            )
            for row in rows
        ]
        release = release_of(table_of(rows, n_columns), cut(nodes), "cut")
        everybody = [row["s"] for row in rows]
        people = people_of(rows, n_columns, labels)
        steps = naive.cut_step_list(people, PATHS[:n_columns])
        slow, truly = naive.minimality(people, steps, breaking(keeps, everybody))
        attack = Minimality(enforced=fast)
        if not truly:
            with pytest.raises(CannotRun, match="would have been safe"):
                attack.run(release)
            continue
        assert believed(release, attack) == without_zeros(slow)
        n_learned += 1
    assert n_learned
