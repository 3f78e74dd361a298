"""Wong 2009: the tables of sections 1, 4 and 5.1 as the formulas see them."""

from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.attacks.minimality import (
    credibility,
    credibility_enumerated,
    credibility_local,
    credibility_superset,
)
from sfumato.criteria import (
    CKSafety,
    Confidentiality,
    KEAnonymity,
    LDiversity,
    RecursiveDiversity,
    TCloseness,
)
from sfumato.data.groups import Groups
from worked_examples.tables import WONG_LEMMA2_CREDIBILITY, WONG_LEMMA2_SENSITIVE, WONG_LEMMA2_SIZES


def breaking(criterion, values, reference=None):
    """Say whether a class with these counts breaks a criterion."""

    def broken(counts):
        row = [counts.get(value, 0) for value in values]
        whole = None if reference is None else [reference[value] for value in values]
        return not criterion.holds(Groups([sum(row)], [row], values, whole))[0]

    return broken


def test_table_1_global_and_local():
    assert credibility([2, 5], 2, 2)[0] == pytest.approx(1)
    assert credibility_local([(2, 2, 0), (5, 2, 0)], 2, 2)[0] == pytest.approx(1)


def test_table_1_with_people_who_may_be_absent():
    """Whoever cannot reach the group drops out; a third q1 person, or a sixth q2, does not."""
    assert credibility_superset([2, 5], 7, 2, 2)[0] == 1
    assert credibility_superset([3, 5], 7, 2, 2)[0] == Fraction(2, 3)
    assert credibility_superset([2, 6], 7, 2, 2) == [Fraction(2, 3), Fraction(1, 9)]


def test_table_3_all_values_are_sensitive():
    values = {
        "HIV": 2,
        "Gallstones": 1,
        "Lung Cancer": 1,
        "Ulcer": 1,
        "Alzheimer": 1,
        "Diabetes": 1,
    }
    broken = breaking(LDiversity(2, "frequency"), list(values))
    assert credibility_enumerated([{}, {}], [2, 5], values, broken, "HIV")[0] == 1
    # Local: three of the q2 tuples are published as they are.
    generalized = {"HIV": 2, "Gallstones": 1, "Lung Cancer": 1}
    kept = [{}, {"Ulcer": 1, "Alzheimer": 1, "Diabetes": 1}]
    assert credibility_enumerated(kept, [2, 2], generalized, broken, "HIV")[0] == 1


def test_table_4_near_to_minimality():
    """3-diversity is enforced where 2-diversity was meant."""
    assert credibility([3, 8], 2, 3)[0] == pytest.approx(2 / 3)


def test_tables_6_and_7():
    assert credibility([2, 2, 10], 5, 2) == pytest.approx([53 / 86, 53 / 86, 109 / 430])


def test_table_10_local():
    assert credibility_local([(5, 1, 2), (8, 1, 1)], 1, 2) == pytest.approx([3 / 5, 1 / 8])


def test_table_11_recursive():
    values = ["Diabetics", "HIV", "Lung Cancer", "Ulcer", "Alzhema", "Gallstones"]
    counts = dict.fromkeys(values, 1) | {"HIV": 2}
    broken = breaking(RecursiveDiversity(3, 3), values)
    assert credibility_enumerated([{}, {}], [3, 4], counts, broken, "HIV")[0] == Fraction(2, 3)


def test_table_11_global_is_believed_to_be_diverse_and_local_is_not():
    """(c): 2/3 and five times 1/15; (d): 2/3 and twice 1/6, of which one is all that counts."""
    kept = {"Ulcer": 1, "Alzhema": 1, "Gallstones": 1}
    shown = {"Diabetics": 1, "HIV": 2, "Lung Cancer": 1}
    broken = breaking(RecursiveDiversity(3, 3), [*shown, *kept])
    cases = (([{}, {}], [3, 4], shown | kept, 15), ([{}, kept], [3, 1], shown, 6))
    diverse = []
    for before, generalized, counts, n in cases:
        believed = [
            credibility_enumerated(before, generalized, counts, broken, value)[0]
            for value in counts
        ]
        people = [int(n * each) for each in believed]
        assert sum(believed) == 1
        assert sorted(believed)[::-1] == [Fraction(2, 3)] + [Fraction(1, n)] * (len(counts) - 1)
        groups = Groups([n], [people], values=list(counts))
        diverse.append(bool(RecursiveDiversity(3, 3).holds(groups)[0]))
        assert not Confidentiality(2, ["HIV"]).holds(groups)[0]
    assert diverse == [True, False]


