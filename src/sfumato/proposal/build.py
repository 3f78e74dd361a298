"""From a source to a proposal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Unpack

from sfumato.address import is_address
from sfumato.criteria import MaxRisk
from sfumato.data.groups import GroupSizes
from sfumato.data.read_settings import ReadSettings, Settings
from sfumato.data.spellings import Spellings
from sfumato.engines import engine_of
from sfumato.engines.guess import Guess, guess
from sfumato.engines.look import ColumnLook, SourceLook
from sfumato.engines.protocol import Engine, Source
from sfumato.errors import BadInput
from sfumato.progress import report
from sfumato.proposal.hierarchies import hierarchy_for, is_numeric
from sfumato.proposal.names import parts_of
from sfumato.proposal.patterns import CODE, CONTACTS, DATES, PATTERNS
from sfumato.proposal.promise import chosen_sensitive, promise_about
from sfumato.proposal.proposal import Proposal, ProposedColumn
from sfumato.proposal.remarks import remarks_on
from sfumato.proposal.roles import Judgement, date_format, judge
from sfumato.proposal.vocabulary import Role
from sfumato.table import MERGE

NUMBER = "number"
LIKE_VALUES_AT_MOST = 3  # of so many names, fewer than one may look like a value
LIKE_VALUES = {NUMBER: r"[+-]?[0-9]+([.,][0-9]+)?", **CONTACTS, **DATES}
MOST_COMPARED = 40  # quasi-identifiers of which each is left out once
MOST_TEXTS = 100_000  # different texts of a column whose spellings are compared


def propose(
    source: object,
    engine: str | Engine | None = None,
    *,
    risk: float | Fraction | str | None = None,
    **settings: Unpack[Settings],
) -> Proposal:
    """Look at a table and propose roles, hierarchies, a promise and a method, each with its reason.

    A proposal decides nothing: a person looks at it, changes it, and accepts it. No column is
    proposed to be published untouched, and one of which neither name nor values say anything is
    left out.

    Args:
        source: What `sf.read` takes.
        engine: What works on the rows, as in `sf.read`.
        risk: The largest risk of being recognized that is to be promised, as `MaxRisk` takes it;
            without one, groups of five people are.
        settings: What is known about how the file is read, as in `sf.read`. The rest is proposed,
            too, with what speaks for it.

    >>> import sfumato as sf
    >>> proposal = sf.propose(sf.datasets.patients())
    >>> for column in proposal.columns:
    ...     print(column.name, column.reason, sep=": ")
    name: names, by its name (name): identifier
    age: age, by its name (age): quasi-identifier
    zip: 60 postal codes: quasi-identifier
    sex: sex, by its name (sex): quasi-identifier
    disease: health, by its name (disease): sensitive
    """
    if risk is not None:
        MaxRisk(risk)  # refused before the work
    opened, guessed = open_guessed(source, engine, settings)
    declared = guessed.settings
    report("looking at columns")
    look = opened.look(PATTERNS)
    looks = list(look.columns.values())
    if not looks or not looks[0].n_rows:
        raise BadInput(f"{opened.name}: no rows")
    refuse_values_as_names(opened.name, looks)
    judged = _without_derived(opened, looks, {each.column: judge(each) for each in looks})
    about = {column: found.about for column, found in judged.items()}
    hurting = [each for each in looks if judged[each.column].role is Role.SENSITIVE]
    chosen = chosen_sensitive(hurting, about)
    known = [each.column for each in looks if judged[each.column].role is Role.QUASI_IDENTIFIER]
    report("counting people alike")
    n_unique, n_more = _singled_out(opened, known, [] if chosen is None else [chosen])
    counted = [*known, *([] if chosen is None else [chosen])]
    spellings = _spellings(opened, look, counted)
    columns = tuple(
        replace(
            _column(each, judged[each.column], chosen, n_more),
            meaning=look.meanings.get(each.column, ""),
        )
        for each in looks
    )
    return Proposal(
        opened.name,
        looks[0].n_rows,
        columns,
        tuple(remarks_on(look, judged, spellings)),
        declared,
        guessed.reasons,
        {column: MERGE for column, found in spellings.items() if found.alike},
        n_unique,
        promise_about(None if chosen is None else look.columns[chosen], looks[0].n_rows, risk),
        source,
        engine,
    )


def open_guessed(
    source: object, engine: str | Engine | None, settings: Settings
) -> tuple[Source, Guess]:
    """Open a source with what is declared about it; of a file the rest is guessed."""
    report("looking at the file")
    given = ReadSettings.of(settings)  # which refuses what is none
    opener = engine_of(engine, source)  # which refuses addresses before they are taken for files
    guessed = guess(source, settings) if _is_file(source) else Guess(given)
    return opener.open(source, guessed.settings), guessed


def refuse_values_as_names(source: str, looks: Sequence[ColumnLook]) -> None:
    """Refuse a file without a line of names: its first person's values would be shown as names."""
    n_like = sum(map(_named_like_its_values, looks))
    if n_like * LIKE_VALUES_AT_MOST >= len(looks):
        raise BadInput(
            f"{source}: are the names of the columns in the first line? {n_like} of {len(looks)} "
            "look like values; write names above them",
            [look.column for look in looks],
        )


