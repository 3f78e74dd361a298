"""Who fits a published label: every kind of hierarchy and of label, against reading rows."""

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.labels
import sfumato as sf
from profiles import examples
from sfumato.attacks import Target
from sfumato.attacks.matching import fitting, people_in
from sfumato.data.values import published_text

NESTED = {"a": {"a1": None, "a2": ["x", "y"]}, "b": ["b1", "b2"], "lone": None}
UNDER = {
    "a1": {"a", "*"},
    "x": {"a2", "a", "*"},
    "y": {"a2", "a", "*"},
    "b1": {"b", "*"},
    "b2": {"b", "*"},
    "lone": {"*"},
}
TABLE = [("1", "few", "any"), ("2", "few", "any"), ("10", "many", "any"), ("20", "many", "any")]


def numbers_under(value, label):
    return value is not None and not label.startswith("[") and same_number(value, label)


def same_number(value, label):
    try:
        return Decimal(str(value)) == Decimal(label)
    except ArithmeticError:
        return False


def masked(value, label):
    kept = label.rstrip("*")
    return (
        value is not None
        and label.endswith("*")
        and len(value) > len(kept)
        and value.startswith(kept)
    )


def in_calendar(value, label):
    if value is None:
        return False
    decade = f"{str(value)[:3]}0s"
    return label in (str(value)[:7], str(value)[:4], decade)


def number(text):
    return Decimal(str(text))


# name -> hierarchy, values, whether a label is above a value, what ranges compare, Arrow's type
KINDS = {
    "intervals": (sf.Intervals(5, 10), [1, 4, 5, 12, 19, 20, 33], numbers_under, number, "int64"),
    "decimals": (
        sf.Intervals(0.5),
        [0.1, 0.25, 0.5, 2.0, 7.125],
        numbers_under,
        number,
        "float64",
    ),
    "prefix": (
        sf.Prefix(),
        ["13053", "13054", "13068", "1485", "14853", "9"],
        masked,
        str,
        "string",
    ),
    "dates": (
        sf.Dates(),
        [datetime.date(y, m, d) for y, m, d in [(1999, 12, 31), (2020, 1, 1), (2020, 1, 15)]]
        + [datetime.date(y, 3, 7) for y in (2020, 2021, 2035)],
        in_calendar,
        str,
        "date32",
    ),
    "dates as text": (
        sf.Dates(),
        ["1999-12-31", "2020-01-01", "2020-01-15", "2020-03-07", "2035-03-07"],
        in_calendar,
        str,
        "string",
    ),
    "tree": (sf.Tree(NESTED), list(UNDER), lambda v, l: l in UNDER.get(v, {"*"}), str, "string"),
    "flat text": (
        sf.Flat(ordered=True),
        ["k", "ka", "m", "z", "missing"],
        lambda v, l: False,
        str,
        "string",
    ),
    "flat numbers": (sf.Flat(), [1, 2, 7, 30], numbers_under, number, "int64"),
    "flags": (sf.Flat(), [True, False], lambda v, l: str(v).lower() == l.lower(), str, "bool_"),
    "table": (
        sf.Hierarchy.from_spec({"level_table": TABLE}, "test"),
        [row[0] for row in TABLE],
        lambda v, l: l == "any" or any(v == row[0] and l in row for row in TABLE),
        number,
        "string",
    ),
}
METHODS = [
    sf.Mondrian(),
    sf.Mondrian(strict=False),
    sf.Mondrian(bounds="tight"),
    sf.Mondrian(bounds="cuts"),
    sf.Optimal("loss", 3),
    sf.Samarati(3),
]


def read(rows, kinds):
    names = [f"q{j}" for j in range(len(kinds))]
    columns = list(zip(*rows, strict=True))
    source = pa.table(
        {
            name: pa.array(list(column), getattr(pa, KINDS[kind][4])())
            for name, kind, column in zip(names, kinds, columns, strict=True)
        }
    )
    return sf.read(source, {n: KINDS[k][0] for n, k in zip(names, kinds, strict=True)})


@st.composite
def published(draw):
    """A release of one or two columns of any kind, its rows, and a list of other people."""
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=2))
    cells = [st.sampled_from([*KINDS[kind][1], None]) for kind in kinds]
    rows = draw(st.lists(st.tuples(*cells), min_size=3, max_size=14))
    people = draw(st.lists(st.tuples(*cells), min_size=1, max_size=14))
    k = draw(st.integers(1, 3))
    release = sf.anonymize(read(rows, kinds), sf.KAnonymity(k), draw(st.sampled_from(METHODS)))
    return kinds, rows, people, release


def row_fits(person, labels, kinds):
    return all(
        naive.labels.fits(value, label, KINDS[kind][2], KINDS[kind][3])
        for value, label, kind in zip(person, labels, kinds, strict=True)
    )


