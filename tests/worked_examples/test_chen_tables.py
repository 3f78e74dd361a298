"""Chen 2009, section 8: the printed tables, and what no release can satisfy."""

from itertools import islice

import pytest

import sfumato as sf
from sfumato.attacks.knowledge import breach_probability
from sfumato.papers.chen2009 import adult, applications
from sfumato.papers.chen2009.dimensions import METHOD, skyline


@pytest.fixture(scope="module")
def part():
    """Nine tenths of Adult, salary among the quasi-identifiers."""
    table = adult.people([*adult.QUASI_IDENTIFIERS, adult.TARGET], quick=False)
    (found,) = islice(adult.training_parts(table, 10), 1)
    return found


@pytest.mark.long
def test_table_2_has_exactly_the_papers_seven_points():
    panel = adult.table_2(quick=False)
    assert [row[3] for row in panel.rows] == [row[4] for row in panel.rows] == ["yes"] * 7
    assert all(claim.agrees for claim in panel.claims)
    assert "784 groups" in panel.remark


@pytest.mark.long
def test_table_3_on_one_training_part(part):
    """By value, groups are ten times smaller, and divergence is lower by 0.35 at least."""
    by_value = adult.Utility.over([part], adult.VALUE_CENTRIC)
    by_attribute = adult.Utility.over([part], adult.ATTRIBUTE_CENTRIC)
    assert 80 < by_value.size < 110
    assert by_attribute.size >= 10 * by_value.size
    assert 1.35 < by_value.kl < 1.5
    assert by_attribute.kl - by_value.kl >= 0.35


@pytest.mark.slow
def test_table_3_over_ten_training_parts():
    panel = adult.table_3(quick=False)
    assert all(claim.agrees for claim in panel.claims), panel.claims
    (_, size, _, large, _), (_, near, _, far, _), *_ = panel.rows
    assert 80 < size < 110
    assert large >= 10 * size
    assert 1.35 < near < 1.5
    assert far - near >= 0.35


@pytest.mark.long
def test_from_11_values_on_nothing_about_adult_is_safe(part):
    """Not even one group of everybody, which the paper draws from 12 on."""
    counts = part.frequencies().reference(adult.SENSITIVE).tolist()
    everybody = [(part.n_rows, dict(enumerate(counts)))]
    for l in (10, 11, 12):
        breach = max(breach_probability(everybody, value, l, 0, 0) for value in range(14))
        found = adult.Utility.over([part], skyline((l, 0, 0)))
        assert (breach >= sf.Skyline([(l, 0, 0, 0.9)]).promised()) == (l >= 11)
        assert (found.size is None) == (found.impossible is not None) == (l >= 11)


def test_footnote_4_with_five_values_nothing_withstands_four():
    table = applications.applications(quick=False)
    with pytest.raises(sf.Unsatisfiable):
        sf.anonymize(table, skyline((4, 0, 0)), METHOD)
    release = sf.anonymize(table, skyline((3, 0, 0)), METHOD)
    assert release.check(skyline((3, 0, 0)))
