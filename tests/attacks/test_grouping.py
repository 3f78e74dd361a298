"""The attack on grouping methods: against every world of small tables, by literal replay."""

import itertools
import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.formation
import naive.grouping
import sfumato as sf
from attacks.grouped_worlds import (
    CASES,
    by_frequency,
    counted,
    groups_in,
    in_proportion,
    parts_of,
    target_of,
    worlds_say,
)
from attacks.made import VALUE_TREE, VALUES, or_certain
from profiles import examples
from sfumato.algorithms import Algorithm
from sfumato.attacks import CannotRun, Target
from sfumato.attacks.grouping import MethodBased
from sfumato.attacks.known_method import solver
from sfumato.formulas.minimality.posterior import posterior

SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 120))]
PER_SEED = 30


def values_of(rng):
    """Values of a few people in a row, neighbours often alike; not too many worlds."""
    n_values = int(rng.integers(2, 5))
    n = int(rng.integers(3, {2: 12, 3: 9, 4: 8}[n_values]))
    chosen = rng.choice(VALUES, n_values, replace=False)
    values = [str(v) for v in rng.choice(chosen, n, p=rng.dirichlet(np.full(n_values, 1.5)))]
    return sorted(values) if rng.random() < 0.2 else values


def method_for(case, rng, kind):
    anatomize = case.partition is not None and bool(rng.random() < 0.4)
    if kind == "greedy" and isinstance(case.criterion, sf.LDiversity):
        margin = Fraction(3, 2) if case.criterion.kind == "frequency" and rng.random() < 0.3 else 1
        return sf.GreedyGrouping(margin=margin, anatomize=anatomize)
    if kind == "greedy":
        return sf.GreedyGrouping(anatomize=anatomize)
    if kind == "randomized":
        return sf.RandomizedGrouping(str(rng.choice(["1/3", "13/20", "9/10"])), anatomize=anatomize)
    return sf.SymmetricGrouping(anatomize=anatomize)


def formed_as_written(method, recoding, n_people):
    """Where tosses decided where groups ended, what the publisher wrote down of it."""
    if recoding.formed is None or not isinstance(method, sf.RandomizedGrouping):
        return None
    group = np.full(n_people, -1)
    group[recoding.combinations.codes("q")[recoding.parts[:, 0]]] = recoding.formed[:, 0]
    return parts_of(group.tolist())


def compared(values, case, method, target, group):
    """Compare beliefs for each position, and the finding, with what all worlds say."""
    parts = parts_of(group)
    written = formed_as_written(method, target.recoding, len(values))
    expected, formed, unit = worlds_say(values, case, method, parts, written)
    same_for_positions(target, method, case, expected, parts, formed, unit)
    finding = MethodBased().find(target)
    counts = counted(values)
    exceeding = [
        i for i, shares in expected.items() if not case.believable(in_proportion(shares), counts)
    ]
    exceeding = or_certain(exceeding, expected, case.criterion, values)
    assert finding.n_exceeding == len(exceeding)
    left_over = None if target.n_suppressed else True  # of them, see below
    assert finding.holds is (False if exceeding else left_over)
    if len(case.criterion.parts) == 1:
        assert finding.found == max(
            sum(shares.get(v, Fraction(0)) for v in pool)
            for shares in expected.values()
            for pool in case.protected
        )
    return finding, expected


def same_for_positions(target, method, case, expected, parts, formed, unit):
    learned, members = MethodBased()._learned(target, method, case.criterion)
    assert not learned.unknown
    labels = members.frequencies.domains["s"].labels
    halves = isinstance(method, sf.SymmetricGrouping)
    bucket = {
        i: j // (((len(row) + 1) // 2) if halves else unit)
        for row in formed
        for j, i in enumerate(row)
    }
    seen = set()
    for each in learned.beliefs:
        part = parts[each.group]
        buckets = sorted({bucket[i] for i in part})
        assert len(buckets) == len(each.row) or len(each.row) == 1
        seen.update([each.group] if each.alike is None else each.alike.tolist())
        for i in part:
            row = each.row[buckets.index(bucket[i])] if len(each.row) > 1 else each.row[0]
            shares = zip(each.codes.tolist(), each.shares[row], strict=True)
            assert {labels[c]: share for c, share in shares if share} == expected[i]
    for g in set(range(len(parts))) - seen:  # nothing is learned
        values = [v for i in parts[g] for v in expected[i]]
        assert values
        assert all(expected[i] == expected[parts[g][0]] for i in parts[g])


