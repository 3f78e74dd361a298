"""Regions of the domain: what is found in them is what is found by going through all ranks."""

import random

import numpy as np
import pytest

import naive.correspondence
import naive.regions
from formulas.series import LINE, PAIR, THREE, dice_for, records, series
from sfumato.attacks.correspondence import bcf
from sfumato.data.groups import Histogram
from sfumato.formulas.correspondence import pair_flows, regions
from sfumato.formulas.correspondence.cells import PublishedClasses
from sfumato.progress import listening

N = 7  # ranks of an attribute


@pytest.fixture(params=[1, 3, 64])
def few(request, monkeypatch):
    monkeypatch.setattr(regions, "FEW", request.param)


def overlapping(dice, d):
    def side():
        return sorted(dice.choices(range(N), k=2))

    return sorted([side() for _ in range(d)] for _ in range(dice.randint(1, 9)))


def parted(dice, d):
    """Boxes by cuts, some of them left out."""
    boxes = [[[0, N - 1]] * d]
    for _ in range(dice.randint(0, 12)):
        box, axis = boxes.pop(dice.randrange(len(boxes))), dice.randrange(d)
        low, high = box[axis]
        cut = dice.randint(low, high)
        sides = [side for side in ([low, cut], [cut + 1, high]) if side[0] <= side[1]]
        boxes += [[*box[:axis], side, *box[axis + 1 :]] for side in sides]
    return sorted(dice.sample(boxes, max(1, len(boxes) - dice.randint(0, 2))))


def drawn(seed):
    dice = random.Random(f"regions {seed}")
    d = dice.randint(1, 3)
    return [dice.choice([overlapping, parted])(dice, d) for _ in range(2)]


def as_boxes(boxes):
    return np.array(boxes, dtype=np.int32)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(30))
def test_classes_that_meet_are_those_that_share_a_rank(seed):
    first, second = drawn(seed)
    found = regions.comparable(as_boxes(first), as_boxes(second)).tolist()
    assert [tuple(pair) for pair in found] == naive.regions.comparable(first, second, N)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(30))
def test_every_rank_is_in_one_region_with_all_that_holds_it(seed):
    both = drawn(seed)
    found = list(regions.regions(*map(as_boxes, both)))
    for rank in naive.regions.ranks(N, len(both[0][0])):
        around = [each for each in found if naive.regions.holds(each.sides.tolist(), rank)]
        held = [
            {j for j, box in enumerate(boxes) if naive.regions.holds(box, rank)} for boxes in both
        ]
        assert len(around) == 1 or (not around and held == [set(), set()])
        for region in around:
            for own, near in zip(held, region.near, strict=True):
                assert own <= set(near.tolist())


def published(boxes):
    counts = np.ones((len(boxes), 1), dtype=np.int64)
    return PublishedClasses(as_boxes(boxes), Histogram.from_dense(counts))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(30))
def test_places_are_those_of_all_ranks(seed):
    first, second = drawn(seed)
    found = pair_flows._places(published(first), published(second), None)
    assert found - {((), ())} == naive.regions.places(first, second, N)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(15))
def test_what_is_left_does_not_depend_on_how_the_domain_is_cut(seed):
    for trees in ([LINE], [PAIR, THREE]):
        dice = dice_for("cut up", seed, len(trees))
        sizes = (dice.randint(1, 4), dice.randint(0, 2))
        first, second = series(trees, sizes, dice.choices(["regions", "local"], k=2), dice)
        wanted = naive.correspondence.bcf(records(first, trees), records(second, trees))
        assert bcf(first, second, trees) == wanted


def test_boxes_of_cuts_are_in_small_regions_and_others_stay_together():
    grid = [[[x, x], [y, y]] for x in range(40) for y in range(40)]
    parts = list(regions.regions(as_boxes(grid), as_boxes(grid)))
    assert max(len(each.near[0]) for each in parts) <= regions.FEW // 2
    assert sum(len(each.near[0]) for each in parts) == len(grid)
    crossing = [[[x, x], [0, 99]] for x in range(100)]
    across = [[[0, 99], [y, y]] for y in range(100)]
    (whole,) = regions.regions(as_boxes(crossing), as_boxes(across))
    assert [len(near) for near in whole.near] == [100, 100]


def test_progress_is_told():
    heard = []
    grid = [[[x, x]] for x in range(200)]
    with listening(lambda *told: heard.append(told)):
        pair_flows._places(published(grid), published(grid), None)
    assert [stage for stage, _, _ in heard] == ["comparing releases"] * len(heard)
    assert [done for _, done, _ in heard] == list(range(heard[0][2]))
    assert len(heard) > 1
