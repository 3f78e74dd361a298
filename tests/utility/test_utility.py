"""Information loss with weights, discernibility, average group size."""

import numpy as np
import pyarrow as pa
import pytest

import naive.criteria
import naive.lattice
import sfumato as sf

# The taxonomy of Wong 2009, figure 1, has nine ground values, two of them under "university".
EDUCATION = sf.Tree(
    {
        "without degree": {
            "elementary": ["1st-4th", "5th-6th", "7th-8th"],
            "secondary": ["9th-10th", "11th-12th"],
        },
        "post-secondary": {
            "university": ["undergrad", "postgrad"],
            "other": ["vocational", "college"],
        },
    }
)


def release_at(levels: dict[str, int]) -> sf.Release:
    source = pa.table(
        {
            "education": ["undergrad", "postgrad", "vocational", "1st-4th"],
            "sex": ["F", "M", "F", "M"],
        }
    )
    table = sf.read(source, quasi_identifiers={"education": EDUCATION, "sex": sf.Tree(["F", "M"])})
    return sf.anonymize(table, sf.KAnonymity(1), sf.Recode(levels))


def test_a_university_covers_two_of_nine_values():
    loss = sf.utility.information_loss(release_at({"education": 1, "sex": 0}), {"education": 1})
    expected = (1 / 8 + 1 / 8 + 1 / 8 + 2 / 8) / 4  # university twice, other, elementary
    assert loss == pytest.approx(expected)


def test_nothing_generalized_loses_nothing_and_everything_loses_all():
    assert sf.utility.information_loss(release_at({"education": 0, "sex": 0})) == 0
    assert sf.utility.information_loss(release_at({"education": 3, "sex": 1})) == 1


def test_weights_are_shares_and_equal_unless_given():
    release = release_at({"education": 3, "sex": 0})
    assert sf.utility.information_loss(release) == pytest.approx(1 / 2)
    assert sf.utility.information_loss(release, {"education": 3, "sex": 1}) == pytest.approx(3 / 4)
    assert sf.utility.information_loss(release, {"sex": 1}) == 0


def test_a_weight_for_an_unknown_column_is_refused_with_the_nearest_name():
    with pytest.raises(sf.BadInput, match="did you mean 'education'"):
        sf.utility.information_loss(release_at({"education": 0, "sex": 0}), {"edcation": 1})


def test_a_suppressed_row_has_lost_everything():
    source = pa.table({"age": [1, 1, 1, 50]})
    table = sf.read(source, quasi_identifiers={"age": sf.Flat()})
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Recode({"age": 0}, max_suppressed=1))
    assert sf.utility.information_loss(release) == pytest.approx(1 / 4)
    assert sf.utility.discernibility(release) == 3 * 3 + 4
    assert sf.utility.average_group_size(release) == 3


def naive_paths(table: sf.Table) -> list[list[tuple]]:
    trees = [table.domains[name].taxonomy for name in table.schema.quasi_identifiers]
    return [list(zip(*tree.labels, strict=True)) for tree in trees]


ROWS = [
    ("undergrad", "F"),
    ("undergrad", "M"),
    ("postgrad", "M"),
    ("1st-4th", "M"),
    ("college", "F"),
]


@pytest.mark.parametrize("levels", [(0, 0), (1, 0), (2, 1), (3, 0), (3, 1)])
@pytest.mark.parametrize("k", [1, 2])
def test_every_measure_is_the_one_of_the_definition(levels, k):
    names = ("education", "sex")
    source = pa.table([list(column) for column in zip(*ROWS, strict=True)], names=list(names))
    table = sf.read(source, {"education": EDUCATION, "sex": sf.Tree(["F", "M"])})
    method = sf.Recode(dict(zip(names, levels, strict=True)), max_suppressed=4)
    try:
        release = sf.anonymize(table, sf.KAnonymity(k), method)
    except sf.Unsatisfiable:
        assert (
            naive.lattice.suppressed_at(
                ROWS, naive_paths(table), levels, naive.criteria.k_anonymity(k)
            )
            == 5
        )
        return

    def price(metric: str) -> float:
        found = naive.lattice.price(
            ROWS, naive_paths(table), levels, naive.criteria.k_anonymity(k), metric
        )
        return float(found)

    assert sf.utility.information_loss(release) == pytest.approx(price("loss"))
    assert 1 - sf.utility.precision(release) == pytest.approx(price("precision"))
    assert sf.utility.entropy(release) == pytest.approx(price("entropy"))
    assert sf.utility.discernibility(release) == price("discernibility")
    assert sf.utility.n_groups(release) == -price("distinct")
    assert sf.utility.average_class(release, k) == pytest.approx(price("average_class") / k)
    per_column = sf.utility.loss_per_attribute(release)
    assert sum(per_column.values()) / 2 == pytest.approx(price("loss"))


def test_the_precision_of_boxes_is_that_of_the_nodes_around_them():
    source = pa.table({"education": ["undergrad"] * 2 + ["postgrad"] * 2 + ["1st-4th"] * 3})
    table = sf.read(source, {"education": EDUCATION})
    release = sf.anonymize(table, sf.KAnonymity(3), sf.Mondrian(bounds="tight"))
    assert set(release.to_arrow()["education"].to_pylist()) == {"1st-4th", "university"}
    assert sf.utility.precision(release) == pytest.approx(1 - 4 / 7 / 3)


def test_the_loss_of_a_release_that_splits_combinations_counts_its_boxes():
    table = sf.read(pa.table({"x": [1, 1, 1, 1, 2, 3, 3, 3]}), ["x"])
    release = sf.anonymize(table, sf.KAnonymity(3), sf.Mondrian(strict=False))
    assert 0 < sf.utility.information_loss(release) <= 1
    assert sum(release.sizes) == 8
    source = pa.table({"x": [1] * 2 + [2] * 5 + [3] * 2})
    split = sf.anonymize(sf.read(source, ["x"]), sf.KAnonymity(3), sf.Mondrian(strict=False))
    assert split.recoding.splits
    # The halves are [1, 2] with 2 + 2 people and [2, 3] with 3 + 2; both values' people are 7.
    lost = 2 * np.log2(7 / 2) + 2 * np.log2(7 / 5) + 3 * np.log2(7 / 5) + 2 * np.log2(7 / 2)
    assert sf.utility.entropy(split) == pytest.approx(lost)
