"""beta-likeness and delta-disclosure: shares of a group beside those of the original table."""

import json
import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.criteria as naive
import sfumato as sf

VALUES = "abcd"
BETAS = st.sampled_from([Fraction(n, 12) for n in (1, 2, 3, 4, 6, 12, 18, 24, 36, 60)])
# Also those that a ratio reaches exactly, and those between.
DELTAS = st.sampled_from([Fraction(1, 3), Fraction(1, 2), 1, Fraction(3, 2), 2, Fraction(7, 3), 3])
LIKENESS = st.builds(sf.BetaLikeness, BETAS, st.sampled_from(["basic", "enhanced"]))
DISCLOSURE = st.builds(sf.DeltaDisclosure, DELTAS)


def seen(groups: list[str], everybody: str) -> sf.Groups:
    """Show lists of values as counts."""
    return sf.Groups(
        [len(group) for group in groups],
        [[group.count(value) for value in VALUES] for group in groups],
        VALUES,
        [everybody.count(value) for value in VALUES],
    )


def twin(criterion, group: str, everybody: str) -> bool:
    if isinstance(criterion, sf.BetaLikeness):
        return naive.beta_like(group, everybody, criterion.beta, criterion.kind)
    return naive.delta_disclosed(group, everybody, criterion.delta)


@st.composite
def tables(draw):
    """Groups, and everybody: the people of the groups and those suppressed."""
    people = st.text(VALUES, min_size=1, max_size=12)
    groups = draw(st.lists(people, min_size=1, max_size=5))
    return groups, "".join(groups) + draw(st.text(VALUES, max_size=12))


@given(tables(), LIKENESS | DISCLOSURE)
def test_every_group_is_judged_as_the_definition_says(table, criterion):
    groups, everybody = table
    expected = [twin(criterion, group, everybody) for group in groups]
    assert criterion.holds(seen(groups, everybody)).tolist() == expected


@given(tables(), LIKENESS | DISCLOSURE)
def test_what_is_measured_is_the_smallest_threshold_that_is_kept(table, criterion):
    found = criterion.measure(seen(*table))
    if isinstance(criterion, sf.BetaLikeness):
        assert criterion.holds(seen(*table)).all() == (found <= criterion.beta)
    else:
        assert criterion.holds(seen(*table)).all() == (found < criterion.delta)


@given(tables(), LIKENESS)
def test_a_union_of_groups_that_are_like_the_table_is_like_it(table, criterion):
    groups, everybody = table
    held = criterion.holds(seen(groups, everybody))
    union = "".join(group for group, safe in zip(groups, held, strict=True) if safe)
    assert criterion.monotone(suppression=False)
    if union:
        assert criterion.holds(seen([union], everybody)).all()


@pytest.mark.parametrize("criterion", [sf.BetaLikeness(1), sf.BetaLikeness(1, "enhanced")], ids=str)
def test_a_safe_group_joined_by_suppressed_people_may_rise(criterion):
    """So with suppression it is not monotone: "ab" is safe, "aaa" is not and was suppressed."""
    everybody = "aaaa" + "b" * 8
    assert criterion.holds(seen(["ab", "aaa"], everybody)).tolist() == [True, False]
    assert not criterion.holds(seen(["ab" + "aaa"], everybody)).any()
    assert not criterion.monotone(suppression=True)


def test_a_union_of_groups_of_small_disclosure_may_disclose():
    """A value of the first is absent from the second, and in both together too rare."""
    groups = ["a" + "b" * 3, "b" * 12, "aaa" + "b"]
    everybody = "".join(groups)  # 4 of 20 have a: its share may not fall to 1/10
    criterion = sf.DeltaDisclosure(1)
    assert criterion.holds(seen(groups, everybody))[:2].all()
    assert not criterion.holds(seen(["".join(groups[:2])], everybody)).any()
    assert not criterion.monotone(suppression=False)
    assert not criterion.monotone(suppression=True)


# ------------------------------------------------------------------------------------- ties


def counted(n: int, size: int, had: int, total: int) -> sf.Groups:
    """One group, one value of interest, and all other people with another."""
    return sf.Groups([size], [[n, size - n]], "ab", [had, total - had])


def test_a_rise_of_exactly_beta_is_allowed():
    third = Fraction(1, 3)
    at = counted(4, 9, 1, 3)  # 4/9 is 1/3 and a third of it
    assert sf.BetaLikeness(third).measure(at) == third
    assert sf.BetaLikeness(third).holds(at).all()
    assert not sf.BetaLikeness(third - Fraction(1, 10**30)).holds(at).any()


def test_a_difference_of_exactly_delta_is_too_much():
    for n, size in ((1, 1), (1, 4)):  # twice and half as frequent as 1/2
        at = counted(n, size, 1, 2)
        assert not sf.DeltaDisclosure(1).holds(at).any()
        assert sf.DeltaDisclosure(1 + Fraction(1, 10**30)).holds(at).all()
        assert sf.DeltaDisclosure(1).measure(at) == 1.0


