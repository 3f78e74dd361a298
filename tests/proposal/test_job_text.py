"""The job file of a proposal: TOML, private, never overwritten, and refused until accepted."""

import os
import stat
import tomllib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from profiles import examples
from sfumato.job import Job
from sfumato.proposal.job_text import PRIVATE, job_text


@pytest.fixture
def place(tmp_path):
    (tmp_path / "patients.csv").write_bytes(sf.datasets.patients().read_bytes())
    return tmp_path


def test_the_file_is_private_says_so_first_and_is_not_overwritten(place):
    before = os.umask(0)
    try:
        job = sf.propose(place / "patients.csv").save(place / "job.toml")
    finally:
        os.umask(before)
    assert stat.S_IMODE(job.stat().st_mode) == 0o600
    text = job.read_text()
    assert text.splitlines()[0] == PRIVATE
    with pytest.raises(sf.BadInput, match="exists already and is not overwritten"):
        sf.propose(place / "patients.csv").save(job)
    assert job.read_text() == text


def test_a_proposal_is_no_job_until_its_line_is_taken_out(place):
    job = sf.propose(place / "patients.csv").save(place / "job.toml")
    for load in (Job.load, Job.for_series):
        with pytest.raises(sf.BadInput, match="take out the line proposed = true"):
            load(job)
    assert Job.load(job, undecided=True).table().n_rows == 2000
    job.write_text(job.read_text().replace("proposed = true\n", "", 1))
    accepted = Job.load(job)
    proposal = sf.propose(place / "patients.csv")
    assert (accepted.criterion, accepted.method) == (proposal.criterion, proposal.method)
    assert accepted.table().schema.hierarchies == proposal.accept().schema.hierarchies
    assert accepted.output == place / "patients-release"


def test_without_its_method_an_accepted_proposal_starts_a_series(place):
    job = sf.propose(place / "patients.csv").save(place / "job.toml")
    text = job.read_text().replace("proposed = true\n", "", 1)
    assert 'recipient = ""' in text
    job.write_text(text)
    with pytest.raises(sf.BadInput, match="leave the method out") as caught:
        Job.for_series(job).terms()
    assert "context" not in str(caught.value)
    start, end = text.index("[method]"), text.index("# What columns mean")
    job.write_text(text[:start] + text[end:])
    terms = Job.for_series(job).terms()
    assert terms.method == sf.BCFAnonymizer()
    assert terms.criterion == sf.propose(place / "patients.csv").criterion


def test_a_proposal_for_a_series_starts_one_as_it_is(place):
    proposal = sf.propose(place / "patients.csv")
    text = proposal.save(place / "job.toml", series=True).read_text()
    text = text.replace("proposed = true\n", "", 1)
    assert "[method]" not in text
    (place / "job.toml").write_text(text)
    terms = Job.for_series(place / "job.toml").terms()
    assert (terms.criterion, terms.method) == (proposal.criterion, sf.BCFAnonymizer())
    assert (terms.person, terms.identifiers) == (None, ("name",))
    known = text.replace('# person = "name"', 'person = "name"').replace('    "name",\n', "")
    (place / "job.toml").write_text(known.replace('recipient = ""', 'recipient = "the university"'))
    terms = Job.for_series(place / "job.toml").terms()
    assert (terms.person, terms.identifiers) == ("name", ())
    assert terms.context.public == {"recipient": "the university"}


def test_paths_are_seen_from_the_job_file(place):
    (place / "jobs").mkdir()
    job = sf.propose(place / "patients.csv").save(place / "jobs" / "job.toml")
    assert Job.load(job, undecided=True).table().n_rows == 2000


def test_several_files_are_one_source(place):
    header, *rows = (place / "patients.csv").read_text().splitlines()
    (place / "a.csv").write_text("\n".join([header, *rows[:900]]))
    (place / "b.csv").write_text("\n".join([header, *rows[900:]]))
    job = sf.propose([place / "a.csv", place / "b.csv"]).save(place / "job.toml")
    assert tomllib.loads(job.read_text())["source"] == ["a.csv", "b.csv"]
    assert Job.load(job, undecided=True).table().n_rows == 2000


def test_every_column_has_a_comment_with_its_reason(place):
    text = sf.propose(place / "patients.csv").save(place / "job.toml").read_text()
    assert all(len(line) <= 100 for line in text.splitlines())
    text = " ".join(line.strip("# ") for line in text.splitlines())
    assert "60 postal codes: quasi-identifier" in text
    assert "02177 -> 0217* -> 021** -> 02*** -> 0**** -> *" in text


def test_the_example_of_a_hierarchy_shows_its_ranges(tmp_path):
    ages = [*[95] * 30, *range(20, 90), *[37] * 5]  # most people are past the top
    rows = "".join(f"{age},{'mf'[j % 2]}\n" for j, age in enumerate(ages))
    (tmp_path / "old.csv").write_text(f"age,sex\n{rows}")
    sf.propose(tmp_path / "old.csv").save(tmp_path / "job.toml")
    text = (tmp_path / "job.toml").read_text()
    assert "top = 90" in text
    assert "37 -> [35, 40) -> [30, 40) -> [20, 40) -> *" in text


def test_a_frame_has_no_job_file(tmp_path):
    frame = pa.table({"age": [1, 2, 3]})
    with pytest.raises(sf.BadInput, match=r"data frame; .*proposal.accept\(\)"):
        sf.propose(frame).save(tmp_path / "job.toml")
    assert not (tmp_path / "job.toml").exists()


def test_a_place_that_cannot_be_written_is_named(place):
    with pytest.raises(sf.BadInput, match="cannot write: no such file or directory"):
        sf.propose(place / "patients.csv").save(place / "none" / "job.toml")


odd = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
)


@examples(60)
@given(names=st.lists(odd, min_size=1, max_size=4, unique_by=str.casefold), value=odd)
def test_no_name_and_no_value_breaks_the_file(tmp_path_factory, names, value):
    place = tmp_path_factory.mktemp("odd")
    columns = {name: [f"{value}{j % 3}" for j in range(40)] for name in names}
    columns["age"] = [j % 7 for j in range(40)]
    pq.write_table(pa.table(columns), place / "table.parquet")
    try:
        proposal = sf.propose(place / "table.parquet")
    except sf.BadInput:  # names that no source may have
        return
    text = job_text(proposal, [place / "table.parquet"], place / "job.toml")
    written = tomllib.loads(text)["columns"]
    assert tuple(written["quasi_identifiers"]) == proposal.quasi_identifiers
    assert tuple(written["identifiers"]) == proposal.identifiers
    assert tuple(written["sensitive"]) == proposal.sensitive
