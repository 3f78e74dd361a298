"""Risk as a promise: of everybody, on average, and of all but a few."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import naive.criteria
import naive.lattice
import sfumato as sf
from profiles import examples
from properties.generated import tables
from sfumato.cli.app import app

SIZES = st.lists(st.integers(1, 9), max_size=7)
SHARES = st.fractions(0, 1, max_denominator=12)
RISKS = st.fractions(Fraction(1, 12), 1, max_denominator=12)


@pytest.mark.parametrize(
    ("risk", "k"), [("0.09", 12), ("0.33", 4), ("1/3", 3), (0.2, 5), (0.5, 2), (1, 1), ("0.05", 20)]
)
def test_a_risk_is_a_number_of_people(risk, k):
    promise = sf.MaxRisk(risk)
    assert promise.k == promise.least_size == k
    assert promise.holds(sf.Groups([k])).all()
    assert promise.measure(sf.Groups([k, k + 1])) == Fraction(1, k)
    assert k == 1 or not promise.holds(sf.Groups([k - 1])).any()


@examples(300)
@given(SIZES, RISKS)
def test_an_average_is_kept_without_the_fewest_people(sizes, risk):
    promise, groups = sf.AverageRisk(risk), sf.Groups(sizes)
    held = promise.holds(groups)
    keeps = lambda kept: naive.criteria.average_risk(kept, risk)  # noqa: E731
    assert held.all() == keeps(sizes)
    assert keeps(groups.sizes[held].tolist())
    assert groups.sizes[~held].sum() == naive.criteria.fewest_to_leave_out(sizes, keeps)
    if sizes:
        assert (promise.measure(groups) <= risk) == keeps(sizes)


@examples(300)
@given(SIZES, SHARES, RISKS)
def test_people_above_a_risk_are_left_out_as_few_as_will_do(sizes, share, risk):
    promise, groups = sf.PeopleAtRisk(share, risk), sf.Groups(sizes)
    held = promise.holds(groups)
    assert held.all() == naive.criteria.people_at_risk(sizes, share, risk)
    keeps = lambda kept: naive.criteria.people_at_risk(kept, share, risk)  # noqa: E731
    assert keeps(groups.sizes[held].tolist())
    gone = groups.sizes[~held]
    assert all(Fraction(1, size) > risk for size in gone.tolist())
    assert gone.sum() == naive.criteria.fewest_to_leave_out(sizes, keeps)
    if sizes:
        assert (promise.measure(groups) <= share) == held.all()


def test_larger_groups_may_have_to_go_for_fewer_people():
    promise, groups = sf.PeopleAtRisk("1/5", "1/5"), sf.Groups([4, 2, 5, 2, 4, 2, 1])
    assert groups.sizes[promise.holds(groups)].tolist() == [5, 1]  # not 5 alone


def test_the_fewest_of_many_people_are_found_quickly():
    sizes = np.random.default_rng(2).integers(1, 40, 100_000)
    held = sf.PeopleAtRisk("0.1", "0.05").holds(sf.Groups(sizes))
    at_risk = int(sizes[held & (sizes < 20)].sum())
    assert at_risk == int(sizes[sizes >= 20].sum()) // 9


METHODS = [sf.Samarati, sf.Incognito, sf.Optimal, sf.Exhaustive]


@pytest.mark.parametrize("method", [*METHODS, sf.ThreePhase], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "promise",
    [
        sf.MaxRisk("0.09"),
        sf.AverageRisk("0.02"),
        sf.PeopleAtRisk("0.01", "0.2"),
        sf.MaxRisk("0.5") & sf.AverageRisk("0.03"),
    ],
    ids=str,
)
def test_what_is_published_keeps_it(tmp_path, method, promise):
    table = sf.read(
        sf.datasets.patients(),
        {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()},
    )
    release = sf.anonymize(table, promise, method())
    loaded = sf.load(release.save(tmp_path / "out"))
    assert loaded.check()
    sizes = loaded.groups.sizes
    risks = [Fraction(1, n) for n in sizes.tolist() for _ in range(n)]
    for part in promise.parts:
        kept = {
            sf.MaxRisk: lambda part: max(risks) <= part.risk,
            sf.AverageRisk: lambda part: sum(risks) / len(risks) <= part.risk,
            sf.PeopleAtRisk: lambda part: (
                sum(each > part.risk for each in risks) <= part.share * len(risks)
            ),
        }[type(part)]
        assert kept(part)


@pytest.mark.parametrize("method", METHODS, ids=lambda kind: kind.__name__)
def test_people_at_risk_may_be_suppressed(method):
    table = sf.read(
        sf.datasets.patients(),
        {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()},
    )
    promise = sf.AverageRisk("0.02")
    release = sf.anonymize(table, promise, method(max_suppressed=200))
    assert release.check()
    assert release.n_suppressed <= 200


@pytest.mark.parametrize("promise", [sf.AverageRisk("0.1"), sf.PeopleAtRisk("0.1", "0.2")], ids=str)
def test_methods_that_see_one_group_at_a_time_refuse_the_whole_table(promise):
    for method in (sf.Mondrian(), sf.TopDown(), sf.Anatomy(), sf.Checked(sf.Mondrian(), [5])):
        assert method.refuses(promise)
    table = sf.read(sf.datasets.patients(), ["sex"])
    assert sf.anonymize(table, promise).check()  # by a method that can


def test_who_links_everybody_is_held_against_the_average():
    table = sf.read(sf.datasets.patients(), {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()})
    release = sf.anonymize(table, sf.AverageRisk("0.05"), sf.Optimal())
    (finding,) = [each for each in sf.audit(release).findings if "marketer" in each.attack]
    assert finding.promised.value == Fraction(1, 20)
    assert finding.holds
    assert finding.found <= Fraction(1, 20)


@pytest.mark.long
@examples(100)
@given(tables(max_rows=12), st.integers(0, 4), SHARES, RISKS, st.booleans())
def test_lattice_methods_find_the_enumerated_nodes(table, limit, share, risk, average):
    """Safe is a node where leaving out so few people keeps the promise about the others."""
    limit = min(limit, len(table.rows) - 1)
    promise = sf.AverageRisk(risk) if average else sf.PeopleAtRisk(share, risk)

    def left_out(node):
        groups = naive.lattice.groups_at(table.rows, table.paths, node).values()
        sizes = [len(group) for group in groups]
        keeps = lambda kept: (  # noqa: E731
            naive.criteria.average_risk(kept, risk)
            if average
            else naive.criteria.people_at_risk(kept, share, risk)
        )
        return naive.criteria.fewest_to_leave_out(sizes, keeps)

    nodes = naive.lattice.all_nodes(naive.lattice.heights_of(table.paths))
    safe = {node for node in nodes if left_out(node) <= limit}
    minimal = {n for n in safe if not any(naive.lattice.below(other, n) for other in safe)}
    for method in (sf.Exhaustive(limit), sf.Incognito(limit), sf.Samarati(limit)):
        assert set(method.minimal(table.frequencies(), promise)) == minimal, method


@pytest.mark.parametrize(("columns", "code"), [("sex", 0), ("age,sex", 1)])
def test_a_risk_is_asked_for_on_the_command_line(columns, code):
    command = ["check", str(sf.datasets.patients()), "-q", columns, "--risk", "0.09", "--json"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == code
    assert json.loads(done.stdout)["holds"] is (code == 0)
