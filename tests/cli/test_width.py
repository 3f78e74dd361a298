"""What the commands of the documentation print fits 80 columns, and no word of it is broken."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app
from sfumato.cli.output import print_rows
from sfumato.text import cells
from test_tutorial import PAGE as TUTORIAL
from test_tutorial import edit, run

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WIDE = 10_000
LONG = 40  # letters of a word that may be broken, or stand beyond the edge: a path or a value
MINUTES = re.compile("reproduce .*(--output|--json)")  # commands that take minutes
LONG_PAGES = ("README", "series", "reproduce")  # whose commands take a quarter of a minute or more
BATCHES = ["january", "february", "april", "may", "june"]


def blocks(page: Path) -> list[list[str]]:
    """Give the commands that a page shows, block by block, without what is said of them."""
    found = re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    shells = [text for language, text in found if language in ("", "sh")]
    lines = [[line for line in text.splitlines() if line[:8] == "sfumato "] for text in shells]
    return [
        [re.split(r" #|   +| \[", line)[0].removeprefix("sfumato ") for line in block]
        for block in lines
        if block
    ]


@pytest.fixture(scope="module")
def office(tmp_path_factory) -> Path:
    """The files that pages speak of: a table, a job, two releases, and batches of a series."""
    place = tmp_path_factory.mktemp("office")
    text = (ROOT / "README.md").read_text()
    (job,) = re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (place / "job.toml").write_text(job)
    header, *rows = sf.datasets.patients().read_text().splitlines()
    for name in ("patients", "mytable"):
        (place / f"{name}.csv").write_text("\n".join([header, *rows, ""]))
    (place / "zips.csv").write_text("zip3,population\n012,20001\n")
    for number, name in enumerate(BATCHES):
        (place / f"{name}.csv").write_text("\n".join([header, *rows[number::5], ""]))
    rules = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
    table = sf.read(place / "patients.csv", rules, sensitive="disease", identifiers=["name"])
    sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(3)).save(place / "out" / "2026-q1")
    return place


def said(command: str, width: int, monkeypatch) -> str:
    """Run a command of the documentation, which is no wrong use, in so many columns."""
    monkeypatch.setenv("COLUMNS", str(width))
    if command.startswith("init"):
        Path("job.toml").unlink(missing_ok=True)
    done = CliRunner().invoke(app, shlex.split(command))
    assert done.exit_code in (0, 1, 5), f"{command}: {done.output}"
    if command.startswith("init"):
        job = Path("job.toml").read_text()
        Path("job.toml").write_text(job.replace("proposed = true\n", ""))
    return done.output


def test_the_commands_of_all_pages_are_found():
    shown = {page.name: sum(map(len, blocks(page))) for page in PAGES}
    pages = ["README", "hierarchies", "init", "knowledge", "report", "reproduce", "safe-harbor"]
    pages.append("series")
    assert [name for name, n in shown.items() if n] == [*(f"{p}.md" for p in pages), "tutorial.md"]
    lines = [line for page in PAGES for line in page.read_text().splitlines()]
    assert sum(shown.values()) == sum(line.startswith("sfumato ") for line in lines)


def words(text: str) -> set[str]:
    """Give the words of a text; lines of tables and times of the day are none."""
    return {word for word in text.split() if not re.fullmatch(r"─+|\d\d:\d\d", word)}


def refuse_broken(narrow: str, wide: str, called: str) -> None:
    """Compare with what is printed where there is room for everything in one line."""
    whole = words(wide)
    values = [each for each in whole if len(each) > LONG]
    broken = [word for word in words(narrow) - whole if not any(word in value for value in values)]
    assert not broken, f"{called}: {broken}\n{narrow}"
    for line in narrow.splitlines():
        longest = max(map(len, line.split()), default=0)
        copied = line.startswith("  sfumato ")  # a command has a line of its own
        assert cells(line.rstrip()) <= 80 or longest > LONG or copied, f"{called}: {line}"


@pytest.mark.long
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(each, marks=pytest.mark.slow) if each.stem in LONG_PAGES else each
        for each in PAGES
        if blocks(each) and each != TUTORIAL
    ],
    ids=lambda each: each.name,
)
def test_no_word_is_broken_in_80_columns(page, office, tmp_path, monkeypatch):
    printed: dict[int, list[str]] = {80: [], WIDE: []}
    commands = [each for block in blocks(page) for each in block if not MINUTES.search(each)]
    for width, texts in printed.items():
        place = tmp_path / str(width)
        shutil.copytree(office, place)
        monkeypatch.chdir(place)
        for block in blocks(page):
            shutil.copy(office / "job.toml", place)
            if re.search("(skyline|audit) job.toml", " ".join(block)):  # of a release that is there
                said("anonymize job.toml", width, monkeypatch)
            texts += [said(c, width, monkeypatch) for c in block if not MINUTES.search(c)]
    for command, narrow, wide in zip(commands, *printed.values(), strict=True):
        refuse_broken(narrow, wide, command)


@pytest.mark.slow
def test_no_word_of_the_tutorial_is_broken(tmp_path, monkeypatch):
    printed: dict[int, list[str]] = {80: [], WIDE: []}
    text = TUTORIAL.read_text()
    shown = re.findall(r"^```(sh|diff)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    for width, texts in printed.items():
        monkeypatch.setenv("COLUMNS", str(width))
        (tmp_path / str(width)).mkdir()
        monkeypatch.chdir(tmp_path / str(width))
        for language, block in shown:
            if language == "diff":
                edit(Path("job.toml"), block)
            else:
                texts += [run(line) for line in block.splitlines()]
    for narrow, wide in zip(*printed.values(), strict=True):
        refuse_broken(narrow, wide, narrow[:40])


@pytest.mark.slow
def test_no_word_of_the_demo_is_broken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    narrow = said("demo --output narrow", 80, monkeypatch)
    wide = said("demo --output wide", WIDE, monkeypatch)
    refuse_broken(narrow.replace("narrow", "wide"), wide, "demo")


def test_the_search_finds_what_is_broken():
    with pytest.raises(AssertionError, match="cert"):
        refuse_broken("nobody is cert\nain", "nobody is certain", "a broken word")
    with pytest.raises(AssertionError, match="too long"):
        refuse_broken("so " * 30, "so", "too long a line")


def test_a_table_that_does_not_fit_is_one_table_for_each_row(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    header = [f"column-{j}-{'x' * 20}" for j in range(5)]
    print_rows("Wide", header, [["a", "b", "c", "d", "e"], ["f", "g", "h", "i", "j"]])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line for line in lines if line and line[0] == header[0]] == [
        [header[0], "a"],
        [header[0], "f"],
    ]


def every_command(group=None, path=()):
    """Give the path of every command, groups too."""
    group = typer.main.get_command(app) if group is None else group
    yield path
    for name, each in getattr(group, "commands", {}).items():
        yield from every_command(each, (*path, name))


@pytest.mark.parametrize("path", [*every_command()], ids=" ".join)
def test_help_breaks_no_name_of_an_option(path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = CliRunner().invoke(app, [*path, "--help"]).output
    assert "\u2011" not in said
    lines = said.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if re.search(r"[a-z]-$", line)] == []
