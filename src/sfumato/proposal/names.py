"""What the name of a column says.

A name is taken apart (`birthDate`, `birth_date`, `geb.datum`), accents and digits are left out, and
its parts, and neighbours joined, are looked up in the vocabulary; then words near to them. Names
are evidence, not proof: `roles` weighs them with the values.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass

from sfumato.proposal.near import near
from sfumato.proposal.vocabulary import PERHAPS, SUBJECTS, Role, Subject

_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z]+")


@dataclass(frozen=True)
class Meaning:
    """What a name says, and by which part of it."""

    about: str
    role: Role
    word: str
    letter: str = ""  # of the kinds of identifiers that HIPAA names; see `Subject`


def words_of(name: str) -> list[str]:
    """Take a name apart.

    >>> words_of("BirthDate"), words_of("BMIAtVisit2"), words_of("Größe")
    (['birth', 'date'], ['bmi', 'at', 'visit'], ['grosse'])
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [word.lower() for word in _BOUNDARY.split(plain) if word]


def parts_of(name: str) -> tuple[str, ...]:
    """Take a name apart: its words, neighbours joined, and all of it.

    >>> parts_of("Date of Birth"), parts_of("fac_sex")
    (('date', 'of', 'birth', 'dateof', 'ofbirth', 'dateofbirth'), ('fac', 'sex', 'facsex'))
    """
    words = words_of(name)
    pairs = [a + b for a, b in itertools.pairwise(words)]
    return tuple(dict.fromkeys([*words, *pairs, *(["".join(words)] if words else [])]))


def meaning(name: str, among: tuple[Subject, ...] = SUBJECTS) -> Meaning | None:
    """Say what a name means; the first subject that has a word for a part of it.

    >>> meaning("Geburtsdatum").about, meaning("fatheduc").about, meaning("x1")
    ('birth', 'education', None)
    """
    parts = parts_of(name)
    for subject in among:
        for part in parts:
            if subject.says(part):
                return Meaning(subject.about, subject.role, part, subject.letter)
    return None


def perhaps(name: str) -> Meaning | None:
    """Say what a name means, or what a word near to one of its own would mean.

    >>> perhaps("nkids").about, perhaps("maried").about, perhaps("average")
    ('family', 'family', None)
    """
    said = meaning(name)
    if said is not None:
        return said
    for word, subject in near(words_of(name), SUBJECTS):
        return Meaning(subject.about, subject.role, word, subject.letter)
    return None


def numbering(name: str) -> Meaning | None:
    """Say whether a name is that of a number of records, run together with what is numbered.

    >>> numbering("childid").about, numbering("idperson").word, numbering("valid")
    ('record numbers', 'idperson', None)
    """
    for word in words_of(name):
        rest = word.removesuffix("id") if word.endswith("id") else word.removeprefix("id")
        known = meaning(rest, (*PERHAPS, *SUBJECTS)) if rest != word else None
        if known is not None and len(rest) > 1:
            return Meaning("record numbers", Role.IDENTIFIER, word, "R")
    return None
