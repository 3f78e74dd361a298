"""What drives the risk: every number against rows, pairs and orders, on generated tables."""

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.groups
import naive.hierarchies
import naive.lattice
import naive.loss
import naive.recognition
import sfumato as sf
from profiles import examples
from properties.generated import tables as generated
from sfumato import risk as module
from sfumato.data.frequency import FrequencySet
from sfumato.html import html_table
from sfumato.progress import listening
from sfumato.risk import Drivers
from worked_examples import tables

# One to five columns of few values: so few that some columns say nothing new.
CODED = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.tuples(*[st.integers(0, 2)] * n), min_size=1, max_size=12)
)


def frequencies_of(rows, counts=None) -> FrequencySet:
    """Count rows of codes, some of them several times."""
    names = [f"q{j}" for j in range(len(rows[0]))]
    codes = np.array(rows, dtype=np.int32)
    domains, coded = {}, {}
    for j, name in enumerate(names):
        values = sorted({row[j] for row in rows})
        domains[name], order = sf.Flat().grow(name, values)
        coded[name] = order[np.searchsorted(values, codes[:, j])]
    counts = np.array([1] * len(rows) if counts is None else counts, dtype=np.int64)
    return FrequencySet.from_codes(domains, names, [], coded, counts)


def table_of(columns: dict, **roles) -> sf.Table:
    return sf.read(pa.table(columns), roles.pop("quasi_identifiers", list(columns)), **roles)


@examples(150)
@given(CODED)
def test_every_subset_is_measured_as_its_rows_are(rows):
    found = Drivers.of(frequencies_of(rows))
    n = len(rows[0])
    wanted = [chosen for size in range(1, n + 1) for chosen in combinations(range(n), size)]
    assert [each.columns for each in found.subsets] == [
        tuple(f"q{j}" for j in chosen) for chosen in wanted
    ]
    for subset, chosen in zip(found.subsets, wanted, strict=True):
        sizes = naive.recognition.sizes_of(rows, chosen)
        assert subset.n_distinct == len(sizes)
        assert subset.distinction == Fraction(len(sizes), len(rows))
        assert subset.marketer == naive.recognition.right_guesses(rows, chosen)
        assert subset.separation == naive.recognition.separation(rows, chosen)
        assert subset.n_alone == naive.recognition.people_below(rows, chosen, 2)
        assert subset.smallest == min(sizes)
    assert found.note is None


@examples(100)
@given(CODED)
def test_contributions_are_averages_over_all_orders(rows):
    found = Drivers.of(frequencies_of(rows))
    everything = range(len(rows[0]))

    def worth(chosen):
        return Fraction(len(naive.recognition.sizes_of(rows, chosen)), len(rows))

    expected = naive.recognition.shapley(worth, everything)
    assert {each.name: each.shapley for each in found.attributes} == {
        f"q{j}": share for j, share in expected.items()
    }
    shares = [each.contribution for each in found.attributes]
    assert sum(shares) == worth(everything) - Fraction(1, len(rows))
    assert shares == sorted(shares, reverse=True)
    for each in found.attributes:
        rest = [j for j in everything if f"q{j}" != each.name]
        assert each.distinction_without == worth(rest)
        assert each.leave_one_out == worth(everything) - worth(rest)
        assert each.n_alone_without == naive.recognition.people_below(rows, rest, 2)


@examples(100)
@given(CODED)
def test_the_raw_risk_is_that_of_the_rows(rows):
    raw = Drivers.of(frequencies_of(rows)).raw
    columns = range(len(rows[0]))
    sizes = naive.recognition.sizes_of(rows, columns)
    assert (raw.n_rows, raw.n_groups, raw.smallest) == (len(rows), len(sizes), min(sizes))
    assert raw.prosecutor == Fraction(1, min(sizes))
    assert raw.marketer == naive.recognition.right_guesses(rows, columns)
    assert raw.average_group_size == Fraction(len(rows), len(sizes))
    assert raw.n_alone == naive.recognition.people_below(rows, columns, 2)
    assert raw.below == {
        k: Fraction(naive.recognition.people_below(rows, columns, k), len(rows))
        for k in (2, 3, 5, 10, 20)
    }


