"""Two releases: crack sizes against all choices of buddies."""

import itertools

import numpy as np
import pytest

import naive.correspondence
from formulas.series import LINE, PAIR, THREE, dice_for, left_out, records, series, stands_for
from sfumato.attacks.correspondence import bcf, crack_sizes, exposure, remaining
from sfumato.errors import BadInput
from sfumato.formulas.correspondence.pair_flows import attack, between_boxes
from sfumato.formulas.correspondence.pairs import RecordsLeft, between_cuts, joined

TREES = ([LINE], [PAIR, THREE], [PAIR, PAIR])
HOWS = ("cut", "regions", "local")


def expected_cracks(trees, first, second, hidden, target):
    """Crack sizes for one target, by the twins; keys are published labels."""
    one, two = records(first, trees, hidden[0]), records(second, trees, hidden[1])
    forward, cross, backward = naive.correspondence.cracks(one, two)
    target = tuple(target)
    reached = [any(target in raws for raws, _ in release) for release in (one, two)]

    def listed(release, left):
        return {
            (qid, s): release.count((qid, s)) - left[(stands_for(trees, qid), s), target]
            for qid, s in release
            if target in stands_for(trees, qid)
        }

    return (
        listed(first, forward) if all(reached) else {},
        listed(second, cross) if all(reached) else {},
        {
            (qid, s): backward[stands_for(trees, qid), s]
            for qid, s in second
            if target in stands_for(trees, qid)
        },
    )


def same_labels(trees, found):
    """Name classes by what they stand for: (c, c) and c are the same box."""
    return [{(stands_for(trees, qid), s): n for (qid, s), n in each.items()} for each in found]


def merged(trees, release):
    """Write equal boxes with equal labels, as a reader would see them."""
    names = {}
    return [(names.setdefault(stands_for(trees, qid), qid), s) for qid, s in release]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("seed", range(12))
def test_crack_sizes_and_anonymity_are_those_of_all_generators(how, seed):
    for trees in TREES:
        dice = dice_for("two", how, seed, len(trees))
        second_how = dice.choice([how, how, *HOWS]) if how != "cut" else how
        sizes = (dice.randint(1, 4), dice.randint(0, 2))
        first, second = series(trees, sizes, (how, second_how), dice)
        first, second = merged(trees, first), merged(trees, second)
        expected = naive.correspondence.bcf(records(first, trees), records(second, trees))
        assert bcf(first, second, trees) == expected
        for target in itertools.product(*(stands_for([t], ("*",)) for t in trees)):
            raw = tuple(value for (value,) in target)
            found = crack_sizes(first, second, trees, raw)
            wanted = expected_cracks(trees, first, second, (0, 0), raw)
            assert same_labels(trees, found) == same_labels(trees, wanted)


@pytest.mark.parametrize("seed", range(25))
def test_suppressed_rows_can_be_anybody(seed):
    for trees in ([LINE], [PAIR, PAIR]):
        dice = dice_for("hidden", seed, len(trees))
        sizes = (dice.randint(2, 4), dice.randint(0, 1))
        first, second = series(trees, sizes, dice.choices(HOWS, k=2), dice)
        hidden = (dice.randint(0, 1), dice.randint(0, 1))
        first = merged(trees, left_out(first, hidden[0], dice))
        second = merged(trees, left_out(second, hidden[1], dice))
        one, two = records(first, trees, hidden[0]), records(second, trees, hidden[1])
        assert bcf(first, second, trees, suppressed=hidden) == naive.correspondence.bcf(one, two)


def test_an_attack_without_a_target_leaves_classes_whole():
    first, second = [(("a",), "s")], [(("d",), "s")] * 2  # whoever was a has been suppressed
    assert bcf(first, second, [LINE], suppressed=(0, 1)) == (1, 2, 2)
    assert naive.correspondence.bcf(records(first, [LINE]), records(second, [LINE], 1)) == (1, 2, 2)


@pytest.mark.parametrize("seed", range(40))
def test_closed_forms_and_flows_agree_on_cuts(seed):
    from sfumato.attacks.correspondence.given_records import read

    dice = dice_for("agree", seed)
    trees = [LINE, THREE, PAIR]
    first, second = series(trees, (30, 20), ("cut", "cut"), dice, values="rst")
    one, two = read([first, second], trees, None).releases
    parts = joined(one, two)
    assert parts is not None
    closed, flowed = between_cuts(one, two, parts), between_boxes(one, two)
    assert closed.anonymity == flowed.anonymity
    for quick, slow in zip(
        (closed.forward, closed.cross, closed.backward),
        (flowed.forward, flowed.cross, flowed.backward),
        strict=True,
    ):
        assert sorted(map(repr, rows(quick))) == sorted(map(repr, rows(slow)))


