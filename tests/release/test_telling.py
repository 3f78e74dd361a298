"""Sensitive columns that tell quasi-identifiers, and what columns beside a group give away."""

import itertools
import json
import random
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from descriptions import rewrite
from naive.groups import rows_by_group
from profiles import examples
from sfumato.attacks import Mechanism, UntouchedDisclosure, UntouchedLinkage
from sfumato.release.columns.telling import connection, go_together, telling_columns

TWO = sf.LDiversity(2, "frequency", ["HIV"])


def clinic(n=600, **columns):
    rng = random.Random(7)
    people = [{"age": rng.randrange(20, 80), "zip": f"{rng.randrange(100, 130)}"} for _ in range(n)]
    for row in people:
        row["disease"] = rng.choice(["flu", "cold", "gout", "HIV"])
        for name, value in columns.items():
            row[name] = value(row, rng)
    return people


def table_of(rows, sensitive, insensitive=()):
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    rules = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix()}
    return sf.read(pa.table(columns), rules, sensitive, insensitive=list(insensitive))


def born(row, rng):
    return 2026 - row["age"]


def nearly_born(row, rng):
    return 2026 - row["age"] - rng.randrange(2)


def gp(row, rng):
    return f"Dr {int(row['zip']) // 3}"


def noisy_gp(row, rng):
    return row["zip"] if rng.random() < 0.8 else f"{rng.randrange(100, 130)}"


def junk_born(row, rng):
    return 2026 - row["age"] if rng.random() < 0.75 else rng.randrange(1900, 2026)


def height(row, rng):
    return 150 + row["age"] // 10 + rng.randrange(30)


def salary(row, rng):
    return rng.randrange(10**9)


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (born, ("age",)),
        (nearly_born, ("age",)),
        (gp, ("zip",)),
        (noisy_gp, ("zip",)),
        (junk_born, ("age",)),
        (salary, ()),
        (height, ()),
    ],
)
def test_columns_that_tell_quasi_identifiers_are_found(column, told):
    table = table_of(clinic(extra=column), ["disease", "extra"])
    assert telling_columns(table) == ({"extra": told} if told else {})
    said = sf.check(table).untouched
    assert said.telling == ({"extra": told} if told else {})
    assert ("extra tells" in repr(sf.check(table))) == bool(told)


def test_chance_alone_tells_nothing():
    rng = np.random.default_rng(1)
    for n, first, second in itertools.product((2, 5, 20, 300), (1, 2, 7, 100), (1, 2, 30)):
        for _ in range(20):
            a, b = rng.integers(0, first, n), rng.integers(0, second, n)
            assert not go_together(a, b)


