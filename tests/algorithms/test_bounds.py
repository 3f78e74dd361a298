"""How far boxes reach: against every range of the grid, and against each other."""

import datetime
import itertools
import random
from collections import Counter
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.bounds
import naive.labels
import sfumato as sf
from profiles import examples
from properties.generated import Generated
from sfumato.algorithms.algorithm import chances
from sfumato.algorithms.bounds import BOUNDS
from sfumato.data.labels.reader import LabelReader

DAYS = [datetime.date(2025, 11, 20) + datetime.timedelta(n) for n in range(130)]
NUMBERS = [-7, -1, 0, 3, 4, 5, 9, 14, 15, 21, 22, 23, 37, 40, 61, 62]
SHARES = [0.1, 0.2, 0.25, 0.3, 0.5, 0.9]
UNDER = {"west": "abc", "east": "def", "near": "de", "far": "f"}
RULES = {
    "number": (sf.Intervals(5, 10), NUMBERS),
    "share": (sf.Intervals(0.25), SHARES),
    "day": (sf.Dates(), DAYS),
    "place": (
        sf.Tree({"west": ["a", "b", "c"], "east": {"near": ["d", "e"], "far": ["f"]}}),
        list("abcdef"),
    ),
    "grade": (sf.Tree(list("123456")), list("123456")),
    "count": (sf.Flat(), NUMBERS),
    "code": (sf.Prefix(), ["101", "102", "110", "111", "205", "21"]),
    "word": (sf.Flat(), ["ash", "birch", "cedar", "elm", "fir"]),
}
WITHOUT_GRID = ("count",)


@st.composite
def mixed_tables(draw, max_rows=14):
    """People by one to three columns of any kind, some values missing; who has what is open."""
    names = draw(st.lists(st.sampled_from(list(RULES)), min_size=1, max_size=3, unique=True))
    gaps = draw(st.booleans())
    cells = [st.sampled_from([*RULES[name][1], *[None] * gaps]) for name in names]
    people = draw(st.lists(st.tuples(*cells, st.sampled_from("hn")), min_size=1, max_size=max_rows))
    return names, Generated(people, [], [RULES[name][0] for name in names])


def order(name):
    """What a column's values, and its bounds, are compared by."""
    return str if name in ("day", "code", "place", "word") else Fraction


def number_of(name):
    """What a value of a column is, where the grid is: a number, a day, or its place in the tree."""
    if name in ("number", "share", "count"):
        return lambda value: Fraction(str(value))
    return lambda value: value if name == "day" else RULES[name][1].index(value)


def grid(name, values):
    """Every range of a column's grid; None: it has none."""
    if name in WITHOUT_GRID:
        return None
    if name in ("number", "share"):
        return naive.bounds.ranges_of_numbers(str(RULES[name][0].widths[0]), values)
    if name == "day":
        return naive.bounds.ranges_of_months(values)
    return naive.bounds.ranges_of_places(len(RULES[name][1]))


def searched(table, k, **options):
    """A recoding, and what is published of every box."""
    frequencies = table.frequencies()
    method = sf.Mondrian(**options)
    recoding = method.search(frequencies, sf.KAnonymity(min(k, len(table.rows))), chances(method))
    labels = recoding.labels(frequencies.domains)
    texts = [
        [
            domain_text(frequencies.domains[column], low, high, labels[column], box)
            for box, (low, high) in enumerate(recoding.sides(column).tolist())
        ]
        for column in frequencies.quasi_identifiers
    ]
    return recoding, [tuple(each) for each in zip(*texts, strict=True)]


def domain_text(domain, low, high, labels, box):
    """What is published; values as they are where a column has no labels."""
    if labels is not None:
        return labels[box]
    assert low == high
    return None if domain.labels[low] is None else str(domain.labels[low])


def values_of(recoding, column, low, high):
    return list(recoding.combinations.domains[column].labels[low : high + 1])


def people_of(recoding, box):
    ground = recoding.combinations
    members = recoding.parts[recoding.parts[:, 1] == box, 0]
    return {
        name: [ground.domains[name].labels[code] for code in ground.codes(name)[members].tolist()]
        for name in ground.quasi_identifiers
    }


