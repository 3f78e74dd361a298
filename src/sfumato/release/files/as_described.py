"""Are the files of a release what its description says? Columns, in order, types and rows."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.data.groups import GroupSizes
from sfumato.engines.protocol import Source
from sfumato.errors import BadInput, shown
from sfumato.release.description import Description
from sfumato.release.files.number_columns import other_numbers
from sfumato.release.files.saved import Files
from sfumato.table import DATA
from sfumato.text import count


def kinds_in(source: Source, description: Description) -> dict[str, str]:
    """Name what the columns of a published table hold, as its readers get them."""
    return dict(source.kinds(numbers_in(source, description)))


def numbers_in(source: Source, description: Description) -> list[str]:
    """Give the columns of a published table that are numbers if they look like some."""
    return [column for column in source.columns if column not in description.text]


def other_columns(found: tuple[str, ...], described: tuple[str, ...]) -> str | None:
    """Say in which way columns differ from those described; None: they are the same, in order."""
    undescribed = [name for name in found if name not in described]
    missing = [name for name in described if name not in found]
    if undescribed:
        return f"it has a column {shown(undescribed[0])} that is not described"
    if missing:
        return f"it has no column {shown(missing[0])}, which is described"
    if found != described:
        return "its columns are not in the order that is described"
    return None


def other_kinds(found: Mapping[str, str], described: Mapping[str, str]) -> str | None:
    """Say which column holds something else than described; None: none of them."""
    for name, kind in found.items():
        if described[name] != kind:
            return f"the column {shown(name)} is of {kind}, and {described[name]} is described"
    return None


def refuse_undescribed(description: Description, files: Files) -> None:
    """Refuse a saved release whose files hold other columns, types or numbers of rows.

    Raises:
        BadInput: They do; the file is named.
    """
    for table in description.tables:
        source = files.open(table)
        differs = other_columns(source.columns, description.columns_of(table))
        if differs is None:
            differs = other_kinds(kinds_in(source, description), description.types)
        if differs is None and (table == DATA or description.set_valued is None):
            n_rows = rows_in(source)
            if n_rows != description.n_rows:
                said = f"{count(description.n_rows)} and not {count(n_rows)}"
                differs = f"the description says that it has other rows: {said}"
        if differs is None and table == DATA:
            differs = other_numbers(source, description)
        if differs is not None:
            raise BadInput(
                f"{files.called(table)}: not what release.json describes: {differs}; ask for the "
                "whole release again"
            )


def rows_in(source: Source) -> int:
    """Count the rows of a published table."""
    (sizes,) = source.people(None, (), ()).alike([source.columns[:1]])
    return GroupSizes(*sizes).n_people
