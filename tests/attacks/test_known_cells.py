"""Whoever knows everybody's class in every release, against a twin that tries all worlds."""

import csv
from fractions import Fraction

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import naive.criteria
import naive.known_cells
import sfumato as sf
from attacks.made import release_of
from attacks.test_correspondence_attack import published_as, table_of
from formulas.test_known_cells import cases, seen
from sfumato.attacks import CannotRun, KnownCells, Target
from sfumato.cli.app import app

PROMISE = sf.KAnonymity(2) & sf.LDiversity(2, "frequency")
OLD = list(zip("aabbbbb", "xxxyyzu", strict=True))
NEW = list(zip("aaaabb", "yypqwv", strict=True))


def table(rows):
    columns = dict(zip("qs", map(list, zip(*rows, strict=True)), strict=True))
    return sf.read(pa.table(columns), {"q": sf.Tree(["a", "b"])}, "s")


def two_releases():
    """Every release is safe by itself, and all counts of Fung's section 7.2 hold."""
    return [sf.anonymize(table(rows), PROMISE, sf.Samarati()) for rows in (OLD, OLD + NEW)]


def test_thirteen_people_in_two_batches_are_not_safe():
    first, second = two_releases()
    report = sf.audit(second, earlier=[first])
    (found,) = [each for each in report.findings if each.attack == "known cells"]
    assert (found.found, found.holds, found.n_exceeding) == (1, False, 2)
    assert found.worst["value"] == "x"
    assert found.worst["people"] == 2
    assert not report
    others = [each for each in report.findings if each.attack in ("homogeneity", "correspondence")]
    assert [each.holds for each in others] == [True, True]  # who know less see nothing


def test_the_papers_own_adversary_believes_less():
    both = {"a", "b"}
    first = [(frozenset(both), value) for _, value in OLD]
    second = [(frozenset({raw}), value) for raw, value in OLD + NEW]
    belief = naive.known_cells.beliefs_by_generators(first, second, "ab", "a")
    assert belief["x"] == Fraction(17, 24)


@pytest.mark.long
def test_the_command_line_finds_it_in_a_series_that_promised_k_alone(tmp_path):
    """Newcomers hide the three of the first class from whoever has the second release alone."""
    series = sf.ReleaseSeries.create(
        tmp_path / "series", {"q": sf.Tree(["a", "b"])}, sf.KAnonymity(3), sensitive="s"
    )
    for name, places, values in (("old", "aaabbbbb", "xxxyyzux"), ("new", "aaaabbb", "yypqwvy")):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("q", "s"), *zip(places, values, strict=True)])
        series.publish(tmp_path / f"{name}.csv")
    answer = CliRunner().invoke(app, ["series", "audit", str(tmp_path / "series"), "--json"])
    assert answer.exit_code == 1
    findings = {each.name: each for each in series.audit().report.findings}
    found = findings["known cells (s)"]
    assert (found.found, found.verdict) == (1, "CERTAIN for 3 people")
    assert findings["homogeneity (s)"].holds
    assert findings["correspondence"].holds


def test_nested_releases_are_attacked_from_their_files_alone(tmp_path):
    first, second = two_releases()
    coarse = sf.anonymize(table(OLD + NEW), PROMISE & sf.KAnonymity(8), sf.Samarati())
    for name, each in (("first", first), ("second", second), ("coarse", coarse)):
        each.save(tmp_path / name)
    loaded = {name: sf.load(tmp_path / name) for name in ("first", "second", "coarse")}
    finding = KnownCells(earlier=[loaded["first"]]).run(loaded["coarse"])
    assert (finding.found, finding.holds) == (Fraction(3, 7), True)
    with pytest.raises(CannotRun, match="when people came is not known"):
        KnownCells(earlier=[loaded["first"]]).run(loaded["second"])
    with pytest.raises(CannotRun, match="no earlier release"):
        KnownCells().run(second)


