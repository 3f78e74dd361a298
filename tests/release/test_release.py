"""From a table to something a person can hold."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf


def people(n: int = 60) -> pa.Table:
    return pa.table(
        {
            "id": list(range(n)),
            "age": [20 + 7 * j % 50 for j in range(n)],
            "zip": [f"0{1000 + 37 * j % 90}" for j in range(n)],
            "note": [f"note {j % 3}" for j in range(n)],
            "shoe": [36] * n,
            "disease": [
                ["flu", "HIV", "asthma", "none"][j * j % 4 if j % 5 else 2] for j in range(n)
            ],
        }
    )


def read(source: object, **more: object) -> sf.Table:
    roles = {
        "quasi_identifiers": {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix()},
        "sensitive": "disease",
        "identifiers": ["id"],
        "insensitive": ["shoe"],
    }
    return sf.read(source, **{**roles, **more})


def test_a_release_knows_its_groups_its_levels_and_what_it_left_out():
    release = sf.anonymize(read(people()), sf.KAnonymity(4), sf.Samarati(max_suppressed=0.1))
    assert set(release.levels) == {"age", "zip"}
    assert release.n_suppressed <= 6
    assert release.n_rows + release.n_suppressed == 60
    assert release.groups.sizes.min() >= 4
    assert sf.anonymize(read(people()), sf.KAnonymity(4)).levels is None


def test_the_published_table_is_the_same_as_pandas_polars_and_arrow():
    release = sf.anonymize(read(people()), sf.KAnonymity(4))
    arrow, pandas, polars = release.to_arrow(), release.to_pandas(), release.to_polars()
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    assert arrow.to_pydict() == polars.to_dict(as_series=False)
    assert pandas.columns.tolist() == arrow.column_names == ["age", "zip", "shoe", "disease"]
    assert pandas["shoe"].tolist() == arrow["shoe"].to_pylist()
    assert arrow.schema.field("shoe").type == pa.int64()


def test_the_same_release_publishes_the_same_rows_every_time():
    release = sf.anonymize(read(people()), sf.KAnonymity(4))
    assert release.to_arrow().equals(release.to_arrow())


def test_columns_without_a_role_are_dropped_and_named():
    release = sf.anonymize(read(people()), sf.KAnonymity(4))
    assert "note" not in release.to_arrow().column_names
    assert "no role: note" in str(release.summary())
    assert "identifiers: id" in str(release.summary())
    assert release.summary().to_json()["dropped"] == {"identifiers": ["id"], "no role": ["note"]}


def test_the_summary_counts_suppressed_rows():
    release = sf.anonymize(read(people()), sf.KAnonymity(4), sf.Samarati(max_suppressed=0.1))
    numbers = release.summary().to_json()
    assert numbers["suppressed"] == release.n_suppressed
    assert numbers["rows"] == len(release.to_arrow())
    assert numbers["groups"] == len(release.groups)


def test_more_people_than_there_are_cannot_be_had_and_the_evidence_says_so():
    for method in (sf.Mondrian(), sf.Samarati()):
        with pytest.raises(sf.Unsatisfiable, match=r"KAnonymity\(k=61\) reaches 60"):
            sf.anonymize(read(people()), sf.KAnonymity(61), method)


def test_a_criterion_about_values_needs_a_sensitive_column():
    with pytest.raises(sf.BadInput, match="no sensitive column"):
        sf.anonymize(read(people(), sensitive=None), sf.LDiversity(2), sf.Mondrian())


def test_with_several_sensitive_columns_a_criterion_is_about_one_or_about_all():
    table = read(people(), sensitive=["disease", "note"])
    one = sf.anonymize(table, sf.LDiversity(2, attribute="note") & sf.KAnonymity(3), sf.Mondrian())
    assert sf.LDiversity(2).holds(one.groups_of("note")).all()
    assert "sensitive, no criterion" in str(one.summary())
    assert one.check()
    # About all: each of them among the quasi-identifiers when the other is judged.
    both = sf.anonymize(table, sf.LDiversity(2), sf.Mondrian())
    assert both.check()
    rows = both.to_arrow().to_pylist()
    for judged, other in (("disease", "note"), ("note", "disease")):
        finer: dict[tuple, set] = {}
        for row in rows:
            finer.setdefault((row["age"], row["zip"], row[other]), set()).add(row[judged])
        assert min(map(len, finer.values())) >= 2
    with pytest.raises(sf.BadInput, match="say with attribute="):
        sf.anonymize(table, sf.LDiversity(2, "frequency", values=["HIV"]), sf.Mondrian())


def test_a_value_nobody_has_is_refused_before_anything_is_searched():
    with pytest.raises(sf.BadInput, match="nobody has 'HVI'"):
        sf.anonymize(read(people()), sf.LDiversity(2, "frequency", values=["HVI"]), sf.Mondrian())


@pytest.mark.parametrize("wrong", [None, "k=5", 5])
def test_what_is_no_criterion_is_refused(wrong):
    with pytest.raises(sf.BadInput, match="expected one such as"):
        sf.anonymize(read(people()), wrong, sf.Mondrian())


def test_the_recoding_of_levels_is_a_table_of_value_and_published_value():
    release = sf.anonymize(read(people()), sf.KAnonymity(4), sf.Samarati(max_suppressed=0.1))
    table = release.recoding_table().to_pylist()
    shown = {(row["attribute"], row["value"]): row["published"] for row in table}
    source = people()
    for age in set(source["age"].to_pylist()):
        assert ("age", str(age)) in shown
    assert set(shown.values()) >= set(map(str, release.to_arrow()["zip"].to_pylist()))


def test_the_recoding_of_boxes_is_a_table_of_combinations():
    release = sf.anonymize(read(people()), sf.KAnonymity(4))
    table = release.recoding_table()
    assert sum(table["people"].to_pylist()) == 60
    assert set(table["published age"].to_pylist()) == set(release.to_arrow()["age"].to_pylist())


@pytest.mark.long
@pytest.mark.parametrize("method", [sf.Mondrian(), sf.Samarati(max_suppressed=0.1)])
def test_a_saved_recoding_applied_to_the_same_data_publishes_the_same(tmp_path, method):
    release = sf.anonymize(read(people()), sf.KAnonymity(4), method)
    path = release.save_recoding(tmp_path / "recoding.json")
    assert path.stat().st_mode & 0o777 == 0o600
    again = sf.anonymize(read(people()), sf.KAnonymity(4), sf.Recode.load(path))
    assert again.to_arrow().equals(release.to_arrow())
    assert sf.load(again.save(tmp_path / "again")).check()


@pytest.mark.long
@pytest.mark.parametrize("method", [sf.Mondrian(bounds="cuts"), sf.Samarati(max_suppressed=0.1)])
def test_a_saved_recoding_places_values_it_has_never_seen(tmp_path, method):
    release = sf.anonymize(read(people()), sf.KAnonymity(4), method)
    recode = sf.Recode.load(release.save_recoding(tmp_path / "recoding.json"))
    other = people(400).set_column(1, "age", pa.array([19 + 3 * j % 55 for j in range(400)]))
    new = sf.anonymize(read(other), sf.KAnonymity(2), recode)
    assert new.n_rows + new.n_suppressed == 400
    assert new.check()
    if release.levels is None:  # the same boxes under the same names
        assert set(new.to_arrow()["zip"].to_pylist()) <= set(release.to_arrow()["zip"].to_pylist())


def test_a_recoding_that_fails_on_other_data_publishes_nothing(tmp_path):
    release = sf.anonymize(read(people()), sf.KAnonymity(4), sf.Mondrian())
    recode = sf.Recode.load(release.save_recoding(tmp_path / "recoding.json"))
    with pytest.raises(sf.Unsatisfiable, match="does not satisfy"):
        sf.anonymize(read(people(12)), sf.KAnonymity(4), recode)


def test_missing_values_the_recoding_does_not_know_are_refused(tmp_path):
    release = sf.anonymize(read(people()), sf.KAnonymity(4), sf.Mondrian())
    recode = sf.Recode.load(release.save_recoding(tmp_path / "recoding.json"))
    ages = people()["age"].to_pylist()
    other = people().set_column(1, "age", pa.array([None, *ages[1:]]))
    with pytest.raises(sf.BadInput, match="no box of the recoding covers the values of 1 row"):
        sf.anonymize(read(other), sf.KAnonymity(2), recode)


def test_a_recoding_whose_boxes_overlap_fits_nobody_else(tmp_path):
    release = sf.anonymize(read(people()), sf.KAnonymity(4), sf.Local(bounds="tight"))
    with pytest.raises(sf.BadInput, match=r"boxes of this recoding overlap.*by Mondrian"):
        release.save_recoding(tmp_path / "recoding.json")


def test_a_recoding_that_would_not_fit_is_not_written(tmp_path):
    table = sf.read(people(), ["age", "zip"], memory="1.7GB")
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian())
    release.save_recoding(tmp_path / "fits.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.algorithms.recode.BYTES_OF_SIDE", 10**9)
        with pytest.raises(sf.BadInput, match=r"1\.7 GB are allowed \(memory=\)"):
            release.save_recoding(tmp_path / "large.json")
    assert [path.name for path in tmp_path.iterdir()] == ["fits.json"]


def test_check_measures_the_whole_family_when_nothing_is_asked():
    found = sf.check(read(people()))
    assert [each.found for each in found.measured][:4] == [1, 1, 1.0, 1]
    assert "60 rows in 60 groups, 60 people alone in theirs" in repr(found)
    assert "l-diversity (entropy): found 1" in repr(found)


def test_reprs_say_what_a_notebook_reader_wants_to_know():
    table = read(people())
    release = sf.anonymize(table, sf.KAnonymity(4))
    assert "quasi-identifiers age, zip" in repr(table)
    assert "dropped for want of a role: note" in repr(table)
    assert repr(release) == "<Release of 60 rows, 0 suppressed: KAnonymity(k=4) by Local()>"


def test_sensitive_values_that_look_alike_are_counted_in_the_summary():
    source = pa.table({"a": [1] * 4, "s": ["HIV", "hiv", " HIV", "flu"]})
    release = sf.anonymize(sf.read(source, ["a"], "s"), sf.KAnonymity(2))
    found = release.summary().to_json()["look_alikes"]["undecided"]
    assert found == {"s": {"n_spellings": 3, "n_values": 1}}
    assert "values that only look different" in str(release.summary())


def test_a_hierarchical_distance_needs_a_tree():
    with pytest.raises(sf.BadInput, match="has no tree"):
        sf.anonymize(read(people()), sf.TCloseness(0.5, "hierarchical"), sf.Mondrian())


def test_a_missing_package_is_named_with_the_way_to_get_it(monkeypatch):
    import sys

    release = sf.anonymize(read(people()), sf.KAnonymity(4))
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(sf.BadInput, match="pip install polars"):
        release.to_polars()


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_promise_about_a_truth_is_about_it_in_the_file_too(tmp_path, kind):
    """Python says True, a CSV file says true."""
    source = pa.table({"a": list(range(60)), "s": [j * j % 7 == 2 for j in range(60)]})
    for value in (True, "True", "true"):
        promise = sf.LDiversity(2, "frequency", values=[value])
        release = sf.anonymize(sf.read(source, ["a"], sensitive="s"), promise, sf.Mondrian())
        place = tmp_path / str(value) / type(value).__name__
        release.save(place, format=kind)
        (made,), (loaded,) = release.check().measured, sf.load(place).check().measured
        assert made.found == loaded.found
        assert loaded.found < 100


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (2, "written by format 2, this sfumato reads 1"),
        (None, "it has no format number, so sfumato did not write it, or it is damaged"),
        (True, "damaged; the number of its format is True"),
    ],
    ids=str,
)
def test_a_recoding_of_another_format_is_refused(tmp_path, number, said):
    release = sf.anonymize(read(people()), sf.KAnonymity(4), sf.Mondrian())
    path = release.save_recoding(tmp_path / "recoding.json")
    written = json.loads(path.read_text())
    assert written["format"] == 1
    path.write_text(json.dumps(written | {"format": number}))
    with pytest.raises(sf.BadInput, match=said):
        sf.Recode.load(path)
