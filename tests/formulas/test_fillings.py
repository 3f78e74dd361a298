"""How many people of a kind are in which box, beside putting everybody with a name into one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive.fillings
from sfumato.formulas.boxes.fillings import Fillings


@st.composite
def problems(draw):
    """Give some kinds, boxes that are mostly sized so that they can be filled, and what fits."""
    n_kinds, n_boxes = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    people = draw(st.lists(st.integers(1, 2), min_size=n_kinds, max_size=n_kinds))
    every = [(kind, box) for kind in range(n_kinds) for box in range(n_boxes)]
    pairs = [pair for pair in every if draw(st.booleans())]
    sizes = [0] * n_boxes
    for kind, n in enumerate(people):
        boxes = [box for own, box in pairs if own == kind]
        for _ in range(n):
            box = draw(st.sampled_from([None, *boxes]))
            if box is not None:
                sizes[box] += 1
    if draw(st.booleans()):
        sizes[draw(st.integers(0, n_boxes - 1))] += draw(st.integers(0, 1))
    return people, sizes, pairs


def of(people, sizes, pairs):
    listed = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return Fillings(np.array(people), np.array(sizes), listed)


@given(problems())
def test_fillings_are_those_of_people_with_names(problem):
    fast, slow = of(*problem), naive.fillings.fillings(*problem)
    every = fast.every(10_000)
    assert sorted(map(tuple, every.tolist())) == sorted(slow)
    assert {tuple(each.tolist()): fast.ways(each) for each in every} == slow
    one = fast.one()
    if one is None:
        assert not slow
    else:
        assert tuple(one.tolist()) in slow
        assert fast.is_only(one) == (len(slow) == 1)


@given(problems())
def test_parts_are_filled_apart(problem):
    fast = of(*problem)
    n = np.prod([len(part.fillings.every(10_000)) for part in fast.parts])
    assert n == len(fast.every(10_000))
    assert sorted(b for part in fast.parts for b in part.boxes) == list(range(len(problem[1])))


def test_too_many_are_not_listed():
    many = of([9] * 6, [20, 20], [(kind, box) for kind in range(6) for box in range(2)])
    assert many.every(1_000) is None
    assert many.is_only(many.one()) is False


def test_the_table_of_the_paper_has_one_filling():
    """Table I (d): five q2 people, three published as they are; so two are with q1's."""
    one = of([2, 5], [4, 3], [(0, 0), (1, 0), (1, 1)])
    assert one.every(10).tolist() == [[2, 2, 3]]
    assert one.is_only(one.one())
