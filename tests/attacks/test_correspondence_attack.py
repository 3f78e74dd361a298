"""A release attacked with the whole series: as enumeration of its published files finds it."""

import csv
import hashlib
import itertools
import json
import random
import shutil
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import naive.correspondence
import sfumato as sf
from attacks.made import interval, release_of
from descriptions import rewrite
from formulas import series as made
from sfumato.attacks import CannotRun, Correspondence
from sfumato.cli.app import app
from sfumato.data.recoding import Assignment

TREES = {"LINE": made.LINE, "THREE": made.THREE, "PAIR": made.PAIR}


# ------------------------------------------------------- closed trees: nodes, and sets of nodes


def nested(tree, node="*"):
    children = [child for child, parent in tree.items() if parent == node]
    return {c: nested(tree, c) if c in tree.values() else None for c in children}


def table_of(people, trees):
    columns = {f"q{j}": [raw[j] for raw, _ in people] for j in range(len(trees))}
    rules = {f"q{j}": sf.Tree(nested(tree)) for j, tree in enumerate(trees)}
    return sf.read(pa.table(columns | {"s": [s for _, s in people]}), rules, "s")


def published_as(people, labels):
    """Publish everybody under a label of his own: nodes, or (low, high) of ground values."""

    def ranks(domain, label):
        if isinstance(label, tuple):
            return interval(domain, label[0])[0], interval(domain, label[1])[1]
        return interval(domain, label)

    def make(frequencies):
        domains = [frequencies.domains[name] for name in frequencies.columns]
        keys = np.stack([frequencies.codes(n) for n in frequencies.columns], axis=1).tolist()
        boxes = [tuple(map(ranks, domains, label)) for label in labels]
        different = sorted(set(boxes))
        parts = {}
        for (raw, s), box in zip(people, boxes, strict=True):
            code = [d.code_of(v) for d, v in zip(domains, (*raw, s), strict=True)]
            key = keys.index(code), different.index(box)
            parts[key] = parts.get(key, 0) + 1
        listed = [(c, g, n) for (c, g), n in sorted(parts.items())]
        return Assignment(
            frequencies, np.array(different, dtype=np.int32), np.array(listed, dtype=np.int64)
        )

    return make


def releases_of(trees, sizes, hows, dice):
    """Generated people, recoded one way or another, and published by sfumato."""
    ground = [made.leaves(tree) for tree in trees]
    people, found = [], []
    for size, how in zip(sizes, hows, strict=True):
        people = people + [
            (tuple(dice.choice(side) for side in ground), dice.choice("st")) for _ in range(size)
        ]
        labels = [qid for qid, _ in made.recoded(people, trees, how, dice)]
        table = table_of(people, trees)
        make = published_as(people, labels)
        found.append(release_of(table, make, "regions", sf.LDiversity(1)))
    return found


def rows(release):
    """Published labels and sensitive values, as a reader of the file has them."""
    columns = release.description.quasi_identifiers
    written = release.to_arrow().to_pylist()
    return [(tuple(row[c] for c in columns), row["s"]) for row in written]


def under(tree, label, *, rest):
    """Ground values of a published text; `rest`: a node may have values that nobody shows."""
    if label.startswith("{"):
        several = [under(tree, name, rest=rest) for name in label[1:-1].split(", ")]
        return set().union(*several)
    own = set(made.under(tree, label))
    inner = {node for node in tree.values() if label in made.ancestors(tree, node)}
    return own | ({f"{node}'s rest" for node in inner} if rest else set())


def records(release, trees, *, rest, present=None):
    """What the twin takes: sets of raw values; `present`: only those can occur."""
    found = []
    for labels, value in rows(release):
        sides = [under(tree, label, rest=rest) for tree, label in zip(trees, labels, strict=True)]
        if present is not None:
            sides = [side & each for side, each in zip(sides, present, strict=True)]
        found.append((frozenset(itertools.product(*sides)), value))
    return found


def expected(releases, trees, **how):
    seen = naive.correspondence.by_membership([records(each, trees, **how) for each in releases])
    return naive.correspondence.fewest_left_to_anybody(seen)


