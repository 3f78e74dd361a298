"""Histories made from the true one: whatever they show is possible, by enumeration."""

from dataclasses import replace

import numpy as np
import pytest

import naive.correspondence
from formulas.series import LINE, PAIR, THREE, dice_for, leaves, recoded, records
from sfumato.attacks.correspondence.given_records import read
from sfumato.formulas.correspondence import earlier_releases as series
from sfumato.formulas.correspondence.candidates import CandidateRecords, younger_in
from sfumato.formulas.correspondence.cells import cells_of
from sfumato.formulas.correspondence.certified import Arrived, KnownHistory, Search
from sfumato.formulas.correspondence.earlier_releases import Past, Together
from sfumato.formulas.correspondence.exchange_kernels import reroute, undo


def grown(trees, sizes, hows, dice, values="st"):
    """Releases of a growing table, and its people with the time they came."""
    ground = [leaves(tree) for tree in trees]
    people, releases = [], []
    for time, size in enumerate(sizes):
        people += [
            (tuple(dice.choice(side) for side in ground), dice.choice(values), time)
            for _ in range(size)
        ]
        releases.append(recoded([(raw, s) for raw, s, _ in people], trees, hows[time], dice))
    return releases, people


def known(releases, people, trees):
    """The releases as they are compared, and what is known of their people."""
    seen = read(releases, trees, None)
    ranks = [seen.ranks(raw) for raw, _, _ in people]
    values = [seen.values.index(s) for _, s, _ in people]
    n = len(people)
    arrived = Arrived(
        np.array(ranks, dtype=np.int32).reshape(n, len(trees)),
        np.arange(n),
        np.array([time for _, _, time in people], dtype=np.intp),
        np.array(values, dtype=np.intp),
        np.ones(n, dtype=np.int64),
    )
    return seen, arrived


def history_of(published, arrived):
    cells = cells_of(published)
    classes = [cells.only_class(j) for j in range(len(published))]
    bounds = [younger_in(published[:j], each) for j, each in enumerate(published)]
    return KnownHistory(published, cells, classes, bounds, arrived)


def a_case(seed, n_releases=3, most=6):
    trees = [[LINE], [PAIR, PAIR], [LINE, PAIR], [THREE]][seed % 4]
    dice = dice_for("known history", seed, n_releases)
    sizes = [dice.randint(1, most), *(dice.randint(0, most) for _ in range(n_releases - 1))]
    hows = dice.choices(["cut", "cut", "regions"], k=n_releases)
    releases, people = grown(trees, sizes, hows, dice)
    seen, arrived = known(releases, people, trees)
    return releases, trees, seen.releases, arrived, dice


def recounted(known, people):
    """The releases that a history gives, value by value."""
    found = []
    for time in range(known.n_times):
        counts = np.zeros(known.classes[time].max() + 1, dtype=int)
        np.add.at(counts, known.classes[time], people[:, : time + 1].sum(axis=1))
        found.append(counts)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_what_is_shown_is_left(seed):
    _, _, published, arrived, _ = a_case(seed)
    found = history_of(published, arrived)
    exact = CandidateRecords(published).exact()
    for time in range(3):
        left = exact[time].to_dense()
        own = found.targets[time]
        assert (found.least[time][own] <= left[own]).all()


@pytest.mark.parametrize("seed", range(120))
def test_a_rerouted_history_gives_the_same_releases(seed):
    _, _, published, arrived, _ = a_case(seed, n_releases=4)
    found = history_of(published, arrived)
    search = Search(found)
    exact = CandidateRecords(published).exact()
    n_met = 0
    for time, cell in np.argwhere(found.targets).tolist():
        for value in range(found.n_values):
            people = search.people[value]
            before = people.copy()
            left = int(exact[time].to_dense()[cell, value])
            shown = reroute(search.frame, search.room, people, cell, time, left + 1)
            assert shown <= left
            assert (people >= 0).all()
            for given, made in zip(recounted(found, before), recounted(found, people), strict=True):
                assert given.tolist() == made.tolist()
            # It is the history that shows it: as many of the target's likes came then.
            like = (found.classes[time:] == found.classes[time:, [cell]]).all(axis=0)
            assert people[like, time].sum() >= shown
            undo(search.room, people)
            assert (people == before).all()
            n_met += shown == left
    assert n_met > 0


