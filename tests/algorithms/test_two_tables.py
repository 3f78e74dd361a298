"""Groups of lattice methods, Mondrian and TopDown as two tables (Wong 2009, section 6.2)."""

import csv
import json
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest

import naive.replay
import sfumato as sf
from cli.common import run
from sfumato.attacks import Mechanism, Minimality
from worked_examples.tables import WONG_I_B, WONG_XIX_A, WONG_XIX_COLUMNS
from worked_examples.test_wong_mechanism import FIG6, HIV, columns_of

PROMISE = sf.KAnonymity(5) & sf.LDiversity(2, "frequency")
METHODS = [
    sf.Mondrian(),
    sf.Mondrian(strict=False, seed=3),
    sf.Mondrian(look_ahead=True),
    sf.Samarati(),
    sf.Samarati(0.02),
    sf.Incognito(),
    sf.Exhaustive(),
    sf.Optimal("discernibility", 0.02),
    sf.ThreePhase(),
    sf.TopDown(seed=3),
    sf.TopDown(seed=3, keep="part"),
    sf.TopDown("cut"),
]


def as_two_tables(method):
    return replace(method, publish="bucketized")


@pytest.fixture(scope="module")
def patients():
    rules = {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}
    return sf.read(sf.datasets.patients(), rules, "disease")


def histograms(release):
    return Counter(map(bytes, release.groups.histogram.to_dense()))


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_groups_have_the_values_of_the_generalized_release(patients, method):
    generalized = sf.anonymize(patients, PROMISE, method)
    two = sf.anonymize(patients, PROMISE, as_two_tables(method))
    assert histograms(two) == histograms(generalized)
    assert two.n_suppressed == generalized.n_suppressed
    assert two.to_arrow().column_names == ["group", "age", "sex"]
    with sf.datasets.patients().open(newline="") as file:
        everybody = Counter((row["age"], row["sex"]) for row in csv.DictReader(file))
    published = Counter((str(row["age"]), row["sex"]) for row in two.to_arrow().to_pylist())
    assert published <= everybody
    assert published.total() == everybody.total() - two.n_suppressed
    assert two.levels is None


@pytest.mark.parametrize("method", [sf.TopDown(), sf.Mondrian(strict=False)], ids=str)
def test_where_sizes_are_all_that_is_promised_people_who_are_alike_are_dealt_out(patients, method):
    release = sf.anonymize(patients, sf.KAnonymity(30), as_two_tables(method))
    assert release.groups.sizes.min() >= 30
    assert release.groups.sizes.sum() == 2000


def test_what_is_lost_is_whose_a_value_is(patients):
    two = sf.anonymize(patients, PROMISE, sf.Mondrian(publish="bucketized"))
    assert sf.utility.information_loss(two) == 0
    assert sf.utility.kl_divergence(two) > 0
    error = sf.utility.query_error(two, n_queries=100)
    assert error.median >= 0


ROWS = {"q": list("aabbbb"), "s": ["h", "n", "h", "n", "n", "n"]}


def test_wrong_parameters_are_refused_with_the_remedy():
    with pytest.raises(sf.BadInput, match="publish must be one of generalized, bucketized"):
        sf.Samarati(publish="both")
    with pytest.raises(sf.BadInput, match="bounds are those of boxes, and publish='bucketized'"):
        sf.Mondrian(bounds="tight", publish="bucketized")
    with pytest.raises(sf.BadInput, match="suppress='cells' hides quasi-identifiers of outliers"):
        sf.Optimal(max_suppressed=1, suppress="cells", publish="bucketized")
    with pytest.raises(sf.BadInput, match="published as one table; drop publish='bucketized'"):
        sf.Checked(sf.Mondrian(publish="bucketized"), (5,))
    alone = sf.read(pa.table({"q": list("aabb")}), ["q"])
    with pytest.raises(sf.BadInput, match="the table has no sensitive column; name one"):
        sf.anonymize(alone, sf.KAnonymity(2), sf.Samarati(publish="bucketized"))
    assert "guard" in sf.Mondrian(publish="bucketized").refuses(
        sf.PersonalizedPrivacy(2, "guarding")
    )


# -------------------------------------------------------------------------------- attacks

QI = {
    "q": sf.Tree({"a": ["a1", "a2"], "b": ["b1", "b2"]}),
    "r": sf.Tree(["x", "y"]),
}
ATTACKED = [
    (sf.Mondrian(), sf.LDiversity(2, "frequency", ["h"])),
    (sf.Mondrian(strict=False), sf.KAnonymity(2) & sf.LDiversity(2)),
    (sf.Samarati(), sf.LDiversity(2)),
    (sf.Samarati(1), sf.LDiversity(2, "frequency", ["h"])),
    (sf.Optimal("entropy"), sf.LDiversity(2, "frequency")),
    (sf.ThreePhase(), sf.LDiversity(2, "frequency", ["h"])),
    (sf.TopDown(), sf.LDiversity(2, "frequency", ["h"])),
    (sf.TopDown("cut"), sf.LDiversity(2, "frequency", ["h"])),
]


