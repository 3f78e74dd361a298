"""What a person would declare about a workbook: its sheet, titles above the names, totals below."""

import csv
import random

import openpyxl
import pytest

import sfumato as sf
from sfumato.engines.guess import guess

NAMES = ["age", "zip", "sex", "disease"]
PEOPLE = [[20 + j % 40, f"0{j % 3}123", "fm"[j % 2], ["flu", "asthma"][j % 2]] for j in range(40)]
TOTAL = ["Summe", None, None, None]


@pytest.fixture
def saved(tmp_path):
    def save(rows, merged=(), **others):
        book = openpyxl.Workbook()
        book.active.title = "people"
        for title, its_rows in {"people": rows, **others}.items():
            sheet = book["people"] if title == "people" else book.create_sheet(title)
            for row in its_rows:
                sheet.append(row)
        for cells in merged:
            book.active.merge_cells(cells)
        book.save(tmp_path / "table.xlsx")
        return tmp_path / "table.xlsx"

    return save


@pytest.mark.parametrize(
    ("above", "below", "merged", "expected"),
    [
        ([], [], [], {}),
        ([["Liste 2026"]], [], [], {"skip_rows": 1}),
        ([["Amt", None, "Ort"], ["Stand", "heute"]], [], [], {"skip_rows": 2}),
        ([["Liste 2026"], [], ["Stand: heute"]], [], [], {"skip_rows": 3}),
        ([["Liste 2026"]], [], ["A1:D1"], {"skip_rows": 1}),
        ([["Person", None, "Fall", None]], [], ["A1:B1", "C1:D1"], {"skip_rows": 1}),
        ([], [TOTAL], [], {"skip_end": 1}),
        ([], [[], TOTAL, ["Quelle: Amt"]], [], {"skip_end": 2}),
        ([], [["Quelle: Amt"]], ["A42:D42"], {"skip_end": 1}),
        ([["Liste 2026"]], [[sum(row[0] for row in PEOPLE)]], [], {"skip_rows": 1, "skip_end": 1}),
    ],
)
def test_what_is_no_row_is_proposed_to_be_skipped(saved, above, below, merged, expected):
    path = saved([*above, NAMES, *PEOPLE, *below], merged)
    found = guess(path)
    assert found.settings.spec() == expected
    assert found.reasons.keys() == expected.keys()
    assert sf.propose(path).n_rows == len(PEOPLE)


def test_a_table_of_two_columns_has_a_title_above_and_an_index_without_a_name(saved):
    rows = [[f"p{j % 7}", "fm"[j % 2]] for j in range(20)]
    assert guess(saved([["Liste"], ["ward", "sex"], *rows])).settings.spec() == {"skip_rows": 1}
    assert guess(saved([[None, "sex"], *rows])).settings.spec() == {"names": "number"}


def test_what_is_given_is_not_looked_for(saved):
    path = saved([["Liste"], NAMES, *PEOPLE, TOTAL])
    given = sf.propose(path, skip_rows=1, skip_end=0)
    assert (given.n_rows, given.settings.spec()) == (41, {"skip_rows": 1})
    assert not given.settings_reasons
    with pytest.raises(sf.BadInput, match="row 2: a value in column 2"):
        sf.propose(path, skip_rows=0)


def test_the_only_sheet_with_a_table_is_proposed(saved):
    about = {"notes": [["read this"], ["and that"]], "legend": [["code", "?"]], "empty": []}
    found = guess(saved([NAMES, *PEOPLE], **about))
    assert found.settings.spec() == {"sheet": "people"}
    assert found.reasons == {"sheet": "it alone of 4 sheets has a table"}
    codes = {"codes": [["code", "meaning"], ["f", "female"]]}
    path = saved([NAMES, *PEOPLE, TOTAL], **codes)
    with pytest.raises(sf.BadInput, match=r"2 sheets \('people', 'codes'\); say which one"):
        guess(path)
    assert guess(path, {"sheet": "people"}).settings.spec() == {"sheet": "people", "skip_end": 1}


def test_a_sheet_and_its_export_have_the_same_shape(saved, tmp_path):
    """A spreadsheet program writes every row of a sheet with as many fields."""
    chance = random.Random(18)
    titles = [["Liste"], [], TOTAL, [None, "7"]]
    ends = [TOTAL, ["Total", 12], ["Quelle"], [None, "7"]]
    for _ in range(40):
        above = chance.choices(titles, k=chance.randrange(3))
        below = chance.choices(ends, k=chance.randrange(3))
        rows = [*above, NAMES, *PEOPLE, *below]
        path = tmp_path / "export.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([*row, *[None] * (4 - len(row))] for row in rows)
        sheet, export = guess(saved(rows)).settings, guess(path).settings
        said = [(each.skip_rows, each.skip_end, each.names) for each in (sheet, export)]
        assert said[0] == said[1], rows


def test_a_long_sheet_is_looked_at_to_its_end(saved):
    path = saved([["Liste"], NAMES, *PEOPLE * 60, TOTAL])
    assert guess(path).settings.spec() == {"skip_rows": 1, "skip_end": 1}