@examples(150)
@given(generated(), st.integers(1, 6), st.data())
def test_one_more_level_is_the_next_node_of_the_lattice(table, k, data):
    heights = naive.lattice.heights_of(table.paths)
    node = data.draw(st.sampled_from(naive.lattice.all_nodes(heights)))
    levels = dict(zip(table.columns, node, strict=True))
    found = Drivers.of(table.frequencies(), levels, k)
    rows, columns = table.rows, range(len(node))
    here = naive.lattice.generalize(rows, table.paths, node)
    assert found.n_below == naive.recognition.people_below(here, columns, k)
    assert found.levels == levels
    assert {step.attribute for step in found.one_more_level} == {
        name
        for name, level, height in zip(table.columns, node, heights, strict=True)
        if level < height
    }
    for step in found.one_more_level:
        j = table.columns.index(step.attribute)
        above = tuple(level + (i == j) for i, level in enumerate(node))
        there = naive.lattice.generalize(rows, table.paths, above)
        assert step.level == above[j]
        assert step.smallest == min(naive.recognition.sizes_of(there, columns))
        assert step.n_alone == naive.recognition.people_below(there, columns, 2)
        assert step.n_below == naive.recognition.people_below(there, columns, k)
        assert step.n_protected == found.n_below - step.n_below >= 0
        assert step.marketer == naive.recognition.right_guesses(there, columns)
        assert step.loss_before == naive.loss.column_loss(rows, table.paths, j, node[j])
        assert step.loss_after == naive.loss.column_loss(rows, table.paths, j, above[j])
        if step.loss_after == step.loss_before:
            assert step.n_protected == 0  # so nothing is ever protected for free
    order = [step.protected_per_loss for step in found.one_more_level]
    assert order == sorted(order, reverse=True)


@examples(50)
@given(CODED)
def test_little_memory_costs_time_and_changes_nothing(rows):
    frequencies = frequencies_of(rows)
    plenty = Drivers.of(frequencies)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "HELD", 3)
        assert Drivers.of(frequencies) == plenty


# ------------------------------------------------------------------------------ Ciriani's figure 1


@pytest.fixture
def figure_1() -> sf.Table:
    columns = dict(
        zip(tables.CIRIANI_FIG1_COLUMNS, zip(*tables.CIRIANI_FIG1, strict=True), strict=True)
    )
    trees = [tables.CIRIANI_ZIP, tables.CIRIANI_MARITAL, tables.CIRIANI_SEX]
    return table_of(
        {name: list(values) for name, values in columns.items()},
        quasi_identifiers={
            name: sf.Hierarchy.from_spec(
                {"level_table": naive.hierarchies.hierarchy_from_parents(parents)}, name
            )
            for name, parents in zip(tables.CIRIANI_QI, trees, strict=True)
        },
        sensitive="Disease",
        identifiers=["id"],
    )


def test_figure_1_is_1_anonymous_and_2_anonymous_in_marital_status(figure_1):
    found = sf.drivers(figure_1)
    by_columns = {each.columns: each for each in found.subsets}
    assert by_columns[tables.CIRIANI_QI].smallest == found.raw.smallest == 1
    assert by_columns["MaritalStatus",].smallest == 2
    assert found.raw.n_alone == len(tables.CIRIANI_SUPPRESSED_FOR_K2)
    assert found.raw.n_groups == 7
    assert by_columns["Sex",].separation == Fraction(24, 45)  # 6 M and 4 F


def test_figure_1_says_what_each_column_adds(figure_1):
    found = sf.drivers(figure_1)
    assert {each.name: each.distinction_without for each in found.attributes} == {
        "ZIP": Fraction(6, 10),
        "MaritalStatus": Fraction(7, 10),  # ZIP and Sex already tell as many apart as all three
        "Sex": Fraction(7, 10),
    }
    # By hand, from 4, 4, 2 values, 7, 7, 6 pairs of values, and 7 of all three.
    assert [(each.name, each.shapley) for each in found.attributes] == [
        ("ZIP", Fraction(16, 60)),
        ("MaritalStatus", Fraction(13, 60)),
        ("Sex", Fraction(7, 60)),
    ]


def test_a_step_from_the_levels_of_a_release(figure_1):
    """Figure 5(c), [1,1,0] with tuple 10 suppressed; without suppression it is alone."""
    release = sf.anonymize(figure_1, sf.KAnonymity(3), sf.Samarati(max_suppressed=2))
    found = sf.drivers(figure_1, release.levels, k=3)
    assert found.levels == release.levels == {"ZIP": 1, "MaritalStatus": 1, "Sex": 0}
    assert found.n_below == 1
    steps = {step.attribute: step for step in found.one_more_level}
    assert steps["ZIP"].loss_before == Fraction(1, 3)
    assert steps["ZIP"].loss_after == 1
    assert steps["ZIP"].n_alone == 1  # (220**, never_married, F) is tuple 10 alone: figure 5(b)
    assert steps["MaritalStatus"].n_alone == 1  # (2204*, F) as well
    assert steps["Sex"].n_alone == 1


