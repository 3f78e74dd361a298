"""Tables of levels and their files, those of ARX among them."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.hierarchies
import sfumato as sf
from data.hierarchy.grown import grow, path, paths, refusal
from properties.generated import trees
from sfumato.data.hierarchy import LevelTable
from sfumato.data.labels.writer import interval_labels


@given(trees("v"), st.randoms(use_true_random=False))
def test_a_table_grows_into_its_own_rows_in_tree_order(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    domain = grow(LevelTable(tuple(shuffled)), [rows[0][0]])
    assert sorted(paths(domain)) == sorted(rows)
    for value, *_ in rows:
        for level in range(len(rows[0])):
            rank = domain.labels.index(value)
            assert domain.taxonomy.labels[level][rank] == naive.hierarchies.label_at(
                rows, value, level
            )


@given(trees("v"), st.sampled_from([";", ","]), st.sampled_from(["\n", "\r\n"]))
def test_a_table_is_read_from_a_file_with_either_separator(tmp_path_factory, rows, sep, end):
    file = tmp_path_factory.mktemp("hierarchy") / "tree.csv"
    file.write_text("".join(sep.join(row) + end for row in rows), encoding="utf-8", newline="")
    assert sf.Hierarchy.from_csv(file).rows == tuple(rows)
    assert sf.Hierarchy.from_csv(str(file), sep=sep).rows == tuple(rows)


@pytest.fixture
def read(tmp_path):
    """Write a file and read it as a hierarchy."""

    def reading(text, **options):
        file = tmp_path / "tree.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return sf.Hierarchy.from_csv(file, **options)

    return reading


def test_a_file_may_have_a_byte_order_mark_quotes_and_empty_lines(read):
    text = '\ufeff"Smith; John";"a ""b""";*\n\n01234;x;*\n'
    assert read(text).rows == (("Smith; John", 'a "b"', "*"), ("01234", "x", "*"))


def test_the_separator_is_the_more_frequent_one_of_the_first_line(read):
    assert read("a,b;*\nc,d;*\n", sep=";").rows == (("a,b", "*"), ("c,d", "*"))
    assert read("a;b,c,*\nd;b,c,*\n").rows == (("a;b", "c", "*"), ("d;b", "c", "*"))


def test_a_table_without_a_common_root_gets_one(read):
    assert path(read("a;x\nb;y\n"), "a") == ("a", "x", "*")
    assert path(read("a\nb\n"), "a") == ("a", "*")
    assert path(read("a;World\nb;World\n"), "a") == ("a", "World")


def test_a_ragged_file_is_refused_with_the_line(read, tmp_path):
    error = refusal(lambda: read("a;x;*\nb;x;*\nc;*\n"))
    assert str(error) == f"{tmp_path / 'tree.csv'}, line 3: 2 fields where line 1 has 3"


def test_a_repeated_value_is_refused_with_both_lines_and_without_the_value(read, tmp_path):
    error = refusal(lambda: read("secret;x;*\nb;x;*\n\nsecret;y;*\n"))
    assert str(error) == f"{tmp_path / 'tree.csv'}, line 4: the ground value of line 1 again"
    assert error.values == ("secret",)


def test_a_file_that_does_not_nest_is_refused_when_it_is_grown(read):
    error = refusal(lambda: read("a;x;P;*\nb;x;Q;*\n").grow("job", ["a"]))
    assert str(error).startswith("column 'job': hierarchy table: not nested")


