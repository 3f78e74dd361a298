"""The texts that the releases of a series name are fixed by its first one."""

import csv
import random
from collections import Counter
from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.attacks import Correspondence, Linkage

HEADER = ["id", "age", "party", "disease"]


def batch(path, first, parties):
    draw = random.Random(first)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(HEADER)
        for j, party in enumerate(parties):
            disease = draw.choice(["flu", "cold", "gout"])
            rows.writerow([f"P{first + j}", draw.randrange(20, 60), party, disease])
    return path


@pytest.fixture
def place(tmp_path):
    series = sf.ReleaseSeries.create(
        tmp_path / "series",
        quasi_identifiers={"age": sf.Intervals(10, 20), "party": sf.Flat()},
        criterion=sf.KAnonymity(3),
        sensitive="disease",
        person="id",
    )
    first = ["Labour"] * 40 + ["Green"] * 30 + ["Red"] * 4 + ["Blue"] * 3
    second = ["Labour"] * 20 + ["Violet"] * 40 + ["Red"] * 30 + ["Green"] * 20
    series.publish(batch(tmp_path / "a.csv", 0, first))
    series.publish(batch(tmp_path / "b.csv", 1000, second))
    return tmp_path


def parties(place, number):
    with (place / "series" / "public" / number / "data.csv").open(newline="") as file:
        return {row["party"] for row in csv.DictReader(file)}


def test_what_comes_later_is_other_however_many_have_it(place):
    assert parties(place, "001") <= {"Labour", "Green", "other", "*"}
    assert parties(place, "002") <= {"Labour", "Green", "other", "*"}
    files = [path.read_bytes() for path in (place / "series" / "public").rglob("*.*")]
    assert not [each for each in files if b"Violet" in each or b"Red" in each]


def test_releases_with_the_same_mark_are_compared_by_everybody(place):
    releases = [sf.load(place / "series" / "public" / n) for n in ("001", "002")]
    marks = {each.description.categories for each in releases}
    assert len(marks) == 1
    assert None not in marks
    finding = Correspondence([releases[0]]).run(releases[1])
    assert finding.holds is not False
    series = sf.ReleaseSeries(place / "series")
    assert series.verify()
    assert series.audit().verdict in ("safe", "undecided")


def test_another_chain_has_names_of_its_own(place, tmp_path):
    series = sf.ReleaseSeries(place / "series")
    series.publish(batch(tmp_path / "c.csv", 5000, ["Violet"] * 40 + ["Red"] * 40), new_chain=True)
    assert parties(place, "003") <= {"Violet", "Red", "*"}
    assert series.verify()


@pytest.fixture
def with_a_real_other(tmp_path):
    """Two releases; many people say other of themselves, and later others are Violet."""
    series = sf.ReleaseSeries.create(
        tmp_path / "series",
        quasi_identifiers={"party": sf.Flat()},
        criterion=sf.KAnonymity(3),
        sensitive="disease",
        person="id",
    )
    first = ["Labour"] * 40 + ["Green"] * 30 + ["other"] * 30 + ["Red"] * 4
    series.publish(batch(tmp_path / "a.csv", 0, first))
    series.publish(
        batch(tmp_path / "b.csv", 1000, ["Labour"] * 40 + ["Green"] * 30 + ["Violet"] * 34)
    )
    return tmp_path


def test_a_party_that_is_called_other_is_with_the_others_in_all_releases(with_a_real_other):
    place = with_a_real_other
    for number in ("001", "002"):
        release = sf.load(place / "series" / "public" / number)
        assert parties(place, number) <= {"Labour", "Green", "other", "*"}
        assert release.description.rest == ("party",)
    assert sf.ReleaseSeries(place / "series").verify()
    found = {}
    for people in (["Violet", "other", "Red"] * 50, ["Green"] * 50 + ["other"] * 50):
        listed = sf.read(pa.table({"party": people}), ["party"])
        found[people[0]] = Linkage("journalist", listed).run(release).found
    with (place / "series" / "public" / "002" / "data.csv").open(newline="") as file:
        shown = Counter(row["party"] for row in csv.DictReader(file))
    assert shown == {"Labour": 80, "Green": 60, "other": 68}
    assert found == {"Violet": Fraction(1, 150), "Green": Fraction(1, 60)}
