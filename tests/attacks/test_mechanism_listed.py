"""The mechanism attack by the owner of a list, beside publishing every set of people on it."""

import random
from fractions import Fraction

import pyarrow as pa
import pytest

import naive.replay
import sfumato as sf
from sfumato.attacks import CannotRun, Mechanism, Target

QI = {"q": sf.Tree({"A": ["a1", "a2"], "B": ["b1", "b2"]}), "age": sf.Intervals(10)}
HIV = sf.LDiversity(2, "frequency", ["h"])
MADE = {
    "samarati": (sf.Samarati(), HIV),
    "mondrian": (sf.Mondrian(), sf.KAnonymity(2) & HIV),
    "mondrian cuts": (sf.Mondrian(bounds="cuts"), sf.KAnonymity(2) & HIV),
    "mondrian tight": (sf.Mondrian(bounds="tight"), sf.KAnonymity(2) & HIV),
    "optimal": (sf.Optimal("loss"), sf.LDiversity(2)),
    "cut": (sf.TopDown("cut"), HIV),
}


def table_of(rows, sensitive="s"):
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return sf.read(pa.table(columns), QI, sensitive)


@pytest.mark.every
@pytest.mark.long
@pytest.mark.parametrize("name", MADE)
def test_what_is_found_is_what_publishing_every_set_finds(name, n_tables):
    method, criterion = MADE[name]
    rng = random.Random(name)
    done = 0
    while done < n_tables:
        everybody = [
            {"q": rng.choice(["a1", "a2", "b1"]), "age": rng.choice(["21", "27", "34"])}
            for _ in range(rng.randint(4, 6))
        ]
        inside = everybody[: rng.randint(3, len(everybody) - 1)]
        rows = [who | {"s": rng.choice("hn")} for who in inside]
        releases, made = naive.replay.republished([rows], QI, lambda _: method, criterion)
        if made is None:
            continue
        done += 1
        (published,) = made
        target = Target.of(releases[0], external=table_of(everybody, None))
        finding = Mechanism(who="external").run(target)
        believed = naive.replay.beliefs_on_list(everybody, QI, criterion, method, published)
        named = [v for part in criterion.parts for v in part.named_values()] or ["h", "n"]
        assert finding.found == max(b.get(v, 0) for b in believed.values() for v in named)
        assert not finding.knows_method  # who knows more may believe more


@pytest.fixture(params=[1, pytest.param(20, marks=pytest.mark.slow)])
def n_tables(request):
    return request.param


WARDS = {"ward": sf.Tree({"Q": ["q1", "q2"]})}


def wards(first, second, values=None):
    columns = {"ward": ["q1"] * first + ["q2"] * second}
    if values is not None:
        columns["s"] = list(values)
    return sf.read(pa.table(columns), WARDS, None if values is None else "s")


@pytest.mark.long
@pytest.mark.parametrize(("n_first", "n_second"), [(3, 5), (2, 6)])
def test_table_1_c_with_one_more_person(n_first, n_second):
    """Two of three of the first ward have it; or of six of the second, one alone is there."""
    release = sf.anonymize(wards(2, 5, "hhnnnnn"), HIV, sf.Samarati())
    target = Target.of(release, external=wards(n_first, n_second))
    finding = Mechanism(who="external").run(target)
    believed = naive.replay.beliefs_on_list(
        [{"ward": "q1"}] * n_first + [{"ward": "q2"}] * n_second,
        *(WARDS, HIV, sf.Samarati()),
        sorted(release.to_arrow().to_pylist(), key=str),
    )
    assert finding.found == max(b.get("h", 0) for b in believed.values()) == Fraction(2, 3)
    assert finding.n_people == 8


def test_a_list_needs_no_original(tmp_path):
    sf.anonymize(wards(2, 5, "hhnnnnn"), HIV, sf.Samarati()).save(tmp_path / "out")
    report = sf.audit(sf.load(tmp_path / "out"), external=wards(3, 5))
    (finding,) = [each for each in report.findings if each.attack == "mechanism, external"]
    assert finding.found == Fraction(2, 3)
    assert report.verdict == "failed"


def test_a_list_decides_nothing_about_whoever_knows_who_is_in_the_table(tmp_path):
    """Somebody who is hidden among many on a list is not, for who knows the table's people."""
    sf.anonymize(wards(2, 5, "hhnnnnn"), HIV, sf.Samarati()).save(tmp_path / "out")
    report = sf.audit(sf.load(tmp_path / "out"), external=wards(6, 5))
    (finding,) = [each for each in report.findings if each.attack == "mechanism, external"]
    assert finding.holds
    assert report.verdict == "undecided"


def test_suppressed_rows_and_too_many_sets_leave_it_undecided():
    rows = [{"q": q, "age": "21", "s": s} for q, s in zip(["a1", "a1", "b1"], "hnh", strict=True)]
    release = sf.anonymize(table_of(rows), HIV, sf.Samarati(1))
    assert release.n_suppressed
    target = Target.of(release, external=table_of(rows, None))
    with pytest.raises(CannotRun, match="rows were suppressed"):
        Mechanism(who="external").run(target)
    release = sf.anonymize(wards(2, 5, "hhnnnnn"), HIV, sf.Samarati())
    with pytest.raises(CannotRun, match="too many worlds"):
        Mechanism(who="external", worlds=20).run(Target.of(release, external=wards(100, 100)))
