"""The mechanism attack on series of releases, beside publishing every world from the beginning."""

import random
from fractions import Fraction

import pyarrow as pa
import pytest

import naive.replay
import sfumato as sf
from sfumato.attacks import CannotRun, KnownCells, Mechanism, Target

QI = {"q": sf.Tree({"A": ["a1", "a2"], "B": ["b1", "b2"]})}
HALF = Fraction(1, 2)


def bcf(earlier):
    return sf.BCFAnonymizer(earlier)


MADE = {
    "bcf": (bcf, sf.BCFAnonymity(1) & sf.LDiversity(2, "frequency", ["h"])),
    "bcf, k = 2": (bcf, sf.BCFAnonymity(2) & sf.LDiversity(2)),
    "samarati": (lambda _: sf.Samarati(), sf.LDiversity(2, "frequency", ["h"])),
    "mondrian": (lambda _: sf.Mondrian(), sf.KAnonymity(2) & sf.LDiversity(2)),
    "checked": (
        lambda _: sf.Checked(sf.Mondrian(), (2,)),
        sf.LDiversity("3/2", "frequency", ["h"]),
    ),
    "several ks": (lambda _: sf.Checked(sf.Samarati(), (1, 2)), sf.LDiversity(2, "frequency")),
}


def generated(rng):
    """Give two or three batches of a few people."""
    sizes = rng.choice([(4, 2), (3, 3), (2, 2, 2), (3, 2)])
    return [
        [{"q": rng.choice(["a1", "a2", "b1"]), "s": rng.choice("hnn")} for _ in range(n)]
        for n in sizes
    ]


def attacked(batches, made_by, criterion):
    """Attack a series; give the finding and what enumeration believes. None: no series."""
    tables = [[row for rows in batches[: j + 1] for row in rows] for j in range(len(batches))]
    releases, published = naive.replay.republished(tables, QI, made_by, criterion)
    if published is None:
        return None
    target = Target.of(releases[-1], earlier=releases[:-1])
    believed = naive.replay.beliefs_in_series(batches, QI, made_by, criterion, published)
    return Mechanism().run(target), believed


@pytest.mark.every
@pytest.mark.long
@pytest.mark.parametrize("name", MADE)
def test_what_is_found_is_what_publishing_all_worlds_finds(name, n_series):
    made_by, criterion = MADE[name]
    rng = random.Random(name)
    done = 0
    while done < n_series:
        case = attacked(generated(rng), made_by, criterion)
        if case is None:
            continue
        done += 1
        finding, believed = case
        named = [v for part in criterion.parts for v in part.named_values()] or ["h", "n"]
        assert finding.knows_earlier
        assert finding.found == max(b.get(v, 0) for b in believed.values() for v in named)
        part = criterion.parts[-1]
        if part.bounds_shares:
            bound = part.belief_allowed()
            kept = [bound.allows(b.get(v, Fraction(0))) for b in believed.values() for v in named]
        else:
            kept = [len(b) > 1 for b in believed.values()]
        assert finding.holds == all(kept)


@pytest.fixture(params=[2, pytest.param(25, marks=pytest.mark.slow)])
def n_series(request):
    return request.param


# ---------------------------------------------------------------- thirteen people in two batches

PROMISE = sf.LDiversity(2, "frequency")
OLD = list(zip("aabbbbb", "xxxyyzu", strict=True))
NEW = list(zip("aaaabb", "yypqwv", strict=True))


def table(rows):
    columns = dict(zip("qs", map(list, zip(*rows, strict=True)), strict=True))
    return sf.read(pa.table(columns), {"q": sf.Tree(["a", "b"])}, "s")


@pytest.mark.long
def test_thirteen_people_in_two_batches_are_certain_by_two_methods_that_know_nothing_of_others():
    promise = sf.KAnonymity(2) & PROMISE
    first, second = [sf.anonymize(table(r), promise, sf.Samarati()) for r in (OLD, OLD + NEW)]
    finding = Mechanism().run(Target.of(second, earlier=[first]))
    assert (finding.found, finding.holds, finding.n_exceeding) == (1, False, 2)


@pytest.mark.long
def test_the_same_people_published_beside_each_other_are_shown_to_be_safe():
    promise = sf.BCFAnonymity(2) & PROMISE
    first = sf.anonymize(table(OLD), promise, sf.BCFAnonymizer())
    second = sf.anonymize(table(OLD + NEW), promise, sf.BCFAnonymizer([first]))
    report = sf.audit(second)
    (finding,) = [each for each in report.findings if each.attack == "mechanism"]
    assert finding.holds
    assert finding.found > KnownCells().run(second).found  # what was not published tells, too
    assert (report.verdict, report.left_open) == ("safe", ())


