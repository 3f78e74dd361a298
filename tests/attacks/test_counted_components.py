"""Components of large releases, solved by compiled counting: what the slow way says of the same."""

import random
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from attacks.test_mechanism import QI, VERDICTS, attacked, generated, largest
from sfumato.attacks.known_method import counted_components
from sfumato.attacks.known_method.membership import located
from sfumato.attacks.known_method.solver import Solver
from sfumato.attacks.mechanism import following
from sfumato.attacks.mechanism.following import Following, published_groups
from sfumato.attacks.target import Target

METHODS = [sf.Mondrian(), sf.Mondrian(dimensions="widest"), sf.Samarati(), sf.TopDown("cut")]
CRITERIA = [
    sf.KAnonymity(2) & sf.LDiversity(2),
    sf.KAnonymity(3) & sf.LDiversity(3),
    sf.LDiversity(2, "frequency"),
    sf.LDiversity("3/2", "frequency"),
    sf.KAnonymity(2) & sf.LDiversity(2, "frequency"),
    sf.LDiversity("3/2", "frequency") & sf.LDiversity(2),
]
LARGE_QI = {"q": sf.Tree([f"{j}" for j in range(8)]), "r": sf.Tree({"Z": ["x", "y"]})}


@pytest.fixture
def compiled(monkeypatch):
    """Solve small releases, too, as large ones are."""
    monkeypatch.setattr(following, "COMPILED", 0)
    monkeypatch.setattr("sfumato.algorithms.mondrian.COMPILED", 0)


@pytest.fixture(params=[1, pytest.param(60, marks=pytest.mark.slow)])
def n_tables(request):
    return request.param


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("kind", ["all values", "distinct"])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_it_finds_what_running_the_method_on_every_world_finds(method, kind, n_tables):
    criterion, keeps = VERDICTS[kind]
    rng = random.Random(f"{method} {kind}")
    for _ in range(4 * n_tables):
        case = attacked(generated(rng), criterion, method)
        if case is not None:
            finding, believed = case
            assert finding.found == largest(believed, criterion)
            assert finding.holds == all(keeps(shares) for shares in believed.values())


def made(rng):
    """Make a release of forty to eighty people by any method, and give who is in which group."""
    kinds = "abcdefgh"[: rng.randint(3, 8)]
    people = [
        (str(rng.randrange(8)), rng.choice("xy"), rng.choice(kinds))
        for _ in range(rng.randint(40, 80))
    ]
    columns = dict(zip("qrs", zip(*people, strict=True), strict=True))
    table = sf.read(pa.table({name: list(each) for name, each in columns.items()}), LARGE_QI, "s")
    method, criterion = rng.choice(METHODS), rng.choice(CRITERIA)
    try:
        release = sf.anonymize(table, criterion, method)
    except sf.SfumatoError:
        return None
    return method, criterion, located(Target.of(release))


def followed(method, criterion, members):
    solver = Solver(members, criterion, np.random.default_rng(0))
    steps = method.failed_steps(published_groups(members), criterion)
    return None if steps is None else Following(members, steps, solver)


def test_beliefs_are_those_of_the_slow_way(n_tables, monkeypatch):
    rng = random.Random(0)
    n_solved = n_several = 0
    for _ in range(25 * n_tables):
        case = made(rng)
        if case is None:
            continue
        slow = followed(*case)
        if slow is None:
            continue
        with monkeypatch.context() as patch:
            patch.setattr(following, "COMPILED", 0)
            patch.setattr("sfumato.algorithms.mondrian.COMPILED", 0)
            fast = followed(*case)
        known = {each.group: each for each in fast.beliefs}
        for one in slow.beliefs:
            other = known[one.group]
            assert other.row.tolist() == one.row.tolist()
            assert other.people.tolist() == one.people.tolist()
            assert other.codes.tolist() == one.codes.tolist()
            assert other.shares == one.shares
            assert all(isinstance(share, Fraction) for row in other.shares for share in row)
            n_solved += 1
        unknown = {g for large in fast.large for g in large.unknown}
        assert unknown <= {g for large in slow.large for g in large.unknown}
        n_several += len(fast.beliefs) > len(slow.beliefs)
    assert n_solved > 10
    assert n_several or n_tables == 1  # of what is too large for the slow way


def test_numbers_of_worlds_that_are_too_long_are_left_to_the_slow_way(compiled, monkeypatch):
    rng = random.Random(1)
    cases = [case for case in (made(rng) for _ in range(10)) if case is not None]
    expected = [followed(*case) for case in cases]
    monkeypatch.setattr(counted_components, "MOST_BITS", 0)
    monkeypatch.setattr(
        counted_components.CountedComponents, "beliefs", lambda *_: pytest.fail("not asked")
    )
    for case, fast in zip(cases, expected, strict=True):
        if fast is not None:
            known = {each.group: each.shares for each in fast.beliefs}
            for each in followed(*case).beliefs:
                assert known[each.group] == each.shares


@pytest.mark.usefixtures("compiled")
def test_a_release_that_was_made_another_way_is_refused():
    people = pa.table({"q": ["a1", "a2", "b1", "b2"], "r": list("xxxx"), "s": list("hnhn")})
    criterion = sf.LDiversity(2, "frequency")
    release = sf.anonymize(sf.read(people, QI, "s"), criterion, sf.Samarati())
    members = located(Target.of(release))
    solver = Solver(members, sf.LDiversity(1, "frequency"), np.random.default_rng(0))
    steps = sf.Mondrian().failed_steps(published_groups(members), criterion)
    with pytest.raises(sf.attacks.CannotRun):
        Following(members, steps, solver)
