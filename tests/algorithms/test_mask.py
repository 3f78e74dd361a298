"""MASK (Wong 2009, section 6): k-anonymity, and values changed where they are too frequent."""

import json
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import sfumato as sf
from naive.mask import masked
from sfumato.algorithms.lots import LAST_CHANCE, drawn_numbers, every_outcome
from sfumato.cli.app import app
from sfumato.files.staged import CHECKSUM, checksum
from sfumato.formulas.masking.posterior import posteriors
from sfumato.formulas.masking.refusal import refusal

Q = sf.Tree({"Q": ["q1", "q2"], "R": ["q3", "q4"]})
XXI = pa.table(
    {
        "q": ["q1", "q2", "q3", "q3", "q4", "q4"],
        "disease": ["HIV", "HIV", "HIV", "none", "none", "none"],
    }
)


def promised(k, l, values):
    return sf.KAnonymity(k) & sf.LDiversity(l, "frequency", values, pooled=True)


def masked_release(table, k, l, values, **settings):
    return sf.anonymize(table, promised(k, l, values), sf.Mask(k, l, values, **settings))


@pytest.fixture
def patients():
    return sf.read(XXI, {"q": Q}, "disease")


# ---------------------------------------------------------------------- the paper's example


def test_table_xxi_a_is_published_as_c(patients):
    release = masked_release(patients, 2, 2, ["HIV"])
    assert release.to_arrow().to_pydict() == {
        "q": ["Q", "Q", "q3", "q3", "q4", "q4"],
        "disease": ["HIV", "none", "HIV", "none", "none", "none"],
    }
    assert release.recoding.n_changed == 1
    assert release.check().holds
    assert release.n_suppressed == 0


def test_theorem_4_fails_on_it_and_to_tell_that_a_value_was_changed_makes_it_worse():
    assert posteriors([2, 2, 2], [1, 1, 0], Fraction(2))[0] == Fraction(5, 8)
    told = posteriors([2, 2, 2], [1, 1, 0], Fraction(2), total=3)  # two, and one more
    assert told[0] == Fraction(3, 4)


def test_two_tables_have_the_same_values(patients):
    release = masked_release(patients, 2, 2, ["HIV"], publish="bucketized")
    data, values = (release.to_arrow(each).to_pydict() for each in ("data", "sensitive"))
    assert data["q"] == ["q1", "q2", "q3", "q3", "q4", "q4"]
    assert data["group"] == values["group"] == [1, 1, 2, 2, 3, 3]
    assert values["disease"] == ["HIV", "none", "HIV", "none", "none", "none"]
    assert release.check().holds


def test_with_too_few_other_groups_nothing_is_published(patients):
    with pytest.raises(
        sf.Unsatisfiable, match=r"in 2 of 3 groups .* 6 other groups, and there are 1"
    ):
        masked_release(patients, 2, 4, ["HIV"])
    with pytest.raises(sf.Unsatisfiable, match=r"in 1 of 1 group .* there are 0"):
        masked_release(patients, 6, 4, ["HIV"], reference=1)


def test_where_no_group_violates_nothing_is_changed(patients):
    release = masked_release(patients, 6, 2, ["HIV"])
    assert release.recoding.n_changed == 0
    assert sorted(release.to_arrow()["disease"].to_pylist()) == ["HIV"] * 3 + ["none"] * 3


# ------------------------------------------------------------- the same as by listing all lots


@dataclass(frozen=True)
class _Fixed(sf.Algorithm):
    """Groups that were made beforehand."""

    groups: object

    def search(self, frequencies, criterion, draw):
        return self.groups


def small_table(seed):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(5, 8))
    share = draw.choice([0.3, 0.5])
    values = np.where(
        draw.random(n) < share, draw.choice(["A", "B"], n), draw.choice(list("xy"), n)
    )
    return pa.table({"q": draw.choice(["q1", "q2", "q3", "q4"], n), "s": values})


