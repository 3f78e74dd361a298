"""The minimality attack on releases: against every world of small tables, and Wong's tables."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import naive.minimality
import sfumato as sf
from attacks.made import (
    BELOW,
    CRITERIA,
    PATHS,
    believed,
    by_counts,
    cut,
    local,
    or_certain,
    release_of,
    rows_of,
    table_of,
    target_of,
)
from sfumato.attacks import CannotRun, DoesNotApply, Target
from sfumato.attacks.known_method.membership import members_of
from sfumato.attacks.known_method.rejected_steps import local_problems
from sfumato.attacks.minimality import Minimality, credibility
from sfumato.formulas.minimality.posterior import RejectedStep, posterior

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
SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 60))]
PER_SEED = 12


def until(learned, least=PER_SEED):
    """Count some rounds, and go on until something was learned."""
    for i in range(20 * least):
        if i >= least and any(learned):
            return
        yield i


def breaking(keeps, everybody):
    return lambda child: not keeps(child, everybody)


def without_zeros(found):
    return {q: {v: share for v, share in row.items() if share} for q, row in found.items()}


def people_of(rows, n_columns, groups):
    return [
        {"q": tuple(row[f"q{c}"] for c in range(n_columns)), "s": row["s"], "group": group}
        for row, group in zip(rows, groups, strict=True)
    ]


def chosen(rng):
    """Give a number of columns, rows, a criterion and its twin."""
    n_columns = int(rng.integers(1, 3))
    fast, keeps = CRITERIA[int(rng.integers(len(CRITERIA)))]
    return n_columns, rows_of(rng, n_columns), fast, keeps


def full_domain_case(rng):
    """Give a release by a full-domain method, and all the twin needs; None: nothing to attack."""
    n_columns, rows, fast, keeps = chosen(rng)
    method = FULL_DOMAIN[int(rng.integers(len(FULL_DOMAIN)))]
    try:
        release = sf.anonymize(table_of(rows, n_columns), fast, method)
    except sf.Unsatisfiable:
        return None
    node = list(release.levels.values())
    everybody = [row["s"] for row in rows]
    labels = [tuple(PATHS[c][row[f"q{c}"]][node[c]] for c in range(n_columns)) for row in rows]
    by_label = {}
    for row, label in zip(rows, labels, strict=True):
        by_label.setdefault(label, []).append(row["s"])
    groups = [label if keeps(by_label[label], everybody) else None for label in labels]
    limit = min(getattr(method, "max_suppressed", 0), len(rows) - 1)
    people = people_of(rows, n_columns, groups)
    steps = naive.minimality.full_domain_steps(people, PATHS, node, limit)
    return release, people, steps, keeps, everybody


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_full_domain_releases_say_what_all_worlds_say(seed):
    rng = np.random.default_rng(seed)
    learned = []
    for _ in until(learned):
        case = full_domain_case(rng)
        if case is None:
            continue
        release, people, steps, keeps, everybody = case
        slow, truly = naive.minimality.minimality(people, steps, breaking(keeps, everybody))
        assert truly  # these methods are minimal
        assert believed(release) == without_zeros(slow)
        learned.append(compared(release, people, slow, keeps, everybody))
    assert any(learned)


def compared(release, people, slow, keeps, everybody):
    """Hold the finding against credibilities; returns whether the method gave anything away."""
    finding = Minimality().find(target_of(release))
    before = naive.minimality.group_shares([person | {"q": person["group"]} for person in people])
    inside = [person for person in people if person["group"] is not None]
    exceeding = [q for q in slow if not keeps_beliefs(slow[q], keeps, everybody, release)]
    exceeding = or_certain(exceeding, slow, release.criterion, everybody)
    n_exceeding = sum(person["q"] in exceeding for person in inside)
    assert finding.n_exceeding == n_exceeding
    assert finding.holds is (False if n_exceeding else None)  # of the last step: no more is shown
    shown = shown_part(slow, release.criterion)
    assert finding.found == most(slow, shown)
    assert finding.before == most(before, shown)
    assert finding.interval is None
    return slow != naive.minimality.group_shares(people)


def keeps_beliefs(row, keeps, everybody, release):
    """Ask a criterion of a group that has the values as often as they are believed."""
    whole = np.lcm.reduce([share.denominator for share in row.values()])
    k = max(2, release.criterion.least_size)  # so many that sizes do not matter
    values = [v for v, share in row.items() for _ in range(int(share * whole) * k)]
    return keeps(values, everybody)


def shown_part(slow, criterion):
    """Of several value sets, the one whose bound is exceeded most, or nearly so."""
    sets = [part for part in criterion.parts if getattr(part, "values", None)]
    if len(sets) < 2:
        return criterion
    return max(
        sets, key=lambda part: (most(slow, part) > 1 / part.l, most(slow, part) - 1 / part.l)
    )


def most(beliefs, criterion):
    """The largest belief in the values that the criterion protects, pooled ones together."""
    part = next((p for p in criterion.parts if getattr(p, "values", None)), None)
    largest = Fraction(0)
    for row in beliefs.values():
        named = () if part is None else part.values
        sets = [(v,) for v in row]
        if part is not None and not part.pooled:
            sets = [BELOW.get(v, (v,)) for v in named]
        elif part is not None:
            alone = [] if part.kind == "frequency" else [(v,) for v in row if v not in named]
            sets = [named, *alone]
        largest = max(largest, *(sum(row.get(v, Fraction(0)) for v in each) for each in sets))
    return largest


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_strict_mondrian_says_what_all_worlds_say(seed):
    rng = np.random.default_rng(seed)
    learned = []
    for _ in until(learned):
        n_columns, rows, fast, keeps = chosen(rng)
        table = table_of(rows, n_columns)
        try:
            release = sf.anonymize(table, fast, sf.Mondrian())
        except sf.Unsatisfiable:
            continue
        everybody = [row["s"] for row in rows]
        people = people_of(rows, n_columns, regions_of(release, table, rows, n_columns))
        steps = naive.minimality.region_steps(people, [list(PATHS[c]) for c in range(n_columns)])
        slow, truly = naive.minimality.minimality(people, steps, breaking(keeps, everybody))
        assert truly
        assert believed(release) == without_zeros(slow)
        learned.append(compared(release, people, slow, keeps, everybody))
    assert any(learned)


def regions_of(release, table, rows, n_columns):
    """Give the number of the region of each row."""
    how = release.recoding
    region = dict(zip(how.parts[:, 0].tolist(), how.parts[:, 1].tolist(), strict=True))
    ground = how.combinations
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1).tolist()
    found = []
    for row in rows:
        code = [table.domains[f"q{c}"].code_of(row[f"q{c}"]) for c in range(n_columns)]
        found.append(region[codes.index(code)])
    return found


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_local_recoding_says_what_all_worlds_say(seed):
    """Any labels on the paths of people's values, whether an algorithm would choose them or not."""
    rng = np.random.default_rng(seed)
    learned = []
    for _ in until(learned):
        n_columns, rows, fast, keeps = chosen(rng)
        top = [PATHS[c][row[f"q{c}"]][-1] for row in rows for c in range(n_columns)]
        tops = [tuple(top[i : i + n_columns]) for i in range(0, len(top), n_columns)]
        labels = [
            whole
            if rng.random() < 0.6
            else tuple(str(rng.choice(PATHS[c][row[f"q{c}"]])) for c in range(n_columns))
            for row, whole in zip(rows, tops, strict=True)
        ]
        release = release_of(table_of(rows, n_columns), local(rows, labels), "local")
        everybody = [row["s"] for row in rows]
        people = people_of(rows, n_columns, labels)
        steps = naive.minimality.local_steps(people, PATHS[:n_columns])
        slow, _ = naive.minimality.minimality(people, steps, breaking(keeps, everybody))
        attack = Minimality(enforced=fast)
        if slow is None:
            assert "could have gone further down" in attack.run(release).note
            continue
        assert believed(release, attack) == without_zeros(slow)
        learned.append(slow != naive.minimality.group_shares(people))
    assert any(learned)


