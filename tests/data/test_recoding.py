"""Decisions: what a cut or an assignment publishes, against generalizing row by row."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.groups
import naive.hierarchies
import naive.lattice
import sfumato as sf
from profiles import examples
from properties.generated import Generated, tables
from sfumato.data.labels.texts import Labels
from sfumato.data.labels.writer import interval_labels
from sfumato.data.recoding import Assignment, Bucketing, Cut, level_intervals, rows_in
from sfumato.errors import BadInput


@st.composite
def cuts(draw):
    """A table, a node of its lattice, and the cut at its levels."""
    table = draw(tables())
    node = draw(st.sampled_from(naive.lattice.all_nodes(naive.lattice.heights_of(table.paths))))
    frequencies = table.frequencies()
    levels = dict(zip(table.columns, node, strict=True))
    return table, node, frequencies, Cut.at_levels(frequencies.domains, levels)


def listed(labels):
    return {name: None if texts is None else list(texts) for name, texts in labels.items()}


def published(how, frequencies, table):
    """The published quasi-identifiers of every group, from the labels of its box."""
    labels = how.labels(frequencies.domains)
    ground = [frequencies.domains[name].labels for name in table.columns]
    found = []
    for box in how.grouping(frequencies).boxes:
        sides = zip(table.columns, ground, box[:, 0], strict=True)
        found.append(
            tuple(
                values[low] if labels[name] is None else labels[name][low]
                for name, values, low in sides
            )
        )
    return found


@examples(150)
@given(cuts())
def test_a_cut_at_levels_groups_the_rows_that_are_generalized_alike(drawn):
    table, node, frequencies, cut = drawn
    grouping = cut.grouping(frequencies)
    expected = naive.lattice.groups_at(table.rows, table.paths, node)
    found = dict(zip(published(cut, frequencies, table), grouping.sizes.tolist(), strict=True))
    assert found == {values: len(rows) for values, rows in expected.items()}
    histograms = grouping.groups().histogram.to_dense().tolist()
    names = frequencies.domains["s"].labels
    for values, counts in zip(published(cut, frequencies, table), histograms, strict=True):
        seen = {name: count for name, count in zip(names, counts, strict=True) if count}
        assert seen == naive.groups.histogram(row[-1] for row in expected[values])
    assert grouping.n_suppressed == 0


@given(cuts())
def test_the_box_of_a_group_is_the_node_of_every_row_in_it(drawn):
    table, node, frequencies, cut = drawn
    grouping = cut.grouping(frequencies)
    for j, (name, level) in enumerate(zip(table.columns, node, strict=True)):
        low, high = grouping.boxes[grouping.index, j].T
        codes, taxonomy = frequencies.codes(name), frequencies.domains[name].taxonomy
        assert (low == taxonomy.low[level, codes]).all()
        assert (high == taxonomy.high[level, codes]).all()


@given(cuts(), st.data())
def test_groups_listed_as_suppressed_are_left_out(drawn, data):
    _, _, frequencies, cut = drawn
    whole = cut.grouping(frequencies)
    n_groups = len(whole.boxes)
    unsafe = np.array(data.draw(st.lists(st.booleans(), min_size=n_groups, max_size=n_groups)))
    smaller = Cut.at_levels(frequencies.domains, cut.levels, whole.boxes[unsafe][:, :, 0])
    grouping = smaller.grouping(frequencies)
    assert grouping.boxes.tolist() == whole.boxes[~unsafe].tolist()
    assert grouping.n_suppressed == int(whole.sizes[unsafe].sum())
    assert smaller.n_suppressed(frequencies) == grouping.n_suppressed


@given(cuts())
def test_a_cut_is_looked_at_as_a_table_of_values_and_published_values(drawn):
    table, node, frequencies, cut = drawn
    listed = cut.as_table(frequencies.domains)
    rows = list(zip(*(listed[key] for key in ("attribute", "value", "published")), strict=True))
    assert set(rows) == {
        (name, labels[0], labels[level])
        for name, paths, level in zip(table.columns, table.paths, node, strict=True)
        for labels in paths
    }
    assert len(rows) == len(set(rows))


def test_a_column_at_its_ground_level_is_published_as_it_is():
    domains = {"q": sf.Tree({"E": ["x", "y"], "A": ["z"]}).grow("q", ["x"])[0]}
    assert listed(Cut.at_levels(domains, {"q": 0}).labels(domains)) == {"q": None}
    assert listed(Cut.at_levels(domains, {"q": 1}).labels(domains)) == {"q": ["E", "E", "A"]}
    assert listed(Cut.at_levels(domains, {"q": 2}).labels(domains)) == {"q": ["*", "*", "*"]}


def test_the_missing_value_stays_missing_below_the_root():
    domains = {"q": sf.Prefix().grow("q", ["130", "131", None])[0]}
    assert listed(Cut.at_levels(domains, {"q": 1}).labels(domains)) == {"q": ["13*", "13*", None]}
    assert listed(Cut.at_levels(domains, {"q": 3}).labels(domains)) == {"q": ["*", "*", "*"]}


def test_a_cut_of_intervals_that_are_no_nodes_is_published_as_ranges():
    domains = {"age": sf.Flat().grow("age", ["17", "23", "38", "52"])[0]}
    intervals = {"age": np.array([[0, 1], [0, 1], [2, 3], [2, 3]], dtype=np.int32)}
    cut = Cut(intervals, np.zeros((0, 1), dtype=np.int32))
    assert listed(cut.labels(domains)) == {"age": ["<30", "<30", ">=30", ">=30"]}
    assert cut.levels is None
    ground = {"age": np.array([[j, j] for j in range(4)], dtype=np.int32)}
    assert listed(Cut(ground, cut.suppressed).labels(domains)) == {"age": None}


@given(cuts())
def test_a_full_domain_recoding_knows_its_levels(drawn):
    table, node, _, cut = drawn
    assert cut.levels == dict(zip(table.columns, node, strict=True))
    assert not cut.splits


@given(cuts())
def test_intervals_of_a_level_are_the_nodes_around_each_value(drawn):
    table, node, frequencies, cut = drawn
    levels = dict(zip(table.columns, node, strict=True))
    intervals = level_intervals(frequencies.domains, levels)
    for name, paths, level in zip(table.columns, table.paths, node, strict=True):
        labels = frequencies.domains[name].labels
        for code, (low, high) in enumerate(intervals[name].tolist()):
            assert low <= code <= high
            assert high - low + 1 == naive.hierarchies.coverage(paths, labels[code], level)
        assert cut.intervals[name].tolist() == intervals[name].tolist()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=4),
)
def test_rows_are_found_among_the_listed_ones(rows, listed):
    def array(pairs):
        return np.array(pairs, dtype=np.int32).reshape(len(pairs), 2)

    assert rows_in(array(rows), array(listed)).tolist() == [row in listed for row in rows]


# ------------------------------------------------------------------------------------ assignments


@pytest.fixture
def people():
    """Six people of four combinations."""
    rows = [
        ("17", "F", "flu"),
        ("17", "F", "HIV"),
        ("23", "F", "flu"),
        ("38", "M", "acne"),
        ("52", "M", "flu"),
        ("52", "M", "flu"),
    ]
    rules = [sf.Flat(), sf.Tree(["F", "M"])]
    paths = [[(age, "*") for age in ("17", "23", "38", "52")], [("F", "*"), ("M", "*")]]
    return Generated(rows, paths, rules).frequencies()


BOXES = np.array([[[0, 1], [0, 0]], [[2, 3], [1, 1]]], dtype=np.int32)


def assignment(frequencies, parts, boxes=BOXES, **options):
    parts = np.array(parts, dtype=np.int64)
    return Assignment(frequencies.combinations, boxes, parts, **options)


def test_an_assignment_puts_whole_combinations_into_boxes(people):
    how = assignment(people, [(0, 0, 2), (1, 0, 1), (2, 1, 1), (3, 1, 2)])
    grouping = how.grouping(people)
    assert grouping.sizes.tolist() == [3, 3]
    assert grouping.boxes.tolist() == BOXES.tolist()
    flu = people.domains["s"].labels.index("flu")
    assert grouping.groups().histogram.to_dense()[:, flu].tolist() == [2, 2]
    assert listed(how.labels(people.domains)) == {"q0": ["<30", ">=30"], "q1": None}
    assert not how.splits
    assert how.levels is None


def test_people_assigned_to_no_box_are_suppressed(people):
    how = assignment(people, [(0, 0, 2), (1, 0, 1), (2, -1, 1), (3, -1, 2)], BOXES[:1])
    assert how.grouping(people).sizes.tolist() == [3]
    assert how.grouping(people).n_suppressed == 3
    assert how.n_suppressed(people) == 3


def test_a_combination_that_is_not_mentioned_is_in_no_box(people):
    how = assignment(people, [(0, 0, 2), (1, 0, 1)], BOXES[:1])
    assert how.grouping(people).n_suppressed == 3


def test_an_assignment_is_looked_at_as_a_table(people):
    how = assignment(people, [(0, 0, 2), (1, 0, 1), (2, 1, 1), (3, -1, 2)])
    assert how.as_table(people.domains) == {
        "q0": ["17", "23", "38", "52"],
        "q1": ["F", "F", "M", "M"],
        "published q0": ["<30", "<30", ">=30", None],
        "published q1": ["F", "F", "M", None],
        "suppressed": [False, False, False, True],
        "people": [2, 1, 1, 2],
    }


def test_texts_fixed_beforehand_are_published(people):
    texts = {"q0": ["young", "old"], "q1": None}
    given = {"q0": Labels.of(texts["q0"]), "q1": None}
    how = assignment(people, [(0, 0, 2), (1, 0, 1), (2, 1, 1), (3, 1, 2)], texts=given)
    assert listed(how.labels(people.domains)) == texts
    assert how.as_table(people.domains)["published q0"] == ["young", "young", "old", "old"]


def test_a_split_combination_has_no_single_group(people):
    how = assignment(people, [(0, 0, 1), (0, 1, 1), (1, 0, 1), (2, 1, 1), (3, 1, 2)])
    assert how.splits
    assert not how.has_one_box_each
    with pytest.raises(ValueError, match="a split combination has no single group"):
        how.grouping(people)


def test_an_assignment_may_tell_people_apart_by_their_sensitive_value(people):
    """Its combinations are then the keys of the frequency set themselves."""
    n = len(people)
    parts = np.stack([np.arange(n), np.arange(n) % 2, people.counts], axis=1)
    how = Assignment(people, BOXES, parts)
    assert how.grouping(people).index.tolist() == [j % 2 for j in range(n)]


# ------------------------------------------------------------------------------ what is published


def test_published_boxes_are_each_once_with_the_people_in_them(people):
    """Boxes 0 and 2 are the same, box 3 is empty."""
    boxes = np.concatenate([BOXES, BOXES[:1], [[[0, 0], [0, 0]]]])
    how = assignment(people, [(0, 0, 2), (1, 2, 1), (2, 1, 1), (3, -1, 2)], boxes)
    found, sizes = how.published_boxes(people)
    assert dict(zip(map(str, found.tolist()), sizes.tolist(), strict=True)) == {
        str(BOXES[0].tolist()): 3,
        str(BOXES[1].tolist()): 1,
    }


@given(cuts())
def test_published_boxes_of_a_cut_are_its_groups(drawn):
    _, _, frequencies, cut = drawn
    grouping = cut.grouping(frequencies)
    boxes, sizes = cut.published_boxes(frequencies)
    assert boxes.tolist() == grouping.boxes.tolist()
    assert sizes.tolist() == grouping.sizes.tolist()


@given(cuts())
def test_levels_of_a_tree_are_never_ambiguous(drawn):
    _, _, frequencies, cut = drawn
    cut.refuse_ambiguous(cut.labels(frequencies.domains), frequencies.domains)


def boxes_of_one_column(rule, values, sides):
    """Counted people with these values, and an assignment to boxes with these sides."""
    rows = [(value, "flu") for value in values]
    frequencies = Generated(rows, [], [rule]).frequencies()
    boxes = np.array([[side] for side in sides], dtype=np.int32)
    parts = [(c, c % 2, 1) for c in range(len(frequencies.combinations))]
    return frequencies, boxes, parts


@pytest.mark.parametrize(
    ("rule", "values", "sides", "texts"),
    [
        pytest.param(
            sf.Flat(),
            ["*", "a"],
            [(0, 0), (0, 1)],
            ['"*"', "*"],
            id="a value named like the root",
        ),
        pytest.param(
            sf.Tree({"Other": ["Other", "b"], "Y": ["c", "d"]}),
            ["b", "c"],
            [(0, 0), (0, 1)],
            ['"Other"', "Other"],
            id="a value named like its parent",
        ),
        pytest.param(
            sf.Tree(["a", "b, c", "a, b", "c", "d"]),
            ["a", "c"],
            [(0, 1), (2, 3)],
            ['{a, "b, c"}', '{"a, b", c}'],
            id="commas",
        ),
    ],
)
def test_intervals_whose_names_are_alike_are_told_apart_by_quotes(rule, values, sides, texts):
    frequencies, boxes, parts = boxes_of_one_column(rule, values, sides)
    how = assignment(frequencies, parts, boxes)
    labels = how.labels(frequencies.domains)
    assert listed(labels) == {"q0": texts}
    how.refuse_ambiguous(labels, frequencies.domains)


@pytest.mark.parametrize(
    ("rule", "values", "sides"),
    [
        pytest.param(
            sf.Flat(), ["-1", "-0", "0", "5", "7"], [(1, 3), (2, 3)], id="nought and minus nought"
        ),
        pytest.param(
            sf.Tree({"{a, b}": ["x", "y"], "Z": ["a", "b", "c"]}),
            ["x", "a"],
            [(0, 1), (2, 3)],
            id="a node named like a set of others",
        ),
    ],
)
def test_two_intervals_under_one_name_are_refused_and_the_name_kept_out(rule, values, sides):
    frequencies, boxes, parts = boxes_of_one_column(rule, values, sides)
    how = assignment(frequencies, parts, boxes)
    with pytest.raises(BadInput, match="column 'q0': a generalized value would be") as caught:
        how.refuse_ambiguous(how.labels(frequencies.domains), frequencies.domains)
    text = interval_labels(frequencies.domains["q0"], boxes[:, 0])[0]
    assert caught.value.values == (text,)
    assert str(text) not in str(caught.value)
    how = assignment(frequencies, parts, boxes[[0, 0]])
    how.refuse_ambiguous(how.labels(frequencies.domains), frequencies.domains)


# --------------------------------------------------------------- what all kinds of recodings say

DECIDED = {
    "a level per column": sf.Samarati(0.2),
    "a cut": sf.TopDown("cut"),
    "boxes": sf.Mondrian(),
    "boxes that split combinations": sf.Mondrian(strict=False),
    "local recoding": sf.TopDown(seed=3),
    "two tables": sf.Anatomy(),
    "two tables, some people left out": sf.GreedyGrouping(),
}


@pytest.fixture(scope="module", params=DECIDED)
def decided(request):
    draw = np.random.default_rng(4)
    columns = {"age": draw.integers(20, 50, 150), "zip": draw.choice(["01", "02", "11", "13"], 150)}
    source = pa.table(columns | {"s": draw.choice(["flu", "cold", "gout", "mumps"], 150)})
    table = sf.read(source, {"age": sf.Intervals(5, 10), "zip": sf.Prefix()}, sensitive="s")
    criterion = sf.KAnonymity(3) & sf.LDiversity(2)
    release = sf.anonymize(table, criterion, DECIDED[request.param])
    return release.recoding, release.private.frequencies


def test_everybody_is_placed_once_in_a_box_around_them(decided):
    recoding, frequencies = decided
    placed = recoding.placement(frequencies)
    assert placed.people.sum() == frequencies.n_rows
    kept = placed.box >= 0
    assert placed.people[~kept].sum() == recoding.n_suppressed(frequencies)
    assert recoding.sizes(frequencies).sum() == placed.people[kept].sum()
    boxes = placed.boxes[placed.box[kept]]
    for j, name in enumerate(frequencies.quasi_identifiers):
        codes = placed.frequencies.codes(name)[placed.key[kept]]
        assert (boxes[:, j, 0] <= codes).all()
        assert (codes <= boxes[:, j, 1]).all()


def test_where_every_combination_has_one_box_its_labels_stand_for_its_sides(decided):
    recoding, frequencies = decided
    ground = frequencies.combinations
    if not recoding.follows_quasi_identifiers:
        assert recoding.splits or recoding.buckets is not None or recoding.combinations.sensitive
        return
    assert recoding.has_one_box_each
    grouping = recoding.grouping(ground)
    kept = grouping.index >= 0
    for j, name in enumerate(ground.columns):
        sides = recoding.sides(name)[recoding.label_of(name, ground)]
        assert (sides[kept] == grouping.boxes[grouping.index[kept], j]).all()


def test_boxes_that_other_data_may_use_are_those_that_somebody_is_in(decided):
    recoding, frequencies = decided
    carried = recoding.boxes_for_other_data(frequencies)
    if recoding.splits or recoding.buckets is not None:
        assert carried is None
        return
    boxes, labels = carried
    published, _ = recoding.published_boxes(frequencies)
    assert {box.tobytes() for box in published} <= {box.tobytes() for box in boxes}
    on_grid = recoding.placement(frequencies).on_grid
    for j, name in enumerate(frequencies.quasi_identifiers):
        if labels[name] is not None:
            expected = interval_labels(frequencies.domains[name], boxes[:, j], on_grid=on_grid)
            assert list(labels[name]) == list(expected)


def test_only_two_tables_have_buckets_and_only_cuts_have_lows(decided):
    recoding, frequencies = decided
    names = frequencies.quasi_identifiers
    assert isinstance(recoding, Bucketing) == (recoding.buckets is recoding)
    assert isinstance(recoding, Cut) == all(recoding.lows(name) is not None for name in names)
    if recoding.buckets is None:
        return
    members = recoding.buckets.members("s")
    assert members.people.sum() == members.histogram.counts.sum()
    assert members.people.sum() == recoding.sizes(frequencies).sum()
    with pytest.raises(ValueError, match="two tables have no boxes"):
        recoding.grouping(frequencies)
