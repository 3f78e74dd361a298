"""TopDown("cut") on counts that are rolled up decides what it decides in memory."""

import numpy as np
import pytest

import sfumato as sf
from algorithms.in_pieces import boxes_of, generated, read, room_for, saved
from sfumato.algorithms.top_down import chunks, in_pieces
from sfumato.data.recoding import Cut, CutInPieces
from sfumato.errors import CannotRun

CRITERIA = [
    sf.KAnonymity(5),
    sf.KAnonymity(5) & sf.LDiversity(3),
    sf.KAnonymity(3) & sf.TCloseness(0.35),
    sf.AlphaKAnonymity(0.5, 4),
    sf.KAnonymity(40) & sf.DeltaDisclosure(1.5),
]


def both_ways(seed, criterion, most, sensitive="disease", insensitive=()):
    """Give the release in memory, and the one by counts that are rolled up."""
    people = generated(seed)
    given = (read(people, sensitive, insensitive), criterion, sf.TopDown("cut"))
    whole = sf.anonymize(*given, untouched_identify=True)
    with room_for(most):
        given = (read(people, sensitive, insensitive), criterion, sf.TopDown("cut"))
        pieces = sf.anonymize(*given, untouched_identify=True)
    assert isinstance(pieces.recoding, CutInPieces)
    return whole, pieces


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
@pytest.mark.parametrize("most", [900, 450])
def test_the_cut_is_that_of_the_whole(criterion, most):
    whole, pieces = both_ways(most, criterion, most)
    assert len(boxes_of(whole)) > 1
    assert boxes_of(pieces) == boxes_of(whole)
    for column, intervals in whole.recoding.intervals.items():
        assert np.array_equal(pieces.recoding.intervals[column], intervals)


def test_the_frontier_moves_down_with_the_cut(monkeypatch):
    n_looks = []
    look = in_pieces.RolledUp._look_from

    def watched(self, *given):
        n_looks.append(1)
        return look(self, *given)

    monkeypatch.setattr(in_pieces.RolledUp, "_look_from", watched)
    whole, pieces = both_ways(2, sf.KAnonymity(5) & sf.LDiversity(2), 500)
    assert len(n_looks) > 3
    assert boxes_of(pieces) == boxes_of(whole)


@pytest.mark.parametrize("most", [60, 120])
def test_groups_that_do_not_fit_together_are_judged_some_at_a_time(most, monkeypatch):
    verdicts = []

    def watched(*given):
        verdicts.append(chunks.all_safe(*given))
        return verdicts[-1]

    monkeypatch.setattr(in_pieces, "all_safe", watched)
    monkeypatch.setattr(in_pieces.RolledUp, "_has_small_group", lambda *_: False)
    whole, pieces = both_ways(4, sf.KAnonymity(30) & sf.LDiversity(5), most)
    assert boxes_of(pieces) == boxes_of(whole)
    assert verdicts == [False, False]


@pytest.mark.parametrize("sensitive", ["disease", ["disease", "guarded"], None])
def test_the_published_file_is_the_same(sensitive, tmp_path):
    criterion = sf.KAnonymity(6) if sensitive is None else sf.KAnonymity(6) & sf.LDiversity(2)
    whole, pieces = both_ways(8, criterion, 500, sensitive, insensitive=("job",))
    assert saved(pieces, tmp_path / "pieces").equals(saved(whole, tmp_path / "whole"))
    assert pieces.check()
    assert sorted(pieces.sizes.tolist()) == sorted(whole.sizes.tolist())
    assert sf.utility.information_loss(pieces) == sf.utility.information_loss(whole)
    assert str(pieces.summary()) == str(whole.summary())


def test_what_needs_peoples_own_values_is_refused():
    _, pieces = both_ways(8, sf.KAnonymity(6), 500)
    with pytest.raises(CannotRun, match="own quasi-identifiers"):
        sf.utility.entropy(pieces)
    people = pieces.private.frequencies
    with pytest.raises(CannotRun):
        people.codes("age")
    levels = dict.fromkeys(people.quasi_identifiers, 1)
    other = Cut.at_levels(people.domains, levels)
    with pytest.raises(CannotRun):
        other.grouping(people)


def test_a_cut_that_does_not_fit_is_refused():
    with (
        room_for(60),
        pytest.raises(sf.NoRoom, match=r"this release has [0-9]+ combinations or more"),
    ):
        sf.anonymize(read(generated(1)), sf.KAnonymity(2) & sf.LDiversity(2), sf.TopDown("cut"))
