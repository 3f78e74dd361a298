"""Where people have any number of values, only attacks that know how to count them are run."""

import itertools
import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.disclosure
import naive.groups
import sfumato as sf
from profiles import examples
from sfumato.attacks import BackgroundKnowledge, Homogeneity
from sfumato.errors import CannotRun

ROWS = [
    {"id": who, "q": q, "s": value}
    for who, q, values in [
        (1, "a", ["A", "B"]),
        (2, "a", ["C"]),
        (3, "a", [None]),
        (4, "b", ["A"]),
        (5, "b", ["B", "C"]),
        (6, "b", ["B"]),
    ]
    for value in values
]
PEOPLE = naive.groups.people_of(ROWS, "id", ["q"], "s")
LONG = pa.table({name: [row[name] for row in ROWS] for name in ("id", "q", "s")})
LISTS = pa.table(
    {
        "q": [known[0] for known, _ in PEOPLE.values()],
        "s": [list(values.elements()) for _, values in PEOPLE.values()],
    }
)
PROMISE = sf.Skyline([(1, 1, 1, "19/20")], case="set")
NOT_THESE = "people have any number of values of 's', and this adversary counts on one for each"


def made(criterion=PROMISE, source=LONG, person="id") -> sf.Release:
    return sf.anonymize(sf.read(source, ["q"], "s", person=person), criterion, sf.OneGroup())


def test_attacks_that_count_on_one_value_for_each_are_not_run():
    found = sf.audit(made(sf.KAnonymity(2)))
    reasons = {each.name: each.reason for each in found.not_run}
    attacks = {"knowledge (1, 1, 1)", "homogeneity", "background knowledge"}
    assert {each.attack for each in found.findings} == attacks
    about_values = {name for name in reasons if not name.startswith("linkage")}
    assert about_values >= {"skewness (s)", "similarity (s)", "minimality (s)"}
    assert {reasons[name] for name in about_values} == {NOT_THESE}


@pytest.mark.long
def test_what_knowledge_gives_away_is_what_the_promise_says(tmp_path):
    release = made()
    finding = sf.audit(release).findings[-1]
    (measured,) = release.check().measured
    assert finding.holds
    assert finding.found == measured.found == Fraction(9, 10)
    loaded = sf.load(release.save(tmp_path / "out"))
    again = sf.audit(loaded).findings[-1]
    assert (again.found, again.holds) == (finding.found, True)


def test_linking_counts_people_and_not_values():
    """Two groups of three people, as they are."""
    found = {
        each.attack: each for each in sf.audit(sf.read(LONG, ["q"], "s", person="id")).findings
    }
    assert found["linkage, prosecutor"].found == Fraction(1, 3)
    assert found["linkage, prosecutor"].n_people == 6


def test_as_lists_one_value_gives_away_the_others_so_beliefs_are_not_told():
    found = sf.audit(sf.read(LISTS, ["q"], "s"))
    assert "knowledge" not in {each.attack for each in found.findings}
    reason = {each.name: each.reason for each in found.not_run}["knowledge (1, 1, 1) (s)"]
    assert reason.startswith("a person's values of 's' stand together in this table")
    with pytest.raises(CannotRun, match="stand together"):
        sf.knowledge_skyline(sf.read(LISTS, ["q"], "s"))


@pytest.mark.long
def test_the_original_may_be_rows_or_lists(tmp_path):
    place = made().save(tmp_path / "out")
    pq.write_table(LISTS, tmp_path / "lists.parquet")
    originals = [sf.read(LONG, ["q"], "s", person="id"), LISTS, tmp_path / "lists.parquet"]
    for original in originals:
        found = sf.audit(sf.load(place), original)
        expected = [each.found for each in sf.audit(made()).findings]
        assert [each.found for each in found.findings] == expected
        page = found.save(tmp_path / "report", private=True)
        told = json.loads((page.parent / "report-steward.json").read_text())
        (column,) = told["steward"]["distributions"]
        assert {each["value"]: each["original"] for each in column["values"]} == {
            "A": 2,
            "B": 3,
            "C": 2,
        }
        assert (column["rows_original"], column["rows_published"]) == (7, 7)
        assert any("any number of values of s" in each for each in told["limits"])


@pytest.mark.long
def test_another_original_is_refused(tmp_path):
    loaded = sf.load(made().save(tmp_path / "out"))
    with pytest.raises(sf.BadInput, match="one each in the original; read it with"):
        sf.audit(loaded, LONG.drop_columns("id"))
    fewer = LISTS.set_column(1, "s", pa.array([["A", "C"]] * 5 + [["B"]]))
    with pytest.raises(sf.BadInput, match="fewer of its people have a sensitive value than were"):
        sf.audit(loaded, fewer)
    with pytest.raises(sf.BadInput, match="original: it has 5 rows, and 6 were released"):
        sf.audit(loaded, LISTS.slice(1))
    plain = sf.read(pa.table({"q": ["a"] * 3, "s": ["A", "B", "C"]}), ["q"], "s")
    single = sf.anonymize(plain, sf.KAnonymity(2), sf.OneGroup())
    with pytest.raises(sf.BadInput, match="in the original and one each in the release"):
        sf.audit(sf.load(single.save(tmp_path / "single")), LISTS)