def _named_like_its_values(look: ColumnLook) -> bool:
    """Whether a name is a value of its column, or is written as all of them are."""
    if look.column in dict(look.common):
        return True
    like = [name for name, pattern in LIKE_VALUES.items() if re.fullmatch(pattern, look.column)]
    return any(name != NUMBER or is_numeric(look) for name in like)


def _is_file(source: object) -> bool:
    """Whether a source may be opened twice, and is written as text."""
    several = isinstance(source, (list, tuple))
    first = source[0] if several and source else source  # type: ignore[index]  # a sequence
    return isinstance(first, (str, Path)) and not is_address(first)


def _column(
    look: ColumnLook, judged: Judgement, chosen: str | None, n_more: Mapping[str, int]
) -> ProposedColumn:
    known = judged.role is Role.QUASI_IDENTIFIER
    published = known or look.column == chosen
    reason = judged.reason
    if judged.role is Role.SENSITIVE and not published:
        if look.is_list:
            reason += "; left out: methods for lists are to be chosen by hand (docs/methods.md)"
        elif chosen is None:
            reason += "; left out: nearly everybody has the same value"
        else:
            reason += f"; left out beside {chosen!r}"
    return ProposedColumn(
        look.column,
        "codes" if judged.about == "postal codes" else kind_in_words(look),
        look.n_values,
        look.n_missing,
        look.n_alone,
        n_more.get(look.column),
        judged.role,
        reason,
        published,
        hierarchy_for(look, judged) if known else None,
    )


def kind_in_words(look: ColumnLook) -> str:
    """Say what the values of a column are."""
    if look.is_list:
        return "lists"
    if not look.n_values:
        return "none"
    if date_format(look) is not None:
        return "dates"
    if look.n_matching[CODE]:
        return "codes"
    if is_numeric(look) and look.numbers is not None:
        return "integers" if look.numbers.n_whole == look.numbers.n_rows else "numbers"
    return look.kind if look.kind in ("boolean", "uuid", "time") else "text"


def _without_derived(
    source: Source, looks: Sequence[ColumnLook], judged: Mapping[str, Judgement]
) -> dict[str, Judgement]:
    """Leave out what follows from another column: a square, a logarithm, a number for a text.

    Their names are alike, and whoever has the same value of one has the same of the other.
    """
    with_role = [
        each
        for each in looks
        if judged[each.column].role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE) and not each.is_list
    ]
    pairs = [
        (one, other)
        for j, one in enumerate(with_role)
        for other in with_role[j + 1 :]
        if (one.n_values, one.n_missing) == (other.n_values, other.n_missing)
        and one.n_values > 2
        and _named_alike(one.column, other.column)
    ]
    result = dict(judged)

    def worth(column: str) -> tuple[bool, int]:
        """Put a year of birth before the year that follows from it, then short names first."""
        return judged[column].about == "time", len(column)

    for (one, other), n_groups in zip(pairs, _numbers_of_groups(source, pairs), strict=True):
        if n_groups == one.n_values + (one.n_missing > 0):
            kept, derived = sorted((one.column, other.column), key=worth)
            reason = f"says the same as {kept!r}: left out"
            if result[kept].role is not Role.NONE:
                result[derived] = Judgement(Role.NONE, "", reason)
    return result


def _named_alike(one: str, other: str) -> bool:
    """Whether one name is the other with a letter before it or something behind it."""
    short, long = sorted(("".join(parts_of(name)[-1:]) for name in (one, other)), key=len)
    return len(short) >= 3 and (short in long or short[:-1] == long[: len(short) - 1])


def _numbers_of_groups(source: Source, pairs: Iterable[tuple[ColumnLook, ColumnLook]]) -> list[int]:
    groupings = [(one.column, other.column) for one, other in pairs]
    return [sizes.n for sizes in _alike(source, groupings)]


def _alike(source: Source, groupings: Sequence[Sequence[str]]) -> list[GroupSizes]:
    columns = list(dict.fromkeys(column for each in groupings for column in each))
    if not columns:
        return []
    people = source.people(None, (), columns)
    return [GroupSizes(*sizes) for sizes in people.alike(groupings)]


def _singled_out(
    source: Source, known: Sequence[str], others: Sequence[str]
) -> tuple[int, dict[str, int]]:
    """Count people whom all quasi-identifiers single out, and what each column adds to that."""
    if not known:
        return 0, {}
    each_once = list(known) if len(known) <= MOST_COMPARED else []
    without = [[c for c in known if c != column] for column in each_once]
    groupings = [list(known), *(w for w in without if w), *([*known, c] for c in others)]
    numbers = iter(sizes.people_below(2) for sizes in _alike(source, groupings))
    n_unique = next(numbers)
    more = {
        column: n_unique - (next(numbers) if rest else 0)
        for column, rest in zip(each_once, without, strict=True)
    }
    return n_unique, more | {column: next(numbers) - n_unique for column in others}


def _spellings(source: Source, look: SourceLook, columns: Sequence[str]) -> dict[str, Spellings]:
    texts = [
        look.columns[column]
        for column in columns
        if look.columns[column].kind == "text"
        and not is_numeric(look.columns[column])
        and look.columns[column].n_values <= MOST_TEXTS
    ]
    return {each.column: source.spellings(each.column) for each in texts}
