"""A release on disk is complete or absent, and holds the public part alone."""

import csv
import json
import os
import stat
import subprocess
import sys
from importlib import import_module

import pytest

import sfumato as sf
from sfumato.files.failpoints import VARIABLE
from sfumato.release.files.saved import PACKAGE

SAVE = """
import sys
import sfumato as sf

table = sf.read(
    sf.datasets.patients(),
    quasi_identifiers={"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()},
    sensitive="disease",
)
sf.anonymize(table, sf.KAnonymity(5)).save(sys.argv[1])
"""
FAILPOINTS = [
    *("save.staged", "save.applied", "save.checked", "save.packaged", "save.described"),
    "save.renamed",
]


@pytest.fixture(scope="module")
def release() -> sf.Release:
    table = sf.read(
        sf.datasets.patients(),
        identifiers=["name"],
        quasi_identifiers={"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()},
        sensitive="disease",
    )
    return sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(3), sf.Mondrian())


def save_and_die(target, failpoint) -> int:
    environment = {**os.environ, VARIABLE: failpoint}
    return subprocess.run(
        [sys.executable, "-c", SAVE, target], env=environment, check=False
    ).returncode


@pytest.mark.long
@pytest.mark.parametrize("failpoint", FAILPOINTS)
def test_a_killed_save_leaves_a_complete_release_or_none(tmp_path, failpoint):
    target = tmp_path / "out" / "q1"
    assert save_and_die(target, failpoint) == -9
    if failpoint == "save.renamed":
        assert sf.load(target).check()
        assert {*PACKAGE} < {path.name for path in target.iterdir()}
    else:
        assert not target.exists()


@pytest.mark.long
def test_the_next_save_sweeps_what_a_killed_one_left(tmp_path, release):
    assert save_and_die(tmp_path / "q1", "save.described") == -9
    (left,) = tmp_path.iterdir()
    assert stat.S_IMODE(left.stat().st_mode) == 0o700
    release.save(tmp_path / "q1")
    assert [path.name for path in tmp_path.iterdir()] == ["q1"]


def test_every_failpoint_is_in_the_code_and_killed_once():
    import inspect

    from sfumato.release import placing, release
    from sfumato.release.files import writing

    source = "".join(inspect.getsource(module) for module in (release, placing, writing))
    assert {point for point in FAILPOINTS if f'reached("{point}")' in source} == set(FAILPOINTS)
    assert source.count("reached(") == len(FAILPOINTS)


def test_a_saved_release_loads_with_its_promise_and_its_groups(tmp_path, release):
    loaded = sf.load(release.save(tmp_path / "q1"))
    assert loaded.criterion == release.criterion
    assert loaded.method == release.method
    assert sorted(loaded.groups.sizes) == sorted(release.groups.sizes)
    assert loaded.n_suppressed == release.n_suppressed
    assert loaded.check()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_csv_and_parquet_hold_the_same_rows(tmp_path, release, kind):
    place = release.save(tmp_path / kind, format=kind)
    assert sorted(path.name for path in place.iterdir()) == sorted(
        [*PACKAGE, f"data.{kind}", "release.json"]
    )
    loaded, direct = sf.load(place).to_arrow(), release.to_arrow()
    assert loaded.column_names == direct.column_names
    for name in direct.column_names:
        assert [str(v) for v in loaded[name].to_pylist()] == [
            str(v) for v in direct[name].to_pylist()
        ]


def test_release_json_names_nothing_but_what_is_public(tmp_path, release):
    place = release.save(tmp_path / "q1")
    written = json.loads((place / "release.json").read_text())
    assert set(written) == {
        "format",
        "rows",
        "suppressed",
        "columns",
        "quasi_identifiers",
        "sensitive",
        "recoded",
        "text",
        "alike",
        "attacked",
        "types",
        "levels",
        "group",
        "hierarchies",
        "criteria",
        "method",
        "verdicts",
        "rest",
        "files",
        "package",
        "made",
        "sfumato",
        "sha256",
    }
    with sf.datasets.patients().open(newline="") as file:
        originals = {value for row in csv.DictReader(file) for value in row.values()}
    text = (place / "release.json").read_text()
    assert not [value for value in originals if len(value) > 4 and value in text]
    assert "name" not in written["columns"]


def test_nobody_is_named_in_the_published_rows(tmp_path, release):
    place = release.save(tmp_path / "q1")
    with sf.datasets.patients().open(newline="") as file:
        names = {row["name"] for row in csv.DictReader(file)}
    text = (place / "data.csv").read_text()
    assert not [name for name in names if name in text]


def test_an_existing_release_is_never_overwritten(tmp_path, release):
    release.save(tmp_path / "q1")
    with pytest.raises(sf.BadInput, match="never overwritten"):
        release.save(tmp_path / "q1")


