"""Files as offices have them: one small table written in many ways, and what stands in it.

    python tests/odd_files.py DIRECTORY        writes all of them, to look at

Every file is made by `written` from a `Way`, or is one of `BY_HAND`. What it should be read as is
known without reading it. Workbooks and files of statistics programs are written by
tests/engines/foreign; one more kind of file joins by one more entry here.
"""

import gzip
import sys
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

N = 60
CITIES = ("Köln", "Zürich", "Orléans", "Gießen", "Ærø", "Łódź", "Paris, 3e", 'Bad "Aibling"')
NAMES = ("name", "born", "income", "city", "children")


@dataclass(frozen=True)
class Way:
    """How a table is written."""

    encoding: str = "utf-8"
    delimiter: str = ","
    quote: str = '"'
    quote_all: bool = False
    decimal: str = "."
    thousands: str = ""
    born: str = "{d.year:04}-{d.month:02}-{d.day:02}"
    missing: str = ""  # the code of incomes that are not known
    unknown: str = ""  # the code of cities that are not known
    names: tuple = NAMES
    above: tuple = ()  # lines
    below: tuple = ()
    end: str = "\n"
    last_end: bool = True
    pad: int = 0  # blanks after every third text
    packed: bool = False
    cities: tuple = CITIES[:5]
    index: bool = False  # pandas' unnamed index in front
    whole: bool = False  # incomes are whole numbers
    trailing: bool = False  # a delimiter at the end of every line


@dataclass(frozen=True)
class Odd:
    """A file, what its columns are called, and what stands in them; None: missing."""

    name: str
    data: bytes
    columns: tuple
    rows: list
    needs: frozenset = (
        frozenset()
    )  # settings without which it is refused, or read as something else
    suffix: str = ".csv"


def people(way):
    """Give (name, born, income, city, children) of everybody."""
    for j in range(N):
        born = date(1931, 1, 1) + timedelta(days=397 * j)
        cents = Decimal(137 * j * j + 100_013 * (j + 1)) / 100
        income = Decimal(int(cents)) if way.whole else cents
        unknown_income, unknown_city = j % 7 == 3, j % 9 == 4
        yield (
            f"Person {j:02}",
            born,
            None if unknown_income else income,
            None if unknown_city else way.cities[j % len(way.cities)],
            j % 4,
        )


def number(value, way):
    text = f"{value:,}" if way.thousands else str(value)
    return text.replace(",", "T").replace(".", way.decimal).replace("T", way.thousands)


def cell(text, way):
    must = way.quote and any(each in text for each in (way.delimiter, way.quote, "\n", "\r"))
    if way.quote and (must or way.quote_all):
        return way.quote + text.replace(way.quote, way.quote * 2) + way.quote
    return text


def written(name, way, needs=(), suffix=None):
    """Write the table in a way."""
    lines = list(way.above)
    head = [cell(each, way) for each in way.names]
    lines.append(
        way.delimiter.join(([""] if way.index else []) + head) + way.delimiter * way.trailing
    )
    rows = []
    for j, (who, born, income, city, children) in enumerate(people(way)):
        dated = way.born.format(d=born)
        blanks = " " * way.pad if j % 3 == 0 else ""
        texts = [
            cell(who, way),
            cell(dated, way),
            cell(number(income, way), way) if income is not None else way.missing,
            cell(city + blanks, way) if city is not None else way.unknown,
            str(children),
        ]
        lines.append(
            way.delimiter.join(([str(j)] if way.index else []) + texts)
            + way.delimiter * way.trailing
        )
        rows.append([who, born.isoformat(), income, city, children])
    lines += way.below
    text = way.end.join(lines) + way.end * way.last_end
    data = text.encode(way.encoding)
    columns = tuple(each.strip() for each in way.names)
    if way.index:
        columns, rows = ("column_1", *columns), [[j, *row] for j, row in enumerate(rows)]
    if way.trailing:
        columns, rows = (*columns, "column_6"), [[*row, None] for row in rows]
    ending = suffix or (".csv.gz" if way.packed else ".csv")
    return Odd(
        name, gzip.compress(data) if way.packed else data, columns, rows, frozenset(needs), ending
    )


