"""Hierarchies that others write: what they say of themselves, and what is written of them."""

import json
from dataclasses import KW_ONLY, dataclass

import pytest

from sfumato import BadInput, Dates, Flat, Hierarchy, Intervals, Prefix, Tree
from sfumato.attacks.correspondence import bcf
from sfumato.data.hierarchy import PublishedPaths, closed_domain, open_domain
from sfumato.data.labels.grammar import range_text


@dataclass(frozen=True)
class _Steps(Hierarchy):
    """Numbers by tens, or by whatever `step` says."""

    texts = "numbers"
    step: int = 10
    start: str = "none"

    def grow(self, column, values):
        def steps(value):
            low = int(value) // self.step * self.step
            return [range_text(str(low), str(low + self.step))]

        return open_domain(column, values, int, steps, int)


class _WithoutSaying(Prefix):
    """Other levels than those of its base."""

    def grow(self, column, values):
        return open_domain(column, values, str, lambda value: [str(value)[:1]])


def test_parameters_of_a_rule_are_written_and_read_back():
    rule = _Steps(step=20)
    assert rule.parameter == {"step": 20, "start": "none"}
    assert _Steps.of_parameter(json.loads(json.dumps(rule.parameter))) == rule
    assert _Steps.of_parameter(True) == _Steps()
    assert (Flat().parameter, Flat.of_parameter(True)) == (True, Flat())


@pytest.mark.parametrize(
    ("parameter", "refused"),
    [
        ({"stp": 5}, "steps: unknown parameter 'stp'; did you mean 'step'"),
        (7, "write steps = true, or a table of step, start, got 7"),
    ],
)
def test_wrong_parameters_of_a_rule_are_named(parameter, refused):
    with pytest.raises(BadInput, match=refused):
        _Steps.of_parameter(parameter)


@dataclass(frozen=True)
class _Halves(_Steps):
    """A parameter without a default: `halves = true` would not do."""

    _: KW_ONLY
    middle: int


@pytest.mark.parametrize(
    ("parameter", "refused"),
    [
        (True, "halves: the parameter 'middle' is missing"),
        (False, "halves: the parameters must be a table, got False"),
    ],
)
def test_true_is_not_proposed_where_a_parameter_is_needed(parameter, refused):
    with pytest.raises(BadInput, match=refused):
        _Halves.of_parameter(parameter)


def test_who_grows_other_levels_has_to_say_anew_how_they_are_read():
    assert (_Steps.texts, _WithoutSaying.texts) == ("numbers", None)
    assert type("_Same", (Prefix,), {}).texts == "masks"


@dataclass(frozen=True)
class _Continents(Hierarchy):
    """A closed rule: it lists its ground values itself."""

    texts = "nodes"

    def grow(self, column, values):
        paths = [("France", "Europe", "*"), ("Italy", "Europe", "*"), ("Japan", "Asia", "*")]
        return closed_domain(column, values, paths, "continents")


def test_a_closed_rule_of_others_is_grown_without_the_data():
    """Europe is one of its nodes, and no value that has to be found in it."""
    earlier = [(["Europe"], "flu"), (["Europe"], "gout")]
    later = [(["France"], "flu"), (["Italy"], "gout")]
    ours = Tree({"Europe": ["France", "Italy"], "Asia": ["Japan"]})
    assert (_Continents().closed, ours.closed, Flat().closed) == (True, True, False)
    assert bcf(earlier, later, [_Continents()]) == bcf(earlier, later, [ours])


@pytest.mark.parametrize("name", ["Paths", "Csv", "Package"])
def test_names_that_files_use_for_something_else_are_refused(name):
    with pytest.raises(BadInput, match=f"hierarchy '{name.lower()}': the name means something"):
        type(Hierarchy)(name, (_Continents,), {})


def test_rules_say_in_words_what_they_do():
    rules = [Flat(), Intervals(5, 10), Intervals(), Prefix(), Dates(), Tree(["a"])]
    assert [rule.in_words() for rule in (*rules, PublishedPaths(()), _Steps())] == [
        *("flat", "ranges of 5, 10", "ranges", "prefixes", "dates", "a tree", "a tree", "steps"),
    ]
