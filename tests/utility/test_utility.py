"""Information loss with weights, discernibility, average group size."""

import pyarrow as pa
import pytest

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
    table = sf.read(source, quasi_identifiers={"education": EDUCATION, "sex": sf.Flat()})
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