@pytest.mark.long
def test_a_saved_release_says_that_its_verdict_is_about_the_earlier_ones_too(tmp_path):
    promise = sf.BCFAnonymity(2) & PROMISE
    first = sf.anonymize(table(OLD), promise, sf.BCFAnonymizer())
    first.save(tmp_path / "1")
    second = sf.anonymize(table(OLD + NEW), promise, sf.BCFAnonymizer([first]))
    assert sf.audit(second).verdict == "safe"
    second.save(tmp_path / "2")
    report = sf.audit(sf.load(tmp_path / "2"))
    (finding,) = [each for each in report.findings if each.attack == "mechanism"]
    assert (finding.holds, finding.knows_earlier) == (True, True)
    assert "publisher's word" in finding.note
    assert report.verdict == "safe"
    # Of a release that this one does not name he said nothing.
    other = sf.anonymize(table(OLD + NEW[:4]), promise, sf.BCFAnonymizer())
    report = sf.audit(sf.load(tmp_path / "2"), earlier=[other])
    assert report.verdict != "safe"


def test_where_values_had_no_part_the_known_cells_say_it_all():
    method, promise = sf.Checked(sf.Samarati(), (2,)), sf.LDiversity(2)
    first, second = [sf.anonymize(table(r), promise, method) for r in (NEW, NEW + OLD)]
    target = Target.of(second, earlier=[first])
    finding, cells = Mechanism().run(target), KnownCells().run(target)
    assert (finding.found, finding.holds) == (cells.found, cells.holds)
    assert "values had no part" in finding.note


def test_too_many_worlds_leave_it_undecided():
    promise = sf.BCFAnonymity(2) & PROMISE
    first = sf.anonymize(table(OLD), promise, sf.BCFAnonymizer())
    second = sf.anonymize(table(OLD + NEW), promise, sf.BCFAnonymizer([first]))
    with pytest.raises(CannotRun, match="too many worlds explain the releases"):
        Mechanism(worlds=20).run(second)


def test_when_people_came_has_to_be_known(tmp_path):
    promise = sf.BCFAnonymity(2) & PROMISE
    first = sf.anonymize(table(OLD), promise, sf.BCFAnonymizer())
    first.save(tmp_path / "1")
    second = sf.anonymize(table(OLD + NEW), promise, sf.BCFAnonymizer([tmp_path / "1"]))
    with pytest.raises(CannotRun, match="not known when people came"):
        Mechanism().run(second)


@pytest.mark.long
def test_a_series_knows_when_people_came(tmp_path):
    promise = sf.BCFAnonymity(2) & PROMISE
    rules = {"q": sf.Tree(["a", "b"])}
    series = sf.ReleaseSeries.create(tmp_path / "series", rules, promise, sensitive="s")
    for name, rows in (("old", OLD), ("new", NEW)):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["q,s", *map(",".join, rows)]))
        series.publish(path)
    report = series.audit().report
    (finding,) = [each for each in report.findings if each.attack == "mechanism"]
    assert finding.knows_earlier
    assert finding.holds
    assert report.verdict == "safe"


def test_an_earlier_release_of_unknown_origin_is_left_aside_and_nothing_is_called_safe():
    promise = sf.KAnonymity(2) & PROMISE
    second = sf.anonymize(table(OLD + NEW), promise, sf.Samarati())
    earlier = sf.read(pa.table({"q": ["{a, b}"] * 7, "s": list("xxxyyzu")}), ["q"], "s")
    report = sf.audit(second, earlier=[earlier])
    (finding,) = [each for each in report.findings if each.attack == "mechanism"]
    assert not finding.knows_earlier
    assert "left aside" in finding.note
    assert report.verdict != "safe"


def test_in_a_series_too_one_column_does_not_decide_what_is_promised_within_the_other():
    rows = [*zip("aabb", "ppnn", "uvuv", strict=True)] * 2
    columns = dict(zip("qst", map(list, zip(*rows, strict=True)), strict=True))
    both, first = [pa.table({n: v[:m] for n, v in columns.items()}) for m in (8, 4)]
    releases = []
    for each in (first, both):
        read = sf.read(each, {"q": sf.Tree(["a", "b"])}, ["s", "t"])
        method = sf.Checked(sf.Samarati(), (len(each),))
        releases.append(sf.anonymize(read, sf.LDiversity(2), method))
    target = Target.of(releases[1], earlier=[releases[0]])
    assert KnownCells(attribute="s").run(target).holds
    assert Mechanism(attribute="s").run(target).holds is None