# --------------------------------------------------------------------------------------- the edges


def test_one_row_is_one_person_alone():
    found = sf.drivers(table_of({"age": [30], "sex": ["F"]}))
    assert found.raw.prosecutor == found.raw.marketer == 1
    assert all(each.separation == 0 for each in found.subsets)
    assert all(each.distinction == 1 for each in found.subsets)
    assert [each.contribution for each in found.attributes] == [0, 0]
    assert [each.n_alone_without for each in found.attributes] == [1, 1]


def test_one_column_is_all_there_is():
    found = sf.drivers(table_of({"age": [30, 30, 40]}))
    (only,) = found.attributes
    assert only.shapley == only.leave_one_out == Fraction(1, 3)
    assert only.distinction_without == Fraction(1, 3)
    assert only.n_alone_without == 0
    assert [each.columns for each in found.subsets] == [("age",)]


def test_one_value_says_nothing_and_a_level_more_of_it_protects_nobody():
    found = sf.drivers(table_of({"here": ["x"] * 3, "age": [1, 2, 2]}), k=2)
    assert {each.name: each.contribution for each in found.attributes} == {
        "age": Fraction(1, 3),
        "here": 0,
    }
    assert [step.attribute for step in found.one_more_level] == ["age", "here"]
    assert found.one_more_level[1].protected_per_loss == 0
    assert found.one_more_level[1].loss_after == 0


def test_a_missing_value_tells_people_apart_like_any_other():
    found = sf.drivers(table_of({"age": [1, None, None]}))
    assert found.subsets[0].n_distinct == 2


def test_counts_beyond_32_bits_are_exact():
    big = 2**40
    rows, counts = [(0, 0), (0, 1), (1, 0)], [big, big + 1, 1]
    n = 2 * big + 2
    found = Drivers.of(frequencies_of(rows, counts), k=big + 1)
    first, second, both = found.subsets
    assert both.distinction == Fraction(3, n)
    pairs = big * (big + 1) + big + (big + 1)
    assert both.separation == Fraction(2 * pairs, n * (n - 1))
    assert first.separation == Fraction(2 * (2 * big + 1), n * (n - 1))
    assert second.smallest == big + 1
    assert found.n_below == big + 1
    assert found.raw.below[20] == Fraction(1, n)
    assert sum(each.contribution for each in found.attributes) == Fraction(2, n)


def test_twelve_quasi_identifiers_leave_subsets_out_and_say_so():
    draw = np.random.default_rng(5)
    rows = [tuple(row) for row in draw.integers(0, 2, (40, 12)).tolist()]
    found = Drivers.of(frequencies_of(rows))
    assert {len(each.columns) for each in found.subsets} == {1, 2, 11, 12}
    assert len(found.subsets) == 12 + 66 + 12 + 1
    assert found.note == (
        "4004 subsets, of 3 to 10 of the 12 quasi-identifiers, were left out; so what a column "
        "adds is what it adds to all others, not its Shapley value"
    )
    for subset in found.subsets:
        chosen = [int(name[1:]) for name in subset.columns]
        assert subset.n_distinct == len(naive.recognition.sizes_of(rows, chosen))
        assert subset.separation == naive.recognition.separation(rows, chosen)
    for each in found.attributes:
        assert each.shapley is None
        assert each.contribution == each.leave_one_out
    assert found.note in repr(found)
    assert found.note in found._repr_html_()


def test_ten_quasi_identifiers_leave_nothing_out():
    rows = [tuple(int(i == j) for j in range(10)) for i in range(10)]
    found = Drivers.of(frequencies_of(rows))
    assert found.note is None
    assert len(found.subsets) == 2**10 - 1
    assert {each.shapley for each in found.attributes} == {Fraction(9, 100)}  # all alike


def test_where_no_step_protects_anybody_yet_the_lower_risk_stands_first():
    found = sf.drivers(table_of({"here": ["x"] * 4, "sex": list("FFMM"), "age": [1, 2, 3, 4]}), k=9)
    assert [step.n_protected for step in found.one_more_level] == [0, 0, 0]
    assert [step.attribute for step in found.one_more_level] == ["age", "here", "sex"]


def test_at_the_top_there_is_no_step():
    found = sf.drivers(table_of({"age": [1, 2], "sex": ["F", "M"]}), {"age": 1, "sex": 1}, k=3)
    assert found.one_more_level == ()
    assert found.n_below == 2
    assert "No column has more levels; now 2 people in groups below 3" in repr(found)


