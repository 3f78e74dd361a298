"""Relaxed Mondrian in pieces decides, and publishes, what it does with everything in memory.

Both draw the same secret, from which the lots of every region follow.
"""

import importlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from algorithms.in_pieces import boxes_of, room_for
from sfumato.data.keys import Layout
from sfumato.data.recoding import Piecewise, kept_parts, lots
from sfumato.data.recoding.kept_parts import KeptParts
from sfumato.data.regions import Middle, Regions, last_of_combination
from sfumato.errors import BrokenPromise

CRITERIA = [
    sf.KAnonymity(4),
    sf.KAnonymity(4) & sf.LDiversity(2),
    sf.TCloseness(0.4),
]
COLUMNS = {
    "age": sf.Intervals(5, 10, 20),
    "zip": sf.Prefix(),
    "sex": sf.Flat(),
    "kids": sf.Flat(),
}


def people(seed, n=1500, at_one_place=0.0):
    """Give people, of whom a share has one and the same combination."""
    dice = np.random.default_rng(seed)
    alike = dice.random(n) < at_one_place
    return pa.table(
        {
            "age": np.where(alike, 30, dice.integers(0, 60, n)),
            "zip": [f"{code:02d}" for code in np.where(alike, 7, dice.integers(0, 30, n))],
            "sex": np.where(alike, "f", dice.choice(["f", "m"], n)),
            "kids": np.where(alike, 1, dice.integers(0, 3, n)),
            "disease": dice.choice(list("abcde"), n),
            "note": dice.integers(0, 3, n),
        }
    )


def read(rows, quasi_identifiers=None, **roles):
    return sf.read(
        rows, quasi_identifiers or COLUMNS, "disease", insensitive=["note"], memory="4GB", **roles
    )


@pytest.fixture
def both(monkeypatch):
    """Decide about a table in memory and in pieces of at most so many keys."""
    module = importlib.import_module("sfumato.release.anonymize")

    def decided(table, criterion, method, most=150, seed=0):
        monkeypatch.setattr(module, "chances", lambda _: np.random.default_rng(seed).bytes)
        whole = sf.anonymize(table(), criterion, method, untouched_identify=True)
        with monkeypatch.context() as patched:
            patched.setattr("sfumato.table.most_keys", lambda *_: most)
            pieces = sf.anonymize(table(), criterion, method, untouched_identify=True)
        assert isinstance(pieces.recoding, Piecewise)
        return whole, pieces

    return decided


def on_disk(recoding):
    """List who is in which box: key, box, people; boxes that are published alike are one."""
    turns = recoding.turns
    parts = [each for each in recoding.on_disk.by_key(turns) if len(each.keys)]
    keys, group, n_people = (np.concatenate(each) for each in zip(*parts, strict=True))
    return counted(keys, turns[group], n_people)


def in_memory(recoding):
    key, group, n_people = recoding.parts.T
    return counted(recoding.combinations.keys[key], recoding.turns[group], n_people)


def counted(keys, turn, n_people):
    parts = {}
    for key, box, n in zip(keys.tolist(), turn.tolist(), n_people.tolist(), strict=True):
        parts[*key, box] = parts.get((*key, box), 0) + n
    return parts