PLAIN = Way()
GERMAN = Way(
    encoding="cp1252",
    delimiter=";",
    decimal=",",
    thousands=".",
    born="{d.day:02}.{d.month:02}.{d.year:04}",
    missing="k.A.",
    unknown="k.A.",
)
GERMAN_NEEDS = ("encoding", "decimal", "thousands", "dates", "missing")
WESTERN = CITIES[:4]

WAYS = {
    "plain": (PLAIN, ()),
    "mark": (replace(PLAIN, encoding="utf-8-sig"), ()),
    "no last end": (replace(PLAIN, last_end=False), ()),
    "crlf": (replace(PLAIN, end="\r\n"), ()),
    "cr": (replace(PLAIN, end="\r"), ()),
    "all quoted": (replace(PLAIN, quote_all=True), ()),
    "commas and quotes in cities": (replace(PLAIN, cities=CITIES), ()),
    "semicolons": (replace(PLAIN, delimiter=";"), ()),
    "tabs": (replace(PLAIN, delimiter="\t"), ()),
    "bars": (replace(PLAIN, delimiter="|"), ()),
    "single quotes": (replace(PLAIN, quote="'", quote_all=True, cities=CITIES[:7]), ("quote",)),
    "windows-1252": (replace(PLAIN, encoding="cp1252", cities=WESTERN), ("encoding",)),
    "latin-1": (replace(PLAIN, encoding="latin-1", cities=WESTERN), ("encoding",)),
    "windows-1252 with its own letters": (
        replace(PLAIN, encoding="cp1252", cities=("Bruckmühl – Ost", "L’Œil", "Köln „Süd“")),
        ("encoding",),
    ),
    "utf-16": (replace(PLAIN, encoding="utf-16"), ("encoding",)),
    "utf-16 little": (replace(PLAIN, encoding="utf-16-le"), ("encoding",)),
    "utf-16 big": (replace(PLAIN, encoding="utf-16-be"), ("encoding",)),
    "unicode text of a spreadsheet": (
        replace(PLAIN, encoding="utf-16", delimiter="\t", end="\r\n"),
        ("encoding",),
    ),
    "gzip": (replace(PLAIN, packed=True), ()),
    "gzip windows-1252": (
        replace(PLAIN, packed=True, encoding="cp1252", cities=WESTERN),
        ("encoding",),
    ),
    "gzip with a total": (replace(PLAIN, packed=True, below=("Total,,99",)), ("skip_end",)),
    "decimal comma": (replace(PLAIN, delimiter=";", decimal=","), ("decimal",)),
    "decimal comma, quoted": (replace(PLAIN, decimal=","), ("decimal",)),
    "points of thousands": (
        replace(PLAIN, delimiter=";", decimal=",", thousands="."),
        ("decimal", "thousands"),
    ),
    "commas of thousands": (replace(PLAIN, thousands=","), ("thousands",)),
    "commas of thousands, whole": (replace(PLAIN, thousands=",", whole=True), ("thousands",)),
    "apostrophes": (replace(PLAIN, delimiter=";", thousands="'"), ("thousands",)),
    "spaces of thousands": (
        replace(PLAIN, delimiter=";", decimal=",", thousands="\u00a0"),
        ("decimal", "thousands"),
    ),
    "narrow spaces": (
        replace(PLAIN, delimiter=";", decimal=",", thousands="\u202f"),
        ("decimal", "thousands"),
    ),
    "german dates": (replace(PLAIN, born="{d.day:02}.{d.month:02}.{d.year:04}"), ("dates",)),
    "short german dates": (replace(PLAIN, born="{d.day}.{d.month}.{d.year:04}"), ("dates",)),
    "british dates": (replace(PLAIN, born="{d.day:02}/{d.month:02}/{d.year:04}"), ("dates",)),
    "american dates": (replace(PLAIN, born="{d.month:02}/{d.day:02}/{d.year:04}"), ("dates",)),
    "short american dates": (replace(PLAIN, born="{d.month}/{d.day}/{d.year:04}"), ("dates",)),
    "dutch dates": (replace(PLAIN, born="{d.day:02}-{d.month:02}-{d.year:04}"), ("dates",)),
    "compact dates": (replace(PLAIN, born="{d.year:04}{d.month:02}{d.day:02}"), ("dates",)),
    "slashed dates": (replace(PLAIN, born="{d.year:04}/{d.month:02}/{d.day:02}"), ("dates",)),
    "minus 99": (replace(PLAIN, missing="-99"), ("missing",)),
    "minus 9 and NA": (replace(PLAIN, missing="-9", unknown="NA"), ("missing",)),
    "far too many nines": (replace(PLAIN, missing="99999999"), None),  # no code that is known
    "N/A": (replace(PLAIN, missing="N/A", unknown="n/a"), ("missing",)),
    "question marks": (replace(PLAIN, missing="?", unknown="?"), ("missing",)),
    "titles": (replace(PLAIN, above=("Report of 2026", "", "made on 3 May")), ("skip_rows",)),
    "padded title": (
        replace(PLAIN, delimiter=";", above=("Bericht 2026;;;;", ";;;;")),
        ("skip_rows",),
    ),
    "sep": (replace(PLAIN, delimiter=";", above=("sep=;",)), ("skip_rows",)),
    "total": (replace(PLAIN, delimiter=";", below=("Summe;;1234.5;;120",)), ("skip_end",)),
    "total and note": (
        replace(PLAIN, below=("Total,,99.5,,", "", "Source: the register of residents", "")),
        ("skip_end",),
    ),
    "padded note": (
        replace(PLAIN, delimiter=";", below=("Quelle: Amt für Statistik;;;;",)),
        ("skip_end",),
    ),
    "blanks": (replace(PLAIN, pad=2), ("trim",)),
    "blanks in names": (
        replace(PLAIN, names=(" name", "born ", "income", " city ", "children")),
        ("trim",),
    ),
    "trailing delimiters": (replace(PLAIN, delimiter=";", trailing=True), ("names",)),
    "pandas index": (replace(PLAIN, index=True), ("names",)),
    "german office": (replace(GERMAN, cities=WESTERN), GERMAN_NEEDS),
    "german office, all of it": (
        replace(
            GERMAN,
            cities=WESTERN,
            above=("Einkommensliste", "Stand: 01.05.2026", ""),
            below=("Summe;;1,0;;", "erstellt mit XY"),
            pad=1,
            end="\r\n",
            packed=True,
        ),
        (*GERMAN_NEEDS, "skip_rows", "skip_end", "trim"),
    ),
    "swiss office": (
        replace(GERMAN, encoding="utf-16", thousands="’", decimal=".", cities=CITIES),
        ("encoding", "thousands", "dates", "missing"),
    ),
    "french office": (
        replace(
            GERMAN,
            encoding="latin-1",
            thousands="\u00a0",
            born="{d.day:02}/{d.month:02}/{d.year:04}",
            missing="n.a.",
            unknown="n.a.",
            cities=("Orléans", "Besançon", "Paris"),
        ),
        GERMAN_NEEDS,
    ),
}  # fmt: skip