def rows(left):
    """Different (class, counts left)."""
    dense = left.histogram.to_dense()
    return {(int(c), tuple(row.tolist())) for c, row in zip(left.classes, dense, strict=True)}


@pytest.mark.parametrize("seed", range(60))
def test_forward_and_cross_anonymity_are_equal_for_cuts(seed):
    dice = dice_for("FA = CA", seed)
    trees = [LINE, THREE, PAIR]
    sizes = (dice.randint(1, 60), dice.randint(0, 60))
    first, second = series(trees, sizes, ("cut", "cut"), dice, values="rst")
    fa, ca, ba = bcf(first, second, trees)
    assert fa == ca
    assert (ba == 0) or sizes[1] > 0


def test_forward_and_cross_anonymity_differ_where_classes_overlap():
    # Two classes of the later release hold b, so of each only a part is left, of the first all.
    first = [(("b",), "s")] * 2
    second = [(("b",), "s"), (("A",), "s")]
    assert bcf(first, second, [LINE]) == (2, 1, 0)
    assert naive.correspondence.bcf(records(first, [LINE]), records(second, [LINE])) == (2, 1, 0)


def test_classes_nobody_of_the_first_release_can_be_in_do_not_count_for_the_cross_attack():
    first = [(("a",), "s")] * 3
    second = [(("a",), "s")] * 3 + [(("d",), "s")] * 2
    assert bcf(first, second, [LINE]) == (3, 3, 0)


def test_a_specialization_can_raise_forward_anonymity():
    # Theorem 5.1 says it cannot: but a class that was comparable can vanish.
    places, jobs = {"UK": "*", "USA": "*"}, {"Doctor": "*", "Lawyer": "*"}
    people = [("UK", "Doctor", "Flu")] * 4 + [("USA", "Lawyer", "HIV")] * 2
    first = [((place, "*"), s) for place, _, s in people[:2]]

    def second(by_place, by_job):
        return [((p if by_place else "*", j if by_job else "*"), s) for p, j, s in people]

    trees = [places, jobs]
    assert bcf(first, second(False, True), trees)[0] == 0
    assert bcf(first, second(True, False), trees) == (2, 2, 2)
    assert bcf(first, second(True, True), trees) == (2, 2, 2)


def test_backward_anonymity_never_rises_when_a_cut_is_specialized():
    for seed in range(60):
        dice = dice_for("backward", seed)
        trees = [LINE, THREE]
        people, n_first = [], dice.randint(1, 12)
        for _ in range(n_first + dice.randint(0, 12)):
            raw = tuple(dice.choice("abcd" if j == 0 else "uvw") for j in range(2))
            people.append((raw, dice.choice("st")))
        first = series_of(people[:n_first], {"*": dice.random() < 0.5}, dice)
        coarse = [(("A" if raw[0] in "ab" else "B", "*"), s) for raw, s in people]
        fine = [((raw[0] if raw[0] in "ab" else "B", "*"), s) for raw, s in people]
        assert bcf(first, fine, trees)[2] <= bcf(first, coarse, trees)[2]


def series_of(people, whole, dice):
    if whole["*"]:
        return [(("*", raw[1]), s) for raw, s in people]
    return [((raw[0], "*"), s) for raw, s in people]


def test_two_versions_of_one_table_for_recipients_who_compare_them():
    people = [("UK", "Doctor", "Flu"), ("UK", "Lawyer", "HIV"), ("USA", "Doctor", "HIV"),
              ("USA", "Lawyer", "Flu")]  # fmt: skip
    places, jobs = {"UK": "*", "USA": "*"}, {"Doctor": "*", "Lawyer": "*"}
    by_place = [((p, "*"), s) for p, _, s in people]
    by_job = [(("*", j), s) for _, j, s in people]
    assert bcf(by_place, by_job, [places, jobs]) == (2, 2, 0)  # nobody came later
    both = remaining([by_place, by_job], [places, jobs])
    assert min(both[0].values()) == 2
    assert set(both[1].values()) == {0}


def test_who_is_exposed_is_told_by_class():
    first = [(("A",), "s")] * 3
    second = [(("a",), "s")] * 2 + [(("b",), "s")] * 5
    forward, cross, backward = exposure(first, second, [LINE], 3)
    assert (forward.classes, forward.n_people) == ((("A",),), 3)
    assert (cross.classes, cross.n_people) == ((("a",),), 2)
    assert (backward.classes, backward.n_people) == ((("a",),), 2)