def generated(rng):
    return [
        {"q": rng.choice(["a1", "a2", "b1", "b2"]), "r": rng.choice("xy"), "s": rng.choice("hnn")}
        for _ in range(rng.randint(4, 5))
    ]


@pytest.mark.parametrize("n_tables", [2, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("method", "criterion"), ATTACKED, ids=str)
def test_what_is_found_is_what_running_it_on_every_world_finds(method, criterion, n_tables):
    """Who is grouped with whom is known, and nothing else of how groups were generalized."""
    rng = random.Random(f"{method} {criterion}")
    named = {value for part in criterion.parts for value in part.named_values()}
    done = 0
    while done < n_tables:
        rows = generated(rng)
        table = sf.read(pa.table({name: [row[name] for row in rows] for name in rows[0]}), QI, "s")
        try:
            release = sf.anonymize(table, criterion, as_two_tables(method))
        except sf.SfumatoError:
            continue
        done += 1
        seen = seen_in(release)
        asked = (rows, QI, ["s"], criterion, method, seen, naive.replay.shown_in_two_tables)
        believed = naive.replay.beliefs(*asked)
        finding = Mechanism().run(release)
        assert finding.found == max(
            share
            for shares in believed.values()
            for (value,), share in shares.items()
            if not named or value in named
        )


def seen_in(release):
    """What both tables say, as the twin has it: groups by their people and values."""
    groups = {}
    people, values = release.to_arrow().to_pylist(), release.to_arrow("sensitive").to_pylist()
    for row in people:
        own = groups.setdefault(row["group"], (Counter(), Counter()))
        own[0][row["q"], row["r"]] += 1
    for row in values:
        groups[row["group"]][1][row["s"],] += 1
    seen = Counter()
    for who, inside in groups.values():
        name = frozenset(who.items()), frozenset(inside.items())
        for value, n in inside.items():
            seen[name, value] += n
    return seen


def test_two_tables_hide_nothing_from_who_knows_the_method():
    """Tables XIX and I(b) of Wong 2009: as certain as by one table, and audited without boxes."""
    rules = {"Age": sf.Intervals(5), "Zipcode": sf.Intervals(1000)}
    table = sf.read(pa.table(columns_of(WONG_XIX_A, WONG_XIX_COLUMNS)), rules, "Disease")
    release = sf.anonymize(table, sf.KAnonymity(2) & HIV, sf.Mondrian(publish="bucketized"))
    finding = Mechanism().run(release)
    assert (finding.found, finding.holds, finding.n_exceeding) == (1, False, 2)
    assert set(finding.worst["group"]) == {"group"}
    with pytest.raises(sf.attacks.DoesNotApply, match="is the mechanism attack's"):
        Minimality().run(release)
    assert not sf.audit(release)


def test_a_loaded_release_is_attacked_with_the_original(tmp_path):
    table = sf.read(pa.table(columns_of(WONG_I_B, ("QID", "Disease"))), FIG6, "Disease")
    release = sf.anonymize(table, HIV, sf.TopDown(publish="bucketized"))
    loaded = sf.load(release.save(tmp_path / "out"))
    assert loaded.check()
    assert loaded.method == sf.TopDown(publish="bucketized")
    for finding in (Mechanism().run(release), Mechanism().run(loaded, table)):
        assert (finding.found, finding.holds) == (1, False)


def test_looking_ahead_two_tables_are_shown_safe(patients):
    method = sf.Mondrian(look_ahead=True, publish="bucketized")
    finding = Mechanism().run(sf.anonymize(patients, PROMISE, method))
    assert finding.holds
    assert finding.found <= Fraction(1, 2)


def test_a_job_file_and_the_command_line_publish_two_tables(tmp_path):
    (tmp_path / "people.csv").write_text(
        "\n".join(["q,s", *(f"{q},{s}" for q, s in zip(*ROWS.values(), strict=True))]) + "\n"
    )
    (tmp_path / "job.toml").write_text(
        'source = "people.csv"\noutput = "out"\n[columns]\nsensitive = ["s"]\n'
        "[columns.quasi_identifiers]\nq = { flat = true }\n"
        '[[criteria]]\nl_diversity = { l = 2 }\n[method]\nmondrian = { publish = "bucketized" }\n'
    )
    result = run("anonymize", tmp_path / "job.toml")
    assert result.exit_code == 0, result.output
    written = json.loads((tmp_path / "out" / "release.json").read_text())
    assert written["method"]["mondrian"]["publish"] == "bucketized"
    assert (tmp_path / "out" / "sensitive.csv").exists()