def refuse_unlike(whole, pieces, tmp_path):
    for one, other in zip(whole.published_boxes, pieces.published_boxes, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(whole.sizes, pieces.sizes)
    assert whole.recoding.splits == pieces.recoding.splits
    assert in_memory(whole.recoding) == on_disk(pieces.recoding)
    whole.save(tmp_path / "whole")
    pieces.save(tmp_path / "pieces")
    files = [pq.read_table(tmp_path / name / "data.parquet") for name in ("whole", "pieces")]
    assert files[0].equals(files[1])


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
@pytest.mark.parametrize(("at_one_place", "seed"), [(0.0, 1), (0.5, 2), (0.5, 3)])
def test_pieces_are_halved_as_the_whole_is(both, criterion, at_one_place, seed, tmp_path):
    rows = people(1, 600, at_one_place)
    whole, pieces = both(lambda: read(rows), criterion, sf.Mondrian(strict=False), seed=seed)
    assert pieces.recoding.splits
    refuse_unlike(whole, pieces, tmp_path)


@pytest.mark.parametrize("compiled", ["whole", "pieces"])
@pytest.mark.parametrize("criterion", CRITERIA[1:], ids=str)
def test_machine_code_deals_people_out_as_arrays_do(both, criterion, compiled, monkeypatch):
    """Pieces are small, so they are cut by arrays where the whole is cut by machine code."""
    rows, deals = people(10, 600, 0.3), []
    for threshold in (0, 10**9) if compiled == "whole" else (10**9, 0):
        monkeypatch.setattr("sfumato.algorithms.mondrian.COMPILED", threshold)
        deals.append(both(lambda: read(rows), criterion, sf.Mondrian(strict=False), seed=4))
    assert in_memory(deals[0][0].recoding) == on_disk(deals[1][1].recoding)


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
def test_a_seed_gives_the_same_release_whatever_memory_there_is(criterion):
    rows, method = people(11, 600, 0.4), sf.Mondrian(strict=False, seed=7)
    plain = sf.read(rows, COLUMNS, "disease", insensitive=["note"])
    boxes = boxes_of(sf.anonymize(plain, criterion, method, untouched_identify=True))
    for most in (10**6, 300, 40, 3):
        with room_for(most):
            release = sf.anonymize(read(rows), criterion, method, untouched_identify=True)
        assert isinstance(release.recoding, Piecewise) == (most < 10**6)
        assert boxes_of(release) == boxes


@pytest.mark.parametrize(
    "method",
    [
        sf.Mondrian(strict=False, dimensions="widest"),
        sf.Mondrian(strict=False, bounds="tight"),
        sf.Mondrian(strict=False, bounds="cuts"),
    ],
    ids=str,
)
def test_every_kind_of_relaxed_mondrian_works_in_pieces(both, method, tmp_path):
    rows = people(2, 600)
    refuse_unlike(*both(lambda: read(rows), CRITERIA[1], method), tmp_path)


@pytest.mark.parametrize(
    ("criterion", "most"), [(CRITERIA[0], 1), (CRITERIA[0], 2), (CRITERIA[1], 1), (CRITERIA[1], 5)]
)
def test_a_combination_of_half_of_the_people_is_split_again_and_again(
    both, criterion, most, tmp_path
):
    """Down to pieces of a single key, and to more groups than there are combinations."""
    dice = np.random.default_rng(3)
    rows = pa.table(
        {
            "age": np.where(dice.random(400) < 0.7, 1, dice.integers(0, 3, 400)),
            "disease": dice.choice(list("abc"), 400),
            "note": dice.integers(0, 2, 400),
        }
    )
    method = sf.Mondrian(strict=False)
    refuse_unlike(*both(lambda: read(rows, ["age"]), criterion, method, most), tmp_path)


def test_keys_of_several_words(both, tmp_path):
    dice = np.random.default_rng(4)
    wide = {f"q{j}": dice.integers(0, 900, 600) * 7 for j in range(8)}
    personal = {"disease": dice.choice(list("abc"), 600), "note": dice.integers(0, 2, 600)}
    rows = pa.table({**wide, **personal})
    twice = pa.concat_tables([rows, rows, rows.slice(0, 300)])
    table = read(twice, list(wide))
    assert table.frequencies().layout.n_words == 2
    whole, pieces = both(lambda: read(twice, list(wide)), CRITERIA[1], sf.Mondrian(strict=False))
    refuse_unlike(whole, pieces, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(9))
def test_generated_tables(both, seed, tmp_path):
    dice = np.random.default_rng(seed)
    rows = people(seed, int(dice.integers(200, 700)), float(dice.choice([0.0, 0.2, 0.6])))
    names = list(COLUMNS)[: int(dice.integers(2, 5))]
    criterion = CRITERIA[seed % 3]
    whole, pieces = both(
        lambda: read(rows, {name: COLUMNS[name] for name in names}),
        criterion,
        sf.Mondrian(strict=False),
        most=int(dice.integers(20, 80)) if seed < 6 else seed - 5,
        seed=seed,
    )
    refuse_unlike(whole, pieces, tmp_path)


def test_two_sensitive_columns_and_missing_values(both, tmp_path):
    rows = people(5)
    rows = rows.append_column("job", pa.array(["x", None, "y"] * 500))
    table = lambda: sf.read(  # noqa: E731
        rows, COLUMNS, ["disease", "job"], insensitive=["note"], memory="4GB"
    )
    criterion = sf.KAnonymity(4) & sf.LDiversity(2, attribute="disease")
    refuse_unlike(*both(table, criterion, sf.Mondrian(strict=False)), tmp_path)


def test_other_chances_are_as_safe(monkeypatch, tmp_path):
    """What the system draws decides who goes where, and the promise holds all the same."""
    monkeypatch.setattr("sfumato.table.most_keys", lambda *_: 150)
    release = sf.anonymize(
        read(people(6)), CRITERIA[1], sf.Mondrian(strict=False), untouched_identify=True
    )
    assert isinstance(release.recoding, Piecewise)
    release.save(tmp_path / "release")
    assert release.check().holds
    sizes = release.groups.sizes
    assert sizes.min() >= 4
    assert sizes.sum() == 1500


def test_what_nobody_counted_is_compared_for_all_groups_together(monkeypatch, tmp_path):
    """Who of a combination went where is not known, but that all notes were written is."""
    monkeypatch.setattr("sfumato.table.most_keys", lambda *_: 150)
    release = sf.anonymize(
        read(people(7)), CRITERIA[0], sf.Mondrian(strict=False), untouched_identify=True
    )
    digests = release.recoding.people.digests
    assert digests
    for each in digests.values():
        each[0] += 1
    with pytest.raises(BrokenPromise, match="do not have the values that the people have"):
        release.save(tmp_path / "release")


def test_parts_are_read_by_ascending_key_in_bounded_pieces(monkeypatch):
    monkeypatch.setattr(kept_parts, "AT_ONCE", 50)
    dice = np.random.default_rng(8)
    kept, written = KeptParts(), []
    for _ in range(7):
        keys = np.unique(dice.integers(0, 9, (80, 2)).astype(np.uint64) << np.uint64(60), axis=0)
        keys = dice.permutation(keys)
        groups, n_people = dice.integers(0, 4, len(keys)), dice.integers(1, 5, len(keys))
        kept.add(keys, groups, n_people)
        written += [*zip(keys.tolist(), groups.tolist(), n_people.tolist(), strict=True)]
    turns = np.array([3, 1, 0, 2])
    pieces = list(kept.by_key(turns))
    assert len(pieces) > 5
    assert max(len(each.keys) for each in pieces) <= 60
    read_again = [
        (key, group, n)
        for each in pieces
        for key, group, n in zip(*(column.tolist() for column in each), strict=True)
    ]
    assert [(key, turns[group]) for key, group, _ in read_again] == sorted(
        (key, turns[group]) for key, group, _ in written
    )
    assert sorted(read_again) == sorted(written)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=6), st.data())
