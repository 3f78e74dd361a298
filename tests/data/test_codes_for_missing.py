"""Numbers that usually stand for missing are noticed by whoever reads a table, as by `init`."""

import random
from fractions import Fraction

import openpyxl
import pyarrow as pa
import pytest
from pyarrow.csv import write_csv

import sfumato as sf
from cli.common import JOB, run
from sfumato.data.codes_for_missing import CODES, codes_in
from sfumato.data.read_counts import MAY_BE_MISSING
from sfumato.engines.guess import guess


def noticed(source: object, rule: sf.Hierarchy, **settings: object) -> str | None:
    table = sf.read(source, {"age": rule, "sex": sf.Flat()}, "disease", **settings)
    return dict(table.read_counts.lines).get(MAY_BE_MISSING)


def naive_codes(values: list[object]) -> list[str]:
    """The rule, said again: all are numbers, and a code is far from every other one."""
    try:
        numbers = {Fraction(str(each)) for each in values if each is not None}
    except ValueError:
        return []
    there = [code for code in CODES if Fraction(code) in numbers]
    others = numbers - {Fraction(code) for code in CODES}
    if not others:
        return []
    codes = [c for c in there if c[0] == "-" and not any(each < 0 for each in others)]
    most = max(others)
    codes += [c for c in there if c[0] != "-" and most > 0 and most * 3 < int(c)]
    return sorted(codes) if any(c.strip("-9") == "" or c[0] != "-" for c in codes) else []


@pytest.mark.parametrize("seed", range(40))
def test_the_codes_are_those_of_the_rule_and_of_a_proposal(seed):
    draw = random.Random(seed)
    numbers = [draw.randrange(draw.choice((-3, 0, 18)), draw.choice((60, 320, 5000)))]
    numbers += [numbers[0] + draw.randrange(4000 if seed % 2 else 91) for _ in range(9)]
    codes = draw.sample([int(code) for code in CODES], draw.randrange(3))
    values = [*dict.fromkeys([*numbers, *codes])]
    for written in (values, [*map(str, values)], [*map(float, values)], [*values, None]):
        assert codes_in(written) == naive_codes(written)
    found = guess(pa.table({"age": values * 2})).settings.missing if seed % 8 == 0 else None
    assert found is None or dict(found or {}).get("age", ()) == tuple(codes_in(values))


def test_texts_have_no_codes():
    assert codes_in(["-99", "B"]) == []
    assert codes_in([]) == []
    assert codes_in(["-99"]) == []  # nothing else is known of the column


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize(
    "rule", [sf.Intervals(5, 10), sf.Flat(), sf.Intervals(10, bottom=20, top=50)]
)
def test_a_table_notices_them_unless_they_are_declared(tmp_path, rule, as_text):
    ages = [20 + j for j in range(36)] + [-99, 999, -99, 34]
    table = pa.table({"age": ages, "sex": ["f", "m"] * 20, "disease": ["a", "b", "c", "d"] * 10})
    if as_text:
        source = tmp_path / "people.csv"
        write_csv(table, source)
    else:
        source = table
    assert noticed(source, rule) == "age (2 values); [read] missing makes them so"
    assert noticed(source, rule, missing=["-99", 999]) is None


def test_a_tree_that_names_a_code_means_it():
    table = pa.table({"age": ["1", "-99"] * 9, "sex": ["f"] * 18, "disease": ["a", "b"] * 9})
    assert noticed(table, sf.Tree({"known": ["1"], "unknown": ["-99"]})) is None


def test_check_and_anonymize_of_a_written_job_say_so(tmp_path):
    text = sf.datasets.patients().read_text().splitlines()
    at = text[0].split(",").index("age")
    rows = [line.split(",") for line in text[:301]]
    for row in rows[1::10]:
        row[at] = "-99"
    (tmp_path / "patients.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    job = tmp_path / "job.toml"
    job.write_text(JOB.partition("[[criteria]]\nl_")[0])
    said = f"{MAY_BE_MISSING[0].upper()}{MAY_BE_MISSING[1:]}: age (1 value); [read] missing makes"
    checked = run("check", job)
    assert said in checked.stdout
    assert "-99" not in checked.stdout.replace(str(tmp_path), "")  # which may end in any number
    released = run("anonymize", job, "--no-audit")
    assert released.exit_code == 0
    assert MAY_BE_MISSING in " ".join(released.stdout.split())


PAY = ["12.5", "30.0", "44.0", "-99.0", "-99.00", "17.25"]


def of_pay(place, values, **settings):
    """The table of a CSV file of one column of texts."""
    path = place / "pay.csv"
    path.write_text("\n".join(["pay,sex", *(f"{each},f" for each in values)]) + "\n")
    return sf.read(path, {"pay": sf.Intervals(5), "sex": sf.Flat()}, **settings)


def test_codes_are_noticed_in_every_notation_of_their_number(tmp_path):
    assert codes_in(PAY) == ["-99"]
    said = dict(of_pay(tmp_path, PAY).read_counts.lines)
    assert MAY_BE_MISSING in said
    assert guess(tmp_path / "pay.csv").settings.missing == {"pay": ("-99",)}


@pytest.mark.parametrize("code", ["-99", "-99.0", -99])
@pytest.mark.parametrize("by_column", [True, False])
def test_a_declared_code_is_a_number_among_numbers(tmp_path, code, by_column):
    declared = {"pay": [code]} if by_column else [code]
    counts = of_pay(tmp_path, PAY, missing=declared).read_counts
    assert counts.missing == {"pay": 2} | ({} if by_column else {"sex": 0})
    assert not counts.unfound
    with_comma = [f'"{each.replace(".", ",")}"' for each in PAY]
    declared = {"pay": [str(code).replace(".", ",")]}
    counts = of_pay(tmp_path, with_comma, missing=declared, decimal=",", delimiter=",").read_counts
    assert counts.missing == {"pay": 2}


def test_a_declared_code_is_a_text_among_texts(tmp_path):
    path = tmp_path / "icd.csv"
    path.write_text("icd\n999.0\n999\nV27\n999.00\n")
    counts = sf.read(path, {"icd": sf.Flat()}, missing=["999"]).read_counts
    assert counts.missing == {"icd": 1}


def test_a_declared_code_that_no_row_has_is_named(tmp_path):
    for declared, said in (
        ({"pay": ["-99", "k.A."], "sex": ["x"]}, "pay k.A., sex x"),
        (["f", "-88"], "-88"),
    ):
        counts = of_pay(tmp_path, PAY, missing=declared).read_counts
        assert dict(counts.lines)["declared codes found in no row"] == said
    sheet = tmp_path / "pay.xlsx"
    workbook = openpyxl.Workbook()
    for row in (["pay", "sex"], [12.5, "f"], [-99.0, "f"], [30.0, "m"]):
        workbook.active.append(row)
    workbook.save(sheet)
    table = sf.read(sheet, {"pay": sf.Intervals(5)}, missing={"pay": ["-99"], "sex": ["x"]})
    assert table.read_counts.missing["pay"] == 1
    assert "declared codes found in no row" not in dict(table.read_counts.lines)
