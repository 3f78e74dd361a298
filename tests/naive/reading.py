"""Values read by their settings, one at a time: what SQL does to whole columns."""

import datetime
import re
from decimal import Decimal

BLANK = "[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+"
BLANKS = re.compile(f"^{BLANK}|{BLANK}$")


def present(value, codes=(), *, trim=False):
    """A value without blanks around it; None for a missing one."""
    if value is None:
        return None
    if trim:
        value = BLANKS.sub("", value) or None
    return None if value in codes else value


def number(text, decimal, thousands):
    """The number that a text is by its marks, letter by letter; None: it is none."""
    sign, digits = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    whole, mark, part = digits.partition(decimal)
    if mark and not re.fullmatch("[0-9]+", part):
        return None
    if thousands and thousands in whole:
        first, *groups = whole.split(thousands)
        if not re.fullmatch("[1-9][0-9]{0,2}", first) or not all(
            re.fullmatch("[0-9]{3}", g) for g in groups
        ):
            return None
        whole = "".join([first, *groups])
    if not re.fullmatch("[0-9]+", whole):
        return None
    return Decimal(sign + whole + ("." + part if mark else ""))


def column(values, decimal, thousands):
    """Numbers, if all values of a column are, and one has a mark; "refused", or the texts."""
    there = [v for v in values if v is not None]
    numbers = [number(v, decimal, thousands) for v in there]
    marks = [m for m in (decimal if decimal != "." else None, thousands) if m]
    marked = [
        n is not None and any(m in v for m in marks) for v, n in zip(there, numbers, strict=True)
    ]
    if not any(marked):
        return values
    if None not in numbers:
        return [None if v is None else number(v, decimal, thousands) for v in values]
    return "refused" if 2 * sum(marked) > len(there) else values


def day(text, written):
    """The ISO text of a date written as DD.MM.YYYY or D/M/YYYY, by splitting; None: it is none."""
    separator = re.search("[^DMY]", written)[0]
    names, parts = written.split(separator), text.split(separator)
    if len(names) != len(parts) or not all(re.fullmatch("[0-9]+", part) for part in parts):
        return None
    for name, part in zip(names, parts, strict=True):
        if len(part) != len(name) and not (len(name) == 1 and len(part) == 2):
            return None
    by_unit = {name[0]: int(part) for name, part in zip(names, parts, strict=True)}
    try:
        return datetime.date(by_unit["Y"], by_unit["M"], by_unit["D"]).isoformat()
    except ValueError:
        return None
