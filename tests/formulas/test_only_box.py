"""Which of many boxes holds each point, compared with looking at all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.boxes
from sfumato.formulas.boxes import only_box as room
from sfumato.formulas.boxes.only_box import only_box

PLACES = st.integers(0, 6)


@st.composite
def parted(draw):
    """Points in up to three dimensions, and boxes: cut out of each other, or any."""
    d = draw(st.integers(1, 3))
    points = draw(st.lists(st.tuples(*[PLACES] * d), max_size=30))
    boxes = [[(0, 6)] * d]
    for _ in range(draw(st.integers(0, 8))):
        j, axis, cut = (
            draw(st.integers(0, len(boxes) - 1)),
            draw(st.integers(0, d - 1)),
            draw(PLACES),
        )
        low, high = boxes[j][axis]
        if low < cut <= high:
            upper = list(boxes[j])
            boxes[j] = [*boxes[j][:axis], (low, cut - 1), *boxes[j][axis + 1 :]]
            upper[axis] = (cut, high)
            boxes.append(upper)
    some = draw(st.lists(st.booleans(), min_size=len(boxes), max_size=len(boxes)))
    boxes = [box for box, kept in zip(boxes, some, strict=True) if kept]
    boxes += draw(st.lists(st.lists(st.tuples(PLACES, PLACES), min_size=d, max_size=d), max_size=2))
    return np.array(points, dtype=np.int32).reshape(-1, d), np.array(boxes, dtype=np.int32).reshape(
        -1, d, 2
    )


@pytest.mark.parametrize("few_pairs", [1, 8, room.FEW_PAIRS])
@given(parted())
def test_points_find_the_box_that_they_find_one_by_one(few_pairs, given_):
    points, boxes = given_
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "FEW_PAIRS", few_pairs)
        found = only_box(points, boxes)
    assert found.tolist() == naive.boxes.only_box(points.tolist(), boxes.tolist())


def test_a_point_in_many_equal_boxes_is_in_several():
    everywhere = np.tile(np.array([[[0, 9]]], dtype=np.int32), (5000, 1, 1))
    points = np.arange(5000, dtype=np.int32)[:, np.newaxis] % 12
    found = only_box(points, everywhere)
    assert found.tolist() == [room.SEVERAL if place <= 9 else room.NONE for place in points[:, 0]]
