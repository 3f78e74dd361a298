"""Hierarchies as rows of labels."""

from fractions import Fraction


def hierarchy_from_parents(parents):
    """Rows of labels from `{child: parent}`, where every leaf has the same depth."""
    rows = []
    for leaf in parents:
        if leaf not in parents.values():
            path = [leaf]
            while path[-1] in parents:
                path.append(parents[path[-1]])
            rows.append(tuple(path))
    return rows


def label_at(hierarchy, value, level):
    """What a ground value is called at a level."""
    for labels in hierarchy:
        if labels[0] == value:
            return labels[level]
    raise KeyError(value)


def levels_of(hierarchy, label):
    """All levels at which a label stands."""
    return [level for level in range(len(hierarchy[0])) if label in {r[level] for r in hierarchy}]


def coverage(hierarchy, value, level):
    """Number of ground values under the node that holds `value` (Wong 2009, definition 6)."""
    label = label_at(hierarchy, value, level)
    return sum(labels[level] == label for labels in hierarchy)


def base(hierarchy):
    """Number of ground values (Wong 2009, definition 6)."""
    return len(hierarchy)


def masked_rows(codes, mask, name, lengths=()):
    """Rows of labels of codes that lose one more character from the right at each level.

    mask(beginning, n_masked) and name(code) write a label; a code that is short enough stays.
    lengths: if any, so many characters are shown.
    """
    longest = max(map(len, codes))
    every = sorted(lengths, reverse=True) if lengths else range(longest - 1, 0, -1)
    return [
        (
            code,
            *(
                name(code) if len(code) <= shown else mask(code[:shown], longest - shown)
                for shown in every
            ),
            "*",
        )
        for code in sorted(codes)
    ]


def capped_row(number, widths, bottom, top):
    """What a number is called at each level of ranges that end at a bottom and a top."""
    number, widths = Fraction(number), [Fraction(str(width)) for width in widths]
    low, high = (None if bound is None else Fraction(str(bound)) for bound in (bottom, top))
    if low is not None and number < low:
        return [f"<{bottom}"] * (len(widths) + 1)
    if high is not None and number >= high:
        return [f">={top}"] * (len(widths) + 1)
    row = [number]
    for width in widths:
        start = number // width * width
        ends = [start, start + width]
        if low is not None:
            ends[0] = max(ends[0], low)
        if high is not None:
            ends[1] = min(ends[1], high)
        row.append(tuple(ends))
    return row


def natural_parts(text):
    """A key that orders texts by their letters and the numbers between them."""
    key = []
    rest = text
    while True:
        letters = ""
        while rest and not rest[0].isdigit():
            letters, rest = letters + rest[0], rest[1:]
        digits = ""
        while rest and rest[0].isdigit():
            digits, rest = digits + rest[0], rest[1:]
        key.append((letters, int(digits) if digits else -1))
        if not digits:
            return key, text


def people_beyond(people, bottom, top):
    """How many people are not below a top, and how many below a bottom."""
    numbers = {Fraction(str(number)): 0 for number in people}
    for number, n in people.items():
        numbers[Fraction(str(number))] += n
    return (
        sum(n for number, n in numbers.items() if top is not None and number >= Fraction(top)),
        sum(n for number, n in numbers.items() if bottom is not None and number < Fraction(bottom)),
    )


def people_of_nodes(rows, n_people):
    """How many people each node of each level has: one dict per level, ground first."""
    levels = []
    for level in range(len(rows[0])):
        counts = {}
        for row in rows:
            counts[row[level]] = counts.get(row[level], 0) + n_people.get(row[0], 0)
        levels.append(counts)
    return levels


def largest_empty(rows, n_people):
    """Nodes that nobody has and whose parents somebody has, each by its ground values."""
    empty = set()
    levels = people_of_nodes(rows, n_people)
    for row in rows:
        for level, name in enumerate(row):
            above = level == len(row) - 1 or levels[level + 1][row[level + 1]] > 0
            if levels[level][name] == 0 and above:
                empty.add(frozenset(r[0] for r in rows if r[level] == name))
    return empty
