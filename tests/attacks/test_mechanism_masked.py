"""What MASK's releases tell somebody who knows it: the attack against worlds of people."""

import itertools
import math
import random
from fractions import Fraction

import pyarrow as pa
import pytest

import naive.masking
import sfumato as sf
from sfumato.attacks import CannotRun, Mechanism
from sfumato.formulas.masking.posterior import posteriors

TREE = sf.Tree({"Q": ["q1", "q2"], "R": ["q3", "q4"]})
XXI = {"q": ["q1", "q2", "q3", "q3", "q4", "q4"], "s": ["HIV"] * 3 + ["none"] * 3}


def masked(columns, l=2, rule=TREE, values=("HIV",), **settings):
    table = sf.read(pa.table(columns), {"q": rule}, "s", insensitive=[*columns][2:])
    promise = sf.KAnonymity(2) & sf.LDiversity(l, "frequency", values, pooled=True)
    return sf.anonymize(
        table, promise, sf.Mask(2, l, values, **settings), untouched_identify="x" in columns
    )


@pytest.mark.parametrize("settings", [{}, {"publish": "bucketized"}, {"reference": 1}])
def test_table_xxi_is_believed_too_much(settings, tmp_path):
    release = masked(XXI, **settings)
    finding = Mechanism().run(release)
    prior = Fraction(2, 6)
    expected = posteriors([2, 2, 2], [1, 1, 0], Fraction(2), prior)
    assert finding.found == max(expected) == (2 + prior) / 4
    assert (finding.holds, finding.n_exceeding, finding.before) == (False, 4, prior)
    assert sf.audit(release).verdict == "failed"
    loaded = sf.load(release.save(tmp_path / "out"))
    table = sf.read(pa.table(XXI), {"q": TREE}, "s")
    assert Mechanism().run(loaded, original=table).found == finding.found
    assert Mechanism().run(loaded).found == finding.found  # everybody is in one group


def test_it_equals_the_beliefs_over_all_worlds_and_lots():
    draw = random.Random(9)
    n, seen = 0, set()
    while n < 8:
        sizes = draw.choice([[2, 2, 2], [3, 2], [2, 3], [3, 3], [2, 2]])
        values = [draw.choice(["HIV", "HIV", "u", "v"]) for _ in range(sum(sizes))]
        columns = {"q": [q for q, size in zip("abc", sizes, strict=False) for _ in range(size)]}
        replacement, reference = draw.choice(["table", "group"]), draw.choice(["paper", 1])
        try:
            release = masked(
                columns | {"s": values},
                rule=sf.Tree(["a", "b", "c"]),
                replacement=replacement,
                reference=reference,
                seed=n,
            )
        except (sf.Unsatisfiable, sf.BadInput):  # refused, or nobody has what was named
            continue
        rows = release.to_arrow().to_pydict()
        pairs = list(zip(rows["q"], rows["s"], strict=True))
        others = sorted({s for _, s in pairs} - {"HIV"})
        output = tuple(
            tuple(pairs.count((q, s)) for s in ["HIV", *others]) for q in sorted({*rows["q"]})
        )
        if [sum(histogram) for histogram in output] != sizes:
            continue
        n_hiv, whole = sum(histogram[0] for histogram in output), len(pairs)
        shares = [Fraction(rows["s"].count(s), whole - n_hiv) for s in others]
        prior = Fraction(n_hiv, whole) if n_hiv else Fraction(1, whole + 1)
        known = naive.masking.beliefs(sizes, Fraction(2), prior, shares, reference, replacement)
        finding = Mechanism().run(release)
        assert finding.found == max(known[output])
        assert finding.holds is (False if n_hiv and finding.found > Fraction(1, 2) else None)
        seen.add(finding.holds)
        n += 1
    assert seen == {False, None}


def test_it_calls_nothing_safe_and_says_by_which_prior():
    columns = {"q": ["q1"] * 3 + ["q2"] * 3 + ["q3"] * 3, "s": ["HIV", *["none"] * 8]}
    finding = Mechanism().run(masked(columns))
    assert finding.holds is None
    assert finding.found < Fraction(1, 2)
    assert "by another one somebody may" in finding.note