def test_few_people_show_it_if_it_is_no_accident():
    ages = [20 + j // 2 for j in range(16)]
    for n, told in ((4, {}), (8, {}), (16, {"born": ("age",)})):
        people = pa.table({"age": ages[:n], "born": [2026 - age for age in ages[:n]]})
        assert telling_columns(sf.read(people, ["age"], "born")) == told


@pytest.mark.parametrize("column", [born, gp, noisy_gp, salary])
@pytest.mark.parametrize("counted", [False, True])
def test_some_people_say_what_all_of_them_do(monkeypatch, column, counted):
    """Also where the first of them have one value."""
    rows = sorted(clinic(extra=column), key=lambda row: str(row["extra"]))
    expected = telling_columns(table_of(rows, ["disease", "extra"]))
    monkeypatch.setattr("sfumato.release.columns.telling.SOME_PEOPLE", 300)
    table = table_of(rows, ["disease", "extra"])
    if counted:
        table.frequencies()
    assert table.some_people(300).n_rows == (600 if counted else 300)
    assert telling_columns(table) == expected


def test_an_auditor_with_the_original_believes_no_silence(tmp_path):
    """A third party's description says nothing of a year of birth."""
    table = table_of(clinic(extra=born), ["disease", "extra"])
    release = sf.anonymize(table, sf.KAnonymity(5), untouched_identify=True)
    place = release.save(tmp_path / "out")
    written = json.loads((place / "release.json").read_text())
    rewrite(place, {k: v for k, v in written.items() if k not in ("telling", "untouched_identify")})
    found = sf.load(place)
    assert found.untouched.telling == {}
    report = sf.audit(found, original=table)
    assert report.verdict == "failed"
    finding = next(each for each in report.findings if each.attack == UntouchedLinkage.name)
    assert finding.n_exceeding == release.untouched.n_below(5) > 0
    published = sf.read(release.to_arrow(), ["age", "zip"], ["disease", "extra"])
    assert sf.audit(published, original=table, criterion=sf.KAnonymity(5)).verdict == "failed"


@examples(40)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_connections_are_counted_as_by_hand(people):
    first, second = (np.array(column) for column in zip(*people, strict=True))
    found = connection(first, second)
    assert found.n_pairs == len(set(people))
    for side in (0, 1):
        best = {}
        for value in {person[side] for person in people}:
            best[value] = max(people.count(pair) for pair in people if pair[side] == value)
        assert found.guessed[side] == sum(best.values())


@pytest.mark.parametrize("column", [born, nearly_born, gp])
def test_a_telling_column_is_refused_and_attacked(tmp_path, column):
    table = table_of(clinic(extra=column), ["disease", "extra"])
    with pytest.raises(sf.BadInput, match=r"^sensitive: extra tells .* instead of 5") as refused:
        sf.anonymize(table, sf.KAnonymity(5))
    assert not refused.value.values
    release = sf.anonymize(table, sf.KAnonymity(5), untouched_identify=True)
    place = release.save(tmp_path / "out")
    written = json.loads((place / "release.json").read_text())
    assert list(written["telling"]) == ["extra"]
    assert written["untouched_identify"] is True
    rows = sf.load(place).to_arrow().to_pylist()
    sizes = [len(g) for g in rows_by_group(rows, ["age", "zip", "extra"]).values()]
    for each in (release, sf.load(place)):
        finding = UntouchedLinkage().run(each)
        assert finding.found == Fraction(1, min(sizes))
        assert finding.n_exceeding == sum(size for size in sizes if size < 5)
        assert sf.audit(each).verdict == "failed"
        assert "extra tells" in str(each.summary())


def test_a_telling_column_of_two_tables_tells_the_others():
    """Who knows the age knows the year, and beside the year stands the disease."""
    table = table_of(clinic(extra=born), ["disease", "extra"])
    promise = sf.LDiversity(3, attribute="disease")
    with pytest.raises(sf.BadInput, match=r"^sensitive: extra tells age"):
        sf.anonymize(table, promise, sf.Anatomy())


def county(zip_codes, counties, diseases):
    columns = {"zip": zip_codes, "county": counties, "disease": diseases}
    return sf.read(pa.table(columns), {"zip": sf.Flat()}, "disease", insensitive=["county"])


def test_what_follows_from_a_quasi_identifier_breaks_a_promise_about_values(tmp_path):
    table = county([1, 1, 2, 2], ["n", "n", "m", "m"], ["HIV", "HIV", "no", "no"])
    promise, method = sf.KAnonymity(2) & TWO, sf.Checked(sf.Samarati(), ks=(4,))
    with pytest.raises(sf.BadInput, match=r"county .* LDiversity.* does not hold"):
        sf.anonymize(table, promise, method)
    release = sf.anonymize(table, promise, method, untouched_identify=True)
    assert release.description.untouched_identify
    place = release.save(tmp_path / "out")
    for each in (release, sf.load(place)):
        report = sf.audit(each)
        assert report.verdict == "failed"
        finding = UntouchedDisclosure().run(each)
        assert (finding.found, finding.holds, finding.n_exceeding) == (1, False, 2)


PROMISES = [
    sf.LDiversity(2),
    TWO,
    sf.LDiversity(1.5, "entropy"),
    sf.TCloseness(0.3),
    sf.KAnonymity(2) & sf.LDiversity(2),
]
METHODS = [sf.Checked(sf.Samarati(), ks=(2, 4)), sf.Mondrian(look_ahead=True), sf.Mondrian()]


@examples(60)
@given(
    st.lists(
        st.tuples(st.integers(1, 2), st.sampled_from("nm"), st.sampled_from(["HIV", "no", "flu"])),
        min_size=4,
        max_size=10,
    ),
    st.sampled_from(PROMISES),
    st.sampled_from(METHODS),
)
def test_values_are_judged_where_people_look_alike(rows, promise, method):
    """The file is read as anybody reads it: by zip code and county."""
    if method.refuses(promise) is not None:
        return
    rows = [(1, "n", "HIV"), (2, "m", "no"), *rows]
    table = county(*map(list, zip(*rows, strict=True)))
    try:
        release = sf.anonymize(table, promise, method, untouched_identify=True)
    except sf.Unsatisfiable:
        return
    published = release.to_arrow()
    finer = sf.read(published, ["zip", "county"], "disease")
    values = [part for part in promise.parts if part.looks_at_values]
    kept = all(sf.check(finer, part).holds for part in values)
    coarse = len(rows_by_group(published.to_pylist(), ["zip"]))
    report = sf.audit(release)
    if len(rows_by_group(published.to_pylist(), ["zip", "county"])) == coarse:
        return
    finding = UntouchedDisclosure().run(release)
    groups = rows_by_group(published.to_pylist(), ["zip", "county"]).values()
    certain = any(len({row["disease"] for row in group}) == 1 for group in groups)
    certain &= promise is not TWO  # which is about one value
    assert finding.holds == (kept and not certain)
    if not finding.holds:
        assert report.verdict == "failed"
    learned = Mechanism().run(release)
    if learned.holds:
        assert kept
    refused = not kept or release.untouched.n_below(max(2, promise.least_size)) > 0
    if refused:
        with pytest.raises(sf.BadInput, match="insensitive: county"):
            sf.anonymize(table, promise, method)
    assert release.description.untouched_identify == refused
