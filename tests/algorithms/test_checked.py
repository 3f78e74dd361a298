"""Groups that no sensitive value had a part in: what is published, and what that tells."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import comb

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.replay
import sfumato as sf
from profiles import examples
from sfumato.algorithms import ALGORITHMS, Algorithm
from sfumato.algorithms.dealing import dealt
from sfumato.algorithms.failed_steps import PublishedGroups
from sfumato.algorithms.lots import every_outcome
from sfumato.job import Job

RULES = {
    "a": sf.Tree({"A": ["1", "2"], "B": ["3", "4"]}),
    "b": sf.Tree(["x", "y"]),
}
CUTS = [sf.Mondrian(), sf.Samarati(), sf.Optimal(), sf.Incognito(), sf.TopDown("cut")]
PROMISES = [
    sf.LDiversity(2),
    sf.LDiversity(2, "frequency"),
    sf.LDiversity(2, "frequency", values=["HIV"]),
    sf.KAnonymity(2) & sf.LDiversity("3/2", "frequency", values=["HIV"]),
]


@st.composite
def columns(draw, least, most):
    people = draw(
        st.lists(
            st.tuples(
                st.sampled_from("1234"),
                st.sampled_from("xy"),
                st.sampled_from(["HIV", "flu", "no"]),
            ),
            min_size=least,
            max_size=most,
        ).filter(lambda rows: any(row[2] == "HIV" for row in rows))
    )
    return dict(zip("abs", map(list, zip(*people, strict=True)), strict=True))


def rows_of(columns):
    names = list(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def published(columns, promise, method):
    """What everybody sees: boxes with values; nothing, where the method refuses."""
    ((_, boxes, _),) = naive.replay.published(rows_of(columns), RULES, ["s"], promise, method)
    return boxes


@examples(40)
@given(
    columns(3, 5),
    st.sampled_from([*CUTS, sf.Samarati(1), sf.Optimal("discernibility", 2)]),
    st.integers(1, 4),
    st.sampled_from(PROMISES),
)
def test_with_one_k_knowing_the_method_tells_nothing(people, method, k, promise):
    """A group's shares are believed of its people; of suppressed people what was before."""
    checked = sf.Checked(method, (k,))
    assert not checked.joint
    boxes = published(people, promise, checked)
    if not boxes:
        return
    believed = naive.replay.beliefs(rows_of(people), RULES, ["s"], promise, checked, boxes)
    sizes, values = Counter(), Counter()
    for (box, value), n in boxes.items():
        sizes[box] += n
        values[value] += n
    for (a, b), beliefs in believed.items():
        own = [box for box in sizes if a in box[0] and b in box[1]]
        if own:
            expected = {v: Fraction(n, sizes[box]) for (box, v), n in boxes.items() if box in own}
        else:
            whole = values.total() + len(beliefs)
            expected = {value: Fraction(values[value] + 1, whole) for value in beliefs}
        assert {value: share for value, share in beliefs.items() if share} == expected


@examples(40)
@given(columns(4, 6), st.sampled_from(CUTS), st.sampled_from(PROMISES))
def test_the_failures_of_earlier_ks_are_all_that_is_told(people, method, promise):
    """A dealing of the published groups is published again iff every failed step breaks in it."""
    checked = sf.Checked(method, (1, 2, 3, len(people["a"])))
    assert checked.joint
    boxes = published(people, promise, checked)
    if not boxes:
        return
    frequencies = naive.replay.counted(rows_of(people), RULES, ["s"])
    ground = frequencies.combinations
    group = checked.search(frequencies, promise, None).grouping(ground).index
    steps = list(checked.failed_steps(PublishedGroups(ground, group), promise))
    persons = list(zip(people["a"], people["b"], strict=True))
    place = {person: j for j, person in enumerate(sorted(set(persons)))}
    where = [group[place[person]] for person in persons]
    seen = Counter(zip(where, people["s"], strict=True))
    for values in sorted(set(permutations(people["s"]))):
        if Counter(zip(where, values, strict=True)) == seen:
            again = published(people | {"s": list(values)}, promise, checked)
            fails = all(
                any(broken(promise, child, persons, place, values) for child in step.children)
                for step in steps
            )
            assert (again == boxes) == fails


