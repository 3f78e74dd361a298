"""What lies in the directory of a release and is no part of it; what a loaded one says."""

import pyarrow as pa
import pytest

import sfumato as sf
from cli.common import run


def saved(place, diseases=("flu", "cold"), alike=None):
    people = pa.table({"age": [1, 2] * 10, "disease": [*diseases] * (20 // len(diseases))})
    table = sf.read(people, ["age"], "disease", alike=alike)
    return sf.anonymize(table, sf.KAnonymity(5)).save(place / "out")


@pytest.mark.parametrize("name", ["names.csv", ".DS_Store", "report-steward.html", "a\x1b[2Jb"])
def test_further_files_are_named(tmp_path, name):
    place = saved(tmp_path)
    assert sf.load(place).further_files == ()
    (place / name).write_text("x")
    found = sf.load(place)
    assert found.further_files == (name,)
    for said in (repr(found.check()), str(found.summary()), run("check", place).output):
        assert "o part of the release, beside it" in said
        assert "\x1b" not in said
    assert found.check().to_json()["further_files"] == [name]
    assert found.summary().to_json()["further_files"] == [name]


def test_directories_count_and_reports_do_not(tmp_path):
    place = saved(tmp_path)
    sf.audit(sf.load(place)).save(place)
    assert sf.load(place).further_files == ()
    assert "no part" not in str(sf.load(place).summary())
    (place / "old").mkdir()
    assert sf.load(place).further_files == ("old",)


@pytest.mark.parametrize(
    ("alike", "said"),
    [(None, "values that only look different"), ("keep", "look alike, kept as different values")],
)
def test_the_summary_of_a_loaded_release_names_look_alikes(tmp_path, alike, said):
    place = saved(tmp_path, ("HIV", "hiv", "flu", "cold"), alike)
    summary = sf.load(place).summary()
    assert said in str(summary)
    assert "disease (2 spellings of 1 value)" in str(summary)
    kept = "undecided" if alike is None else "kept"
    assert list(summary.to_json()["look_alikes"][kept]) == ["disease"]
    assert "look alike" not in str(sf.load(saved(tmp_path / "clean")).summary())
