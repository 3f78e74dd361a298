"""Fung 2008: tables 1 and 2 with the examples of sections 3 and 4."""

import pytest

import naive.correspondence
from sfumato.attacks.correspondence import bcf, crack_sizes, exposure, remaining

BIRTHPLACE = {"UK": "Europe", "France": "Europe"}
JOB = {"Lawyer": "Professional", "Doctor": "Professional"}
TREES = [BIRTHPLACE, JOB]

EUROPE = ("Europe", "Lawyer")
UK, FRANCE = ("UK", "Professional"), ("France", "Professional")

TABLE_1 = [(EUROPE, "Flu")] * 3 + [(EUROPE, "HIV")] * 2  # a1 to a5
TABLE_2 = [  # b1 to b10
    *[(UK, "Flu")] * 3,
    *[(FRANCE, "HIV")] * 3,
    *[(FRANCE, "Flu")] * 2,
    *[(UK, "HIV")] * 2,
]

ALICE = ("France", "Lawyer")


def as_records(table):
    """Published records as the sets of raw values that they stand for."""
    places = {"Europe": {"UK", "France"}, "UK": {"UK"}, "France": {"France"}}
    jobs = {"Professional": {"Lawyer", "Doctor"}, "Lawyer": {"Lawyer"}}
    return [
        (frozenset((p, j) for p in places[place] for j in jobs[job]), disease)
        for (place, job), disease in table
    ]


@pytest.mark.parametrize(
    "buddies",
    [
        {1: (1, "UK"), 2: (2, "UK"), 3: (3, "UK"), 4: (4, "France"), 5: (5, "France")},
        {1: (7, "France"), 2: (2, "UK"), 3: (8, "France"), 4: (6, "France"), 5: (9, "UK")},
    ],
)
def test_example_3_1_both_assignments_are_generators(buddies):
    first, second = as_records(TABLE_1), as_records(TABLE_2)
    wanted = {(a - 1, b - 1, (place, "Lawyer")) for a, (b, place) in buddies.items()}

    def shape(choice):
        """A choice of buddies up to the order of records nobody can tell apart."""
        return sorted((sorted(first[a][0]), sorted(second[b][0]), raw) for a, b, raw in choice)

    assert any(
        shape(choice) == shape(wanted) for choice in naive.correspondence.generators(first, second)
    )


def test_examples_3_2_and_4_1_the_forward_attack_cracks_one_flu():
    cracks = crack_sizes(TABLE_1, TABLE_2, TREES, ALICE)
    assert cracks.forward == {(EUROPE, "Flu"): 1, (EUROPE, "HIV"): 0}


def test_examples_3_3_and_4_2_the_cross_attack_cracks_one_hiv():
    cracks = crack_sizes(TABLE_1, TABLE_2, TREES, ALICE)
    assert cracks.cross == {(FRANCE, "Flu"): 0, (FRANCE, "HIV"): 1}


def test_examples_3_4_and_4_3_the_backward_attack_cracks_one_flu():
    cracks = crack_sizes(TABLE_1, TABLE_2, TREES, ("UK", "Lawyer"))
    assert cracks.backward == {(UK, "Flu"): 1, (UK, "HIV"): 0}


def test_all_three_anonymities_are_four():
    assert bcf(TABLE_1, TABLE_2, TREES) == (4, 4, 4)
    assert naive.correspondence.bcf(as_records(TABLE_1), as_records(TABLE_2)) == (4, 4, 4)


def test_every_crack_size_is_that_of_all_generators():
    forward, cross, backward = naive.correspondence.cracks(as_records(TABLE_1), as_records(TABLE_2))
    for target in [(place, job) for place in BIRTHPLACE for job in JOB]:
        found = crack_sizes(TABLE_1, TABLE_2, TREES, target)
        for (qid, disease), crack in found.forward.items():
            (record,) = as_records([(qid, disease)])
            assert crack == TABLE_1.count((qid, disease)) - forward[record, target]
        for (qid, disease), crack in found.cross.items():
            (record,) = as_records([(qid, disease)])
            assert crack == TABLE_2.count((qid, disease)) - cross[record, target]
        for (qid, disease), crack in found.backward.items():
            (record,) = as_records([(qid, disease)])
            assert crack == backward[record]
        lawyer = target[1] == "Lawyer"  # no doctor can be in table 1
        assert len(found.forward) == len(found.cross) == 2 * lawyer


def test_five_anonymity_is_broken_for_everybody_of_example_1_1():
    forward, cross, backward = exposure(TABLE_1, TABLE_2, TREES, 5)
    assert forward == ((EUROPE,), 5)
    assert cross == ((FRANCE,), 5)
    assert backward == ((UK,), 5)
    assert all(not each.classes for each in exposure(TABLE_1, TABLE_2, TREES, 4))


@pytest.mark.parametrize("method", ["exact", "paper"])
def test_what_is_left_for_everybody(method):
    start, later = remaining([TABLE_1, TABLE_2], TREES, method=method)
    assert start == {("UK", "Lawyer"): 5, ALICE: 4}
    assert later == {
        (place, job): 5 if place == "France" else 4 for place in BIRTHPLACE for job in JOB
    }


def test_section_4_3_without_new_records_everything_is_cracked_backward():
    again = [(("Europe", "Professional"), disease) for _, disease in TABLE_1]
    cracks = crack_sizes(TABLE_1, again, TREES)
    whole = ("Europe", "Professional")
    assert cracks.backward == {(whole, "Flu"): 3, (whole, "HIV"): 2}
    assert bcf(TABLE_1, again, TREES) == (5, 5, 0)
