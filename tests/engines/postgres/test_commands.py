"""The command line and job files, with a table in a database as the source."""

import json
from functools import partial
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.job import Job

JOB = """
source = '{source}'
output = "out"
[columns]
identifiers = ["name"]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = {{ intervals = [5, 10, 20] }}
zip = {{ prefix = true }}
sex = {{ flat = true }}
[[criteria]]
k_anonymity = {{ k = 5 }}
"""
SECRETS = ["hunter2", "hun#ter2", "hun@ter2", "hun/ter2", "hun?ter2", "hun%20ter2"]


def test_a_job_names_a_table(server, tmp_path, patients):
    (tmp_path / "job.toml").write_text(JOB.format(source=server.put(patients)))
    job = Job.load(tmp_path / "job.toml")
    release = sf.anonymize(job.table(), job.criterion, job.method)
    assert release.save(job.output) == tmp_path / "out"


@pytest.mark.engines
def test_a_job_reads_a_table_and_is_audited_against_it(server, tmp_path, patients, sfumato):
    address = server.put(patients, "of_the_job", "clinic")
    (tmp_path / "job.toml").write_text(JOB.format(source=address))
    assert sfumato("anonymize", "job.toml", cwd=tmp_path)[0] == 0
    assert sf.load(tmp_path / "out").check().holds
    code, said = sfumato("check", "job.toml", "--json", cwd=tmp_path)
    assert code == 1, said  # the table as it is
    code, said = sfumato("audit", "job.toml", cwd=tmp_path)
    assert code == 0, said


@pytest.mark.engines
def test_addresses_on_the_command_line(server, tmp_path, patients, sfumato):
    address = server.put(patients, "of_commands", "clinic")
    (tmp_path / "job.toml").write_text(JOB.format(source=address))
    assert sfumato("anonymize", "job.toml", cwd=tmp_path)[0] == 0
    code, said = sfumato("check", address, "-q", "age,zip", "-s", "disease", "--json", cwd=tmp_path)
    assert code == 0, said
    assert json.loads(said)["rows"] == len(patients)
    code, said = sfumato("check", address, cwd=tmp_path)
    assert (code, "quasi-identifier" in said) == (0, True), said
    code, said = sfumato("check", address, "--safe-harbor", cwd=tmp_path)
    assert code in (1, 5), said
    code, said = sfumato("audit", "out", "--original", address, cwd=tmp_path)
    assert code == 0, said
    code, said = sfumato("audit", address, "-q", "age", "-s", "disease", "-k", "5", cwd=tmp_path)
    assert code == 1, said  # nothing was done to it
    code, said = sfumato("init", address, "-o", "proposed.toml", cwd=tmp_path)
    assert code == 0, said
    assert 'output = "of_commands-release"' in (tmp_path / "proposed.toml").read_text()
    code, said = sfumato("check", "proposed.toml", cwd=tmp_path)
    assert code == 1, said


@pytest.mark.engines
def test_a_table_is_an_original_and_a_list_of_people(server, tmp_path, patients):
    address = server.put(patients, "originals")
    rules = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
    table = sf.read(address, rules, "disease", ["name"])
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())
    loaded = sf.load(release.save(tmp_path / "out"))
    by_table, by_frame = (
        sf.audit(loaded, table),
        sf.audit(loaded, sf.read(patients, rules, "disease")),
    )
    assert by_table.to_json(private=True) == by_frame.to_json(private=True)
    assert str(sf.check(table, sf.KAnonymity(2))) == str(
        sf.check(sf.read(patients, rules, "disease"), sf.KAnonymity(2))
    )
    assert sf.audit(loaded, external=address).findings


@pytest.mark.engines
def test_batches_of_a_series_come_from_tables(server, tmp_path, patients, sfumato):
    (tmp_path / "job.toml").write_text(
        JOB.format(source="x")
        .replace("source = 'x'\n", "")
        .replace('output = "out"\n', "")
        .replace('identifiers = ["name"]', 'person = "name"')
    )
    for j, rows in enumerate((patients.slice(0, 1200), patients.slice(1200)), 1):
        address = server.put(rows, f"batch{j}")
        job = ("--job", "job.toml") if j == 1 else ()
        code, said = sfumato("publish", "series", address, *job, cwd=tmp_path)
        assert code == 0, said


@pytest.mark.parametrize("secret", SECRETS)
def test_a_password_is_refused_and_not_repeated(tmp_path, secret, sfumato):
    for address in (
        f"postgresql://ada:{secret}@host/clinic#t",
        f"postgresql:///clinic?password={secret}#t",
        f"postgresql:///clinic?host=x&p%61ssword={secret}#t",
        f"postgresql:///clinic?sslpassword={secret}#t",
        Path(f"postgresql://ada:{secret}@host/clinic#t"),
    ):
        said = []
        for attempt in (
            partial(sf.read, address, ["a"]),
            partial(sf.read, [address, address], ["a"]),
            partial(sf.engines.Postgres, address),
            partial(sf.propose, address),
            partial(sf.safe_harbor, address),
            partial(_load, tmp_path / "job.toml", address),
        ):
            with pytest.raises(sf.BadInput) as refused:
                attempt()
            said.append(str(refused.value))
        assert not any("ter2" in each for each in said), said


def _load(place, address):
    place.write_text(JOB.format(source=address))
    Job.load(place)


@pytest.mark.engines
def test_a_password_on_the_command_line_is_refused_before_anything(tmp_path, sfumato):
    address = "postgresql://ada:hunter2@host/clinic#t"
    for command in (
        ("check", address, "-q", "age"),
        ("audit", "out", f"--original={address}"),
        ("anonymize", address),
        ("publish", "series", address),
        ("nonsense", address),
    ):
        code, said = sfumato(*command, cwd=tmp_path)
        assert code == 2
        assert said.startswith("sfumato: an address with a password in it is refused; put it into")
        assert "hunter2" not in said
        assert list(tmp_path.iterdir()) == []


def test_no_file_is_written_to_an_address(patients, tmp_path, monkeypatch):
    """Nor into a directory that is called like one, with whatever password is in its name."""
    monkeypatch.chdir(tmp_path)
    release = sf.anonymize(sf.read(patients, ["sex"]), sf.KAnonymity(2))
    address = "postgresql://ada:hunter2@host/clinic#t"
    for attempt in (release.save, sf.load, sf.audit(release).save, release.save_recoding):
        expected = "with a password in it is refused|got the address of a database"
        with pytest.raises(sf.BadInput, match=expected) as refused:
            attempt(address)
        assert "hunter2" not in str(refused.value)
        with pytest.raises(sf.BadInput, match="address of a database") as refused:
            attempt(Path("postgresql://host/clinic#t"))
    assert list(tmp_path.iterdir()) == []
