"""A file as an office has it goes through init, one line taken out, and an audited release."""

import random
import tomllib

import pytest

import sfumato as sf
from sfumato.job import Job

HEADER = "Nr;Name;Geburtsdatum;Geschlecht;PLZ;Familienstand;Einkommen;Diagnose;Kinder;Kinder"


def office_lines(n=600):
    chance = random.Random(3)
    for j in range(n):
        born = (
            f"{chance.randint(1, 28):02d}.{chance.randint(1, 12):02d}.{chance.randint(1930, 2004)}"
        )
        fields = [
            str(j + 1),
            f"Müller{j}, Eva",
            born,
            chance.choice(["m", "m ", "M", "w", "w"]),
            chance.choice(["80331", "80333", "80335", "81241", "81243"]),
            chance.choice(["ledig", "verheiratet", "geschieden"]),
            f"{chance.randint(1, 6)}.{chance.randint(100, 999)},{chance.randint(0, 99):02d}",
            chance.choice(["J45.1", "E11.9", "I10.0", "F32.1", "k.A."]),
            chance.choice(["", "-99", "1", "2"]),
            chance.choice(["a", "b"]),
        ]
        yield ";".join(fields)


@pytest.fixture
def office(tmp_path):
    lines = ["Auswertung 2026;;;;;;;;;", "", HEADER, *office_lines(), "Summe;;;;;;2.345.678,90;;;"]
    file = tmp_path / "amt.csv"
    file.write_bytes(("\n".join(lines) + "\n").encode("cp1252"))
    return file


@pytest.mark.long
def test_an_office_file_needs_nothing_but_its_line_taken_out(office):
    proposal = sf.propose(office)
    assert proposal.identifiers == ("Nr", "Name")
    assert proposal.sensitive == ("Diagnose",)
    assert set(proposal.quasi_identifiers) == {
        "Geburtsdatum", "Geschlecht", "PLZ", "Familienstand", "Kinder", "Kinder_2",
    }  # fmt: skip
    file = proposal.save(office.parent / "job.toml")
    read = tomllib.loads(file.read_text())["read"]
    assert (read["skip_rows"], read["skip_end"], read["names"]) == (2, 1, "number")
    assert (read["decimal"], read["thousands"]) == (",", ".")
    assert read["missing"] == {"Diagnose": ["k.A."], "Kinder": ["-99"]}
    assert read["alike"] == {"Geschlecht": "merge"}
    file.write_text(file.read_text().replace("proposed = true\n", "", 1))
    job = Job.load(file)
    release = sf.anonymize(job.table(), job.criterion, job.method)
    assert release.check().holds
    assert len(release.groups) > 10
    assert sf.audit(release).verdict == "safe"
