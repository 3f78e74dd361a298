"""Ciriani 2008, sections 2 and 5: what Alice learns about Hellen and Bob."""

from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.attacks import (
    BackgroundKnowledge,
    CannotRun,
    Homogeneity,
    Linkage,
    Similarity,
    Skewness,
)
from worked_examples import tables
from worked_examples.test_ciriani import figure, tree_of

HELLEN = {"ZIP": "22030", "MaritalStatus": "married", "Sex": "F"}
BOB = {"ZIP": "22032", "MaritalStatus": "single", "Sex": "M"}
BOBS_GROUP = {"ZIP": "2203*", "MaritalStatus": "never_married", "Sex": "M"}


@pytest.fixture(scope="module")
def figure_18() -> sf.Table:
    return sf.read(
        figure(tables.CIRIANI_FIG18, tables.CIRIANI_FIG18_COLUMNS),
        quasi_identifiers=list(tables.CIRIANI_QI),
        sensitive="Disease",
    )


@pytest.fixture(scope="module")
def released() -> sf.Release:
    """Figure 18 as Samarati makes it from figure 1 (READINGS 5)."""
    zips = tree_of(tables.CIRIANI_ZIP, ["22030", "22032", "22045", "22047"])
    marital = tree_of(tables.CIRIANI_MARITAL, ["single", "married", "divorced", "widow"])
    table = sf.read(
        figure(tables.CIRIANI_FIG1, tables.CIRIANI_FIG1_COLUMNS),
        quasi_identifiers={
            "ZIP": zips,
            "MaritalStatus": marital,
            "Sex": tree_of(tables.CIRIANI_SEX, ["M", "F"]),
        },
        sensitive="Disease",
        identifiers=["id"],
    )
    release = sf.anonymize(table, sf.KAnonymity(3), sf.Samarati(max_suppressed=1))
    assert tuple(release.levels.values()) == tables.CIRIANI_FIG5C_NODE
    return release


@pytest.fixture(scope="module")
def figure_19() -> sf.Table:
    return sf.read(
        figure(tables.CIRIANI_FIG19, tables.CIRIANI_FIG19_COLUMNS),
        quasi_identifiers=list(tables.CIRIANI_QI),
        sensitive=["Diabetes", "Cholesterol"],
    )


@pytest.fixture(params=["printed", "released"])
def either(request, figure_18, released) -> sf.Table | sf.Release:
    return figure_18 if request.param == "printed" else released


def test_hellens_hypertension_is_certain_by_homogeneity(either):
    finding = Homogeneity().run(either)
    assert (finding.found, finding.n_exceeding) == (1, 3)
    assert finding.worst["group"] == {"ZIP": "2203*", "MaritalStatus": "been_married", "Sex": "F"}
    assert finding.worst["value"] == "hypertension"


def test_alice_finds_hellen_by_what_she_knows_of_her(released):
    hellen = BackgroundKnowledge(excludes=0, who=HELLEN).run(released)
    assert hellen.found == 1
    assert hellen.worst["value"] == "hypertension"


def test_bob_has_obesity_or_hiv_and_being_thin_gives_hiv_away(released):
    undecided = BackgroundKnowledge(who=BOB).run(released)
    assert undecided.found == 1
    assert undecided.worst["group"] == BOBS_GROUP
    assert {*undecided.worst["rule out"], undecided.worst["value"]} == {"obesity", "HIV"}
    thin = BackgroundKnowledge(excludes=["obesity"], who=BOB).run(released)
    assert (thin.before, thin.found) == (Fraction(2, 3), 1)
    assert thin.worst == {"group": BOBS_GROUP, "value": "HIV", "belief": 1}


def test_bob_is_found_by_his_published_values_too(either):
    thin = BackgroundKnowledge(excludes=["obesity"], who=BOBS_GROUP).run(either)
    assert (thin.found, thin.worst["value"]) == (1, "HIV")


def test_without_the_original_nobody_is_found_by_raw_values(figure_18, released, tmp_path):
    with pytest.raises(CannotRun, match="give the original table"):
        BackgroundKnowledge(who=BOB).run(figure_18)
    loaded = sf.load(released.save(tmp_path / "out"))
    with pytest.raises(CannotRun, match="give the original table"):
        BackgroundKnowledge(who=BOB).run(loaded)
    thin = BackgroundKnowledge(excludes=["obesity"], who=BOB).run(loaded, released.table)
    assert thin.worst["value"] == "HIV"


def test_only_two_of_the_three_blocks_of_figure_18_are_2_diverse(figure_18):
    report = sf.audit(figure_18, criterion=sf.KAnonymity(3) & sf.LDiversity(2))
    failed = [finding for finding in report.findings if finding.holds is False]
    assert [(finding.attack, finding.n_exceeding) for finding in failed] == [("homogeneity", 3)]


def test_the_last_block_of_figure_18_breaks_alpha_0_4(figure_18):
    promised = sf.AlphaKAnonymity(0.4, 3, values=["HIV"])
    (finding,) = [
        each
        for each in sf.audit(figure_18, criterion=promised).findings
        if each.attack == "homogeneity"
    ]
    assert (finding.found, finding.before) == (Fraction(2, 3), Fraction(3, 9))
    assert (finding.holds, finding.n_exceeding) == (False, 3)
    assert finding.worst["group"]["ZIP"] == "2204*"


def test_everybody_in_figure_18_is_one_of_three(released):
    for model in ("prosecutor", "journalist"):
        finding = Linkage(model).run(released)
        assert (finding.found, finding.promised.value, finding.holds) == (
            Fraction(1, 3),
            Fraction(1, 3),
            True,
        )


def test_figure_1_itself_gives_its_unique_people_away():
    table = sf.read(
        figure(tables.CIRIANI_FIG1, tables.CIRIANI_FIG1_COLUMNS), list(tables.CIRIANI_QI), "Disease"
    )
    finding = Linkage().run(table)
    assert (finding.found, finding.holds) == (1, False)
    assert finding.n_exceeding == 4  # tuples 3, 6, 7 and 10


def test_diabetes_in_one_block_of_figure_19_is_twice_as_likely_as_in_the_table(figure_19):
    finding = Skewness(attribute="Diabetes").run(figure_19)
    assert (finding.found, finding.before) == (Fraction(2, 3), Fraction(3, 9))  # READINGS 6
    assert (finding.worst["group"], finding.worst["value"]) == (BOBS_GROUP, "Y")


def test_single_males_of_figure_19_have_a_cholesterol_between_250_and_260(figure_19):
    finding = Similarity(attribute="Cholesterol").run(figure_19)
    assert (finding.found, finding.before) == (10, 285 - 190)
    assert (finding.worst["from"], finding.worst["to"]) == ("250", "260")
    assert finding.worst["group"] == BOBS_GROUP


def test_figure_19_is_3_anonymous(figure_19):
    report = sf.audit(figure_19, criterion=sf.KAnonymity(3))
    assert (report.findings[0].found, report.findings[0].holds) == (Fraction(1, 3), True)