CASES = [
    (("LINE",), (3, 2), ("cut", "cut")),
    (("LINE",), (3, 2), ("regions", "cut")),
    (("LINE",), (2, 3), ("local", "regions")),
    (("THREE",), (3, 2), ("local", "local")),
    (("LINE", "PAIR"), (3, 1), ("regions", "regions")),
    (("THREE", "PAIR"), (2, 2), ("local", "cut")),
    (("LINE",), (2, 1, 2), ("cut", "cut", "cut")),
    (("THREE",), (2, 1, 1), ("cut", "local", "regions")),
    (("LINE",), (3, 0), ("cut", "regions")),
]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1))
@pytest.mark.parametrize(("names", "sizes", "hows"), CASES[1::2])
def test_what_is_found_is_what_enumerating_all_correspondences_leaves(
    tmp_path, names, sizes, hows, seed
):
    attacked(tmp_path, names, sizes, hows, made.dice_for(names, sizes, hows, seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(("names", "sizes", "hows"), CASES)
def test_what_is_found_is_what_enumerating_leaves_often(tmp_path, names, sizes, hows, seed):
    attacked(tmp_path, names, sizes, hows, made.dice_for(names, sizes, hows, seed))


def attacked(tmp_path, names, sizes, hows, dice):
    trees = [TREES[name] for name in names]
    *earlier, last = releases_of(trees, sizes, hows, dice)
    if refused_as_the_same(earlier, last):
        return
    # By the process that has the original: every listed value can be somebody's.
    finding = Correspondence(earlier).run(last)
    assert finding.found == expected([*earlier, last], trees, rest=False)
    assert (finding.promised, finding.holds) == (None, None)
    # From the files alone.
    places = [saved(each, tmp_path / str(j)) for j, each in enumerate([*earlier, last])]
    finding = Correspondence(places[:-1]).run(sf.load(places[-1]))
    assert finding.found == expected([*earlier, last], trees, rest=True)


def saved(release, place):
    """Save what a method of this test made, under the name of one that everybody knows."""
    release.save(place)
    where = place / "release.json"
    rewrite(place, json.loads(where.read_text()) | {"method": sf.Mondrian().spec()})
    return place


def refused_as_the_same(earlier, last):
    """Whether an earlier release publishes the same, which is refused."""
    if last.public_view.digest not in {each.public_view.digest for each in earlier}:
        return False
    with pytest.raises(sf.BadInput, match="publishes the same"):
        Correspondence(earlier).run(last)
    return True


# ------------------------------------------------- open columns: ranges, masks, dates, missing

AGES = [None, *range(1, 7)]
CODES = ["1", "12", "13", "131", "2", "21", None]
DAYS = ["2019-12-30", "2020-01-05", "2020-01-20", "2020-03-01", "2021-07-07"]
# Everything that a column could hold, for the twin: what is between the values, and beyond.
GROUND = {
    "age": [None, *(Fraction(n, 2) for n in range(-2, 16))],
    "code": [None, *(a + b + c for a in "0123" for b in ["", *"0123"] for c in ["", *"0123"])],
    "day": [f"{y}-{m:02d}-{d:02d}" for y in (2009, *range(2019, 2023)) for m in (1, 3, 7, 12)
            for d in (1, 4, 5, 6, 7, 20, 25, 30)],
    "ward": ["a", "aa", "b", "bb", "c", "cc", "d", "z"],
}  # fmt: skip
GROUND["size"] = GROUND["age"]
SIZES = sf.Tree({"low": ["1", "2", "3"], "high": ["4", "5", "6"]})  # closed, and in order
OPEN = {
    "age": sf.Intervals(2, 4),
    "size": SIZES,
    "code": sf.Prefix(),
    "day": sf.Dates(),
    "ward": sf.Flat(),
}
VALUES = {
    "age": AGES,
    "size": list("123456"),
    "code": CODES,
    "day": DAYS,
    "ward": ["a", "b", "c", "d"],
}


def fits(column, value, label):
    """Whether a value may be published so, read as a person reads it."""
    if label is None:
        return value is None
    label = str(label)
    if label == "*":
        return True
    if label == "not missing":
        return value is not None
    if label.endswith(" or missing"):
        return value is None or fits(column, value, label.removesuffix(" or missing"))
    if value is None:
        return False
    if label in ("low", "high"):
        return (0 < value < 4) if label == "low" else (3 < value < 7)
    number = Fraction if column in ("age", "size") else str
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return number(low) <= value < number(high)
    if label.startswith(">="):
        return value >= number(label[2:])
    if label.startswith("<"):
        return value < number(label[1:])
    if column == "code" and label.endswith("*"):
        kept = label.rstrip("*")
        return value.startswith(kept) and len(value) > len(kept)
    if column == "day" and label.endswith("0s"):
        return value[:3] == label[:3]
    if column == "day":
        return value.startswith(label)
    return value == number(label)


def open_release(people, columns, method, k=1):
    rows = {name: [each[j] for each in people] for j, name in enumerate((*columns, "s"))}
    types = {name: pa.int64() if name == "age" else pa.string() for name in rows}
    table = pa.table({name: pa.array(rows[name], types[name]) for name in rows})
    return sf.anonymize(
        sf.read(table, {c: OPEN[c] for c in columns}, "s"), sf.KAnonymity(k), method
    )


def twin(releases, columns, ground):
    """The published files, as sets of what their rows can stand for."""
    seen = []
    for each in releases:
        seen.append([])
        for labels, value in rows(each):
            sides = [
                [v for v in ground[c] if fits(c, v, label)]
                for c, label in zip(columns, labels, strict=True)
            ]
            seen[-1].append((frozenset(itertools.product(*map(texts, sides))), value))
    return naive.correspondence.fewest_left_to_anybody(naive.correspondence.by_membership(seen))


def texts(values):
    return ["missing" if value is None else str(value) for value in values]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1))
