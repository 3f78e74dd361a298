"""Documents that say where something is: every path and every name in them is there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "sfumato"
QUESTIONS = re.findall(
    r"^\| (Where .*?\?) \| (.*) \|$", (ROOT / "docs" / "where.md").read_text(), re.MULTILINE
)


def names_of(path):
    """What a module defines: functions, classes, `Class.method`, and what is assigned."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{e.name}" for e in node.body if isinstance(e, ast.FunctionDef)}
        if isinstance(node, ast.Assign):
            names |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    return names


def place_of(text):
    return ROOT / text if text.startswith("tests/") else PACKAGE / text


def test_at_least_twenty_questions_are_answered():
    assert len(QUESTIONS) >= 20
    assert len({question for question, _ in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize(("question", "answer"), QUESTIONS, ids=[q for q, _ in QUESTIONS])
def test_what_is_asked_for_is_there(question, answer):
    quoted = re.findall(r"`([^`]+)`", answer)
    assert quoted, question
    place = None
    for text in quoted:
        if "/" in text or text.endswith(".py"):
            place = place_of(text)
            assert place.exists(), text
        else:
            assert text in names_of(place), f"{place.name}: {text}"


def test_every_folder_stands_in_the_table_of_the_architecture():
    page = (ROOT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| (`.+?) \|", page, re.MULTILINE)
    named = set()
    for row in rows:
        room = ""
        # `attacks/known_method`, `knowledge`: both of one room
        for text in re.findall(r"`([^`]+)`", row):
            named.add(text if "/" in text or not room else f"{room}/{text}")
            room = text.rpartition("/")[0] or room
    folders = {str(each.parent.relative_to(PACKAGE)) for each in PACKAGE.rglob("__init__.py")} - {
        "."
    }
    listed = {each for each in folders if not each.startswith("papers/")}  # a folder for a paper
    listed -= {each for each in listed if each.endswith("/kernels")}
    assert listed <= named, listed - named
    for text in named:
        place = PACKAGE / text
        assert place.is_dir() or place.with_suffix(".py").is_file(), text