def grouped(table, decided):
    """Give everybody's group, combination and value; groups in the order of their boxes."""
    frequencies = table.frequencies()
    grouping = decided.grouping(frequencies)
    order = np.lexsort(grouping.boxes.reshape(len(grouping.boxes), -1).T[::-1])
    number = np.argsort(order)
    labels = frequencies.domains["s"].labels
    people = []
    for key, count in enumerate(frequencies.counts.tolist()):
        group = int(number[grouping.index[key]])
        value = labels[frequencies.codes("s")[key]]
        people += [(group, int(frequencies.combination_of[key]), value)] * count
    return people


def rows_of(recoding, frequencies, groups):
    """Give who is published with what, as the twin does; groups: by combination."""
    placed = recoding.placement(frequencies).by_value(frequencies)
    labels, own = frequencies.domains["s"].labels, frequencies.codes("s")
    instead = recoding.changed.get("s", np.full(len(placed.key), -1))
    rows = []
    for key, n, other in zip(placed.key, placed.people, instead, strict=True):
        combination = int(frequencies.combination_of[key])
        value = labels[own[key] if other < 0 else other]
        rows += [(groups[combination], combination, value)] * int(n)
    return tuple(sorted(rows))


def published_rows(method, frequencies, promise, groups, draw):
    try:
        found = method.search(frequencies, promise, draw)
    except sf.Unsatisfiable:
        return None
    return rows_of(found, frequencies, groups)


SETTINGS = [
    (publish, replacement, reference)
    for publish in ("generalized", "bucketized")
    for replacement in ("table", "group")
    for reference in ("paper", 1)
]


@pytest.mark.parametrize(("publish", "replacement", "reference"), SETTINGS)
def test_every_lot_is_as_likely_as_by_listing_all_of_them(publish, replacement, reference):
    """Of tables in which something is left to chance, not too much to go through."""
    n_compared = 0
    for seed in range(500):
        table = sf.read(small_table(seed), {"q": Q}, "s")
        l = ("3/2", 2, "5/2")[seed % 3]
        values = tuple(each for each in ("A", "B") if each in table.domains["s"].labels)
        if not values:
            continue
        frequencies = table.frequencies()
        decided = sf.TopDown("cut").search(frequencies.combinations, sf.KAnonymity(2), None)
        method = sf.Mask(2, l, values, _Fixed(decided), publish, reference, replacement)
        people = grouped(table, decided)
        groups = {combination: group for group, combination, _ in people}
        expected = masked(people, values, l, reference, replacement)
        if len(expected) < 3:
            continue

        run = partial(published_rows, method, frequencies, promised(2, l, values), groups)
        outcomes = every_outcome(run, 1_000)
        if outcomes is None:  # too many lots to go through
            continue
        found = Counter()
        for chance, outcome in outcomes:
            found[outcome] += chance
        assert found == expected
        n_compared += 1
        if n_compared == 4:
            return
    raise AssertionError("too few tables with lots")


def test_a_chance_that_would_make_a_number_likelier_is_drawn_again():
    left_over = (2**64) % 3
    chances = iter([LAST_CHANCE - np.uint64(left_over - 1), np.uint64(7)])
    drawn = drawn_numbers(np.array([3]), lambda n: next(chances).tobytes())
    assert drawn.tolist() == [7 % 3]
    assert next(chances, None) is None


def test_whose_value_is_changed_does_not_depend_on_who_it_is():
    """Of three people who have a value, two are equal; each is changed as often as the others."""
    rows = pa.table({"q": ["q1", "q1", "q2", "q3", "q3"], "s": ["A", "A", "B", "A", "x"]})
    table = sf.read(rows, {"q": Q}, "s")
    method = sf.Mask(2, 2, ["A", "B"], sf.TopDown("cut"))
    n, n_changed = 150, np.zeros(3)
    for seed in range(n):
        draw = np.random.default_rng(seed).bytes
        found = method.search(table.frequencies(), sf.KAnonymity(2), draw)
        join = found.application(table.domains, ("q", "s"), draw(32))
        n_changed += join.instead["s"][next(iter(join.dealt))[:3]] >= 0
    assert n_changed.sum() == 2 * n  # half of three people is one, who keeps the value
    expected, spread = n * 2 / 3, (n * 2 / 9) ** 0.5
    assert (abs(n_changed - expected) < 5 * spread).all()