@pytest.mark.parametrize("columns", [("size",), ("code",), ("age", "ward")])
def test_ranges_masks_and_dates_are_compared_as_a_reader_would(tmp_path, columns, seed):
    compared_by_reading(tmp_path, columns, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize(
    "columns",
    [("age",), ("size",), ("code",), ("day",), ("ward",), ("age", "ward"), ("day", "code")],
)
def test_ranges_masks_and_dates_are_compared_as_a_reader_would_often(tmp_path, columns, seed):
    compared_by_reading(tmp_path, columns, seed)


def compared_by_reading(tmp_path, columns, seed):
    dice = made.dice_for(columns, seed)
    people = [
        (*(dice.choice(VALUES[c]) for c in columns), dice.choice("st"))
        for _ in range(dice.randint(4, 6))
    ]
    n = dice.randint(2, len(people) - 1)
    methods = [dice.choice([sf.Mondrian(), sf.TopDown("cut"), sf.Samarati()]) for _ in range(2)]
    releases = [
        open_release(people[: n if j == 0 else None], columns, method, dice.choice([1, 2]))
        for j, method in enumerate(methods)
    ]
    if refused_as_the_same(releases[:-1], releases[-1]):
        return
    first, last = (each.save(tmp_path / str(j)) for j, each in enumerate(releases))
    try:
        finding = Correspondence([first]).run(sf.load(last))
    except CannotRun:
        # {37, missing} is no range once somebody is older; which range a name is, is not public.
        written = str([rows(each) for each in releases])
        assert " or missing" in written or "'low'" in written or "'high'" in written
        return
    assert finding.found == twin(releases, columns, GROUND)
    present = {c: sorted({each[j] for each in people}, key=str) for j, c in enumerate(columns)}
    if "size" in columns:  # of a closed hierarchy every value can be somebody's
        present["size"] = list(range(1, 7))
    known = {twin(releases, columns, present)}
    if "code" in columns or " or missing" in str([rows(each) for each in releases]):
        known.add(finding.found)  # the original's own labels are others: then as everybody reads
    assert Correspondence([releases[0]]).run(releases[1]).found in known


@pytest.mark.long
@pytest.mark.parametrize("column", ["age", "code", "day"])
def test_a_value_or_missing_is_compared_as_a_reader_would(tmp_path, column):
    by_mondrian_with_missing(tmp_path, column, range(1))


@pytest.mark.slow
@pytest.mark.parametrize("column", ["age", "code", "day"])
def test_a_value_or_missing_is_compared_as_a_reader_would_often(tmp_path, column):
    by_mondrian_with_missing(tmp_path, column, range(1, 60))


def by_mondrian_with_missing(tmp_path, column, seeds):
    """The largest value, or missing: in both releases, or in one that others are larger in."""
    ground = {column: list(dict.fromkeys([None, *GROUND[column]]))}
    known = sorted({value for value in VALUES[column] if value is not None})
    each = 5 if column == "code" else 1  # of codes, a bound tells what five people share
    seen = 0
    for seed in seeds:
        dice = made.dice_for(column, seed)
        low, top = sorted(dice.sample(known, 2))
        values = [None, top, low, low, *dice.choices([None, *known], k=2)]
        people = [(value, dice.choice("st")) for value in values for _ in range(each)]
        releases = [
            open_release(people[: n * each], (column,), sf.Mondrian(), 2 * each) for n in (4, 6)
        ]
        if len({each.public_view.digest for each in releases}) < 2:
            continue
        first, last = (each.save(tmp_path / f"{seed}-{j}") for j, each in enumerate(releases))
        finding = Correspondence([first]).run(sf.load(last))  # one column of regions: never refused
        assert finding.found == twin(releases, (column,), ground)
        seen += " or missing" in str([rows(each) for each in releases])
    assert seen


# --------------------------------------------------------- where the earlier releases come from

PLACES = sf.Tree({"Europe": ["UK", "France"], "America": ["USA", "Peru"]})
RULES = {"age": sf.Intervals(5, 10, 20), "place": PLACES}


def people(n):
    draw = random.Random(8)
    found = [
        (draw.randint(20, 59), draw.choice(["UK", "France", "USA", "Peru"]), draw.choice("uvw"))
        for _ in range(400)
    ]
    return pa.table(dict(zip(("age", "place", "s"), zip(*found[:n], strict=True), strict=True)))


def table(n, **roles):
    return sf.read(people(n), RULES, "s", **roles)


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """Three releases of a chain, saved side by side, and the first one of another chain."""
    place = tmp_path_factory.mktemp("chain")
    releases = []
    for j, n in enumerate((60, 70, 120)):
        method = sf.BCFAnonymizer(releases)
        releases.append(sf.anonymize(table(n), sf.BCFAnonymity(4), method))
        releases[-1].save(place / f"{j + 1:03d}", format="csv")
    sf.anonymize(table(50), sf.BCFAnonymity(4), sf.BCFAnonymizer()).save(place / "004")
    return place, releases


def correspondence(report):
    (found,) = (each for each in report.findings if each.attack == "correspondence")
    return found


@pytest.mark.long
def test_a_release_of_a_chain_is_attacked_with_all_that_came_before(chain):
    place, releases = chain
    for j in (1, 2):
        in_memory = correspondence(sf.audit(releases[j]))
        loaded = correspondence(sf.audit(sf.load(place / f"{j + 1:03d}")))
        given = Correspondence(releases[:j]).run(releases[j])
        for finding in (in_memory, loaded, given):
            assert finding.holds
            assert finding.found >= 4 == finding.promised.value
            assert finding.found == in_memory.found
            assert finding.n_exceeding == 0
            assert finding.before >= finding.found
    assert "the earlier releases 001 and 002" in loaded.knows
    assert "004" not in loaded.knows
    assert "with all of them" in loaded.note
    assert "forward" in correspondence(sf.audit(sf.load(place / "002"))).note
    first = sf.audit(sf.load(place / "001"))
    assert not any(each.attack == "correspondence" for each in first.findings)
    (unknown,) = [each for each in first.not_run if each.name == "correspondence"]
    assert unknown.reason.startswith("no earlier release is known")
    assert not unknown.applies


@pytest.mark.long
def test_a_loaded_release_is_checked_beside_its_siblings(chain):
    place, releases = chain
    for j in (1, 2):
        check = sf.load(place / f"{j + 1:03d}").check()
        assert check
        assert check.measured[0].note is None
        assert check.measured[0].found == releases[j].check().measured[0].found


def copied(chain, tmp_path, *names):
    for name in names:
        shutil.copytree(chain[0] / name, tmp_path / name)
    return tmp_path


@pytest.mark.long
def test_another_release_does_not_take_a_sibling_s_place(chain, tmp_path):
    place = copied(chain, tmp_path, "002", "004")
    shutil.copytree(chain[0] / "004", place / "001")  # the right name does not help
    release = sf.load(place / "002")
    assert release.previous.releases == ()
    assert "no verdict about the series" in repr(release.check())
    report = sf.audit(release)
    (missing,) = [each for each in report.not_run if each.name == "correspondence"]
    assert "are not at hand" in missing.reason
    assert "--earlier" in missing.hint
    assert (missing.applies, report.verdict) == (True, "undecided")


def test_a_sibling_that_was_changed_is_none(chain, tmp_path):
    place = copied(chain, tmp_path, "001", "002")
    with (place / "001" / "data.csv").open("a") as file:
        file.write("20,UK,u\n")
    assert "no verdict about the series" in repr(sf.load(place / "002").check())
    # Not even with the right checksum.
    where = place / "001" / "release.json"
    written = json.loads(where.read_text())
    digest = hashlib.sha256((place / "001" / "data.csv").read_bytes()).hexdigest()
    written["files"]["data.csv"] = digest
    rewrite(place / "001", written)
    assert sf.load(place / "002").previous.releases == ()
    assert "no verdict about the series" in repr(sf.load(place / "002").check())


@pytest.mark.long
def test_without_one_of_the_earlier_releases_there_is_no_verdict_unless_it_fails(chain, tmp_path):
    release = sf.load(copied(chain, tmp_path, "002", "003") / "003")
    finding = correspondence(sf.audit(release))
    assert finding.holds is None
    assert finding.verdict == "no verdict"
    assert "1 earlier release is not at hand" in finding.note
    assert "no verdict about the series" in repr(release.check())
    # Given from elsewhere it counts, and only once.
    whole = correspondence(sf.audit(release, earlier=[chain[0] / "001", chain[0] / "002"]))
    assert whole.holds
    assert whole.found == correspondence(sf.audit(sf.load(chain[0] / "003"))).found


@pytest.mark.long
def test_two_releases_by_mondrian_give_people_away(tmp_path):
    releases = [sf.anonymize(table(n), sf.KAnonymity(4), sf.Mondrian()) for n in (120, 150)]
    assert all(release.check() for release in releases)
    assert sf.audit(releases[1]).holds
    report = sf.audit(releases[1], earlier=[releases[0]])
    finding = correspondence(report)
    assert not report.holds
    assert finding.found < 4
    assert finding.holds is False
    assert 0 < finding.n_exceeding <= 150
    assert f"FAILS for {finding.n_exceeding} people" in str(finding)
    assert "promised >= 4 records" in str(finding)
    assert finding.worst["records left"] == finding.found
    assert finding.worst["people in it"] >= 4
    # The same for whoever finds the two on the street; whether there is anybody, nobody says.
    first, second = (each.save(tmp_path / str(j)) for j, each in enumerate(releases))
    public = correspondence(sf.audit(sf.load(second), earlier=[first]))
    assert public.holds is False
    assert "without the original it is not known" in public.note
    shown = correspondence(report.public())
    assert (shown.found, shown.n_exceeding) == (public.found, public.n_exceeding)
    # With nothing promised it is said, without a verdict.
    tables = [sf.read(place / "data.parquet", list(RULES), "s") for place in (first, second)]
    told = Correspondence([tables[0]]).run(tables[1], original=table(150))
    assert (told.found, told.holds, told.promised) == (finding.found, None, None)


def test_another_tool_s_files_are_compared(tmp_path):
    """Ranges, masks and * are read as what they are; all else is taken as it is."""
    first = [("[20, 40)", "13***", "u"), ("[20, 40)", "13***", "v")]
    second = [("[20, 30)", "13***", "u"), ("[20, 30)", "13***", "w")]
    second += [("[30, 40)", "*", "v"), ("[30, 40)", "*", "w")]
    for name, written in (("one", first), ("two", second)):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("age", "zip", "s"), *written])
    two = sf.read(tmp_path / "two.csv", ["age", "zip"], "s")
    finding = correspondence(
        sf.audit(two, criterion=sf.KAnonymity(2), earlier=[tmp_path / "one.csv"])
    )
    # Who was there is one record's owner in either release: u below 30, v above.
    assert (finding.found, finding.before, finding.holds) == (1, 2, False)
    assert finding.n_exceeding == 4
    assert "one.csv" in finding.knows


