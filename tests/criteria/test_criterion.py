"""What all criteria share: combining, judging a grouping part by part, refusing what cannot be."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.criteria
import naive.groups
import sfumato as sf
from profiles import examples
from properties.generated import criteria, tables
from sfumato.criteria.judging import holding, measure, reached, validate, without_threshold
from sfumato.data.frequency import FrequencySet
from sfumato.errors import BadInput
from sfumato.text import value_text

ROWS = [
    # zip, disease, salary
    ("1", "flu", "low"),
    ("1", "HIV", "low"),
    ("2", "flu", "low"),
    ("2", "flu", "high"),
    ("3", "HIV", "high"),
]


def counted(sensitive=("disease", "salary"), hierarchy=None):
    """The rows above as a frequency set; groups in the order of zip."""
    names = ("zip", "disease", "salary")
    domains, codes = {}, {}
    for name, column in zip(names, zip(*ROWS, strict=True), strict=True):
        rule = hierarchy if hierarchy and name == "disease" else sf.Flat()
        values = sorted(set(column))
        domains[name], coded = rule.grow(name, values)
        codes[name] = coded[[values.index(value) for value in column]]
    ones = np.ones(len(ROWS), dtype=np.int64)
    return FrequencySet.from_codes(domains, ["zip"], sensitive, codes, ones)


def test_criteria_are_combined_and_stay_flat():
    one, two, three = sf.KAnonymity(2), sf.LDiversity(2), sf.LDiversity(3, "entropy")
    assert ((one & two) & three).parts == (one & (two & three)).parts == (one, two, three)
    assert one.parts == (one,)
    assert str(one & two) == "KAnonymity(k=2) & LDiversity(l=2)"
    assert (one & two).spec() == [*one.spec(), *two.spec()]


def test_a_combination_holds_where_all_parts_do():
    groups = sf.Groups([1, 3, 3], [[1, 0], [3, 0], [2, 1]], ["flu", "HIV"])
    both = sf.KAnonymity(2) & sf.LDiversity(2)
    assert both.holds(groups).tolist() == [False, False, True]


def test_a_combination_is_monotone_where_all_parts_are():
    k, distinct, entropy = sf.KAnonymity(2), sf.LDiversity(2), sf.LDiversity(2, "entropy")
    assert (k & distinct).monotone(suppression=True)
    assert not (k & entropy).monotone(suppression=True)
    assert (k & entropy).monotone(suppression=False)


@pytest.mark.parametrize("other", [3, None, sf.KAnonymity], ids=str)
def test_a_criterion_is_combined_with_criteria_only(other):
    with pytest.raises(BadInput, match="&: expected another criterion, got"):
        sf.KAnonymity(2) & other


def test_a_combination_measures_and_promises_part_by_part():
    groups = sf.Groups([3], [[2, 1]], ["flu", "HIV"])
    both = sf.KAnonymity(2) & sf.LDiversity(3)
    assert both.measure(groups) == (3, 2)
    assert both.promised() == (2, 3)


def test_a_combination_about_different_columns_is_not_judged_on_one_of_them():
    groups = sf.Groups([3], [[2, 1]], ["flu", "HIV"])
    both = sf.LDiversity(2, attribute="disease") & sf.LDiversity(2, attribute="salary")
    for ask in (both.holds, both.measure):
        with pytest.raises(BadInput, match="the parts are about different columns"):
            ask(groups)


@examples(150)
@given(tables(), criteria())
def test_every_group_of_a_table_is_judged_as_its_rows_are(table, pair):
    criterion, twin = pair
    frequencies = table.frequencies()
    grouping = frequencies.as_it_is()
    labels = [frequencies.domains[name].labels for name in table.columns]
    groups = naive.groups.rows_by_group(table.rows, range(len(table.columns)))
    names = [
        tuple(labels[j][code] for j, code in enumerate(box)) for box in grouping.boxes[:, :, 0]
    ]
    assert holding(criterion, grouping.joint).tolist() == [twin(groups[name]) for name in names]


def test_each_part_is_judged_on_its_own_attribute():
    """Zip 1 has two diseases and one salary, zip 2 the reverse, zip 3 one of each."""
    groups = counted().as_it_is().joint
    disease = sf.LDiversity(2, attribute="disease")
    salary = sf.LDiversity(2, attribute="salary")
    assert holding(disease, groups).tolist() == [True, False, False]
    assert holding(salary, groups).tolist() == [False, True, False]
    assert holding(disease & salary, groups).tolist() == [False, False, False]
    assert holding(sf.KAnonymity(2) & salary, groups).tolist() == [False, True, False]


@examples(100)
@given(
    st.lists(st.tuples(*(st.integers(0, 2) for _ in range(3))), min_size=1, max_size=20),
    st.integers(1, 3),
    st.sampled_from(["distinct", "entropy", "frequency"]),
)
def test_without_an_attribute_every_sensitive_column_must_hold_within_the_others(rows, l, kind):
    """Ciriani 2008, section 5: the other sensitive columns count among the quasi-identifiers."""
    domain, _ = sf.Flat().grow("any", ["0", "1", "2"])
    names = ("q", "a", "b")
    codes = dict(zip(names, np.array(rows, dtype=np.int32).T, strict=True))
    frequencies = FrequencySet.from_codes(
        dict.fromkeys(names, domain), ["q"], ["a", "b"], codes, np.ones(len(rows), dtype=np.int64)
    )
    criterion = sf.LDiversity(l, kind)
    groups = frequencies.as_it_is().joint
    expected = []
    for _, group in sorted(naive.groups.rows_by_group(rows, [0]).items()):
        by_b = naive.groups.rows_by_group(group, [2]).values()
        by_a = naive.groups.rows_by_group(group, [1]).values()
        expected.append(
            all(naive.criteria.l_diversity(l, kind, column=1)(each) for each in by_b)
            and all(naive.criteria.l_diversity(l, kind, column=2)(each) for each in by_a)
        )
    assert holding(criterion, groups).tolist() == expected
    found = measure(criterion, groups)
    assert [part.criterion.attribute for part in found] == ["a", "b"]
    assert all(part.holds for part in found) == all(expected)


def test_a_criterion_that_looks_at_no_values_needs_no_attribute():
    for sensitive in ((), ("disease",), ("disease", "salary")):
        groups = counted(sensitive).as_it_is().joint
        assert holding(sf.KAnonymity(2), groups).tolist() == [True, True, False]


def test_every_part_is_measured_against_its_promise():
    criterion = sf.KAnonymity(2) & sf.LDiversity(1.5, "frequency", attribute="disease")
    size, share = measure(criterion, counted().as_it_is().joint)
    assert (size.promised, size.found, size.holds, size.n_people_failing) == (2, 1, False, 1)
    assert share.criterion == criterion.parts[1]
    assert (share.promised, share.found, share.holds) == (Fraction(3, 2), 1, False)
    assert share.n_people_failing == 3


def test_what_is_reached_is_said_part_by_part():
    criterion = sf.KAnonymity(2) & sf.LDiversity(2, "entropy", attribute="disease")
    said = reached(criterion, counted().as_it_is().joint)
    assert said == (
        "KAnonymity(k=2) reaches 1, LDiversity(l=2, kind='entropy', attribute='disease') reaches 1"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (3, "3"),
        (Fraction(3, 2), "1.5"),
        (1.23456, "1.235"),
        (math.inf, "infinite"),
        ((3, None, 0.5), "(3, -, 0.5)"),
    ],
)
def test_a_measured_value_is_written_for_a_person(value, text):
    assert value_text(value) == text


def test_a_criterion_is_named_without_its_threshold():
    assert without_threshold(sf.KAnonymity(5)) == "k-anonymity"
    assert without_threshold(sf.LDiversity(2)) == "l-diversity"
    assert without_threshold(sf.LDiversity(2, "entropy")) == "l-diversity (entropy)"


# ------------------------------------------------------------------------------------ validating


def test_a_criterion_that_fits_is_returned():
    criterion = sf.KAnonymity(2) & sf.LDiversity(2, "frequency", ["HIV"], attribute="disease")
    assert validate(criterion, counted()) is criterion
    assert validate(sf.KAnonymity(2), counted(sensitive=())) == sf.KAnonymity(2)


@pytest.mark.parametrize("criterion", [5, None, "k", sf.KAnonymity], ids=str)
def test_something_else_is_no_criterion(criterion):
    with pytest.raises(BadInput) as caught:
        validate(criterion, counted())
    expected = f"criterion: expected one such as sf.KAnonymity(5), got {criterion!r}"
    assert str(caught.value) == expected


def test_diversity_needs_a_sensitive_column():
    with pytest.raises(BadInput, match=r"LDiversity\(l=2\): the table has no sensitive column"):
        validate(sf.KAnonymity(2) & sf.LDiversity(2), counted(sensitive=()))


def test_the_column_that_values_belong_to_must_be_named_when_there_are_several():
    assert validate(sf.LDiversity(2), counted()) == sf.LDiversity(2)
    with pytest.raises(BadInput, match="say with attribute= which one the values belong to"):
        validate(sf.LDiversity(2, "frequency", ["HIV"]), counted())
    with pytest.raises(BadInput, match="attribute 'diseas' is not sensitive; did you mean 'dis"):
        validate(sf.LDiversity(2, attribute="diseas"), counted())


def test_a_value_that_nobody_has_is_refused_and_only_a_closed_column_lists_others():
    criterion = sf.LDiversity(2, "frequency", ["HVI"], attribute="disease")
    with pytest.raises(BadInput) as caught:
        validate(criterion, counted())
    assert str(caught.value).endswith(
        ": nobody has 'HVI' in column 'disease'; "
        "if that is no slip, give the column a hierarchy that lists it"
    )
    with pytest.raises(BadInput) as caught:
        validate(criterion, counted(hierarchy=sf.Tree(["HIV", "flu"])))
    assert str(caught.value).endswith("in column 'disease'; did you mean 'HIV'?")
