"""How often a release is opened, written, read back and judged: each thing once.

The real functions run; wrappers around them count.
"""

from collections import Counter
from functools import wraps

import pytest

import sfumato as sf
from algorithms.in_pieces import generated, read, room_for
from series.made import started, write_batch
from sfumato.engines.duckdb.counting import DuckDBPeople
from sfumato.engines.duckdb.source import DuckDBSource
from sfumato.formulas.correspondence.earlier_releases import Past, Together
from sfumato.release import release
from sfumato.release.earlier_releases import compare as beside
from sfumato.release.files import writing

QI = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}


@pytest.fixture
def counts(monkeypatch):
    """Count calls of the real functions."""
    found = Counter()

    def count(owner, name, called):
        real = getattr(owner, name)

        @wraps(real)
        def counted(*args, **kwargs):
            found[called] += 1
            return real(*args, **kwargs)

        monkeypatch.setattr(owner, name, counted)

    count(DuckDBSource, "__init__", "opened")
    count(DuckDBPeople, "apply", "written")
    for module in (release, writing):
        count(module, "read_back", "read back")
        count(module, "checked", "verdicts")
        count(module, "judged_beside", "verdicts beside others")
    count(beside, "by_flows", "pairs by flows")
    count(beside, "attack", "pairs in closed form, as a verdict")
    count(Past, "_fewest_left", "all at once, by the search")
    count(Together, "at_least", "all at once, by programs")
    return found


def table():
    return sf.read(sf.datasets.patients(), QI, sensitive="disease", identifiers=["name"])


PROMISE = sf.KAnonymity(5) & sf.LDiversity(2)


def test_a_saved_release_is_written_read_back_and_judged_once(tmp_path, counts):
    release = sf.anonymize(table(), PROMISE, sf.Mondrian())
    assert counts == {"opened": 1}
    release.save(tmp_path / "out")
    once = {"written": 1, "read back": 1, "verdicts": 1, "verdicts beside others": 1}
    # the source, what was written, and that once more: its columns are counted for the codebook
    assert counts == once | {"opened": 3}
    assert release.check()
    assert release.check().holds
    assert sf.audit(release)
    assert release.summary()
    assert release.published.sizes.sum() == release.n_rows
    assert counts == once | {"opened": 3}
    assert release.to_arrow().num_rows == release.n_rows
    assert counts == once | {"opened": 4}  # only the rows are read again


def test_a_release_that_is_not_saved_is_staged_once(counts):
    release = sf.anonymize(table(), PROMISE, sf.Mondrian())
    assert release.check()
    assert sf.audit(release)
    assert release.to_arrow().num_rows == release.n_rows
    assert counts["written"] == counts["read back"] == counts["verdicts"] == 1


def test_a_loaded_release_is_read_and_judged_once(tmp_path, counts):
    place = sf.anonymize(table(), PROMISE, sf.Mondrian()).save(tmp_path / "out")
    counts.clear()
    loaded = sf.load(place)
    assert loaded.check()
    assert loaded.check()
    assert sf.audit(loaded).verdict == "undecided"  # nobody audited it before it was saved
    assert counts == {"opened": 2, "read back": 1, "verdicts": 1, "verdicts beside others": 1}


def test_sensitive_values_are_read_when_somebody_asks_for_them(tmp_path, counts):
    """Of k-anonymity sizes are enough, and there may be as many values as people."""
    release = sf.anonymize(table(), sf.KAnonymity(5))
    release.save(tmp_path / "out")
    assert release.check()
    assert counts["read back"] == 1
    assert sf.audit(release)
    assert sf.audit(release)
    assert counts["written"] == counts["verdicts"] == 1
    assert counts["read back"] == 2


@pytest.mark.parametrize("promise", [sf.KAnonymity(5), PROMISE], ids=["sizes", "values"])
def test_an_audit_writes_and_reads_back_once(counts, promise):
    release = sf.anonymize(table(), promise, sf.Mondrian())
    report = sf.audit(release)
    assert report
    assert report.public()
    assert release.check()
    assert release.published.frequencies.sensitive == ("disease",)
    once = {"written": 1, "read back": 1, "verdicts": 1, "verdicts beside others": 1}
    assert counts == once | {"opened": 2}


def test_groups_without_sensitive_values_are_kept_when_they_are_read_back(tmp_path, counts):
    release = sf.anonymize(sf.read(sf.datasets.patients(), QI), sf.KAnonymity(5))
    release.save(tmp_path / "out")
    assert sf.audit(release)
    assert release.seen is release.published
    assert len(release.published.frequencies) <= len(release.private.frequencies)
    assert counts["written"] == counts["read back"] == 1


