"""Cells suppressed instead of rows (Ciriani 2008, figure 2, AG_CS), beside enumeration."""

import csv
import json
from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.lattice
import sfumato as sf
from cli.common import run
from profiles import examples
from properties.generated import Generated, criteria, tables
from sfumato.algorithms.lattice.metric import METRICS
from sfumato.algorithms.lattice.outliers import told_at_root

QI = {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}


def rows_published(recoding, frequencies):
    """Give every published row as its texts, with its sensitive value."""
    placed = recoding.placement(frequencies)
    labels = recoding.labels(frequencies.domains)
    rows = Counter()
    for key, n in enumerate(frequencies.counts.tolist()):
        at = key if placed.frequencies.sensitive else frequencies.combination_of[key]
        box = placed.box[placed.key == at][0]
        if box < 0:
            continue
        row = []
        for name in frequencies.quasi_identifiers:
            texts, code = labels[name], int(frequencies.codes(name)[key])
            by_box = recoding.levels is None
            own = frequencies.domains[name].labels[code]
            row.append(own if texts is None else texts[int(box) if by_box else code])
        own = frequencies.domains["s"].labels[int(frequencies.codes("s")[key])]
        rows[(*row, own)] += n
    return rows


KINDS = [sf.Samarati, sf.Exhaustive, sf.Incognito]


@examples(150)
@given(tables(), criteria(), st.integers(1, 8), st.sampled_from(KINDS))
def test_the_published_rows_are_those_of_enumeration(table, pair, limit, kind):
    criterion, twin = pair
    frequencies = table.frequencies()
    try:
        plain = kind(limit).search(frequencies, criterion, None)
    except sf.Unsatisfiable:
        with pytest.raises(sf.Unsatisfiable):
            kind(limit, suppress="cells").search(frequencies, criterion, None)
        return
    found = kind(limit, suppress="cells").search(frequencies, criterion, None)
    assert (
        found.levels_of_most == plain.levels
    )  # who is an outlier decides, not what becomes of him
    node = tuple(plain.levels.values())
    expected = naive.lattice.published_at(table.rows, table.paths, node, twin, "cells")
    assert rows_published(found, frequencies) == Counter(row for row in expected if row is not None)
    assert found.n_suppressed(frequencies) == expected.count(None)
    n_outliers = naive.lattice.suppressed_at(table.rows, table.paths, node, twin)
    assert found.n_at_root == n_outliers - expected.count(None)


def the_optimum_is_the_cheapest_node(table, pair, limit, metric):
    criterion, twin = pair
    limit = min(limit, len(table.rows) - 1)
    safe = naive.lattice.safe_nodes(table.rows, table.paths, twin, limit)
    method = sf.Optimal(metric, limit, suppress="cells")
    if not safe:
        return
    prices = {
        n: naive.lattice.price(table.rows, table.paths, n, twin, metric, suppress="cells")
        for n in safe
    }
    found = method.search(table.frequencies(), criterion, None)
    node = tuple(found.levels_of_most.values())
    assert prices[node] == pytest.approx(min(prices.values()), rel=1e-9)
    same = [n for n in safe if prices[n] == pytest.approx(prices[node], rel=1e-9)]
    assert node == min(same, key=lambda n: (sum(n), n))


@examples(150)
@given(tables(max_rows=10), criteria(), st.integers(1, 8), st.sampled_from(sorted(METRICS)))
def test_the_optimum_is_the_cheapest_node_as_it_is_published(table, pair, limit, metric):
    the_optimum_is_the_cheapest_node(table, pair, limit, metric)


@examples(80)
@given(tables(max_rows=10), criteria(), st.integers(1, 8), st.sampled_from(["loss", "precision"]))
def test_outliers_lose_nothing_in_a_column_with_one_value(table, pair, limit, metric):
    rows = [(*row[:-1], "x", row[-1]) for row in table.rows]
    rule = sf.Hierarchy.from_spec({"level_table": [("x", "*")]}, "generated")
    wider = Generated(rows, [*table.paths, [("x", "*")]], [*table.rules, rule])
    the_optimum_is_the_cheapest_node(wider, pair, limit, metric)


