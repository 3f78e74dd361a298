"""Spellings, letter by letter, number by number and pair by pair."""

import unicodedata
from decimal import Decimal, InvalidOperation

DASHES = "‐‑‒–—―−"
SINGLE_QUOTES, DOUBLE_QUOTES = "`‘’‚‛ʼʹʻʽˊˋ′‵", "“”„‟"
SLASHES = "⁄∕⧸"
ACCENTS = "\u0301\u0313\u0314"  # behind a blank they stand for an apostrophe
BRAILLE_BLANK = "\u2800"
OVERLAYS = [  # U+20D2 to U+20EB are marks around and through symbols
    *range(0x334, 0x339),
    *(
        code
        for code in range(0x20D2, 0x20EC)
        if unicodedata.combining(chr(code)) == 1 or unicodedata.category(chr(code)) == "Me"
    ),
]
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
    code = ord(letter)
    if any(low <= code <= high for low, high in IGNORABLE) or code in OVERLAYS:
        return False
    if code in (0xFFFC, 0x1D159) or code in range(0xFDD0, 0xFDF0):
        return False
    if any(code in (plane + 0xFFFE, plane + 0xFFFF) for plane in range(0, 0x110000, 0x10000)):
        return False
    return unicodedata.category(letter) not in ("Cf", "Cc", "Co")


def folded(text):
    """One pass over the letters of a text."""
    letters = []
    seen = [c for c in unicodedata.normalize("NFKC", text) if is_seen(c)]
    whole = unicodedata.normalize("NFKC", "".join(seen).casefold())
    for accent in ACCENTS:
        whole = whole.replace(f" {accent}", "'")
    for letter in whole:
        if letter in DASHES:
            letters.append("-")
        elif letter in SLASHES:
            letters.append("/")
        elif letter in SINGLE_QUOTES:
            letters.append("'")
        elif letter in DOUBLE_QUOTES:
            letters.append('"')
        elif letter.isspace() or letter == BRAILLE_BLANK:
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


def form_of(text):
    """What is left of a text, or of a missing value."""
    form = text or ""
    for _ in range(10):
        form = folded(form)
    return form


def same(one, other):
    """Whether two texts are spellings of one value; None: a missing one."""
    forms = [form_of(one), form_of(other)]
    numbers = [number(form) for form in forms]
    return forms[0] == forms[1] or (None not in numbers and numbers[0] == numbers[1])


def spellings(counts, known=()):
    """Rows with a value, distinct values, and groups of spellings."""
    others = [v for v in counts if v is not None and not isinstance(v, str)]
    texts = {*(v for v in counts if v not in others), *known}
    groups = []
    for text in texts:
        for group in groups:
            if same(text, group[0]):
                group.append(text)
                break
        else:
            groups.append([text])
    for group in groups:
        rest = sorted((t for t in group if t is not None), key=lambda t: (-counts.get(t, 0), t))
        rest = [None] * (None in group) + rest
        group[:] = [t for t in rest if t in known] + [t for t in rest if t not in known]
    values = [group for group in groups if form_of(group[0])]
    return (
        sum(counts[v] for v in others) + sum(counts.get(t, 0) for group in values for t in group),
        len(others) + sum(any(text in counts for text in group) for group in values),
        sorted(
            (tuple(group) for group in groups if len(group) > 1),
            key=lambda group: [(0, "") if t is None else (1, t) for t in group],
        ),
    )
