"""A proposal decides nothing, and shows no value unless asked; accepted it is a table."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.proposal.vocabulary import Role

CANARY = "Zaphod"


@pytest.fixture(scope="module")
def patients():
    return sf.propose(sf.datasets.patients())


@pytest.fixture
def office():
    """A table in which every value of a column is a canary, or nearly so."""
    n = 60
    return pa.table(
        {
            "name": [f"{CANARY} {j}" for j in range(n)],
            "city": [f"{CANARY}ville", f"{CANARY}burg"] * (n // 2),
            "age": [20 + j % 50 for j in range(n)],
            "diagnosis": [f"{CANARY}itis", f"{CANARY}osis", f"{CANARY}oma"] * (n // 3),
        }
    )


def test_no_column_is_proposed_as_insensitive(patients):
    assert "insensitive" not in {role.value for role in Role}
    assert patients.accept().schema.insensitive == ()


def test_a_proposal_is_refused_where_a_table_is_wanted(patients):
    with pytest.raises(sf.BadInput, match=r"proposal is not decided yet; .*proposal.accept\(\)"):
        sf.anonymize(patients, patients.criterion)


def test_accepting_gives_a_table_with_the_proposed_roles(patients):
    table = patients.accept()
    assert table.schema.quasi_identifiers == ("age", "zip", "sex")
    assert table.schema.sensitive == ("disease",)
    assert table.schema.identifiers == ("name",)
    assert table.schema.hierarchies["zip"] == sf.Prefix()


def test_what_is_given_takes_the_place_of_what_was_proposed(patients):
    table = patients.accept(sensitive=[], hierarchies={"age": sf.Intervals(10)})
    assert table.schema.sensitive == ()
    assert table.schema.hierarchies["age"] == sf.Intervals(10)
    moved = patients.accept(sensitive="zip")
    assert moved.schema.sensitive == ("zip",)
    assert moved.schema.quasi_identifiers == ("age", "sex")
    one = patients.accept(quasi_identifiers={"age": sf.Intervals(20)})
    assert one.schema.quasi_identifiers == ("age",)
    assert one.schema.hierarchies["age"] == sf.Intervals(20)
    assert one.schema.sensitive == ("disease",)


def test_without_a_quasi_identifier_the_remedy_is_named():
    proposal = sf.propose(pa.table({"x": [j % 3 for j in range(50)]}))
    with pytest.raises(sf.BadInput, match=r"accept\(quasi_identifiers=\[...\]\)"):
        proposal.accept()
    assert proposal.accept(quasi_identifiers=["x"]).schema.quasi_identifiers == ("x",)


def test_values_are_shown_to_nobody_who_did_not_ask(office):
    proposal = sf.propose(office)
    shown = [json.dumps(proposal.to_json()), proposal._repr_html_(), repr(proposal), str(proposal)]
    shown += [str(proposal.rows), str(proposal.reasons(values=False)), str(proposal.conclusions)]
    assert not [text for text in shown if CANARY in text]
    assert CANARY in json.dumps(proposal.to_json(values=True))
    assert CANARY in str(proposal.reasons(values=True))


def test_people_who_are_singled_out_are_counted(office):
    rows = [*zip(*office.to_pydict().values(), strict=True)]
    proposal = sf.propose(office)
    columns = {each.name: each for each in proposal.columns}
    assert columns["name"].n_alone == len(rows)

    def n_alone(places):
        keys = [tuple(row[j] for j in places) for row in rows]
        return sum(keys.count(key) == 1 for key in keys)

    assert proposal.n_unique == n_alone([1, 2])
    assert columns["city"].n_more == n_alone([1, 2]) - n_alone([2])
    assert columns["age"].n_more == n_alone([1, 2]) - n_alone([1])
    assert columns["diagnosis"].n_more == n_alone([1, 2, 3]) - n_alone([1, 2])


def test_one_of_several_sensitive_columns_is_published():
    n = 200
    table = pa.table(
        {
            "age": [20 + j % 50 for j in range(n)],
            "diagnosis": ["flu", "HIV", "asthma", "none"] * (n // 4),
            "rare_disease": ["yes" if j == 3 else "no" for j in range(n)],
            "income": [1000 + 37 * (j * 7 % n) for j in range(n)],
        }
    )
    proposal = sf.propose(table)
    assert proposal.sensitive == ("diagnosis",)
    left_out = [each.name for each in proposal.columns if each.proposed_as == "sensitive, left out"]
    assert left_out == ["rare_disease", "income"]
    assert any("One sensitive column" in line for line in proposal.conclusions)


def test_a_sensitive_column_in_which_nearly_all_are_alike_is_left_out_of_a_release_that_runs():
    n = 400
    disease = ["yes" if j < 4 else "no" for j in range(n)]
    proposal = sf.propose(pa.table({"age": [20 + j % 50 for j in range(n)], "disease": disease}))
    assert proposal.sensitive == ()
    assert proposal.columns[1].reason.endswith("left out: nearly everybody has the same value")
    assert proposal.criterion == sf.KAnonymity(5)
    assert sf.anonymize(proposal.accept(), proposal.criterion, proposal.method).check().holds


def test_of_few_people_less_is_promised():
    table = {"age": [20 + j % 50 for j in range(60)], "disease": ["flu", "HIV", "mumps", "-"] * 15}
    assert sf.propose(pa.table(table)).criterion == sf.KAnonymity(5) & sf.LDiversity(2)
    many = {name: values * 4 for name, values in table.items()}
    assert sf.propose(pa.table(many)).criterion == sf.KAnonymity(5) & sf.LDiversity(3)


def test_numbers_are_promised_to_spread():
    n = 200
    table = pa.table(
        {"age": [20 + j % 50 for j in range(n)], "income": [1000 + 100 * (j % n) for j in range(n)]}
    )
    proposal = sf.propose(table)
    assert proposal.criterion == sf.KAnonymity(5) & sf.KEAnonymity(5, 2000)
    assert sf.anonymize(proposal.accept(), proposal.criterion, proposal.method).check().holds


def test_the_sizes_that_are_tried_follow_from_the_number_of_rows_alone():
    tables = [
        pa.table({"age": [j % 50 for j in range(400)], "disease": [v] * 200 + ["flu"] * 200})
        for v in ("HIV", "asthma")
    ]
    assert len({str(sf.propose(table).method) for table in tables}) == 1


@pytest.mark.parametrize(
    ("columns", "remark"),
    [
        ({"sex": ["m", "m ", "M", "f"] * 10}, "'sex': 3 texts that only look different"),
        ({"age": [95, 20] * 20}, "ages above 89"),
        ({"born": ["1990-02-03", "1991-02-03"] * 20}, "dates finer than a year"),
        ({"city": ["a@b.org", *["Ulm", "Bonn"] * 20]}, "1 row written like e-mail addresses"),
        ({"patient_id": [j // 2 for j in range(40)]}, "20 values in 40 rows"),
        ({"city": [*["Ulm", "Bonn"] * 20, "Total"], "n": [*range(40), 780]}, "like a total"),
        ({"a": [*range(40), 780], "b": [*[3, 4, 5, 6] * 10, 180]}, "like a total"),
    ],
)
def test_what_a_steward_should_look_at_is_said(columns, remark):
    proposal = sf.propose(pa.table(columns))
    assert [said for said in proposal.remarks if remark in said], proposal.remarks


@pytest.mark.parametrize(
    ("born", "said"),
    [
        ({"birth_date": ["1930-02-03", "1991-02-03"] * 20}, True),
        ({"geburtsjahr": [1930, 1991] * 20}, True),
        ({"birthplace": ["Ulm", "Bonn"] * 20}, False),
        ({"admitted": ["2026-02-03", "2026-03-04"] * 20}, False),
    ],
)
def test_an_age_beside_a_date_of_birth_is_remarked(born, said):
    proposal = sf.propose(pa.table({"age": [95 - j // 2 for j in range(40)], **born}))
    (column,) = born
    remark = f"columns 'age' and {column!r}: an age and a date of birth tell each other"
    assert any(remark in each for each in proposal.remarks) == said
    (old,) = [each for each in proposal.remarks if "above 89" in each]
    assert old.endswith("in this column they are published as one")


def test_few_ages_are_not_said_to_be_published_as_one():
    proposal = sf.propose(pa.table({"age": [95, 34] * 20}))
    assert proposal.hierarchies["age"] == sf.Flat()
    (old,) = [each for each in proposal.remarks if "above 89" in each]
    assert old.endswith("which single people out")


def test_an_ordinary_table_needs_no_remark():
    table = {"sex": ["m", "f"] * 20, "age": [20 + j for j in range(40)], "n": [*range(40)]}
    assert sf.propose(pa.table(table)).remarks == ()


def test_spellings_are_proposed_to_be_one_value():
    proposal = sf.propose(pa.table({"sex": ["m", "M", "M", "f"] * 10, "age": [30] * 40}))
    assert proposal.alike == {"sex": "merge"}
    assert set(proposal.accept().domains["sex"].labels) == {"M", "f"}


def test_a_file_is_looked_at_with_the_settings_that_read_it(tmp_path):
    file = tmp_path / "office.csv"
    rows = [f"{1 + j % 28:02d}.03.19{60 + j % 30};Köln;{j},5" for j in range(100)]
    file.write_bytes("\n".join(["Geburtsdatum;Ort;Einkommen", *rows]).encode("latin-1"))
    proposal = sf.propose(file)
    assert proposal.settings.spec()["decimal"] == ","
    assert "encoding" in proposal.settings_reasons
    assert proposal.hierarchies["Geburtsdatum"] == sf.Dates()
    assert proposal.accept().n_rows == 100
    declared = sf.propose(file, encoding="latin-1")
    assert declared.settings.encoding == "latin-1"
    assert "encoding" not in declared.settings_reasons


def test_parquet_files_and_frames_are_proposed_alike(tmp_path, office):
    pq.write_table(office, tmp_path / "office.parquet")
    by_file, by_frame = sf.propose(tmp_path / "office.parquet"), sf.propose(office)
    assert by_file.columns == by_frame.columns


def test_nothing_is_proposed_for_nothing():
    with pytest.raises(sf.BadInput, match="no rows"):
        sf.propose(pa.table({"age": pa.array([], pa.int64())}))


def test_a_file_without_a_line_of_names_is_refused_and_not_shown(tmp_path):
    lines = sf.datasets.patients().read_text().splitlines()[1:]
    (tmp_path / "table.csv").write_text("\n".join(lines))
    with pytest.raises(sf.BadInput, match="look like values; write names above them") as refused:
        sf.propose(tmp_path / "table.csv")
    assert not [value for value in lines[0].split(",") if value in str(refused.value)]


def test_names_that_are_numbers_are_names_where_values_are_texts():
    table = pa.table({"1": ["yes", "no"] * 20, "2": ["a", "b"] * 20, "age": [20, 31] * 20})
    assert sf.propose(table).quasi_identifiers == ("age",)


def test_dates_with_times_are_proposed_so_that_they_can_be_read(tmp_path):
    source = tmp_path / "stops.csv"
    times = [f"2021/{1 + j % 12:02}/{1 + j % 28:02} {j % 24:02}:{j % 60:02}:00" for j in range(400)]
    rows = [f"{time},{'mf'[j % 2]},{'abcd'[j % 4]}" for j, time in enumerate(times)]
    source.write_text("\n".join(["stopped,sex,outcome", *rows]) + "\n")
    proposal = sf.propose(source)
    assert proposal.settings.dates == {"stopped": "YYYY/MM/DD hh:mm:ss"}
    table = proposal.accept()
    assert "2021-02-02 01:01:00" in table.domains["stopped"].labels
    assert sf.anonymize(table, sf.KAnonymity(5)).check()