KEPT = [
    (sf.LDiversity(2, "frequency"), lambda b: max(b.values()) * 2 <= 1),
    (sf.LDiversity("3/2", "frequency", ["t"]), lambda b: b.get("t", 0) * 3 <= 2),
    (sf.LDiversity(2), lambda b: len(b) >= 2),
    (sf.LDiversity(3), lambda b: len(b) >= 3),
    (
        sf.LDiversity("3/2", "entropy"),
        lambda b: naive.criteria.l_diverse(as_list(b), Fraction(3, 2), "entropy"),
    ),
    (
        sf.RecursiveDiversity(2, 2),
        lambda b: naive.criteria.recursive_diverse(as_list(b), 2, 2),
    ),
]


def as_list(belief):
    """Beliefs as so many people who have a value."""
    whole = 1
    for each in belief.values():
        whole *= each.denominator
    return [value for value, each in belief.items() for _ in range(int(each * whole))]


def published_by_sfumato(trees, people, labels):
    """The same releases, as the library has them."""
    releases = []
    for release in labels:
        so_far = [(raw, value) for _, raw, value in people[: len(release)]]
        make = published_as(so_far, [qid for qid, _ in release])
        releases.append(release_of(table_of(so_far, trees), make, "regions", sf.LDiversity(1)))
    return releases


def attacked(trees, people, labels):
    """Attack generated releases; the verdict is that of all worlds."""
    *earlier, last = published_by_sfumato(trees, people, labels)
    if last.public_view.digest in {each.public_view.digest for each in earlier}:
        return 0  # refused: is it the release?
    classes, published = seen(people, labels)
    expected = naive.known_cells.beliefs(classes, published)
    for criterion, keeps in KEPT:
        if any(value not in {v for *_, v in people} for value in criterion.named_values()):
            continue
        target = Target.of(last, criterion=criterion, earlier=earlier)
        found = KnownCells().run(target)
        broken = [belief for belief in expected if not keeps(belief)]
        assert found.holds == (not broken)
        assert found.n_exceeding == len(broken)
        named = criterion.named_values() or "stuv"
        assert found.found == max(b.get(value, 0) for b in expected for value in named)
    return sum(len(set(belief.values())) > 1 for belief in expected)


@pytest.mark.long
def test_verdicts_are_those_of_all_worlds():
    assert sum(attacked(*case) for case in cases(12)) > 10


@pytest.mark.slow
def test_verdicts_are_those_of_all_worlds_on_many_series():
    for case in cases(200):
        attacked(*case)


@pytest.mark.long
def test_where_worlds_are_not_counted_bounds_never_call_safe_what_is_not(monkeypatch):
    monkeypatch.setattr("sfumato.formulas.known_cells.worlds.MOST_COUNTED", 0)
    n_shown = n_open = 0
    for trees, people, labels in cases(12):
        *earlier, last = published_by_sfumato(trees, people, labels)
        classes, published = seen(people, labels)
        expected = naive.known_cells.beliefs(classes, published)
        for criterion, keeps in KEPT:
            if any(value not in {v for *_, v in people} for value in criterion.named_values()):
                continue
            target = Target.of(last, criterion=criterion, earlier=earlier)
            holds = KnownCells().run(target).holds
            truth = all(keeps(belief) for belief in expected)
            assert holds in (None, truth)
            n_shown += holds is not None
            n_open += holds is None
    assert n_shown > n_open


def test_people_whose_other_values_are_known_are_cells_of_their_own():
    rows = [("a", "x", "1"), ("a", "y", "1"), ("b", "x", "2"), ("b", "y", "2")]
    columns = dict(zip("qst", map(list, zip(*rows, strict=True)), strict=True))
    both = sf.read(pa.table(columns), {"q": sf.Tree(["a", "b"])}, ["s", "t"])
    promise = sf.LDiversity(2, attribute="s")
    first = sf.anonymize(both, promise & sf.KAnonymity(4), sf.Samarati())
    second = sf.anonymize(both, promise, sf.Samarati())
    alone = KnownCells(earlier=[first], attribute="t").run(second)
    assert (alone.found, alone.verdict) == (1, "CERTAIN for 4 people")
    known = KnownCells(earlier=[first], attribute="s", others=True).run(second)
    assert (known.found, known.holds) == (Fraction(1, 2), None)
