"""People whose classes are known in every release, against a twin that tries all worlds."""

from fractions import Fraction

import numpy as np
import pytest

import naive.known_cells
from formulas.series import LINE, PAIR, THREE, dice_for, leaves, recoded
from sfumato.attacks.correspondence.given_records import read
from sfumato.data.keys import distinct_rows
from sfumato.formulas.correspondence.certified import Arrived
from sfumato.formulas.correspondence.linear_program import Answer, LinearProgram
from sfumato.formulas.known_cells import worlds as worlds_module
from sfumato.formulas.known_cells.cells import cells_of_people, nested_cells
from sfumato.formulas.known_cells.exchanges import possible_by_exchange
from sfumato.formulas.known_cells.worlds import Worlds

TREES = {"one": [LINE], "two": [THREE, PAIR]}


def made(trees, sizes, dice, values="stu"):
    """People as (batch, raw, value), and the releases: cuts or regions of all people so far."""
    crossed = dice.random() < 0.6
    people, releases = [], []
    for time, size in enumerate(sizes):
        people += [
            (time, tuple(dice.choice(leaves(tree)) for tree in trees), dice.choice(values))
            for _ in range(size)
        ]
        rows = [(raw, value) for _, raw, value in people]
        if crossed:  # every release by one column: then few cells are known by subtraction
            shown = time % len(trees)
            releases.append(
                [
                    (tuple(v if j == shown else "*" for j, v in enumerate(raw)), value)
                    for raw, value in rows
                ]
            )
        else:
            how = dice.choice(["cut", "cut", "regions"])
            releases.append(recoded(rows, trees, how, dice))
    return people, releases


def arrived(series, people):
    """The same people as the formulas take them."""
    ranks = np.array([series.ranks(raw) for _, raw, _ in people])
    distinct, row = distinct_rows(ranks.astype(np.int32))
    codes = {value: code for code, value in enumerate(series.values)}
    return Arrived(
        distinct,
        row,
        np.array([time for time, _, _ in people]),
        np.array([codes[value] for _, _, value in people]),
        np.ones(len(people), dtype=np.int64),
    )


def seen(people, releases):
    """Everybody's class in every release, and what the releases publish."""
    classes = [
        tuple(release[j][0] if j < len(release) else None for release in releases)
        for j in range(len(people))
    ]
    published = []
    for release in releases:
        own = {}
        for name, value in release:
            own.setdefault(name, []).append(value)
        published.append(own)
    return classes, published


def cases(n):
    for number in range(n):
        dice = dice_for("known cells", number)
        trees = TREES[dice.choice(["one", "two", "two"])]
        n_releases = dice.choice([2, 2, 3, 4])
        total = dice.choice([5, 6, 7, 8, 9, 9, 10, 10, 10])
        later = [dice.choice([0, 1, 1, 2, 3]) for _ in range(n_releases - 1)]
        sizes = [max(1, total - sum(later)), *later]
        values = dice.choice(["st", "stt", "stu", "sttu"])
        people, releases = made(trees, sizes, dice, values)
        yield trees, people, releases


def compare(trees, people, releases):
    """Beliefs equal, bounds sound and exact enough, possible values those that are."""
    series = read(releases, trees, None)
    known, true = cells_of_people(series.releases, arrived(series, people))
    assert int(known.sizes.sum()) == len(people)
    assert (true.sum(axis=1) == known.sizes).all()
    classes, published = seen(people, releases)
    expected = naive.known_cells.beliefs(classes, published)
    worlds = Worlds(known)
    place = {
        tuple(
            None
            if c < 0
            else series.labels[j][tuple(map(tuple, series.releases[j].boxes[c].tolist()))]
            for j, c in enumerate(row)
        ): cell
        for cell, row in enumerate(known.classes.tolist())
    }
    for own, belief in zip(classes, expected, strict=True):
        cell = place[own]
        found = worlds.belief(cell)
        assert found == [belief.get(value, Fraction(0)) for value in series.values]
    for own, cell in place.items():
        for code, value in enumerate(series.values):
            most, fewest = naive.known_cells.most_and_fewest(classes, published, own, value)
            codes = np.array([code])
            assert worlds.fewest(cell, codes) <= fewest <= most <= worlds.most(cell, codes)
            assert worlds.possible(cell, code) in (None, most > 0)
            if worlds.known[cell]:
                assert worlds.most(cell, codes) == most == fewest == worlds.fewest(cell, codes)
    return worlds


