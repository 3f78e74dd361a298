"""Roles written down for tables of other packages: one for each column, in fixed versions."""

import re
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLES = tomllib.loads((ROOT / "tests" / "corpus_roles.toml").read_text())["table"]
KEYS = ("identifiers", "quasi_identifiers", "sensitive", "other")


def test_every_column_has_one_role():
    for table in TABLES:
        columns = Counter(column for key in KEYS for column in table[key])
        assert set(columns.values()) == {1}, table["file"]


def test_at_least_ten_packages_are_fetched_in_the_versions_that_were_judged():
    wanted = {table["package"] for table in TABLES}
    lines = (ROOT / "tests" / "corpus_packages.txt").read_text().splitlines()
    assert {line for line in lines if not line.startswith("#")} == wanted
    assert len(wanted) >= 10


def test_the_table_of_the_documentation_is_about_these_tables_and_good_enough():
    page = (ROOT / "docs" / "init.md").read_text()
    rows = re.findall(r"^\| (\*\*)?(.+?)(?:\*\*)? \|(.*)\|$", page, re.MULTILINE)
    named = [name for bold, name, _ in rows if not bold and ": " in name]
    assert len(named) == len(TABLES)
    totals = {name: [c.strip() for c in cells.split("|")] for bold, name, cells in rows if bold}
    _, _, n_columns, identifiers, recall, precision, _ = totals["all"]
    assert int(n_columns) == sum(len(table[key]) for table in TABLES for key in KEYS)
    found, _, written = identifiers.partition(" of ")
    assert int(found) == int(written) == sum(len(table["identifiers"]) for table in TABLES)
    assert float(recall) > 0.9
    assert float(precision) > 0.7
