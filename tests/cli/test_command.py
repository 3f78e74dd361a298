"""A command is a function: its options, its help, what it answers and how it fails."""

import json
import subprocess
import sys
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.command import UNSAFE, Answer, OneLine, command
from sfumato.errors import STEERING

RUN = CliRunner()


@pytest.fixture(scope="module")
def asked():
    """A command of a group of its own, which is not a part of sfumato."""
    within = typer.Typer(cls=OneLine, rich_markup_mode=None, pretty_exceptions_enable=False)

    @command(within=within)
    def ask(
        what: Annotated[str, typer.Argument(help="What is asked.")],
        loudly: Annotated[bool, typer.Option("--loudly", help="In capitals.")] = False,
    ) -> Answer:
        """Ask for something."""
        if what == "bad":
            raise sf.BadInput("what: must not be bad", ["secret"])
        if what == "impossible":
            raise sf.Unsatisfiable("there is none")
        if what == "broken":
            raise ZeroDivisionError("secret \x1b[2J\u202e\x9b31m")
        told = what.upper() if loudly else what
        return Answer(
            lambda: {"told": told}, lambda: print(told), UNSAFE if what == "unsafe" else 0
        )

    @command(within=within, name="other-name")
    def other() -> Answer:
        """Say nothing."""
        return Answer(lambda: None, lambda: None)

    def run(*arguments):
        return RUN.invoke(within, arguments)

    return run


def test_a_command_answers_people_and_machines(asked):
    assert asked("ask", "this").output == "this\n"
    assert asked("ask", "this", "--loudly").output == "THIS\n"
    assert json.loads(asked("ask", "this", "--loudly", "--json").output) == {"told": "THIS"}


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_the_exit_code_of_an_answer_is_the_commands(asked, how):
    done = asked("ask", "unsafe", *how)
    assert (done.exit_code, "unsafe" in done.output) == (1, True)
    assert asked("ask", "safe", *how).exit_code == 0


def test_the_help_is_the_docstring_with_the_options_that_all_commands_have(asked):
    text = asked("ask", "--help").output
    for part in ("Ask for something.", "What is asked.", "In capitals.", "--json", "--show-values"):
        assert part in text


def test_a_command_may_have_another_name_than_its_function(asked):
    assert asked("other-name").exit_code == 0
    assert asked("other").exit_code == 2


@pytest.mark.parametrize(
    ("what", "code", "line"),
    [
        ("bad", 2, "sfumato: what: must not be bad (--show-values shows the values)"),
        ("impossible", 3, "sfumato: there is none"),
        ("broken", 4, "sfumato: internal error (ZeroDivisionError)."),
    ],
)
def test_every_failure_is_one_line_without_values(asked, what, code, line):
    done = asked("ask", what)
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr.startswith(line)
    assert done.stderr.count("\n") == 1
    assert "secret" not in done.stderr


def test_values_and_tracebacks_are_shown_when_asked_for(asked):
    assert "secret" in asked("ask", "bad", "--show-values").stderr
    traced = asked("ask", "broken", "--show-values")
    assert traced.exit_code == 4
    assert "Traceback" in traced.stderr
    assert "ZeroDivisionError: secret \\x1b[2J\\u202e\\x9b31m\n" in traced.stderr
    assert STEERING.findall(traced.stderr.replace("\n", "")) == []


@pytest.mark.long
def test_a_file_among_the_commands_is_a_command(tmp_path):
    """Nothing else has to be touched: the file is found, in its place of the help."""
    (tmp_path / "farewell.py").write_text(
        "from sfumato.cli.command import Answer, command\n"
        "@command(place=0)\n"
        "def farewell() -> Answer:\n"
        '    """Say goodbye."""\n'
        "    return Answer(lambda: 'goodbye', lambda: print('goodbye'))\n"
    )
    script = (
        "import sys, sfumato.cli.commands as commands\n"
        f"commands.__path__.append({str(tmp_path)!r})\n"
        "from sfumato.cli import main\n"
        "main()\n"
    )

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
        ).stdout

    assert run("farewell") == "goodbye\n"
    assert run("farewell", "--json") == '"goodbye"\n'
    listed = run("--help").split("Commands:")[1]
    assert listed.split()[0] == "farewell"
    assert "Say goodbye." in listed


def test_what_is_heavy_is_imported_when_a_command_runs():
    script = (
        "import sys\n"
        "import sfumato.cli.app\n"
        "heavy = {'duckdb', 'numba', 'numpy', 'pyarrow', 'pydantic', 'rich', 'scipy', 'plotly'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_groups_stand_after_the_commands():
    from sfumato.cli.app import app

    listed = RUN.invoke(app, ["--help"]).output.split("Commands:")[1].split("\n")
    names = [line.split()[0] for line in listed if line.strip()]
    assert names == [
        "demo", "init", "anonymize", "check", "audit", "skyline", "publish", "reproduce",
        "hierarchy", "series",
    ]  # fmt: skip
