"""Texts that only look different: spellings of one value.

Two texts are spellings of one value if their normal forms are equal. The normal form is Unicode's
NFKC without format characters, other invisible ones, control characters and strokes through
letters, with one kind of dash, slash and quotation mark, folded case, single blanks and none at the
ends; and a number is itself, however it is written: 1, 1.0 and +1e0. A number with idle zeros in
front, such as 01234, is a code. Of blanks nothing is left, as of a missing value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sfumato.data.decimals import as_number, number_text

# Numbers as people write them; none of them has zeros in front that a code might need.
NUMBER = r"[+-]?(0|[1-9][0-9]*)?(\.[0-9]*)?(e[+-]?[0-9]+)?"
PLAIN_NUMBER = r"[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?"
_NUMBER = re.compile(NUMBER)
_INVISIBLE = re.compile(  # beside what `_is_unseen` says
    # what Unicode calls default ignorable, not of category Cf
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff"
    # the place of an object, a note without a head
    "\ufffc\U0001d159"
    # strokes through letters and rings around them
    "\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20dd-\u20e0\u20e2-\u20e6\u20ea\u20eb]"
)
_ALONE = re.compile(" [\u0301\u0313\u0314]")  # what NFKC makes of an accent without a letter
_MARKS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys(
        "`\u2018\u2019\u201a\u201b\u02b9\u02bb\u02bc\u02bd\u02ca\u02cb\u2032\u2035", "'"
    )
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys("\u2044\u2215\u29f8", "/")
    | {"\u2800": " "}  # a cell of Braille without dots
)


def normal_form(text: str) -> str:
    r"""Give what all spellings of a value have in common.

    >>> [normal_form(text) for text in ("HIV", "hiv\u200b ", "\uff28\uff29\uff36")]
    ['hiv', 'hiv', 'hiv']
    >>> [normal_form(text) for text in ("1", "1.0", "+1e0", "01", "Crohn\u2019s  disease")]
    ['1', '1', '1', '01', "crohn's disease"]
    """
    if text.isascii() and text.isprintable():
        form = " ".join(text.lower().replace("`", "'").split())
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
        visible = "".join(c for c in visible if not _is_unseen(c))
    folded = unicodedata.normalize("NFKC", visible.casefold())
    return " ".join(_ALONE.sub("'", folded).translate(_MARKS).split())


def _is_unseen(character: str) -> bool:
    """Whether a character is not seen: of format, control or private use, or none of Unicode's."""
    if unicodedata.category(character) in ("Cf", "Cc", "Co"):
        return not character.isspace()
    code = ord(character)
    return 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE


def _form(value: str | None) -> str:
    return "" if value is None else normal_form(value)


@dataclass(frozen=True)
class Spellings:
    """The values of a column: how many there are, and which of them only look different.

    A text of which nothing is seen is no value: it only looks different from a missing one, None.

    >>> found = Spellings.of({"HIV": 5, "hiv ": 1, "flu": 4})
    >>> found.alike, found.n_repeated
    ((('HIV', 'hiv '),), 8)
    """

    n_rows: int  # that have a value
    n_values: int  # distinct ones, however they are spelled
    # Spellings of one value: known ones first, then the missing one, then frequent ones.
    alike: tuple[tuple[str | None, ...], ...]

    @classmethod
    def of(cls, counts: Mapping[object, int], known: Collection[str | None] = ()) -> Spellings:
        """Compare distinct values, given with their rows, None for a missing one; and known texts.

        known: texts that values are compared with too, or None; they are not counted.
        """
        texts = {v: n for v, n in counts.items() if v is None or isinstance(v, str)}
        by_form: dict[str, dict[str | None, int]] = {}
        for text in {*texts, *known}:
            by_form.setdefault(_form(text), {})[text] = texts.get(text, 0)
        others = [n for value, n in counts.items() if value not in texts]
        seen = [sum(spelled.values()) for form, spelled in by_form.items() if form]
        return cls(
            sum(others) + sum(seen),
            len(others) + sum(n > 0 for n in seen),
            several(by_form.values(), known),
        )

    @property
    def n_repeated(self) -> int:
        """How many rows repeat the value of another one, in whichever spelling."""
        return self.n_rows - self.n_values


def several(
    by_form: Iterable[Mapping[str | None, int]], known: Collection[str | None]
) -> tuple[tuple[str | None, ...], ...]:
    """Give the values that have several spellings; these are given with their rows."""

    def place(each: tuple[str | None, int]) -> tuple[bool, bool, int, str]:
        text, n = each
        return text not in known, text is not None, -n, text or ""

    found = [
        tuple(text for text, _ in sorted(spelled.items(), key=place))
        for spelled in by_form
        if len(spelled) > 1
    ]
    return tuple(sorted(found, key=lambda alike: [(t is not None, t or "") for t in alike]))


class SpellingCounts(NamedTuple):
    """How many spellings of how many values a column has; values with one spelling do not count."""

    n_spellings: int
    n_values: int

    @classmethod
    def of(cls, alike: Sequence[Sequence[str | None]]) -> SpellingCounts:
        """Count them."""
        return cls(sum(map(len, alike)), len(alike))