@pytest.mark.long
def test_people_of_one_combination_dealt_out_by_counts_are_where_the_table_says():
    """Who of a class goes where is chance then; what counts are the published values."""
    rng = np.random.default_rng(4)
    learned = []
    for _ in until(learned, 8):
        n_columns, rows, fast, keeps = chosen(rng)
        top = ("*",) * n_columns
        raw = [tuple(row[f"q{c}"] for c in range(n_columns)) for row in rows]
        labels = [top if i % 2 else q for i, q in enumerate(raw)]
        release = release_of(table_of(rows, n_columns), by_counts(rows, labels), "local")
        published = {}
        for row in release.to_arrow().to_pylist():
            label = tuple(row[f"q{c}"] for c in range(n_columns))
            published.setdefault(label, []).append(row["s"])
        dealt = [
            row | {"s": published[label].pop()} for row, label in zip(rows, labels, strict=True)
        ]
        people = people_of(dealt, n_columns, labels)
        everybody = [row["s"] for row in rows]
        steps = naive.minimality.local_steps(people, PATHS[:n_columns])
        slow, _ = naive.minimality.minimality(people, steps, breaking(keeps, everybody))
        if slow is None:
            continue
        assert believed(release, Minimality(enforced=fast)) == without_zeros(slow)
        learned.append(release.recoding.splits and slow != naive.minimality.group_shares(people))
    assert any(learned)