def test_releases_that_cannot_belong_together_are_refused():
    with pytest.raises(BadInput, match="not releases of one growing table"):
        bcf([(("a",), "s")] * 3, [(("a",), "s")] * 2, [LINE])
    with pytest.raises(BadInput, match="not releases of one growing table"):
        bcf([(("a",), "s")], [(("b",), "s")] * 2, [LINE])
    crossed = [(("a", "b"),), (("c", "c"),)]
    first = [(qid, "s") for qid in crossed for _ in range(2)]
    second = [((("b", "c"),), "s"), ((("d", "d"),), "s"), ((("a", "a"),), "s"), (("a",), "s")]
    with pytest.raises(BadInput, match="not releases of one growing table"):
        bcf(first, second, [LINE])


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ([], "no records"),
        ("ab", "must be a list"),
        ([("a", "s")], "record 0: must be"),
        ([(("a", "b"), "s")], "2 quasi-identifiers, but 1 hierarchies"),
        ([(("z",), "s")], "no node of the attribute's hierarchy"),
        ([((("c", "a"),), "s")], "holds no ground value"),
        ([(("a",), ["s"])], "sensitive value cannot be a list"),
    ],
)
def test_what_is_no_release_is_refused(first, message):
    with pytest.raises(BadInput, match=message):
        bcf(first, [(("a",), "s")], [LINE])


def test_bad_hierarchies_and_suppressed_rows_are_refused():
    release = [(("a",), "s")]
    for hierarchies, message in [
        (LINE, "must be a list"),
        ([], "none given"),
        ([{"a": "b", "b": "a"}], "no leaves"),
        ([{"a": "b", "b": "c", "c": "b"}], "goes round in a circle"),
        ([3], "which may be {child: parent}"),
    ]:
        with pytest.raises(BadInput, match=message):
            bcf(release, release, hierarchies)
    for suppressed in ([1], [0, -1], 3):
        with pytest.raises(BadInput, match="suppressed must be 2 numbers"):
            bcf(release, release, [LINE], suppressed=suppressed)


def test_hierarchies_of_the_library_do_as_well():
    import sfumato as sf

    tree = sf.Tree({"A": ["a", "b"], "B": ["c", "d"]})
    ages = dict.fromkeys(range(20, 60), "*")
    first = [(("A", (20, 39)), "s")] * 3
    second = [(("a", (20, 29)), "s")] * 2 + [(("b", (25, 44)), "s")] * 4
    assert bcf(first, second, [tree, ages]) == bcf(first, second, [LINE, ages])
    whole = bcf(first, second, [LINE, {}])  # ground values: the ends that were published
    assert whole == bcf(first, second, [LINE, ages])
    assert bcf(first, second, [sf.Tree({"A": ["a", "b"], "B": ["c"]}), sf.Flat()]) == whole


def test_people_between_the_published_ends_are_targets_too():
    first = [(((1, 10),), "s")] * 3
    second = [(((1, 10),), "s")] + [(((1, 4),), "s")] * 2 + [(((6, 10),), "s")] * 2
    listed = dict.fromkeys(range(1, 11), "*")
    assert bcf(first, second, [listed])[0] == 1  # whoever is 5
    assert bcf(first, second, [{}])[0] == 1


def test_a_root_may_be_written_as_its_own_parent_or_without_one():
    first, second = [(("A",), "s")] * 2, [(("a",), "s")] * 2 + [(("B",), "s")]
    for root in (None, "*"):
        assert bcf(first, second, [{**LINE, "*": root}]) == bcf(first, second, [LINE])


def test_other_criteria_are_asked_of_what_is_left():
    # Five of each are published; for somebody who came later four of the five s are excluded.
    from sfumato import AlphaKAnonymity, LDiversity
    from sfumato.attacks.correspondence.given_records import read

    first = [(("*",), "s")] * 4
    second = [(("A",), "s")] * 5 + [(("A",), "t")] * 5
    series = read([first, second], [LINE], None)
    found = attack(*series.releases)
    left = found.backward.groups(series.values)
    assert left.histogram.to_dense().tolist() == [[1, 5]]
    for criterion in (
        LDiversity(2, "frequency"),
        LDiversity(2, "entropy"),
        AlphaKAnonymity(0.5, 2),
    ):
        whole = RecordsLeft(np.array([0]), series.releases[1].histogram).groups(series.values)
        assert criterion.holds(whole).tolist() == [True]
        assert criterion.holds(left).tolist() == [False]


def test_large_counts_are_exact():
    from sfumato.data.groups import Histogram
    from sfumato.formulas.correspondence.cells import PublishedClasses

    def release(boxes, counts):
        histogram = Histogram.from_dense(np.array(counts, dtype=np.int64).reshape(-1, 1))
        return PublishedClasses.of(np.array(boxes, dtype=np.int32).reshape(-1, 1, 2), histogram)

    many = 10**15
    first = release([[0, 3]], [3 * many + 1])
    second = release([[0, 1], [2, 3]], [2 * many, many + 2])
    assert attack(first, second).anonymity == (many + 2, many + 2, 1)
