"""What a steward should know of a table before it is released; counts and names, no values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sfumato.data.spellings import Spellings
from sfumato.engines.look import ColumnLook, SourceLook
from sfumato.engines.table_shape import TOTAL
from sfumato.proposal.hierarchies import OLD, hierarchy_for
from sfumato.proposal.patterns import CONTACTS, YEAR
from sfumato.proposal.roles import MOST, Judgement, date_format, several
from sfumato.proposal.vocabulary import NUMBERS, PERSON, Role
from sfumato.text import counted, listed, plural

MANY = 10  # quasi-identifiers, above which groups get coarse
NUMBERED = ("record numbers", "official numbers", NUMBERS, PERSON)
ENOUGH_SUMS = 2  # columns whose last number is the sum of all others


def remarks_on(
    look: SourceLook, judged: Mapping[str, Judgement], spellings: Mapping[str, Spellings]
) -> Iterator[str]:
    """Name what looks wrong or tells too much."""
    if total := _total(look):
        yield total
    for column, found in spellings.items():
        if found.alike:
            n = sum(map(len, found.alike))
            yield (
                f"column {column!r}: {counted(n, 'text')} that only look different are probably "
                f'{counted(len(found.alike), "value")}; alike = "merge" makes them so'
            )
    known = [c for c, found in judged.items() if found.role is Role.QUASI_IDENTIFIER]
    if dates := [c for c in known if date_format(look.columns[c]) is not None]:
        yield f"{_columns(dates)}: dates finer than a year single people out"
    ages = [c for c in known if judged[c].about == "age"]
    births = [c for c in known if judged[c].about == "birth" and _tells_years(look.columns[c])]
    if ages and births:
        yield (
            f"{_columns([*ages, *births])}: an age and a date of birth tell each other, so what "
            "one of them hides the other may show; leave one of them out"
        )
    if len(known) > MANY:
        yield (
            f"{len(known)} quasi-identifiers: groups of people who are alike in all of them are "
            "coarse; leave out those that the release does not need"
        )
    for column, each in look.columns.items():
        role = judged[column].role
        yield from _contacts(each, role)
        numbers = each.numbers
        if judged[column].about == "age" and numbers is not None and OLD < numbers.highest <= 130:
            coded = column in known and hierarchy_for(each, judged[column]).rule.codes_ends
            so = "; in this column they are published as one" if coded else ""
            yield f"column {column!r}: there are ages above {OLD}, which single people out{so}"
        if judged[column].about in NUMBERED and role is Role.IDENTIFIER and _several_rows(each):
            yield (
                f"column {column!r}: {counted(each.n_values, 'value')} in "
                f"{counted(each.n_present, 'row')}; if people have several rows, name it as person "
                "in [columns], or keep one row of each"
            )


def _columns(names: Sequence[str]) -> str:
    return f"{plural(len(names), 'column')} {listed([repr(name) for name in names])}"


def _tells_years(look: ColumnLook) -> bool:
    """Whether it says when people were born: a place of birth does not."""
    return date_format(look) is not None or look.share(YEAR) >= MOST


def _contacts(look: ColumnLook, role: Role) -> Iterator[str]:
    if role is Role.IDENTIFIER or date_format(look) is not None:
        return
    found = [what for what in CONTACTS if look.n_matching[what]]
    if found:
        n = max(look.n_matching[what] for what in found)
        yield (
            f"column {look.column!r}: {counted(n, 'row')} written like "
            f"{listed([several(what) for what in found])}"
        )


def _several_rows(look: ColumnLook) -> bool:
    return look.n_values < look.n_present and look.n_values > look.n_present / 50


def _total(look: SourceLook) -> str | None:
    """Whether the last row says that it is a total, or is the sum of the others."""
    said = any(
        TOTAL.fullmatch(text) is not None
        for text, column in zip(look.last, look.columns.values(), strict=False)
        if text is not None and column.numbers is None and _once(column, text)
    )
    n_sums = 0
    for text, column in zip(look.last, look.columns.values(), strict=False):
        numbers = column.numbers
        if numbers is None or text is None or column.n_values < 3:
            continue
        try:
            last = float(text)
        except ValueError:
            continue
        n_sums += last != 0 and abs(numbers.total - 2 * last) <= 1e-9 * abs(numbers.total)
    if not said and n_sums < ENOUGH_SUMS:
        return None
    return "the last row looks like a total; leave it out: [read] skip_end = 1"


def _once(column: ColumnLook, text: str) -> bool:
    """Whether at most one row has the text, as far as can be seen."""
    return dict(column.common).get(text, 1) == 1