# ----------------------------------------------------------------------------- what is refused


@pytest.mark.long
def test_what_cannot_have_come_before_is_refused():
    last = sf.anonymize(table(60), sf.KAnonymity(2))
    larger = sf.anonymize(table(61), sf.KAnonymity(2))
    with pytest.raises(sf.BadInput, match=r"no\. 1 is of 61 people and the release of 60"):
        sf.audit(last, earlier=[larger])
    with pytest.raises(sf.BadInput, match="publishes the same as the release"):
        sf.audit(last, earlier=[last])
    narrow = sf.read(people(50).drop(["place"]), {"age": RULES["age"]}, "s")
    with pytest.raises(sf.BadInput, match=r"no\. 2 has other quasi-identifiers"):
        sf.audit(last, earlier=[sf.anonymize(table(50), sf.KAnonymity(2)), narrow])
    strangers = sf.read(people(400).slice(300, 50), RULES, "s")
    with pytest.raises(sf.BadInput, match="have no counterpart in a later one"):
        sf.audit(last, earlier=[sf.anonymize(strangers, sf.KAnonymity(2))])
    for wrong in ("release", 7):
        with pytest.raises(sf.BadInput, match="earlier: must be a list"):
            sf.audit(last, earlier=wrong)
    with pytest.raises(sf.BadInput, match="earlier: must hold releases"):
        sf.audit(last, earlier=[7])
    with pytest.raises(sf.BadInput, match="cannot read"):
        sf.audit(last, earlier=["nowhere"])