def people_fit_as_read_row_by_row(kinds, rows, people, release):
    target = Target.of(release)
    labels = [tuple(target.published_labels(j).values()) for j in range(len(target.seen.sizes))]
    for known, table in ((rows, release.table), (people, read(people, kinds))):
        expected = [sum(row_fits(person, each, kinds) for person in known) for each in labels]
        assert fitting(table, target.seen).tolist() == expected, labels
        boxes = target.boxes_in(table)
        around = people_in(boxes, table.frequencies())
        assert (around >= fitting(table, target.seen)).all()
    # Everybody fits the group they are published in: a combination may be dealt to several.
    dealt = release.recoding_table().to_pydict()
    if "people" in dealt:
        names = [f"q{j}" for j in range(len(kinds))]
        raw = zip(*(dealt[n] for n in names), strict=True)
        shown = zip(*(dealt[f"published {n}"] for n in names), strict=True)
        texts = {tuple(published_text(v) for v in row): row for row in rows}
        for value, label, gone in zip(raw, shown, dealt["suppressed"], strict=True):
            assert gone or value not in texts or row_fits(texts[value], label, kinds)
    assert (fitting(release.table, target.seen) >= target.seen.sizes).all()


@pytest.mark.long
@examples(30)
@given(published())
def test_people_fit_a_label_as_it_reads(case):
    people_fit_as_read_row_by_row(*case)


@pytest.mark.slow
@examples(300)
@given(published())
def test_people_fit_a_label_as_it_reads_at_length(case):
    people_fit_as_read_row_by_row(*case)


def fits_of(rule, values, labels):
    """How many of the values fit each published label."""
    source = pa.table({"q": pa.array(labels, pa.string())})
    seen = sf.read(source, ["q"]).frequencies().as_it_is()
    people = sf.read(pa.table({"q": values}), {"q": rule})
    domain = seen.frequencies.domains["q"]
    return dict(zip(domain.labels, fitting(people, seen).tolist(), strict=True))


def test_a_gap_between_a_value_and_the_missing_one_is_a_gap():
    """The release ended at 37, the list goes on: 38 is not "37 or missing"."""
    found = fits_of(sf.Intervals(10), [36, 37, 38, 39, None], ["37 or missing", ">=38"])
    assert found == {"37 or missing": 2, ">=38": 2}


def test_masks_are_read_whatever_the_longest_code_of_the_list():
    values = ["22030", "22031", "220311", "2203", "9"]
    assert fits_of(sf.Prefix(), values, ["2203*"]) == {"2203*": 3}


def test_a_name_with_a_comma_in_a_set_is_one_name():
    tree = sf.Tree(["Smith, John", "Smith", "Zoe"])
    values = ["Smith, John", "Smith", "Zoe", "Zoe"]
    found = fits_of(tree, values, ['{"Smith, John", Smith}', "{Smith, Zoe}"])
    assert found == {'{"Smith, John", Smith}': 2, "{Smith, Zoe}": 3}


def test_numbers_and_flags_are_the_same_however_they_are_written():
    assert fits_of(sf.Flat(), [1.0, 2.5], ["1", "2.50"]) == {"1": 1, "2.50": 1}
    assert fits_of(sf.Flat(), [True, False, True], ["true", "False"]) == {"False": 1, "true": 2}


def test_a_list_may_have_its_columns_in_another_order_and_more_of_them():
    rows = [("a", "x"), ("a", "x"), ("b", "x"), ("b", "y")]
    columns = dict(zip(("p", "q"), map(list, zip(*rows, strict=True)), strict=True))
    seen = sf.read(pa.table(columns), ["p", "q"]).frequencies().as_it_is()
    longer = pa.table({"q": columns["q"], "r": list("1234"), "p": columns["p"]})
    assert fitting(sf.read(longer, ["q", "r", "p"]), seen).tolist() == [2, 1, 1]


def test_a_label_of_another_hierarchy_is_refused_and_not_shown():
    with pytest.raises(sf.BadInput, match="column 'q': a published value is neither") as refused:
        fits_of(sf.Tree(["a", "b"]), ["a"], ["secret"])
    assert refused.value.values == ("secret",)
    assert "secret" not in str(refused.value)


@pytest.mark.long
@examples(50)
@given(st.data())
def test_people_in_many_boxes_are_counted_as_one_by_one(data):
    """Beyond the size that is compared at once, too."""
    from sfumato.formulas.boxes import points

    n = data.draw(st.integers(1, 3))
    point = st.tuples(*[st.integers(0, 6)] * n)
    people = data.draw(st.lists(point, min_size=1, max_size=30))
    corners = data.draw(st.lists(st.tuples(point, point), min_size=1, max_size=30))
    names = [f"q{j}" for j in range(n)]
    table = sf.read(
        pa.table({name: [p[j] for p in people] for j, name in enumerate(names)}),
        {name: sf.Tree(list("0123456")) for name in names},
    )
    boxes = np.array([list(zip(low, high, strict=True)) for low, high in corners], dtype=np.int32)
    expected = [
        sum(all(a <= x <= b for a, x, b in zip(low, p, high, strict=True)) for p in people)
        for low, high in corners
    ]
    assert people_in(boxes, table.frequencies()).tolist() == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(points, "PAIRS_AT_ONCE", 4)
        assert people_in(boxes, table.frequencies()).tolist() == expected
