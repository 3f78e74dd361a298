"""A role for every column, with its reason: what its values look like, weighed with its name.

What may name a person is looked for first, so that it is never taken for anything else. A column
of which neither name nor values say anything gets no role and is left out: others may know it or
not, and nobody but its owner can tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from sfumato.engines.look import ColumnLook
from sfumato.proposal.names import Meaning, meaning, numbering, perhaps
from sfumato.proposal.patterns import CODE, CONTACTS, COORDINATE, DATES, ICD, ISO, POSTAL, YEAR
from sfumato.proposal.vocabulary import (
    IDENTIFYING,
    LONGITUDE,
    NUMBERS,
    PERHAPS,
    PERSON,
    SUBJECTS,
    VALUES,
    Role,
)
from sfumato.text import count, counted

UNKNOWN = "name and values do not tell what it is: left out until you say so"
MOST = 0.9  # of the values, that speak for all of them
FEW_WORDS = 3.0  # blanks in a value on average; free text has more
LONG = 60  # letters; names and categories are shorter
NUMBERED = 50  # values, from which on 1, 2, 3 and so on are no marks or counts
MANY = 100  # numbers: of fewer, no column is a list of people
SPELLED = 3  # letters of a value that is no code
CATEGORIES = 30  # values at most, for them to be read as words
SPEAKING = ("sex", "origin", "family", "education", "work", "health", "crime", "belief or life")
WORDS = (*VALUES, *(subject for subject in SUBJECTS if subject.about in SPEAKING))
MEASURED = ("money", "age", "health", "marks", "time", "body", "postal codes")


@dataclass(frozen=True)
class Judgement:
    """A proposed role, what the column is about, and why."""

    role: Role
    about: str
    reason: str


def judge(look: ColumnLook) -> Judgement:
    """Propose a role for a column."""
    said = meaning(look.column, SUBJECTS)
    for rule in RULES:
        found = rule(look, said)
        if found is not None:
            return found
    return Judgement(Role.NONE, "", UNKNOWN)


def _not_read(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    del said
    if look.kind != "other" or look.is_list:
        return None
    return Judgement(
        Role.NONE,
        "",
        "values of a type that is not counted: left out; make a column, or a view, that turns them "
        "into text, numbers or dates",
    )


def _nothing(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    del said
    if look.n_values > 1:
        return None
    what = "the same value for everybody" if look.n_values else "no values"
    return Judgement(Role.NONE, "", f"{what}: left out")


def _contact(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    del said
    for what in CONTACTS:
        if look.share(what) >= 0.5:
            reason = f"{counted(look.n_matching[what], what, several(what))}: identifier"
            return Judgement(Role.IDENTIFIER, "contacts", reason)
    return None


def several(what: str) -> str:
    """Give the plural of a pattern's name."""
    return f"{what}{'es' if what.endswith('s') else 's'}"