@examples(300)
@given(mixed_tables(), st.integers(1, 4))
def test_a_side_is_the_smallest_range_of_the_grid_within_its_cuts(case, k):
    names, table = case
    recoding, texts = searched(table, k)
    cuts, _ = searched(table, k, bounds="cuts")
    for box, sides in enumerate(recoding.boxes.tolist()):
        people = people_of(recoding, box)
        for j, (name, (low, high)) in enumerate(zip(names, sides, strict=True)):
            place = number_of(name)
            column = table.columns[j]
            inside = values_of(cuts, column, *cuts.boxes[box, j].tolist())
            every = values_of(cuts, column, 0, len(recoding.combinations.domains[column]) - 1)
            placed = [None if each is None else place(each) for each in people[column]]
            ranges = grid(name, [place(each) for each in every if each is not None] or [0])
            expected, ends = naive.bounds.side(
                placed, [None if each is None else place(each) for each in inside], ranges
            )
            found = values_of(recoding, column, low, high)
            assert {None if each is None else place(each) for each in found} == expected
            if name not in ("number", "share") or ends is None or None in expected:
                continue
            unclipped = all(
                place(each) in expected
                for each in every
                if each is not None and ends[0] <= place(each) < ends[1]
            )
            if unclipped and expected != {None if e is None else place(e) for e in every}:
                known = {place(each) for each in every if each is not None}
                text = f"[{written(ends[0])}, {written(ends[1])})"
                assert texts[box][j] == ("not missing" if expected == known else text)


def written(number):
    return str(int(number)) if number == int(number) else str(float(number))


def fits(name, value, label):
    """Whether a value may be behind a label, read as anybody reads it."""

    def is_under(value, label):
        if name == "day" and value is not None:
            return str(value).startswith(label.removesuffix("0s"))
        if name == "code" and value is not None and label.endswith("*"):
            begin = label.rstrip("*")
            return value.startswith(begin) and len(value) > len(begin)
        return value is not None and str(value) in UNDER.get(label, "")

    return naive.labels.fits(value, label, is_under, order(name))


UNIVERSE = {
    "number": range(-10, 70),
    "share": [Fraction(n, 100) for n in range(100)],
    "day": [datetime.date(2025, 10, 1) + datetime.timedelta(n) for n in range(220)],
    "place": list("abcdef"),
    "grade": list("123456"),
    "count": range(-10, 70),
    "code": ["101", "102", "110", "111", "205", "21"],  # a bound may be a code that nobody has
    "word": ["ash", "birch", "cedar", "elm", "fir"],
}


@examples(200)
@given(mixed_tables(), st.integers(1, 4), st.sampled_from(BOUNDS))
def test_no_two_boxes_meet_and_all_hold_their_people_whoever_reads_them(case, k, bounds):
    """Not only at values that somebody has: at no value at all, of two boxes in one column."""
    names, table = case
    recoding, texts = searched(table, k, bounds=bounds)
    held = {
        (j, label): {value for value in [*UNIVERSE[name], None] if fits(name, value, label)}
        for j, name in enumerate(names)
        for label in {each[j] for each in texts}
    }
    for one, other in itertools.combinations(texts, 2):
        assert any(held[j, one[j]].isdisjoint(held[j, other[j]]) for j in range(len(names)))
    for box, labels in enumerate(texts):
        for j, values in enumerate(people_of(recoding, box).values()):
            assert all(fits(names[j], value, labels[j]) for value in values)


@examples(200)
@given(mixed_tables(), st.integers(1, 4), st.booleans())
def test_bounds_change_no_group_and_each_kind_lies_in_the_next_wider_one(case, k, strict):
    """Also where boxes are relaxed; what chance deals is dealt alike."""
    _, table = case
    options = {"strict": strict} if strict else {"strict": False, "seed": 7}
    tight, grid, cuts = (
        searched(table, k, bounds=bounds, **options)[0] for bounds in ("tight", "grid", "cuts")
    )
    assert (tight.parts == grid.parts).all()
    assert (grid.parts == cuts.parts).all()
    for inner, outer in ((tight, grid), (grid, cuts)):
        assert (inner.boxes[:, :, 0] >= outer.boxes[:, :, 0]).all()
        assert (inner.boxes[:, :, 1] <= outer.boxes[:, :, 1]).all()


def test_relaxed_boxes_end_where_people_are_though_no_cut_does():
    """Columns of two values are cut before ages, which never spread as widely."""
    draw = random.Random(3)
    columns = {f"q{j}": [draw.choice("ab") for _ in range(600)] for j in range(9)}
    people = {"age": [draw.choice([20, 50, 55, 60, 80]) for _ in range(600)]} | columns
    people["age"][:2] = 1, 99
    rules = dict.fromkeys(columns, sf.Flat()) | {"age": sf.Intervals(5, 10, 20)}
    table = sf.read(pa.table(people), quasi_identifiers=rules)
    losses, ages = {}, {}
    for bounds in BOUNDS:
        method = sf.Mondrian(strict=False, bounds=bounds, seed=1)
        release = sf.anonymize(table, sf.KAnonymity(3), method)
        losses[bounds] = sf.utility.information_loss(release)
        ages[bounds] = Counter(release.to_arrow()["age"].to_pylist())
    assert ages["cuts"]["*"] > 500
    assert "*" not in ages["grid"]
    assert losses["grid"] < 1.1 * losses["tight"] < losses["cuts"]