@pytest.mark.long
@pytest.mark.parametrize("kind", ["greedy", "randomized", "symmetric"])
@pytest.mark.parametrize("seed", SEEDS)
def test_beliefs_are_exactly_what_all_worlds_say(seed, kind):
    rng = np.random.default_rng([seed, len(kind)])
    n = 0
    while n < PER_SEED:
        case = CASES[int(rng.integers(len(CASES)))]
        values, method = values_of(rng), method_for(case, rng, kind)
        try:
            target, group = target_of(values, case, method, int(rng.integers(1 << 30)))
        except sf.Unsatisfiable:
            continue
        try:
            compared(values, case, method, target, group)
        except AssertionError:
            print("EXAMPLE", values, str(case), str(method), group)
            raise
        n += 1


def released(values, criterion, method, **others):
    """Read a table in which everybody's place is his quasi-identifier, and release it."""
    columns = pa.table({"q": list(range(len(values))), "s": values, **others})
    table = sf.read(columns, ["q"], ["s", *others], hierarchies={"s": VALUE_TREE})
    return sf.anonymize(table, criterion, method)


@pytest.mark.long
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 12))]
)
def test_the_whole_path_says_what_all_worlds_say(seed):
    rng = np.random.default_rng([seed, 99])
    n = 0
    while n < 12:
        case = CASES[int(rng.integers(len(CASES)))]
        kind = ("greedy", "randomized", "symmetric")[n % 3]
        values = values_of(rng)
        method = replace_seed(method_for(case, rng, kind), int(rng.integers(1 << 30)))
        try:
            release = released(values, case.criterion, method)
        except sf.Unsatisfiable:
            continue
        if release.n_suppressed:  # of people who are left over, see below
            continue
        target = Target.of(release)
        group = groups_in(release.recoding, len(values))
        finding, _ = compared(values, case, method, target, group)
        again = MethodBased().run(release)
        assert (again.found, again.n_exceeding, again.holds) == (
            finding.found,
            finding.n_exceeding,
            finding.holds,
        )
        n += 1


def replace_seed(method, seed):
    given = {"anatomize": method.anatomize, "seed": seed}
    if isinstance(method, sf.GreedyGrouping):
        return sf.GreedyGrouping(margin=method.margin, **given)
    if isinstance(method, sf.RandomizedGrouping):
        return sf.RandomizedGrouping(method.p, **given)
    return sf.SymmetricGrouping(**given)


def test_many_parts_are_told_apart_by_their_numbers():
    """Twelve greedy groups partitioned into more than twenty: numbers beyond one digit."""
    values = ["1", "1", "2", "5"] * 6 + ["1", "1", "9", "9"] * 6
    method = sf.GreedyGrouping(anatomize=True, seed=3)
    release = released(values, sf.LDiversity(2, "frequency", ["1"]), method)
    group = groups_in(release.recoding, len(values))
    assert max(group) == 23
    finding = MethodBased().run(release)
    # Each group of four began with both who have the value.
    assert (finding.found, finding.n_exceeding) == (1, 24)
    assert finding.holds is False


def test_a_partitioned_release_that_was_loaded_gets_no_verdict(tmp_path):
    method = sf.GreedyGrouping(anatomize=True, seed=3)
    release = released(["1", "1", "2", "2"], sf.LDiversity(2, "frequency"), method)
    place = release.save(tmp_path / "made", experiment=True)
    finding = MethodBased().run(sf.load(place))
    assert finding.holds is None
    assert "which groups were one" in finding.note
    assert "without a verdict: method (s)" in sf.audit(sf.load(place)).heading


