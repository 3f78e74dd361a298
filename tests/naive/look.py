"""What is counted of columns before they have roles, value by value."""

import re
from collections import Counter

from sfumato.engines.look import MOST_COMMON, SHARES

NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"


def looked_at(values, patterns):
    """Count one column of texts; None: missing."""
    present = [value for value in values if value is not None]
    counts = Counter(present)
    numbers = sorted(float(v) for v in present if len(v) < 40 and re.fullmatch(NUMBER, v, re.ASCII))
    common = sorted(counts.items(), key=lambda each: (-each[1], each[0].encode()))
    return {
        "n_rows": len(values),
        "n_missing": len(values) - len(present),
        "n_values": len(counts),
        "n_alone": sum(n == 1 for n in counts.values()),
        "longest": max(map(len, present), default=0),
        "n_blanks": sum(v.strip(" ").count(" ") for v in present),
        "n_matching": {
            name: sum(re.fullmatch(pattern, v) is not None for v in present)
            for name, pattern in patterns.items()
        },
        "numbers": None
        if not numbers
        else (
            len(numbers),
            sum(n.is_integer() for n in numbers),
            numbers[0],
            numbers[-1],
            sum(numbers),
        ),
        "quantiles": tuple(
            next(n for j, n in enumerate(numbers, 1) if j >= share * len(numbers))
            for share in SHARES
        )
        if numbers
        else (),
        "common": tuple(common[:MOST_COMMON]),
    }
