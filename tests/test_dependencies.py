"""The versions of other packages: the lowest that are allowed are the lowest that are tried."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def pins(file):
    """`{name: version}` of a constraints file."""
    lines = (ROOT / file).read_text().splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {name.lower(): version for name, version in pairs}


def bounds(requirements):
    """`{name: lowest version}`; None where any will do."""
    parts = [re.fullmatch(r"([\w-]+)(?:>=([\d.]+))?", each).groups() for each in requirements]
    return {name.lower(): version for name, version in parts}


def number(version):
    return tuple(int(part) for part in version.split("."))


LOWEST, TRIED = pins("constraints-lowest.txt"), pins("constraints.txt")
USED = ("factor", "files", "learn", "postgres", "spark")  # extras that users install
NEEDED = bounds([*PROJECT["dependencies"], *(each for name in USED for each in EXTRAS[name])])
BOUNDED = {name: v for name, v in bounds([*EXTRAS["test"]]).items() if v} | NEEDED


def test_all_that_users_install_has_a_lowest_version():
    assert all(NEEDED.values())


@pytest.mark.parametrize("name", sorted(BOUNDED))
def test_the_lowest_version_is_the_one_that_is_tried(name):
    assert LOWEST[name] == BOUNDED[name]
    assert number(BOUNDED[name]) <= number(TRIED[name])


def test_an_extra_asks_for_the_same_lowest_version_wherever_it_is_named():
    every = bounds(EXTRAS["test"])
    assert {name: every[name] for name in NEEDED if name in every} == {
        name: v for name, v in NEEDED.items() if name in every
    }


def test_what_only_runs_the_tests_is_the_same_in_both_files():
    others = {name: v for name, v in LOWEST.items() if name not in BOUNDED}
    assert others == {name: TRIED[name] for name in others}
