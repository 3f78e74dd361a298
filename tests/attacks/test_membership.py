"""Who is in which group, from published counts: what is believed over all that fits."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import naive.minimality
import sfumato as sf
from attacks.made import CRITERIA, PATHS, believed, local, release_of, rows_of, table_of
from sfumato.attacks import CannotRun, Target
from sfumato.attacks.known_method.membership import Membership, located, members_of
from sfumato.attacks.known_method.weighed import Weighing
from sfumato.attacks.minimality import Minimality

SEEDS = [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 40))]


def breaking(keeps, everybody):
    return lambda child: not keeps(child, everybody)


def fits(q, label):
    """Whether somebody may be published so."""
    return all(
        side in PATHS[c][value] for c, (value, side) in enumerate(zip(q, label, strict=True))
    )


def case(rng):
    """Give a small table by local recoding, and what was published."""
    n_columns = int(rng.integers(1, 3))
    fast, keeps = CRITERIA[int(rng.integers(len(CRITERIA)))]
    rows = rows_of(rng, n_columns)[:5]
    raw = [tuple(row[f"q{c}"] for c in range(n_columns)) for row in rows]
    labels = [
        ("*",) * n_columns
        if rng.random() < 0.5
        else tuple(str(rng.choice(PATHS[c][v])) for c, v in enumerate(q))
        for q in raw
    ]
    table = table_of(rows, n_columns)
    release = release_of(table, local(rows, labels), "local")
    groups = {}
    for row, label in zip(rows, labels, strict=True):
        groups.setdefault(label, []).append(row["s"])
    return release, raw, groups, fast, keeps


def shown(classes, frequencies):
    """Give beliefs as {quasi-identifiers: {value: share}}."""
    ground = frequencies.combinations
    labels = frequencies.domains["s"].labels
    found = {}
    for each in classes:
        q = tuple(
            ground.domains[name].labels[int(ground.codes(name)[each.combination])]
            for name in ground.columns
        )
        found[q] = {labels[code]: share for code, share in each.shares.items() if share}
    return found


def without_zeros(found):
    return {q: {v: share for v, share in row.items() if share} for q, row in found.items()}


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_beliefs_are_those_of_all_ways_that_fit(seed):
    rng = np.random.default_rng(seed)
    n_only = n_several = 0
    for number in range(200):
        if number >= 5 and n_only and n_several:
            break
        release, raw, groups, fast, keeps = case(rng)
        paths = PATHS[: len(raw[0])]
        everybody = [value for values in groups.values() for value in values]
        slow = naive.minimality.over_all_that_fit(
            raw,
            groups,
            fits,
            lambda people, paths=paths: naive.minimality.local_steps(people, paths),
            breaking(keeps, everybody),
        )
        if slow is None:
            continue
        attack = Minimality(enforced=fast)
        target = replace(Target.of(release), recoding=None)  # as if loaded with its original
        members = located(target)
        if isinstance(members, Membership):
            n_only += 1
            assert believed(release, attack) == without_zeros(slow)
            continue
        n_several += 1

        def solve(one, target=target, attack=attack):
            return attack._learned(target, one, attack._enforced(target))

        found = Weighing(members, "s", solve, one_by_one=True, absent=False).run()
        assert shown(found.classes, members.frequencies) == without_zeros(slow)
        assert found.learned.n_unexplained == 0
        finding = attack.run(target)
        assert finding.found <= max(share for row in slow.values() for share in row.values())
        assert "counts do not tell" in finding.note
        with pytest.raises(CannotRun, match="overlap"):
            members_of(target)
    assert n_only
    assert n_several


HIV = sf.LDiversity(2, "frequency", ["HIV"])
TREE = {"q": sf.Tree({"*": {"Q": ["q1", "q2"], "R": ["r1", "r2"]}})}


def test_table_1_d_loaded_is_certain_by_minimality_in_the_audit(tmp_path):
    columns = {"q": ["q1"] * 2 + ["q2"] * 5, "s": ["HIV"] * 2 + ["none"] * 5}
    table = sf.read(pa.table(columns), TREE, "s")
    release = sf.anonymize(table, HIV, sf.TopDown())
    assert sorted(row["q"] for row in release.to_arrow().to_pylist()) == ["Q"] * 4 + ["q2"] * 3
    report = sf.audit(sf.load(release.save(tmp_path / "out")), table)
    found = {finding.attack: finding for finding in report.findings}
    for name in ("minimality", "mechanism"):
        assert (found[name].found, found[name].holds, found[name].n_exceeding) == (1, False, 2)


def test_too_many_ways_to_be_in_groups_are_refused_with_a_reason(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.attacks.known_method.weighed.MOST_FILLINGS", 1)
    rows = [{"q0": q, "s": s} for q, s in [("a1", "1"), ("a2", "2"), ("a1", "1"), ("a2", "2")]]
    labels = [("a",), ("a",), ("*",), ("*",)]
    table = table_of(rows, 1)
    release = release_of(table, local(rows, labels), "local", sf.LDiversity(2))
    loaded = sf.load(release.save(tmp_path / "out"))
    with pytest.raises(CannotRun, match="too many ways"):
        Minimality().run(loaded, table)