@examples(150)
@given(mixed_tables(), st.integers(1, 4), st.sampled_from(BOUNDS))
def test_what_is_written_of_a_box_is_read_back_as_it(case, k, bounds):
    _, table = case
    recoding, texts = searched(table, k, bounds=bounds)
    domains = recoding.combinations.domains
    readers = [LabelReader(domains[column]) for column in table.columns]
    for box, labels in enumerate(texts):
        ranks = [reader.interval(label) for reader, label in zip(readers, labels, strict=True)]
        assert ranks == [tuple(side) for side in recoding.boxes[box].tolist()]


def published(people, rule, k=2, **options):
    """The texts of one column, cut by Mondrian."""
    table = sf.read(pa.table({"q": people}), quasi_identifiers={"q": rule})
    release = sf.anonymize(table, sf.KAnonymity(k), sf.Mondrian(**options))
    return list(dict.fromkeys(release.to_arrow()["q"].to_pylist()))


AGES = [23, 37, 38, 62, 62, 62, 71, 79, 79, 88, 93, 94]


@pytest.mark.parametrize(
    ("bounds", "texts"),
    [
        ("grid", ["62", "[20, 40)", "[70, 80)", "[85, 95)"]),
        ("cuts", ["62", "<60", ">=80", "[70, 80)"]),
        ("tight", ["62", "<60", ">=80", "[70, 80)"]),  # simple bounds, of the same people
    ],
)
def test_ages_by_every_kind_of_bounds(bounds, texts):
    assert published(AGES, sf.Intervals(5, 10), bounds=bounds) == texts


def test_the_example_of_the_issue():
    assert published([37, 62, 62, 37, 11, 12], sf.Intervals(5), k=4) == ["*"]
    assert "[35, 65)" in published([37, 62, 37, 50, 11, 12, 17, 11], sf.Intervals(5), k=4)


def test_a_cell_that_is_cut_is_published_up_to_the_cut():
    assert published([35, 36, 38, 39], sf.Intervals(5)) == ["[35, 37)", "[37, 40)"]


def test_the_grid_of_dates_are_months_and_a_whole_month_has_its_name():
    days = ["2026-01-07", "2026-01-30", "2026-03-31", "2026-05-02"]
    days += ["2026-12-24", "2027-01-01", "2029-07-07", "2030-01-01"]
    assert published(days, sf.Dates()) == [
        "2026-01",
        "[2026-03-01, 2026-06-01)",
        "[2026-12-01, 2027-02-01)",
        "[2029-07-01, 2030-02-01)",
    ]


def test_numbers_without_a_grid_reach_to_their_cuts_unless_all_people_share_one():
    assert published([37, 62, 71, 71], sf.Flat()) == ["71", "<70"]


def test_missing_values_leave_a_range_open_above_as_they_stand_behind_all_others():
    """And nobody's own value stands there because all the others of the box are missing."""
    assert published([21, 23, 41, None], sf.Intervals(5)) == [">=40 or missing", "[20, 25)"]


def test_the_last_days_of_the_calendar_have_no_month_behind_them():
    days = ["9999-11-03", "9999-11-08", "9999-12-30", "9999-12-31"]
    assert published(days, sf.Dates()) == ["9999-11", ">=9999-12-01"]


def test_parts_of_a_tree_are_the_nodes_between_the_first_and_the_last_person():
    rule = sf.Tree({"west": ["a", "b", "c"], "east": ["d", "e", "f"]})
    people = ["a", "b", "a", "e", "f", "f"]
    assert published(people, rule, k=3) == ["{a, b}", "{e, f}"]
    assert published(people, rule, k=3, bounds="cuts") == ["east", "west"]


def test_bounds_of_two_tables_are_refused():
    with pytest.raises(sf.BadInput, match="bounds are those of boxes"):
        sf.SkylineMondrian(publish="bucketized", bounds="cuts")