def test_table_12_t_closeness():
    """With 4 HIV among 10, a distance above 0.5 needs both tuples of q1."""
    counts = {"HIV": 4, "non-sensitive": 6}
    broken = breaking(TCloseness(Fraction(1, 2)), list(counts), counts)
    assert credibility_enumerated([{}, {}], [2, 8], counts, broken, "HIV")[0] == 1


def test_table_13_ranges():
    counts = {"10": 1, "20": 1, "30": 2, "40": 1}
    broken = breaking(KEAnonymity(2, 5), list(counts))
    assert credibility_enumerated([{}, {}], [2, 3], counts, broken, "30")[0] == 1


def test_table_15_guarding_nodes():
    """Worlds permute pairs of value and guarding node; l = 2."""
    counts = {("1st-4th", "elementary"): 1, ("undergrad", None): 2}

    def broken(pairs):
        guarded = sum(n for (_, node), n in pairs.items() if node == "elementary")
        return 2 * guarded > sum(pairs.values())

    target = {("1st-4th", "elementary")}
    assert credibility_enumerated([{}, {}], [1, 2], counts, broken, target)[0] == 1


def test_nothing_to_conclude_where_nothing_had_to_be_generalized():
    with pytest.raises(ValueError, match="nothing was generalized"):
        credibility([10, 10], 2, 2)


def test_lemma_2_excluding_worlds_need_not_help_the_adversary():
    """Four of q1, two of q2, three sensitive: some worlds are excluded, and 1/2 remains."""
    sizes, n = [*WONG_LEMMA2_SIZES.values()], WONG_LEMMA2_SENSITIVE
    expected = [*WONG_LEMMA2_CREDIBILITY.values()]
    assert credibility(sizes, n, 2).tolist() == pytest.approx([float(each) for each in expected])
    kept, values = [{}, {}], {"s": n, "other": sum(sizes) - n}
    broken = breaking(LDiversity(2, "frequency", ["s"]), ["s", "other"])
    assert credibility_enumerated(kept, sizes, values, broken, "s") == expected


def test_table_14_ck_safety():
    """With k = 1 and different non-sensitive values: both HIV of a group of three, or neither.

    As printed, with k = 2, the good table is not safe: two implications make any value of a group
    of three certain.
    """
    counts = {"HIV": 2, **{f"n{j}": 1 for j in range(14)}}
    good = Groups([3, 13], [[1, 1, 1, *[0] * 12], [1, 0, 0, *[1] * 12]], list(counts))
    assert not CKSafety(Fraction(3, 5), 2).holds(good)[0]
    assert CKSafety(Fraction(3, 5), 1).holds(good).all()
    broken = breaking(CKSafety(Fraction(3, 5), 1), list(counts))
    found = credibility_enumerated([{}, {}], [3, 13], counts, broken, "HIV")
    assert found[0] == Fraction(2, 3)
    # Local: six of the q2 tuples are published as they are.
    kept = [{}, {f"n{j}": 1 for j in range(6)}]
    generalized = {"HIV": 2, **{f"n{j}": 1 for j in range(6, 14)}}
    assert credibility_enumerated(kept, [3, 7], generalized, broken, "HIV")[0] == Fraction(2, 3)


def test_table_14_as_a_release():
    people = {"q": ["q1"] * 3 + ["q2"] * 13, "s": ["HIV", "HIV", *(f"n{j}" for j in range(14))]}
    table = sf.read(pa.table(people), {"q": sf.Tree({"Q": ["q1", "q2"]})}, sensitive="s")
    release = sf.anonymize(table, sf.CKSafety("3/5", 1), sf.Samarati())
    assert release.levels == {"q": 1}
    assert sf.attacks.Implications(1).run(release).holds
    finding = sf.attacks.Minimality().run(release)
    assert (finding.before, finding.found, finding.holds) == (Fraction(1, 8), Fraction(2, 3), False)
    assert finding.n_exceeding == 3
    assert "unsafe by itself" in finding.note
