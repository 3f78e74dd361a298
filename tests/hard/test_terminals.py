"""Nothing of a table steers a terminal, and every command works on every standard output."""

import json
import os
import re
import subprocess
import sys

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app

ESCAPE, TURN = "\x1b[31m", "\u202e"
SIZE, SEX, DISEASE = f"größe{ESCAPE}", f"s{TURN}ex", "dis\u2066ease\x9b31m"
DISEASES = [f"flu{ESCAPE}{TURN}", "HIV\x07", "a\u2069b\u2028"]
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
COMMANDS = [
    "anonymize job.toml",
    "anonymize job.toml --json",
    "anonymize job.toml --dry-run",
    "check out",
    "check out --json",
    "check table.csv -q nope --show-values",
    "audit out",
    "audit job.toml --steward",
    "audit job.toml --steward --json",
    "skyline job.toml --steward",
    f"check {ESCAPE}{TURN}.csv",
    f"{ESCAPE}{TURN}",
    f"check out --{ESCAPE}",
]
STRANGE = f"x{ESCAPE}{TURN}"
SERIES = [
    "series status series",
    "series status series --json",
    "series verify series",
    "series verify series --json",
    "series audit series --steward",
    "publish series next.csv --dry-run",
    "publish series next.csv --dry-run --json",
    f"publish series next.csv --to {STRANGE} --columns {STRANGE}",
    f"publish series {STRANGE}.csv",
    "publish series table.csv --show-values",
    f"series withdraw {STRANGE} 1",
]
FORMULAS = [
    *(
        "=1+1",
        "x;=1+1",
        "x;;=1",
        "a\n=1+1",
        "a\r\n@x",
        "＝1+1",
        "；=1",
        "x;＋1",
        "﹣1",
        "'=",
        "x;'=1",
    ),
    *("-5", "x;-5", "", ";", "'", ";'", "''", "\t=1", "plain; text", "1;2"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("terminal")
    rows = [
        f"n{j},{150 + j % 9}{ESCAPE},{'fm'[j % 2]}\u200f,{DISEASES[j % 3]}\n" for j in range(40)
    ]
    (place / "table.csv").write_text(f"name,{SIZE},{SEX},{DISEASE}\n{''.join(rows)}")
    names = ", ".join(map(json.dumps, [SIZE, SEX]))
    (place / "job.toml").write_text(
        f'source = "table.csv"\noutput = "out"\n[columns]\nidentifiers = ["name"]\n'
        f"sensitive = [{json.dumps(DISEASE)}]\nquasi_identifiers = [{names}]\n"
        "[[criteria]]\nk_anonymity = { k = 2 }\n[[criteria]]\nl_diversity = { l = 2 }\n"
    )
    assert CliRunner().invoke(app, ["anonymize", str(place / "job.toml")]).exit_code == 0
    start_series(place)
    return place


def start_series(place):
    """Two releases of a series, of which one is damaged and has a file too many."""
    header = f"id,{SIZE},{SEX},{DISEASE}"
    for name, first in (("first", 0), ("second", 40), ("next", 80)):
        rows = [
            f"P{j}{ESCAPE},{150 + j % 9},{'fm'[j % 2]}\u200f,{DISEASES[j % 3]}"
            for j in range(first, first + 40)
        ]
        (place / f"{name}.csv").write_text("\n".join([header, *rows, ""]))
    (place / "series.toml").write_text(
        f'[columns]\nperson = "id"\nsensitive = [{json.dumps(DISEASE)}]\n'
        f"[columns.quasi_identifiers]\n{json.dumps(SIZE)} = {{ flat = true }}\n"
        f"{json.dumps(SEX)} = {{ flat = true }}\n[[criteria]]\nk_anonymity = {{ k = 5 }}\n"
    )
    series = str(place / "series")
    for more in (["first.csv", "--job", str(place / "series.toml")], ["second.csv"]):
        wanted = ["publish", series, str(place / more[0]), "--rare", "keep", *more[1:]]
        done = CliRunner().invoke(app, wanted)
        assert done.exit_code == 0, done.output
        assert STEERING.findall(done.output) == []
    (place / "series/public/001" / STRANGE).write_text(STRANGE)


@pytest.mark.parametrize("command", [*COMMANDS, *SERIES])
def test_nothing_of_a_table_steers_a_terminal(place, monkeypatch, command, record_property):
    monkeypatch.chdir(place)
    if command.startswith("anonymize") and "--dry-run" not in command:
        text = (place / "job.toml").read_text()
        (place / "other.toml").write_text(text.replace('"out"', f'"out{abs(hash(command))}"'))
        command = command.replace("job.toml", "other.toml")
    result = CliRunner().invoke(app, command.split(" "))
    assert result.exit_code in (0, 1, 2, 5)
    assert STEERING.findall(result.stdout + result.stderr) == []
    if "--json" in command:
        json.loads(result.stdout)
    record_property("commands run before a terminal", 1)


ENCODINGS = ["ascii", "latin-1", "cp1252", "utf-8"]
ALL = [pytest.param(each, marks=pytest.mark.slow) for each in [*COMMANDS[2:9], *SERIES[:7]]]


@pytest.mark.parametrize("command", ["check out", "check out --json", *ALL])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_standard_output_will_do(place, encoding, command, record_property):
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", *command.split()],
        cwd=place,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1, 2, 5), done.stderr
    said = done.stdout.decode(encoding)
    assert STEERING.findall(said) == []
    if "--json" in command:
        json.loads(said)
    record_property("commands run before a terminal", 1)


def test_no_cell_of_a_release_is_a_formula_however_lines_are_parted(tmp_path):
    import pyarrow as pa

    import sfumato as sf

    values = [text for text in FORMULAS for _ in range(2)]
    frame = pa.table({"q": ["x"] * len(values), "text": values})
    table = sf.read(frame, ["q"], insensitive=["text"])
    place = sf.anonymize(table, sf.KAnonymity(2), untouched_identify=True).save(
        tmp_path / "out", "csv"
    )
    written = (place / "data.csv").read_bytes().decode()
    for cell in re.split(r"[;\n\r]", written):  # quotes in the middle of a cell are none
        text = cell.rpartition(",")[2].removeprefix('"')
        for start in (cell, text):
            assert not re.match("[=+@\t＝＋－＠﹦﹢﹣﹫]|-(?!5)", start), cell
    assert sorted(sf.load(place).to_arrow()["text"].to_pylist()) == sorted(values)


@pytest.mark.parametrize("name", ["=x", "x;=1", "＝x", "a\n=x"])
def test_a_name_that_is_a_formula_is_refused(tmp_path, name):
    import pyarrow as pa

    import sfumato as sf

    release = sf.anonymize(sf.read(pa.table({name: [1, 1]}), [name]), sf.KAnonymity(2))
    with pytest.raises(sf.BadInput, match="as a formula; rename the column"):
        release.save(tmp_path / "out", "csv")


def test_no_json_file_holds_what_steers_a_terminal(tmp_path):
    """As `cat` would show them; the texts themselves come back."""
    name, value = f"a{TURN}b\u2028", f"x\u009b31m{TURN}"
    people = pa.table({name: [1, 1, 2, 2], "d": [value, "y"] * 2})
    release = sf.anonymize(sf.read(people, [name], "d"), sf.KAnonymity(2))
    place = release.save(tmp_path / "out", format="parquet")
    sf.audit(release).save(tmp_path / "report" / "private", private=True)
    sf.audit(release).save(tmp_path / "report")
    sf.knowledge_skyline(release).save(tmp_path / "skyline")
    written = [*place.glob("*.json"), *(tmp_path / "report").rglob("*.json")]
    written += (tmp_path / "skyline").glob("*.json")
    assert len(written) >= 4
    texts = {path.name: path.read_text(encoding="utf-8") for path in written}
    for text in texts.values():
        assert STEERING.search(text) is None
        json.loads(text)
    assert name in json.loads(texts["release.json"])["quasi_identifiers"]
    assert name in sf.load(place).to_arrow().column_names
