"""A table whose combinations do not fit is decided piece by piece, and comes out the same."""

import gc
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from profiles import examples
from sfumato.data.recoding import Piecewise
from sfumato.files.private_directory import spill_parent
from sfumato.job import Job

CITIES = ["Oslo", "Bergen", "Rome", "Bari", "Pisa"]
METHODS = [
    sf.Mondrian(),
    sf.Mondrian(dimensions="widest"),
    sf.Mondrian(bounds="tight"),
    sf.Mondrian(bounds="cuts"),
    sf.Mondrian(look_ahead=True),
]
PROMISES = [
    sf.KAnonymity(4),
    sf.KAnonymity(3) & sf.LDiversity(2),
    sf.TCloseness(0.5),
    sf.AlphaKAnonymity(0.6, 3),
    sf.LDiversity(2, kind="entropy"),
]


def people(seed, n):
    """Some people; a few values are rare, some are missing."""
    rng = np.random.default_rng(seed)
    skewed = (rng.random(n) * rng.random(n) * 40).astype(int)
    missing = rng.random(n) < 0.05
    return pa.table(
        {
            "age": pa.array([None if m else int(a) for a, m in zip(skewed, missing, strict=True)]),
            "zip": [f"{z:03d}" for z in rng.integers(0, 30, n)],
            "city": rng.choice(CITIES, n),
            "work": [f"work {int(w)}" for w in rng.random(n) * rng.random(n) * 20],
            "disease": rng.choice(["flu", "HIV", "ulcer", "cold"], n, p=[0.4, 0.2, 0.2, 0.2]),
            "visit": rng.integers(0, 3, n),
        }
    )


def read(table, **more):
    tree = sf.Tree({"north": CITIES[:2], "south": CITIES[2:]})
    rules = {"age": sf.Intervals(5, 10), "zip": sf.Prefix(), "city": tree, "work": sf.Flat()}
    return sf.read(table, rules, sensitive="disease", memory="4GB", **more)


@pytest.fixture
def small(monkeypatch):
    """Let only so many combinations fit."""

    def allow(most):
        monkeypatch.setattr("sfumato.table.most_keys", lambda *_: most)

    return allow


def both(table, promise, method, most, monkeypatch, **more):
    """Decide a table at once, and in pieces."""
    identify = bool(more)
    at_once = sf.anonymize(read(table, **more), promise, method, untouched_identify=identify)
    with monkeypatch.context() as patched:
        patched.setattr("sfumato.table.most_keys", lambda *_: most)
        in_pieces = sf.anonymize(read(table, **more), promise, method, untouched_identify=identify)
    assert isinstance(in_pieces.recoding, Piecewise)
    assert not isinstance(at_once.recoding, Piecewise)
    return at_once, in_pieces


def files(release):
    """What is written: the rows, and what is said of them."""
    with tempfile.TemporaryDirectory() as place:
        saved = release.save(Path(place) / "out", format="csv")
        description = sf.load(saved).description
        return (saved / "data.csv").read_bytes(), description.to_json()


PAIRS = [
    *((method, PROMISES[1]) for method in METHODS),
    *((METHODS[0], promise) for promise in PROMISES[2:]),
    (sf.Mondrian(look_ahead=True), sf.AlphaKAnonymity(0.6, 3)),
]


@pytest.mark.parametrize(("method", "promise"), PAIRS, ids=str)
def test_the_same_release(method, promise, monkeypatch):
    at_once, in_pieces = both(people(1, 400), promise, method, 40, monkeypatch)
    assert files(at_once) == files(in_pieces)
    boxes = [release.published_boxes for release in (at_once, in_pieces)]
    for one, other in zip(*boxes, strict=True):
        assert np.array_equal(one, other)
    assert sf.utility.information_loss(at_once) == sf.utility.information_loss(in_pieces)


@examples(24)
@given(st.integers(0, 10**6), st.integers(20, 300), st.integers(1, 15), st.sampled_from(PROMISES))
def test_the_same_release_of_any_table(seed, n, most, promise):
    table = people(seed, n)
    with pytest.MonkeyPatch.context() as monkeypatch:
        try:
            at_once, in_pieces = both(table, promise, sf.Mondrian(), most, monkeypatch)
        except sf.Unsatisfiable:
            return
    one, other = (release.published_boxes for release in (at_once, in_pieces))
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[1], other[1])


def test_columns_beside_it_are_checked_too(monkeypatch):
    at_once, in_pieces = both(
        people(2, 300), sf.KAnonymity(3), sf.Mondrian(), 30, monkeypatch, insensitive=["visit"]
    )
    assert files(at_once) == files(in_pieces)


def test_what_people_guard(monkeypatch):
    table = people(3, 300)
    guards = np.random.default_rng(0).choice(["flu", "HIV", "cold"], 300)
    table = table.append_column("guards", pa.array(guards))
    promise = sf.PersonalizedPrivacy(1.2, guarding="guards") & sf.KAnonymity(3)
    at_once, in_pieces = both(table, promise, sf.Mondrian(), 30, monkeypatch)
    assert files(at_once) == files(in_pieces)


def test_a_region_that_cannot_be_cut_and_does_not_fit(monkeypatch):
    """It is one group, which is read in several parts."""
    at_once, in_pieces = both(people(4, 200), sf.KAnonymity(150), sf.Mondrian(), 7, monkeypatch)
    assert len(in_pieces.sizes) == 1
    assert files(at_once) == files(in_pieces)


def test_compiled_and_plain_searches_of_pieces(monkeypatch):
    monkeypatch.setattr("sfumato.algorithms.mondrian.COMPILED", 0)
    promise = sf.KAnonymity(3) & sf.LDiversity(2)
    at_once, in_pieces = both(people(5, 300), promise, sf.Mondrian(), 50, monkeypatch)
    assert files(at_once) == files(in_pieces)


