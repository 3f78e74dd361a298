"""Minimality against personalized privacy: worlds deal values and what their owners guard."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import naive.criteria
import naive.minimality
import sfumato as sf
from attacks.made import PATHS, RULES, VALUE_PATHS, VALUE_TREE, VALUES

GUARDS = (None, None, "1", "low", "9")
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 40))]


def table_of(rows, n_columns) -> sf.Table:
    columns = {f"q{c}": [row["q"][c] for row in rows] for c in range(n_columns)}
    source = pa.table(
        {
            **columns,
            "s": [row["s"][0] for row in rows],
            "g": pa.array([row["s"][1] for row in rows], pa.string()),
        }
    )
    rules = {f"q{c}": RULES[c] for c in range(n_columns)}
    return sf.read(source, rules, sensitive="s", hierarchies={"s": VALUE_TREE})


def generated(rng):
    n_columns = int(rng.integers(1, 3))
    return n_columns, [
        {
            "q": tuple(str(rng.choice([*PATHS[c]])) for c in range(n_columns)),
            "s": (str(rng.choice(VALUES)), GUARDS[int(rng.integers(len(GUARDS)))]),
        }
        for _ in range(int(rng.integers(3, 7)))
    ]


def own_beliefs(rows, believed):
    """The belief that a person's value lies under what this person guards, person by person."""
    found = []
    for row in rows:
        guard = row["s"][1]
        if row["group"] is not None and guard is not None:
            under = {path[0] for path in VALUE_PATHS if guard in path}
            share = sum(n for (value, _), n in believed[row["q"]].items() if value in under)
            found.append(Fraction(share))
    return found


def compared(release, rows, steps, criterion) -> bool:
    """Hold the finding against all worlds; returns whether the method gave anything away."""
    slow, truly = naive.minimality.minimality(rows, steps, lambda child: not criterion(child))
    assert truly
    finding = sf.attacks.Minimality().run(release)
    own, plain = own_beliefs(rows, slow), own_beliefs(rows, naive.minimality.group_shares(rows))
    assert finding.found == max(own, default=0)
    assert finding.before == max(plain, default=0)
    # That it fails for somebody would tell who guards what.
    assert (finding.holds, finding.n_exceeding) == (None, 0)
    return own != plain


@pytest.mark.every
@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_full_domain_and_regions_say_what_all_worlds_say(seed):
    rng = np.random.default_rng(seed)
    promise, criterion = sf.PersonalizedPrivacy(2, "g"), naive.criteria.personalized(2, VALUE_PATHS)
    learned = []
    while len(learned) < 25 or not any(learned):
        n_columns, rows = generated(rng)
        method = [sf.Samarati(), sf.Exhaustive(), sf.Optimal(), sf.Mondrian()][rng.integers(4)]
        try:
            release = sf.anonymize(table_of(rows, n_columns), promise, method)
        except sf.Unsatisfiable:
            continue
        if release.levels is not None:
            node = [*release.levels.values()]
            for row in rows:
                row["group"] = tuple(PATHS[c][v][node[c]] for c, v in enumerate(row["q"]))
            steps = naive.minimality.full_domain_steps(rows, PATHS, node, 0)
        else:
            grouping = release.grouping
            known = grouping.frequencies
            names = [known.domains[f"q{c}"].labels for c in range(n_columns)]
            place = {}
            for key, group in enumerate(grouping.index.tolist()):
                codes = [known.codes(f"q{c}")[key] for c in range(n_columns)]
                place[tuple(n[code] for n, code in zip(names, codes, strict=True))] = group
            for row in rows:
                row["group"] = place[row["q"]]
            steps = naive.minimality.region_steps(rows, [[*PATHS[c]] for c in range(n_columns)])
        learned.append(compared(release, rows, steps, criterion))


def xv(method) -> sf.Release:
    """Table XV of Wong 2009: the one of q1 guards elementary school, and went there."""
    people = [("q1", "1st-4th", "elementary"), *[("q2", "undergrad", None)] * 2]
    columns = dict(
        zip(("q", "education", "guard"), map(list, zip(*people, strict=True)), strict=True)
    )
    table = sf.read(
        pa.table(columns),
        {"q": sf.Tree({"Q": ["q1", "q2"]})},
        sensitive="education",
        hierarchies={
            "education": sf.Tree({"elementary": ["1st-4th"], "university": ["undergrad"]})
        },
    )
    return sf.anonymize(table, sf.PersonalizedPrivacy(2, "guard"), method)


@pytest.mark.parametrize("method", [sf.Samarati(), sf.Optimal(), sf.TopDown("cut")], ids=str)
def test_table_xv_gives_the_guarded_person_away(method):
    finding = sf.attacks.Minimality().run(xv(method))
    assert (finding.before, finding.found) == (Fraction(1, 3), 1)
    assert (finding.holds, finding.n_exceeding) == (None, 0)  # for all to see; for the steward:
    assert finding.worst["who"] == {"q": "q1"}
    assert finding.worst["guards"] == "elementary"


def test_only_who_made_the_release_can_deal_what_people_guard(tmp_path):
    release = xv(sf.Samarati())
    loaded = sf.load(release.save(tmp_path / "out"))
    reasons = {each.name: each.reason for each in sf.audit(loaded, release.table).not_run}
    assert "what people guard is not published" in reasons["minimality (education)"]


def test_beside_what_is_guarded_the_other_promises_are_judged_too():
    """Nobody guards anything, so only diversity can be broken: table I(c) of the paper."""
    people = pa.table(
        {
            "q": ["q1"] * 2 + ["q2"] * 5,
            "s": ["HIV"] * 2 + ["none"] * 5,
            "g": pa.array([None] * 6 + ["none"], pa.string()),
        }
    )
    table = sf.read(people, {"q": sf.Tree({"Q": ["q1", "q2"]})}, "s")
    promise = sf.LDiversity(2, "frequency", ["HIV"]) & sf.PersonalizedPrivacy(1, "g")
    finding = sf.attacks.Minimality().run(sf.anonymize(table, promise, sf.Samarati()))
    assert (finding.found, finding.holds, finding.n_exceeding) == (1, False, 2)


@pytest.mark.long
def test_where_people_were_suppressed_what_is_guarded_gets_no_verdict():
    rng = np.random.default_rng(0)
    seen = 0
    while seen < 3:
        n_columns, rows = generated(rng)
        promise = sf.PersonalizedPrivacy(2, "g")
        try:
            release = sf.anonymize(table_of(rows, n_columns), promise, sf.Samarati(2))
        except sf.Unsatisfiable:
            continue
        if release.n_suppressed:
            finding = sf.attacks.Minimality().run(release)
            assert finding.holds is not True
            assert "suppressed people" in finding.note
            seen += 1
