"""The error of COUNT queries on releases, against counting the published rows one by one."""

import json
import math
import re
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import naive.queries
import sfumato as sf
from sfumato.attacks.matching import boxes_in
from sfumato.data.recoding import Assignment, Bucketing, Cut
from sfumato.formulas.measures.queries import Workload
from sfumato.text import percent
from sfumato.utility.published_boxes import boxes_of_labels
from utility.reading import DISEASES, answering, hospital, table_of


def sets_of(queries, domains, j):
    masks = [*queries.quasi_identifiers, queries.sensitive]
    return {
        name: {v for v, yes in zip(domains[name].labels, mask[j], strict=True) if yes}
        for name, mask in zip(("age", "zip", "disease"), masks, strict=True)
    }


def slowly(release, workload):
    """Errors of all queries that somebody matches, how many nobody does, the most correlated."""
    domains, people, answer = release.table.domains, hospital().to_pylist(), answering(release)
    bases = [len(domains[name]) for name in ("age", "zip", "disease")]
    truths, errors, expected, left_out = [], [], [], 0
    for part in workload.queries(bases):
        for j in range(len(part)):
            query = sets_of(part, domains, j)
            truth = naive.queries.count_query(people, query)
            if not truth:
                left_out += 1
                continue
            alone = [naive.queries.count_query(people, {c: v}) for c, v in query.items()]
            truths.append(truth)
            errors.append(abs(answer(query) - truth) / truth)
            expected.append(Fraction(math.prod(alone), len(people) ** (len(alone) - 1)))
    above, below = naive.queries.most_correlated(truths, expected, 100)
    return errors, left_out, [errors[j] for j in above], [errors[j] for j in below]


def mean(errors):
    return sum(errors) / len(errors)


METHODS = [
    sf.Mondrian(),
    sf.Mondrian(strict=False, seed=1),
    sf.Optimal("loss", max_suppressed=0.3),
    sf.Recode({"age": 0, "zip": 1}, max_suppressed=0.5),
    sf.Anatomy(),
    sf.GreedyGrouping(),
    sf.OneGroup(),
]
PROMISE = sf.LDiversity(2, "frequency")


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize(("kind", "n", "s"), [("wong", 200, 0.05), ("cormode", 300, 0.8)])
def test_the_error_is_that_of_the_published_rows_counted_one_by_one(method, kind, n, s):
    release = sf.anonymize(table_of(hospital()), PROMISE, method)
    workload = Workload(kind, n, 2, Fraction(str(s)), 5)
    errors, left_out, above, below = slowly(release, workload)
    found = sf.utility.query_error(release, kind, n_queries=n, dimension=2, selectivity=s, seed=5)
    assert found.n_queries == n
    assert found.n_left_out == left_out
    assert found.average == pytest.approx(float(mean(errors)), rel=1e-12)
    assert found.median == pytest.approx(float(np.median([float(e) for e in errors])), rel=1e-12)
    assert found.positive == pytest.approx(float(mean(above)), rel=1e-12)
    assert found.negative == pytest.approx(float(mean(below)), rel=1e-12)


@pytest.mark.long
def test_these_releases_are_of_every_kind_and_some_suppress_and_some_split():
    made = [sf.anonymize(table_of(hospital()), PROMISE, method) for method in METHODS]
    assert any(isinstance(each.recoding, Cut) and each.n_suppressed for each in made)
    assert any(isinstance(each.recoding, Bucketing) for each in made)
    assert any(isinstance(each.recoding, Assignment) and each.recoding.splits for each in made)


def test_a_table_published_as_it_is_answers_without_error():
    release = sf.anonymize(table_of(hospital()), sf.KAnonymity(1), sf.Recode({"age": 0, "zip": 0}))
    for kind in ("cormode", "wong"):
        found = sf.utility.query_error(release, kind)
        assert (found.average, found.median) == (0, 0)


def test_the_papers_numbers_of_queries_are_the_defaults():
    release = sf.anonymize(table_of(hospital()), sf.KAnonymity(3))
    cormode, wong = (sf.utility.query_error(release, kind) for kind in ("cormode", "wong"))
    assert (cormode.n_queries, wong.n_queries) == (1_000, 10_000)
    assert wong.workload.selectivity == Fraction(1, 20)
    assert wong.workload.dimension == 2  # all of them
    assert 0 < cormode.n_left_out < 1_000  # empty sets match nobody


def test_a_query_of_an_empty_set_is_left_out_and_counted():
    release = sf.anonymize(table_of(hospital()), sf.KAnonymity(3))
    with pytest.raises(sf.BadInput, match="nobody matches any of the queries"):
        # 0.2 of four diseases is no disease.
        sf.utility.query_error(release, "cormode", selectivity=0.2)


