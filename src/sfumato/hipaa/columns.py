"""One column held against the eighteen kinds: by its name, and by how its values are written.

Names and values are weighed as for proposed roles (`proposal.roles`), whose vocabulary says by a
letter which of the eighteen a word names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sfumato.data.labels.grammar import is_everything
from sfumato.engines.look import ColumnLook
from sfumato.hipaa.ages_and_years import OLDEST, born_long_ago, over_89
from sfumato.hipaa.dates import finer_than_years, names_months_or_days, part_of_a_date
from sfumato.hipaa.kinds import KINDS, Noticed
from sfumato.hipaa.places import smaller_than_a_state
from sfumato.hipaa.zip_codes import zip_codes
from sfumato.proposal.names import meaning, numbering, parts_of, perhaps
from sfumato.proposal.patterns import DATES, FINER, PATTERNS
from sfumato.proposal.roles import Judgement, judge, several
from sfumato.proposal.vocabulary import IDENTIFYING, PERHAPS, SUBJECTS, Role
from sfumato.text import count, counted

LOOKED_FOR = {**PATTERNS, **FINER}
PHONE = "telephone number"
# What is one of the eighteen by how it is written, whatever its column is called.
WRITTEN = {
    PHONE: "D",
    "e-mail address": "F",
    "insurance number": "G",
    "account number": "J",
    "card number": "J",
    "vehicle number": "L",
    "device address": "M",
    "web address": "N",
    "network address": "O",
    "short network address": "O",
    "picture": "Q",
    "UUID": "R",
}
EMPLOYERS = tuple(subject for subject in SUBJECTS if subject.letter == "A")
SURER = tuple(s for s in (*IDENTIFYING, *EMPLOYERS, *PERHAPS) if s.letter != "R")
MANY = 10  # employers, from which on they are named, and not sorted
READ_IT = "read it yourself, or take the column out"
UNREAD = {
    "free text": "free text, in which anything may stand, is not read",
    "list": "lists of values are not looked into",
    "other": "values that are no texts, numbers or dates are not looked into",
}

Noticing = Iterator[tuple[bool, Noticed]]  # True: an objection; False: it could not be checked


@dataclass(frozen=True, eq=False)
class Column:
    """A column as it was looked at; its values are asked for where they matter."""

    look: ColumnLook
    values: Callable[[], Mapping[object, int]]  # distinct ones, with their rows
    populations: Mapping[str, int] | None  # three digits of a ZIP code -> people; None: not given
    year: int  # in which ages are counted

    @property
    def name(self) -> str:
        """What it is called."""
        return self.look.column

    def noticed(self) -> Noticing:
        """Say what speaks against it, each thing once, and what could not be checked."""
        if self._says_nothing:
            return
        judged = judge(self.look)
        letters: set[str | None] = set()
        for objects, each in self._noticed(judged):
            if not objects or each.letter not in letters:
                yield objects, each
            letters |= {each.letter} if objects else set()

    @property
    def _says_nothing(self) -> bool:
        """Whether nothing is in it but that there is something."""
        return all(is_everything(value) for value, _ in self.look.common)

    def _noticed(self, judged: Judgement) -> Noticing:
        written = [*self._written()]
        yield from written
        said = meaning(self.name)
        by_values = bool(written) and judged.about in ("contacts", "values")
        if "postal codes" in (judged.about, None if said is None else said.about):
            yield from zip_codes(self.name, self.values(), self.populations)
        elif judged.role is Role.IDENTIFIER and not by_values:
            yield True, self._objection(self._letter(judged), judged.reason.rpartition(":")[0])
        evidence = smaller_than_a_state(self.look)
        if evidence is not None and judged.about not in ("free text", "time", "birth"):
            yield True, self._objection("B", evidence)
        yield from self._dates_and_ages(judged)
        yield from self._employers()
        unread = "list" if self.look.is_list else self.look.kind
        unread = judged.about if judged.about in UNREAD else unread
        if unread in UNREAD:
            yield False, Noticed(self.name, None, f"not checked: {UNREAD[unread]}", READ_IT)

    def _objection(self, letter: str, evidence: str, remedy: str | None = None) -> Noticed:
        return Noticed(self.name, letter, evidence, remedy or KINDS[letter].remedy)

    def _written(self) -> Noticing:
        """What values are written like; a date may look like a telephone number."""
        look = self.look
        n_dates = sum(look.n_matching[form] for form in DATES)
        named = meaning(self.name, IDENTIFYING)
        for what, letter in WRITTEN.items():
            n = look.n_matching[what]
            if not n or (what == PHONE and n_dates >= n):
                continue
            by_fax = what == PHONE and named is not None and named.letter == "E"
            evidence = f"{_of(n, look.n_present)} written like {several(what)}"
            yield True, self._objection("E" if by_fax else letter, evidence)

    def _letter(self, judged: Judgement) -> str:
        """Say which of the eighteen an identifier is: what its name says, or any other code."""
        found = meaning(self.name, SURER)
        if found is None and judged.about != "values":
            found = meaning(self.name, (*IDENTIFYING, *PERHAPS)) or numbering(self.name)
        if found is None and judged.about in ("coordinates", "addresses"):
            return "B"
        return "R" if found is None else found.letter

    def _dates_and_ages(self, judged: Judgement) -> Noticing:
        """Days and months; ages over 89, and years of birth that tell them."""
        look = self.look
        found = meaning(self.name) or perhaps(self.name)
        about = None if found is None else found.about
        n = finer_than_years(look, self.values)
        part = None if n else part_of_a_date(look)
        n_old = born_long_ago(self.values(), self.year) if about == "birth" else 0
        old = f"{_of(n_old, look.n_present)} with years of birth that tell ages over 89"
        as_one = f"the years up to {self.year - OLDEST} as one"
        if n:
            evidence = f"{_of(n, look.n_present)} with days or months of dates"
            if n_old:
                remedy = f"{KINDS['C'].remedy}, and {as_one}"
                yield True, self._objection("C", f"{evidence}; {old}", remedy)
            else:
                yield True, self._objection("C", evidence)
        elif part is not None:
            yield True, self._objection("C", f"a part of dates, by its name ({part})")
        elif names_months_or_days(look):
            yield True, self._objection("C", "a part of dates: names of months or days of the week")
        elif n_old:
            yield True, self._objection("C", old, f"publish {as_one}")
        elif about == "age" and judged.role is not Role.IDENTIFIER:
            months = any(word.startswith(("month", "agemo")) for word in parts_of(self.name))
            n_over, n_unread = over_89(self.values(), per_year=12 if months else 1)
            if n_unread:
                evidence = f"not checked: {_of(n_unread, look.n_present)} that are no ages to read"
                yield False, Noticed(self.name, "C", evidence, "look at them yourself")
            if n_over:
                evidence = f"{_of(n_over, look.n_present)} with ages over 89"
                remedy = "publish them as 90 or older, such as by Intervals(..., top=90)"
                yield True, self._objection("C", evidence, remedy)

    def _employers(self) -> Noticing:
        """Names of employers, which the rule has beside those of the people themselves."""
        look = self.look
        found = meaning(self.name, EMPLOYERS)
        if found is not None and look.n_values >= MANY and look.numbers is None:
            evidence = f"{counted(look.n_values, 'employer')}, by its name ({found.word})"
            yield True, self._objection("A", evidence)


def _of(n: int, n_all: int) -> str:
    return f"{count(n)} of {counted(n_all, 'value')}" if n < n_all else counted(n, "value")
