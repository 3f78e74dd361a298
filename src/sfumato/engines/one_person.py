"""What every engine says of rows of a person that cannot be put together."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.errors import BadInput
from sfumato.text import counted

ONLY_ONE = (
    "where people have any number of values in a sensitive column, it has to be the only one, so "
    "give the others no role, or join the values of a row into one text"
)


def unnamed(person: str, n_rows: int) -> BadInput:
    """Say that rows do not name a person.

    >>> str(unnamed("id", 2))
    "person: column 'id' is missing in 2 rows"
    """
    return BadInput(f"person: column {person!r} is missing in {counted(n_rows, 'row')}")


def refuse_ungathered(
    person: str, repeated: int, sensitive: Sequence[str], lists: Sequence[str]
) -> None:
    """Refuse several rows of a person where they do not make a set of values."""
    rows = f"person: {counted(repeated, 'row repeats', 'rows repeat')} a value of {person!r}"
    if lists:
        raise BadInput(f"{rows}, but {lists[0]!r} holds lists already: give one row for each")
    if not sensitive:
        raise BadInput(f"{rows}; a release counts people, so give one row for each")
    if len(sensitive) > 1:
        raise BadInput(f"{rows}; {ONLY_ONE}")


def differing(name: str, n_people: int) -> BadInput:
    """Say that people have several values of what a person has only once.

    >>> str(differing("age", 1))[:45]
    "person: 1 person has more than one value of '"
    """
    several = counted(n_people, "person has", "people have")
    return BadInput(
        f"person: {several} more than one value of {name!r} in the rows that belong together; only "
        f"the sensitive column may differ, so mend the rows, or give {name!r} no role"
    )
