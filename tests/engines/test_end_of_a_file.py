"""What is read as a row and may be none is said; messages name the setting that mends a file."""

import gzip

import openpyxl
import pandas as pd
import pytest

import sfumato as sf

NAMES = ["Alter", "PLZ", "Größe", "Diagnose"]
PEOPLE = [[20 + j % 4, f"0{j % 2}123", 170, ["Grippe", "Asthma"][j % 2]] for j in range(40)]
TOTAL = ["Summe", "", 6800, ""]
SAID = "the last line looks like a total: skip_end = 1 leaves it out"
ROLES = {"quasi_identifiers": ["Alter", "PLZ"], "sensitive": "Diagnose"}


@pytest.fixture
def saved(tmp_path):
    def save(rows, name="list.csv", encoding="utf-8"):
        text = "\n".join(";".join(map(str, row)) for row in rows) + "\n"
        data = text.encode(encoding)
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
        return tmp_path / name

    return save


def at_end(source, **settings):
    checked = sf.check(sf.read(source, **ROLES, **settings))
    return dict(checked.named).get("at the end")


def test_a_total_that_is_read_as_a_person_is_noticed(saved):
    rows = [NAMES, *PEOPLE, TOTAL]
    assert at_end(saved(rows)) == SAID
    assert at_end(saved(rows), skip_end=1) is None
    assert at_end(saved(rows[:-1])) is None
    assert at_end(saved(rows, "list.csv.gz")) == SAID
    ansi = saved([["Liste"], *rows], encoding="cp1252")
    assert at_end(ansi, encoding="cp1252", skip_rows=1) == SAID
    twice = saved([*rows, ["Stand: heute", "", "", ""]])
    assert at_end(twice) == (
        "the last 2 lines are no rows: the first of them looks like a total: "
        "skip_end = 2 leaves them out"
    )
    assert at_end(twice, skip_end=1) == SAID.replace("= 1", "= 2")


def test_the_file_with_the_total_is_named_among_several(saved):
    files = [saved([NAMES, *PEOPLE], "a.csv"), saved([NAMES, *PEOPLE, TOTAL], "b.csv")]
    assert at_end(files) == f"{SAID} in b.csv"


def test_a_total_in_a_workbook_is_noticed_and_a_data_frame_has_no_last_line(tmp_path):
    book = openpyxl.Workbook()
    for row in [NAMES, *PEOPLE, TOTAL]:
        book.active.append([value if value != "" else None for value in row])
    path = tmp_path / "list.xlsx"
    book.save(path)
    assert at_end(path) == SAID
    assert at_end(path, skip_end=1) is None
    frame = pd.DataFrame([*PEOPLE, TOTAL], columns=NAMES).astype(str)
    assert at_end(frame) is None


def test_the_summary_of_a_release_carries_the_note(saved):
    table = sf.read(saved([NAMES, *PEOPLE, TOTAL]), ["Alter", "PLZ"])
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())
    assert ("at the end", SAID) in release.summary().lines


def test_names_in_the_second_line_are_mended_by_skipping_the_first(saved):
    groups = ["Person", "", "Fall", "", "", "", ""]
    names, more = [*NAMES, "a", "b", "c"], [1, 2, 3]
    path = saved([groups, names, *([*row, *more] for row in PEOPLE)])
    with pytest.raises(sf.BadInput) as refused:
        sf.read(path, **ROLES)
    assert str(refused.value) == (
        f"{path}, line 1: column 2 has no name; line 2 is the first with 7 names: add skip_rows = 1"
    )
    assert sf.read(path, **ROLES, skip_rows=1).source.columns == tuple(names)
    path = saved([["Liste", "Liste"], NAMES, *PEOPLE])
    with pytest.raises(sf.BadInput, match=r"columns 1 and 2 have the same name.*add skip_rows = 1"):
        sf.read(path, **ROLES)


def test_dates_that_nobody_declared_are_named_by_a_setting_that_works(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("Geb.-Datum,sex\n" + "17.05.1990,f\n30.12.1981,m\n" * 5)
    setting = 'dates = { "Geb.-Datum" = "DD.MM.YYYY" }'
    flat = sf.check(sf.read(path, ["Geb.-Datum"]))
    assert dict(flat.named)["read as text"] == f"Geb.-Datum (dates: {setting})"
    with pytest.raises(sf.BadInput, match="are not dates") as refused:
        sf.check(sf.read(path, {"Geb.-Datum": sf.Dates()}))
    assert str(refused.value).endswith(
        f"; all of them read as DD.MM.YYYY: add [read] {setting}, or Dates('DD.MM.YYYY')"
    )
