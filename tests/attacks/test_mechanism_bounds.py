"""Bounds on what a method gives away, beside running the method on every world."""

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import naive.replay
import sfumato as sf
from sfumato.attacks import Mechanism
from sfumato.attacks.known_method.solver import Solver
from sfumato.attacks.mechanism import bounds
from sfumato.attacks.mechanism.chances import ONE, at_most, step_chances
from sfumato.attacks.mechanism.witnesses import Witnesses
from sfumato.formulas.minimality.deals import Dealer, worlds
from sfumato.formulas.minimality.posterior import broken

QI = {
    "q": sf.Tree({"Q": {"A": ["a1", "a2", "a3"], "B": ["b1", "b2", "b3"]}}),
    "r": sf.Tree({"Z": ["x", "y"]}),
}
METHODS = [sf.Mondrian(), sf.Optimal("loss"), sf.Samarati(), sf.TopDown("cut")]
BOUNDS = {each.__name__: each for each in (bounds.by_cells, bounds.by_chances, bounds.by_others)}
PROMISES = {
    "one value": (sf.LDiversity(2, "frequency", ["h"]), "hhnnnnnn"),
    "all values": (sf.LDiversity("3/2", "frequency"), "hnm"),
}


@pytest.fixture
def nothing_solved(monkeypatch):
    """Solve no component, neither exactly nor by samples."""
    monkeypatch.setattr(Solver, "component", lambda self, groups, steps: None)


@pytest.fixture(params=[2, pytest.param(150, marks=pytest.mark.slow)])
def n_tables(request):
    return request.param


def findings(n, criterion, kinds, seen):
    """Attack releases of every method, until something was `seen` in n; give rows and all."""
    for method in METHODS:
        rng = random.Random(f"{method} {criterion}")
        left = n
        while left:
            rows = [
                {
                    "q": rng.choice(["a1", "a2", "a3", "b1", "b2", "b3"]),
                    "r": rng.choice("xy"),
                    "s": s,
                }
                for s in rng.choices(kinds, k=rng.randint(5, 7))
            ]
            columns = {name: [row[name] for row in rows] for name in rows[0]}
            table = sf.read(pa.table(columns), QI, "s")
            try:
                release = sf.anonymize(table, criterion, method)
            except sf.SfumatoError:
                continue
            seen.clear()
            finding = Mechanism().run(release)
            if seen:
                left -= 1
                boxes, _ = naive.replay.shown(release.recoding, table.frequencies())
                yield finding, naive.replay.beliefs(rows, QI, ["s"], criterion, method, boxes)


def of_cells(component, believed):
    """Give what enumeration believes of every cell of a component: [(cell, {code: share})]."""
    members = component.members
    code = {label: v for v, label in enumerate(members.frequencies.domains["s"].labels)}
    for place, cell in zip(component.place, component.cell, strict=True):
        who = tuple(members.values(int(members.combination[place])).values())
        yield int(cell), {code[value]: share for (value,), share in believed[who].items()}


@pytest.mark.every
@pytest.mark.long
@pytest.mark.parametrize("promised", PROMISES)
@pytest.mark.parametrize("name", BOUNDS)
def test_no_upper_bound_is_below_a_belief(name, promised, n_tables, nothing_solved, monkeypatch):
    criterion, kinds = PROMISES[promised]
    seen = []

    def recorded(component, numbers):
        for number, uppers in BOUNDS[name](component, numbers):
            seen.append((component, number, uppers))
            yield number, uppers

    monkeypatch.setattr(bounds, "UPPER_BOUNDS", (recorded,))
    part = criterion.parts[-1]
    named = part.named_values() or set(kinds)
    n_shown = n_below_one = 0
    for finding, believed in findings(n_tables, criterion, kinds, seen):
        kept = all(b.get((v,), 0) <= 1 / part.l for b in believed.values() for v in named)
        if finding.holds:
            assert kept
            n_shown += 1
        for component, number, uppers in seen:
            codes, _ = component.histogram(number)
            rows = dict(zip(component.cells_of(number).tolist(), uppers, strict=True))
            for cell, shares in of_cells(component, believed):
                for code, upper in zip(codes.tolist(), rows.get(cell, ()), strict=False):
                    assert shares.get(code, 0) <= upper
                    n_below_one += upper < 1
    assert n_below_one
    if name != "by_cells" and promised == "all values":
        assert n_shown


@pytest.mark.long
def test_witnesses_have_possible_values_and_show_promises_kept(
    n_tables, nothing_solved, monkeypatch
):
    seen = []

    class Recorded(Witnesses):
        def __init__(self, component, rng):
            super().__init__(component, rng)
            seen.append((component, self))

    monkeypatch.setattr(bounds, "Witnesses", Recorded)
    n_shown = n_kept = 0
    for finding, believed in findings(n_tables, sf.LDiversity(2), "hnm", seen):
        kept = all(sum(share > 0 for share in each.values()) > 1 for each in believed.values())
        n_kept += kept
        n_shown += finding.holds is True
        assert kept or not finding.holds
        for component, witnesses in seen:
            for cell, shares in of_cells(component, believed):
                for code in witnesses.values[witnesses.possible[cell]].tolist():
                    assert shares[code] > 0
    assert n_kept >= n_shown > n_kept / 2


@pytest.mark.long
def test_a_chance_not_to_break_is_never_too_small(n_tables, nothing_solved, monkeypatch):
    seen = []
    note = lambda component, _: seen.append(component) or iter(())  # noqa: E731
    monkeypatch.setattr(bounds, "UPPER_BOUNDS", (note,))
    n_informed = 0
    for _ in findings(n_tables, sf.LDiversity(2, "frequency"), "hhhnnm", seen):
        for component in seen:
            values = np.arange(component.members.histogram.n_values, dtype=np.int32)
            histograms = np.zeros((len(component.groups), len(values)), dtype=np.int64)
            for number, row in enumerate(histograms):
                codes, counts = component.histogram(number)
                row[codes] = counts
            dealt = Dealer(component.people, component.group_of_cell, histograms).tables(10**6)
            ways = worlds(dealt, component.people)
            breaks = component.solver._breaks(values)
            does = broken(dealt, component.people, component.cell_steps, breaks) > 0
            for j, step in enumerate(step_chances(component)):
                upper = step.none_breaks()
                assert Fraction(int(ways[~does[:, j]].sum()), int(ways.sum())) <= upper
                n_informed += upper < 1
                for g in range(len(component.groups)):
                    with_g = component.cell_steps[j].children[:, component.cells_of(g)].any(axis=1)
                    for mine, bound in (
                        (with_g, step.some_breaks(g)),
                        (~with_g, 1 - step.none_breaks(g)),
                    ):
                        part = replace(
                            component.cell_steps[j],
                            children=component.cell_steps[j].children[mine],
                            fixed=component.cell_steps[j].fixed[mine],
                        )
                        some = np.zeros(len(dealt), dtype=bool)
                        if mine.any():
                            some = broken(dealt, component.people, [part], breaks)[:, 0] > 0
                        chance = Fraction(int(ways[some].sum()), int(ways.sum()))
                        assert chance <= bound if mine is with_g else chance >= bound
    assert n_informed


def test_a_chance_is_rounded_up():
    assert at_most(0, ((3, 1, 1),)) == -(-2 * ONE // 3)
    assert at_most(5, ((3, 1, 1), (4, 2, 2))) == ONE
    assert at_most(-1, ()) == 0