# ------------------------------------------------------------------------ through the files


def mixed(n=400):
    draw = np.random.default_rng(8)
    score = draw.choice([1, 2, 30, 40, 50], n, p=[0.15, 0.15, 0.3, 0.2, 0.2])
    return pa.table(
        {
            "age": draw.integers(20, 60, n),
            "sex": draw.choice(["f", "m"], n),
            "score": pa.array([None if j % 17 == 0 else int(x) for j, x in enumerate(score)]),
            "word": [f"={x}" if x > 40 else f"w{x}" for x in score],
        }
    )


@pytest.mark.parametrize("sensitive", ["score", "word"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"publish": "bucketized"},
        {"inner": sf.Mondrian(strict=False), "replacement": "group"},
        {"inner": sf.Samarati(0.1)},
    ],
    ids=str,
)
def test_what_is_read_back_is_what_was_decided(tmp_path, sensitive, kind, settings):
    rows = mixed()
    values = [1, 2] if sensitive == "score" else ["w1", "w2"]
    ages = {"age": sf.Intervals(5, 10, 20, 40), "sex": sf.Flat()}
    table = sf.read(rows.select(["age", "sex", sensitive]), ages, sensitive)
    release = masked_release(table, 3, "5/2", values, **settings)
    assert release.recoding.n_changed > 0
    release.save(tmp_path / "out", format=kind)
    loaded = sf.load(tmp_path / "out")
    assert loaded.check().holds
    two_tables = release.description.group is not None
    written = loaded.to_arrow("sensitive" if two_tables else "data")[sensitive]
    assert written.type == rows[sensitive].type or kind == "csv"
    decided = release.recoding_table().to_pydict()
    counted = Counter()
    columns = (f"published {sensitive}", "suppressed", "people")
    for value, suppressed, people in zip(*(decided[each] for each in columns), strict=True):
        if not suppressed:
            counted[value] += people
    found = Counter(None if each is None else str(each) for each in written.to_pylist())
    if sensitive == "word" and kind == "csv":
        found = Counter({name.lstrip("'"): n for name, n in found.items()})
    assert found == counted
    had, has = (Counter(map(str, each.to_pylist())) for each in (rows[sensitive], written))
    assert all(has[str(value)] < had[str(value)] for value in values)


def test_nothing_that_is_published_tells_whether_values_were_changed(tmp_path):
    """The same groups with and without a violating one: descriptions differ in nothing."""
    told = []
    for number, value in enumerate(["HIV", "none"]):
        rows = XXI.set_column(1, "disease", [["HIV", value, "HIV", "none", "none", "none"]])
        release = masked_release(sf.read(rows, {"q": Q}, "disease"), 2, 2, ["HIV"])
        assert release.recoding.n_changed == (value == "HIV")
        place = release.save(tmp_path / f"out{number}", "csv")
        files = {each.name: each.read_bytes() for each in sorted(place.iterdir())}
        told.append(files)
        described = json.loads(files["release.json"])
        assert described["masked"] == "disease"
        assert "changed" not in described
        assert "may have been changed" in files["README.txt"].decode().replace("\n", " ")
        assert "may have been changed" in files["codebook.html"].decode()
        assert "values changed" not in str(sf.load(place).summary())
        assert "values changed" in str(release.summary())
        assert release.summary().to_json()["changed"] == (value == "HIV")
    assert told[0] == told[1]