def broken(promise, child, persons, place, values):
    """Whether the people of some combinations break a promise, counted anew."""
    inside = [
        value for person, value in zip(persons, values, strict=True) if place[person] in child
    ]
    counts, n = Counter(inside), len(inside)
    for part in promise.parts:
        if not part.looks_at_values:
            if n < part.k:
                return True
        elif part.kind == "distinct":
            if len(counts) < part.l:
                return True
        else:
            named = part.named_values() or list(counts)
            if any(counts[value] * part.l > n for value in named):
                return True
    return False


def test_several_ks_are_a_mechanism_and_can_give_everything_away():
    """Wong 2009, table I(b): k = 2 fails by the values of q1, and that k = 7 was needed says so."""
    people = {"q": ["q1"] * 2 + ["q2"] * 5, "s": ["HIV"] * 2 + ["no"] * 5}
    rules = {"q": sf.Tree({"Q": ["q1", "q2"]})}
    promise = sf.LDiversity(2, "frequency", values=["HIV"])
    table = sf.read(pa.table(people), rules, sensitive="s")
    for ks, belief in (((7,), Fraction(2, 7)), ((2, 7), Fraction(1))):
        release = sf.anonymize(table, promise, sf.Checked(sf.Samarati(), ks))
        finding = sf.attacks.Mechanism().run(release)
        assert (finding.found, finding.holds) == (belief, belief < 1)


SEEN = []


@dataclass(frozen=True)
class Watching(sf.Mondrian):
    """Remembers what it was shown."""

    def search(self, frequencies, criterion, draw):
        SEEN.append((frequencies.columns, str(criterion)))
        return super().search(frequencies, criterion, draw)


PATIENTS = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}


@pytest.fixture(scope="module")
def patients():
    return sf.read(sf.datasets.patients(), PATIENTS, sensitive="disease")


def test_the_method_is_shown_no_values_and_asked_for_k_alone(patients):
    SEEN.clear()
    promise = sf.KAnonymity(4) & sf.LDiversity(3)
    release = sf.anonymize(patients, promise, sf.Checked(Watching(), (2, 5, 10)))
    size = "KAnonymity(k=4) & KAnonymity"
    assert [(("age", "zip", "sex"), f"{size}(k={k})") for k in (4, 5, 10)] == SEEN
    assert min(release.groups.sizes) >= 10


@pytest.mark.parametrize("method", [sf.Mondrian(strict=False), sf.TopDown()], ids=str)
def test_people_who_are_alike_are_dealt_by_lot_and_the_groups_keep_the_promise(
    patients, method, tmp_path
):
    promise = sf.KAnonymity(2) & sf.LDiversity(2)
    release = sf.anonymize(patients, promise, sf.Checked(method, (5, 10, 20, 40, 80)))
    assert not release.recoding.follows_quasi_identifiers
    assert release.check()
    again = sf.load(release.save(tmp_path / "out"))
    assert again.check()
    assert again.method == release.method


def test_every_deal_of_a_split_combination_is_as_likely_as_any_other():
    """Four people who are alike, two of them with HIV, and one more: two are left of the middle."""
    people = {"q": [1, 1, 1, 1, 2], "s": ["HIV", "HIV", "no", "no", "no"]}
    table = sf.read(pa.table(people), ["q"], sensitive="s")
    frequencies = table.frequencies()
    decided = sf.Mondrian(strict=False).search(frequencies.combinations, sf.KAnonymity(2), None)
    assert decided.splits

    def left(draw):
        placement = dealt(decided, frequencies, draw).placement(frequencies)
        small = placement.box[placement.key == len(frequencies) - 1][0]  # where q = 2 is
        hiv = frequencies.codes("s") == frequencies.domains["s"].labels.index("HIV")
        return int(placement.people[(placement.box != small) & hiv[placement.key]].sum())

    chances = Counter()
    for chance, n in every_outcome(left, 1000):
        chances[n] += chance
    assert sum(chances.values()) == 1
    # Two of the four who are alike go together; how many of these have HIV is hypergeometric.
    n_hiv = 2
    assert chances == {
        n: Fraction(comb(n_hiv, n) * comb(4 - n_hiv, 2 - n), comb(4, 2)) for n in range(3)
    }


