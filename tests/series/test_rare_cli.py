"""`sfumato publish` where a few people would cost a column: with a terminal and without."""

import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest

import sfumato as sf
from cli.common import run
from series.test_rare import OLD, people

JOB = """
[columns]
sensitive = ["disease"]
identifiers = ["name"]
person = "id"
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
sex = { flat = true }
[[criteria]]
k_anonymity = { k = 5 }
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "job.toml").write_text(JOB)
    batch = people(400, extra=OLD).assign(name="somebody", note="x")
    batch.to_csv(tmp_path / "a.csv", index=False)
    later = people(300, first=400, seed=1, extra=[(88, "flu")])
    later.assign(name="somebody", note="x").to_csv(tmp_path / "b.csv", index=False)
    return tmp_path


def first(place, *more):
    return run("publish", place / "s", place / "a.csv", "--job", place / "job.toml", *more)


def said(done):
    return " ".join(done.output.split())


def test_without_a_terminal_it_is_refused_and_nothing_is_left(place):
    done = first(place)
    assert done.exit_code == 2
    assert done.output.count("\n") == 1
    assert "age: 2 people (0.50%) have values so rare that nothing would be left" in done.output
    for way in ("(suppress)", "(code)", "(keep)"):
        assert way in done.output
    assert "80" not in done.output
    assert "--show-values" in done.output
    assert not (place / "s").exists()
    told = first(place, "--show-values").output
    assert "(values: '[80, 100)', '>=70')" in told


@pytest.mark.long
@pytest.mark.parametrize(
    ("way", "rows", "out", "rule"),
    [
        ("suppress", 400, 2, {"intervals": [5, 10, 20]}),
        ("code", 402, 0, {"intervals": {"widths": [5, 10, 20], "top": 70}}),
        ("keep", 402, 0, {"intervals": [5, 10, 20]}),
    ],
)
def test_scripts_say_it(place, way, rows, out, rule):
    done = first(place, "--rare", way, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert (told["n_rows"], told["n_suppressed"]) == (rows, out)
    assert (told["summary"]["loss"]["age"] == 1) == (way == "keep")
    release = json.loads((place / "s" / "public" / "001" / "release.json").read_text())
    assert release["hierarchies"]["age"] == rule
    assert release.get("left_out", 0) == out
    assert run("series", "verify", place / "s").exit_code == 0


@pytest.mark.long
def test_a_dry_run_asks_too_and_publishes_nothing(place):
    assert first(place, "--dry-run").exit_code == 2
    done = first(place, "--dry-run", "--rare", "suppress")
    assert done.exit_code == 0, done.output
    assert "Left out: 2 rows whose values of age are rare." in said(done)
    assert "Dry run: nothing was published." in said(done)
    assert not (place / "s").exists()


def test_nobody_is_left_out_for_a_column_that_is_lost_all_the_same(tmp_path):
    """By sex groups are told first, and two men in place a are too few."""
    told = [("f", "a")] * 28 + [("m", "a")] * 2 + [("m", "b")] * 30 + [("f", "c")]
    rows = [f"P{j},{sex},{place},flu\n" for j, (sex, place) in enumerate(told)]
    (tmp_path / "a.csv").write_text("id,sex,place,disease\n" + "".join(rows))
    (tmp_path / "job.toml").write_text(
        '[columns]\nsensitive = ["disease"]\nperson = "id"\n[columns.quasi_identifiers]\n'
        "sex = { flat = true }\nplace = { flat = true }\n[[criteria]]\nk_anonymity = { k = 5 }\n"
    )
    # Nobody is asked about, or left out, for nothing; and it is not said that it would help.
    for way in ([], ["--rare", "suppress"], ["--rare", "keep"]):
        done = first(tmp_path, *way, "--dry-run")
        assert done.exit_code == 0, done.output
        assert "Left out" not in done.output
        assert "nothing is left of place: beside what is told of the other columns" in said(done)
        assert "also without the people whose values fewer than k = 5 have" in said(done)
        assert "--rare" not in said(done)
    job = (tmp_path / "job.toml").read_text()
    (tmp_path / "job.toml").write_text(job.replace("sex = { flat = true }\n", ""))
    assert "Left out: 1 row" in said(first(tmp_path, "--rare", "suppress", "--dry-run"))
    text = said(first(tmp_path, "--rare", "keep", "--dry-run"))
    assert "nothing is left of place: some of its values have fewer people than k = 5" in text
    assert "1 person in all (--rare, max_suppressed)" in text
    # Of values the decision may not depend: then it is said afterwards.
    values = [line.replace("flu", "cold") if ",b," in line else line for line in rows]
    (tmp_path / "a.csv").write_text("id,sex,place,disease\n" + "".join(values))
    with (tmp_path / "job.toml").open("a") as file:
        file.write('[[criteria]]\nl_diversity = { l = 2, kind = "distinct" }\n')
    text = said(first(tmp_path, "--rare", "suppress", "--dry-run"))
    assert "Left out: 1 row whose values of place are rare." in text
    assert "nothing is left of place all the same, for another reason (below)" in text


@pytest.mark.long
def test_what_is_printed_is_right(place):
    done = first(place, "--rare", "keep", "--details")
    text = said(done)
    assert "identifiers: name; person: id; no role: note" in text
    assert "nothing is left of age: some of its values have fewer people than k = 5" in text
    assert "BCFAnonymity(k=5)" in said(run("series", "status", place / "s"))
    done = run("publish", place / "s", place / "b.csv")
    assert done.exit_code == 0, done.output  # the column is lost by people who are published
    assert "earlier releases, or batches that waited, have people with them" in said(done)
    assert "In the batch: age: 1 value new to the chain (1 person)." in said(done)


@pytest.mark.long
def test_a_refusal_comes_after_how_the_batch_differs(place):
    assert first(place, "--rare", "suppress").exit_code == 0
    for way in ([], ["--rare", "code"]):
        done = run("publish", place / "s", place / "b.csv", *way, "--json")
        assert done.exit_code == 2
        *drift, refusal = done.stderr.splitlines()
        assert len(drift) == 1
        assert drift[0].startswith("In the batch: age: 1 ")
        assert refusal.startswith("sfumato: ")
        assert done.stdout == ""


@pytest.mark.long
def test_a_limit_in_the_job_file_answers(place):
    (place / "job.toml").write_text(JOB + "[publish]\nmax_suppressed = 0.01\n")
    done = first(place)
    assert done.exit_code == 0, done.output
    assert (
        "400 rows, 400 of them new; rare people left out: 2 of this batch, 2 of the chain"
        in said(done)
    )
    done = run("publish", place / "s", place / "b.csv")
    assert "700 rows, 300 of them new; rare people left out: 1 of this batch, 3 of the" in said(
        done
    )
    audited = said(run("series", "audit", place / "s"))
    assert "3 rows were left out of the chain so far, for rare quasi-identifiers" in audited


@pytest.mark.long
def test_what_was_left_out_now_and_before_are_two_numbers(place):
    people(1000, extra=[(85, "flu")]).to_csv(place / "a.csv", index=False)
    (place / "job.toml").write_text(JOB.replace('identifiers = ["name"]\n', ""))
    assert first(place, "--rare", "suppress").exit_code == 0
    people(300, first=1000, seed=1).to_csv(place / "b.csv", index=False)
    text = said(run("publish", place / "s", place / "b.csv"))
    assert "1,300 rows, 300 of them new; rare people left out: 0 of this batch, 1 of the" in text
    assert ", 1 left out of the series so far" in text
    status = sf.ReleaseSeries(place / "s").status()
    assert status.HEADER[2:6] == ("rows", "of them new", "rare left out", "left out so far")
    numbers = [row[2:6] for row in status.rows]
    assert numbers == [("1,000", "1,000", "1", "1"), ("1,300", "300", "0", "1")]
    told = status.to_json()["releases"]
    assert [(each["new"], each["rare_left_out"], each["suppressed"]) for each in told] == [
        *[(1000, 1, 1), (300, 0, 1)]
    ]
    assert "1 row was left out of the chain so far" in said(run("series", "audit", place / "s"))


def test_a_limit_of_a_series_is_refused_elsewhere(place):
    job = place / "one.toml"
    job.write_text(f'source = "a.csv"\noutput = "out"\n{JOB}[publish]\nmax_suppressed = 0.01\n')
    done = run("anonymize", job)
    assert done.exit_code == 2
    assert "publish.max_suppressed: this is for a series" in done.output


class Terminal:
    """A command with a terminal on standard input and standard error."""

    def __init__(self, *arguments):
        self.ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "sfumato", *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, start_new_session=True
        )
        os.close(theirs)
        self.text = ""

    def read_until(self, wanted):
        end = time.monotonic() + 120
        while wanted not in self.text:
            assert time.monotonic() < end, self.text
            try:
                self.text += os.read(self.ours, 4096).decode()
            except OSError:  # it is over
                break
        assert wanted in self.text, self.text

    def answer(self, word):
        os.write(self.ours, f"{word}\n".encode())

    def interrupt(self):
        """Press Ctrl-C, and again: one that comes right before it waits for an answer may wait."""
        for _ in range(60):
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(1)
            except subprocess.TimeoutExpired:
                continue
            return

    def end(self):
        try:
            output, _ = self.process.communicate(timeout=120)
        finally:
            self.process.kill()
            os.close(self.ours)
        return output.decode(), self.process.returncode


def asked(place):
    terminal = Terminal("publish", place / "s", place / "a.csv", "--job", place / "job.toml")
    terminal.read_until("suppress, code, keep?")
    flat = " ".join(terminal.text.split())
    assert "2 people ([80, 100)) cost the age column: leave them out (0.50%, suppress), " in flat
    assert "code >=70 as one (code), or publish no detail of the column (keep)?" in flat
    assert not (place / "s").exists()
    return terminal


@pytest.mark.long
@pytest.mark.parametrize(("word", "rows"), [("suppress", 400), ("co", 402), ("K", 402)])
def test_at_a_terminal_it_is_asked_with_numbers(place, word, rows):
    terminal = asked(place)
    terminal.answer("perhaps")  # and again
    terminal.answer(word)
    output, code = terminal.end()
    assert code == 0, output
    flat = " ".join(output.split())
    assert f"{rows} rows, {rows} of them new" in flat
    assert ("Coded from the start: age: ranges of 5, 10, 20, >=70." in flat) == (word == "co")
    assert sorted(sf.ReleaseSeries(place / "s").releases()) == [1]


@pytest.mark.long
def test_an_interrupt_at_the_question_leaves_nothing(place):
    terminal = asked(place)
    terminal.interrupt()
    _, code = terminal.end()
    assert code == 128 + signal.SIGINT
    assert sorted(path.name for path in place.iterdir()) == ["a.csv", "b.csv", "job.toml"]


@pytest.mark.long
def test_no_answer_is_a_refusal(place):
    terminal = asked(place)
    os.write(terminal.ours, b"\x04")  # the end of what is typed
    _, code = terminal.end()
    assert code == 2
    assert not (place / "s").exists()