def test_a_description_that_says_otherwise_is_refused(patients, tmp_path):
    place = masked_release(patients, 2, 2, ["HIV"]).save(tmp_path / "out")
    description = json.loads((place / "release.json").read_text())
    del description["masked"], description[CHECKSUM]
    (place / "release.json").write_text(json.dumps(description | {CHECKSUM: checksum(description)}))
    with pytest.raises(sf.BadInput, match="masked"):
        sf.load(place)


def test_insensitive_columns_are_dropped_unless_asked_for():
    rows = XXI.append_column("drug", [["a", "a", "a", "b", "b", "b"]])
    table = sf.read(rows, {"q": Q}, "disease", insensitive=["drug"])
    release = masked_release(table, 2, 2, ["HIV"])
    assert release.to_arrow().column_names == ["q", "disease"]
    assert release.summary().to_json()["dropped"] == {
        "insensitive, not kept by the method": ["drug"]
    }
    kept = sf.anonymize(
        table,
        promised(2, 2, ["HIV"]),
        sf.Mask(2, 2, ["HIV"], keep_insensitive=True),
        untouched_identify=True,
    )
    assert kept.to_arrow().column_names == ["q", "disease", "drug"]
    assert kept.check().holds


def test_job_files_and_the_command_line_know_it(tmp_path):
    (tmp_path / "people.csv").write_text(
        "q,disease\nq1,HIV\nq2,HIV\nq3,HIV\nq3,none\nq4,none\nq4,none\n"
    )
    (tmp_path / "job.toml").write_text(
        """
source = "people.csv"
output = "out"
[columns]
sensitive = ["disease"]
[columns.quasi_identifiers]
q = { tree = { Q = ["q1", "q2"], R = ["q3", "q4"] } }
[[criteria]]
k_anonymity = { k = 2 }
[[criteria]]
l_diversity = { l = 2, kind = "frequency", values = ["HIV"], pooled = true }
[method]
mask = { k = 2, l = 2, values = ["HIV"], inner = { top_down = {} } }
"""
    )
    found = CliRunner().invoke(app, ["anonymize", "--no-audit", str(tmp_path / "job.toml")])
    assert found.exit_code == 0, found.output
    assert "1 value of disease changed" in " ".join(found.output.split())
    loaded = sf.load(tmp_path / "out")
    assert loaded.method == sf.Mask(2, 2, ["HIV"], sf.TopDown())
    assert CliRunner().invoke(app, ["check", str(tmp_path / "out")]).exit_code == 0


# -------------------------------------------------------------------- what it is judged by


def test_attacks_see_the_published_values_and_none_that_knows_the_method_calls_it_safe(patients):
    release = masked_release(patients, 2, 2, ["HIV"])
    report = sf.audit(release)
    assert report.verdict != "safe"
    homogeneity = next(each for each in report.findings if each.attack == "homogeneity")
    assert (homogeneity.found, homogeneity.before) == (Fraction(1, 2), Fraction(1, 2))
    assert not any(each.knows_method and each.holds for each in report.findings)


def test_a_refusal_leaves_four_fifths():
    """Two groups of two of the three of table XXI violate: a third is too few to draw from."""
    rows = XXI.set_column(1, "disease", [["HIV", "HIV", "HIV", "HIV", "HIV", "none"]])
    table = sf.read(rows, {"q": Q}, "disease")
    finding = sf.attacks.Refusal().run(table, promised(2, 2, ["HIV"]), sf.Mask(2, 2, ["HIV"]))
    assert (finding.found, finding.holds) == (Fraction(4, 5), False)
    assert refusal([2, 2, 2], Fraction(2)) == [Fraction(4, 5)] * 3


def test_utilities_are_about_the_published_values(patients):
    release = masked_release(patients, 2, 2, ["HIV"])
    plain = sf.anonymize(patients, sf.KAnonymity(2), sf.Mondrian())
    assert sf.utility.information_loss(release) == sf.utility.information_loss(plain)
    error = [sf.utility.query_error(each, "wong", n_queries=50) for each in (plain, release)]
    assert error[1].average > error[0].average
    assert sf.utility.kl_divergence(release) > sf.utility.kl_divergence(plain)