def test_a_method_that_does_not_say_how_it_forms_groups_is_not_taken_for_greedy():
    @dataclass(frozen=True)
    class _Pairs(Algorithm):
        """Groups people as Anatomy does, and might have looked at quasi-identifiers."""

        bucketized = True

        def search(self, frequencies, criterion, draw):
            return sf.Anatomy().search(frequencies, criterion, draw)

    values = ["1", "2", "1", "2", "5", "1"]
    release = released(values, sf.LDiversity(2, "frequency"), _Pairs())
    with pytest.raises(CannotRun, match="does not say how its groups are formed"):
        MethodBased().run(release)
    assert MethodBased().run(released(values, sf.KAnonymity(2), _Pairs())).found  # nothing to learn


def test_a_loaded_release_says_the_same(tmp_path):
    values = ["1", "1", "2", "2", "1", "2", "2", "1", "5"]
    release = released(values, sf.LDiversity(2, "frequency", ["1"]), sf.GreedyGrouping(seed=1))
    place = release.save(tmp_path / "made", experiment=True)
    for each in (release, sf.load(place)):
        found = MethodBased().run(each)
        assert (found.found, found.n_exceeding) == (1, 2)


@pytest.mark.parametrize(
    ("names", "needs"),
    [
        (["1", "1", "2", "2"], (2, 2)),
        (["1", "1", "2", "2", "5"], (2, 2)),
        (["1", "2", "5", "5", "2"], (2, 2)),
        (["1", "1", None, None, None], (2, 2)),
        (["1", None, "2", None, None], (2, 2)),
        (["1", "1", "2", "2", "5", "9"], (2, 3)),
        (["1", "1", "2", "2", "5", "5"], (3, 3)),
        (["1", "1", "1", None, None, None], (2, 2)),
    ],
)
def test_all_worlds_are_as_likely_to_be_partitioned_as_they_were(names, needs):
    """Dealing values within the parts does not change how likely Anatomy makes these parts."""
    parts = naive.grouping.anatomy(names, *needs, [3] * 6, range(len(names)))
    assert len(parts) > 1
    found = set()
    letters = ["-" if name is None else name for name in names]
    for dealt in itertools.product(
        *(naive.formation.orders([letters[i] for i in part]) for part in parts)
    ):
        world = [None] * len(names)
        for part, own in zip(parts, dealt, strict=True):
            for i, name in zip(part, own, strict=True):
                world[i] = None if name == "-" else name
        found.add(naive.formation.chance_of_parts(world, *needs, parts))
    assert len(found) == 1
    assert 0 < found.pop() < 1


def test_whoever_comes_first_of_a_larger_group_is_given_away_one_at_a_time():
    """Someone without a protected value is a group alone; so a larger group began with one."""
    values = ["5", "1", "2", "5", "1", "9", "9", "1", "1", "5", "2", "9", "9", "9"]
    criterion = sf.LDiversity(3, "frequency", ["1"]) & sf.KAnonymity(1)
    release = released(values, criterion, sf.GreedyGrouping(seed=1))
    group = groups_in(release.recoding, len(values))
    assert group == [0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4]
    assert MethodBased().run(release).found == 1
    learned, members = MethodBased()._learned(Target.of(release), release.method, criterion)
    one = members.frequencies.domains["s"].code_of("1")
    for each in learned.beliefs:
        share = [row[each.codes.tolist().index(one)] for row in each.shares]
        assert share[each.row[0]] == 1
        assert share[each.row[-1]] == 0
    # In buckets of l, as it is without the second criterion, nobody is certain.
    in_buckets = released(values, criterion.parts[0], sf.GreedyGrouping(seed=1))
    assert MethodBased().run(in_buckets).found < 1


