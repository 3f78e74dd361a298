"""Every bad input of the design's list, end to end.

One line that says what is wrong and where, the right exit code, nothing written, no traceback, and
no value of the data unless it is asked for or a terminal shows it.
"""

import math
import os
import pty
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app

TRIED = "bad inputs tried"
CANARY = "K4nary"
MEGABYTE = 1 << 20
MANY = b"30,m,flu,x\n40,f,HIV,y\n" * 60_000  # beyond what is read for the header

JOB = """
source = "people.csv"
output = "out/deep/q1"
[columns]
sensitive = ["disease"]
insensitive = ["note"]
[columns.quasi_identifiers]
age = { flat = true }
sex = { flat = true }
[[criteria]]
k_anonymity = { k = 2 }
[method]
mondrian = {}
"""
PEOPLE = b"age,sex,disease,note\n" + b"30,m,flu,x\n40,f,HIV,y\n" * 3


class Steward:
    """Somebody at a command line, who sees what is refused."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.tried = 0

    def write(self, name: str, data: bytes | str) -> Path:
        path = self.place / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def job(self, *changes: tuple[str, str]) -> Path:
        text = JOB
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        return self.write("job.toml", text)

    def run(self, *arguments: object):
        return CliRunner().invoke(app, [str(each) for each in arguments])

    def refused(self, *arguments: object, code: int = 2, shows: str | None = None) -> str:
        """Run it, and once more with --show-values; give the line it is refused with."""
        self.tried += 1
        before = files(self.place)
        result = self.run(*arguments)
        open_result = self.run(*arguments, "--show-values")
        assert files(self.place) == before
        for each in (result, open_result):
            assert each.exit_code == code, each.stderr
            assert each.stdout == ""
            one_line(each.stderr)
        assert CANARY not in result.stderr
        if shows is not None:
            assert shows in open_result.stderr
        return result.stderr.removeprefix("sfumato: ").rstrip("\n")


def one_line(text: str) -> None:
    assert text.startswith("sfumato: ")
    assert text.endswith("\n")
    assert text.count("\n") == 1
    assert "Traceback" not in text
    assert "internal error" not in text
    assert len(text) < 5000


def files(place: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.lstat().st_size) for path in place.rglob("*"))


@pytest.fixture
def steward(tmp_path) -> Steward:
    someone = Steward(tmp_path)
    someone.write("people.csv", PEOPLE)
    someone.write("sex.csv", "m;person\nf;person\n")
    someone.job()
    return someone


# ------------------------------------------------------------------------------------ CSV files

CSV_FILES = {
    "empty": (b"", "the file is empty; expected a line with the column names"),
    "byte order mark": (b"\xef\xbb\xbf", "the file is empty"),
    "blank lines": (b"\r\n\r\n\n", "the file is empty"),
    "header only": (b"age,sex,disease,note\n", "no rows"),
    "header without end": (b"age,sex,disease,note", "no rows"),
    "two names": (b"age,sex,disease,note,age\nC,m,flu,x,2\n", "1 and 5 have the same name;"),
    "two cases": (b"age,sex,disease,note,Age\nC,m,flu,x,2\n", "1 and 5 have the same name but"),
    "broken name": (
        b'"a\nb",' + PEOPLE.replace(b"\n", b"\r\n"),
        "name holds a line break of another kind",
    ),
    "no name": (b"age,sex,,disease,note\nC,m,1,flu,x\n", "line 1: column 3 has no name"),
    "short line": (PEOPLE + b"C,m,flu\n", "line 8: 3 fields where the header has 4"),
    "long line": (PEOPLE + b"C,m,flu,x,y\n", "line 8: 5 fields where the header has 4"),
    "last line short": (PEOPLE + b"C", "line 8: 1 fields where the header has 4"),
    "colons": (PEOPLE.replace(b",", b":"), "is it delimited by , ; | or tab?"),
    "blanks": (PEOPLE.replace(b",", b" "), "is it delimited by , ; | or tab?"),
    "no header": (PEOPLE.split(b"\n", 1)[1], "unknown column 'age'; are the names of"),
    "latin-1": (
        PEOPLE + b"30,C\xe9,flu,x\n",
        "line 8: not UTF-8 text; it reads as Windows-1252: add",
    ),
    "latin-1 name": (PEOPLE.replace(b"note", b"not\xe9"), "line 1: not UTF-8 text"),
    "latin-1 far down": (PEOPLE + MANY + b"C\xe9,m,flu,x\n", "line 120008: not UTF-8 text"),
    "utf-16": (PEOPLE.decode().encode("utf-16"), "line 1: not UTF-8 text"),
    "open quote": (PEOPLE + b'"C,m,flu,x\n', "a quoted field does not end"),
    "10 MB cell": (PEOPLE + b"C" + b"x" * 10 * MEGABYTE + b",m,flu,x\n" * 2, "line is too long"),
    "10 MB last": (PEOPLE + b"C" + b"x" * 10 * MEGABYTE + b",m,flu,x\n", "the line is too long"),
    "40 MB last": (PEOPLE + b"C" + b"x" * 40 * MEGABYTE + b",m,flu,x\n", "the line is too long"),
    "10 MB quoted": (PEOPLE + b'"C' + b"\n" * 10 * MEGABYTE + b'",m,flu,x\n', "too long"),
    "10 MB name": (b"C" + b"x" * 10 * MEGABYTE + PEOPLE, "line 1: cannot read the column names"),
    "gzip": (b"\x1f\x8b\x08\0" + PEOPLE, "the gzip file is damaged, or cut off"),
    "not a table": (bytes(range(255, 0, -1)), "line 1: not UTF-8 text"),
    "damaged parquet": (b"PAR1" + PEOPLE, "the Parquet file is damaged"),
}


@pytest.mark.parametrize("case", CSV_FILES)
def test_a_bad_table_is_refused_by_every_command(steward, record_property, case):
    data, message = CSV_FILES[case]
    steward.write("people.csv", data.replace(b"C", CANARY.encode()))
    source = steward.place / "people.csv"
    assert message in steward.refused("anonymize", steward.place / "job.toml")
    assert message in steward.refused("check", steward.place / "job.toml")
    assert message in steward.refused("check", source, "-q", "age,sex", "-s", "disease")
    record_property(TRIED, steward.tried)


def test_bad_bytes_that_only_writing_meets_leave_no_directory_behind(steward, record_property):
    data = PEOPLE + MANY + b"30,m,flu," + CANARY.encode() + b"\xff\n"
    steward.write("people.csv", data)
    assert "line 120008: not UTF-8 text" in steward.refused("anonymize", steward.place / "job.toml")
    record_property(TRIED, steward.tried)


def test_a_table_too_small_for_the_promise_is_impossible_or_unsafe(steward, record_property):
    for rows in (1, 2, 6):
        steward.write("people.csv", b"".join(PEOPLE.splitlines(keepends=True)[: rows + 1]))
        job = steward.job(("k = 2", f"k = {rows + 1}"))
        message = steward.refused("anonymize", job, code=3)
        assert f"KAnonymity(k={rows + 1}) reaches {rows}" in message
        result = steward.run("check", steward.place / "people.csv", "-q", "age", "-k", rows + 1)
        assert (result.exit_code, result.stderr) == (1, "")
    record_property(TRIED, steward.tried)


FIVE_EACH = PEOPLE + b"30,m,flu,x\n40,f,HIV,y\n" * 2  # a text that fewer have is not named
GOOD = {
    "one row": (b"age,sex,disease,note\n30,m,flu,x\n", 1),
    "nul bytes": (FIVE_EACH.replace(b"30", b"3\0"), 2),
    "missing and empty": (FIVE_EACH.replace(b"30", b"").replace(b"40", b'""'), 2),
    "beyond 64 bits": (FIVE_EACH.replace(b"30", b"9" * 30).replace(b"40", b"-" + b"9" * 40), 2),
    "100 kB cells": (FIVE_EACH.replace(b"30", b"x" * 100_000), 2),
    "line ends": (FIVE_EACH.replace(b"\n", b"\r\n"), 2),
    "byte order mark": (b"\xef\xbb\xbf" + FIVE_EACH, 2),
    "tabs": (FIVE_EACH.replace(b",", b"\t"), 2),
}


@pytest.mark.parametrize("case", GOOD)
def test_what_only_looks_bad_is_published_as_it_is(steward, record_property, case):
    data, k = GOOD[case]
    steward.write("people.csv", data)
    changes = [("k = 2", f"k = {k}"), ("mondrian = {}", 'mondrian = { bounds = "tight" }')]
    job = steward.job(*changes, ("[columns]", "untouched_identify = true\n[columns]"))
    result = steward.run("anonymize", job, "--no-audit")
    assert (result.exit_code, result.stderr) == (0, "")
    loaded = sf.load(steward.place / "out" / "deep" / "q1")
    assert loaded.check()
    published = (
        sf.read(loaded.written.files.path("data"), ["age"]).frequencies().domains["age"].labels
    )
    assert set(published) == set(sf.read(job.parent / "people.csv", ["age"]).domains["age"].labels)
    record_property(TRIED, 1)


# ----------------------------------------------------------------------- values, roles and names

HIERARCHY = "age = { flat = true }"
BAD_VALUES = {
    "no number": ("age = { intervals = [5] }", "1 distinct values are not numbers"),
    "no date": ("age = { dates = true }", "3 distinct values are not dates; write them as"),
    "not in the tree": ("age = { tree = ['30', '40'] }", "1 distinct values are missing from its"),
    "not in the table": ("age = { csv = 'age.csv' }", "1 distinct values are missing from its"),
}


@pytest.mark.parametrize("case", BAD_VALUES)
def test_a_value_that_does_not_fit_is_named_only_when_asked_for(steward, record_property, case):
    rule, message = BAD_VALUES[case]
    steward.write("people.csv", PEOPLE + CANARY.encode() + b",m,flu,x\n")
    steward.write("age.csv", "30;*\n40;*\n")
    told = steward.refused("anonymize", steward.job((HIERARCHY, rule)), shows=CANARY)
    assert told.startswith(f"column 'age': {message}")
    record_property(TRIED, steward.tried)


@pytest.mark.parametrize("day", ["2026-02-30", "15.11.2026", "2026-13-01", "26-1-1", "0000-00-00"])
def test_a_date_that_does_not_parse_is_refused(steward, record_property, day):
    steward.write("people.csv", PEOPLE.replace(b"30", b"2026-11-15").replace(b"40", day.encode()))
    job = steward.job((HIERARCHY, "age = { dates = true }"))
    told = steward.refused("anonymize", job, shows=day)
    said = "column 'age': 1 distinct values are not dates; write them as YYYY-MM-DD"
    assert told.startswith(said)
    assert told.endswith(" (--show-values shows the values)")
    record_property(TRIED, steward.tried)


ROLES = [
    ('"disease"', '"diseese"', "sensitive: unknown column 'diseese'; did you mean 'disease'?"),
    ('"note"', '"Note"', "insensitive: unknown column 'Note'; did you mean 'note'?"),
    ("age = {", "aeg = {", "quasi_identifiers: unknown column 'aeg'; did you mean 'age'?"),
    ("[columns]", "[columns]\nperson = 'nota'", "person: unknown column 'nota'; did you mean"),
    ("[columns]", "[columns]\nidentifiers = ['nam']", "identifiers: unknown column 'nam'; are"),
    ("[columns]", "[columns]\nidentifiers = ['']", "identifiers: unknown column ''; are the"),
    ("[columns]", "[columns]\nidentifiers = ['note']", "'note' stands in both identifiers and ins"),
    ("[columns]", "[columns]\nperson = 'note'", "'note' stands in both insensitive and person"),
    ('["note"]', '["age"]', "'age' stands in both quasi_identifiers and insensitive; give it one"),
    ('["note"]', '["note", "note"]', "'note' stands in insensitive twice; give it one role"),
    ('insensitive = ["note"]', "person = 'note'", "have any number of values by 'note'"),
    ('insensitive = ["note"]', "person = 'sick'", "person: unknown column 'sick'; are the nam"),
    ("[[crit", "[columns.hierarchies]\nage = { flat = true }\n[[crit", "'age' is given two hier"),
    (
        "[[crit",
        "[columns.hierarchies]\nnote = { flat = true }\n[[crit",
        "'note' is neither a quasi",
    ),
    ("[[crit", "[columns.hierarchies]\ndisaese = { flat = true }\n[[crit", "mean 'disease'?"),
    ("k_anonymity = { k = 2 }", "l_diversity = { l = 2, attribute = 'age' }", "'age' is not sens"),
    ("k_anonymity = { k = 2 }", "l_diversity = { l = 2, attribute = 'desease' }", "'disease'?"),
    ("k_anonymity = { k = 2 }", "ke_anonymity = { k = 2, e = 1 }", "does not hold numbers alone"),
    (
        "k_anonymity = { k = 2 }",
        "t_closeness = { t = 1, distance = 'hierarchical' }",
        "has no tree",
    ),
    (
        "k_anonymity = { k = 2 }",
        "l_diversity = { l = 2, kind = 'frequency', values = ['HVI'] }",
        "nobody has 'HVI' in column 'disease'",
    ),
]


def test_a_wrong_role_or_name_suggests_the_right_one(steward, record_property):
    for old, new, message in ROLES:
        assert message in steward.refused("anonymize", steward.job((old, new)))
    record_property(TRIED, steward.tried)


def test_a_person_without_a_name_is_counted(steward, record_property):
    steward.write("people.csv", PEOPLE.replace(b",x", b",", 1))
    job = steward.job(('insensitive = ["note"]', "person = 'note'"))
    assert steward.refused("anonymize", job) == "person: column 'note' is missing in 1 row"
    record_property(TRIED, steward.tried)


# ---------------------------------------------------------------------------- places on the disk


def test_a_place_that_is_no_file_is_refused(steward, record_property):
    place = steward.place
    (place / "folder").mkdir()
    (place / "loop.csv").symlink_to(place / "loop.csv")
    os.mkfifo(place / "pipe.csv")
    source = 'source = "people.csv"'
    sex = "sex = { flat = true }"
    mondrian = "mondrian = {}"
    for changes, message in [
        ((source, 'source = "folder"'), "folder: is a directory; give a CSV or Parquet file"),
        ((source, 'source = ""'), "is a directory"),
        ((source, 'source = "nowhere.csv"'), "nowhere.csv: cannot read: no such file"),
        ((source, 'source = "loop.csv"'), "loop.csv: cannot read"),
        ((source, 'source = "pipe.csv"'), "pipe.csv: is not a regular file"),
        ((source, 'source = "people.csv/x"'), "not a directory"),
        ((source, 'source = "a\\u0000b"'), "expected the path of a file"),
        ((source, f'source = "{"x" * 300}"'), "file name too long"),
        ((source, 'source = "people.parquet"'), "people.parquet: cannot read: no such file"),
        ((sex, 'sex = { csv = "folder" }'), "folder: cannot read the hierarchy: is a directory"),
        ((sex, 'sex = { csv = "no.csv" }'), "no.csv: cannot read the hierarchy: no such file"),
        ((sex, 'sex = { csv = "\\u0000" }'), "sex.csv: expected the path of a file"),
        ((sex, "sex = { csv = 5 }"), "columns.quasi_identifiers.sex.csv: expected the path of a"),
        ((mondrian, 'recode = { file = "folder" }'), "cannot read the recoding: is a directory"),
        ((mondrian, 'recode = { file = "no.json" }'), "cannot read the recoding: no such file"),
        ((mondrian, "recode = { file = 5 }"), "method.recode.file: expected the path of a file"),
        ((mondrian, 'recode = { file = "people.csv" }'), "people.csv: damaged; not JSON"),
        (('output = "out/deep/q1"', 'output = "folder/../people.csv"'), "exists already"),
        (('output = "out/deep/q1"', 'output = "people.csv/q1"'), "people.csv/q1: cannot write"),
        (('output = "out/deep/q1"', 'output = ""'), "exists already; a release is never"),
        (('output = "out/deep/q1"', 'output = "out/\\u0000"'), "output: expected the path of"),
        (('output = "out/deep/q1"', f'output = "out/{"x" * 300}"'), "file name too long"),
    ]:
        assert message in steward.refused("anonymize", steward.job(changes))
    for arguments, message in [
        (["check", place / "folder"], "folder: a directory, but no saved release"),
        (["check", place / "nowhere.csv"], "nowhere.csv: cannot read: no such file or directory"),
        (["check", place / ("x" * 300)], "file name too long"),
        (["check", place / "loop.csv"], "too many levels of symbolic links"),
        (["check", place / "pipe.csv", "-q", "age"], "is not a regular file"),
        (["check", place / "people.csv" / "x"], "not a directory"),
        (["check", place / "a\nb.csv"], "a\\nb.csv: cannot read: no such file or directory"),
        (["anonymize", place / "folder"], "cannot read the job: is a directory"),
        (["anonymize", place / "nowhere.toml"], "cannot read the job: no such file or directory"),
        (["anonymize", place / "people.csv"], "people.csv: not TOML"),
    ]:
        assert message in steward.refused(*arguments)
    record_property(TRIED, steward.tried)


AS_NOBODY = """
import encodings.utf_8_sig, os, sys
import sfumato.cli.app, sfumato.cli.drawing, sfumato.series, sfumato.job, sfumato.papers
import pandas, sfumato.engines.duckdb
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
os.umask(0)
from sfumato.cli import main
main()
"""


def test_a_file_without_permission_is_named(record_property):
    tried = 0
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        place.chmod(0o755)  # others may look, not write
        steward = Steward(place)
        (place / "tmp").mkdir()
        (place / "tmp").chmod(0o777)
        (place / "closed").mkdir()
        for name in ("people.csv", "closed/people.csv"):
            steward.write(name, PEOPLE)
        steward.write("sex.csv", "m;*\nf;*\n")
        job = steward.job(("sex = { flat = true }", 'sex = { csv = "sex.csv" }'))
        (place / "closed").chmod(0)

        def told(*arguments: object) -> str:
            nonlocal tried
            tried += 1
            before = files(place)
            command = [sys.executable, "-c", AS_NOBODY, *map(str, arguments)]
            environment = {**os.environ, "TMPDIR": str(place / "tmp")}
            found = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False, cwd="/"
            )
            assert found.returncode == 2, found.stderr
            assert found.stdout == ""
            one_line(found.stderr)
            left = [each for each in files(place) if "/tmp/sfumato-" not in each[0]]
            assert left == [each for each in before if "/tmp/sfumato-" not in each[0]]
            return found.stderr

        assert "out/deep/q1: cannot write: permission denied" in told("anonymize", job)
        hidden = place / "closed" / "people.csv"
        assert "people.csv: cannot read: permission denied" in told("check", hidden, "-q", "age")
        for name, message in [
            ("people.csv", "people.csv: cannot read: permission denied"),
            ("sex.csv", "sex.csv: cannot read the hierarchy: permission denied"),
            ("job.toml", "job.toml: cannot read the job"),
        ]:
            (place / name).chmod(0)
            assert message in told("anonymize", job)
        (place / "closed").chmod(0o700)
    record_property(TRIED, tried)


def process(*arguments: object, **options):
    """Run the command line as a process of its own."""
    command = [sys.executable, "-m", "sfumato", *map(os.fsencode, map(str, arguments))]
    return subprocess.run(command, check=False, **options)


def test_values_are_shown_on_a_terminal_and_not_in_a_pipe(steward, record_property):
    steward.write("people.csv", PEOPLE + f"{CANARY},m,flu,x\n".encode())
    job = steward.job((HIERARCHY, "age = { intervals = [5] }"))
    piped = process("anonymize", job, capture_output=True)
    assert piped.returncode == 2
    one_line(piped.stderr.decode())
    assert CANARY.encode() not in piped.stderr
    master, terminal = pty.openpty()
    shown = process("anonymize", job, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    seen = os.read(master, 65536).decode()
    os.close(master)
    assert shown.returncode == 2
    assert f"(values: '{CANARY}')" in seen
    assert seen.count("sfumato: ") == 1
    record_property(TRIED, 2)


def test_a_name_that_is_not_utf_8_is_refused(steward, record_property):
    path = os.fsencode(steward.place) + b"/\xff.csv"
    Path(os.fsdecode(path)).write_bytes(PEOPLE)
    found = process("check", os.fsdecode(path), "-q", "age", capture_output=True)
    assert found.returncode == 2
    one_line(found.stderr.decode())
    assert b"the name of the file is not UTF-8 text; rename it" in found.stderr
    record_property(TRIED, 1)


# ------------------------------------------------------------------------- wrong use of commands

WRONG_USE = [
    (["anonymise", "job.toml"], "No such command 'anonymise'. Did you mean 'anonymize'?"),
    (["anonymize"], "Missing argument 'job'"),
    (["anonymize", "job.toml", "more"], "unexpected extra argument"),
    (
        ["anonymize", "job.toml", "--dryrun"],
        "No such option: --dryrun (Possible options: --dry-run",
    ),
    (["check"], "Missing argument 'source'"),
    (["check", "people.csv", "-k", "5"], "say which columns others may know"),
    (["check", "people.csv", "-q"], "requires an argument"),
    (["check", "people.csv", "-q", ""], "name at least one column that others may know"),
    (["check", "people.csv", "-q", "age,"], "unknown column ''"),
    (["check", "people.csv", "-q", "age,age"], "stands in quasi_identifiers twice"),
    (["check", "people.csv", "-q", "age", "-s", "age"], "stands in both"),
    (["check", "people.csv", "-q", "age", "-s", "zip"], "unknown column 'zip'; are the names of"),
    (["check", "people.csv", "-q", "age", "-k", "two"], "Invalid value for '-k'"),
    (
        ["check", "people.csv", "-q", "age", "-k", "0"],
        "KAnonymity: k must be an integer >= 1, got 0",
    ),
    (["check", "people.csv", "-q", "age", "-k", "-3"], "must be an integer >= 1, got -3"),
    (["check", "people.csv", "-q", "age", "-s", "sex", "-l", "x"], "l must be a number >= 1"),
    (["check", "people.csv", "-q", "age", "-s", "sex", "-l", "nan"], "l must be a number >= 1"),
    (["check", "people.csv", "-q", "age", "-s", "sex", "-l", "1e999999999"], "must be a number"),
    (["check", "people.csv", "-q", "age", "-s", "sex", "-l", "1/0"], "l must be a number >= 1"),
    (["check", "people.csv", "-q", "age", "-s", "sex", "-l", "1.5"], "must be an integer for dist"),
    (["check", "people.csv", "-q", "age", "-l", "2"], "no sensitive column; name one"),
    (["check", "people.csv", "-q", "age", "-s", "sex", "-l", "2", "--kind", "x"], "must be one of"),
    (["check", "people.csv", "-q", "age", "--kind", "entropy"], "give -l with it"),
    (["check", "--jsn", "people.csv"], "No such option: --jsn"),
    (["demo", "extra"], "unexpected extra argument"),
    (["demo", "--output"], "requires an argument"),
    (["demo", "--output", "people.csv"], "exists already; a release is never overwritten"),
    (["--verison"], "No such option: --verison"),
]


def test_wrong_use_gets_one_line(steward, record_property, monkeypatch):
    monkeypatch.chdir(steward.place)
    before = files(steward.place)
    for arguments, message in WRONG_USE:
        result = steward.run(*arguments)
        assert result.exit_code == 2, arguments
        assert result.stdout == ""
        one_line(result.stderr)
        assert message in result.stderr
    assert files(steward.place) == before
    record_property(TRIED, len(WRONG_USE))


# ------------------------------------------------------------------------------------ job files

KEY = "k_anonymity = { k = 2 }"
METHOD = "mondrian = {}"
WRONG_JOBS = [
    # the file itself
    (JOB, "", "the key 'source' is missing"),
    (JOB, "\0", "not TOML"),
    (JOB, "source = ", "not TOML: Invalid value (at end of document)"),
    (JOB, "x" * MEGABYTE, "not TOML"),
    (JOB, "x = " + "[" * 100_000, "not TOML: nested too deep"),
    (JOB, "x = " + "9" * 5000, "not TOML: a number is too long"),
    (JOB, "x = 2026-02-30", "not TOML"),
    ("[columns]", "[columns", "not TOML: "),
    ('source = "people.csv"', 'source = "people.csv"\nsource = "b.csv"', "not TOML: Cannot overwr"),
    # keys
    ("source =", "sorce =", "unknown key 'sorce'; did you mean 'source'?"),
    ("output =", "outptu =", "unknown key 'outptu'; did you mean 'output'?"),
    ("[columns]", "[colums]", "unknown key 'colums'; did you mean 'columns'?"),
    ("sensitive =", "sensitve =", "unknown key 'columns.sensitve'; did you mean 'sensitive'?"),
    ("[columns.quasi_identifiers]", "[columns.quasi_identifier]", "mean 'quasi_identifiers'?"),
    ("[[criteria]]\nk_anonymity = { k = 2 }", "", "the key 'criteria' is missing"),
    ("[method]", "[methode]", "unknown key 'methode'; did you mean 'method'?"),
    ("source =", '"a\\nb" = 1\nsource =', "unknown key 'a\\nb'"),
    # types
    ('source = "people.csv"', "source = 5", "source: input should be a valid string"),
    ('source = "people.csv"', "source = [5]", "source: input should be a valid string"),
    ('output = "out/deep/q1"', "output = true", "output: input should be a valid string"),
    ('output = "out/deep/q1"', 'output = "o"\nformat = "xlsx"', "format: input should be 'csv'"),
    ('output = "out/deep/q1"', 'output = "o"\nformat = 5', "format: input should be 'csv' or"),
    ('sensitive = ["disease"]', "sensitive = 5", "columns.sensitive"),
    ('sensitive = ["disease"]', "sensitive = [5]", "columns.sensitive"),
    (
        'insensitive = ["note"]',
        "insensitive = 'note'",
        'columns.insensitive: must be a list of columns, such as ["note"]',
    ),
    ("[[criteria]]", "[criteria]\na = 1\n[criteria]", "with two brackets"),
    ('insensitive = ["note"]', "person = ['note']", "columns.person: input should be a valid st"),
    (
        'insensitive = ["note"]',
        "identifiers = { note = true }",
        "columns.identifiers: must be a li",
    ),
    ("[columns.quasi_identifiers]", "[x]", "unknown key 'x'; known are 'source'"),
    ("[[criteria]]", "[criteria]", "criteria: write [[criteria]] above each of them"),
    (
        JOB,
        "criteria = []" + JOB.replace("[[criteria]]\nk_anonymity = { k = 2 }", ""),
        "criteria: li",
    ),
    (
        "[method]\nmondrian = {}",
        "[[method]]\nmondrian = {}",
        "method: input should be a valid dict",
    ),
    # hierarchies
    (HIERARCHY, "age = 5", "columns.quasi_identifiers.age: input should be a valid dictionary"),
    (HIERARCHY, "age = {}", "columns.quasi_identifiers.age: give one hierarchy out of"),
    (HIERARCHY, "age = { falt = true }", "unknown hierarchy 'falt'; did you mean 'flat'?"),
    (HIERARCHY, "age = { flat = false }", "write flat = true, or a table of ordered, got F"),
    (HIERARCHY, "age = { flat = 1 }", "write flat = true, or a table of ordered, got 1"),
    (HIERARCHY, "age = { flat = true, prefix = true }", "give one hierarchy out of"),
    (HIERARCHY, "age = { intervals = 'x' }", "Intervals: a width must be a number > 0, got 'x'"),
    (HIERARCHY, "age = { intervals = ['5'] }", "Intervals: a width must be a number > 0, got '5'"),
    (HIERARCHY, "age = { intervals = [0] }", "Intervals: a width must be a number > 0, got 0"),
    (HIERARCHY, "age = { intervals = [-5] }", "Intervals: a width must be a number > 0, got -5"),
    (HIERARCHY, "age = { intervals = [nan] }", "Intervals: a width must be a number > 0, got nan"),
    (HIERARCHY, "age = { intervals = [inf] }", "Intervals: a width must be a number > 0, got inf"),
    (HIERARCHY, "age = { intervals = [true] }", "Intervals: a width must be a number > 0, got Tr"),
    (HIERARCHY, "age = { intervals = [5, 7] }", "widths must nest"),
    (HIERARCHY, "age = { intervals = [10, 5] }", "widths must nest"),
    (HIERARCHY, "age = { intervals = [5, 5] }", "widths must nest"),
    (HIERARCHY, f"age = {{ intervals = [0x{'f' * 5000}] }}", "got what cannot be written (int)"),
    (HIERARCHY, "age = { tree = 5 }", "Tree: a node holds a dict or a list of leaves, got 5"),
    (HIERARCHY, "age = { tree = [] }", "Tree: no leaves"),
    (HIERARCHY, "age = { tree = {} }", "Tree: no leaves"),
    (HIERARCHY, "age = { tree = { a = 5 } }", "Tree: a node holds a dict or a list"),
    (HIERARCHY, "age = { tree = ['30', '30'] }", "stands in two places"),
    (HIERARCHY, "age = { level_table = 5 }", "a table is a list of rows, got 5"),
    (HIERARCHY, "age = { level_table = [['30'], ['40', '*']] }", "every row needs the same number"),
    (HIERARCHY, "age = { csv = 'sex.csv', spe = ';' }", "unknown key 'spe' beside csv"),
    (HIERARCHY, "age = { csv = 'sex.csv', sep = ';;' }", "sep must be one character, got ';;'"),
    (HIERARCHY, "age = { csv = 'sex.csv', sep = 5 }", "sep must be one character, got 5"),
    (HIERARCHY, "age = { csv = 'sex.csv', sep = '' }", "sep must be one character, got ''"),
    (HIERARCHY, 'age = { csv = "sex.csv", sep = "\\n" }', "sep cannot be a quote or the end of"),
    # criteria
    (KEY, "", "criteria[0]: give exactly one name with its parameters, got none"),
    (KEY, "k_anonimity = { k = 2 }", "unknown name 'k_anonimity'; did you mean 'k_anonymity'?"),
    (KEY, "KAnonymity = { k = 2 }", "unknown name 'KAnonymity'; did you mean 'k_anonymity'?"),
    (KEY, "epsilon_budget = { epsilon = 1 }", "unknown name 'epsilon_budget'; known"),
    (KEY, "k_anonymity = 5", "criteria[0].k_anonymity: the parameters must be a table, got 5"),
    (KEY, "k_anonymity = {}", "k_anonymity: the parameter 'k' is missing"),
    (KEY, "k_anonymity = { k = 2, j = 3 }", "k_anonymity: unknown parameter 'j'"),
    (KEY, "k_anonymity = { k = 2 }\nl_diversity = { l = 2 }", "give exactly one name"),
    (KEY, "k_anonymity = { k = '2' }", "KAnonymity: k must be an integer >= 1, got '2'"),
    (KEY, "k_anonymity = { k = 2.0 }", "KAnonymity: k must be an integer >= 1, got 2.0"),
    (KEY, "k_anonymity = { k = true }", "KAnonymity: k must be an integer >= 1, got True"),
    (KEY, "k_anonymity = { k = nan }", "KAnonymity: k must be an integer >= 1, got nan"),
    (KEY, "k_anonymity = { k = 2026-11-15 }", "KAnonymity: k must be an integer >= 1"),
    (KEY, f"k_anonymity = {{ k = 0x{'f' * 5000} }}", "KAnonymity: k must have at most 330 digits"),
    (KEY, "k_anonymity = { k = [2] }", "KAnonymity: k must be an integer >= 1"),
    (KEY, "l_diversity = { l = 0 }", "LDiversity: l must be a number >= 1, got 0"),
    (KEY, "l_diversity = { l = 1.5 }", "LDiversity: l must be an integer for distinct values"),
    (KEY, "l_diversity = { l = 2, kind = 'entrpy' }", "kind must be one of distinct, entropy"),
    (KEY, "l_diversity = { l = 2, values = 'HIV' }", "values must be a list of values, got 'HIV'"),
    (KEY, "l_diversity = { l = 2, values = [] }", "values is empty"),
    (KEY, "l_diversity = { l = 2, values = ['HIV'] }", "say pooled=True"),
    (KEY, "l_diversity = { l = 2, pooled = 'false' }", "pooled must be true or false, got 'false'"),
    (KEY, "l_diversity = { l = 2, pooled = true }", "pooled needs the values that count as one"),
    (KEY, "t_closeness = { t = 1.5 }", "TCloseness: t must be a number from 0 to 1, got 1.5"),
    (KEY, "t_closeness = { t = -0.1 }", "TCloseness: t must be a number from 0 to 1, got -0.1"),
    (KEY, "t_closeness = { t = nan }", "TCloseness: t must be a number from 0 to 1, got nan"),
    (
        KEY,
        "t_closeness = { t = 0.1, distance = 'order' }",
        "distance must be one of equal, ordered",
    ),
    (KEY, "recursive_diversity = { c = 0, l = 2 }", "c must be a number > 0, got 0"),
    (KEY, "recursive_diversity = { c = inf, l = 2 }", "c must be a number > 0, got inf"),
    (
        KEY,
        "alpha_k_anonymity = { alpha = 2, k = 2 }",
        "must be a number above 0 and at most 1, got 2",
    ),
    (
        KEY,
        "alpha_k_anonymity = { alpha = 0, k = 2 }",
        "must be a number above 0 and at most 1, got 0",
    ),
    (KEY, "p_sensitive_k_anonymity = { p = 3, k = 2 }", "p must be from 1 to k = 2, got 3"),
    (KEY, "ke_anonymity = { k = 2, e = -1 }", "KEAnonymity: e must be a number >= 0, got -1"),
    # methods
    (METHOD, "", "method: give exactly one name with its parameters, got none"),
    (METHOD, "mondrain = {}", "method: unknown name 'mondrain'; did you mean 'mondrian'?"),
    (METHOD, "arx = {}", "method: unknown name 'arx'; known are"),
    (METHOD, "mondrian = true", "method.mondrian: the parameters must be a table, got True"),
    (METHOD, "mondrian = { strict = 1 }", "Mondrian: strict must be true or false"),
    (METHOD, "mondrian = { strikt = true }", "unknown parameter 'strikt'; did you mean 'strict'?"),
    (METHOD, "mondrian = { dimensions = 'x' }", "Mondrian: dimensions must be one of all, widest"),
    (METHOD, "samarati = { max_suppressed = -1 }", "max_suppressed must be a number of rows"),
    (METHOD, "samarati = { max_suppressed = 1.5 }", "max_suppressed must be a number of rows"),
    (METHOD, "samarati = { max_suppressed = nan }", "max_suppressed must be a number of rows"),
    (METHOD, "samarati = { max_suppressed = '5%' }", "max_suppressed must be a number of rows"),
    (METHOD, "samarati = { max_suppressed = true }", "max_suppressed must be a number of rows"),
    (METHOD, "incognito = { prefer = 'loss' }", "Incognito: prefer must be one of absolute_dist"),
    (METHOD, "exhaustive = { prefer = 5 }", "Exhaustive: prefer must be one of"),
    (METHOD, "optimal = { metric = 'los' }", "Optimal: unknown metric 'los'; did you mean 'loss'?"),
    (METHOD, "optimal = { metric = [] }", "Optimal: unknown metric a tuple"),
    (METHOD, "recode = {}", "Recode: give either levels or boxes"),
    (METHOD, "recode = { levels = 5 }", "Recode: levels must be given by column, got 5"),
    (METHOD, "recode = { levels = { age = 'x' } }", "the level of 'age' must be an integer"),
    (METHOD, "recode = { levels = { age = 1 } }", "'sex' is a quasi-identifier here but not there"),
    (METHOD, "recode = { levels = { age = 1, sex = 9 } }", "'sex' has levels 0 to 1, got 9"),
    (METHOD, "recode = { boxes = [] }", "the boxes are not here; load the saved recoding"),
    (METHOD, "recode = { boxes = [5] }", "Recode: boxes must be a list of sides by column"),
    (METHOD, "recode = { boxes = [{ age = 5 }] }", "box 0: the side of 'age' is damaged"),
    (
        METHOD,
        'recode = { boxes = [{ age = { level = true, node = "1" } }] }',
        "box 0: the side of 'age' is damaged",
    ),
    (METHOD, "recode = { file = 'x', k = 2 }", "method.recode: unknown parameter 'k' beside file"),
]


def test_every_kind_of_mistake_in_a_job_file_is_named(steward, record_property):
    for old, new, message in WRONG_JOBS:
        job = steward.job((old, new))
        told = steward.refused("anonymize", job)
        assert message in told, (new[:100], told)
    steward.write("job.toml", b"\xff" + JOB.encode())
    assert "cannot read the job: not UTF-8 text" in steward.refused("anonymize", job)
    record_property(TRIED, steward.tried)


def test_a_job_file_may_begin_with_a_byte_order_mark(steward):
    job = steward.write("job.toml", b"\xef\xbb\xbf" + JOB.encode())
    assert steward.run("anonymize", job, "--no-audit").exit_code == 0


# ------------------------------------------------------------------------------ hierarchy files

SECRET = CANARY.encode()
HIERARCHY_FILES = {
    "empty": (b"", "sex.csv: the hierarchy is empty"),
    "blank": (b"\n\n\n", "sex.csv: the hierarchy is empty"),
    "ragged": (b"m;a;*\nf;*\n", "sex.csv, line 2: 2 fields where line 1 has 3"),
    "ragged at the end": (b"m;*\nf;*\nC;*;*\n", "sex.csv, line 3: 3 fields where line 1 has 2"),
    "repeated": (b"m;*\nC;*\nf;*\nC;*\n", "sex.csv, line 4: the ground value of line 2 again"),
    "missing": (b"m;*\nC;*\n", "column 'sex': 1 distinct values are missing from its hierarchy"),
    "not nested": (b"m;a;x\nf;b;x\nC;a;y\n", "hierarchy table: level 1: one label stands for two"),
    "two nodes": (b"m;C;x\nf;b;x\no;C;y\n", "one label stands for two different sets of values"),
    "wrong separator": (b"m|*\nf|*\n", "distinct values are missing from its hierarchy"),
    "not UTF-8": (b"m;*\nf\xff;*\n", "sex.csv: cannot read the hierarchy: not UTF-8 text"),
    "10 MB cell": (b"m;" + b"x" * 10 * MEGABYTE + b"\nf;*\n", "sex.csv, line 1: field larger than"),
    "header": (b"sex;level 1\nm;*\nf;*\n", "one label stands for two different sets of values"),
}


@pytest.mark.parametrize("case", HIERARCHY_FILES)
def test_a_bad_hierarchy_file_is_refused_with_the_place(steward, record_property, case):
    data, message = HIERARCHY_FILES[case]
    steward.write("sex.csv", data.replace(b"C", SECRET))
    job = steward.job(("sex = { flat = true }", 'sex = { csv = "sex.csv" }'))
    assert message in steward.refused("anonymize", job)
    record_property(TRIED, steward.tried)


def test_a_hierarchy_may_be_very_deep_and_very_long(steward, record_property):
    deep = [";".join([sex, *(f"{sex}{j}" for j in range(3000)), "*"]) for sex in "mf"]
    steward.write("sex.csv", "\n".join(deep))
    job = steward.job(("sex = { flat = true }", 'sex = { csv = "sex.csv" }'))
    assert steward.run("anonymize", job, "--no-audit").exit_code == 0
    nested: dict = {"x": None}
    for _ in range(100_000):
        nested = {"x": nested}
    with pytest.raises(sf.BadInput, match="Tree: nested too deep, or a part of itself"):
        sf.Tree({"a": nested, "b": None})
    while nested:  # from the outside in: Python itself takes such a thing apart by recursion
        nested = nested["x"]
    record_property(TRIED, 2)


# --------------------------------------------------------------------------------- Python's side

HUGE = 10**5000
ARRAY = np.array([1, 2])
NO_COUNT = [
    0,
    -1,
    1.5,
    2.0,
    "2",
    "x",
    "",
    None,
    True,
    math.nan,
    math.inf,
    -HUGE,
    HUGE,
    [2],
    ARRAY,
    object(),
]
NO_THRESHOLD = [
    -1,
    "x",
    "",
    "1/0",
    "nan",
    None,
    True,
    math.nan,
    math.inf,
    -math.inf,
    HUGE,
    "1e999999999",
]
NO_THRESHOLD += [Decimal("NaN"), Decimal("1e999999"), [1], ARRAY, 1j, b"1", object()]
NO_WORD = ["", "x", "Entropy", None, 5, True, [], ARRAY, HUGE, b"equal", ("equal",)]
NO_LIMIT = [-1, -0.1, 1.5, math.nan, math.inf, True, "5", None, [1], ARRAY, HUGE, Decimal("0.1")]
NO_NAME = [5, True, [], ["age"], ARRAY, HUGE, b"age", object()]
NO_VALUES = ["HIV", 5, {}, {"HIV": 1}, [], set(), [[1]], HUGE, [HUGE], ARRAY, iter(["HIV"])]
NO_PATH = [None, 5, True, b"x", [], "a\0b", object(), HUGE]
NO_SWITCH = ["false", "true", 0, 1, None, [], ARRAY, HUGE]

PARAMETERS = {
    "KAnonymity: k": (sf.KAnonymity, {}, "k", NO_COUNT),
    "KAnonymity: attribute": (sf.KAnonymity, {"k": 2}, "attribute", NO_NAME),
    "LDiversity: l": (sf.LDiversity, {}, "l", [*NO_THRESHOLD, 0, 0.5]),
    "LDiversity: l of distinct values": (sf.LDiversity, {}, "l", [1.5, "3/2"]),
    "LDiversity: kind": (sf.LDiversity, {"l": 2}, "kind", NO_WORD),
    "LDiversity: values": (sf.LDiversity, {"l": 2, "kind": "frequency"}, "values", NO_VALUES),
    "LDiversity: pooled": (sf.LDiversity, {"l": 2, "values": ["x"]}, "pooled", NO_SWITCH),
    "LDiversity: attribute": (sf.LDiversity, {"l": 2}, "attribute", NO_NAME),
    "RecursiveDiversity: c": (sf.RecursiveDiversity, {"l": 2}, "c", [*NO_THRESHOLD, 0]),
    "RecursiveDiversity: l": (sf.RecursiveDiversity, {"c": 2}, "l", NO_COUNT),
    "RecursiveDiversity: attribute": (
        sf.RecursiveDiversity,
        {"c": 1, "l": 2},
        "attribute",
        NO_NAME,
    ),
    "TCloseness: t": (sf.TCloseness, {}, "t", [*NO_THRESHOLD, 1.01, 2]),
    "TCloseness: distance": (sf.TCloseness, {"t": 0.5}, "distance", NO_WORD),
    "TCloseness: attribute": (sf.TCloseness, {"t": 0.5}, "attribute", NO_NAME),
    "AlphaKAnonymity: alpha": (sf.AlphaKAnonymity, {"k": 2}, "alpha", [*NO_THRESHOLD, 0, 1.5]),
    "AlphaKAnonymity: k": (sf.AlphaKAnonymity, {"alpha": 0.5}, "k", NO_COUNT),
    "AlphaKAnonymity: values": (sf.AlphaKAnonymity, {"alpha": 1, "k": 2}, "values", NO_VALUES),
    "AlphaKAnonymity: pooled": (sf.AlphaKAnonymity, {"alpha": 1, "k": 2}, "pooled", NO_SWITCH),
    "AlphaKAnonymity: attribute": (sf.AlphaKAnonymity, {"alpha": 1, "k": 2}, "attribute", NO_NAME),
    "PSensitiveKAnonymity: p": (sf.PSensitiveKAnonymity, {"k": 3}, "p", [*NO_COUNT, 4]),
    "PSensitiveKAnonymity: k": (sf.PSensitiveKAnonymity, {"p": 1}, "k", NO_COUNT),
    "PSensitiveKAnonymity: attribute": (
        sf.PSensitiveKAnonymity,
        {"p": 1, "k": 2},
        "attribute",
        NO_NAME,
    ),
    "KEAnonymity: k": (sf.KEAnonymity, {"e": 1}, "k", NO_COUNT),
    "KEAnonymity: e": (sf.KEAnonymity, {"k": 2}, "e", NO_THRESHOLD),
    "KEAnonymity: attribute": (sf.KEAnonymity, {"k": 2, "e": 1}, "attribute", NO_NAME),
    "PersonalizedPrivacy: l": (
        sf.PersonalizedPrivacy,
        {"guarding": "g"},
        "l",
        [*NO_THRESHOLD, 0, 0.5],
    ),
    "PersonalizedPrivacy: guarding": (
        sf.PersonalizedPrivacy,
        {"l": 2},
        "guarding",
        [*NO_NAME, None],
    ),
    "PersonalizedPrivacy: attribute": (
        sf.PersonalizedPrivacy,
        {"l": 2, "guarding": "g"},
        "attribute",
        NO_NAME,
    ),
    "Samarati: max_suppressed": (sf.Samarati, {}, "max_suppressed", NO_LIMIT),
    "Samarati: prefer": (sf.Samarati, {}, "prefer", NO_WORD),
    "Incognito: max_suppressed": (sf.Incognito, {}, "max_suppressed", NO_LIMIT),
    "Incognito: prefer": (sf.Incognito, {}, "prefer", NO_WORD),
    "Exhaustive: max_suppressed": (sf.Exhaustive, {}, "max_suppressed", NO_LIMIT),
    "Exhaustive: prefer": (sf.Exhaustive, {}, "prefer", NO_WORD),
    "Optimal: metric": (sf.Optimal, {}, "metric", NO_WORD),
    "Optimal: max_suppressed": (sf.Optimal, {}, "max_suppressed", NO_LIMIT),
    "Mondrian: strict": (sf.Mondrian, {}, "strict", NO_SWITCH),
    "Mondrian: bounds": (sf.Mondrian, {}, "bounds", NO_WORD),
    "Mondrian: dimensions": (sf.Mondrian, {}, "dimensions", ["", "x", None, 5, True, [], b"all"]),
    "Recode: levels": (
        sf.Recode,
        {},
        "levels",
        [5, "x", [], [1], {5: 1}, {"a": "x"}, {"a": True}, {"a": 1.0}, {"a": None}, ARRAY, HUGE],
    ),
    "Recode: boxes": (
        sf.Recode,
        {},
        "boxes",
        [
            5,
            "x",
            {},
            [5],
            [{}],
            ({"a": 5},),
            ({5: {}},),
            ({"a": {"value": 5}},),
            ({"a": {"x": 1}},),
            ({"a": {"from": 5}},),
            ({"a": {"level": -1, "node": "x"}},),
            ({"a": {}}, {"b": {}}),
            HUGE,
        ],
    ),
    "Recode: max_suppressed": (sf.Recode, {"levels": {}}, "max_suppressed", NO_LIMIT),
    "Recode: shapes": (sf.Recode, {"levels": {"a": 1}}, "shapes", [5, "x", [1], {5: 1}, HUGE]),
    "Tree": (
        sf.Tree,
        {},
        "tree",
        [
            None,
            5,
            "x",
            True,
            [],
            {},
            {"a": 5},
            {"a": {"b": "x"}},
            [None],
            ["a", "a"],
            {"a": ["x"], "b": ["x"]},
            HUGE,
            ARRAY,
            object(),
        ],
    ),
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_a_wrong_parameter_is_refused_by_name(record_property, case):
    kind, others, name, wrong = PARAMETERS[case]
    for value in wrong:
        message = complaint(kind, **others, **{name: value})
        assert kind.__name__ in message
    record_property(TRIED, len(wrong))


def complaint(action, *arguments, **named) -> str:
    """Do it, and give the line it is refused with."""
    with pytest.raises(sf.BadInput) as caught:
        action(*arguments, **named)
    for message in (str(caught.value), caught.value.with_values()):
        assert message
        assert message.isprintable(), message
        assert len(message) < 3000
    return str(caught.value)


TABLE = pa.table({"age": ["30", "40"] * 3, "sex": ["m", "f"] * 3, "disease": ["flu", "HIV"] * 3})


def table() -> sf.Table:
    return sf.read(TABLE, ["age", "sex"], "disease")


def test_a_wrong_width_is_refused(record_property):
    wrong = [0, -5, 0.0, math.nan, math.inf, "5", "x", None, True, [5], 1j, HUGE, 1e305, ARRAY]
    for value in wrong:
        assert "Intervals: a width must be a number > 0" in complaint(sf.Intervals, value)
    for narrow, wide in [(5, 7), (5, 5), (10, 5), (0.1, 0.25), (3, 10)]:
        assert "widths must nest" in complaint(sf.Intervals, narrow, wide)
    assert sf.Intervals(np.float64(5), np.int64(10)).widths == (5, 10)
    record_property(TRIED, len(wrong) + 5)


def test_a_wrong_argument_of_a_function_is_refused(tmp_path, record_property):
    release = sf.anonymize(table(), sf.KAnonymity(2), sf.Mondrian())
    tried = 0
    for action in (
        sf.Hierarchy.from_csv,
        sf.load,
        release.save,
        release.save_recoding,
        sf.Recode.load,
    ):
        for value in NO_PATH:
            assert "expected the path of a file" in complaint(action, value)
            tried += 1
    for action, wrong, message in [
        (lambda x: sf.read(x, ["age"]), [None, 5, [], {}, b"x", object()], "cannot read a"),
        (lambda x: sf.read(TABLE, x), [None, 5, [5], {5: sf.Flat()}, b"age", HUGE], "quasi_ident"),
        (lambda x: sf.read(TABLE, x), [[], {}, ()], "name at least one column"),
        (
            lambda x: sf.read(TABLE, {"age": x}),
            [None, 5, "flat", sf.Flat, {}],
            "expected a hierarchy",
        ),
        (
            lambda x: sf.read(TABLE, ["age"], x),
            [5, False, [5], {1: 2}, b"x"],
            "sensitive: expected",
        ),
        (
            lambda x: sf.read(TABLE, ["age"], identifiers=x),
            [None, 5, [5], HUGE],
            "identifiers: exp",
        ),
        (
            lambda x: sf.read(TABLE, ["age"], insensitive=x),
            [None, 5, [5], HUGE],
            "insensitive: exp",
        ),
        (lambda x: sf.read(TABLE, ["age"], person=x), [5, ["sex"], True, HUGE], "person: expected"),
        (lambda x: sf.read(TABLE, ["age"], person=x), ["", "sxe"], "person: unknown column"),
        (
            lambda x: sf.read(TABLE, ["age"], hierarchies=x),
            [5, "x", [sf.Flat()]],
            "hierarchies: exp",
        ),
        (
            lambda x: sf.read(TABLE, ["age"], engine=x),
            [5, True, ARRAY, HUGE],
            "engine: give a name, or an engine such as",
        ),
        (
            lambda x: sf.read(TABLE, ["age"], engine=x),
            ["sparc", ""],
            "engine: unknown name",
        ),
        (
            lambda x: sf.anonymize(x, sf.KAnonymity(2)),
            [None, 5, TABLE, "x.csv"],
            "expected a table",
        ),
        (
            lambda x: sf.anonymize(table(), x),
            [None, 5, "k", sf.KAnonymity, [], HUGE],
            "expected one",
        ),
        (
            lambda x: sf.anonymize(table(), sf.KAnonymity(2), x),
            [5, "x", sf.Mondrian, HUGE],
            "a method",
        ),
        (sf.check, [None, 5, TABLE, "x.csv"], "check: expected a table from sf.read"),
        (
            lambda x: sf.check(table(), x),
            [5, "k", sf.KAnonymity],
            "criterion: expected one such as",
        ),
        (
            lambda x: sf.KAnonymity(2) & x,
            [None, 5, "k", sf.KAnonymity, HUGE],
            "expected another crit",
        ),
        (
            lambda x: release.save(tmp_path / "o", x),
            ["xlsx", "", 5, [], True, ARRAY],
            "save: format",
        ),
        (
            lambda x: sf.Hierarchy.from_csv(__file__, x),
            ["", ";;", 5, b";", [], ARRAY],
            "sep must be",
        ),
        (
            sf.Groups,
            [5, None, "x", [1.5], [-1], [[1, 2]], [2**70], [[1], [1, 2]]],
            "Groups: ",
        ),
        (
            lambda x: sf.Groups([2], x, ["a"]),
            [5, "x", [[1.5]], [[-1]], [[1, 1]], [[]], [1]],
            "Groups: ",
        ),
        (lambda x: sf.Groups([2], [[2]], x), [5, None, [], ["a", "b"], {1}], "Groups: "),
        (lambda x: sf.Groups([2], [[2]], ["a"], x), [5, "x", [], [-1], [1, 2], [1.5]], "Groups: "),
        (
            lambda x: sf.utility.information_loss(release, x),
            [5, "x", {"z": 1}, {"age": -1}, {"age": math.nan}, {"age": 0}, {"age": HUGE}, {}],
            "weights: ",
        ),
        (lambda x: sf.utility.average_class(release, x), NO_COUNT, "average_class: k must"),
        (sf.datasets.adult, ["x", 5, True], "adult: part must be"),
    ]:
        for value in wrong:
            assert message in complaint(action, value), value
            tried += 1
    assert list(tmp_path.iterdir()) == []
    record_property(TRIED, tried)


@pytest.mark.parametrize("name", ["=x", "+x", "-x", "@x", "\tx", "\rx", "x\r\ny", "\ufeffx"])
def test_a_column_name_that_no_csv_file_can_hold_is_refused(tmp_path, record_property, name):
    frame = pa.table({name: ["a", "a"]})
    release = sf.anonymize(sf.read(frame, [name]), sf.KAnonymity(2))
    message = complaint(release.save, tmp_path / "out" / "q1", "csv")
    assert "rename the column, or save as Parquet" in message
    assert list(tmp_path.iterdir()) == []
    assert sf.load(release.save(tmp_path / "out" / "q1", "parquet")).check()
    record_property(TRIED, 1)


def test_a_tree_of_anything_is_written_as_text(tmp_path):
    frame = pa.table({"q": ["a", "b"] * 4, "s": [1, 2, 3, 4] * 2})
    for tree in (list(np.arange(1, 5)), {("x", 1): [1, 2], Decimal(3): [3, 4]}):
        rules = {"s": sf.Tree(tree)}
        criterion = sf.KAnonymity(2) & sf.TCloseness(0.9, "ordered")
        table = sf.read(frame, ["q"], "s", hierarchies=rules)
        release = sf.anonymize(table, criterion, sf.Mondrian())
        assert sf.load(release.save(tmp_path / type(tree).__name__)).check()


def test_the_engine_writes_no_progress_of_its_own():
    setting = "SELECT current_setting('enable_progress_bar')"
    assert table().source._session.connection.execute(setting).fetchall() == [(False,)]
