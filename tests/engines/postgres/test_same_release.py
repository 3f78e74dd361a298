"""A table in PostgreSQL and a frame of the same data become the same release, value for value.

And a release is the same in files and in tables of a database.
"""

import json
import random
from importlib import import_module

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf

RULES = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
KANON = sf.KAnonymity(5)
DIVERSE = sf.KAnonymity(4) & sf.LDiversity(2)
SMOKE = {
    "mondrian": (DIVERSE, sf.Mondrian()),
    "samarati, some left out": (KANON, sf.Samarati(max_suppressed=100)),
    "anatomy": (sf.LDiversity(3), sf.Anatomy()),
}
OTHERS = {
    "mondrian, relaxed": (KANON, sf.Mondrian(strict=False)),
    "top down, local": (DIVERSE, sf.TopDown(recoding="local")),
}


@pytest.fixture(autouse=True)
def _same_chances(monkeypatch):
    """Deal people out the same way every time."""
    module = import_module("sfumato.release.anonymize")  # a function of the same name hides it
    monkeypatch.setattr(module, "chances", lambda method: random.Random(7).randbytes)


def rows_of(place):
    """All rows of all files of a release, in their order, with the types of the columns."""
    return {file.name: pq.read_table(file) for file in sorted(place.glob("*.parquet"))}


def kinds(rows):
    return [(field.name, field.type) for field in rows.schema]


def compare(server, tmp_path, frame, criterion, method, **roles):
    """Release a frame, and a table that has its rows in another order; give what was published."""
    order = random.Random(3).sample(range(len(frame)), len(frame))
    address = server.put(frame.take(order))
    places = []
    for engine, source in (("duckdb", frame), ("postgres", address)):
        table = sf.read(source, **roles)
        assert table.source.engine.name == engine
        release = sf.anonymize(table, criterion, method, untouched_identify=True)
        places.append(release.save(tmp_path / engine, format="parquet"))
        assert not sf.load(places[-1]).check().failed
    ours, theirs = map(rows_of, places)
    assert ours.keys() == theirs.keys() != set()
    for file, rows in ours.items():
        assert kinds(rows) == kinds(theirs[file])
        assert rows.to_pylist() == theirs[file].to_pylist()
    assert all(len(each) for each in ours.values())
    ours, theirs = (json.loads((place / "release.json").read_text()) for place in places)
    different = {name for name in ours if ours[name] != theirs[name]}
    assert different <= {"files", "package", "sha256"}  # by how bytes are laid out in a file
    saved_to_tables(server, release, places[-1], theirs)
    return ours


def saved_to_tables(server, release, place, described):
    """Save a release to tables of a database; what is loaded from there is what is in files."""
    name = f"released{next(server.numbers)}"
    address = release.save(server.address(f"clinic.{name}"))
    in_files, in_tables = sf.load(place), sf.load(address)
    assert not in_tables.check().failed
    for table in in_files.description.tables:
        ours, theirs = in_files.to_arrow(table), in_tables.to_arrow(table)
        assert ours.schema == theirs.schema
        assert ours.to_pylist() == theirs.to_pylist()
    ((written,),) = server.ask(f"SELECT content FROM clinic.{name}_release WHERE file LIKE '%json'")
    written = json.loads(written)
    different = {
        each for each in {*written, *described} if described.get(each) != written.get(each)
    }
    assert different == {"files", "tables", "package", "sha256"}
    assert written["tables"].keys() == {*in_files.description.tables}


def sample(patients, extra=True):
    """The sample with columns that are published untouched."""
    n = len(patients)
    ward = pa.array([None if j % 50 == 0 else f"ward {j % 7}" for j in range(n)])
    weight = pa.array([None if j % 41 == 0 else 50 + j % 37 / 4 for j in range(n)])
    return (
        patients.append_column("ward", ward).append_column("weight", weight) if extra else patients
    )


ROLES = {"quasi_identifiers": RULES, "sensitive": "disease", "identifiers": ["name"]}


@pytest.mark.parametrize("how", SMOKE)
def test_the_same_release_as_from_a_frame(server, tmp_path, patients, how):
    compare(server, tmp_path, patients, *SMOKE[how], **ROLES)


@pytest.mark.engines
@pytest.mark.parametrize("how", [*SMOKE, *OTHERS])
def test_the_same_release_with_columns_published_untouched(server, tmp_path, patients, how):
    roles = ROLES | {"insensitive": ["ward", "weight"]}
    compare(server, tmp_path, sample(patients), *(SMOKE | OTHERS)[how], **roles)


def test_several_rows_of_a_person_are_a_set(server, tmp_path):
    rng = random.Random(5)
    rows = [
        {"who": f"p{who}", "age": 20 + who % 3, "sex": "mf"[who % 2], "disease": disease}
        for who in range(120)
        for disease in rng.sample(["flu", "HIV", "gout", "cold", "mumps"], rng.randint(1, 3))
    ]
    roles = {
        "quasi_identifiers": {"age": sf.Flat(), "sex": sf.Flat()},
        "sensitive": "disease",
        "person": "who",
    }
    skyline = sf.Skyline([(0, 0, 0, 0.9)], case="set")
    compare(server, tmp_path, pa.Table.from_pylist(rows), skyline, sf.OneGroup(), **roles)


@pytest.mark.engines
def test_a_column_of_lists_is_a_set(server, tmp_path):
    rng = random.Random(5)
    values = ["flu", "HIV", "gout", "", None]
    rows = [
        {
            "age": 20 + j % 3,
            "disease": None if j % 30 == 0 else rng.sample(values, rng.randint(0, 3)),
        }
        for j in range(120)
    ]
    frame = pa.Table.from_pylist(
        rows, pa.schema([("age", pa.int32()), ("disease", pa.list_(pa.string()))])
    )
    roles = {"quasi_identifiers": {"age": sf.Flat()}, "sensitive": "disease"}
    skyline = sf.Skyline([(0, 0, 0, 0.95)], case="set")
    compare(server, tmp_path, frame, skyline, sf.OneGroup(), **roles)


@pytest.mark.engines
def test_texts_that_look_alike_are_merged_the_same_way(server, tmp_path, patients):
    diseases = [
        text.upper() if text is not None and j % 3 == 0 else text
        for j, text in enumerate(patients["disease"].to_pylist())
    ]
    place = patients.column_names.index("disease")
    frame = patients.set_column(place, "disease", pa.array(diseases))
    compare(server, tmp_path, frame, *SMOKE["mondrian"], **ROLES, alike="merge")


@pytest.mark.engines
def test_what_people_guard_is_counted_beside_what_is_published(server, tmp_path, patients):
    place = patients.column_names.index("disease")
    first, *_ = diseases = sorted({*patients["disease"].drop_null().to_pylist()})
    guarded = pa.array([first if j % 2 else None for j in range(len(patients))])
    frame = patients.add_column(place, "guards", guarded)
    tree = sf.Tree({"any illness": diseases})
    roles = ROLES | {"hierarchies": {"disease": tree}}
    criterion = sf.PersonalizedPrivacy(2, guarding="guards")
    compare(server, tmp_path, frame, criterion, sf.Mondrian(), **roles)
