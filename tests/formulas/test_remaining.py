"""Any number of releases: what is left for everybody, against all histories."""

from dataclasses import replace

import pytest

import naive.correspondence
from formulas.series import LINE, PAIR, THREE, dice_for, left_out, records, series, stands_for
from sfumato.attacks.correspondence import bcf, crack_sizes, remaining
from sfumato.attacks.correspondence.given_records import read
from sfumato.errors import BadInput
from sfumato.formulas.correspondence.candidates import CandidateRecords

HOWS = ("cut", "regions", "local")


def expected(releases, trees, hidden=None):
    """What the twins find: `{raw: n}` for those whom every release from then on has a class for."""
    hidden = hidden or [0] * len(releases)
    written = [records(r, trees, n) for r, n in zip(releases, hidden, strict=True)]
    left = naive.correspondence.candidates_left(written)
    covered = [set().union(*(raws for raws, _ in release)) for release in written]
    return [
        {raw: left[time][raw] for raw in set.intersection(*covered[time:])}
        for time in range(len(releases))
    ]


def counted(*releases):
    return [[((qid,), "Flu") for qid, n in each.items() for _ in range(n)] for each in releases]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("seed", range(10))
def test_two_releases_leave_what_all_histories_leave(how, seed):
    for trees in ([LINE], [PAIR, PAIR]):
        dice = dice_for("left of two", how, seed, len(trees))
        sizes = (dice.randint(1, 5), dice.randint(0, 3))
        releases = series(trees, sizes, (how, dice.choice(HOWS)), dice)
        assert remaining(releases, trees) == expected(releases, trees)


@pytest.mark.parametrize("how", [*HOWS, "mixed"])
@pytest.mark.parametrize("seed", range(10))
def test_three_releases_leave_what_all_histories_leave(how, seed):
    for trees in ([LINE], [PAIR, PAIR]):
        dice = dice_for("left of three", how, seed, len(trees))
        sizes = (dice.randint(1, 3), dice.randint(0, 2), dice.randint(0, 2))
        hows = dice.choices(HOWS, k=3) if how == "mixed" else [how] * 3
        releases = series(trees, sizes, hows, dice)
        assert remaining(releases, trees) == expected(releases, trees)


@pytest.mark.parametrize("seed", range(12))
def test_suppressed_rows_are_people_with_any_value(seed):
    trees = [PAIR] if seed % 2 else [THREE]
    dice = dice_for("left with suppressed rows", seed)
    sizes = (dice.randint(2, 3), dice.randint(0, 1), dice.randint(0, 1))[: dice.choice([2, 3])]
    releases = series(trees, sizes, dice.choices(HOWS, k=len(sizes)), dice)
    hidden = [dice.randint(0, 1) for _ in releases]
    releases = [left_out(r, n, dice) for r, n in zip(releases, hidden, strict=True)]
    found = remaining(releases, trees, suppressed=hidden)
    assert found == expected(releases, trees, hidden)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_longer_series_leave_what_all_histories_leave(seed):
    trees = [LINE] if seed % 3 else [PAIR, PAIR]
    dice = dice_for("longer", seed)
    sizes = (dice.randint(1, 3), *(dice.randint(0, 2) for _ in range(3 if seed % 4 else 2)))
    releases = series(trees, sizes, dice.choices(HOWS, k=len(sizes)), dice)
    assert remaining(releases, trees) == expected(releases, trees)


@pytest.mark.parametrize("seed", range(40))
def test_for_two_cuts_the_fewest_left_are_the_anonymities(seed):
    dice = dice_for("agree", seed)
    trees = [LINE, THREE]
    releases = series(trees, (dice.randint(1, 40), dice.randint(0, 40)), ("cut", "cut"), dice)
    fa, ca, ba = bcf(*releases, trees)
    exact, paper = remaining(releases, trees), remaining(releases, trees, method="paper")
    assert [min(left.values()) for left in exact] == [fa, ba] == [ca, ba]
    assert exact == paper


@pytest.mark.parametrize("hows", [("regions", "regions"), ("cut", "regions"), ("regions", "cut")])
@pytest.mark.parametrize("seed", range(6))
def test_flows_and_programs_agree_on_regions(hows, seed):
    dice = dice_for("flows", hows, seed)
    trees = [LINE, THREE] if seed % 2 else [LINE]
    releases = series(trees, (dice.randint(5, 40), dice.randint(1, 20)), hows, dice)
    start, later = remaining(releases, trees)
    fa, ca, ba = bcf(*releases, trees)
    assert fa == ca == min(start.values())
    assert ba == min(later.values())
    for raw, n in start.items():
        cracks = crack_sizes(*releases, trees, raw)
        for release, cracked in zip(releases, (cracks.forward, cracks.cross), strict=True):
            assert n == sum(release.count(group) - crack for group, crack in cracked.items())
    for raw, n in later.items():
        backward = crack_sizes(*releases, trees, raw).backward
        assert n == sum(releases[1].count(group) - crack for group, crack in backward.items())


@pytest.mark.parametrize(
    ("first", "second", "time", "raw", "left"),
    [
        # Intervals that overlap without nesting: c and d fill all of b to c.
        ({("a", "b"): 2, ("c", "d"): 2}, {("a", "a"): 2, ("b", "c"): 2}, 0, "b", 0),
        # As many kinds of people as choices of classes, and yet not every choice is possible.
        ({("a", "c"): 1, ("c", "d"): 1}, {("b", "d"): 1, ("a", "b"): 2}, 1, "d", 0),
    ],
)
def test_counts_alone_do_not_decide(first, second, time, raw, left):
    releases = counted(first, second)
    assert remaining(releases, [LINE]) == expected(releases, [LINE])
    assert remaining(releases, [LINE])[time][raw,] == left
    written = [records(release, [LINE]) for release in releases]
    assert bcf(*releases, [LINE]) == naive.correspondence.bcf(*written)