def test_what_outliers_lose_at_the_root_is_what_is_measured():
    """A column with one value was charged for them, and a dearer node was proved to be the best."""
    values = ["0"] * 7 + ["1"] * 2 + ["2"] * 7 + ["3"] * 2
    table = sf.read(
        pa.table({"a": ["x"] * 18, "b": values}),
        {"a": sf.Flat(), "b": sf.Tree({"A": ["0", "1"], "B": ["2", "3"]})},
    )
    method = sf.Optimal("loss", 4, suppress="cells")
    release = sf.anonymize(table, sf.KAnonymity(3), method)
    assert (release.levels, release.n_at_root) == ({"a": 0, "b": 0}, 4)
    assert release.description.best_so_far.cost == sf.utility.information_loss(release) * 18 == 2


@pytest.fixture(scope="module")
def patients() -> sf.Table:
    return sf.read(sf.datasets.patients(), QI, "disease")


def test_outliers_are_counted_apart_from_suppressed_rows(patients, tmp_path):
    method = sf.Samarati(0.02, suppress="cells")
    release = sf.anonymize(patients, sf.KAnonymity(5), method)
    assert (release.n_rows, release.n_suppressed, release.n_at_root) == (2000, 0, 14)
    assert "14 at the root, 0 suppressed" in repr(release)
    assert release.summary().to_json()["at_root"] == 14
    assert "14 rows of outliers, as one group (0.70%)" in str(release.summary())
    assert "of 14 no quasi-identifier is told" in release.summary().sentences[0]
    place = release.save(tmp_path / "out", format="csv")
    assert json.loads((place / "release.json").read_text())["at_root"] == 14
    with (place / "data.csv").open(newline="") as file:
        rows = [(row["age"], row["sex"]) for row in csv.DictReader(file)]
    assert rows.count(("*", "*")) == 14
    assert min(Counter(rows).values()) >= 5
    loaded = sf.load(place)
    assert (loaded.n_at_root, loaded.levels) == (14, {"age": 1, "sex": 0})
    assert loaded.check()


def test_the_report_and_the_package_say_how_many_there_are(patients, tmp_path):
    release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati(0.02, suppress="cells"))
    report = sf.audit(release)
    assert report.verdict == "safe"
    report.public().save(tmp_path)
    said = json.loads((tmp_path / "report.json").read_text())["published"]
    assert (said["rows"], said["suppressed"], said["at_root"]) == (2000, 0, 14)
    page = (tmp_path / "report.html").read_text()
    assert "of these with nothing told" in page
    assert "local suppression" in page
    codebook = (release.save(tmp_path / "out") / "codebook.html").read_text()
    assert "14 rows (0.70%) of groups that would not have been safe say" in codebook


def test_too_few_outliers_are_left_out():
    """Fewer than k people cannot be published, at the root or elsewhere."""
    table = sf.read(pa.table({"q": ["a"] * 5 + ["b"] * 2}), {"q": sf.Tree(["a", "b"])})
    release = sf.anonymize(table, sf.KAnonymity(3), sf.Samarati(2, suppress="cells"))
    assert (release.n_suppressed, release.n_at_root) == (2, 0)
    assert release.recoding.levels == release.levels == {"q": 0}


def test_the_criterion_is_asked_of_the_outliers_too():
    """Five people, all with one value: large enough, and not diverse."""
    rows = [("a", v) for v in "xyxyx"] + [("b", "x")] * 3 + [("c", "x")] * 2
    source = pa.table({"q": [q for q, _ in rows], "s": [s for _, s in rows]})
    table = sf.read(source, {"q": sf.Tree(["a", "b", "c"])}, "s")
    by_size = sf.anonymize(table, sf.KAnonymity(4), sf.Samarati(5, suppress="cells"))
    assert (by_size.n_at_root, by_size.n_suppressed) == (5, 0)
    diverse = sf.KAnonymity(4) & sf.LDiversity(2)
    by_value = sf.anonymize(table, diverse, sf.Samarati(5, suppress="cells"))
    assert (by_value.n_at_root, by_value.n_suppressed) == (0, 5)


