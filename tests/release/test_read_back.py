"""What is written into `release.json` is what is read from it, or nothing is published."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.data.hierarchy import open_domain

PEOPLE = pa.table({"age": [31, 32, 41, 42], "disease": ["flu", "gout", "flu", "gout"]})


@dataclass(frozen=True)
class _Loose(sf.Criterion):
    """Takes its parameter as it comes."""

    share: object
    attribute: str | None = None

    def holds(self, groups):
        """Everybody is content."""
        return np.ones(len(groups.sizes), dtype=bool)

    def measure(self, groups):
        """The size of the smallest group."""
        return int(groups.sizes.min())

    def promised(self):
        """One person."""
        return 1


@dataclass(frozen=True)
class _Exact(_Loose):
    """Converts its parameter."""

    def __post_init__(self):
        object.__setattr__(self, "share", Fraction(self.share))


@dataclass(frozen=True)
class _Fails(_Loose):
    """Has no use for text."""

    def __post_init__(self):
        if not isinstance(self.share, Fraction):
            raise AttributeError(self.share)


@dataclass(frozen=True)
class _LooseMethod(sf.Samarati):
    """Takes a parameter as it comes."""

    weights: object = None


@dataclass(frozen=True)
class _LooseRule(sf.Hierarchy):
    """Takes a parameter as it comes."""

    step: object

    def grow(self, column, values):
        """Without levels."""
        return open_domain(column, values, int, lambda _: [], int)


def published(criterion, method=None, rule=None):
    table = sf.read(PEOPLE, {"age": rule or sf.Intervals(10)}, "disease")
    return sf.anonymize(table, criterion, method or sf.Samarati())


REMEDY = "; convert it in __post_init__ to what it is used as"


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (Fraction(2, 3), "Fraction(2, 3) (Fraction) is read as '2/3' (str)"),
        (Decimal("0.5"), "Decimal('0.5') (Decimal) is read as '0.5' (str)"),
        (frozenset({"flu"}), "a frozenset is read as a tuple"),
        ([1, 2], "a list is read as a tuple"),
        (np.array([1, 2]), "a ndarray is read as '[1 2]' (str)"),
    ],
)
def test_a_parameter_that_would_be_read_as_another_one_is_refused(share, said):
    with pytest.raises(sf.BadInput) as caught:
        published(_Loose(share))
    whole = f"_Loose: the parameter 'share' cannot be read back from a file: {said}{REMEDY}"
    assert str(caught.value) == whole


def test_methods_and_hierarchies_are_read_back_too():
    with pytest.raises(sf.BadInput, match=r"_LooseMethod: the parameter 'weights' cannot be read"):
        published(sf.KAnonymity(2), _LooseMethod(weights=Fraction(1, 3)))
    with pytest.raises(sf.BadInput, match=r"_LooseRule: the parameter 'step' cannot be read back"):
        published(sf.KAnonymity(2), rule=_LooseRule(Decimal(10)))


def test_what_cannot_be_made_again_is_named_without_a_traceback():
    with pytest.raises(sf.BadInput) as caught:
        published(_Fails(Fraction(2, 3)))
    said = "_Fails: cannot be read back from a file (AttributeError)"
    assert str(caught.value) == said + REMEDY


@pytest.mark.parametrize(
    ("criterion", "method"),
    [
        (_Exact("2/3"), None),
        (_Loose(5) & _Exact(Fraction(2, 3)), None),
        (_Loose(np.int64(5)), None),
        (sf.KAnonymity(np.int64(2)), sf.Recode(levels={"age": np.int64(2)})),
    ],
)
def test_what_is_the_same_when_it_is_read_is_published(criterion, method):
    assert published(criterion, method).check()


def test_trees_are_the_same_if_their_nodes_are():
    assert sf.Tree({"low": [1, 2], "high": [3]}) == sf.Tree({"low": ["1", "2"], "high": ["3"]})
    assert sf.Tree({"low": [1, 2], "high": [3]}) != sf.Tree({"low": ["1"], "high": ["2", "3"]})


def test_the_terms_of_a_series_are_read_back_too(tmp_path):
    with pytest.raises(sf.BadInput, match=r"_LooseRule: the parameter 'step' cannot be read back"):
        sf.ReleaseSeries.create(
            tmp_path / "series", {"age": _LooseRule(Decimal(10))}, sf.KAnonymity(2), "disease"
        )
