"""A sheet of a workbook is a table: cell by cell what stands there, or a line that says why not."""

import datetime
import zipfile

import openpyxl
import pytest

import sfumato as sf

DAY, MOMENT = datetime.date(1990, 5, 17), datetime.datetime(2026, 11, 17, 8, 30)
HEADER = ["id", "age", "zip", "born", "seen", "pays", "member", "word", "none"]
ROWS = [
    [1, 31.0, "01234", DAY, MOMENT, 2.5, True, "a", None],
    [2, 42, "00007", datetime.date(1900, 3, 1), None, 3, False, " b ", None],
    [3, None, None, None, datetime.datetime(2026, 11, 17), None, None, "ä,;\n", None],
]


def saved(place, *rows, name="table.xlsx", change=lambda book: None):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    change(book)
    book.save(place / name)
    return place / name


def test_values_are_read_as_they_stand_in_their_cells(tmp_path, values):
    read = values(saved(tmp_path, HEADER, *ROWS))
    expected = dict(zip(HEADER, map(list, zip(*ROWS, strict=True)), strict=True))
    assert read == expected
    assert [type(age) for age in read["age"][:2]] == [int, int]
    assert type(read["pays"][1]) is float


def test_dates_stay_dates(tmp_path, values):
    read = values(saved(tmp_path, ["born"], [DAY], [None], [datetime.date(2024, 2, 29)]))
    assert read == {"born": [DAY, datetime.date(2024, 2, 29)]}


def test_numbers_that_are_shown_with_leading_zeros_are_those_texts(tmp_path, values):
    def padded(book):
        for cell in book.active["A"][1:]:
            cell.number_format = "00000"

    path = saved(tmp_path, ["zip", "age"], [1234, 1], [99999, 2], change=padded)
    assert values(path) == {"zip": ["01234", "99999"], "age": [1, 2]}


def test_columns_of_several_kinds_are_text_and_counted(tmp_path, values, read_counts):
    path = saved(tmp_path, ["zip"], ["01234"], [1234], [DAY], [2.5], [True])
    assert values(path) == {"zip": ["01234", "1234", "1990-05-17", "2.5", "true"]}
    notices = dict(read_counts(path).lines)
    assert notices["of several kinds, read as text"] == (
        "zip (date 1, number 1, text 1, truth value 1, whole number 1)"
    )


def test_codes_are_missing_before_kinds_are_seen(tmp_path, values, read_counts):
    path = saved(tmp_path, ["age", "word"], [31, "x"], ["k.A.", "k.A."], [-99, "-99"], [40, "y"])
    read = values(path, missing=["k.A.", -99])
    assert read == {"age": [31, None, None, 40], "word": ["x", None, None, "y"]}
    assert dict(read_counts(path, missing={"age": ["k.A.", -99]}).missing) == {"age": 2}


def test_rows_above_and_below_the_table_are_skipped(tmp_path, values, read_counts):
    def merge(book):
        book.active.merge_cells("A1:B1")
        book.active.merge_cells("A6:B6")

    rows = [["Members", None], [], ["age", "sex"], [31, "f"], [32, "m"], ["2 members", None]]
    path = saved(tmp_path, *rows, change=merge)
    assert values(path, skip_rows=2, skip_end=1) == {"age": [31, 32], "sex": ["f", "m"]}
    counts = read_counts(path, skip_rows=2, skip_end=1)
    assert (counts.n_skipped_start, counts.n_skipped_end) == (2, 1)


def test_empty_rows_are_left_out_and_hidden_ones_are_read(tmp_path, values, read_counts):
    def hide(book):
        book.active.row_dimensions[2].hidden = True
        book.active.column_dimensions["B"].hidden = True
        book.active.cell(9, 1).number_format = "0.00"  # a styled cell without a value

    path = saved(tmp_path, ["age", "sex"], [31, "f"], [], [32, "m"], change=hide)
    assert values(path) == {"age": [31, 32], "sex": ["f", "m"]}
    notices = dict(read_counts(path).lines)
    assert notices["hidden in the sheet, and read"] == "rows 1, columns 1"
    assert notices["empty rows left out"] == "1"


def test_a_sheet_is_named_where_there_are_several(tmp_path, values, line):
    def second(book):
        book.active.title = "2025"
        other = book.create_sheet("2026")
        other.append(["age"])
        other.append([40])

    path = saved(tmp_path, ["age"], [31], change=second)
    assert line(path) == (
        "FILE: the workbook has 2 sheets ('2025', '2026'); say which one, such as sheet = \"2025\""
    )
    assert values(path, sheet="2026") == {"age": [40]}
    assert line(path, sheet="2024").startswith(
        "FILE: sheet: there is no sheet '2024'; did you mean"
    )