CUTS = [
    [["a1", "a2", "b1", "b2"], ["a", "b1", "b2"], ["a1", "a2", "b"], ["a", "b"], ["*"]],
    [["x1", "x2", "x3"], ["*"]],
]


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_say_what_all_worlds_say(seed):
    rng = np.random.default_rng(seed)
    learned = []
    for _ in until(learned, 4 * PER_SEED):
        n_columns, rows, fast, keeps = chosen(rng)
        nodes = [CUTS[c][int(rng.integers(1, len(CUTS[c])))] for c in range(n_columns)]
        labels = [
            tuple(
                next(label for label in PATHS[c][row[f"q{c}"]] if label in nodes[c])
                for c in range(n_columns)
            )
            for row in rows
        ]
        everybody = [row["s"] for row in rows]
        people = people_of(rows, n_columns, labels)
        steps = naive.minimality.cut_step_list(people, PATHS[:n_columns])
        slow, truly = naive.minimality.minimality(people, steps, breaking(keeps, everybody))
        if (not truly and rng.random() < 0.8) or not steps:
            continue
        release = release_of(table_of(rows, n_columns), cut(nodes), "cut")
        attack = Minimality(enforced=fast)
        if not truly:
            with pytest.raises(CannotRun, match="would have been safe"):
                attack.find(target_of(release))
            continue
        assert believed(release, attack) == without_zeros(slow)
        learned.append(slow != naive.minimality.group_shares(people))
    assert any(learned)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_one_group_at_a_time_is_the_adversary_who_knows_everybody_else(seed, monkeypatch):
    """Where groups cannot be followed together: full-domain, the others fixed at the truth."""
    monkeypatch.setattr("sfumato.attacks.known_method.solver.MOST_TOGETHER", 0)
    rng = np.random.default_rng(1000 + seed)
    learned = []
    for _ in until(learned):
        case = full_domain_case(rng)
        if case is None:
            continue
        release, people, steps, keeps, everybody = case
        found = believed(release)
        for group in {person["group"] for person in people} - {None}:
            known = [p if p["group"] == group else p | {"group": None} for p in people]
            slow, _ = naive.minimality.minimality(known, steps, breaking(keeps, everybody))
            for q, row in without_zeros(slow).items():
                assert found[q] == row
                learned.append(row != naive.minimality.group_shares(known)[q])
    assert any(learned)


