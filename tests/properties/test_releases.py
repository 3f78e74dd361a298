"""Every algorithm with every criterion: the published file is read by a few lines of its own."""

import csv
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import naive.criteria
import naive.groups
import sfumato as sf
from profiles import examples

ZIPS = ["01234", "01235", "01301", "13053", "13068", ""]
PLACES = {"Europe": ["France", "Italy"], "Asia": ["Japan", "India", "=1+1"]}
AGES = ["7", "8", "23", "24", "31", "40", "77", ""]
DISEASES = ["flu", "HIV", "none", "-", ""]

people = st.lists(
    st.tuples(
        st.sampled_from(AGES),
        st.sampled_from(ZIPS),
        st.sampled_from([place for below in PLACES.values() for place in below] + [""]),
        st.sampled_from(DISEASES),
    ),
    min_size=1,
    max_size=25,
)
METHODS = {
    "mondrian": sf.Mondrian(),
    "mondrian tight": sf.Mondrian(bounds="tight"),
    "mondrian cuts": sf.Mondrian(bounds="cuts"),
    "samarati": sf.Samarati(),
    "samarati, rows": sf.Samarati(max_suppressed=4),
    "samarati, share": sf.Samarati(max_suppressed=0.3),
}
CRITERIA = {
    "k": (sf.KAnonymity(3), naive.criteria.k_anonymity(3)),
    "distinct": (sf.LDiversity(2), naive.criteria.l_diversity(2)),
    "entropy": (
        sf.LDiversity("3/2", "entropy"),
        naive.criteria.l_diversity(sf.LDiversity("3/2", "entropy").l, "entropy"),
    ),
    "frequency": (sf.LDiversity(2, "frequency"), naive.criteria.l_diversity(2, "frequency")),
    "k and distinct": (
        sf.KAnonymity(2) & sf.LDiversity(2),
        naive.criteria.both(naive.criteria.k_anonymity(2), naive.criteria.l_diversity(2)),
    ),
}


def written(path: Path, rows: list[tuple[str, ...]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "age", "zip", "place", "disease"])
        writer.writerows((j, *row) for j, row in enumerate(rows))
    return path


def published(place: Path) -> list[dict[str, str]]:
    with (place / "data.csv").open(newline="") as file:
        return [
            {name: value.removeprefix("'") for name, value in row.items()}
            for row in csv.DictReader(file)
        ]


def members(label: str) -> list[str]:
    """The members of a set, some of them in quotes; a label that is no set is one itself."""
    return next(csv.reader([label.strip("{}")], skipinitialspace=True))


def covers(column: str, label: str, value: str) -> bool:
    """Whether a published label may stand for an original value."""
    if label in ("*", value):
        return True
    if label == "not missing":
        return value != ""
    if label.endswith(" or missing"):
        return value == "" or covers(column, label.removesuffix(" or missing"), value)
    if value == "":
        return "missing" in members(label)
    if column == "place":
        nodes = members(label)
        return value in nodes or any(value in PLACES.get(node, []) for node in nodes)
    order = int if column == "age" else str
    if label.startswith("["):
        low, high = label.strip("[)").split(", ")
        return order(low) <= order(value) < order(high)
    if label.startswith("<"):
        return order(value) < order(label[1:])
    if label.startswith(">="):
        return order(value) >= order(label[2:])
    return "*" in label and value.startswith(label.rstrip("*"))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("method", METHODS)
@examples(8, suppress_health_check=[HealthCheck.too_slow])
@given(rows=people)
def test_a_release_keeps_its_promise_and_loses_nobody(method, criterion, rows):
    asked, safe = CRITERIA[criterion]
    with tempfile.TemporaryDirectory() as folder:
        table = sf.read(
            written(Path(folder) / "people.csv", rows),
            quasi_identifiers={
                "age": sf.Intervals(10, 20),
                "zip": sf.Prefix(),
                "place": sf.Tree(PLACES),
            },
            sensitive="disease",
            insensitive=["id"],  # so that every published row can be held against its original
        )
        try:
            release = sf.anonymize(table, asked, METHODS[method], untouched_identify=True)
        except sf.Unsatisfiable:
            # Everything generalized is the last resort of all methods.
            assert not safe(rows)
            return
        found = published(release.save(Path(folder) / "out"))

    groups = naive.groups.rows_by_group(
        [(row["age"], row["zip"], row["place"], row["disease"]) for row in found], range(3)
    )
    assert all(safe(group) for group in groups.values())
    assert len(found) + release.n_suppressed == len(rows)
    assert max(Counter(row["id"] for row in found).values(), default=1) == 1
    for row in found:
        age, code, place, disease = rows[int(row["id"])]
        assert row["disease"] == disease
        assert covers("age", row["age"], age)
        assert covers("zip", row["zip"], code)
        assert covers("place", row["place"], place)
    if method.startswith("mondrian"):
        assert release.n_suppressed == 0


def test_people_with_missing_quasi_identifiers_count_like_any_other(tmp_path):
    """Neither dropped nor matched with everybody: they form groups of their own."""
    rows = [("", "01234", "France", "flu")] * 3 + [("31", "01234", "France", "HIV")] * 3
    table = sf.read(
        written(tmp_path / "people.csv", rows),
        quasi_identifiers={"age": sf.Intervals(10), "zip": sf.Prefix(), "place": sf.Tree(PLACES)},
        sensitive="disease",
    )
    assert sf.check(table, sf.KAnonymity(3))
    assert not sf.check(table, sf.KAnonymity(4))
    release = sf.anonymize(table, sf.KAnonymity(3), sf.Samarati())
    assert release.levels == {"age": 0, "zip": 0, "place": 0}
    assert [row["age"] for row in published(release.save(tmp_path / "out"))] == [""] * 3 + [
        "31"
    ] * 3
    together = sf.anonymize(table, sf.KAnonymity(4), sf.Samarati())
    assert together.levels == {"age": 2, "zip": 0, "place": 0}
    assert together.n_suppressed == 0