@pytest.mark.parametrize("seed", range(60))
def test_verdicts_are_those_of_enumeration(seed):
    releases, trees, published, arrived, _ = a_case(seed, most=3)
    left = naive.correspondence.candidates_left([records(release, trees) for release in releases])
    came = np.bincount(arrived.time, minlength=3)
    covered = [set().union(*(raws for raws, _ in records(r, trees))) for r in releases]
    fewest = min(
        left[time][raw]
        for time in range(3)
        if came[time]
        for raw in set.intersection(*covered[time:])
    )
    past = Past(published[:-1], arrived)
    for k in range(1, 6):
        found, holds = past.fewest_left(published[-1], k)
        assert holds == (fewest >= k)
        assert found <= fewest
        assert found >= k or not holds


@pytest.mark.parametrize("seed", range(20))
def test_people_that_the_releases_are_not_of_show_nothing(seed):
    _, _, published, arrived, dice = a_case(seed)
    assert history_of(published, arrived).fits
    other = arrived.value.copy()
    other[dice.randrange(len(other))] += 1
    wrong = replace(arrived, value=other % published[0].histogram.n_values)
    if published[0].histogram.n_values > 1:
        assert not history_of(published, wrong).fits
    fewest = int(Together(published).left()[0].min())
    for k in (fewest, fewest + 1):
        found, holds = Past(published[:-1], wrong).fewest_left(published[-1], k)
        assert holds == (k == fewest)
        assert found <= fewest


@pytest.mark.parametrize("seed", range(40))
def test_what_is_left_by_value_is_that_of_the_programs(seed):
    _, _, published, arrived, _ = a_case(seed)
    sizes, histogram = Past(published[:-1], arrived).left(published[-1])
    _, exact = Together(published).left()
    found = histogram.to_dense()
    assert sizes.tolist() == found.sum(axis=1).tolist()
    assert set(map(tuple, found.tolist())) == set(map(tuple, exact.to_dense().tolist()))


@pytest.mark.parametrize("seed", range(40))
def test_without_programs_nothing_unsafe_passes(seed, monkeypatch):
    _, _, published, arrived, _ = a_case(seed, n_releases=4)
    monkeypatch.setattr(series, "EXACT", 0)
    fewest = int(Together(published).left()[0].min())
    past = Past(published[:-1], arrived)
    for k in range(1, fewest + 3):
        found, holds = past.fewest_left(published[-1], k)
        assert not holds or k <= found <= fewest


