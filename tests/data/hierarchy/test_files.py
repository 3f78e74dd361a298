"""Hierarchies in files: ARX's tables, out and in again, and trees as TOML."""

import stat
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from data.hierarchy.grown import CODES, DATES, INTEGERS, paths, refusal
from sfumato.data.hierarchy import LevelTable
from sfumato.data.values import published_text

ODD = st.text("ab;,\"\n\r\ufeff'=*{", max_size=4)
ROWS = LevelTable((("x; y", "E", "*"), ("y", 'A "1"', "*"), ("z\nz", 'A "1"', "*")))
RULES = st.one_of(
    st.tuples(st.just(sf.Intervals(5, 10, 40)), INTEGERS),
    st.tuples(st.just(sf.Intervals(5, bottom=-10, top=90)), INTEGERS),
    st.tuples(st.just(sf.Prefix()), CODES),
    st.tuples(st.just(sf.Prefix(3, 1)), st.lists(ODD, min_size=1, max_size=6, unique=True)),
    st.tuples(st.just(sf.Dates()), DATES),
    st.tuples(st.just(sf.Dates("D.M.YYYY")), st.just(["4.7.1994", "31.12.1999", "04.07.1994"])),
    st.tuples(st.just(sf.Flat()), INTEGERS),
    st.tuples(st.just(ROWS), st.just([])),
    st.tuples(st.just(sf.Tree({"E": {"N": ["x"], "y": None}, "A": ["z, w"]})), st.just([])),
)


@given(RULES, st.sampled_from(";,\t"))
def test_what_is_written_for_arx_is_read_back_as_the_same_tree(tmp_path_factory, drawn, sep):
    rule, values = drawn
    file = tmp_path_factory.mktemp("hierarchy") / "tree.csv"
    assert rule.to_csv(file, [*values, None], sep) == file
    again = sf.Hierarchy.from_csv(file, None if sep in ";," else sep)
    expected, _ = rule.grow("column", values)
    domain, _ = again.grow("column", [])
    texts = [[published_text(label) for label in labels] for labels in expected.taxonomy.labels]
    assert paths(domain) == list(zip(*texts, strict=True))
    assert domain.taxonomy.low.tolist() == expected.taxonomy.low.tolist()
    assert domain.taxonomy.high.tolist() == expected.taxonomy.high.tolist()


def test_a_file_of_values_is_private_and_replaces_nothing(tmp_path):
    file = sf.Prefix().to_csv(tmp_path / "zip.csv", ["13053", "13068"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    error = refusal(lambda: sf.Prefix().to_csv(file, ["2"]))
    assert str(error).endswith("zip.csv: cannot write the hierarchy: file exists")
    assert file.read_text().startswith('"13053";"1305*";"130**"')


def test_an_open_rule_needs_values_to_be_written(tmp_path):
    error = refusal(lambda: sf.Prefix().to_csv(tmp_path / "zip.csv"))
    assert str(error) == "Hierarchy.to_csv: no values; give those that the data has"
    assert "sep must be one character" in str(
        refusal(lambda: sf.Prefix().to_csv(tmp_path / "zip.csv", ["1"], sep="::"))
    )


@pytest.mark.parametrize(
    "name",
    ["age", "education", "marital-status", "native-country", "occupation", "race", "workclass"],
)
def test_the_hierarchies_of_arx_are_written_as_they_were_read(arx_adult, tmp_path, name):
    rule = sf.Hierarchy.from_csv(arx_adult / f"adult_hierarchy_{name}.csv")
    again = sf.Hierarchy.from_csv(rule.to_csv(tmp_path / "tree.csv"))
    assert sorted(again.rows) == sorted(rule.rows)
    assert paths(again.grow("column", [])[0]) == paths(rule.grow("column", [])[0])


NAMES = st.text('ab. "=[]#\\\n\x7f\u202eé', min_size=1, max_size=4)


@st.composite
def nested(draw):
    """A tree whose leaves and nodes have odd names of their own."""
    names = draw(st.lists(NAMES, min_size=4, max_size=12, unique=True))
    leaves, nodes = names[len(names) // 2 :], names[: len(names) // 2]
    tree = {}
    for number, leaf in enumerate(leaves):
        node = draw(st.sampled_from([None, *nodes[:2]]))
        if node is None:
            tree[leaf] = None
        elif number % 2:
            tree.setdefault(node, {})[leaf] = None
        else:
            tree.setdefault(node, {}).setdefault(node + "/", []).append(leaf)
    return tree


@given(nested(), st.lists(NAMES, max_size=2))
def test_a_tree_written_as_toml_is_read_back_as_itself(tree, path):
    rule = sf.Tree(tree)
    read = tomllib.loads(rule.to_toml(*path))
    for name in path:
        read = read[name]
    assert sf.Hierarchy.from_spec(read, "here") == rule


def test_a_tree_of_a_job_file_may_have_leaves_beside_nodes():
    text = """
    [country.tree]
    Asia = ["Japan"]
    Europe = ["Malta", {North = ["Norway"]}]
    """
    rule = sf.Hierarchy.from_spec(tomllib.loads(text)["country"], "here")
    assert rule == sf.Tree({"Asia": ["Japan"], "Europe": {"Malta": None, "North": ["Norway"]}})
    assert tomllib.loads(rule.to_toml("country")) == tomllib.loads(text)


def test_a_node_without_leaves_is_not_left_out_in_silence():
    error = refusal(lambda: sf.Tree({"Asia": [], "Europe": ["Malta"]}))
    assert error.values == ("Asia",)