# ---- Wong's tables


def hospital(classes, tree):
    """Read a table of {class: [diseases]}; classes are values of one column."""
    rows = [(q, s) for q, values in classes.items() for s in values]
    table = pa.table({"q": [q for q, _ in rows], "s": [s for _, s in rows]})
    return sf.read(table, {"q": sf.Tree(tree)}, "s")


def n(count, value):
    return [value] * count


HIV = sf.LDiversity(2, "frequency", ["HIV"])
TABLE_1 = {"q1": n(2, "HIV"), "q2": n(5, "none")}


def test_table_1_discloses_q1():
    release = sf.anonymize(hospital(TABLE_1, {"Q": ["q1", "q2"]}), HIV, sf.Samarati())
    finding = Minimality().run(release)
    assert (finding.before, finding.found) == (Fraction(2, 7), 1)
    assert str(finding.promised) == "<= 0.5"
    assert (finding.holds, finding.n_exceeding) == (False, 2)
    assert finding.worst["who"] == {"q": "q1"}
    assert finding.worst["value"] == "HIV"
    assert finding.note is None
    assert sf.attacks.Homogeneity().run(release).holds


def test_table_1_by_local_recoding():
    rows = [{"q": q, "s": s} for q, values in TABLE_1.items() for s in values]
    labels = [("Q",)] * 4 + [("q2",)] * 3
    table = hospital(TABLE_1, {"Q": ["q1", "q2"]})
    release = release_of(table, local(rows, labels), "local", HIV)
    assert Minimality().run(release).found == 1
    assert Minimality().run(release).before == Fraction(1, 2)


def test_two_groups_like_table_1_in_one_full_domain_release():
    classes = TABLE_1 | {"r1": n(2, "HIV"), "r2": n(5, "none")}
    table = hospital(classes, {"Q": ["q1", "q2"], "R": ["r1", "r2"]})
    release = sf.anonymize(table, HIV, sf.Incognito())
    assert release.levels == {"q": 1}
    finding = Minimality().run(release)
    assert finding.found == Fraction(26, 41)
    assert finding.n_exceeding == 4


@pytest.mark.parametrize("kind", ["global", "local"])
def test_table_3_all_values_are_sensitive(kind):
    diseases = ["Gallstones", "Lung Cancer", "Ulcer", "Alzheimer", "Diabetes"]
    classes = {"q1": n(2, "HIV"), "q2": diseases}
    table = hospital(classes, {"Q": ["q1", "q2"]})
    rule = sf.LDiversity(2, "frequency")
    if kind == "global":
        release = sf.anonymize(table, rule, sf.Exhaustive())
    else:
        rows = [{"q": q, "s": s} for q, values in classes.items() for s in values]
        release = release_of(table, local(rows, [("Q",)] * 4 + [("q2",)] * 3), "local", rule)
    finding = Minimality().run(release)
    assert finding.found == 1
    assert finding.worst["value"] == "HIV"


def test_table_4_near_to_minimality():
    """3-diversity was enforced where 2-diversity was promised: q1 is believed with 2/3."""
    classes = {"q1": [*n(2, "HIV"), "none"], "q2": n(8, "none")}
    table = hospital(classes, {"Q": ["q1", "q2"]})
    strict = sf.LDiversity(3, "frequency", ["HIV"])
    release = sf.anonymize(table, strict, sf.Samarati())
    promised = Target.of(release, criterion=HIV)
    finding = Minimality(enforced=strict).find(promised)
    assert finding.found == Fraction(2, 3)
    assert (finding.holds, finding.n_exceeding) == (False, 3)
    assert "having been enforced" in finding.knows
    for kept_to in (None, strict):  # a release made here says itself what was enforced
        report = sf.audit(release, criterion=HIV, enforced=kept_to)
        found = {each.attack: each for each in report.findings}
        for attack in ("minimality", "mechanism"):
            assert (found[attack].found, found[attack].holds) == (Fraction(2, 3), False)


