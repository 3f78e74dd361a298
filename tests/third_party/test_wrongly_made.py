"""Classes of others that are not made as they should be: one clear line for each."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.attacks.attack import ATTACKS
from sfumato.criteria.judging import holding

PEOPLE = pa.table({"age": [31, 32, 41, 42], "disease": ["flu", "gout", "flu", "gout"]})


def table():
    return sf.read(PEOPLE, {"age": sf.Intervals(10)}, "disease")


def released(criterion=None, method=None):
    return sf.anonymize(table(), criterion or sf.KAnonymity(2), method or sf.Samarati())


# ------------------------------------------------------------------------- criteria and methods


class _Plain(sf.Criterion):
    """No dataclass."""

    def __init__(self, n=2):
        self.n = n

    def holds(self, groups):
        return groups.sizes >= self.n

    def measure(self, groups):
        return int(groups.sizes.min())

    def promised(self):
        return self.n


class _PlainMethod(sf.Algorithm):
    """No dataclass."""

    def search(self, frequencies, criterion, draw):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("criterion", "method", "name"),
    [(_Plain(), None, "_Plain"), (None, _PlainMethod(), "_PlainMethod")],
)
def test_parameters_that_no_file_can_name_are_refused(criterion, method, name):
    with pytest.raises(sf.BadInput) as caught:
        released(criterion, method)
    assert str(caught.value) == (
        f"{name}: the class is no dataclass, so no file can name its parameters; write "
        "@dataclass(frozen=True) above it, and its parameters as fields"
    )


@dataclass(frozen=True)
class _Says(sf.Criterion):
    """Gives whatever it is told to give."""

    answer: ClassVar[object] = None

    def holds(self, groups):
        return type(self).answer

    def measure(self, groups):
        return 1

    def promised(self):
        return 1


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (None, "None"),
        (True, "True"),
        ([True], "a list"),
        ([[True], [True, False]], "a list"),
        ([1, 1], "a list"),
        (np.ones(2), "an array of float64, shape (2,)"),
        (np.ones((2, 1), dtype=bool), "an array of bool, shape (2, 1)"),
    ],
)
def test_a_verdict_that_is_not_one_for_each_group_is_refused(monkeypatch, answer, shown):
    monkeypatch.setattr(_Says, "answer", answer)
    joint = table().frequencies().as_it_is().joint.part(np.array([True, True, False, False]))
    with pytest.raises(sf.BadInput) as caught:
        holding(_Says(), joint)
    assert str(caught.value) == (
        "_Says: holds must give True or False for each of 2 groups, as an array of this "
        f"length; it gave {shown}"
    )


def test_a_list_of_verdicts_will_do(monkeypatch):
    monkeypatch.setattr(_Says, "answer", [True, False])
    joint = table().frequencies().as_it_is().joint.part(np.array([True, True, False, False]))
    assert holding(_Says(), joint).tolist() == [True, False]


@dataclass(frozen=True)
class _FindsNothing(sf.Algorithm):
    """Forgets to return."""

    def search(self, frequencies, criterion, draw):
        del frequencies, criterion, draw


def test_a_search_that_gives_no_recoding_is_named():
    with pytest.raises(sf.BadInput) as caught:
        released(method=_FindsNothing())
    assert str(caught.value) == (
        "_FindsNothing(): search must give a recoding, such as Cut.at_levels(domains, levels), or "
        "raise sf.Unsatisfiable; it gave None"
    )


# --------------------------------------------------------------------------- attacks and engines


def test_an_attack_or_an_engine_has_to_have_a_name():
    def found(self, target):
        raise NotImplementedError

    members = {"against": classmethod(found), "find": found}
    with pytest.raises(sf.BadInput) as caught:
        type(sf.Attack)("Nameless", (sf.Attack,), members)
    assert str(caught.value) == (
        'attack Nameless: the class does not say its name; write name = "..." into it'
    )
    assert "nameless" not in ATTACKS
    engine = {"open": found, "open_published": found}
    with pytest.raises(sf.BadInput, match="engine Nameless: the class does not say its name"):
        type(sf.engines.Engine)("Nameless", (sf.engines.Engine,), engine)


@dataclass(frozen=True, eq=False)
class _Odd(sf.Attack):
    """Does what it is told to."""

    name: ClassVar[str] = "odd"
    why: ClassVar[object] = None
    early: ClassVar[bool] = False

    @classmethod
    def against(cls, target):
        if cls.early:
            raise KeyError("flu")
        yield cls()

    def find(self, target):
        if isinstance(self.why, Exception):
            raise self.why
        return self.why


@pytest.mark.parametrize(
    ("why", "early", "said"),
    [
        (KeyError("flu"), False, "KeyError in test_wrongly_made.py, line "),
        (None, True, "KeyError in test_wrongly_made.py, line "),
        (sf.BadInput("a column is missing"), False, "a column is missing"),
        (None, False, "_Odd: find must give a sf.attacks.Finding, or raise CannotRun; it gave No"),
    ],
)
def test_an_attack_of_others_that_fails_is_listed_and_hides_nothing(monkeypatch, why, early, said):
    release = released()
    before = sf.audit(release)
    monkeypatch.setattr(_Odd, "why", why)
    monkeypatch.setattr(_Odd, "early", early)
    monkeypatch.setitem(ATTACKS._kinds, "odd", _Odd)
    report = sf.audit(release)
    assert len(report.findings) == len(before.findings)
    (reason,) = [each.reason for each in report.not_run if each.name == "odd"]
    assert reason.startswith(f"{_Odd.__module__}._Odd: {said}")
    assert "flu" not in reason
    with pytest.raises(type(why) if isinstance(why, Exception) else (KeyError, sf.BadInput)):
        [each.run(release) for each in _Odd.against(None)]


def test_an_attack_of_ours_that_fails_is_not_passed_over(monkeypatch):
    monkeypatch.setattr(_Odd, "why", KeyError("flu"))
    monkeypatch.setattr(_Odd, "__module__", "sfumato.attacks.odd")
    monkeypatch.setitem(ATTACKS._kinds, "odd", _Odd)
    with pytest.raises(KeyError):
        sf.audit(released())