def test_a_tie_that_rounding_would_put_on_the_other_side():
    """A ratio of 28/7 = 4, whose logarithm comes out below 2 as a difference of floats."""
    histogram = [[4, 8, 1], [4, 1, 0], [3, 0, 4], [0, 0, 1]]
    groups = sf.Groups([13, 5, 7, 1], histogram, "abc", [11, 10, 7])
    assert sf.DeltaDisclosure(2).holds(groups).tolist() == [True, True, True, False]
    assert sf.DeltaDisclosure(2).measure(groups) == 2.0


@given(
    n=st.integers(1, 2**40),
    size=st.integers(1, 2**40),
    had=st.integers(1, 2**20),
    total=st.integers(1, 2**20),
    digits=st.integers(0, 60),
    more=st.integers(-1, 1),
)
def test_what_is_measured_is_on_the_side_of_delta_that_is_decided(
    n, size, had, total, digits, more
):
    n, had = min(n, size), min(had, total)
    others = [size - n] * (total > had)  # an absent value would be infinitely far away
    groups = sf.Groups(
        [n + sum(others)],
        [[n, *others]],
        "ab"[: 1 + len(others)],
        [had, total - had][: 1 + len(others)],
    )
    found = sf.DeltaDisclosure(1).measure(groups)
    delta = Fraction(found) + Fraction(more, 10**digits)
    if delta > 0:
        criterion = sf.DeltaDisclosure(delta)
        assert criterion.holds(groups).all() == (criterion.measure(groups) < delta)


def test_counts_that_no_float_can_tell_apart():
    """Of 2^62 people one more or less decides."""
    half = 2**61
    for more, safe in ((-1, True), (0, False), (1, False)):
        at = counted(half + more, 2**62, 2**60, 2**62)
        assert sf.DeltaDisclosure(1).holds(at).all() == safe
        assert sf.BetaLikeness(1).holds(at).all() == (more <= 0)


def test_the_information_of_a_share_is_decided_where_floats_cannot():
    """The p nearest to q (1 - ln q), from both sides, for q = 1/2 and 2^60 people."""
    size = 2**60
    exact = naive.minus_ln(Fraction(1, 2))
    n = math.floor((1 + exact) * size / 2)
    for more, safe in ((0, True), (1, False)):
        at = counted(n + more, size, 1, 2)
        assert float(Fraction(n + more, size)) == float(Fraction(n, size))
        assert sf.BetaLikeness(5, "enhanced").holds(at).all() == safe
    assert sf.BetaLikeness(5, "enhanced").measure(counted(n + 1, size, 1, 2)) == math.inf


def test_a_value_that_everybody_has_may_have_no_rise():
    everybody = sf.Groups([3], [[3]], "a", [5])
    for criterion in (sf.BetaLikeness(1, "enhanced"), sf.DeltaDisclosure(1)):
        assert criterion.holds(everybody).all()
        assert criterion.measure(everybody) == 0


@pytest.mark.parametrize(
    "criterion",
    [sf.BetaLikeness(1), sf.BetaLikeness(1, "enhanced"), sf.DeltaDisclosure(1)],
    ids=str,
)
def test_what_nobody_of_the_table_has_is_not_like_it(criterion):
    groups = sf.Groups([1, 2], [[1, 0], [0, 2]], "ab", [0, 5])
    assert criterion.holds(groups).tolist() == [False, True]
    assert criterion.measure(groups) == math.inf
    assert criterion.measure(sf.Groups([], [], "ab", [1, 1])) is None
    with pytest.raises(sf.BadInput, match="needs the original table's distribution"):
        criterion.holds(sf.Groups([1], [[1, 0]], "ab"))


@pytest.mark.parametrize(
    "criterion",
    [sf.BetaLikeness(1), sf.BetaLikeness(1, "enhanced"), sf.DeltaDisclosure(1), sf.TCloseness(0.5)],
    ids=str,
)
def test_an_original_table_without_anybody_is_refused(criterion):
    groups = sf.Groups([1], [[1, 0]], "ab", [0, 0])
    for ask in (criterion.holds, criterion.measure):
        with pytest.raises(sf.BadInput, match="nobody is in the original table's distribution"):
            ask(groups)
    assert criterion.holds(sf.Groups([], [], "ab", [0, 0])).all()


def test_enormous_thresholds_are_kept_by_everybody():
    at = counted(1, 1, 1, 1000)
    assert sf.BetaLikeness(10**300).holds(at).all()
    assert sf.DeltaDisclosure(10**300).holds(at).all()
    assert "times as frequent" in sf.DeltaDisclosure(10**300).in_words()


