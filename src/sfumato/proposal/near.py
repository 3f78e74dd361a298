"""Names written otherwise than words are: run together, shortened, without vowels, mistyped.

Asked only where a name says nothing as it stands. The rules know words and no tables: who writes
`homestate`, `cntry`, `minor` or `maried` shortens, drops and mistypes as everybody does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

from sfumato.proposal.vocabulary import Role, Subject

RUN_TOGETHER = 5  # letters of a word at the end of a longer one
ENDING = 4  # letters at most, behind the stem of that word
COUNTED = 4  # letters of a word behind one letter: n children, h for husband, m for mother
BEFORE = "nhwmfs"
SHORTENED, WHOLE = 5, 7  # letters that are left of a word, and that it has
MISTYPED, STEM = 6, 5  # letters of a word, and of a stem, that may be written wrong
CUT = 8  # letters of a name, as some programs had them at most
PIECE = 3  # letters of a word of which others are made
FIRST = 2  # letters that are right
CONSONANTS = 4
VOWELS = "aeiou"
PLAIN = (
    *("year", "month", "born", "birth", "kids", "child", "educ", "marr", "town", "wife", "husb"),
    *("state", "city", "school", "moth", "fath", "mom", "dad", "county", "urban", "rural"),
)
CORES = ("age", "job", "sex", "race", "edu", "educ", "kids", "occ")
# What stands between words and behind them, and says nothing of its own.
LINKS = {
    *("in", "at", "of", "is", "has", "yr", "gp", "grp", "group", "cat", "categ", "type", "size"),
    *("code", "cd", "num", "no", "nr", "lev", "level", "status", "stat", "total", "tot", "avg"),
    *("name", "fam", "hh", "cur", "current", "last", "first", "prev", "new", "old", "high", "low"),
    *("typ", "abb", "sz", "cnt", "sts", "dom", "cent", "mid", "inner", "outer", "big", "small"),
    *("out", "gr", "gen", "mixed", "ever", "any", "liv", "live", "lives", "pre", "post", "cut"),
    *("resp", "self", "other", "main", "mean", "max", "min", "rec", "flag", "ind", "dummy"),
    "time",
}
# Words of their own, which are short for nothing.
ORDINARY = {
    *("count", "counts", "total", "other", "others", "never", "every", "after", "before", "group"),
    *("level", "value", "start", "finish", "method", "number", "label", "final", "first", "second"),
    *("third", "always", "often", "score", "result", "active", "status", "super", "account"),
    *("drive", "page", "strike", "single", "double", "private", "public", "skill", "skills"),
    *("person", "handling", "pattern", "content", "control", "service", "process", "sample"),
    *("series", "units", "months", "capacity", "velocity", "toxicity", "elasticity", "moment"),
    *("momentum", "statement", "social"),
}


def near(words: Iterable[str], among: tuple[Subject, ...]) -> Iterator[tuple[str, Subject]]:
    """Find subjects for words that none of them has; the surest reading first.

    >>> from sfumato.proposal.vocabulary import SUBJECTS
    >>> [next(near([word], SUBJECTS))[1].about for word in ("unmarried", "cntry", "maried")]
    ['family', 'origin', 'family']
    >>> list(near(["average"], SUBJECTS))
    []
    """
    words = [word for word in words if word not in ORDINARY]
    stems = {stem for subject in among for stem in subject.stems if len(stem) > PIECE}
    known = stems | {word for subject in among for word in subject.whole if len(word) >= PIECE}
    for word in words:
        pieces = split(word, known)
        found = [s for s in among if any(map(s.says, pieces))]
        if found:
            yield word, min(found, key=lambda subject: subject.role is not Role.SENSITIVE)
    for rule in RULES:
        for word in words:
            found = [subject for subject in among if rule(word, subject)]
            if found and len({subject.role for subject in found}) == 1:
                yield word, found[0]


def split(word: str, known: set[str]) -> list[str]:
    """Part a word into known ones and links; none if that cannot be done.

    Old programs cut names after eight letters: the last word of such a one may be cut.

    >>> split("ageinyrs", {"age", "yrs"}), split("average", {"age"})
    (['age', 'in', 'yrs'], [])
    >>> split("classsiz", {"class"}), split("hometype", {"home"})
    (['class', 'siz'], ['home', 'type'])
    """
    return _split(word, known, cut=len(word) == CUT)


def _split(word: str, known: set[str], *, cut: bool) -> list[str]:
    for n in range(len(word), 1, -1):
        head, rest = word[:n], word[n:]
        if head in known or head in LINKS:
            tail = _split(rest, known, cut=cut) if rest else []
            if tail or not rest:
                return [head, *tail]
            if cut and len(rest) >= PIECE and any(each.startswith(rest) for each in known | LINKS):
                return [head, rest]
    return []


def _run_together(word: str, subject: Subject) -> bool:
    """A word at the end, as in most compounds: `homestate`, `unmarried`, `nkids`."""
    if word[0] in BEFORE and len(word) > COUNTED and word[1:] in subject.whole:
        return True
    if any(len(known) >= RUN_TOGETHER and word[1:].endswith(known) for known in subject.whole):
        return True
    stems = [stem for stem in subject.stems if len(stem) >= RUN_TOGETHER]
    starts = [(stem, word.find(stem, 1)) for stem in stems]
    return any(n > 0 and len(word) - n - len(stem) <= ENDING for stem, n in starts)


def _begins_or_ends(word: str, subject: Subject) -> bool:
    """A plain word at either end, whatever stands at the other: `yearfm`, `kidslt`, `agefm`."""
    if word.startswith("age") and not word.startswith("agen"):
        return subject.says("age")
    return any(
        word.startswith(plain) or word.endswith(plain) for plain in PLAIN if subject.says(plain)
    )


def _without_vowels(word: str, subject: Subject) -> bool:
    """Consonants alone: `cntry`, `mrtl`."""
    if len(word) < CONSONANTS or any(letter in VOWELS for letter in word):
        return False
    return any(word == consonants(known) for known in (*subject.whole, *subject.stems))


def _shortened(word: str, subject: Subject) -> bool:
    """The beginning of a long word: `occupa`, `seniori`."""
    return len(word) >= SHORTENED and any(
        len(known) >= WHOLE and known.startswith(word) for known in (*subject.whole, *subject.stems)
    )


def _mistyped(word: str, subject: Subject) -> bool:
    """One letter wrong behind the second one, or doubled ones single: `gendre`, `maried`."""
    if len(word) < MISTYPED:
        return False
    whole = (known for known in subject.whole if len(known) >= MISTYPED)
    stems = (stem for stem in subject.stems if len(stem) >= STEM)
    return any(one_off(word, known) for known in whole) or any(
        undoubled(word).startswith(undoubled(stem)) for stem in stems
    )


def _with_a_letter(word: str, subject: Subject) -> bool:
    """A short word with a letter before or behind it, which says whose it is: `dage`, `agea`."""
    return any(
        core in (word[1:], word[:-1]) and subject.says(core) for core in CORES if word != core
    )


RULES: tuple[Callable[[str, Subject], bool], ...] = (
    _run_together,
    _with_a_letter,
    _begins_or_ends,
    _without_vowels,
    _shortened,
    _mistyped,
)


def consonants(word: str) -> str:
    """Leave out the vowels behind the first letter.

    >>> consonants("country"), consonants("age")
    ('cntry', 'ag')
    """
    return word[:1] + "".join(letter for letter in word[1:] if letter not in VOWELS)


def undoubled(word: str) -> str:
    """Write doubled letters once.

    >>> undoubled("married"), undoubled("address")
    ('maried', 'adres')
    """
    return "".join(letter for letter, _ in itertools.groupby(word))


def one_off(one: str, other: str) -> bool:
    """Whether one letter was left out, added, exchanged or swapped, behind the first ones.

    >>> one_off("maried", "married"), one_off("gendre", "gender"), one_off("diving", "driving")
    (True, True, False)
    """
    pairs = zip(one, other, strict=False)
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    a, b = one[same:], other[same:]
    if same < FIRST:
        return False
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[1::-1] == b[:2] and a[2:] == b[2:])