@pytest.mark.parametrize("bounds", BOUNDS)
def test_skyline_mondrian_has_the_same_kinds_of_bounds(bounds):
    table = sf.read(
        pa.table({"age": AGES, "s": list("ab" * 6)}),
        quasi_identifiers={"age": sf.Intervals(5, 10)},
        sensitive="s",
    )
    promise = sf.Skyline([(0, 0, 0, 0.9)])
    release = sf.anonymize(table, promise, sf.SkylineMondrian("median", bounds=bounds))
    wide = sf.anonymize(table, promise, sf.SkylineMondrian("median", bounds="cuts"))
    assert len(release.groups) == len(wide.groups) > 1
    inner, outer = release.recoding.boxes, wide.recoding.boxes
    assert (inner[:, :, 0] >= outer[:, :, 0]).all()
    assert (inner[:, :, 1] <= outer[:, :, 1]).all()
    assert (bounds != "grid") == (release.to_arrow() == wide.to_arrow())


def test_a_recoding_on_the_grid_serves_other_people_in_its_boxes_and_no_others(tmp_path):
    days = ["2026-01-07", "2026-01-30", "2026-03-31", "2026-05-02"]

    def table(ages, days):
        rules = {"age": sf.Intervals(5), "day": sf.Dates()}
        return sf.read(pa.table({"age": ages, "day": days}), quasi_identifiers=rules)

    for bounds in BOUNDS:
        release = sf.anonymize(
            table([21, 24, 37, 62], days), sf.KAnonymity(2), sf.Mondrian(bounds=bounds)
        )
        file = tmp_path / f"{bounds}.json"
        release.save_recoding(file)
        method = sf.Recode.load(file)
        others = table([22, 22, 40, 64], ["2026-01-31", "2026-01-02", "2026-03-31", "2026-05-02"])
        strangers = table([22, 22, 30, 30], days)
        if bounds == "grid":
            again = sf.anonymize(others, sf.KAnonymity(2), method)
            assert set(again.to_arrow()["age"].to_pylist()) == {"[20, 25)", "[35, 65)"}
            with pytest.raises(sf.BadInput, match="bounds='cuts'"):
                sf.anonymize(strangers, sf.KAnonymity(2), method)
        if bounds == "cuts":
            assert sf.anonymize(strangers, sf.KAnonymity(2), method).n_suppressed == 0


def test_a_recoding_knows_a_range_with_missing_values_by_its_text(tmp_path):
    def table(ages):
        return sf.read(pa.table({"age": ages}), quasi_identifiers={"age": sf.Intervals(5)})

    release = sf.anonymize(table([21, 23, 41, None]), sf.KAnonymity(2), sf.Mondrian())
    release.save_recoding(tmp_path / "recoding.json")
    method = sf.Recode.load(tmp_path / "recoding.json")
    again = sf.anonymize(table([22, 22, 44, 43, None]), sf.KAnonymity(2), method)
    assert sorted(again.to_arrow()["age"].to_pylist()) == [">=40 or missing"] * 3 + ["[20, 25)"] * 2


def test_boxes_that_were_not_clipped_would_meet():
    """Of the made-up hospital's: so it is clipping that keeps them apart."""
    rules = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
    table = sf.read(sf.datasets.patients(), quasi_identifiers=rules)
    recoding = sf.Mondrian().search(table.frequencies(), sf.KAnonymity(5), None)
    tight = sf.Mondrian(bounds="tight").search(table.frequencies(), sf.KAnonymity(5), None)
    wide = tight.boxes.copy()
    for j, domain in enumerate(table.domains[name] for name in rules):
        level = domain.grid or 0
        wide[:, j, 0] = domain.taxonomy.low[level, tight.boxes[:, j, 0]]
        wide[:, j, 1] = domain.taxonomy.high[level, tight.boxes[:, j, 1]]
    assert n_meeting(recoding.boxes) == 0
    assert n_meeting(wide) > len(wide) / 2


def n_meeting(boxes):
    """How many boxes meet another one, pair by pair."""
    low, high = boxes[:, :, 0], boxes[:, :, 1]
    meet = ((low[:, None] <= high) & (low <= high[:, None])).all(axis=2)
    return int((meet.sum(axis=1) > 1).sum())


def test_top_and_bottom_codes_leave_the_outermost_ranges_open():
    rule = sf.Intervals(5, bottom=18, top=90)
    ages = [16, 21, 23, 24, 61, 84, 91, 99]
    assert published(ages, rule) == ["<22", ">=90", "[22, 25)", "[60, 85)"]
    assert published([16, 44, 61, 93], rule) == ["<45", ">=60"]


def test_where_months_are_the_ground_the_grid_are_years():
    months = ["03/2024", "11/2024", "01/2026", "02/2026", "05/2027", "01/2029"]
    texts = ["[2024-01, 2026-02)", "[2026-02, 2030-01)"]  # 2026 is cut
    assert published(months, sf.Dates("MM/YYYY")) == texts
