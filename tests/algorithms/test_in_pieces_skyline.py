"""SkylineMondrian in pieces decides what it decides in memory."""

import pytest

import sfumato as sf
from algorithms.in_pieces import boxes_of, generated, read, room_for, saved
from sfumato.algorithms.skyline_mondrian import by_columns, in_pieces, regions
from sfumato.data.recoding import Piecewise

EASY = sf.Skyline([(1, 0, 0, "9/10")])
KNOWING = sf.Skyline([(1, 1, 0, "9/10"), (0, 0, 2, "4/5")])
BY_VALUE = sf.Skyline({"d2": [(1, 1, 1, "2/3")], "d4": [(0, 2, 0, "3/4")]}, [(2, 0, 0, "19/20")])
JOBS = sf.Skyline([(1, 0, 0, "9/10")], attribute="disease") & sf.Skyline(
    [(0, 1, 0, "9/10")], attribute="job"
)


def both_ways(seed, criterion, method, most, sensitive="disease", insensitive=(), n=500):
    """Give the release in memory, and the one in pieces."""
    people = generated(seed, n)
    whole = sf.anonymize(
        read(people, sensitive, insensitive), criterion, method, untouched_identify=True
    )
    with room_for(most):
        pieces = sf.anonymize(
            read(people, sensitive, insensitive), criterion, method, untouched_identify=True
        )
    assert isinstance(pieces.recoding, Piecewise)
    return whole, pieces


@pytest.mark.parametrize("split", ["gain", "median", "widest"])
@pytest.mark.parametrize("criterion", [EASY, KNOWING, BY_VALUE], ids=["easy", "knowing", "value"])
@pytest.mark.parametrize("most", [300, 20])
def test_pieces_give_the_boxes_of_the_whole(split, criterion, most):
    whole, pieces = both_ways(most, criterion, sf.SkylineMondrian(split), most)
    assert len(boxes_of(whole)) > 3
    assert boxes_of(pieces) == boxes_of(whole)


@pytest.mark.parametrize("split", ["gain", "median", "widest"])
@pytest.mark.parametrize(
    "beside",
    [
        sf.KAnonymity(7),
        sf.LDiversity(3),
        sf.TCloseness(0.4),
        sf.KAnonymity(4) & sf.RecursiveDiversity(3, 2),
    ],
    ids=str,
)
def test_pieces_keep_to_criteria_beside_the_skyline(split, beside):
    whole, pieces = both_ways(3, EASY & beside, sf.SkylineMondrian(split), 150)
    assert len(boxes_of(whole)) > 3
    assert boxes_of(pieces) == boxes_of(whole)


@pytest.mark.parametrize("gain_of", ["zip", "sex", "job", "disease"])
def test_gain_may_be_about_any_column(gain_of):
    sensitive = ["disease", "job"]
    method = sf.SkylineMondrian(gain_of=gain_of)
    whole, pieces = both_ways(5, JOBS, method, 200, sensitive)
    assert boxes_of(pieces) == boxes_of(whole)


@pytest.mark.parametrize("bounds", ["grid", "cuts", "tight"])
def test_the_published_file_is_the_same(bounds, tmp_path):
    method = sf.SkylineMondrian(bounds=bounds)
    whole, pieces = both_ways(8, KNOWING, method, 150, insensitive=("job",))
    assert saved(pieces, tmp_path / "pieces").equals(saved(whole, tmp_path / "whole"))
    assert pieces.check()
    assert sorted(pieces.sizes.tolist()) == sorted(whole.sizes.tolist())


def test_cuts_are_made_in_the_engine_and_regions_that_stay_large_are_groups(monkeypatch):
    engine, closed = [], []
    by_engine, close = by_columns.cut_by_columns, in_pieces.Levels._close

    def watched(*given):
        engine.append(by_engine(*given))
        return engine[-1]

    def watched_close(self, large):
        closed.extend(large)
        close(self, large)

    monkeypatch.setattr(in_pieces, "cut_by_columns", watched)
    monkeypatch.setattr(in_pieces.Levels, "_close", watched_close)
    criterion = EASY & sf.KAnonymity(300)
    whole, pieces = both_ways(11, criterion, sf.SkylineMondrian("median"), 60, n=1200)
    assert len([cut for cut in engine if cut is not None]) == len(boxes_of(whole)) - 1
    assert len(closed) == len(boxes_of(whole)) > 1
    assert boxes_of(pieces) == boxes_of(whole)


def test_statistics_pass_from_piece_to_piece(monkeypatch):
    """Knowing people of other groups makes groups depend on each other."""
    criterion, method = sf.Skyline([(2, 0, 2, "9/10")]), sf.SkylineMondrian("median")
    whole, pieces = both_ways(13, criterion, method, 100)
    assert boxes_of(pieces) == boxes_of(whole)

    def alone(people, task, columns=(), begun=None, tree=None):
        return regions.Regions(people, task, columns, begun, None if tree is None else tree.copy())

    monkeypatch.setattr(in_pieces, "Regions", alone)
    _, each_for_itself = both_ways(13, criterion, method, 100)
    assert boxes_of(each_for_itself) != boxes_of(whole)


def test_two_tables_are_refused_with_the_size():
    with room_for(100), pytest.raises(sf.NoRoom, match="at once"):
        sf.anonymize(read(generated(1)), EASY, sf.SkylineMondrian(publish="bucketized"))
