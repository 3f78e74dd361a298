"""People over group size, before and after: every number against rows compared one by one."""

import itertools
import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.people_by_risk as naive
import sfumato as sf
from profiles import examples
from sfumato.data.groups import GroupSizes
from sfumato.release.people_by_risk import BANDS, RISKS, PeopleByRisk, in_words

ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["a", "b", None])), min_size=1, max_size=60
)
COLUMNS = ["age", "sex"]


def as_rows(table: pa.Table) -> list[dict]:
    return table.select(COLUMNS).to_pylist()


def assert_counted(risk: PeopleByRisk, state: str, rows: list[dict]) -> None:
    """Compare the counts of a state with what every single row says."""
    written = risk.to_json()[state.replace(" ", "_")]
    risks = naive.risks(rows, COLUMNS)
    assert written["people"] == len(rows)
    for name, part in zip(RISKS, written["above"], strict=True):
        wanted = naive.people_above(risks, name)
        assert (part["people"], risk.above(state, name)) == (wanted, wanted)
    edges = ["1", *RISKS, "0"]
    between = [naive.people_between(risks, b, a) for a, b in itertools.pairwise(edges)]
    assert [part["people"] for part in written["sizes"]] == between
    assert sum(part["groups"] for part in written["sizes"]) == written["groups"]
    column = 2 + 2 * [*risk.states].index(state)
    assert [row[column].replace(",", "") for row in risk.rows()] == [*map(str, between)]


@examples(30)
@given(ROWS, st.integers(1, 12))
def test_a_table_is_counted_as_its_rows_are(rows, times):
    ages, sexes = zip(*rows, strict=True)
    table = pa.table({"age": [*ages] * times, "sex": pa.array([*sexes] * times, pa.string())})
    assert_counted(sf.check(sf.read(table, COLUMNS)).risk, "as it is", as_rows(table))


def test_as_it_is_speaks_of_the_groups_that_the_verdict_is_about():
    """A top code holds from the ground on, for both: two numbers of people alone would puzzle."""
    rules = {"age": sf.Intervals(5, 10, top=90), "zip": sf.Prefix(), "sex": sf.Flat()}
    verdict = sf.check(sf.read(sf.datasets.patients(), rules, sensitive="disease"))
    assert verdict.risk.above("as it is", "0.5") == verdict.n_alone


@pytest.mark.parametrize(
    ("size", "risk", "above"),
    [
        *((11, "0.09", True), (12, "0.09", False), (3, "0.33", True), (4, "0.33", False)),
        *((5, "0.2", False), (4, "0.2", True), (2, "0.5", False), (1, "0.5", True)),
        *((19, "0.05", True), (20, "0.05", False)),
    ],
)
def test_thresholds_are_exact(size, risk, above):
    counted = PeopleByRisk({"after": GroupSizes.of(np.array([size]))})
    assert counted.above("after", risk) == (size if above else 0)


def test_bands_leave_out_no_size():
    assert BANDS[0].low == 1
    assert all(one.high + 1 == other.low for one, other in itertools.pairwise(BANDS))
    assert BANDS[-1].high is None


@pytest.fixture
def patients():
    return sf.read(
        sf.datasets.patients(),
        {"age": sf.Intervals(5, 10, 20, top=70), "sex": sf.Flat()},
        sensitive="disease",
        identifiers=["name"],
    )


@pytest.fixture
def original():
    return as_rows(pyarrow.csv.read_csv(sf.datasets.patients()))


def test_before_is_as_read_and_after_is_what_is_published(patients, original):
    """A top code is part of what was done: before it, the old are not one value."""
    release = sf.anonymize(patients, sf.KAnonymity(12), sf.Samarati(max_suppressed=0.1))
    risk = release.check().risk
    assert [*risk.states] == ["before", "after"]
    assert_counted(risk, "before", original)
    assert_counted(risk, "after", as_rows(release.to_arrow()))
    assert risk.states["after"].n_people == len(original) - release.n_suppressed
    assert release.n_suppressed > 0
    assert "left out" in " ".join(risk.sentences)
    assert sf.check(patients).n_groups < risk.states["before"].n  # there they are one


def test_a_loaded_release_tells_what_it_tells_everybody(patients, tmp_path):
    release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    loaded = sf.load(release.save(tmp_path / "out"))
    assert [*loaded.check().risk.states] == ["after"]
    assert loaded.check().risk.to_json()["after"] == release.check().risk.to_json()["after"]


def test_two_tables_make_nobody_harder_to_recognize(original, tmp_path):
    table = sf.read(sf.datasets.patients(), COLUMNS, sensitive="disease")
    release = sf.anonymize(table, sf.LDiversity(2), sf.Anatomy())
    risk = release.check().risk
    assert_counted(risk, "before", original)
    assert_counted(risk, "after", original)
    assert "Two tables" in risk.sentences[-1]
    written = sf.audit(release)._document(private=False)
    assert written["published"]["risk"] == risk.to_json()["after"]


def test_before_is_in_the_stewards_report_and_not_in_the_public_one(patients, original, tmp_path):
    release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    report = sf.audit(release)
    private, public = (report._document(private=each) for each in (True, False))
    counted = release.check().risk.to_json()
    assert private["steward"]["risk_before"] == counted["before"]
    assert private["published"]["risk"] == public["published"]["risk"] == counted["after"]
    page = report.to_html()
    for text in (json.dumps(public), page):
        assert counted["before"]["words"] not in text
        assert "risk_before" not in text
    assert " before " not in page[page.index('<div class="risk-bars">') : page.index("</details>")]
    steward = report.to_html(private=True)
    n, m = (
        naive.people_above(naive.risks(rows, COLUMNS), "0.09")
        for rows in (original, as_rows(release.to_arrow()))
    )
    assert (
        f"<b>risk above 0.09</b> down to here: before {n:,} of 2,000; after {m:,} of 2,000</p>"
        in steward
    )
    assert f"<b>risk above 0.09</b> down to here: after {m:,} of 2,000</p>" in page


def test_a_stewards_report_without_the_original_says_so(patients, tmp_path):
    release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    loaded = sf.load(release.save(tmp_path / "out"))
    written = sf.audit(loaded)._document(private=True)
    assert written["steward"]["risk_before"] is None
    assert any("Risk before" in each for each in written["steward"]["missing"])
    beside = sf.audit(loaded, sf.datasets.patients())._document(private=True)
    assert beside["steward"]["risk_before"] == release.check().risk.to_json()["before"]


def test_words_count_people_and_not_shares():
    sizes = GroupSizes.of(np.array([1, 30]))
    assert in_words("before", sizes).startswith(
        "Before, with the values as read, 1 of 31 people is in groups smaller than 20"
    )
    assert "none of 30 people" in in_words("after", GroupSizes.of(np.array([30])))


def test_a_bar_is_never_empty_for_somebody():
    rows = PeopleByRisk({"after": GroupSizes.of(np.array([1, 10**6]))}).rows(longest=10)
    assert (rows[0][2:], rows[1][2:], rows[-1][2:]) == (
        ("1", "#"),
        ("0", ""),
        ("1,000,000", "#" * 10),
    )
