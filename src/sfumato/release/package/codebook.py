"""The codebook: one page that tells whoever has the files what is in them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module

from sfumato.html import Markup, tag
from sfumato.html.page import NONE, alone, cut, data_table, facts_list, key_figures, section
from sfumato.release.package.contents import ColumnContents, Contents
from sfumato.spec import headline
from sfumato.text import count, counted, listed, percent

NOT_DESCRIBED = "not described"
EMPTY = tag("small", "an empty text")
OWN_STATEMENT = "Whoever made the release says so. Nothing of it was measured."
EXPERIMENT = "an experiment, made with a seed: not for publication"


def codebook(contents: Contents) -> str:
    """Write the page."""
    experiment = contents.description.method.experiment
    return alone(
        "Codebook · sfumato",
        _sections(contents),
        banner=tag("div", tag("span", EXPERIMENT), class_="banner") if experiment else "",
    )


def _sections(contents: Contents) -> Iterator[Markup]:
    yield _top(contents)
    yield _columns(contents)
    yield section("Values", *_values(contents))
    yield _promised(contents)
    yield _left_out(contents)
    yield _recipient(contents)
    yield _tables(contents) if contents.in_database else _files(contents)
    version = import_module("sfumato").__version__
    yield tag(
        "footer",
        f"Made by sfumato {version} from the published {_called(contents)} and release.json, and "
        "from nothing else. This page is one file and asks nothing of any network."
        + ("" if contents.in_database else " The same for programs: datapackage.json."),
    )


def _top(contents: Contents) -> Markup:
    shown = contents.description
    figures = [
        ("rows published", count(shown.n_rows)),
        ("rows suppressed", count(shown.n_suppressed + shown.n_left_out)),
        ("columns", count(len(contents.columns))),
    ]
    if len(contents.tables) > 1:
        figures.append(("tables", count(len(contents.tables))))
    return tag(
        "header",
        tag("p", "Codebook · for whoever uses the release", class_="eyebrow"),
        tag("h1", f"What is in these {_called(contents)}"),
        tag("p", "Every column: its meaning, its values, what was done to it.", class_="lead"),
        key_figures(figures),
    )


def _columns(contents: Contents) -> Markup:
    rows = [
        (
            tag("b", cut(each.name)),
            NOT_DESCRIBED if each.meaning is None else each.meaning,
            each.role,
            each.published_as,
            each.kind,
            count(each.n_values),
            count(each.n_missing),
        )
        for table in contents.tables
        for each in table.columns
    ]
    header = ("column", "meaning", "role", "published", "type", "distinct values", "rows missing")
    said = []
    if contents.without_meaning:
        names = listed([cut(name) for name in contents.without_meaning])
        said.append(tag("p", f"Whoever made the release did not say what these mean: {names}."))
    if contents.key_text:
        said.append(tag("p", contents.key_text))
    return section("Columns", *said, data_table(header, rows, numbers=(5, 6), words=(2, 3, 4)))


def _values(contents: Contents) -> Iterator[Markup]:
    if contents.forms:
        yield tag("p", "Where a column was generalized, its values are written so:")
        yield data_table(("for example", "means"), contents.forms, words=(1,))
    for column in contents.columns:
        yield tag("h3", cut(column.name))
        yield tag("p", " ".join(_about(column)))
        if column.common:
            rows = [
                (cut(value) if value else EMPTY, count(n), _share(n, column))
                for value, n in column.common
            ]
            yield data_table(("value", "rows", "share"), rows, numbers=(1, 2))


def _about(column: ColumnContents) -> Iterator[str]:
    """Say in sentences what a list of values does not show."""
    yield f"{counted(column.n_values, 'value')}."
    if column.bounds is not None:
        yield f"They reach {column.bounds}."
    if column.n_values and not column.common:
        yield "Each stands in one row."
    elif not column.all_listed:
        yield f"The {count(len(column.common))} most frequent are listed."
    if column.has_rest:
        yield "“other” stands for all texts that are not named."
    if column.n_untold:
        yield f"{counted(column.n_untold, 'row says', 'rows say')} nothing here."
    if column.n_missing:
        yield f"Missing in {counted(column.n_missing, 'row')}."
    if column.ends:
        yield column.ends
    if column.not_told:
        yield column.not_told


def _share(n_rows: int, column: ColumnContents) -> str:
    return percent(Fraction(n_rows, column.n_rows)) if column.n_rows else NONE


def _promised(contents: Contents) -> Markup:
    shown = contents.description
    said = [
        tag("li", words, " ", tag("code", name), class_="promise")
        for words, name in contents.promises
    ]
    more = [tag("p", contents.attacked_text)] if contents.attacked_text else []
    if shown.untouched_identify:
        more.append(
            tag(
                "p",
                "Columns that are published as they are tell people apart; whoever made the "
                "release allowed that.",
            )
        )
    return section(
        "What was promised",
        tag("ul", *said),
        tag("p", headline(shown.method), " ", tag("code", shown.method)),
        *more,
    )


def _left_out(contents: Contents) -> Markup:
    said = [contents.suppressed_text]
    untold = [
        f"{cut(each.name)} in {counted(each.n_untold, 'row')}"
        for each in contents.columns
        if each.n_untold
    ]
    if untold:
        said.append(f"Values that say nothing: {listed(untold)}.")
    said.append(contents.missing_text)
    return section("What is not there", *(tag("p", text) for text in said))


def _recipient(contents: Contents) -> Markup:
    said = []
    if contents.stated:
        said = [tag("p", OWN_STATEMENT), facts_list([*contents.stated.items()])]
    if contents.not_stated:
        names = listed(contents.not_stated)
        said.append(tag("p", f"Whoever made the release did not state: {names}."))
    return section("Who gets it", *said)


def _called(contents: Contents) -> str:
    return "tables" if contents.in_database else "files"


def _tables(contents: Contents) -> Markup:
    rows = [
        (tag("b", table.path), count(table.n_rows), tag("code", table.sha256_text))
        for table in contents.tables
    ]
    return section(
        "Tables", data_table(("table", "rows", "SHA-256 of the rows"), rows, numbers=(1,))
    )


def _files(contents: Contents) -> Markup:
    rows = [
        (
            tag("b", table.path),
            count(table.n_rows),
            count(table.n_bytes),
            tag("code", table.sha256_text),
        )
        for table in contents.tables
    ]
    return section(
        "Files",
        data_table(("file", "rows", "bytes", "SHA-256"), rows, numbers=(1, 2)),
        tag("p", "README.txt has the lines that read them in pandas, Polars and R."),
    )
