"""How a hierarchy fits a column: nodes with their people, and gaps on both sides."""

import json
import os
import pty
import subprocess
import sys
import time
import tomllib

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.hierarchies
import sfumato as sf
from cli.common import JOB, run
from data.hierarchy.grown import paths
from profiles import examples
from properties.generated import trees
from sfumato.data.hierarchy import LevelTable
from sfumato.hierarchy_fit import HierarchyFit


def fitted(values, rule):
    table = sf.read(pa.table({"q": values, "s": ["x"] * len(values)}), {"q": rule}, "s")
    return HierarchyFit.of(table, "q")


def nodes_of(fit):
    """All nodes by walking down."""
    waiting, found = [fit.root], []
    while waiting:
        found.append(waiting.pop())
        waiting += fit.children(found[-1])
    return found


@examples(60)
@given(trees("v"), st.data())
def test_every_node_has_the_people_of_its_values_and_gaps_are_named(rows, data):
    leaves = [row[0] for row in rows]
    values = data.draw(st.lists(st.sampled_from([*leaves, "new", "other"]), min_size=1))
    fit = fitted(values, LevelTable(tuple(rows)))
    n_people = {leaf: values.count(leaf) for leaf in leaves}
    lacking = {v: values.count(v) for v in ("new", "other") if v in values}
    assert fit.lacking == lacking
    grown = paths(fit.domain)
    for level, expected in zip(
        fit.levels, naive.hierarchies.people_of_nodes(grown, n_people), strict=True
    ):
        some = [n for n in expected.values() if n]
        assert (level.n_nodes, level.n_empty) == (len(expected), list(expected.values()).count(0))
        assert (level.fewest, level.most) == (min(some, default=0), max(some, default=0))
    for node in nodes_of(fit):
        below = fit.domain.labels[node.low : node.high + 1]
        assert node.n_people == sum(n_people[leaf] for leaf in below)
    empty = {frozenset(fit.domain.labels[n.low : n.high + 1]) for n in fit.nobodys}
    assert empty == naive.hierarchies.largest_empty(grown, n_people)
    assert bool(fit.gaps) == bool(lacking or 0 in n_people.values())


def test_tails_missing_values_and_what_is_no_number():
    fit = fitted(["3", "17", "40", None, "97", "?"], sf.Intervals(10, bottom=18, top=90))
    assert fit.lacking == {"?": 1}
    assert [*fit.lines()] == ["*: 5", "  <18: 2", "  40: 1", "  >=90: 1", "  (missing): 1"]


def test_sets_of_values_count_each_for_itself():
    rows = pa.table({"q": ["a", "b"], "s": [["x", "y"], ["x"]]})
    fit = HierarchyFit.of(sf.read(rows, ["q"], "s"), "s")
    assert [*fit.lines()] == ["*: 3", "  x: 2", "  y: 1"]


def test_people_are_counted_and_not_their_rows():
    rows = pa.table({"who": [1, 1, 2], "q": ["a", "a", "b"], "s": ["x", "y", "x"]})
    table = sf.read(rows, ["q"], "s", person="who")
    assert table.people_by_value("q") == {"a": 1, "b": 1}
    assert table.people_by_value("s") == {"x": 2, "y": 1}


def test_many_nodes_are_cut_short_unless_all_are_asked_for():
    fit = fitted([f"{n:03d}" for n in range(200)], sf.Flat())
    lines = [*fit.lines()]
    assert len(lines) == 22
    assert lines[-1] == "  ... and 180 more: 180"
    assert len([*fit.lines(every=True)]) == 201


@pytest.mark.parametrize("rule", [sf.Prefix(4, 2), sf.Flat()], ids=str)
def test_fifty_thousand_codes_are_shown_in_a_moment(rule):
    start = time.perf_counter()
    fit = fitted([f"{n:06d}" for n in range(50_000)], rule)
    assert len([*fit.lines(every=True)]) > 50_000
    assert fit.to_json(values=True)["nobodys"]["values"] == 0
    assert time.perf_counter() - start < 30  # a few seconds on an idle machine