def test_an_empty_directory_may_become_the_release(tmp_path, release):
    (tmp_path / "q1").mkdir()
    assert sf.load(release.save(tmp_path / "q1")).check()


def test_a_release_gets_the_permissions_of_any_new_file(tmp_path, release):
    mask = os.umask(0o022)
    try:
        place = release.save(tmp_path / "q1")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(place.stat().st_mode) == 0o755
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()} == {0o644}


def test_a_tampered_release_is_refused(tmp_path, release):
    place = release.save(tmp_path / "q1")
    data = place / "data.csv"
    data.write_text(data.read_text().replace("flu", "HIV", 1))
    with pytest.raises(sf.BadInput, match="checksums differ"):
        sf.load(place)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not the description"),
        ('{"format": 99}', "written by format 99, this sfumato reads 4; a newer version of"),
        ('{"format": "1"}', "damaged; the number of its format is '1'"),
        ("{}", "it has no format number, so sfumato did not write it, or it is damaged"),
        ('{"format": 4}', "damaged; it does not say what was released"),
        ('{"format": 4, "x": ' + "[" * 990 + "]" * 990 + "}", "damaged"),
        ('{"format": 4, "x": "\\ud800", "y": 1e999, "z": NaN}', "checksums differ"),
    ],
)
def test_a_damaged_description_is_refused_in_one_line(tmp_path, text, message):
    (tmp_path / "release.json").write_text(text)
    with pytest.raises(sf.BadInput, match=message) as error:
        sf.load(tmp_path)
    assert "\n" not in str(error.value)


def test_what_breaks_its_promise_is_an_internal_error_and_leaves_nothing(tmp_path, release):
    """Not the plan is checked but the written table: a promise the plan never made must fail."""
    from dataclasses import replace

    broken = sf.Release(
        replace(release.description, criterion=sf.KAnonymity(10_000)), release.private
    )
    with pytest.raises(sf.BrokenPromise, match="the written table fails"):
        broken.save(tmp_path / "q1")
    assert list(tmp_path.iterdir()) == []


def test_rows_that_go_missing_are_noticed(tmp_path, release):
    from dataclasses import replace

    short = sf.Release(replace(release.description, n_rows=1999), release.private)
    with pytest.raises(
        sf.BrokenPromise, match=r"1,999 rows in .* were to be published, 2,000 rows"
    ):
        short.save(tmp_path / "q1")


def test_a_loaded_release_says_that_the_original_is_needed(tmp_path, release):
    loaded = sf.load(release.save(tmp_path / "q1"))
    with pytest.raises(sf.BadInput, match="only its public part"):
        sf.utility.information_loss(loaded)
    with pytest.raises(sf.BadInput, match="only its public part"):
        loaded.save(tmp_path / "q2")


def failing_from(monkeypatch, module, point):
    """Let the disk fail once the code has come to a point."""

    def full(*_):
        raise OSError(5, "Input/output error")

    def tell(stage):
        if stage == point:
            monkeypatch.setattr(os, "fsync", full)

    monkeypatch.setattr(module, "reached", tell)


def test_what_fails_after_the_rename_says_that_the_release_is_there(tmp_path, release, monkeypatch):
    failing_from(monkeypatch, import_module("sfumato.release.placing"), "save.renamed")
    target = tmp_path / "new" / "q1"
    with pytest.raises(sf.BadInput) as caught:
        release.save(target)
    assert str(caught.value).startswith(f"{target}: the release is there and complete")
    assert "input/output error" in str(caught.value)
    assert sf.load(target).check()
    assert release.to_arrow().equals(sf.load(target).to_arrow())  # what is known is what is there


def test_what_fails_before_the_rename_leaves_nothing(tmp_path, release, monkeypatch):
    failing_from(monkeypatch, import_module("sfumato.release.placing"), "save.described")
    with pytest.raises(sf.BadInput, match="cannot write: input/output error"):
        release.save(tmp_path / "new" / "q1")
    assert list(tmp_path.iterdir()) == []


def test_so_does_a_series_and_what_it_publishes(tmp_path, monkeypatch):
    import pyarrow as pa

    place = tmp_path / "series"
    with monkeypatch.context() as patch:
        failing_from(patch, import_module("sfumato.series.store"), "series.created")
        with pytest.raises(sf.BadInput, match="the series is there and complete"):
            sf.ReleaseSeries.create(place, ["a"], sf.KAnonymity(2))
    batch = pa.table({"a": [1, 1, 2, 2]})
    with monkeypatch.context() as patch:
        failing_from(patch, import_module("sfumato.series.publish"), "publish.renamed")
        with pytest.raises(sf.BadInput, match="001: the release is there and complete"):
            sf.ReleaseSeries(place).publish(batch)
    assert sf.ReleaseSeries(place).verify()
    assert sf.ReleaseSeries(place).status().releases[-1].published
