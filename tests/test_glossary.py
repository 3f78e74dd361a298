"""The glossary is about things that are there, each under one word."""

import importlib
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| (?!word )[a-z]", line)
]


def exists(name: str) -> bool:
    """Find a module, or what stands in one, below the package."""
    try:
        importlib.import_module(f"sfumato.{name}")
    except ModuleNotFoundError:
        above, _, last = name.rpartition(".")
        return bool(above) and hasattr(importlib.import_module(f"sfumato.{above}"), last)
    return True


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_word_names_something_that_is_in_the_code(row):
    word, meaning, code, *others = row
    names = re.findall(r"`([\w.]+)`", code)
    assert names, f"{word}: no place in the code"
    assert all(exists(name) for name in names), f"{word}: {code}"
    assert len(meaning) > 10
    assert len(others) == 3
    assert all(others), f"{word}: a dash where a source has no word"


def test_every_word_stands_once_and_the_page_is_linked():
    words = [row[0] for row in ROWS]
    assert len(words) >= 30
    assert len(set(words)) == len(words)
    readme = Path(__file__).parents[1] / "README.md"
    assert "docs/glossary.md" in readme.read_text(encoding="utf-8")


def test_a_name_that_is_not_there_is_noticed():
    assert exists("data.keys")
    assert not exists("data.keys.Nothing")
