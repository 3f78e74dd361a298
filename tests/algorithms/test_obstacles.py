"""What keeps a whole column general, compared with all cuts and all sets of people."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive.obstacles
from profiles import examples
from sfumato import Tree
from sfumato.algorithms.bcf.obstacles import Told, obstacle

SHAPES = [
    ("a", "b", "c", "d"),
    (("a", "b"), ("c", "d")),
    (("a", "b"), "c", ("d", ("e", "f"))),
    ((("a", "b"), "c"), "d"),
    (("a", ("b", "c")),),
]


def domain_of(shape):
    """Lay a shape out as a tree of the package."""

    def told(part, name):
        if not isinstance(part, tuple):
            return part
        return {name: [told(child, f"{name}{j}") for j, child in enumerate(part)]}

    parts = [told(child, f"n{j}") for j, child in enumerate(shape)]
    return Tree(parts).grow("column", naive.obstacles.leaves(shape))[0]


@examples(200)
@given(st.data())
def test_it_names_the_fewest_people_without_whom_a_column_can_be_told(data):
    shape = data.draw(st.sampled_from(SHAPES))
    names = naive.obstacles.leaves(shape)
    k = data.draw(st.integers(1, 3))
    new = {leaf: data.draw(st.integers(0, 5)) for leaf in names}
    stay = {leaf: data.draw(st.sampled_from([0, 0, 0, 1, 3])) for leaf in names}
    # One earlier release of those who stay, by any cut; or two, the first of some of them.
    told = []
    for half in data.draw(st.sampled_from([[False], [True, False]])) if any(stay.values()) else []:
        sides = data.draw(st.sampled_from(list(naive.obstacles.cuts(shape))))
        side_of = {leaf: next(side for side in sides if leaf in side) for leaf in names}
        told.append(({leaf: n // 2 if half else n for leaf, n in stay.items()}, side_of))
    domain = domain_of(shape)
    order = [str(label) for label in domain.labels]
    earlier = []
    for older, side_of in told:
        ends = [sorted(order.index(leaf) for leaf in side) for side in set(side_of.values())]
        sides = np.array([(each[0], each[-1]) for each in ends])
        earlier.append(Told(np.array([older[leaf] for leaf in order]), sides))
    # Those who stay are published already: they are not new.
    found = obstacle(
        domain.taxonomy,
        np.array([new[leaf] for leaf in order]),
        np.array([stay[leaf] for leaf in order]),
        k,
        earlier,
    )
    expected = naive.obstacles.least_left_out(shape, new, stay, k, told)
    if found.why == "free":
        assert expected == []
    elif found.why == "rare":
        inside = [leaf for low, high in found.nodes for leaf in order[low : high + 1]]
        assert sorted(leaf for leaf in inside if new[leaf]) == expected
    else:
        assert expected is None
