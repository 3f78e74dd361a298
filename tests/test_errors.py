"""Errors: who has to act, which exit code, and what a message may hold."""

import pickle

import pytest

import sfumato as sf
from sfumato.errors import nearest


@pytest.mark.parametrize(
    ("kind", "code"),
    [(sf.BadInput, 2), (sf.Unsatisfiable, 3), (sf.BrokenPromise, 4), (sf.SfumatoError, 4)],
)
def test_every_error_has_the_exit_code_of_who_must_act(kind, code):
    assert kind.exit_code == code
    assert issubclass(kind, sf.SfumatoError)


def test_bad_input_is_a_value_error_and_the_impossible_is_not():
    assert issubclass(sf.BadInput, ValueError)
    assert not issubclass(sf.Unsatisfiable, ValueError)
    assert not issubclass(sf.BrokenPromise, ValueError)


def test_values_of_the_data_are_kept_out_of_the_message():
    error = sf.BadInput("column 'age': 2 values are not numbers", ["secret", 4])
    assert str(error) == "column 'age': 2 values are not numbers"
    assert "secret" not in repr(error)
    assert error.values == ("secret", 4)
    assert error.with_values() == "column 'age': 2 values are not numbers (values: 'secret', 4)"


def test_only_the_first_few_values_are_shown():
    error = sf.BadInput("wrong", range(7))
    assert error.with_values() == "wrong (values: 0, 1, 2, 3, 4, ...)"
    assert error.with_values(limit=7) == "wrong (values: 0, 1, 2, 3, 4, 5, 6)"


def test_a_message_without_values_stays_as_it_is():
    assert sf.BadInput("wrong").with_values() == "wrong"


def test_an_error_survives_the_way_between_processes():
    error = pickle.loads(pickle.dumps(sf.BadInput("wrong", ["x"])))
    assert (str(error), error.values) == ("wrong", ("x",))


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("disese", ["age", "disease"], "; did you mean 'disease'?"),
        ("x", ["disease", "age"], "; known are 'disease', 'age'"),
        ("x", [], ""),
    ],
)
def test_the_nearest_name_is_suggested_or_the_known_ones_listed(name, known, said):
    assert nearest(name, known) == said


def test_a_long_list_of_names_is_cut_off():
    said = nearest("x", [f"column{j}" for j in range(13)])
    assert said.endswith("'column11', ...")
    assert "column12" not in said


def test_an_unknown_name_of_the_package_suggests_the_nearest():
    with pytest.raises(AttributeError, match="sfumato has no 'Mondrain'; did you mean 'Mondrian'"):
        sf.Mondrain  # noqa: B018
