"""Figure 2 of Ciriani 2008: nothing is missing from it, and what it says of methods is so."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.algorithms import ALGORITHMS, figure_2
from sfumato.algorithms.figure_2 import TWO_TABLES, places

ROOT = Path(__file__).parents[2]
QI = {"age": sf.Intervals(5, 10, 20), "sex": sf.Tree(["f", "m"])}
FLAT = {"age": sf.Flat(), "sex": sf.Flat()}


def test_every_method_of_the_registry_is_in_the_figure_or_said_to_be_outside():
    assert {place.name for place in places()} == {kind.__name__ for kind in ALGORITHMS.ours}


def test_every_cell_of_the_figure_is_drawn_in_the_documentation():
    drawn = figure_2.markdown()
    assert drawn in (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    names = figure_2.cell_names()
    assert len(names) == 12
    assert all(f"**{name}**" in drawn for name in names)
    assert {place.cell for place in places()} - {TWO_TABLES} <= set(names)
    without_method = {n for n in names if n not in {place.cell for place in places()}}
    assert without_method <= {*figure_2.SAID, "_CS"}


@pytest.fixture(scope="module")
def source() -> pa.Table:
    """Many people of few ages, and some whose age nobody else has."""
    draw = np.random.default_rng(2)
    ages = [*draw.integers(20, 26, 150).tolist(), 64, 71, 75, 80, 85, 90, 93, 99]
    sexes = draw.choice(["f", "m"], len(ages)).tolist()
    return pa.table({"age": ages, "sex": sexes, "s": [str(j % 4) for j in range(len(ages))]})


@pytest.fixture(scope="module")
def spread() -> pa.Table:
    """People of all ages, so that neighbours are of different groups."""
    draw = np.random.default_rng(3)
    ages, sexes = draw.integers(20, 60, 80).tolist(), draw.choice(["f", "m"], 80, p=[0.8, 0.2])
    return pa.table({"age": ages, "sex": sexes.tolist(), "s": [str(j % 4) for j in range(80)]})


def released(place, source):
    """Publish with the options that a place names."""
    flat = place.over == figure_2.FLAT
    table = sf.read(source, FLAT if flat else QI, "s")
    names = {kind.__name__: kind for kind in ALGORITHMS.ours}
    if "boxes" in place.method:
        counted = table.frequencies()
        cut = sf.Mondrian().search(counted, sf.KAnonymity(3), None)
        names["boxes"] = sf.Recode.of(cut, counted, 0).boxes
    level = {"AG_": 4, "_TS": 0}.get(place.cell, 0)
    names["levels"] = {"age": level, "sex": min(level, 1)}
    method = eval(place.method, names)
    promise = sf.KAnonymity(3)
    if method.refuses(promise) is not None or place.cell == TWO_TABLES:
        promise = sf.LDiversity(2)
    if place.name == "SkylineMondrian":
        promise = sf.Skyline([(0, 0, 0, 0.9)])
    if method.judges_itself:
        promise = sf.KAnonymity(20) & sf.Confidentiality(2, ["1"])
    if place.name == "BCFAnonymizer":
        promise = sf.BCFAnonymity(3)
    return sf.anonymize(table, promise, method)


@pytest.mark.parametrize("place", places(), ids=lambda place: f"{place.cell} {place}")
def test_a_method_publishes_what_its_cell_says(place, source, spread):
    release = released(place, spread if place.cell.startswith("CG") else source)
    if place.cell == TWO_TABLES:
        assert release.method.bucketized
        return
    generalization, suppression = place.cell.split("_")
    limited = suppression == "TS" or place.cell == "AG_CS"
    assert bool(release.method.max_suppressed) == limited
    assert suppression == "TS" or not release.n_suppressed
    frequencies = release.table.frequencies()
    placed = release.recoding.placement(frequencies)
    kept = placed.box >= 0
    whole = [[0, len(frequencies.domains[name]) - 1] for name in QI]
    sides = placed.boxes[placed.box[kept]]  # (n, 2, 2)
    at_root = (sides == np.array(whole)).all(axis=(1, 2))
    if suppression == "CS" and generalization == "AG":
        assert int(placed.people[kept][at_root].sum()) == release.n_at_root > 0
        sides, told = sides[~at_root], np.flatnonzero(kept)[~at_root]
    else:
        told = np.flatnonzero(kept)
    told_ways = []
    for j, name in enumerate(QI):
        codes = placed.frequencies.codes(name)[placed.key[told]]
        pairs = {*zip(codes.tolist(), map(tuple, sides[:, j].tolist()), strict=True)}
        told_ways.append(len(pairs) > len({code for code, _ in pairs}))
    if generalization == "CG":
        assert any(told_ways)
    elif place.cell != "_CS":
        assert not any(told_ways)  # a value of a column is published alike in all rows
    if not generalization:  # as it is, or not at all
        single = sides[:, :, 0] == sides[:, :, 1]
        assert (single | (sides == np.array(whole)).all(axis=2)).all()