@pytest.mark.long
def test_several_sensitive_columns_against_all_worlds():
    """A group is safe when the pairs of values that people have are safe in one column."""
    rng = np.random.default_rng(5)
    tried = 0
    while tried < 8:
        n = int(rng.integers(4, 8))
        values = [str(v) for v in rng.choice(VALUES[:3], n)]
        other = ["x", "y", *(str(v) for v in rng.choice(["x", "y"], n - 2))]
        criterion = sf.LDiversity(2, "frequency", attribute="s")
        twin, unit = by_frequency(2).keeps, 2
        if tried % 2:
            criterion &= sf.LDiversity(2, attribute="o")
            unit = 1
        try:
            release = released(values, criterion, sf.GreedyGrouping(seed=1), o=other)
        except sf.Unsatisfiable:
            continue
        pairs = list(zip(values, other, strict=True))

        def keeps(group, twin=twin, both=tried % 2):
            s, o = [a for a, _ in group], [b for _, b in group]
            return twin(s, None) and (not both or len(set(o)) >= 2)

        parts = parts_of(groups_in(release.recoding, n))
        chance = naive.formation.chance_of_greedy(parts, unit)
        expected = naive.formation.method_posterior(pairs, parts, keeps, chance)
        for column, attribute in enumerate("so"):
            beliefs = []
            for shares in expected.values():
                row = {}
                for pair, share in shares.items():
                    row[pair[column]] = row.get(pair[column], 0) + share
                beliefs.append(max(row.values()))
            finding = MethodBased(attribute=attribute).run(release)
            assert finding.found == max(beliefs)
            limit = Fraction(1, 2) if attribute == "s" else Fraction(1)
            too_much = [b > limit if attribute == "s" else b == limit for b in beliefs]
            assert finding.n_exceeding == sum(too_much)
        tried += 1


@pytest.mark.long
@pytest.mark.long
@pytest.mark.parametrize("kind", ["greedy", "randomized", "symmetric"])
def test_sums_say_what_tables_say(kind, monkeypatch):
    """One bounded value needs no tables of counts: sums along the buckets, or halves, do."""
    cases = [
        by_frequency(2, ["1"]),
        by_frequency(3, ["1"]),
        by_frequency("5/2", ["1"]),
        by_frequency(2, ["1", "2"], pooled=True),
        by_frequency(3),  # where all values but one are too rare to break anything
        next(case for case in CASES if str(case).startswith("AlphaKAnonymity(alpha='2/3'")),
    ]
    called = Counter()

    def without_tables(*args, **named):
        found = posterior(*args, **(named | {"most_tables": 0}))
        called["summed" if found.n_effective is None else "sampled"] += 1
        return found

    rng = np.random.default_rng(len(kind))
    n = 0
    while n < 60:
        case = cases[n % len(cases)]
        length = int(rng.integers(6, 40))
        values = [str(v) for v in rng.choice(VALUES, length, p=[0.3, 0.1, 0.3, 0.3])]
        if n % len(cases) == 4:
            values = ["1"] * 3 + [VALUES[i % 4] for i in range(9)]
        method = method_for(case, rng, kind)
        if method.anatomize:
            continue
        try:
            target, _ = target_of(values, case, method, n)
        except sf.Unsatisfiable:
            n += 1
            continue
        by_tables = MethodBased().find(target)
        with monkeypatch.context() as patch:
            patch.setattr(solver, "posterior", without_tables)
            by_sums = MethodBased().find(target)
        if by_sums.interval is None and "sampled" not in (by_sums.note or ""):
            assert float(by_sums.found) == pytest.approx(float(by_tables.found), rel=1e-9)
            assert by_sums.n_exceeding == by_tables.n_exceeding
            assert by_sums.holds == by_tables.holds
        n += 1
    assert called["summed"] > 20


# ----------------------------------------------------------------- people who are alike in a row