def _simple(name, text, columns, rows, needs=()):
    return Odd(name, text.encode(), tuple(columns), rows, frozenset(needs))


ROWS = "".join(f"{j % 5 + 30},{'fm'[j % 2]},{j % 3}\n" for j in range(40))
VALUES = [[j % 5 + 30, "fm"[j % 2], j % 3] for j in range(40)]
BY_HAND = [
    _simple("two equal names", f"age,sex,age\n{ROWS}", ("age", "sex", "age_2"), VALUES, ["names"]),
    _simple("two cases", f"age,sex,Age\n{ROWS}", ("age", "sex", "Age_2"), VALUES, ["names"]),
    _simple("no name", f"age,,n\n{ROWS}", ("age", "column_2", "n"), VALUES, ["names"]),
    _simple(
        "no names but one", f"age,,\n{ROWS}", ("age", "column_2", "column_3"), VALUES, ["names"]
    ),
    _simple(
        "taken name", f"column_2,,n\n{ROWS}", ("column_2", "column_2_2", "n"), VALUES, ["names"]
    ),
    _simple(
        "notes of several lines",
        "age,note\n" + "".join(f'{j},"one\ntwo, {j}"\n' for j in range(30)),
        ("age", "note"),
        [[j, f"one\ntwo, {j}"] for j in range(30)],
    ),
    _simple(
        "inches",
        "size,n\n" + "".join(f'{j}" disk,{j}\n' for j in range(30)),
        ("size", "n"),
        [[f'{j}" disk', j] for j in range(30)],
    ),
    _simple(
        "sums without a word",
        "n,m\n" + "".join(f"{j},{2 * j}\n" for j in range(1, 21)) + "210,420\n",
        ("n", "m"),
        [[j, 2 * j] for j in range(1, 21)],
        ["skip_end"],
    ),
    _simple(
        "telephones beside spaces of thousands",
        "tel;pay\n" + "".join(f"030 123 {j:03};{j + 1} 500,5\n" for j in range(30)),
        ("tel", "pay"),
        [[f"030 123 {j:03}", Decimal(f"{j + 1}500.5")] for j in range(30)],
        ["decimal", "thousands"],
    ),
    _simple(
        "one column of texts with commas",
        "text\n" + "".join(f'"a, {j}"\n' for j in range(30)),
        ("text",),
        [[f"a, {j}"] for j in range(30)],
    ),
    _simple(
        "a name that begins like a total",
        "name,b,c\n" + "".join(f"n{j},x,y\n" for j in range(30)) + "Total Recall,x,y\n",
        ("name", "b", "c"),
        [*([f"n{j}", "x", "y"] for j in range(30)), ["Total Recall", "x", "y"]],
    ),
    _simple(
        "a last row that is a sum by accident",
        "a,b\n1,x\n2,x\n3,x\n4,x\n5,x\n6,x\n21,x\n",
        ("a", "b"),
        [[n, "x"] for n in (1, 2, 3, 4, 5, 6, 21)],
    ),
    _simple(
        "temperatures",
        "temp,n\n" + "".join(f"{-99 if j == 3 else j - 15},{j}\n" for j in range(30)),
        ("temp", "n"),
        [[-99 if j == 3 else j - 15, j] for j in range(30)],
    ),
    _simple(
        "codes stay codes",
        "zip,version\n" + "".join(f"0{j},1.{j % 3}\n" for j in range(30)),
        ("zip", "version"),
        [[f"0{j}", f"1.{j % 3}"] for j in range(30)],
    ),
    _simple(
        "codes with commas beside decimal commas",
        "income;code\n" + "".join(f"{j},5;{j},a\n" for j in range(30)),
        ("income", "code"),
        [[Decimal(f"{j}.5"), f"{j},a"] for j in range(30)],
        ["decimal"],
    ),
    _simple(
        "times",
        "came\tn\n" + "".join(f"{j % 28 + 1:02}.03.2026 1{j % 9}:30\t{j}\n" for j in range(30)),
        ("came", "n"),
        [[f"2026-03-{j % 28 + 1:02} 1{j % 9}:30:00", j] for j in range(30)],
        ["dates"],
    ),
    _simple(
        "months",
        "came,n\n" + "".join(f"{j % 12 + 1:02}/{2000 + j},{j}\n" for j in range(30)),
        ("came", "n"),
        [[f"{2000 + j}-{j % 12 + 1:02}", j] for j in range(30)],
        ["dates"],
    ),
]


def every():
    """Give all files."""
    for name, (way, needs) in WAYS.items():
        if needs is None:
            made = written(name, way)
            rows = [
                [r[0], r[1], Decimal(way.missing) if r[2] is None else r[2], *r[3:]]
                for r in made.rows
            ]
            yield replace(made, rows=rows)
        else:
            yield written(name, way, needs)
    yield from BY_HAND


if __name__ == "__main__":
    for odd in every():
        (Path(sys.argv[1]) / (odd.name.replace(" ", "_") + odd.suffix)).write_bytes(odd.data)
