"""Who is in which group, from published counts: what is believed over all that fits."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.minimality
import naive.replay
import sfumato as sf
from attacks.made import (
    CRITERIA,
    PATHS,
    RULES,
    believed,
    local,
    release_of,
    rows_of,
    table_of,
)
from sfumato.attacks import CannotRun, Target, matching
from sfumato.attacks.known_method.membership import (
    Membership,
    fitting_pairs,
    listed,
    located,
    members_of,
)
from sfumato.attacks.known_method.weighing import Weighing
from sfumato.attacks.minimality import Minimality, credibility_superset
from sfumato.formulas.boxes import points

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
    if rng.random() < 0.5:
        labels[0] = None  # suppressed
    table = table_of(rows, n_columns)
    release = release_of(table, local(rows, labels), "local")
    groups = {}
    for row, label in zip(rows, labels, strict=True):
        if label is not None:
            groups.setdefault(label, []).append(row["s"])
    return release, raw, groups, [row["s"] for row in rows], fast, keeps


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
    n_only = n_several = n_suppressed = 0
    for number in range(200):
        if number >= 5 and n_only and n_several and n_suppressed:
            break
        release, raw, groups, everybody, fast, keeps = case(rng)
        paths = PATHS[: len(raw[0])]
        slow = naive.minimality.over_all_that_fit(
            raw,
            groups,
            fits,
            lambda people, paths=paths: naive.minimality.local_steps(people, paths),
            breaking(keeps, everybody),
            everybody=False,
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
        n_suppressed += release.n_suppressed

        def solve(one, target=target, attack=attack):
            return attack._learned(target, one, *attack._method(target))

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
    assert n_suppressed


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
    monkeypatch.setattr("sfumato.attacks.known_method.weighing.MOST_FILLINGS", 1)
    rows = [{"q0": q, "s": s} for q, s in [("a1", "1"), ("a2", "2"), ("a1", "1"), ("a2", "2")]]
    labels = [("a",), ("a",), ("*",), ("*",)]
    table = table_of(rows, 1)
    release = release_of(table, local(rows, labels), "local", sf.LDiversity(2))
    loaded = sf.load(release.save(tmp_path / "out"))
    with pytest.raises(CannotRun, match="too many ways"):
        Minimality().run(loaded, table)


# ---- Lists of people of whom some are not in the table


def hospital(people, values=None):
    """Read {class: number of people}, with or without values."""
    columns = {"q": [q for q, n in people.items() for _ in range(n)]}
    rules = {"q": sf.Tree({"Q": ["q1", "q2"]})}
    if values is None:
        return sf.read(pa.table(columns), rules)
    return sf.read(pa.table(columns | {"s": values}), rules, "s")


def of_list(report):
    return next(each for each in report.findings if each.attack == "minimality, external")


@pytest.mark.parametrize("method", [sf.Samarati(), sf.Mondrian(), sf.TopDown("cut")], ids=str)
@pytest.mark.parametrize(
    ("people", "found", "exceeding"),
    [
        ({"q1": 2, "q2": 5}, 1, 2),
        ({"q1": 3, "q2": 5}, Fraction(2, 3), 3),
        ({"q1": 2, "q2": 6}, Fraction(2, 3), 2),
    ],
)
def test_table_1_c_with_people_who_may_be_absent_in_the_audit(
    method, people, found, exceeding, tmp_path
):
    """A third q1 person, or a sixth q2 person, leaves 2/3 (READINGS of Wong 2009, section 2)."""
    table = hospital({"q1": 2, "q2": 5}, ["HIV"] * 2 + ["none"] * 5)
    release = sf.anonymize(table, HIV, method)
    expected = credibility_superset(list(people.values()), 7, 2, 2)
    assert expected[0] == found
    loaded = sf.load(release.save(tmp_path / "out"))
    for subject in (release, loaded):  # a loaded one needs no original for it
        finding = of_list(sf.audit(subject, external=hospital(people)))
        assert (finding.found, finding.holds) == (found, False)
        assert (finding.n_exceeding, finding.n_people) == (exceeding, sum(people.values()))
        assert "some may not be in the table" in finding.knows


def test_a_list_that_does_not_fill_the_groups_is_refused():
    table = hospital({"q1": 2, "q2": 5}, ["HIV"] * 2 + ["none"] * 5)
    release = sf.anonymize(table, HIV, sf.Samarati())
    target = Target.of(release, external=hospital({"q1": 1, "q2": 5}))
    with pytest.raises(CannotRun, match="do not fill"):
        Minimality(who="external").find(target)
    with pytest.raises(CannotRun, match="needs a list of people"):
        Minimality(who="external").run(release)
    with pytest.raises(sf.BadInput, match="who must be"):
        Minimality(who="everybody")


METHODS = [sf.Exhaustive(), sf.Samarati(), sf.Samarati(1), sf.Optimal("loss"), sf.Mondrian()]


def steps_of(method, release, paths):
    """Give the steps of some people, by the naive twin of the kind of recoding."""
    if method.minimality == "regions":
        orders = [list(path) for path in paths]
        return lambda people: naive.minimality.region_steps(people, orders)
    node = list(release.levels.values())
    limit = method.max_suppressed
    return lambda people: naive.minimality.full_domain_steps(people, paths, node, limit)


def listed_case(rng):
    """Give a release, everybody on a list that is longer, and what was published; None: nothing."""
    n_columns = int(rng.integers(1, 3))
    fast, keeps = CRITERIA[int(rng.integers(len(CRITERIA)))]
    method = METHODS[int(rng.integers(len(METHODS)))]
    rows = rows_of(rng, n_columns)[:5]
    table = table_of(rows, n_columns)
    try:
        release = sf.anonymize(table, fast, method)
    except sf.SfumatoError:
        return None
    if release.n_suppressed:
        return None
    raw = [tuple(row[f"q{c}"] for c in range(n_columns)) for row in rows]
    raw += [
        tuple(str(rng.choice(list(PATHS[c]))) for c in range(n_columns))
        for _ in range(int(rng.integers(0, 3)))
    ]
    external = sf.read(
        pa.table({f"q{c}": [q[c] for q in raw] for c in range(n_columns)}),
        {f"q{c}": RULES[c] for c in range(n_columns)},
    )
    return release, external, raw, [row["s"] for row in rows], method, fast, keeps


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_beliefs_of_people_on_a_list_are_those_of_all_who_may_be_there(seed):
    rng = np.random.default_rng(seed)
    n_learned = 0
    for number in range(200):
        if number >= 12 and n_learned > 2:
            break
        made = listed_case(rng)
        if made is None:
            continue
        release, external, raw, everybody, method, fast, keeps = made
        boxes, _ = naive.replay.shown(release.recoding, release.original.frequencies())
        groups = {}
        for (sides, (value,)), n in boxes.items():
            groups.setdefault(sides, []).extend([value] * n)
        slow = naive.minimality.over_all_that_fit(
            raw,
            groups,
            lambda q, sides: all(v in side for v, side in zip(q, sides, strict=True)),
            steps_of(method, release, PATHS[: len(raw[0])]),
            breaking(keeps, everybody),
        )
        assert slow is not None  # these methods are minimal, and the truth is one of the worlds
        target = Target.of(release, external=external)
        attack = Minimality(who="external")
        unmade = replace(target, recoding=None)
        possible = listed(target)
        learned = Weighing(
            possible,
            "s",
            lambda one, a=attack, t=unmade, m=method, c=fast: a._learned(t, one, m, c),
            one_by_one=method.minimality == "regions",
            absent=True,
        ).run()
        found = shown(learned.classes, possible.frequencies)
        assert found == without_zeros(slow)
        finding = attack.find(target)
        assert finding.n_people == sum(
            any(all(v in side for v, side in zip(q, sides, strict=True)) for sides in groups)
            for q in raw
        )
        n_learned += len(raw) > len(everybody) and learned.n_fillings > 0
    assert n_learned


@pytest.mark.parametrize("method", [sf.Samarati(), sf.Mondrian(), sf.TopDown()], ids=str)
def test_the_original_may_have_its_columns_in_another_order_and_more_of_them(method, tmp_path):
    rules = {"q": sf.Tree({"Q": ["q1", "q2"]}), "r": sf.Tree({"*": ["x", "y", "z"]})}
    columns = {"q": ["q1"] * 2 + ["q2"] * 5, "r": ["x"] * 7, "z": list("abcdefg")}
    columns["s"] = ["HIV"] * 2 + ["none"] * 5
    release = sf.anonymize(sf.read(pa.table(columns), rules, "s"), HIV, method)
    loaded = sf.load(release.save(tmp_path / "out"))
    turned = {"r": rules["r"], "z": sf.Flat(), "q": rules["q"]}
    original = sf.read(pa.table(columns), turned, "s")
    for attack in (Minimality(), sf.attacks.Mechanism()):
        assert attack.run(loaded, original).found == 1


@given(data=st.data())
def test_boxes_around_combinations_are_listed_as_one_by_one(data):
    n_columns = data.draw(st.integers(1, 3))
    code = st.integers(0, 5)
    people = data.draw(st.lists(st.tuples(*[code] * n_columns), min_size=1, max_size=40))
    sides = st.tuples(code, code)  # those with the higher end first hold nobody
    drawn = data.draw(st.lists(st.lists(sides, min_size=n_columns, max_size=n_columns), max_size=8))
    boxes = np.array(drawn, dtype=np.int32).reshape(-1, n_columns, 2)
    names = [f"q{j}" for j in range(n_columns)]
    table = {name: [f"{row[j]}" for row in people] for j, name in enumerate(names)}
    ground = sf.read(pa.table(table), names).combinations()
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1).tolist()
    expected = [
        [who, box]
        for who, row in enumerate(codes)
        for box, ends in enumerate(boxes.tolist())
        if all(low <= value <= high for value, (low, high) in zip(row, ends, strict=True))
    ]
    assert fitting_pairs(ground, boxes).tolist() == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(points, "PAIRS_AT_ONCE", -1)  # by the tree
        assert fitting_pairs(ground, boxes).tolist() == expected


@pytest.mark.parametrize("loaded", [False, True])
def test_attacks_of_an_audit_share_what_they_read_and_find_the_same_alone(
    loaded, tmp_path, monkeypatch
):
    table = sf.read(
        sf.datasets.patients(), {"age": sf.Intervals(5, 10), "sex": sf.Flat()}, "disease"
    )
    release = sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(3), sf.Mondrian())
    if loaded:
        release = sf.load(release.save(tmp_path / "out"))
    read = []
    plain = matching._read_labels

    def noting(column, *others):
        read.append(column)
        return plain(column, *others)

    monkeypatch.setattr(matching, "_read_labels", noting)
    report = sf.audit(release, table if loaded else None)
    assert sorted(read) == ["age", "sex"]
    for kind in (sf.attacks.Linkage, sf.attacks.Minimality, sf.attacks.Mechanism):
        alone = kind().run(release, table if loaded else None)
        (together,) = [each for each in report.findings if each.name == alone.name]
        assert (together.found, together.holds, together.n_exceeding, together.worst) == (
            alone.found,
            alone.holds,
            alone.n_exceeding,
            alone.worst,
        )