def in_a_row(recoding, labels):
    """(quasi-identifier, value, group) of published people, group after group as they stand."""
    ground = recoding.combinations
    groups = {}
    for key, group, n in recoding.parts.tolist():
        who = (int(ground.codes("q")[key]), labels[int(ground.codes("s")[key])])
        groups.setdefault(group, []).extend([who] * n)
    assert -1 not in groups
    ordered = sorted(groups.values(), key=lambda them: (min(them), max(them)))
    ordered.sort(key=lambda them: (min(q for q, _ in them), max(q for q, _ in them)))
    return [(q, value, g) for g, them in enumerate(ordered) for q, value in sorted(them)]


@pytest.mark.every
@pytest.mark.long
@pytest.mark.parametrize("kind", ["greedy", "randomized", "symmetric"])
@pytest.mark.parametrize("seed", SEEDS[:40])
def test_of_people_who_are_alike_the_same_is_believed(seed, kind):
    """Their places are theirs by lot: the average over all worlds and over all these places."""
    rng = np.random.default_rng([seed, len(kind), 57])
    n = 0
    while n < 5:
        case = CASES[int(rng.integers(len(CASES)))]
        values, method = values_of(rng), method_for(case, rng, kind)
        if method.anatomize:
            continue
        known = sorted(rng.integers(0, 3, len(values)).tolist())
        columns = pa.table({"q": known, "s": values})
        table = sf.read(columns, ["q"], ["s"], hierarchies={"s": VALUE_TREE})
        try:
            release = sf.anonymize(table, case.criterion, method)
        except sf.Unsatisfiable:
            continue
        if release.n_suppressed:
            continue
        row = in_a_row(release.recoding, table.domains["s"].labels)
        parts = parts_of([g for _, _, g in row])
        ends = [(row[them[0]][0], row[them[-1]][0]) for them in parts]
        if len(set(zip(ends, map(len, parts), strict=True))) > len(set(ends)):
            continue  # which of two groups of people who are alike came first is not written down
        placed = [value for _, value, _ in row]
        expected, _, _ = worlds_say(placed, case, method, parts, None)
        beliefs, known = {}, [q for q, _, _ in row]
        for q in set(known):
            mine = [expected[i] for i, (other, _, _) in enumerate(row) if other == q]
            held = {value for shares in mine for value in shares}
            beliefs[q] = {
                v: sum(shares.get(v, Fraction(0)) for shares in mine) / len(mine) for v in held
            }
        finding = MethodBased().run(release)
        counts = counted(values)
        exceeding = [q for q in beliefs if not case.believable(in_proportion(beliefs[q]), counts)]
        exceeding = or_certain(exceeding, beliefs, case.criterion, values)
        assert finding.n_exceeding == sum(known.count(q) for q in exceeding)
        assert finding.holds is (not exceeding)
        if len(case.criterion.parts) == 1:
            assert finding.found == max(
                sum(shares.get(v, Fraction(0)) for v in pool)
                for shares in beliefs.values()
                for pool in case.protected
            )
        n += 1


def test_four_alike_two_of_them_positive_are_believed_to_be_so_by_half():
    """Whoever stood first had it for certain (the group went on), but nobody knows who that was."""
    promise = sf.LDiversity(2, "frequency", values=["1"])
    for seed in range(8):
        method = sf.GreedyGrouping(seed=seed)
        columns = pa.table({"q": ["a"] * 4, "s": ["1", "1", "2", "2"]})
        release = sf.anonymize(sf.read(columns, ["q"], ["s"]), promise, method)
        finding = MethodBased().run(release)
        if len(release.sizes) == 1 and not release.n_suppressed:
            assert (finding.found, finding.holds) == (Fraction(1, 2), True)
            break
    else:
        raise AssertionError("no seed puts both who have it first")


# ------------------------------------------------------------------- people who were left over