def test_tables_6_and_7():
    classes = {
        "q1": n(2, "HIV"),
        "q2": ["HIV", "none"],
        "q3": [*n(2, "HIV"), *n(8, "none")],
    }
    table = hospital(classes, {"Q": ["q1", "q2", "q3"]})
    release = sf.anonymize(table, HIV, sf.Samarati())
    found = believed(release)
    assert found["q1",]["HIV"] == found["q2",]["HIV"] == Fraction(53, 86)
    assert found["q3",]["HIV"] == Fraction(109, 430)
    assert Minimality().run(release).n_exceeding == 4


def test_table_10_local_recoding_counts_the_whole_class():
    classes = {
        "q1": [*n(3, "HIV"), *n(2, "none")],
        "q2": [*n(1, "HIV"), *n(7, "none")],
    }
    rows = [{"q": q, "s": s} for q, values in classes.items() for s in values]
    labels = [("Q",), *n(4, ("q1",)), *n(7, ("q2",)), ("Q",)]  # an HIV of q1, a none of q2
    table = hospital(classes, {"Q": ["q1", "q2"]})
    release = release_of(table, local(rows, labels), "local", HIV)
    found = believed(release)
    assert found["q1",]["HIV"] == Fraction(3, 5)
    assert found["q2",]["HIV"] == Fraction(1, 8)
    finding = Minimality().run(release)
    assert (finding.found, finding.n_exceeding, finding.holds) == (Fraction(3, 5), 5, False)


def test_table_11_recursive_diversity():
    classes = {
        "q1": [*n(2, "HIV"), "Diabetics"],
        "q2": ["Lung Cancer", "Ulcer", "Alzheimer", "Gallstones"],
    }
    table = hospital(classes, {"Q": ["q1", "q2"]})
    release = sf.anonymize(table, sf.RecursiveDiversity(3, 3), sf.Samarati())
    finding = Minimality().run(release)
    assert finding.found == Fraction(2, 3)
    # And yet what is believed of q1 is (3, 3)-diverse: 10 < 3 (1 + 1 + 1 + 1).
    assert (finding.holds, finding.n_exceeding) == (None, 0)


# ---- What is large, what is read back, what is refused


def test_large_classes_are_counted_by_sums():
    """Far too many tables of counts; the paper's dynamic program takes over."""
    classes = {
        "q1": [*n(60, "HIV"), *n(50, "none")],
        "q2": [*n(40, "HIV"), *n(160, "cold")],
        "q3": [*n(30, "HIV"), *n(300, "none")],
        "q4": [*n(10, "HIV"), *n(170, "none")],
        "q5": [*n(9, "HIV"), *n(200, "none")],
    }
    table = hospital(classes, {"Q": list(classes)})
    release = sf.anonymize(table, HIV, sf.Samarati())
    sizes = [len(values) for values in classes.values()]
    expected = credibility(sizes, 149, 2)
    finding = Minimality().run(release)
    assert float(finding.found) == pytest.approx(max(expected), abs=1e-9)
    assert finding.interval is None
    found = believed(release)
    for q, share in zip(classes, expected, strict=True):
        assert float(found[q,]["HIV"]) == pytest.approx(share, abs=1e-9)
        assert float(found[q,]["cold"]) == pytest.approx((1 - share) * 160 / 880, abs=1e-9)


