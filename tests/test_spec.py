"""Objects written as small specifications and read back."""

import datetime
import json
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.algorithms import ALGORITHMS
from sfumato.criteria import CRITERIA
from sfumato.errors import BadInput
from sfumato.spec import describe, from_spec, name_of, to_spec


@dataclass(frozen=True)
class PlainRule:
    """A stand-in with every kind of parameter."""

    size: int
    share: Fraction = Fraction(1, 2)
    names: tuple = ()
    chosen: frozenset = frozenset()
    table: dict = field(default_factory=dict)
    derived: int = field(init=False, default=0)

    def __post_init__(self):
        if self.size < 0:
            raise BadInput(f"PlainRule: size must be >= 0, got {self.size}", ["seen"])


KINDS = {"plain_rule": PlainRule, **CRITERIA, **ALGORITHMS}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("KAnonymity", "k_anonymity"),
        ("LDiversity", "l_diversity"),
        ("TCloseness", "t_closeness"),
        ("PSensitiveKAnonymity", "p_sensitive_k_anonymity"),
        ("KEAnonymity", "ke_anonymity"),
        ("CKSafety", "ck_safety"),
        ("BCFAnonymizer", "bcf_anonymizer"),
        ("KOptimize", "k_optimize"),
        ("Mondrian", "mondrian"),
        ("TopDown", "top_down"),
    ],
)
def test_a_class_is_named_by_its_words(kind, name):
    assert name_of(type(kind, (), {})) == name


def test_defaults_are_written_and_what_is_derived_is_not():
    assert to_spec(PlainRule(3)) == {
        "plain_rule": {"size": 3, "share": "1/2", "names": [], "chosen": [], "table": {}}
    }


def test_a_default_that_changes_does_not_change_what_a_file_means():
    @dataclass(frozen=True)
    class PlainRule2(PlainRule):
        share: Fraction = Fraction(1, 3)

    written = json.loads(json.dumps(to_spec(PlainRule(3))))
    assert Fraction(from_spec({"plain_rule": PlainRule2}, written, "here").share) == Fraction(1, 2)


def test_parameters_are_written_as_plain_values():
    rule = PlainRule(3, Fraction(2, 3), ("b", ("a", 1)), frozenset({"y", "x"}), {1: Fraction(4)})
    assert to_spec(rule) == {
        "plain_rule": {
            "size": 3,
            "share": "2/3",
            "names": ["b", ["a", 1]],
            "chosen": ["x", "y"],
            "table": {"1": 4},
        }
    }


@pytest.mark.parametrize(
    "instance",
    [sf.KAnonymity(7), sf.LDiversity(2.5, "entropy"), sf.Mondrian(), sf.TopDown(recoding="cut")],
    ids=str,
)
def test_what_is_written_is_read_back(instance):
    written = json.loads(json.dumps(to_spec(instance)))
    assert from_spec(KINDS, written, "here") == instance


def test_an_instance_is_described_as_the_call_that_makes_it():
    assert describe(sf.KAnonymity(7)) == "KAnonymity(k=7)"
    assert describe(PlainRule(3, Fraction(2, 3))) == "PlainRule(size=3, share='2/3')"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({}, "here: give exactly one name with its parameters, got none"),
        ({"k_anonymity": {}, "plain_rule": {}}, "here: give exactly one name with its para"),
        (
            {"k_anonimity": {"k": 2}},
            "here: unknown name 'k_anonimity'; did you mean 'k_anonymity'?",
        ),
        ({"k_anonymity": 5}, "here.k_anonymity: the parameters must be a table, got 5"),
        ({"k_anonymity": {"kk": 5}}, "here.k_anonymity: unknown parameter 'kk'; "),
        ({"plain_rule": {"sise": 5}}, "here.plain_rule: unknown parameter 'sise'; did you mean 's"),
        ({"plain_rule": {"size": 5, "derived": 1}}, "here.plain_rule: unknown parameter 'derived'"),
        ({"k_anonymity": {}}, "here.k_anonymity: the parameter 'k' is missing"),
        ({"k_anonymity": {"k": 0}}, "here: KAnonymity: k must be an integer >= 1, got 0"),
    ],
    ids=str,
)
def test_every_error_says_where_it_stands(spec, said):
    with pytest.raises(BadInput) as caught:
        from_spec(KINDS, spec, "here")
    assert str(caught.value).startswith(said)


def test_values_that_explain_an_error_travel_with_it():
    with pytest.raises(BadInput) as caught:
        from_spec(KINDS, {"plain_rule": {"size": -1}}, "here")
    assert caught.value.values == ("seen",)


@pytest.mark.parametrize("spec", ["k", ["k_anonymity"]])
def test_a_specification_that_is_no_table_is_refused(spec):
    with pytest.raises(BadInput, match="here: "):
        from_spec(KINDS, spec, "here")


def test_a_criterion_about_dates_can_be_written_down():
    criterion = sf.LDiversity(2, "frequency", values=[datetime.date(2026, 11, 15)])
    assert "2026-11-15" in json.dumps(criterion.spec())