@pytest.mark.long
def test_beliefs_are_those_of_all_worlds():
    n_open = 0
    for trees, people, releases in cases(100):
        n_open += int((~compare(trees, people, releases).known).sum())
    assert n_open > 30


@pytest.mark.long
def test_a_solver_that_errs_makes_bounds_wide_and_never_wrong(monkeypatch):
    dice = dice_for("wrong prices")

    def wrong(program, gain, *_):
        prices = [dice.choice([-1, -0.5, 0, 1 / 3, 1]) for _ in program.need]
        return Answer(np.zeros(len(gain)), np.array(prices))

    monkeypatch.setattr(LinearProgram, "best", wrong)
    monkeypatch.setattr(Worlds, "possible", lambda *_: None)  # solves programs of its own
    n_open = 0
    for trees, people, releases in cases(100):
        n_open += int((~compare(trees, people, releases).known).sum())
    assert n_open > 30


def test_what_exchanges_show_is_possible_and_mostly_all_that_is():
    n_shown = n_possible = 0
    for trees, people, releases in cases(100):
        series = read(releases, trees, None)
        known, true = cells_of_people(series.releases, arrived(series, people))
        shown = possible_by_exchange(known, true)
        worlds = Worlds(known)
        for cell in np.flatnonzero(~worlds.known).tolist():
            belief = np.array([each > 0 for each in worlds.belief(cell)])
            assert not (shown[cell] & ~belief).any()
            n_shown += int(shown[cell].sum())
            n_possible += int(belief.sum())
    assert n_shown > 0.8 * n_possible > 50


def test_where_worlds_are_too_many_nothing_is_claimed_but_bounds(monkeypatch):
    monkeypatch.setattr(worlds_module, "MOST_STEPS", 0)
    monkeypatch.setattr(worlds_module, "MOST_VARIABLES", 0)
    n_open = 0
    for trees, people, releases in cases(40):
        series = read(releases, trees, None)
        known, true = cells_of_people(series.releases, arrived(series, people))
        worlds = Worlds(known)
        for cell in np.flatnonzero(~worlds.known).tolist():
            n_open += 1
            assert worlds.belief(cell) is None
            for code, count in enumerate(true[cell].tolist()):
                codes = np.array([code])
                assert worlds.fewest(cell, codes) <= count <= worlds.most(cell, codes)
                assert worlds.possible(cell, code) is not False or count == 0
    assert n_open > 5


def test_nested_releases_need_nobody_who_knows_when_people_came():
    n_nested = 0
    for trees, people, releases in cases(150):
        series = read(releases, trees, None)
        nested = nested_cells(series.releases)
        if nested is None:
            continue
        n_nested += 1
        known, true = cells_of_people(series.releases, arrived(series, people))
        assert {tuple(row) for row in nested.classes} == {tuple(row) for row in known.classes}
        worlds = Worlds(nested)
        assert worlds.known.all()
        place = {tuple(row): cell for cell, row in enumerate(known.classes.tolist())}
        order = [place[tuple(row)] for row in nested.classes.tolist()]
        assert (worlds.bounds.lower == true[order]).all()
    assert n_nested > 20


@pytest.mark.slow
def test_beliefs_are_those_of_all_worlds_on_many_series():
    for trees, people, releases in cases(2000):
        compare(trees, people, releases)
