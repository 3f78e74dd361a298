"""Local recoding: its steps against their twin, its losses against all partitions."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from naive.local import Twin
from profiles import examples
from sfumato.algorithms.compatibility import methods
from sfumato.algorithms.local import sides
from sfumato.algorithms.local.gathering import Gathered, Points, gathered
from sfumato.algorithms.local.kernels import gather, improve, join, regions
from sfumato.algorithms.local.lower_bound import least_information_loss, least_loss
from sfumato.algorithms.local.sides import BOUNDS, MOST_CELLS, Sides, cells_of, published_sides

SIZES = (7, 4, 3)  # cells of each column


@st.composite
def crowds(draw):
    """Points with people, made-up losses that grow with the side, and k."""
    point = st.tuples(*(st.integers(0, size - 1) for size in SIZES))
    points = sorted(draw(st.sets(point, min_size=2, max_size=24)))
    people = draw(st.lists(st.integers(1, 3), min_size=len(points), max_size=len(points)))
    k = draw(st.integers(2, max(2, min(9, sum(people) // 2))))
    losses = []
    for size in SIZES:
        width = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
        reach = np.cumsum(width)
        losses.append((reach[None, :] - reach[:, None]) / max(1, reach[-1]))
    return points, people, losses, k


def laid_out(points, people, losses):
    sides = Sides(
        np.array(SIZES, dtype=np.int64),
        np.cumsum([0, *(size**2 for size in SIZES[:-1])], dtype=np.int64),
        np.concatenate([column.ravel() for column in losses]),
    )
    return Points(np.array(points, dtype=np.int32), np.array(people, dtype=np.int64), sides)


def sets(groups):
    return sorted(sorted(group) for group in groups if group)


def members(groups):
    found = [np.flatnonzero(groups.of == g).tolist() for g in range(len(groups.first))]
    return sets(found)


@given(crowds(), st.sampled_from([0.0, 0.4]))
@examples(300)
def test_regions_are_those_of_the_twin(crowd, share):
    points, people, losses, k = crowd
    order, starts = regions(*laid_out(points, people, losses), 5, k, share)
    found = [order[a:b].tolist() for a, b in pairwise(starts)]
    assert found == Twin(points, people, losses, k).regions(list(range(len(points))), 5, k, share)


@given(crowds(), st.integers(1, 3))
@examples(300)
def test_groups_are_formed_and_improved_as_by_the_twin(crowd, stride):
    points, people, losses, k = crowd
    twin, laid = Twin(points, people, losses, k), laid_out(points, people, losses)
    everybody = list(range(len(points)))
    expected = twin.formed(everybody, len(points), k, stride)
    group = np.full(len(points), -1, dtype=np.int64)
    n_groups = gather(
        laid.codes, laid.people, np.arange(len(points)), laid.sides, k, stride, group, 0
    )
    groups = Gathered.of_points(group, n_groups, laid)
    join(*laid, groups, np.arange(len(points)), np.arange(n_groups))
    assert members(groups) == sets(expected)
    for group in expected:
        group.sort()  # as chains are
    groups = Gathered.of_points(groups.of, n_groups, laid)
    gained = improve(*laid, groups, np.arange(len(points)), np.arange(n_groups), k)
    assert gained == pytest.approx(twin.improve(expected, everybody))
    assert members(groups) == sets(expected)
    assert groups.total == pytest.approx(twin.total(expected))
    assert all(twin.n(group) >= k for group in expected if group)


def partitions(some):
    """All partitions of a few points."""
    if not some:
        yield []
        return
    first, *rest = some
    for others in partitions(rest):
        yield [[first], *others]
        for j in range(len(others)):
            yield [*others[:j], [first, *others[j]], *others[j + 1 :]]


@given(crowds())
@examples(100)
def test_nothing_loses_less_than_the_best_partition(crowd):
    points, people, losses, k = crowd
    points, people = points[:8], people[:8]
    twin, laid = Twin(points, people, losses, min(k, sum(people))), laid_out(points, people, losses)
    groups = gathered(laid, twin.k)
    able = [
        each
        for each in partitions(list(range(len(points))))
        if all(twin.n(group) >= twin.k for group in each)
    ]
    best = min(map(twin.total, able))
    assert members(groups) in [sets(each) for each in able]
    assert groups.total >= best - 1e-9
    assert groups.total <= twin.total([list(range(len(points)))]) + 1e-9


@given(crowds())
@examples(300)
def test_the_bound_is_that_of_nearest_neighbours_and_no_partition_goes_below(crowd):
    points, people, losses, k = crowd
    points, people = points[:7], people[:7]
    k = min(k, sum(people))
    twin, laid = Twin(points, people, losses, k), laid_out(points, people, losses)
    found = least_loss(laid, k)
    expected = 0.0
    for i in range(len(points)):
        near = sorted((twin.loss([i, j]), j) if j != i else (-1.0, i) for j in range(len(points)))
        until = next(n for n in range(1, len(near) + 1) if twin.n([j for _, j in near[:n]]) >= k)
        expected += people[i] * max(0.0, near[until - 1][0])
    assert found == pytest.approx(expected)
    for each in partitions(list(range(len(points)))):
        if all(twin.n(group) >= k for group in each):
            assert found <= twin.total(each) + 1e-9


@pytest.mark.parametrize("bounds", BOUNDS)
def test_the_bound_of_cells_is_not_above_that_of_values(bounds, monkeypatch):
    ground = sf.read(people_of(300), RULES).frequencies().combinations
    by_value = least_information_loss(ground, 4, bounds)
    as_points = least_loss(Points.of_combinations(ground, bounds), 4)
    assert by_value == pytest.approx(as_points / (300 * 3))
    monkeypatch.setattr(sides, "MOST_CELLS", 30)
    assert 0 < least_information_loss(ground, 4, bounds) < by_value


@pytest.mark.parametrize("method", [m for m in methods() if not m.changes_values], ids=str)
def test_no_method_goes_below_the_bound(method):
    table, promise = sf.read(people_of(60), RULES, "disease"), sf.KAnonymity(3)
    if method.refuses(promise) or method.series is not None:
        return
    release = sf.anonymize(table, promise, method)
    least = sf.utility.least_possible_loss(release)
    assert least <= sf.utility.information_loss(release)
    assert (least == 0) == method.bucketized


def people_of(n, seed=3):
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 90, n)
    return pa.table(
        {
            "age": pa.array([None if j % 50 == 0 else int(a) for j, a in enumerate(age)]),
            "zip": [f"{z:05}" for z in draw.integers(10_000, 10_400, n)],
            "sex": draw.choice(["f", "m"], n),
            "disease": draw.choice(["flu", "HIV", "cold"], n),
        }
    )


RULES = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}


@pytest.mark.parametrize("bounds", BOUNDS)
def test_what_is_minimized_is_what_is_lost(bounds):
    table = sf.read(people_of(800), RULES, "disease")
    release = sf.anonymize(table, sf.KAnonymity(4), sf.Local(bounds=bounds))
    recoding = release.recoding
    ground = recoding.combinations
    domains = [ground.domains[name] for name in ground.columns]
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
    laid = Points.of_combinations(ground, bounds)
    assert (laid.codes == codes).all()  # cells are values
    groups = Gathered.of_points(recoding.parts[:, 1].copy(), len(recoding.boxes), laid)
    lost = groups.total / (len(domains) * table.n_rows)
    assert sf.utility.information_loss(release) == pytest.approx(lost)
    for j, domain in enumerate(domains):
        low, high = (ends[groups.of, j] for ends in (groups.low, groups.high))
        assert (recoding.boxes[groups.of, j] == published_sides(domain, bounds, low, high)).all()
        assert (low <= codes[:, j]).all()
        assert (codes[:, j] <= high).all()
        if bounds == "nodes":
            tree = domain.taxonomy
            nodes = {
                (int(a), int(b))
                for level in range(tree.height + 1)
                for a, b in zip(tree.low[level], tree.high[level], strict=True)
            }
            assert {tuple(side) for side in recoding.boxes[groups.of, j].tolist()} <= nodes


@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("bounds", ["grid", "tight"])
def test_less_is_lost_than_by_mondrian(k, bounds):
    table = sf.read(people_of(3000), RULES, "disease")
    lost = [
        sf.utility.information_loss(sf.anonymize(table, sf.KAnonymity(k), method))
        for method in (sf.Local(bounds=bounds), sf.Mondrian(bounds=bounds))
    ]
    assert lost == sorted(lost)


def test_a_text_that_cannot_be_told_is_priced_as_it_is_published():
    """Where few people have a text, a side that holds it is the whole column."""
    letters, numbers = list("abbabbaacbbbaa"), [5, 2, 1, 3, 8, 8, 2, 2, 2, 1, 3, 1, 1, 1]
    table = sf.read(pa.table({"t": letters, "n": numbers}), ["t", "n"])
    for bounds in ("tight", "grid"):
        lost = [
            sf.utility.information_loss(sf.anonymize(table, sf.KAnonymity(2), method))
            for method in (sf.Local(bounds=bounds), sf.Mondrian(bounds=bounds))
        ]
        assert lost == sorted(lost)


def test_the_smallest_node_that_can_be_told_is_published():
    codes = [f"{code:06}" for code in np.random.default_rng(1).integers(0, 100_000, 1000)]
    table = sf.read(pa.table({"code": codes}), {"code": sf.Prefix()})
    lost = [
        sf.utility.information_loss(sf.anonymize(table, sf.KAnonymity(2), method))
        for method in (sf.Local(bounds="nodes"), sf.Optimal())
    ]
    assert lost == sorted(lost)


def test_groups_that_break_a_promise_about_values_are_joined():
    table = sf.read(people_of(600), RULES, "disease")
    promise = sf.KAnonymity(3) & sf.LDiversity(3)
    release = sf.anonymize(table, promise, sf.Local())
    assert release.check()
    sizes = sf.anonymize(table, sf.KAnonymity(3), sf.Local()).sizes
    assert 1 < len(release.sizes) < len(sizes)


def test_values_decide_nothing_where_only_sizes_are_promised():
    rows = people_of(600)
    shuffled = rows.set_column(3, "disease", pa.array(rows["disease"].to_pylist()[::-1]))
    boxes = [
        sf.anonymize(sf.read(each, RULES, "disease"), sf.KAnonymity(3), sf.Local()).published_boxes
        for each in (rows, shuffled, rows.take(np.random.default_rng(1).permutation(600)))
    ]
    for others in boxes[1:]:
        for one, other in zip(boxes[0], others, strict=True):
            assert (one == other).all()


def test_a_column_of_many_values_is_seen_by_cells():
    draw = np.random.default_rng(2)
    rows = pa.table({"pay": draw.integers(0, 10**6, 6000), "sex": draw.choice(["f", "m"], 6000)})
    table = sf.read(rows, ["pay", "sex"])
    (domain, _) = table.frequencies().domains.values()
    assert len(domain) > MOST_CELLS >= len(cells_of(domain))
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Local())
    assert release.check()
    ground = release.recoding.combinations
    for j, name in enumerate(ground.columns):
        low, high = release.recoding.boxes[release.recoding.parts[:, 1], j].T
        codes = ground.codes(name)
        assert ((low <= codes) & (codes <= high)).all()
    by_cuts = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian(bounds="tight"))
    assert sf.utility.information_loss(release) < 1.5 * sf.utility.information_loss(by_cuts)


def test_promises_that_a_union_breaks_are_refused():
    table = sf.read(people_of(100), RULES, "disease")
    with pytest.raises(sf.BadInput, match="a union of safe groups need not be safe"):
        sf.anonymize(table, sf.DeltaDisclosure(2), sf.Local())
