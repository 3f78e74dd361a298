"""Room on the disk is looked at before rows are written."""

import subprocess

import pytest

import sfumato as sf

METHODS = [sf.Samarati(max_suppressed=50), sf.Mondrian(), sf.Mondrian(strict=False), sf.Anatomy()]


def release(method):
    rules = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
    table = sf.read(sf.datasets.patients(), rules, sensitive="disease", identifiers=["name"])
    return sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(2), method)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_what_is_said_to_be_needed_is_needed(tmp_path, monkeypatch, method, kind):
    needed = []
    monkeypatch.setattr(
        "sfumato.release.files.writing.refuse_too_little", lambda _place, _name, n: needed.append(n)
    )
    place = release(method).save(tmp_path / "out", format=kind)
    written = sum(path.stat().st_size for path in place.glob(f"*.{kind}"))
    assert 0 < needed[0] <= written
    if kind == "csv" and not isinstance(method, sf.Anatomy):
        assert needed[0] > written / 5


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_nothing_is_written_where_there_is_no_room(tmp_path, monkeypatch, kind):
    found = release(sf.Mondrian())
    monkeypatch.setattr("sfumato.release.files.space.free_bytes", lambda _: 11)
    monkeypatch.setattr(found.table, "write", lambda *_: pytest.fail("rows were written"))
    with pytest.raises(sf.BadInput) as caught:
        found.save(tmp_path / "out", format=kind)
    said = f"{tmp_path}/out: cannot write: not enough room: the release takes at least "
    assert str(caught.value).startswith(said)
    assert "and 11 are free" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_the_room_of_a_small_file_system_is_seen(tmp_path, monkeypatch):
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(small)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:  # only root may: then what it would say is said
        monkeypatch.setattr("sfumato.release.files.space.free_bytes", lambda place: 16_384)
    try:
        with pytest.raises(sf.BadInput, match="not enough room"):
            release(sf.Mondrian()).save(small / "out", format="csv")
        assert not list(small.iterdir())
    finally:
        if not mounted.returncode:
            subprocess.run(["umount", str(small)], check=True)
