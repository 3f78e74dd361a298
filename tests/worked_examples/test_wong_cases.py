"""Wong 2009, section 7.1: two people of the Adult table, found out by minimality."""

import pyarrow.compute as pc
import pytest

import sfumato as sf
from attacks.made import believed

LOW = ["Preschool", "1st-4th", "5th-6th", "7th-8th"]
COLUMNS = ["age", "marital-status", "workclass"]


@pytest.fixture(scope="module")
def release() -> sf.Release:
    adult = sf.datasets.adult()
    for name in adult.column_names:
        adult = adult.filter(pc.is_valid(adult[name]))
    hierarchies = sf.datasets.adult_hierarchies()
    table = sf.read(
        adult.select([*COLUMNS, "education"]),
        {name: hierarchies[name] for name in COLUMNS},
        sensitive="education",
    )
    promise = sf.AlphaKAnonymity(1 / 2, 1, values=LOW, pooled=True)
    return sf.anonymize(table, promise, sf.TopDown("local"))


@pytest.mark.long
@pytest.mark.parametrize("age", [80, 33])
def test_who_is_self_employed_at_80_or_33_went_to_school_for_few_years(release, age):
    beliefs = believed(release)[age, "Married-spouse-absent", "Self-emp-not-inc"]
    assert sum(beliefs.get(value, 0) for value in LOW) == 1


def test_the_audit_says_so(release):
    """The release keeps its promise as it stands, and does not against who knows the method."""
    assert sf.attacks.Homogeneity().run(release).holds
    finding = sf.attacks.Minimality().run(release)
    assert (finding.found, finding.holds) == (1, False)
    assert finding.n_exceeding >= 2