@pytest.mark.long
@pytest.mark.parametrize("form", [LONG, LISTS])
def test_without_a_promise_repeated_values_make_multisets(tmp_path, form):
    release = made(sf.KAnonymity(2), form, "id" if form is LONG else None)
    assert sf.knowledge_skyline(release).case == "set"
    twice = pa.table({"q": ["a", "a"], "s": [["A", "A"], ["B"]]})
    release = made(sf.KAnonymity(2), twice, None)
    assert sf.knowledge_skyline(release).case == "multiset"
    loaded = sf.load(release.save(tmp_path / "out"))
    assert (
        sf.knowledge_skyline(loaded).case == "set"
    )  # two people have A twice: it may be once each
    thrice = made(sf.KAnonymity(2), pa.table({"q": ["a", "a"], "s": [["A"] * 3, []]}), None)
    assert sf.knowledge_skyline(sf.load(thrice.save(tmp_path / "three"))).case == "multiset"
    with pytest.raises(sf.BadInput, match="people have any number of values of 's': ask with"):
        sf.knowledge_skyline(release, case="single")


@pytest.mark.long
def test_the_steward_is_told_who_has_a_value_that_would_be_given_away():
    found = sf.knowledge_skyline(made(), "C", "9/10")
    named = [told["who has it"] for _, _, told in found.witnesses()]
    assert named
    having = [known for known, values in PEOPLE.values() if values["C"]]
    assert all([(each["q"],) for each in who] == having for who in named)


def test_of_sets_it_is_said_what_knowledge_is_about_them():
    found = sf.knowledge_skyline(made(), "C", "9/10")
    assert found.header[:2] == ("values tied to it (l)", "people without it (k)")
    words = {word for _, _, told in found.witnesses() for word in told}
    assert "others without it" in words
    assert not {"ruled out", "others known"} & words


def counted_apart(people_by_group):
    """A target with set-valued groups, as if published as two tables; people: lists of values."""
    rows = [(str(g), values) for g, people in enumerate(people_by_group) for values in people]
    source = pa.table({"q": [q for q, _ in rows], "s": pa.array([v for _, v in rows])})
    table = sf.read(source, ["q"], "s")
    whole = table.frequencies().as_it_is()
    return replace(sf.attacks.Target.of(table), seen=replace(whole, people=whole.sizes))


people_with_values = st.lists(st.sampled_from("ABC"), max_size=3, unique=True)
groups_of_people = st.lists(
    st.lists(people_with_values, min_size=1, max_size=3), min_size=1, max_size=3
).filter(lambda groups: any(values for people in groups for values in people[:2]))


def counts_of(people):
    return Counter(value for values in people for value in values)


@examples(60)
@given(groups_of_people, st.booleans())
def test_homogeneity_of_sets_is_what_all_worlds_say(groups, repeated):
    if repeated:
        groups = [[values * 2 for values in people[:2]] for people in groups]
    target = counted_apart(groups)
    found = Homogeneity().run(target)
    beliefs = [
        naive.disclosure.belief_in_sets(len(people), counts_of(people), repeated)
        for people in groups
    ]
    assert found.found == max(belief for each in beliefs for belief in each.values())
    everybody = [values for people in groups for values in people]
    had = naive.disclosure.belief_in_sets
    shared = set()
    if not repeated or len(everybody) == 1:
        whole = counts_of(everybody)
        shared = {v for v, n in whole.items() if had(len(everybody), {v: n}, repeated)[v] == 1}
    certain = [
        len(people)
        for people, each in zip(groups, beliefs, strict=True)
        if any(belief == 1 and value not in shared for value, belief in each.items())
    ]
    assert found.n_exceeding == sum(certain)
    assert found.holds == (not certain)


@examples(60)
@given(groups_of_people, st.booleans(), st.sampled_from([0, 1, 2, ["A"], ["A", "B"], None]))
def test_background_knowledge_of_sets_is_what_all_worlds_say(groups, repeated, excludes):
    if repeated:
        groups = [[values * 2 for values in people[:2]] for people in groups]
    everything = {value for people in groups for value in counts_of(people)}
    attack = BackgroundKnowledge(excludes=excludes)
    if isinstance(excludes, list):
        if not {*excludes} <= everything:
            return
        tried = [{*excludes}]
    else:
        most = len(everything) if excludes is None else excludes
        tried = [{*some} for n in range(most + 1) for some in itertools.combinations(everything, n)]
    found = []
    for people in groups:
        for lacks in tried:
            believed = naive.disclosure.belief_in_sets(
                len(people), counts_of(people), repeated, lacks=lacks, has_some=True
            )
            if believed:
                found.append((max(believed.values()), len(lacks)))
    target = counted_apart(groups)
    if not found:
        with pytest.raises(CannotRun, match="nobody in the release fits"):
            attack.run(target)
        return
    finding = attack.run(target)
    assert "that the target has a value" in finding.knows
    if excludes is None:
        assert finding.found == min(n for belief, n in found if belief == 1)
    else:
        assert finding.found == max(belief for belief, _ in found)


def test_two_people_who_both_have_a_value_are_certain():
    """The same with single values is unsafe."""
    source = pa.table({"q": ["a", "a", "b", "b"], "s": [["HIV"], ["HIV", "flu"], ["flu"], []]})
    target = counted_apart([[["HIV"], ["HIV", "flu"]], [["flu"], []]])
    assert Homogeneity().run(target).n_exceeding == 2
    report = sf.audit(sf.read(source, ["q"], "s"), criterion=sf.KAnonymity(2))
    (finding,) = [each for each in report.findings if each.attack == "homogeneity"]
    assert (finding.holds, finding.n_exceeding, finding.found) == (False, 2, 1)
    assert report.holds is False
