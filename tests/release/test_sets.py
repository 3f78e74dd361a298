"""Set-valued columns: published as people and as values, and nothing says which go together."""

import csv
import json
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import naive.groups
import naive.knowledge
import sfumato as sf
from descriptions import rewrite
from sfumato.algorithms import Algorithm
from sfumato.algorithms.compatibility import methods
from sfumato.data.recoding import Bucketing
from sfumato.errors import BrokenPromise
from sfumato.release.files.saved import Files
from sfumato.release.files.writing import read_back

K = sf.KAnonymity(2)
NAMES = ["flu", "=HIV", "cold", "gout", "a,b"]


@dataclass(frozen=True)
class ByCombination(Algorithm):
    """Everybody with the same quasi-identifiers in one group, so that there are several.

    `split`: by counts alone, every other person of a combination in a second group; `left_out`: so
    many of the last combination's people are suppressed.
    """

    split: bool = False
    left_out: int = 0
    symmetric = True
    joint = False
    bucketized = True

    @property
    def takes_sets(self):
        return True

    def search(self, frequencies, criterion, draw):
        if not self.split:
            of = frequencies.combination_of
            parts = np.stack([np.arange(len(of)), of, frequencies.counts], axis=1)
            return Bucketing(frequencies, parts)
        ground = frequencies.combinations
        key = np.arange(len(ground))
        halves = [ground.counts // 2, ground.counts - ground.counts // 2]
        halves[1][-1] -= self.left_out
        parts = [np.stack([key, 2 * key + j, half], axis=1) for j, half in enumerate(halves)]
        parts.append(np.array([[key[-1], -1, self.left_out]]))
        return Bucketing(ground, np.concatenate(parts))


def rows_of(n=150, seed=2, values=NAMES) -> list[dict]:
    """Draw people, one row for each value; those of ward "n" have none."""
    draw = np.random.default_rng(seed)
    rows = []
    for person in range(n):
        ward = str(draw.choice(["a", "b", "n"]))
        same = {"id": f"person{person}", "age": int(draw.integers(20, 23)), "ward": ward}
        same["visit"] = f"visit{person}"
        drawn = [values[j] for j in draw.integers(0, len(values), draw.integers(0, 4))]
        rows += [same | {"s": value} for value in ([] if ward == "n" else drawn) or [None]]
    return [rows[j] for j in draw.permutation(len(rows))]


def long(rows, kind=None) -> pa.Table:
    return pa.table(
        {"s": pa.array([row["s"] for row in rows], kind or pa.string())}
        | {name: [row[name] for row in rows] for name in ("id", "age", "ward", "visit")}
    )


def lists(rows, kind=None) -> pa.Table:
    found = naive.groups.people_of(rows, "id", ["age", "ward", "visit"], "s").values()
    values = pa.array([list(has.elements()) for _, has in found], pa.list_(kind or pa.string()))
    names = ("age", "ward", "visit")
    columns = zip(*(known for known, _ in found), strict=True)
    return pa.table({"s": values} | dict(zip(names, columns, strict=True)))


def read(source, person="id", **roles) -> sf.Table:
    settings = {"sensitive": "s", "insensitive": ["visit"]} | roles
    return sf.read(source, ["age", "ward"], person=person, **settings)


def written(place, name) -> list[dict]:
    """Read one of the published files in plain Python; text as it was before it was defused."""
    if (place / f"{name}.parquet").exists():
        return pq.read_table(place / f"{name}.parquet").to_pylist()
    with (place / f"{name}.csv").open(newline="") as file:
        return [
            {k: v.removeprefix("'") if k == "s" else v for k, v in row.items()}
            for row in csv.DictReader(file)
        ]


METHODS_HERE = [sf.OneGroup(), ByCombination(), ByCombination(split=True)]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("method", METHODS_HERE, ids=str)
@pytest.mark.parametrize("form", [long, lists])
def test_the_files_hold_every_person_once_and_every_value_in_its_group(
    tmp_path, form, method, kind
):
    rows = rows_of()
    person = "id" if form is long else None
    release = sf.anonymize(read(form(rows), person), K, method)
    place = release.save(tmp_path / "out", format=kind)
    data, values = written(place, "data"), written(place, "sensitive")
    assert [*data[0]] == ["group", "age", "ward", "visit"]
    assert [*values[0]] == ["group", "s"]
    people = {
        visit: (str(age), ward, has)
        for (age, ward, visit), has in naive.groups.people_of(
            rows, "id", ["age", "ward", "visit"], "s"
        ).values()
    }
    assert len(data) == len(people) == release.n_rows
    expected: dict[str, Counter] = {}
    for row in data:
        age, ward, has = people.pop(row["visit"])
        assert (str(row["age"]), row["ward"]) == (age, ward)
        expected.setdefault(str(row["group"]), Counter()).update(has)
    assert not people
    found: dict[str, Counter] = {}
    for row in values:
        found.setdefault(str(row["group"]), Counter())[row["s"]] += 1
    assert found == {group: has for group, has in expected.items() if has}
    if method != sf.OneGroup():
        assert len(found) < len(expected)  # nobody of ward "n" has a value
    assert sorted(Counter(str(row["group"]) for row in data).values()) == sorted(release.sizes)
    in_order = [(int(row["group"]), row["s"]) for row in values]
    as_written = [  # the mark of a formula counts in the order of a CSV file
        (group, f"'{text}" if kind == "csv" and text[0] == "=" else text)
        for group, text in in_order
    ]
    assert as_written == sorted(as_written)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("method", [sf.OneGroup(), ByCombination()], ids=str)
def test_rows_and_lists_of_the_same_people_give_the_same_files(tmp_path, method, kind):
    for seed in range(3):
        rows = rows_of(40, seed)
        found = []
        for form, person in ((long, "id"), (lists, None)):
            release = sf.anonymize(read(form(rows), person), sf.KAnonymity(1), method)
            place = release.save(tmp_path / f"{seed}{form.__name__}", format=kind)
            told = json.loads((place / "release.json").read_text())
            # The type of a Parquet column says whether it may be missing.
            for each in ("files", "sha256", "package"):
                del told[each]
            tables = [written(place, name) for name in ("data", "sensitive")]
            found.append((told, tables, kind == "csv" and (place / "data.csv").read_bytes()))
        assert found[0] == found[1]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("method", [sf.OneGroup(), ByCombination()], ids=str)
def test_nothing_says_which_values_go_together(tmp_path, method, kind):
    """However the values of a group are dealt to its people, the files are the same."""
    ways = [
        [["A", "B"], ["C"], ["D"]],
        [["A"], ["B", "C"], ["D"]],
        [[], ["D", "C", "B", "A"], []],
        [["D"], [], ["C", "A", "B"]],
    ]
    files = []
    for number, values in enumerate(ways):
        table = pa.table({"age": [30, 30, 30], "visit": ["x", "y", "z"], "s": pa.array(values)})
        opened = sf.read(table, ["age"], "s", insensitive=["visit"])
        place = sf.anonymize(opened, K, method, untouched_identify=True).save(
            tmp_path / str(number), format=kind
        )
        files.append({path.name: path.read_bytes() for path in place.iterdir()})
    assert all(each == files[0] for each in files)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_no_file_names_a_person_or_has_a_list(tmp_path, kind):
    rows = rows_of(seed=4)
    for row in rows:
        row["id"] = f"CANARY{row['id']}"
    release = sf.anonymize(read(long(rows), insensitive=[]), K, sf.OneGroup())
    place = release.save(tmp_path / "out", format=kind)
    sf.audit(release).save(place)
    sf.audit(release).save(tmp_path / "private", private=True)
    for path in [*place.iterdir(), *(tmp_path / "private").iterdir()]:
        assert b"CANARY" not in path.read_bytes()
    for name in ("data", "sensitive"):
        table = release.to_arrow(name)
        assert not any(pa.types.is_nested(field.type) for field in table.schema)
        assert "CANARY" not in str(table.to_pylist())


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("method", METHODS_HERE, ids=str)
def test_a_loaded_release_shows_people_and_values_as_they_were(tmp_path, method, kind):
    release = sf.anonymize(read(long(rows_of())), K, method)
    loaded = sf.load(release.save(tmp_path / "out", format=kind))
    told = json.loads((tmp_path / "out" / "release.json").read_text())
    assert (told["set_valued"], told["sensitive"]) == ("s", ["s"])
    assert loaded.description.set_valued == "s"
    for each in (release, loaded):
        assert each.check().holds
        assert each.check().n_rows == each.n_rows == 150
        assert not each.check(sf.KAnonymity(151)).holds
        groups = each.groups
        assert groups.sizes.sum() == 150
        occurring = Counter(row["s"] for row in each.to_arrow("sensitive").to_pylist())
        everywhere = groups.histogram.to_dense().sum(axis=0).tolist()
        assert Counter(dict(zip(groups.labels, everywhere, strict=True))) == occurring
        assert groups.reference.tolist() == everywhere
    assert release.groups.sizes.tolist() == loaded.groups.sizes.tolist()
    first, second = (each.groups.histogram.to_dense().tolist() for each in (release, loaded))
    assert first == second
    assert ("any number of values", "s") in loaded.summary().lines


def test_the_summary_says_how_many_values_people_have(tmp_path):
    rows = rows_of()
    people = naive.groups.people_of(rows, "id", [], "s")
    sizes = [has.total() for _, has in people.values()]
    release = sf.anonymize(read(long(rows)), K, sf.OneGroup())
    assert release.summary().to_json()["values"] == {
        "in_all": sum(sizes),
        "most": max(sizes),
        "people_without": sizes.count(0),
    }
    assert "missing" not in release.summary().to_json()
    loaded = sf.load(release.save(tmp_path / "out"))
    assert "values" not in loaded.summary().to_json()


@pytest.mark.long
@pytest.mark.parametrize("form", [long, lists])
@pytest.mark.parametrize(
    ("values", "kind"),
    [([3, -10, 9, 2**40], pa.int64()), ([1.5, -0.25, 10.0], pa.float64())],
    ids=["integers", "floats"],
)
def test_numbers_stay_numbers_and_are_in_order(tmp_path, form, values, kind):
    rows = rows_of(values=values)
    table = read(form(rows, kind), "id" if form is long else None)
    release = sf.anonymize(table, K, sf.OneGroup())
    found = release.to_arrow("sensitive")
    assert found.schema.field("s").type == kind
    assert found["s"].to_pylist() == sorted(row["s"] for row in rows if row["s"] is not None)
    text = written(release.save(tmp_path / "out", format="csv"), "sensitive")
    assert [float(row["s"]) for row in text] == found["s"].to_pylist()


def test_numbers_of_a_csv_file_become_numbers_in_parquet(tmp_path):
    rows = rows_of(values=[7, 10, 9])
    long(rows, pa.int64()).to_pandas().astype({"s": "Int64"}).to_csv(
        tmp_path / "in.csv", index=False
    )
    release = sf.anonymize(read(tmp_path / "in.csv"), K, sf.OneGroup())
    found = pq.read_table(release.save(tmp_path / "out", format="parquet") / "sensitive.parquet")
    assert found["s"].to_pylist() == sorted(row["s"] for row in rows if row["s"] is not None)
    loaded = sf.load(tmp_path / "out")
    assert loaded.check().holds


def test_suppressed_people_take_their_values_with_them(tmp_path):
    rows = rows_of()
    for row in rows:
        row["ward"] = "a"
    method = ByCombination(split=True, left_out=3)
    release = sf.anonymize(read(long(rows)), sf.KAnonymity(1), method)
    place = release.save(tmp_path / "out", format="parquet")
    people = {
        visit: has for (visit,), has in naive.groups.people_of(rows, "id", ["visit"], "s").values()
    }
    published = written(place, "data")
    assert (len(published), release.n_suppressed) == (147, 3)
    expected: dict[int, Counter] = {}
    for row in published:
        expected.setdefault(row["group"], Counter()).update(people[row["visit"]])
    found: dict[int, Counter] = {}
    for row in written(place, "sensitive"):
        found.setdefault(row["group"], Counter())[row["s"]] += 1
    assert found == {group: has for group, has in expected.items() if has}
    assert sf.load(place).check().n_rows == 147


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("case", ["set", "multiset"])
def test_what_the_files_show_withstands_what_was_promised(tmp_path, case, kind):
    """Counted from the files in plain Python, and judged by the plain program, in fractions."""
    split = 0
    for seed in range(6):
        rows = rows_of(60, seed, NAMES[:4])
        if case == "set":
            rows = list({(row["id"], row["s"]): row for row in rows}.values())
        limit = Fraction(3, 4)
        promise = sf.Skyline([(1, 1, 1, limit)], case=case) & K
        method = sf.SkylineMondrian(publish="bucketized")
        try:
            release = sf.anonymize(read(long(rows)), promise, method)
        except sf.Unsatisfiable:
            continue
        place = release.save(tmp_path / str(seed), format=kind)
        sizes = Counter(str(row["group"]) for row in written(place, "data"))
        values: dict[str, Counter] = {group: Counter() for group in sizes}
        for row in written(place, "sensitive"):
            values[str(row["group"])][row["s"]] += 1
        assert sum(values.values(), Counter()) == Counter(row["s"] for row in rows if row["s"])
        groups = [(n, values[group]) for group, n in sizes.items()]
        breaches = [
            naive.knowledge.breach_by_program(groups, name, 1, 1, 1, case) for name in NAMES[:4]
        ]
        assert max(breaches) < limit
        measured, _ = sf.load(place).check().measured
        assert measured.found == max(breaches)
        assert min(sizes.values()) >= 2
        split += len(sizes) > 1
    assert split >= 3


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize("method", [m for m in methods() if not m.takes_sets], ids=str)
def test_a_method_that_is_about_one_value_for_each_is_refused(method):
    with pytest.raises(sf.BadInput) as caught:
        sf.anonymize(read(long(rows_of(30))), sf.KAnonymity(3), method)
    assert str(caught.value).startswith(f"{method} cannot publish 's', of which people have any")
    assert "OneGroup()" in str(caught.value)


ONE_EACH = [
    sf.LDiversity(2),
    sf.RecursiveDiversity(3, 2),
    sf.TCloseness(0.5),
    sf.AlphaKAnonymity(0.5, 2),
    sf.PSensitiveKAnonymity(2, 2),
    sf.KEAnonymity(2, 1),
    sf.CKSafety(0.9, 1),
    sf.Skyline([(0, 0, 0, 0.9)]),
    K & sf.LDiversity(2, attribute="s"),
]


@pytest.mark.parametrize("criterion", ONE_EACH, ids=str)
def test_a_criterion_that_is_about_one_value_for_each_is_refused(tmp_path, criterion):
    table = read(long(rows_of(30)))
    release = sf.anonymize(table, K, sf.OneGroup())
    loaded = sf.load(release.save(tmp_path / "out"))
    for asked in (
        lambda: sf.anonymize(table, criterion, sf.OneGroup()),
        lambda: sf.check(table, criterion),
        lambda: release.check(criterion),
        lambda: loaded.check(criterion),
        lambda: sf.audit(loaded, criterion=criterion),
    ):
        with pytest.raises(sf.BadInput, match="people have any number of values of 's', and this"):
            asked()


@pytest.mark.long
@pytest.mark.parametrize("case", ["set", "multiset"])
def test_a_skyline_of_sets_is_judged_on_people_and_values(tmp_path, case):
    """Two people with {A, B} and {C}: each value is one of two people's, so believed by half."""
    table = pa.table({"q": [1, 1], "s": [["A", "B"], ["C"]]})
    promise = sf.Skyline([(0, 0, 0, 0.6)], case=case)
    release = sf.anonymize(sf.read(table, ["q"], "s"), promise, sf.OneGroup())
    (measured,) = sf.load(release.save(tmp_path / "out")).check().measured
    assert measured.holds
    assert measured.found == 0.5
    strict = sf.Skyline([(0, 0, 0, 0.5)], case=case)
    with pytest.raises(sf.Unsatisfiable):
        sf.anonymize(sf.read(table, ["q"], "s"), strict, sf.OneGroup())


@pytest.mark.parametrize("method", [sf.SkylineMondrian(), sf.Optimal(), sf.OneGroup()], ids=str)
@pytest.mark.parametrize("person", [None, "p"])
def test_people_who_are_seen_to_have_one_value_each_are_not_promised_sets(method, person):
    """{A} and {B} as sets: 2/3 with one value ruled out; seen as one row each: certain."""
    people = pa.table({"p": [1, 2, 3, 4], "q": [1, 2, 3, 4], "s": ["A", "B", "A", "B"]})
    table = sf.read(people, ["q"], "s", person=person)
    as_sets = sf.Skyline([(1, 0, 0, 0.9)], case="set")
    with pytest.raises(sf.BadInput, match="exactly one value of 's'"):
        sf.anonymize(table, as_sets, method)
    with pytest.raises(sf.BadInput, match="exactly one value of 's'"):
        sf.check(table, as_sets)
    with pytest.raises(sf.Unsatisfiable):
        sf.anonymize(table, sf.Skyline([(1, 0, 0, 0.9)]), method)


def test_a_repeated_value_is_no_set():
    table = sf.read(pa.table({"q": [1, 1], "s": [["A", "A"], ["C"]]}), ["q"], "s")
    with pytest.raises(sf.BadInput, match="somebody has a value of 's' more than once"):
        sf.anonymize(table, sf.Skyline([(0, 0, 0, 0.9)], case="set"), sf.OneGroup())
    assert sf.anonymize(table, sf.Skyline([(0, 0, 0, 0.9)], case="multiset"), sf.OneGroup()).check()


def test_a_named_value_is_looked_for_among_the_values_and_not_among_the_sets():
    table = sf.read(pa.table({"q": [1, 1], "s": [["A", "B"], ["C"]]}), ["q"], "s")
    named = {"B": [(0, 0, 0, "3/4")]}
    assert sf.anonymize(table, sf.Skyline(named, case="set"), sf.OneGroup()).check()
    with pytest.raises(sf.BadInput, match="nobody has 'D' in column 's'"):
        sf.check(table, sf.Skyline({"D": [(0, 0, 0, 0.9)]}, case="set"))


def test_as_it_stands_a_table_of_sets_can_fail_but_not_hold():
    """Two people with {A} and {B}: as lists one value gives away the other."""
    table = sf.read(pa.table({"q": [1, 1], "s": [["A", "B"], ["C"]]}), ["q"], "s")
    (apart,) = sf.check(table, sf.Skyline([(0, 0, 0, 0.6)], case="set")).measured
    assert apart.holds
    assert apart.verdict.startswith("no verdict: that is as if values were published apart")
    assert sf.check(table, sf.Skyline([(0, 0, 0, 0.6)], case="set")).to_json()["holds"] is None
    (failing,) = sf.check(table, sf.Skyline([(0, 0, 0, 0.5)], case="set")).measured
    assert failing.verdict == "FAILS for 2 rows"


def test_without_a_promise_k_is_measured_alone():
    rows = rows_of()
    found = sf.check(read(long(rows)))
    assert [str(each.criterion) for each in found.measured] == ["KAnonymity(k=1)"]
    people = naive.groups.people_of(rows, "id", ["age", "ward"], "s").values()
    smallest = min(n for n, _ in naive.groups.occurrences_counted(people).values())
    assert (found.n_rows, found.measured[0].found) == (150, smallest)


def test_queries_about_one_value_for_each_are_refused():
    release = sf.anonymize(read(long(rows_of(30))), K, sf.OneGroup())
    with pytest.raises(sf.BadInput, match="query_error: people have any number of values of 's'"):
        sf.utility.query_error(release, seed=1)


@pytest.mark.parametrize("change", [{"set_valued": "age"}, {"set_valued": 5}, {"group": None}])
def test_a_description_that_contradicts_itself_is_refused(tmp_path, change):
    place = sf.anonymize(read(long(rows_of(30))), K, sf.OneGroup()).save(tmp_path / "out")
    told = json.loads((place / "release.json").read_text())
    rewrite(place, told | change)
    with pytest.raises(sf.BadInput, match=r"'(group|set_valued|types)' is missing, or not"):
        sf.load(place)


def test_values_of_a_group_that_nobody_is_in_are_noticed(tmp_path):
    release = sf.anonymize(read(long(rows_of(30))), K, sf.OneGroup())
    place = release.save(tmp_path / "out", format="csv")
    with (place / "sensitive.csv").open("a") as file:
        file.write("7,flu\n")
    files = Files(place, "csv")
    with pytest.raises(BrokenPromise, match="do not have the same groups"):
        read_back(release.description, files.opened(release.description.tables))


def test_lists_of_one_value_each_are_no_sets():
    """Whoever sees that everybody has one knows more than a promise about sets allows for."""
    lists = pa.table({"a": [1, 2, 3, 4], "d": [["A"], ["B"], ["A"], ["B"]]})
    table = sf.read(lists, ["a"], sensitive="d")
    promise = sf.Skyline([(1, 0, 0, 0.7)], case="set")
    with pytest.raises(sf.BadInput, match="everybody has exactly one value"):
        sf.anonymize(table, promise, sf.SkylineMondrian(publish="bucketized"))