def test_distortion_is_the_loss_of_definition_7_in_the_sensitive_column():
    schools = sf.Tree({"low": ["1", "2"], "middle": ["3", "4", "5"], "high": ["6", "7"]})
    draw = np.random.default_rng(4)
    rows = pa.table(
        {"q": draw.choice(["q1", "q2", "q3", "q4"], 60), "s": draw.choice(list("1234567"), 60)}
    )
    table = sf.read(rows, {"q": sf.Flat()}, "s", hierarchies={"s": schools})
    release = masked_release(table, 5, "7/2", ["low"], reference=1)
    below = {each: node for node, inside in schools.tree.items() for each in inside}
    lost = []
    decided = release.recoding_table().to_pylist()
    for each in decided:
        own, other = each["s"], each["published s"]
        node = below[own] if below[own] == below[other] else None
        coverage = 1 if own == other else 7 if node is None else len(schools.tree[node])
        lost += [Fraction(coverage - 1, 6)] * each["people"]
    assert release.recoding.n_changed > 0
    assert sf.utility.distortion(release) == float(sum(lost) / 60)


def test_releases_with_changed_values_are_not_compared_with_others(patients):
    release = masked_release(patients, 2, 2, ["HIV"])
    with pytest.raises(sf.BadInput, match="which changes values"):
        sf.BCFAnonymizer(previous=[release])
    other = sf.anonymize(patients, sf.KAnonymity(6), sf.Samarati())
    with pytest.raises(sf.BadInput, match="compared by values that are people's own"):
        sf.attacks.KnownCells(earlier=[release]).run(other)


def test_a_recoding_for_other_data_has_levels_and_no_changes(patients, tmp_path):
    release = masked_release(patients, 2, 2, ["HIV"])
    with pytest.raises(sf.BadInput, match="puts the people of this table into groups"):
        release.save_recoding(tmp_path / "recoding.json")


# ------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("criterion", "reason"),
    [
        (sf.LDiversity(3, "frequency", ["HIV"], pooled=True), "allows fewer"),
        (sf.LDiversity(2, "frequency"), "bounds others"),
        (sf.LDiversity(2, "frequency", ["HIV", "flu"], pooled=True), "bounds others"),
        (sf.LDiversity(2), "all that it sees to"),
        (sf.TCloseness("1/2"), "all that it sees to"),
        (sf.AverageRisk("1/2"), "whether it holds of one group depends on the others"),
    ],
    ids=str,
)
def test_what_the_published_table_need_not_satisfy_is_refused(patients, criterion, reason):
    with pytest.raises(sf.BadInput) as refused:
        sf.anonymize(patients, criterion, sf.Mask(2, 2, ["HIV"]))
    assert "Mask(k=2" in str(refused.value) or "nobody has" in str(refused.value)
    assert reason in str(sf.Mask(2, 2, ["HIV"]).refuses(criterion))


def test_what_it_satisfies_goes_with_it(patients):
    for criterion in (
        sf.KAnonymity(2),
        sf.LDiversity("3/2", "frequency", ["HIV"]),
        sf.AlphaKAnonymity("1/2", 2, ["HIV"]),
        sf.MaxRisk("1/2"),
    ):
        release = sf.anonymize(patients, criterion, sf.Mask(2, 2, ["HIV"]))
        assert release.check().holds
    larger = sf.anonymize(patients, sf.KAnonymity(4), sf.Mask(2, 2, ["HIV"]))
    assert min(larger.sizes) >= 4


