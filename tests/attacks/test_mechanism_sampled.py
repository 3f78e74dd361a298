"""The mechanism attack where worlds are sampled, beside the exact answer."""

import random

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.attacks import Mechanism
from sfumato.attacks.known_method.by_class import class_beliefs
from sfumato.attacks.known_method.membership import members_of
from sfumato.attacks.known_method.solver import Solver
from sfumato.attacks.mechanism.following import Following, published_groups
from sfumato.formulas.minimality.deals import Dealer

PROMISE = sf.KAnonymity(2) & sf.LDiversity(2, "frequency")


@pytest.fixture
def sampled(monkeypatch):
    """Deal nothing by enumeration."""

    def use():
        monkeypatch.setattr(Dealer, "tables", lambda self, most: None)

    yield use
    monkeypatch.undo()


def releases(n, seed):
    """Give releases in which something is learned from the method."""
    rng = random.Random(seed)
    while n:
        size = rng.randint(8, 12)
        columns = {
            "x": [rng.randint(0, 9) for _ in range(size)],
            "y": [rng.randint(0, 9) for _ in range(size)],
            "s": [rng.choice("aabbcd") for _ in range(size)],
        }
        table = sf.read(pa.table(columns), ["x", "y"], "s")
        try:
            release = sf.anonymize(table, PROMISE, sf.Mondrian())
        except sf.Unsatisfiable:
            continue
        if Mechanism().run(release).found > Mechanism().run(release).before:
            yield release
            n -= 1


def believed(release, seed=0):
    """Give what is believed of each class: values, and the ends of intervals where sampled."""
    import numpy as np

    target = sf.attacks.Target.of(release)
    members = members_of(target)
    solver = Solver(members, PROMISE, np.random.default_rng(seed), together=1)
    steps = sf.Mondrian().failed_steps(published_groups(members), PROMISE)
    following = Following(members, steps, solver)
    learned = following.sampled() if following.large else following.exactly()
    classes, _ = class_beliefs(members, learned.beliefs, "s")
    return {(each.group, each.combination): each for each in classes}


@pytest.mark.long
@pytest.mark.parametrize("n", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_intervals_hold_the_exact_belief(n, sampled):
    made = list(releases(n, 1))
    exact = [believed(release) for release in made]
    sampled()
    inside = total = 0
    for release, truth in zip(made, exact, strict=True):
        for who, one in believed(release).items():
            if one.low is None or who not in truth:
                continue
            for code, share in truth[who].shares.items():
                total += 1
                inside += one.low[code] <= float(share) <= one.high[code]
    assert total
    assert inside >= 0.93 * total


@pytest.mark.long
@pytest.mark.parametrize("n", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_a_sample_shows_nothing_to_be_safe_and_rarely_something_wrongly_broken(n, sampled):
    made = list(releases(n, 2))
    exact = [Mechanism().run(release) for release in made]
    sampled()
    wrongly = 0
    for release, truth in zip(made, exact, strict=True):
        finding = Mechanism().run(release)
        assert not finding.holds or (truth.holds and "by bounds" in finding.note)
        wrongly += finding.holds is False and truth.holds is not False
    assert wrongly <= 0.05 * n
