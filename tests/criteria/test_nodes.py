"""Nodes of a hierarchy as sets of sensitive values: each stands for all values below it."""

import json
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.criteria
import sfumato as sf
from sfumato.data.groups import Groups
from sfumato.job import Job

DISEASES = {
    "any": {"cancer": ["lung", "skin"], "infection": {"viral": ["flu", "HIV"], "b": ["TB"]}}
}
TREE = sf.Tree(DISEASES)
LEAVES = ["lung", "skin", "flu", "HIV", "TB"]
BELOW = {
    **{leaf: [leaf] for leaf in LEAVES},
    "cancer": ["lung", "skin"],
    "viral": ["flu", "HIV"],
    "infection": ["flu", "HIV", "TB"],
    "b": ["TB"],
    "any": LEAVES,
}
DOMAIN, _ = TREE.grow("s", LEAVES)

people = st.lists(st.sampled_from(LEAVES), min_size=1, max_size=8)
names = st.lists(st.sampled_from(sorted(BELOW)), min_size=1, max_size=3, unique=True)
bounds = st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(3)])


def group(values):
    return Groups([len(values)], [[values.count(label) for label in DOMAIN.labels]], DOMAIN)


def every_set(named, pooled):
    """Give the sets of values that names stand for."""
    sets = [BELOW[name] for name in named]
    return [sorted({value for each in sets for value in each})] if pooled else sets


@given(people, names, bounds, st.booleans())
def test_each_node_is_bounded_as_its_values_counted_together(values, named, l, pooled):
    sets = every_set(named, pooled)
    kept = all(naive.criteria.l_diverse(values, l, "frequency", each, True) for each in sets)
    assert sf.LDiversity(l, "frequency", named, pooled).holds(group(values))[0] == kept
    alpha = sf.AlphaKAnonymity(1 / l, 2, named, pooled)
    shares = all(naive.criteria.alpha_k(values, 1 / l, 2, each, True) for each in sets)
    assert alpha.holds(group(values))[0] == shares
    largest = max(sum(v in each for v in values) for each in sets)
    assert alpha.measure(group(values)) == (Fraction(largest, len(values)), len(values))


@given(people, names, st.sampled_from(["distinct", "entropy"]))
def test_pooled_nodes_are_one_value_among_others(values, named, kind):
    (whole,) = every_set(named, True)
    kept = naive.criteria.l_diverse(values, 2, kind, whole, True)
    assert sf.LDiversity(2, kind, named, pooled=True).holds(group(values))[0] == kept


WARD = {
    "q": ["a", "a", "a", "b", "b", "b", "c", "c"],
    "s": ["lung", "skin", "flu", "flu", "HIV", "lung", "flu", "TB"],
}
Q = {"q": sf.Tree({"Q": ["a", "b", "c"]})}


def ward(hierarchy=TREE):
    return sf.read(pa.table(WARD), Q, "s", hierarchies={"s": hierarchy})


METHODS = [sf.Mondrian(), sf.Samarati(), sf.Samarati(2), sf.TopDown(seed=1), sf.Optimal("loss")]


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_release_and_its_attacks_are_those_of_the_values_pooled(method, tmp_path):
    node = sf.anonymize(ward(), sf.LDiversity(2, "frequency", ["cancer"]), method)
    leaves = sf.LDiversity(2, "frequency", ["lung", "skin"], pooled=True)
    pooled = sf.anonymize(ward(), leaves, method)
    assert node.groups.sizes.tolist() == pooled.groups.sizes.tolist()
    for attack in (sf.attacks.Homogeneity(), sf.attacks.Minimality(), sf.attacks.Mechanism()):
        one, other = attack.run(node), attack.run(pooled)
        assert (one.found, one.holds, one.worst) == (other.found, other.holds, other.worst)
    loaded = sf.load(node.save(tmp_path / "node", experiment=True))
    found = loaded.check().measured[0].found
    assert found == node.check().measured[0].found
    assert loaded.check().holds
    assert sf.attacks.Homogeneity().run(loaded).found == sf.attacks.Homogeneity().run(node).found


def test_a_node_is_no_value_that_suppressed_people_may_have():
    columns = {"q": ["a", "b", "b", "c", "c"], "s": ["lung", "flu", "TB", "flu", "skin"]}
    table = sf.read(pa.table(columns), Q, "s", hierarchies={"s": TREE})
    found = []
    for promise in (
        sf.LDiversity(2, "frequency", ["cancer"]),
        sf.LDiversity(2, "frequency", ["lung", "skin"], pooled=True),
    ):
        release = sf.anonymize(table, promise, sf.Samarati(1))
        assert release.n_suppressed == 1
        finding = sf.attacks.Mechanism().run(release)
        found.append((finding.found, finding.holds, finding.worst))
    assert found[0] == found[1]
    assert found[0][:2] == (1, False)


def test_the_hierarchy_is_published_only_where_a_node_is_named(tmp_path):
    for name, published in (("cancer", True), ("b", True), ("lung", False)):
        promise = sf.LDiversity("3/2", "frequency", [name])
        release = sf.anonymize(ward(), promise, sf.Samarati())
        saved = release.save(tmp_path / name)
        written = json.loads((saved / "release.json").read_text())
        assert ("s" in written["hierarchies"]) == published
        assert sf.load(saved).check().holds


def test_a_job_file_names_nodes(tmp_path):
    rows = zip(WARD["q"], WARD["s"], strict=True)
    (tmp_path / "ward.csv").write_text("q,s\n" + "".join(f"{q},{s}\n" for q, s in rows))
    (tmp_path / "job.toml").write_text(
        'source = "ward.csv"\noutput = "out"\n[columns]\nsensitive = ["s"]\n'
        '[columns.quasi_identifiers]\nq = { tree = { Q = ["a", "b", "c"] } }\n'
        '[columns.hierarchies]\ns = { tree = { any = { cancer = ["lung", "skin"], '
        'infection = ["flu", "HIV", "TB"] } } }\n[[criteria]]\n'
        'alpha_k_anonymity = { alpha = 0.5, k = 2, values = ["cancer"] }\n[method]\nsamarati = {}\n'
    )
    job = Job.load(tmp_path / "job.toml")
    release = sf.anonymize(job.table(), job.criterion, job.method)
    assert release.check().measured[0].found == (Fraction(3, 8), 8)


@pytest.mark.parametrize(
    ("promise", "hierarchy", "message"),
    [
        (sf.LDiversity(2, "frequency", ["cancr"]), TREE, "did you mean 'cancer'"),
        (sf.LDiversity(2, "frequency", ["cancer"]), sf.Flat(), "nobody has 'cancer'"),
        (sf.LDiversity(2, "frequency", ["l***"]), sf.Prefix(), "nobody has 'l"),
        (sf.Skyline({"cancer": [(0, 0, 0, 0.5)]}), TREE, "nobody has 'cancer'"),
        (
            sf.LDiversity(2, "frequency", ["other"]),
            sf.Tree({"x": ["lung", "skin", "other"], "other": ["flu", "HIV", "TB"]}),
            "two different nodes",
        ),
    ],
)
def test_what_is_no_node_is_refused(promise, hierarchy, message):
    with pytest.raises(sf.BadInput, match=message):
        sf.anonymize(ward(hierarchy), promise, sf.Samarati())