def test_outliers_count_against_the_limit(patients):
    """Whether rows or cells are suppressed is decided when the node is chosen: both lose all."""
    for suppress in ("rows", "cells"):
        release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati(13, suppress=suppress))
        assert release.levels == {"age": 1, "sex": 1}
        assert release.n_suppressed + release.n_at_root <= 13


def test_a_saved_recoding_treats_outliers_of_other_data_alike(patients, tmp_path):
    release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati(0.02, suppress="cells"))
    release.save_recoding(tmp_path / "recoding.json")
    again = sf.anonymize(patients, sf.KAnonymity(5), sf.Recode.load(tmp_path / "recoding.json"))
    assert again.to_arrow().equals(release.to_arrow())
    given = {"file": "recoding.json", "max_suppressed": 20, "suppress": "rows"}
    rows = sf.anonymize(patients, sf.KAnonymity(5), sf.Recode.from_job(given, tmp_path, "method"))
    assert (rows.n_suppressed, rows.n_at_root) == (14, 0)
    with pytest.raises(sf.BadInput, match="suppress='cells' is of levels"):
        sf.Recode(boxes=(), suppress="cells")
    with pytest.raises(sf.BadInput, match="suppress"):
        sf.Samarati(suppress="columns")


def test_measures_take_people_at_the_root_for_what_they_are(patients):
    release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati(0.02, suppress="cells"))
    rows = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati(0.02))
    for measure in (sf.utility.information_loss, sf.utility.precision, sf.utility.entropy):
        assert measure(release) == pytest.approx(measure(rows))
    cheaper = 14 * 2000 - 14**2
    assert sf.utility.discernibility(rows) - sf.utility.discernibility(release) == cheaper


def test_a_hierarchy_names_nothing_that_is_not_published():
    """The root stands beside nodes of one level, and tells of no node that only outliers have."""
    tree = sf.Tree({"north": ["Oslo", "Bergen"], "south": ["Rome", "Bari"], "west": ["Cork"]})
    towns = ["Oslo"] * 3 + ["Bergen"] * 2 + ["Rome", "Bari", "Cork"]
    table = sf.read(pa.table({"town": towns}), {"town": tree})
    method = sf.Recode({"town": 1}, max_suppressed=3, suppress="cells")
    release = sf.anonymize(table, sf.KAnonymity(3), method)
    assert Counter(release.to_arrow()["town"].to_pylist()) == {"north": 5, "*": 3}
    told = json.dumps(release.description.to_json())
    assert "north" in told
    assert not any(name in told for name in ("south", "west", "Oslo", "Rome"))


def test_a_group_of_which_nothing_is_told_is_one_with_the_outliers():
    table = sf.read(pa.table({"q": ["a"] * 4 + ["b"] * 4}), {"q": sf.Flat()})
    domains = table.frequencies().domains
    boxes = np.array([[[0, 1]], [[0, 0]]], dtype=np.int32)
    assert told_at_root(domains, boxes).tolist() == [True, False]


def test_what_values_decided_is_safe_by_no_attack_that_does_not_know_it():
    """Outliers by value: the mechanism attack runs the method with the option, or says nothing."""
    rows = [("a", v) for v in "xyxy"] + [("b", v) for v in "xx"] + [("c", v) for v in "yyy"]
    source = pa.table({"q": [q for q, _ in rows], "s": [s for _, s in rows]})
    table = sf.read(source, {"q": sf.Tree(["a", "b", "c"])}, "s")
    release = sf.anonymize(table, sf.LDiversity(2), sf.Samarati(5, suppress="cells"))
    assert (release.n_at_root, release.n_suppressed) == (5, 0)
    assert release.check()
    finding = sf.attacks.Mechanism().run(release)
    assert finding.holds is False  # b and c have one value each, or they would be no outliers
    assert (finding.found, finding.n_exceeding) == (1, 5)
    with pytest.raises(sf.attacks.CannotRun, match="outliers are published at the root"):
        sf.attacks.Minimality().run(release)
    few = sf.attacks.Mechanism(worlds=5)
    with pytest.raises(sf.attacks.CannotRun, match="too many worlds"):
        few.run(release)
    assert sf.audit(release).verdict == "failed"