def test_levels_that_are_not_named_are_at_the_ground():
    table = table_of({"age": [1, 2], "sex": ["F", "M"]})
    assert sf.drivers(table, {"sex": np.int64(1)}).levels == {"age": 0, "sex": 1}


@pytest.mark.parametrize(
    ("levels", "k", "said"),
    [
        ({"agee": 1}, 5, "drivers: unknown quasi-identifier 'agee'; did you mean 'age'?"),
        ({7: 1}, 5, "drivers: unknown quasi-identifier 7; known are 'age', 'sex'"),
        ({"age": 2}, 5, "drivers: 'age' has levels 0 to 1, got 2"),
        ({"age": -1}, 5, "drivers: 'age' has levels 0 to 1, got -1"),
        ({"age": True}, 5, "drivers: 'age' has levels 0 to 1, got True"),
        ({"age": 0.5}, 5, "drivers: 'age' has levels 0 to 1, got 0.5"),
        ([0, 1], 5, "drivers: levels must be given by column, got a list"),
        (None, 0, "drivers: k must be an integer >= 1, got 0"),
        (None, 2.5, "drivers: k must be an integer >= 1, got 2.5"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(levels, k, said):
    with pytest.raises(sf.BadInput) as caught:
        sf.drivers(table_of({"age": [1, 2], "sex": ["F", "M"]}), levels, k)
    assert str(caught.value) == said


def test_only_a_table_has_drivers():
    with pytest.raises(sf.BadInput, match=r"drivers: expected a table from sf\.read, got list"):
        sf.drivers([1, 2])


# ------------------------------------------------------------------------------- what is given out


def test_json_holds_plain_names_and_numbers_only(figure_1):
    found = sf.drivers(figure_1)
    plain = found.to_json()
    assert json.loads(json.dumps(plain)) == plain
    assert set(plain) == {
        *("raw", "subsets", "attributes", "k", "levels", "below_k", "one_more_level", "note")
    }
    assert plain["raw"]["share_below"]["2"] == 0.4
    assert plain["subsets"][-1]["distinction"] == 0.7
    assert "22030" not in json.dumps(plain)  # no value of the data


def test_what_a_person_reads_is_aligned(figure_1):
    text = repr(sf.drivers(figure_1, k=2))
    assert text.startswith("10 rows in 7 groups, 4 people alone in theirs\n")
    lines = text.splitlines()
    start = lines.index("What each column adds to distinction")
    assert len({len(line) for line in lines[start + 1 : start + 5]}) == 1
    assert "One more level on one column; now 4 people in groups below 2" in lines


def test_names_of_columns_are_never_markup_and_never_break_a_line():
    found = sf.drivers(table_of({"<script>\n": [1, 2], "b": [1, 1]}))
    assert "<script>" not in found._repr_html_()
    assert "&lt;script&gt;" in found._repr_html_()
    assert "<script>\\n" in repr(found)


def test_a_share_that_is_not_quite_everything_is_not_written_as_such():
    found = Drivers.of(frequencies_of([(0,), (1,)], [2**40, 1]))
    assert "0.000000000091%" in repr(found)
    found = sf.drivers(table_of({"age": [*range(3000), 0]}))
    assert "99.967%" in repr(found)


def test_html_escapes_header_cells_and_caption():
    text = html_table(["<a>"], [['"&']], "<c>")
    assert text == (
        "<table><caption>&lt;c&gt;</caption><tr><th>&lt;a&gt;</th></tr>"
        "<tr><td>&quot;&amp;</td></tr></table>"
    )


def test_long_work_reports_how_far_it_is(figure_1):
    heard = []
    with listening(lambda stage, done, total: heard.append((stage, done, total))):
        sf.drivers(figure_1)
    assert ("comparing columns", 6, 7) in heard
    assert ("one more level", 2, 3) in heard


def test_the_subsets_of_adult_agree_with_counting_each_from_the_ground():
    rules = sf.datasets.adult_hierarchies()
    names = ["age", "education", "marital-status", "occupation", "sex", "native-country"]
    source = sf.datasets.adult("test")
    found = sf.drivers(sf.read(source, {name: rules[name] for name in names}))
    assert len(found.subsets) == 2**6 - 1
    columns = {name: source[name].to_pylist() for name in names}
    for subset in found.subsets[::7]:
        rows = list(zip(*(columns[name] for name in subset.columns), strict=True))
        sizes = naive.groups.histogram(rows).values()
        assert subset.n_distinct == len(sizes)
        assert subset.n_alone == sum(size == 1 for size in sizes)
