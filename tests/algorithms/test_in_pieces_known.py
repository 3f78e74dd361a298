"""Pieces: whom a group stands for, where boxes begin elsewhere or are read in several parts."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from algorithms.in_pieces import generated, read, room_for, saved


@pytest.mark.parametrize("bounds", ["grid", "cuts", "tight"])
def test_a_value_that_groups_share_is_published_as_it_is(bounds, tmp_path):
    rng = np.random.default_rng(0)
    age = rng.integers(0, 40, 1000)
    people = pa.table({"age": age, "kids": np.where(age < 20, 3, 7), "job": age * 7 % 9})

    def released():
        hierarchies = {"age": sf.Intervals(5, 10), "kids": sf.Intervals(2, 4), "job": sf.Flat()}
        table = sf.read(people, hierarchies, memory="4GB")
        return sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian(bounds=bounds))

    whole = released()
    with room_for(20):
        pieces = released()
    frequencies = pieces.private.frequencies
    assert "kids" in frequencies.known
    having = np.bincount(frequencies.codes("kids"), weights=frequencies.counts)
    assert having.tolist() == [(age < 20).sum(), (age >= 20).sum()]
    assert saved(pieces, tmp_path / "pieces").equals(saved(whole, tmp_path / "whole"))


@pytest.mark.parametrize("most", [7, 60])
@pytest.mark.parametrize(
    ("method", "criterion"),
    [
        (sf.Mondrian(), sf.KAnonymity(300) & sf.LDiversity(2)),
        (sf.SkylineMondrian("median"), sf.KAnonymity(300) & sf.Skyline([(1, 0, 0, "9/10")])),
    ],
    ids=["mondrian", "skyline"],
)
def test_people_who_are_alike_are_in_one_part_of_a_large_region(most, method, criterion, tmp_path):
    people = generated(3, 600).drop_columns(["zip"])
    people = people.append_column("zip", pa.array(["00", "01"] * 300))
    whole = sf.anonymize(read(people), criterion, method)
    with room_for(most):
        pieces = sf.anonymize(read(people), criterion, method)
    assert saved(pieces, tmp_path / "pieces").equals(saved(whole, tmp_path / "whole"))


def test_an_audit_in_pieces_says_that_memory_is_lacking_and_tries_no_way_out():
    promised = sf.KAnonymity(5) & sf.LDiversity(2)
    with room_for(60):
        report = sf.audit(sf.anonymize(read(generated(3, 600)), promised, sf.Mondrian()))
        assert report.verdict != "safe"
        advice = [advice for _, advice in report.advice_on_not_run]
        way_out = report.way_out
    assert any("memory=" in each for each in advice), advice
    assert not any("original=" in each for each in advice), advice
    assert way_out is None or "memory=" in str(way_out)
    assert way_out is None or all(each.verdict is None for each in way_out.tries)
