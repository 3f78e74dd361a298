"""Spellings, letter by letter, number by number and pair by pair."""

import unicodedata
from decimal import Decimal, InvalidOperation

DASHES = "‐‑‒–—―−"
SINGLE_QUOTES, DOUBLE_QUOTES = "‘’‚‛ʼ′", "“”„‟"
IGNORABLE = [  # Unicode's Default_Ignorable_Code_Point that are not of category Cf
    (0x34F, 0x34F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
]


def is_seen(letter):
    """Whether a letter leaves ink, or a blank."""
    if letter.isspace():
        return True
    if any(low <= ord(letter) <= high for low, high in IGNORABLE):
        return False
    return unicodedata.category(letter) not in ("Cf", "Cc")


def folded(text):
    """One pass over the letters of a text."""
    letters = []
    seen = [c for c in unicodedata.normalize("NFKC", text) if is_seen(c)]
    for letter in unicodedata.normalize("NFKC", "".join(seen).casefold()):
        if letter in DASHES:
            letters.append("-")
        elif letter in SINGLE_QUOTES:
            letters.append("'")
        elif letter in DOUBLE_QUOTES:
            letters.append('"')
        elif letter.isspace():
            if letters and letters[-1] != " ":
                letters.append(" ")
        else:
            letters.append(letter)
    return "".join(letters).removesuffix(" ")


def number(text):
    """The number that a folded text is; None: it is none, or a code."""
    if not text.isascii() or "_" in text or any(c not in "0123456789+-.e" for c in text):
        return None
    whole = text.lstrip("+-").partition("e")[0].partition(".")[0]
    if len(whole) > 1 and whole[0] == "0":
        return None
    try:
        found = Decimal(text)
    except InvalidOperation:
        return None
    return found if len(text) <= 500 and abs(found.adjusted()) < 300 else None


def same(one, other):
    """Whether two texts are spellings of one value."""
    forms = []
    for text in (one, other):
        form = text
        for _ in range(10):
            form = folded(form)
        forms.append(form)
    numbers = [number(form) for form in forms]
    return forms[0] == forms[1] or (None not in numbers and numbers[0] == numbers[1])


def spellings(counts, known=()):
    """Rows with a value, distinct values, and groups of spellings."""
    texts = sorted({*(v for v in counts if isinstance(v, str)), *known})
    groups = []
    for text in texts:
        for group in groups:
            if same(text, group[0]):
                group.append(text)
                break
        else:
            groups.append([text])
    for group in groups:
        group.sort(key=lambda text: (text not in known, -counts.get(text, 0), text))
    others = [v for v in counts if v is not None and not isinstance(v, str)]
    return (
        sum(n for value, n in counts.items() if value is not None),
        len(others) + sum(any(text in counts for text in group) for group in groups),
        sorted(tuple(group) for group in groups if len(group) > 1),
    )