@pytest.mark.long
def test_why_there_is_nothing_to_compare(tmp_path):
    first, last = (sf.anonymize(table(n), sf.KAnonymity(2)) for n in (60, 90))
    with pytest.raises(CannotRun, match="no earlier release is known"):
        Correspondence().run(last)
    groups = sf.anonymize(table(90), sf.LDiversity(2, "frequency"), sf.Anatomy())
    with pytest.raises(sf.BadInput, match="two tables are published here"):
        Correspondence([first]).run(groups)
    with pytest.raises(CannotRun, match="no earlier release is known"):
        Correspondence().run(groups)
    places = [first.save(tmp_path / "1"), last.save(tmp_path / "2")]
    where = places[0] / "release.json"
    written = json.loads(where.read_text())
    paths = [[*path[:-1], "World"] for path in written["hierarchies"]["place"]["paths"]]
    written["hierarchies"]["place"]["paths"] = paths
    rewrite(places[0], written)
    with pytest.raises(CannotRun, match="'place': the releases have different hierarchies"):
        Correspondence([places[0]]).run(sf.load(places[1]))


@pytest.mark.long
def test_a_column_that_goes_untouched_through_releases_leaves_no_verdict():
    columns = [people(n).append_column("shoe", pa.array(["41"] * n)) for n in (100, 200)]
    tables = [sf.read(each, RULES, "s", insensitive=["shoe"]) for each in columns]
    first, last = (sf.anonymize(each, sf.KAnonymity(40)) for each in tables)
    finding = correspondence(sf.audit(last, criterion=sf.KAnonymity(2), earlier=[first]))
    assert finding.found >= 2
    assert finding.holds is None
    assert "'shoe' is published untouched" in finding.note
    broken = sf.audit(last, criterion=sf.KAnonymity(finding.found + 1), earlier=[first])
    assert correspondence(broken).holds is False  # what fails fails