@pytest.mark.long
def test_what_cannot_be_enumerated_is_sampled_with_an_interval(monkeypatch):
    monkeypatch.setattr("sfumato.attacks.known_method.solver.MOST_TABLES", 10)
    counts = {"a": (5, 5), "b": (3, 4), "c": (3, 3), "d": (2, 3), "e": (2, 2), "f": (1, 2)}
    counts |= {"g": (0, 3), "h": (0, 2)}
    classes = {
        q: [value for value, both in counts.items() for _ in range(both[i])]
        for i, q in enumerate(("q1", "q2"))
    }
    table = hospital(classes, {"Q": ["q1", "q2"]})
    # All values are named, so that none counts as too rare to matter.
    release = sf.anonymize(table, sf.LDiversity(4, "frequency", values=[*counts]), sf.Samarati())

    def breaks(found):
        return 4 * found.max(axis=1) > found.sum(axis=1)

    histogram = np.array([sum(both) for both in counts.values()])
    step = RejectedStep.of([[0], [1]], 2, np.zeros((2, len(counts)), int))
    exact = posterior(np.array([16, 24]), histogram, [step], breaks, most_tables=10**6)
    finding = Minimality().run(release)
    truth = max(exact.of_cell(i, v) for i in range(2) for v in range(len(counts)))
    assert exact.exact
    assert finding.interval[0] <= truth <= finding.interval[1]
    assert finding.interval[0] < finding.found < finding.interval[1]
    assert finding.interval[1] - finding.interval[0] <= 0.04
    assert "1 group was sampled" in finding.note
    again, other = Minimality().run(release), Minimality(seed=1).run(release)
    assert finding.found == again.found != other.found


@pytest.mark.long
def test_values_too_rare_to_matter_are_dealt_as_one():
    counts = {"a": (5, 5), "b": (3, 4), "c": (3, 3), "d": (2, 3), "e": (2, 2), "f": (1, 2)}
    counts |= {"g": (0, 3), "h": (0, 2)}
    classes = {
        q: [value for value, both in counts.items() for _ in range(both[i])]
        for i, q in enumerate(("q1", "q2"))
    }
    table = hospital(classes, {"Q": ["q1", "q2"]})
    release = sf.anonymize(table, sf.LDiversity(4, "frequency"), sf.Samarati())

    def breaks(found):
        return 4 * found.max(axis=1) > found.sum(axis=1)

    histogram = np.array([sum(both) for both in counts.values()])
    step = RejectedStep.of([[0], [1]], 2, np.zeros((2, len(counts)), int))
    exact = posterior(np.array([16, 24]), histogram, [step], breaks, most_tables=10**6)
    found = believed(release)
    for i, q in enumerate(classes):
        for v, name in enumerate(counts):
            assert found[q,].get(name, 0) == exact.of_cell(i, v)


def test_a_loaded_release_with_its_original_says_the_same(tmp_path):
    classes = TABLE_1 | {"r1": n(2, "HIV"), "r2": n(5, "none")}
    table = hospital(classes, {"Q": ["q1", "q2"], "R": ["r1", "r2"]})
    for method in (sf.Samarati(), sf.Mondrian()):
        release = sf.anonymize(table, HIV, method)
        loaded = sf.load(release.save(tmp_path / type(method).__name__))
        with pytest.raises(CannotRun, match="original"):
            Minimality().run(loaded)
        assert Minimality().run(loaded, table).found == Minimality().run(release).found


def test_only_the_widest_dimension_is_conditioned_on_where_only_it_was_tried():
    rows = [("1", "x", "HIV"), ("1", "y", "HIV"), ("9", "x", "none"), ("9", "y", "none")]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(("a", "b", "s"))}
    columns["a"] = [int(a) for a in columns["a"]]
    table = sf.read(pa.table(columns), {"a": sf.Flat(), "b": sf.Tree(["x", "y"])}, "s")
    rule = sf.LDiversity(2, "frequency", ["HIV"])
    widest = sf.anonymize(table, rule, sf.Mondrian(dimensions="widest"))
    every = sf.anonymize(table, rule, sf.Mondrian())
    # One cut along a: the sides are alike, so it says who goes with whom and not who has it.
    assert len(widest.grouping.sizes) == 1
    assert len(every.grouping.sizes) == 2
    assert Minimality().run(widest).found == Fraction(1, 2)