def _dates(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    form = date_format(look)
    if form is None:
        return None
    about = "birth" if said is not None and said.about == "birth" else "time"
    note = "" if form == ISO else f" written as {form}"
    reason = f"{counted(look.n_values, 'date')}{note}: quasi-identifier"
    return Judgement(Role.QUASI_IDENTIFIER, about, reason)


def date_format(look: ColumnLook) -> str | None:
    """Say how the dates of a column are written; None: they are no dates."""
    if look.kind in ("date", "timestamp", "nanoseconds"):
        return ISO
    told = meaning(look.column)
    dated = told is not None and told.about in ("time", "birth")
    for form in DATES:
        if look.share(form) >= MOST and (form != "YYYYMMDD" or dated):
            return form
    return None


def _lists(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    if not look.is_list:
        return None
    about = "" if said is None else said.about
    return Judgement(Role.SENSITIVE, about, "a list of values for each person: sensitive")


def _named_identifier(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    found = meaning(look.column, IDENTIFYING) or numbering(look.column)
    if found is None or look.n_values <= 2:
        return None
    if found.about == "names":
        # The name of a school is no name of a person.
        if said is not None and said.role is not Role.IDENTIFIER and _repeats(look):
            return None
    elif found.about == "coordinates":
        if not (look.numbers is not None and look.numbers.n_whole < look.n_present):
            return None
    elif look.n_values < min(20, look.n_present / 2):
        return None
    return Judgement(
        Role.IDENTIFIER, found.about, f"{found.about}, by its name ({found.word}): identifier"
    )


def _coordinates(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    del said
    if look.share(COORDINATE) < 0.5 or meaning(look.column, LONGITUDE) is None:
        return None
    return Judgement(Role.IDENTIFIER, "coordinates", "places to the yard: identifier")


def _perhaps_identifier(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    found = meaning(look.column, PERHAPS)
    if found is None or _has_fractions(look):
        return None
    if found.about == NUMBERS:
        many = look.n_values >= max(MANY, look.n_present / 20) and look.longest >= 3
        given = look.n_alone >= look.n_present / 2 and not _is_measured(said)
        # Many licences are their numbers; whether somebody has one takes few values.
        fits = many and (said is None or given or said.about == "belongings")
    else:
        fits = look.n_values >= 20 and not _repeats(look)
        if found.about == PERSON and said is not None:
            fits = (fits and look.n_alone >= look.n_present / 2) or _is_numbering(look)
    if not fits:
        return None
    return Judgement(
        Role.IDENTIFIER,
        found.about,
        f"{counted(look.n_values, 'value')}, and {found.about} by its name ({found.word}): "
        "identifier",
    )


def _numbered_families(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    """Numbers or names of families, mothers or children: so many are no counts of anything."""
    if said is None or said.about != "family" or _has_fractions(look):
        return None
    if look.n_values < max(MANY, look.n_present / 10):
        return None
    reason = f"{counted(look.n_values, 'value')} for families or their members: identifier"
    return Judgement(Role.IDENTIFIER, NUMBERS, reason)


def _unique(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    """Texts and whole numbers that nearly everybody has alone."""
    n = look.n_present
    if n < 10 or _has_fractions(look):
        return None
    numbers = look.numbers
    whole = numbers is not None and numbers.n_rows == n
    if whole and numbers is not None:
        numbered = look.n_values == n and numbers.highest - numbers.lowest + 1 == n
        coded = look.n_matching[CODE] > 0 and (said is None or said.about != "postal codes")
        measured = _is_measured(said) and not coded
        alone = look.n_alone >= MOST * n
        long = look.longest >= 5 or look.n_values == n
        if not (numbered or (alone and long and not measured)):
            return None
    elif _is_free(look) or look.n_alone < (n / 2 if said is None else MOST * n):
        return None
    return Judgement(
        Role.IDENTIFIER, "values", f"unique for {count(look.n_alone)} of {count(n)}: identifier"
    )


def _free_text(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    del said
    if not _is_free(look) or look.n_values < look.n_present / 10:
        return None
    return Judgement(Role.NONE, "free text", "free text, in which anything may stand: left out")


def _named(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    if said is None:
        return None
    if said.about == "postal codes":
        reason = f"{counted(look.n_values, 'postal code')}: {said.role.value}"
    else:
        reason = f"{said.about}, by its name ({said.word}): {said.role.value}"
    return Judgement(said.role, said.about, reason)


def _values_speak(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    """Columns of categories whose names say nothing: male and female, married and single."""
    numbers = look.numbers
    if look.n_values > CATEGORIES or (numbers is not None and numbers.n_rows > look.n_present / 2):
        return None
    del said
    n_rows: Counter[tuple[str, Role]] = Counter()
    for value, n in look.common:
        found = meaning(value, WORDS)
        if found is not None and len(found.word) >= SPELLED:
            n_rows[found.about, found.role] += n
    if not n_rows:
        return None
    ((about, role), n), *_ = n_rows.most_common(1)
    if n < look.n_present / 2:
        return None
    return Judgement(role, about, f"values that speak of {about}: {role.value}")


def _written_like(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    """Columns whose names say nothing, by how their values are written."""
    del said
    if look.share(ICD) >= 0.5:
        return Judgement(Role.SENSITIVE, "health", "diagnosis codes: sensitive")
    for what in POSTAL:
        like = look.share(what) >= 0.95 and look.n_values >= 3
        plain = what in ("five digits", "four digits") and not look.n_matching[CODE]
        if like and not plain:
            reason = f"{count(look.n_values)} codes that look like postal ones: quasi-identifier"
            return Judgement(Role.QUASI_IDENTIFIER, "postal codes", reason)
    if look.share(YEAR) >= 0.95:
        return Judgement(Role.QUASI_IDENTIFIER, "time", "years: others may know when")
    return None


def _nearly_named(look: ColumnLook, said: Meaning | None) -> Judgement | None:
    """Columns whose names are written otherwise than words are."""
    del said
    found = perhaps(look.column)
    if found is None:
        return None
    reason = f"perhaps {found.about}, by its name ({found.word}): {found.role.value}"
    return Judgement(found.role, found.about, reason)


RULES: tuple[Callable[[ColumnLook, Meaning | None], Judgement | None], ...] = (
    _not_read,
    _nothing,
    _contact,
    _lists,
    _dates,
    _named_identifier,
    _coordinates,
    _perhaps_identifier,
    _numbered_families,
    _unique,
    _free_text,
    _named,
    _written_like,
    _values_speak,
    _nearly_named,
)


def _is_measured(said: Meaning | None) -> bool:
    return said is not None and said.about in MEASURED


def _repeats(look: ColumnLook) -> bool:
    """Whether many people share a value."""
    return look.n_values < look.n_present / 5


def _is_numbering(look: ColumnLook) -> bool:
    """Whether values are 1, 2, 3 and so on, and many, as if somebody had numbered people."""
    numbers = look.numbers
    if numbers is None or numbers.n_whole < look.n_present or look.n_values < NUMBERED:
        return False
    return numbers.lowest in (0, 1) and numbers.highest - numbers.lowest + 1 == look.n_values


def _has_fractions(look: ColumnLook) -> bool:
    numbers = look.numbers
    return numbers is not None and numbers.n_whole < MOST * numbers.n_rows


def _is_free(look: ColumnLook) -> bool:
    """Whether values are sentences rather than names or categories."""
    if look.numbers is not None and look.numbers.n_rows > look.n_present / 2:
        return False
    return look.longest > LONG and look.n_blanks >= FEW_WORDS * look.n_present
