"""The proposal for every bundled table runs to a release after nothing but removing its line."""

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.job import Job

ROLES = {  # as a steward would have them, looked at by one
    "patients.csv": (("name",), ("age", "zip", "sex"), ("disease",)),
    "adult.parquet": (
        (),
        (
            *("age", "workclass", "education", "marital-status", "occupation", "relationship"),
            *("race", "sex", "native-country"),
        ),
        ("salary",),
    ),
    "nursery.csv": ((), ("parents", "children", "housing", "class"), ("health",)),
}


@pytest.fixture
def place(tmp_path):
    (tmp_path / "patients.csv").write_bytes(sf.datasets.patients().read_bytes())
    pq.write_table(sf.datasets.adult(), tmp_path / "adult.parquet")
    pyarrow.csv.write_csv(sf.datasets.nursery(), tmp_path / "nursery.csv")
    return tmp_path


@pytest.mark.long
@pytest.mark.parametrize("name", ROLES)
def test_a_bundled_table_runs_to_a_release(place, name):
    proposal = sf.propose(place / name)
    assert (proposal.identifiers, proposal.quasi_identifiers, proposal.sensitive) == ROLES[name]
    file = proposal.save(place / "job.toml")
    file.write_text(file.read_text().replace("proposed = true\n", "", 1))
    job = Job.load(file)
    release = sf.anonymize(job.table(), job.criterion, job.method)
    release.save(job.output)
    assert sf.load(job.output).check().holds


def test_every_bundled_table_is_among_them():
    tables = [name for name in dir(sf.datasets) if not name.endswith("hierarchies")]
    assert sorted(tables) == sorted(name.partition(".")[0] for name in ROLES)