# ------------------------------------------------------------------------------ the command line

TREE = """[columns.quasi_identifiers.sex.tree]
Known = ["female", "male"]
Rest = ["diverse", "unknown"]
"""


@pytest.fixture
def job(tmp_path):
    (tmp_path / "patients.csv").write_bytes(sf.datasets.patients().read_bytes())
    text = JOB.replace("sex = { flat = true }\n", TREE).replace(
        "{ prefix = true }", "{ prefix = 3 }"
    )
    (tmp_path / "job.toml").write_text(text)
    return tmp_path / "job.toml"


def test_a_pipe_and_json_get_numbers_and_no_names(job):
    for options in ([], ["--json"]):
        result = run("hierarchy", "show", job, "sex", *options)
        assert result.exit_code == 0, result.stderr
        for name in ("male", "diverse", "Rest", "Known"):
            assert name not in result.stdout
    found = json.loads(result.stdout)
    assert found["lacking"]["values"] == 1
    assert found["nobodys"] == {"values": 2, "nodes": 1}
    assert found["people"] + found["lacking"]["people"] == 2000


def test_names_are_shown_when_they_are_asked_for(job):
    result = run("hierarchy", "show", job, "sex", "--show-values")
    assert "  Known: " in result.stdout
    assert "Not in the hierarchy: other" in result.stdout
    assert "Nobody's: Rest" in result.stdout
    found = json.loads(run("hierarchy", "show", job, "sex", "--show-values", "--json").stdout)
    assert found["lacking"]["named"] == ["other"]
    assert found["tree"]["name"] == "*"


def test_a_terminal_gets_the_names(job):
    ours, theirs = pty.openpty()
    code = "from sfumato.cli.app import main; main()"
    command = [sys.executable, "-c", code, "hierarchy", "show", str(job), "sex"]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert done.returncode == 0, done.stderr
    assert "Nobody's: Rest" in shown


def test_an_exported_hierarchy_is_read_by_a_job(job, tmp_path):
    result = run("hierarchy", "export", job, "zip", tmp_path / "zip.csv")
    assert result.exit_code == 0, result.stderr
    rule = sf.Hierarchy.from_csv(tmp_path / "zip.csv")
    assert {len(row) for row in rule.rows} == {3}
    again = run("hierarchy", "export", job, "zip", tmp_path / "zip.csv")
    assert (again.exit_code, "file exists" in again.stderr) == (2, True)
    lacking = run("hierarchy", "export", job, "sex", tmp_path / "sex.csv")
    assert "column 'sex': 1 distinct values are missing from its hierarchy" in lacking.stderr
    assert not (tmp_path / "sex.csv").exists()


@pytest.mark.parametrize("kind", ["toml", "csv"])
def test_a_proposed_tree_is_a_start_to_edit(job, tmp_path, kind):
    file = tmp_path / f"tree.{kind}"
    result = run("hierarchy", "propose", job, "disease", file)
    assert result.exit_code == 0, result.stderr
    diseases = {*sf.read(sf.datasets.patients(), ["age"], "disease").domains["disease"].labels}
    if kind == "toml":
        spec = tomllib.loads(file.read_text())["columns"]["hierarchies"]["disease"]
        rule = sf.Hierarchy.from_spec(spec, "here")
    else:
        rule = sf.Hierarchy.from_csv(file)
    assert {*rule.grow("disease", [])[0].labels} == diseases - {None}


def test_a_column_without_a_hierarchy_is_refused(job, tmp_path):
    for command in (["show", job, "sax"], ["export", job, "name", tmp_path / "x.csv"]):
        result = run("hierarchy", *command)
        assert result.exit_code == 2
        assert "is neither a quasi-identifier nor sensitive" in result.stderr