def formulas(path, cached):
    """Write a workbook with formulas, as a spreadsheet program does: with the values beside."""
    plain = path.with_name("plain.xlsx")
    book = openpyxl.Workbook()
    book.active.append(["age", "twice", "words"])
    book.active.append([31, "=A2*2", '=IF(A2>50,"old","")'])
    book.save(plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == "xl/worksheets/sheet1.xml" and cached:
                for formula, kind, value in (
                    (b"A2*2", b"", b"<v>62</v>"),
                    (b'IF(A2&gt;50,"old","")', b' t="str"', b"<v></v>"),
                ):
                    start = text.index(b"<f>" + formula)
                    cell = text.rindex(b"<c ", 0, start)
                    end = text.index(b"</c>", start)
                    inner = b"<f>" + formula + b"</f>" + value
                    text = text[: start - 1] + kind + b">" + inner + text[end:]
                    assert cell < start
            new.writestr(name, text)
    return path


def test_formulas_are_read_as_the_values_they_had(tmp_path, values):
    read = values(formulas(tmp_path / "table.xlsx", cached=True))
    assert (read["age"], read["twice"]) == ([31], [62])
    assert read["words"] in ([""], [None])


def test_formulas_that_were_never_calculated_are_refused(tmp_path, line):
    assert line(formulas(tmp_path / "table.xlsx", cached=False)) == (
        "FILE, cell B2: a formula without a value; open the workbook in a spreadsheet program, "
        "which calculates it, and save it"
    )


@pytest.mark.parametrize(
    ("rows", "merged", "said"),
    [
        ([["a", "b"], [1, 2]], "A1:B1", "FILE, row 1: column names in merged cells"),
        ([["a", "b"], [1, 2], [1, 3]], "A2:A3", "FILE, row 2: merged cells hold one value"),
        ([["a", None, "b"], [1, 2, 3]], None, "FILE: column 2 has no name"),
        ([["a", "A"], [1, 2]], None, "FILE: columns 1 and 2 have the same name but for upper"),
        ([["a"], [1, 2]], None, "FILE, row 2: a value in column 2, where the column names end"),
        ([[], ["a"]], None, "FILE, row 1: the row is empty; expected the column names"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, line, rows, merged, said):
    change = (lambda book: book.active.merge_cells(merged)) if merged else (lambda book: None)
    assert line(saved(tmp_path, *rows, change=change)).startswith(said)


def test_names_that_are_none_can_be_numbered(tmp_path, values):
    read = values(saved(tmp_path, ["a", None, "a"], [1, 2, 3]), names="number")
    assert list(map(list, read.values())) == [[1], [2], [3]]
    assert len(read) == 3


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "old.xls",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
            "FILE: an old Excel file (.xls)",
        ),
        (
            "locked.xlsx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
            + bytes(600)
            + "EncryptedPackage".encode("utf-16-le"),
            "FILE: the workbook is encrypted; save it without a password",
        ),
        ("cut.xlsx", b"PK\x03\x04" + bytes(100), "FILE: the workbook is damaged"),
    ],
)
def test_files_that_are_no_workbooks_are_one_line(tmp_path, line, name, content, said):
    (tmp_path / name).write_bytes(content)
    assert line(tmp_path / name).startswith(said)


def test_a_workbook_damaged_anywhere_is_read_or_refused_in_a_line(tmp_path, values):
    whole = saved(tmp_path, HEADER, *ROWS).read_bytes()
    damaged = tmp_path / "damaged.xlsx"
    lines = []
    for start in range(0, len(whole), 97):
        damaged.write_bytes(whole[:start] + bytes(20) + whole[start + 20 :])
        try:
            values(damaged)
        except sf.BadInput as error:
            lines.append(str(error))
    assert len(lines) > 10
    assert not any("\n" in each for each in lines)


def test_settings_that_say_nothing_about_a_workbook_are_refused(tmp_path, line):
    path = saved(tmp_path, ["a"], [1])
    for settings in ({"delimiter": ";"}, {"encoding": "latin-1"}, {"labels": False}):
        name = next(iter(settings))
        assert line(path, **settings).startswith(f"{name}: ")
        assert "this is a workbook; take it out" in line(path, **settings)


def test_a_name_with_characters_of_patterns_is_a_name(tmp_path, values):
    (tmp_path / "a.xlsx").mkdir()
    path = saved(tmp_path, ["age"], [31], name="[a]*?.xlsx")
    assert values(path) == {"age": [31]}


def test_a_sheet_without_rows_is_refused_where_people_are_counted(tmp_path):
    with pytest.raises(sf.BadInput, match="no rows"):
        sf.read(saved(tmp_path, ["age"]), ["age"]).frequencies()


def test_errors_of_formulas_are_text_until_they_are_called_missing(tmp_path, values, read_counts):
    path = saved(tmp_path, ["age"], [31], ["#N/A"], ["#DIV/0!"])
    assert values(path) == {"age": ["31", "#N/A", "#DIV/0!"]}
    assert "age (text 2, whole number 1)" in dict(read_counts(path).lines).values()
    assert values(path, missing=["#N/A", "#DIV/0!"]) == {"age": [31, None, None]}


def test_a_workbook_that_changes_is_noticed(tmp_path):
    path = saved(tmp_path, ["age"], *[[j] for j in range(20)])
    table = sf.read(path, ["age"])
    saved(tmp_path, ["age"], *[[j] for j in range(30)])
    with pytest.raises(sf.BadInput, match="the file has changed since it was opened"):
        table.frequencies()