def test_several_sensitive_columns_are_dealt_together():
    """A part about one column tells about the other, for a person's values stay together."""
    rows = [("q1", "HIV", "low"), ("q1", "HIV", "low")]
    rows += [("q2", "none", "high")] * 4 + [("q2", "none", "low")]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(("q", "s", "t"))}
    table = sf.read(pa.table(columns), {"q": sf.Tree({"Q": ["q1", "q2"]})}, ["s", "t"])
    rule = sf.LDiversity(2, "frequency", ["HIV"], attribute="s")
    release = sf.anonymize(table, rule, sf.Samarati())
    assert Minimality(attribute="s").run(release).found == 1
    about_t = Minimality(attribute="t").run(release)
    assert about_t.found == 1  # both HIV people have low
    assert about_t.worst["value"] == "low"
    report = sf.audit(release)
    assert {f.attribute for f in report.findings if f.attack == "minimality"} == {"s", "t"}


@pytest.mark.long
def test_it_is_refused_with_the_reason():
    table = hospital(TABLE_1, {"Q": ["q1", "q2"]})
    numbers = sf.anonymize(table, sf.KAnonymity(3), sf.Samarati())
    with pytest.raises(DoesNotApply, match="numbers of people"):
        Minimality().run(numbers)
    for method in (sf.Mondrian(strict=False), sf.Optimal("loss", 2)):
        with pytest.raises(DoesNotApply, match="no minimality"):
            Minimality().run(sf.anonymize(table, HIV, method))
    with pytest.raises(DoesNotApply, match="what was promised"):
        Minimality().run(table)
    with pytest.raises(CannotRun, match="by which method"):
        Minimality().run(Target.of(table, criterion=HIV))
    loose = sf.LDiversity("7/6", "frequency", ["HIV"])
    release = sf.anonymize(table, HIV, sf.Samarati())
    assert Minimality(enforced=loose).run(release).found == 1
    looser = sf.LDiversity(1, "frequency", ["HIV"])
    with pytest.raises(CannotRun, match="would have been safe"):
        Minimality(enforced=looser).run(release)
    with pytest.raises(sf.BadInput, match="enforced"):
        Minimality(enforced="2-diversity")
    with pytest.raises(sf.BadInput, match="seed"):
        Minimality(seed=-1)


@pytest.mark.long
def test_the_last_step_tells_nothing_where_numbers_alone_forbade_it_and_shows_nothing():
    classes = {"q1": ["HIV", "none"], "q2": n(5, "none")}
    table = hospital(classes, {"Q": ["q1", "q2"]})
    release = sf.anonymize(table, sf.KAnonymity(3) & HIV, sf.Samarati())
    finding = Minimality().run(release)
    assert finding.found == finding.before == Fraction(1, 7)
    assert finding.holds is None
    assert "nothing is learned" not in finding.note
    assert "only the last step was looked at" in finding.note


def broken_twice(n_groups, n_others):
    """Groups of 20 in which both people of the first class have HIV, and some that cannot break."""
    tree, rows = {}, []
    for g in range(n_groups):
        tree[f"Q{g}"] = [f"{g}{c}" for c in "abcd"]
        rows += [(f"{g}a", "HIV")] * 2
        rows += [(f"{g}{c}", f"v{6 * i + j}") for i, c in enumerate("bcd") for j in range(6)]
    for g in range(n_others):
        tree[f"R{g}"] = [f"r{g}a", f"r{g}b"]
        rows += [(f"r{g}{c}", f"v{3 * i + j}") for i, c in enumerate("ab") for j in range(3)]
    table = sf.read(
        pa.table({"w": [q for q, _ in rows], "d": [d for _, d in rows]}), {"w": sf.Tree(tree)}, "d"
    )
    return sf.anonymize(table, sf.LDiversity(2, "frequency"), sf.Samarati())


