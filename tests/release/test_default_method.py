"""Where nobody names a method, promises about values are kept against who knows which one ran."""

import pytest

import sfumato as sf
from sfumato.algorithms.checked import doubling
from sfumato.algorithms.compatibility import default_method
from sfumato.job import Job

DOUBLED = (5, 10, 20, 40, 80, 160)
RULES = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
JOB = """
source = "patients.csv"
output = "out"
[columns]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
[[criteria]]
"""


@pytest.mark.parametrize(
    ("promise", "method"),
    [
        (sf.KAnonymity(5), sf.Local()),
        (sf.KAnonymity(5) & sf.MaxRisk(0.1), sf.Local()),
        (sf.KAnonymity(5) & sf.LDiversity(3), sf.Checked(sf.Mondrian(), DOUBLED)),
        (sf.KEAnonymity(5, 2), sf.Checked(sf.Mondrian(), DOUBLED)),
        (sf.LDiversity(2, "frequency"), sf.Mondrian(look_ahead=True)),
        (sf.AlphaKAnonymity("1/2", 4), sf.Mondrian(look_ahead=True)),
        (sf.KAnonymity(5) & sf.TCloseness("3/10"), sf.Checked(sf.Mondrian(), (40,))),
        (sf.LDiversity(3, "entropy"), sf.Checked(sf.Mondrian(), (24,))),
        (sf.BCFAnonymity(3), sf.Mondrian()),  # which refuses it, and says what goes with it
    ],
    ids=str,
)
def test_it_follows_from_the_promise_alone(promise, method):
    assert default_method(promise) == method


@pytest.mark.parametrize(
    "promise",
    [
        sf.KAnonymity(5) & sf.LDiversity(3),
        sf.KAnonymity(5) & sf.LDiversity(2, "frequency"),
        sf.KAnonymity(5) & sf.LDiversity(3, "entropy"),
    ],
    ids=str,
)
def test_its_own_audit_shows_it_safe(promise):
    patients = sf.read(sf.datasets.patients(), RULES, sensitive="disease")
    release = sf.anonymize(patients, promise)
    assert release.method == default_method(promise)
    assert sf.audit(release).verdict == "safe"


def test_a_job_that_names_none_has_the_same(tmp_path):
    (tmp_path / "job.toml").write_text(JOB + "l_diversity = { l = 3 }\n")
    assert Job.load(tmp_path / "job.toml").method == sf.Checked(
        sf.Mondrian(), doubling(sf.LDiversity(3))
    )
    (tmp_path / "job.toml").write_text(JOB + "k_anonymity = { k = 3 }\n")
    assert Job.load(tmp_path / "job.toml").method == sf.Local()


def test_what_it_cannot_do_is_refused_with_what_to_do():
    patients = sf.read(sf.datasets.patients(), RULES, sensitive="disease")
    with pytest.raises(sf.Unsatisfiable, match=r"name larger ks, .* another method"):
        sf.anonymize(patients, sf.KAnonymity(5) & sf.TCloseness("1/10"))
    with pytest.raises(sf.Unsatisfiable, match="name smaller ks, or another method"):
        sf.anonymize(patients, sf.KAnonymity(2000) & sf.LDiversity(2, "entropy"))
