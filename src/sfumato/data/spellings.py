"""Texts that only look different: spellings of one value.

Two texts are spellings of one value if their normal forms are equal. The normal form is Unicode's
NFKC without format characters, other invisible ones and control characters, with one kind of dash
and of quotation mark, folded case, single blanks and none at the ends; and a number is itself,
however it is written: 1, 1.0 and +1e0. A number with idle zeros in front, such as 01234, is a code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sfumato.data.decimals import as_number, number_text

# Numbers as people write them; none of them has zeros in front that a code might need.
NUMBER = r"[+-]?(0|[1-9][0-9]*)?(\.[0-9]*)?(e[+-]?[0-9]+)?"
PLAIN_NUMBER = r"[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?"
_NUMBER = re.compile(NUMBER)
_INVISIBLE = re.compile(  # with Unicode's category Cf, what it calls default ignorable
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
_MARKS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
)


def normal_form(text: str) -> str:
    r"""Give what all spellings of a value have in common.

    >>> [normal_form(text) for text in ("HIV", "hiv\u200b ", "\uff28\uff29\uff36")]
    ['hiv', 'hiv', 'hiv']
    >>> [normal_form(text) for text in ("1", "1.0", "+1e0", "01", "Crohn\u2019s  disease")]
    ['1', '1', '1', '01', "crohn's disease"]
    """
    if text.isascii() and text.isprintable():
        form = " ".join(text.lower().split())
    else:
        form = _folded(text)
        while (again := _folded(form)) != form:
            form = again
    if _NUMBER.fullmatch(form):
        number = as_number(form)
        if number is not None:
            return number_text(number)
    return form


def _folded(text: str) -> str:
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    if not visible.isprintable():
        visible = "".join(c for c in visible if not _is_control(c))
    folded = unicodedata.normalize("NFKC", visible.casefold())
    return " ".join(folded.translate(_MARKS).split())


def _is_control(character: str) -> bool:
    """Whether a character is not seen: format and control characters that are no blanks."""
    return unicodedata.category(character) in ("Cf", "Cc") and not character.isspace()


@dataclass(frozen=True)
class Spellings:
    """The values of a column: how many there are, and which of them only look different.

    >>> found = Spellings.of({"HIV": 5, "hiv ": 1, "flu": 4})
    >>> found.alike, found.n_repeated
    ((('HIV', 'hiv '),), 8)
    """

    n_rows: int  # that have a value
    n_values: int  # distinct ones, however they are spelled
    alike: tuple[tuple[str, ...], ...]  # spellings of one value: known, then frequent ones first

    @classmethod
    def of(cls, counts: Mapping[object, int], known: Collection[str] = ()) -> Spellings:
        """Compare distinct values, given with their rows, None for a missing one; and known texts.

        known: texts that values are compared with too; they are not counted.
        """
        texts = {value: n for value, n in counts.items() if isinstance(value, str)}
        by_form: dict[str, list[str]] = {}
        for text in sorted({*texts, *known}, key=lambda t: (t not in known, -texts.get(t, 0), t)):
            by_form.setdefault(normal_form(text), []).append(text)
        return cls(
            sum(n for value, n in counts.items() if value is not None),
            sum(value is not None and not isinstance(value, str) for value in counts)
            + sum(any(text in texts for text in each) for each in by_form.values()),
            tuple(sorted(tuple(each) for each in by_form.values() if len(each) > 1)),
        )

    @property
    def n_repeated(self) -> int:
        """How many rows repeat the value of another one, in whichever spelling."""
        return self.n_rows - self.n_values


class SpellingCounts(NamedTuple):
    """How many spellings of how many values a column has; values with one spelling do not count."""

    n_spellings: int
    n_values: int

    @classmethod
    def of(cls, alike: Sequence[Sequence[str]]) -> SpellingCounts:
        """Count them."""
        return cls(sum(map(len, alike)), len(alike))
