"""Names of columns in several languages."""

import itertools

import pytest

from sfumato.proposal.names import meaning, parts_of, perhaps
from sfumato.proposal.near import near, one_off
from sfumato.proposal.vocabulary import IDENTIFYING, PERHAPS, SUBJECTS, VALUES, Role, Subject

QUASI_IDENTIFIERS = {
    "age": "age Alter edad Âge age_group mother.age",
    "sex": "sex Gender Geschlecht Geschl. sexe sexo is_female Anrede",
    "birth": "birthDate Geburtsdatum date_naissance fecha_nacimiento DOB geb.datum",
    "origin": "race Ethnicity Staatsangehörigkeit nationalité país native-country",
    "postal codes": "zip PLZ Postleitzahl code_postal codigo_postal postcode",
    "place": "city Wohnort Gemeinde Bundesland ville ciudad region State",
    "family": "marital-status Familienstand état_civil estado_civil n_children Kinder household",
    "education": "education Schulabschluss diplôme estudios motheduc",
    "work": "occupation Beruf profession job_title Branche industry",
    "body": "height_cm Größe",
    "time": "admission_date Aufnahmedatum year Jahr",
}
SENSITIVE = {
    "health": "diagnosis Diagnose Krankheit maladie enfermedad HIV birth_weight blutdruck smoker",
    "money": "income Einkommen salaire salario hourly_wage Gehalt credit_amount Mutuelle",
    "crime": "arrests prior_convictions Vorstrafen is_recid",
    "belief or life": "religion Konfession Partei vote",
    "marks": "test_score GPA Zufriedenheit",
}
IDENTIFIERS = (
    "name Nachname prénom apellidos first_name E-Mail Telefon telephone_number id patient_id "
    "PatientID Kundennummer SSN IBAN Matrikelnummer Aktenzeichen latitude rownames"
)
NOTHING = "x1 flag wave part group_b fnlwgt"


def cases(by_subject):
    return [(name, about) for about, names in by_subject.items() for name in names.split()]


@pytest.mark.parametrize(("name", "about"), cases(QUASI_IDENTIFIERS))
def test_names_say_what_others_may_know(name, about):
    found = meaning(name)
    assert found is not None
    assert (found.about, found.role) == (about, Role.QUASI_IDENTIFIER)


@pytest.mark.parametrize(("name", "about"), cases(SENSITIVE))
def test_names_say_what_must_stay_unknown(name, about):
    found = meaning(name)
    assert found is not None
    assert (found.about, found.role) == (about, Role.SENSITIVE)


@pytest.mark.parametrize("name", IDENTIFIERS.split())
def test_names_say_what_names_people(name):
    assert meaning(name, IDENTIFYING) is not None


@pytest.mark.parametrize("name", NOTHING.split())
def test_other_names_say_nothing(name):
    assert meaning(name) is None
    assert meaning(name, IDENTIFYING) is None


@pytest.mark.parametrize(
    "name", ["wage", "stage", "usage", "average", "paid", "valid", "unsexed", "message", "videos"]
)
def test_a_word_within_another_says_nothing_of_its_own(name):
    found = meaning(name)
    assert found is None or found.about not in ("age", "sex")
    assert meaning(name, IDENTIFYING) is None


def test_a_name_is_taken_apart_in_every_spelling():
    for name in ("birthDate", "birth_date", "birth date", "Birth.Date", "birth-date2"):
        assert parts_of(name)[:2] == ("birth", "date")
    assert parts_of("Größe") == ("grosse",)
    assert parts_of("123") == ()


def test_every_word_is_written_as_parts_of_names_are():
    for subject in SUBJECTS + IDENTIFYING + PERHAPS + VALUES:
        for word in subject.words.split():
            assert word == word.lower()
            assert word.isascii()


@pytest.mark.parametrize(
    ("name", "about"),
    [
        # run together, with what links words
        *(("wifeage", "age"), ("ageinyrs", "age"), ("hometown", "place"), ("countyfips", "place")),
        *(("homestate", "place"), ("unmarried", "family"), ("nkids", "family")),
        # without vowels, shortened, mistyped
        *(("cntry", "origin"), ("univer", "education"), ("profes", "work"), ("maried", "family")),
        *(("gendre", "sex"), ("ocupation", "work"), ("nuber_of_childern", "family")),
        # acronyms beside words
        *(("BMIGroup", "health"), ("HHSize", "family")),
        # so many years of something
        *(("yrs.of.something", "years of something"), ("YearsThere", "years of something")),
    ],
)
def test_words_are_found_where_they_are_written_otherwise(name, about):
    found = perhaps(name)
    assert found is not None
    assert found.about == about


@pytest.mark.parametrize(
    "name", ["count", "average", "message", "method", "diving", "never", "person", "status", "x1"]
)
def test_what_only_looks_like_a_word_is_none(name):
    assert perhaps(name) is None


def test_a_word_of_two_kinds_is_read_as_the_graver():
    found = perhaps("sexrisk")
    assert found is not None
    assert found.role is Role.SENSITIVE


def test_of_two_readings_that_disagree_none_is_taken():
    one = Subject("one", Role.QUASI_IDENTIFIER, "mountain")
    other = Subject("other", Role.SENSITIVE, "mountaineer")
    assert list(near(["mounta"], (one, other))) == []
    assert [s.about for _, s in near(["mounta"], (one,))] == ["one"]


def test_typing_errors_are_one_letter_as_edit_distance_says():
    words = ["".join(letters) for n in range(1, 5) for letters in itertools.product("ab", repeat=n)]
    for one, other in itertools.product(words, words):
        if one[:2] == other[:2] and len(one) > 1:
            assert one_off(one, other) == (naive_distance(one, other) <= 1), (one, other)


def naive_distance(one, other):
    """Letters left out, added, exchanged, or swapped with their neighbour, as few as possible."""
    if not one or not other:
        return len(one) + len(other)
    ways = [
        naive_distance(one[1:], other) + 1,
        naive_distance(one, other[1:]) + 1,
        naive_distance(one[1:], other[1:]) + (one[0] != other[0]),
    ]
    if len(one) > 1 and len(other) > 1 and (one[0], one[1]) == (other[1], other[0]):
        ways.append(naive_distance(one[2:], other[2:]) + 1)
    return min(ways)