def test_the_table_stays_what_it_was(small):
    table = read(people(6, 200))
    small(20)
    first = sf.anonymize(table, sf.KAnonymity(3), sf.Mondrian())
    again = sf.anonymize(table, sf.KAnonymity(3), sf.Mondrian())
    assert files(first) == files(again)


def test_other_methods_say_how_much_they_need(small):
    small(20)
    with pytest.raises(sf.NoRoom, match=r"looks at all \d+ distinct combinations .* at once.*GB"):
        sf.anonymize(read(people(7, 200)), sf.KAnonymity(3), sf.Samarati())
    with pytest.raises(sf.NoRoom, match=r"use Mondrian\(\).*, to be looked at piece by piece"):
        sf.anonymize(read(people(7, 200)), sf.KAnonymity(3))


def test_nobody_is_safe_by_what_was_not_looked_at(small):
    """Attacks that need everybody's own values could not be run, so nothing is shown."""
    small(20)
    promise = sf.KAnonymity(3) & sf.LDiversity(2)
    release = sf.anonymize(read(people(8, 300)), promise, sf.Mondrian())
    report = sf.audit(release)
    assert report.verdict == "undecided"
    assert "looked at in pieces" in str(report)
    for measure in (sf.utility.entropy, sf.utility.least_possible_loss):
        with pytest.raises(sf.attacks.CannotRun, match="looked at in pieces"):
            measure(release)


@pytest.mark.parametrize("sensitive", ["disease", None])
def test_a_promise_of_numbers_alone_is_audited_too(small, sensitive):
    """Attacks that need no own values run; the others say that they could not be run."""
    tree = sf.Tree({"north": CITIES[:2], "south": CITIES[2:]})
    rules = {"age": sf.Intervals(5, 10), "zip": sf.Prefix(), "city": tree}
    reports = []
    for most in (10**6, 20):
        small(most)
        table = sf.read(people(8, 300), rules, sensitive, memory="4GB")
        release = sf.anonymize(table, sf.KAnonymity(3), sf.Mondrian())
        reports.append(sf.audit(release))
    assert isinstance(release.recoding, Piecewise)
    at_once, in_pieces = ({e.name: e.verdict for e in each.findings} for each in reports)
    assert {} != in_pieces.items() <= at_once.items()
    if len(in_pieces) < len(at_once):
        assert reports[-1].verdict != "holds"
    report = reports[-1]
    assert not report.way_out or "0 rows" not in str(report.way_out)
    assert release.check(sf.KAnonymity(2)).holds
    assert len(release.groups) == len(release.sizes)
    missing = table.source.to_batches([]).read_all()["age"].null_count
    assert f"age {missing}" in str(release.summary())


def test_a_release_in_pieces_is_decided_again_in_pieces(small):
    """And not as a table that nobody is in."""
    small(20)
    promise = sf.KAnonymity(3) & sf.LDiversity(2)
    release = sf.anonymize(read(people(8, 300)), promise, sf.Mondrian())
    again = sf.anonymize(release.table, promise, sf.Mondrian())
    assert isinstance(again.recoding, Piecewise)
    assert files(again) == files(release)
    with pytest.raises(sf.NoRoom):
        sf.anonymize(release.table, sf.KAnonymity(3), sf.Samarati())


def test_whatever_was_asked_before_the_budget_holds(small):
    table = read(people(8, 300))
    small(20)
    assert len(table.domains["zip"]) > 1
    with pytest.raises(sf.NoRoom):
        sf.anonymize(table, sf.KAnonymity(3), sf.Samarati())


def test_what_fits_without_values_is_not_taken_apart(small):
    """Combinations with values are more; those without may fit."""
    table = sf.read(people(8, 300), {"age": sf.Intervals(5)}, "disease", memory="4GB")
    small(60)
    by_value = sf.anonymize(table, sf.KAnonymity(3) & sf.LDiversity(2), sf.Mondrian())
    assert isinstance(by_value.recoding, Piecewise)
    by_size = sf.anonymize(table, sf.KAnonymity(3), sf.Samarati())
    assert not isinstance(by_size.recoding, Piecewise)


def test_a_recoding_of_pieces_is_used_again(small, tmp_path):
    table = people(9, 300)
    small(20)
    release = sf.anonymize(read(table), sf.KAnonymity(3), sf.Mondrian(bounds="cuts"))
    release.save_recoding(tmp_path / "recoding.json")
    small(10**6)
    again = sf.anonymize(read(table), sf.KAnonymity(3), sf.Recode.load(tmp_path / "recoding.json"))
    assert files(release)[0] == files(again)[0]


def test_nothing_is_left_on_disk(small, tmp_path, monkeypatch):
    gc.collect()
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # that nobody else writes to
    before = {*spill_parent().iterdir()}
    small(20)
    release = sf.anonymize(read(people(10, 200)), sf.KAnonymity(3), sf.Mondrian())
    assert {*spill_parent().iterdir()} - before
    del release
    gc.collect()
    assert not {*spill_parent().iterdir()} - before


def test_a_budget_in_a_job_file(tmp_path):
    job = tmp_path / "job.toml"
    written = """
        source = "people.csv"
        output = "out"
        memory = "{}"
        [columns.quasi_identifiers]
        age = {{ intervals = [5, 10] }}
        [[criteria]]
        k_anonymity = {{ k = 2 }}
    """
    (tmp_path / "people.csv").write_text("age\n1\n2\n")
    job.write_text(written.format("much"))
    with pytest.raises(sf.BadInput, match=r"job.toml: memory: expected .* such as '4GB'"):
        Job.load(job).table()
    job.write_text(written.format("4GB"))
    assert Job.load(job).table().memory == 4 * 10**9