# ------------------------------------------------------------------------------ what people see


@pytest.mark.long
def test_pages_and_tables_show_it(chain, tmp_path):
    report = sf.audit(sf.load(chain[0] / "003"))
    (row,) = (each for each in report.rows if each[0] == "correspondence")
    found = correspondence(report)
    assert row[3:] == (">= 4 records", f"{found.found} records", "0", "holds")
    page = report.to_html()
    assert "Compare a release with the earlier ones" in page
    assert "the earlier releases 001 and 002" in page
    assert "on this table and 2 earlier releases" in page
    written = json.loads((report.save(tmp_path).parent / "report.json").read_text())
    (shown,) = (each for each in written["findings"] if each["attack"] == "correspondence")
    assert shown["shown"]["promised"] == "at least 4 records"
    assert shown["holds"] is True
    assert "worst" not in shown
    assert "on this table alone" in sf.audit(sf.load(chain[0] / "001")).to_html()


@pytest.mark.long
def test_the_command_line_takes_earlier_releases(tmp_path):
    first, last = (
        sf.anonymize(table(n), sf.KAnonymity(4), sf.Mondrian()).save(
            tmp_path / str(n), format="csv"
        )
        for n in (120, 150)
    )
    runner = CliRunner()
    assert runner.invoke(app, ["audit", str(last)]).exit_code == 0
    done = runner.invoke(app, ["audit", str(last), "--earlier", str(first), "--json"])
    assert done.exit_code == 1
    findings = json.loads(done.stdout)["findings"]
    (finding,) = (each for each in findings if each["attack"] == "correspondence")
    assert finding["holds"] is False
    assert "the earlier release 120" in finding["knows"]
    files = [str(place / "data.csv") for place in (first, last)]
    roles = ["-s", "s", "-k", "4", "--earlier", files[0]]
    done = runner.invoke(app, ["audit", files[1], "-q", "age", "--details", *roles])
    assert done.exit_code == 1
    assert "left by the attack" in done.output
    done = runner.invoke(app, ["audit", files[1], "-q", "age,place", *roles])
    assert done.exit_code == 2  # nobody says what lies in Europe
    assert "check their order, the hierarchies" in done.output
    done = runner.invoke(app, ["audit", str(first), "--earlier", str(last)])
    assert done.exit_code == 2
    assert "is of 150 people and the release of 120" in done.output