@pytest.mark.parametrize("n_others", [0, 100])
def test_two_groups_that_both_broke_are_followed_together(n_others):
    """Neither is needed where the other's values are known; both are suspect where they are not."""
    one = Fraction(1, math.comb(20, 2))  # both with HIV are the two of the first class
    some = 1 - (1 - one) ** 2
    expected = (one + (some - one) * Fraction(2, 20)) / some
    finding = Minimality().run(broken_twice(2, n_others))
    assert abs(float(finding.found) - float(expected)) < 0.02  # other worlds differ a little
    assert (finding.holds, finding.n_exceeding) == (False, 4)


def test_groups_too_many_to_be_followed_together_get_no_verdict(monkeypatch):
    monkeypatch.setattr("sfumato.attacks.known_method.solver.MOST_TOGETHER", 1)
    finding = Minimality().run(broken_twice(2, 0))
    assert finding.holds is None
    assert "who does not may believe more" in finding.note


def broken_steps(release):
    """Say of every stated step of a local release whether it breaks with everybody's own values."""
    members = members_of(sf.attacks.Target.of(release))
    frequencies = release.table.frequencies()
    placed = release.recoding.placement(frequencies)
    order = {tuple(box.ravel()): g for g, box in enumerate(members.boxes)}
    group = np.array([order[tuple(placed.boxes[box].ravel())] for box in placed.box])
    who = frequencies.combination_of[placed.key]
    value = frequencies.codes("s")[placed.key]
    problems = local_problems(members, 1)
    for g in problems.groups.tolist():
        start, end = members.starts[g : g + 2]
        cells = {int(c): i for i, c in enumerate(members.combination[start:end])}
        dealt = np.zeros((end - start, len(frequencies.domains["s"])), dtype=int)
        for here in np.flatnonzero(group == g):
            dealt[cells[int(who[here])], value[here]] += placed.people[here]
        for step in problems.of(g).steps:
            counts = step.children.astype(int) @ dealt + step.fixed
            yield bool((2 * counts.max(axis=1) > counts.sum(axis=1)).any())


@pytest.mark.parametrize("keep", ["whole", "part"])
def test_every_step_that_local_recoding_is_said_not_to_take_was_unsafe(keep):
    """Of what is generalized because a neighbour needed company nothing more may be said."""
    draw = np.random.default_rng(48)
    promise = sf.LDiversity(2, "frequency")
    q = sf.Tree({"A": ["a", "b"], "C": ["c", "d"]})
    n_steps = 0
    for seed in range(80):
        n = int(draw.integers(6, 14))
        rows = {"q": draw.choice(list("abcd"), n), "r": draw.choice(list("xyz"), n)}
        rows["s"] = draw.choice(["h", "n", "o"], n)
        table = sf.read(pa.table(rows), {"q": q, "r": sf.Tree(["x", "y", "z"])}, "s")
        try:
            release = sf.anonymize(table, promise, sf.TopDown("local", keep=keep, seed=seed))
        except sf.Unsatisfiable:
            continue
        for broken in broken_steps(release):
            assert broken
            n_steps += 1
    assert n_steps > 100


def test_nobody_is_certain_of_what_is_not_so():
    """Two people were drawn into the last group: another column was never tried on them."""
    rows = [("a", "x", "n"), ("b", "x", "n"), ("b", "x", "o"), ("b", "y", "o"), ("c", "x", "h"),
            ("c", "y", "h"), ("c", "y", "o")]  # fmt: skip
    columns = dict(zip("qrs", map(list, zip(*rows, strict=True)), strict=True))
    trees = {"q": sf.Tree(["a", "b", "c"]), "r": sf.Tree(["x", "y"])}
    table = sf.read(pa.table(columns), trees, "s")
    method = sf.TopDown("local", seed=4)
    finding = sf.attacks.Minimality().run(
        sf.anonymize(table, sf.LDiversity(2, "frequency"), method)
    )
    assert finding.found < 1
