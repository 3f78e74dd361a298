"""TopDown() in pieces publishes what it publishes with everything in memory, by the same lots."""

import importlib
from itertools import count

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from algorithms.in_pieces import boxes_of, generated, read, room_for, saved
from sfumato.data.recoding import Piecewise

HALF = sf.KAnonymity(4) & sf.LDiversity(2, "frequency", ["HIV"])
CRITERIA = [
    sf.KAnonymity(5),
    sf.KAnonymity(3) & sf.LDiversity(3),
    sf.AlphaKAnonymity("2/5", 3, values=["HIV"]),
    HALF,
    sf.LDiversity("5/2", "entropy"),
    sf.KAnonymity(4) & sf.TCloseness("1/4"),
]
NUMBER = count()


def uneven(seed, n=700, n_columns=3):
    """People of whom too many have HIV where a column has some values, so that lots are drawn."""
    dice = np.random.default_rng(seed)
    shares = [0.55, 0.2, 0.1, 0.1, 0.03, 0.02]
    codes = {name: dice.choice(6, n, p=shares) for name in "abc"[:n_columns]}
    ill = np.isin(codes["a"], [3, 4]) | np.isin(codes["b"], [2, 5])
    hiv = dice.random(n) < np.where(ill, 0.55, 0.1)
    columns = {name: [f"{name}{j}" for j in each] for name, each in codes.items()}
    columns["s"] = np.where(hiv, "HIV", dice.choice(["flu", "asthma", "none"], n))
    columns["t"] = pa.array(dice.choice(["x", "y", None], n).tolist())
    return pa.table(columns)


def read_uneven(people, sensitive="s", engine=None):
    """Open such a table, with trees of two levels."""
    names = [name for name in "abc" if name in people.column_names]
    lower, upper = range(3), range(3, 6)
    trees = {
        name: sf.Tree(
            {f"{name}.{j}": [f"{name}{k}" for k in each] for j, each in enumerate(halves)}
        )
        for name in names
        for halves in [(lower, upper)]
    }
    others = [name for name in "st" if name not in sensitive]
    return sf.read(people, trees, sensitive, insensitive=others, engine=engine, memory="4GB")


@pytest.fixture
def sent_back(monkeypatch):
    """How many people of groups that did not fit went back though their child went down."""
    module = importlib.import_module("sfumato.algorithms.top_down.first_steps")
    people, send_back = [], module._send_back

    def watched(stored, regions, descents):
        people.append(sum(len(descent.place) for descent, _ in descents.values()))
        send_back(stored, regions, descents)

    monkeypatch.setattr(module, "_send_back", watched)
    return people


@pytest.fixture
def both(monkeypatch, tmp_path):
    """Decide about a table at once and in pieces, by the same chances; compare what is written."""
    module = importlib.import_module("sfumato.release.anonymize")

    def decided(table, criterion, method, most, seed=0):
        monkeypatch.setattr(module, "chances", lambda _: np.random.default_rng(seed).bytes)
        whole = sf.anonymize(table(), criterion, method, untouched_identify=True)
        with room_for(most):
            pieces = sf.anonymize(table(), criterion, method, untouched_identify=True)
        assert isinstance(pieces.recoding, Piecewise)
        place = tmp_path / str(next(NUMBER))
        assert boxes_of(pieces) == boxes_of(whole)
        assert pieces.recoding.splits == whole.recoding.splits
        assert saved(pieces, place / "pieces").equals(saved(whole, place / "whole"))
        return whole, pieces

    return decided


@pytest.mark.parametrize(("keep", "most"), [("whole", 60), ("part", 12)])
@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
def test_pieces_go_down_as_the_whole_does(both, criterion, most, keep):
    people = uneven(most)
    whole, pieces = both(lambda: read_uneven(people), criterion, sf.TopDown(keep=keep), most)
    assert len(whole.sizes) > 20
    assert pieces.check().holds
    assert pieces.sizes.sum() == 700
    assert sf.utility.information_loss(pieces) == sf.utility.information_loss(whole)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("keep", ["whole", "part"])
