"""An engine that adds, drops, reorders or changes a column, a row or a value publishes nothing."""

import random

import pyarrow as pa
import pytest

import sfumato as sf
from hard.mutated_writer import CHANGES, MutatedWriter, seeded, unchanged

METHODS = {
    "by value": (sf.KAnonymity(4), sf.Samarati(), ("data",)),
    "by group": (sf.KAnonymity(4) & sf.LDiversity(2), sf.Mondrian(), ("data",)),
    "sizes alone": (sf.KAnonymity(4), sf.Mondrian(), ("data",)),
    "suppressed": (sf.KAnonymity(6), sf.Samarati(max_suppressed=0.3), ("data",)),
    "split": (sf.KAnonymity(4), sf.Mondrian(strict=False), ("data",)),
    "two tables": (sf.LDiversity(2), sf.Anatomy(), ("data", "sensitive")),
}


def people(n=60):
    rng = random.Random(5)
    return pa.table(
        {
            "age": [rng.randrange(20, 60) for _ in range(n)],
            "ward": [rng.choice("ab") for _ in range(n)],
            "disease": [f"d{rng.randrange(4)}" for _ in range(n)],
            "visits": [rng.randrange(3) for _ in range(n)],
        }
    )


def saved(method, kind, change, table, place):
    """Save a release of the same people by an engine that changes what it wrote."""
    engine = MutatedWriter(change, table)
    criterion, algorithm, _ = METHODS[method]
    rules = {"age": sf.Intervals(5, 10, 20, 40), "ward": sf.Flat()}
    source = sf.read(people(), rules, "disease", insensitive=["visits"], engine=engine)
    release = sf.anonymize(source, criterion, algorithm, untouched_identify=True)
    release.save(place, format=kind)
    return engine


CASES = [(method, table) for method, (*_, tables) in METHODS.items() for table in tables]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(("method", "table"), CASES)
def test_what_was_rewritten_without_a_change_is_published(tmp_path, method, table, kind):
    engine = saved(method, kind, unchanged, table, tmp_path / "out")
    assert not engine.changed
    assert sf.load(tmp_path / "out").check()


def _caught(place, method, table, kind, change, seed):
    """Whether a change was caught; None: this time it changed nothing."""
    try:
        engine = saved(method, kind, seeded(change, seed), table, place)
    except sf.BrokenPromise:
        assert not place.exists()
        return True
    assert not engine.changed, (method, table, kind, change.__name__, seed)
    return None


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_writer_with_a_fault_publishes_nothing(tmp_path, record_property, change, kind):
    """Two of the cases in every run; all of them, many times, below."""
    first = CHANGES.index(change) + (kind == "csv")
    n_caught = 0
    for j in (first, first + 3):
        method, table = CASES[j % len(CASES)]
        n_caught += bool(_caught(tmp_path / f"{j}", method, table, kind, change, seed=j))
    record_property("faults of a writer caught", n_caught)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(("method", "table"), CASES)
def test_no_fault_of_a_writer_is_ever_published(tmp_path, record_property, method, table, kind):
    n_caught = 0
    for seed in range(100, 106):
        for change in CHANGES:
            place = tmp_path / f"{seed}{change.__name__}"
            n_caught += bool(_caught(place, method, table, kind, change, seed))
    record_property("faults of a writer caught", n_caught)