def left_over_by_hand(published, named, n, keeps, unit):
    """Beliefs for each of `n` places at the end of a row of which no beginning was safe."""
    values = sorted({*published, *named, "another value"})
    whole = len(published) + len(values)
    prior = {v: Fraction(published.count(v) + 1, whole) for v in values}
    total, believed = Fraction(0), [dict.fromkeys(values, Fraction(0)) for _ in range(n)]
    never = dict.fromkeys(range(n + 1), False)
    for world in itertools.product(values, repeat=n):
        safe = naive.formation.keeping(lambda group: keeps(list(group), None), world)
        if naive.grouping.greedy_grouping(list(range(n)), safe, unit, never)[0]:
            continue
        if not {*published, *world} >= {*named}:
            continue  # refused: nobody has what was named
        weight = math.prod((prior[v] for v in world), start=Fraction(1))
        total += weight
        for i, v in enumerate(world):
            believed[i][v] += weight
    return prior, [{v: share / total for v, share in each.items()} for each in believed]


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS[:40])
def test_of_people_who_were_left_over_everything_is_believed_that_worlds_say(seed):
    rng = np.random.default_rng([seed, 55])
    cases = [each for each in CASES if each.criterion.bounds_shares]
    n = 0
    while n < 4:
        case = cases[int(rng.integers(len(cases)))]
        values = values_of(rng)
        known = list(range(len(values)))
        if rng.random() < 0.5:
            known = sorted(rng.integers(0, 4, len(values)).tolist())
        table = sf.read(pa.table({"q": known, "s": values}), ["q"], ["s"])
        try:
            release = sf.anonymize(table, case.criterion, sf.GreedyGrouping())
        except (sf.Unsatisfiable, sf.BadInput):
            continue
        if not 0 < release.n_suppressed < 6:
            continue
        ground = release.recoding.combinations
        gone = [
            int(ground.codes("q")[key])
            for key, group, m in release.recoding.parts.tolist()
            for _ in range(m if group < 0 else 0)
        ]
        published = release.to_arrow("sensitive")["s"].to_pylist()
        named = [v for pool in case.protected for v in pool] if case.criterion.values else []
        unit = min(case.unit, len(values))
        prior, believed = left_over_by_hand(published, named, len(gone), case.keeps, unit)
        formation = release.method.formation(case.criterion, table.frequencies())
        target = Target.of(release)
        found = MethodBased()._left_over(target, release.recoding, formation, len(values))
        labels = table.domains["s"].labels
        if found is None:  # which of several values that count as one is missing is not followed
            assert any(len(pool) > 1 and not {*published} >= {*pool} for pool in case.protected)
            continue
        for q in set(gone):
            mine = [shares for at, shares in zip(sorted(gone), believed, strict=True) if at == q]
            assert found.people[q] == len(mine)
            for code, share in found.shares[q].items():
                assert share == sum(each[labels[code]] for each in mine) / len(mine)
        assert {labels[code]: share for code, share in found.before.items()} == {
            v: share for v, share in prior.items() if v in labels
        }
        n += 1


def test_who_is_missing_from_the_release_has_what_kept_them_out():
    """Cormode's footnote 1: c and d are left over, so both have HIV."""
    columns = pa.table({"q": list("abcd"), "s": ["neg", "neg", "HIV", "HIV"]})
    promise = sf.LDiversity(2, "frequency", values=["HIV"])
    release = sf.anonymize(sf.read(columns, ["q"], "s"), promise, sf.GreedyGrouping())
    assert release.n_suppressed == 2
    finding = MethodBased().run(release)
    assert (finding.found, finding.holds, finding.n_exceeding) == (1, False, 2)
    assert finding.worst["group"] == "suppressed"
    assert finding.worst["who"] in ({"q": "c"}, {"q": "d"})
    assert sf.audit(release).holds is False
    assert MethodBased().run(Target.public(release)).holds is None


# ------------------------------------------------------------- a distribution that is not at hand


def known_publicly(release):
    """What everybody sees of a release, who has no original."""
    return sf.attacks.Target.public(release)