def test_the_papers_recipe_leaves_too_many():
    # Two of the three b of the third release were there from the start, so one came second.
    releases = counted({"b": 2, "c": 1}, {"*": 6}, {"b": 3, "B": 4})
    assert remaining(releases, [LINE], method="paper")[1]["b",] == 3
    assert remaining(releases, [LINE])[1]["b",] == 1
    assert expected(releases, [LINE])[1]["b",] == 1


@pytest.mark.long
def test_the_papers_recipe_is_wrong_in_some_cases_and_never_leaves_too_few():
    wrong = 0
    for seed in range(40):
        dice = dice_for("recipe", seed)
        trees = [LINE, PAIR]
        releases = series(trees, (4, 3, 3), ("cut",) * 3, dice)
        exact, paper = remaining(releases, trees), remaining(releases, trees, method="paper")
        for time, left in enumerate(exact):
            for raw, n in left.items():
                assert n <= paper[time][raw]
                wrong += n < paper[time][raw]
    assert wrong > 0


def test_the_papers_recipe_is_refused_where_it_has_no_meaning():
    overlapping = [[(("A",), "s"), (("a",), "s")], [(("A",), "s"), (("a",), "s")]]
    with pytest.raises(BadInput, match="paper"):
        remaining(overlapping, [LINE], method="paper")
    with pytest.raises(BadInput, match="method must be one of exact, paper"):
        remaining(overlapping, [LINE], method="quick")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8, 16))
def test_bounds_hold_and_deciding_by_k_needs_no_exact_numbers(seed):
    dice = dice_for("bounds", seed)
    trees = [LINE, PAIR, PAIR]
    releases = series(trees, (25, 15, 10, 5), ("cut",) * 4, dice, values="rst")
    found = read(releases, trees, None).releases
    asked = CandidateRecords(found)
    lower, upper = asked.bounds()
    exact = remaining(releases, trees)
    fewest = min(n for left in exact for n in left.values())
    for k in (fewest, fewest + 1):
        assert CandidateRecords(found).at_least(k) == (fewest >= k)
    totals = [histogram.to_dense().sum(axis=1) for histogram in asked.exact()]
    for time, total in enumerate(totals):
        target = asked.targets[time]
        assert (lower[time][target] <= total[target]).all()
        assert (total[target] <= upper[time][target]).all()
        assert min(exact[time].values()) == total[target].min()


def test_halves_of_people_are_nobody():
    # Without whole numbers 1/2 person could be everywhere in a three-way table of parities.
    cells = [(x, y, z) for x in "xy" for y in "xy" for z in "xy"]
    people = [cell for cell in cells if cell.count("x") % 2]
    for n in (1, 2):
        releases = []
        for kept in ((0, 1), (0, 2), (1, 2)):
            labels = [tuple(v if j in kept else "*" for j, v in enumerate(p)) for p in people]
            releases.append([(qid, "s") for qid in labels for _ in range(n)])
        trees = [PAIR] * 3
        assert remaining(releases, trees) == expected(releases, trees)


@pytest.mark.parametrize("seed", range(6))
def test_versions_of_one_table_may_be_compared_in_any_order(seed):
    dice = dice_for("versions", seed)
    trees = [LINE, PAIR]
    versions = series(trees, (8, 0, 0), ("cut", "regions", "cut"), dice)
    together = remaining(versions, trees)
    assert together[0] == remaining(versions[::-1], trees)[0]
    assert not any(together[1].values())  # nobody came later
    for pair in ([0, 1], [0, 2], [1, 2]):
        fewer = remaining([versions[j] for j in pair], trees)[0]
        assert all(n <= fewer[raw] for raw, n in together[0].items())


@pytest.mark.parametrize("scale", [10**6, 10**12])
def test_large_counts_are_exact(scale):
    dice = dice_for("scaled", scale)
    found = read(series([LINE, PAIR], (20, 10, 5), ("cut",) * 3, dice), [LINE, PAIR], None).releases
    large = [
        replace(r, histogram=replace(r.histogram, counts=r.histogram.counts * scale)) for r in found
    ]
    small = [left.to_dense() * scale for left in CandidateRecords(found).exact()]
    assert all(
        (a == b.to_dense()).all()
        for a, b in zip(small, CandidateRecords(large).exact(), strict=True)
    )


def test_releases_that_no_history_gives_are_refused():
    for impossible in (
        counted({"a": 1, "c": 1}, {"A": 1, "B": 1}, {"a": 2}),
        counted({"A": 2}, {"A": 3}, {"a": 1, "c": 4}),
        counted({"a": 2}, {"b": 2, "a": 2}, {"b": 3, "a": 1}),
        counted({"a": 3}, {"a": 2}),
    ):
        assert not any(expected(impossible, [LINE])[0].values())
        with pytest.raises(BadInput, match="not releases of one growing table"):
            remaining(impossible, [LINE])


def test_one_release_alone_leaves_whole_classes():
    (left,) = remaining(counted({"A": 3, "c": 2}), [LINE])
    assert left == {("a",): 3, ("b",): 3, ("c",): 2}
    assert left["d",] == 0
    assert stands_for([LINE], ("A",)) == {("a",), ("b",)}