@pytest.mark.parametrize(
    ("criterion", "words"),
    [
        (sf.BetaLikeness("0.00001"), "at most 1.00001 times"),
        (sf.BetaLikeness("1e300"), "at most 1e+300 times"),
        (sf.DeltaDisclosure("0.0001"), "more than 0.9999 and less than 1.000069 times"),
        (sf.DeltaDisclosure("1e-300"), "more than 1 - 6.9e-301 and less than 1 + 6.9e-301 times"),
        (sf.DeltaDisclosure(30), "more than 9.313e-10 and less than 1,073,741,824 times"),
        (sf.DeltaDisclosure("1e300"), "more than 2^-1e+300 and less than 2^1e+300 times"),
        (sf.TCloseness("0.99999"), "at most 0.99999."),
        (sf.LDiversity("1e300"), "at least 1e+300 different"),
        (sf.LDiversity("1e300", "frequency"), "more than 1 in 1e+300 of"),
    ],
    ids=lambda each: str(each)[:30],
)
def test_words_say_what_is_promised_whatever_its_size(criterion, words):
    assert words in criterion.in_words()


@pytest.mark.parametrize("wrong", [0, -1, "x", None, True, float("nan")])
def test_a_threshold_is_a_number_above_0(wrong):
    for make, name in ((sf.BetaLikeness, "BetaLikeness: beta"), (sf.DeltaDisclosure, "DeltaDisc")):
        with pytest.raises(sf.BadInput, match=name):
            make(wrong)
    with pytest.raises(sf.BadInput, match="kind must be one of basic, enhanced"):
        sf.BetaLikeness(1, "better")


# ------------------------------------------------------------------------- from end to end


JOB = """
source = "people.csv"
output = "out"
[columns]
sensitive = "disease"
[columns.quasi_identifiers]
age = {{ intervals = [5, 10, 20, 40] }}
sex = {{ flat = true }}
[[criteria]]
{criterion}
[method]
{method}
"""
CASES = {
    'beta_likeness = { beta = "3/2" }': "is at most 2.5 times as large.",
    'beta_likeness = { beta = 2, kind = "enhanced" }': "less where it is frequent",
    "delta_disclosure = { delta = 1.5 }": "more than 0.3536 and less than 2.828 times as frequent",
}


@pytest.mark.long
@pytest.mark.parametrize("method", ["incognito = { max_suppressed = 0.2 }", "mondrian = {}"])
@pytest.mark.parametrize("criterion", CASES)
def test_a_job_of_either_goes_through_command_line_attack_and_report(tmp_path, criterion, method):
    from cli.common import run

    draw = np.random.default_rng(3)
    n = 400
    people = pa.table(
        {
            "age": draw.integers(20, 60, n),
            "sex": draw.choice(["f", "m"], n),
            "disease": draw.choice(["flu", "cold", "gout", "HIV"], n, p=[0.5, 0.3, 0.15, 0.05]),
        }
    )
    from pyarrow import csv

    csv.write_csv(people, tmp_path / "people.csv")
    (tmp_path / "job.toml").write_text(JOB.format(criterion=criterion, method=method))
    made = run("anonymize", tmp_path / "job.toml", "--no-audit", "--json")
    assert made.exit_code == 0, made.output
    n_suppressed = json.loads(made.output)["suppressed"]
    release = sf.load(tmp_path / "out")
    (promise,) = release.criterion.parts
    groups: dict[tuple, list[str]] = {}
    for row in release.to_arrow().to_pylist():
        groups.setdefault((row["age"], row["sex"]), []).append(row["disease"])
    everybody = people["disease"].to_pylist()
    assert len(groups) > 1
    assert all(twin(promise, group, everybody) for group in groups.values())
    checked = release.check()
    assert checked
    assert (checked.measured[0].note is None) == (n_suppressed == 0)
    audited = run("audit", tmp_path / "job.toml", "--report", tmp_path / "report", "--json")
    findings = {each["attack"]: each for each in json.loads(audited.output)["findings"]}
    skewness = findings["skewness"]
    assert skewness["holds"] is True
    assert skewness["promised"]["value"] == float(promise.promised())
    assert 0 < skewness["found"] <= float(promise.promised())
    assert CASES[criterion] in (tmp_path / "report" / "report.html").read_text()


@pytest.mark.parametrize(
    ("promise", "found", "n_exceeding"),
    [
        (sf.BetaLikeness(1), Fraction(5, 3), 2),
        (sf.BetaLikeness(3, "enhanced"), math.inf, 2),
        (sf.DeltaDisclosure(1), math.log2(8 / 3), 8),  # HIV is too rare among the others
    ],
    ids=str,
)
def test_a_table_that_breaks_the_promise_is_told_by_skewness(promise, found, n_exceeding):
    rows = {"q": list("ppqqqqqq"), "disease": ["HIV"] * 3 + ["flu"] * 5}
    report = sf.audit(sf.read(pa.table(rows), ["q"], "disease"), criterion=promise)
    (finding,) = [each for each in report.findings if each.attack == "skewness"]
    assert finding.verdict == f"FAILS for {n_exceeding} people"
    assert finding.found == pytest.approx(found)
    assert not report
    report.to_html()