@pytest.mark.parametrize("seed", range(60))
def test_longer_series_show_what_all_tables_leave(seed):
    """Histories alone, without programs: never more than is left, and all of it if they tell."""
    trees = [[LINE], [PAIR, PAIR], [THREE]][seed % 3]
    dice = dice_for("tables", seed)
    n_times = dice.choice([3, 4, 5])
    sizes = [dice.randint(1, 4), *(dice.randint(0, 3) for _ in range(n_times - 1))]
    hows = dice.choices(["cut", "regions"], k=n_times)
    releases, people = grown(trees, sizes, hows, dice, values="stu"[: dice.randint(1, 3)])
    seen, arrived = known(releases, people, trees)
    found = history_of(seen.releases, arrived)
    assert found.fits
    meant = [records(release, trees) for release in releases]
    most = naive.correspondence.most_who_came(meant)
    covered = [set().union(*(raws for raws, _ in release)) for release in meant]
    cells = cells_of(seen.releases)
    left = {}  # by time and by classes since then
    for time in range(n_times):
        for raw in set.intersection(*covered[time:]) if sizes[time] else ():
            (cell,) = cells.of(np.array([seen.ranks(raw)]))
            assert found.targets[time, cell]
            by_value = [most[time][raw, value] for value in seen.values]
            assert left.setdefault((time, found.tail[time, cell]), by_value) == by_value
    fewest = min(map(sum, left.values()))
    for k in range(1, fewest + 3):
        shown, holds = found.shows(k)
        assert shown <= fewest
        assert holds is None or holds == (fewest >= k)
        assert shown >= k or not holds
    exact = found.exact()
    if exact is not None:
        rows = [(time, found.tail[time, cell]) for time, cell in found._everybody().tolist()]
        assert dict(zip(rows, exact[1].to_dense().tolist(), strict=True)) == left
        assert exact[0].tolist() == exact[1].to_dense().sum(axis=1).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_people_who_are_not_those_of_the_releases_show_nothing(seed):
    _, _, published, arrived, dice = a_case(seed)
    twice = np.arange(len(arrived.row)) == dice.randrange(len(arrived.row))
    wrong = [
        replace(arrived, time=np.where(arrived.time == 0, 2, arrived.time)),
        replace(arrived, value=1 - arrived.value),
        replace(arrived, count=np.where(twice, 2, arrived.count)),
    ]
    assert history_of(published, arrived).fits
    for each in wrong:
        found = history_of(published, each)
        assert found.fits == _gives(found, published)
    assert not found.fits
    fewest = int(Together(published).left()[0].min())
    assert not Past(published[:-1], wrong[2]).fewest_left(published[-1], fewest + 1)[1]


def _gives(found, published):
    """Whether the people are those of the releases, class by class."""
    for value in range(found.n_values):
        made = recounted(found, found.came[:, :, value].T)
        for counts, release in zip(made, published, strict=True):
            own = release.histogram.to_dense()[:, value].tolist()
            if counts.tolist() + [0] * (len(own) + 1 - len(counts)) != [*own, 0]:
                return False
    return True


def test_a_release_of_one_class_is_decided_however_long_it_takes(monkeypatch):
    """There is no safer one: histories do not show it here, and programs do, large or not."""
    dice = dice_for("one class", 2485)
    trees = [PAIR, PAIR]
    sizes = [dice.randint(2, 5), *(dice.randint(1, 4) for _ in range(2)), dice.randint(0, 4)]
    releases, people = grown(trees, sizes, ["regions"] * 4, dice)
    releases[-1] = [(("*", "*"), s) for _, s, _ in people]
    seen, arrived = known(releases, people, trees)
    monkeypatch.setattr(series, "EXACT", 0)
    assert history_of(seen.releases, arrived).shows(1)[1] is None
    past = Past(seen.releases[:-1], arrived)
    assert past.fewest_left(seen.releases[-1], 1)[1]
    assert not past.fewest_left(seen.releases[-1], 2)[1]
    assert past.left(seen.releases[-1])[0].min() == 1


@pytest.mark.long
def test_nearly_everything_is_shown_without_a_program():
    """Else the bounds would decide little: four releases by cuts, everybody, every value."""
    n_shown = n_left = 0
    for seed in range(40):
        dice = dice_for("mostly", seed)
        releases, people = grown([LINE, PAIR], (12, 6, 6, 6), ["cut"] * 4, dice)
        seen, arrived = known(releases, people, [LINE, PAIR])
        found = history_of(seen.releases, arrived)
        search = Search(found)
        exact = [each.to_dense() for each in CandidateRecords(seen.releases).exact()]
        asked = np.argwhere(found.targets)
        left = np.array([exact[time][cell] for time, cell in asked.tolist()])
        for j in range(len(asked)):
            one = slice(j, j + 1)
            least = found.least[asked[one, 0], asked[one, 1]].astype(np.int64)
            search.shows(asked[one], left[one].sum(axis=1), left[one], least)
            n_shown += int(least.sum())
        n_left += int(left.sum())
    assert n_shown > 0.97 * n_left