def test_shares_of_a_region_go_where_its_people_go(cuts, data):
    """However a region is cut, nobody is lost, and everybody is inside a box."""
    layout = Layout.of([4, 3])
    age, sex = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    every = layout.pack([age.astype(np.int32), sex.astype(np.int32)])
    regions = Regions([[0, 3], [0, 2]], layout)
    for code, other in cuts:
        key = layout.pack([np.array([code], np.int32), np.array([other], np.int32)])
        mine = (regions.shares.keys == key).all(axis=1)
        where = data.draw(st.sampled_from(sorted({0, *regions.shares.region[mine].tolist()})))
        here = mine & (regions.shares.region == where)
        n = int(regions.shares.people[here].sum()) if mine.any() else 10
        box = regions.boxes[where]
        if n == 0 or not (box[0, 0] <= code <= box[0, 1] and box[0, 0] < box[0, 1]):
            continue
        middle = Middle(key, np.array([n]), last_of_combination(layout, 2, key[0]))
        below = data.draw(st.integers(1, n))
        regions.cut_between(where, 0, code, middle, np.array([below]))
    shares = regions.shares
    for key in every:
        mine = (shares.keys == key).all(axis=1)
        assert shares.people[mine].sum() in (0, 10)
    low, high = regions.boxes[shares.region, 0].T
    codes = layout.unpack(shares.keys, 0)
    assert ((low <= codes) & (codes <= high)).all()


def test_blocks_do_not_show_in_the_release(both, monkeypatch, tmp_path):
    monkeypatch.setattr(lots, "BLOCK", 100)
    monkeypatch.setattr(lots, "PARTS_AT_ONCE", 70)
    monkeypatch.setattr(kept_parts, "AT_ONCE", 64)
    rows = people(9, at_one_place=0.5)
    refuse_unlike(*both(lambda: read(rows), CRITERIA[0], sf.Mondrian(strict=False)), tmp_path)