@pytest.mark.parametrize("text", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(read, text):
    assert str(refusal(lambda: read(text))).endswith("tree.csv: the hierarchy is empty")


def test_a_file_that_is_no_text_is_refused(read):
    assert str(refusal(lambda: read(b"\xff\xfe;x\n"))).endswith(": not UTF-8 text")


def test_a_file_that_cannot_be_read_is_refused_with_the_reason(tmp_path):
    absent = refusal(lambda: sf.Hierarchy.from_csv(tmp_path / "absent.csv"))
    assert str(absent).endswith("absent.csv: cannot read the hierarchy: no such file or directory")
    folder = refusal(lambda: sf.Hierarchy.from_csv(tmp_path))
    assert str(folder).endswith("cannot read the hierarchy: is a directory")


def test_a_table_without_rows_is_refused():
    assert str(refusal(lambda: LevelTable(()))) == "hierarchy table: no rows"


@pytest.mark.parametrize("rows", [(("a", "*"), ("b",)), ((), ())])
def test_a_ragged_table_is_refused(rows):
    error = refusal(lambda: LevelTable(rows))
    assert str(error) == "hierarchy table: every row needs the same number of levels"


def test_a_table_with_a_repeated_value_is_refused():
    error = refusal(lambda: LevelTable((("a", "*"), ("a", "*"))))
    assert "hierarchy table: a ground value stands in two places" in str(error)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        pytest.param("a\u2028b;*\nc;*\n", (("a\u2028b", "*"), ("c", "*")), id="line separator"),
        pytest.param("a\x0cb;*\nc;*\n", (("a\x0cb", "*"), ("c", "*")), id="form feed"),
        pytest.param('"a\nb";*\nc;*\n', (("a\nb", "*"), ("c", "*")), id="quoted line end"),
    ],
)
def test_only_line_ends_outside_quotes_end_a_line(read, text, rows):
    assert read(text).rows == rows


def test_a_ragged_file_with_an_empty_first_line_names_the_right_line(read):
    assert "line 3: 2 fields where line 2 has 3" in str(refusal(lambda: read("\na;x;*\nb;*\n")))


def test_a_label_that_is_a_page_long_is_refused_with_its_line(read):
    message = str(refusal(lambda: read("a;*\n" + "b" * 200_000 + ";*\n")))
    assert "tree.csv, line 2: field larger than field limit" in message


@pytest.mark.parametrize("sep", [";;", "", 5])
def test_a_separator_is_one_character(read, sep):
    message = str(refusal(lambda: read("a;;*\nb;;*\n", sep=sep)))
    assert message.endswith(f"tree.csv: sep must be one character, got {sep!r}")


HEIGHTS = {
    "age": 4,
    "education": 3,
    "marital-status": 2,
    "native-country": 2,
    "occupation": 2,
    "race": 1,
    "salary-class": 1,
    "sex": 1,
    "workclass": 2,
}


@pytest.mark.parametrize("name", HEIGHTS)
def test_the_hierarchies_of_arx_hold_every_value_of_its_adult_table(arx_adult, name):
    with (arx_adult / "adult.csv").open(newline="") as file:
        values = sorted({row[name] for row in csv.DictReader(file, delimiter=";")})
    with (arx_adult / f"adult_hierarchy_{name}.csv").open(newline="") as file:
        rows = [tuple(row) for row in csv.reader(file, delimiter=";")]
    domain = grow(sf.Hierarchy.from_csv(arx_adult / f"adult_hierarchy_{name}.csv"), values)
    assert domain.taxonomy.height == HEIGHTS[name]
    assert sorted(paths(domain)) == sorted(rows)
    assert domain.taxonomy.labels[-1][0] == "*"
    assert (domain.numbers is not None) == (name == "age")


def test_regions_over_the_trees_of_arx_are_nodes_ranges_or_sets(arx_adult):
    def published(name, values):
        rule = sf.Hierarchy.from_csv(arx_adult / f"adult_hierarchy_{name}.csv")
        domain, codes = rule.grow(name, values)
        ends = np.array([[codes.min(), codes.max()]], dtype=np.int32)
        return interval_labels(domain, ends)[0]

    assert published("age", ["17", "19"]) == "[17, 20)"
    assert published("age", ["41", "45"]) == "[41, 46)"
    assert published("sex", ["Male", "Female"]) == "*"
    assert published("education", ["Bachelors", "Doctorate"]) == "Higher education"
    parts = "{Undergraduate, Prof-school, Assoc-acdm}"
    assert published("education", ["Bachelors", "Assoc-acdm"]) == parts