def test_what_fails_is_refused_with_the_evidence_and_the_way_out(patients):
    with pytest.raises(sf.Unsatisfiable) as refused:
        sf.anonymize(patients, sf.LDiversity(3), sf.Checked(sf.Mondrian(), (2, 3)))
    said = str(refused.value)
    assert "\n" not in said
    assert said.startswith("Checked(Mondrian(), ks=[2, 3]): LDiversity(l=3) does not hold of ")
    assert "at k = 2, " in said
    assert "LDiversity(l=3) reaches 1; name larger ks, beforehand" in said
    assert "another method that goes with the criterion" in said


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ks": ()}, "Checked: ks must be a list of integers that grow, got a tuple"),
        ({"ks": 5}, "Checked: ks must be a list of integers that grow, got 5"),
        ({"ks": (5, 5)}, "Checked: ks must be a list of integers that grow: above 5, got 5"),
        ({"ks": (0, 5)}, "Checked: each of ks must be an integer >= 1, got 0"),
        ({"method": 5}, "Checked: expected a method"),
        ({"method": sf.Anatomy()}, "it publishes two tables"),
        ({"method": sf.GreedyGrouping()}, "it publishes two tables"),
        ({"method": sf.SkylineMondrian()}, "cannot be told k alone: it cuts by what"),
        ({"method": sf.BCFAnonymizer()}, "cannot be told k alone: it publishes against earlier"),
        ({"method": {"mondrain": {}}}, "Checked: method: unknown name 'mondrain'"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(sf.BadInput, match=message):
        sf.Checked(**parameters)


def test_where_suppressed_people_would_decide_it_is_refused(patients):
    close = sf.TCloseness(0.5)
    assert sf.Checked(sf.Samarati(), (40,)).refuses(close) is None
    with pytest.raises(sf.BadInput, match="of the values of people who are suppressed"):
        sf.anonymize(patients, close, sf.Checked(sf.Samarati(0.1), (40,)))


def test_a_named_value_that_only_suppressed_people_have_is_not_given_away_by_a_release():
    people = {"a": ["1", "1", "3"], "b": ["x", "x", "y"], "s": ["flu", "flu", "HIV"]}
    promise = sf.LDiversity(2, "frequency", values=["HIV"])
    checked = sf.Checked(sf.Samarati(1), (2,))
    with pytest.raises(sf.Unsatisfiable, match="would tell that somebody suppressed has it"):
        sf.anonymize(sf.read(pa.table(people), RULES, sensitive="s"), promise, checked)
    listed = {"s": sf.Tree(["HIV", "flu"])}
    table = sf.read(pa.table(people), RULES, sensitive="s", hierarchies=listed)
    assert sf.anonymize(table, promise, checked).n_suppressed == 1


def test_it_is_written_down_with_its_method(tmp_path):
    checked = sf.Checked(sf.Mondrian(strict=False, seed=7), (5, 10))
    assert checked.experiment
    assert str(checked) == "Checked(Mondrian(strict=False, seed=7), ks=[5, 10])"
    assert ALGORITHMS.from_spec(checked.spec(), "method") == checked
    job = tmp_path / "job.toml"
    job.write_text(
        """
        source = "people.csv"
        output = "out"
        [columns]
        quasi_identifiers = ["age"]
        sensitive = "disease"
        [[criteria]]
        l_diversity = { l = 3 }
        [method]
        checked = { method = { optimal = { weights = { age = "1/2" } } }, ks = [5, 10] }
        """
    )
    assert Job.load(job).method == sf.Checked(sf.Optimal(weights={"age": 0.5}), (5, 10))


@dataclass(frozen=True)
class OnlyTheTop(Algorithm):
    """Generalizes everything."""

    def search(self, frequencies, criterion, draw):
        del criterion
        return sf.Samarati().search(frequencies, sf.KAnonymity(frequencies.n_rows), draw)


def test_a_method_of_somebody_else_can_be_checked(patients):
    release = sf.anonymize(patients, sf.LDiversity(3), sf.Checked(OnlyTheTop(), (5,)))
    assert len(release.groups) == 1


@pytest.mark.parametrize(
    "method",
    [sf.Mondrian(), sf.Mondrian(strict=False), sf.TopDown(), sf.Samarati(0.05)],
    ids=str,
)
def test_the_mechanism_attack_shows_it_safe_however_large_and_without_the_original(
    patients, method, tmp_path
):
    promise = sf.LDiversity(2, "frequency")
    release = sf.anonymize(patients, promise, sf.Checked(method, (40,)))
    for each in (release, sf.load(release.save(tmp_path / "out"))):
        finding = sf.attacks.Mechanism().run(each)
        assert finding.holds
        assert finding.found == finding.before <= Fraction(1, 2)
        assert "which value had no part" in finding.note