@pytest.mark.parametrize("promise", [sf.KAnonymity(5), PROMISE], ids=["sizes", "values"])
def test_what_an_audit_wrote_and_read_back_is_published(tmp_path, counts, promise):
    release = sf.anonymize(table(), promise, sf.Mondrian())
    assert sf.audit(release)
    staged, digests = release.written.files.directory, release.written.files.digests
    release.save(tmp_path / "out", "parquet")
    # the source, what was written, and its copy: columns are counted for the codebook
    once = {"written": 1, "read back": 1, "verdicts": 1, "verdicts beside others": 1}
    assert counts == once | {"opened": 3}
    assert release.written.files.digests == digests
    assert not staged.exists()
    loaded = sf.load(tmp_path / "out")
    assert loaded.check()
    assert loaded.description.attacked == "safe"


def test_two_tables_are_written_and_read_back_once_and_people_counted_once(tmp_path, counts):
    release = sf.anonymize(table(), sf.LDiversity(2), sf.Anatomy())
    assert sf.audit(release)
    assert release.check()
    assert release.people_by_group is release.people_by_group
    assert counts["opened"] == 4  # the source, both tables, and who is in which group
    release.save(tmp_path / "out", "parquet")
    assert counts["written"] == 2
    assert counts["read back"] == counts["verdicts"] == 1
    assert sf.load(tmp_path / "out").check()


def test_another_format_is_written_and_read_back(tmp_path, counts):
    release = sf.anonymize(table(), PROMISE, sf.Mondrian())
    assert sf.audit(release)
    release.save(tmp_path / "out", "csv")
    assert counts["written"] == counts["read back"] == counts["verdicts"] == 2


def test_whoever_asks_while_it_is_saved_has_the_same_files_read_once(tmp_path, counts):
    release = sf.anonymize(table(), sf.KAnonymity(5), sf.Mondrian())
    with release.saving(tmp_path / "out"):
        assert sf.audit(release)
    assert counts["written"] == counts["read back"] == counts["verdicts"] == 1


def test_of_a_release_in_pieces_values_are_read_when_the_check_is_done(tmp_path, counts):
    """Beside what is held for the check there may be no room for them."""
    with room_for(50):
        release = sf.anonymize(read(generated(3)), sf.KAnonymity(5), sf.Mondrian())
        report = sf.audit(release)
    assert report.n_failed == 0
    assert counts["written"] == counts["verdicts"] == 1
    assert counts["read back"] == 2
    release.save(tmp_path / "out", "parquet")
    assert counts["written"] == 1
    assert counts["read back"] == 2


@pytest.fixture
def two_releases(tmp_path):
    series = started(tmp_path / "series")
    series.publish(write_batch(tmp_path / "a.csv", 0, 60))
    series.publish(write_batch(tmp_path / "b.csv", 60, 60))
    return series, write_batch(tmp_path / "c.csv", 120, 60)


@pytest.mark.long
def test_a_third_release_is_written_and_read_back_once(two_releases, counts):
    """And judged once, by another computation than the search's."""
    series, third = two_releases
    done = series.publish(third)
    assert done.check
    pairs = [(each.earlier, each.later, each.holds) for each in done.compared]
    assert pairs == [(1, 3, True), (2, 3, True)]
    assert counts.pop("all at once, by the search") >= 1
    assert counts == {
        # the batch, once more for who is rare in it, all batches, those before; twice both earlier
        # releases and what is written
        "opened": 11,
        "written": 1,
        "read back": 3,  # of which two are the earlier releases, once each
        "verdicts": 1,
        "verdicts beside others": 1,
        "pairs by flows": 2,
        "all at once, by programs": 3,  # of which two ask what would be told by size alone
    }


@pytest.mark.long
def test_the_verdict_of_a_search_stands_for_the_same_classes(two_releases, counts, monkeypatch):
    """Where programs would be too large: what the search judged is not judged again."""
    monkeypatch.setattr("sfumato.release.earlier_releases.by_pairs_and_all.EXACT", 0)
    before, programs = [], []
    judged = writing.judged_beside

    def noted(*args):
        before.append(counts["all at once, by the search"])
        programs.append(counts["all at once, by programs"])
        return judged(*args)

    monkeypatch.setattr(writing, "judged_beside", noted)
    series, third = two_releases
    assert series.publish(third).check
    assert before == [counts["all at once, by the search"]]
    assert before[0] >= 1
    assert programs == [counts["all at once, by programs"]]