def test_what_is_not_worked_out_is_said():
    many = {"q": [str(i // 2) for i in range(200)], "s": ["HIV", *["none"] * 199]}
    release = masked(many, rule=sf.Intervals(1))
    assert len(release.sizes) > 60
    with pytest.raises(CannotRun, match=r"groups .* too many ways"):
        Mechanism().run(release)
    told = XXI | {"x": list("abcdef")}
    with pytest.raises(CannotRun, match="insensitive columns"):
        Mechanism().run(masked(told, keep_insensitive=True))


def test_where_nothing_is_promised_of_values_it_is_judged_by_its_own_l():
    table = sf.read(pa.table(XXI), {"q": TREE}, "s")
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mask(2, 2, ["HIV"]))
    finding = Mechanism().run(release)
    assert (finding.holds, str(finding.promised)) == (False, "<= 0.5")
    assert sf.audit(release).verdict == "failed"
    columns = {"q": ["q1"] * 3 + ["q2"] * 3 + ["q3"] * 3, "s": ["HIV", *["none"] * 8]}
    table = sf.read(pa.table(columns), {"q": TREE}, "s")
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mask(2, 2, ["HIV"]))
    assert Mechanism().run(release).holds is None


def relaxed(values):
    """Ages 1, 2, 2, 3 in two groups: who of the two people of 2 is in which, lots decide."""
    table = sf.read(pa.table({"q": [1, 2, 2, 3], "s": values}), {"q": sf.Intervals(1)}, "s")
    promise = sf.KAnonymity(2) & sf.LDiversity(2, "frequency", ["HIV"])
    return sf.anonymize(table, promise, sf.Mask(2, 2, ["HIV"], sf.Mondrian(strict=False)))


def test_people_who_are_alike_and_in_several_groups_are_believed_the_mean_of_these():
    release = relaxed(["HIV", "none", "none", "none"])
    assert sorted(release.sizes) == [2, 2]
    rows = release.to_arrow().to_pydict()
    first = min(rows["q"])
    output = tuple(
        tuple(
            sum((q == first, s) == (here, value) for q, s in zip(rows["q"], rows["s"], strict=True))
            for value in ("HIV", "none")
        )
        for here in (True, False)
    )
    finding = Mechanism().run(release)
    prior = finding.before
    # Everybody's value, who of the two is in which group, and what is published then.
    weights, sick = Fraction(0), [Fraction(0)] * 4
    for world in itertools.product((0, 1), repeat=4):  # 0: HIV
        chance = math.prod((prior, 1 - prior)[value] for value in world)
        for one, other in ((1, 2), (2, 1)):
            groups = [(world[0], world[one]), (world[other], world[3])]
            seen = naive.masking.published(groups, Fraction(2), "paper", "table", 2)
            weight = chance * seen.get(output, Fraction(0)) / 2
            weights += weight
            sick = [n + weight * (value == 0) for n, value in zip(sick, world, strict=True)]
    beliefs = [n / weights for n in sick]
    assert beliefs[1] == beliefs[2]
    assert len(set(beliefs)) == 3
    assert finding.found == max(beliefs)
    assert finding.n_exceeding == sum(belief > Fraction(1, 2) for belief in beliefs)


def test_a_large_release_fails_where_groups_stand_at_the_limit():
    """One HIV in two, in two groups of many: either may have had two."""
    many = {"q": [str(i // 2) for i in range(200)], "s": ["HIV", "none"] * 2 + ["none"] * 196}
    release = masked(many, rule=sf.Intervals(1))
    assert len(release.sizes) > 60
    finding = Mechanism().run(release)
    assert (finding.holds, finding.n_exceeding) == (False, 4)
    assert finding.briefly == "> 50%"
    assert finding.worst["people"] == 2
    assert sf.audit(release).verdict == "failed"
    alone = {"q": many["q"], "s": ["HIV"] + ["none"] * 199}
    with pytest.raises(CannotRun, match="too many ways"):
        Mechanism().run(masked(alone, rule=sf.Intervals(1)))


def test_people_who_are_elsewhere_too_are_not_counted_at_the_limit():
    """The two groups at the limit share a person of 1; what is believed of the three is open."""
    ages = [str(i // 3) for i in range(300)]
    values = ["HIV", "none", "none"] * 100
    table = sf.read(pa.table({"q": ages, "s": values}), {"q": sf.Intervals(1)}, "s")
    promise = sf.KAnonymity(2) & sf.LDiversity(2, "frequency", ["HIV"])
    release = sf.anonymize(
        table, promise, sf.Mask(2, 2, ["HIV"], sf.Mondrian(strict=False), seed=3)
    )
    placed = release.recoding.placement(release.table.frequencies())
    assert len(release.sizes) > 60
    n_groups_of = {}
    at_limit = set()
    n = [[0, 0] for _ in placed.boxes]
    changed = release.recoding.changed.get("s")
    codes = placed.frequencies.codes("s")[placed.key]
    hiv = placed.frequencies.domains["s"].code_of("HIV")
    for i, (key, box, people) in enumerate(zip(placed.key, placed.box, placed.people, strict=True)):
        shown = codes[i] if changed is None or changed[i] < 0 else changed[i]
        n[box][0] += int(people) * (shown == hiv)
        n[box][1] += int(people)
        who = int(placed.frequencies.combination_of[key])
        n_groups_of.setdefault(who, []).extend([int(box)] * int(people))
    at_limit = {box for box, (sick, size) in enumerate(n) if 2 * sick == size}
    expected = sum(len(boxes) for boxes in n_groups_of.values() if {*boxes} <= at_limit)
    assert 0 < expected < sum(n[box][1] for box in at_limit)
    assert Mechanism().run(release).n_exceeding == expected


def test_who_may_be_in_several_groups_is_needed_to_say_what_is_believed(tmp_path):
    loaded = sf.load(relaxed(["HIV", "none", "none", "none"]).save(tmp_path / "out"))
    with pytest.raises(CannotRun, match="original quasi-identifiers"):
        Mechanism().run(loaded)


def test_a_node_of_the_tree_stands_for_the_values_below_it():
    columns = {
        "q": ["q1", "q1", "q2", "q2", "q3", "q3", "q4", "q4"],
        "s": ["HIV", "can", "HIV", "none", "can", "none", "none", "none"],
    }
    grave = sf.Tree({"grave": ["HIV", "can"], "light": ["none", "flu"]})
    table = sf.read(pa.table(columns), {"q": TREE}, "s", hierarchies={"s": grave})
    found = []
    for named in (["grave"], ["HIV", "can"]):
        promise = sf.KAnonymity(2) & sf.LDiversity(2, "frequency", named, pooled=True)
        finding = Mechanism().run(sf.anonymize(table, promise, sf.Mask(2, 2, named)))
        found.append((finding.found, finding.holds, finding.before, str(finding.promised)))
    assert found[0] == found[1]
    assert found[0][1] is False


def test_it_does_not_fail_by_a_prior_that_nobody_has_reason_for():
    """Of three people one: half by a prior of 2/5, less by 3/8, the share in the table."""
    columns = {"q": ["q1"] * 3 + ["q3"] * 5, "s": ["HIV", "n", "n", "HIV", "HIV", "n", "n", "n"]}
    finding = Mechanism().run(masked(columns))
    assert (finding.before, finding.holds) == (Fraction(3, 8), None)
    assert posteriors([3, 5], [1, 2], Fraction(2), Fraction(2, 5))[0] > Fraction(1, 2)
    none = {"q": ["q1"] * 2 + ["q3"] * 5, "s": ["n"] * 7}
    with pytest.raises(sf.BadInput, match="HIV"):
        masked(none)


def test_it_says_where_something_else_was_promised():
    columns = XXI | {"s": ["HIV", "can", "HIV", "none", "none", "none"]}
    table = sf.read(pa.table(columns), {"q": TREE}, "s")
    promise = sf.KAnonymity(2) & sf.LDiversity(2, "frequency", ["HIV"])
    finding = Mechanism().run(sf.anonymize(table, promise, sf.Mask(2, 2, ["HIV", "can"])))
    assert (finding.promised, finding.holds) == (None, None)
    assert "not about these values counted together" in finding.note


def test_many_values_are_weighed_by_their_numbers_alone():
    """All ways to put values in would be 6 ** 12 in every group."""
    values = ["HIV", *(f"v{i % 12}" for i in range(59))]
    columns = {"q": [q for q in ("q1", "q2", "q3") for _ in range(60)], "s": values * 3}
    finding = Mechanism().run(masked(columns))
    assert "only how many there are was weighed" in finding.note