def test_lots_of_groups_that_do_not_fit_are_those_of_the_whole(both, sent_back, seed, keep):
    """Of the same person several times, down to groups of which nothing fits."""
    dice = np.random.default_rng(seed)
    people = uneven(seed, int(dice.integers(300, 1200)), int(dice.integers(2, 4)))
    criterion = CRITERIA[2:4][seed % 2]
    method, most = sf.TopDown(keep=keep), [1, 5, 20, 50][seed % 4]
    whole, _ = both(lambda: read_uneven(people), criterion, method, most, seed)
    assert sum(sent_back) > 0
    assert whole.recoding.splits


@pytest.mark.parametrize(
    "criterion", [sf.KAnonymity(5), sf.KAnonymity(4) & sf.AlphaKAnonymity("3/5", 1)], ids=str
)
@pytest.mark.parametrize("most", [500, 60])
def test_numbers_prefixes_and_flat_columns_go_down_their_levels(both, criterion, most):
    people = generated(most, 900)
    whole, _ = both(lambda: read(people), criterion, sf.TopDown(), most)
    assert len(whole.sizes) > 50


@pytest.mark.parametrize(
    "criterion",
    [
        sf.KAnonymity(4) & sf.LDiversity(2, "frequency", ["HIV"], attribute="s"),
        sf.LDiversity(2),
    ],
    ids=str,
)
@pytest.mark.parametrize("keep", ["whole", "part"])
def test_several_sensitive_columns_and_missing_values(both, criterion, keep):
    people = uneven(1)
    both(lambda: read_uneven(people, ["s", "t"]), criterion, sf.TopDown(keep=keep), 30)


def test_keys_of_several_words(both, sent_back):
    dice = np.random.default_rng(4)
    wide = {f"q{j}": dice.integers(0, 900, 600) * 7 for j in range(8)}
    codes = np.stack(list(wide.values())) // 7
    hiv = np.where(dice.random(600) < np.where(codes[0] % 9 == 0, 0.6, 0.2), "HIV", "none")
    rows = pa.table({**wide, "s": hiv, "t": dice.integers(0, 2, 600)})
    rules = {name: sf.Intervals(700, 2100) for name in wide} | {"q0": sf.Flat()}
    twice = pa.concat_tables([rows, rows, rows.slice(0, 300)])

    def table():
        return sf.read(twice, rules, "s", insensitive=["t"], memory="4GB")

    assert table().frequencies().layout.n_words == 2
    both(table, sf.AlphaKAnonymity("2/5", 2, values=["HIV"]), sf.TopDown(), 150)


@pytest.mark.parametrize("most", [7, 60])
@pytest.mark.parametrize("criterion", [sf.KAnonymity(300), sf.KAnonymity(300) & HALF], ids=str)
def test_a_group_that_stays_large_is_read_in_several_parts(both, criterion, most):
    people = uneven(2)
    whole, _ = both(lambda: read_uneven(people), criterion, sf.TopDown(), most)
    assert len(whole.sizes) < 4


def test_who_is_drawn_is_found_a_column_at_a_time_as_in_all_at_once(both, sent_back, monkeypatch):
    people = uneven(12)
    monkeypatch.setattr("sfumato.stored_counts.AT_ONCE", 1)
    both(lambda: read_uneven(people), CRITERIA[2], sf.TopDown(keep="part"), 12)
    assert sum(sent_back) > 5


def test_other_chances_are_as_safe():
    people = uneven(3)
    with room_for(12):
        release = sf.anonymize(read_uneven(people), HALF, sf.TopDown(), untouched_identify=True)
    assert isinstance(release.recoding, Piecewise)
    assert release.check().holds
    assert release.sizes.sum() == 700


def test_two_tables_and_values_that_are_not_looked_at_are_refused():
    with room_for(100), pytest.raises(sf.NoRoom, match=r"at once.*or TopDown\(\), to be looked at"):
        sf.anonymize(read(generated(1)), sf.KAnonymity(2), sf.TopDown(publish="bucketized"))
    named = sf.KAnonymity(2, attribute="disease")
    with room_for(100), pytest.raises(sf.attacks.CannotRun, match=r"TopDown\(\) deals people out"):
        sf.anonymize(read(generated(1)), named, sf.TopDown())