@pytest.mark.parametrize(
    ("inner", "reason"),
    [
        (sf.Anatomy(), "publishes two tables"),
        (sf.KOptimize(cost="class", class_column="disease"), "looks at values"),
        (sf.BCFAnonymizer(), "earlier releases"),
        (sf.Mondrian(strict=False, seed=1), "seed of its own"),
    ],
    ids=str,
)
def test_a_method_that_looks_at_values_makes_no_groups(inner, reason):
    with pytest.raises(sf.BadInput, match=reason):
        sf.Mask(2, 2, ["HIV"], inner)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"k": 0}, "Mask: k must be an integer >= 1, got 0"),
        ({"l": "1/2"}, "Mask: l must be a number >= 1"),
        ({"values": []}, "Mask: values is empty"),
        ({"publish": "both"}, "Mask: publish must be one of generalized, bucketized"),
        ({"reference": 2}, 'Mask: reference must be "paper" or 1, got 2'),
        ({"reference": True}, 'Mask: reference must be "paper" or 1'),
        ({"replacement": "row"}, "Mask: replacement must be one of table, group"),
        ({"keep_insensitive": 1}, "Mask: keep_insensitive must be true or false"),
    ],
    ids=str,
)
def test_parameters_are_refused_with_their_range(settings, said):
    with pytest.raises(sf.BadInput, match=said.split(",")[0]):
        sf.Mask(**{"k": 2, "l": 2, "values": ["HIV"], **settings})


def test_several_sensitive_columns_and_unknown_values_are_refused(patients):
    rows = XXI.append_column("drug", [["a", "a", "a", "b", "b", "b"]])
    with pytest.raises(sf.BadInput, match=r"^Mask: the table has several sensitive columns"):
        sf.anonymize(
            sf.read(rows, {"q": Q}, ["disease", "drug"]), sf.KAnonymity(2), sf.Mask(2, 2, ["HIV"])
        )
    with pytest.raises(sf.BadInput, match="nobody has 'flu'"):
        sf.anonymize(patients, sf.KAnonymity(2), sf.Mask(2, 2, ["flu"]))
    with pytest.raises(sf.BadInput, match="no sensitive column"):
        sf.anonymize(sf.read(XXI, {"q": Q}), sf.KAnonymity(2), sf.Mask(2, 2, ["HIV"]))


def test_values_are_named_in_any_spelling_of_a_merged_column():
    rows = XXI.set_column(1, "disease", [["HIV", "hiv", "HIV ", "none", "none", "none"]])
    table = sf.read(rows, {"q": Q}, "disease", alike="merge")
    release = masked_release(table, 2, 2, ["hiv"])
    assert release.check().holds
    assert release.recoding.n_changed == 1


def test_a_seed_repeats_it(patients):
    rows = mixed()
    table = sf.read(rows, {"age": sf.Intervals(5, 10, 20, 40), "sex": sf.Flat()}, "score")
    first, again, other = (
        masked_release(table, 3, "5/2", [1, 2], seed=seed).recoding_table() for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_two_tables_are_refused_where_quasi_identifiers_are_to_be_hidden():
    inner = sf.Optimal(max_suppressed=2, suppress="cells")
    with pytest.raises(sf.BadInput, match="Mask: suppress='cells' hides quasi-identifiers"):
        sf.Mask(2, 2, ["HIV"], inner, publish="bucketized")
    with pytest.raises(sf.BadInput, match="reference"):
        sf.Mask(2, 2, ["HIV"], reference=1.0)


def test_a_masked_column_is_nowhere_said_to_be_published_as_it_is(patients, tmp_path):
    release = masked_release(patients, 2, 2, ["HIV"])
    place = release.save(tmp_path / "out")
    package = json.loads((place / "datapackage.json").read_text())
    assert "as it is, or changed by lot" in json.dumps(package)
    sf.audit(release).save(tmp_path / "report")
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    (column,) = [each for each in report["published"]["columns"] if each["name"] == "disease"]
    assert column["published_as"] == "as it is, or changed by lot"
    assert not any("Sensitive and insensitive columns" in each for each in report["limits"])
