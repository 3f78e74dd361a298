"""Compiled loops stand in files of their own, and a contract keeps these to arrays."""

import ast
import re
import tomllib
from pathlib import Path

import sfumato

SOURCE = Path(sfumato.__file__).parent
PROJECT = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text())
FIGURES = "papers"  # experiments, which have their loops beside them


def compiles(path: Path) -> bool:
    """Whether a file decorates a function by `compiled`."""
    return any(
        isinstance(node, ast.FunctionDef)
        and any(
            isinstance(each, ast.Name) and each.id == "compiled" for each in node.decorator_list
        )
        for node in ast.walk(ast.parse(path.read_text()))
    )


def test_every_file_that_compiles_a_loop_is_in_the_contract():
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    (loops,) = [each for each in contracts if each["name"].startswith("Compiled loops")]
    listed = [
        re.compile(re.escape(each).replace(r"\*\*", r"[\w.]+") + r"(\.\w+)?")
        for each in loops["source_modules"]
    ]
    modules = [
        ".".join(("sfumato", *path.relative_to(SOURCE).with_suffix("").parts))
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] != FIGURES and compiles(path)
    ]
    assert len(modules) > 8
    assert [each for each in modules if not any(one.fullmatch(each) for one in listed)] == []