def test_releases_that_are_given_and_cannot_be_compared_are_an_error(tmp_path):
    """There is no order in which missing values stand beside a, beside b, and beside c."""
    labels = ["a or missing", "b or missing", "c or missing"]
    first = [(label, value) for label in labels for value in "uv"]
    second = [*first, (">=a", "u"), (">=a", "v")]
    for name, written in (("one", first), ("two", second)):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("ward", "s"), *written])
    two = sf.read(tmp_path / "two.csv", ["ward"], "s")
    assert sf.audit(two, criterion=sf.KAnonymity(2)).holds
    with pytest.raises(sf.BadInput, match=r"'ward': what is published .*--original"):
        sf.audit(two, criterion=sf.KAnonymity(2), earlier=[tmp_path / "one.csv"])
    command = ["audit", str(tmp_path / "two.csv"), "-q", "ward", "-s", "s", "-k", "2"]
    assert CliRunner().invoke(app, command).exit_code == 0
    done = CliRunner().invoke(app, [*command, "--earlier", str(tmp_path / "one.csv")])
    assert done.exit_code == 2
    assert "--original" in done.output
    assert "shown safe" not in done.output


@pytest.mark.long
def test_the_audit_of_a_series_has_the_whole_chain(tmp_path):
    series = sf.ReleaseSeries.create(tmp_path / "series", RULES, sf.KAnonymity(4), sensitive="s")
    for start, end in ((0, 60), (60, 75), (75, 120)):
        series.publish(people(end).slice(start))
    found = series.audit()
    assert found.holds
    finding = correspondence(found.report)
    assert finding.holds
    assert "the earlier releases 001 and 002" in finding.knows
    pairs = [each for each in found.compared if each.later == 3]
    least = min(min(each.forward, each.cross, each.backward) for each in pairs)
    assert f"with one of them at least {least} (" in finding.note
    assert 4 <= finding.found <= least
    assert series.verify()


@pytest.mark.long
def test_many_classes_at_once_take_knowing_who_came_when(tmp_path):
    draw = np.random.default_rng(1)
    n = 4000
    everybody = pa.table(
        {
            "age": draw.integers(18, 90, n),
            "zip": draw.integers(100, 140, n).astype(str),
            "sex": draw.choice(["f", "m"], n),
            "s": draw.choice(list("uvwxyz"), n),
        }
    )
    rules = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
    releases = []
    for size in (2000, 3000, 4000):
        table = sf.read(everybody.slice(0, size), rules, "s")
        releases.append(sf.anonymize(table, sf.BCFAnonymity(3), sf.BCFAnonymizer(releases)))
        releases[-1].save(tmp_path / f"{len(releases)}")
    assert Correspondence().run(releases[-1]).holds
    loaded = sf.load(tmp_path / "3")
    finding = Correspondence().run(loaded)
    assert finding.found >= 3
    assert finding.holds is None
    assert "cannot be told without knowing who came when" in finding.note
    check = loaded.check()
    assert "no verdict about the series: what 3 releases" in repr(check)
    assert check.to_json()["holds"] is None


@pytest.mark.long
def test_numbers_are_the_same_however_a_file_writes_them(tmp_path):
    dose = [1e-07, 2.5, 1e-07, 2.5, 3.0, 3.0]
    tables = [
        sf.read(pa.table({"age": [21, 22, 41, 42, 21, 41][:n], "s": dose[:n]}), ["age"], "s")
        for n in (4, 6)
    ]
    releases = [sf.anonymize(each, sf.KAnonymity(2)) for each in tables]
    found = set()
    for j, kinds in enumerate(itertools.product(["csv", "parquet"], repeat=2)):
        places = [
            each.save(tmp_path / f"{j} {n}", format=kind)
            for n, (each, kind) in enumerate(zip(releases, kinds, strict=True))
        ]
        found.add(Correspondence([places[0]]).run(sf.load(places[1])).found)
    assert found == {Correspondence([releases[0]]).run(releases[1]).found}