def test_it_is_written_in_a_job_file_and_said_at_the_command_line(tmp_path):
    (tmp_path / "job.toml").write_text(
        f"""
source = {json.dumps(str(sf.datasets.patients()))}
output = "out"
[columns]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = {{ intervals = [5, 10, 20] }}
sex = {{ flat = {{}} }}
[[criteria]]
k_anonymity = {{ k = 5 }}
[method]
samarati = {{ max_suppressed = 0.02, suppress = "cells" }}
"""
    )
    result = run("anonymize", tmp_path / "job.toml", "--no-audit")
    assert result.exit_code == 0, result.output
    assert "of 14 no quasi-identifier is told" in " ".join(result.output.split())


# ------------------------------------------------ columns alone and rows alone (_AS and _TS)


@examples(100)
@given(tables(max_rows=10, missing=False), st.integers(1, 4), st.integers(0, 3))
def test_optimal_over_flat_columns_is_attribute_suppression(table, k, limit):
    """The best of all sets of columns to leave out, by hand: _AS of figure 2."""
    limit = min(limit, len(table.rows) - 1)
    width = len(table.rules)
    sets = [set(s) for n in range(width + 1) for s in combinations(range(width), n)]
    prices = {}
    for hidden in sets:
        shown = [tuple("*" if j in hidden else row[j] for j in range(width)) for row in table.rows]
        groups = Counter(shown)
        out = sum(n for n in groups.values() if n < k)
        if out <= limit:
            lost = len(hidden) * (len(shown) - out) + width * out  # cells
            prices[tuple(int(j in hidden) for j in range(width))] = lost
    rules = dict(zip(table.columns, [sf.Flat()] * width, strict=True))
    columns = {name: [row[j] for row in table.rows] for j, name in enumerate(table.columns)}
    frequencies = sf.read(pa.table(columns), rules).frequencies()
    if not prices:
        with pytest.raises(sf.Unsatisfiable):
            sf.Optimal("precision", limit).search(frequencies, sf.KAnonymity(k), None)
        return
    found = sf.Optimal("precision", limit).search(frequencies, sf.KAnonymity(k), None)
    best = min(prices, key=lambda node: (prices[node], sum(node), node))
    assert tuple(found.levels.values()) == best


@examples(60)
@given(tables(max_rows=8, missing=False), st.integers(1, 3))
def test_recode_at_the_ground_is_tuple_suppression(table, k):
    """The largest set of rows that is k-anonymous as it is, among all sets: _TS of figure 2."""
    rows = [row[:-1] for row in table.rows]
    largest = max(
        n
        for n in range(len(rows) + 1)
        if any(not some or min(Counter(some).values()) >= k for some in combinations(rows, n))
    )
    ground = dict.fromkeys(table.columns, 0)
    method, frequencies = sf.Recode(ground, max_suppressed=1.0), table.frequencies()
    if not largest:  # somebody has to be published
        with pytest.raises(sf.Unsatisfiable):
            method.search(frequencies, sf.KAnonymity(k), None)
        return
    found = method.search(frequencies, sf.KAnonymity(k), None)
    assert len(rows) - found.n_suppressed(frequencies) == largest
    kept = Counter({row: n for row, n in Counter(rows).items() if n >= k})
    shown = Counter()
    for row, n in rows_published(found, frequencies).items():
        shown[row[:-1]] += n
    assert shown == kept
