"""Any criterion: beliefs by counts against beliefs by listing who has what."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.minimality
from profiles import examples
from sfumato.formulas.minimality.credibility import credibility_local
from sfumato.formulas.minimality.worlds import credibility_enumerated

RULES = {
    "frequent": lambda values: 2 * values.get("a", 0) > sum(values.values()),
    "alike": lambda values: sum(count > 0 for count in values.values()) < 2,
    "both": lambda values: values.get("a", 0) > 0 and values.get("b", 0) > 0,
}


@st.composite
def groups(draw):
    generalized = draw(
        st.lists(st.integers(0, 3), min_size=1, max_size=3).filter(lambda g: 0 < sum(g) <= 6)
    )
    n = sum(generalized)
    values = Counter(draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)))
    kept = [
        dict(Counter(draw(st.lists(st.sampled_from("abc"), min_size=0 if g else 1, max_size=2))))
        for g in generalized
    ]
    return kept, generalized, dict(values)


@pytest.mark.long
@examples(150)
@given(groups(), st.sampled_from(sorted(RULES)), st.sampled_from(["a", "b", {"a", "c"}]))
def test_counts_agree_with_people(group, rule, target):
    kept, generalized, values = group
    expected = naive.minimality.credibility_enumerated(
        kept, generalized, values, RULES[rule], target
    )
    if expected is None:
        with pytest.raises(ValueError, match="nothing was generalized"):
            credibility_enumerated(kept, generalized, values, RULES[rule], target)
    else:
        found = credibility_enumerated(kept, generalized, values, RULES[rule], target)
        assert found == expected


def test_two_values_are_what_the_program_counts():
    found = credibility_enumerated(
        [{}, {}, {}], [2, 2, 10], {"a": 5, "b": 9}, RULES["frequent"], "a"
    )
    assert credibility_local([(2, 2, 0), (2, 2, 0), (10, 10, 0)], 5, 2) == pytest.approx(found)


def test_a_group_has_as_many_values_as_people():
    with pytest.raises(ValueError, match="as many values as people"):
        credibility_enumerated([{}], [2], {"a": 1}, RULES["alike"], "a")
