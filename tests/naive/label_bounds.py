"""How far labels reach, found by reading each of them with a pattern of its own."""

import datetime
import re
from fractions import Fraction

DAY = r"\d{4}-\d\d-\d\d"


def _calendar(text):
    """Give the first day, and the first day behind it."""
    if re.fullmatch(r"\d{3}0s", text):
        year = int(text[:4])
        return f"{year:04}-01-01", f"{year + 10:04}-01-01", False
    if re.fullmatch(r"\d{4}", text):
        return f"{text}-01-01", f"{int(text) + 1:04}-01-01", False
    if re.fullmatch(r"\d{4}-\d\d", text):
        first = datetime.date(int(text[:4]), int(text[5:]), 1)
        behind = (first + datetime.timedelta(32)).replace(day=1)
        return first.isoformat(), behind.isoformat(), False
    assert re.fullmatch(DAY, text)
    behind = datetime.date.fromisoformat(text) + datetime.timedelta(1)
    return text, behind.isoformat(), False


def naive_bounds(labels, texts):
    """Give `lowest`, and `highest` or `below`; None: the column has no order."""
    if texts not in ("numbers", "calendar"):
        return None
    place = Fraction if texts == "numbers" else str
    lows, highs = [], []
    for label in labels:
        if label in (None, "*", "not missing"):
            continue
        text = label.removesuffix(" or missing")
        if found := re.fullmatch(r"\[(.+), (.+)\)", text):
            low, high, inside = found[1], found[2], False
        elif text.startswith(">="):
            low, high, inside = text[2:], None, False
        elif text.startswith("<"):
            low, high, inside = None, text[1:], False
        elif texts == "calendar":
            low, high, inside = _calendar(text)
        else:
            low, high, inside = text, text, True
        lows.append(low)
        highs.append((high, inside))
    if not lows:
        return None
    lowest = None if None in lows else min(lows, key=place)
    if any(high is None for high, _ in highs):
        return {"lowest": lowest, "highest": None}
    highest, inside = max(highs, key=lambda each: (place(each[0]), each[1]))
    return {"lowest": lowest, "highest" if inside else "below": highest}