def test_closeness_is_not_judged_by_a_distribution_that_is_not_at_hand():
    """Two of w x y y w y z are suppressed: what is published is not the original's distribution."""
    table = sf.read(pa.table({"q": list("abcdefg"), "s": list("wxyywyz")}), ["q"], "s")
    release = sf.anonymize(table, sf.TCloseness("0.3"), sf.GreedyGrouping())
    assert release.n_suppressed == 2
    assert MethodBased().run(release).holds is False
    public = known_publicly(release)
    assert MethodBased().run(public).holds is None
    assert sf.attacks.Skewness().run(public).holds is None


@pytest.mark.long
@examples(60)
@given(
    st.lists(st.sampled_from("wxyz"), min_size=4, max_size=9),
    st.sampled_from(["1/10", "3/10", "1/2", "7/10"]),
    st.sampled_from(["equal", "ordered"]),
)
def test_without_the_original_a_verdict_on_closeness_is_the_same_or_none(values, t, distance):
    table = sf.read(pa.table({"q": list("abcdefghi"[: len(values)]), "s": values}), ["q"], "s")
    try:
        release = sf.anonymize(table, sf.TCloseness(t, distance), sf.GreedyGrouping())
    except sf.Unsatisfiable:
        return
    public = known_publicly(release)
    for attack in (MethodBased(), sf.attacks.Skewness()):
        known, told = attack.run(release).holds, attack.run(public).holds
        assert told in (known, None)
        if not release.n_suppressed:
            assert told == known


# --------------------------------------------------------------- loaded, and the original at hand


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    "method",
    [sf.GreedyGrouping(), sf.SymmetricGrouping(), sf.RandomizedGrouping(p="1/2")],
    ids=str,
)
def test_a_loaded_release_with_its_original_says_what_the_one_made_here_says(
    method, kind, tmp_path
):
    """Who is in which group the first table says, and who stands where the original's order."""
    rng = np.random.default_rng([len(str(method)), len(kind)])
    n = 0
    while n < 6:
        values = values_of(rng)
        known = rng.integers(0, 5, len(values)).tolist()
        table = sf.read(pa.table({"q": known, "s": values}), ["q"], ["s"])
        promise = sf.LDiversity(2, "frequency", [values[0]])
        try:
            release = sf.anonymize(table, promise, method)
        except (sf.Unsatisfiable, sf.BadInput):
            continue
        loaded = sf.load(release.save(tmp_path / str(n), format=kind))
        here, there = MethodBased().run(release), MethodBased().run(loaded, table)
        assert (here.found, here.holds, here.n_exceeding) == (
            *(there.found, there.holds, there.n_exceeding),
        )
        n += 1


def test_four_alike_are_not_told_apart_where_the_release_was_loaded(tmp_path):
    promise = sf.LDiversity(2, "frequency", values=["1"])
    columns = pa.table({"q": ["a"] * 4, "s": ["1", "1", "2", "2"]})
    table = sf.read(columns, ["q"], ["s"])
    for seed in range(8):
        release = sf.anonymize(table, promise, sf.GreedyGrouping(seed=seed))
        if len(release.sizes) == 1 and not release.n_suppressed:
            loaded = sf.load(release.save(tmp_path / "out", experiment=True))
            assert MethodBased().run(loaded, table).found == Fraction(1, 2)
            assert MethodBased().run(loaded).found == 1  # where everybody's place is known
            break
    else:
        raise AssertionError("no seed puts both who have it first")


def test_that_a_value_was_named_tells_of_people_who_were_left_over():
    """Without somebody who has x the table would have been refused: it is the one left over."""
    people = pa.table({"q": list("abc"), "s": ["z", "z", "x"]})
    table = sf.read(people, {"q": sf.Flat()}, "s")
    promise = sf.KAnonymity(2) & sf.LDiversity(2, "frequency", ["x"])
    release = sf.anonymize(table, promise, sf.GreedyGrouping())
    assert release.n_suppressed == 1
    finding = MethodBased().run(release)
    assert (finding.found, finding.holds, finding.n_exceeding) == (1, False, 1)
    assert sf.audit(release).verdict == "failed"