def test_two_releases_of_a_table_are_asked_the_same_queries():
    table = table_of(hospital())
    fine, coarse = (
        sf.utility.query_error(sf.anonymize(table, sf.KAnonymity(k)), "cormode", seed=9)
        for k in (2, 20)
    )
    assert fine.n_left_out == coarse.n_left_out
    assert fine.average < coarse.average


def test_a_result_shows_itself_and_becomes_json():
    release = sf.anonymize(table_of(hospital()), sf.KAnonymity(3))
    found = sf.utility.query_error(release, seed=3)
    assert f"average relative error  {percent(found.average)}" in repr(found)
    assert f"<td>{percent(found.median)}</td>" in found._repr_html_()
    written = json.loads(json.dumps(found.to_json()))
    assert written["average"] == found.average
    assert written["queries"] == 1_000
    assert written["left_out"] == found.n_left_out


def test_independent_attributes_have_no_correlated_queries():
    source = pa.table(
        {
            "age": [a for a in (1, 2) for _ in range(4)],
            "zip": [z for _ in range(2) for z in "aabb"],
            "disease": ["flu", "HIV"] * 4,
        }
    )
    release = sf.anonymize(table_of(source), sf.KAnonymity(1), sf.Recode({"age": 1, "zip": 0}))
    found = sf.utility.query_error(release, selectivity=1)
    assert found.positive is None
    assert found.negative is None
    assert "no such query" in repr(found)
    assert found.average == 0  # evenly spread is what the estimate assumes


def test_one_of_several_sensitive_columns_is_named():
    source = hospital().append_column("income", pa.array([j % 7 for j in range(60)]))
    table = sf.read(source, ["age", "zip"], sensitive=["disease", "income"])
    for method in (sf.Mondrian(), sf.Mondrian(strict=False, seed=1)):
        release = sf.anonymize(table, sf.KAnonymity(3), method)
        with pytest.raises(sf.BadInput, match="several sensitive columns"):
            sf.utility.query_error(release)
        alone = sf.anonymize(table_of(hospital()), sf.KAnonymity(3), sf.Mondrian())
        found = sf.utility.query_error(release, attribute="disease")
        if method == sf.Mondrian():
            assert found == sf.utility.query_error(alone)


def test_a_loaded_release_has_no_original_to_compare_with(tmp_path):
    release = sf.anonymize(table_of(hospital()), sf.KAnonymity(3))
    release.save(tmp_path / "out")
    with pytest.raises(sf.BadInput, match="needs the original table"):
        sf.utility.query_error(sf.load(tmp_path / "out"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"workload": "xiao"}, "workload must be one of cormode, wong, got 'xiao'"),
        ({"n_queries": 0}, "n_queries must be an integer >= 1, got 0"),
        ({"dimension": 3}, "dimension must be at most 2, the number of quasi-identifiers, got 3"),
        ({"dimension": 0}, "dimension must be an integer >= 1, got 0"),
        ({"selectivity": 0}, "selectivity must be a number above 0 and at most 1, got 0"),
        ({"selectivity": 1.5}, "selectivity must be a number above 0 and at most 1, got 1.5"),
        ({"selectivity": "much"}, "selectivity must be a number above 0 and at most 1, got 'much'"),
        ({"seed": -1}, "seed must be an integer >= 0, got -1"),
        ({"seed": None}, "seed must be an integer >= 0, got None"),
        ({"attribute": "diseas"}, "did you mean 'disease'"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, message):
    release = sf.anonymize(table_of(hospital()), sf.KAnonymity(3))
    with pytest.raises(sf.BadInput, match=re.escape(message)):
        sf.utility.query_error(release, **arguments)


def test_a_table_without_a_sensitive_column_cannot_be_asked():
    release = sf.anonymize(sf.read(hospital(), ["age", "zip"]), sf.KAnonymity(3))
    with pytest.raises(sf.BadInput, match="no sensitive column"):
        sf.utility.query_error(release)


@pytest.mark.parametrize("seed", range(8))
def test_the_boxes_of_a_split_release_are_those_that_its_labels_say(seed, tmp_path):
    random = np.random.default_rng(seed)
    lines = ["age,zip,sex,disease"]
    for _ in range(80):
        age, code = random.integers(0, 12), random.choice(["01", "02", "10", ""])
        lines.append(f"{age},{code},{random.choice(['F', 'M'])},{random.choice(DISEASES)}")
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    roles = {"age": sf.Intervals(2, 4), "zip": sf.Prefix(), "sex": sf.Flat()}
    table = sf.read(tmp_path / "people.csv", roles, sensitive="disease")
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian(strict=False, seed=1))
    assert release.recoding.splits
    found = boxes_of_labels(release)
    assert np.array_equal(found, boxes_in(table.domains, release.seen))
    assert np.array_equal(np.unique(found, axis=0), np.unique(release.published_boxes[0], axis=0))
