"""Canaries in every column that must not sing: no byte of a release holds an original value."""

import json
import random
import re
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf

N = 300


class Planted:
    """A table with a marked text and a marked number in every row and column."""

    def __init__(self) -> None:
        draw = random.Random(20261115)
        self.canaries: list[str] = []

        def texts() -> list[str]:
            return [self._sing(f"CANARY{draw.getrandbits(48):012x}") for _ in range(N)]

        def numbers() -> list[int]:
            return [int(self._sing(str(draw.randrange(10**11, 10**12)))) for _ in range(N)]

        self.table = pa.table(
            {
                "name": texts(),  # identifier
                "ward": texts(),  # no role
                "phone": numbers(),  # no role
                "job": texts(),  # generalized: open text
                "income": numbers(),  # generalized: open numbers
                "zip": [f"{j % 7}{v}" for j, v in enumerate(texts())],  # generalized: prefixes
                "age": [20 + j % 5 for j in range(N - 1)] + [99],  # one person to be suppressed
                "disease": ["flu", "asthma", "none"] * (N // 3),
                "note": ["ok"] * (N - 1) + [self._sing("CANARY-of-the-suppressed")],
            }
        )

    def _sing(self, canary: str) -> str:
        self.canaries.append(canary)
        return canary

    def heard_in(self, data: bytes) -> list[str]:
        return [canary for canary in self.canaries if canary.encode() in data]


@pytest.fixture(scope="module")
def planted() -> Planted:
    return Planted()


def release(planted: Planted, method: sf.Mondrian | sf.Samarati) -> sf.Release:
    table = sf.read(
        planted.table,
        {
            "job": sf.Flat(),
            "income": sf.Intervals(10**10, 10**11),
            "zip": sf.Prefix(),
            "age": sf.Flat(),
        },
        sensitive="disease",
        identifiers=["name"],
        insensitive=["note"] if isinstance(method, sf.Samarati) else [],
    )
    return sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(2), method)


METHODS = [
    sf.Mondrian(),
    sf.Mondrian(strict=False),
    sf.Samarati(1),
    sf.Optimal("loss", 1),
]


def test_the_canaries_can_be_heard_at_all(planted, tmp_path):
    pq.write_table(planted.table, tmp_path / "raw.parquet", compression="none")
    heard = planted.heard_in((tmp_path / "raw.parquet").read_bytes())
    assert len([canary for canary in heard if canary.startswith("CANARY")]) > 3 * N


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_no_byte_of_a_saved_release_holds_a_canary(planted, tmp_path, method, kind):
    made = release(planted, method)
    place = made.save(tmp_path / "out", format=kind)
    for path in place.iterdir():
        assert planted.heard_in(path.read_bytes()) == [], path.name
    rows = json.dumps(made.to_arrow().to_pylist()).encode()  # Parquet pages are compressed
    assert planted.heard_in(rows) == []
    assert planted.heard_in(json.dumps(made.summary().to_json()).encode()) == []
    assert planted.heard_in((repr(made) + str(made.summary()) + repr(made.check())).encode()) == []


def test_no_message_and_no_json_of_the_command_line_holds_a_canary(planted, tmp_path):
    pq.write_table(planted.table, tmp_path / "people.parquet")
    job = """
source = "people.parquet"
output = "out"
[columns]
identifiers = ["name"]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = { flat = true }
income = { intervals = [10000000000] }
[[criteria]]
k_anonymity = { k = 5 }
"""
    (tmp_path / "good.toml").write_text(job)
    wrong = {
        "interval": job.replace(
            "[columns.quasi_identifiers]", "[columns.quasi_identifiers]\nzip = { intervals = [5] }"
        ),
        "dates": job.replace(
            "[columns.quasi_identifiers]", "[columns.quasi_identifiers]\njob = { dates = true }"
        ),
        "tree": job.replace("age = { flat = true }", 'ward = { tree = ["a", "b"] }'),
        "person": job.replace('identifiers = ["name"]', 'person = "disease"').replace(
            'sensitive = ["disease"]', ""
        ),
        "k": job.replace("k = 5", "k = 5000"),
    }
    for name, text in wrong.items():
        (tmp_path / f"{name}.toml").write_text(text)
    codes = {}
    for name in ["good", *wrong]:
        command = [sys.executable, "-m", "sfumato", "anonymize", f"{name}.toml", "--json"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert planted.heard_in(done.stdout + done.stderr) == [], name
        codes[name] = done.returncode
    assert codes == {"good": 0, "interval": 2, "dates": 2, "tree": 2, "person": 2, "k": 3}


def test_nothing_is_left_in_the_temporary_place(planted, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    code = """
import sys
import pyarrow.parquet as pq
import sfumato as sf
table = sf.read(pq.ParquetFile(sys.argv[1]).read().to_reader(), ["job", "age"], "disease")
print(sf.anonymize(table, sf.KAnonymity(5)).check())
"""
    pq.write_table(planted.table, tmp_path / "people.parquet")
    command = [sys.executable, "-c", code, str(tmp_path / "people.parquet")]
    done = subprocess.run(command, capture_output=True, check=True)
    assert planted.heard_in(done.stdout + done.stderr) == []
    left = [p for p in tmp_path.rglob("*") if p.is_file() and p.name != "people.parquet"]
    assert left == []


def test_numbers_of_twelve_digits_in_a_release_are_bounds_and_nobodys_own(planted):
    rows = release(planted, sf.Mondrian()).to_arrow()["income"].to_pylist()
    shown = {number for label in rows for number in re.findall(r"\d{12}", label)}
    own = set(map(str, planted.table["income"].to_pylist()))
    assert shown
    assert not shown & own
