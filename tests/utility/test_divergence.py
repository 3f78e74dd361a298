"""KL divergence of releases, against adding up the published rows one by one."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import naive.divergence
import sfumato as sf
from sfumato.formulas.boxes import points
from sfumato.formulas.measures import divergence
from sfumato.utility.published_boxes import generalized_groups
from utility.reading import answering, hospital, table_of

COLUMNS = ("age", "zip", "disease")
PROMISE = sf.LDiversity(2, "frequency")
METHODS = [
    sf.Mondrian(),
    sf.Mondrian(strict=False, seed=1),
    sf.Mondrian(bounds="tight"),
    sf.Mondrian(bounds="cuts"),
    sf.TopDown("local", seed=2),
    sf.TopDown("cut"),
    sf.Optimal("loss", max_suppressed=0.3),
    sf.Recode({"age": 0, "zip": 1}, max_suppressed=0.5),
    sf.Anatomy(seed=3),
    sf.GreedyGrouping(),
    sf.OneGroup(),
]


def slowly(release, source):
    """Add up what the published rows say about every cell of the table."""
    domains, count = release.table.domains, answering(release)
    anywhere = math.prod(len(domains[name]) for name in COLUMNS)

    def expected(cell):
        query = {name: {value} for name, value in zip(COLUMNS, cell, strict=True)}
        return count(query) + Fraction(release.n_suppressed, anywhere)

    return naive.divergence.kl_divergence(
        [tuple(row.values()) for row in source.to_pylist()], expected
    )


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_divergence_is_that_of_the_published_rows_counted_one_by_one(method, seed):
    source = hospital(seed=seed)
    release = sf.anonymize(table_of(source), PROMISE, method)
    assert sf.utility.kl_divergence(release) == pytest.approx(slowly(release, source), rel=1e-12)


@pytest.mark.long
def test_some_of_these_releases_suppress_some_split_and_some_have_boxes_that_overlap():
    made = [sf.anonymize(table_of(hospital()), PROMISE, method) for method in METHODS]
    assert any(each.n_suppressed for each in made)
    assert any(each.recoding.splits and not each.method.bucketized for each in made)
    ground = made[0].table.combinations()
    codes = np.stack([ground.codes(name) for name in ground.columns], axis=1)
    generalized = [each for each in made if not each.method.bucketized]
    pairs = [points.points_in_boxes(codes, generalized_groups(r, None)[0]) for r in generalized]
    assert any(len(point) > len(set(point)) for point, _ in pairs)


def test_a_table_published_as_it_is_has_lost_nothing():
    release = sf.anonymize(table_of(hospital()), sf.KAnonymity(1), sf.Recode({"age": 0, "zip": 0}))
    assert sf.utility.kl_divergence(release) == 0


def test_two_people_whose_values_are_dealt_are_a_factor_of_two_away():
    source = pa.table({"age": [1, 2], "zip": ["a", "a"], "disease": ["flu", "HIV"]})
    release = sf.anonymize(table_of(source), sf.KAnonymity(2), sf.OneGroup())
    assert sf.utility.kl_divergence(release) == pytest.approx(math.log(2), rel=1e-15)


def test_a_box_is_spread_over_ground_values_that_nobody_has():
    # Four cells in the box of two ages and two zips, each expected to hold half a person of the
    # two, one of each disease a quarter: p is 1/2, p* is 1/8.
    source = pa.table({"age": [1, 2], "zip": ["a", "b"], "disease": ["flu", "HIV"]})
    table = sf.read(source, {"age": sf.Flat(), "zip": sf.Tree(["a", "b"])}, "disease")
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian())
    assert sf.utility.kl_divergence(release) == pytest.approx(math.log(4), rel=1e-15)


def test_one_group_loses_what_quasi_identifiers_say_about_the_value():
    source = hospital()
    release = sf.anonymize(table_of(source), sf.KAnonymity(1), sf.OneGroup())
    pairs = [((row["age"], row["zip"]), row["disease"]) for row in source.to_pylist()]
    expected = naive.divergence.mutual_information(pairs)
    assert sf.utility.kl_divergence(release) == pytest.approx(expected, rel=1e-12)


def test_a_suppressed_person_could_be_anything():
    source = pa.table({"age": [1, 1, 1, 50], "zip": ["a"] * 4, "disease": ["flu"] * 3 + ["HIV"]})
    method = sf.Recode({"age": 0, "zip": 0}, max_suppressed=1)
    release = sf.anonymize(table_of(source), sf.KAnonymity(2), method)
    assert release.n_suppressed == 1
    # Two ages, one zip, two diseases: a quarter of a person in each cell.
    expected = (3 * math.log(3 / (3 + 1 / 4)) + math.log(1 / (1 / 4))) / 4
    assert sf.utility.kl_divergence(release) == pytest.approx(expected, rel=1e-14)


def test_without_a_sensitive_column_only_generalization_counts():
    source = pa.table({"age": [1, 1, 2]})
    table = sf.read(source, ["age"])
    release = sf.anonymize(table, sf.KAnonymity(3), sf.Recode({"age": 1}))
    expected = (2 * math.log(2 / 1.5) + math.log(1 / 1.5)) / 3
    assert sf.utility.kl_divergence(release) == pytest.approx(expected, rel=1e-14)


def test_one_of_several_sensitive_columns_is_named():
    source = hospital().append_column("income", pa.array([n % 7 for n in range(60)]))
    table = sf.read(source, ["age", "zip"], sensitive=["disease", "income"])
    release = sf.anonymize(table, sf.KAnonymity(3), sf.Mondrian())
    with pytest.raises(sf.BadInput, match="several sensitive columns"):
        sf.utility.kl_divergence(release)
    alone = sf.anonymize(table_of(hospital()), sf.KAnonymity(3), sf.Mondrian())
    found = sf.utility.kl_divergence(release, "disease")
    assert found == pytest.approx(sf.utility.kl_divergence(alone), rel=1e-14)
    two = sf.anonymize(table, sf.KAnonymity(3), sf.OneGroup())
    pairs = [((row["age"], row["zip"]), row["income"]) for row in source.to_pylist()]
    expected = naive.divergence.mutual_information(pairs)
    assert sf.utility.kl_divergence(two, "income") == pytest.approx(expected, rel=1e-12)


def test_a_loaded_release_has_no_original_to_compare_with(tmp_path):
    release = sf.anonymize(table_of(hospital()), sf.KAnonymity(3))
    release.save(tmp_path / "out")
    with pytest.raises(sf.BadInput, match="needs the original table"):
        sf.utility.kl_divergence(sf.load(tmp_path / "out"))


@pytest.mark.parametrize("method", [sf.Anatomy(seed=3), sf.TopDown("local", seed=2)], ids=str)
def test_few_cells_at_a_time_add_up_to_the_same(method, monkeypatch):
    release = sf.anonymize(table_of(hospital()), PROMISE, method)
    whole = sf.utility.kl_divergence(release)
    monkeypatch.setattr(divergence, "CELLS", 3)
    assert sf.utility.kl_divergence(release) == pytest.approx(whole, rel=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_finds_the_points_that_comparing_each_finds(seed, monkeypatch):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 9, (200, 3)).astype(np.int32)
    boxes = np.sort(random.integers(0, 9, (50, 3, 2)), axis=2).astype(np.int32)
    boxes[0] = [0, 8]  # everything
    compared = set(zip(*map(tuple, points.points_in_boxes(codes, boxes)), strict=True))
    monkeypatch.setattr(points, "PAIRS_AT_ONCE", 0)
    found = list(zip(*map(tuple, points.points_in_boxes(codes, boxes)), strict=True))
    assert len(found) == len(set(found))
    assert set(found) == compared
