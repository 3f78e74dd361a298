"""What MASK's releases tell somebody who knows it: the attack against worlds of people."""

import random
from fractions import Fraction

import pyarrow as pa
import pytest

import naive.masking
import sfumato as sf
from sfumato.attacks import CannotRun, DoesNotApply, Mechanism
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
    prior = Fraction(2 + 1, 6 + 2)
    expected = posteriors([2, 2, 2], [1, 1, 0], Fraction(2), prior)
    assert finding.found == max(expected) == (2 + prior) / 4
    assert (finding.holds, finding.n_exceeding, finding.before) == (False, 4, prior)
    assert sf.audit(release).verdict == "failed"
    loaded = sf.load(release.save(tmp_path / "out"))
    table = sf.read(pa.table(XXI), {"q": TREE}, "s")
    assert Mechanism().run(loaded, original=table).found == finding.found
    with pytest.raises(CannotRun, match="original quasi-identifiers"):  # who is in which group
        Mechanism().run(loaded)


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
        prior = Fraction(n_hiv + 1, whole + 2)
        known = naive.masking.beliefs(sizes, Fraction(2), prior, shares, reference, replacement)
        finding = Mechanism().run(release)
        assert finding.found == max(known[output])
        assert finding.holds is (False if finding.found > Fraction(1, 2) else None)
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
    table = sf.read(pa.table(XXI), {"q": TREE}, "s")
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mask(2, 2, ["HIV"]))
    with pytest.raises(DoesNotApply, match="only numbers of people"):
        Mechanism().run(release)
